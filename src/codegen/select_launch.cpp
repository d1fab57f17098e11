// select_launch.cpp -- plans a step of a radix selection.
#include "codegen/select_launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {
namespace {

/// The fewest values of a block, and the most blocks of all rows: each merges its counts.
constexpr int64_t kSelectedValues = 8192, kMostSelectBlocks = 2048;

bool select_counts_are_wide(int64_t n) { return n > int64_t(UINT32_MAX); }

}  // namespace

int64_t select_count_bytes(int64_t rows, int64_t n, int64_t wanted) {
    return rows * wanted * kernel::kDigits * int64_t(select_counts_are_wide(n) ? sizeof(u64) : sizeof(u32));
}

int64_t selection_bytes(int64_t rows) { return rows * int64_t(sizeof(kernel::Selection)); }

bool has_shared_keys(DType dtype) { return info(dtype).kind == Kind::Floating; }

NamedLaunch plan_select(SelectStep step, DType dtype, const kernel::SelectParameters& task) {
    static_assert(sizeof task <= sizeof(Launch::parameters));
    constexpr const char* functions[] = {"select_count", "select_digit", "select_parts", "select_equals"};
    const std::string function = functions[int(step)], type = info(dtype).text;
    const bool wide = select_counts_are_wide(int64_t(task.n));
    kernel::SelectParameters p = task;
    const int64_t rows = int64_t(p.rows), parts = (int64_t(p.n) - 1) / kSelectedValues + 1;
    const int64_t most = step == SelectStep::Count ? std::max<int64_t>(1, kMostSelectBlocks / rows) : kernel::kDigits;
    p.blocks = uint32_t(std::min(parts, most));
    NamedLaunch to;
    to.kernel.entry = function + "_" + type + (wide ? "_64" : "");
    to.kernel.parameters = "SelectParameters";
    to.kernel.function = function + "<" + type + (wide ? ", u64>" : ", u32>");
    to.kernel.threads = kThreads;
    const bool is_wide_step = step == SelectStep::Count || step == SelectStep::Parts;
    to.launch.set_grid(to.kernel.entry, is_wide_step ? rows * p.blocks : rows, kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

}  // namespace cuarray
