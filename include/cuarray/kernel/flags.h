// flags.h -- the flags of a row of ufuncs.def.
#pragma once

namespace cuarray {

/// Properties of a row.
enum Flag : unsigned {
    WideInt = 1u << 0,  ///< all bool/int arguments are computed in float64 (divide)
    NoBool = 1u << 1,   ///< all-bool arguments raise TypeError (subtract, negative)
    Exact64 = 1u << 2,  ///< extra (int64, uint64) and (uint64, int64) loops before the floats; any Python int
                        ///< compares exactly
    EitherInt = 1u << 3,  ///< the second input has an int32 and an int64 loop (ldexp)
    HalfBits = 1u
        << 4,  ///< float16 and bfloat16 are not widened to float32 for the body (nextafter, signbit)
    Associative = 1u << 5,  ///< reduce may use the tree; rows without this flag are left folds
    Commutative = 1u << 6,  ///< the order of the two inputs does not matter
    VectorMath = 1u << 7,   ///< the body calls the vector math library: loops run in groups of 16
    NegativeFault = 1u
        << 8  ///< signed integer loops raise ValueError where the second input is negative (power)
};

}  // namespace cuarray
