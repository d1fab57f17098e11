// kernels.h -- compiled kernels of one GPU: keyed by the program's structure in memory, by its text on disk.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include "codegen/source.h"
#include "cuda/compiler.h"
#include "cuda/context.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// A kernel, ready to launch, and what it computes: the program's scalars have no values here.
struct Kernel {
    std::string entry;
    std::unique_ptr<Expr> expr;
    Program program;
    Walk walk;
    CUfunction function;
};

/// The entry name and the function of a NamedKernel.
using NamedFunction = std::pair<const std::string, CUfunction>;

/// Functions ready to launch. A module holds one walk of one program: a call compiles only the variant that it
/// needs.
class KernelTable {
 public:
    explicit KernelTable(const Context& context)
        : context_(context), singles_(new std::atomic<const Kernel*>[(loops().size() << kMaxIn) * kWalks + kWalks]()) {}

    /// The kernel for a program and a walk; compiled, or loaded from disk, if it is new. Lives as long as the
    /// table.
    const Kernel& find(const Program& program, Walk walk);
    const NamedFunction& find(const NamedKernel& kernel);
    /// Whether find() would return a kernel that is loaded already.
    bool has(const Program& program, Walk walk) const;
    /// Whether find() need not compile; the kernel is loaded then. Else it is being compiled, beside the program; the
    /// compiler's error is thrown by a later call.
    bool prepare(const Program& program, Walk walk);
    size_t size() const;

 private:
    /// The walks of elementwise programs, which come first.
    static constexpr size_t kWalks = 6;

    const Kernel* look_up(uint64_t hash, const Program& program, Walk walk) const;
    const Kernel& find_in_table(const Program& program, Walk walk);
    const Kernel& add(uint64_t hash, const Program& program, Walk walk, CUfunction function);
    BuildOrder order(std::string text, std::string entry) const;
    CUfunction build(const BuildOrder& order);
    CUfunction load_stored(const BuildOrder& order);
    CUfunction load(const std::string& binary, const std::string& entry, std::string& trouble);

    const Context& context_;
    mutable Mutex mutex_;
    std::unordered_multimap<uint64_t, Kernel> kernels_;
    std::unordered_map<std::string, CUfunction> named_;
    std::unordered_map<uint64_t, std::shared_ptr<Compilation>> compiled_beside_;  ///< by the hash of find_in_table()
    const std::unique_ptr<std::atomic<const Kernel*>[]> singles_;  ///< single-loop programs, found without the lock
};

}  // namespace cuarray::cuda
