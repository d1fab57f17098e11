// user_object.cpp -- objects of the program that graphs keep, and destroy when nobody needs them.
#include <algorithm>
#include <thread>
#include <unordered_map>

#include "graph.h"

namespace cudasim {

struct UserObject {
    void* pointer = nullptr;
    CUhostFn destroy = nullptr;

    // On a thread of its own: the function may take locks that callers of the driver hold.
    ~UserObject() { std::thread(destroy, pointer).detach(); }
};

namespace {

/// A reference of the program's for each element.
using References = std::vector<std::shared_ptr<UserObject>>;

std::unordered_map<CUuserObject, References>& objects() {
    static auto* table = new std::unordered_map<CUuserObject, References>;
    return *table;
}

CUresult release(CUuserObject handle, unsigned count) {
    auto found = objects().find(handle);
    if (found == objects().end() || count == 0 || found->second.size() < count) return CUDA_ERROR_INVALID_VALUE;
    References& held = found->second;
    held.resize(held.size() - count);
    if (held.empty()) objects().erase(found);
    return CUDA_SUCCESS;
}

}  // namespace
}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuUserObjectCreate(CUuserObject* out, void* pointer, CUhostFn destroy, unsigned count, unsigned flags) {
    CUDASIM_ENTER(Init);
    if (!out || !destroy || !count || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) return CUDA_ERROR_INVALID_VALUE;
    auto object = std::make_shared<UserObject>();
    object->pointer = pointer;
    object->destroy = destroy;
    *out = reinterpret_cast<CUuserObject>(object.get());
    objects()[*out].assign(count, object);
    return CUDA_SUCCESS;
}

CUDASIM_API cuUserObjectRetain(CUuserObject handle, unsigned count) {
    CUDASIM_ENTER(Init);
    auto found = objects().find(handle);
    if (found == objects().end() || !count) return CUDA_ERROR_INVALID_VALUE;
    const auto object = found->second.front();
    found->second.insert(found->second.end(), count, object);
    return CUDA_SUCCESS;
}

CUDASIM_API cuUserObjectRelease(CUuserObject handle, unsigned count) {
    CUDASIM_ENTER(Init);
    return release(handle, count);
}

CUDASIM_API cuGraphRetainUserObject(CUgraph graph_handle, CUuserObject handle, unsigned count, unsigned flags) {
    CUDASIM_ENTER(Init);
    auto graph = graph_of(graph_handle);
    auto found = objects().find(handle);
    if (!graph || found == objects().end() || !count || flags > CU_GRAPH_USER_OBJECT_MOVE)
        return CUDA_ERROR_INVALID_VALUE;
    graph->objects.insert(graph->objects.end(), count, found->second.front());
    return flags == CU_GRAPH_USER_OBJECT_MOVE ? release(handle, count) : CUDA_SUCCESS;
}

CUDASIM_API cuGraphReleaseUserObject(CUgraph graph_handle, CUuserObject handle, unsigned count) {
    CUDASIM_ENTER(Init);
    auto graph = graph_of(graph_handle);
    if (!graph || !count) return CUDA_ERROR_INVALID_VALUE;
    auto is_it = [&](auto& object) { return reinterpret_cast<CUuserObject>(object.get()) == handle; };
    auto& held = graph->objects;
    if (std::count_if(held.begin(), held.end(), is_it) < static_cast<long>(count)) return CUDA_ERROR_INVALID_VALUE;
    for (; count > 0; --count) held.erase(std::find_if(held.begin(), held.end(), is_it));
    return CUDA_SUCCESS;
}
