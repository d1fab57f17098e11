// fourier_transform.cpp -- Fourier transforms by FFTW, if the machine has it. Python's are NumPy's (cuarray/fft.py).
#include <dlfcn.h>
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <type_traits>

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
    void (*execute_complex)(FftwPlan plan, void* from, void* to) = nullptr;
    void (*execute_from_real)(FftwPlan plan, void* from, void* to) = nullptr;
    void (*execute_to_real)(FftwPlan plan, void* from, void* to) = nullptr;
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
        find(execute_complex, "execute_dft");
        find(execute_from_real, "execute_dft_r2c");
        find(execute_to_real, "execute_dft_c2r");
        find(destroy, "destroy_plan");
    }
    bool is_complete() const {
        return plan_complex && plan_from_real && plan_to_real && execute_complex && execute_from_real &&
               execute_to_real && destroy;
    }

    static const Fftw& find(bool is_single, const char* name) {
        static const Fftw float64("libfftw3.so.3", "fftw_"), float32("libfftw3f.so.3", "fftwf_");
        const Fftw& found = is_single ? float32 : float64;
        if (!found.is_complete())
            raise(ErrorKind::NotImplemented, name,
                  ": on cpu C++ programs need FFTW; install it: apt install libfftw3-double3 libfftw3-single3");
        return found;
    }
};

/// The elements of a side of which the last axis has so many, from one index of an axis to the next; of axis -1, of a
/// whole transform.
ptrdiff_t stride_of(const Dims& points, int axis, int64_t last) {
    ptrdiff_t stride = 1;
    for (int d = points.size() - 1; d > axis; --d) stride *= d == points.size() - 1 ? last : points[d];
    return stride;
}

/// The plan of one transform of a task, which all of its stack have: equal lines give equal results.
class PlannedTransform {
 public:
    PlannedTransform(const Fftw& fftw, const FourierTransform& task) : fftw_(fftw), task_(task) {
        const int64_t full = task.points.back(), half = full / 2 + 1;
        const int64_t from_last = task.kind == Kind::ToReal ? half : full,
                      to_last = task.kind == Kind::FromReal ? half : full;
        const int rank = task.points.size();
        FftwAxis axes[3];
        for (int d = 0; d < rank; ++d)
            axes[d] = {task.points[d], stride_of(task.points, d, from_last), stride_of(task.points, d, to_last)};
        from_apart_ = stride_of(task.points, -1, from_last) * item_size(task.from.dtype);
        to_apart_ = stride_of(task.points, -1, to_last) * item_size(task.to.dtype);
        char *const from = task.from.data(), *const to = task.to.data();
        constexpr unsigned flags = kEstimate | kUnaligned;
        const std::lock_guard lock(planner);
        plan_ = task.kind == Kind::FromReal ? fftw.plan_from_real(rank, axes, 0, nullptr, from, to, flags)
                : task.kind == Kind::ToReal
                    ? fftw.plan_to_real(rank, axes, 0, nullptr, from, to, flags | kDestroyInput)
                    : fftw.plan_complex(rank, axes, 0, nullptr, from, to,
                                        task.kind == Kind::Forward ? kForward : kInverse, flags);
        if (!plan_) raise(ErrorKind::Runtime, task.name, ": FFTW makes no plan for ", to_string(task.points));
    }
    PlannedTransform(const PlannedTransform&) = delete;
    ~PlannedTransform() {
        const std::lock_guard lock(planner);
        fftw_.destroy(plan_);
    }

    /// Runs one of the stack, in any thread.
    void run(int64_t i) const {
        const auto execute = task_.kind == Kind::FromReal ? fftw_.execute_from_real
                             : task_.kind == Kind::ToReal ? fftw_.execute_to_real
                                                          : fftw_.execute_complex;
        execute(plan_, task_.from.data() + i * from_apart_, task_.to.data() + i * to_apart_);
    }

 private:
    using Kind = FourierTransform::Kind;
    /// FFTW's plans are made and dropped by one thread at a time.
    static inline std::mutex planner;

    const Fftw& fftw_;
    const FourierTransform& task_;
    FftwPlan plan_;
    int64_t from_apart_, to_apart_;  ///< bytes
};

}  // namespace

void run(const LoopLibrary&, const FourierTransform& task) {
    const DType complex = task.kind == FourierTransform::Kind::FromReal ? task.to.dtype : task.from.dtype;
    const DefaultFloatMode mode;
    const PlannedTransform planned(Fftw::find(complex == DType::complex64, task.name), task);
    const int64_t some = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, count(task.points)));
    parallel_for((task.batch + some - 1) / some, [&](int64_t part) {
        for (int64_t i = part * some; i < std::min(task.batch, (part + 1) * some); ++i) planned.run(i);
    });
}

}  // namespace cuarray::host
