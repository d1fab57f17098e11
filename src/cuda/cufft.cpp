// cufft.cpp -- plans of cuFFT: made, kept and run.
#include "cuda/cufft.h"

#include <algorithm>

#include "cuda/cublas_api.h"
#include "cuda/runtime.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {
namespace {

using Direction = FourierTransform::Kind;

const char* cufft_status(int status) {
    switch (status) {
#define CUARRAY_NAME(name, value) \
    case value: return #name;
        CUARRAY_CUFFT_STATUSES(CUARRAY_NAME)
#undef CUARRAY_NAME
        default: return nullptr;
    }
}

const Cufft& cufft(const char* function) {
    std::string why_none;
    if (const Cufft* const library = find_library<Cufft>(&why_none)) return *library;
    raise(ErrorKind::NotImplemented, function, ": on a GPU, transforms need cuFFT; ", why_none);
}

/// A transform and its input or output in cudaDataType.
int type_of(bool is_complex, int64_t item) {
    if (is_complex) return item == 4 ? CUDA_C_32F : CUDA_C_64F;
    return item == 4 ? CUDA_R_32F : CUDA_R_64F;
}

int64_t real_item(const FourierTransform& task) {
    return item_size(task.from.dtype) / (task.kind == Direction::FromReal ? 1 : 2);
}

void* data_of(const View& view) { return static_cast<char*>(view.storage->data) + view.offset; }

}  // namespace

const LibraryInfo Cufft::info{"cufft", "cuFFT", 1, CUFFT_ALLOC_FAILED, cufft_status};

CufftPlan::CufftPlan(GpuRuntime& runtime, const FourierTransform& task)
    : runtime_(runtime),
      context_(runtime.context),
      from_complex_(task.kind != Direction::FromReal),
      to_complex_(task.kind != Direction::ToReal),
      item_(real_item(task)),
      batch_(task.batch),
      points_(task.points) {
    const Cufft& library = cufft(task.name);
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);
    library.cufftCreate(&handle_);
    try {
        library.cufftSetAutoAllocation(handle_, 0);
        long long points[3];
        std::copy(points_.begin(), points_.end(), points);
        const int complex = type_of(true, item_);
        // Without embedding, data are contiguous.
        library.cufftXtMakePlanMany(handle_, points_.size(), points, nullptr, 1, 0, type_of(from_complex_, item_),
                                    nullptr, 1, 0, type_of(to_complex_, item_), batch_, &workspace_bytes_, complex);
    } catch (...) {
        reinterpret_cast<int (*)(cufftPlan)>(library.cufftDestroy.address)(handle_);
        throw;
    }
}

// Work that is queued uses a plan's tables: wait for it, and not for the whole context, which would break captures of
// other libraries.
CufftPlan::~CufftPlan() {
    if (!is_alive()) return;
    try {
        runtime_.wait_for_streams();
        const Current current(context_);
        const RelaxedCapture relaxed(context_.driver);
        find_library<Cufft>()->cufftDestroy(handle_);
    } catch (const Error& error) { report_unraisable(std::string("a plan of cuFFT is lost: ") + error.what()); }
}

bool CufftPlan::fits(const FourierTransform& task) const {
    return (task.kind != Direction::FromReal) == from_complex_ && (task.kind != Direction::ToReal) == to_complex_ &&
           real_item(task) == item_ && task.batch == batch_ && task.points == points_;
}

void CufftPlan::run(CUstream stream, const FourierTransform& task, void* workspace) {
    const Cufft& library = cufft(task.name);
    const bool is_inverse = task.kind == Direction::Inverse || task.kind == Direction::ToReal;
    const std::lock_guard lock(mutex_);
    const Current current(context_);
    const RelaxedCapture relaxed(context_.driver);  // the library may load kernels
    library.cufftSetStream(handle_, stream);
    library.cufftSetWorkArea(handle_, workspace);
    library.cufftXtExec(handle_, data_of(task.from), data_of(task.to), is_inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
}

std::shared_ptr<CufftPlan> CufftPlans::find(const FourierTransform& task) {
    {
        const std::lock_guard lock(mutex_);
        const auto known = std::ranges::find_if(plans_, [&](const auto& plan) { return plan->fits(task); });
        if (known != plans_.end()) {
            plans_.splice(plans_.begin(), plans_, known);
            return plans_.front();
        }
    }
    // Without the lock: the search for the library may take the GIL.
    auto plan = std::make_shared<CufftPlan>(runtime_, task);
    const std::lock_guard lock(mutex_);
    plans_.push_front(plan);
    shrink();
    return plan;
}

int64_t CufftPlans::limit() {
    const std::lock_guard lock(mutex_);
    return limit_;
}

void CufftPlans::set_limit(int64_t limit) {
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    shrink();
}

int64_t CufftPlans::count() {
    const std::lock_guard lock(mutex_);
    return int64_t(plans_.size());
}

// A plan cannot wait for the work that uses it while anything is captured.
void CufftPlans::shrink() {
    while (int64_t(plans_.size()) > limit_ && !GpuRuntime::is_any_captured()) plans_.pop_back();
}

}  // namespace cuarray::cuda
