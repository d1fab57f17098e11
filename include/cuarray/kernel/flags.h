// flags.h -- the words that a row of ufuncs.def may carry in its flags column.
#pragma once

namespace cuarray {

/// What sets a row apart from the plain case.
enum Flag : unsigned {
    WideInt = 1u << 0,  ///< all bool/int arguments are computed in float64 (divide)
    NoBool = 1u << 1,   ///< all-bool arguments raise TypeError (subtract, negative)
    Exact64 = 1u << 2,  ///< extra (int64, uint64) and (uint64, int64) loops before the floats; any Python int
                        ///< compares exactly
    EitherInt = 1u << 3,  ///< the second input has an int32 and an int64 loop (ldexp)
    HalfBits = 1u
        << 4,  ///< float16 and bfloat16 are not widened to float32 for the body (nextafter, signbit)
    Associative = 1u << 5,  ///< reduce may use the tree; the others fold strictly left to right
    Commutative = 1u << 6,  ///< the order of the two inputs does not matter
    VectorMath = 1u << 7,   ///< the body calls the vector mathematics library: loops run in groups of 16
    NegativeFault = 1u
        << 8  ///< signed integer loops raise ValueError where the second input is negative (power)
};

}  // namespace cuarray
