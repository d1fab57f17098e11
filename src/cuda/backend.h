// backend.h -- one GPU as a Backend: kernels and copies, queued on the current stream.
#pragma once
#include <atomic>
#include <span>
#include <string>
#include <vector>
#include "codegen/gather_launch.h"
#include "cuarray/runtime/backend.h"
#include "cuda/cublas.h"
#include "cuda/cufft.h"
#include "cuda/cusolver.h"
#include "cuda/kernels.h"
#include "cuda/operation.h"
#include "cuda/runtime.h"

namespace cuarray {
struct SortBuffers;
struct SortRows;
}  // namespace cuarray

namespace cuarray::cuda {

class GpuBackend final : public Backend {
 public:
    explicit GpuBackend(int index);

    StorageRef allocate(int64_t bytes) override;

    Fault run(const Task& task) override;
    TaskExplanation explain(const Elementwise& task, bool with_code) override;
    bool is_prepared(const Elementwise& task) override;
    bool runs_at_call() override { return runtime_.is_capturing() || GpuRuntime::is_thread_capturing(); }
    StorageRef single_loop(const SingleLoop& task) override;
    bool multiplies_by_library(DType dtype) override;
    MaskCounts count_mask(const View& mask, int64_t size) override;

    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override;
    void read(void* to, Storage& from, int64_t offset, int64_t bytes) override;
    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override;

    void synchronize() override;
    bool is_host_accessible() const override { return false; }
    Runtime& runtime() override { return runtime_; }

    Memory& memory() override { return runtime_.pool; }
    PlanCache* plan_cache() override { return &plans_; }
    std::string describe() const override;

 private:
    friend class Staging;

    // Each plans and launches one task on the current stream, which `run` has ordered after other streams' work.
    void execute(const Elementwise& task);
    void execute(const Reduce& task);
    void execute(const LeftFold& task);
    void execute(const Scan& task);
    void execute(const SegmentedReduce& task);
    void execute(const Matmul& task);
    void execute(const Correlate& task);
    void execute(const IndexedAccess& task);
    void execute(const Compaction& task);
    void execute(const Sort& task);
    void execute(const OrderStatistics& task);
    void execute(const SearchSorted& task);
    void execute(const Histogram& task);
    void execute(const FourierTransform& task);
    void execute(const LapackRoutine& task);
    void execute(const LapackDriver& task);
    void execute(const RandomFill& task);
    void execute(const SequenceFill& task);

    /// A Reduce with one output, or a LeftFold.
    struct SingleFold {
        Program program;
        Dims shape;
        std::span<const View> inputs;
        View output;
        Dims axes;
        const Scalar* initial;
        const char* name;
    };
    void fold_aligned(const SingleFold& task);
    bool try_fold(const SingleFold& task);
    void fold_in_memory(const SingleFold& task, const Dims& results);
    bool try_scan(const Scan& task);
    void scan_in_memory(const Scan& task);
    /// Launches a kernel with its workspace (partials and counters), allocated in stream order.
    void launch_in_workspace(const Program& program, Launch& launch, const char* name);
    void run_elementwise(const Expr& expr, const Dims& shape, std::span<const View> outputs,
                         std::span<const View> inputs, const char* name);
    void copy_elements(const View& to, const View& from, const Dims& shape);
    void launch(const Program& program, Launch& launch, const char* name);
    /// Sets bytes to zero, on the stream of the operation.
    void clear(CUdeviceptr address, int64_t bytes);
    CUresult enqueue(CUfunction function, Launch& launch, bool faults, const char* name);
    void launch(NamedLaunch& named, const char* name);
    bool try_stack(const LapackRoutine& task);
    bool try_stack_by_cublas(const LapackRoutine& task);
    bool try_stack_of_hermitian(const LapackRoutine& task);
    void factorise_stack(const LapackRoutine& task);
    void decompose_stack(const LapackRoutine& task);
    void report_success(const LapackRoutine& task);
    void convert_elements(const View& to, const View& from, const Dims& shape);
    /// The addresses of the parts of a stack, in memory of the device.
    StorageRef addresses_of(const View& stack, int64_t batch);
    /// Memory for a call of a library, on the current stream.
    StorageRef library_workspace(size_t bytes);
    /// Call after a library has queued work on the current stream; the call's name lives as long as the process.
    void has_called(const char* call);
    void move_chosen(const IndexedAccess& task, IndexedAccessPlan& plan);
    void update(const IndexedAccess& task, IndexedAccessPlan& plan);
    bool try_masked(CompactionStep step, const Compaction& task, const View& array);
    void move_masked(CompactionStep step, const Compaction& task);
    void find_nonzero(const Compaction& task);
    void sort_values(const SortRows& rows, CUdeviceptr to, CUdeviceptr from, const char* name);
    void sort_places(const Sort& task, int bits);
    /// Sorts long rows by so many digits from `shift` on.
    void sort_by_digits(const SortBuffers& buffers, int shift, int passes, const char* name);
    void select_values(const OrderStatistics& task);
    void copy_pinned(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes);
    void copy_shown(Storage& pinned, Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes);
    void copy_within(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes);
    void copy_from_peer(Storage& to, int64_t to_offset, GpuBackend& peer, Storage& from, int64_t from_offset,
                        int64_t bytes);

    GpuRuntime runtime_;
    KernelTable kernels_;
    Handles<cublasHandle> cublas_handles_;
    CublasProducts products_;
    CufftPlans plans_;
    Handles<CusolverHandle> solver_handles_;
};

/// Aligned copies of operands whose addresses or strides are not multiples of their alignment.
class Staging {
 public:
    explicit Staging(GpuBackend& backend) : backend_(backend) {}

    /// The views; an unaligned one is replaced by a view of a copy of its elements. Valid as long as this
    /// object.
    std::span<const View> inputs(std::span<const View> views, const Dims& shape);
    /// The views; an unaligned one is replaced by a view of new memory, which `finish` copies back. `keep`: the
    /// task does not write all elements, so the others are copied first.
    std::span<const View> outputs(std::span<const View> views, const Dims& shape, bool keep);
    void finish();

    /// A view of new memory, contiguous in C order over the axes of `shape` along which `like` is not broadcast.
    View contiguous(const View& like, const Dims& shape);
    /// A view of a copy whose matrices, over the last two axes, are contiguous in C order.
    View matrices(const View& view, const Dims& shape);

 private:
    View contiguous_over(const View& like, const Dims& extents);

    struct CopyBack {
        View to, from;
        Dims shape;
    };

    GpuBackend& backend_;
    std::vector<StorageRef> memory_;
    std::vector<View> inputs_, outputs_;  ///< used if a view was replaced
    std::vector<CopyBack> back_;
};

inline CUdeviceptr address_of(const Storage& storage, int64_t offset) {
    return reinterpret_cast<CUdeviceptr>(storage.data) + CUdeviceptr(offset);
}
inline CUdeviceptr address_of(const View& view) { return address_of(*view.storage, view.offset); }
/// The views as operands, as many as fit; the plan checks their number.
std::span<const DeviceOperand> device_operands(std::span<const View> views,
                                               DeviceOperand (&operands)[kernel::kMaxOperands]);

}  // namespace cuarray::cuda
