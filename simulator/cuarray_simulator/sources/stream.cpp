// stream.cpp -- stream handles and the stream entry points.
#include "stream.h"

#include <algorithm>
#include <unordered_map>

#include "capture.h"
#include "work.h"

namespace cudasim {
namespace {

std::unordered_map<CUstream, std::shared_ptr<Stream>>& handles() {
    static auto* table = new std::unordered_map<CUstream, std::shared_ptr<Stream>>;
    return *table;
}

}  // namespace

std::shared_ptr<Stream> make_stream(Context& context, unsigned flags, int priority, bool hidden) {
    auto stream = std::make_shared<Stream>();
    stream->context = &context;
    stream->flags = flags;
    stream->priority = priority;
    static uint64_t next_id = 1;
    stream->id = next_id++;
    if (!hidden) context.streams.push_back(stream);
    return stream;
}

CUstream name_stream(const std::shared_ptr<Stream>& stream) {
    auto handle = reinterpret_cast<CUstream>(stream.get());
    handles()[handle] = stream;
    return handle;
}

void forget_name(const Stream& stream) { handles().erase(reinterpret_cast<CUstream>(const_cast<Stream*>(&stream))); }

CUresult queue_host_function(CUhostFn function, void* data, CUstream handle) {
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    CUDASIM_STREAM(stream, handle);
    return submit(*stream, CU_GRAPH_NODE_TYPE_HOST, [=] {
        Operation operation{"host function", [=] {
                                function(data);
                                return CUDA_SUCCESS;
                            }};
        operation.host_function = true;
        return operation;
    });
}

std::shared_ptr<Stream> stream_of(CUstream handle, CUresult& error) {
    error = CUDA_SUCCESS;
    Context* context = current_context();
    if (!handle || handle == CU_STREAM_LEGACY) return context->legacy;
    if (handle == CU_STREAM_PER_THREAD) {
        thread_local std::unordered_map<Context*, std::shared_ptr<Stream>> own;
        auto& stream = own[context];
        if (!stream) stream = make_stream(*context, CU_STREAM_DEFAULT, 0);
        return stream;
    }
    auto found = handles().find(handle);
    if (found == handles().end()) {
        say(format("stream %p does not exist (destroyed, or never created)", static_cast<void*>(handle)));
        error = CUDA_ERROR_INVALID_HANDLE;
        return nullptr;
    }
    if (found->second->context->destroyed) {
        error = CUDA_ERROR_CONTEXT_IS_DESTROYED;
        return nullptr;
    }
    return found->second;
}

}  // namespace cudasim

using namespace cudasim;

namespace {

CUresult create(CUstream* out, unsigned flags, int priority) {
    CUDASIM_REFUSE(refuse_unsafe("cuStreamCreate"));
    if (!out || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    auto stream = make_stream(*current_context(), flags, std::clamp(priority, -5, 0));
    *out = reinterpret_cast<CUstream>(stream.get());
    handles()[*out] = stream;
    return CUDA_SUCCESS;
}

}  // namespace

CUDASIM_API cuStreamCreate(CUstream* out, unsigned flags) {
    CUDASIM_ENTER(Context);
    return create(out, flags, 0);
}

CUDASIM_API cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
    CUDASIM_ENTER(Context);
    return create(out, flags, priority);
}

CUDASIM_API cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    CUDASIM_ENTER(Context);
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamGetPriority(CUstream handle, int* priority) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    *priority = stream->priority;
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamGetFlags(CUstream handle, unsigned* flags) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    *flags = stream->flags;
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamGetId(CUstream handle, unsigned long long* id) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    *id = stream->id;
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamGetCtx(CUstream handle, CUcontext* context) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    *context = handle_of(stream->context);
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamGetDevice(CUstream handle, CUdevice* device) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    *device = stream->context->device;
    return CUDA_SUCCESS;
}

CUDASIM_API cuStreamSynchronize(CUstream handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    CUDASIM_REFUSE(refuse_captured(*stream, __func__));
    CUDASIM_REFUSE_UNSAFE();
    return wait_for(*stream->context, stream->end());
}

CUDASIM_API cuStreamQuery(CUstream handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_STREAM(stream, handle);
    CUDASIM_REFUSE(refuse_captured(*stream, __func__));
    CUDASIM_REFUSE_UNSAFE();
    if (!query(stream->end())) return CUDA_ERROR_NOT_READY;
    return stream->context->sticky;
}

CUDASIM_API cuStreamDestroy_v2(CUstream handle) {
    CUDASIM_ENTER(Context);
    if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) return CUDA_ERROR_INVALID_HANDLE;
    CUDASIM_STREAM(stream, handle);
    // One that has joined may go, as cuda.core destroys the streams of branches; its work must still be waited for.
    if (stream->capture && stream->capture->streams.front() == stream)
        invalidate(*stream->capture, CUDA_SUCCESS, "the stream in which it began was destroyed");
    stream->destroyed = true;
    handles().erase(handle);
    auto& all = stream->context->streams;
    // The legacy stream must still wait for a destroyed stream's work, so it leaves the list only when
    // idle.
    all.erase(std::remove_if(all.begin(), all.end(), [](auto& s) { return s->destroyed && s->end().reached(); }),
              all.end());
    return CUDA_SUCCESS;
}

CUDASIM_API cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
    CUDASIM_ENTER(Context);
    return queue_host_function(function, data, handle);
}
