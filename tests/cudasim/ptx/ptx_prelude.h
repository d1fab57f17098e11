// ptx_prelude.h -- what PTX instructions mean, for a host compiler that reads translated PTX.
//
// Everything is exact but ptx_approximations.h, whose hardware values are known only by a bound. The translated
// text defines PTX_STATIC_SHARED, the bytes of static shared memory.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "module_abi.h"

#define PTX_STATE __attribute__((section("cudasim_state"), visibility("hidden")))
extern "C" {
PTX_STATE cudasim_place cudasim_here = {};
PTX_STATE const cudasim_runtime* cudasim_runtime_table = nullptr;
PTX_STATE unsigned cudasim_ticks = 0;
extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
double sqrt(double) noexcept;
double exp2(double) noexcept;
double log2(double) noexcept;
char* getenv(const char*) noexcept;
double strtod(const char*, char**) noexcept;
unsigned long long strtoull(const char*, char**, int) noexcept;
void* memcpy(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
}

namespace ptx {
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;
using f32 = float;
using f64 = double;
using pred = bool;
struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};

template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;
template <class T>
constexpr bool kIsInteger = T(0.5) == T(0);
template <>
constexpr bool kIsInteger<f16> = false;
template <>
constexpr bool kIsInteger<bf16> = false;
template <>
constexpr bool kIsInteger<bool> = true;
template <class T>
constexpr bool kIsSigned = T(-1) < T(0);

/// A register's content read as another type: the same bits, or for integers the lowest ones, or more of them.
template <class To, class From>
inline __attribute__((always_inline)) To as(From x) {
    if constexpr (kSame<To, From>)
        return x;
    else if constexpr (kIsInteger<To> && kIsInteger<From>)
        return To(x);
    else if constexpr (sizeof(To) == sizeof(From))
        return __builtin_bit_cast(To, x);
    else if constexpr (kIsInteger<From> && sizeof(To) == 2)
        return __builtin_bit_cast(To, u16(x));
    else if constexpr (kIsInteger<To> && sizeof(From) == 2)
        return To(__builtin_bit_cast(u16, x));
    else
        static_assert(sizeof(To) == 0, "registers of different size");
}
#define SET(d, value) d = ptx::as<decltype(d)>(value)

/// Registers hold garbage at entry: the simulator's poison where accesses are checked.
template <class T>
constexpr T poison() {
    if constexpr (kSame<T, bool>)
        return true;
    else if constexpr (sizeof(T) == 2)
        return __builtin_bit_cast(T, u16(0xCBCB));
    else if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(T, 0xCBCBCBCBu);
    else
        return __builtin_bit_cast(T, 0xCBCBCBCBCBCBCBCBull);
}
#ifdef CUDASIM_CHECKED
#define PTX_REGISTER(T, name) T name = ptx::poison<T>()
#define PTX_LOCAL(alignment, name, bytes) \
    alignas(alignment) char name[bytes];  \
    memset(name, 0xCB, bytes)
#else
#define PTX_REGISTER(T, name) T name
#define PTX_LOCAL(alignment, name, bytes) alignas(alignment) char name[bytes]
#endif
}  // namespace ptx

#include "ptx_approximations.h"
#include "ptx_float.h"
#include "ptx_integer.h"
#include "ptx_memory.h"
#include "ptx_threads.h"
