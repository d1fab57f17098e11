// sort_launch.cpp -- plans the passes of a radix sort: kernels by item type, tiles, and workspace for the counts.
#include "codegen/sort_launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {
namespace {

constexpr int64_t kMostRows = kernel::kDigits;

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

int item_of(DType dtype) { return dtype == DType::none ? int(sizeof(kernel::SortPair)) : item_size(dtype); }
std::string type_of(DType dtype) { return dtype == DType::none ? "SortPair" : info(dtype).text; }
std::string name_of(DType dtype) { return dtype == DType::none ? "pairs" : info(dtype).text; }
int64_t tile_of(const SortRows& rows) { return kernel::sort_tile(u32(item_of(rows.dtype))); }
int64_t tiles_of(const SortRows& rows) { return divide_up(rows.n, tile_of(rows)); }
bool counts_are_wide(const SortRows& rows) { return rows.n > int64_t(kernel::SortState<u32>::number); }
int64_t count_size(const SortRows& rows) { return counts_are_wide(rows) ? sizeof(u64) : sizeof(u32); }

/// Bytes of the parts of the workspace: steps and tickets, starts, states.
int64_t ticket_bytes(const SortRows& rows, int passes) { return divide_up((2 * passes + rows.rows) * 4, 256) * 256; }
int64_t start_bytes(const SortRows& rows, int passes) {
    return rows.rows * passes * kernel::kDigits * count_size(rows);
}
int64_t state_bytes(const SortRows& rows) { return rows.rows * tiles_of(rows) * kernel::kDigits * count_size(rows); }

template <class Parameters>
NamedLaunch make_launch(std::string entry, const char* parameters, std::string function, const Parameters& p,
                        int64_t blocks) {
    static_assert(sizeof p <= sizeof(Launch::parameters));
    NamedLaunch to;
    to.kernel = {std::move(entry), parameters, std::move(function), false, kThreads};
    to.kernel.is_optimised = true;  // half the instructions: addresses stay in registers
    to.launch.set_grid(to.kernel.entry, blocks, kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

kernel::SortPass pass_over(const SortRows& rows, uint64_t from, int shift) {
    kernel::SortPass p{};
    p.rows = uint64_t(rows.rows), p.n = uint64_t(rows.n);
    p.from = reinterpret_cast<const void*>(from);
    p.shift = uint32_t(shift), p.descending = rows.descending;
    return p;
}

/// Of the blocks that count digits, each takes several tiles if there are many: it adds up to 256 numbers for each
/// pass.
constexpr int64_t kMostCountingBlocks = 1024;

kernel::SortPass pass_in(const SortBuffers& buffers, int shift, int passes) {
    const SortRows& rows = buffers.rows;
    kernel::SortPass p = pass_over(rows, buffers.from, shift);
    p.to = reinterpret_cast<void*>(buffers.to), p.spare = reinterpret_cast<void*>(buffers.spare);
    p.tiles = uint32_t(tiles_of(rows));
    p.blocks = uint32_t(std::clamp<int64_t>(kMostCountingBlocks / rows.rows, 1, tiles_of(rows)));
    p.passes = uint32_t(passes);
    p.steps = reinterpret_cast<u32*>(buffers.workspace);
    p.tickets = p.steps + passes;
    const uint64_t starts = buffers.workspace + uint64_t(ticket_bytes(rows, passes));
    p.starts = reinterpret_cast<void*>(starts);
    p.states = reinterpret_cast<void*>(starts + uint64_t(start_bytes(rows, passes)));
    return p;
}

NamedLaunch make_long_sort(const std::string& kernel, const SortRows& rows, const kernel::SortPass& p, int64_t blocks) {
    const bool wide = counts_are_wide(rows);
    return make_launch(kernel + "_" + name_of(rows.dtype) + (wide ? "_64" : ""), "SortPass",
                       kernel + "<" + type_of(rows.dtype) + (wide ? ", u64>" : ", u32>"), p, blocks);
}

int64_t pair_blocks(const kernel::SortPairing& p) {
    return divide_up(int64_t(p.rows * p.n), kThreads * int64_t(kernel::kPaired));
}

}  // namespace

bool is_one_launch(const SortRows& rows) { return rows.n <= tile_of(rows); }

int64_t sort_workspace(const SortRows& rows, int passes) {
    return is_one_launch(rows) ? 0 : ticket_bytes(rows, passes) + start_bytes(rows, passes) + state_bytes(rows);
}

NamedLaunch plan_short_sort(const SortRows& rows, uint64_t from, uint64_t to, int shift, int bits) {
    kernel::SortPass p = pass_over(rows, from, shift);
    p.to = reinterpret_cast<void*>(to);
    p.bits = uint32_t(bits);
    const int64_t together = std::min({tile_of(rows) / rows.n, kMostRows, rows.rows});
    p.rows_per_tile = uint32_t(together);
    return make_launch("sort_short_" + name_of(rows.dtype), "SortPass", "sort_short<" + type_of(rows.dtype) + ">", p,
                       divide_up(rows.rows, together));
}

NamedLaunch plan_digit_counts(const SortBuffers& buffers, int shift, int passes) {
    const kernel::SortPass p = pass_in(buffers, shift, passes);
    return make_long_sort("sort_count", buffers.rows, p, buffers.rows.rows * p.blocks);
}

NamedLaunch plan_sort_pass(const SortBuffers& buffers, int shift, int pass, int passes) {
    kernel::SortPass p = pass_in(buffers, shift + pass * int(kernel::kDigitBits), passes);
    p.pass = uint32_t(pass);
    return make_long_sort("sort_scatter", buffers.rows, p, buffers.rows.rows * tiles_of(buffers.rows));
}

NamedLaunch plan_pairs(DType values, const kernel::SortPairing& p) {
    const std::string type = info(values).text;
    const bool several = p.rows > 1;
    return make_launch("sort_make_pairs_" + type + (several ? "_rows" : ""), "SortPairing",
                       "sort_make_pairs<" + type + (several ? ", true>" : ", false>"), p, pair_blocks(p));
}

NamedLaunch plan_indices(const kernel::SortPairing& p) {
    return make_launch("sort_indices", "SortPairing", "sort_take_indices", p, pair_blocks(p));
}

NamedLaunch plan_search_sorted(DType values, const kernel::SearchSortedParameters& p) {
    const std::string type = info(values).text;
    const bool is_long = p.n >> 32 != 0;
    return make_launch("searchsorted_" + type + (is_long ? "_long" : ""), "SearchSortedParameters",
                       "search<" + type + (is_long ? ", u64>" : ", u32>"), p,
                       divide_up(int64_t(p.count), kThreads * kernel::kSearched));
}

}  // namespace cuarray
