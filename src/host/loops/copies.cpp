// copies.cpp -- copies of items between strided layouts, independent of their type.
#include <cstring>

#include "core/copy_run.h"
#include "host/loops/items.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

template <class Item> void fill(char* to, Item value, int64_t n) {
    constexpr int64_t kFew = 1024 / int64_t(sizeof(Item));
    unsigned char bytes[sizeof(Item)];
    std::memcpy(bytes, &value, sizeof value);
    if (n >= kFew && std::memcmp(bytes, bytes + 1, sizeof value - 1) == 0) {  // equal bytes, such as zeros
        std::memset(to, bytes[0], size_t(n) * sizeof value);
        return;
    }
    for (int64_t i = 0; i < n; ++i) put(to + i * int64_t(sizeof(Item)), value);
}

/// Packs strided items; a constant step lets the compiler use vector loads and shuffles.
template <class Item, int Step> void pick(char* to, const char* from, int64_t n) {
    constexpr int64_t size = sizeof(Item);
    for (int64_t i = 0; i < n; ++i) put(to + i * size, get<Item>(from + i * Step * size));
}

template <class Item> void gather(char* to, const char* from, int64_t stride, int64_t n) {
    constexpr int64_t size = sizeof(Item);
    switch (stride) {
        case 0: return fill(to, get<Item>(from), n);
        case size: return copy_run(to, from, n * size);
        case -size: return pick<Item, -1>(to, from, n);
        case 2 * size: return pick<Item, 2>(to, from, n);
        default: {
            int64_t i = 0;
            for (; i + 4 <= n; i += 4, from += 4 * stride) {
                // One by one: vectors that are made in memory wait for the stores of their items.
                const Item a = get<Item>(from), b = get<Item>(from + stride), c = get<Item>(from + 2 * stride),
                           d = get<Item>(from + 3 * stride);
                char* const at = to + i * size;
                put(at, a), put(at + size, b), put(at + 2 * size, c), put(at + 3 * size, d);
            }
            for (; i < n; ++i, from += stride) put(to + i * size, get<Item>(from));
        }
    }
}

template <class Item>
void strided(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) put(to + i * to_stride, get<Item>(from + i * from_stride));
}

/// Rows of a few items each; their number is a compile-time constant.
template <class Item, int Columns>
void short_rows(char* to, int64_t to_row, const char* from, int64_t from_row, int64_t from_column, int64_t rows) {
    for (int64_t r = 0; r < rows; ++r)
        for (int c = 0; c < Columns; ++c)
            put(to + r * to_row + c * int64_t(sizeof(Item)), get<Item>(from + r * from_row + c * from_column));
}

/// Copies of an item that fill a vector.
template <class Item> struct [[gnu::packed]] Copies {
    static constexpr int count = 32 / int(sizeof(Item));
    Item items[count];
    explicit Copies(Item item) {
        for (int i = 0; i < count; ++i) items[i] = item;
    }
};
/// Each item so many times, one after the other: by vectors, whose ends the copies of the next item overwrite.
template <class Item>
void repeat_items(char* to, const char* from, int64_t from_row, int64_t rows, int64_t count) {
    constexpr int64_t size = sizeof(Item), vector = sizeof(Copies<Item>);
    const int64_t span = count * size, written = (span + vector - 1) / vector * vector;
    for (; rows * span >= written; --rows, from += from_row, to += span) {
        const Copies<Item> copies(get<Item>(from));
        for (int64_t b = 0; b < span; b += vector) std::memcpy(to + b, &copies, sizeof copies);
    }
    for (; rows > 0; --rows, from += from_row)
        for (int64_t c = 0; c < count; ++c, to += size) put(to, get<Item>(from));
}

/// Rows of as many bytes as a U has, read backwards.
template <class U> void reversed_bytes(char* to, int64_t to_row, const char* from, int64_t from_row, int64_t rows) {
    const char* const first = from - (int64_t(sizeof(U)) - 1);
    for (int64_t r = 0; r < rows; ++r) {
        const U bytes = get<U>(first + r * from_row);
        if constexpr (sizeof(U) == 2)
            put(to + r * to_row, __builtin_bswap16(bytes));
        else if constexpr (sizeof(U) == 4)
            put(to + r * to_row, __builtin_bswap32(bytes));
        else
            put(to + r * to_row, __builtin_bswap64(bytes));
    }
}

template <class Item> using Four [[gnu::vector_size(4 * sizeof(Item))]] = Item;

/// Transposes a square of 4 x 4 items, whose rows are contiguous in source and destination.
template <class Item>
void transpose_square(char* to, int64_t to_step, const char* from, int64_t from_step) {
    using V = Four<Item>;
    const V a = get<V>(from), b = get<V>(from + from_step), c = get<V>(from + 2 * from_step),
            d = get<V>(from + 3 * from_step);
    const V ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    const V bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    put<V>(to, __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5));
    put<V>(to + to_step, __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7));
    put<V>(to + 2 * to_step, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
    put<V>(to + 3 * to_step, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
}

/// Transposes `from`, in which items are contiguous along r: to[r][c] = from[c][r]. Prefetches some columns ahead,
/// because hardware prefetchers do not follow such strides.
template <class Item>
void transpose_rows(char* to, int64_t to_row, int64_t to_column, const char* from, int64_t from_row,
                    int64_t from_column, int64_t rows, int64_t columns) {
    // So many columns fill a cache line of `to`, or a part of one, before the next row is written.
    constexpr int64_t size = sizeof(Item), together = size == 8 ? 8 : 16, ahead = 2 * together;
    int64_t c = 0;
    if constexpr (size <= 8) {
        if (from_row == size && to_column == size) {
            for (int64_t width; c + 4 <= columns; c += width) {
                width = c + together <= columns ? together : 4;
                for (int64_t k = c + ahead; k < c + ahead + width && k < columns; ++k)
                    for (int64_t b = 0; b < rows * size; b += 64) __builtin_prefetch(from + k * from_column + b);
                int64_t r = 0;
                for (; r + 4 <= rows; r += 4)
                    for (int64_t k = c; k < c + width; k += 4)
                        transpose_square<Item>(to + r * to_row + k * size, to_row, from + k * from_column + r * size,
                                               from_column);
                for (; r < rows; ++r)
                    for (int64_t k = c; k < c + width; ++k)
                        put(to + r * to_row + k * size, get<Item>(from + k * from_column + r * size));
            }
        }
    }
    for (; c < columns; ++c)
        for (int64_t r = 0; r < rows; ++r)
            put(to + r * to_row + c * to_column, get<Item>(from + r * from_row + c * from_column));
}

/// The same by blocks of rows: the cache lines that all columns write to stay in L1.
template <class Item>
void transpose(char* to, int64_t to_row, int64_t to_column, const char* from, int64_t from_row, int64_t from_column,
               int64_t rows, int64_t columns) {
    constexpr int64_t block = 128, size = sizeof(Item);
    if (from_row == -size) {  // from the last row on, items are contiguous
        from += (rows - 1) * from_row, to += (rows - 1) * to_row;
        from_row = size, to_row = -to_row;
    }
    if (to_column == -size) {
        from += (columns - 1) * from_column, to += (columns - 1) * to_column;
        to_column = size, from_column = -from_column;
    }
    for (int64_t r = 0; r < rows; r += block)
        transpose_rows<Item>(to + r * to_row, to_row, to_column, from + r * from_row, from_row, from_column,
                             rows - r < block ? rows - r : block, columns);
}

int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

template <class Item>
void copy(char* to, int64_t to_row, int64_t to_column, const char* from, int64_t from_row, int64_t from_column,
          int64_t rows, int64_t columns) {
    constexpr int64_t size = sizeof(Item);
    if (rows > 3 && columns > 4 && from_row != 0 && magnitude(from_row) < magnitude(from_column))
        return transpose<Item>(to, to_row, to_column, from, from_row, from_column, rows, columns);
    if (rows > 1 && columns > 4 && to_row != 0 && magnitude(to_row) < magnitude(to_column))
        return transpose<Item>(to, to_column, to_row, from, from_column, from_row, columns, rows);
    if (to_column == size && from_column == size && columns > 1)
        return copy_runs(to, to_row, from, from_row, rows, columns * size);
    if (size == 1 && to_column == 1 && from_column == -1) {
        switch (columns) {
            case 2: return reversed_bytes<uint16_t>(to, to_row, from, from_row, rows);
            case 4: return reversed_bytes<uint32_t>(to, to_row, from, from_row, rows);
            case 8: return reversed_bytes<uint64_t>(to, to_row, from, from_row, rows);
            default: break;
        }
    }
    if (to_column == size) {
        if (from_column == 0 && columns > 1 && to_row == columns * size)
            return repeat_items<Item>(to, from, from_row, rows, columns);
        switch (columns) {
            case 1: return strided<Item>(to, to_row, from, from_row, rows);
            case 2: return short_rows<Item, 2>(to, to_row, from, from_row, from_column, rows);
            case 3: return short_rows<Item, 3>(to, to_row, from, from_row, from_column, rows);
            case 4: return short_rows<Item, 4>(to, to_row, from, from_row, from_column, rows);
            default:
                for (int64_t r = 0; r < rows; ++r)
                    gather<Item>(to + r * to_row, from + r * from_row, from_column, columns);
        }
        return;
    }
    for (int64_t r = 0; r < rows; ++r)
        strided<Item>(to + r * to_row, to_column, from + r * from_row, from_column, columns);
}

/// Contiguous items: vectorised with masked stores, which do not touch the other items (AVX-512: all sizes).
template <class Item>
void store_packed_where(char* to, const char* from, const uint8_t* __restrict mask, int64_t n) {
    typedef Item Unaligned __attribute__((aligned(1), may_alias));
    auto* const __restrict target = reinterpret_cast<Unaligned*>(to);
    const auto* const __restrict source = reinterpret_cast<const Unaligned*>(from);
    // Masked accesses do not trigger the hardware prefetcher: prefetch the lines of the next block. What has no true
    // element is not touched.
    constexpr int64_t size = sizeof(Item), line = 64, group = 64;
    int64_t i = 0;
    for (; i + group <= n; i += group) {
        uint64_t some = 0;
        for (int64_t k = 0; k < group; k += 8) some |= get<uint64_t>(reinterpret_cast<const char*>(mask + i + k));
        if (some == 0) continue;
        for (int64_t at = (n + i) * size; at < (n + i + group) * size; at += line) {
            __builtin_prefetch(from + at, 0);
            __builtin_prefetch(to + at, 1);
        }
        for (int64_t k = i; k < i + group; ++k)
            if (mask[k]) target[k] = source[k];
    }
    for (; i < n; ++i)
        if (mask[i]) target[i] = source[i];
}

template <class Item>
void store_where(char* to, int64_t stride, const char* from, const uint8_t* mask, int64_t n) {
    constexpr int64_t size = sizeof(Item);
    if constexpr (size <= 8)
        if (stride == size) return store_packed_where<Item>(to, from, mask, n);
    for (int64_t i = 0; i < n; ++i)
        if (mask[i]) put(to + i * stride, get<Item>(from + i * size));
}

void count(int64_t* to, int64_t first, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = first + step * i;
}

bool any(const uint8_t* x, int64_t n) {
    unsigned found = 0;
    for (int64_t i = 0; i < n; ++i) found |= x[i];
    return found != 0;
}

template <class Item> void collect(LoopLibrary& library, int log_size) {
    library.copy[log_size] = copy<Item>;
    library.store_where[log_size] = store_where<Item>;
}

}  // namespace

void collect_copies(LoopLibrary& library) {
    collect<uint8_t>(library, 0);
    collect<uint16_t>(library, 1);
    collect<uint32_t>(library, 2);
    collect<uint64_t>(library, 3);
    collect<Bytes16>(library, 4);
    library.count = count;
    library.any = any;
}

}  // namespace cuarray::host
