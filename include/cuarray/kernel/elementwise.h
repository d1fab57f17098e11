// elementwise.h -- the device kernels of elementwise programs: how threads address elements.
//
// The generator supplies the program P: V elements of each operand per thread as lanes (`P::inputs<V>`,
// `P::outputs<V>`), `read` and `write`, which access them through a walk, and `evaluate`, which computes the
// outputs of one lane from its inputs. A walk maps lane u of operand k to memory. A thread issues all loads
// before its arithmetic and all stores after it, so that they overlap, and an operand that is also the output
// is read before it is written.
#pragma once
#include "cuarray/kernel/rows.h"
#include "cuarray/kernel/tiles.h"

namespace cuarray::kernel {

constexpr u32 kThreads = 256;

/// V elements in one vector, accessed 16 bytes at a time if it is that large. Items below 4 bytes are packed
/// into words, because the compiler does not merge more than four of them.
template <class T, int V>
struct alignas(sizeof(T) * V > 16 ? 16 : sizeof(T) * V) Vector {
    static constexpr bool in_words = sizeof(T) < 4 && sizeof(T) * V > 4;
    using word = choose_t<in_words, u32, T>;
    word words[sizeof(T) * V / sizeof(word)];
};

/// Reads V elements of one vector.
template <int V, class T>
CUARRAY_FN void read_vector(const void* from, T* x) {
    const Vector<T, V> vector = *reinterpret_cast<const Vector<T, V>*>(from);
    CUARRAY_COPY(x, &vector, sizeof vector);
}

/// Reads V elements of one vector if they exist; else they are 0.
template <int V, class T>
CUARRAY_FN void read_if(bool exists, const void* from, T* x) {
    Vector<T, V> vector{};
    if (exists) vector = *reinterpret_cast<const Vector<T, V>*>(from);
    CUARRAY_COPY(x, &vector, sizeof vector);
}

/// Writes V elements as one vector.
template <int V, class T>
CUARRAY_FN void write_whole(void* to, const T* y) {
    Vector<T, V> vector;
    CUARRAY_COPY(&vector, y, sizeof vector);
    *reinterpret_cast<Vector<T, V>*>(to) = vector;
}

/// Writes V elements as one vector; of a masked program only those that are kept.
template <class P, int V, class T>
CUARRAY_FN void write_vector(void* to, const T* y, const bool* kept) {
    bool all = true;
    if constexpr (P::masked) {
#pragma unroll
        for (int v = 0; v < V; ++v) all = all && kept[v];
    }
    if (all) {
        write_whole<V>(to, y);
    } else if constexpr (P::masked) {
#pragma unroll
        for (int v = 0; v < V; ++v)
            if (kept[v]) reinterpret_cast<T*>(to)[v] = y[v];
    }
}

/// Shifts every lane down by one; the last lane keeps its value.
template <class T, int V>
CUARRAY_FN void shift_lanes(T (&x)[V]) {
#pragma unroll
    for (int u = 1; u < V; ++u) x[u - 1] = x[u];
}

/// The k-th scalar.
template <class T, int N>
CUARRAY_FN T scalar(const Scalars<N>& scalars, int k) {
    return load<T>(*reinterpret_cast<const stored_t<T>*>(scalars.values[k].bytes));
}

/// Writes the record of the first fault; later ones are dropped.
CUARRAY_FAR void report(const FaultSink& sink, i64 index, i64 axis, i64 size) {
    if (atomicCAS_system(sink.claim, 0u, 1u) != 0u) return;  // kernels on other streams claim it, too
    sink.record->index = index;
    sink.record->axis = axis;
    sink.record->size = size;
    __threadfence_system();
    sink.record->ticket = sink.ticket;
    __threadfence_system();
}

/// Computes all outputs from all inputs. A long body is compiled once and loops over the lanes; if all lanes
/// are equal, `count` is 1 and only the last output is computed.
template <class P, int V, class S>
CUARRAY_FN void evaluate_lanes(typename P::template inputs<V>& in, typename P::template outputs<V>& out, const S& s,
                               int count = V) {
    if constexpr (P::unrolled) {
#pragma unroll
        for (int u = 0; u < V; ++u) P::evaluate(in, u, out, u, s);
    } else {
#pragma unroll 1
        for (int u = 0; u < count; ++u) {
            P::shift(out);
            P::evaluate(in, 0, out, V - 1, s);
            P::shift(in);
        }
    }
}

/// Runs program P over the lanes of one thread.
template <class P, int V, class Where, class S>
CUARRAY_FN void run(const Where& where, const S& scalars, const FaultSink& sink) {
    typename P::template inputs<V> in;
    typename P::template outputs<V> out{};
    P::read(where, in);
    evaluate_lanes<P, V>(in, out, scalars, where.lanes());
    if constexpr (P::faults) {
        bool fault = false;
#pragma unroll
        for (int u = 0; u < V; ++u) fault |= where.has(u) && out.fault[u];
        if (fault) report(sink, 0, 0, 0);
    }
    P::write(where, out);
}

/// One axis; the lanes of a thread are contiguous. After the last full vector all lanes are the same element.
template <class P, int V>
struct FlatWalk {
    const Flat<P::operands>& p;
    u64 first;
    bool whole;
    CUARRAY_FN int lanes() const { return whole ? V : 1; }
    CUARRAY_FN bool has(int u) const { return whole || u == V - 1; }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
        const T* from = reinterpret_cast<const T*>(p.operands[k].data) + first * p.operands[k].step;
        if (whole && p.operands[k].step) {
            const Vector<T, V> vector = *reinterpret_cast<const Vector<T, V>*>(from);
            CUARRAY_COPY(x, &vector, sizeof x);
        } else {
            const T one = *from;
#pragma unroll
            for (int u = 0; u < V; ++u) x[u] = one;
        }
    }
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
        const i64 from = reinterpret_cast<i64>(p.operands[k].data) + i64(first);
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = from + (whole ? u : 0);
    }
    template <class T>
    CUARRAY_FN void write(int k, T (&y)[V], const bool* kept) const {
        T* to = reinterpret_cast<T*>(p.operands[k].data) + first;
        bool all = whole;
        if constexpr (P::masked) {
#pragma unroll
            for (int u = 0; u < V; ++u) all = all && kept[u];
        }
        if (all) {
            Vector<T, V> vector;
            CUARRAY_COPY(&vector, y, sizeof y);
            *reinterpret_cast<Vector<T, V>*>(to) = vector;
        } else if constexpr (P::masked) {
#pragma unroll
            for (int u = 0; u < V; ++u)
                if (has(u) && kept[u]) to[whole ? u : 0] = y[u];
        } else {
            *to = y[V - 1];
        }
    }
};

/// One vector per thread; the thread after the last full vector computes the remaining elements one by one.
template <class P, int V, class S>
CUARRAY_FN void contiguous(const Flat<P::operands>& p, const S& scalars, const FaultSink& sink) {
    u64 first = (u64(blockIdx.x) * kThreads + threadIdx.x) * V;
    const bool whole = first + V <= p.size;
#pragma unroll 1
    for (const u64 end = whole ? first + 1 : p.size; first < end; ++first)
        run<P, V>(FlatWalk<P, V>{p, first, whole}, scalars, sink);
}

/// Several axes; a thread computes V elements of each of R rows, which are a block's rows apart. Rows of vectors are
/// contiguous, or broadcast where they step by 0; rows of single elements (V = 1) step by any number of bytes.
template <class P, int V, int R>
struct RowsWalk {
    const Rows<P::operands>& p;
    u32 row, apart;
    char* data[P::operands][R];
    CUARRAY_FN int lanes() const { return V * R; }
    CUARRAY_FN bool exists(int r) const { return r == 0 || row + u32(r) * apart < p.rows; }
    CUARRAY_FN bool has(int u) const { return exists(u / V); }
    /// The addresses of all rows; those beyond the last one are read as the first one, and not written.
    CUARRAY_FN void locate(u32 column) {
        u32 rest[R];
#pragma unroll
        for (int r = 0; r < R; ++r) rest[r] = exists(r) ? row + u32(r) * apart : row;
#pragma unroll
        for (int k = 0; k < P::operands; ++k)
#pragma unroll
            for (int r = 0; r < R; ++r) data[k][r] = p.operands[k].data + i64(i32(column)) * p.operands[k].step;
#pragma unroll 1
        for (int d = int(p.axes) - 1; d > 0; --d) {
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const u32 outer = p.extents[d].quotient(rest[r]);
                const i32 coordinate = i32(rest[r] - outer * p.extents[d].size);
                rest[r] = outer;
#pragma unroll
                for (int k = 0; k < P::operands; ++k) data[k][r] += i64(coordinate) * p.operands[k].strides[d];
            }
        }
#pragma unroll
        for (int k = 0; k < P::operands; ++k)
#pragma unroll
            for (int r = 0; r < R; ++r) data[k][r] += i64(i32(rest[r])) * p.operands[k].strides[0];
    }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V * R]) const {
        if (V > 1 && p.operands[k].step) {
#pragma unroll
            for (int r = 0; r < R; ++r) read_vector<V>(data[k][r], x + r * V);
        } else {
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const T one = *reinterpret_cast<const T*>(data[k][r]);
#pragma unroll
                for (int v = 0; v < V; ++v) x[r * V + v] = one;
            }
        }
    }
    CUARRAY_FN void index(int k, i64 (&x)[V * R]) const {
#pragma unroll
        for (int u = 0; u < V * R; ++u) x[u] = reinterpret_cast<i64>(data[k][u / V]) + i64(u % V) * p.operands[k].step;
    }
    template <class T>
    CUARRAY_FN void write(int k, T (&y)[V * R], const bool* kept) const {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (exists(r)) write_vector<P, V>(data[k][r], y + r * V, P::masked ? kept + r * V : nullptr);
    }
};

template <class P, int V, int R, class S>
CUARRAY_FN void rows(const Rows<P::operands>& p, const S& scalars, const FaultSink& sink) {
    const u32 down = p.row_blocks.quotient(blockIdx.x), across = blockIdx.x - down * p.row_blocks.size;
    const u32 vector = (across << p.column_bits) + (threadIdx.x & ((1u << p.column_bits) - 1u));
    const u32 apart = kThreads >> p.column_bits, row = down * (apart * R) + (threadIdx.x >> p.column_bits);
    if (vector * V >= p.columns || row >= p.rows) return;
    RowsWalk<P, V, R> walk{p, row, apart, {}};
    walk.locate(vector * V);
    run<P, V * R>(walk, scalars, sink);
}

/// Tiles of Edge x Edge elements, one a block; a thread computes V elements of each of R rows, which are kDown rows
/// apart. An operand that is contiguous down the columns is read as V elements of each of R columns, and transposed in
/// shared memory. Vectors (V > 1) are aligned, and whole in every row and column; single elements (V = 1) have any
/// strides.
template <class P, int Edge, int V, int R>
struct TilesWalk {
    static constexpr int kAcross = Edge / V, kDown = Edge / R;
    const Tiles<P::operands>& p;
    char* shared;
    i32 x, y, rows_left, columns_left;
    char* data[P::operands];
    CUARRAY_FN int lanes() const { return V * R; }
    CUARRAY_FN bool has(int u) const { return u / V * kDown < rows_left; }
    /// Of two operands the second one is the only input, and therefore transposed.
    CUARRAY_FN bool is_turned(int k) const { return P::operands == 2 ? k == 1 : p.turned >> k & 1u; }
    /// The column, from the thread's first one, of the i-th vector of a transposed operand.
    static CUARRAY_FN constexpr int column(int i) { return i / V * (V * kDown) + i % V; }
    /// The addresses of the thread's first row, or of its first column of operands that are transposed.
    CUARRAY_FN void locate() {
        x = i32(threadIdx.x % kAcross), y = i32(threadIdx.x / kAcross);
        u32 rest = p.tiles_across.quotient(blockIdx.x);
        const i32 left = i32(blockIdx.x - rest * p.tiles_across.size) * Edge;
        u32 outer = p.tiles_down.quotient(rest);
        const i32 top = i32(rest - outer * p.tiles_down.size) * Edge;
        rows_left = left + x * V < i32(p.columns) ? i32(p.rows) - (top + y) : 0;
        columns_left = top + x * V < i32(p.rows) ? i32(p.columns) - (left + y * V) : 0;
#pragma unroll
        for (int k = 0; k < P::operands; ++k) {
            const i32 row = top + (is_turned(k) ? x * V : y), first = left + (is_turned(k) ? y : x) * V;
            data[k] = p.operands[k].data + i64(row) * p.operands[k].down + i64(first) * p.operands[k].across;
        }
#pragma unroll 1
        for (int d = int(p.axes) - 1; d >= 0; --d) {
            rest = p.extents[d].quotient(outer);
            const i32 coordinate = i32(outer - rest * p.extents[d].size);
            outer = rest;
#pragma unroll
            for (int k = 0; k < P::operands; ++k) data[k] += i64(coordinate) * p.operands[k].strides[d];
        }
    }
    template <class T>
    CUARRAY_FN void read(int k, T (&elements)[V * R]) const {
        if (is_turned(k)) return read_turned(k, elements);
        if (V == 1 || p.operands[k].across) {
#pragma unroll
            for (int r = 0; r < R; ++r)
                read_if<V>(has(r * V), data[k] + i64(r * kDown) * p.operands[k].down, elements + r * V);
        } else {
#pragma unroll
            for (int r = 0; r < R; ++r) {
                T one;
                read_if<1>(has(r * V), data[k] + i64(r * kDown) * p.operands[k].down, &one);
#pragma unroll
                for (int v = 0; v < V; ++v) elements[r * V + v] = one;
            }
        }
    }
    template <class T>
    CUARRAY_FN void read_turned(int k, T (&elements)[V * R]) const {
        T columns[R][V];
#pragma unroll
        for (int i = 0; i < R; ++i)
            read_if<V>(column(i) < columns_left, data[k] + i64(column(i)) * p.operands[k].across, columns[i]);
        // The first vectors of V rows are kPad bytes apart, modulo the banks, so that those of a warp's threads have
        // different banks.
        constexpr int kOneEach = kAcross < 32 ? 128 / kAcross : 4, kBytes = V * int(sizeof(T));
        constexpr int kPitch = Edge * int(sizeof(T)), kPad = kBytes > kOneEach ? kBytes : kOneEach;
        if (P::operands > 2 && (p.turned & ((1u << k) - 1u))) __syncthreads();
        char* to = shared + x * (V * kPitch + kPad) + y * kBytes;
#pragma unroll
        for (int i = 0; i < R; i += V) {
#pragma unroll
            for (int v = 0; v < V; ++v) {
                T row[V];
#pragma unroll
                for (int j = 0; j < V; ++j) row[j] = columns[i + j][v];
                write_whole<V>(to + i / V * (kDown * kBytes) + v * kPitch, row);
            }
        }
        __syncthreads();
        const char* from = shared + y * kPitch + i32(u32(y) / V) * kPad + x * kBytes;
#pragma unroll
        for (int r = 0; r < R; ++r) read_vector<V>(from + r * (kDown * kPitch + kDown / V * kPad), elements + r * V);
    }
    CUARRAY_FN void index(int k, i64 (&elements)[V * R]) const {
#pragma unroll
        for (int u = 0; u < V * R; ++u)
            elements[u] = reinterpret_cast<i64>(data[k]) + i64(u / V * kDown) * p.operands[k].down +
                          i64(u % V) * p.operands[k].across;
    }
    template <class T>
    CUARRAY_FN void write(int k, T (&elements)[V * R], const bool* kept) const {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (has(r * V))
                write_vector<P, V>(data[k] + i64(r * kDown) * p.operands[k].down, elements + r * V,
                                   P::masked ? kept + r * V : nullptr);
    }
};

template <class P, int Edge, int V, int R, class S>
CUARRAY_FN void tiles(const Tiles<P::operands>& p, const S& scalars, const FaultSink& sink) {
    constexpr int kPad = V * P::largest > 8 ? V * P::largest : 8;
    alignas(16) __shared__ char shared[Edge * Edge * P::largest + Edge / V * kPad];
    TilesWalk<P, Edge, V, R> walk{p, shared, 0, 0, 0, 0, {}};
    walk.locate();
    run<P, V * R>(walk, scalars, sink);
}

/// One axis; lanes are a thread block apart, so that consecutive threads access consecutive elements.
template <class P, int V>
struct StridedWalk {
    const Strided<P::operands>& p;
    u32 first;
    CUARRAY_FN int lanes() const { return V; }
    CUARRAY_FN bool has(int u) const { return first + u * kThreads < p.size; }
    CUARRAY_FN i64 offset(int k, int u) const { return i64(i32(first + u * kThreads)) * p.operands[k].stride; }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u)
            x[u] = has(u) ? *reinterpret_cast<const T*>(p.operands[k].data + offset(k, u)) : T{};
    }
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = reinterpret_cast<i64>(p.operands[k].data) + offset(k, u);
    }
    template <class T>
    CUARRAY_FN void write(int k, T (&y)[V], const bool* kept) const {
#pragma unroll
        for (int u = 0; u < V; ++u)
            if (has(u) && (!P::masked || kept[u])) *reinterpret_cast<T*>(p.operands[k].data + offset(k, u)) = y[u];
    }
};

template <class P, int V, class S>
CUARRAY_FN void strided(const Strided<P::operands>& p, const S& scalars, const FaultSink& sink) {
    run<P, V>(StridedWalk<P, V>{p, blockIdx.x * (kThreads * V) + threadIdx.x}, scalars, sink);
}

}  // namespace cuarray::kernel
