// link.cpp -- cuLink*: makes one image of several PTX texts, or passes on the one binary it is given.
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "image.h"

namespace cudasim {
namespace {

/// A link in progress: its inputs, the options to answer, and the finished image.
struct Link {
    std::vector<CUjit_option> keys;
    void** values = nullptr;
    std::string ptx, binary, result;
    unsigned inputs = 0;
};

std::unordered_map<CUlinkState, std::unique_ptr<Link>>& links() {
    static auto* table = new std::unordered_map<CUlinkState, std::unique_ptr<Link>>;
    return *table;
}

Link* link_of(CUlinkState handle) {
    auto found = links().find(handle);
    return found == links().end() ? nullptr : found->second.get();
}

CUresult add(Link& link, CUjitInputType type, std::string content) {
    if (content.empty()) return CUDA_ERROR_INVALID_VALUE;
    // CUDA's own library of device functions: kernels call those of ptx_threads.h.
    if (type == CU_JIT_INPUT_LIBRARY && content.find("cuda_device_runtime.o") != std::string::npos) return CUDA_SUCCESS;
    ++link.inputs;
    if (type == CU_JIT_INPUT_PTX)
        link.ptx += content.c_str() + std::string("\n");
    else if (type == CU_JIT_INPUT_CUBIN)
        link.binary = std::move(content);
    else
        return CUDA_ERROR_NOT_SUPPORTED;
    return CUDA_SUCCESS;
}

CUresult complete(Link& link) {
    Image image;
    std::string log;
    CUresult result = CUDA_SUCCESS;
    if (!link.binary.empty() && link.inputs > 1) {
        log = "binaries are not linked with anything else\n";
        result = CUDA_ERROR_NOT_SUPPORTED;
    } else {
        const std::string& input = link.binary.empty() ? link.ptx : link.binary;
        result = input.empty() ? CUDA_ERROR_INVALID_VALUE : read_image(input.c_str(), image, log);
    }
    give_log(log, static_cast<unsigned>(link.keys.size()), link.keys.data(), link.values);
    if (result == CUDA_SUCCESS) link.result = image.object + trailer(image.resources);
    return result;
}

}  // namespace
}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuLinkCreate_v2(unsigned count, CUjit_option* keys, void** values, CUlinkState* out) {
    CUDASIM_ENTER(Context);
    if (!out || (count && (!keys || !values))) return CUDA_ERROR_INVALID_VALUE;
    auto link = std::make_unique<Link>();
    link->keys.assign(keys, keys + count);
    link->values = values;
    *out = reinterpret_cast<CUlinkState>(link.get());
    links()[*out] = std::move(link);
    return CUDA_SUCCESS;
}

CUDASIM_API cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char*, unsigned,
                             CUjit_option*, void**) {
    CUDASIM_ENTER(Context);
    Link* link = link_of(state);
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    if (!data) return CUDA_ERROR_INVALID_VALUE;
    return add(*link, type, std::string(static_cast<const char*>(data), size));
}

CUDASIM_API cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned, CUjit_option*,
                             void**) {
    CUDASIM_ENTER(Context);
    Link* link = link_of(state);
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    std::ifstream in(path ? path : "", std::ios::binary);
    if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
    return add(*link, type, std::string(std::istreambuf_iterator<char>(in), {}));
}

CUDASIM_API cuLinkComplete(CUlinkState state, void** image, size_t* size) {
    CUDASIM_ENTER(Context);
    Link* link = link_of(state);
    if (!link) return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = complete(*link);
    if (image) *image = link->result.data();
    if (size) *size = link->result.size();
    return result;
}

CUDASIM_API cuLinkDestroy(CUlinkState state) {
    CUDASIM_ENTER(Context);
    return links().erase(state) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
