// interpolation.cpp -- interp: elements that the host may read by one loop, others by calls of ufuncs; the same
// formula.
#include "cuarray/ops/interpolation.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <iterator>
#include <vector>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/sort.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/sort.h"
#include "cuarray/ops/ufunc.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

constexpr const char* kInterp = "interp";

using Complex = std::complex<double>;
using End = std::optional<double>;

bool has_complex_elements(DType dtype) { return info(dtype).kind == Kind::Complex; }

/// One number; TypeError for several, and for a complex one unless that is asked for.
Complex number_of_argument(const Argument& one, const char* what, bool may_be_complex) {
    const bool is_several = one.array && one.array->ndim() > 0;
    const bool is_refused =
        !may_be_complex && (one.weak ? one.weak->kind == Weak::Kind::Complex : has_complex_elements(one.type().dtype));
    if (is_several || is_refused)
        raise(ErrorKind::Type, kInterp, ": ", what, " must be a ", may_be_complex ? "" : "real ", "number",
              is_several ? ", not an array of shape " + to_string(one.array->shape()) : ", not a complex one");
    if (one.weak) return {one.weak->real, one.weak->imag};
    Complex number;
    const Scalar scalar = convert(one.array ? item(*one.array, kInterp) : *one.scalar, DType::complex128);
    std::memcpy(&number, scalar.bytes, sizeof number);
    return number;
}

Scalar float64_scalar(double number) { return Scalar::of(DType::float64, number); }

/// Points between which the host interpolates, and what is beyond them.
struct HostPoints {
    const double *x, *y;
    int64_t last;
    double left, right;

    HostPoints(const double* x, const double* y, int64_t n, End left, End right)
        : x(x), y(y), last(n - 1), left(left.value_or(y[0])), right(right.value_or(y[n - 1])) {}

    /// The number of the interval that begins before an insertion position.
    int64_t interval_before(int64_t place) const {
        return std::clamp<int64_t>(place - 1, 0, std::max<int64_t>(last - 1, 0));
    }
    int64_t place_of(double value) const {
        const double values[] = {value};
        i64 places[1];
        kernel::search_sorted<double>(x, uint64_t(last + 1), values, true, places);
        return places[0];
    }
    double at(double value) const { return at(value, interval_before(place_of(value))); }
    double at(double value, int64_t i) const {
        const int64_t next = std::min(i + 1, last);
        const double x0 = x[i], y0 = y[i], x1 = x[next], y1 = y[next];
        if (value > x[last]) return right;
        if (value < x[0]) return left;
        if (value == x[last]) return y[last];
        if (value == x0) return y0;
        if (value == x1) return y1;
        if (last && std::isnan(value)) return value;
        const double slope = (y1 - y0) / (x1 - x0);
        double result = slope * (value - x0) + y0;
        // From the other end where this one gives NaN: a coordinate may be infinite.
        if (std::isnan(result)) result = slope * (value - x1) + y1;
        return std::isnan(result) && y0 == y1 ? y0 : result;
    }
    /// The same of n ascending numbers, `step` elements apart, between ascending points.
    void follow(const double* from, double* to, int64_t step, int64_t n) const {
        int64_t interval = 0;
        for (int64_t k = 0; k < n;) {
            while (interval + 1 < last && x[interval + 1] <= from[k * step]) ++interval;
            const int64_t next = std::min(interval + 1, last);
            const double x0 = x[interval], x1 = x[next], y0 = y[interval], slope = (y[next] - y0) / (x1 - x0);
            const int64_t begin = k;
            // Those inside of an interval share its slope.
            if (std::isfinite(slope) && std::isfinite(x1 - x0))
                for (double value; k < n && (value = from[k * step]) >= x0 && value < x1; ++k)
                    to[k * step] = value == x0 ? y0 : slope * (value - x0) + y0;
            if (k == begin) to[k * step] = at(from[k * step], interval), ++k;
        }
    }
};

/// float64 elements in C order that the host may read now; null for others.
const double* host_doubles(const Array& array) {
    if (array.dtype() != DType::float64 || !array.is_c_contiguous()) return nullptr;
    const char* const data = direct_data(array);
    return reinterpret_cast<uintptr_t>(data) % alignof(double) ? nullptr : reinterpret_cast<const double*>(data);
}

template <class Iterator>
bool ascends(Iterator first, int64_t n) {
    return std::adjacent_find(first, first + n, [](double a, double b) { return !(a <= b); }) == first + n;
}

/// So many intervals are passed in the time of a binary search.
constexpr int64_t kIntervalsPassed = 8;

/// The result by one loop; an empty handle where the host may not read the elements now.
Array interpolated_by_host(const Array& x, const Array& xp, const Array& fp, End left, End right) {
    const double *const from = host_doubles(x), *const x_points = host_doubles(xp), *const y_points = host_doubles(fp);
    if (!from || !x_points || !y_points) return {};
    Array result = empty(x.shape(), DType::float64, x.device());
    auto* const to = reinterpret_cast<double*>(direct_data(result));
    if (!to) return {};
    const HostPoints points(x_points, y_points, xp.size(), left, right);
    const int64_t n = result.size();
    // Ascending numbers are followed from one interval to the next, descending ones from their end, unless most
    // intervals have none.
    const bool is_up = ascends(from, n), is_down = !is_up && ascends(std::reverse_iterator(from + n), n);
    if ((is_up || is_down) && n > points.last / kIntervalsPassed && ascends(x_points, xp.size())) {
        points.follow(is_up ? from : from + n - 1, is_up ? to : to + n - 1, is_up ? 1 : -1, n);
        return result;
    }
    constexpr int64_t kBlock = 1 << 16, item = sizeof(double);  // positions stay in a near cache
    for (int64_t begin = 0, count; begin < n; begin += count) {
        count = std::min(kBlock, n - begin);
        const Array places = search_sorted(xp, x.view({{count}, {item}}, begin * item), true);
        const auto* const place = reinterpret_cast<const int64_t*>(direct_data(places));
        for (int64_t i = 0; i < count; ++i)
            to[begin + i] = points.at(from[begin + i], points.interval_before(place[i]));
    }
    return result;
}

/// So many elements of one axis.
Array part_of_line(const Array& line, int64_t begin, int64_t count) {
    return line.view({{count}, line.strides()}, count ? begin * line.strides()[0] : 0);
}

Array difference_of(const Array& a, const Argument& b) { return apply_row(row::subtract, a, b); }

/// The same result by ufuncs.
Array interpolated_by_ufuncs(const Array& x, const Array& xp, const Array& fp, End left, End right) {
    const int64_t last = xp.size() - 1, second = std::min<int64_t>(last, 1);
    const Scalar zero = Scalar::of(DType::int64, int64_t(0)), one = Scalar::of(DType::int64, int64_t(1));
    const Scalar most = Scalar::of(DType::int64, std::max<int64_t>(last - 1, 0));
    const Array place = apply_row(row::clip, difference_of(search_sorted(xp, x, true), one), zero, most);
    const auto taken = [&](const Array& from) { return take(from, place, 0); };
    const Array x0 = taken(xp), y0 = taken(fp);
    const Array x1 = taken(part_of_line(xp, second, xp.size() - second)),
                y1 = taken(part_of_line(fp, second, fp.size() - second));
    const Array first_x = part_of_line(xp, 0, 1), last_x = part_of_line(xp, last, 1);
    const Array first_y = left ? full({}, float64_scalar(*left), x.device()) : part_of_line(fp, 0, 1);
    const Array last_y = part_of_line(fp, last, 1);
    const Array beyond_y = right ? full({}, float64_scalar(*right), x.device()) : last_y;
    const auto chosen = [](const Array& condition, const Array& yes, const Array& no) {
        return apply_row(row::where, condition, yes, no);
    };
    const Deferral fused;
    const Array slope = apply_row(row::divide, difference_of(y1, y0), difference_of(x1, x0));
    const auto line_from = [&](const Array& x_end, const Array& y_end) {
        return apply_row(row::add, apply_row(row::multiply, slope, difference_of(x, x_end)), y_end);
    };
    // From the other end where this one gives NaN: a coordinate may be infinite.
    Array y = line_from(x0, y0);
    y = chosen(apply_row(row::isnan, y), line_from(x1, y1), y);
    y = chosen(apply_row(row::bitwise_and, apply_row(row::isnan, y), apply_row(row::equal, y0, y1)), y0, y);
    y = chosen(apply_row(row::equal, x, x0), y0, chosen(apply_row(row::equal, x, x1), y1, y));
    y = chosen(apply_row(row::equal, x, last_x), last_y, y);  // the last one of several points at that x
    y = chosen(apply_row(row::less, x, first_x), first_y, y);
    y = chosen(apply_row(row::greater, x, last_x), beyond_y, y);
    // With a single point, NaN also gives its value, as in NumPy.
    return last ? chosen(apply_row(row::isnan, x), x, y) : y;
}

Array interpolated(const Array& x, const Array& xp, const Array& fp, End left, End right) {
    if (x.device() == Device{})
        if (Array result = interpolated_by_host(packed(x), packed(xp), packed(fp), left, right); result.defined())
            return result;
    Array result = interpolated_by_ufuncs(x, xp, fp, left, right);
    return x.ndim() ? result : result.reshape({});
}

/// The points of one period in ascending order, and one more at each end.
void repeat_points(Array& xp, Array& fp, const Scalar& period) {
    const Array order = argsort(xp, 0);
    xp = take(xp, order, 0);
    fp = take(fp, order, 0);
    const int64_t last = xp.size() - 1;
    const Array before = difference_of(part_of_line(xp, last, 1), period),
                behind = apply_row(row::add, part_of_line(xp, 0, 1), period);
    xp = concat(std::vector<ArrayOrNumber>{before, xp, behind});
    fp = concat(std::vector<ArrayOrNumber>{part_of_line(fp, last, 1), fp, part_of_line(fp, 0, 1)});
}

/// The real or the imaginary parts of complex128.
Array parts_of_complex(const Array& array, bool is_imaginary) {
    return array.view(array.layout(), is_imaginary ? int64_t(sizeof(double)) : 0, DType::float64);
}

}  // namespace

ArrayOrNumber interp(const Argument& given_x, const Array& given_xp, const Array& given_fp,
                     const std::optional<Argument>& given_left, const std::optional<Argument>& given_right,
                     const std::optional<Argument>& given_period) {
    const bool has_complex_x =
        given_x.weak ? given_x.weak->kind == Weak::Kind::Complex : has_complex_elements(given_x.type().dtype);
    if (has_complex_x || has_complex_elements(given_xp.dtype()))
        raise(ErrorKind::Type, kInterp, ": coordinates are real");
    if (given_xp.ndim() != 1 || given_fp.ndim() != 1)
        raise(ErrorKind::Value, kInterp, ": the points must lie along one axis, not ", given_xp.ndim(), " and ",
              given_fp.ndim());
    if (given_xp.size() != given_fp.size())
        raise(ErrorKind::Value, kInterp, ": xp and fp must be equally long, and have ", given_xp.size(), " and ",
              given_fp.size(), " elements");
    if (given_xp.is_empty()) raise(ErrorKind::Value, kInterp, ": array of sample points is empty");
    const bool has_complex_y = has_complex_elements(given_fp.dtype());
    std::optional<Complex> left, right;
    if (given_left && !given_period) left = number_of_argument(*given_left, "left", has_complex_y);
    if (given_right && !given_period) right = number_of_argument(*given_right, "right", has_complex_y);
    const auto end = [](const std::optional<Complex>& number, bool is_imaginary) {
        return number ? End(is_imaginary ? number->imag() : number->real()) : End();
    };
    const bool is_number = !given_x.array;
    const double number = is_number ? number_of_argument(given_x, "x", false).real() : 0;
    if (is_number && !given_period) {
        const double *const x_points = host_doubles(given_xp), *const y_points = host_doubles(given_fp);
        const End low = end(left, false), high = end(right, false);
        if (x_points && y_points)
            return float64_scalar(HostPoints(x_points, y_points, given_xp.size(), low, high).at(number));
    }
    Array xp = astype(given_xp, DType::float64, 'K', false);
    Array fp = astype(given_fp, has_complex_y ? DType::complex128 : DType::float64, 'K', false);
    Array x =
        is_number ? full({}, float64_scalar(number), xp.device()) : astype(*given_x.array, DType::float64, 'K', false);
    if (given_period) {
        const double length = std::abs(number_of_argument(*given_period, "period", false).real());
        if (length == 0) raise(ErrorKind::Value, kInterp, ": period must be a non-zero value");
        const Scalar period = float64_scalar(length);
        x = apply_row(row::remainder, x, period);
        xp = apply_row(row::remainder, xp, period);
        repeat_points(xp, fp, period);
    }
    if (!has_complex_y) return interpolated(x, xp, fp, end(left, false), end(right, false));
    Array result = empty(x.shape(), DType::complex128, x.device());
    for (const bool is_imaginary : {false, true})
        assign(
            parts_of_complex(result, is_imaginary),
            interpolated(x, xp, parts_of_complex(fp, is_imaginary), end(left, is_imaginary), end(right, is_imaginary)),
            kInterp);
    return result;
}

}  // namespace cuarray
