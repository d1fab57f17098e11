// progressions.cpp -- arange and linspace: numbers in order.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/core/table.h"
#include "cuarray/ops/creation.h"
#include "cuarray/runtime/registry.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

using Exact = __int128;

DType dtype_of_weak(const Weak& number) {
    if (number.kind == Weak::Kind::Complex) return DType::complex128;
    if (number.kind == Weak::Kind::Float) return DType::float64;
    if (number.big) return DType::none;
    return number.negative || number.integer <= uint64_t(INT64_MAX) ? DType::int64 : DType::uint64;
}

Weak weak_real(double number) { return {Weak::Kind::Float, 0, false, 0, number, 0}; }

Weak weak_integer(Exact number) {
    if (number == int64_t(number)) return PlainNumber(int64_t(number)).value;
    const double real = double(number);
    if (number < INT64_MIN) return {Weak::Kind::Int, -1, true, 0, real, 0};
    if (number > Exact(UINT64_MAX)) return {Weak::Kind::Int, 1, false, 0, real, 0};
    return {Weak::Kind::Int, 0, number < 0, uint64_t(number), real, 0};
}

Weak weak_number(const Scalar& value) {
    switch (info(value.dtype).kind) {
        case Kind::Floating: {
            double real;
            std::memcpy(&real, convert(value, DType::float64).bytes, sizeof real);
            return weak_real(real);
        }
        case Kind::Complex: {
            double parts[2];
            std::memcpy(parts, convert(value, DType::complex128).bytes, sizeof parts);
            return {Weak::Kind::Complex, 0, false, 0, parts[0], parts[1]};
        }
        case Kind::Unsigned: {
            uint64_t number;
            std::memcpy(&number, convert(value, DType::uint64).bytes, sizeof number);
            return weak_integer(number);
        }
        default: {
            int64_t number;
            std::memcpy(&number, convert(value, DType::int64).bytes, sizeof number);
            return weak_integer(number);
        }
    }
}

bool is_exact(const Weak& number) { return number.kind == Weak::Kind::Int && !number.big; }
bool is_complex_number(const Weak& number) { return number.kind == Weak::Kind::Complex; }
Exact exact(const Weak& number) { return number.negative ? Exact(int64_t(number.integer)) : Exact(number.integer); }
std::complex<double> complex_number(const Weak& number) { return {number.real, number.imag}; }

Weak sum_of_numbers(const Weak& a, const Weak& b) {
    if (is_exact(a) && is_exact(b)) return weak_integer(exact(a) + exact(b));
    if (!is_complex_number(a) && !is_complex_number(b)) return weak_real(a.real + b.real);
    return {Weak::Kind::Complex, 0, false, 0, a.real + b.real, a.imag + b.imag};
}

/// The quotient, with Python's roundings.
std::complex<double> complex_quotient(std::complex<double> a, std::complex<double> b) {
    const double real = b.real(), imag = b.imag();
    if (std::abs(real) >= std::abs(imag)) {
        const double ratio = imag / real, denominator = real + imag * ratio;
        return {(a.real() + a.imag() * ratio) / denominator, (a.imag() - a.real() * ratio) / denominator};
    }
    const double ratio = real / imag, denominator = real * ratio + imag;
    return {(a.real() * ratio + a.imag()) / denominator, (a.imag() * ratio - a.real()) / denominator};
}

[[noreturn]] void refuse_length(double count) {
    char text[400];
    std::snprintf(text, sizeof text, "%.0f", count);
    raise(ErrorKind::Value, "arange: ", text, " elements are more than an array can have");
}

int64_t rounded_up(double length) {
    if (std::isnan(length)) raise(ErrorKind::Value, "arange: the length is not a number");
    const double count = std::ceil(length);
    if (count >= 0x1p63) refuse_length(count);
    return count > 0 ? int64_t(count) : 0;
}

/// How many of the numbers start, start + step, ... are before stop.
int64_t steps_between(const Weak& start, const Weak& stop, const Weak& step) {
    if (is_exact(start) && is_exact(stop) && is_exact(step)) {
        const Exact apart = exact(step), span = apart > 0 ? exact(stop) - exact(start) : exact(start) - exact(stop);
        const Exact stride = apart > 0 ? apart : -apart, last = span > 0 ? span + stride - 1 : 0;
        if (last <= INT64_MAX && stride <= INT64_MAX) return int64_t(last) / int64_t(stride);
        const Exact count = last / stride;
        if (count > INT64_MAX) refuse_length(double(count));
        return int64_t(count);
    }
    if (is_complex_number(start) || is_complex_number(stop) || is_complex_number(step)) {
        const std::complex<double> length =
            complex_quotient(complex_number(stop) - complex_number(start), complex_number(step));
        return std::min(rounded_up(length.real()), rounded_up(length.imag()));
    }
    const bool are_exact = is_exact(start) && is_exact(stop);
    const double span = are_exact ? double(exact(stop) - exact(start)) : stop.real - start.real;
    const double length = span / step.real;
    // An infinite step, or a quotient too small for a double.
    if (length == 0 && stop.real != start.real) return !std::signbit(length);
    return rounded_up(length);
}

/// The number as an element: cast, but integers have to fit, and a complex number is no real one.
Scalar element_of_number(const Weak& number, DType dtype) {
    const Kind kind = info(dtype).kind;
    if (number.kind == Weak::Kind::Int && kind != Kind::Bool) return convert(number, dtype, "arange");
    if (is_complex_number(number) && kind != Kind::Complex && kind != Kind::Bool)
        raise(ErrorKind::Type, "arange: a complex number cannot be stored in ", info(dtype).name);
    const DType wide = number.big ? DType::float64 : dtype_of_weak(number);
    return convert(convert(number, wide, "arange"), dtype);
}

/// A real Python number, as a double.
std::optional<double> plain_real(const Argument& one) {
    if (one.weak && one.weak->kind != Weak::Kind::Complex) return one.weak->real;
    if (one.scalar && one.scalar->dtype == DType::bool_) return double(one.scalar->bytes[0]);
    return {};
}

/// An end of a sequence as an inexact array on a device.
Array inexact_end(const Argument& end, Device device) {
    const Scalar number =
        end.scalar ? *end.scalar
        : end.weak ? convert(*end.weak, end.weak->big ? DType::float64 : dtype_of_weak(*end.weak), "linspace")
                   : Scalar();
    const Array array = end.array ? to_device(*end.array, device) : full({}, number, device);
    return apply_row(row::multiply, array, weak_real(1));
}

/// The numbers of a sequence before they are cast, along the first axis.
struct Spaced {
    Array numbers;
    ArrayOrNumber step;
};

Scalar float64_of(double number) { return Scalar::of(DType::float64, number); }

/// Few float64 that the caller computes; an empty array for others.
Array few_spaced(double start, double stop, double step, int64_t num, bool endpoint, Device device) {
    if (num * 8 > kFewBytes || step == 0) return {};
    Array result = empty({num}, DType::float64, device);
    double* const to = reinterpret_cast<double*>(direct_data(result));
    if (!to) return {};
    for (int64_t i = 0; i < num; ++i) to[i] = double(i) * step + start;
    if (endpoint && num > 1) to[num - 1] = stop;
    return result;
}

Array counted_from_zero(int64_t num, DType dtype, Device device) {
    const Scalar zero = Scalar::of(DType::int64, int64_t(0)), one = Scalar::of(DType::int64, int64_t(num > 1));
    return arange(num, convert(zero, dtype), convert(one, dtype), device);
}

/// Writes the last number itself, which rounding may have missed.
void end_with(const Array& numbers, const Argument& stop) {
    Layout last = numbers.layout();
    const int64_t offset = (numbers.shape()[0] - 1) * numbers.strides()[0];
    last.shape.erase(0);
    last.strides.erase(0);
    const Array place = numbers.view(std::move(last), offset);
    if (stop.array)
        assign(place, *stop.array, "linspace");
    else
        fill(place, *stop.scalar, "linspace");
}

Spaced spaced_reals(double start, double stop, int64_t num, bool endpoint, Device device) {
    const int64_t intervals = num - endpoint;
    const double delta = stop - start;
    if (std::isinf(delta) && std::isfinite(start) && std::isfinite(stop) && are_floating_errors_wanted())
        report_floating_errors(kOver, rows()[row::subtract].name);
    const double step = intervals > 0 ? delta / double(intervals) : std::numeric_limits<double>::quiet_NaN();
    if (intervals > 0)
        if (Array few = few_spaced(start, stop, step, num, endpoint, device); few.defined())
            return {few, float64_of(step)};
    Array numbers = counted_from_zero(num, DType::float64, device);
    {
        const Deferral deferral;
        const Scalar apart = float64_of(delta), by = float64_of(step), parts = float64_of(double(intervals));
        if (intervals > 0 && step == 0)  // divide first: a step may underflow
            numbers = apply_row(row::multiply, apply_row(row::divide, numbers, parts), apart);
        else
            numbers = apply_row(row::multiply, numbers, intervals > 0 ? by : apart);
        numbers = apply_row(row::add, numbers, float64_of(start));
    }
    if (endpoint && num > 1) end_with(numbers, float64_of(stop));
    return {numbers, float64_of(step)};
}

Spaced spaced_between(const Array& start, const Array& stop, int64_t num, bool endpoint, DType dtype) {
    const int64_t intervals = num - endpoint;
    const Array delta = apply_row(row::subtract, stop, start);
    ArrayOrNumber step = float64_of(std::numeric_limits<double>::quiet_NaN());
    Dims shape = Dims::filled(delta.ndim() + 1, 1);
    shape[0] = num;
    Array numbers = counted_from_zero(num, dtype, start.device()).reshape(shape);
    {
        const Deferral deferral;
        if (intervals <= 0) {
            numbers = apply_row(row::multiply, numbers, delta);
        } else {
            const Weak parts = weak_integer(intervals);
            const Array by = apply_row(row::divide, delta, parts);
            const Array is_zero = apply_row(row::equal, by, weak_integer(0));
            // Divide first: a step may underflow in its type.
            const Array divided = apply_row(row::multiply, apply_row(row::divide, numbers, parts), delta);
            numbers = apply_row(row::where, is_zero, divided, apply_row(row::multiply, numbers, by));
            step = by;
        }
        numbers = apply_row(row::add, numbers, start);
    }
    if (endpoint && num > 1) end_with(numbers, stop);
    return {numbers, step};
}

}  // namespace

PlainNumber::PlainNumber(const Scalar& number) : value(weak_number(number)), dtype(number.dtype) {}
PlainNumber::PlainNumber(const Weak& number) : value(number), dtype(dtype_of_weak(number)) {}

namespace functions {

Array arange(const std::optional<PlainNumber>& start, const std::optional<PlainNumber>& stop,
             const std::optional<NumberStep>& step, DType dtype, const std::optional<Device>& device) {
    if (!start && !stop) raise(ErrorKind::Type, "arange: stop is missing");
    const PlainNumber from = stop ? start.value_or(PlainNumber(0)) : PlainNumber(0), to = stop ? *stop : *start;
    const PlainNumber by = step ? PlainNumber(*step) : PlainNumber(1);
    if (by.value.real == 0 && by.value.imag == 0) raise(ErrorKind::Value, "arange: step must not be 0");
    const int64_t count = steps_between(from.value, to.value, by.value);
    if (dtype == DType::none) {
        dtype = DType::int64;
        for (const PlainNumber* const one : {&from, &to, &by}) {
            if (one->dtype == DType::none)
                raise(ErrorKind::Type, "arange: integers beyond 64 bits have no common dtype; give dtype=float");
            if (one->dtype != dtype) dtype = promote(dtype, one->dtype);
        }
    }
    if (count > 2 && dtype == DType::bool_) raise(ErrorKind::Type, "arange: a bool array has at most 2 elements");
    // An empty result need not fit the dtype.
    const Weak first = count ? from.value : weak_integer(0);
    const Weak second = count > 1 ? sum_of_numbers(from.value, by.value) : first;
    const Scalar begin = element_of_number(first, dtype);
    Array numbers =
        cuarray::arange(count, begin, element_of_number(second, dtype), device ? *device : current_device());
    if (count && first.kind != Weak::Kind::Int && first.real == 0 && std::signbit(first.real)) {
        Layout one = numbers.layout();  // where 0 steps would add 0.0 to -0.0
        one.shape[0] = 1;
        fill(numbers.view(std::move(one)), begin, "arange");
    }
    return numbers;
}

std::vector<ArrayOrNumber> linspace(const Argument& start, const Argument& stop, const Length& num, bool endpoint,
                                    bool retstep, DType dtype, int64_t axis, const std::optional<Device>& device) {
    if (num < 0) raise(ErrorKind::Value, "linspace: the number of samples ", num.value, " is negative");
    const Array* const given = start.array ? start.array : stop.array;
    const Device place = device ? *device : given ? given->device() : current_device();
    const std::optional<double> from = plain_real(start), to = plain_real(stop);
    const ArgType types[] = {start.type(), stop.type(), {DType::none, Weak::Kind::Float}};
    const DType inexact = from && to ? DType::float64 : result_type(types);
    Spaced spaced = from && to
                        ? spaced_reals(*from, *to, num, endpoint, place)
                        : spaced_between(inexact_end(start, place), inexact_end(stop, place), num, endpoint, inexact);
    Array numbers = std::move(spaced.numbers);
    if (const int first = axis == 0 ? 0 : normalise_axis(axis, numbers.ndim(), "linspace")) {
        Dims order;
        for (int k = 1; k < numbers.ndim(); ++k) order.push_back(k);
        order.insert(first, 0);
        numbers = numbers.transpose(order);
    }
    if (dtype == DType::none) dtype = inexact;
    const Kind kind = info(dtype).kind;
    if (kind == Kind::Signed || kind == Kind::Unsigned) numbers = apply_row(row::floor, numbers);
    warn_of_lost_imaginary_part(numbers.dtype(), dtype);
    if (dtype != numbers.dtype()) numbers = astype(numbers, dtype);
    std::vector<ArrayOrNumber> results;
    results.emplace_back(std::move(numbers));
    if (!retstep) return results;
    if (const auto* const array = std::get_if<Array>(&spaced.step)) spaced.step = astype(*array, inexact, 'K', false);
    results.push_back(std::move(spaced.step));
    return results;
}

}  // namespace functions
}  // namespace cuarray
