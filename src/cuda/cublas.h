// cublas.h -- cuBLAS: its functions, and the handles of one GPU.
#pragma once
#include <cstdint>
#include <span>
#include "cuarray/runtime/task.h"
#include "cuda/context.h"
#include "cuda/cublas_api.h"
#include "cuda/library.h"

namespace cuarray::cuda {

class GpuStream;

struct Cublas {
    static const LibraryInfo info;
#define CUARRAY_DECLARE(name, ...) LibraryFunction<__VA_ARGS__> name{info, #name};
    CUARRAY_CUBLAS_FUNCTIONS(CUARRAY_DECLARE)
#undef CUARRAY_DECLARE
    std::string path;
    int version = 0;

    template <class Visit>
    void functions(Visit visit) {
#define CUARRAY_VISIT(name, ...) visit(name);
        CUARRAY_CUBLAS_FUNCTIONS(CUARRAY_VISIT)
#undef CUARRAY_VISIT
    }
    const LibraryFunction<int, int*>& get_property() const { return cublasGetProperty; }
};

/// A handle of cuBLAS for the life of the object, whose calls are queued on a stream and may use a workspace.
class CublasCall {
 public:
    CublasCall(const Context& context, Handles<cublasHandle>& handles, const GpuStream& stream, void* workspace,
               size_t workspace_bytes);

    const Cublas& library;
    operator cublasHandle() const { return handle_; }

 private:
    const Current current_;
    const RelaxedCapture relaxed_;  // the library may load kernels
    const Handles<cublasHandle>::Lease handle_;
};

/// Products of matrices by cuBLAS on one GPU.
class CublasProducts {
 public:
    CublasProducts(const Context& context, Handles<cublasHandle>& handles) : context_(context), handles_(handles) {}

    /// Whether cuBLAS is there and takes this dtype.
    bool takes(DType dtype) const;
    /// The bytes of memory that a call may use, on this stream alone.
    size_t workspace_bytes(const Matmul& task) const;
    /// Whether the view's matrices can be factors, or results, where they are.
    static bool takes(const View& view, const Dims& shape);
    static bool stores_to(const View& view, const Dims& shape);
    /// Queues the products on a stream, from and to views that it takes.
    struct Matrices {
        const View &left, &right, &result;
    };
    void multiply(const GpuStream& stream, const Matmul& task, const Matrices& operands, void* workspace);

 private:
    const Context& context_;
    Handles<cublasHandle>& handles_;
};

}  // namespace cuarray::cuda
