// instructions.h -- the instructions that emitted loops use, by the names of Intel's manual (volume 2).
#pragma once
#include "cuarray/core/dtype.h"
#include "host/emit/assembler.h"

namespace cuarray::host::emit {

// Those of floats are float32's, and those without a Q of their own 32-bit integers'; of() makes the wider ones. VEX
// form ignores `wide` where EVEX form has it.
constexpr Instruction::MemoryExtent kVector = Instruction::MemoryExtent::Vector,
                                    kHalfVector = Instruction::MemoryExtent::HalfVector,
                                    kElement = Instruction::MemoryExtent::Element;
constexpr Instruction kAddPs{"vaddps", 0, 1, 0x58}, kSubPs{"vsubps", 0, 1, 0x5c}, kMulPs{"vmulps", 0, 1, 0x59},
    kDivPs{"vdivps", 0, 1, 0x5e}, kMinPs{"vminps", 0, 1, 0x5d}, kMaxPs{"vmaxps", 0, 1, 0x5f},
    kSqrtPs{"vsqrtps", 0, 1, 0x51}, kCmpPs{"vcmpps", 0, 1, 0xc2, false, kVector, false, true};
constexpr Instruction kAnd{"vandps", 0, 1, 0x54}, kOr{"vorps", 0, 1, 0x56}, kXor{"vxorps", 0, 1, 0x57},
    kMove{"vmovups", 0, 1, 0x10}, kStore{"vmovups", 0, 1, 0x11};
constexpr Instruction kRoundPs{"vroundps", 1, 3, 0x08, false, kVector, false, false, false, "vrndscaleps"},
    kRoundPd{"vroundpd", 1, 3, 0x09, true, kVector, false, false, false, "vrndscalepd"};
constexpr Instruction kWidenPs{"vcvtps2pd", 0, 1, 0x5a, false, kHalfVector},
    kNarrowPd{"vcvtpd2ps", 1, 1, 0x5a, true, kVector, true}, kFloatD{"vcvtdq2ps", 0, 1, 0x5b},
    kDoubleD{"vcvtdq2pd", 2, 1, 0xe6, false, kHalfVector};
constexpr Instruction kAddD{"vpaddd", 1, 1, 0xfe}, kAddQ{"vpaddq", 1, 1, 0xd4, true}, kSubD{"vpsubd", 1, 1, 0xfa},
    kSubQ{"vpsubq", 1, 1, 0xfb, true}, kMulD{"vpmulld", 1, 2, 0x40}, kMinD{"vpminsd", 1, 2, 0x39},
    kMinU{"vpminud", 1, 2, 0x3b}, kMaxD{"vpmaxsd", 1, 2, 0x3d}, kMaxU{"vpmaxud", 1, 2, 0x3f},
    kAbsD{"vpabsd", 1, 2, 0x1e};
constexpr Instruction kLeftD{"vpsllvd", 1, 2, 0x47}, kLeftQ{"vpsllvq", 1, 2, 0x47, true},
    kRightD{"vpsrlvd", 1, 2, 0x45}, kRightQ{"vpsrlvq", 1, 2, 0x45, true}, kSignedRightD{"vpsravd", 1, 2, 0x46};
constexpr Instruction kSignExtendD{"vpmovsxdq", 1, 2, 0x25, false, kHalfVector},
    kZeroExtendD{"vpmovzxdq", 1, 2, 0x35, false, kHalfVector};

// VEX form alone.
constexpr Instruction kShufflePs{"vshufps", 0, 1, 0xc6},
    kBlendPs{"vblendvps", 1, 3, 0x4a, false, kVector, false, false, true},
    kBlendPd{"vblendvpd", 1, 3, 0x4b, false, kVector, false, false, true}, kMulWide{"vpmuludq", 1, 1, 0xf4},
    kEqualD{"vpcmpeqd", 1, 1, 0x76}, kEqualQ{"vpcmpeqq", 1, 2, 0x29}, kGreaterD{"vpcmpgtd", 1, 1, 0x66},
    kGreaterQ{"vpcmpgtq", 1, 2, 0x37}, kShiftImmediateQ{"vpsllq", 1, 1, 0x73},
    kBytesToD{"vpmovzxbd", 1, 2, 0x31, false, kHalfVector}, kBytesToQ{"vpmovzxbq", 1, 2, 0x32, false, kHalfVector},
    kUpper{"vextracti128", 1, 3, 0x39, false, kHalfVector}, kPackD{"vpackssdw", 1, 1, 0x6b},
    kPackW{"vpacksswb", 1, 1, 0x63}, kStoreD{"vmovd", 1, 1, 0x7e}, kStoreQ{"vmovq", 1, 1, 0xd6};
constexpr int kLeftExtension = 6, kRightExtension = 2;

// EVEX form alone.
constexpr Instruction kBroadcastD{"vbroadcastss", 1, 2, 0x18, false, kElement},
    kBroadcastQ{"vbroadcastsd", 1, 2, 0x19, true, kElement}, kSelectPs{"vblendmps", 1, 2, 0x65},
    kCompareD{"vpcmpd", 1, 3, 0x1f, false, kVector, false, true},
    kCompareU{"vpcmpud", 1, 3, 0x1e, false, kVector, false, true}, kAbsQ{"vpabsq", 1, 2, 0x1f, true},
    kMoveBytes{"vmovdqu8", 3, 1, 0x6f}, kStoreBytes{"vmovdqu8", 3, 1, 0x7f}, kTestBytes{"vptestmb", 1, 2, 0x26},
    kNarrowQ{"vpmovqd", 2, 2, 0x35, false, kHalfVector};
constexpr Instruction kFloatUnsignedD{"vcvtudq2ps", 3, 1, 0x7a}, kFloatQ{"vcvtqq2ps", 0, 1, 0x5b, true, kVector, true},
    kFloatUnsignedQ{"vcvtuqq2ps", 3, 1, 0x7a, true, kVector, true},
    kDoubleUnsignedD{"vcvtudq2pd", 2, 1, 0x7a, false, kHalfVector}, kDoubleQ{"vcvtqq2pd", 2, 1, 0xe6, true},
    kDoubleUnsignedQ{"vcvtuqq2pd", 2, 1, 0x7a, true};
constexpr Instruction kTruncatePsToD{"vcvttps2dq", 2, 1, 0x5b}, kTruncatePsToUnsignedD{"vcvttps2udq", 0, 1, 0x78},
    kTruncatePsToQ{"vcvttps2qq", 1, 1, 0x7a, false, kHalfVector},
    kTruncatePsToUnsignedQ{"vcvttps2uqq", 1, 1, 0x78, false, kHalfVector},
    kTruncatePdToD{"vcvttpd2dq", 1, 1, 0xe6, true, kVector, true},
    kTruncatePdToUnsignedD{"vcvttpd2udq", 0, 1, 0x78, true, kVector, true},
    kTruncatePdToQ{"vcvttpd2qq", 1, 1, 0x7a, true}, kTruncatePdToUnsignedQ{"vcvttpd2uqq", 1, 1, 0x78, true};

// Of mask registers, in VEX form: those of two sources with the length bit, the others without.
constexpr Instruction kMaskAnd{"kandw", 0, 1, 0x41}, kMaskAndNot{"kandnw", 0, 1, 0x42}, kMaskOr{"korw", 0, 1, 0x45},
    kMaskXor{"kxorw", 0, 1, 0x47}, kMaskNot{"knotw", 0, 1, 0x44}, kMaskLoad{"kmovw", 0, 1, 0x90},
    kMaskStore{"kmovw", 0, 1, 0x91};

/// The instruction for elements of t.
inline Instruction of(Instruction i, DType t) {
    if (t == DType::bool_ || item_size(t) < 8) return i;
    if (i.map == 1 && i.prefix == 0) i.prefix = 1;  // ...ps to ...pd
    i.wide = i.is_widened = true;
    return i;
}

// Predicates of vcmpps; all but `Unordered` and `NotEqual` are false for NaN, and none signals. Their lower three bits
// are the predicates of integers.
constexpr uint8_t kEq = 0x00, kUnordered = 0x03, kNotEqual = 0x04, kLess = 0x11, kLessEqual = 0x12,
                  kGreaterEqual = 0x1d, kGreater = 0x1e;
constexpr uint8_t kNearest = 4, kDown = 9, kUp = 10, kTowardsZero = 11;  // 4: the mode of MXCSR, as rint has it

}  // namespace cuarray::host::emit
