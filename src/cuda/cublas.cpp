// cublas.cpp -- products of stacks of matrices by cuBLAS. Its matrices are stored by columns: it is asked for the
// transposed product, right.T @ left.T.
#include "cuda/cublas.h"

#include <algorithm>
#include <optional>

#include "cuda/stream.h"

namespace cuarray::cuda {
namespace {

const char* cublas_status(int status) {
    switch (status) {
#define CUARRAY_NAME(name, value) \
    case value: return #name;
        CUARRAY_CUBLAS_STATUSES(CUARRAY_NAME)
#undef CUARRAY_NAME
        default: return nullptr;
    }
}

/// How cuBLAS computes with a dtype; `type` is -1 for those that it does not take.
struct Arithmetic {
    int type = -1, compute = 0, compute_tf32 = 0;
    const void *one = nullptr, *zero = nullptr;
};

Arithmetic arithmetic_of(DType dtype) {
    static constexpr float kFloats[][2] = {{1, 0}, {0, 0}};
    static constexpr double kDoubles[][2] = {{1, 0}, {0, 0}};
    const auto single = [](int type) {
        return Arithmetic{type, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, kFloats[0], kFloats[1]};
    };
    const auto twice = [](int type) {
        return Arithmetic{type, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F, kDoubles[0], kDoubles[1]};
    };
    const int64_t item = item_size(dtype);
    if (info(dtype).kind == Kind::Complex) return item == 8 ? single(CUDA_C_32F) : twice(CUDA_C_64F);
    if (info(dtype).kind != Kind::Floating || item < 2) return {};
    if (item == 2) return single(dtype == DType::bfloat16 ? CUDA_R_16BF : CUDA_R_16F);
    return item == 4 ? single(CUDA_R_32F) : twice(CUDA_R_64F);
}

/// A matrix as cuBLAS takes its transpose: columns of contiguous elements, `leading` elements apart.
struct Columns {
    int operation = CUBLAS_OP_N;
    int64_t leading = 0;
};

std::optional<Columns> columns_of(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                                  int64_t item) {
    const auto are_lines = [item](int64_t step, int64_t length, int64_t apart, int64_t count) {
        return (length == 1 || step == item) && (count == 1 || (apart % item == 0 && apart >= length * item));
    };
    if (are_lines(column_stride, columns, row_stride, rows))
        return Columns{CUBLAS_OP_N, rows > 1 ? row_stride / item : columns};
    if (are_lines(row_stride, rows, column_stride, columns))
        return Columns{CUBLAS_OP_T, columns > 1 ? column_stride / item : rows};
    return {};
}

/// The matrices of a stack; nothing if a stride is not whole elements, or negative.
std::optional<Columns> columns_of(const View& view, const Dims& shape) {
    const int axes = shape.size();
    const int64_t item = item_size(view.dtype);
    for (int d = 0; d < axes - 2; ++d)
        if (view.strides[d] < 0 || view.strides[d] % item != 0) return {};
    return columns_of(shape[axes - 2], shape[axes - 1], view.strides[axes - 2], view.strides[axes - 1], item);
}

/// The stack as one run of matrices and, for each, `others` like it: as few calls as its axes allow.
class Batches {
 public:
    Batches(const Dims& batch, std::span<const Dims* const, 3> strides) {
        collapse(space_, batch, strides);
        for (int d = 1; d < space_.ndim; ++d)
            if (space_.shape[d] > space_.shape[inner_]) inner_ = d;
    }

    int64_t count() const { return space_.ndim ? space_.shape[inner_] : 1; }
    int64_t stride(int operand) const { return space_.ndim ? space_.strides[operand][inner_] : 0; }

    /// Calls visit(offsets in bytes of the operands) for each run.
    template <class Visit>
    void each(Visit visit) const {
        for (int64_t run = 0; run < space_.size / count(); ++run) {
            int64_t offsets[3] = {space_.offset[0], space_.offset[1], space_.offset[2]};
            int64_t rest = run;
            for (int d = space_.ndim - 1; d >= 0; --d) {
                if (d == inner_) continue;
                const int64_t index = rest % space_.shape[d];
                rest /= space_.shape[d];
                for (int k = 0; k < 3; ++k) offsets[k] += index * space_.strides[k][d];
            }
            visit(offsets);
        }
    }

 private:
    Space space_;
    int inner_ = 0;
};

CUdeviceptr stack_address(const View& view) {
    return reinterpret_cast<CUdeviceptr>(view.storage->data) + CUdeviceptr(view.offset);
}

cublasHandle make_handle(const Cublas& cublas) {
    cublasHandle handle = nullptr;
    cublas.cublasCreate_v2(&handle);
    cublas.cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    return handle;
}

}  // namespace

const LibraryInfo Cublas::info{"cublas", "cuBLAS", 0, CUBLAS_STATUS_ALLOC_FAILED, cublas_status};

CublasCall::CublasCall(const Context& context, Handles<cublasHandle>& handles, const GpuStream& stream, void* workspace,
                       size_t workspace_bytes)
    : library(*find_library<Cublas>()),
      current_(context),
      relaxed_(context.driver),
      handle_(handles, [&] { return make_handle(library); }) {
    library.cublasSetStream_v2(handle_, stream.queue());
    library.cublasSetWorkspace_v2(handle_, workspace, workspace_bytes);
}

bool CublasProducts::takes(DType dtype) const {
    if (arithmetic_of(dtype).type < 0 || (dtype == DType::bfloat16 && context_.capability < 80)) return false;
    return find_library<Cublas>() != nullptr;
}

// NVIDIA's recommendation: 32 MiB for Hopper, 4 MiB before; newer GPUs are taken to be like Hopper. Small results need
// less: 1 MiB holds 16 partial sums of each element, and comes from the list of small blocks, without a driver call.
size_t CublasProducts::workspace_bytes(const Matmul& task) const {
    constexpr int64_t kSmallResult = 128 * 128;
    const size_t mebibytes = task.rows * task.columns <= kSmallResult ? 1 : context_.capability >= 90 ? 32 : 4;
    return mebibytes << 20;
}

bool CublasProducts::takes(const View& view, const Dims& shape) { return columns_of(view, shape).has_value(); }

bool CublasProducts::stores_to(const View& view, const Dims& shape) {
    const std::optional<Columns> columns = columns_of(view, shape);
    return columns && columns->operation == CUBLAS_OP_N;
}

void CublasProducts::multiply(const GpuStream& stream, const Matmul& task, const Matrices& operands, void* workspace) {
    const Arithmetic arithmetic = arithmetic_of(operands.result.dtype);
    const int64_t item = item_size(operands.result.dtype);
    const Columns a = columns_of(operands.right, task.stack_of(task.depth, task.columns)).value();
    const Columns b = columns_of(operands.left, task.stack_of(task.rows, task.depth)).value();
    const Columns c = columns_of(operands.result, task.stack_of(task.rows, task.columns)).value();
    Dims strides[3];
    const View* const views[] = {&operands.right, &operands.left, &operands.result};
    for (int k = 0; k < 3; ++k) strides[k] = Dims(std::span(views[k]->strides).first(size_t(task.batch.size())));
    const Dims* const all[] = {&strides[0], &strides[1], &strides[2]};
    const Batches batches(task.batch, all);

    const CublasCall call(context_, handles_, stream, workspace, workspace_bytes(task));
    batches.each([&](const int64_t* offsets) {
        void* matrices[3];
        for (int k = 0; k < 3; ++k) matrices[k] = reinterpret_cast<void*>(stack_address(*views[k]) + offsets[k]);
        call.library.cublasGemmStridedBatchedEx_64(
            call, a.operation, b.operation, task.columns, task.rows, task.depth, arithmetic.one, matrices[0],
            arithmetic.type, a.leading, batches.stride(0) / item, matrices[1], arithmetic.type, b.leading,
            batches.stride(1) / item, arithmetic.zero, matrices[2], arithmetic.type, c.leading,
            batches.stride(2) / item, batches.count(), task.tf32 ? arithmetic.compute_tf32 : arithmetic.compute,
            CUBLAS_GEMM_DEFAULT);
    });
}

}  // namespace cuarray::cuda
