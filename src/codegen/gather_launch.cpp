// gather_launch.cpp -- plans gathers and scatters: the widest word to move items with, and conflicts between stores.
#include "codegen/gather_launch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "codegen/parameters.h"
#include "codegen/sizes.h"
#include "cuarray/kernel/segmented_reduce.h"

namespace cuarray {
namespace {

static_assert(int(Outside::Raise) == int(kernel::OutsideRule::Raise) &&
              int(Outside::Wrap) == int(kernel::OutsideRule::Wrap) &&
              int(Outside::Clip) == int(kernel::OutsideRule::Clip));

constexpr int kElements = 0, kArray = 1, kKeys = 2, kNumbers = 3, kIndices = 4;
constexpr int64_t kWidest = 16;
constexpr size_t kFewIndices = 2;
// Up to this many positions per value, a direct table is cheaper than a hash table.
constexpr int64_t kDirect = 4;

const char* item_type(int64_t bytes) {
    switch (bytes) {
        case 1: return "u8";
        case 2: return "u16";
        case 4: return "u32";
        case 8: return "u64";
        default: return "Item16";
    }
}

using LargestUpdate = kernel::UpdateParameters<kernel::Index64, kernel::kMaxIndices>;
static_assert(sizeof(LargestUpdate) <= sizeof(Launch::parameters));

bool is_narrow(int64_t size) { return size <= INT32_MAX; }

kernel::IndexedOperand operand(const Space& space, int k) {
    kernel::IndexedOperand to{};
    to.data = reinterpret_cast<char*>(space.offset[k]);
    for (int d = 0; d < space.ndim; ++d) to.strides[d] = space.strides[k][d];
    return to;
}

void add_axis(Space& space) {
    for (int k = 0; k < space.operands; ++k) space.strides[k][space.ndim] = 0;
    space.shape[space.ndim++] = 1;
}

void drop_axis(Space& space, int axis) {
    std::copy(space.shape + axis + 1, space.shape + space.ndim, space.shape + axis);
    for (int k = 0; k < space.operands; ++k) {
        int64_t* const strides = space.strides[k];
        std::copy(strides + axis + 1, strides + space.ndim, strides + axis);
    }
    --space.ndim;
}

}  // namespace

IndexedAccessPlan::IndexedAccessPlan(const IndexedAccessOperands& operands)
    : indices_(operands.indices), outside_(operands.outside), kind_(operands.kind) {
    const auto& [shape, elements, array, indices, item, outside, kind] = operands;
    if (indices.size() > size_t(kernel::kMaxIndices))
        raise(ErrorKind::NotImplemented, "index: ", indices.size(), " index arrays; a kernel takes at most ",
              kernel::kMaxIndices);
    const Dims none = Dims::filled(shape.size(), 0);
    const Dims* strides[kernel::kMaxIndices + kIndices] = {elements.strides, array.strides, &none, &none};
    const uint64_t addresses[] = {elements.address, array.address, 0, 0};
    std::copy(std::begin(addresses), std::end(addresses), addresses_);
    for (size_t k = 0; k < indices.size(); ++k) {
        strides[kIndices + k] = indices[k].positions.strides;
        addresses_[kIndices + k] = indices[k].positions.address;
    }
    // A scatter and an update keep the order of axes: the last value in C order is the one that is stored.
    collapse(space_, shape, {strides, kIndices + indices.size()}, kind != kernel::IndexedAccessKind::Gather);
    for (int k = 0; k < space_.operands; ++k) space_.offset[k] += int64_t(addresses_[k]);
    if (space_.size == 0) {
        slices_ = 0;
        return;
    }
    if (kind == kernel::IndexedAccessKind::Scatter) number_places();
    if (kind == kernel::IndexedAccessKind::Update)
        limit_keys(item);
    else
        choose_word(item);
    // Equal values for one position need no table if words can be stored atomically (4 or 8 bytes).
    needs_table_ = has_unequal_repeats_ || (has_repeated_targets_ && word_ < 4);
    if (space_.ndim == 0) add_axis(space_);
    for (int d = 0; d < space_.ndim - kAxes; ++d) slices_ *= space_.shape[d];
    width_ = width();
}

/// Chooses the widest word that divides all addresses and strides. A contiguous last axis along which no index moves
/// counts as one large item.
void IndexedAccessPlan::choose_word(int64_t item) {
    int64_t bytes = item;
    const int last = space_.ndim - 1;
    const auto moves = [&](int k) { return space_.strides[k][last] != 0; };
    bool runs = last >= 0 && space_.strides[kElements][last] == item && space_.strides[kArray][last] == item;
    for (int k = kIndices; runs && k < space_.operands; ++k) runs = !moves(k);
    if (runs) {
        bytes *= space_.shape[last];
        drop_axis(space_, last);
    }
    int64_t word = std::gcd(has_repeated_targets_ && !has_unequal_repeats_ ? kWidest / 2 : kWidest, bytes);
    for (int k : {kElements, kArray}) {
        word = std::gcd(word, space_.offset[k] % kWidest);
        for (int d = 0; d < space_.ndim; ++d) word = std::gcd(word, space_.strides[k][d]);
    }
    for (const IndexedDeviceAxis& index : indices_) word = std::gcd(word, index.stride);
    word_ = int(word);
    space_.size = count(std::span(space_.shape, size_t(space_.ndim))) * (bytes / word);
    if (bytes == word) return;
    add_axis(space_);
    space_.shape[space_.ndim - 1] = bytes / word;
    space_.strides[kElements][space_.ndim - 1] = space_.strides[kArray][space_.ndim - 1] = word;
}

/// Numbers positions of the array by their indices, and by their coordinates on axes along which both the array and an
/// index move. Elements may share a position along axes where it depends on indices alone.
void IndexedAccessPlan::number_places() {
    int64_t weight = 1, number = 1;
    for (size_t k = indices_.size(); k-- > 0;) {
        weights_[k] = weight;
        weight *= std::max<int64_t>(indices_[k].size, 1);
    }
    for (int d = space_.ndim - 1; d >= 0; --d) {
        bool chosen = space_.strides[kArray][d] == 0;
        for (int k = kIndices; k < space_.operands; ++k) chosen |= space_.strides[k][d] != 0;
        if (!chosen) continue;
        space_.strides[kNumbers][d] = number;
        number *= space_.shape[d];
        if (space_.strides[kArray][d] != 0) {
            space_.strides[kKeys][d] = weight;
            weight *= space_.shape[d];
        } else {
            has_repeated_targets_ |= space_.shape[d] > 1;
            has_unequal_repeats_ |= space_.strides[kElements][d] != 0;
        }
    }
    hashes_ = weight > kDirect * number;
    slots_ = hashes_ ? int64_t(std::bit_ceil(uint64_t(2 * number))) : weight;
}

/// Keys of an update are byte offsets from the lowest address of the array.
void IndexedAccessPlan::limit_keys(int64_t item) {
    int64_t highest = item;
    const auto reach = [&](int64_t bytes) { (bytes < 0 ? base_ : highest) += bytes; };
    for (int d = 0; d < space_.ndim; ++d) reach((space_.shape[d] - 1) * space_.strides[kArray][d]);
    for (const IndexedDeviceAxis& index : indices_) reach(std::max<int64_t>(index.size - 1, 0) * index.stride);
    key_limit_ = highest - base_;
    word_ = int(item);
}

int64_t IndexedAccessPlan::winner_bytes() const { return width_ == IndexWidth::Wide ? 8 : 4; }

int64_t IndexedAccessPlan::table_bytes() const {
    return needs_table_ ? slots_ * (winner_bytes() + (hashes_ ? int64_t(sizeof(uint64_t)) : 0)) : 0;
}

int IndexedAccessPlan::key_bits() const { return std::bit_width(uint64_t(key_limit_)); }

void IndexedAccessPlan::select(int64_t slice) {
    Space part = space_;
    while (part.ndim > kAxes) {
        int64_t inner = 1;
        for (int d = 1; d < part.ndim - kAxes; ++d) inner *= part.shape[d];
        const int64_t at = slice / inner;
        slice %= inner;
        for (int k = 0; k < part.operands; ++k) part.offset[k] += at * part.strides[k][0];
        drop_axis(part, 0);
    }
    part.size = count(std::span(part.shape, size_t(part.ndim)));
    fill(move, part, false);
    if (!needs_table_) return;
    // One claim covers all elements that differ only along the array's own axes.
    for (int d = part.ndim - 1; d >= 0; --d)
        if (part.strides[kNumbers][d] == 0 && part.shape[d] > 1) drop_axis(part, d);
    if (part.ndim == 0) add_axis(part);
    part.size = count(std::span(part.shape, size_t(part.ndim)));
    fill(claim.emplace(), part, true);
}

template <class Index>
static void fill_choice(std::byte* to, const Space& space, std::span<const IndexedDeviceAxis> indices,
                        const int64_t* weights, Outside outside, bool meets) {
    auto& p = *reinterpret_cast<kernel::IndexedAccessParameters<Index, kernel::kMaxIndices>*>(to);
    std::memset(to, 0, sizeof p - (kernel::kMaxIndices - std::max<size_t>(indices.size(), 1)) * sizeof p.indices[0]);
    p.size = uint64_t(space.size);
    p.axes = uint32_t(space.ndim);
    p.rule = uint32_t(outside);
    p.meets = meets;
    for (int d = 0; d < space.ndim; ++d) set_extent(p.extents[d], space.shape[d]);
    p.elements = operand(space, kElements);
    p.array = operand(space, kArray);
    p.keys = operand(space, kKeys);
    p.numbers = operand(space, kNumbers);
    for (size_t k = 0; k < indices.size(); ++k)
        p.indices[k] = {operand(space, kIndices + int(k)), indices[k].size, indices[k].stride, weights[k],
                        indices[k].axis};
}

/// The type of a kernel's parameters.
static std::string_view parameters_text(bool updates, IndexWidth width, size_t arrays) {
    constexpr size_t kWidths = 3;
    static const auto& texts = *new const auto([] {
        constexpr const char* types[kWidths] = {"Index32, ", "IndexFar, ", "Index64, "};
        std::array<std::string, 2 * kWidths*(kernel::kMaxIndices + 1)> texts;
        for (size_t k = 0; k < texts.size(); ++k)
            texts[k] = std::string(k & 1 ? "UpdateParameters<" : "IndexedAccessParameters<") + types[k / 2 % kWidths] +
                       std::to_string(k / (2 * kWidths)) + ">";
        return texts;
    }());
    return texts[(arrays * kWidths + size_t(width)) * 2 + updates];
}

/// The width that holds all indices, offsets and keys, those of all slices.
IndexWidth IndexedAccessPlan::width() const {
    if (!is_narrow(space_.size)) return IndexWidth::Wide;
    if (indices_.size() > kFewIndices) return IndexWidth::Far;  // with 16 of them ptxas spills registers
    int64_t reach[kernel::kMaxIndices + kIndices] = {};
    const auto is_near = [&](int k, int64_t length, int64_t stride) {
        return stride == 0 ||
               !__builtin_add_overflow(reach[k], (length - 1) * std::abs(stride), &reach[k]) && is_narrow(reach[k]);
    };
    for (int k = 0; k < space_.operands; ++k)
        for (int d = 0; d < space_.ndim; ++d)
            if (!is_near(k, space_.shape[d], space_.strides[k][d])) return IndexWidth::Far;
    for (size_t k = 0; k < indices_.size(); ++k)
        if (const int64_t n = std::max<int64_t>(indices_[k].size, 1);
            !is_near(kArray, n, indices_[k].stride) || !is_near(kKeys, n, weights_[k]))
            return IndexWidth::Far;
    return IndexWidth::Near;
}

void IndexedAccessPlan::fill(NamedLaunch& to, const Space& space, bool claims) const {
    const bool updates = kind_ == kernel::IndexedAccessKind::Update, moves = !claims && !updates;
    constexpr const char* suffixes[] = {"", "_far", "_64"};
    const char* const name = claims                                        ? "claim"
                             : updates                                     ? "update_keys"
                             : kind_ == kernel::IndexedAccessKind::Scatter ? "scatter"
                                                                           : "gather";
    std::string& entry = to.kernel.entry = name;
    if (moves) entry.append("_b").append(std::to_string(word_));
    entry.append("_").append(std::to_string(indices_.size())).append(suffixes[size_t(width_)]);
    to.kernel.parameters = parameters_text(updates, width_, indices_.size());
    to.kernel.function = claims ? "claim_places" : name;
    if (moves) to.kernel.function.append("<").append(item_type(word_)).append(">");
    to.kernel.faults = true;
    std::byte* const parameters = to.launch.parameters + (updates ? offsetof(LargestUpdate, chosen) : 0);
    const auto fill_one = width_ == IndexWidth::Near  ? fill_choice<kernel::Index32>
                          : width_ == IndexWidth::Far ? fill_choice<kernel::IndexFar>
                                                      : fill_choice<kernel::Index64>;
    fill_one(parameters, space, indices_, weights_, outside_, has_repeated_targets_);
    const int64_t lanes = updates || indices_.size() > 2 ? 1 : 4;
    to.launch.set_grid(to.kernel.entry, (space.size + kThreads * lanes - 1) / (kThreads * lanes), to.kernel.threads);
}

void IndexedAccessPlan::set_keys(uint64_t keys, uint64_t order) {
    // The members before `chosen` have the same layout for both index types.
    auto& p = *reinterpret_cast<LargestUpdate*>(move.launch.parameters);
    p.keys = reinterpret_cast<u64*>(keys);
    p.order = reinterpret_cast<const u64*>(order);
    p.base = base_;
    p.outside = uint64_t(key_limit_);
}

NamedLaunch IndexedAccessPlan::steps(LoopId id, DType array) const {
    const Loop& loop = loops()[id];
    const std::string row = rows()[loop.row].name, T = info(loop.T).text, U = info(loop.U).text, S = info(array).text;
    NamedLaunch to = move;
    to.kernel.entry.replace(0, std::string("update_keys").size(), "update_" + row + "_" + S + "_" + T + "_" + U);
    to.kernel.function = "update_places<fn::" + row + ", " + T + ", " + U + ", " + S + ">";
    for (const DType dtype : {loop.T, loop.U, array}) to.kernel.has_complex |= info(dtype).kind == Kind::Complex;
    return to;
}

void IndexedAccessPlan::set_table(uint64_t address) {
    for (NamedLaunch* to : {&move, &*claim}) {
        const auto set = [&](auto& p) {
            p.winners = reinterpret_cast<decltype(p.winners)>(address);
            p.hashed = hashes_ ? reinterpret_cast<u64*>(p.winners + slots_) : nullptr;
            p.slots = uint64_t(slots_);
        };
        if (width_ != IndexWidth::Wide)  // the layout of both others is the same
            set(*reinterpret_cast<kernel::IndexedAccessParameters<kernel::Index32, kernel::kMaxIndices>*>(
                to->launch.parameters));
        else
            set(*reinterpret_cast<kernel::IndexedAccessParameters<kernel::Index64, kernel::kMaxIndices>*>(
                to->launch.parameters));
    }
}

}  // namespace cuarray
