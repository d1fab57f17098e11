// lapack_drivers.cpp -- makes a LapackDriver of arrays.
#include "ops/lapack_drivers.h"
#include "cuarray/array/elements.h"
#include "ops/packed.h"

namespace cuarray::linalg {
namespace {

Dims with_extents(Dims stack, std::span<const int64_t> extents) {
    for (const int64_t extent : extents) stack.push_back(extent);
    return stack;
}

}  // namespace

DriverCall::DriverCall(Kind kind, const Array& a, DType dtype, const Dims& stack, const char* name)
    : dtype_(dtype), device_(a.device()), stack_(stack) {
    task_.kind = kind;
    task_.vectors = LapackDriver::VectorSet::None;
    task_.lower = true;
    task_.batch = count(stack);
    task_.name = name;
    read(task_.matrix, matrix_, a);
}

void DriverCall::read(Stack& to, Array& keep, const Array& matrices) {
    const Array* from = &matrices;
    if (from->dtype() != dtype_) from = &(keep = astype(*from, dtype_, 'K', false));
    if (!is_aligned(*from)) from = &(keep = copy(*from, 'C'));
    const bool is_column = from->ndim() == 1;
    const int axes = is_column ? 1 : 2, own = from->ndim() - axes;
    to.rows = from->shape()[own], to.columns = is_column ? 1 : from->shape()[own + 1];
    if (!is_column && stack_.size() > 0) {
        const Dims spread = with_extents(stack_, Dims{to.rows, to.columns});
        if (from->shape() != spread) from = &(keep = from->broadcast_to(spread, task_.name));
        if (from->ndim() > 3) from = &(keep = from->reshape({task_.batch, to.rows, to.columns}));
    }
    const Dims& strides = from->strides();
    const bool is_stack = from->ndim() == 3;
    to.view.storage = &from->storage(), to.view.offset = from->offset(), to.view.dtype = dtype_;
    to.view.strides.resize(3);
    to.view.strides[0] = is_stack ? strides[0] : 0;
    to.view.strides[1] = strides[is_stack];
    to.view.strides[2] = is_column ? item_size(dtype_) : strides[is_stack + 1];
}

Array DriverCall::write(Stack& to, std::initializer_list<int64_t> extents, DType dtype) {
    const std::span<const int64_t> last(extents.begin(), extents.size());
    Array result = empty(with_extents(stack_, last), dtype, device_);
    to.rows = last.size() > 1 ? last[0] : 1, to.columns = last.empty() ? 1 : last.back();
    const int64_t item = item_size(dtype);
    to.view.storage = &result.storage(), to.view.offset = result.offset(), to.view.dtype = dtype;
    to.view.strides.resize(3);
    to.view.strides[0] = to.rows * to.columns * item;
    to.view.strides[1] = to.columns * item;
    to.view.strides[2] = item;
    return result;
}

bool DriverCall::run() {
    bool has_failed = false;
    task_.has_failed = &has_failed;
    task_.rank = &rank_;
    task_.matrix.view.storage->front().run(task_);
    return !has_failed;
}

}  // namespace cuarray::linalg
