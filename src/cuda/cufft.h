// cufft.h -- cuFFT: its functions, and the plans of one GPU.
#pragma once
#include <list>
#include <memory>
#include "cuarray/runtime/backend.h"
#include "cuarray/runtime/runtime.h"
#include "cuda/context.h"
#include "cuda/cufft_api.h"
#include "cuda/library.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

class GpuRuntime;

struct Cufft {
    static const LibraryInfo info;
#define CUARRAY_DECLARE(name, ...) LibraryFunction<__VA_ARGS__> name{info, #name};
    CUARRAY_CUFFT_FUNCTIONS(CUARRAY_DECLARE)
#undef CUARRAY_DECLARE
    std::string path;
    int version = 0;

    template <class Visit>
    void functions(Visit visit) {
#define CUARRAY_VISIT(name, ...) visit(name);
        CUARRAY_CUFFT_FUNCTIONS(CUARRAY_VISIT)
#undef CUARRAY_VISIT
    }
    const LibraryFunction<int, int*>& get_property() const { return cufftGetProperty; }
};

/// A plan of cuFFT: one size, type and direction of real transforms. Destroyed with its last owner.
class CufftPlan {
 public:
    CufftPlan(GpuRuntime& runtime, const FourierTransform& task);
    ~CufftPlan();
    CufftPlan(const CufftPlan&) = delete;
    CufftPlan& operator=(const CufftPlan&) = delete;

    bool fits(const FourierTransform& task) const;
    size_t workspace_bytes() const { return workspace_bytes_; }
    /// Queues a transform on a stream. Threads take turns.
    void run(CUstream stream, const FourierTransform& task, void* workspace);

 private:
    GpuRuntime& runtime_;
    const Context& context_;
    const bool from_complex_, to_complex_;
    const int64_t item_, batch_;  ///< bytes of a real number
    const Dims points_;
    cufftPlan handle_ = -1;
    size_t workspace_bytes_ = 0;
    Mutex mutex_;
};

/// The plans of one GPU.
class CufftPlans final : public PlanCache {
 public:
    explicit CufftPlans(GpuRuntime& runtime) : runtime_(runtime) {}

    std::shared_ptr<CufftPlan> find(const FourierTransform& task);

    int64_t limit() override;
    void set_limit(int64_t limit) override;
    int64_t count() override;

 private:
    static constexpr int64_t kLimit = 32;
    void shrink();

    GpuRuntime& runtime_;
    Mutex mutex_;
    int64_t limit_ = kLimit;
    std::list<std::shared_ptr<CufftPlan>> plans_;  ///< the last used one first
};

}  // namespace cuarray::cuda
