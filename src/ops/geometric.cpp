// geometric.cpp -- logspace and geomspace, powers of equally spaced exponents; vander, powers in rows.
#include "cuarray/ops/geometric.h"
#include <cmath>
#include <cstring>
#include "cuarray/array/elements.h"
#include "cuarray/core/table.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/scan.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/runtime/registry.h"
#include "ops/as_array.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

Device device_among(std::initializer_list<const Argument*> arguments, const std::optional<Device>& device) {
    if (device) return *device;
    for (const Argument* const one : arguments)
        if (one->array) return one->array->device();
    return current_device();
}

Array spaced(const Argument& start, const Argument& stop, const Length& num, bool endpoint, Device device,
             const char* name) {
    if (num < 0) raise(ErrorKind::Value, name, ": the number of samples ", num.value, " is negative");
    return std::get<Array>(functions::linspace(start, stop, num, endpoint, false, DType::none, 0, device)[0]);
}

/// The result: with the first axis at another place, and of a dtype.
Array moved(const Array& numbers, int64_t axis, DType dtype, const char* name) {
    const int place = normalise_axis(axis, numbers.ndim(), name);
    const Array result = place == 0 ? numbers : moveaxis(numbers, {0}, {place});
    if (dtype == DType::none) return result;
    warn_of_lost_imaginary_part(result.dtype(), dtype);
    return astype(result, dtype, 'K', false);
}

/// The view of one number of a sequence, along the first axis.
Array number_at(const Array& numbers, int64_t place) {
    Layout layout = numbers.layout();
    const int64_t apart = layout.strides[0];
    layout.shape.erase(0);
    layout.strides.erase(0);
    return numbers.view(std::move(layout), numbers.is_empty() ? 0 : place * apart);
}

bool has_zero(const Array& array) {
    const Array zeros = apply_row(row::equal, array, PlainNumber(0).value);
    return item(reduce(reduction::any, zeros, {}), "geomspace").bytes[0] != 0;
}

[[noreturn]] void refuse_zero() { raise(ErrorKind::Value, "geomspace: a geometric sequence cannot include zero"); }

/// A real number of Python's.
std::optional<double> python_real(const Argument& one) {
    if (one.weak && one.weak->kind != Weak::Kind::Complex) return one.weak->real;
    if (one.scalar && one.scalar->dtype == DType::bool_) return double(one.scalar->bytes[0]);
    return {};
}

Weak weak_float(double number) { return PlainNumber(number).value; }

/// The sequence in float64.
Array geometric_reals(double start, double stop, const Length& num, bool endpoint, Device device) {
    if (start == 0 || stop == 0) refuse_zero();
    // Turned so that it starts on the positive axis.
    const double sign = start > 0 ? 1 : start < 0 ? -1 : start;
    const double first = start / sign, last = stop / sign;
    const Weak from = weak_float(std::log10(first)), to = weak_float(std::log10(last));
    Array numbers = apply_row(row::pow, kTenWeak, spaced(from, to, num, endpoint, device, "geomspace"));
    const auto set = [&](int64_t place, double number) {
        const Scalar element = Scalar::of(DType::float64, number);
        if (char* const data = direct_data(numbers))
            std::memcpy(data + place * numbers.strides()[0], element.bytes, sizeof number);
        else
            fill(number_at(numbers, place), element, "geomspace");
    };
    if (num > 0) set(0, first);
    if (num > 1 && endpoint) set(num - 1, last);
    return sign == 1 ? numbers : apply_row(row::multiply, numbers, weak_float(sign));
}

Array geometric_arrays(const Array& given_start, const Array& given_stop, const Length& num, bool endpoint,
                       DType dtype) {
    if (has_zero(given_start) || has_zero(given_stop)) refuse_zero();
    const Array start = astype(given_start, dtype, 'K', false), stop = astype(given_stop, dtype, 'K', false);
    const Array direction = apply_row(row::sign, start);
    const Array first = apply_row(row::divide, start, direction), last = apply_row(row::divide, stop, direction);
    const Array from = apply_row(row::log10, first), to = apply_row(row::log10, last);
    Array numbers = apply_row(row::pow, kTenWeak, spaced(from, to, num, endpoint, start.device(), "geomspace"));
    if (num > 0) assign(number_at(numbers, 0), first, "geomspace");
    if (num > 1 && endpoint) assign(number_at(numbers, num - 1), last, "geomspace");
    return apply_row(row::multiply, numbers, direction);
}

}  // namespace

Array logspace(const Argument& start, const Argument& stop, const Length& num, bool endpoint, const Argument& base,
               DType dtype, int64_t axis, const std::optional<Device>& device) {
    const Device place = device_among({&start, &stop, &base}, device);
    if (!base.array || base.array->ndim() == 0) {
        const Array exponents = spaced(start, stop, num, endpoint, place, "logspace");
        const Array number = base.array ? to_device(*base.array, place) : Array();
        return moved(apply_row(row::pow, base.array ? Argument(number) : base, exponents), axis, dtype, "logspace");
    }
    const auto placed = [&](const Argument& one) { return to_device(as_array(one, place, "logspace"), place); };
    const Array from = placed(start), to = placed(stop), powers_of = placed(base);
    const Dims* const shapes[] = {&from.shape(), &to.shape(), &powers_of.shape()};
    const Dims shape = broadcast(shapes, "logspace");
    const Array exponents = spaced(from.broadcast_to(shape), to.broadcast_to(shape), num, endpoint, place, "logspace");
    return moved(apply_row(row::pow, powers_of, exponents), axis, dtype, "logspace");
}

Array geomspace(const Argument& start, const Argument& stop, const Length& num, bool endpoint, DType dtype,
                int64_t axis, const std::optional<Device>& device) {
    const Device place = device_among({&start, &stop}, device);
    const ArgType types[] = {start.type(), stop.type(), {DType::none, Weak::Kind::Float}};
    const DType work = promote(result_type(types), dtype == DType::none ? DType::float64 : dtype);
    const std::optional<double> from = python_real(start), to = python_real(stop);
    Array numbers;
    if (from && to && work == DType::float64) {
        numbers = geometric_reals(*from, *to, num, endpoint, place);
    } else {
        const auto placed = [&](const Argument& one) { return to_device(as_array(one, place, "geomspace"), place); };
        numbers = geometric_arrays(placed(start), placed(stop), num, endpoint, work);
    }
    return moved(numbers, axis, dtype == DType::none ? work : dtype, "geomspace");
}

Array vander(const Array& x, const std::optional<Length>& N, bool increasing) {
    if (x.ndim() != 1) raise(ErrorKind::Value, "vander: x must have one axis, not ", x.ndim());
    const int64_t count = N ? int64_t(*N) : x.size();
    if (count < 0) raise(ErrorKind::Value, "vander: N must not be negative, but it is ", count);
    const Array result = functions::empty({x.size(), count}, promote(x.dtype(), DType::int64), 'C', x.device());
    if (result.is_empty()) return result;
    const int64_t height = x.size(), down = result.strides()[0], item = result.strides()[1];
    const auto columns = [&](int64_t first, int64_t extent) {
        const int64_t place = increasing ? first : count - 1 - first;
        return result.view({{height, extent}, {down, increasing ? item : -item}}, place * item);
    };
    fill(columns(0, 1), Scalar::of(DType::int64, int64_t(1)), "vander");
    if (count == 1) return result;
    Array powers = columns(1, count - 1);
    assign(powers, x.reshape({height, 1}), "vander");
    ScanOptions along;
    along.axis = 1, along.out = &powers;
    if (count > 2) accumulate(row::multiply, powers, along);
    return result;
}

}  // namespace cuarray
