// kernels.h -- compiled kernels of one GPU: by the structure of the program in memory, by its text on disk.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include "cuarray/codegen/source.h"
#include "cuda/context.h"
#include "cuda/nvrtc.h"

namespace cuarray::cuda {

/// Functions ready to launch. A module holds one walk of one program: a call waits for no variant but its
/// own.
class KernelTable {
 public:
    explicit KernelTable(const Context& context) : context_(context) {}

    /// The function for a program and a walk; compiled, or loaded from disk, where it is new.
    CUfunction find(const Program& program, Walk walk);
    CUfunction find(const NamedKernel& kernel);
    size_t size() const;

 private:
    struct Entry {
        std::unique_ptr<Expr> expr;
        Program program;
        Walk walk;
        CUfunction function;
    };
    CUfunction look_up(uint64_t hash, const Program& program, Walk walk) const;
    CUfunction build(const std::string& text, const std::string& entry);
    CUfunction load(const std::string& binary, const std::string& entry, std::string& trouble);

    const Context& context_;
    mutable std::mutex mutex_;
    std::unordered_multimap<uint64_t, Entry> entries_;
    std::unordered_map<std::string, CUfunction> named_;
};

}  // namespace cuarray::cuda
