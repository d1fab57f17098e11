// segmented_reduce_device.h -- the device kernels of segmented reductions and of ordered updates.
//
// A segment is folded by 16 threads, one per lane of reduce.h, in the fold order defined there. An update sorts the
// values by position with a stable sort, so that those of one position are contiguous and in order: the thread of the
// first of them applies them all.
#pragma once
#include "cuarray/kernel/gather_device.h"
#include "cuarray/kernel/reduce_device.h"
#include "cuarray/kernel/segmented_reduce.h"

namespace cuarray::kernel {

/// Tree levels for the chunks of the longest segment.
constexpr int kSegmentLevels = 5;

/// The addresses of a line and of its results.
CUARRAY_FN void find_line(const SegmentedReduceParameters& p, u64 line, const char*& values, char*& results) {
    values = p.values.data;
    results = p.results.data;
#pragma unroll 1
    for (int d = int(p.axes) - 1; d >= 0; --d) {
        const u64 outer = p.extents[d].quotient(line);
        const i64 coordinate = i64(line - outer * p.extents[d].size);
        values += coordinate * p.values.strides[d];
        results += coordinate * p.results.strides[d];
        line = outer;
    }
}

/// Folds one lane of a chunk of `length` elements, lane < length.
template <class R, class T>
CUARRAY_FN typename R::A reduce_segment_lane(const char* chunk, i64 along, u32 lane, u32 length) {
    RegisterTree<R, kLeafBits + 1> leaves;
#pragma unroll 1
    for (u32 leaf = lane; leaf < length; leaf += kLeaf) {
        const u32 end = leaf - lane + kLeaf < length ? leaf - lane + kLeaf : length;
        typename R::A value = R::map(load<T>(*reinterpret_cast<const stored_t<T>*>(chunk + leaf * along)), 0);
#pragma unroll 4
        for (u32 i = leaf + kLanes; i < end; i += kLanes)
            value = R::combine(value, R::map(load<T>(*reinterpret_cast<const stored_t<T>*>(chunk + i * along)), 0));
        leaves.push(value);
    }
    return leaves.result();
}

/// 16 segments per thread block: consecutive ones of a line, or the same segment of consecutive lines.
template <class R, class T>
CUARRAY_FN void segmented_reduce(const SegmentedReduceParameters& p) {
    using A = typename R::A;
    alignas(16) __shared__ char bytes[kThreads * sizeof(A)];
    A* const shared = reinterpret_cast<A*>(bytes);
    const u32 t = threadIdx.x, together = kThreads / kLanes;
    const u32 lane = p.across ? t / together : t % kLanes, next = p.across ? together : 1;
    const u64 fold = u64(blockIdx.x) * together + (p.across ? t % together : t / kLanes);
    const u64 count = p.across ? p.lines : p.parts, other = p.across ? p.parts : p.lines;
    const u64 padded = (count + together - 1) / together * together, outer = fold / padded,
              inner = fold - outer * padded;
    const bool exists = inner < count && outer < other;
    const u64 line = p.across ? inner : outer, part = p.across ? outer : inner;
    const char* values = nullptr;
    char* results = nullptr;
    i64 begin = 0, length = 0;
    if (exists) {
        find_line(p, line, values, results);
        begin = p.begins[part];
        length = p.ends[part] - begin;
        values += begin * p.along;
    }
    RegisterTree<R, kSegmentLevels> chunks;
    for (i64 first = 0; __syncthreads_or(first < length); first += kChunk) {
        const i64 left = length - first;
        const u32 size = left <= 0 ? 0 : left < kChunk ? u32(left) : kChunk;
        A value{};
        if (lane < size) shared[t] = value = reduce_segment_lane<R, T>(values + first * p.along, p.along, lane, size);
        for (u32 d = kLanes / 2; d > 0; d /= 2) {
            __syncthreads();
            if (lane < d && lane + d < size) shared[t] = value = R::combine(value, shared[t + d * next]);
        }
        if (lane == 0 && size) chunks.push(value);
    }
    if (lane == 0 && length > 0)
        *reinterpret_cast<stored_t<T>*>(results + i64(part) * p.step) = store<T>(R::finish(chunks.result(), length));
}

/// Left folds with a binary row: one thread per segment.
template <class F, class T>
CUARRAY_FN void segmented_left_fold(const SegmentedReduceParameters& p) {
    const u64 fold = u64(blockIdx.x) * kThreads + threadIdx.x, line = fold / p.parts, part = fold - line * p.parts;
    if (line >= p.lines || p.begins[part] >= p.ends[part]) return;
    const char* values;
    char* results;
    find_line(p, line, values, results);
    const auto at = [&](i64 i) { return load<T>(*reinterpret_cast<const stored_t<T>*>(values + i * p.along)); };
    T value = at(p.begins[part]);
#pragma unroll 1
    for (i64 i = p.begins[part] + 1; i < p.ends[part]; ++i) value = fn::call<F, T>(value, at(i));
    *reinterpret_cast<stored_t<T>*>(results + i64(part) * p.step) = store<T>(value);
}

/// Computes the keys of all values.
template <class Index, int K>
CUARRAY_FN void update_keys(const UpdateParameters<Index, K>& p, const FaultSink& sink) {
    const u64 at = u64(blockIdx.x) * kThreads + threadIdx.x;
    if (at >= p.chosen.size) return;
    ElementLocation<typename Index::offset> spot;
    p.keys[at] = locate_element(p.chosen, at, spot, sink) ? u64(spot.place - p.base) : p.outside;
}

/// One step of an update: row F at T and U on an element of type S and a value.
template <class F, class T, class U, class S>
struct UpdateStep {
    using first = fn::item_t<0, typename F::template in<T, U>>;
    using second = fn::item_t<1, typename F::template in<T, U>>;
    static constexpr bool is_unary = is_same<second, fn::nothing>;
    template <class Other>
    static CUARRAY_FN S run(S value, [[maybe_unused]] Other other) {
        if constexpr (is_unary)
            return cast<S>(fn::call<F, T, U>(cast<first>(value)));
        else
            return cast<S>(fn::call<F, T, U>(cast<first>(value), load<second>(other)));
    }
};

/// Value `number` of the update, as stored.
template <class Step, class Index, int K>
CUARRAY_FN auto coming(const UpdateParameters<Index, K>& p, u64 number, const FaultSink& sink) {
    if constexpr (Step::is_unary) {
        (void)p, (void)number, (void)sink;
        return u8(0);
    } else {
        ElementLocation<typename Index::offset> spot;
        locate_element(p.chosen, number, spot, sink);
        return *reinterpret_cast<const stored_t<typename Step::second>*>(p.chosen.elements.data + spot.element);
    }
}

/// A warp processes 32 values in the order of their positions. The lane of the first value of a position applies all of
/// them; if they continue past the 32 values, the warp loads the following ones for that lane.
template <class F, class T, class U, class S, class Index, int K>
CUARRAY_FN void update_places(const UpdateParameters<Index, K>& p, const FaultSink& sink) {
    using Step = UpdateStep<F, T, U, S>;
    using Other = decltype(coming<Step>(p, 0, sink));
    constexpr u32 all = 0xffffffffu;
    alignas(16) __shared__ char bytes[kThreads * sizeof(Other)];
    const u32 lane = threadIdx.x % 32;
    Other* const others = reinterpret_cast<Other*>(bytes) + (threadIdx.x - lane);
    const u64 size = p.chosen.size, first = u64(blockIdx.x) * kThreads + (threadIdx.x - lane), k = first + lane;
    const auto key_at = [&](u64 place) { return p.keys[p.order[place]]; };
    const u64 key = k < size ? key_at(k) : p.outside;
    const bool exists = key != p.outside, leads = exists && (k == 0 || key_at(k - 1) != key);
    const u32 leaders = __ballot_sync(all, leads), borders = __ballot_sync(all, leads || !exists);
    if (leaders == 0) return;
    if (exists) others[lane] = coming<Step>(p, p.order[k], sink);
    __syncwarp();
    const u32 behind = lane == 31 ? 0 : borders >> (lane + 1);
    const u32 end = behind ? lane + u32(__ffs(int(behind))) : 32;
    stored_t<S>* const place = reinterpret_cast<stored_t<S>*>(p.chosen.array.data + p.base + i64(key));
    S value{};
    if (leads) {
        value = load<S>(*place);
#pragma unroll 1
        for (u32 i = lane; i < end; ++i) value = Step::run(value, others[i]);
    }
    const u32 open = __ballot_sync(all, leads && end == 32);
    const u64 open_key = open ? __shfl_sync(all, key, __ffs(int(open)) - 1) : p.outside;
#pragma unroll 1
    for (u64 next = first + 32; open; next += 32) {
        const bool follows = next + lane < size && key_at(next + lane) == open_key;
        __syncwarp();
        if (follows) others[lane] = coming<Step>(p, p.order[next + lane], sink);
        __syncwarp();
        const u32 count = u32(__popc(__ballot_sync(all, follows)));
        if (leads && end == 32) {
#pragma unroll 1
            for (u32 i = 0; i < count; ++i) value = Step::run(value, others[i]);
        }
        if (count < 32) break;
    }
    if (leads) *place = store<S>(value);
}

}  // namespace cuarray::kernel
