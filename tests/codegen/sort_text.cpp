// sort_text.cpp -- prints the texts of the kernels that sort, search and count by bins.
//
//   sort_text            for every kernel a line "ENTRY named BYTES", the text, and a newline
#include <iostream>
#include <map>
#include <string>

#include "codegen/histogram_launch.h"
#include "codegen/select_launch.h"
#include "codegen/sort_launch.h"

using namespace cuarray;

namespace {

std::map<std::string, NamedKernel> kernels;

void add(const NamedLaunch& named) { kernels[named.kernel.entry] = named.kernel; }

void add_sorts(DType dtype) {
    add(plan_short_sort({1, 8, dtype}, 4096, 8192, 0, 8));
    for (int64_t n : {int64_t(1) << 20, int64_t(1) << 33}) {
        add(plan_digit_counts({{1, n, dtype}, 4096, 8192, 16384, 1 << 20}, 0, 1));
        add(plan_sort_pass({{1, n, dtype}, 4096, 8192, 16384, 1 << 20}, 0, 0, 1));
    }
}

void add_selections(DType dtype) {
    for (const uint64_t n : {uint64_t(1) << 20, uint64_t(1) << 33})
        for (const SelectStep step : {SelectStep::Count, SelectStep::Digit, SelectStep::Parts, SelectStep::Equals})
            if (step < SelectStep::Parts || has_shared_keys(dtype))
                add(plan_select(step, dtype, {1, n, nullptr, nullptr, nullptr, nullptr, {}, 1, 0, 1, 0}));
}

}  // namespace

int main() {
    add_sorts(DType::none);
    for (int d = 0; d < kDTypes; ++d) {
        const DType dtype = DType(d);
        if (info(dtype).kind != Kind::Complex) add_sorts(dtype), add_selections(dtype);
        for (const uint64_t rows : {1, 2})
            add(plan_pairs(dtype, {rows, 100, nullptr, nullptr, nullptr, 0, 0, 32, 32, 1, 0}));
        add(plan_search_sorted(dtype, {100, 100, nullptr, nullptr, nullptr, 0}));
        add(plan_search_sorted(dtype, {uint64_t(5) << 32, 100, nullptr, nullptr, nullptr, 0}));
    }
    add(plan_indices({1, 100, nullptr, nullptr, nullptr, 0, 0, 32, 32, 1, 0}));
    const kernel::HistogramParameters task{100, 10, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0};
    for (DType dtype : {DType::float32, DType::float64, DType::int64, DType::uint64})
        for (HistogramStep step : {HistogramStep::Counts, HistogramStep::Bins, HistogramStep::Sums})
            add(plan_histogram(step, dtype, task));
    for (const auto& [entry, kernel] : kernels) {
        const std::string text = kernel_source(kernel);
        std::cout << entry << " named " << text.size() << "\n" << text << "\n";
    }
}
