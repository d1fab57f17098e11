// image.cpp -- reads and opens images; has PTX of other compilers translated by the simulated NVRTC's library.
#include "image.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "caller.h"

namespace cudasim {
namespace {

/// The ELF object at an address, with the length from its own headers, and the output of ptxas behind it; nothing if
/// there is none.
void read_object(const void* data, Image& image) {
    if (std::memcmp(data, ELFMAG, SELFMAG) != 0) return;
    Elf64_Ehdr header;
    std::memcpy(&header, data, sizeof header);
    size_t size = header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
    image.object.assign(static_cast<const char*>(data), size);
    const char* behind = static_cast<const char*>(data) + size;
    if (std::strncmp(behind, kResourcesMark.c_str(), kResourcesMark.size()) == 0)
        image.resources = behind + kResourcesMark.size();
}

/// The machine of an ELF object, or of the container in which nvcc puts such objects, that is not the simulator's, as
/// words; nothing for what may be one of its own objects, or PTX.
std::string foreign_binary(const void* data) {
    constexpr int kCuda = 190;  // EM_CUDA of newer elf.h
    const uint32_t wrapper = 0x466243B1, itself = 0xBA55ED50;
    if (std::memcmp(data, &wrapper, sizeof wrapper) == 0 || std::memcmp(data, &itself, sizeof itself) == 0)
        return "a fat binary";
    if (std::memcmp(data, ELFMAG, SELFMAG) != 0) return "";
    Elf64_Ehdr header;
    std::memcpy(&header, data, sizeof header);
    if (header.e_machine == kCuda) return "a binary for GPUs (cubin)";
    return header.e_machine == EM_X86_64 ? "" : format("an ELF object for machine %d", header.e_machine);
}

CUresult refuse_binary(const std::string& what) {
    say(calling_library() + " loads " + what + ": simulated GPUs run PTX alone; have the library compile to PTX");
    return CUDA_ERROR_INVALID_IMAGE;
}

/// The bytes that the simulated NVRTC wrote in hexadecimal into its "PTX".
std::string from_digits(const char* text) {
    auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (; *text && *text != '\n'; text += 2) bytes.push_back(static_cast<char>(digit(text[0]) << 4 | digit(text[1])));
    return bytes;
}

/// Has PTX translated and compiled. Returns the bytes of an object, or nothing and a log.
std::string assembled(const char* ptx, std::string& log) {
    using Assemble = void(const char*, std::string*, std::string*);
    const char* path = std::getenv("CUARRAY_LIBNVRTC");
    void* library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    auto* assemble = library ? reinterpret_cast<Assemble*>(dlsym(library, "cudasim_assemble")) : nullptr;
    std::string bytes;
    if (assemble)
        assemble(ptx, &bytes, &log);
    else
        log = "PTX is translated by the simulated NVRTC; CUARRAY_LIBNVRTC does not name it\n";
    return bytes;
}

CUresult read_ptx(const char* text, Image& image, std::string& log) {
    int major = 0, minor = 0;
    const char* version = std::strstr(text, ".version ");
    if (!version || std::sscanf(version, ".version %d.%d", &major, &minor) != 2) return CUDA_ERROR_INVALID_PTX;
    // PTX ISA 9.0 came with CUDA 13.0, 8.8 with 12.9, 8.0 with 12.0.
    int cuda = major >= 9 ? 13000 + 10 * minor : 12000 + 10 * minor;
    if (cuda > settings().driver_version) {
        log = format("PTX %d.%d is newer than the driver of CUDA %d\n", major, minor, settings().driver_version);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    constexpr const char* kOurs = "//cudasim:";
    const char* ours = std::strstr(text, kOurs);
    std::string bytes = ours ? from_digits(ours + std::strlen(kOurs)) : assembled(text, log);
    if (!bytes.empty()) read_object(bytes.c_str(), image);
    return image.object.empty() ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS;
}

bool runs_here(unsigned architecture, bool binary) {
    const auto here = static_cast<unsigned>(settings().major * 10 + settings().minor);
    return architecture <= here && (!binary || architecture / 10 == here / 10);
}

}  // namespace

CUresult read_image(const void* data, Image& image, std::string& log) {
    if (const std::string foreign = foreign_binary(data); !foreign.empty()) return refuse_binary(foreign);
    read_object(data, image);
    image.binary = !image.object.empty();
    CUresult result = image.binary ? CUDA_SUCCESS : read_ptx(static_cast<const char*>(data), image, log);
    if (!log.empty()) say("module: " + log);
    return result;
}

CUresult open_image(const Image& image, Context* context, std::shared_ptr<Module>& module) {
    module = std::make_shared<Module>();
    module->context = context;
    module->resources = image.resources;
    module->file = static_cast<int>(syscall(SYS_memfd_create, "cudasim-module", 0));
    const std::string& object = image.object;
    if (write(module->file, object.data(), object.size()) != static_cast<ssize_t>(object.size()))
        return CUDA_ERROR_INVALID_IMAGE;
    // The file stays open: dlopen treats equal paths as the same library, and a closed descriptor's number
    // is reused.
    std::string path = format("/proc/self/fd/%d", module->file);
    module->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module->library && object.find("cudasim_module_info") != std::string::npos)
        say(format("a module cannot be opened: %s", dlerror()));
    auto* info =
        static_cast<const cudasim_module*>(module->library ? dlsym(module->library, "cudasim_module_info") : nullptr);
    if (!info || info->abi != CUDASIM_ABI) return refuse_binary("an ELF object that this simulator has not made");
    module->info = info;
    return runs_here(info->architecture, image.binary) ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

void give_log(const std::string& log, unsigned count, const CUjit_option* keys, void** values) {
    for (const auto& [buffer, bytes, text] :
         {std::tuple(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, log),
          {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, ""}}) {
        const CUjit_option* size = std::find(keys, keys + count, bytes);
        const CUjit_option* place = std::find(keys, keys + count, buffer);
        if (size == keys + count) continue;
        void*& room = values[size - keys];
        const size_t given = std::min(text.size() + 1, static_cast<size_t>(reinterpret_cast<uintptr_t>(room)));
        if (place != keys + count && given) {
            char* to = static_cast<char*>(values[place - keys]);
            std::memcpy(to, text.c_str(), given);
            to[given - 1] = 0;
        }
        room = reinterpret_cast<void*>(given ? given - 1 : 0);
    }
}

}  // namespace cudasim
