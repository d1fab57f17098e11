// choice_text.cpp -- prints the texts of the kernels that have no Expr: those that move elements chosen by indices or masks,
// and those that multiply matrices.
//
//   choice_text          for every kernel a line "ENTRY named BYTES", the text, and a newline
#include <iostream>
#include <map>
#include <string>

#include "cuarray/codegen/matmul_launch.h"

using namespace cuarray;

namespace {

std::map<std::string, NamedKernel> kernels;

void add(const NamedKernel& kernel) { kernels[kernel.entry] = kernel; }

/// `arrays` index arrays over n positions of an array of as many axes.
void add_choices(int arrays, int64_t item, int64_t n) {
    const Dims elements{item}, array{0}, positions{8};
    std::vector<IndexedPlace> indices(size_t(arrays), {{4096, &positions}, 100, 100 * item, 0});
    for (bool scatters : {false, true}) {
        ChoicePlan plan({n}, {1 << 20, &elements}, {1 << 21, &array}, indices, item, kernel::Outside::Raise, scatters);
        plan.select(0);
        add(plan.move.kernel);
        if (plan.claim) add(plan.claim->kernel);
    }
}

void add_masks(int item, int64_t n) {
    const Dims array{item}, line{item}, lines{8 * n, 8};
    for (MaskStep step : {MaskStep::Count, MaskStep::AddUp, MaskStep::Compress, MaskStep::Expand})
        for (const NamedLaunch& named : plan_masked(step, {{n}, 4096, 8192, {1 << 20, &array}, {1 << 21, &line}, item}))
            add(named.kernel);
    for (const NamedLaunch& named : plan_masked(MaskStep::Locate, {{n}, 4096, 8192, {}, {1 << 21, &lines}})) add(named.kernel);
}

void add_products() {
    const Dims strides{32, 16};
    for (int type = 0; type < kDTypes; ++type)
        add(plan_matmul({{}, 70, 80, 90, DType(type), {1 << 20, &strides}, {1 << 21, &strides}, {1 << 22, &strides}}).kernel);
}

}  // namespace

int main() {
    add_products();
    for (int64_t n : {int64_t(1000), int64_t(1) << 32})
        for (int item : {1, 2, 4, 8, 16}) {
            for (int arrays : {0, 1, 2, 3, 16}) add_choices(arrays, item, n);
            add_masks(item, n);
        }
    for (const auto& [entry, kernel] : kernels) {
        const std::string text = kernel_source(kernel);
        std::cout << entry << " named " << text.size() << "\n" << text << "\n";
    }
}
