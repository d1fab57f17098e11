// scan_device.h -- the device kernels of scans: the scan order of scan.h over threads and blocks.
//
// A thread block takes the next tile by an atomic ticket, so that the tiles it waits for have started. Elements are
// loaded in memory order and exchanged through shared memory; each thread then holds contiguous elements of one line.
// An up-sweep builds trees in registers, then over the threads of a line; a down-sweep gives the results. Each tile
// publishes its tree, and the trees of the aligned power-of-two groups of tiles that it completes. A tile reads one of
// these for each set bit of its number. The trees are the same in any schedule: there is no serial chain of tiles, and
// the result is deterministic.
// Trees are written and read in the same kernel by different blocks: their pointer is neither const nor __restrict__.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/scan.h"

namespace cuarray::kernel {

/// V elements at arbitrary positions of lines; those out of range are zero.
template <class P, int V, class Index>
struct ScanWalk {
    const ScanParameters<Index, P::operands>& p;
    i64 offsets[P::operands][V];
    bool present[V];
    CUARRAY_FN void locate(int u, u64 line, u64 element) {
        present[u] = line < p.lines && element < p.n;
        typename Index::type rest = present[u] ? typename Index::type(line) : 0;
#pragma unroll
        for (int k = 0; k < P::operands; ++k) offsets[k][u] = present[u] ? i64(element) * p.operands[k].along : 0;
#pragma unroll 1
        for (int d = int(p.axes) - 1; d > 0; --d) {
            const typename Index::type outer = p.extents[d].quotient(rest);
#pragma unroll
            for (int k = 0; k < P::operands; ++k)
                offsets[k][u] += i64(rest - outer * p.extents[d].size) * p.operands[k].strides[d];
            rest = outer;
        }
#pragma unroll
        for (int k = 0; k < P::operands; ++k) offsets[k][u] += i64(rest) * p.operands[k].strides[0];
    }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u)
            x[u] = present[u] ? *reinterpret_cast<const T*>(p.operands[k].data + offsets[k][u]) : T{};
    }
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u) x[u] = reinterpret_cast<i64>(p.operands[k].data) + offsets[k][u];
    }
    template <class T>
    CUARRAY_FN void write(int u, T y) const {
        if (present[u]) *reinterpret_cast<stored_t<T>*>(p.operands[0].data + offsets[0][u]) = store<T>(y);
    }
};

/// Runs the program on the elements at the walk's positions and reports faults.
template <class P, int V, class Walk, class S>
CUARRAY_FN void make_scanned(const Walk& walk, typename P::template outputs<V>& out, const S& scalars,
                             const FaultSink& sink) {
    typename P::template inputs<V> in;
    P::read(walk, in);
    evaluate_lanes<P, V>(in, out, scalars);
    if constexpr (P::faults) {
        bool fault = false;
#pragma unroll
        for (int u = 0; u < V; ++u) fault |= out.fault[u] && walk.present[u];
        if (fault) report(sink, 0, 0, 0);
    }
}

/// The layout of a tile in shared memory, and the line and element of each position in load order.
template <class Index, int N, int K>
struct ScanTile {
    const ScanParameters<Index, N>& p;
    u32 tile;
    u64 first_line;
    CUARRAY_FN u32 lines() const { return 1u << p.line_bits; }
    CUARRAY_FN u32 length() const { return u32(K) << p.groups; }
    CUARRAY_FN u64 begin() const { return u64(tile) * length(); }
    CUARRAY_FN u32 line(u32 at) const { return p.along_lines ? at & (lines() - 1) : (at / K) >> p.groups; }
    CUARRAY_FN u32 element(u32 at) const { return p.along_lines ? at >> p.line_bits : at & (length() - 1); }
    /// Padded, so that neither order of access has bank conflicts.
    CUARRAY_FN u32 place(u32 line, u32 element) const {
        const u32 thread = (line << p.groups) + element / K;
        return thread * (K + 1) + element % K + line;
    }
};

/// The result over the first `count` threads of a line, after the tile's prefix `before`; `trees` are the line's.
template <class R>
CUARRAY_FN typename R::A descend(const typename R::A* trees, u32 count, u32 bits, bool follows, typename R::A before) {
#pragma unroll 1
    for (int bit = int(bits); bit >= 0; --bit) {
        if (!(count >> bit & 1u)) continue;
        const typename R::A tree = trees[(count >> bit << bit) - 1];
        before = follows ? R::combine(before, tree) : tree;
        follows = true;
    }
    return before;
}

/// The trees that the tiles of a line publish for later tiles: each one the largest that ends with it.
template <class R, class Index, int N>
struct TileTrees {
    const ScanParameters<Index, N>& p;
    u64 line, line_groups, line_group;
    CUARRAY_FN volatile u32* flag(u32 tile) const { return p.flags + tile * line_groups + line_group; }
    /// Waits until the tile has published its tree, and loads it.
    CUARRAY_FN typename R::A wait(u32 tile, bool exists) const {
        while (*flag(tile) == 0) __nanosleep(20);
        __threadfence();
        using A = typename R::A;
        return exists ? static_cast<const A*>(p.trees)[tile * p.lines + line] : A{};
    }
    /// Publishes a tree; called by all `threads` of a warp together, one line per thread.
    CUARRAY_FN void leave(u32 tile, bool exists, typename R::A tree, u32 threads) const {
        if (exists) static_cast<typename R::A*>(p.trees)[tile * p.lines + line] = tree;
        __syncwarp(threads);
        if ((threadIdx.x & 31u) != 0) return;
        // The barrier ordered the other threads' trees; this fence makes them visible to other blocks.
        __threadfence();
        *flag(tile) = 1;
    }
};

/// Loads the trees before a tile whose levels are in [first, last), as `found` holds them by level and line.
template <class R, class Index, int N, int K>
CUARRAY_FN void find_trees(const ScanTile<Index, N, K>& place, u32 first, u32 last, u64 line_groups, u64 line_group,
                           typename R::A* found) {
    const u32 lines = place.lines(), tile = place.tile;
#pragma unroll 1
    for (u32 at = (first << place.p.line_bits) + threadIdx.x; at < last << place.p.line_bits; at += kScanThreads) {
        const u32 level = at >> place.p.line_bits, line = at & (lines - 1);
        const TileTrees<R, Index, N> trees{place.p, place.first_line + line, line_groups, line_group};
        if (tile >> level & 1u) found[at] = trees.wait((tile >> level << level) - 1, trees.line < place.p.lines);
    }
    __syncthreads();
}

/// The prefix before a tile and the result at its end, by line, from the trees of earlier tiles. A tile publishes its
/// tree before it waits for those that the tree does not contain: else all tiles would wait for one another in a row.
template <class R, class Index, int N, int K>
CUARRAY_FN void look_back(const ScanTile<Index, N, K>& place, typename R::A tree, typename R::A* found,
                          typename R::A* before, typename R::A* end) {
    using A = typename R::A;
    const auto& p = place.p;
    const u32 lines = place.lines(), tile = place.tile, t = threadIdx.x;
    const u32 levels = 32 - __clz(int(tile)), warp = lines >= 32 ? 0xffffffffu : (1u << lines) - 1;
    const u32 own_level = __ffs(int(~tile)) - 1;  // of the largest tree that ends with this tile
    const u64 line_groups = (p.lines + lines - 1) >> p.line_bits, line_group = place.first_line >> p.line_bits;
    const TileTrees<R, Index, N> own{p, place.first_line + t, line_groups, line_group};
    const bool leads = t < lines, exists = own.line < p.lines;
    find_trees<R>(place, 0, own_level, line_groups, line_group, found);
    if (leads) {
        for (u32 level = 0; level < own_level; ++level) tree = R::combine(found[(level << p.line_bits) + t], tree);
        if (tile + 1 < p.tiles) own.leave(tile, exists, tree, warp);
    }
    find_trees<R>(place, own_level, levels, line_groups, line_group, found);
    if (leads) {
        A value{};
        bool follows = false;
        for (int above = int(levels) - 1; above >= 0; --above) {
            // tile + 1 and tile have equal bits above the lowest zero bit of tile.
            if (u32(above) + 1 == own_level) end[t] = follows ? R::combine(value, tree) : tree;
            if (!(tile >> above & 1u)) continue;
            const A next = found[(u32(above) << p.line_bits) + t];
            value = follows ? R::combine(value, next) : next;
            follows = true;
        }
        if (own_level == 0) end[t] = follows ? R::combine(value, tree) : tree;
        before[t] = value;
    }
    __syncthreads();
}

/// Scans of associative rows.
template <class P, class F, class Index, class S>
CUARRAY_FN void scan_tiles(const ScanParameters<Index, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using R = ScanRow<F, typename P::element>;
    using A = typename R::A;
    constexpr int K = kScanItems<A>;
    constexpr int V = P::unrolled ? 4 : 2;
    alignas(16) __shared__ char bytes[kScanThreads * (K + 2) * sizeof(A)];
    alignas(16) __shared__ char tree_bytes[kScanThreads * sizeof(A)];
    alignas(16) __shared__ char before_bytes[64 * sizeof(A)];
    __shared__ u32 ticket;
    A *const shared = reinterpret_cast<A*>(bytes), *const trees = reinterpret_cast<A*>(tree_bytes);
    A *const before = reinterpret_cast<A*>(before_bytes), *const end = before + 32;
    const u32 t = threadIdx.x;
    if (t == 0) ticket = p.tiles > 1 ? atomicAdd(p.ticket, 1u) : blockIdx.x;
    __syncthreads();
    const ScanTile<Index, P::operands, K> place{p, ticket % p.tiles, u64(ticket / p.tiles) << p.line_bits};
    ScanWalk<P, V, Index> walk{p, {}, {}};
#pragma unroll 1
    for (u32 from = t; from < K * kScanThreads; from += V * kScanThreads) {
        typename P::template outputs<V> out{};
#pragma unroll
        for (int u = 0; u < V; ++u) {
            const u32 at = from + u * kScanThreads;
            walk.locate(u, place.first_line + place.line(at), place.begin() + place.element(at));
        }
        make_scanned<P, V>(walk, out, scalars, sink);
#pragma unroll
        for (int u = 0; u < V; ++u) {
            const u32 at = from + u * kScanThreads;
            shared[place.place(place.line(at), place.element(at))] = R::map(load<typename P::element>(out.y0[u]));
        }
    }
    __syncthreads();
    const u32 line = t >> p.groups, group = t & ((1u << p.groups) - 1), first = place.place(line, group * K);
    A x[K];
#pragma unroll
    for (int i = 0; i < K; ++i) x[i] = shared[first + i];
    grow_trees<R, K>(x);
    trees[t] = x[K - 1];
    __syncthreads();
    for (u32 d = 1; d < 1u << p.groups; d *= 2) {
        if ((group & (2 * d - 1)) == 2 * d - 1) trees[t] = R::combine(trees[t - d], trees[t]);
        __syncthreads();
    }
    const bool follows = place.tile > 0;
    if (p.tiles > 1)
        look_back<R>(place, t < place.lines() ? trees[((t + 1) << p.groups) - 1] : A{}, shared, before, end);
    const A* const own = trees + (line << p.groups);
    const A value = descend<R>(own, group, p.groups, follows, follows ? before[line] : A{});
    // The thread's last result is the next thread's prefix, which need not be derived from this thread's prefix.
    const bool is_last = group + 1 == 1u << p.groups;
    const A last =
        is_last && follows ? end[line] : descend<R>(own, group + 1, p.groups, follows, follows ? before[line] : A{});
    fill_results<R, K>(x, value, follows || group > 0);
    x[K - 1] = last;
#pragma unroll
    for (int i = 0; i < K; ++i) shared[first + i] = x[i];
    __syncthreads();
    ScanWalk<P, 1, Index> target{p, {}, {}};
#pragma unroll 1
    for (u32 at = t; at < K * kScanThreads; at += kScanThreads) {
        target.locate(0, place.first_line + place.line(at), place.begin() + place.element(at));
        target.write(0, R::finish(shared[place.place(place.line(at), place.element(at))]));
    }
}

/// Scans with a binary row strictly from left to right, for rows that are not associative: one thread per line.
template <class P, class F, class S>
CUARRAY_FN void scan_in_order(const ScanParameters<Index64, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using T = typename P::element;
    const u64 line = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (line >= p.lines) return;
    ScanWalk<P, 1, Index64> walk{p, {}, {}};
    T value{};
#pragma unroll 1
    for (u64 element = 0; element < p.n; ++element) {
        typename P::template outputs<1> out{};
        walk.locate(0, line, element);
        make_scanned<P, 1>(walk, out, scalars, sink);
        const T x = load<T>(out.y0[0]);
        value = element ? fn::call<F, T>(value, x) : x;
        walk.write(0, value);
    }
}

}  // namespace cuarray::kernel
