// random_views.h -- random operands for backend tests: any layout, any alignment, values with all the special
// ones.
#pragma once
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>
#include "core/check.h"
#include "cuarray/runtime/registry.h"

namespace tests {
using namespace cuarray;

class Random {
 public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
    bool one_in(int64_t n) { return pick(1, n) == 1; }
    double normal() { return std::normal_distribution<double>(0, 3)(engine_); }
    uint64_t bits() { return engine_(); }

    Dims shape(int64_t largest_size) {
        Dims shape;
        const int64_t ndim = pick(0, one_in(8) ? 7 : 3);
        int64_t size = 1;
        for (int64_t i = 0; i < ndim; ++i) {
            const int64_t room = std::max<int64_t>(1, largest_size / size);
            shape.push_back(one_in(40) ? 0 : one_in(6) ? 1 : pick(1, std::min<int64_t>(room, one_in(3) ? 2000 : 12)));
            size *= std::max<int64_t>(1, shape.back());
        }
        return shape;
    }

 private:
    std::mt19937_64 engine_;
};

/// One element of any dtype: ordinary values, often small ones, sometimes a special one.
inline void random_element(Random& random, DType dtype, char* to) {
    const DTypeInfo& type = info(dtype);
    const auto real = [&]() -> double {
        static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5, 2.0, 1e-40, 1e300};
        return random.one_in(8) ? special[random.pick(0, 10)] : random.normal();
    };
    if (type.kind == Kind::Bool) {
        *to = char(random.pick(0, 1));
    } else if (type.kind == Kind::Unsigned || type.kind == Kind::Signed) {
        const uint64_t bits =
            random.one_in(4) ? random.bits() : uint64_t(random.pick(type.kind == Kind::Signed ? -9 : 0, 9));
        std::memcpy(to, &bits, size_t(type.size));
    } else {
        const Scalar value = convert(Scalar::of(DType::float64, real()), dtype);
        std::memcpy(to, value.bytes, size_t(type.size));
        if (type.kind == Kind::Complex) {
            const Scalar imaginary = convert(Scalar::of(DType::float64, real()), real_part(dtype));
            std::memcpy(to + type.size / 2, imaginary.bytes, size_t(type.size / 2));
        }
    }
}

/// Bytes of a block of memory, and strides over them.
struct Operand {
    DType dtype;
    std::vector<char> bytes;
    int64_t offset = 0;
    Dims strides;
};

/// An operand of that shape with memory around it. `may_repeat`: some strides may be zero; `unaligned`: its
/// address is not a multiple of the item size, which is rare otherwise.
inline Operand random_operand(Random& random, DType dtype, const Dims& shape, bool may_repeat, bool unaligned = false) {
    const int64_t item = item_size(dtype);
    Operand operand{dtype, {}, 0, Dims::filled(shape.size(), 0)};
    std::vector<int> order;
    for (int axis = 0; axis < shape.size(); ++axis) order.push_back(axis);
    if (random.one_in(3))
        for (size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[size_t(random.pick(0, int64_t(i) - 1))]);
    int64_t stride = item;
    const bool plain = random.one_in(2);
    unaligned = (unaligned || random.one_in(5)) && item > 1;
    for (size_t i = order.size(); i-- > 0;) {
        const int axis = order[i];
        if (!plain && may_repeat && random.one_in(6)) continue;
        if (!plain && random.one_in(4)) stride *= random.pick(2, 3);
        if (unaligned && random.one_in(2)) stride += random.pick(1, item);
        operand.strides[axis] = !plain && random.one_in(4) ? -stride : stride;
        stride *= std::max<int64_t>(1, shape[axis]);
    }
    const Extent touched = extent({shape, operand.strides}, item);
    operand.offset =
        -touched.low + (random.one_in(2) ? 0 : random.pick(0, 5) * item) + (unaligned ? random.pick(1, item - 1) : 0);
    operand.bytes.resize(size_t(operand.offset + touched.high + random.pick(0, 64)));
    for (char& byte : operand.bytes) byte = char(random.bits());
    Dims index = Dims::filled(shape.size(), 0);
    for (int64_t i = 0, n = count(shape); i < n; ++i) {
        int64_t at = operand.offset, rest = i;
        for (int axis = shape.size(); axis-- > 0; rest /= shape[axis]) at += rest % shape[axis] * operand.strides[axis];
        random_element(random, dtype, operand.bytes.data() + at);
    }
    return operand;
}

/// The operand's bytes on a device.
inline StorageRef upload(Backend& backend, const Operand& operand) {
    StorageRef storage = backend.allocate(int64_t(operand.bytes.size()));
    backend.write(*storage, 0, operand.bytes.data(), int64_t(operand.bytes.size()));
    return storage;
}

inline View view(const Operand& operand, const StorageRef& storage) {
    return {storage.get(), operand.offset, operand.dtype, operand.strides};
}

inline std::vector<char> download(Backend& backend, Storage& storage) {
    std::vector<char> bytes(size_t(storage.bytes));
    backend.read(bytes.data(), storage, 0, storage.bytes);
    return bytes;
}

inline double as_double(DType dtype, const char* bytes) {
    Scalar value;
    value.dtype = dtype;
    std::memcpy(value.bytes, bytes, size_t(item_size(dtype)));
    double result;
    std::memcpy(&result, convert(value, DType::float64).bytes, sizeof result);
    return result;
}

/// Equal bits, or both NaN, or within `relative` of each other; complex numbers by parts.
inline bool same_element(DType dtype, const char* a, const char* b, double relative) {
    const DTypeInfo& type = info(dtype);
    if (type.kind == Kind::Complex) {
        const DType part = real_part(dtype);
        const int half = type.size / 2;
        return same_element(part, a, b, relative) && same_element(part, a + half, b + half, relative);
    }
    if (std::memcmp(a, b, size_t(type.size)) == 0) return true;
    if (type.kind != Kind::Floating) return false;
    const double x = as_double(dtype, a), y = as_double(dtype, b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return std::abs(x - y) <= relative * std::max(std::abs(x), std::abs(y));
}

}  // namespace tests
