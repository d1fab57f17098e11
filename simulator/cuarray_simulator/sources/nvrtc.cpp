// nvrtc.cpp -- NVRTC's interface over the simulator's compiler.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "compiler.h"
#include "nvrtc_abi.h"

#define CUDASIM_NVRTC extern "C" __attribute__((visibility("default"))) nvrtcResult

CUDASIM_NVRTC nvrtcVersion(int* major, int* minor);

namespace {

using cudasim::Job;

struct Program {
    Job job;
    cudasim::Compiled compiled;
    bool tried = false, binary = false;
    std::map<std::string, std::string> lowered;
};

Program* as_program(nvrtcProgram handle) { return reinterpret_cast<Program*>(handle); }

struct Version {
    int major = 13, minor = 0;
};

Version version() {
    Version v;
    if (const char* driver = std::getenv("CUDASIM_DRIVER")) {
        v.major = std::atoi(driver) / 1000;
        v.minor = std::atoi(driver) % 1000 / 10;
    }
    // A copy named like one of NVIDIA's is of that major version.
    Dl_info self{};
    dladdr(reinterpret_cast<const void*>(&nvrtcVersion), &self);
    const char* const name = self.dli_fname ? std::strrchr(self.dli_fname, '/') : nullptr;
    int major = 0;
    if (name && std::sscanf(name, "/libnvrtc.so.%d", &major) == 1 && major != v.major) v = {major, 9};
    const char* text = std::getenv("CUDASIM_NVRTC");
    if (text) std::sscanf(text, "%d.%d", &v.major, &v.minor);
    return v;
}

/// CUDA 13 no longer compiles for those before Turing.
std::vector<int> architectures() {
    std::vector<int> all;
    if (version().major < 13) all = {50, 52, 53, 60, 61, 62, 70, 72};
    all.insert(all.end(), {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121});
    return all;
}

/// An option of NVRTC: its spellings, and the first version that has it.
struct KnownOption {
    const char* name;
    int since;
};

constexpr KnownOption kOptions[] = {
    {"-arch", 0},
    {"--gpu-architecture", 0},
    {"-std", 0},
    {"--std", 0},
    {"-D", 0},
    {"--define-macro", 0},
    {"-U", 0},
    {"--undefine-macro", 0},
    {"-I", 0},
    {"--include-path", 0},
    {"-include", 0},
    {"--pre-include", 0},
    {"-minimal", 12040},
    {"--minimal", 12040},
    {"-fmad", 0},
    {"--fmad", 0},
    {"-ftz", 0},
    {"--ftz", 0},
    {"-prec-div", 0},
    {"--prec-div", 0},
    {"-prec-sqrt", 0},
    {"--prec-sqrt", 0},
    {"-use_fast_math", 0},
    {"--use_fast_math", 0},
    {"-G", 0},
    {"--device-debug", 0},
    {"-lineinfo", 0},
    {"--generate-line-info", 0},
    {"-rdc", 0},
    {"--relocatable-device-code", 0},
    {"-dc", 0},
    {"-dw", 0},
    {"-w", 0},
    {"--disable-warnings", 0},
    {"-restrict", 0},
    {"--restrict", 0},
    {"-maxrregcount", 0},
    {"--maxrregcount", 0},
    {"-Xptxas", 0},
    {"--ptxas-options", 0},
    {"-default-device", 0},
    {"--device-as-default-execution-space", 0},
    {"-dopt", 0},
    {"--dopt", 0},
    {"--Ofast-compile", 12080},
    {"-Ofc", 12080},
    {"-pch", 12080},
    {"--pch", 12080},
    {"-split-compile", 12010},
    {"--split-compile", 12010},
    {"-device-int128", 0},
    {"--device-int128", 0},
    {"-diag-suppress", 0},
    {"--diag-suppress", 0},
    {"-diag-error", 0},
    {"--diag-error", 0},
    {"-Werror", 0},
    {"--extra-device-vectorization", 0},
    {"-extra-device-vectorization", 0},
    {"-err-no", 0},
    {"--display-error-number", 0},
    {"-no-err-no", 0},
    {"-optimization-info", 0},
    {"-builtin-move-forward", 0},
    {"-builtin-initializer-list", 0},
    {"-time", 0},
    {"--time", 0},
};

/// Options whose value may be the next argument.
bool takes_next(const std::string& option) {
    for (const char* name : {"-arch", "--gpu-architecture", "-D", "-U", "-I", "-std", "--std", "-include", "-Xptxas",
                             "--define-macro", "--include-path", "--ptxas-options", "-maxrregcount", "--maxrregcount"})
        if (option == name) return true;
    return false;
}

bool is_known(const std::string& option) {
    Version v = version();
    std::string name = option.substr(0, option.find('='));
    if (name.size() > 2 && (name[1] == 'D' || name[1] == 'I' || name[1] == 'U') && name[0] == '-') name.resize(2);
    for (const KnownOption& known : kOptions)
        if (name == known.name) return 1000 * v.major + 10 * v.minor >= known.since;
    return false;
}

nvrtcResult set_architecture(Program& program, const std::string& value) {
    size_t digits = value.find_first_of("0123456789");
    bool real = value.rfind("sm_", 0) == 0, virtual_one = value.rfind("compute_", 0) == 0;
    int number = digits == std::string::npos ? 0 : std::atoi(value.c_str() + digits);
    const std::vector<int> known = architectures();
    bool supported = std::find(known.begin(), known.end(), number) != known.end();
    if ((!real && !virtual_one) || !supported) {
        program.compiled.log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
        return NVRTC_ERROR_INVALID_OPTION;
    }
    program.job.architecture = static_cast<unsigned>(number);
    program.binary = real;
    return NVRTC_SUCCESS;
}

nvrtcResult read_options(Program& program, int count, const char* const* options) {
    Job& job = program.job;
    for (int i = 0; i < count; ++i) {
        std::string option = options[i];
        if (!is_known(option)) {
            program.compiled.log = "nvrtc: error: unrecognized option " + option + " found\n";
            return NVRTC_ERROR_INVALID_OPTION;
        }
        job.options.push_back(option);
        size_t equals = option.find('=');
        std::string name = option.substr(0, equals),
                    value = equals == std::string::npos ? "" : option.substr(equals + 1);
        if (takes_next(option) && i + 1 < count) job.options.push_back(value = options[++i]);
        if (name == "-fmad" || name == "--fmad") job.contract = value != "false";
        if (name == "-arch" || name == "--gpu-architecture") {
            nvrtcResult result = set_architecture(program, value);
            if (result != NVRTC_SUCCESS) return result;
        }
    }
    return NVRTC_SUCCESS;
}

/// "PTX" that contains the module: a driver newer than its version accepts it for any later architecture.
std::string as_ptx(const Program& program) {
    Version v = version();
    int minor = v.major >= 13 ? v.minor : v.minor - (v.minor >= 9 ? 1 : 0);
    std::string text = ".version " + std::to_string(v.major >= 13 ? 9 : 8) + "." + std::to_string(minor) +
                       "\n.target sm_" + std::to_string(program.job.architecture) + "\n.address_size 64\n//cudasim:";
    constexpr char kDigits[] = "0123456789abcdef";
    for (unsigned char c : program.compiled.image) {
        text += kDigits[c >> 4];
        text += kDigits[c & 15];
    }
    return text + "\n";
}

nvrtcResult put(const std::string& content, char* out) {
    std::memcpy(out, content.data(), content.size());
    return NVRTC_SUCCESS;
}

}  // namespace

CUDASIM_NVRTC nvrtcVersion(int* major, int* minor) {
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = version().major;
    *minor = version().minor;
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetNumSupportedArchs(int* count) {
    *count = static_cast<int>(architectures().size());
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetSupportedArchs(int* out) {
    const std::vector<int> known = architectures();
    std::copy(known.begin(), known.end(), out);
    return NVRTC_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(nvrtcResult result) {
    constexpr const char* kNames[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION",
                                      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                      "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                      "NVRTC_ERROR_INTERNAL_ERROR"};
    return result >= 0 && result < static_cast<int>(std::size(kNames)) ? kNames[result] : "NVRTC_ERROR unknown";
}

CUDASIM_NVRTC nvrtcCreateProgram(nvrtcProgram* out, const char* text, const char*, int count,
                                 const char* const* headers, const char* const* names) {
    if (!out || !text || count < 0 || (count && (!headers || !names))) return NVRTC_ERROR_INVALID_INPUT;
    auto* program = new Program;
    program->job.text = text;
    for (int i = 0; i < count; ++i) program->job.headers.emplace_back(names[i], headers[i]);
    *out = reinterpret_cast<nvrtcProgram>(program);
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcDestroyProgram(nvrtcProgram* handle) {
    if (!handle || !*handle) return NVRTC_ERROR_INVALID_PROGRAM;
    delete as_program(*handle);
    *handle = nullptr;
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcAddNameExpression(nvrtcProgram handle, const char* expression) {
    if (!handle) return NVRTC_ERROR_INVALID_PROGRAM;
    if (as_program(handle)->tried) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    as_program(handle)->job.name_expressions.push_back(expression);
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetLoweredName(nvrtcProgram handle, const char* expression, const char** name) {
    if (!handle) return NVRTC_ERROR_INVALID_PROGRAM;
    Program& program = *as_program(handle);
    if (!program.compiled.good) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    auto& all = program.job.name_expressions;
    if (std::find(all.begin(), all.end(), expression) == all.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *name = (program.lowered[expression] = cudasim::lowered_name(expression)).c_str();
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcCompileProgram(nvrtcProgram handle, int count, const char* const* options) {
    if (!handle) return NVRTC_ERROR_INVALID_PROGRAM;
    Program& program = *as_program(handle);
    if (program.tried) return NVRTC_ERROR_INVALID_PROGRAM;
    program.tried = true;
    nvrtcResult result = read_options(program, count, options);
    if (result != NVRTC_SUCCESS) return result;
    program.compiled = cudasim::compile(program.job);
    const Version v = version();
    if (v.major == 12 && v.minor >= 9 && program.job.architecture < 75)
        program.compiled.log =
            "nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated and may be removed in a future "
            "release\n" +
            program.compiled.log;
    return program.compiled.good ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

CUDASIM_NVRTC nvrtcGetProgramLogSize(nvrtcProgram handle, size_t* size) {
    if (!handle) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = as_program(handle)->compiled.log.size() + 1;
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetProgramLog(nvrtcProgram handle, char* out) {
    if (!handle) return NVRTC_ERROR_INVALID_PROGRAM;
    std::strcpy(out, as_program(handle)->compiled.log.c_str());
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetCUBINSize(nvrtcProgram handle, size_t* size) {
    if (!handle || !as_program(handle)->compiled.good) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = as_program(handle)->binary ? as_program(handle)->compiled.image.size() : 0;
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetCUBIN(nvrtcProgram handle, char* out) {
    if (!handle || !as_program(handle)->compiled.good || !as_program(handle)->binary)
        return NVRTC_ERROR_INVALID_PROGRAM;
    return put(as_program(handle)->compiled.image, out);
}

CUDASIM_NVRTC nvrtcGetPTXSize(nvrtcProgram handle, size_t* size) {
    if (!handle || !as_program(handle)->compiled.good) return NVRTC_ERROR_INVALID_PROGRAM;
    *size = as_ptx(*as_program(handle)).size() + 1;
    return NVRTC_SUCCESS;
}

CUDASIM_NVRTC nvrtcGetPTX(nvrtcProgram handle, char* out) {
    if (!handle || !as_program(handle)->compiled.good) return NVRTC_ERROR_INVALID_PROGRAM;
    return put(as_ptx(*as_program(handle)) + '\0', out);
}

/// For the driver: an image, or a log, of PTX that another compiler wrote.
extern "C" __attribute__((visibility("default"))) void cudasim_assemble(const char* ptx, std::string* image,
                                                                        std::string* log) {
    cudasim::Compiled compiled = cudasim::assemble(ptx);
    *image = compiled.image;
    *log = compiled.log;
}
