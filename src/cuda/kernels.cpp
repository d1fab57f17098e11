// kernels.cpp -- builds a program's function on the GPU: text, disk cache, NVRTC, module.
#include "cuda/kernels.h"
#include <cstdio>
#include "cuda/cache.h"
#include "runtime/recorder.h"

namespace cuarray::cuda {
namespace {

constexpr int64_t kLongCompile = 1000000000;  ///< nanoseconds; longer compilations are reported on stderr

/// Reports how a kernel was built: to the recorder, and to the user if it took long.
class BuildNote {
 public:
    explicit BuildNote(const std::string& kernel) : kernel_(kernel) {}
    ~BuildNote() {
        if (build == Record::Build::None) return;
        const int64_t time = record_clock() - start_;
        note_build(build, time);
        if (build == Record::Build::Compiled && time > kLongCompile)
            std::fprintf(stderr, "cuarray: compiling %s took %.1f s\n", kernel_.c_str(), double(time) * 1e-9);
    }
    BuildNote(const BuildNote&) = delete;
    BuildNote& operator=(const BuildNote&) = delete;

    Record::Build build = Record::Build::None;

 private:
    const std::string& kernel_;
    const int64_t start_ = record_clock();
};

}  // namespace

const Kernel* KernelTable::look_up(uint64_t hash, const Program& program, Walk walk) const {
    const auto [first, last] = kernels_.equal_range(hash);
    for (auto at = first; at != last; ++at)
        if (at->second.walk == walk && same_program(at->second.program, program)) return &at->second;
    return nullptr;
}

const Kernel& KernelTable::find(const Program& program, Walk walk) {
    if (program.expr->single == 0 || size_t(walk) >= kWalks) return find_in_table(program, walk);
    std::atomic<const Kernel*>& single = singles_[program.expr->single * kWalks + size_t(walk)];
    const Kernel* known = single.load(std::memory_order_acquire);
    if (!known) single.store(known = &find_in_table(program, walk), std::memory_order_release);
    return *known;
}

const Kernel& KernelTable::find_in_table(const Program& program, Walk walk) {
    const uint64_t hash = program_hash(program) + uint64_t(walk);
    {
        const std::lock_guard lock(mutex_);
        if (const Kernel* const known = look_up(hash, program, walk)) return *known;
    }
    // Compile without the lock: the NVRTC locator may need the GIL, which another thread may hold while it waits
    // for this lock. If two threads compile the same kernel, the second result is not used.
    return add(hash, program, walk, build(order(kernel_source(program, {&walk, 1}), entry_point(program, walk))));
}

const Kernel& KernelTable::add(uint64_t hash, const Program& program, Walk walk, CUfunction function) {
    const std::lock_guard lock(mutex_);
    if (const Kernel* const known = look_up(hash, program, walk)) return *known;
    Kernel kernel{entry_point(program, walk), std::make_unique<Expr>(*program.expr), program, walk, function};
    kernel.program.expr = kernel.expr.get();
    for (Scalar& scalar : kernel.expr->scalars) scalar.dtype = DType::none;
    return kernels_.emplace(hash, std::move(kernel))->second;
}

bool KernelTable::has(const Program& program, Walk walk) const {
    const std::lock_guard lock(mutex_);
    return look_up(program_hash(program) + uint64_t(walk), program, walk);
}

const NamedFunction& KernelTable::find(const NamedKernel& kernel) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = named_.find(kernel.entry); known != named_.end()) return *known;
    }
    const CUfunction function = build(order(kernel_source(kernel), kernel.entry));
    const std::lock_guard lock(mutex_);
    return *named_.try_emplace(kernel.entry, function).first;
}

size_t KernelTable::size() const {
    const std::lock_guard lock(mutex_);
    return kernels_.size() + named_.size();
}

bool KernelTable::prepare(const Program& program, Walk walk) {
    const uint64_t hash = program_hash(program) + uint64_t(walk);
    std::shared_ptr<Compilation> compilation;
    {
        const std::lock_guard lock(mutex_);
        if (look_up(hash, program, walk)) return true;
        if (const auto known = compiled_beside_.find(hash); known != compiled_beside_.end()) {
            compilation = known->second;
            if (!compilation->is_done.load(std::memory_order_acquire)) return false;
            if (!compilation->error) compiled_beside_.erase(known);  // an error is that of every use
        }
    }
    BuildOrder wanted = order(kernel_source(program, {&walk, 1}), entry_point(program, walk));
    CUfunction function = nullptr;
    if (compilation && compilation->order.key == wanted.key) {
        if (compilation->error) std::rethrow_exception(compilation->error);
        std::string trouble;
        function = load(compilation->binary, wanted.entry, trouble);
        if (!function) throw Error(ErrorKind::Cuda, trouble);
    } else {
        function = load_stored(wanted);
    }
    if (function) {
        add(hash, program, walk, function);
        return true;
    }
    if ((compilation = compile_beside(std::move(wanted)))) {
        const std::lock_guard lock(mutex_);
        compiled_beside_.insert_or_assign(hash, std::move(compilation));
    }
    return false;
}

BuildOrder KernelTable::order(std::string text, std::string entry) const {
    std::string why_none;
    const Toolchain* const toolchain = find_toolchain(&why_none);
    if (!toolchain) throw Error(ErrorKind::Cuda, why_none);
    const Target target = choose_target(*toolchain, context_.capability, context_.driver.cuda_version);
    if (!target.arch)
        raise(ErrorKind::Cuda, "NVRTC ", toolchain->path, " cannot compile for ", context_.name,
              " (compute capability ", context_.capability / 10, ".", context_.capability % 10, ")");
    const Hash key = hash_of(toolchain->identity() + "\n" + (target.ptx ? "compute_" : "sm_") +
                             std::to_string(target.arch) + "\n" + text);
    return {std::move(text), std::move(entry), target, key};
}

/// The function from the disk cache; null if it is not there, or is damaged.
CUfunction KernelTable::load_stored(const BuildOrder& order) {
    BuildNote note(order.entry);
    std::string binary, trouble;
    const CUfunction function = disk_cache().load(order.key, binary) ? load(binary, order.entry, trouble) : nullptr;
    if (function) note.build = Record::Build::Disk;
    return function;
}

CUfunction KernelTable::build(const BuildOrder& order) {
    if (const CUfunction function = load_stored(order)) return function;
    BuildNote note(order.entry);
    note.build = Record::Build::Compiled;
    const std::string binary = compile(order.text, order.entry, order.target);
    std::string trouble;
    const CUfunction function = load(binary, order.entry, trouble);
    if (!function) throw Error(ErrorKind::Cuda, trouble);
    disk_cache().store(order.key, binary);
    return function;
}

CUfunction KernelTable::load(const std::string& binary, const std::string& entry, std::string& trouble) {
    const Driver& driver = context_.driver;
    const Current current(context_);
    const RelaxedCapture relaxed(driver);
    char log[4096] = {};
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUresult result = driver.cuModuleLoadDataEx.status(&module, binary.data(), 2, options, values);
    if (result != CUDA_SUCCESS) {
        if (is_sticky(result) || result == CUDA_ERROR_CONTEXT_IS_DESTROYED) fail(result, "cuModuleLoadDataEx");
        trouble = entry + ": cuModuleLoadDataEx: " + error_text(result) + (log[0] ? std::string("\n") + log : "");
        return nullptr;
    }
    driver.cuModuleGetFunction(&function, module, entry.c_str());
    return function;
}

}  // namespace cuarray::cuda
