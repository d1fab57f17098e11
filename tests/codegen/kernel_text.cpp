// kernel_text.cpp -- lists every kernel that the tables can generate, and prints the text of those named on
// its input.
//
//   kernel_text --list           one line per kernel: its entry point and what it is made from
//   kernel_text --options        the options that kernels are compiled with
//   kernel_text < names          for every name a line "ENTRY WALK BYTES", the text, and a newline
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "codegen/source.h"

using namespace cuarray;

namespace {

/// A program that owns its Expr.
struct Kernel {
    Expr expr;
    ReductionId reduction = kNone;
    LoopId loop = kNone;
    bool scans = false;
    Program program() const { return {&expr, reduction, loop, scans}; }
};

/// One loop over arrays; rows with two outputs store both, rows that can fault report it.
Kernel loop_kernel(LoopId id) {
    Kernel kernel;
    const Loop& loop = loops()[id];
    const Row& row = rows()[loop.row];
    ValueId in[kMaxIn] = {kNoValue, kNoValue, kNoValue};
    for (int i = 0; i < row.nin; ++i) in[i] = kernel.expr.input(loop.in[i]);
    const ValueId value = kernel.expr.loop(id, in[0], in[1], in[2]);
    kernel.expr.outputs.push_back(value);
    if (row.nout == 2) kernel.expr.outputs.push_back(kernel.expr.second(value));
    return kernel;
}

Kernel cast_kernel(DType from, DType to) {
    Kernel kernel;
    kernel.expr.outputs.push_back(kernel.expr.cast(kernel.expr.input(from), to));
    return kernel;
}

Kernel input_kernel(DType dtype) { return cast_kernel(dtype, dtype); }

std::vector<Kernel> all_kernels() {
    std::vector<Kernel> kernels;
    for (size_t id = 0; id < loops().size(); ++id) kernels.push_back(loop_kernel(LoopId(id)));
    for (int from = 0; from < kDTypes; ++from)
        for (int to = 0; to < kDTypes; ++to) kernels.push_back(cast_kernel(DType(from), DType(to)));
    for (size_t r = 0; r < reductions().size(); ++r)
        for (int dtype = 0; dtype < kDTypes; ++dtype)
            if (reductions()[r].domain >> dtype & 1u) {
                kernels.push_back(input_kernel(DType(dtype)));
                kernels.back().reduction = ReductionId(r);
            }
    for (size_t id = 0; id < loops().size(); ++id) {
        const Loop& loop = loops()[id];
        const Row& row = rows()[loop.row];
        const bool folds = row.nin == 2 && row.nout == 1 && loop.in[0] == loop.in[1] && loop.in[0] == loop.out[0];
        if (!folds) continue;
        for (bool scans : {false, true}) {
            if (!scans && row.has(Associative)) continue;
            kernels.push_back(input_kernel(loop.T));
            kernels.back().loop = LoopId(id);
            kernels.back().scans = scans;
        }
    }
    return kernels;
}

void print(const Kernel& kernel, Walk walk) {
    const Program program = kernel.program();
    const std::string text = kernel_source(program, {&walk, 1});
    std::cout << entry_point(program, walk) << " " << to_string(walk) << " " << text.size() << "\n" << text << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "--options") {
        for (const char* option : compile_options()) std::cout << option << "\n";
        return 0;
    }
    const std::vector<Kernel> kernels = all_kernels();
    std::map<std::string, std::pair<const Kernel*, Walk>> by_name;
    for (const Kernel& kernel : kernels)
        for (Walk walk : walks(kernel.program())) by_name[entry_point(kernel.program(), walk)] = {&kernel, walk};
    if (argc > 1 && std::string(argv[1]) == "--list") {
        for (const auto& [name, kernel] : by_name) std::cout << name << "\n";
        return 0;
    }
    for (std::string name; std::getline(std::cin, name);) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) {
            std::cerr << "kernel_text: no kernel named " << name << "\n";
            return 1;
        }
        print(*found->second.first, found->second.second);
    }
}
