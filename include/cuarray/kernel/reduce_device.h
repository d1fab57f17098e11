// reduce_device.h -- the device kernels of reductions: the fold order of reduce.h over threads and blocks.
//
// A program P computes the elements, a row R of reductions.def folds them. Where the elements of an output are
// contiguous, a thread folds a vector of adjacent lanes of one leaf (`tree_lines`); elsewhere one lane of some leaves
// (`tree`). How a thread block is divided into outputs, lanes and leaves is a parameter (Folded in kernel/index.h),
// so that one kernel serves long rows, short rows, columns and few long folds. Outputs of more than one chunk store a
// partial per chunk, and the last block to finish folds those. Partials are written and read in the same kernel by
// different blocks, so their pointer is neither const nor __restrict__.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/reduce.h"

namespace cuarray::kernel {

constexpr u32 kFoldThreads = 512;
/// The binary logarithm of the number of leaves of a chunk.
constexpr int kLeafBits = 6;

/// R::combine where all elements of a precede those of b: indices, if the values have any, need not be compared.
template <class R>
CUARRAY_FN typename R::A combine_next(typename R::A a, typename R::A b) {
    if constexpr ((R::flags & GivesIndex) != 0) {
        const bool later = R::combine(red::at(a.value, 0), red::at(b.value, 1)).index;
        return red::at(later ? b.value : a.value, later ? b.index : a.index);
    } else {
        return R::combine(a, b);
    }
}

/// Loads a value of another thread member by member, because the padding between its members was never written.
template <class A>
CUARRAY_FN A stored(const A& partial) {
    return partial;
}
template <class T>
CUARRAY_FN red::ValueIndex<T> stored(const red::ValueIndex<T>& partial) {
    return {partial.value, partial.index};
}

/// Tree of reduce.h for at most 2^Levels - 1 nodes, in registers: every array index is a compile-time constant.
template <class R, int Levels>
struct RegisterTree {
    typename R::A subtree[Levels] = {};
    u32 count = 0;
    CUARRAY_FN void push(typename R::A node) {
        bool placed = false;
#pragma unroll
        for (int level = 0; level < Levels; ++level) {
            if (!placed) {
                placed = !(count >> level & 1u);
                if (placed)
                    subtree[level] = node;
                else
                    node = combine_next<R>(subtree[level], node);
            }
        }
        ++count;
    }
    CUARRAY_FN typename R::A result() const {
        typename R::A node{};
        bool started = false;
#pragma unroll
        for (int level = 0; level < Levels; ++level) {
            if (count >> level & 1u) {
                node = started ? combine_next<R>(subtree[level], node) : subtree[level];
                started = true;
            }
        }
        return node;
    }
};

/// The elements first, first + step, ... of one output, V at a time. Only the first `left` exist; the others
/// are zero.
template <class P, int V, bool Several, class Index>
struct FoldWalk {
    using index_type = Index;
    using I = typename Index::type;
    using Offset = typename Index::offset;
    const Folded<Index, P::operands>& p;
    i64 from[P::operands];
    Offset offsets[P::operands][V];
    u64 first;
    u32 step, left;
    /// Moves to the first element of an output.
    CUARRAY_FN void start(I output) {
#pragma unroll
        for (int k = 0; k < P::operands; ++k) from[k] = reinterpret_cast<i64>(p.operands[k].data);
#pragma unroll 1
        for (int d = int(p.kept_axes) - 1; d >= 0; --d) {
            const I outer = d ? p.kept[d].quotient(output) : 0;
#pragma unroll
            for (int k = 0; k < P::operands; ++k)
                from[k] += Offset(output - outer * p.kept[d].size) * p.operands[k].kept[d];
            output = outer;
        }
    }
    CUARRAY_FN void locate() {
        if constexpr (!Several) {
#pragma unroll
            for (int k = 0; k < P::operands; ++k) {
                const Offset apart = Offset(step) * p.operands[k].reduced[0];
                offsets[k][0] = Offset(I(first)) * p.operands[k].reduced[0];
#pragma unroll
                for (int u = 1; u < V; ++u) offsets[k][u] = offsets[k][u - 1] + apart;
            }
            return;
        }
#pragma unroll
        for (int u = 0; u < V; ++u) {
            I rest = I(first + u * step);
#pragma unroll
            for (int k = 0; k < P::operands; ++k) offsets[k][u] = 0;
#pragma unroll 1
            for (int d = int(p.reduced_axes) - 1; d > 0; --d) {
                const I outer = p.reduced[d].quotient(rest);
#pragma unroll
                for (int k = 0; k < P::operands; ++k)
                    offsets[k][u] += Offset(rest - outer * p.reduced[d].size) * p.operands[k].reduced[d];
                rest = outer;
            }
#pragma unroll
            for (int k = 0; k < P::operands; ++k) offsets[k][u] += Offset(rest) * p.operands[k].reduced[0];
        }
    }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u) {
            // T{} is a temporary: with an array element instead, this would select an address, which forces
            // the array into local memory.
            x[u] = u < int(left) ? *reinterpret_cast<const T*>(from[k] + offsets[k][u]) : T{};
        }
    }
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = from[k] + offsets[k][u];
    }
};

/// Runs the program on the elements at the walk's position and reports faults.
template <class P, int V, class Walk, class S>
CUARRAY_FN void make_elements(Walk& walk, typename P::template outputs<V>& out, const S& scalars,
                              const FaultSink& sink) {
    typename P::template inputs<V> in;
    walk.locate();
    P::read(walk, in);
    evaluate_lanes<P, V>(in, out, scalars);
    if constexpr (P::faults) {
        bool fault = false;
#pragma unroll
        for (int u = 0; u < V; ++u) fault |= out.fault[u] && u < int(walk.left);
        if (fault) report(sink, 0, 0, 0);
    }
}

template <class P, class Index, class Out>
CUARRAY_FN void store_result(const Folded<Index, P::operands>& p, u64 output, Out value) {
    FoldWalk<P, 1, false, Index> walk{p, {}, {}, 0, 0, 0};
    walk.start(typename Index::type(output));
    *reinterpret_cast<stored_t<Out>*>(walk.from[0]) = store<Out>(value);
}

/// Finishes and stores one output; `value` is ignored if there are no elements.
template <class P, class R, class Index, class S>
CUARRAY_FN void finish(const Folded<Index, P::operands>& p, u64 output, typename R::A value, const S& scalars) {
    if (p.n == 0) {
        if constexpr (R::has_identity) value = R::identity();
    }
    if (p.has_initial) {
        const typename R::A initial = R::map(scalar<typename P::element>(scalars, P::scalars), 0);
        value = p.n == 0 ? initial : R::combine(initial, value);
    }
    store_result<P>(p, output, R::finish(value, i64(p.n)));
}

/// The position of a thread in its block: columns vary fastest, then lanes, groups of leaves, and outputs.
template <class Index, int N>
struct FoldPlace {
    const Folded<Index, N>& p;
    u32 tile, chunk;
    CUARRAY_FN u32 column() const { return threadIdx.x & ((1u << p.columns) - 1); }
    CUARRAY_FN u32 lane() const { return threadIdx.x >> p.columns & (kLanes - 1); }
    CUARRAY_FN u32 group() const { return threadIdx.x >> (p.columns + 4) & ((1u << p.groups) - 1); }
    CUARRAY_FN u32 row() const { return threadIdx.x >> (p.columns + 4 + p.groups); }
    CUARRAY_FN u64 output() const {
        const u32 rows = kFoldThreads >> (p.columns + 4 + p.groups);
        return ((u64(tile) * rows + row()) << p.columns) + column();
    }
    CUARRAY_FN bool is_real() const { return output() < p.outputs; }
    CUARRAY_FN u64 begin() const { return u64(chunk) * kChunk; }
    CUARRAY_FN u32 length() const { return p.n - begin() < kChunk ? u32(p.n - begin()) : kChunk; }
    /// The first element of this thread's lane in leaf `leaf` of the chunk, relative to the chunk.
    CUARRAY_FN u32 element(u32 leaf) const { return leaf * kLeaf + lane(); }
};

/// Folds the next V elements of a lane, or those of them that exist, into its value.
template <class P, class R, int V, bool Whole, class Walk, class S>
CUARRAY_FN void fold_elements(Walk& walk, typename R::A& value, bool started, u32 count, const S& scalars,
                              const FaultSink& sink) {
    typename P::template outputs<V> out{};
    walk.left = Whole ? V : count;
    make_elements<P, V>(walk, out, scalars, sink);
#pragma unroll
    for (int u = 0; u < V; ++u) {
        if (Whole || u == 0 || u < int(count)) {
            const typename R::A x = R::map(load<typename P::element>(out.y0[u]), i64(walk.first + u * kLanes));
            value = u == 0 && !started ? x : combine_next<R>(value, x);
        }
    }
    walk.first += V * kLanes;
}

/// One lane of one leaf: `count` elements, at most 16, in increasing order.
template <class P, class R, bool Several, class Walk, class S>
CUARRAY_FN typename R::A fold_lane(Walk& walk, u32 count, const S& scalars, const FaultSink& sink) {
    typename R::A value{};
    u32 r = 0;
    if constexpr (P::unrolled && !Several) {
        FoldWalk<P, 8, Several, typename Walk::index_type> wide{walk.p, {}, {}, walk.first, walk.step, 0};
#pragma unroll
        for (int k = 0; k < P::operands; ++k) wide.from[k] = walk.from[k];
#pragma unroll 1
        for (; r + 8 <= count; r += 8) fold_elements<P, R, 8, true>(wide, value, r > 0, 8, scalars, sink);
        walk.first = wide.first;
    }
#pragma unroll 1
    for (; r < count; r += 4) fold_elements<P, R, 4, false>(walk, value, r > 0, count - r, scalars, sink);
    return value;
}

/// Folds the leaves of one thread by the tree.
template <class P, class R, bool Several, class Index, class S>
CUARRAY_FN typename R::A fold_leaves(const FoldPlace<Index, P::operands>& place, const S& scalars,
                                     const FaultSink& sink) {
    const auto& p = place.p;
    FoldWalk<P, 4, Several, Index> walk{p, {}, {}, 0, kLanes, 0};
    walk.start(typename Index::type(place.output()));
    RegisterTree<R, kLeafBits + 1> tree;
    const u32 length = place.length();
#pragma unroll 1
    for (u32 j = 0; j < 1u << p.leaves; ++j) {
        const u32 from = place.element((place.group() << p.leaves) + j);
        if (from >= length) break;
        walk.first = place.begin() + from;
        const u32 rest = (length - from + kLanes - 1) / kLanes, full = kLeaf / kLanes;
        tree.push(fold_lane<P, R, Several>(walk, rest < full ? rest : full, scalars, sink));
    }
    return tree.result();
}

/// Folds a chunk's groups, then its lanes, in shared memory; returns the result in the thread of lane 0 and
/// group 0.
template <class R, class Index, int N>
CUARRAY_FN typename R::A fold_block(const FoldPlace<Index, N>& place, typename R::A value, typename R::A* shared) {
    const auto& p = place.p;
    const u32 t = threadIdx.x, group = place.group(), lane = place.lane(), length = place.length();
    const bool is_real = place.is_real();
    shared[t] = value;
    if (p.groups) __syncthreads();
    for (u32 d = 1; d < 1u << p.groups; d *= 2) {
        if (is_real && (group & (2 * d - 1)) == 0 && place.element((group + d) << p.leaves) < length) {
            value = combine_next<R>(value, stored(shared[t + (d << (p.columns + 4))]));
            shared[t] = value;
        }
        __syncthreads();
    }
    // Without columns the lanes of an output are half a warp: __syncwarp is enough.
    for (u32 d = kLanes / 2; d > 0; d /= 2) {
        if (p.columns)
            __syncthreads();
        else
            __syncwarp();
        if (is_real && lane < d && lane + d < length && group == 0) {
            value = R::combine(value, stored(shared[t + (d << p.columns)]));
            shared[t] = value;
        }
    }
    return value;
}

/// Folds the partials of one output, up to three levels at a time, until each worker has at most one; returns the
/// number that remain. All threads of the block call it; those without an output only synchronise.
template <class R>
CUARRAY_FN u64 fold_partials(typename R::A* partials, u64 outputs, u64 count, u32 q, u32 workers, bool is_real) {
    constexpr u32 V = sizeof(typename R::A) <= 8 ? 8 : sizeof(typename R::A) <= 16 ? 4 : 2;
    for (; count > workers; count = (count + V - 1) / V) {
        for (u64 base = 0; V * base < count; base += workers) {
            const u64 first = V * (base + q);
            const u32 left = !is_real || first >= count ? 0 : count - first < V ? u32(count - first) : V;
            typename R::A nodes[V] = {};
#pragma unroll
            for (u32 i = 0; i < V; ++i)
                if (i < left) nodes[i] = stored(partials[(first + i) * outputs]);
#pragma unroll
            for (u32 d = 1; d < V; d *= 2) {
#pragma unroll
                for (u32 i = 0; i < V; i += 2 * d)
                    if (i + d < left) nodes[i] = combine_next<R>(nodes[i], nodes[i + d]);
            }
            // Nodes replace partials that lie before those still to be read, and that all threads have read.
            __syncthreads();
            if (left) partials[(base + q) * outputs] = nodes[0];
        }
        __syncthreads();
    }
    return count;
}

/// Folds the chunks of a tile's outputs; called by all threads of one block.
template <class P, class R, u32 Threads, class Index, class S>
CUARRAY_FN void fold_chunks(const FoldPlace<Index, P::operands>& place, typename R::A* shared, const S& scalars) {
    using A = typename R::A;
    const auto& p = place.p;
    const u32 t = threadIdx.x, q = t >> p.columns, workers = Threads >> p.columns;
    const u64 output = (u64(place.tile) << p.columns) + place.column();
    const bool is_real = output < p.outputs;
    A* partials = static_cast<A*>(p.partials) + (is_real ? output : 0);
    const u64 count = fold_partials<R>(partials, p.outputs, p.chunks, q, workers, is_real);
    A value{};
    if (q < count && is_real) shared[t] = value = stored(partials[q * p.outputs]);
    __syncthreads();
    for (u32 d = 1; d < workers; d *= 2) {
        if (is_real && (q & (2 * d - 1)) == 0 && q + d < count)
            shared[t] = value = combine_next<R>(value, stored(shared[t + (d << p.columns)]));
        __syncthreads();
    }
    if (q == 0 && is_real) finish<P, R>(p, output, value, scalars);
}

/// Finishes the outputs of a block that `holds` the values of one chunk each: stores them, or as partials, which the
/// last block of their tile folds. All threads of the block call it.
template <class P, class R, u32 Threads, class Index, class S>
CUARRAY_FN void finish_chunk(const FoldPlace<Index, P::operands>& place, u64 output, typename R::A value, bool holds,
                             typename R::A* shared, const S& scalars) {
    __shared__ bool is_last;
    const auto& p = place.p;
    const u32 chunks = u32(p.chunks);
    if (chunks == 1) {
        if (holds) finish<P, R>(p, output, value, scalars);
        return;
    }
    if (holds) static_cast<typename R::A*>(p.partials)[place.chunk * p.outputs + output] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        // These fences make the partials that the barriers ordered visible to other blocks, and theirs to this one.
        __threadfence();
        is_last = atomicAdd(&p.counters[place.tile], 1u) == chunks - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) fold_chunks<P, R, Threads>(place, shared, scalars);
}

/// The kernel of reductions by a tree, except lines and short rows.
template <class P, class R, bool Several, class Index, class S>
CUARRAY_FN void tree(const Folded<Index, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using A = typename R::A;
    alignas(16) __shared__ char bytes[kFoldThreads * sizeof(A)];
    A* shared = reinterpret_cast<A*>(bytes);
    const u32 chunks = u32(p.chunks);
    const FoldPlace<Index, P::operands> place{p, blockIdx.x / chunks, blockIdx.x % chunks};
    A value{};
    if (place.is_real()) value = fold_leaves<P, R, Several, Index>(place, scalars, sink);
    value = fold_block<R>(place, value, shared);
    const bool holds = place.is_real() && place.lane() == 0 && place.group() == 0;
    finish_chunk<P, R, kFoldThreads>(place, place.output(), value, holds, shared, scalars);
}

/// The W adjacent lanes of one thread in rows of a leaf, 16 elements apart. Operands are contiguous and aligned to
/// the vector, or broadcast, unless there is only one.
template <class P, int W>
struct LineWalk {
    static constexpr bool can_broadcast = P::operands > 2;
    const Folded<Index64, P::operands>& p;
    i64 from[P::operands];
    i32 left;
    CUARRAY_FN void advance(int rows) {
#pragma unroll
        for (int k = 0; k < P::operands; ++k) from[k] += rows * kLanes * p.operands[k].reduced[0];
        left -= rows * kLanes;
    }
    /// Of several rows all elements exist; of a single one the first `left`, the others are zero.
    template <class T, int V>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
        const T* const at = reinterpret_cast<const T*>(from[k]);
        if (can_broadcast && p.operands[k].reduced[0] == 0) {
            const T one = *at;
#pragma unroll
            for (int u = 0; u < V; ++u) x[u] = one;
        } else if (V > W || left >= W) {
#pragma unroll
            for (int r = 0; r < V / W; ++r) {
                const Vector<T, W> vector = *reinterpret_cast<const Vector<T, W>*>(at + r * kLanes);
                CUARRAY_COPY(x + r * W, &vector, sizeof vector);
            }
        } else {
#pragma unroll
            for (int u = 0; u < V; ++u) x[u] = u < left ? at[u] : T{};
        }
    }
    template <int V>
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = from[k] + (u / W * kLanes + u % W) * p.operands[k].reduced[0];
    }
};

/// The lanes of a thread in one leaf. Of values with an index only the row is kept until the end of the leaf.
template <class R, int W>
struct LeafLanes {
    static constexpr bool has_index = (R::flags & GivesIndex) != 0;
    typename R::A value[W] = {};
    u32 row[W] = {};
    /// The next element of lane w, in row `row_` of the leaf; the first one if the lane has not `started`.
    CUARRAY_FN void push(int w, typename R::A x, bool started, u32 row_) {
        if constexpr (has_index) {
            if (started && !R::combine(red::at(value[w].value, 0), red::at(x.value, 1)).index) return;
            value[w].value = x.value;
            row[w] = row_;
        } else {
            value[w] = started ? R::combine(value[w], x) : x;
        }
    }
    CUARRAY_FN void finish(i64 first) {
        if constexpr (has_index) {
#pragma unroll
            for (int w = 0; w < W; ++w) value[w].index = first + row[w] * kLanes + w;
        }
    }
};

/// Folds the next rows of a leaf into the lanes of a thread.
template <class P, class R, int W, int Rows, class S>
CUARRAY_FN void fold_rows(LineWalk<P, W>& walk, u32 row, LeafLanes<R, W>& lanes, const S& scalars,
                          const FaultSink& sink) {
    static_assert(P::unrolled || Rows == 1, "a long body is evaluated row by row");
    typename P::template inputs<W * Rows> in;
    P::read(walk, in);
    [[maybe_unused]] bool fault = false;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        typename P::template outputs<W> out{};
        if constexpr (P::unrolled) {
#pragma unroll
            for (int w = 0; w < W; ++w) P::evaluate(in, r * W + w, out, w, scalars);
        } else {
            evaluate_lanes<P, W>(in, out, scalars);
        }
#pragma unroll
        for (int w = 0; w < W; ++w) {
            const bool exists = Rows > 1 || w < walk.left;
            if constexpr (P::faults) fault |= exists && out.fault[w];
            if (exists) {
                const typename R::A x = R::map(load<typename P::element>(out.y0[w]), 0);
                lanes.push(w, x, row + r > 0, row + r);
            }
        }
    }
    if constexpr (P::faults) {
        if (fault) report(sink, 0, 0, 0);
    }
    walk.advance(Rows);
}

/// The value of the thread `distance` further in the warp.
template <class T>
CUARRAY_FN T from_thread(T x, u32 distance) {
    if constexpr (is_complex<T>)
        return {from_thread(x.re, distance), from_thread(x.im, distance)};
    else if constexpr (sizeof(T) < 4)
        return T(__shfl_down_sync(0xffffffffu, u32(x), distance));
    else
        return __shfl_down_sync(0xffffffffu, x, distance);
}
template <class T>
CUARRAY_FN red::ValueIndex<T> from_thread(red::ValueIndex<T> x, u32 distance) {
    return {from_thread(x.value, distance), from_thread(x.index, distance)};
}
template <class T>
CUARRAY_FN red::Range<T> from_thread(red::Range<T> x, u32 distance) {
    return {from_thread(x.low, distance), from_thread(x.high, distance)};
}
template <class T>
CUARRAY_FN red::Moments<T> from_thread(red::Moments<T> x, u32 distance) {
    return {from_thread(x.sum, distance), from_thread(x.squares, distance)};
}

/// Folds the lanes of a chunk of `length` elements, held by neighbouring threads from `lane` on, W each, into the
/// thread of lane 0.
template <class R, int W>
CUARRAY_FN typename R::A fold_vectors(typename R::A (&lanes)[W], u32 lane, u32 length) {
#pragma unroll
    for (int d = kLanes / 2; d > 0; d /= 2) {
#pragma unroll
        for (int w = 0; w < (d < W ? d : W); ++w) {
            const typename R::A other = d < W ? lanes[(w + d) % W] : from_thread(lanes[w], u32(d / W));
            if (lane + w + d < length) lanes[w] = R::combine(lanes[w], other);
        }
    }
    return lanes[0];
}

/// The kernel of reductions over one axis along which operands are contiguous: a thread folds one leaf, in W lanes,
/// and a block 64 leaves of one output, or of as many as have fewer.
template <class P, class R, int W, int Rows, class S>
CUARRAY_FN void tree_lines(const Folded<Index64, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using A = typename R::A;
    constexpr u32 vectors = kLanes / W, threads = vectors << kLeafBits, in_warp = 32 / vectors;
    alignas(16) __shared__ char bytes[threads * sizeof(A)];
    A* const shared = reinterpret_cast<A*>(bytes);
    const u32 chunks = u32(p.chunks), leaves = 1u << p.leaves, t = threadIdx.x, column = t / vectors;
    const u32 tile = chunks == 1 ? blockIdx.x : p.outputs == 1 ? 0 : blockIdx.x / chunks;
    const FoldPlace<Index64, P::operands> place{p, tile, blockIdx.x - tile * chunks};
    const u32 lane = t % vectors * W, leaf = column & (leaves - 1), length = place.length();
    const u64 output = (u64(place.tile) << (kLeafBits - p.leaves)) + (column >> p.leaves);
    const bool is_real = output < p.outputs;
    const u32 begin = leaf * kLeaf + lane;
    LeafLanes<R, W> leaf_lanes;
    A(&lanes)[W] = leaf_lanes.value;
    if (is_real && begin < length) {
        FoldWalk<P, 1, false, Index64> start{p, {}, {}, 0, 0, 0};
        start.start(output);
        const i64 first = i64(place.begin() + begin);
        LineWalk<P, W> walk{p, {}, i32(length - begin < kLeaf - lane ? length - begin : kLeaf - lane)};
#pragma unroll
        for (int k = 0; k < P::operands; ++k) walk.from[k] = start.from[k] + first * p.operands[k].reduced[0];
        u32 row = 0;
        if constexpr (Rows > 1) {
#pragma unroll 1
            for (; walk.left >= (Rows - 1) * kLanes + W; row += Rows)
                fold_rows<P, R, W, Rows>(walk, row, leaf_lanes, scalars, sink);
        }
#pragma unroll 1
        for (; walk.left > 0; ++row) fold_rows<P, R, W, 1>(walk, row, leaf_lanes, scalars, sink);
        leaf_lanes.finish(first);
    }
    // The leaves of a warp, then those of all warps of an output, in its first threads.
    const auto follows = [&](u32 further, int w) { return begin + further * kLeaf + w < length; };
#pragma unroll
    for (u32 d = 1; d < in_warp; d *= 2) {
        if (d < leaves) {
#pragma unroll
            for (int w = 0; w < W; ++w) {
                const A other = from_thread(lanes[w], d * vectors);
                if (follows(d, w)) lanes[w] = combine_next<R>(lanes[w], other);
            }
        }
    }
    if (leaves > in_warp) {
        const u32 warp = t / 32;
        if (t % 32 < vectors) {
#pragma unroll
            for (int w = 0; w < W; ++w) shared[warp * kLanes + lane + w] = lanes[w];
        }
        for (u32 d = 1; d < leaves / in_warp; d *= 2) {
            __syncthreads();
            if (t % 32 < vectors && (warp & (2 * d - 1)) == 0) {
#pragma unroll
                for (int w = 0; w < W; ++w)
                    if (follows(d * in_warp, w)) {
                        lanes[w] = combine_next<R>(lanes[w], stored(shared[(warp + d) * kLanes + lane + w]));
                        shared[warp * kLanes + lane + w] = lanes[w];
                    }
            }
        }
    }
    const A value = fold_vectors<R, W>(lanes, lane, length);
    finish_chunk<P, R, threads>(place, output, value, is_real && leaf == 0 && lane == 0, shared, scalars);
}

/// Folds the lanes held by one thread, of which the first n exist.
template <class R, int D>
CUARRAY_FN void fold_lanes(typename R::A* lanes, u32 n) {
#pragma unroll
    for (int l = 0; l < D; ++l) {
        if (u32(l + D) < n) lanes[l] = R::combine(lanes[l], lanes[l + D]);
    }
    if constexpr (D > 1) fold_lanes<R, D / 2>(lanes, n);
}

/// One output whose elements are at most a leaf, by one thread with its V lanes in registers; fewer than 16 lanes for
/// at most as many elements.
template <class P, class R, int V, class S>
CUARRAY_FN void short_row(const Folded<Index64, P::operands>& p, u64 output, const S& scalars, const FaultSink& sink) {
    using A = typename R::A;
    FoldWalk<P, V, false, Index64> walk{p, {}, {}, 0, 1, 0};
    walk.start(output);
    A lanes[V] = {};
    const u32 n = u32(p.n);
#pragma unroll 1
    for (u32 row = 0; row < n; row += V) {
        typename P::template outputs<V> out{};
        walk.first = row;
        walk.left = n - row;
        make_elements<P, V>(walk, out, scalars, sink);
#pragma unroll
        for (int u = 0; u < V; ++u) {
            if (row + u < n) {
                const A x = R::map(load<typename P::element>(out.y0[u]), i64(row + u));
                lanes[u] = row ? combine_next<R>(lanes[u], x) : x;
            }
        }
    }
    fold_lanes<R, V / 2>(lanes, n);
    finish<P, R>(p, output, lanes[0], scalars);
}

/// One thread per output for folds of at most one leaf.
template <class P, class R, class S>
CUARRAY_FN void short_rows(const Folded<Index64, P::operands>& p, const S& scalars, const FaultSink& sink) {
    const u64 output = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (output >= p.outputs) return;
    if (p.n <= 4)
        short_row<P, R, 4>(p, output, scalars, sink);
    else if (p.n <= 8)
        short_row<P, R, 8>(p, output, scalars, sink);
    else
        short_row<P, R, kLanes>(p, output, scalars, sink);
}

/// A left fold with a binary row, for rows that are not associative.
template <class F, class T>
struct InOrder {
    using A = T;
    static constexpr bool has_identity = false;
    static CUARRAY_FN T map(T x, i64) { return x; }
    static CUARRAY_FN T combine(T a, T b) { return fn::call<F, T>(a, b); }
    static CUARRAY_FN T finish(T a, i64) { return a; }
};

template <class P, class R, class S>
CUARRAY_FN void in_order(const Folded<Index64, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using T = typename P::element;
    constexpr int V = 4;
    const u64 output = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (output >= p.outputs) return;
    FoldWalk<P, V, true, Index64> walk{p, {}, {}, 0, 1, 0};
    walk.start(output);
    T value{};
    bool started = p.has_initial;
    if (started) value = scalar<T>(scalars, P::scalars);
#pragma unroll 1
    for (; walk.first < p.n; walk.first += V) {
        typename P::template outputs<V> out{};
        walk.left = p.n - walk.first < V ? u32(p.n - walk.first) : V;
        make_elements<P, V>(walk, out, scalars, sink);
#pragma unroll 1
        for (int u = 0; u < V; ++u) {
            if (walk.first + u < p.n) {
                const T x = load<T>(out.y0[0]);
                value = started ? R::combine(value, x) : x;
                started = true;
            }
            P::shift(out);
        }
    }
    store_result<P>(p, output, value);
}

}  // namespace cuarray::kernel
