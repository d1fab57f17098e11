// lapack_routine.cpp -- routines of LAPACK on a GPU, by cuSOLVER.
#include "cuda/backend.h"

namespace cuarray::cuda {
// Whether the routines can be captured is not documented, and what they return depends on what is found on the host.
void GpuBackend::execute(const LapackRoutine& task) {
    GpuStream& stream = runtime_.current();
    stream.refuse_in_capture(task.name);
    if (try_stack(task)) return;
    CusolverCall call(runtime_.context, solver_handles_, stream, task);
    const StorageRef workspace = library_workspace(call.device_bytes());
    HostWorkspace host(stream, call.host_bytes());
    call.run(workspace->data, host.data());
    has_called(call.name());
}

void GpuBackend::execute(const LapackDriver& task) {
    raise(ErrorKind::NotImplemented, task.name, ": LAPACK's drivers are for the host; GPUs have its routines");
}

}  // namespace cuarray::cuda
