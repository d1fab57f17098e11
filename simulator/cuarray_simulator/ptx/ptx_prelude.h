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
double sin(double) noexcept;
double cos(double) noexcept;
double tanh(double) noexcept;
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
/// Notes the line that the thread is at, for reports of kernels that do not end. Volatile: a store is not moved out of
/// a loop that has no end.
#define PTX_HERE(number) (*const_cast<volatile int*>(&cudasim_here.line) = (number))
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

#ifdef CUDASIM_COUNTED
extern "C" {
int open(const char*, int, ...) noexcept;
int ftruncate(int, long) noexcept;
int close(int) noexcept;
void* mmap(void*, size_t, int, int, int, long) noexcept;
int snprintf(char*, size_t, const char*, ...) noexcept;
}
/// Counters of basic blocks in the file KERNEL.counts of the folder CUDASIM_COUNTS, shared with whoever maps it.
inline u64* map_counters(const char* kernel, size_t count) {
    constexpr int kCreateAndChange = 0102, kReadAndWrite = 3, kShared = 1;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.counts", getenv("CUDASIM_COUNTS"), kernel);
    const int file = open(path, kCreateAndChange, 0600);
    if (file < 0 || ftruncate(file, long(count * sizeof(u64))) != 0) __builtin_trap();
    void* const counters = mmap(nullptr, count * sizeof(u64), kReadAndWrite, kShared, file, 0);
    close(file);
    return static_cast<u64*>(counters);
}
#define PTX_COUNTERS(kernel, count)                                            \
    __attribute__((section(".data"))) static ptx::u64* ptx_counters = nullptr; \
    __attribute__((constructor)) static void map_ptx_counters() { ptx_counters = ptx::map_counters(kernel, count); }
#define PTX_COUNT(block) ++ptx_counters[block]
#else
#define PTX_COUNTERS(kernel, count)
#define PTX_COUNT(block)
#endif

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
#include "ptx_barriers.h"
#include "ptx_float.h"
#include "ptx_integer.h"
#include "ptx_memory.h"
#include "ptx_threads.h"
