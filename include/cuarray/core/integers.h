// integers.h -- integers of C++ as arguments: axes, counts, positions.
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <ranges>
#include <type_traits>
#include "cuarray/core/error.h"

namespace cuarray {

/// The types of letters, which are integers of C++.
template <class T>
concept Letter = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                 std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// An integer type, or an enum that converts to one; no bool and no letter, which are no axis and no count.
template <class T>
concept IntegerType = (std::integral<T> && !std::same_as<T, bool> && !Letter<T>) ||
                      (std::is_enum_v<T> && std::is_convertible_v<T, int64_t>);

/// Integers that lie one behind the other: a vector, an array, a span of them.
template <class R>
concept IntegerRange =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && IntegerType<std::ranges::range_value_t<R>>;

/// The integer; IndexError for one beyond 63 bits, as size_t(0) - 1.
template <IntegerType T>
int64_t to_int64(T value) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(int64_t))
        if (value > uint64_t(std::numeric_limits<int64_t>::max()))
            raise(ErrorKind::Index, "index ", value, " is out of bounds for any axis");
    return int64_t(value);
}

}  // namespace cuarray
