// single_loop.cpp -- one loop over contiguous operands, or few strided ones, without a plan: minimal overhead for small
// arrays, non-temporal stores for large ones.
#include <algorithm>
#include <bit>
#include <cstring>

#include "host/caches.h"
#include "host/scratch.h"
#include "host/strided_copy.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int64_t kLeastColumns =
    64;  // of a row: shorter ones are copied, or left to a plan, which computes several at once
constexpr int64_t kFewElements = 1024;  // up to this size scalar and strided operands are copied

const char* bytes_of(const Scalar& scalar) { return reinterpret_cast<const char*>(scalar.bytes); }

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

/// Replaces operands that the loop cannot take by contiguous copies.
void copy_operands(const LoopLibrary& library, const SingleLoop& task, Scratch& scratch, Operands& o) {
    const int64_t size = count(task.shape);
    for (int k = 0; k < o.ins; ++k) {
        if (o.from[k]) continue;
        const SingleLoop::Location& in = task.in[k];
        const int64_t item = o.item[k];
        char* const copy = scratch.take(size * item);
        if (in.storage)
            StridedElements(library, task.shape, *in.strides, item).gather(copy, in.data());
        else
            library.copy[std::countr_zero(uint64_t(item))](copy, 0, item, bytes_of(*in.scalar), 0, 0, 1, size);
        o.from[k] = copy;
    }
}

/// The operands of a loop over rows that are contiguous, or of one element that is repeated.
class RowOperands {
 public:
    /// False where an operand is neither, or rows are short.
    bool set(const SingleLoop& task, const SingleLoop::Location& to, const Loop& types) {
        count_ = rows()[types.row].nin + 1;
        const Dims none = Dims::filled(task.shape.size(), 0);
        const Dims* strides[kMaxIn + 1];
        for (int k = 0; k < count_; ++k) {
            const SingleLoop::Location& at = k == 0 ? to : task.in[k - 1];
            strides[k] = at.storage ? at.strides : &none;
            base_[k] = at.storage ? at.data() : const_cast<char*>(bytes_of(*at.scalar));
            types_[k] = &info(k == 0 ? types.out[0] : types.in[k - 1]);
        }
        collapse(space_, task.shape, {strides, size_t(count_)});
        last_ = space_.ndim - 1;
        if (last_ < 0 || columns() < kLeastColumns || (last_ == 0 && space_.size >= 2 * kTaskElements)) return false;
        for (int k = 0; k < count_; ++k)
            if (!classify(k)) return false;
        return true;
    }

    /// Fills the buffers of repeated elements, which last as long as `scratch`.
    void fill(const LoopLibrary& library, Scratch& scratch) {
        for (int k = 1; k < count_; ++k) {
            if (!repeated_[k]) continue;
            const int64_t item = types_[k]->size, n = std::min(columns(), kFilled);
            char* const filled = scratch.take(n * item);
            library.copy[std::countr_zero(uint64_t(item))](filled, 0, item, base_[k], 0, 0, 1, n);
            base_[k] = filled;
        }
    }

    void run(BlockLoop loop, int64_t row) const {
        int64_t index[kMaxDims];
        for (int d = last_ - 1; d > 0; --d) {
            index[d] = row % space_.shape[d];
            row /= space_.shape[d];
        }
        index[0] = row;
        const int64_t most = has_repeated_ ? kFilled : columns();
        for (int64_t first = 0; first < columns(); first += most) {
            const void* in[kMaxIn];
            void* out[kMaxOut] = {nullptr, nullptr};
            for (int k = 0; k < count_; ++k) {
                char* at = base_[k] + (repeated_[k] ? 0 : first * types_[k]->size);
                for (int d = 0; d < last_; ++d) at += index[d] * space_.strides[k][d];
                if (k == 0)
                    out[0] = at;
                else
                    in[k - 1] = at;
            }
            loop(in, out, std::min(most, columns() - first));
        }
    }

    int64_t columns() const { return space_.shape[last_]; }
    int64_t size() const { return space_.size; }

 private:
    static constexpr int64_t kFilled = 1024;  // elements: a buffer, a row and the result's stay in L1

    bool classify(int k) {
        const int64_t* const strides = space_.strides[k];
        base_[k] += space_.offset[k];
        auto bits = reinterpret_cast<uintptr_t>(base_[k]);
        repeated_[k] = k > 0;
        for (int d = 0; d <= last_; ++d) {
            repeated_[k] = repeated_[k] && strides[d] == 0;
            if (d < last_) bits |= uintptr_t(strides[d]);
        }
        has_repeated_ = has_repeated_ || repeated_[k];
        return repeated_[k] || (strides[last_] == types_[k]->size && !(bits & uintptr_t(types_[k]->align - 1)));
    }

    int count_ = 0, last_ = 0;
    Space space_;
    char* base_[kMaxIn + 1];
    const DTypeInfo* types_[kMaxIn + 1];
    bool repeated_[kMaxIn + 1] = {};
    bool has_repeated_ = false;
};

/// Runs the loop over such rows; false, having done nothing, if the operands have none.
bool run_rows(const LoopLibrary& library, const SingleLoop& task, const SingleLoop::Location& to) {
    const Loop& types = loops()[task.loop];
    RowOperands operands;
    if (!operands.set(task, to, types)) return false;
    Scratch scratch;
    operands.fill(library, scratch);
    const BlockLoop loop = library.loops[task.loop];
    const int64_t columns = operands.columns(), count = operands.size() / columns;
    const int64_t per_task =
        operands.size() < 2 * kTaskElements ? count : std::max<int64_t>(1, kTaskElements / columns);
    parallel_for((count + per_task - 1) / per_task, [&](int64_t i) {
        for (int64_t row = i * per_task; row < std::min(count, (i + 1) * per_task); ++row) operands.run(loop, row);
    });
    return true;
}

}  // namespace

bool run_single_loop(const LoopLibrary& library, const SingleLoop& task, const SingleLoop::Location& to) {
    const Loop& types = loops()[task.loop];
    const Row& row = rows()[types.row];
    const DTypeInfo& result = info(types.out[0]);
    const int64_t size = count(task.shape);
    Operands o;
    o.to = to.data(), o.to_item = result.size, o.ins = row.nin;
    const bool is_strided = !is_dense(o.to, result, *to.strides, task.shape, size);
    bool are_dense = !is_strided;
    for (int k = 0; k < row.nin; ++k) {
        const SingleLoop::Location& in = task.in[k];
        const DTypeInfo& type = info(types.in[k]);
        o.item[k] = type.size;
        const bool is_usable = in.storage && is_dense(in.data(), type, *in.strides, task.shape, size);
        o.from[k] = is_usable ? in.data() : nullptr;
        are_dense = are_dense && is_usable;
    }
    if (!are_dense && size > kLeastColumns && run_rows(library, task, to)) return true;
    if (!are_dense && size > kFewElements) return false;
    Scratch scratch;
    if (!are_dense) copy_operands(library, task, scratch, o);
    if (is_strided) o.to = scratch.take(size * result.size);
    const BlockLoop loop = library.loops[task.loop];
    const bool streams =
        size * o.to_item >= nontemporal_from() && library.nontemporal && !row.has(VectorMath) && !o.are_aliased();
    if (size < 2 * kTaskElements) {
        const DefaultFloatMode mode;
        run_range(library, loop, o, streams, 0, size);
        if (is_strided) StridedElements(library, task.shape, *to.strides, result.size).scatter(to.data(), o.to);
    } else {
        parallel_for((size + kTaskElements - 1) / kTaskElements, [&](int64_t i) {
            const int64_t begin = i * kTaskElements;
            run_range(library, loop, o, streams, begin, std::min(kTaskElements, size - begin));
        });
    }
    return true;
}

}  // namespace cuarray::host
