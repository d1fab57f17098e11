// nvrtc.cpp -- finds and opens NVRTC, queries its capabilities, and compiles.
#include "cuda/nvrtc.h"
#include <dlfcn.h>
#include <sys/stat.h>
#include <cstdlib>
#include <sstream>
#include "codegen/source.h"
#include "cuda/cache.h"
#include "cuda/context.h"
#include "cuda/library.h"
#include "cuda/nvrtc_api.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {
namespace {

constexpr LibraryInfo kNvrtc{"nvrtc", "NVRTC", 0};

struct NvrtcLibrary {
#define CUARRAY_DECLARE(name, ...) int (*name)(__VA_ARGS__) = nullptr;
    CUARRAY_NVRTC_FUNCTIONS(CUARRAY_DECLARE)
#undef CUARRAY_DECLARE
    std::string path;
    int version = 0;
};

std::vector<std::string> split(const std::string& text) {
    std::istringstream words(text);
    std::vector<std::string> parts;
    for (std::string word; words >> word;) parts.push_back(word);
    return parts;
}

/// Opens libnvrtc-builtins, which some builds of NVRTC cannot find in their own folder.
void open_builtins(const NvrtcLibrary& library) {
    const std::string name = "libnvrtc-builtins.so." + version_text(library.version);
    const size_t slash = library.path.rfind('/');
    if (slash == std::string::npos) return;
    dlopen((library.path.substr(0, slash + 1) + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

/// Fills `library` from an opened handle; returns why it cannot be used, or "".
std::string bind_nvrtc(NvrtcLibrary& library, void* handle, const std::string& name) {
#define CUARRAY_BIND(name, ...) library.name = reinterpret_cast<int (*)(__VA_ARGS__)>(symbol_in(handle, #name));
    CUARRAY_NVRTC_FUNCTIONS(CUARRAY_BIND)
#undef CUARRAY_BIND
    bool is_complete = true;
#define CUARRAY_CHECK(name, ...) is_complete = is_complete && library.name;
    CUARRAY_NVRTC_FUNCTIONS(CUARRAY_CHECK)
#undef CUARRAY_CHECK
    int major = 0, minor = 0;
    if (!is_complete || library.nvrtcVersion(&major, &minor) != 0) return name + " is not an NVRTC of CUDA 12 or newer";
    library.version = major * 1000 + minor * 10;
    library.path = file_of(reinterpret_cast<const void*>(library.nvrtcVersion));
    const std::string objection = why_unfit(kNvrtc, library.path, library.version);
    if (objection.empty()) open_builtins(library);
    return objection;
}

bool open_nvrtc(NvrtcLibrary& library, std::string& why_none) {
    return open_library(
        kNvrtc,
        [&](void* handle, const std::string& name) {
            NvrtcLibrary found;
            const std::string objection = bind_nvrtc(found, handle, name);
            if (objection.empty()) library = found;
            return objection;
        },
        why_none);
}

std::string program_log(const NvrtcLibrary& library, nvrtcProgram program) {
    size_t bytes = 0;
    if (library.nvrtcGetProgramLogSize(program, &bytes) != 0 || bytes < 2) return "";
    std::string log(bytes, '\0');
    library.nvrtcGetProgramLog(program, log.data());
    log.resize(bytes - 1);
    return log;
}

/// What the compiler returns: an empty binary if it fails; a log in either case, if it has something to say.
struct CompilerOutput {
    std::string binary, log;
};

CompilerOutput run(const NvrtcLibrary& library, const std::string& text, const std::string& name,
                   const std::vector<std::string>& options, bool ptx) {
    nvrtcProgram program = nullptr;
    if (library.nvrtcCreateProgram(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr) != 0)
        return {"", "nvrtcCreateProgram failed"};
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    CompilerOutput output;
    size_t bytes = 0;
    bool good = false;
    run_unlocked([&] { good = library.nvrtcCompileProgram(program, int(words.size()), words.data()) == 0; });
    output.log = program_log(library, program);
    if (good && (ptx ? library.nvrtcGetPTXSize : library.nvrtcGetCUBINSize)(program, &bytes) == 0) {
        output.binary.resize(bytes);
        if ((ptx ? library.nvrtcGetPTX : library.nvrtcGetCUBIN)(program, output.binary.data()) != 0)
            output.binary.clear();
    }
    library.nvrtcDestroyProgram(&program);
    return output;
}

std::string joined(std::span<const char* const> words) {
    std::string text;
    for (const char* word : words) text += std::string(text.empty() ? "" : " ") + word;
    return text;
}

/// Our options that this NVRTC accepts without a message.
std::string known_options(const NvrtcLibrary& library, int arch) {
    const std::string probe = "extern \"C\" __global__ void probe(float* x) { *x += 1; }";
    const std::string architecture = "--gpu-architecture=compute_" + std::to_string(arch);
    std::string known;
    for (const char* option : compile_options()) {
        const CompilerOutput output = run(library, probe, "probe.cu", {architecture, option}, true);
        if (!output.binary.empty() && output.log.empty()) known += (known.empty() ? "" : " ") + std::string(option);
    }
    return known;
}

bool file_state(const std::string& path, int64_t& bytes, int64_t& modified) {
    struct stat state;
    if (stat(path.c_str(), &state) != 0) return false;
    bytes = state.st_size;
    modified = int64_t(state.st_mtim.tv_sec) * 1000000000 + state.st_mtim.tv_nsec;
    return true;
}

Toolchain inspect(const NvrtcLibrary& library) {
    Toolchain found;
    found.path = library.path;
    found.version = library.version;
    file_state(found.path, found.bytes, found.modified);
    int count = 0;
    if (library.nvrtcGetNumSupportedArchs(&count) == 0 && count > 0) {
        found.archs.resize(size_t(count));
        library.nvrtcGetSupportedArchs(found.archs.data());
        // For the newest: NVRTC 12.9 warns of the oldest ones.
        found.options = known_options(library, found.archs.back());
    }
    return found;
}

/// The disk cache's key of the NVRTC for a driver, the age of its GPUs, our options, and the user's choice.
Hash memo_key(const Driver& driver) {
    const char* chosen = std::getenv("CUARRAY_LIBNVRTC");
    return hash_of("toolchain 2\n" + std::to_string(driver.cuda_version) + "\n" +
                   (has_gpus_before_turing(driver) ? "old\n" : "") + joined(compile_options()) + "\n" +
                   (chosen ? chosen : ""));
}

std::string to_memo(const Toolchain& toolchain) {
    std::ostringstream text;
    text << toolchain.path << '\n'
         << toolchain.bytes << ' ' << toolchain.modified << ' ' << toolchain.version << '\n'
         << toolchain.options << '\n';
    for (const int arch : toolchain.archs) text << arch << ' ';
    return text.str();
}

bool from_memo(const std::string& memo, Toolchain& toolchain) {
    std::istringstream text(memo);
    int64_t bytes = 0, modified = 0;
    if (!std::getline(text, toolchain.path) ||
        !(text >> toolchain.bytes >> toolchain.modified >> toolchain.version).ignore() ||
        !std::getline(text, toolchain.options))
        return false;
    for (int arch; text >> arch;) toolchain.archs.push_back(arch);
    return file_state(toolchain.path, bytes, modified) && bytes == toolchain.bytes && modified == toolchain.modified;
}

struct Found {
    Mutex mutex;
    const Toolchain* toolchain = nullptr;
    const NvrtcLibrary* library = nullptr;
};
Found& found() {
    static Found* one = new Found;
    return *one;
}

/// The library chosen by find_toolchain, opened. No lock is held while the locator runs, because it may take the
/// GIL.
const NvrtcLibrary& opened_nvrtc() {
    {
        const std::lock_guard lock(found().mutex);
        if (found().library) return *found().library;
    }
    auto* library = new NvrtcLibrary;
    std::string why_none;
    const Toolchain* const toolchain = find_toolchain(&why_none);
    if (!toolchain) throw Error(ErrorKind::Cuda, why_none);
    void* const handle = dlopen(toolchain->path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string objection = handle ? bind_nvrtc(*library, handle, toolchain->path) : dlerror();
    if (!objection.empty()) throw Error(ErrorKind::Cuda, "NVRTC has gone:\n  " + objection);
    const std::lock_guard lock(found().mutex);
    if (!found().library) found().library = library;
    return *found().library;
}

}  // namespace

std::string Toolchain::identity() const {
    return std::to_string(version) + " " + std::to_string(bytes) + " " + std::to_string(modified) + " " + options;
}

Target choose_target(const Toolchain& toolchain, int capability, int driver_version) {
    Target cubin, ptx;
    for (const int arch : toolchain.archs) {
        if (arch > capability) continue;
        if (arch / 10 == capability / 10 && arch > cubin.arch) cubin = {arch, false};
        if (arch > ptx.arch) ptx = {arch, true};
    }
    if (cubin.arch) return cubin;
    return toolchain.version <= driver_version ? ptx : Target{};
}

const Toolchain* find_toolchain(std::string* why_none) {
    {
        const std::lock_guard lock(found().mutex);
        if (found().toolchain) return found().toolchain;
    }
    const Hash key = memo_key(driver());
    Toolchain toolchain;
    NvrtcLibrary library;
    std::string memo, why;
    bool good = disk_cache().load(key, memo) && from_memo(memo, toolchain);
    const bool remembered = good;
    if (!good && (good = open_nvrtc(library, why))) {
        toolchain = inspect(library);
        if (!(good = !toolchain.archs.empty()))
            why = toolchain.path + " compiles for no architecture";
        else
            disk_cache().store(key, to_memo(toolchain));
    }
    if (!good) {
        if (why_none) *why_none = why;
        return nullptr;
    }
    const std::lock_guard lock(found().mutex);
    if (!found().toolchain) {
        found().toolchain = new Toolchain(toolchain);
        if (!remembered) found().library = new NvrtcLibrary(library);
    }
    return found().toolchain;
}

std::string numbered(const std::string& text) {
    std::istringstream lines(text);
    std::ostringstream result;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        result.width(5);
        result << ++number << " | " << line << '\n';
    }
    return result.str();
}

std::string compile(const std::string& text, const std::string& name, const Target& target) {
    const NvrtcLibrary& library = opened_nvrtc();
    const Toolchain& toolchain = *find_toolchain();
    std::vector<std::string> options = split(toolchain.options);
    if (text.starts_with(kOptimised)) std::erase(options, kFastCompile);
    options.push_back(std::string("--gpu-architecture=") + (target.ptx ? "compute_" : "sm_") +
                      std::to_string(target.arch));
    const CompilerOutput output = run(library, text, name + ".cu", options, target.ptx);
    if (output.binary.empty())
        raise(ErrorKind::Cuda, name, ": NVRTC ", version_text(library.version), " refuses the generated program\n",
              output.log, "\n", numbered(text));
    return output.binary;
}

}  // namespace cuarray::cuda
