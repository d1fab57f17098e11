// flags.h -- the flags of a row of ufuncs.def or reductions.def.
#pragma once

namespace cuarray {

/// Properties of a row.
enum Flag : unsigned {
    WideInt = 1u << 0,      ///< all bool/int arguments are computed in float64 (divide, mean)
    NoBool = 1u << 1,       ///< all-bool arguments raise TypeError (subtract, negative)
    Exact64 = 1u << 2,      ///< extra (int64, uint64) and (uint64, int64) loops before the floats; any Python int
                            ///< compares exactly
    EitherInt = 1u << 3,    ///< the second input has an int32 and an int64 loop (ldexp)
    HalfBits = 1u << 4,     ///< float16 and bfloat16 are not widened to float32 for the body (nextafter, signbit)
    Associative = 1u << 5,  ///< reduce may use the tree; rows without this flag are left folds. Of a reduction: exactly
                            ///< so, any order gives the same bits
    Commutative = 1u << 6,  ///< the order of the two inputs does not matter
    VectorMath = 1u << 7,   ///< the body calls the vector math library: loops run in groups of 16
    NegativeFault = 1u << 8,  ///< signed integer loops raise ValueError where the second input is negative (power)
    IntQuotient = 1u << 9,    ///< an integer divided by a power of two is shifted (floor_divide)
    IntRemainder = 1u << 10,  ///< an integer divided by a power of two keeps its low bits (remainder)
    Signless = 1u << 15,      ///< integers of one size give the same bits, signed or unsigned (add)
    // Of reductions alone
    LongInt = 1u << 11,     ///< bool and signed elements are folded as int64, unsigned ones as uint64 (sum)
    Average = 1u << 12,     ///< the result depends on the number of elements: where= counts them (mean)
    GivesIndex = 1u << 13,  ///< the result is an index, along one axis or in C order through the whole array (argmax)
    AltersOne = 1u << 14    ///< the fold of one element may differ from it, so reduceat does not use it (gcd)
};

}  // namespace cuarray
