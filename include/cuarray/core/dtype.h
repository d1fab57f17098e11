// dtype.h -- the element types of dtypes.def, casting and promotion.
#pragma once
#include <cstdint>
#include <string_view>
#include "cuarray/core/error.h"

namespace cuarray {

enum class DType : uint8_t {
#define DTYPE(name, T, kind, bits, exponent, typestr) name,
#include "cuarray/dtypes.def"
    none  ///< no dtype; its value is the number of dtypes
};
constexpr int kDTypes = int(DType::none);

enum class Kind : uint8_t { Bool, Unsigned, Signed, Floating, Complex };

struct DTypeInfo {
    const char* name;     ///< NumPy's name: "float32"
    const char* text;     ///< the C++ type in kernels: "f32"
    const char* typestr;  ///< NumPy's type string without byte order: "f4"; "V2" for bfloat16
    Kind kind;
    int bits;      ///< significand bits; for integers, bits of the magnitude
    int exponent;  ///< exponent bits; 0 for bool and integers
    int size;      ///< bytes
    int align;     ///< bytes; half of the size for complex types
};

CUARRAY_API extern const DTypeInfo kDTypeInfo[kDTypes];
[[noreturn]] CUARRAY_API void raise_no_dtype();

inline const DTypeInfo& info(DType dtype) {
    if (dtype == DType::none) raise_no_dtype();
    return kDTypeInfo[int(dtype)];
}
inline int item_size(DType dtype) { return info(dtype).size; }

enum class Casting : uint8_t { No, Equiv, Safe, SameKind, Unsafe };
CUARRAY_API const char* to_string(Casting casting);

/// numpy.can_cast for two dtypes, extended to bfloat16.
CUARRAY_API bool can_cast(DType from, DType to, Casting casting = Casting::Safe);

/// The dtypes to which `from` casts safely: bit d for dtype d.
CUARRAY_API uint32_t safe_targets(DType from);

/// The first dtype, in table order, to which both cast safely (numpy.promote_types).
CUARRAY_API DType promote(DType a, DType b);

/// The dtype of that name ("bool" and "bool_" alike), or DType::none.
CUARRAY_API DType find_dtype(std::string_view name);

/// float32 for complex64, float64 for complex128; any other dtype is returned unchanged.
CUARRAY_API DType real_part(DType dtype);

}  // namespace cuarray
