// bincount.cpp -- checks the numbers, finds the largest one, and counts: a few on the host at once, others by one task.
#include "cuarray/ops/bincount.h"
#include <algorithm>
#include <cstring>

#include "cuarray/array/elements.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/sort.h"

namespace cuarray {
namespace {

constexpr const char* kBincount = "bincount";

/// So many bins are filled by the caller.
constexpr int64_t kFewBins = kFewBytes / int64_t(sizeof(int64_t));

/// Weights in float64; ValueError or TypeError if they do not go with the numbers.
Array checked_weights(const Array& weights, const Array& numbers) {
    if (info(weights.dtype()).kind == Kind::Complex) raise(ErrorKind::Type, kBincount, ": weights must be real");
    if (!(weights.shape() == numbers.shape()))
        raise(ErrorKind::Value, kBincount, ": weights have shape ", to_string(weights.shape()), ", the numbers ",
              to_string(numbers.shape()));
    return astype(weights, DType::float64, 'K', false);
}

/// The largest of int64 read as unsigned integers, among which negative numbers are the largest; -1 if there is none.
int64_t largest(const Array& numbers, const int64_t* few) {
    if (numbers.is_empty()) return -1;
    uint64_t most = 0;
    if (few) {
        for (int64_t i = 0; i < numbers.size(); ++i) most = std::max(most, uint64_t(few[i]));
    } else {
        const Array bits = numbers.view(numbers.layout(), 0, DType::uint64);
        std::memcpy(&most, item(reduce(reduction::max, bits, {}), kBincount).bytes, sizeof most);
    }
    if (int64_t(most) < 0) raise(ErrorKind::Value, kBincount, ": numbers must not be negative, ", int64_t(most), " is");
    if (int64_t(most) == INT64_MAX) raise(ErrorKind::Value, kBincount, ": there is no array of ", most + 1, " counts");
    return int64_t(most);
}

template <class Bin, class Share>
void add_up(const int64_t* numbers, int64_t count, const Array& result, Share share) {
    Bin* const bins = reinterpret_cast<Bin*>(direct_data(result));
    std::fill_n(bins, result.size(), Bin(0));
    for (int64_t i = 0; i < count; ++i) bins[numbers[i]] += share(i);
}

}  // namespace

Array bincount(const CountedIntegers& x, const std::optional<Array>& given_weights, int64_t minlength) {
    if (minlength < 0) raise(ErrorKind::Value, kBincount, ": minlength must not be negative, it is ", minlength);
    const Array& given = x.array;
    if (given.ndim() != 1)
        raise(ErrorKind::Value, kBincount, ": one axis is needed, not shape ", to_string(given.shape()));
    const Kind kind = info(given.dtype()).kind;
    const bool is_nothing = given.is_empty() && !x.has_dtype;
    if (!is_nothing && kind != Kind::Bool && kind != Kind::Signed && kind != Kind::Unsigned)
        raise(ErrorKind::Type, kBincount, ": integers are needed, not ", info(given.dtype()).name);
    const Array weights = given_weights ? checked_weights(*given_weights, given) : Array();
    const Array numbers = astype(given, DType::int64, 'K', false);
    const auto* const few = reinterpret_cast<const int64_t*>(direct_elements(numbers));
    const int64_t bins = std::max(largest(numbers, few) + 1, minlength);
    const auto* const shares = weights.defined() ? reinterpret_cast<const double*>(direct_elements(weights)) : nullptr;
    const DType dtype = weights.defined() ? DType::float64 : DType::int64;
    const bool is_few = few && bins <= kFewBins && (!weights.defined() || shares);
    const Array result = is_few ? empty({bins}, dtype, numbers.device()) : Array();
    if (!is_few || !direct_data(result))
        return histogram(numbers, nullptr, false, weights.defined() ? &weights : nullptr, bins, kBincount);
    if (weights.defined())
        add_up<double>(few, numbers.size(), result, [&](int64_t i) { return shares[i]; });
    else
        add_up<int64_t>(few, numbers.size(), result, [](int64_t) { return 1; });
    return result;
}

}  // namespace cuarray
