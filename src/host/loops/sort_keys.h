// sort_keys.h -- the way back from sort keys to values.
#pragma once
#include "cuarray/kernel/sort.h"

namespace cuarray::host {

/// The inverse of sort_key, as the bits of the value; if several values share the key, one of them.
template <class T> unsigned_t<T> bits_of_key(unsigned_t<T> key, bool descending) {
    using U = unsigned_t<T>;
    constexpr U top = U(U(1) << (8 * sizeof(U) - 1));
    const U turned = U(U(0) - U(descending));
    if constexpr (is_same<T, bool>) {
        return U(key ^ U(descending));
    } else if constexpr (is_integer<T>) {
        return U(key ^ (is_signed<T> ? top : U(0)) ^ turned);
    } else {
        const U distance = U(key - top), negative = U(U(0) - U(distance >> (8 * sizeof(U) - 1)));
        const U size = U(U(distance ^ negative) - negative), sign = U(U(negative ^ turned) & top);
        return key == U(-1) ? bits_of(quiet_nan<T>()) : size == 0 ? U(0) : U(size | sign);
    }
}

/// The bits of a value that its key does not tell; 0 if the key stands for the value alone.
template <class T> unsigned_t<T> bits_lost(T value, unsigned_t<T> key, bool descending) {
    return unsigned_t<T>(bits_of_key<T>(key, descending) ^ bit_cast<unsigned_t<T>>(value));
}

/// Whether values that differ may have this key: zeros of both signs, and NaNs.
template <class T> bool may_be_shared(unsigned_t<T> key, bool descending) {
    if constexpr (is_integer<T>)
        return false;
    else
        return key == unsigned_t<T>(-1) || bits_of_key<T>(key, descending) == 0;
}

}  // namespace cuarray::host
