// fourier_transform.cpp -- Fourier transforms by FFTW, if the machine has it. Python's are NumPy's (cuarray/fft.py).
#include <dlfcn.h>
#include <algorithm>
#include <cstddef>
#include <mutex>

#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

// What FFTW's header fftw3.h declares; here its functions are found by name.
constexpr int kForward = -1, kInverse = 1;
constexpr unsigned kDestroyInput = 1u << 0, kUnaligned = 1u << 1, kEstimate = 1u << 6;
struct FftwAxis {
    ptrdiff_t n, from_stride, to_stride;
};
using FftwPlan = void*;

/// The functions of one precision.
struct Fftw {
    FftwPlan (*plan_complex)(int rank, const FftwAxis* axes, int stack_rank, const FftwAxis* stack, void* from,
                             void* to, int sign, unsigned flags) = nullptr;
    FftwPlan (*plan_from_real)(int rank, const FftwAxis* axes, int stack_rank, const FftwAxis* stack, void* from,
                               void* to, unsigned flags) = nullptr;
    FftwPlan (*plan_to_real)(int rank, const FftwAxis* axes, int stack_rank, const FftwAxis* stack, void* from,
                             void* to, unsigned flags) = nullptr;
    void (*execute)(FftwPlan plan) = nullptr;
    void (*destroy)(FftwPlan plan) = nullptr;

    Fftw(const char* file, const std::string& prefix) {
        void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!library) return;
        const auto find = [&](auto& function, const char* name) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, (prefix + name).c_str()));
        };
        find(plan_complex, "plan_guru64_dft");
        find(plan_from_real, "plan_guru64_dft_r2c");
        find(plan_to_real, "plan_guru64_dft_c2r");
        find(execute, "execute");
        find(destroy, "destroy_plan");
    }
    bool is_complete() const { return plan_complex && plan_from_real && plan_to_real && execute && destroy; }

    static const Fftw& find(bool is_single, const char* name) {
        static const Fftw float64("libfftw3.so.3", "fftw_"), float32("libfftw3f.so.3", "fftwf_");
        const Fftw& found = is_single ? float32 : float64;
        if (!found.is_complete())
            raise(ErrorKind::NotImplemented, name,
                  ": on cpu C++ programs need FFTW; install it: apt install libfftw3-double3 libfftw3-single3");
        return found;
    }
};

/// Plans are made and dropped by one thread at a time, and executed by any.
std::mutex planner;

/// The distance of elements of an axis on a side of which the last axis has so many elements.
ptrdiff_t stride_of(const Dims& points, int axis, int64_t last) {
    ptrdiff_t stride = 1;
    for (int d = points.size() - 1; d > axis; --d) stride *= d == points.size() - 1 ? last : points[d];
    return stride;
}

/// Some of the transforms of a stack.
void run_some(const Fftw& fftw, const FourierTransform& task, int64_t begin, int64_t count) {
    using Kind = FourierTransform::Kind;
    const int64_t half = task.points.back() / 2 + 1, full = task.points.back();
    const int64_t from_last = task.kind == Kind::ToReal ? half : full,
                  to_last = task.kind == Kind::FromReal ? half : full;
    const int rank = task.points.size();
    FftwAxis axes[3];
    for (int d = 0; d < rank; ++d)
        axes[d] = {task.points[d], stride_of(task.points, d, from_last), stride_of(task.points, d, to_last)};
    const FftwAxis stack{count, stride_of(task.points, -1, from_last), stride_of(task.points, -1, to_last)};
    char* const from = task.from.data() + begin * stack.from_stride * item_size(task.from.dtype);
    char* const to = task.to.data() + begin * stack.to_stride * item_size(task.to.dtype);
    const unsigned flags = kEstimate | kUnaligned | (task.kind == Kind::ToReal ? kDestroyInput : 0);
    FftwPlan plan;
    {
        const std::lock_guard lock(planner);
        plan = task.kind == Kind::FromReal ? fftw.plan_from_real(rank, axes, 1, &stack, from, to, flags)
               : task.kind == Kind::ToReal ? fftw.plan_to_real(rank, axes, 1, &stack, from, to, flags)
                                           : fftw.plan_complex(rank, axes, 1, &stack, from, to,
                                                               task.kind == Kind::Forward ? kForward : kInverse, flags);
    }
    if (!plan) raise(ErrorKind::Runtime, task.name, ": FFTW makes no plan for ", to_string(task.points));
    fftw.execute(plan);
    const std::lock_guard lock(planner);
    fftw.destroy(plan);
}

}  // namespace

void run(const LoopLibrary&, const FourierTransform& task) {
    using Kind = FourierTransform::Kind;
    const DType complex = task.kind == Kind::FromReal ? task.to.dtype : task.from.dtype;
    const Fftw& fftw = Fftw::find(complex == DType::complex64, task.name);
    const DefaultFloatMode mode;
    const int64_t some = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, count(task.points)));
    parallel_for((task.batch + some - 1) / some,
                 [&](int64_t i) { run_some(fftw, task, i * some, std::min(some, task.batch - i * some)); });
}

}  // namespace cuarray::host
