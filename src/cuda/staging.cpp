// staging.cpp -- replaces operands that kernels cannot address directly by aligned copies on the same GPU.
#include <algorithm>
#include <numeric>
#include "cuda/backend.h"

namespace cuarray::cuda {
namespace {

/// The widest word, in bytes, to which all elements of the view are aligned.
int64_t common_word(const View& view, const Dims& shape, int64_t item) {
    int64_t word = std::gcd(int64_t(address_of(view) % 8), int64_t(8));
    word = std::gcd(word, item);
    for (int axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 1) word = std::gcd(word, view.strides[axis]);
    return word;
}

bool is_aligned(const View& view, const Dims& shape) {
    uint64_t bits = address_of(view);
    for (int axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > 1) bits |= uint64_t(view.strides[axis]);
    return bits % uint64_t(info(view.dtype).align) == 0;
}

bool are_aligned(std::span<const View> views, const Dims& shape) {
    return std::all_of(views.begin(), views.end(), [&](const View& view) { return is_aligned(view, shape); });
}

DType unsigned_of(int64_t bytes) {
    return bytes == 8 ? DType::uint64 : bytes == 4 ? DType::uint32 : bytes == 2 ? DType::uint16 : DType::uint8;
}

/// The shape with extent 1 along the axes where the view is broadcast.
Dims distinct(const View& view, Dims shape) {
    for (int axis = 0; axis < shape.size(); ++axis)
        if (view.strides[axis] == 0) shape[axis] = std::min<int64_t>(shape[axis], 1);
    return shape;
}

}  // namespace

// Copies each element as a row of words along an additional axis, so that one program per word size serves all
// dtypes.
void GpuBackend::copy_elements(const View& to, const View& from, const Dims& shape) {
    const int64_t item = item_size(from.dtype);
    const int64_t word = std::gcd(common_word(to, shape, item), common_word(from, shape, item));
    Expr expr;
    expr.outputs = {expr.input(unsigned_of(word))};
    Dims words = shape;
    words.push_back(item / word);
    View target = to, source = from;
    target.dtype = source.dtype = unsigned_of(word);
    target.strides.push_back(word);
    source.strides.push_back(word);
    run_elementwise(expr, words, {&target, 1}, {&source, 1}, "copy");
}

View Staging::contiguous_over(const View& like, const Dims& extents) {
    const int64_t item = item_size(like.dtype);
    View view = like;
    view.offset = 0;
    view.strides = c_strides(extents, item);
    for (int axis = 0; axis < extents.size(); ++axis)
        if (extents[axis] == 1) view.strides[axis] = 0;
    memory_.push_back(backend_.allocate(count(extents) * item));
    view.storage = memory_.back().get();
    return view;
}

View Staging::contiguous(const View& like, const Dims& shape) { return contiguous_over(like, distinct(like, shape)); }

View Staging::matrices(const View& view, const Dims& shape) {
    Dims extents = distinct(view, shape);
    for (int axis = shape.size() - 2; axis < shape.size(); ++axis) extents[axis] = shape[axis];
    const View copy = contiguous_over(view, extents);
    backend_.copy_elements(copy, view, extents);
    return copy;
}

std::span<const View> Staging::inputs(std::span<const View> views, const Dims& shape) {
    if (are_aligned(views, shape)) return views;
    inputs_.assign(views.begin(), views.end());
    for (View& view : inputs_) {
        if (is_aligned(view, shape)) continue;
        const View staged = contiguous(view, shape);
        backend_.copy_elements(staged, view, distinct(view, shape));
        view = staged;
    }
    return inputs_;
}

std::span<const View> Staging::outputs(std::span<const View> views, const Dims& shape, bool keep) {
    if (are_aligned(views, shape)) return views;
    outputs_.assign(views.begin(), views.end());
    for (View& view : outputs_) {
        if (is_aligned(view, shape)) continue;
        const View staged = contiguous(view, shape);
        const Dims extents = distinct(view, shape);
        if (keep) backend_.copy_elements(staged, view, extents);
        back_.push_back({view, staged, extents});
        view = staged;
    }
    return outputs_;
}

void Staging::finish() {
    for (const CopyBack& copy : back_) backend_.copy_elements(copy.to, copy.from, copy.shape);
    back_.clear();
}

}  // namespace cuarray::cuda
