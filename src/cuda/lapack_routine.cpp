// lapack_routine.cpp -- routines of LAPACK on a GPU, by cuSOLVER.
#include "cuda/backend.h"

namespace cuarray::cuda {
namespace {

/// Memory of the host that a call may use as long as its work is queued: the end waits for that.
class HostWorkspace {
 public:
    HostWorkspace(GpuStream& stream, size_t bytes) : stream_(stream), bytes_(bytes) {}
    ~HostWorkspace() {
        if (!bytes_.empty()) stream_.settle();
    }
    HostWorkspace(const HostWorkspace&) = delete;
    HostWorkspace& operator=(const HostWorkspace&) = delete;

    void* data() { return bytes_.data(); }

 private:
    GpuStream& stream_;
    std::vector<char> bytes_;
};

}  // namespace

// Whether the routines can be captured is not documented, and what they return depends on what is found on the host.
void GpuBackend::execute(const LapackRoutine& task) {
    GpuStream& stream = runtime_.current();
    stream.refuse_in_capture(task.name);
    CusolverCall call(runtime_.context, solver_handles_, stream, task);
    const StorageRef workspace = library_workspace(call.device_bytes());
    HostWorkspace host(stream, call.host_bytes());
    call.run(workspace->data, host.data());
    has_called(call.name());
}

}  // namespace cuarray::cuda
