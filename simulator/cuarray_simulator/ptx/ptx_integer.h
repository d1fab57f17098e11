// ptx_integer.h -- integers and bits. Amounts and positions out of range mean what PTX says they mean.
#pragma once
#include "ptx_prelude.h"

namespace ptx {

template <class T>
inline T shl(T x, u32 n) {
    return n < 8 * sizeof(T) ? T(x << n) : T(0);
}
template <class T>
inline T shr(T x, u32 n) {
    if (n < 8 * sizeof(T)) return T(x >> n);
    return x < T(0) ? T(-1) : T(0);
}
template <bool WRAP>
inline u32 shf_l(u32 low, u32 high, u32 n) {
    n = WRAP ? n & 31 : n > 32 ? 32 : n;
    return u32((u64(high) << 32 | low) << n >> 32);
}
template <bool WRAP>
inline u32 shf_r(u32 low, u32 high, u32 n) {
    n = WRAP ? n & 31 : n > 32 ? 32 : n;
    return u32((u64(high) << 32 | low) >> n);
}
inline u32 brev(u32 x) {
    u32 r = 0;
    for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
    return r;
}
inline u64 brev(u64 x) { return u64(brev(u32(x))) << 32 | brev(u32(x >> 32)); }
inline u32 clz(u32 x) { return x ? u32(__builtin_clz(x)) : 32; }
inline u32 clz(u64 x) { return x ? u32(__builtin_clzll(x)) : 64; }
/// The place of the highest bit that differs from the sign; all bits if there is none.
template <class T>
inline u32 bfind(T x) {
    if (x < T(0)) x = T(~x);
    return x == 0 ? ~0u : 63 - u32(__builtin_clzll(u64(x)));
}
/// The shift that brings this bit to the top.
template <class T>
inline u32 bfind_shift(T x) {
    u32 place = bfind(x);
    return place == ~0u ? place : u32(8 * sizeof(T) - 1 - place);
}
template <class T>
inline T bfe(T x, u32 start, u32 count) {
    start &= 255, count &= 255;
    constexpr u32 kBits = 8 * sizeof(T);
    if (count == 0) return 0;
    if (start >= kBits) return x < T(0) ? T(-1) : T(0);
    if (start + count >= kBits) return T(x >> start);
    return T(T(x << (kBits - start - count)) >> (kBits - count));
}
template <class T>
inline T bfi(T from, T into, u32 start, u32 count) {
    start &= 255, count &= 255;
    constexpr u32 kBits = 8 * sizeof(T);
    if (start >= kBits || count == 0) return into;
    T mask = T((count >= kBits ? T(~T(0)) : T((T(1) << count) - 1)) << start);
    return T((into & ~mask) | (T(from << start) & mask));
}
/// So many ones from a position on.
template <bool WRAP>
inline u32 bmsk(u32 start, u32 count) {
    start = WRAP ? start & 31 : start > 32 ? 32 : start;
    count = WRAP ? count & 31 : count > 32 ? 32 : count;
    return u32(((1ull << count) - 1) << start);
}
inline u32 prmt(u32 a, u32 b, u32 selection) {
    u64 bytes = u64(b) << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; ++i) {
        u32 chosen = selection >> (4 * i) & 15, byte = u32(bytes >> (8 * (chosen & 7))) & 255;
        if (chosen & 8) byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}
inline u32 lop3(u32 a, u32 b, u32 c, u32 table) {
    u32 r = 0;
    for (int i = 0; i < 8; ++i)
        if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
/// A part of a word as an integer.
template <class Part>
inline s64 part(u32 x, int i) {
    return Part(x >> (8 * sizeof(Part) * i));
}
template <bool FIRST, class A, class B>
struct Choice {
    using Type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
    using Type = B;
};
template <class A>
using Byte = typename Choice<kIsSigned<A>, s8, u8>::Type;
template <class A>
using Short = typename Choice<kIsSigned<A>, s16, u16>::Type;
/// The sum of the products of four bytes.
template <class A, class B>
inline u32 dp4a(A a, B b, u32 c) {
    for (int i = 0; i < 4; ++i) c += u32(part<Byte<A>>(a, i) * part<Byte<B>>(b, i));
    return c;
}
/// The sum of the products of two halves and two bytes, the lower or the upper ones.
template <class A, class B>
inline u32 dp2a_lo(A a, B b, u32 c) {
    for (int i = 0; i < 2; ++i) c += u32(part<Short<A>>(a, i) * part<Byte<B>>(b, i));
    return c;
}
template <class A, class B>
inline u32 dp2a_hi(A a, B b, u32 c) {
    return dp2a_lo(a, B(b >> 16), c);
}
/// Of each part of two words, a function; the parts of the result.
template <class Part, class F>
inline u32 each_part(u32 a, u32 b, F f) {
    u32 r = 0;
    for (int i = 0; i < int(4 / sizeof(Part)); ++i)
        r |= u32(f(part<Part>(a, i), part<Part>(b, i)) & ((1ull << 8 * sizeof(Part)) - 1)) << (8 * sizeof(Part) * i);
    return r;
}
template <class Part>
inline u32 add_halves(u32 a, u32 b) {
    return each_part<Part>(a, b, [](s64 x, s64 y) { return x + y; });
}
template <class Part>
inline u32 min_halves(u32 a, u32 b) {
    return each_part<Part>(a, b, [](s64 x, s64 y) { return x < y ? x : y; });
}
template <class Part>
inline u32 max_halves(u32 a, u32 b) {
    return each_part<Part>(a, b, [](s64 x, s64 y) { return x > y ? x : y; });
}
template <class Part>
inline u32 distances(u32 a, u32 b, u32) {
    return each_part<Part>(a, b, [](s64 x, s64 y) { return x < y ? y - x : x - y; });
}
template <class Part>
inline u32 distances_add(u32 a, u32 b, u32 c) {
    each_part<Part>(a, b, [&](s64 x, s64 y) { return c += u32(x < y ? y - x : x - y); });
    return c;
}
inline u16 mul_hi(u16 a, u16 b) { return u16(u32(a) * b >> 16); }
inline s16 mul_hi(s16 a, s16 b) { return s16(s32(a) * b >> 16); }
inline u32 mul_hi(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
inline s32 mul_hi(s32 a, s32 b) { return s32(s64(a) * b >> 32); }
inline u64 mul_hi(u64 a, u64 b) { return u64((unsigned __int128)a * b >> 64); }
inline s64 mul_hi(s64 a, s64 b) { return s64((__int128)a * b >> 64); }
/// Sums and differences with the carry flag.
template <class T>
inline T add_carry(T a, T b, bool with, bool& carry, bool write) {
    unsigned __int128 sum = (unsigned __int128)a + b + (with && carry);
    if (write) carry = sum >> (8 * sizeof(T)) & 1;
    return T(sum);
}
template <class T>
inline T sub_carry(T a, T b, bool with, bool& carry, bool write) {
    unsigned __int128 sum = (unsigned __int128)a - b - (with && carry);
    if (write) carry = sum >> (8 * sizeof(T)) & 1;
    return T(sum);
}
/// The nearest integer of another type.
template <class To, class From>
inline To clamp(From x) {
    constexpr int kBits = 8 * sizeof(To) - kIsSigned<To>;
    __int128 most = ((__int128)1 << kBits) - 1, least = kIsSigned<To> ? -most - 1 : 0, wide = x;
    return To(wide > most ? most : wide < least ? least : wide);
}

}  // namespace ptx
