// elementwise.h -- the device kernels of elementwise programs: how threads address elements.
//
// The generator supplies the program P: V elements of each operand per thread as lanes (`P::inputs<V>`,
// `P::outputs<V>`), `read` and `write`, which access them through a walk, and `evaluate`, which computes the
// outputs of one lane from its inputs. A walk maps lane u of operand k to memory. A thread issues all loads
// before its arithmetic and all stores after it, so that they overlap, and an operand that is also the output
// is read before it is written.
#pragma once
#include "cuarray/kernel/rows.h"

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
    typename P::template outputs<V> out;
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
            for (int r = 0; r < R; ++r) {
                const Vector<T, V> vector = *reinterpret_cast<const Vector<T, V>*>(data[k][r]);
                CUARRAY_COPY(x + r * V, &vector, sizeof vector);
            }
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
        for (int r = 0; r < R; ++r) {
            if (!exists(r)) continue;
            T* to = reinterpret_cast<T*>(data[k][r]);
            bool all = true;
            if constexpr (P::masked) {
#pragma unroll
                for (int v = 0; v < V; ++v) all = all && kept[r * V + v];
            }
            if (all) {
                Vector<T, V> vector;
                CUARRAY_COPY(&vector, y + r * V, sizeof vector);
                *reinterpret_cast<Vector<T, V>*>(to) = vector;
            } else if constexpr (P::masked) {
#pragma unroll
                for (int v = 0; v < V; ++v)
                    if (kept[r * V + v]) to[v] = y[r * V + v];
            }
        }
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

constexpr u32 kTile = 32;

/// Up to 8 axes; lanes are a thread block apart, so that consecutive threads access consecutive elements.
template <class P, int V, int Threads>
struct StridedWalk {
    const Strided<P::operands>& p;
    char* shared;
    i32 offsets[P::operands][V];
    u32 present, present_turned;
    CUARRAY_FN int lanes() const { return V; }
    CUARRAY_FN bool has(int u) const { return present >> u & 1u; }
    CUARRAY_FN void locate() {
        const u32 first = blockIdx.x * (Threads * V) + threadIdx.x;
        present = present_turned = 0;
#pragma unroll
        for (int u = 0; u < V; ++u) {
            u32 rest = first + u * Threads;
            i32 place[4] = {0, 0, 0, 0};
            if (rest < p.size) present |= 1u << u;
#pragma unroll
            for (int k = 0; k < P::operands; ++k) offsets[k][u] = 0;
#pragma unroll 1
            for (int d = int(p.axes) - 1; d >= 0; --d) {
                const u32 outer = p.extents[d].quotient(rest);
                const i32 coordinate = i32(rest - outer * p.extents[d].size);
                rest = outer;
#pragma unroll
                for (int k = 0; k < P::operands; ++k) offsets[k][u] += coordinate * p.operands[k].strides[d];
                if constexpr (P::tiles) {
                    if (p.tiled) {
#pragma unroll
                        for (int b = 0; b < 4; ++b) place[b] += coordinate * p.borders[b].weights[d];
                    }
                }
            }
            if constexpr (P::tiles) {
                if (p.tiled) {
                    if (place[2] < p.borders[2].extent && place[3] < p.borders[3].extent) present_turned |= 1u << u;
                    if (place[0] >= p.borders[0].extent || place[1] >= p.borders[1].extent) present &= ~(1u << u);
                }
            }
        }
    }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
        const bool turned = P::tiles && (p.turned >> k & 1u);
        const u32 wanted = turned ? present_turned : present;
#pragma unroll
        for (int u = 0; u < V; ++u)
            x[u] = wanted >> u & 1u ? *reinterpret_cast<const T*>(p.operands[k].data + offsets[k][u]) : T{};
        if constexpr (P::tiles) {
            if (turned) turn(x);
        }
    }
    /// Transposes a tile in shared memory; its rows are padded, so that neither direction has bank conflicts.
    template <class T>
    CUARRAY_FN void turn(T (&x)[V]) const {
        T(*tile)[kTile + 1] = reinterpret_cast<T(*)[kTile + 1]>(shared);
        const u32 column = threadIdx.x % kTile, row = threadIdx.x / kTile;
        __syncthreads();
#pragma unroll
        for (int u = 0; u < V; ++u) tile[row + u * (Threads / kTile)][column] = x[u];
        __syncthreads();
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = tile[column][row + u * (Threads / kTile)];
    }
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = reinterpret_cast<i64>(p.operands[k].data) + offsets[k][u];
    }
    template <class T>
    CUARRAY_FN void write(int k, T (&y)[V], const bool* kept) const {
#pragma unroll
        for (int u = 0; u < V; ++u)
            if (has(u) && (!P::masked || kept[u])) *reinterpret_cast<T*>(p.operands[k].data + offsets[k][u]) = y[u];
    }
};

template <class P, int V, int Threads, class S>
CUARRAY_FN void strided(const Strided<P::operands>& p, const S& scalars, const FaultSink& sink) {
    alignas(16) __shared__ char shared[P::tiles ? kTile * (kTile + 1) * P::largest : 1];
    StridedWalk<P, V, Threads> walk{p, shared, {}, 0, 0};
    walk.locate();
    run<P, V>(walk, scalars, sink);
}

}  // namespace cuarray::kernel
