// driver_api.h -- the part of CUDA's driver interface that cuarray uses, declared by hand: building needs no
// CUDA.
//
// Names and values are CUDA's own. tests/cuda compares every line with the real cuda.h and cudaTypedefs.h.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuarray::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUgraphNode = struct CUgraphNode_st*;

struct CUuuid {
    char bytes[16];
};

/// A device's access rights to the memory of a pool.
struct CUmemAccessDesc {
    struct {
        int type, id;
    } location;
    int flags;
};

/// Enumerators and macros of cuda.h: CONSTANT(name, value).
#define CUARRAY_DRIVER_CONSTANTS(CONSTANT)                     \
    CONSTANT(CUDA_SUCCESS, 0)                                  \
    CONSTANT(CUDA_ERROR_INVALID_VALUE, 1)                      \
    CONSTANT(CUDA_ERROR_OUT_OF_MEMORY, 2)                      \
    CONSTANT(CUDA_ERROR_NOT_INITIALIZED, 3)                    \
    CONSTANT(CUDA_ERROR_DEINITIALIZED, 4)                      \
    CONSTANT(CUDA_ERROR_NO_DEVICE, 100)                        \
    CONSTANT(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                \
    CONSTANT(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                \
    CONSTANT(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)             \
    CONSTANT(CUDA_ERROR_CONTAINED, 226)                        \
    CONSTANT(CUDA_ERROR_NOT_FOUND, 500)                        \
    CONSTANT(CUDA_ERROR_NOT_READY, 600)                        \
    CONSTANT(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                  \
    CONSTANT(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                   \
    CONSTANT(CUDA_ERROR_ASSERT, 710)                           \
    CONSTANT(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)             \
    CONSTANT(CUDA_ERROR_LAUNCH_FAILED, 719)                    \
    CONSTANT(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)               \
    CONSTANT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)          \
    CONSTANT(CUDA_ERROR_EXTERNAL_DEVICE, 911)                  \
    CONSTANT(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)       \
    CONSTANT(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)           \
    CONSTANT(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)            \
    CONSTANT(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                    \
    CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
    CONSTANT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
    CONSTANT(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4)             \
    CONSTANT(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 5)          \
    CONSTANT(CU_MEM_ATTACH_GLOBAL, 1)                          \
    CONSTANT(CU_MEM_LOCATION_TYPE_DEVICE, 1)                   \
    CONSTANT(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)            \
    CONSTANT(CU_MEMORYTYPE_DEVICE, 2)                          \
    CONSTANT(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)              \
    CONSTANT(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)           \
    CONSTANT(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)        \
    CONSTANT(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)              \
    CONSTANT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)      \
    CONSTANT(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)             \
    CONSTANT(CU_STREAM_DEFAULT, 0)                             \
    CONSTANT(CU_STREAM_NON_BLOCKING, 1)                        \
    CONSTANT(CU_EVENT_DEFAULT, 0)                              \
    CONSTANT(CU_EVENT_DISABLE_TIMING, 2)                       \
    CONSTANT(CU_MEMHOSTALLOC_PORTABLE, 1)                      \
    CONSTANT(CU_MEMHOSTALLOC_DEVICEMAP, 2)                     \
    CONSTANT(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)           \
    CONSTANT(CU_STREAM_CAPTURE_MODE_RELAXED, 2)                \
    CONSTANT(CU_LIMIT_STACK_SIZE, 0)                           \
    CONSTANT(CU_LIMIT_PRINTF_FIFO_SIZE, 1)                     \
    CONSTANT(CU_LIMIT_MALLOC_HEAP_SIZE, 2)                     \
    CONSTANT(CU_JIT_ERROR_LOG_BUFFER, 5)                       \
    CONSTANT(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)

/// Attributes of a device, under the names that cuarray.device.properties gives them:
/// ATTRIBUTE(name, CUDA's name, value).
#define CUARRAY_DEVICE_ATTRIBUTES(ATTRIBUTE)                                                                      \
    ATTRIBUTE(multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                      \
    ATTRIBUTE(warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                       \
    ATTRIBUTE(max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                \
    ATTRIBUTE(max_threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)             \
    ATTRIBUTE(max_grid_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                                  \
    ATTRIBUTE(max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)                           \
    ATTRIBUTE(max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                    \
    ATTRIBUTE(max_shared_memory_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)       \
    ATTRIBUTE(max_shared_memory_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) \
    ATTRIBUTE(l2_cache_size, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                               \
    ATTRIBUTE(clock_rate_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                                 \
    ATTRIBUTE(memory_clock_rate_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                                   \
    ATTRIBUTE(memory_bus_width, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                                  \
    ATTRIBUTE(copy_engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)                                           \
    ATTRIBUTE(ecc_enabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                                   \
    ATTRIBUTE(integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                                                     \
    ATTRIBUTE(managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                                             \
    ATTRIBUTE(memory_pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)

#define CUARRAY_CONSTANT(name, value) constexpr int name = value;
CUARRAY_DRIVER_CONSTANTS(CUARRAY_CONSTANT)
#undef CUARRAY_CONSTANT
#define CUARRAY_ATTRIBUTE(ours, name, value) constexpr int name = value;
CUARRAY_DEVICE_ATTRIBUTES(CUARRAY_ATTRIBUTE)
#undef CUARRAY_ATTRIBUTE

/// Entry points: ENTRY(name, the version of CUDA whose signature this is, parameters...), WAITS(...) for those that may
/// wait for the device, or take as long as that. All exist in CUDA 12.0.
#define CUARRAY_DRIVER_ENTRIES(ENTRY, WAITS)                                                                      \
    ENTRY(cuInit, 2000, unsigned)                                                                                 \
    ENTRY(cuDriverGetVersion, 2020, int*)                                                                         \
    ENTRY(cuGetErrorName, 6000, CUresult, const char**)                                                           \
    ENTRY(cuGetErrorString, 6000, CUresult, const char**)                                                         \
    ENTRY(cuDeviceGetCount, 2000, int*)                                                                           \
    ENTRY(cuDeviceGet, 2000, CUdevice*, int)                                                                      \
    ENTRY(cuDeviceGetName, 2000, char*, int, CUdevice)                                                            \
    ENTRY(cuDeviceTotalMem, 3020, size_t*, CUdevice)                                                              \
    ENTRY(cuDeviceGetAttribute, 2000, int*, int, CUdevice)                                                        \
    WAITS(cuDevicePrimaryCtxRetain, 7000, CUcontext*, CUdevice)                                                   \
    WAITS(cuDevicePrimaryCtxRelease, 11000, CUdevice)                                                             \
    ENTRY(cuCtxGetCurrent, 4000, CUcontext*)                                                                      \
    ENTRY(cuCtxSetCurrent, 4000, CUcontext)                                                                       \
    ENTRY(cuCtxPushCurrent, 4000, CUcontext)                                                                      \
    ENTRY(cuCtxPopCurrent, 4000, CUcontext*)                                                                      \
    WAITS(cuCtxSynchronize, 2000)                                                                                 \
    ENTRY(cuDeviceGetUuid, 11040, CUuuid*, CUdevice)                                                              \
    ENTRY(cuDeviceGetPCIBusId, 4010, char*, int, CUdevice)                                                        \
    ENTRY(cuDeviceCanAccessPeer, 4000, int*, CUdevice, CUdevice)                                                  \
    ENTRY(cuCtxEnablePeerAccess, 4000, CUcontext, unsigned)                                                       \
    ENTRY(cuCtxGetLimit, 3010, size_t*, int)                                                                      \
    ENTRY(cuCtxGetStreamPriorityRange, 5050, int*, int*)                                                          \
    ENTRY(cuStreamCreateWithPriority, 5050, CUstream*, unsigned, int)                                             \
    ENTRY(cuStreamDestroy, 4000, CUstream)                                                                        \
    ENTRY(cuStreamGetCtx, 9020, CUstream, CUcontext*)                                                             \
    ENTRY(cuStreamQuery, 2000, CUstream)                                                                          \
    ENTRY(cuStreamBeginCapture, 10010, CUstream, int)                                                             \
    ENTRY(cuStreamEndCapture, 10000, CUstream, CUgraph*)                                                          \
    ENTRY(cuStreamIsCapturing, 10000, CUstream, int*)                                                             \
    ENTRY(cuGraphGetNodes, 10000, CUgraph, CUgraphNode*, size_t*)                                                 \
    WAITS(cuGraphInstantiateWithFlags, 11040, CUgraphExec*, CUgraph, unsigned long long)                          \
    ENTRY(cuGraphLaunch, 10000, CUgraphExec, CUstream)                                                            \
    WAITS(cuGraphExecDestroy, 10000, CUgraphExec)                                                                 \
    ENTRY(cuGraphDestroy, 10000, CUgraph)                                                                         \
    WAITS(cuStreamSynchronize, 2000, CUstream)                                                                    \
    ENTRY(cuStreamWaitEvent, 3020, CUstream, CUevent, unsigned)                                                   \
    ENTRY(cuEventCreate, 2000, CUevent*, unsigned)                                                                \
    ENTRY(cuEventRecord, 2000, CUevent, CUstream)                                                                 \
    ENTRY(cuEventQuery, 2000, CUevent)                                                                            \
    WAITS(cuEventSynchronize, 2000, CUevent)                                                                      \
    ENTRY(cuEventElapsedTime, 2000, float*, CUevent, CUevent)                                                     \
    ENTRY(cuEventDestroy, 4000, CUevent)                                                                          \
    ENTRY(cuMemGetInfo, 3020, size_t*, size_t*)                                                                   \
    WAITS(cuMemAlloc, 3020, CUdeviceptr*, size_t)                                                                 \
    WAITS(cuMemFree, 3020, CUdeviceptr)                                                                           \
    ENTRY(cuMemAllocAsync, 11020, CUdeviceptr*, size_t, CUstream)                                                 \
    ENTRY(cuMemAllocFromPoolAsync, 11020, CUdeviceptr*, size_t, CUmemoryPool, CUstream)                           \
    WAITS(cuMemAllocManaged, 6000, CUdeviceptr*, size_t, unsigned)                                                \
    ENTRY(cuMemFreeAsync, 11020, CUdeviceptr, CUstream)                                                           \
    ENTRY(cuDeviceGetMemPool, 11020, CUmemoryPool*, CUdevice)                                                     \
    ENTRY(cuMemPoolGetAttribute, 11020, CUmemoryPool, int, void*)                                                 \
    ENTRY(cuMemPoolSetAttribute, 11020, CUmemoryPool, int, void*)                                                 \
    WAITS(cuMemPoolTrimTo, 11020, CUmemoryPool, size_t)                                                           \
    ENTRY(cuMemPoolSetAccess, 11020, CUmemoryPool, const CUmemAccessDesc*, size_t)                                \
    ENTRY(cuPointerGetAttribute, 4000, void*, int, CUdeviceptr)                                                   \
    WAITS(cuMemHostAlloc, 2020, void**, size_t, unsigned)                                                         \
    WAITS(cuMemFreeHost, 2000, void*)                                                                             \
    ENTRY(cuMemHostGetDevicePointer, 3020, CUdeviceptr*, void*, unsigned)                                         \
    ENTRY(cuMemcpyHtoDAsync, 3020, CUdeviceptr, const void*, size_t, CUstream)                                    \
    ENTRY(cuMemcpyDtoHAsync, 3020, void*, CUdeviceptr, size_t, CUstream)                                          \
    ENTRY(cuMemcpyDtoDAsync, 3020, CUdeviceptr, CUdeviceptr, size_t, CUstream)                                    \
    ENTRY(cuMemcpyPeerAsync, 4000, CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream)              \
    ENTRY(cuMemsetD8Async, 3020, CUdeviceptr, unsigned char, size_t, CUstream)                                    \
    WAITS(cuModuleLoadDataEx, 2010, CUmodule*, const void*, unsigned, int*, void**)                               \
    ENTRY(cuModuleGetFunction, 2000, CUfunction*, CUmodule, const char*)                                          \
    ENTRY(cuFuncGetAttribute, 2020, int*, int, CUfunction)                                                        \
    ENTRY(cuLaunchKernel, 4000, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
          CUstream, void**, void**)                                                                               \
    ENTRY(cuThreadExchangeStreamCaptureMode, 10010, int*)

/// Entry points that a driver may lack; their callers have a fallback.
#define CUARRAY_OPTIONAL_DRIVER_ENTRIES(ENTRY) ENTRY(cuCtxRecordEvent, 12050, CUcontext, CUevent)

/// The only symbol looked up with dlsym; it returns all other entry points. Drivers from 525 (CUDA 12.0)
/// have it.
using GetProcAddress = CUresult(const char* name, void** address, int version, uint64_t flags, int* status);
constexpr const char* kGetProcAddress = "cuGetProcAddress_v2";

}  // namespace cuarray::cuda
