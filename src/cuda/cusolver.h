// cusolver.h -- cuSOLVER: its functions, the handles of one GPU, and a call of it.
#pragma once
#include <vector>
#include "cuarray/runtime/task.h"
#include "cuda/context.h"
#include "cuda/cusolver_api.h"
#include "cuda/library.h"

namespace cuarray::cuda {

class GpuStream;

struct Cusolver {
    static const LibraryInfo info;
#define CUARRAY_DECLARE(name, ...) LibraryFunction<__VA_ARGS__> name{info, #name};
    CUARRAY_CUSOLVER_FUNCTIONS(CUARRAY_DECLARE)
#undef CUARRAY_DECLARE
#define CUARRAY_DECLARE(name, ...) LibraryFunction<__VA_ARGS__> name{info, #name, IsOptional::Yes};
    CUARRAY_CUSOLVER_LATER_FUNCTIONS(CUARRAY_DECLARE)
#undef CUARRAY_DECLARE
    std::string path;
    int version = 0;

    template <class Visit>
    void functions(Visit visit) {
#define CUARRAY_VISIT(name, ...) visit(name);
        CUARRAY_CUSOLVER_FUNCTIONS(CUARRAY_VISIT)
        CUARRAY_CUSOLVER_LATER_FUNCTIONS(CUARRAY_VISIT)
#undef CUARRAY_VISIT
    }
    const LibraryFunction<int, int*>& get_property() const { return cusolverGetProperty; }
};

/// A handle of cuSOLVER, and the options of its functions, which stay the default ones.
struct CusolverHandle {
    cusolverHandle handle = nullptr;
    cusolverParams params = nullptr;
    gesvdjInfo jacobi = nullptr;
};

/// A handle of cuSOLVER for the life of the object, whose calls are queued on a stream.
class CusolverLease {
 public:
    /// `function` is the public one, which errors name.
    CusolverLease(const Context& context, Handles<CusolverHandle>& handles, const GpuStream& stream,
                  const char* function);

    const Cusolver& library;
    CusolverHandle get() const { return lease_; }

 private:
    const Handles<CusolverHandle>::Lease lease_;
};

/// Memory of the host that a call may use as long as its work is queued: the end waits for that.
class HostWorkspace {
 public:
    HostWorkspace(GpuStream& stream, size_t bytes) : stream_(stream), bytes_(bytes) {}
    ~HostWorkspace();
    HostWorkspace(const HostWorkspace&) = delete;
    HostWorkspace& operator=(const HostWorkspace&) = delete;

    void* data() { return bytes_.data(); }

 private:
    GpuStream& stream_;
    std::vector<char> bytes_;
};

/// cudaDataType
int cuda_type_of(DType dtype);
int real_type_of(int type);

/// One routine of LAPACK for all matrices of a task, on one stream. Holds a handle for its life.
class CusolverCall {
 public:
    CusolverCall(const Context& context, Handles<CusolverHandle>& handles, const GpuStream& stream,
                 const LapackRoutine& task);

    /// The memory that `run` needs, until the stream has done its work.
    size_t device_bytes() const { return device_bytes_; }
    size_t host_bytes() const { return host_bytes_; }
    /// The function that `run` calls.
    const char* name() const { return name_; }
    void run(void* device_workspace, void* host_workspace);

 private:
    template <class Visit>
    void with_arguments(int64_t matrix, Visit visit) const;
    template <class Visit>
    void with_columns(Visit visit) const;
    void measure();
    void run_one(int64_t matrix, void* device_workspace, void* host_workspace) const;

    const Context& context_;
    const CusolverLease lease_;
    const Cusolver& library_;
    const LapackRoutine& task_;
    const cusolverHandle handle_;
    const cusolverParams params_;
    const int type_, real_type_;
    const char* name_ = "";
    size_t device_bytes_ = 0, host_bytes_ = 0;
};

}  // namespace cuarray::cuda
