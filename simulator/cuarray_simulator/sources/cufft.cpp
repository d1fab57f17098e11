// cufft.cpp -- a simulated cuFFT: sums by the definition, axis by axis, through the work area. A plan has tables in the
// device's memory, as real ones have: who destroys it while work is queued, or in a graph, reads freed memory.
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "client.h"

namespace {

// cufftResult
enum {
    kSuccess = 0,
    kInvalidPlan = 1,
    kAllocFailed = 2,
    kInvalidType = 3,
    kInvalidValue = 4,
    kExecFailed = 6,
    kSetupFailed = 7,
    kInvalidSize = 8,
    kUnaligned = 9,
    kNoWorkspace = 13
};

// cudaDataType
enum { kRealFloat = 0, kRealDouble = 1, kComplexFloat = 4, kComplexDouble = 5 };

struct Plan {
    CUcontext context = nullptr;
    bool is_made = false, allocates = true;
    bool from_complex = true, to_complex = true, is_double = true;
    std::vector<int64_t> points;
    int64_t batch = 1, size = 1;  ///< size: of one transform, in points
    CUdeviceptr tables = 0;
    CUstream stream = nullptr;
    void* area = nullptr;
    std::atomic<bool> in_use = false;

    int64_t half() const { return points.back() / 2 + 1; }
};

std::mutex mutex;
int last_handle = 0;

std::map<int, std::shared_ptr<Plan>>& plans() {
    static auto* table = new std::map<int, std::shared_ptr<Plan>>;
    return *table;
}

std::shared_ptr<Plan> plan_of(int handle) {
    const std::lock_guard lock(mutex);
    const auto found = plans().find(handle);
    return found == plans().end() ? nullptr : found->second;
}

/// The parameters of all kernels.
struct Pass {
    const void* from;
    void* to;
    const double* table;
    int64_t count, points, inner, half;
    int inverse, is_complex, is_double;
};

constexpr const char* kText = R"(
struct Pass {
    const void* from;
    void* to;
    const double* table;
    long long count, points, inner, half;
    int inverse, is_complex, is_double;
};
inline __device__ long long here() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
inline __device__ double number(const void* from, long long k, int is_double) {
    return is_double ? ((const double*)from)[k] : (double)((const float*)from)[k];
}
inline __device__ void put(void* to, long long k, double x, int is_double) {
    if (is_double) ((double*)to)[k] = x;
    else ((float*)to)[k] = (float)x;
}
// To complex doubles; the second half of each last axis from the first, of which it is the conjugate.
extern "C" __global__ void load(Pass p) {
    long long e = here();
    if (e >= p.count) return;
    double re, im = 0;
    if (!p.is_complex) {
        re = number(p.from, e, p.is_double);
    } else if (p.half == 0) {
        re = number(p.from, 2 * e, p.is_double), im = number(p.from, 2 * e + 1, p.is_double);
    } else {
        long long k = e % p.points, line = e / p.points;
        bool mirrored = k >= p.half;
        long long source = line * p.half + (mirrored ? p.points - k : k);
        re = number(p.from, 2 * source, p.is_double);
        im = (mirrored ? -1 : 1) * number(p.from, 2 * source + 1, p.is_double);
        if (k == 0 || 2 * k == p.points) re += im;  // whoever leaves imaginary parts there gets them
    }
    ((double*)p.to)[2 * e] = re, ((double*)p.to)[2 * e + 1] = im;
}
// The definition along one axis.
extern "C" __global__ void axis(Pass p) {
    long long e = here();
    if (e >= p.count) return;
    long long inner = e % p.inner, k = e / p.inner % p.points, outer = e / p.inner / p.points;
    const double* x = (const double*)p.from + 2 * (outer * p.points * p.inner + inner);
    double re = 0, im = 0;
    for (long long j = 0; j < p.points; ++j) {
        long long turn = j * k % p.points;
        double c = p.table[2 * turn], s = (p.inverse ? 1 : -1) * p.table[2 * turn + 1];
        double a = x[2 * j * p.inner], b = x[2 * j * p.inner + 1];
        re += a * c - b * s, im += a * s + b * c;
    }
    ((double*)p.to)[2 * e] = re, ((double*)p.to)[2 * e + 1] = im;
}
extern "C" __global__ void store(Pass p) {
    long long e = here();
    if (e >= p.count) return;
    if (p.half != 0 && e % p.points >= p.half) return;
    long long target = p.half == 0 ? e : e / p.points * p.half + e % p.points;
    const double* x = (const double*)p.from + 2 * e;
    if (!p.is_complex) { put(p.to, target, x[0], p.is_double); return; }
    put(p.to, 2 * target, x[0], p.is_double), put(p.to, 2 * target + 1, x[1], p.is_double);
}
// What a transform to real numbers leaves in its input.
extern "C" __global__ void spoil(Pass p) {
    long long e = here();
    if (e < p.count) put(p.to, e, -1e30, p.is_double);
}
)";

bool run(const char* entry, int64_t threads, Pass pass, CUstream stream) {
    return cudasim::launch({"", kText, entry, threads, &pass}, stream) == CUDA_SUCCESS;
}

bool is_aligned(const void* address, size_t bytes) { return reinterpret_cast<uintptr_t>(address) % bytes == 0; }

}  // namespace

CUDASIM_LIBRARY int cufftGetProperty(int type, int* value) {
    if (!cudasim::library_property(type, value)) return kInvalidValue;
    if (type == 0) *value -= 1;  // cuFFT 12 is of CUDA 13
    return kSuccess;
}

CUDASIM_LIBRARY int cufftCreate(int* handle) {
    auto plan = std::make_shared<Plan>();
    plan->context = cudasim::current_context();
    if (!plan->context) return kSetupFailed;
    const std::lock_guard lock(mutex);
    plans()[*handle = ++last_handle] = plan;
    return kSuccess;
}

CUDASIM_LIBRARY int cufftDestroy(int handle) {
    const auto plan = plan_of(handle);
    if (!plan) return kInvalidPlan;
    if (plan->tables && cudasim::free_memory(plan->tables) != CUDA_SUCCESS) return kExecFailed;
    const std::lock_guard lock(mutex);
    plans().erase(handle);
    return kSuccess;
}

CUDASIM_LIBRARY int cufftSetAutoAllocation(int handle, int allocates) {
    const auto plan = plan_of(handle);
    if (!plan || plan->is_made) return kInvalidPlan;
    plan->allocates = allocates != 0;
    return kSuccess;
}

CUDASIM_LIBRARY int cufftXtMakePlanMany(int handle, int rank, long long* points, long long* from_embed, long long,
                                        long long, int from_type, long long* to_embed, long long, long long,
                                        int to_type, long long batch, size_t* bytes, int type) {
    const auto plan = plan_of(handle);
    if (!plan || plan->is_made) return kInvalidPlan;
    if (rank < 1 || rank > 3 || batch < 1 || from_embed || to_embed) return kInvalidValue;
    plan->is_double = type == kComplexDouble;
    if (type != kComplexDouble && type != kComplexFloat) return kInvalidType;
    const int real = plan->is_double ? kRealDouble : kRealFloat;
    if ((from_type != type && from_type != real) || (to_type != type && to_type != real) ||
        (from_type == real && to_type == real))
        return kInvalidType;
    plan->from_complex = from_type == type, plan->to_complex = to_type == type;
    plan->batch = batch;
    std::vector<double> tables;
    for (int d = 0; d < rank; ++d) {
        if (points[d] < 1) return kInvalidSize;
        plan->points.push_back(points[d]);
        plan->size *= points[d];
        for (int64_t k = 0; k < points[d]; ++k) {
            const double angle = 2 * std::acos(-1.0) * double(k) / double(points[d]);
            tables.push_back(std::cos(angle));
            tables.push_back(std::sin(angle));
        }
    }
    const CUresult status = cudasim::upload(tables.data(), tables.size() * sizeof(double), &plan->tables);
    if (status != CUDA_SUCCESS) return status == CUDA_ERROR_OUT_OF_MEMORY ? kAllocFailed : kSetupFailed;
    if (plan->allocates) return cudasim::misuse("cuFFT", "the plan would allocate its own work area", kSetupFailed);
    *bytes = size_t(plan->size * batch) * 4 * sizeof(double);
    plan->is_made = true;
    return kSuccess;
}

CUDASIM_LIBRARY int cufftSetStream(int handle, CUstream stream) {
    const auto plan = plan_of(handle);
    if (!plan) return kInvalidPlan;
    plan->stream = stream;
    plan->area = nullptr;  // not so in the real one: finds who shares a work area between streams
    return kSuccess;
}

CUDASIM_LIBRARY int cufftSetWorkArea(int handle, void* area) {
    const auto plan = plan_of(handle);
    if (!plan) return kInvalidPlan;
    plan->area = area;
    return kSuccess;
}

CUDASIM_LIBRARY int cufftXtExec(int handle, void* input, void* output, int direction) {
    const auto plan = plan_of(handle);
    if (!plan || !plan->is_made) return kInvalidPlan;
    const cudasim::InUse in_use(plan->in_use, "cuFFT");
    if (plan->context != cudasim::current_context())
        return cudasim::misuse("cuFFT", "the plan belongs to another context than the current one", kExecFailed);
    if (direction != -1 && direction != 1) return kInvalidValue;
    if (!plan->area) return cudasim::misuse("cuFFT", "no work area was set after the stream", kNoWorkspace);
    const size_t item = plan->is_double ? 16 : 8;
    if (!is_aligned(input, item) || !is_aligned(output, item) || !is_aligned(plan->area, 16)) return kUnaligned;
    const bool to_real = !plan->to_complex, from_real = !plan->from_complex;
    if (from_real ? direction != -1 : to_real && direction != 1) return kInvalidValue;
    const int64_t count = plan->size * plan->batch, last = plan->points.back();
    auto* const areas = static_cast<double*>(plan->area);
    Pass pass{input,          areas,      nullptr,        count, last, 1, to_real ? plan->half() : 0,
              direction == 1, !from_real, plan->is_double};
    if (!run("load", count, pass, plan->stream)) return kExecFailed;
    if (to_real) {
        Pass spoiled = pass;
        spoiled.to = input;
        spoiled.count = count / last * plan->half() * 2;
        if (!run("spoil", spoiled.count, spoiled, plan->stream)) return kExecFailed;
    }
    pass.inner = count / plan->batch;
    const auto* table = reinterpret_cast<const double*>(plan->tables);
    int now = 0;
    for (const int64_t points : plan->points) {
        pass.points = points, pass.inner /= points, pass.table = table;
        pass.from = areas + now * 2 * count, pass.to = areas + (1 - now) * 2 * count;
        if (!run("axis", count, pass, plan->stream)) return kExecFailed;
        table += 2 * points;
        now = 1 - now;
    }
    pass.from = areas + now * 2 * count, pass.to = output;
    pass.points = last, pass.half = from_real ? plan->half() : 0, pass.is_complex = !to_real;
    return run("store", count, pass, plan->stream) ? kSuccess : kExecFailed;
}
