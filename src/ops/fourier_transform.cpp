// fourier_transform.cpp -- makes the task of a Fourier transform: contiguous operands, one batch axis.
#include "ops/fourier_transform.h"

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

constexpr uintptr_t kAlignment = 16;

/// The dtype of the other side of a real transform.
DType other_side(DType dtype, FourierTransform::Kind kind) {
    using Kind = FourierTransform::Kind;
    const bool is_single = item_size(dtype) == (kind == Kind::FromReal ? 4 : 8);
    if (kind == Kind::FromReal) return is_single ? DType::complex64 : DType::complex128;
    if (kind == Kind::ToReal) return is_single ? DType::float32 : DType::float64;
    return dtype;
}

bool is_usable(const Array& array) {
    return array.is_c_contiguous() && reinterpret_cast<uintptr_t>(array.data()) % kAlignment == 0;
}

}  // namespace

Array fourier_transform(const Array& array, FourierTransform::Kind kind, int rank, int64_t last, bool is_spare,
                        const char* name) {
    using Kind = FourierTransform::Kind;
    const bool overwrites = kind == Kind::ToReal;
    Array from = overwrites && !is_spare ? copy(array) : packed(array);
    if (!is_usable(from)) from = copy(from);
    Dims shape = from.shape(), points;
    if (kind == Kind::FromReal) shape.back() = last / 2 + 1;
    if (overwrites) shape.back() = last;
    for (int d = shape.size() - rank; d < shape.size(); ++d) points.push_back(from.shape()[d]);
    points.back() = last;
    // FFTW's transforms in place have other bits, and whether a copy was made depends on the layout.
    const bool is_in_place =
        is_spare && (kind == Kind::Forward || kind == Kind::Inverse) && !(from.device() == Device{});
    const Array to = is_in_place ? from : empty(shape, other_side(from.dtype(), kind), from.device());
    if (to.is_empty() || from.is_empty()) return to;
    const int64_t batch = to.size() / (count(points) / last * shape.back());
    const auto as_stack = [&](const Array& side) {
        Dims extents{batch};
        for (int d = side.ndim() - rank; d < side.ndim(); ++d) extents.push_back(side.shape()[d]);
        const Array stack = side.reshape(extents);
        return stack.as_operand(extents, name);
    };
    to.storage().front().run(FourierTransform{kind, batch, points, as_stack(from), as_stack(to), name});
    return to;
}

}  // namespace cuarray
