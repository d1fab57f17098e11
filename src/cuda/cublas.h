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

/// Products of matrices by cuBLAS on one GPU.
class CublasProducts {
 public:
    explicit CublasProducts(const Context& context) : context_(context) {}

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
    cublasHandle make_handle() const;

    const Context& context_;
    Handles<cublasHandle> handles_;
};

}  // namespace cuarray::cuda
