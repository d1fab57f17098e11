// context.cpp -- primary contexts, the per-thread stack of current ones, and the error table.
#include <algorithm>

#include "capture.h"
#include "module.h"
#include "pool.h"

namespace cudasim {
namespace {

thread_local std::vector<Context*> stack;

/// An entry of the error table.
struct ErrorText {
    CUresult code;
    const char* name;
    const char* text;
};

constexpr ErrorText kErrors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
#define ERROR(name, code, sticky, text) {CUDA_ERROR_##name, "CUDA_ERROR_" #name, text},
#include "errors.def"
#undef ERROR
};

const ErrorText* error_text(CUresult code) {
    auto found = std::find_if(std::begin(kErrors), std::end(kErrors), [&](auto& e) { return e.code == code; });
    return found == std::end(kErrors) ? nullptr : found;
}

Context* context_of_device(CUdevice device) {
    if (device < 0 || device >= settings().devices) return nullptr;
    return &driver().contexts[static_cast<size_t>(device)];
}

void prepare(Context& context) {
    context.legacy = make_stream(context, CU_STREAM_DEFAULT, 0);
    hold_capture(context);
}

/// Creates a context beside the primary one, and makes it current.
CUresult create(CUcontext* out, unsigned flags, CUdevice device) {
    constexpr unsigned kFlags = 0xFF;  // CU_CTX_FLAGS_MASK
    if (!context_of_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!out || flags & ~kFlags) return CUDA_ERROR_INVALID_VALUE;
    Context& context = driver().created.emplace_back();
    context.device = device;
    context.created = true;
    context.flags = flags;
    context.peers.assign(driver().contexts.size(), false);
    prepare(context);
    stack.push_back(&context);
    *out = handle_of(&context);
    return CUDA_SUCCESS;
}

}  // namespace

Context* current_context() { return stack.empty() ? nullptr : stack.back(); }

Context* as_context(CUcontext handle) {
    for (Context& context : driver().contexts)
        if (handle_of(&context) == handle && (context.retained > 0 || context.destroyed)) return &context;
    for (Context& context : driver().created)
        if (handle_of(&context) == handle && !context.destroyed) return &context;
    return nullptr;
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuGetErrorName(CUresult code, const char** name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    const ErrorText* found = error_text(code);
    *name = found ? found->name : nullptr;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuGetErrorString(CUresult code, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const ErrorText* found = error_text(code);
    *text = found ? found->text : nullptr;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
    CUDASIM_ENTER(Init);
    Context* context = context_of_device(device);
    if (!context) return CUDA_ERROR_INVALID_DEVICE;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (!context->legacy) { prepare(*context); }
    // Released by everyone, and made anew.
    if (context->retained++ == 0) context->destroyed = false;
    *out = handle_of(context);
    return CUDA_SUCCESS;
}

CUDASIM_API cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    CUDASIM_ENTER(Init);
    Context* context = context_of_device(device);
    if (!context) return CUDA_ERROR_INVALID_DEVICE;
    if (context->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--context->retained == 0) context->destroyed = true;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDevicePrimaryCtxReset_v2(CUdevice device) {
    CUDASIM_ENTER(Init);
    Context* context = context_of_device(device);
    if (!context) return CUDA_ERROR_INVALID_DEVICE;
    context->destroyed = true;
    return CUDA_SUCCESS;
}

CUDASIM_API cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    CUDASIM_ENTER(Init);
    Context* context = context_of_device(device);
    if (!context) return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *active = context->retained > 0;
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) {
    CUDASIM_ENTER(Init);
    CUDASIM_REFUSE_UNSAFE();
    return create(out, flags, device);
}

CUDASIM_API cuCtxCreate_v4(CUcontext* out, CUctxCreateParams* params, unsigned flags, CUdevice device) {
    CUDASIM_ENTER(Init);
    CUDASIM_REFUSE_UNSAFE();
    if (params && (params->execAffinityParams || params->cigParams)) {
        say("cuCtxCreate: contexts for a part of a device or for graphics are not simulated");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return create(out, flags, device);
}

CUDASIM_API cuCtxDestroy_v2(CUcontext handle) {
    CUDASIM_ENTER(Init);
    CUDASIM_REFUSE_UNSAFE();
    Context* context = as_context(handle);
    if (!context || !context->created) return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = wait_for_all(*context);
    free_memory_of(*context);
    unload_modules_of(*context);
    context->destroyed = true;
    if (current_context() == context) stack.pop_back();
    return result;
}

CUDASIM_API cuCtxSetCurrent(CUcontext handle) {
    CUDASIM_ENTER(Init);
    Context* context = handle ? as_context(handle) : nullptr;
    if (handle && !context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(context);
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxGetCurrent(CUcontext* out) {
    CUDASIM_ENTER(Init);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    *out = handle_of(current_context());
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxPushCurrent_v2(CUcontext handle) {
    CUDASIM_ENTER(Init);
    Context* context = as_context(handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    stack.push_back(context);
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxPopCurrent_v2(CUcontext* out) {
    CUDASIM_ENTER(Init);
    if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (out) *out = handle_of(stack.back());
    stack.pop_back();
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxGetDevice(CUdevice* device) {
    CUDASIM_ENTER(Context);
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = current_context()->device;
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxSynchronize() {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE(refuse_captured(*current_context(), __func__));
    CUDASIM_REFUSE_UNSAFE();
    return wait_for_all(*current_context());
}

CUDASIM_API cuCtxGetId(CUcontext handle, unsigned long long* id) {
    CUDASIM_ENTER(Init);
    Context* context = handle ? as_context(handle) : current_context();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    *id = static_cast<unsigned long long>(context->legacy->id);
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxGetFlags(unsigned* flags) {
    CUDASIM_ENTER(Context);
    *flags = current_context()->flags;
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
    CUDASIM_ENTER(Init);
    if (handle && !as_context(handle)) return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxGetLimit(size_t* value, CUlimit limit) {
    CUDASIM_ENTER(Context);
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    if (limit == CU_LIMIT_STACK_SIZE)
        *value = 1024;
    else if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
        *value = current_context()->heap;
    else
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    return CUDA_SUCCESS;
}

/// Of the heap from which kernels allocate: as CUDA has it, the driver may raise the size.
CUDASIM_API cuCtxSetLimit(CUlimit limit, size_t value) {
    CUDASIM_ENTER(Context);
    if (limit != CU_LIMIT_MALLOC_HEAP_SIZE) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (value > settings().memory) return CUDA_ERROR_INVALID_VALUE;
    current_context()->heap = std::max(value, current_context()->heap_used);
    return CUDA_SUCCESS;
}

/// No profiler watches.
CUDASIM_API cuProfilerStart() {
    CUDASIM_ENTER(Context);
    return CUDA_SUCCESS;
}

CUDASIM_API cuProfilerStop() {
    CUDASIM_ENTER(Context);
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxEnablePeerAccess(CUcontext peer_handle, unsigned flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    Context* peer = as_context(peer_handle);
    if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
    Context* self = current_context();
    if (flags || peer == self) return CUDA_ERROR_INVALID_VALUE;
    auto enabled = self->peers.begin() + peer->device;
    if (*enabled) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    *enabled = true;
    return CUDA_SUCCESS;
}

CUDASIM_API cuCtxDisablePeerAccess(CUcontext peer_handle) {
    CUDASIM_ENTER(Context);
    Context* peer = as_context(peer_handle);
    if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
    auto enabled = current_context()->peers.begin() + peer->device;
    if (!*enabled) return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    *enabled = false;
    return CUDA_SUCCESS;
}
