// creation.cpp -- new arrays, copies, casts, assignment and transfers.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/copy_run.h"
#include "cuarray/array/array.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray {

Fault run(const Expr& expr, const Dims& shape, std::span<const View> inputs, std::span<const Array> outputs,
          const char* name) {
    if (count(shape) == 0) return Fault::None;
    for (const Array& out : outputs) before_write(out.storage());
    return run_unread(expr, shape, inputs, outputs, name);
}

Fault run_unread(const Expr& expr, const Dims& shape, std::span<const View> inputs, std::span<const Array> outputs,
                 const char* name) {
    Backend& backend = outputs[0].storage().front();
    if (outputs.size() == 1) {
        const View view = outputs[0].as_operand(shape, name);
        return backend.run(Elementwise{&expr, shape, inputs, {&view, 1}, name});
    }
    std::vector<View> views;
    for (const Array& out : outputs) views.push_back(out.as_operand(shape, name));
    return backend.run(Elementwise{&expr, shape, inputs, views, name});
}

void raise_for(const Dims& shape, DType dtype, const Error& error) {
    if (error.kind() != ErrorKind::Memory) throw Error(error);
    raise(ErrorKind::Memory, error.what(), "; wanted for an array of shape ", to_string(shape), " and dtype ",
          info(dtype).name);
}

Array empty(const Dims& shape, DType dtype, Device device) {
    const int64_t item = item_size(dtype), bytes = checked_size(shape, item, "empty") * item;
    const auto allocate = [&] { return backend(device).allocate(bytes); };
    return Array(new_memory(shape, dtype, allocate), 0, {shape, c_strides(shape, item)}, dtype);
}

Array empty(const Dims& shape, DType dtype, Device device, MemoryKind kind) {
    const int64_t item = item_size(dtype), bytes = checked_size(shape, item, "empty") * item;
    const auto allocate = [&] { return runtime(device).allocate(bytes, kind); };
    return Array(new_memory(shape, dtype, allocate), 0, {shape, c_strides(shape, item)}, dtype);
}

Array empty_in_order(const Dims& shape, const Dims& order, DType dtype, Device device) {
    const int64_t item = item_size(dtype), bytes = checked_size(shape, item, "empty") * item;
    const auto allocate = [&] { return backend(device).allocate(bytes); };
    return Array(new_memory(shape, dtype, allocate), 0, {shape, strides_in_order(shape, order, item)}, dtype);
}

namespace {

Dims order_of(const Array& like, char order) {
    Dims axes = Dims::filled(like.ndim(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    if (order == 'A') order = like.is_f_contiguous() && !like.is_c_contiguous() ? 'F' : 'C';
    if (order == 'F') std::reverse(axes.begin(), axes.end());
    if (order == 'K') {
        const Dims* strides[] = {&like.strides()};
        return memory_order(like.shape(), strides);
    }
    return axes;
}

/// Makes `expr` the value of `from` cast to `dtype`; a pending `from` with a single handle is absorbed.
Absorbed converting(const Array& from, DType dtype, const Dims& shape, const char* function, Expr& expr,
                    std::vector<View>& inputs) {
    Absorbed absorbed;
    if (from.shape() == shape) absorbed = absorb(from, expr, inputs);
    if (!absorbed) {
        expr.outputs = {expr.input(from.dtype())};
        inputs = {from.as_operand(shape, function)};
    }
    expr.outputs[0] = expr.cast(expr.outputs[0], dtype);
    return absorbed;
}

}  // namespace

namespace {

template <class Item>
void copy_items(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(Item));
}

void copy_strided(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n, int64_t item) {
    switch (item) {
        case 1: return copy_items<char>(to, to_step, from, from_step, n);
        case 2: return copy_items<int16_t>(to, to_step, from, from_step, n);
        case 4: return copy_items<int32_t>(to, to_step, from, from_step, n);
        case 8: return copy_items<int64_t>(to, to_step, from, from_step, n);
        default: return copy_items<std::array<char, 16>>(to, to_step, from, from_step, n);
    }
}

/// Copies a few elements of the same dtype and shape; false if that must be a task.
bool copy_few(const Array& to, const Array& from) {
    const int64_t bytes = to.nbytes();
    if (bytes > kFewBytes || to.dtype() != from.dtype() || !(to.shape() == from.shape())) return false;
    const bool is_contiguous =
        (to.is_c_contiguous() && from.is_c_contiguous()) || (to.is_f_contiguous() && from.is_f_contiguous());
    if (!is_contiguous && to.ndim() > 1) return false;
    char* const target = direct_data(to);
    const char* const source = target ? direct_data(from) : nullptr;
    if (!source) return false;
    if (is_contiguous) {
        if (overlaps(to, from))
            std::memmove(target, source, size_t(bytes));
        else
            copy_run(target, source, bytes);
        return true;
    }
    const int64_t item = item_size(to.dtype()), n = to.size();
    if (!overlaps(to, from)) {
        copy_strided(target, to.strides()[0], source, from.strides()[0], n, item);
        return true;
    }
    alignas(16) char between[kFewBytes];
    copy_strided(between, item, source, from.strides()[0], n, item);
    copy_strided(target, to.strides()[0], between, item, n, item);
    return true;
}

/// Casts a few elements to a new array of the same memory order; false if that must be a task.
bool cast_few(const Array& to, const Array& from) {
    if (!to.is_c_contiguous() != !from.is_c_contiguous()) return false;
    char* const target = direct_elements(to);
    const char* const source = target ? direct_elements(from) : nullptr;
    if (!source) return false;
    to.storage().front().direct()->cast(from.dtype(), to.dtype(), source, target, to.size());
    return true;
}

/// Fills n items, 64 bytes at a time.
template <class Item>
void fill_items(char* to, const unsigned char* element, int64_t n) {
    constexpr int64_t kAtOnce = 64 / sizeof(Item);
    std::array<Item, kAtOnce> row;
    std::memcpy(row.data(), element, sizeof(Item));
    row.fill(row[0]);
    for (; n >= kAtOnce; n -= kAtOnce, to += sizeof row) std::memcpy(to, row.data(), sizeof row);
    std::memcpy(to, row.data(), size_t(n) * sizeof(Item));
}

bool is_zero(const Scalar& value) {
    static constexpr unsigned char kZero[sizeof value.bytes] = {};
    return std::memcmp(value.bytes, kZero, size_t(item_size(value.dtype))) == 0;
}

void fill_run(char* to, const Scalar& element, int64_t n, int64_t item) {
    if (is_zero(element)) return void(std::memset(to, 0, size_t(n * item)));
    switch (item) {
        case 1: return void(std::memset(to, element.bytes[0], size_t(n)));
        case 2: return fill_items<int16_t>(to, element.bytes, n);
        case 4: return fill_items<int32_t>(to, element.bytes, n);
        case 8: return fill_items<int64_t>(to, element.bytes, n);
        default: return fill_items<std::array<int64_t, 2>>(to, element.bytes, n);
    }
}

/// Fills a few elements; false if that must be a task.
bool fill_few(const Array& to, const Scalar& element) {
    if (to.nbytes() > kFewBytes || (to.ndim() > 1 && !to.is_c_contiguous())) return false;
    char* const target = direct_data(to);
    if (!target) return false;
    const int64_t item = item_size(to.dtype());
    const int64_t step = to.ndim() == 1 ? to.strides()[0] : item;
    if (step == item)
        fill_run(target, element, to.size(), item);
    else
        copy_strided(target, step, reinterpret_cast<const char*>(element.bytes), 0, to.size(), item);
    return true;
}

/// Up to this size a task costs more than it gains: its threads, and its products, which not all processors have
/// vectors of.
constexpr int64_t kCountedBytes = 64 * kFewBytes;

/// start + i * step in n elements.
void count_up(double* to, int64_t n, double start, double step) {
    using Pair [[gnu::vector_size(16)]] = double;
    constexpr int64_t kPairs = 4, kTogether = 2 * kPairs;
    Pair index[kPairs] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
    int64_t i = 0;
    for (; i + kTogether <= n; i += kTogether)
        for (int64_t k = 0; k < kPairs; ++k) {
            const Pair numbers = start + index[k] * step;
            std::memcpy(to + i + 2 * k, &numbers, sizeof numbers);
            index[k] += kTogether;
        }
    for (; i < n; ++i) to[i] = start + double(i) * step;
}
/// The same; products take three times as long.
void count_up(uint64_t* to, int64_t n, uint64_t start, uint64_t step) {
    for (int64_t i = 0; i < n; ++i, start += step) to[i] = start;
}

/// first, second, second + (second - first) ... in elements of T, whose operations wrap or round as the loops'; false
/// if that must be a task.
template <class T>
bool count_up_some(const Array& to, const Scalar& first, const Scalar& second) {
    T start, next;
    std::memcpy(&start, first.bytes, sizeof start);
    std::memcpy(&next, second.bytes, sizeof next);
    T* const target = to.nbytes() > kCountedBytes ? nullptr : reinterpret_cast<T*>(direct_data(to));
    if (target) count_up(target, to.size(), start, next - start);
    return target;
}

}  // namespace

Array empty_like(const Array& like, DType dtype, char order, Device device) {
    return empty_in_order(like.shape(), order_of(like, order), dtype, device);
}

Array full(const Dims& shape, const Scalar& value, Device device, char order, const char* function) {
    const int64_t item = item_size(value.dtype), bytes = checked_size(shape, item, function) * item;
    bool is_filled = false;
    StorageRef memory = new_memory(shape, value.dtype, [&] {
        Backend& target = backend(device);
        StorageRef zeros = bytes > kFewBytes && is_zero(value) ? target.allocate_zeros(bytes) : StorageRef();
        is_filled = bool(zeros);
        return is_filled ? std::move(zeros) : target.allocate(bytes);
    });
    Array result(std::move(memory), 0, {shape, c_strides(shape, item)}, value.dtype);
    if (!is_filled && !fill_few(result, value)) fill(result, value, function);
    return order == 'F' ? result.view({shape, f_strides(shape, item)}) : result;
}

Array arange(int64_t count, const Scalar& first, const Scalar& second, Device device) {
    const DType dtype = first.dtype;
    const Kind kind = info(dtype).kind;
    // float16 and bfloat16 are computed in float32 and rounded once; bool is computed in int64.
    const DType work = kind == Kind::Bool                                ? DType::int64
                       : kind == Kind::Floating && item_size(dtype) == 2 ? DType::float32
                                                                         : dtype;
    Array result = empty({count}, dtype, device);
    if (dtype == DType::int64 && count_up_some<uint64_t>(result, first, second)) return result;
    if (dtype == DType::float64 && count_up_some<double>(result, first, second)) return result;
    Expr expr;
    const ValueId start = expr.scalar(convert(first, work)), next = expr.scalar(convert(second, work));
    const ValueId step = expr.loop(loop_for(row::subtract, work), next, start);
    const ValueId index = expr.cast(expr.push({ExprNode::Op::Index, DType::int64}), work);
    const ValueId moved = expr.loop(loop_for(row::multiply, work), index, step);
    expr.outputs = {expr.cast(expr.loop(loop_for(row::add, work), start, moved), dtype)};
    run(expr, result.shape(), {}, {&result, 1}, "arange");
    return result;
}

Array copy(const Array& from, char order) {
    if (from.ndim() > 0) return astype(from, from.dtype(), order, true);
    // A single element is copied without a kernel.
    const int64_t item = item_size(from.dtype());
    Backend& target = from.storage().front();
    Array result(target.allocate(item), 0, Layout(), from.dtype());
    target.copy(result.storage(), 0, from.storage(), from.offset(), item);
    return result;
}

Array astype(const Array& from, DType dtype, char order, bool copy) {
    if (!copy && dtype == from.dtype()) {
        const bool fits = order == 'K' || order == 'A' || (order == 'C' && from.is_c_contiguous()) ||
                          (order == 'F' && from.is_f_contiguous());
        if (fits) return from;
    }
    const Array* operand[] = {&from};
    if (dtype != from.dtype() && order == 'K' && may_defer(from.size(), from.device())) {
        const GraphLock lock = lock_graph();
        const Dims strides = strides_in_order(from.shape(), order_of(from, 'K'), item_size(dtype));
        if (can_defer(operand, from.size()))
            return defer({ExprNode::Op::Cast, kNone, dtype, operand, {}, from.shape(), strides, from.device()});
    }
    Array result = empty_like(from, dtype, order, from.device());
    if (dtype == from.dtype() ? copy_few(result, from) : cast_few(result, from)) return result;
    Expr expr;
    std::vector<View> inputs;
    const Absorbed absorbed = converting(from, dtype, from.shape(), "astype", expr, inputs);
    run(expr, from.shape(), inputs, {&result, 1}, "astype");
    return result;
}

namespace {

void check_target(const Array& to, const Array& from, const char* function) {
    if (!to.is_writable()) raise(ErrorKind::Value, function, ": assignment destination is read-only");
    if (!(to.device() == from.device()))
        raise(ErrorKind::Value, function, ": operands are on ", to_string(to.device()), " and ",
              to_string(from.device()), "; move one with .to_device(...)");
}

/// Whether all axes that the destination does not have lead and are of extent 1; NumPy's assignment drops them.
bool has_extra_axes(const Array& from, const Array& to) {
    const int extra = from.ndim() - to.ndim();
    const Dims& shape = from.shape();
    return extra > 0 && std::all_of(shape.begin(), shape.begin() + extra, [](int64_t extent) { return extent == 1; });
}
Array without_extra_axes(const Array& from, const Array& to) {
    Dims shape = from.shape();
    while (shape.size() > to.ndim()) shape.erase(0);
    return from.reshape(shape);
}

/// Stores the value of `expr` where `mask` is true.
void store_where(const Array& to, const Array& mask, Expr& expr, std::vector<View>& inputs, const char* function) {
    const Array own = overlaps(to, mask) ? copy(mask, 'K') : mask;
    expr.mask = expr.input(DType::bool_);
    inputs.push_back(own.as_operand(to.shape(), function));
    run(expr, to.shape(), inputs, {&to, 1}, function);
}

void check_mask(const Array& to, const Array& mask, const char* function) {
    check_target(to, mask, function);
    if (mask.dtype() != DType::bool_)
        raise(ErrorKind::Type, function, ": the mask is of type ", info(mask.dtype()).name, ", not bool");
    broadcast_strides(mask.layout(), to.shape(), function);
    mask.settle();
    to.settle();
}

bool are_same_elements(const Array& a, const Array& b) {
    return !a.is_pending() && !b.is_pending() && &a.storage() == &b.storage() && a.offset() == b.offset() &&
           a.dtype() == b.dtype() && a.shape() == b.shape() && a.strides() == b.strides();
}

}  // namespace

void assign(const Array& to, const Array& from, const char* function, bool is_dying) {
    check_target(to, from, function);
    to.settle();
    if (are_same_elements(to, from)) return;  // as in x[i] += y, which Python writes back
    if (has_extra_axes(from, to)) return assign(to, without_extra_axes(from, to), function);
    broadcast_strides(from.layout(), to.shape(), function);
    if (to.is_empty()) return;
    // Within a scope, an array that lives on is computed where the scope ends, if at all.
    const Array* const dying[] = {&from};
    if (from.is_pending() && (is_dying || !is_deferring()) && settle_into(from, to, {dying, size_t(is_dying)})) return;
    before_write(to.storage());  // may run `from` itself: check the overlap afterwards
    if (copy_few(to, from)) return;
    if (overlaps(to, from)) return assign(to, copy(from, 'K'), function);
    Expr expr;
    std::vector<View> inputs;
    const Absorbed absorbed = converting(from, to.dtype(), to.shape(), function, expr, inputs);
    run(expr, to.shape(), inputs, {&to, 1}, function);
}

void assign_where(const Array& to, const Array& mask, const Array& from, const char* function) {
    check_mask(to, mask, function);
    check_target(to, from, function);
    if (has_extra_axes(from, to)) return assign_where(to, mask, without_extra_axes(from, to), function);
    broadcast_strides(from.layout(), to.shape(), function);
    if (to.is_empty()) return;
    before_write(to.storage());  // may run `from`, too
    if (overlaps(to, from)) return assign_where(to, mask, copy(from, 'K'), function);
    Expr expr;
    std::vector<View> inputs;
    const Absorbed absorbed = converting(from, to.dtype(), to.shape(), function, expr, inputs);
    store_where(to, mask, expr, inputs, function);
}

void fill_where(const Array& to, const Array& mask, const Scalar& value, const char* function) {
    check_mask(to, mask, function);
    if (to.is_empty()) return;
    before_write(to.storage());
    Expr expr;
    std::vector<View> inputs;
    expr.outputs = {expr.scalar(convert(value, to.dtype()))};
    store_where(to, mask, expr, inputs, function);
}

void fill(const Array& to, const Scalar& value, const char* function) {
    if (!to.is_writable()) raise(ErrorKind::Value, function, ": assignment destination is read-only");
    const Scalar element = convert(value, to.dtype());
    Backend& target = to.storage().front();
    if (to.ndim() == 0 && target.is_host_accessible()) {
        // A single element is written without a kernel.
        before_write(to.storage());
        return target.write(to.storage(), to.offset(), element.bytes, item_size(to.dtype()));
    }
    before_write(to.storage());
    if (fill_few(to, element)) return;
    Expr expr;
    expr.outputs = {expr.scalar(element)};
    run(expr, to.shape(), {}, {&to, 1}, function);
}

Array to_device(const Array& from, Device device) {
    if (from.device() == device) return from;
    const bool is_dense = from.is_c_contiguous() || from.is_f_contiguous();
    const Array source = is_dense ? from : copy(from, 'K');
    Array result = empty(from.shape(), from.dtype(), device);
    if (!source.is_c_contiguous()) result = result.view({from.shape(), source.strides()});
    const int64_t bytes = source.nbytes();
    if (bytes == 0) return result;
    Backend &target = backend(device), &origin = backend(from.device());
    Backend& worker = target.is_host_accessible() ? origin : target;
    worker.copy(result.storage(), 0, source.storage(), source.offset(), bytes);
    return result;
}

void transfer(const Array& to, const Array& from, const char* function, bool is_dying) {
    if (to.device() == from.device()) return assign(to, from, function, is_dying);
    if (!to.is_writable()) raise(ErrorKind::Value, function, ": assignment destination is read-only");
    if (has_extra_axes(from, to)) return transfer(to, without_extra_axes(from, to), function);
    broadcast_strides(from.layout(), to.shape(), function);
    const bool is_alike =
        to.dtype() == from.dtype() && to.shape() == from.shape() &&
        ((to.is_c_contiguous() && from.is_c_contiguous()) || (to.is_f_contiguous() && from.is_f_contiguous()));
    if (to.is_empty()) return;
    if (!is_alike) {  // cast where fewer bytes travel
        const bool narrows = item_size(to.dtype()) < item_size(from.dtype());
        const Array source = narrows ? astype(from, to.dtype(), 'K', false) : from;
        return assign(to, to_device(source, to.device()), function);
    }
    from.settle();
    before_write(to.storage());
    to.storage().front().copy(to.storage(), to.offset(), from.storage(), from.offset(), to.nbytes());
}

void read_contiguous(const Array& from, void* to) {
    const Array source = from.is_c_contiguous() ? from : copy(from, 'C');
    if (const int64_t bytes = source.nbytes())
        source.storage().front().read(to, source.storage(), source.offset(), bytes);
}

Array from_host(const void* data, const Dims& shape, const Dims& strides, DType dtype, Device device) {
    const Device cpu{};
    const int64_t item = item_size(dtype);
    const Layout layout{shape, strides};
    checked_size(shape, item, "array");
    const Extent reach = extent(layout, item);
    char* base = static_cast<char*>(const_cast<void*>(data)) + reach.low;
    const Array borrowed(foreign_storage(cpu, base, reach.high - reach.low, nullptr, nullptr), -reach.low, layout,
                         dtype);
    if (device == cpu) return copy(borrowed, 'K');
    return to_device(borrowed, device);
}

Scalar item(const Array& array, const char* function) {
    if (array.size() != 1)
        raise(ErrorKind::Value, function,
              ": only an array of size 1 can be converted to a Python scalar, this one has shape ",
              to_string(array.shape()));
    Scalar value;
    value.dtype = array.dtype();
    array.storage().front().read(value.bytes, array.storage(), array.offset(), item_size(array.dtype()));
    return value;
}

}  // namespace cuarray
