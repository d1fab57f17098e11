// compiler.cpp -- runs g++ on the prelude and a CUDA text, and caches the results on disk.
#include "compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "judge.h"
#include "module_abi.h"
#include "resources.h"
#include "source.h"

extern char** environ;

namespace cudasim {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

/// The folder of this library, with the prelude and the cache.
fs::path home() {
    static const fs::path* path = [] {
        Dl_info info;
        dladdr(reinterpret_cast<void*>(&home), &info);
        return new fs::path(fs::absolute(info.dli_fname).parent_path());
    }();
    return *path;
}

const char* host_compiler() {
    const char* chosen = std::getenv("CUDASIM_CXX");
    return chosen && *chosen ? chosen : "g++";
}

constexpr const char* kCompilerMissing =
#include "compiler_missing.def"
    "\n";

/// 128 bits of FNV-1a over two offsets.
std::string digest(const std::string& content) {
    uint64_t a = 0xCBF29CE484222325ull, b = 0x84222325CBF29CE4ull;
    for (unsigned char c : content) {
        a = (a ^ c) * 0x100000001B3ull;
        b = (b ^ (c + 0x9Eu)) * 0x100000001B3ull;
    }
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(a),
                  static_cast<unsigned long long>(b));
    return text;
}

bool is_set(const char* variable, const char* value) {
    const char* chosen = std::getenv(variable);
    return chosen && std::string(chosen) == value;
}

/// Whether kernels are made from the PTX of the real NVRTC, not from their text.
bool runs_ptx() { return is_set("CUDASIM_RUNS", "ptx"); }

/// What the host compiler reads besides a kernel, relative to this library's folder.
std::vector<std::string> preludes(bool of_ptx) {
    if (!of_ptx) return {"simt_prelude.h", "module_abi.h"};
    return {"module_abi.h", "ptx_prelude.h", "ptx_approximations.h", "ptx_float.h", "ptx_barriers.h",  "ptx_integer.h",
            "ptx_memory.h", "ptx_threads.h", "translate.py",         "function.py", "instructions.py", "ptx_text.py"};
}

const std::vector<std::string> kFlags{"-O1",
                                      "-w",
                                      "-shared",
                                      "-fPIC",
                                      "-nostdlib",
                                      "-fno-exceptions",
                                      "-fno-rtti",
                                      "-fno-asynchronous-unwind-tables",
                                      "-fno-stack-protector",
                                      "-fcf-protection=none",
                                      "-fno-threadsafe-statics",
                                      "-fno-gnu-unique",
                                      "-fno-strict-aliasing",
                                      "-fno-math-errno",
                                      "-Wl,-Bsymbolic",
                                      "-Wl,--build-id=none",
                                      "-Wl,-z,norelro"};

/// The flags for translated PTX, which says itself what is fused, how it is rounded, and where memory is accessed.
std::vector<std::string> ptx_flags() {
    std::vector<std::string> flags{"-std=c++20"};
    flags.insert(flags.end(), kFlags.begin(), kFlags.end());
    flags.insert(flags.end(), {"-fwrapv", "-frounding-math", "-mfma", "-ffp-contract=off"});
    if (is_set("CUDASIM_CHECK", "1")) flags.push_back("-DCUDASIM_CHECKED");
    if (std::getenv("CUDASIM_COUNTS")) flags.push_back("-DCUDASIM_COUNTED");
    return flags;
}

std::vector<std::string> compiler_flags(const Job& job) {
    if (runs_ptx()) return ptx_flags();
    std::vector<std::string> flags{"-std=c++17"};
    flags.insert(flags.end(), kFlags.begin(), kFlags.end());
    // Alignment is checked by traps; other accesses, on request, by callbacks in the prelude.
    flags.insert(flags.end(), {"-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"});
    if (is_set("CUDASIM_CHECK", "1"))
        flags.insert(flags.end(), {"-DCUDASIM_CHECKED", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1",
                                   "--param=tsan-instrument-func-entry-exit=0"});
    // A text that lets NVRTC contract is contracted too, so that a missing -fmad=false is detected.
    if (job.contract && __builtin_cpu_supports("fma"))
        flags.insert(flags.end(), {"-ffp-contract=fast", "-mfma", "-fexpensive-optimizations"});
    else
        flags.push_back("-ffp-contract=off");
    for (size_t i = 0; i < job.options.size(); ++i) {
        const std::string& option = job.options[i];
        bool define = option.rfind("-D", 0) == 0 || option.rfind("-U", 0) == 0 || option.rfind("-I", 0) == 0;
        bool alone = option == "-D" || option == "-U" || option == "-I";
        if (define) flags.push_back(option);
        if (alone && i + 1 < job.options.size()) flags.push_back(job.options[i + 1]);
        if (option.rfind("--define-macro=", 0) == 0) flags.push_back("-D" + option.substr(15));
        if (option.rfind("--include-path=", 0) == 0) flags.push_back("-I" + option.substr(15));
        if (option.rfind("-std=", 0) == 0) flags.front() = option;
        if (option.rfind("--std=", 0) == 0) flags.front() = option.substr(1);
    }
    return flags;
}

/// The description of the module that the simulator reads, appended to the text.
std::string footer(const Job& job) {
    std::ostringstream out;
    out << "\n#line 1 \"cudasim\"\n";
    unsigned count = 0;
    std::ostringstream rows;
    for (const FoundKernel& kernel : find_kernels(job.text)) {
        rows << "    cudasim::Thunk<&" << kernel.scope << kernel.name << ">::describe(\"" << kernel.name
             << "\", cudasim::first_of(" << kernel.bounds << ")),\n";
        ++count;
    }
    for (const std::string& expression : job.name_expressions) {
        std::string name = expression[0] == '&' ? expression.substr(1) : expression;
        rows << "    cudasim::Thunk<&" << name << ">::describe(\"" << lowered_name(expression) << "\", 1024),\n";
        ++count;
    }
    out << "static const cudasim_kernel cudasim_kernels[] = {\n"
        << rows.str() << "    {}};\n"
        << "extern \"C\" __attribute__((visibility(\"default\"))) const cudasim_module cudasim_module_info = "
           "{"
        << "CUDASIM_ABI, " << job.architecture
        << ", &cudasim_here, &cudasim_runtime_table, __bss_start, _end, __ehdr_start, cudasim_kernels, " << count
        << "};\n";
    return out.str();
}

/// A running program, whose messages go to a file.
class Process {
 public:
    Process(const std::vector<std::string>& arguments, const fs::path& messages) : messages_(messages) {
        std::vector<char*> argv;
        for (auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 2, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (posix_spawnp(&id_, argv[0], &actions, nullptr, argv.data(), environ) != 0) id_ = -1;
        posix_spawn_file_actions_destroy(&actions);
    }
    bool is_started() const { return id_ > 0; }
    bool succeeds() const {
        int status = -1;
        return id_ > 0 && waitpid(id_, &status, 0) == id_ && status == 0;
    }
    std::string messages() const { return id_ > 0 ? read_file(messages_) : "it cannot be started\n"; }

 private:
    pid_t id_ = -1;
    fs::path messages_;
};

/// Path, size and time of the real NVRTC.
std::string real_nvrtc_identity() {
    struct stat info{};
    if (real_nvrtc().empty() || stat(real_nvrtc().c_str(), &info) != 0) return "none";
    return real_nvrtc() + ":" + std::to_string(info.st_size) + ":" + std::to_string(info.st_mtime);
}

/// The folder of cached images.
fs::path cache() {
    fs::path folder = home().parent_path() / "kernels";
    fs::create_directories(folder);
    return folder;
}

/// What an image depends on besides its text: the host compiler, its flags, and what it reads.
std::string surroundings(const std::vector<std::string>& flags, bool of_ptx) {
    std::string all = host_compiler();
    for (const std::string& file : preludes(of_ptx)) all += '\1' + read_file(home() / file);
    for (auto& flag : flags) all += '\4' + flag;
    return all;
}

/// The cached image of a job, and the record that the real NVRTC accepted its text.
struct Cached {
    fs::path image, verdict;

    Cached(const Job& job, const std::vector<std::string>& flags) {
        std::string all = job.text + '\1' + footer(job) + '\1' + surroundings(flags, runs_ptx());
        if (runs_ptx()) all += '\1' + real_nvrtc_identity();
        for (auto& [name, content] : job.headers) all += '\2' + name + '\2' + content;
        for (auto& option : job.options) all += '\3' + option;
        std::string key = digest(all);
        image = cache() / (key + ".so");
        verdict = cache() / (key + "-" + digest(kResourcesMark + real_nvrtc_identity()).substr(0, 8));
    }
    bool judged() const { return real_nvrtc().empty() || fs::exists(verdict); }
};

/// A temporary folder for one compilation.
struct Workplace {
    fs::path path;
    Workplace() {
        static std::atomic<unsigned> number{0};
        path = home().parent_path() / "work" / (std::to_string(getpid()) + "-" + std::to_string(number++));
        fs::create_directories(path);
    }
    ~Workplace() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

/// With CUDASIM_COUNTS, leaves text and options of counted kernels beside their counters.
void keep_text(const Job& job) {
    const char* folder = std::getenv("CUDASIM_COUNTS");
    const std::vector<FoundKernel> kernels = find_kernels(job.text);
    if (!folder || kernels.empty()) return;
    std::string options;
    for (auto& option : job.options) options += option + "\n";
    write_file(fs::path(folder) / (kernels[0].name + ".cu"), job.text);
    write_file(fs::path(folder) / (kernels[0].name + ".options"), options);
}

/// The judge gets the original text; g++ gets a rewritten one.
void write_question(const Job& job, const fs::path& work) {
    std::string options, names;
    for (auto& option : job.options) options += option + "\n";
    if (runs_ptx()) options += "-lineinfo\n";
    if (!job.headers.empty()) options += "-I" + (work / "headers").string() + "\n";
    for (auto& expression : job.name_expressions) names += expression + "\n";
    write_file(work / "options", options);
    write_file(work / "names", names);
    write_file(work / "kernel.cu", job.text);
    for (auto& [name, content] : job.headers) write_file(work / "headers" / name, content);
}

/// Makes kernel.so from kernel.cpp in the folder. Returns an error, or nothing.
std::string link(std::vector<std::string> arguments, const fs::path& work) {
    arguments.insert(arguments.begin(), host_compiler());
    arguments.insert(arguments.end(), {work / "kernel.cpp", "-o", work / "kernel.so", "-lm", "-lc", "-lgcc"});
    Process process(arguments, work / "messages");
    if (process.succeeds()) return "";
    if (!process.is_started()) return std::string("cudasim: ") + host_compiler() + kCompilerMissing;
    return std::string("cudasim: ") + host_compiler() + " cannot compile this text for the simulator:\n" +
           process.messages();
}

/// Makes kernel.so from the CUDA text.
std::string compile_text(const Job& job, const std::vector<std::string>& flags, const fs::path& work) {
    write_file(work / "kernel.cpp", "#line 1 \"kernel.cu\"\n" + for_host_compiler(job.text) + footer(job));
    for (auto& [name, content] : job.headers) write_file(work / "include" / name, for_host_compiler(content));
    std::vector<std::string> arguments = flags;
    arguments.push_back("-I" + (work / "include").string());
    arguments.insert(arguments.end(), {"-include", home() / "simt_prelude.h"});
    return link(arguments, work);
}

/// Makes kernel.so from the folder's kernel.ptx. `aliases` are further names of kernels, as ALIAS=KERNEL.
std::string compile_ptx(const std::vector<std::string>& aliases, const fs::path& work) {
    const char* python = std::getenv("CUDASIM_PYTHON");
    std::vector<std::string> command{python && *python ? python : "python3", "-ES", home() / "translate.py",
                                     work / "kernel.ptx", work / "kernel.cpp"};
    command.insert(command.end(), aliases.begin(), aliases.end());
    Process translator(command, work / "messages");
    if (!translator.succeeds()) return "cudasim: " + translator.messages();
    std::vector<std::string> arguments = ptx_flags();
    arguments.push_back("-I" + home().string());
    return link(arguments, work);
}

/// The names of name expressions in PTX that the real NVRTC has left in the folder.
std::vector<std::string> aliases_of(const Job& job, const fs::path& work) {
    std::vector<std::string> aliases;
    std::istringstream mangled(read_file(work / "mangled"));
    std::string name;
    for (const std::string& expression : job.name_expressions)
        if (std::getline(mangled, name)) aliases.push_back(lowered_name(expression) + "=" + name);
    return aliases;
}

/// Moves kernel.so from the folder into the cache; returns its content.
std::string keep(const fs::path& work, const fs::path& image) {
    std::string content = read_file(work / "kernel.so");
    std::error_code ignored;
    fs::rename(work / "kernel.so", image, ignored);
    return content;
}

}  // namespace

std::string lowered_name(const std::string& expression) {
    std::string name = "_Zcudasim_";
    for (char c : expression) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name + "_" + digest(expression).substr(0, 8);
}

Compiled compile(const Job& job) {
    std::vector<std::string> flags = compiler_flags(job);
    keep_text(job);
    Cached cached(job, flags);
    bool compiled = fs::exists(cached.image), judged = cached.judged();
    if (compiled && judged) return {true, read_file(cached.image) + trailer(read_file(cached.verdict)), ""};

    Workplace work;
    write_question(job, work.path);
    bool from_ptx = runs_ptx();
    if (from_ptx && real_nvrtc().empty()) return {false, "", "cudasim: CUDASIM_RUNS=ptx needs a real NVRTC\n"};
    Question question(judged && (compiled || !from_ptx) ? "" : home() / "real-nvrtc", work.path);
    std::string complaint = compiled || from_ptx ? "" : compile_text(job, flags, work.path);
    std::string log, refusal = question.refusal(log);
    if (!refusal.empty()) return {false, "", refusal};
    if (!compiled && from_ptx) complaint = compile_ptx(aliases_of(job, work.path), work.path);
    if (!complaint.empty()) return {false, "", complaint};
    std::string image = compiled ? read_file(cached.image) : keep(work.path, cached.image);
    std::string resources = judged ? read_file(cached.verdict) : resources_in_log(log);
    if (!judged) write_file(cached.verdict, resources);
    return {true, image + trailer(resources), ""};
}

Compiled assemble(const std::string& ptx) {
    const fs::path image = cache() / (digest(ptx + '\1' + surroundings(ptx_flags(), true)) + ".so");
    if (fs::exists(image)) return {true, read_file(image), ""};
    Workplace work;
    write_file(work.path / "kernel.ptx", ptx);
    const std::string complaint = compile_ptx({}, work.path);
    if (!complaint.empty()) return {false, "", complaint};
    return {true, keep(work.path, image), ""};
}

}  // namespace cudasim
