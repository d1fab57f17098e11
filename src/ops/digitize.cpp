// digitize.cpp -- the numbers of bins: a search in edges that ascend or descend.
#include <algorithm>
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
std::vector<double> host_elements(const Array& line) {
    const Array row = packed(astype(line, DType::float64, 'K', false));
    std::vector<double> elements(size_t(row.size()));
    if (!elements.empty()) row.storage().front().read(elements.data(), row.storage(), row.offset(), row.nbytes());
    return elements;
}

/// How edges follow one another: they descend unless the first that differs is greater, which a NaN never is.
struct EdgeOrder {
    bool ascends = true, has_nan = false;
};

/// ValueError if the edges neither ascend nor descend.
EdgeOrder order_of(const std::vector<double>& edges) {
    EdgeOrder order;
    bool rises = false, falls = false, differ = false;
    for (size_t i = 1; i < edges.size(); ++i) {
        const bool rise = edges[i - 1] < edges[i], fall = edges[i] < edges[i - 1];
        if (!differ && edges[i - 1] != edges[i]) differ = true, order.ascends = rise;
        rises |= rise;
        falls |= fall;
        order.has_nan |= edges[i] != edges[i];
    }
    if (order.ascends ? falls : rises) raise(ErrorKind::Value, "digitize: the edges must ascend or descend");
    return order;
}

/// The positions in edges without order, since there is a NaN among them, that NumPy's steps of a search find: from the
/// bounds that the value before left.
std::vector<int64_t> steps_among_nan(const std::vector<double>& edges, const std::vector<double>& values, bool right) {
    const auto is_before = [](double a, double b) { return a < b || (b != b && a == a); };
    const auto goes_on = [&](double a, double b) { return right ? !is_before(b, a) : is_before(a, b); };
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
    std::vector<double> edges = host_elements(bins);
    const auto [ascends, has_nan] = order_of(edges);
    const int64_t n = bins.size(), apart = bins.strides()[0];
    if (has_nan) {
        const Array values = as_array(x, bins.device(), "digitize");
        if (!ascends) std::ranges::reverse(edges);
        std::vector<int64_t> places = steps_among_nan(edges, host_elements(values.reshape({-1})), !right);
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
