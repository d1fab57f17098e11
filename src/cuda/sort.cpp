// sort.cpp -- radix sorts of rows on a GPU: passes that alternate between the result and a buffer of the same size.
#include <algorithm>
#include <bit>
#include "codegen/select_launch.h"
#include "codegen/sort_launch.h"
#include "cuda/backend.h"

namespace cuarray::cuda {
namespace {

constexpr int kDigitBits = int(kernel::kDigitBits);

/// Parts of a value's key (two for complex numbers), and bits of a part.
int parts_of(DType dtype) { return info(dtype).kind == Kind::Complex ? 2 : 1; }
int bits_of(DType dtype) { return dtype == DType::bool_ ? 1 : 8 * item_size(dtype) / parts_of(dtype); }

int passes_of(int bits) { return (bits + kDigitBits - 1) / kDigitBits; }

}  // namespace

void GpuBackend::execute(const Sort& task) {
    if (task.indices)
        sort_places(task, bits_of(task.values.dtype));
    else
        sort_values({task.rows, task.n, task.values.dtype, task.descending}, address_of(task.result),
                    address_of(task.values), task.name);
}

void GpuBackend::sort_values(const SortRows& rows, CUdeviceptr to, CUdeviceptr from, const char* name) {
    const int bits = bits_of(rows.dtype), passes = passes_of(bits);
    if (is_one_launch(rows)) {
        NamedLaunch named = plan_short_sort(rows, from, to, 0, bits);
        return launch(named, name);
    }
    const int64_t bytes = rows.rows * rows.n * item_size(rows.dtype);
    const StorageRef spare = allocate(bytes), workspace = allocate(sort_workspace(rows, passes));
    const CUdeviceptr other = address_of(*spare, 0);
    if (passes % 2 && from == to) {
        const Current current(runtime_.context);
        runtime_.context.driver.cuMemcpyDtoDAsync(other, from, size_t(bytes), runtime_.current().queue());
        runtime_.current().queued();
        from = other;
    }
    sort_by_digits({rows, from, to, other, address_of(*workspace, 0)}, 0, passes, name);
}

void GpuBackend::sort_by_digits(const SortBuffers& buffers, int shift, int passes, const char* name) {
    clear(buffers.workspace, sort_workspace(buffers.rows, passes));
    NamedLaunch counts = plan_digit_counts(buffers, shift, passes);
    launch(counts, name);
    for (int pass = 0; pass < passes; ++pass) {
        NamedLaunch named = plan_sort_pass(buffers, shift, pass, passes);
        launch(named, name);
    }
}

/// Only the lowest `bits` bits of each part of the keys are significant.
void GpuBackend::sort_places(const Sort& task, int bits) {
    const SortRows rows{task.rows, task.n, DType::none};
    const bool is_short = is_one_launch(rows);
    kernel::SortPairing pairing{};
    pairing.rows = uint64_t(task.rows), pairing.n = uint64_t(task.n);
    pairing.values = reinterpret_cast<const void*>(address_of(task.values));
    pairing.index_bits = uint32_t(std::max(32, int(std::bit_width(uint64_t(task.n - 1)))));
    pairing.descending = task.descending;
    pairing.first = !task.refines;
    const int most = 64 - int(pairing.index_bits);
    const StorageRef spare = allocate(is_short ? 0 : task.rows * task.n * int64_t(sizeof(kernel::SortPair)));
    const StorageRef workspace = allocate(sort_workspace(rows, passes_of(std::min(most, bits))));
    const CUdeviceptr result = address_of(task.result), others = is_short ? result : address_of(*spare, 0);
    pairing.indices = reinterpret_cast<u64*>(result);
    CUdeviceptr at = result;

    for (int part = 0; part < parts_of(task.values.dtype); ++part)
        for (int shift = 0; shift < bits; shift += most) {
            pairing.pairs = reinterpret_cast<u64*>(at);
            pairing.part = uint32_t(part), pairing.shift = uint32_t(shift);
            pairing.bits = uint32_t(std::min(most, bits - shift));
            NamedLaunch named = plan_pairs(task.values.dtype, pairing);
            launch(named, task.name);
            pairing.first = false;
            if (is_short) {
                NamedLaunch sorts = plan_short_sort(rows, at, at, int(pairing.index_bits), int(pairing.bits));
                launch(sorts, task.name);
                continue;
            }
            const int passes = passes_of(int(pairing.bits));
            const CUdeviceptr other = at == result ? others : result;
            const CUdeviceptr to = passes % 2 ? other : at, spare = passes % 2 ? at : other;
            sort_by_digits({rows, at, to, spare, address_of(*workspace, 0)}, int(pairing.index_bits), passes,
                           task.name);
            at = to;
        }
    pairing.pairs = reinterpret_cast<u64*>(at);
    NamedLaunch named = plan_indices(pairing);
    launch(named, task.name);
}

void GpuBackend::execute(const OrderStatistics& task) {
    const int64_t item = item_size(task.values.dtype), wanted = int64_t(task.kth.size());
    const SortRows rows{task.rows, task.n, task.values.dtype};
    if (!is_one_launch(rows) && wanted <= int64_t(kernel::kMostSelected)) return select_values(task);
    const StorageRef sorted = allocate(task.rows * task.n * item);
    sort_values(rows, address_of(*sorted, 0), address_of(task.values), task.name);
    for (int64_t k = 0; k < wanted; ++k) {
        View to = task.result;
        to.offset += k * item;
        to.strides = {wanted * item};
        copy_elements(to, {sorted.get(), task.kth[size_t(k)] * item, to.dtype, {task.n * item}}, {task.rows});
    }
}

/// Of long rows: a pass over the values for each digit of the keys, the highest first.
void GpuBackend::select_values(const OrderStatistics& task) {
    const DType dtype = task.values.dtype;
    const int64_t bytes = select_count_bytes(task.rows, task.n, int64_t(task.kth.size()));
    const StorageRef counts = allocate(bytes), selections = allocate(selection_bytes(task.rows));
    clear(address_of(*counts, 0), bytes);
    kernel::SelectParameters p{};
    p.rows = uint64_t(task.rows), p.n = uint64_t(task.n), p.wanted = uint32_t(task.kth.size());
    p.values = reinterpret_cast<const void*>(address_of(task.values));
    p.result = reinterpret_cast<void*>(address_of(task.result));
    p.counts = reinterpret_cast<void*>(address_of(*counts, 0));
    p.selections = reinterpret_cast<kernel::Selection*>(address_of(*selections, 0));
    std::copy(task.kth.begin(), task.kth.end(), p.ranks);
    const auto run = [&](SelectStep step) {
        NamedLaunch named = plan_select(step, dtype, p);
        launch(named, task.name);
    };
    p.first = true;
    for (int left = passes_of(bits_of(dtype)); left > 0; --left, p.first = false) {
        p.shift = uint32_t((left - 1) * kDigitBits);
        run(SelectStep::Count);
        run(SelectStep::Digit);
    }
    if (!has_shared_keys(dtype)) return;
    run(SelectStep::Parts);
    run(SelectStep::Equals);
}

void GpuBackend::execute(const SearchSorted& task) {
    kernel::SearchSortedParameters search{};
    search.n = uint64_t(task.n), search.count = uint64_t(task.count), search.right = task.right;
    search.sorted = reinterpret_cast<const void*>(address_of(task.sorted));
    search.values = reinterpret_cast<const void*>(address_of(task.values));
    search.places = reinterpret_cast<i64*>(address_of(task.result));
    NamedLaunch named = plan_search_sorted(task.values.dtype, search);
    launch(named, task.name);
}

}  // namespace cuarray::cuda
