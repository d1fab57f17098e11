// scan_device.h -- the device kernels of scans: the scan order of scan.h over threads and blocks.
//
// A thread block takes the next tile by an atomic ticket, so that the tiles it waits for have started. Elements are
// loaded in memory order, in vectors where operands allow it, and exchanged through shared memory; each thread then
// holds contiguous elements of one line. An up-sweep builds trees in registers, over the lanes of a warp, then over the
// warps of a line; a down-sweep gives the results. Each tile
// publishes its tree, and the trees of the aligned power-of-two groups of tiles that it completes. A tile reads one of
// these for each set bit of its number. The trees are the same in any schedule: there is no serial chain of tiles, and
// the result is deterministic.
// Trees are written and read in the same kernel by different blocks: their pointer is neither const nor __restrict__.
#pragma once
#include "cuarray/kernel/elementwise.h"
#include "cuarray/kernel/scan.h"

namespace cuarray::kernel {

/// V elements in vectors of W along a line, or across lines, at arbitrary positions; vectors out of range are zero.
template <class P, int V, int W, class Index>
struct ScanWalk {
    const ScanParameters<Index, P::operands>& p;
    i64 offsets[P::operands][V / W];
    bool present[V / W];
    CUARRAY_FN void locate(int i, u64 line, u64 element) {
        present[i] = line < p.lines && element < p.n;
        typename Index::type rest = present[i] ? typename Index::type(line) : 0;
#pragma unroll
        for (int k = 0; k < P::operands; ++k) offsets[k][i] = present[i] ? i64(element) * p.operands[k].along : 0;
#pragma unroll 1
        for (int d = int(p.axes) - 1; d > 0; --d) {
            const typename Index::type outer = p.extents[d].quotient(rest);
#pragma unroll
            for (int k = 0; k < P::operands; ++k)
                offsets[k][i] += i64(rest - outer * p.extents[d].size) * p.operands[k].strides[d];
            rest = outer;
        }
#pragma unroll
        for (int k = 0; k < P::operands; ++k) offsets[k][i] += i64(rest) * p.operands[k].strides[0];
    }
    /// The stride between the elements of a vector.
    CUARRAY_FN i64 step(int k) const {
        return p.along_lines ? i64(p.operands[k].strides[p.axes - 1]) : p.operands[k].along;
    }
    template <class T>
    CUARRAY_FN void read(int k, T (&x)[V]) const {
        const char* const data = p.operands[k].data;
        if (W == 1 || step(k)) {
#pragma unroll
            for (int i = 0; i < V / W; ++i) read_if<W>(present[i], data + offsets[k][i], x + i * W);
        } else {
#pragma unroll
            for (int i = 0; i < V / W; ++i) {
                T one{};
                read_if<1>(present[i], data + offsets[k][i], &one);
#pragma unroll
                for (int w = 0; w < W; ++w) x[i * W + w] = one;
            }
        }
    }
    CUARRAY_FN void index(int k, i64 (&x)[V]) const {
#pragma unroll
        for (int u = 0; u < V; ++u)
            x[u] = reinterpret_cast<i64>(p.operands[k].data) + offsets[k][u / W] + (u % W ? u % W * step(k) : 0);
    }
    template <class T>
    CUARRAY_FN void write(int i, const T (&y)[W]) const {
        if (present[i]) write_whole<W>(p.operands[0].data + offsets[0][i], y);
    }
};

/// Runs the program on the elements at the walk's positions and reports faults.
template <class P, int V, int W, class Walk, class S>
CUARRAY_FN void make_scanned(const Walk& walk, typename P::template outputs<V>& out, const S& scalars,
                             const FaultSink& sink) {
    typename P::template inputs<V> in;
    P::read(walk, in);
    evaluate_lanes<P, V>(in, out, scalars);
    if constexpr (P::faults) {
        bool fault = false;
#pragma unroll
        for (int u = 0; u < V; ++u) fault |= out.fault[u] && walk.present[u / W];
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
    /// Padded, so that neither order of access has bank conflicts: in vectors of W, or by single elements.
    template <int W>
    CUARRAY_FN u32 place(u32 line, u32 element) const {
        const u32 thread = (line << p.groups) + element / K;
        return thread * (K + W) + element % K + (W == 1 ? line : 0);
    }
    /// Writes and reads the vector at a position in load order.
    template <int W, class A>
    CUARRAY_FN void put(A* shared, u32 at, const A (&x)[W]) const {
        if (W > 1 && p.along_lines) {
#pragma unroll
            for (int w = 0; w < W; ++w) shared[place<1>(line(at) + w, element(at))] = x[w];
        } else {
            write_whole<W>(shared + place<W>(line(at), element(at)), x);
        }
    }
    template <int W, class A>
    CUARRAY_FN void get(const A* shared, u32 at, A (&x)[W]) const {
        if (W > 1 && p.along_lines) {
#pragma unroll
            for (int w = 0; w < W; ++w) x[w] = shared[place<1>(line(at) + w, element(at))];
        } else {
            read_vector<W>(shared + place<W>(line(at), element(at)), x);
        }
    }
};

/// The value of another thread of the warp.
template <class T>
CUARRAY_FN T from_lane(T x, u32 lane) {
    if constexpr (is_complex<T>)
        return {from_lane(x.re, lane), from_lane(x.im, lane)};
    else if constexpr (sizeof(T) < 4)
        return T(__shfl_sync(0xffffffffu, u32(x), int(lane & 31u)));
    else
        return __shfl_sync(0xffffffffu, x, int(lane & 31u));
}

/// Up-sweep over groups of `width` lanes, at most Most: grow_trees with one tree per lane.
template <class R, int Most>
CUARRAY_FN typename R::A grow_over_lanes(typename R::A x, u32 lane, u32 width) {
#pragma unroll
    for (u32 d = 1; d < Most; d *= 2) {
        const typename R::A below = from_lane(x, lane - d);
        if ((lane & (2 * d - 1)) == 2 * d - 1 && d < width) x = R::combine(below, x);
    }
    return x;
}

/// Down-sweep over groups of `width` lanes, at most Most: their trees become results, the last one `end`.
template <class R, int Most>
CUARRAY_FN typename R::A fill_over_lanes(typename R::A x, u32 lane, u32 width, typename R::A before, bool follows,
                                         typename R::A end) {
    const u32 count = (lane & (width - 1)) + 1;
    if (count == width)
        x = end;
    else if (follows && (count & (count - 1)) == 0)
        x = R::combine(before, x);
#pragma unroll
    for (u32 d = Most / 4; d > 0; d /= 2) {
        const typename R::A below = from_lane(x, lane - d);
        if ((count & (2 * d - 1)) == d && count > d) x = R::combine(below, x);
    }
    return x;
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
#pragma unroll 1
        for (u32 level = 0; level < own_level; ++level) tree = R::combine(found[(level << p.line_bits) + t], tree);
        if (tile + 1 < p.tiles) own.leave(tile, exists, tree, warp);
    }
    find_trees<R>(place, own_level, levels, line_groups, line_group, found);
    if (leads) {
        A value{};
        bool follows = false;
#pragma unroll 1
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

/// Computes the elements of a tile into shared memory, B vectors of W at a time.
template <class P, class R, int B, int W, class Index, int K, class S>
CUARRAY_FN void load_tile(const ScanTile<Index, P::operands, K>& place, typename R::A* shared, const S& scalars,
                          const FaultSink& sink) {
    constexpr int V = B * W;
    ScanWalk<P, V, W, Index> walk{place.p, {}, {}};
#pragma unroll 1
    for (u32 from = threadIdx.x * W; from < K * kScanThreads; from += V * kScanThreads) {
        typename P::template outputs<V> out{};
#pragma unroll
        for (int i = 0; i < B; ++i) {
            const u32 at = from + i * (W * kScanThreads);
            walk.locate(i, place.first_line + place.line(at), place.begin() + place.element(at));
        }
        make_scanned<P, V, W>(walk, out, scalars, sink);
#pragma unroll
        for (int i = 0; i < B; ++i) {
            const u32 at = from + i * (W * kScanThreads);
            typename R::A x[W]{};
#pragma unroll
            for (int w = 0; w < W; ++w) x[w] = R::map(load<typename P::element>(out.y0[i * W + w]));
            place.template put<W>(shared, at, x);
        }
    }
}

/// Writes the results of a tile from shared memory, B vectors of W at a time.
template <class P, class R, int B, int W, class Index, int K>
CUARRAY_FN void store_tile(const ScanTile<Index, P::operands, K>& place, const typename R::A* shared) {
    using Stored = stored_t<typename P::element>;
    ScanWalk<P, B * W, W, Index> walk{place.p, {}, {}};
#pragma unroll 1
    for (u32 from = threadIdx.x * W; from < K * kScanThreads; from += B * W * kScanThreads) {
#pragma unroll
        for (int i = 0; i < B; ++i) {
            const u32 at = from + i * (W * kScanThreads);
            walk.locate(i, place.first_line + place.line(at), place.begin() + place.element(at));
            typename R::A x[W]{};
            Stored y[W]{};
            place.template get<W>(shared, at, x);
#pragma unroll
            for (int w = 0; w < W; ++w) y[w] = store<typename P::element>(R::finish(x[w]));
            walk.write(i, y);
        }
    }
}

/// Scans of associative rows.
template <class P, class F, class Index, class S>
CUARRAY_FN void scan_tiles(const ScanParameters<Index, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using R = ScanRow<F, typename P::element>;
    using A = typename R::A;
    constexpr int K = kScanItems<A>, W = kScanVector<A>;
    alignas(16) __shared__ char bytes[kScanThreads * (K + (W > 1 ? W : 2)) * sizeof(A)];
    alignas(16) __shared__ char tree_bytes[kScanThreads * sizeof(A)];
    alignas(16) __shared__ char before_bytes[64 * sizeof(A)];
    __shared__ u32 ticket;
    A *const shared = reinterpret_cast<A*>(bytes), *const trees = reinterpret_cast<A*>(tree_bytes);
    A *const before = reinterpret_cast<A*>(before_bytes), *const end = before + 32;
    const u32 t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0) ticket = p.tiles > 1 ? atomicAdd(p.ticket, 1u) : blockIdx.x;
    __syncthreads();
    const ScanTile<Index, P::operands, K> place{p, ticket % p.tiles, u64(ticket / p.tiles) << p.line_bits};
    // A vector along a line ends within it, if the line or the tile is a whole number of vectors.
    const bool vectors = W > 1 && p.vectors && (p.along_lines || p.n % W == 0 || place.begin() + place.length() <= p.n);
    const bool along = vectors && !p.along_lines;
    if (W > 1 && vectors)
        load_tile<P, R, P::unrolled ? K / W : 1, W>(place, shared, scalars, sink);
    else
        load_tile<P, R, P::unrolled ? 4 : 2, 1>(place, shared, scalars, sink);
    __syncthreads();
    const u32 line = t >> p.groups;
    A* const own = shared + (along ? t * (K + W) : t * (K + 1) + line);
    A x[K]{};
    if (W > 1 && along) {
#pragma unroll
        for (int i = 0; i < K; i += W) read_vector<W>(own + i, x + i);
    } else {
#pragma unroll
        for (int i = 0; i < K; ++i) x[i] = own[i];
    }
    grow_trees<R, K>(x);
    // The threads of a line are a part of a warp, or several warps.
    const u32 warps = p.groups > 5 ? 1u << (p.groups - 5) : 1u, width = p.groups > 5 ? 32u : 1u << p.groups;
    const bool follows = place.tile > 0;
    A y = grow_over_lanes<R, 32>(x[K - 1], lane, width), of_warps{};
    if (warps > 1 || p.tiles > 1) {
        if (((lane + 1) & (width - 1)) == 0) trees[t / width] = y;
        __syncthreads();
        if (warps > 1) of_warps = grow_over_lanes<R, kScanThreads / 32>(trees[lane % (kScanThreads / 32)], lane, warps);
    }
    if (p.tiles > 1) {
        const A of_line = from_lane(of_warps, (lane + 1) * warps - 1);
        look_back<R>(place, warps > 1 ? of_line : t < place.lines() ? trees[t] : A{}, shared, before, end);
    }
    A prefix = follows ? before[line] : A{}, last = follows ? end[line] : y;
    bool has_prefix = follows;
    if (warps > 1) {
        const u32 line_of_lane = lane % (kScanThreads / 32) / warps;
        of_warps = fill_over_lanes<R, kScanThreads / 32>(of_warps, lane, warps, follows ? before[line_of_lane] : A{},
                                                         follows, follows ? end[line_of_lane] : of_warps);
        const A earlier = from_lane(of_warps, warp - 1);
        last = from_lane(of_warps, warp);
        if (warp % warps > 0) prefix = earlier, has_prefix = true;
    }
    y = fill_over_lanes<R, 32>(y, lane, width, prefix, has_prefix, last);
    const A previous = from_lane(y, lane - 1);
    const bool is_first = (lane & (width - 1)) == 0;
    fill_results<R, K>(x, is_first ? prefix : previous, has_prefix || !is_first);
    x[K - 1] = y;
    if (W > 1 && along) {
#pragma unroll
        for (int i = 0; i < K; i += W) write_whole<W>(own + i, x + i);
    } else {
#pragma unroll
        for (int i = 0; i < K; ++i) own[i] = x[i];
    }
    __syncthreads();
    if (W > 1 && vectors)
        store_tile<P, R, K / W, W>(place, shared);
    else
        store_tile<P, R, 1, 1>(place, shared);
}

/// Scans with a binary row strictly from left to right, for rows that are not associative: one thread per line.
template <class P, class F, class S>
CUARRAY_FN void scan_in_order(const ScanParameters<Index64, P::operands>& p, const S& scalars, const FaultSink& sink) {
    using T = typename P::element;
    const u64 line = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (line >= p.lines) return;
    ScanWalk<P, 1, 1, Index64> walk{p, {}, {}};
    T value{};
#pragma unroll 1
    for (u64 element = 0; element < p.n; ++element) {
        typename P::template outputs<1> out{};
        walk.locate(0, line, element);
        make_scanned<P, 1, 1>(walk, out, scalars, sink);
        const T x = load<T>(out.y0[0]);
        value = element ? fn::call<F, T>(value, x) : x;
        const stored_t<T> y[1] = {store<T>(value)};
        walk.write(0, y);
    }
}

}  // namespace cuarray::kernel
