// single_loop.cpp -- one loop over contiguous operands, or few strided ones, without a plan: minimal overhead for small
// arrays, non-temporal stores for large ones.
#include <algorithm>
#include <cstring>

#include "host/caches.h"
#include "host/strided_copy.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int64_t kShortRow = 64;     // shorter rows are left to a plan, which computes several at once
constexpr int64_t kFewElements = 64;  // up to this size scalar and strided operands are copied

/// The operands of a task as the loop takes them.
struct Operands {
    const char* from[kMaxIn];
    int64_t item[kMaxIn];
    char* to;
    int64_t to_item;
    int ins;

    bool are_aliased() const { return std::find(from, from + ins, to) != from + ins; }
};

void run_range(const LoopLibrary& library, BlockLoop loop, const Operands& o, bool streams, int64_t begin, int64_t n) {
    char* const to = o.to + begin * o.to_item;
    if (streams) {
        const char* in[kMaxIn];
        for (int k = 0; k < o.ins; ++k) in[k] = o.from[k] + begin * o.item[k];
        return library.nontemporal(loop, in, o.item, o.ins, to, o.to_item, n);
    }
    const void* in[kMaxIn];
    for (int k = 0; k < o.ins; ++k) in[k] = o.from[k] + begin * o.item[k];
    void* out[kMaxOut] = {to, nullptr};
    loop(in, out, n);
}

/// Runs the loop over rows that are contiguous in all operands; false, having done nothing, if there are none.
bool run_rows(const LoopLibrary& library, const SingleLoop& task, const SingleLoop::Location& to) {
    const Loop& types = loops()[task.loop];
    const int operands = rows()[types.row].nin + 1;
    const auto location = [&](int k) -> const SingleLoop::Location& { return k == 0 ? to : task.in[k - 1]; };
    const Dims* strides[kMaxIn + 1];
    for (int k = 0; k < operands; ++k) {
        if (!location(k).storage) return false;
        strides[k] = location(k).strides;
    }
    Space space;
    collapse(space, task.shape, {strides, size_t(operands)});
    const int last = space.ndim - 1;
    if (last < 1 || space.shape[last] < kShortRow) return false;
    char* base[kMaxIn + 1];
    for (int k = 0; k < operands; ++k) {
        const DTypeInfo& type = info(k == 0 ? types.out[0] : types.in[k - 1]);
        base[k] = location(k).data() + space.offset[k];
        auto bits = reinterpret_cast<uintptr_t>(base[k]);
        for (int d = 0; d < last; ++d) bits |= uintptr_t(space.strides[k][d]);
        if (space.strides[k][last] != type.size || bits & uintptr_t(type.align - 1)) return false;
    }
    const BlockLoop loop = library.loops[task.loop];
    const int64_t columns = space.shape[last], count = space.size / columns;
    const int64_t per_task = space.size < 2 * kTaskElements ? count : std::max<int64_t>(1, kTaskElements / columns);
    parallel_for((count + per_task - 1) / per_task, [&](int64_t i) {
        for (int64_t row = i * per_task; row < std::min(count, (i + 1) * per_task); ++row) {
            char* at[kMaxIn + 1];
            std::copy_n(base, operands, at);
            int64_t rest = row;
            for (int d = last - 1; d > 0; --d) {
                const int64_t index = rest % space.shape[d];
                rest /= space.shape[d];
                for (int k = 0; k < operands; ++k) at[k] += index * space.strides[k][d];
            }
            for (int k = 0; k < operands; ++k) at[k] += rest * space.strides[k][0];
            const void* in[kMaxIn];
            std::copy_n(at + 1, operands - 1, in);
            void* out[kMaxOut] = {at[0], nullptr};
            loop(in, out, columns);
        }
    });
    return true;
}

}  // namespace

bool run_single_loop(const LoopLibrary& library, const SingleLoop& task, const SingleLoop::Location& to) {
    const Loop& types = loops()[task.loop];
    const Row& row = rows()[types.row];
    const DTypeInfo& result = info(types.out[0]);
    const int64_t size = count(task.shape);
    alignas(64) char copies[kMaxIn + 1][kFewElements * 16];
    Operands o;
    o.to = to.data(), o.to_item = result.size, o.ins = row.nin;
    const bool is_few = size <= kFewElements, is_strided = !is_dense(o.to, result, *to.strides, task.shape, size);
    if (is_strided) {
        if (!is_few) return run_rows(library, task, to);
        o.to = copies[kMaxIn];
    }
    for (int k = 0; k < row.nin; ++k) {
        const SingleLoop::Location& in = task.in[k];
        const DTypeInfo& type = info(types.in[k]);
        o.item[k] = type.size;
        if (in.storage && is_dense(in.data(), type, *in.strides, task.shape, size)) {
            o.from[k] = in.data();
            continue;
        }
        if (!is_few) return run_rows(library, task, to);
        o.from[k] = copies[k];
        if (in.storage)
            StridedElements(library, task.shape, *in.strides, type.size).gather(copies[k], in.data());
        else
            for (int64_t i = 0; i < size; ++i)
                std::memcpy(copies[k] + i * type.size, in.scalar->bytes, size_t(type.size));
    }
    const BlockLoop loop = library.loops[task.loop];
    const bool streams =
        size * o.to_item >= nontemporal_from() && library.nontemporal && !row.has(VectorMath) && !o.are_aliased();
    if (size < 2 * kTaskElements) {
        const DefaultFloatMode mode;
        run_range(library, loop, o, streams, 0, size);
        if (is_strided)
            StridedElements(library, task.shape, *to.strides, result.size).scatter(to.data(), copies[kMaxIn]);
    } else {
        parallel_for((size + kTaskElements - 1) / kTaskElements, [&](int64_t i) {
            const int64_t begin = i * kTaskElements;
            run_range(library, loop, o, streams, begin, std::min(kTaskElements, size - begin));
        });
    }
    return true;
}

}  // namespace cuarray::host
