// cublas.cpp -- a simulated cuBLAS: products of matrices, in an order of additions of its own, and factorisations of
// stacks, by way of the workspace.
#include <cstddef>

#include "client.h"
#include "lapack_text.h"

namespace {

// cublasStatus_t
enum {
    kSuccess = 0,
    kNotInitialized = 1,
    kAllocFailed = 3,
    kInvalidValue = 7,
    kExecutionFailed = 13,
    kInternalError = 14,
    kNotSupported = 15
};

struct Handle {
    CUcontext context;
    CUstream stream = nullptr;
    void* workspace = nullptr;
    size_t bytes = 0;
    std::atomic<bool> in_use = false;
};

Handle* as_handle(void* handle) { return static_cast<Handle*>(handle); }

/// The kernels' parameters: C is rows x columns, stored by columns.
struct Product {
    int64_t rows, columns, depth, batch;
    const void* a;
    int64_t a_row, a_column, a_matrix;
    const void* b;
    int64_t b_row, b_column, b_matrix;
    void* c;
    int64_t c_column, c_matrix;
    void* partial;
    int64_t partials;  ///< accumulators for which the workspace has room
    int tf32;
};

// The second half of each sum goes to the workspace, where there is room, and is added by a second kernel.
constexpr const char* kText = R"(
struct Product {
    long long rows, columns, depth, batch;
    const void* a; long long a_row, a_column, a_matrix;
    const void* b; long long b_row, b_column, b_matrix;
    void* c; long long c_column, c_matrix;
    void* partial; long long partials;
    int tf32;
};
struct half { unsigned short bits; };
struct bhalf { unsigned short bits; };
template <class T> struct complex { T re, im; };

inline __device__ float to_sum(float x) { return x; }
inline __device__ double to_sum(double x) { return x; }
template <class T> inline __device__ complex<T> to_sum(complex<T> x) { return x; }
inline __device__ float to_sum(bhalf x) { return __uint_as_float((unsigned)x.bits << 16); }
inline __device__ float to_sum(half x) {
    unsigned sign = (x.bits & 0x8000u) << 16, exponent = (x.bits >> 10) & 31u, fraction = x.bits & 1023u;
    if (exponent == 31u) return __uint_as_float(sign | 0x7f800000u | (fraction << 13));
    float size = exponent ? __uint_as_float(((exponent + 112u) << 23) | (fraction << 13)) : (float)fraction * 5.9604644775390625e-8f;
    return sign ? -size : size;
}
inline __device__ void from_sum(float& to, float x) { to = x; }
inline __device__ void from_sum(double& to, double x) { to = x; }
template <class T> inline __device__ void from_sum(complex<T>& to, complex<T> x) { to = x; }
inline __device__ void from_sum(bhalf& to, float x) {
    unsigned bits = __float_as_uint(x);
    if (x != x) { to.bits = 0x7fc0; return; }
    to.bits = (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
inline __device__ void from_sum(half& to, float x) {
    unsigned bits = __float_as_uint(x), sign = (bits >> 16) & 0x8000u;
    float size = sign ? -x : x;
    if (x != x) { to.bits = 0x7e00; return; }
    if (size >= 65520.0f) { to.bits = (unsigned short)(sign | 0x7c00u); return; }
    if (size < 6.103515625e-5f) {
        // Adding 0.5 rounds to a multiple of 2**-24, as the hardware would.
        to.bits = (unsigned short)(sign | (__float_as_uint(size + 0.5f) - 0x3f000000u));
        return;
    }
    unsigned word = __float_as_uint(size);
    word += 0xfffu + ((word >> 13) & 1u);
    to.bits = (unsigned short)(sign | ((word >> 13) - (112u << 10)));
}
inline __device__ float factor(float x, int tf32) {
    return tf32 ? __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u) : x;
}
inline __device__ double factor(double x, int) { return x; }
template <class T> inline __device__ complex<T> factor(complex<T> x, int tf32) { return {factor(x.re, tf32), factor(x.im, tf32)}; }
inline __device__ float plus_product(float sum, float x, float y) { return sum + x * y; }
inline __device__ double plus_product(double sum, double x, double y) { return sum + x * y; }
template <class T> inline __device__ complex<T> plus_product(complex<T> sum, complex<T> x, complex<T> y) {
    return {sum.re + (x.re * y.re - x.im * y.im), sum.im + (x.re * y.im + x.im * y.re)};
}
inline __device__ float plus(float x, float y) { return x + y; }
inline __device__ double plus(double x, double y) { return x + y; }
template <class T> inline __device__ complex<T> plus(complex<T> x, complex<T> y) { return {x.re + y.re, x.im + y.im}; }

template <class T, class Sum>
inline __device__ Sum part(const Product& p, long long element, long long from, long long to) {
    long long row = element % p.rows, column = element / p.rows % p.columns, matrix = element / p.rows / p.columns;
    const T* a = (const T*)p.a + matrix * p.a_matrix + row * p.a_row;
    const T* b = (const T*)p.b + matrix * p.b_matrix + column * p.b_column;
    Sum sum = {};
    for (long long k = to; k-- > from;)
        sum = plus_product(sum, factor(to_sum(a[k * p.a_column]), p.tf32), factor(to_sum(b[k * p.b_row]), p.tf32));
    return sum;
}
template <class T, class Sum> inline __device__ void store_second_half(const Product& p) {
    long long element = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (element < p.rows * p.columns * p.batch && element < p.partials)
        ((Sum*)p.partial)[element] = part<T, Sum>(p, element, p.depth / 2, p.depth);
}
template <class T, class Sum> inline __device__ void store_first_half(const Product& p) {
    long long element = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= p.rows * p.columns * p.batch) return;
    bool is_parted = element < p.partials;
    Sum sum = part<T, Sum>(p, element, 0, is_parted ? p.depth / 2 : p.depth);
    if (is_parted) sum = plus(sum, ((Sum*)p.partial)[element]);
    long long row = element % p.rows, column = element / p.rows % p.columns, matrix = element / p.rows / p.columns;
    from_sum(((T*)p.c)[matrix * p.c_matrix + column * p.c_column + row], sum);
}
extern "C" __global__ void second_half(Product p) { store_second_half<ITEM, SUM>(p); }
extern "C" __global__ void first_half(Product p) { store_first_half<ITEM, SUM>(p); }
)";

/// A cudaDataType, how it is computed with, and its types in kernels.
struct Type {
    int type, compute, fast_compute;
    size_t item, accumulator;
    const char* names;
};
#define TYPES(item, sum) "#define ITEM " item "\n#define SUM " sum "\n"
constexpr Type kTypes[] = {
    {2, 68, 68, 2, 4, TYPES("half", "float")},
    {14, 68, 68, 2, 4, TYPES("bhalf", "float")},
    {0, 68, 77, 4, 4, TYPES("float", "float")},
    {1, 70, 70, 8, 8, TYPES("double", "double")},
    {4, 68, 77, 8, 8, TYPES("complex<float>", "complex<float>")},
    {5, 70, 70, 16, 16, TYPES("complex<double>", "complex<double>")},
};

bool is_multiple(const void* address, size_t item) { return reinterpret_cast<uintptr_t>(address) % item == 0; }

/// Why a handle cannot be used now, which the real library does not detect; else success.
int refused(const Handle& state) {
    if (state.context != cudasim::current_context())
        return cudasim::misuse("cuBLAS", "the handle belongs to another context than the current one",
                               kExecutionFailed);
    if (!state.workspace) return cudasim::misuse("cuBLAS", "no workspace was set after the stream", kInternalError);
    return kSuccess;
}

/// Launches a routine of LAPACK for a stack.
int run(void* handle, const char* entry, cudasim::Routine routine, cudasim::Stack stack) {
    if (!handle) return kNotInitialized;
    Handle& state = *as_handle(handle);
    const cudasim::InUse in_use(state.in_use, "cuBLAS");
    if (const int status = refused(state)) return status;
    if (routine.n < 1 || routine.m < 1 || routine.ld < routine.m || stack.batch < 1) return kInvalidValue;
    if (!cudasim::is_whole(stack.addresses, 8)) return kInvalidValue;
    if (state.bytes < cudasim::room(routine.m * routine.n))
        return cudasim::misuse("cuBLAS", "a workspace that is too small", kInternalError);
    routine.work = static_cast<double*>(state.workspace);
    stack.one = routine;
    const cudasim::ClientLaunch launched{"", cudasim::kLapackText, entry, 1, &stack};
    return cudasim::launch(launched, state.stream) == CUDA_SUCCESS ? kSuccess : kExecutionFailed;
}

template <class T>
int factorise_stack(void* handle, int type, int n, T* const* a, int ld, int* pivots, int* info, int batch) {
    // No pivoting is not simulated.
    if (!cudasim::is_whole(pivots, 4) || !cudasim::is_whole(info, 4)) return kInvalidValue;
    cudasim::Routine routine{};
    routine.ld = ld, routine.m = routine.n = n, routine.type = type;
    routine.short_pivots = pivots, routine.info = info;
    cudasim::Stack stack{};
    stack.addresses = const_cast<T**>(a), stack.batch = batch;
    return run(handle, "getrf_stack", routine, stack);
}

template <class T>
int solve_stack(void* handle, int type, int operation, int n, int count, const T* const* a, int ld, const int* pivots,
                T* const* b, int ldb, int* info, int batch) {
    // Transposed matrices are not simulated.
    if (operation != 0 || count < 0 || ldb < n || !info || !cudasim::is_whole(pivots, 4) || !cudasim::is_whole(b, 8))
        return kInvalidValue;
    *info = 0;
    cudasim::Routine routine{};
    routine.ld = ld, routine.m = routine.n = n, routine.k = count, routine.ldb = ldb, routine.type = type;
    routine.short_pivots = const_cast<int*>(pivots);
    cudasim::Stack stack{};
    stack.addresses = const_cast<T**>(a), stack.rights = const_cast<T**>(b), stack.batch = batch;
    return run(handle, "getrs_stack", routine, stack);
}

template <class T>
int orthogonalise_stack(void* handle, int type, int m, int n, T* const* a, int ld, T* const* tau, int* info,
                        int batch) {
    if (!info || !cudasim::is_whole(tau, 8)) return kInvalidValue;
    *info = 0;
    cudasim::Routine routine{};
    routine.ld = ld, routine.m = m, routine.n = n, routine.type = type;
    cudasim::Stack stack{};
    stack.addresses = const_cast<T**>(a), stack.numbers = const_cast<T**>(tau), stack.batch = batch;
    return run(handle, "geqrf_stack", routine, stack);
}

}  // namespace

CUDASIM_LIBRARY int cublasGetProperty(int type, int* value) {
    return cudasim::library_property(type, value) ? kSuccess : kInvalidValue;
}

CUDASIM_LIBRARY int cublasCreate_v2(void** handle) {
    const CUcontext context = cudasim::current_context();
    if (!context) return kNotInitialized;
    if (const CUresult status = cudasim::touch_memory())
        return status == CUDA_ERROR_OUT_OF_MEMORY ? kAllocFailed : kNotInitialized;
    *handle = new Handle{context};
    return kSuccess;
}

CUDASIM_LIBRARY int cublasSetStream_v2(void* handle, CUstream stream) {
    if (!handle) return kNotInitialized;
    as_handle(handle)->stream = stream;
    as_handle(handle)->workspace = nullptr;  // the real one returns to its own workspace
    return kSuccess;
}

CUDASIM_LIBRARY int cublasSetWorkspace_v2(void* handle, void* workspace, size_t bytes) {
    if (!handle) return kNotInitialized;
    if (!is_multiple(workspace, 256)) return kInvalidValue;
    as_handle(handle)->workspace = workspace;
    as_handle(handle)->bytes = bytes;
    return kSuccess;
}

CUDASIM_LIBRARY int cublasSetMathMode(void* handle, int) { return handle ? kSuccess : kNotInitialized; }

CUDASIM_LIBRARY int cublasGemmStridedBatchedEx_64(void* handle, int a_operation, int b_operation, int64_t m, int64_t n,
                                                  int64_t k, const void* alpha, const void* a, int a_type, int64_t lda,
                                                  long long a_stride, const void* b, int b_type, int64_t ldb,
                                                  long long b_stride, const void* beta, void* c, int c_type,
                                                  int64_t ldc, long long c_stride, int64_t batch, int compute, int) {
    if (!handle) return kNotInitialized;
    Handle& state = *as_handle(handle);
    const cudasim::InUse in_use(state.in_use, "cuBLAS");
    if (const int status = refused(state)) return status;
    const Type* type = nullptr;
    for (const Type& one : kTypes)
        if (one.type == a_type && one.type == b_type && one.type == c_type &&
            (compute == one.compute || compute == one.fast_compute))
            type = &one;
    if (!type) return kNotSupported;
    const bool a_turned = a_operation == 1, b_turned = b_operation == 1;
    const bool is_known = (a_operation == 0 || a_turned) && (b_operation == 0 || b_turned);
    if (!is_known || !alpha || !beta || m < 0 || n < 0 || k < 0 || batch < 0) return kInvalidValue;
    if (lda < 1 || lda < (a_turned ? k : m) || ldb < 1 || ldb < (b_turned ? n : k) || ldc < 1 || ldc < m)
        return kInvalidValue;
    if (a_stride < 0 || b_stride < 0) return cudasim::misuse("cuBLAS", "a negative stride of matrices", kInvalidValue);
    if (batch > 1 && c_stride < ldc * (n - 1) + m) return kInvalidValue;
    for (const void* const address : {a, b, static_cast<const void*>(c)})
        if (!is_multiple(address, type->item < 16 ? type->item : 8))
            return cudasim::misuse("cuBLAS", "a misaligned matrix", kInvalidValue);
    Product product{m,
                    n,
                    k,
                    batch,
                    a,
                    a_turned ? lda : 1,
                    a_turned ? 1 : lda,
                    a_stride,
                    b,
                    b_turned ? ldb : 1,
                    b_turned ? 1 : ldb,
                    b_stride,
                    c,
                    ldc,
                    c_stride,
                    state.workspace,
                    int64_t(state.bytes / type->accumulator),
                    compute == 77};
    for (const char* const entry : {"second_half", "first_half"})
        if (cudasim::launch({type->names, kText, entry, m * n * batch, &product}, state.stream) != CUDA_SUCCESS)
            return kExecutionFailed;
    return kSuccess;
}

#define STACKS(letter, T, type)                                                                                        \
    CUDASIM_LIBRARY int cublas##letter##getrfBatched(void* handle, int n, T* const* a, int ld, int* pivots, int* info, \
                                                     int batch) {                                                      \
        return factorise_stack(handle, type, n, a, ld, pivots, info, batch);                                           \
    }                                                                                                                  \
    CUDASIM_LIBRARY int cublas##letter##getrsBatched(void* handle, int operation, int n, int count, const T* const* a, \
                                                     int ld, const int* pivots, T* const* b, int ldb, int* info,       \
                                                     int batch) {                                                      \
        return solve_stack(handle, type, operation, n, count, a, ld, pivots, b, ldb, info, batch);                     \
    }                                                                                                                  \
    CUDASIM_LIBRARY int cublas##letter##geqrfBatched(void* handle, int m, int n, T* const* a, int ld, T* const* tau,   \
                                                     int* info, int batch) {                                           \
        return orthogonalise_stack(handle, type, m, n, a, ld, tau, info, batch);                                       \
    }
struct SinglePair {
    float re, im;
};
struct DoublePair {
    double re, im;
};
STACKS(S, float, cudasim::kRealFloat)
STACKS(D, double, cudasim::kRealDouble)
STACKS(C, SinglePair, cudasim::kComplexFloat)
STACKS(Z, DoublePair, cudasim::kComplexDouble)
