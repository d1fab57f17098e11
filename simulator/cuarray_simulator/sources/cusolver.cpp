// cusolver.cpp -- a simulated cuSOLVER: textbook algorithms in complex double, one thread a call, through the
// workspaces on the device and on the host, both of which must last until the work has run.
#include <cstring>

#include "client.h"
#include "lapack_text.h"

namespace {

using namespace cudasim;

// cusolverStatus_t
enum { kSuccess = 0, kNotInitialized = 1, kAllocFailed = 2, kInvalidValue = 3, kExecutionFailed = 6 };

struct SolverHandle {
    CUcontext context;
    CUstream stream = nullptr;
    bool has_stream = false;
    std::atomic<bool> in_use = false;
};

SolverHandle* as_solver(void* handle) { return static_cast<SolverHandle*>(handle); }

constexpr size_t kHostBytes = 256;
constexpr char kSeal = 0x5a;

/// Reports the memory that a call needs, for the host too: all of it is used.
int measured(void* handle, void* params, int type, size_t device, size_t* on_device, size_t* on_host, bool uses_host) {
    if (!handle || !params) return kNotInitialized;
    if (!is_known(type)) return kInvalidValue;
    *on_device = device + (uses_host ? kHostBytes : 0);
    *on_host = uses_host ? kHostBytes : 0;
    return kSuccess;
}

/// The workspaces that were given to a call.
struct Given {
    void* device;
    size_t device_bytes;
    void* host;
    size_t host_bytes;
};

/// Launches a routine for one matrix, or for a stack, after what the real library checks, and what it does not.
int run(void* handle, const char* entry, Routine routine, size_t needed, bool uses_host, const Given& given,
        Stack* stack = nullptr) {
    if (!handle) return kNotInitialized;
    SolverHandle& state = *as_solver(handle);
    const cudasim::InUse in_use(state.in_use, "cuSOLVER");
    if (state.context != cudasim::current_context())
        return cudasim::misuse("cuSOLVER", "the handle belongs to another context than the current one",
                               kExecutionFailed);
    if (!state.has_stream) return cudasim::misuse("cuSOLVER", "no stream was set", kExecutionFailed);
    if (cudasim::touch_memory()) return kExecutionFailed;  // any call may load its kernels
    if (!is_known(routine.type) || routine.m < 1 || routine.n < 1 || routine.ld < routine.m) return kInvalidValue;
    const bool is_found =
        stack && stack->addresses ? is_whole(stack->addresses, 8) : is_whole(routine.a, item_of(routine.type));
    if (!is_found || !is_whole(routine.info, 4) || (stack && stack->batch < 1)) return kInvalidValue;
    const size_t host = uses_host ? kHostBytes : 0;
    if (given.device_bytes < needed + host || given.host_bytes < host || (host && !given.host)) return kInvalidValue;
    if (needed && !is_whole(given.device, 16))
        return cudasim::misuse("cuSOLVER", "a misaligned workspace", kExecutionFailed);
    routine.work = static_cast<double*>(given.device);
    if (uses_host) {
        std::memset(given.host, kSeal, kHostBytes);
        char* const copied = static_cast<char*>(given.device) + needed;
        if (cudasim::copy_later(copied, given.host, kHostBytes, state.stream)) return kExecutionFailed;
        routine.seal = copied;
    }
    void* parameters = &routine;
    if (stack) {
        stack->one = routine;
        parameters = stack;
    }
    const cudasim::ClientLaunch launched{"", kLapackText, entry, 1, parameters};
    return cudasim::launch(launched, state.stream) == CUDA_SUCCESS ? kSuccess : kExecutionFailed;
}

template <class T>
int columns_room(void* handle, int m, int n, const T* a, const T* tau, int* items) {
    if (!handle) return kNotInitialized;
    if (!a || !tau || n > m) return kInvalidValue;
    *items = int((room(2 * int64_t(m) * n) + sizeof(T) - 1) / sizeof(T));
    return kSuccess;
}

template <class T>
int columns(void* handle, int type, int m, int n, int k, T* a, int ld, const T* tau, T* work, int items, int* info) {
    if (k > n || n > m || !is_whole(tau, sizeof(T))) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = m, routine.n = n, routine.k = k, routine.type = type;
    routine.numbers = const_cast<T*>(tau), routine.info = info;
    return run(handle, "orgqr", routine, room(2 * int64_t(m) * n), false,
               {work, size_t(items) * sizeof(T), nullptr, 0});
}

template <class T>
int cholesky_of_stack(void* handle, int type, int triangle, int n, T** addresses, int ld, int* info, int batch) {
    if (triangle != 0 && triangle != 1) return kInvalidValue;
    Routine routine{};
    routine.ld = ld, routine.m = routine.n = n, routine.type = type, routine.option = triangle, routine.info = info;
    Stack stack{};
    stack.addresses = addresses, stack.batch = batch;
    return run(handle, "potrf_stack", routine, 0, false, {}, &stack);
}

/// The extents of Jacobi's method for stacks, which takes no larger matrices.
bool is_for_jacobi(int job, int m, int n, int ldu, int ldv) {
    return (job == 0 || job == 1) && n >= 1 && m >= n && m <= 32 && ldu >= m && ldv >= n;
}

template <class T>
int jacobi_room(void* handle, int job, int m, int n, int ldu, int ldv, int* items, void* params, int batch) {
    if (!handle || !params) return kNotInitialized;
    if (!is_for_jacobi(job, m, n, ldu, ldv) || batch < 1) return kInvalidValue;
    *items = int((room(m * n + n * n + m * m) + sizeof(T) - 1) / sizeof(T));
    return kSuccess;
}

template <class T, class Real>
int jacobi_of_stack(void* handle, int type, int job, int m, int n, T* a, int ld, Real* values, T* u, int ldu, T* v,
                    int ldv, T* work, int items, int* info, void* params, int batch) {
    if (!params || !is_for_jacobi(job, m, n, ldu, ldv) || !is_whole(values, sizeof(Real))) return kInvalidValue;
    // Without vectors, too, cuSOLVER needs the memory: null ends in an illegal access (seen on an H200).
    if (!is_whole(u, sizeof(T)) || !is_whole(v, sizeof(T)) || !u || !v) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = m, routine.n = n, routine.type = type, routine.numbers = values;
    routine.b = u, routine.ldb = ldu, routine.vt = v, routine.ldvt = ldv, routine.info = info;
    routine.vectors = job ? 2 : 0, routine.option = 1;
    Stack stack{};
    stack.batch = batch, stack.a_bytes = int64_t(sizeof(T)) * ld * n, stack.numbers_bytes = int64_t(sizeof(Real)) * n;
    stack.b_bytes = int64_t(sizeof(T)) * ldu * m, stack.vt_bytes = int64_t(sizeof(T)) * ldv * n;
    return run(handle, "gesvd_stack", routine, room(m * n + n * n + m * m), false,
               {work, size_t(items) * sizeof(T), nullptr, 0}, &stack);
}

}  // namespace

CUDASIM_LIBRARY int cusolverGetProperty(int type, int* value) {
    if (!cudasim::library_property(type, value)) return kInvalidValue;
    if (type == 0) --*value;  // cuSOLVER's major version is one behind CUDA's
    return kSuccess;
}

CUDASIM_LIBRARY int cusolverDnCreate(void** handle) {
    const CUcontext context = cudasim::current_context();
    if (!context) return kNotInitialized;
    if (const CUresult status = cudasim::touch_memory())
        return status == CUDA_ERROR_OUT_OF_MEMORY ? kAllocFailed : kNotInitialized;
    *handle = new SolverHandle{context};
    return kSuccess;
}

CUDASIM_LIBRARY int cusolverDnCreateParams(void** params) {
    *params = new int(0);
    return kSuccess;
}

CUDASIM_LIBRARY int cusolverDnCreateGesvdjInfo(void** info) {
    *info = new int(0);
    return kSuccess;
}

CUDASIM_LIBRARY int cusolverDnSetStream(void* handle, CUstream stream) {
    if (!handle) return kNotInitialized;
    as_solver(handle)->stream = stream;
    as_solver(handle)->has_stream = true;
    return kSuccess;
}

CUDASIM_LIBRARY int cusolverDnXpotrf_bufferSize(void* handle, void* params, int, int64_t n, int type, const void*,
                                                int64_t, int, size_t* device, size_t* host) {
    return measured(handle, params, type, room(n * n), device, host, false);
}

CUDASIM_LIBRARY int cusolverDnXpotrf(void* handle, void* params, int triangle, int64_t n, int type, void* a, int64_t ld,
                                     int compute, void* device, size_t device_bytes, void* host, size_t host_bytes,
                                     int* info) {
    if (!params || (triangle != 0 && triangle != 1) || compute != type) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = routine.n = n, routine.type = type, routine.option = triangle;
    routine.info = info;
    return run(handle, "potrf", routine, room(n * n), false, {device, device_bytes, host, host_bytes});
}

CUDASIM_LIBRARY int cusolverDnXgetrf_bufferSize(void* handle, void* params, int64_t m, int64_t n, int type, const void*,
                                                int64_t, int, size_t* device, size_t* host) {
    return measured(handle, params, type, room(m * n), device, host, false);
}

CUDASIM_LIBRARY int cusolverDnXgetrf(void* handle, void* params, int64_t m, int64_t n, int type, void* a, int64_t ld,
                                     int64_t* pivots, int compute, void* device, size_t device_bytes, void* host,
                                     size_t host_bytes, int* info) {
    // Other shapes and no pivoting are not simulated.
    if (!params || m != n || compute != type || !is_whole(pivots, 8)) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = routine.n = n, routine.type = type;
    routine.pivots = pivots, routine.info = info;
    return run(handle, "getrf", routine, room(n * n), false, {device, device_bytes, host, host_bytes});
}

CUDASIM_LIBRARY int cusolverDnXgetrs(void* handle, void* params, int operation, int64_t n, int64_t count, int type,
                                     const void* a, int64_t ld, const int64_t* pivots, int b_type, void* b, int64_t ldb,
                                     int* info) {
    // Transposed matrices are not simulated.
    if (!params || operation != 0 || b_type != type || ldb < n || count < 0 || !is_whole(pivots, 8) ||
        !is_whole(b, item_of(type)))
        return kInvalidValue;
    Routine routine{};
    routine.a = const_cast<void*>(a), routine.ld = ld, routine.m = routine.n = n, routine.k = count;
    routine.pivots = const_cast<int64_t*>(pivots), routine.b = b, routine.ldb = ldb, routine.type = type;
    routine.info = info;
    return run(handle, "getrs", routine, 0, false, {});
}

CUDASIM_LIBRARY int cusolverDnXgeqrf_bufferSize(void* handle, void* params, int64_t m, int64_t n, int type, const void*,
                                                int64_t, int, const void*, int, size_t* device, size_t* host) {
    return measured(handle, params, type, room(m * n), device, host, false);
}

CUDASIM_LIBRARY int cusolverDnXgeqrf(void* handle, void* params, int64_t m, int64_t n, int type, void* a, int64_t ld,
                                     int tau_type, void* tau, int compute, void* device, size_t device_bytes,
                                     void* host, size_t host_bytes, int* info) {
    if (!params || tau_type != type || compute != type || !is_whole(tau, item_of(type))) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = m, routine.n = n, routine.type = type;
    routine.numbers = tau, routine.info = info;
    return run(handle, "geqrf", routine, room(m * n), false, {device, device_bytes, host, host_bytes});
}

#define COLUMNS(name, T, type)                                                                                  \
    CUDASIM_LIBRARY int name##_bufferSize(void* handle, int m, int n, int, const T* a, int, const T* tau,       \
                                          int* items) {                                                         \
        return columns_room(handle, m, n, a, tau, items);                                                       \
    }                                                                                                           \
    CUDASIM_LIBRARY int name(void* handle, int m, int n, int k, T* a, int ld, const T* tau, T* work, int items, \
                             int* info) {                                                                       \
        return columns(handle, type, m, n, k, a, ld, tau, work, items, info);                                   \
    }
struct SinglePair {
    float re, im;
};
struct DoublePair {
    double re, im;
};
COLUMNS(cusolverDnSorgqr, float, kRealFloat)
COLUMNS(cusolverDnDorgqr, double, kRealDouble)
COLUMNS(cusolverDnCungqr, SinglePair, kComplexFloat)
COLUMNS(cusolverDnZungqr, DoublePair, kComplexDouble)

#define STACKS(letter, T, Real, type)                                                                                 \
    CUDASIM_LIBRARY int cusolverDn##letter##potrfBatched(void* handle, int triangle, int n, T** a, int ld, int* info, \
                                                         int batch) {                                                 \
        return cholesky_of_stack(handle, type, triangle, n, a, ld, info, batch);                                      \
    }                                                                                                                 \
    CUDASIM_LIBRARY int cusolverDn##letter##gesvdjBatched_bufferSize(void* handle, int job, int m, int n, const T*,   \
                                                                     int, const Real*, const T*, int ldu, const T*,   \
                                                                     int ldv, int* items, void* params, int batch) {  \
        return jacobi_room<T>(handle, job, m, n, ldu, ldv, items, params, batch);                                     \
    }                                                                                                                 \
    CUDASIM_LIBRARY int cusolverDn##letter##gesvdjBatched(void* handle, int job, int m, int n, T* a, int ld,          \
                                                          Real* values, T* u, int ldu, T* v, int ldv, T* work,        \
                                                          int items, int* info, void* params, int batch) {            \
        return jacobi_of_stack(handle, type, job, m, n, a, ld, values, u, ldu, v, ldv, work, items, info, params,     \
                               batch);                                                                                \
    }
STACKS(S, float, float, kRealFloat)
STACKS(D, double, double, kRealDouble)
STACKS(C, SinglePair, float, kComplexFloat)
STACKS(Z, DoublePair, double, kComplexDouble)

CUDASIM_LIBRARY int cusolverDnXsyevd_bufferSize(void* handle, void* params, int, int, int64_t n, int type, const void*,
                                                int64_t, int, const void*, int, size_t* device, size_t* host) {
    return measured(handle, params, type, room(2 * n * n), device, host, true);
}

CUDASIM_LIBRARY int cusolverDnXsyevd(void* handle, void* params, int job, int triangle, int64_t n, int type, void* a,
                                     int64_t ld, int value_type, void* values, int compute, void* device,
                                     size_t device_bytes, void* host, size_t host_bytes, int* info) {
    if (!params || (job != 0 && job != 1) || (triangle != 0 && triangle != 1)) return kInvalidValue;
    if (compute != type || value_type != real_of(type) || !is_whole(values, item_of(value_type))) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = routine.n = n, routine.type = type, routine.option = triangle;
    routine.vectors = job, routine.numbers = values, routine.info = info;
    return run(handle, "syevd", routine, room(2 * n * n), true, {device, device_bytes, host, host_bytes});
}

CUDASIM_LIBRARY int cusolverDnXsyevBatched_bufferSize(void* handle, void* params, int, int, int64_t n, int type,
                                                      const void*, int64_t, int, const void*, int, size_t* device,
                                                      size_t* host, int64_t batch) {
    if (batch < 1) return kInvalidValue;
    return measured(handle, params, type, room(2 * n * n), device, host, true);
}

CUDASIM_LIBRARY int cusolverDnXsyevBatched(void* handle, void* params, int job, int triangle, int64_t n, int type,
                                           void* a, int64_t ld, int value_type, void* values, int compute, void* device,
                                           size_t device_bytes, void* host, size_t host_bytes, int* info,
                                           int64_t batch) {
    if (!params || (job != 0 && job != 1) || (triangle != 0 && triangle != 1)) return kInvalidValue;
    if (compute != type || value_type != real_of(type) || !is_whole(values, item_of(value_type))) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = routine.n = n, routine.type = type, routine.option = triangle;
    routine.vectors = job, routine.numbers = values, routine.info = info;
    Stack stack{};
    stack.batch = batch, stack.a_bytes = int64_t(item_of(type)) * ld * n;
    stack.numbers_bytes = int64_t(item_of(value_type)) * n;
    return run(handle, "syevd_stack", routine, room(2 * n * n), true, {device, device_bytes, host, host_bytes}, &stack);
}

CUDASIM_LIBRARY int cusolverDnXgesvd_bufferSize(void* handle, void* params, signed char, signed char, int64_t m,
                                                int64_t n, int type, const void*, int64_t, int, const void*, int,
                                                const void*, int64_t, int, const void*, int64_t, int, size_t* device,
                                                size_t* host) {
    if (m < n) return kInvalidValue;
    return measured(handle, params, type, room(m * n + n * n + m * m), device, host, true);
}

CUDASIM_LIBRARY int cusolverDnXgesvd(void* handle, void* params, signed char job_u, signed char job_vt, int64_t m,
                                     int64_t n, int type, void* a, int64_t ld, int value_type, void* values, int u_type,
                                     void* u, int64_t ldu, int vt_type, void* vt, int64_t ldvt, int compute,
                                     void* device, size_t device_bytes, void* host, size_t host_bytes, int* info) {
    const char* const jobs = "NSA";
    const char* const job = job_u ? std::strchr(jobs, job_u) : nullptr;
    if (!params || !job || job_vt != job_u || m < n) return kInvalidValue;
    if (compute != type || u_type != type || vt_type != type || value_type != real_of(type)) return kInvalidValue;
    if (!is_whole(values, item_of(value_type)) || ldu < m || ldvt < n) return kInvalidValue;
    Routine routine{};
    routine.vectors = int(job - jobs);
    if (routine.vectors != 0 && (!is_whole(u, item_of(type)) || !is_whole(vt, item_of(type)))) return kInvalidValue;
    routine.a = a, routine.ld = ld, routine.m = m, routine.n = n, routine.type = type, routine.numbers = values;
    routine.b = u, routine.ldb = ldu, routine.vt = vt, routine.ldvt = ldvt, routine.info = info;
    return run(handle, "gesvd", routine, room(m * n + n * n + m * m), true, {device, device_bytes, host, host_bytes});
}

CUDASIM_LIBRARY int cusolverDnXgeev_bufferSize(void* handle, void* params, int, int, int64_t n, int type, const void*,
                                               int64_t, int, const void*, int, const void*, int64_t, int, const void*,
                                               int64_t, int, size_t* device, size_t* host) {
    return measured(handle, params, type, room(2 * n * n + 2 * std::max<int64_t>(n, 3)), device, host, true);
}

CUDASIM_LIBRARY int cusolverDnXgeev(void* handle, void* params, int job_left, int job, int64_t n, int type, void* a,
                                    int64_t ld, int value_type, void* values, int left_type, void*, int64_t,
                                    int vr_type, void* vr, int64_t ldvr, int compute, void* device, size_t device_bytes,
                                    void* host, size_t host_bytes, int* info) {
    // Left eigenvectors, and eigenvalues as two real arrays, are not simulated; cuSOLVER has no left ones either.
    if (!params || job_left != 0 || (job != 0 && job != 1)) return kInvalidValue;
    if (compute != type || left_type != type || vr_type != type || value_type != real_of(type) + 4)
        return kInvalidValue;
    if (!is_whole(values, item_of(value_type)) || ldvr < n) return kInvalidValue;
    if (job == 1 && !is_whole(vr, item_of(type))) return kInvalidValue;
    Routine routine{};
    routine.a = a, routine.ld = ld, routine.m = routine.n = n, routine.type = type, routine.vectors = job;
    routine.numbers = values, routine.vt = vr, routine.ldvt = ldvr, routine.info = info;
    return run(handle, "geev", routine, room(2 * n * n + 2 * std::max<int64_t>(n, 3)), true,
               {device, device_bytes, host, host_bytes});
}
