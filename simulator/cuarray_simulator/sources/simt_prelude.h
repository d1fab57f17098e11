// simt_prelude.h -- NVRTC's predeclared names, for a host compiler that reads the CUDA text.
#pragma once
#include "module_abi.h"

#define CUDASIM 1
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1

// Qualifiers. Shared variables are static ones: the simulator gives every block its own copy of .bss.
#define __global__
#define __device__
#define __host__
#define __constant__ __attribute__((section("cudasim_globals")))
#define __shared__ static
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

using size_t = decltype(sizeof 0);

/// Marks code that reads the simulator's own data, which is not checked.
#define CUDASIM_UNCHECKED __attribute__((no_sanitize("thread")))

// The link to the simulator. Not in .bss, which belongs to the blocks.
#define CUDASIM_STATE __attribute__((section("cudasim_state"), visibility("hidden")))
extern "C" {
CUDASIM_STATE cudasim_place cudasim_here = {};
CUDASIM_STATE const cudasim_runtime* cudasim_runtime_table = nullptr;
CUDASIM_STATE unsigned cudasim_ticks = 0;
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
}

// Memory of the device's heap; hidden, so that the module's calls do not go to the C library.
#pragma GCC visibility push(hidden)
extern "C" {
CUDASIM_UNCHECKED void* malloc(size_t bytes) { return cudasim_runtime_table->allocate(bytes); }
CUDASIM_UNCHECKED void free(void* place) { cudasim_runtime_table->release(place); }
}
void* operator new(size_t bytes) { return malloc(bytes); }
void* operator new[](size_t bytes) { return malloc(bytes); }
void operator delete(void* place) noexcept { free(place); }
void operator delete[](void* place) noexcept { free(place); }
void operator delete(void* place, size_t) noexcept { free(place); }
void operator delete[](void* place, size_t) noexcept { free(place); }
#pragma GCC visibility pop

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
#define threadIdx (cudasim_here.thread)
#define blockIdx (cudasim_here.block)
#define blockDim (cudasim_here.block_size)
#define gridDim (cudasim_here.grid_size)
constexpr int warpSize = 32;

#define CUDASIM_VECTOR(T, name)                                                   \
    struct name##1 { T x; };                                                      \
    struct alignas(2 * sizeof(T)) name##2 { T x, y; };                            \
    struct name##3 { T x, y, z; };                                                \
    struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) name##4 { T x, y, z, w; }; \
    inline name##2 make_##name##2(T x, T y) { return {x, y}; }                    \
    inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
CUDASIM_VECTOR(signed char, char)
CUDASIM_VECTOR(unsigned char, uchar)
CUDASIM_VECTOR(short, short)
CUDASIM_VECTOR(unsigned short, ushort)
CUDASIM_VECTOR(int, int)
CUDASIM_VECTOR(long long, longlong)
CUDASIM_VECTOR(unsigned long long, ulonglong)
CUDASIM_VECTOR(float, float)
CUDASIM_VECTOR(double, double)
struct uint1 {
    unsigned x;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// Barriers, fences and warp-wide functions.
namespace cudasim {
enum Kind { kSync, kShuffle, kVote, kMatch };

CUDASIM_UNCHECKED inline unsigned lane() {
    const auto &t = cudasim_here.thread, &b = cudasim_here.block_size;
    return (t.x + b.x * (t.y + b.y * t.z)) % 32;
}
template <class T>
CUDASIM_UNCHECKED cudasim_exchanged exchange(unsigned mask, Kind kind, T value) {
    static_assert(sizeof(T) <= 16);
    return cudasim_runtime_table->exchange(mask, kind, &value, sizeof value);
}
/// An undefined value: the result of a shuffle if the source lane did not participate.
template <class T>
T undefined() {
    T value;
    __builtin_memset(&value, 0xCB, sizeof value);
    return value;
}
template <class T>
CUDASIM_UNCHECKED T shuffle(unsigned mask, T value, unsigned source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles take 4- and 8-byte values");
    cudasim_exchanged all = exchange(mask, kShuffle, value);
    if (!(all.lanes >> source & 1)) return undefined<T>();
    __builtin_memcpy(&value, all.slots + 16 * source, sizeof value);
    return value;
}
CUDASIM_UNCHECKED inline unsigned vote(unsigned mask, int predicate) {
    cudasim_exchanged all = exchange(mask, kVote, int(predicate != 0));
    unsigned set = 0;
    for (unsigned i = 0; i < 32; ++i)
        if ((all.lanes >> i & 1) && all.slots[16 * i]) set |= 1u << i;
    return set;
}
/// Atomics, by the kinds of module_abi.h. An exchange depends on no old value: whether its result is used is not known.
enum Atomic { kExchange = 3, kSystemExchange, kUpdate, kSystemUpdate };
/// Reports an access to the checks that the compiler does not instrument; no-op in modules without
/// checks.
CUDASIM_UNCHECKED inline void note_atomic(const void* place, unsigned bytes, Atomic kind) {
#ifdef CUDASIM_CHECKED
    cudasim_runtime_table->access(place, bytes, kind);
#else
    (void)place, (void)bytes, (void)kind;
#endif
}
CUDASIM_UNCHECKED inline void note_fence() {
#ifdef CUDASIM_CHECKED
    cudasim_runtime_table->fence();
#endif
}
/// A point where the simulator may switch threads: atomics, fences and sleeps.
CUDASIM_UNCHECKED inline void maybe_yield() {
    if ((++cudasim_ticks & 15) == 0) cudasim_runtime_table->yield();
}
}  // namespace cudasim

CUDASIM_UNCHECKED inline void __syncthreads(int line = __builtin_LINE()) {
    cudasim_runtime_table->barrier(0, 0, true, line);
}
inline void __syncwarp(unsigned mask = ~0u) { cudasim::exchange(mask, cudasim::kSync, 0); }
inline void __threadfence() {
    cudasim::note_fence();
    cudasim::maybe_yield();
}
inline void __threadfence_block() { cudasim::maybe_yield(); }
inline void __threadfence_system() {
    cudasim::note_fence();
    cudasim::maybe_yield();
}
CUDASIM_UNCHECKED inline void __nanosleep(unsigned) { cudasim_runtime_table->yield(); }
inline unsigned __activemask() { return 1u << cudasim::lane(); }
[[noreturn]] CUDASIM_UNCHECKED inline void __trap() {
    cudasim_runtime_table->fail(719, "__trap()");
    __builtin_unreachable();
}
[[noreturn]] CUDASIM_UNCHECKED inline void __assertfail(const char* text, const char*, unsigned, const char*, size_t) {
    cudasim_runtime_table->fail(710, text);
    __builtin_unreachable();
}
inline long long clock64() { return static_cast<long long>(__builtin_ia32_rdtsc()); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    unsigned base = cudasim::lane() & ~unsigned(width - 1);
    return cudasim::shuffle(mask, value, base + (unsigned(source) & unsigned(width - 1)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    unsigned lane = cudasim::lane(), place = lane & unsigned(width - 1);
    return cudasim::shuffle(mask, value, place >= delta ? lane - delta : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    unsigned lane = cudasim::lane(), place = lane & unsigned(width - 1);
    return cudasim::shuffle(mask, value, place + delta < unsigned(width) ? lane + delta : lane);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    unsigned lane = cudasim::lane(), end = (lane & ~unsigned(width - 1)) + unsigned(width),
             other = lane ^ unsigned(bits);
    return cudasim::shuffle(mask, value, other < end ? other : lane);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) { return cudasim::vote(mask, predicate); }
inline int __any_sync(unsigned mask, int predicate) { return cudasim::vote(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return cudasim::vote(mask, !predicate) == 0; }
template <class T>
CUDASIM_UNCHECKED unsigned __match_any_sync(unsigned mask, T value) {
    cudasim_exchanged all = cudasim::exchange(mask, cudasim::kMatch, value);
    unsigned same = 0;
    for (unsigned i = 0; i < 32; ++i)
        if ((all.lanes >> i & 1) && !__builtin_memcmp(all.slots + 16 * i, &value, sizeof value)) same |= 1u << i;
    return same;
}
CUDASIM_UNCHECKED inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
    static int votes;
    __syncthreads(line);
    votes = 0;
    __syncthreads(line);
    votes += predicate != 0;
    __syncthreads(line);
    return votes;
}
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
    return __syncthreads_count(predicate, line) != 0;
}
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
    return __syncthreads_count(!predicate, line) == 0;
}

// Atomics. One host thread runs all of a device, so a plain read-modify-write is atomic.
namespace cudasim {
template <class T>
struct Same {
    using type = T;
};
template <class T>
using same = typename Same<T>::type;
template <class T, class F>
CUDASIM_UNCHECKED T update(T* place, F change, Atomic kind = kUpdate) {
    maybe_yield();
    note_atomic(place, sizeof(T), kind);
    T old = *place;
    *place = change(old);
    return old;
}
}  // namespace cudasim
#define CUDASIM_ATOMIC(name, kind, ...)                                                                 \
    template <class T>                                                                                  \
    T name(T* place, cudasim::same<T> v) {                                                              \
        return cudasim::update(place, [&](T old) -> T { return __VA_ARGS__; }, cudasim::k##kind);       \
    }                                                                                                   \
    template <class T>                                                                                  \
    T name##_block(T* place, cudasim::same<T> v) {                                                      \
        return name(place, v);                                                                          \
    }                                                                                                   \
    template <class T>                                                                                  \
    T name##_system(T* place, cudasim::same<T> v) {                                                     \
        return cudasim::update(place, [&](T old) -> T { return __VA_ARGS__; }, cudasim::kSystem##kind); \
    }
CUDASIM_ATOMIC(atomicAdd, Update, old + v)
CUDASIM_ATOMIC(atomicSub, Update, old - v)
CUDASIM_ATOMIC(atomicMax, Update, old > v ? old : v)
CUDASIM_ATOMIC(atomicMin, Update, old < v ? old : v)
CUDASIM_ATOMIC(atomicAnd, Update, old& v)
CUDASIM_ATOMIC(atomicOr, Update, old | v)
CUDASIM_ATOMIC(atomicXor, Update, old ^ v)
CUDASIM_ATOMIC(atomicExch, Exchange, v)
CUDASIM_ATOMIC(atomicInc, Update, old >= v ? T(0) : T(old + 1))
CUDASIM_ATOMIC(atomicDec, Update, old == T(0) || old > v ? v : T(old - 1))
template <class T>
T atomicCAS(T* place, cudasim::same<T> expected, cudasim::same<T> v) {
    return cudasim::update(place, [&](T old) -> T { return old == expected ? v : old; });
}
template <class T>
T atomicCAS_block(T* p, cudasim::same<T> e, cudasim::same<T> v) {
    return atomicCAS(p, e, v);
}
template <class T>
T atomicCAS_system(T* place, cudasim::same<T> expected, cudasim::same<T> v) {
    return cudasim::update(place, [&](T old) -> T { return old == expected ? v : old; }, cudasim::kSystemUpdate);
}

// Loads and stores with cache hints.
template <class T>
T __ldg(const T* p) {
    return *p;
}
template <class T>
T __ldcs(const T* p) {
    return *p;
}
template <class T>
T __ldcg(const T* p) {
    return *p;
}
template <class T>
void __stcs(T* p, cudasim::same<T> v) {
    *p = v;
}
template <class T>
void __stcg(T* p, cudasim::same<T> v) {
    *p = v;
}
template <class T>
T __ldcv(const T* p) {
    cudasim::maybe_yield();
    return *const_cast<const volatile T*>(p);
}

// Bits.
inline int __float_as_int(float x) {
    int r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
inline unsigned __float_as_uint(float x) {
    unsigned r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
inline float __int_as_float(int x) {
    float r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
inline float __uint_as_float(unsigned x) {
    float r;
    __builtin_memcpy(&r, &x, 4);
    return r;
}
inline long long __double_as_longlong(double x) {
    long long r;
    __builtin_memcpy(&r, &x, 8);
    return r;
}
inline double __longlong_as_double(long long x) {
    double r;
    __builtin_memcpy(&r, &x, 8);
    return r;
}
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)(unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
    return r;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; ++i) r |= unsigned(bytes >> (8 * (s >> (4 * i) & 7)) & 255) << (8 * i);
    return r;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
    return unsigned(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
    return unsigned(((unsigned long long)high << 32 | low) >> (n & 31));
}

// The C library. NVRTC declares these in the global namespace, C++'s float overloads included.
extern "C" {
void* memcpy(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}
#define CUDASIM_MATH1(name)                   \
    extern "C" double name(double) noexcept;  \
    extern "C" float name##f(float) noexcept; \
    inline float name(float x) { return name##f(x); }
#define CUDASIM_MATH2(name)                          \
    extern "C" double name(double, double) noexcept; \
    extern "C" float name##f(float, float) noexcept; \
    inline float name(float x, float y) { return name##f(x, y); }
// Functions that the C library rounds worse than a GPU does, computed in long double.
#define CUDASIM_WIDE1(name)                                     \
    extern "C" long double name##l(long double) noexcept;       \
    extern "C" float name##f(float) noexcept;                   \
    inline double name(double x) { return double(name##l(x)); } \
    inline float name(float x) { return name##f(x); }
// clang-format off
CUDASIM_MATH1(sin) CUDASIM_MATH1(cos) CUDASIM_MATH1(tan) CUDASIM_MATH1(asin) CUDASIM_MATH1(acos) CUDASIM_MATH1(atan)
CUDASIM_WIDE1(sinh) CUDASIM_WIDE1(cosh) CUDASIM_WIDE1(tanh) CUDASIM_WIDE1(asinh) CUDASIM_WIDE1(acosh) CUDASIM_WIDE1(atanh)
CUDASIM_MATH1(exp) CUDASIM_MATH1(exp2) CUDASIM_MATH1(exp10) CUDASIM_MATH1(expm1) CUDASIM_MATH1(log) CUDASIM_MATH1(log2)
CUDASIM_WIDE1(log10) CUDASIM_MATH1(log1p) CUDASIM_MATH1(logb) CUDASIM_MATH1(sqrt) CUDASIM_WIDE1(cbrt) CUDASIM_MATH1(erf)
CUDASIM_WIDE1(erfc) CUDASIM_WIDE1(tgamma) CUDASIM_WIDE1(lgamma) CUDASIM_MATH1(floor) CUDASIM_MATH1(ceil) CUDASIM_MATH1(trunc)
CUDASIM_MATH1(round) CUDASIM_MATH1(rint) CUDASIM_MATH1(nearbyint) CUDASIM_MATH1(fabs) CUDASIM_MATH1(j0) CUDASIM_MATH1(j1)
CUDASIM_MATH1(y0) CUDASIM_MATH1(y1)
CUDASIM_MATH2(pow) CUDASIM_MATH2(atan2) CUDASIM_MATH2(fmod) CUDASIM_MATH2(remainder) CUDASIM_MATH2(hypot) CUDASIM_MATH2(fmin)
CUDASIM_MATH2(fmax) CUDASIM_MATH2(fdim) CUDASIM_MATH2(copysign) CUDASIM_MATH2(nextafter)
    // clang-format on
    extern "C" {
    double fma(double, double, double) noexcept;
    float fmaf(float, float, float) noexcept;
    double ldexp(double, int) noexcept;
    float ldexpf(float, int) noexcept;
    double scalbn(double, int) noexcept;
    float scalbnf(float, int) noexcept;
    double frexp(double, int*) noexcept;
    float frexpf(float, int*) noexcept;
    double modf(double, double*) noexcept;
    float modff(float, float*) noexcept;
    double remquo(double, double, int*) noexcept;
    float remquof(float, float, int*) noexcept;
    int ilogb(double) noexcept;
    int ilogbf(float) noexcept;
    long lrint(double) noexcept;
    long lrintf(float) noexcept;
    long long llrint(double) noexcept;
    long long llrintf(float) noexcept;
    long lround(double) noexcept;
    long long llround(double) noexcept;
    void sincos(double, double*, double*) noexcept;
    void sincosf(float, float*, float*) noexcept;
}
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float ldexp(float x, int e) { return ldexpf(x, e); }
inline float scalbn(float x, int e) { return scalbnf(x, e); }
inline float frexp(float x, int* e) { return frexpf(x, e); }
inline float modf(float x, float* whole) { return modff(x, whole); }
inline int ilogb(float x) { return ilogbf(x); }
inline void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline long abs(long x) { return labs(x); }
inline long long abs(long long x) { return llabs(x); }
inline float rsqrtf(float x) { return float(1.0 / sqrt(double(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return float(1.0 / cbrt(double(x))); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float sinpif(float x) { return float(sin(3.14159265358979323846 * double(x))); }
inline float cospif(float x) { return float(cos(3.14159265358979323846 * double(x))); }
inline double sinpi(double x) { return sin(3.14159265358979323846 * x); }
inline double cospi(double x) { return cos(3.14159265358979323846 * x); }
inline float saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
inline double erfcx(double x) { return exp(x * x) * erfc(x); }

inline int isnan(float x) { return __builtin_isnan(x); }
inline int isnan(double x) { return __builtin_isnan(x); }
inline int isinf(float x) { return __builtin_isinf(x) != 0; }
inline int isinf(double x) { return __builtin_isinf(x) != 0; }
inline int isfinite(float x) { return __builtin_isfinite(x); }
inline int isfinite(double x) { return __builtin_isfinite(x); }
inline int signbit(float x) { return __builtin_signbit(x) != 0; }
inline int signbit(double x) { return __builtin_signbit(x) != 0; }
inline int isnormal(float x) { return __builtin_isnormal(x); }
inline int isnormal(double x) { return __builtin_isnormal(x); }
inline float nanf(const char*) { return __builtin_nanf(""); }
inline double nan(const char*) { return __builtin_nan(""); }

#define CUDASIM_EXTREMA(T)                           \
    inline T min(T a, T b) { return a < b ? a : b; } \
    inline T max(T a, T b) { return a > b ? a : b; }
CUDASIM_EXTREMA(int)
CUDASIM_EXTREMA(unsigned)
CUDASIM_EXTREMA(long)
CUDASIM_EXTREMA(unsigned long)
CUDASIM_EXTREMA(long long)
CUDASIM_EXTREMA(unsigned long long)
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

// Arithmetic with a named rounding: round to nearest is the default of this machine.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1 / a; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return expf(a); }
inline float __logf(float a) { return logf(a); }
inline float __powf(float a, float b) { return powf(a, b); }
inline float __sinf(float a) { return sinf(a); }
inline float __cosf(float a) { return cosf(a); }

// Conversions with a named rounding; out of range they saturate and NaN gives 0, as on a GPU.
namespace cudasim {
template <class To, class From>
To saturate(From x) {
    constexpr bool kSigned = To(-1) < To(0);
    constexpr int kBits = 8 * sizeof(To) - kSigned;
    constexpr To kMost = To(~0ull >> (64 - kBits)), kLeast = kSigned ? To(-kMost - 1) : To(0);
    if (x != x) return 0;
    if (x >= __builtin_ldexp(1.0, kBits)) return kMost;
    if (x <= (kSigned ? -__builtin_ldexp(1.0, kBits) : 0.0)) return kLeast;
    return To(x);
}
}  // namespace cudasim
#define CUDASIM_CONVERT(T, suffix)                                                       \
    inline T __float2##suffix##_rz(float x) { return cudasim::saturate<T>(truncf(x)); }  \
    inline T __float2##suffix##_rn(float x) { return cudasim::saturate<T>(rintf(x)); }   \
    inline T __float2##suffix##_rd(float x) { return cudasim::saturate<T>(floorf(x)); }  \
    inline T __float2##suffix##_ru(float x) { return cudasim::saturate<T>(ceilf(x)); }   \
    inline T __double2##suffix##_rz(double x) { return cudasim::saturate<T>(trunc(x)); } \
    inline T __double2##suffix##_rn(double x) { return cudasim::saturate<T>(rint(x)); }  \
    inline T __double2##suffix##_rd(double x) { return cudasim::saturate<T>(floor(x)); } \
    inline T __double2##suffix##_ru(double x) { return cudasim::saturate<T>(ceil(x)); }  \
    inline float __##suffix##2float_rn(T x) { return float(x); }                         \
    inline double __##suffix##2double_rn(T x) { return double(x); }
CUDASIM_CONVERT(int, int)
CUDASIM_CONVERT(unsigned, uint)
CUDASIM_CONVERT(long long, ll)
CUDASIM_CONVERT(unsigned long long, ull)
inline float __double2float_rn(double x) { return float(x); }

// Functions called by -fsanitize=thread.
#ifdef CUDASIM_CHECKED
#define CUDASIM_REPORT(name, parameters, bytes, kind)                                         \
    extern "C" CUDASIM_UNCHECKED __attribute__((visibility("hidden"))) void name parameters { \
        cudasim_runtime_table->access(p, bytes, kind);                                        \
    }
#define CUDASIM_REPORTS(n)                                     \
    CUDASIM_REPORT(__tsan_read##n, (void* p), n, 0)            \
    CUDASIM_REPORT(__tsan_write##n, (void* p), n, 1)           \
    CUDASIM_REPORT(__tsan_unaligned_read##n, (void* p), n, 0)  \
    CUDASIM_REPORT(__tsan_unaligned_write##n, (void* p), n, 1) \
    CUDASIM_REPORT(__tsan_volatile_read##n, (void* p), n, 2)   \
    CUDASIM_REPORT(__tsan_volatile_write##n, (void* p), n, 3)
CUDASIM_REPORTS(1)
CUDASIM_REPORTS(2)
CUDASIM_REPORTS(4)
CUDASIM_REPORTS(8)
CUDASIM_REPORTS(16)
CUDASIM_REPORT(__tsan_read_range, (void* p, size_t n), unsigned(n), 0)
CUDASIM_REPORT(__tsan_write_range, (void* p, size_t n), unsigned(n), 1)
extern "C" __attribute__((visibility("hidden"))) void __tsan_init() {}
#endif

// The simulator's description of kernels.
namespace cudasim {
template <class... P>
struct Parameters {
    static constexpr unsigned kCount = sizeof...(P);
    unsigned sizes[kCount + 1] = {sizeof(P)..., 0};
    unsigned offsets[kCount + 1] = {};
    unsigned bytes = 0;
    constexpr Parameters() {
        constexpr unsigned kAlignments[] = {alignof(P)..., 1};
        for (unsigned i = 0; i < kCount; ++i) {
            offsets[i] = (bytes + kAlignments[i] - 1) / kAlignments[i] * kAlignments[i];
            bytes = offsets[i] + sizes[i];
        }
        bytes = (bytes + 7) / 8 * 8;
    }
};
template <unsigned... I>
struct Indices {};
template <unsigned N, unsigned... I>
struct CountTo : CountTo<N - 1, N - 1, I...> {};
template <unsigned... I>
struct CountTo<0, I...> {
    using type = Indices<I...>;
};

template <auto Kernel>
struct Thunk;
template <class... P, void (*Kernel)(P...)>
struct Thunk<Kernel> {
    static constexpr Parameters<P...> kParameters = {};
    template <unsigned... I>
    static void spread(const char* from, Indices<I...>) {
        Kernel(*reinterpret_cast<const P*>(from + kParameters.offsets[I])...);
    }
    static void call(const char* from) { spread(from, typename CountTo<sizeof...(P)>::type()); }
    static constexpr cudasim_kernel describe(const char* name, unsigned most_threads) {
        return {name,         call,   sizeof...(P), kParameters.sizes, kParameters.offsets, kParameters.bytes,
                most_threads, nullptr};
    }
};
constexpr unsigned first_of(unsigned first = 1024, ...) { return first; }
}  // namespace cudasim
