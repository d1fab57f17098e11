// cusolver.cpp -- calls of cuSOLVER: one for each matrix of a stack, by the 64-bit interface where there is one.
#include "cuda/cusolver.h"

#include <algorithm>
#include <limits>

#include "cuda/cublas_api.h"
#include "cuda/stream.h"

namespace cuarray::cuda {
namespace {

using Routine = LapackRoutine::Kind;
using VectorSet = LapackRoutine::VectorSet;

const char* cusolver_status(int status) {
    switch (status) {
#define CUARRAY_NAME(name, value) \
    case value: return #name;
        CUARRAY_CUSOLVER_STATUSES(CUARRAY_NAME)
#undef CUARRAY_NAME
        default: return nullptr;
    }
}

const Cusolver& cusolver(const char* function) {
    std::string why_none;
    if (const Cusolver* const library = find_library<Cusolver>(&why_none)) return *library;
    raise(ErrorKind::NotImplemented, function,
          ": on a GPU, factorisations need cuSOLVER; without it, write x.to_device('cpu'); ", why_none);
}

int complex_type_of(int type) { return type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_C_32F : CUDA_C_64F; }

int as_int(int64_t extent, const char* function) {
    if (extent > std::numeric_limits<int>::max())
        raise(ErrorKind::Value, function, ": cuSOLVER takes no matrices of ", extent, " rows or columns here");
    return int(extent);
}

signed char job_of(VectorSet vectors) { return static_cast<signed char>("NSA"[int(vectors)]); }

/// The part of one matrix; null if there is none.
template <class T = void>
T* address_of_matrix(const View& view, int64_t matrix) {
    return view.storage ? reinterpret_cast<T*>(view.data() + matrix * view.strides[0]) : nullptr;
}

}  // namespace

const LibraryInfo Cusolver::info{"cusolver", "cuSOLVER", 1, CUSOLVER_STATUS_ALLOC_FAILED, cusolver_status};

int cuda_type_of(DType dtype) {
    const bool is_complex = info(dtype).kind == Kind::Complex;
    if (item_size(dtype) == (is_complex ? 8 : 4)) return is_complex ? CUDA_C_32F : CUDA_R_32F;
    return is_complex ? CUDA_C_64F : CUDA_R_64F;
}

int real_type_of(int type) { return type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_R_32F : CUDA_R_64F; }

HostWorkspace::~HostWorkspace() {
    if (!bytes_.empty()) stream_.settle();
}

CusolverLease::CusolverLease(const Context& context, Handles<CusolverHandle>& handles, const GpuStream& stream,
                             const char* function)
    : library(cusolver(function)), lease_(handles, [&] {
          const Current current(context);
          const RelaxedCapture relaxed(context.driver);
          CusolverHandle made;
          library.cusolverDnCreate(&made.handle);
          library.cusolverDnCreateParams(&made.params);
          library.cusolverDnCreateGesvdjInfo(&made.jacobi);
          return made;
      }) {
    const Current current(context);
    library.cusolverDnSetStream(get().handle, stream.queue());
}

CusolverCall::CusolverCall(const Context& context, Handles<CusolverHandle>& handles, const GpuStream& stream,
                           const LapackRoutine& task)
    : context_(context),
      lease_(context, handles, stream, task.name),
      library_(lease_.library),
      task_(task),
      handle_(lease_.get().handle),
      params_(lease_.get().params),
      type_(cuda_type_of(task.matrix.dtype)),
      real_type_(real_type_of(type_)) {
    const Current current(context);
    measure();
}

/// Calls visit(size, routine, arguments...) for a routine whose functions have their arguments in common.
template <class Visit>
void CusolverCall::with_arguments(int64_t matrix, Visit visit) const {
    const int64_t m = task_.rows, n = task_.columns;
    void* const a = address_of_matrix(task_.matrix, matrix);
    void* const numbers = address_of_matrix(task_.numbers, matrix);
    const int triangle = task_.lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    if (task_.kind == Routine::Potrf)
        return visit(library_.cusolverDnXpotrf_bufferSize, library_.cusolverDnXpotrf, triangle, n, type_, a, m, type_);
    if (task_.kind == Routine::Geqrf)
        return visit(library_.cusolverDnXgeqrf_bufferSize, library_.cusolverDnXgeqrf, m, n, type_, a, m, type_, numbers,
                     type_);
    if (task_.kind == Routine::Syevd) {
        const int job = task_.vectors == VectorSet::None ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;
        return visit(library_.cusolverDnXsyevd_bufferSize, library_.cusolverDnXsyevd, job, triangle, n, type_, a, m,
                     real_type_, numbers, type_);
    }
    if (task_.kind == Routine::Geev) {
        const int job = task_.vectors == VectorSet::None ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;
        return visit(library_.cusolverDnXgeev_bufferSize, library_.cusolverDnXgeev, CUSOLVER_EIG_MODE_NOVECTOR, job, n,
                     type_, a, m, complex_type_of(type_), numbers, type_, static_cast<void*>(nullptr), m, type_,
                     address_of_matrix(task_.right_vectors, matrix), m, type_);
    }
    const signed char job = job_of(task_.vectors);
    visit(library_.cusolverDnXgesvd_bufferSize, library_.cusolverDnXgesvd, job, job, m, n, type_, a, m, real_type_,
          numbers, type_, address_of_matrix(task_.left_vectors, matrix), m, type_,
          address_of_matrix(task_.right_vectors, matrix), n, type_);
}

/// Calls visit(size, routine, null pointer to the dtype) with the functions of this dtype that form columns of Q.
template <class Visit>
void CusolverCall::with_columns(Visit visit) const {
    const Cusolver& s = library_;
    const auto no = []<class T>(T) { return static_cast<T*>(nullptr); };
    switch (type_) {
        case CUDA_R_32F: return visit(s.cusolverDnSorgqr_bufferSize, s.cusolverDnSorgqr, no(float()));
        case CUDA_R_64F: return visit(s.cusolverDnDorgqr_bufferSize, s.cusolverDnDorgqr, no(double()));
        case CUDA_C_32F: return visit(s.cusolverDnCungqr_bufferSize, s.cusolverDnCungqr, no(std::complex<float>()));
        default: return visit(s.cusolverDnZungqr_bufferSize, s.cusolverDnZungqr, no(std::complex<double>()));
    }
}

void CusolverCall::measure() {
    const auto ask = [this](const auto& size, const auto& routine, auto... arguments) {
        name_ = routine.name;
        if (!routine.address)
            raise(ErrorKind::NotImplemented, task_.name, ": on a GPU it needs ", routine.name,
                  " of cuSOLVER, which came with CUDA 12.6 Update 2, and ", library_.path,
                  " is older; update it, or write x.to_device('cpu')");
        size(handle_, params_, arguments..., &device_bytes_, &host_bytes_);
    };
    if (task_.kind == Routine::Getrs) {
        name_ = library_.cusolverDnXgetrs.name;
    } else if (task_.kind == Routine::Getrf) {
        ask(library_.cusolverDnXgetrf_bufferSize, library_.cusolverDnXgetrf, task_.rows, task_.columns, type_,
            address_of_matrix(task_.matrix, 0), task_.rows, type_);
    } else if (task_.kind == Routine::Orgqr) {
        with_columns([this]<class T>(const auto& size, const auto& routine, T*) {
            const int m = as_int(task_.rows, task_.name), n = as_int(task_.columns, task_.name);
            int items = 0;
            name_ = routine.name;
            size(handle_, m, n, int(task_.count), address_of_matrix<T>(task_.matrix, 0), m,
                 address_of_matrix<T>(task_.numbers, 0), &items);
            device_bytes_ = size_t(items) * sizeof(T);
        });
    } else
        with_arguments(0, ask);
}

void CusolverCall::run(void* device_workspace, void* host_workspace) {
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);  // the library may allocate and wait
    for (int64_t matrix = 0; matrix < task_.batch; ++matrix) run_one(matrix, device_workspace, host_workspace);
}

void CusolverCall::run_one(int64_t matrix, void* device_workspace, void* host_workspace) const {
    const int64_t m = task_.rows, n = task_.columns;
    void* const a = address_of_matrix(task_.matrix, matrix);
    int* const info = address_of_matrix<int>(task_.info, matrix);
    if (task_.kind == Routine::Getrs) {
        library_.cusolverDnXgetrs(handle_, params_, CUBLAS_OP_N, n, task_.solved, type_, a, m,
                                  address_of_matrix<int64_t>(task_.numbers, matrix), type_,
                                  address_of_matrix(task_.right, matrix), m, info);
    } else if (task_.kind == Routine::Getrf) {
        library_.cusolverDnXgetrf(handle_, params_, m, n, type_, a, m,
                                  address_of_matrix<int64_t>(task_.numbers, matrix), type_, device_workspace,
                                  device_bytes_, host_workspace, host_bytes_, info);
    } else if (task_.kind == Routine::Orgqr) {
        with_columns([&]<class T>(const auto&, const auto& routine, T*) {
            routine(handle_, int(m), int(n), int(task_.count), static_cast<T*>(a), int(m),
                    address_of_matrix<T>(task_.numbers, matrix), static_cast<T*>(device_workspace),
                    int(device_bytes_ / sizeof(T)), info);
        });
    } else
        with_arguments(matrix, [&](const auto&, const auto& routine, auto... arguments) {
            routine(handle_, params_, arguments..., device_workspace, device_bytes_, host_workspace, host_bytes_, info);
        });
}

}  // namespace cuarray::cuda
