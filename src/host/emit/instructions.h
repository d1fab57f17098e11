// instructions.h -- the instructions that emitted loops use, by the names of Intel's manual (volume 2, "VEX" forms).
#pragma once
#include "host/emit/assembler.h"

namespace cuarray::host::emit {

// Those of floats are float32's; with prefix 66 they are float64's.
constexpr Instruction kAddPs{"vaddps", 0, 1, 0x58}, kSubPs{"vsubps", 0, 1, 0x5c}, kMulPs{"vmulps", 0, 1, 0x59},
    kDivPs{"vdivps", 0, 1, 0x5e}, kMinPs{"vminps", 0, 1, 0x5d}, kMaxPs{"vmaxps", 0, 1, 0x5f},
    kSqrtPs{"vsqrtps", 0, 1, 0x51}, kCmpPs{"vcmpps", 0, 1, 0xc2};
constexpr Instruction kAnd{"vandps", 0, 1, 0x54}, kAndNot{"vandnps", 0, 1, 0x55}, kOr{"vorps", 0, 1, 0x56},
    kXor{"vxorps", 0, 1, 0x57}, kMove{"vmovups", 0, 1, 0x10}, kStore{"vmovups", 0, 1, 0x11},
    kShufflePs{"vshufps", 0, 1, 0xc6};
constexpr Instruction kRoundPs{"vroundps", 1, 3, 0x08}, kRoundPd{"vroundpd", 1, 3, 0x09},
    kBlendPs{"vblendvps", 1, 3, 0x4a}, kBlendPd{"vblendvpd", 1, 3, 0x4b};
constexpr Instruction kWidenPs{"vcvtps2pd", 0, 1, 0x5a}, kNarrowPd{"vcvtpd2ps", 1, 1, 0x5a},
    kFloatD{"vcvtdq2ps", 0, 1, 0x5b}, kDoubleD{"vcvtdq2pd", 2, 1, 0xe6};
constexpr Instruction kAddD{"vpaddd", 1, 1, 0xfe}, kAddQ{"vpaddq", 1, 1, 0xd4}, kSubD{"vpsubd", 1, 1, 0xfa},
    kSubQ{"vpsubq", 1, 1, 0xfb}, kMulD{"vpmulld", 1, 2, 0x40}, kMulWide{"vpmuludq", 1, 1, 0xf4},
    kEqualD{"vpcmpeqd", 1, 1, 0x76}, kEqualQ{"vpcmpeqq", 1, 2, 0x29}, kGreaterD{"vpcmpgtd", 1, 1, 0x66},
    kGreaterQ{"vpcmpgtq", 1, 2, 0x37}, kMinD{"vpminsd", 1, 2, 0x39}, kMinU{"vpminud", 1, 2, 0x3b},
    kMaxD{"vpmaxsd", 1, 2, 0x3d}, kMaxU{"vpmaxud", 1, 2, 0x3f}, kAbsD{"vpabsd", 1, 2, 0x1e};
constexpr Instruction kShiftImmediateQ{"vpsllq", 1, 1, 0x73}, kLeftD{"vpsllvd", 1, 2, 0x47},
    kLeftQ{"vpsllvq", 1, 2, 0x47, true}, kRightD{"vpsrlvd", 1, 2, 0x45}, kRightQ{"vpsrlvq", 1, 2, 0x45, true},
    kSignedRightD{"vpsravd", 1, 2, 0x46};
constexpr int kLeftExtension = 6, kRightExtension = 2;
constexpr Instruction kSignExtendD{"vpmovsxdq", 1, 2, 0x25}, kZeroExtendD{"vpmovzxdq", 1, 2, 0x35},
    kBytesToD{"vpmovzxbd", 1, 2, 0x31}, kBytesToQ{"vpmovzxbq", 1, 2, 0x32}, kUpper{"vextracti128", 1, 3, 0x39},
    kPackD{"vpackssdw", 1, 1, 0x6b}, kPackW{"vpacksswb", 1, 1, 0x63}, kStoreD{"vmovd", 1, 1, 0x7e},
    kStoreQ{"vmovq", 1, 1, 0xd6};

// Predicates of vcmpps; all but `Unordered` and `NotEqual` are false for NaN, and none signals.
constexpr uint8_t kEq = 0x00, kUnordered = 0x03, kNotEqual = 0x04, kLess = 0x11, kLessEqual = 0x12,
                  kGreaterEqual = 0x1d, kGreater = 0x1e;
constexpr uint8_t kNearest = 4, kDown = 9, kUp = 10, kTowardsZero = 11;  // 4: the mode of MXCSR, as rint has it

}  // namespace cuarray::host::emit
