// work.h -- the work that calls and nodes of graphs queue, in a stream of either.
#pragma once
#include "module_abi.h"
#include "stream.h"

namespace cudasim {

/// The arguments of cuLaunchKernel.
struct Launch {
    cudasim_extent grid, block;
    unsigned dynamic_shared;
    CUstream stream;
    bool is_cooperative = false;
};

CUresult queue_launch(const Launch& launch, CUfunction function, void** parameters, void** extra);
CUresult queue_copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
/// Fills with elements of 1, 2 or 4 bytes.
CUresult queue_fill(CUdeviceptr to, unsigned value, unsigned element, size_t count, CUstream stream);
CUresult queue_host_function(CUhostFn function, void* data, CUstream stream);
/// Nodes that record an event, or wait for its latest record, at each launch.
CUresult add_event_record(CUevent event, Stream& stream);
CUresult add_event_wait(CUevent event, Stream& stream);

}  // namespace cudasim
