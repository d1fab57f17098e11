// vector_math.cpp -- scalar and vector variants of the elementary functions.
//
// For eight elements of cua_sinf g++ calls _ZGVdN8v_cua_sinf (the x86-64 vector ABI: d is AVX2, N8 eight lanes). The
// functions of these names forward to the vector math library, which is looked up at run time because it is optional;
// if it lacks a function, they call the scalar one for each element.
#ifndef CUARRAY_NO_VECTOR_MATH
#define CUARRAY_HAS_VARIANTS
// No vector variants of the scalar functions here: vectorised, they would call themselves.
#define CUARRAY_NO_VECTOR_MATH
#endif
#include "cuarray/kernel/math_float.h"
#include "host/loops/old_glibc.h"
#include "host/loops/tables.h"

extern "C" {
#define OF_X(name)                                                  \
    float cua_##name##f(float x) { return __builtin_##name##f(x); } \
    double cua_##name(double x) { return __builtin_##name(x); }
#define OF_XY(name)                                                             \
    float cua_##name##f(float x, float y) { return __builtin_##name##f(x, y); } \
    double cua_##name(double x, double y) { return __builtin_##name(x, y); }
CUARRAY_VECTOR_FUNCTIONS(OF_X, OF_XY)
}

#ifdef CUARRAY_HAS_VARIANTS

namespace {

template <class T, int Bytes> using Vector [[gnu::vector_size(Bytes)]] = T;

template <class V, auto Scalar> V each_x(V x) {
    for (unsigned i = 0; i < sizeof x / sizeof x[0]; ++i) x[i] = Scalar(x[i]);
    return x;
}
template <class V, auto Scalar> V each_xy(V x, V y) {
    for (unsigned i = 0; i < sizeof x / sizeof x[0]; ++i) x[i] = Scalar(x[i], y[i]);
    return x;
}

}  // namespace

// The function pointer of each variant, and the variant, which calls through it.
#define VARIANT_X(isa, T, bytes, lanes, name)                                                         \
    static Vector<T, bytes> (*isa##_##name)(Vector<T, bytes>) = each_x<Vector<T, bytes>, cua_##name>; \
    extern "C" Vector<T, bytes> _ZGV##isa##N##lanes##v_cua_##name(Vector<T, bytes> x) { return isa##_##name(x); }
#define VARIANT_XY(isa, T, bytes, lanes, name)                                                               \
    static Vector<T, bytes> (*isa##_##name)(Vector<T, bytes>, Vector<T, bytes>) =                            \
        each_xy<Vector<T, bytes>, cua_##name>;                                                               \
    extern "C" Vector<T, bytes> _ZGV##isa##N##lanes##vv_cua_##name(Vector<T, bytes> x, Vector<T, bytes> y) { \
        return isa##_##name(x, y);                                                                           \
    }

#define SSE_X(name) VARIANT_X(b, float, 16, 4, name##f) VARIANT_X(b, double, 16, 2, name)
#define SSE_XY(name) VARIANT_XY(b, float, 16, 4, name##f) VARIANT_XY(b, double, 16, 2, name)
CUARRAY_VECTOR_FUNCTIONS(SSE_X, SSE_XY)
#ifdef __AVX2__
#define AVX_X(name) VARIANT_X(c, float, 32, 8, name##f) VARIANT_X(c, double, 32, 4, name)
#define AVX_XY(name) VARIANT_XY(c, float, 32, 8, name##f) VARIANT_XY(c, double, 32, 4, name)
#define AVX2_X(name) VARIANT_X(d, float, 32, 8, name##f) VARIANT_X(d, double, 32, 4, name)
#define AVX2_XY(name) VARIANT_XY(d, float, 32, 8, name##f) VARIANT_XY(d, double, 32, 4, name)
CUARRAY_VECTOR_FUNCTIONS(AVX_X, AVX_XY)
CUARRAY_VECTOR_FUNCTIONS(AVX2_X, AVX2_XY)
#endif
#ifdef __AVX512F__
#define AVX512_X(name) VARIANT_X(e, float, 64, 16, name##f) VARIANT_X(e, double, 64, 8, name)
#define AVX512_XY(name) VARIANT_XY(e, float, 64, 16, name##f) VARIANT_XY(e, double, 64, 8, name)
CUARRAY_VECTOR_FUNCTIONS(AVX512_X, AVX512_XY)
#endif

namespace {

struct Wanted {
    const char* name;
    void* pointer;  // to the function pointer
};

#define WANTED(isa, lanes, v, name) {"_ZGV" #isa "N" #lanes #v "_" #name, &isa##_##name},
const Wanted wanted[] = {
#define SSE_WANTED_X(name) WANTED(b, 4, v, name##f) WANTED(b, 2, v, name)
#define SSE_WANTED_XY(name) WANTED(b, 4, vv, name##f) WANTED(b, 2, vv, name)
    CUARRAY_VECTOR_FUNCTIONS(SSE_WANTED_X, SSE_WANTED_XY)
#ifdef __AVX2__
#define AVX_WANTED_X(name) WANTED(c, 8, v, name##f) WANTED(c, 4, v, name)
#define AVX_WANTED_XY(name) WANTED(c, 8, vv, name##f) WANTED(c, 4, vv, name)
#define AVX2_WANTED_X(name) WANTED(d, 8, v, name##f) WANTED(d, 4, v, name)
#define AVX2_WANTED_XY(name) WANTED(d, 8, vv, name##f) WANTED(d, 4, vv, name)
        CUARRAY_VECTOR_FUNCTIONS(AVX_WANTED_X, AVX_WANTED_XY) CUARRAY_VECTOR_FUNCTIONS(AVX2_WANTED_X, AVX2_WANTED_XY)
#endif
#ifdef __AVX512F__
#define AVX512_WANTED_X(name) WANTED(e, 16, v, name##f) WANTED(e, 8, v, name)
#define AVX512_WANTED_XY(name) WANTED(e, 16, vv, name##f) WANTED(e, 8, vv, name)
            CUARRAY_VECTOR_FUNCTIONS(AVX512_WANTED_X, AVX512_WANTED_XY)
#endif
};

}  // namespace

int cuarray::host::find_vector_functions(SymbolFinder find) {
    int found = 0;
    for (const Wanted& w : wanted) {
        void* const function = find ? find(w.name) : nullptr;
        if (!function) continue;
        __builtin_memcpy(w.pointer, &function, sizeof function);
        ++found;
    }
    return found;
}

#else

int cuarray::host::find_vector_functions(SymbolFinder) { return 0; }

#endif
