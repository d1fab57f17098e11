// convolution.cpp -- convolve and correlate: contiguous sequences of one dtype, then one task.
#include "cuarray/ops/convolution.h"
#include <optional>
#include <utility>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/products.h"
#include "cuarray/ops/reduction.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

/// An argument as a sequence of that dtype.
Array sequence_of(const Array& array, DType dtype, const char* function, const char* name) {
    if (array.ndim() > 1)
        raise(ErrorKind::Value, function, ": ", name, " has ", array.ndim(), " axes and must have one");
    if (array.is_empty()) raise(ErrorKind::Value, function, ": ", name, " cannot be empty");
    return astype(array.ndim() ? array : array.reshape({1}), dtype, 'K', false);
}

Array reversed(const Array& line) {
    const int64_t stride = line.strides()[0];
    return line.view({line.shape(), {-stride}}, (line.size() - 1) * stride);
}

/// result[i] = sum over k of signal[i - before + k] * weights[k], over the k for which that index is in bounds.
Array sums_at_overlaps(const Array& signal, const Array& weights, int64_t before, int64_t count, const char* name) {
    const Array values = packed(signal), row = packed(weights);
    const Array result = empty({count}, signal.dtype(), signal.device());
    const auto whole = [&](const Array& array) { return array.as_operand(array.shape(), name); };
    result.storage().front().run(
        Correlate{values.size(), row.size(), before, count, whole(values), whole(row), whole(result), name});
    return result;
}

/// The same without elements out of bounds, by a fold for each of few sums of many terms.
Array sums_of_windows(const Array& signal, const Array& weights, int64_t count) {
    const int64_t stride = signal.strides()[0];
    const Array windows = signal.view({{count, weights.size()}, {stride, stride}});
    constexpr int64_t kFewProducts = 1 << 15;  // are folded faster than a program with both loops begins
    std::optional<Deferral> fused;
    if (count * weights.size() > kFewProducts) fused.emplace();
    ReduceOptions options;
    options.all_axes = false, options.axes = {1};
    const bool has_bools = signal.dtype() == DType::bool_;
    if (!has_bools) options.dtype = signal.dtype();
    return reduce(has_bools ? reduction::any : reduction::sum, apply_row(row::multiply, windows, weights), options);
}

/// The sums of products of `weights` with the elements of `signal` beside them; half floats in float32.
Array correlated(Array signal, Array weights, Overlaps mode, const char* name) {
    const DType dtype = signal.dtype();
    if (info(dtype).kind == Kind::Floating && item_size(dtype) == 2) {
        signal = astype(signal, DType::float32);
        weights = astype(weights, DType::float32);
    }
    const int64_t extra = weights.size() - 1;
    const int64_t before = mode == Overlaps::Valid ? 0 : mode == Overlaps::Same ? weights.size() / 2 : extra;
    const int64_t count = signal.size() + (mode == Overlaps::Valid ? -extra : mode == Overlaps::Same ? 0 : extra);
    if (count == 1 && mode == Overlaps::Valid && dtype != DType::bool_)  // as NumPy, a product of vectors
        return astype(dot(signal, weights).reshape({1}), dtype, 'K', false);
    constexpr int64_t kFewTerms = 64;  // a fold of these takes longer to begin
    const bool are_long = count < weights.size() && weights.size() > kFewTerms;
    const Array sums =
        are_long ? sums_of_windows(signal, weights, count) : sums_at_overlaps(signal, weights, before, count, name);
    return astype(sums, dtype, 'K', false);
}

}  // namespace

Array convolve(const Array& a, const Array& v, Overlaps mode) {
    const DType dtype = promote(a.dtype(), v.dtype());
    Array longer = sequence_of(a, dtype, "convolve", "a"), shorter = sequence_of(v, dtype, "convolve", "v");
    if (shorter.size() > longer.size()) std::swap(longer, shorter);
    return correlated(longer, reversed(shorter), mode, "convolve");
}

Array correlate(const Array& a, const Array& v, Overlaps mode) {
    const DType dtype = promote(a.dtype(), v.dtype());
    const Array signal = sequence_of(a, dtype, "correlate", "a");
    Array weights = sequence_of(v, dtype, "correlate", "v");
    if (info(dtype).kind == Kind::Complex) weights = apply_row(row::conj, weights);
    if (weights.size() > signal.size()) return copy(reversed(correlated(weights, signal, mode, "correlate")));
    return correlated(signal, weights, mode, "correlate");
}

}  // namespace cuarray
