// matmul.cpp -- register tiles of matrix products: packing, multiplying, storing.
#include <bit>
#include <cstring>
#include <utility>

#include "cuarray/kernel/matmul.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

using kernel::Products;

template <class T>
struct MatmulTile {
    using P = Products<T>;
    using number = typename P::number;
    typedef number vector __attribute__((vector_size(kVectorBytes)));
    // As many sums as registers hold besides the factors.
    static constexpr int rows = 4, vectors = P::parts == 2 ? 1 : 2, parts = P::parts;
    static constexpr int columns = vectors * int(kVectorBytes / sizeof(number));

    /// Packs `count` <= width elements to to[k][part][i]; the others are zero.
    static void pack(void* panel, int64_t width, const char* from, int64_t step, int64_t depth_step, int64_t count,
                     int64_t depth) {
        auto* to = static_cast<number*>(panel);
        for (int64_t k = 0; k < depth; ++k, from += depth_step, to += width * parts)
            for (int64_t i = 0; i < width; ++i) {
                number x[parts] = {};
                if (i < count) {
                    stored_t<T> element;
                    std::memcpy(&element, from + i * step, sizeof element);
                    P::take(element, x);
                }
                for (int part = 0; part < parts; ++part) to[part * width + i] = x[part];
            }
    }

    static void multiply(const void* left, const void* right, void* to, int64_t depth) {
        const auto* x = static_cast<const number*>(left);
        const auto* y = static_cast<const vector*>(right);
        vector panel[rows][vectors][parts] = {};
        for (int64_t k = 0; k < depth; ++k, x += rows * parts, y += vectors * parts) {
            vector in[vectors][parts];
#pragma GCC unroll 2
            for (int v = 0; v < vectors; ++v)
#pragma GCC unroll 2
                for (int part = 0; part < parts; ++part) in[v][part] = y[part * vectors + v];
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) {
                number factor[parts];
#pragma GCC unroll 2
                for (int part = 0; part < parts; ++part) factor[part] = x[part * rows + r];
#pragma GCC unroll 2
                for (int v = 0; v < vectors; ++v) P::accumulate(panel[r][v], factor, in[v]);
            }
        }
        auto* sums = static_cast<vector(*)[vectors][parts]>(to);
        for (int r = 0; r < rows; ++r)
            for (int v = 0; v < vectors; ++v) P::add(sums[r][v], panel[r][v]);
    }

    static void store(const void* from, char* to, int64_t row_step, int64_t column_step, int64_t n_rows,
                      int64_t n_columns) {
        constexpr int lanes = columns / vectors;
        const auto* sums = static_cast<const number*>(from);
        for (int64_t r = 0; r < n_rows; ++r)
            for (int64_t c = 0; c < n_columns; ++c) {
                number sum[parts];
                for (int part = 0; part < parts; ++part)
                    sum[part] = sums[((r * vectors + c / lanes) * parts + part) * lanes + c % lanes];
                const stored_t<T> element = P::give(sum);
                std::memcpy(to + r * row_step + c * column_step, &element, sizeof element);
            }
    }
};

/// A row of the result is in registers while the rows of the right factor pass by. Vectors are the processor's: GCC
/// keeps the sums of wider ones in memory.
template <class T, int columns, class Depth>
void multiply_rows(const char* left, int64_t row_step, int64_t column_step, const char* right, char* to, int64_t rows,
                   Depth depth) {
    constexpr int width = int(std::bit_ceil(unsigned(columns))), native = kVectorBytes / int(sizeof(T));
    constexpr int lanes = width < native ? width : native, vectors = width / lanes;
    typedef T vector __attribute__((vector_size(lanes * sizeof(T))));
    const auto multiply = [&](auto together) __attribute__((always_inline)) {
        constexpr int count = together.value;
        vector sums[count][vectors] = {};
        for (int64_t k = 0; k < depth; ++k) {
            vector row[vectors];  // its elements are aligned, but not the whole
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v)
                std::memcpy(&row[v], right + (k * vectors + v) * int64_t(sizeof row[v]), sizeof row[v]);
#pragma GCC unroll 4
            for (int i = 0; i < count; ++i) {
                T factor;
                std::memcpy(&factor, left + i * row_step + k * column_step, sizeof factor);
#pragma GCC unroll 8
                for (int v = 0; v < vectors; ++v) sums[i][v] += factor * row[v];
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < count; ++i)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                const int begin = v * lanes, stored = columns - begin < lanes ? columns - begin : lanes;
                std::memcpy(to + (i * columns + begin) * int64_t(sizeof(T)), &sums[i][v], size_t(stored) * sizeof(T));
            }
        left += count * row_step, to += count * columns * int64_t(sizeof(T));
    };
    constexpr int few = vectors > 2 ? 2 : 4;
    for (; rows >= few; rows -= few) multiply(std::integral_constant<int, few>());
    for (; rows > 0; --rows) multiply(std::integral_constant<int, 1>());
}

/// Square right factors, the common ones, have their sums unrolled.
template <class T, int columns>
void multiply_narrow(const char* left, int64_t row_step, int64_t column_step, const void* right, void* result,
                     int64_t rows, int64_t depth) {
    const char* const from = static_cast<const char*>(right);
    char* const to = static_cast<char*>(result);
    if (columns <= 4 && depth == columns)
        multiply_rows<T, columns>(left, row_step, column_step, from, to, rows,
                                  std::integral_constant<int64_t, columns>());
    else
        multiply_rows<T, columns>(left, row_step, column_step, from, to, rows, depth);
}

/// Adds the products of neighbours, as many as a vector or number has, to it.
template <class V>
void add_products(V& sum, const char* left, const char* right) {
    V x, y;
    std::memcpy(&x, left, sizeof x);
    std::memcpy(&y, right, sizeof y);
    sum += V(x * y);
}

/// Sums in vectors of 32 bytes, whatever the instruction set; then of 16, then one by one.
template <class T>
T dot(const char* left, const char* right, int64_t depth) {
    typedef T whole __attribute__((vector_size(32)));
    typedef T half __attribute__((vector_size(16)));
    constexpr int all = 4;
    int64_t at = 0;
    const int64_t end = depth * int64_t(sizeof(T));
    whole sums[all] = {};
    for (; at + all * 32 <= end; at += all * 32)
#pragma GCC unroll 4
        for (int i = 0; i < all; ++i) add_products(sums[i], left + at + i * 32, right + at + i * 32);
    for (int i = 0; at + 32 <= end; at += 32, ++i) add_products(sums[i], left + at, right + at);
    const whole sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    half halves[2];
    std::memcpy(halves, &sum, sizeof sum);
    halves[0] += halves[1];
    if (at + 16 <= end) add_products(halves[0], left + at, right + at), at += 16;
    T total = 0;
    for (; at < end; at += int64_t(sizeof(T))) add_products(total, left + at, right + at);
    for (unsigned i = 0; i < 16 / sizeof(T); ++i) total += halves[0][i];
    return total;
}

template <class T>
void multiply_dots(const char* left, int64_t left_step, const char* right, int64_t right_step, char* result,
                   int64_t result_step, int64_t count, int64_t depth) {
    for (int64_t i = 0; i < count; ++i, left += left_step, right += right_step, result += result_step) {
        const T sum = dot<T>(left, right, depth);
        std::memcpy(result, &sum, sizeof sum);
    }
}

template <class T, int... columns>
void collect_narrow(MatmulLoops& loops, std::integer_sequence<int, columns...>) {
    ((loops.narrow[columns + 2] = multiply_narrow<T, columns + 2>), ...);
}

template <class T>
void collect(MatmulLoops& loops) {
    loops = {MatmulTile<T>::rows,
             MatmulTile<T>::columns,
             int64_t(sizeof(typename MatmulTile<T>::number)) * MatmulTile<T>::parts,
             MatmulTile<T>::pack,
             MatmulTile<T>::multiply,
             MatmulTile<T>::store};
    using number = typename Products<T>::number;
    if constexpr (Products<T>::parts == 1 && is_same<number, stored_t<T>> && !is_same<T, bool>) {
        collect_narrow<number>(loops, std::make_integer_sequence<int, MatmulLoops::kFewColumns - 1>());
        loops.dots = multiply_dots<number>;
    }
}

}  // namespace

void collect_matmul(MatmulLoops* to) {
#define DTYPE(name, type, ...) collect<type>(to[int(DType::name)]);
#include "cuarray/dtypes.def"
}

}  // namespace cuarray::host
