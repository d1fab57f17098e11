// array.cpp -- the Array value: views, reshapes, operands.
#include "cuarray/array/array.h"
#include "cuarray/array/elements.h"

#include <algorithm>
#include <numeric>

#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"

namespace cuarray {

Array::Array(PendingNode* node)
    : node_(node), layout_{node->shape, node->strides}, dtype_(node->dtype), waits_on_(node->device) {
    node->retain();
    ++node->handles;
}

/// Becomes a handle of the other's node; false if the node has run in the meantime.
bool Array::share_node(const Array& other) const {
    const GraphLock lock = lock_graph();
    PendingNode* const node = other.pending();
    if (!node) return false;
    node->retain();
    ++node->handles;
    node_.store(node, std::memory_order_relaxed);
    return true;
}

void Array::drop_node(PendingNode* node) {
    --node->handles;
    node->release();
}

void Array::run_pending() const {
    const GraphLock lock = lock_graph();
    const Ref<PendingNode> node(pending());
    if (!node) return;
    cuarray::settle(*node);
    if (!is_pending()) return;  // a finalizer has settled this array during the run
    storage_ = node->result;
    node_.store(nullptr, std::memory_order_release);
    drop_node(node.get());
}

void settle_if_run(const Array& array) {
    const GraphLock lock = lock_graph();
    const PendingNode* const node = array.pending();
    if (node && !node->graph) array.settle();
}

void Array::raise_empty() {
    raise(ErrorKind::Value, "Array: this handle is empty, as Array() is and an array that was moved from");
}

void Array::raise_revoked() {
    raise(ErrorKind::Runtime,
          "this array's memory was lent for the time of a call, which has ended; write x.copy() inside the call");
}

bool Array::is_c_contiguous() const { return cuarray::is_c_contiguous(layout_, item_size(dtype())); }
bool Array::is_f_contiguous() const { return cuarray::is_f_contiguous(layout_, item_size(dtype())); }
bool Array::is_writable() const { return !read_only_; }

Array Array::view(Layout layout, int64_t offset, DType dtype) const {
    Array result(storage_ref(), offset_ + offset, std::move(layout), dtype);
    result.read_only_ = read_only_;
    return result;
}

Array Array::broadcast_to(const Dims& shape, const char* function) const {
    checked_size(shape, item_size(dtype()), function);
    Array result = view({shape, broadcast_strides(layout_, shape, function)});
    if (!(shape == layout_.shape)) result.read_only_ = true;
    return result;
}

Array Array::transpose(const Dims& axes) const {
    Layout layout{Dims::filled(ndim(), 0), Dims::filled(ndim(), 0)};
    if (axes.size() != ndim()) raise(ErrorKind::Value, "transpose: ", axes.size(), " axes for ", ndim());
    for (int i = 0; i < ndim(); ++i) {
        if (axes[i] < 0 || axes[i] >= ndim())
            raise(ErrorKind::Axis, "transpose: axis ", axes[i], " is not one of ", ndim());
        if (std::find(axes.begin(), axes.begin() + i, axes[i]) != axes.begin() + i)
            raise(ErrorKind::Value, "transpose: axis ", axes[i], " twice");
        layout.shape[i] = layout_.shape[int(axes[i])];
        layout.strides[i] = layout_.strides[int(axes[i])];
    }
    return view(std::move(layout));
}

namespace {

Dims reversed(const Dims& dims) {
    Dims result = dims;
    std::reverse(result.begin(), result.end());
    return result;
}

Dims reversed_axes(int ndim) {
    Dims axes = Dims::filled(ndim, 0);
    for (int i = 0; i < ndim; ++i) axes[i] = ndim - 1 - i;
    return axes;
}

/// The shape with its -1, if any, replaced by the missing extent.
Dims complete_shape(const Dims& wanted, int64_t size, const Dims& old) {
    Dims shape = wanted;
    int unknown = -1;
    int64_t known = 1;
    bool is_too_large = false;
    for (int i = 0; i < shape.size(); ++i) {
        if (shape[i] >= 0)
            is_too_large |= __builtin_mul_overflow(known, shape[i], &known);
        else if (shape[i] == -1 && unknown < 0)
            unknown = i;
        else if (shape[i] == -1)
            raise(ErrorKind::Value, "reshape: can only specify one unknown dimension, got ", to_string(wanted));
        else
            raise(ErrorKind::Value, "reshape: negative dimensions are not allowed, got ", to_string(wanted));
    }
    const bool fits = !is_too_large && (unknown < 0 ? known == size : known != 0 && size % known == 0);
    if (!fits)
        raise(ErrorKind::Value, "reshape: cannot reshape array of size ", size, " and shape ", to_string(old),
              " into shape ", to_string(wanted));
    if (unknown >= 0) shape[unknown] = size / known;
    return shape;
}

}  // namespace

Array Array::reshape(const Dims& wanted, char order, bool copy, bool never_copy) const {
    const Dims shape = complete_shape(wanted, size(), layout_.shape);
    checked_size(shape, item_size(dtype_), "reshape");
    if (wanted == layout_.shape && !copy) return view(layout_);  // with -1 the strides are new, as in NumPy
    if (std::string_view("CFA").find(order) == std::string_view::npos)
        raise(ErrorKind::Value, "reshape: order must be 'C', 'F' or 'A', not '", order, "'");
    if (order == 'A') order = is_f_contiguous() && !is_c_contiguous() ? 'F' : 'C';
    if (order == 'F') {
        // Fortran order is C order of the transposed array into the reversed shape.
        const Array turned = transpose(reversed_axes(ndim()));
        return turned.reshape(reversed(shape), 'C', copy, never_copy).transpose(reversed_axes(shape.size()));
    }
    Dims packed = shape;
    if (is_empty())  // axes count as one element at least, as NumPy has it here and not in new memory
        for (int64_t& extent : packed) extent = std::max<int64_t>(extent, 1);
    packed = c_strides(packed, item_size(dtype_));
    Dims strides;
    if (is_c_contiguous()) strides = packed;
    const bool viewable = !strides.empty() || reshape_strides(layout_, shape, strides);
    if (viewable && !copy) return view({shape, strides});
    if (never_copy)
        raise(ErrorKind::Value, "reshape: array of shape ", to_string(layout_.shape), " and strides ",
              to_string(layout_.strides), " cannot be reshaped to ", to_string(shape), " without a copy");
    const Array contiguous = cuarray::copy(*this, 'C');
    return contiguous.view({shape, packed});
}

bool overlaps(const Array& a, const Array& b) {
    if (a.is_pending() || b.is_pending()) {
        const GraphLock lock = lock_graph();
        settle_if_run(a), settle_if_run(b);
        // A result not yet computed gets new memory, which only handles of the same node share.
        if (a.is_pending() || b.is_pending()) return a.pending() == b.pending() && !a.is_empty();
    }
    // Distinct storages overlap only in exported or imported memory.
    const Storage &first = a.storage(), &second = b.storage();
    if (&first != &second && !first.is_exported() && !second.is_exported()) return false;
    if (!(a.device() == b.device())) return false;
    return may_overlap(uintptr_t(a.data()), a.layout(), item_size(a.dtype()), uintptr_t(b.data()), b.layout(),
                       item_size(b.dtype()));
}

char* direct_elements(const Array& array) {
    if (array.nbytes() > kFewBytes || !(array.is_c_contiguous() || array.is_f_contiguous())) return nullptr;
    char* const data = direct_data(array);
    const uintptr_t address = reinterpret_cast<uintptr_t>(data);
    return address % uintptr_t(info(array.dtype()).align) ? nullptr : data;
}

}  // namespace cuarray
