// digitize.cpp -- the numbers of bins: a search in edges that ascend or descend.
#include <algorithm>
#include <span>
#include <vector>
#include "cuarray/array/elements.h"
#include "cuarray/core/scalar.h"
#include "cuarray/ops/sort.h"
#include "cuarray/ops/ufunc.h"
#include "cuarray/runtime/registry.h"
#include "ops/as_array.h"
#include "ops/element_access.h"

namespace cuarray {
namespace {

/// The elements of a line on the host; as in NumPy, float64 decides which are equal.
class HostElements {
 public:
    explicit HostElements(const Array& line) : row_(packed(astype(line, DType::float64, 'K', false))) {
        if (is_readable_line(row_)) {
            elements_ = {reinterpret_cast<const double*>(direct_data(row_)), size_t(row_.size())};
            return;
        }
        copied_.resize(size_t(row_.size()));
        if (!copied_.empty()) row_.storage().front().read(copied_.data(), row_.storage(), row_.offset(), row_.nbytes());
        elements_ = copied_;
    }
    std::span<const double> get() const { return elements_; }

 private:
    Array row_;
    std::vector<double> copied_;
    std::span<const double> elements_;
};

/// How edges follow one another: they descend unless the first that differs is greater, which a NaN never is.
struct EdgeOrder {
    bool ascends, has_nan;
};

/// ValueError if the edges neither ascend nor descend.
EdgeOrder order_of(std::span<const double> edges) {
    bool rises = false, falls = false, has_nan = false;
    for (size_t i = 1; i < edges.size(); ++i) {
        rises |= edges[i - 1] < edges[i];
        falls |= edges[i] < edges[i - 1];
        has_nan |= edges[i] != edges[i];
    }
    size_t first = 1;
    while (first < edges.size() && edges[first - 1] == edges[first]) ++first;
    const bool ascends = first >= edges.size() || edges[first - 1] < edges[first];
    if (ascends ? falls : rises) raise(ErrorKind::Value, "digitize: the edges must ascend or descend");
    return {ascends, has_nan};
}

/// The positions in edges without order, since there is a NaN among them, that NumPy's steps of a search find: from the
/// bounds that the value before left.
std::vector<int64_t> steps_among_nan(std::span<const double> edges, std::span<const double> values, Side side) {
    const auto is_before = [](double a, double b) { return a < b || (b != b && a == a); };
    const auto goes_on = [&](double a, double b) { return side == Side::Right ? !is_before(b, a) : is_before(a, b); };
    const auto end = int64_t(edges.size());
    std::vector<int64_t> places;
    int64_t least = 0, most = end;
    for (size_t i = 0; i < values.size(); ++i) {
        if (goes_on(values[i ? i - 1 : 0], values[i]))
            most = end;
        else
            least = 0, most = most < end ? most + 1 : end;
        while (least < most) {
            const int64_t middle = least + (most - least) / 2;
            if (goes_on(edges[size_t(middle)], values[i]))
                least = middle + 1;
            else
                most = middle;
        }
        places.push_back(least);
    }
    return places;
}

}  // namespace

ArrayOrNumber digitize(const Argument& x, const Array& bins, bool right) {
    const ArgType type = x.type();
    const bool is_complex = type.is_weak() ? type.weak == Weak::Kind::Complex : info(type.dtype).kind == Kind::Complex;
    if (is_complex || info(bins.dtype()).kind == Kind::Complex)
        raise(ErrorKind::Type, "digitize: x and bins must be real");
    if (bins.ndim() != 1)
        raise(ErrorKind::Value, "digitize: the edges need one axis, they have shape ", to_string(bins.shape()));
    const Side side = right ? Side::Left : Side::Right;
    const HostElements edges(bins);
    const auto [ascends, has_nan] = order_of(edges.get());
    const int64_t n = bins.size(), apart = bins.strides()[0];
    if (has_nan) {
        const Array values = as_array(x, bins.device(), "digitize");
        std::vector<double> ascending(edges.get().begin(), edges.get().end());
        if (!ascends) std::ranges::reverse(ascending);
        std::vector<int64_t> places = steps_among_nan(ascending, HostElements(values.reshape({-1})).get(), side);
        if (!ascends)
            for (int64_t& place : places) place = n - place;
        return copy_from_host(places.data(), values.shape(), DType::int64, values.device());
    }
    if (ascends) return searchsorted(bins, x, side);
    const ArrayOrNumber places = searchsorted(bins.view({bins.shape(), {-apart}}, (n - 1) * apart), x, side);
    if (const auto* const array = std::get_if<Array>(&places))
        return apply_row(row::subtract, Scalar::of(DType::int64, n), *array);
    return Scalar::of(DType::int64, n - to_int64(std::get<Scalar>(places)));
}

}  // namespace cuarray
