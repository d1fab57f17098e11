// comparison.cpp -- compares elements, and reports the first one that differs.
#include "runtime/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "cuarray/runtime/registry.h"

namespace cuarray {
namespace {

/// The allowed difference between the functions of two vector libraries, in units of the last place.
constexpr double kUlps = 64;

struct Complex {
    double real, imag;
};

Complex number(DType dtype, const unsigned char* bytes) {
    Scalar scalar;
    scalar.dtype = dtype;
    std::memcpy(scalar.bytes, bytes, size_t(item_size(dtype)));
    Complex value;
    std::memcpy(&value, convert(scalar, DType::complex128).bytes, sizeof value);
    return value;
}

std::string text_of(DType dtype, const unsigned char* bytes) {
    std::ostringstream text;
    text.precision(17);
    const Complex value = number(dtype, bytes);
    const Kind kind = info(dtype).kind;
    if (kind < Kind::Floating) {
        Scalar scalar;
        scalar.dtype = dtype;
        std::memcpy(scalar.bytes, bytes, size_t(item_size(dtype)));
        int64_t integer;
        std::memcpy(&integer, convert(scalar, DType::int64).bytes, sizeof integer);
        if (dtype == DType::uint64)
            text << uint64_t(integer);
        else
            text << integer;
    } else if (kind == Kind::Floating) {
        text << value.real;
    } else {
        text << "(" << value.real << ", " << value.imag << ")";
    }
    return text.str();
}

bool is_floating(DType dtype) { return info(dtype).kind >= Kind::Floating; }

bool same_part(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether two values agree; `reach` is the largest magnitude of their operands, or negative to compare all bits. All
/// NaNs are equal.
bool agree(DType dtype, const unsigned char* a, const unsigned char* b, double reach) {
    if (std::memcmp(a, b, size_t(item_size(dtype))) == 0) return true;
    if (!is_floating(dtype)) return false;
    const Complex x = number(dtype, a), y = number(dtype, b);
    const bool equal = same_part(x.real, y.real) && same_part(x.imag, y.imag);
    if (equal) return reach >= 0 || std::isnan(x.real) || std::isnan(x.imag);
    if (reach < 0) return false;
    const double larger = std::max(std::hypot(x.real, x.imag), std::hypot(y.real, y.imag));
    const double unit = std::ldexp(1.0, 1 - info(dtype).bits);
    const double allowed = kUlps * unit * (larger + std::min(1.0, reach));
    return std::isfinite(allowed) && std::abs(x.real - y.real) <= allowed && std::abs(x.imag - y.imag) <= allowed;
}

Dims coordinates(int64_t index, const Dims& shape) {
    Dims result = shape;
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
        result[axis] = index % shape[axis];
        index /= shape[axis];
    }
    return result;
}

[[noreturn]] void differ(const Comparison& c, int64_t i, const Subject& subject) {
    std::string operands;
    for (const Values* source : c.sources)
        operands += (operands.empty() ? " of " : ", ") + text_of(source->dtype, source->element(i));
    const std::string expression = subject.expr ? ": " + to_infix(*subject.expr) : "";
    raise(ErrorKind::Runtime, "CUARRAY_VALIDATE: ", subject.what, " on ", to_string(subject.device), ": element ",
          to_string(coordinates(i, c.shape)), operands, " is ", text_of(c.got.dtype, c.got.element(i)), ", and ",
          text_of(c.wanted.dtype, c.wanted.element(i)), " on the host (", info(c.got.dtype).name, "; in ", subject.name,
          expression, ")");
}

}  // namespace

StorageRef fetched(Backend& device, const View& view, const Dims& shape) {
    Backend& host = host_factory().open(0);
    const StorageRef bytes = host.allocate(view.storage->bytes);
    if (view.storage->bytes > 0) device.read(bytes->data, *view.storage, 0, view.storage->bytes);
    const StorageRef result = host.allocate(count(shape) * item_size(view.dtype));
    Expr identity;
    identity.outputs = {identity.input(view.dtype)};
    const View from{bytes.get(), view.offset, view.dtype, view.strides};
    const View to{result.get(), 0, view.dtype, c_strides(shape, item_size(view.dtype))};
    if (count(shape) > 0) host.run(Elementwise{&identity, shape, {&from, 1}, {&to, 1}, "validate"});
    return result;
}

void compare(const Comparison& c, const Subject& subject) {
    const DType dtype = c.got.dtype;
    const int64_t elements = count(c.shape);
    if (!c.mask && std::memcmp(c.got.element(0), c.wanted.element(0), size_t(elements * item_size(dtype))) == 0) return;
    for (int64_t i = 0; i < elements; ++i) {
        if (c.mask && !*c.mask->element(i)) continue;
        double reach = c.exact ? -1 : 0;
        for (const Values* source : c.sources)
            if (!c.exact && is_floating(source->dtype)) {
                const Complex operand = number(source->dtype, source->element(i));
                reach = std::max(reach, std::hypot(operand.real, operand.imag));
            }
        if (!agree(dtype, c.got.element(i), c.wanted.element(i), reach)) differ(c, i, subject);
    }
}

}  // namespace cuarray
