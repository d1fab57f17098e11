// launch.cpp -- kernel launches: limits at the call; addresses, liveness and guards when the kernel runs.
#include <algorithm>
#include <cstring>
#include <vector>

#include "capture.h"
#include "host_memory.h"
#include "memory.h"
#include "module.h"
#include "simt.h"
#include "work.h"

namespace cudasim {
namespace {

constexpr unsigned long long kMostThreads = 1024;
// More is only supported since drivers of CUDA 12.1.
constexpr unsigned kMostParameterBytes = 4096;

CUresult refused(const char* kernel, CUresult code, const std::string& why) {
    say(format("launch of %s: %s", kernel, why.c_str()));
    return code;
}

CUresult check_limits(const Launch& l, const Function& f) {
    const char* name = f.kernel->name;
    const auto &g = l.grid, &b = l.block;
    if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z)
        return refused(name, CUDA_ERROR_INVALID_VALUE, "an empty grid or block");
    if (g.x > 0x7FFFFFFF || g.y > 65535 || g.z > 65535)
        return refused(name, CUDA_ERROR_INVALID_VALUE, format("a grid of (%u, %u, %u) blocks", g.x, g.y, g.z));
    unsigned long long threads = 1ull * b.x * b.y * b.z;
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads > kMostThreads)
        return refused(name, CUDA_ERROR_INVALID_VALUE, format("a block of (%u, %u, %u) threads", b.x, b.y, b.z));
    if (threads > f.kernel->max_threads)
        return refused(
            name, CUDA_ERROR_INVALID_VALUE,
            format("%llu threads per block where __launch_bounds__ says %u", threads, f.kernel->max_threads));
    if (f.registers(static_cast<unsigned>(threads)) > kRegistersPerBlock)
        return refused(name, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                       format("%llu threads of %u registers each, where a block has %u", threads, f.resources.registers,
                              kRegistersPerBlock));
    if (f.kernel->parameter_bytes > kMostParameterBytes)
        return refused(
            name, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            format("%u bytes of parameters, %u are allowed", f.kernel->parameter_bytes, kMostParameterBytes));
    if (l.dynamic_shared > f.dynamic_shared_limit)
        return refused(
            name, CUDA_ERROR_INVALID_VALUE,
            format("%u bytes of dynamic shared memory, %u are allowed", l.dynamic_shared, f.dynamic_shared_limit));
    return CUDA_SUCCESS;
}

/// How many blocks a multiprocessor has room for.
unsigned resident_blocks(const Function& f, unsigned block_size, size_t dynamic_shared) {
    const Limits& l = limits();
    const unsigned threads = (block_size + 31) / 32 * 32;
    if (threads > f.most_threads()) return 0;
    const auto shared = static_cast<unsigned>(f.resources.shared + dynamic_shared) + 1024;
    return std::min({l.threads_per_multiprocessor / threads, l.shared_per_multiprocessor / shared,
                     kRegistersPerBlock / std::max(1u, f.registers(threads)), l.blocks_per_multiprocessor});
}

/// The blocks of a cooperative launch are all resident.
CUresult check_cooperative(const Launch& l, const Function& f) {
    const unsigned long long blocks = 1ull * l.grid.x * l.grid.y * l.grid.z;
    const unsigned long long most = 1ull * static_cast<unsigned>(multiprocessors()) *
                                    resident_blocks(f, l.block.x * l.block.y * l.block.z, l.dynamic_shared);
    if (blocks <= most) return CUDA_SUCCESS;
    return refused(f.kernel->name, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                   format("a cooperative launch of %llu blocks, %llu fit on the device", blocks, most));
}

/// Copies the parameters: the caller may change them as soon as the call returns.
CUresult gather(std::vector<char>& into, const cudasim_kernel& kernel, void** parameters, void** extra) {
    into.assign(kernel.parameter_bytes, 0);
    if (parameters) {
        for (unsigned i = 0; i < kernel.parameter_count; ++i)
            std::memcpy(into.data() + kernel.offsets[i], parameters[i], kernel.sizes[i]);
        return CUDA_SUCCESS;
    }
    const void* buffer = nullptr;
    size_t size = 0;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<size_t*>(extra[1]);
    }
    if (size < kernel.parameter_bytes || (kernel.parameter_bytes && !buffer)) return CUDA_ERROR_INVALID_VALUE;
    if (kernel.parameter_bytes) std::memcpy(into.data(), buffer, kernel.parameter_bytes);
    return CUDA_SUCCESS;
}

/// Looks for device addresses among the parameters, and fills in the blocks they belong to. For kernels that do not
/// translate addresses themselves, those of CUDA text, they become host addresses.
Fault resolve(std::vector<char>& parameters, const Context& context, bool translates,
              std::vector<Allocation*>& touched) {
    for (size_t i = 0; i + sizeof(CUdeviceptr) <= parameters.size(); i += sizeof(CUdeviceptr)) {
        CUdeviceptr word;
        std::memcpy(&word, &parameters[i], sizeof word);
        if (!is_device_address(word)) continue;
        // An address between blocks may be the end or a bias of an array that is never dereferenced; its reads
        // find poison.
        if (Allocation* block = allocation_at(word)) {
            bool at_end = word >= block->base + block->live_size;
            if (!at_end || !block->live)
                if (Fault wrong = why_unusable(context, word, 1)) return wrong;
            touched.push_back(block);
        }
        if (translates) continue;
        word += static_cast<CUdeviceptr>(kViewOffset);
        std::memcpy(&parameters[i], &word, sizeof word);
    }
    return {};
}

/// The host memory among the parameters. Until the kernel has run, it may read and write all of it.
std::vector<HostUse> host_uses(const std::vector<char>& parameters) {
    std::vector<HostUse> uses;
    for (size_t i = 0; i + sizeof(CUdeviceptr) <= parameters.size(); i += sizeof(CUdeviceptr)) {
        CUdeviceptr word;
        std::memcpy(&word, &parameters[i], sizeof word);
        HostUse use(word);
        if (use.range()) uses.push_back(use);
    }
    return uses;
}

void count(const std::vector<HostUse>& uses, int change) {
    for (const HostUse& use : uses)
        if (HostRange* range = use.range()) range->reading += change, range->writing += change;
}

CUresult run(Context& context, const Launch& l, const Function& f, std::vector<char> parameters, uint64_t seed) {
    const std::string name = format("kernel %s", f.kernel->name);
    std::vector<Allocation*> touched;
    if (Fault wrong = resolve(parameters, context, f.kernel->declared, touched))
        return fail_access(context, name.c_str(), wrong);
    Grid grid{f.module->info,   f.kernel, parameters.data(), l.grid,          l.block,
              l.dynamic_shared, seed,     &context,          l.is_cooperative};
    GridResult result = run_grid(grid);
    if (result.code != CUDA_SUCCESS) return fail_work(context, result.code, result.finding);
    for (Allocation* block : touched)
        if (!guards_intact(*block))
            return fail_access(context, name.c_str(),
                               {format("writes next to a block of %zu bytes at 0x%llx", block->live_size, block->base),
                                Cause::OutOfBounds});
    return CUDA_SUCCESS;
}

}  // namespace

CUresult queue_launch(const Launch& l, CUfunction handle, void** parameters, void** extra) {
    auto function = launchable(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    CUresult error;
    auto stream = stream_of(l.stream, error);
    if (!stream) return error;
    Context& context = *stream->context;
    if (function->module->context != &context || current_context() != &context)
        return refused(function->kernel->name, CUDA_ERROR_INVALID_HANDLE,
                       "the kernel, the stream and the thread are not of one context");
    error = check_limits(l, *function);
    if (error == CUDA_SUCCESS && l.is_cooperative) error = check_cooperative(l, *function);
    if (error != CUDA_SUCCESS) return error;
    std::vector<char> packed;
    error = gather(packed, *function->kernel, parameters, extra);
    if (error != CUDA_SUCCESS || !settings().launches) return error;
    return submit(*stream, CU_GRAPH_NODE_TYPE_KERNEL, [=, &context, packed = std::move(packed)] {
        uint64_t seed = driver().random.next();
        bool gone = function->module->unloaded;
        auto uses = host_uses(packed);
        count(uses, 1);
        return Operation{function->kernel->name, [=, &context] {
                             count(uses, -1);
                             if (gone)
                                 return fail_access(context, "graph",
                                                    {format("the module of %s was unloaded", function->kernel->name)});
                             return run(context, l, *function, packed, seed);
                         }};
    });
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters,
                           void** extra) {
    CUDASIM_ENTER(Context);
    return queue_launch({{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream}, function, parameters,
                        extra);
}

CUDASIM_API cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                      CUstream stream, void** parameters) {
    CUDASIM_ENTER(Context);
    return queue_launch({{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, true}, function,
                        parameters, nullptr);
}

CUDASIM_API cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction function, void** parameters, void** extra) {
    CUDASIM_ENTER(Context);
    if (!c || (c->numAttrs && !c->attrs)) return CUDA_ERROR_INVALID_VALUE;
    Launch l{{c->gridDimX, c->gridDimY, c->gridDimZ},
             {c->blockDimX, c->blockDimY, c->blockDimZ},
             c->sharedMemBytes,
             c->hStream};
    for (const CUlaunchAttribute* a = c->attrs; a != c->attrs + c->numAttrs; ++a) {
        int words[3];
        std::memcpy(words, &a->value, sizeof words);
        if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            l.is_cooperative = words[0] != 0;
        } else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && (words[0] | words[1] | words[2]) != 1) {
            say("launch: clusters of blocks are not simulated");
            return CUDA_ERROR_NOT_SUPPORTED;
        } else if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
                   a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) {
            say("launch: programmatic dependent launches are not simulated");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        // The others are hints: priorities, windows of caches, domains of memory.
    }
    return queue_launch(l, function, parameters, extra);
}

CUDASIM_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int block_size,
                                                        size_t dynamic_shared) {
    CUDASIM_ENTER(Context);
    auto function = launchable(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    if (!blocks || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
    *blocks = static_cast<int>(resident_blocks(*function, static_cast<unsigned>(block_size), dynamic_shared));
    return CUDA_SUCCESS;
}
