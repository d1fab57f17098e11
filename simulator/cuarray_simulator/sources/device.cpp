// device.cpp -- initialisation, the devices and their attributes.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "faults.h"
#include "memory.h"
#include "simt.h"
#include "stream.h"

using namespace cudasim;

namespace {

struct Attribute {
    CUdevice_attribute key;
    int value;
};

constexpr Limits kLimits[] = {
    {75, 1024, 16, 64 << 10, 64 << 10},    {80, 2048, 32, 164 << 10, 163 << 10},  {86, 1536, 16, 100 << 10, 99 << 10},
    {87, 1536, 16, 164 << 10, 163 << 10},  {89, 1536, 24, 100 << 10, 99 << 10},   {90, 2048, 32, 228 << 10, 227 << 10},
    {100, 2048, 32, 228 << 10, 227 << 10}, {103, 2048, 32, 228 << 10, 227 << 10}, {110, 1536, 24, 228 << 10, 227 << 10},
    {120, 1536, 24, 100 << 10, 99 << 10},  {121, 1536, 24, 100 << 10, 99 << 10},
};

/// The attributes of every simulated device; those in neither list are zero.
constexpr Attribute kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, kStaticSharedLimit},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 8},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 512},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 32 << 20},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 1},
};

int attribute(CUdevice_attribute key, CUdevice device) {
    if (key == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) return settings().major;
    if (key == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) return settings().minor;
    if (key == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED || key == CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED)
        return settings().pools;
    if (key == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) return device + 1;
    if (auto given = settings().attributes.find(key); given != settings().attributes.end()) return given->second;
    const Limits& l = limits();
    const Attribute by_capability[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, static_cast<int>(l.threads_per_multiprocessor)},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, static_cast<int>(l.blocks_per_multiprocessor)},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, static_cast<int>(l.shared_per_multiprocessor)},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, static_cast<int>(l.shared_per_block_optin)},
    };
    for (const Attribute& a : by_capability)
        if (a.key == key) return a.value;
    for (const Attribute& a : kAttributes)
        if (a.key == key) return a.value;
    return 0;
}

void shut_down() {
    Driver& d = driver();
    d.exiting = true;
    if (!settings().log) return;
    for (EntryPoint* entry = entry_points(); entry; entry = entry->next)
        say(format("%8ld calls of %s", entry->calls, entry->name.c_str()));
}

}  // namespace

const Limits& cudasim::limits() {
    // For a capability that is not listed, the nearest lower one.
    const Limits* best = kLimits;
    for (const Limits& l : kLimits)
        if (l.capability <= settings().major * 10 + settings().minor) best = &l;
    return *best;
}

int cudasim::multiprocessors() { return attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0); }

CUDASIM_API cuInit(unsigned flags) {
    CUDASIM_ENTER(Nothing);
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    Driver& d = driver();
    if (d.forked) return CUDA_ERROR_NOT_INITIALIZED;
    if (d.exiting) return CUDA_ERROR_DEINITIALIZED;
    if (settings().init_error) return settings().init_error;
    if (settings().devices == 0) return CUDA_ERROR_NO_DEVICE;
    if (d.initialised) return CUDA_SUCCESS;
    map_device_memory();
    install_fault_handlers();
    start_worker();
    std::atexit(shut_down);
    d.initialised = true;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDriverGetVersion(int* version) {
    CUDASIM_ENTER(Nothing);
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = settings().driver_version;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetCount(int* count) {
    CUDASIM_ENTER(Init);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = settings().devices;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGet(CUdevice* device, int ordinal) {
    CUDASIM_ENTER(Init);
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetName(char* name, int length, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<size_t>(length), "Simulated %s %d%s", settings().name.c_str(), device,
                  settings().mig ? " MIG 1g.10gb" : "");
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::memset(uuid, 0x5C, sizeof *uuid);
    uuid->bytes[15] = static_cast<char>(device);
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUDASIM_API cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!text || length < 13) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0", device + 1);
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = settings().total;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceGetAttribute(int* value, CUdevice_attribute key, CUdevice device) {
    CUDASIM_ENTER(Init);
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!value || key <= 0 || key > 1000) return CUDA_ERROR_INVALID_VALUE;
    *value = attribute(key, device);
    return CUDA_SUCCESS;
}

CUDASIM_API cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    CUDASIM_ENTER(Init);
    if (!is_device(device) || !is_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
}
