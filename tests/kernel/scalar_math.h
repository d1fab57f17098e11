// scalar_math.h -- the C library's functions under the names that kernel text calls on the host.
#pragma once
#define CUARRAY_NO_VECTOR_MATH
#include "cuarray/kernel/functors.h"

#define OF_X(name)                                                             \
    extern "C" float cua_##name##f(float x) { return __builtin_##name##f(x); } \
    extern "C" double cua_##name(double x) { return __builtin_##name(x); }
#define OF_XY(name)                                                                        \
    extern "C" float cua_##name##f(float x, float y) { return __builtin_##name##f(x, y); } \
    extern "C" double cua_##name(double x, double y) { return __builtin_##name(x, y); }
// clang-format off
OF_X(sin) OF_X(cos) OF_X(tan) OF_X(asin) OF_X(acos) OF_X(atan) OF_X(sinh) OF_X(cosh) OF_X(tanh) OF_X(asinh) OF_X(acosh)
OF_X(atanh) OF_X(exp) OF_X(exp2) OF_X(expm1) OF_X(log) OF_X(log2) OF_X(log10) OF_X(log1p) OF_X(cbrt) OF_X(erf) OF_X(erfc)
OF_XY(atan2) OF_XY(pow) OF_XY(hypot)
// clang-format on
#undef OF_X
#undef OF_XY
