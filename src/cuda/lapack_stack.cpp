// lapack_stack.cpp -- routines of LAPACK for stacks of small matrices on a GPU: one call for all, by cuBLAS or
// cuSOLVER.
#include <limits>
#include "core/loops.h"
#include "cuda/backend.h"

namespace cuarray::cuda {
namespace {

using Routine = LapackRoutine::Kind;
using VectorSet = LapackRoutine::VectorSet;

// Smaller stacks, and larger matrices, are factorised one by one. Estimates: not measured on a GPU yet.
constexpr int64_t kFewest = 8, kMostRows = 256;
constexpr int64_t kMostRowsOfJacobi = 32;  ///< cusolverDn<t>gesvdjBatched takes no larger ones
constexpr size_t kWorkspace = 1 << 20;     ///< of cuBLAS, as for small products

bool is_for_one_call(const LapackRoutine& task) {
    const bool fits = task.kind != Routine::Gesvd || task.rows <= kMostRowsOfJacobi;
    return fits && task.rows <= kMostRows && task.batch >= kFewest && task.batch <= std::numeric_limits<int>::max() &&
           task.solved <= std::numeric_limits<int>::max();
}

template <class T>
T* pointer(const View& view) {
    return view.storage ? reinterpret_cast<T*>(address_of(view)) : nullptr;
}
template <class T>
T* pointer(const StorageRef& memory) {
    return static_cast<T*>(memory->data);
}

/// Calls visit(getrf, getrs, geqrf, T()) with the functions of a dtype.
template <class Visit>
void with_functions(const Cublas& b, DType dtype, Visit visit) {
#define CUARRAY_FUNCTIONS(letter) \
    b.cublas##letter##getrfBatched, b.cublas##letter##getrsBatched, b.cublas##letter##geqrfBatched
    switch (dtype) {
        case DType::float32: return visit(CUARRAY_FUNCTIONS(S), float());
        case DType::float64: return visit(CUARRAY_FUNCTIONS(D), double());
        case DType::complex64: return visit(CUARRAY_FUNCTIONS(C), std::complex<float>());
        default: return visit(CUARRAY_FUNCTIONS(Z), std::complex<double>());
    }
#undef CUARRAY_FUNCTIONS
}

/// Calls visit(potrf, gesvdj_bufferSize, gesvdj, T(), real T()) with the functions of a dtype.
template <class Visit>
void with_functions(const Cusolver& s, DType dtype, Visit visit) {
#define CUARRAY_FUNCTIONS(letter)                                                       \
    s.cusolverDn##letter##potrfBatched, s.cusolverDn##letter##gesvdjBatched_bufferSize, \
        s.cusolverDn##letter##gesvdjBatched
    switch (dtype) {
        case DType::float32: return visit(CUARRAY_FUNCTIONS(S), float(), float());
        case DType::float64: return visit(CUARRAY_FUNCTIONS(D), double(), double());
        case DType::complex64: return visit(CUARRAY_FUNCTIONS(C), std::complex<float>(), float());
        default: return visit(CUARRAY_FUNCTIONS(Z), std::complex<double>(), double());
    }
#undef CUARRAY_FUNCTIONS
}

View whole(const StorageRef& memory, DType dtype, const Dims& shape) {
    View view{memory.get(), 0, dtype, shape};
    int64_t stride = item_size(dtype);
    for (int d = shape.size(); d-- > 0; stride *= shape[d]) view.strides[d] = stride;
    return view;
}

/// The index along the only axis.
ValueId index_in(Expr& expr) { return expr.push({ExprNode::Op::Index, DType::int64}); }

}  // namespace

StorageRef GpuBackend::addresses_of(const View& stack, int64_t batch) {
    const StorageRef memory = allocate(batch * int64_t(sizeof(CUdeviceptr)));
    Expr expr;
    const ValueId first = expr.scalar(Scalar::of(DType::int64, int64_t(address_of(stack))));
    const ValueId stride = expr.scalar(Scalar::of(DType::int64, stack.strides[0]));
    const ValueId moved = expr.loop(loop_for(row::multiply, DType::int64), index_in(expr), stride);
    expr.outputs = {expr.loop(loop_for(row::add, DType::int64), first, moved)};
    const View to = whole(memory, DType::int64, {batch});
    run_elementwise(expr, {batch}, {&to, 1}, {}, "addresses");
    return memory;
}

void GpuBackend::convert_elements(const View& to, const View& from, const Dims& shape) {
    Expr expr;
    expr.outputs = {expr.cast(expr.input(from.dtype), to.dtype)};
    run_elementwise(expr, shape, {&to, 1}, {&from, 1}, "pivots");
}

/// For routines that cannot fail.
void GpuBackend::report_success(const LapackRoutine& task) {
    clear(address_of(task.info), task.batch * int64_t(sizeof(int)));
}

/// One call for the whole stack, if there is one for stacks of this kind and size.
bool GpuBackend::try_stack(const LapackRoutine& task) {
    if (!is_for_one_call(task)) return false;
    switch (task.kind) {
        case Routine::Getrf:
        case Routine::Getrs:
        case Routine::Geqrf: return try_stack_by_cublas(task);
        case Routine::Potrf: factorise_stack(task); return true;
        case Routine::Gesvd: decompose_stack(task); return true;
        case Routine::Syevd: return try_stack_of_hermitian(task);
        default: return false;
    }
}

/// cuBLAS has pivots of 32 bits, tasks those of 64.
bool GpuBackend::try_stack_by_cublas(const LapackRoutine& task) {
    if (!find_library<Cublas>()) return false;
    const int batch = int(task.batch), m = int(task.rows), n = int(task.columns);
    const bool solves = task.kind == Routine::Getrs, has_pivots = task.kind != Routine::Geqrf;
    const StorageRef matrices = addresses_of(task.matrix, batch);
    const StorageRef others =
        has_pivots && !solves ? StorageRef() : addresses_of(solves ? task.right : task.numbers, batch);
    const Dims all{task.batch, task.count};
    const StorageRef pivots = has_pivots ? allocate(task.batch * task.count * int64_t(sizeof(int))) : StorageRef();
    const View narrow = has_pivots ? whole(pivots, DType::int32, all) : View();
    if (solves) convert_elements(narrow, task.numbers, all);
    const StorageRef workspace = library_workspace(kWorkspace);
    const char* name = "";
    {
        const CublasCall call(runtime_.context, cublas_handles_, runtime_.current(), workspace->data, kWorkspace);
        int bad_argument = 0;  // which the status reports, too
        with_functions(call.library, task.matrix.dtype, [&]<class T>(auto& getrf, auto& getrs, auto& geqrf, T) {
            T** const a = pointer<T*>(matrices);
            if (task.kind == Routine::Getrf)
                name = getrf.name, getrf(call, n, a, m, pointer<int>(pivots), pointer<int>(task.info), batch);
            else if (solves)
                name = getrs.name, getrs(call, CUBLAS_OP_N, n, int(task.solved), a, m, pointer<int>(pivots),
                                         pointer<T*>(others), m, &bad_argument, batch);
            else
                name = geqrf.name, geqrf(call, m, n, a, m, pointer<T*>(others), &bad_argument, batch);
        });
    }
    has_called(name);
    if (task.kind == Routine::Getrf)
        convert_elements(task.numbers, narrow, all);
    else
        report_success(task);
    return true;
}

void GpuBackend::factorise_stack(const LapackRoutine& task) {
    const StorageRef matrices = addresses_of(task.matrix, task.batch);
    const CusolverLease lease(runtime_.context, solver_handles_, runtime_.current(), task.name);
    const int triangle = task.lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    with_functions(lease.library, task.matrix.dtype, [&]<class T, class Real>(auto& potrf, auto&, auto&, T, Real) {
        const Current current(runtime_.context);
        const RelaxedCapture relaxed(runtime_.context.driver);
        potrf(lease.get().handle, triangle, int(task.columns), pointer<T*>(matrices), int(task.rows),
              pointer<int>(task.info), int(task.batch));
        has_called(potrf.name);
    });
}

/// Jacobi's method gives V and not its adjoint, and all columns of U.
void GpuBackend::decompose_stack(const LapackRoutine& task) {
    const int batch = int(task.batch), m = int(task.rows), n = int(task.columns);
    const DType dtype = task.matrix.dtype;
    const bool has_vectors = task.vectors != VectorSet::None;
    const int job = has_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const int64_t item = item_size(dtype);
    const Dims lefts{task.batch, task.rows, task.rows}, rights{task.batch, task.columns, task.columns};
    // The library writes to them without vectors, too (seen on an H200: an illegal access).
    const StorageRef u = allocate(count(lefts) * item), v = allocate(count(rights) * item);
    const CusolverLease lease(runtime_.context, solver_handles_, runtime_.current(), task.name);
    with_functions(lease.library, dtype, [&]<class T, class Real>(auto&, auto& size, auto& gesvdj, T, Real) {
        T *const a = pointer<T>(task.matrix), *const left = pointer<T>(u), *const right = pointer<T>(v);
        Real* const values = pointer<Real>(task.numbers);
        const CusolverHandle handle = lease.get();
        int items = 0;
        {
            const Current current(runtime_.context);
            size(handle.handle, job, m, n, a, m, values, left, m, right, n, &items, handle.jacobi, batch);
        }
        const StorageRef workspace = library_workspace(size_t(items) * sizeof(T));
        const Current current(runtime_.context);
        const RelaxedCapture relaxed(runtime_.context.driver);
        gesvdj(handle.handle, job, m, n, a, m, values, left, m, right, n, pointer<T>(workspace), items,
               pointer<int>(task.info), handle.jacobi, batch);
        has_called(gesvdj.name);
    });
    if (!has_vectors) return;
    const int64_t columns = task.vectors == VectorSet::Full ? task.rows : task.columns;
    copy_elements(task.left_vectors, whole(u, dtype, lefts), {task.batch, columns, task.rows});
    View adjoint = whole(v, dtype, rights);
    std::swap(adjoint.strides[1], adjoint.strides[2]);
    Expr expr;
    const ValueId value = expr.input(dtype);
    expr.outputs = {info(dtype).kind == Kind::Complex ? expr.loop(loop_for(row::conj, dtype), value) : value};
    run_elementwise(expr, rights, {&task.right_vectors, 1}, {&adjoint, 1}, "adjoint");
}

bool GpuBackend::try_stack_of_hermitian(const LapackRoutine& task) {
    const CusolverLease lease(runtime_.context, solver_handles_, runtime_.current(), task.name);
    const Cusolver& library = lease.library;
    if (!library.cusolverDnXsyevBatched.address) return false;
    const auto [handle, params, jacobi] = lease.get();
    const int job = task.vectors == VectorSet::None ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR;
    const int triangle = task.lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const int type = cuda_type_of(task.matrix.dtype), real = real_type_of(type);
    void *const a = pointer<void>(task.matrix), *const values = pointer<void>(task.numbers);
    size_t device_bytes = 0, host_bytes = 0;
    {
        const Current current(runtime_.context);
        library.cusolverDnXsyevBatched_bufferSize(handle, params, job, triangle, task.columns, type, a, task.rows, real,
                                                  values, type, &device_bytes, &host_bytes, task.batch);
    }
    const StorageRef workspace = library_workspace(device_bytes);
    HostWorkspace host(runtime_.current(), host_bytes);
    const Current current(runtime_.context);
    const RelaxedCapture relaxed(runtime_.context.driver);
    library.cusolverDnXsyevBatched(handle, params, job, triangle, task.columns, type, a, task.rows, real, values, type,
                                   workspace->data, device_bytes, host.data(), host_bytes, pointer<int>(task.info),
                                   task.batch);
    has_called(library.cusolverDnXsyevBatched.name);
    return true;
}

}  // namespace cuarray::cuda
