// dispatch.h -- from a dtype to its kernel type, and back.
#pragma once
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/types.h"

namespace cuarray {

/// The dtype of a kernel type: dtype_of<f32> is DType::float32; none for any other type.
template <class T>
constexpr DType dtype_of = DType::none;
#define DTYPE(name, T, kind, bits, exponent, typestr) \
    template <>                                       \
    inline constexpr DType dtype_of<T> = DType::name;
#include "cuarray/dtypes.def"

/// Calls `function.template operator()<T>()` with the kernel type T of a dtype, which must not be none.
template <class Function>
decltype(auto) dispatch(DType dtype, Function&& function) {
    switch (dtype) {
#define DTYPE(name, T, kind, bits, exponent, typestr) \
    case DType::name: return function.template operator()<T>();
#include "cuarray/dtypes.def"
        case DType::none: break;
    }
    raise(ErrorKind::Type, "dispatch: no dtype");
}

}  // namespace cuarray
