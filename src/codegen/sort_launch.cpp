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
bool counts_are_wide(const SortRows& rows) { return rows.n > UINT32_MAX; }

/// Bytes of the digit totals of all rows, which precede the counts in the workspace.
int64_t total_bytes(const SortRows& rows) { return rows.rows * kernel::kDigits * int64_t(sizeof(u64)); }

template <class Parameters>
NamedLaunch make_launch(std::string entry, const char* parameters, std::string function, const Parameters& p,
                        int64_t blocks) {
    static_assert(sizeof p <= sizeof(Launch::parameters));
    NamedLaunch to;
    to.kernel = {std::move(entry), parameters, std::move(function), false, kThreads};
    to.launch.set_grid(to.kernel.entry, blocks, kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

NamedLaunch make_sort(const std::string& kernel, const std::string& suffix, const std::string& type,
                      const kernel::SortPass& p, int64_t blocks) {
    return make_launch(kernel + suffix, "SortPass", kernel + "<" + type + ">", p, blocks);
}

}  // namespace

bool is_one_launch(const SortRows& rows) { return rows.n <= tile_of(rows); }

int64_t sort_workspace(const SortRows& rows) {
    if (is_one_launch(rows)) return 0;
    const int64_t count = counts_are_wide(rows) ? sizeof(u64) : sizeof(u32);
    return total_bytes(rows) + rows.rows * kernel::kDigits * tiles_of(rows) * count;
}

int sort_launches(const SortRows& rows) { return is_one_launch(rows) ? 1 : 3; }

NamedLaunch plan_sort(const SortRows& rows, uint64_t from, uint64_t to, uint64_t workspace, int shift, int bits,
                      int k) {
    kernel::SortPass p{};
    p.rows = uint64_t(rows.rows), p.n = uint64_t(rows.n), p.tiles = uint64_t(tiles_of(rows));
    p.from = reinterpret_cast<const void*>(from), p.to = reinterpret_cast<void*>(to);
    p.shift = uint32_t(shift), p.bits = uint32_t(bits), p.descending = rows.descending;
    const std::string type = type_of(rows.dtype), name = "_" + name_of(rows.dtype);
    if (is_one_launch(rows)) {
        const int64_t together = std::min({tile_of(rows) / rows.n, kMostRows, rows.rows});
        p.rows_per_tile = uint32_t(together);
        return make_sort("sort_short", name, type, p, divide_up(rows.rows, together));
    }
    p.totals = reinterpret_cast<u64*>(workspace);
    p.counts = reinterpret_cast<void*>(workspace + uint64_t(total_bytes(rows)));
    const bool wide = counts_are_wide(rows);
    const std::string count = wide ? "u64" : "u32", suffix = wide ? "_64" : "";
    const int64_t tiles = rows.rows * tiles_of(rows), warps = kThreads / 32;
    if (k == 1) return make_sort("sort_add_up", wide ? "_64" : "_32", count, p, rows.rows * kernel::kDigits / warps);
    return make_sort(k == 0 ? "sort_count" : "sort_scatter", name + suffix, type + ", " + count, p, tiles);
}

NamedLaunch plan_pairs(DType values, const kernel::SortPairing& p) {
    const std::string type = info(values).text;
    return make_launch("sort_make_pairs_" + type, "SortPairing", "sort_make_pairs<" + type + ">", p,
                       divide_up(int64_t(p.rows * p.n), kThreads));
}

NamedLaunch plan_indices(const kernel::SortPairing& p) {
    return make_launch("sort_indices", "SortPairing", "sort_take_indices", p,
                       divide_up(int64_t(p.rows * p.n), kThreads));
}

NamedLaunch plan_search_sorted(DType values, const kernel::SearchSortedParameters& p) {
    const std::string type = info(values).text;
    const bool is_long = p.n >> 32 != 0;
    return make_launch("searchsorted_" + type + (is_long ? "_long" : ""), "SearchSortedParameters",
                       "search<" + type + (is_long ? ", u64>" : ", u32>"), p,
                       divide_up(int64_t(p.count), kThreads * kernel::kSearched));
}

}  // namespace cuarray
