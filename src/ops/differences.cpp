// differences.cpp -- diff, gradient, trapezoid: calls of ufuncs on shifted views; few float64 by the caller.
#include "cuarray/ops/differences.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <utility>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/ufunc.h"
#include "ops/call.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

/// The elements from begin to end along an axis; a negative end counts from the last one.
Array between(const Array& array, int axis, int64_t begin, int64_t end) {
    Layout layout = array.layout();
    const int64_t extent = layout.shape[axis], stride = layout.strides[axis];
    begin = std::clamp<int64_t>(begin < 0 ? begin + extent : begin, 0, extent);
    layout.shape[axis] = std::max<int64_t>(std::clamp<int64_t>(end < 0 ? end + extent : end, 0, extent) - begin, 0);
    const bool is_empty = count(layout.shape) == 0;
    return array.view(std::move(layout), is_empty ? 0 : begin * stride);
}

Weak weak(double number) { return {Weak::Kind::Float, 0, false, 0, number, 0}; }

Array applied(RowId row, const ArrayOrNumber& a, const ArrayOrNumber& b) {
    return apply_row(row, as_argument(a), as_argument(b));
}

/// A Python number, which a bool is, too.
std::optional<std::complex<double>> plain_number(const ArrayOrNumber& one) {
    if (const auto* const number = std::get_if<Weak>(&one)) return std::complex(number->real, number->imag);
    if (const auto* const scalar = std::get_if<Scalar>(&one); scalar && scalar->dtype == DType::bool_)
        return std::complex(double(scalar->bytes[0]), 0.0);
    return {};
}

/// A real Python number.
std::optional<double> real_number(const Argument& one) {
    return one.weak && one.weak->kind != Weak::Kind::Complex ? std::optional(one.weak->real) : std::nullopt;
}

ArrayOrNumber kept(const Argument& one) {
    if (one.weak) return *one.weak;
    if (one.scalar) return *one.scalar;
    return *one.array;
}

/// The same for numbers, of which two Python numbers give one.
ArrayOrNumber calculated(RowId row, const ArrayOrNumber& a, const ArrayOrNumber& b) {
    const auto x = plain_number(a), y = plain_number(b);
    if (!x || !y) return applied(row, a, b);
    if (x->imag() == 0 && y->imag() == 0) {
        const double p = x->real(), q = y->real();
        return weak(row == row::add ? p + q : row == row::multiply ? p * q : p / q);
    }
    const std::complex<double> z = row == row::add ? *x + *y : row == row::multiply ? *x * *y : *x / *y;
    return Weak{Weak::Kind::Complex, 0, false, 0, z.real(), z.imag()};
}

ArrayOrNumber sum_of(const ArrayOrNumber& a, const ArrayOrNumber& b) { return calculated(row::add, a, b); }
ArrayOrNumber product_of(const ArrayOrNumber& a, const ArrayOrNumber& b) { return calculated(row::multiply, a, b); }
ArrayOrNumber quotient_of(const ArrayOrNumber& a, const ArrayOrNumber& b) { return calculated(row::divide, a, b); }

/// A few float64 in C order that the caller computes with; null for others.
const double* few_doubles(const Array& array) {
    if (array.ndim() != 1 || array.dtype() != DType::float64 || array.nbytes() > kFewBytes || is_deferring())
        return nullptr;
    if (!array.is_c_contiguous()) return nullptr;
    return reinterpret_cast<const double*>(direct_elements(array));
}

/// Values to join to an array along an axis: an array without axes is one slice.
Array layer(const Array& values, const Array& like, int axis) {
    if (values.ndim()) return values;
    Dims shape = like.shape();
    shape[axis] = 1;
    return values.broadcast_to(shape, "diff");
}

/// The distance of all samples along an axis, or the distances of neighbours.
struct SampleSpacing {
    bool is_even;
    ArrayOrNumber steps;

    SampleSpacing(const ArrayOrNumber& distance, int64_t extent) : is_even(true), steps(distance) {
        const auto* const places = std::get_if<Array>(&distance);
        if (!places || places->ndim() == 0) return;
        if (places->ndim() != 1) raise(ErrorKind::Value, "gradient: distances must be either scalars or 1d");
        if (places->size() != extent)
            raise(ErrorKind::Value, "gradient: ", places->size(), " coordinates for an axis of ", extent,
                  " elements; when 1d, distances must match the length of the corresponding dimension");
        const Kind kind = info(places->dtype()).kind;
        const bool is_integer = kind == Kind::Unsigned || kind == Kind::Signed;
        const Array apart = diff(is_integer ? astype(*places, DType::float64, 'K') : *places);
        is_even = false;
        if (!apart.is_empty()) {
            const Array first = between(apart, 0, 0, 1);
            const Scalar all = item(reduce(reduction::all, applied(row::equal, apart, first), {}), "gradient");
            is_even = all.bytes[0] != 0;
        }
        steps = is_even ? between(apart, 0, 0, 1) : apart;
    }
};

/// The factors of the first three elements in the derivative at an end, one-sided and of second order.
std::array<ArrayOrNumber, 3> edge_factors(const ArrayOrNumber& first, const ArrayOrNumber& second, bool at_end) {
    const ArrayOrNumber sign = weak(at_end ? 1 : -1), opposite = weak(at_end ? -1 : 1), both = sum_of(first, second);
    return {quotient_of(product_of(sign, sum_of(first, both)), product_of(first, both)),
            quotient_of(product_of(opposite, both), product_of(first, second)),
            quotient_of(product_of(sign, first), product_of(second, both))};
}

/// The derivative at one end of an axis, as a slice of length 1.
Array derivative_at_end(const Array& f, int axis, const SampleSpacing& spacing, bool at_end, int64_t edge_order) {
    const auto sample = [&](int64_t i) {
        const int64_t at = at_end ? f.shape()[axis] - 1 - i : i;
        return between(f, axis, at, at + 1);
    };
    ArrayOrNumber first = spacing.steps, second = spacing.steps;
    if (!spacing.is_even) {
        const Array& steps = std::get<Array>(spacing.steps);
        const int64_t n = steps.size();
        first = at_end ? between(steps, 0, n - 1, n) : between(steps, 0, 0, 1);
        second = at_end ? between(steps, 0, n - 2, n - 1) : between(steps, 0, 1, 2);
    }
    if (edge_order == 1) {
        const Array rise =
            at_end ? applied(row::subtract, sample(0), sample(1)) : applied(row::subtract, sample(1), sample(0));
        return applied(row::divide, rise, first);
    }
    const auto factors = edge_factors(first, second, at_end);
    const Array a = applied(row::multiply, factors[0], sample(0)), b = applied(row::multiply, factors[1], sample(1));
    return applied(row::add, applied(row::add, a, b), applied(row::multiply, factors[2], sample(2)));
}

Array derivative(const Array& f, int axis, const SampleSpacing& spacing, int64_t edge_order, DType dtype) {
    const int64_t extent = f.shape()[axis];
    if (extent < edge_order + 1)
        raise(ErrorKind::Value, "gradient: the axis has ", extent, " elements; with edge_order ", edge_order,
              " at least ", edge_order + 1, " are required");
    Array result = empty(f.shape(), dtype, f.device());
    const Array before = between(f, axis, 0, extent - 2), here = between(f, axis, 1, extent - 1),
                after = between(f, axis, 2, extent);
    const Deferral fused;
    Array inner;
    if (spacing.is_even) {
        inner = applied(row::divide, applied(row::subtract, after, before), product_of(weak(2), spacing.steps));
    } else {
        const Array& steps = std::get<Array>(spacing.steps);
        Dims shape = Dims::filled(f.ndim() - axis, 1);
        shape[0] = -1;
        const Array left = between(steps, 0, 0, steps.size() - 1).reshape(shape);
        const Array right = between(steps, 0, 1, steps.size()).reshape(shape);
        const Array both = applied(row::add, left, right);
        const Array a = applied(row::divide, apply_row(row::negative, right), applied(row::multiply, left, both));
        const Array b = applied(row::divide, applied(row::subtract, right, left), applied(row::multiply, left, right));
        const Array c = applied(row::divide, left, applied(row::multiply, right, both));
        const Array first = applied(row::multiply, a, before), second = applied(row::multiply, b, here);
        inner = applied(row::add, applied(row::add, first, second), applied(row::multiply, c, after));
    }
    assign(between(result, axis, 1, extent - 1), inner, "gradient");
    assign(between(result, axis, 0, 1), derivative_at_end(f, axis, spacing, false, edge_order), "gradient");
    assign(between(result, axis, extent - 1, extent), derivative_at_end(f, axis, spacing, true, edge_order),
           "gradient");
    return result;
}

/// (f[i + 1] - f[i - 1]) * factor for all elements but the first and the last, two at once.
void write_central_differences(const double* f, int64_t n, double factor, double* to) {
    typedef double Doubles [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]];
    int64_t i = 1;
    for (; i + 2 < n; i += 2) {
        const Doubles *const before = reinterpret_cast<const Doubles*>(f + i - 1), *const after =
                                                                                       reinterpret_cast<const Doubles*>(
                                                                                           f + i + 1);
        *reinterpret_cast<Doubles*>(to + i) = (*after - *before) * factor;
    }
    for (; i + 1 < n; ++i) to[i] = (f[i + 1] - f[i - 1]) * factor;
}

/// The derivative of a few float64 of one axis, with the operations of `derivative`; an empty handle for others.
Array derivative_of_few(const Array& array, const ArgumentList& distances, int64_t edge_order) {
    const double* const f = few_doubles(array);
    const int64_t n = f ? array.size() : 0;
    if (n < edge_order + 1 || distances.size() > 1) return {};
    double even = 1, steps[kFewBytes / sizeof(double)];
    bool is_even = true;
    if (!distances.empty()) {
        if (const auto number = real_number(distances[0])) {
            even = *number;
        } else {
            const Array* const places = distances[0].array;
            const double* const x = places ? few_doubles(*places) : nullptr;
            if (!x || places->size() != n || !(places->device() == array.device())) return {};
            for (int64_t i = 0; i + 1 < n; ++i) steps[i] = x[i + 1] - x[i];
            is_even = std::all_of(steps, steps + n - 1, [&](double step) { return step == steps[0]; });
            even = steps[0];
        }
    }
    Array result = empty(array.shape(), DType::float64, array.device());
    auto* const to = reinterpret_cast<double*>(direct_data(result));
    if (!to) return {};
    if (is_even) {
        const double whole = 2 * even, part = 1 / whole;
        int exponent;  // by a power of two, the product with its inverse is the quotient
        if (std::abs(std::frexp(whole, &exponent)) == 0.5 && std::isfinite(part))
            write_central_differences(f, n, part, to);
        else
            for (int64_t i = 1; i + 1 < n; ++i) to[i] = (f[i + 1] - f[i - 1]) / whole;
    } else {
        for (int64_t i = 1; i + 1 < n; ++i) {
            const double left = steps[i - 1], right = steps[i], both = left + right;
            const double a = -right / (left * both), b = (right - left) / (left * right), c = left / (right * both);
            to[i] = a * f[i - 1] + b * f[i] + c * f[i + 1];
        }
    }
    for (const bool at_end : {false, true}) {
        const int64_t end = at_end ? n - 1 : 0, inward = at_end ? -1 : 1;
        const double first = is_even ? even : steps[at_end ? n - 2 : 0];
        if (edge_order == 1) {
            to[end] = (at_end ? f[end] - f[end - 1] : f[1] - f[0]) / first;
            continue;
        }
        const double second = is_even ? even : steps[at_end ? n - 3 : 1], sign = at_end ? 1 : -1;
        const double both = first + second;
        const double a = sign * (first + both) / (first * both), b = -sign * both / (first * second),
                     c = sign * first / (second * both);
        to[end] = a * f[end] + b * f[end + inward] + c * f[end + 2 * inward];
    }
    return result;
}

/// The integral of a few float64 of one axis, with the operations of `trapezoid`; nothing for others.
std::optional<Scalar> integral_of_few(const Array& array, const std::optional<Array>& places,
                                      std::optional<double> distance) {
    const double* const y = few_doubles(array);
    const int64_t n = y ? array.size() : 0;
    const double* const x = places ? few_doubles(*places) : nullptr;
    if (n < 2 || (places ? !x || places->size() != n || !(places->device() == array.device()) : !distance)) return {};
    Scalar sum;
    sum.dtype = DType::float64;
    double parts[kFewBytes / sizeof(double)];
    for (int64_t i = 0; i + 1 < n; ++i) parts[i] = (x ? x[i + 1] - x[i] : *distance) * (y[i + 1] + y[i]) / 2;
    array.storage().front().direct()->reduce(reduction::sum, DType::float64, parts, n - 1, sum.bytes);
    return sum;
}

}  // namespace

Array diff(const Array& given, int64_t n, int64_t axis, const std::optional<Array>& prepend,
           const std::optional<Array>& append) {
    if (n == 0) return given;
    if (n < 0) raise(ErrorKind::Value, "diff: order must be non-negative but got ", n);
    if (given.ndim() == 0) raise(ErrorKind::Value, "diff: requires an array of at least one dimension");
    const int along = normalise_axis(axis, given.ndim(), "diff");
    Array a = given;
    if (prepend || append) {
        std::vector<ArrayOrNumber> parts;
        if (prepend) parts.emplace_back(layer(*prepend, given, along));
        parts.emplace_back(given);
        if (append) parts.emplace_back(layer(*append, given, along));
        a = concat(parts, along);
    }
    const RowId row = a.dtype() == DType::bool_ ? RowId(row::not_equal) : RowId(row::subtract);
    // After as many steps as there are elements, the result is empty.
    for (int64_t k = std::min(n, std::max<int64_t>(a.shape()[along], 1)); k > 0; --k) {
        const int64_t extent = a.shape()[along];
        const Array later = between(a, along, 1, extent),
                    earlier = between(a, along, 0, std::max<int64_t>(extent - 1, 0));
        a = apply_row(row, later, earlier);
    }
    return a;
}

Array ediff1d(const Array& ary, const std::optional<Array>& to_end, const std::optional<Array>& to_begin) {
    const Array line = ary.reshape({-1});
    const auto beside = [&](const Array& values, const char* name) {
        if (!can_cast(values.dtype(), line.dtype(), Casting::SameKind))
            raise(ErrorKind::Type, "ediff1d: ", name, " of ", info(values.dtype()).name, " cannot be cast to ",
                  info(line.dtype()).name, " by 'same_kind'");
        return astype(values.reshape({-1}), line.dtype());
    };
    std::vector<ArrayOrNumber> parts;
    if (to_begin) parts.emplace_back(beside(*to_begin, "to_begin"));
    std::optional<Array> end;
    if (to_end) end = beside(*to_end, "to_end");
    const int64_t n = line.size();
    const Array differences =
        applied(row::subtract, between(line, 0, 1, n), between(line, 0, 0, std::max<int64_t>(n - 1, 0)));
    if (!to_begin && !to_end) return differences;
    parts.emplace_back(differences);
    if (end) parts.emplace_back(*end);
    return concat(parts, 0, nullptr, line.dtype());
}

std::vector<Array> gradient(const Array& given, const ArgumentList& varargs, const OptionalDims& axis,
                            int64_t edge_order) {
    std::vector<Array> results;
    if (!axis && (edge_order == 1 || edge_order == 2)) {
        if (Array few = derivative_of_few(given, varargs, edge_order); few.defined()) {
            results.push_back(std::move(few));
            return results;
        }
    }
    Dims axes;
    if (axis) {
        normalise_axes(*axis, given.ndim(), "gradient");
        axes = *axis;
        for (int64_t& one : axes) one = normalise_axis(one, given.ndim(), "gradient");
    } else {
        for (int64_t d = 0; d < given.ndim(); ++d) axes.push_back(d);
    }
    const auto is_number = [](const Argument& one) { return !one.array || one.array->ndim() == 0; };
    const bool is_one_for_all = varargs.size() == 1 && is_number(varargs[0]);
    if (!varargs.empty() && !is_one_for_all && int(varargs.size()) != axes.size())
        raise(ErrorKind::Type, "gradient: ", varargs.size(), " distances for ", axes.size(),
              " axes; give none, one, or one per axis");
    std::vector<SampleSpacing> spacings;
    for (int k = 0; k < axes.size(); ++k)
        spacings.emplace_back(varargs.empty() ? weak(1) : kept(varargs[is_one_for_all ? 0 : size_t(k)]),
                              given.shape()[int(axes[k])]);
    if (edge_order != 1 && edge_order != 2)
        raise(ErrorKind::Value, "gradient: edge_order must be 1 or 2, not ", edge_order);
    const Kind kind = info(given.dtype()).kind;
    const DType dtype = kind < Kind::Floating ? DType::float64 : given.dtype();
    const Array f = kind == Kind::Signed || kind == Kind::Unsigned ? astype(given, dtype) : given;
    for (const SampleSpacing& spacing : spacings) {
        const ArgType type = as_argument(spacing.steps).type();
        warn_of_lost_imaginary_part(type.is_weak() ? default_dtype(type.weak) : type.dtype, dtype);
    }
    for (int k = 0; k < axes.size(); ++k)
        results.push_back(derivative(f, int(axes[k]), spacings[size_t(k)], edge_order, dtype));
    return results;
}

ArrayOrNumber trapezoid(const Array& y, const std::optional<Array>& x, const std::optional<Argument>& dx,
                        int64_t axis) {
    const int along = normalise_axis(axis, y.ndim(), "trapezoid");
    if (!x && !dx) raise(ErrorKind::Type, "trapezoid: dx must be a number, not None");
    if (const auto few = integral_of_few(y, x, dx ? real_number(*dx) : std::nullopt)) return *few;
    ArrayOrNumber distance = dx ? kept(*dx) : weak(1);
    if (x) {
        Dims lines = Dims::filled(y.ndim() - along, 1);
        lines[0] = -1;
        distance = x->ndim() == 1 ? diff(*x).reshape(lines) : diff(*x, 1, axis);
    }
    const int64_t extent = y.shape()[along];
    const Deferral fused;
    const Array heights =
        applied(row::add, between(y, along, 1, extent), between(y, along, 0, std::max<int64_t>(extent - 1, 0)));
    const Array areas = applied(row::divide, applied(row::multiply, distance, heights), weak(2));
    ReduceOptions options;
    options.all_axes = false, options.axes = {axis};
    return reduce(reduction::sum, areas, options);
}

}  // namespace cuarray
