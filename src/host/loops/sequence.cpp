// sequence.cpp -- the numbers of NumPy's Generator, from the words of a PCG64 in their order.
#include <algorithm>
#include <cstring>

#include "cuarray/kernel/sequence.h"
#include "host/loops/old_glibc.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

using namespace kernel;

/// Words at a time: they stay in the L1 cache.
constexpr int64_t kWords = 512;

/// States side by side, each a few words behind the one before: their products overlap.
constexpr int kLanes = 4, kLaneJump = 2;

/// The words of a draw, from one on.
class WordBlocks {
 public:
    WordBlocks(const Pcg64Place& place, int64_t word)
        : factor_(wide(place.jumps[kLaneJump].factor)), summand_(wide(place.jumps[kLaneJump].summand)) {
        u128 state = state_at(place, uint64_t(word));
        for (WideNumber& lane : lanes_) lane = wide(state), state = jumped(place.jumps[0], state);
        is_carried_ = word == 0 && place.has_carried;
        carried_ = place.carried;
    }

    /// The next kWords words.
    void next(u64* words) {
        WideNumber lanes[kLanes];
        std::copy(lanes_, lanes_ + kLanes, lanes);
        const WideNumber factor = factor_, summand = summand_;
        for (int64_t w = 0; w < kWords; w += kLanes)
#pragma GCC unroll 4
            for (int k = 0; k < kLanes; ++k) {
                words[w + k] = pcg64_word(narrow(lanes[k]));
                lanes[k] = lanes[k] * factor + summand;
            }
        std::copy(lanes, lanes + kLanes, lanes_);
        if (is_carried_) words[0] = carried_;
        is_carried_ = false;
    }

 private:
    const WideNumber factor_, summand_;
    WideNumber lanes_[kLanes];
    bool is_carried_;
    u64 carried_;
};

/// The units of a draw, from one on.
template <int Bits> class UnitStream {
 public:
    using Unit = choose_t<Bits == 64, u64, choose_t<Bits == 32, u32, choose_t<Bits == 16, u16, u8>>>;
    static constexpr int64_t kPieces = 64 / Bits, kUnits = kWords * kPieces;

    UnitStream(const Pcg64Place& place, int64_t unit)
        : blocks_(place, unit / kPieces), first_(unit / kPieces * kPieces), at_(unit % kPieces) {
        blocks_.next(words_);
    }

    int64_t unit() const { return first_ + at_; }
    u64 next() {
        fill();
        return peek(at_++);
    }
    /// The units that are known from here on, at least one. A unit of them, and so many used up.
    int64_t known() {
        fill();
        return kUnits - at_;
    }
    u64 operator[](int64_t k) const { return peek(at_ + k); }
    void skip(int64_t units) { at_ += units; }

 private:
    u64 peek(int64_t at) const {
        Unit unit;  // lowest ones first, as memory has them
        std::memcpy(&unit, reinterpret_cast<const char*>(words_) + at * int64_t(sizeof unit), sizeof unit);
        return unit;
    }
    void fill() {
        if (at_ < kUnits) return;
        blocks_.next(words_);
        first_ += kUnits, at_ = 0;
    }

    WordBlocks blocks_;
    int64_t first_, at_;
    alignas(64) u64 words_[kWords];
};

/// Draws of elements that take the same bits each.
template <class Draw> struct FillLoop {
    using T = typename Draw::Element;
    static constexpr int64_t kCount = Draw::kElements;

    static void draw(const RandomParameters& given, const u64* words, int64_t count, T* to) {
        const RandomParameters p = given;  // no alias of what is stored
#pragma omp simd
        for (int64_t w = 0; w < count; ++w) Draw::draw(p, words + w, to + w * kCount);
    }

    static void run(const void* parameters, int64_t begin, int64_t end) {
        const SequenceParameters& p = *static_cast<const SequenceParameters*>(parameters);
        const int64_t n = int64_t(p.numbers.n), skipped = p.place.has_carried ? kCount / 2 : 0;
        T* const result = static_cast<T*>(p.numbers.result);
        WordBlocks blocks(p.place, begin);
        alignas(64) u64 words[kWords];
        for (int64_t word = begin; word < end; word += kWords) {
            const int64_t count = std::min(kWords, end - word), first = word * kCount - skipped;
            blocks.next(words);
            if (first >= 0 && first + count * kCount <= n) {
                draw(p.numbers, words, count, result + first);
                continue;
            }
            alignas(64) T elements[kWords * kCount];
            draw(p.numbers, words, count, elements);
            const int64_t from = std::max<int64_t>(first, 0), to = std::min(first + count * kCount, n);
            if (from < to) std::copy(elements + (from - first), elements + (to - first), result + from);
        }
    }
};

/// Draws of numbers that take as many units as they need.
template <class Draw> struct FollowLoop {
    using T = typename Draw::Element;

    template <bool stores>
    static int64_t follow(const SequenceParameters& given, int64_t& unit, int64_t end, T* to, int64_t most) {
        SequenceParameters p = given;
        p.margin = 0;  // exp and log1p are NumPy's
        const auto layers = Draw::layers();
        UnitStream<Draw::kBits> units(p.place, unit);
        int64_t count = 0;
        while (units.unit() < end && count < most) {
            if constexpr (!is_chain<Draw>) {
                const int64_t known = std::min({units.known(), end - units.unit(), most - count});
                const int64_t tried = try_units<stores>(p, layers, units, known, to, count);
                units.skip(tried);
                if (tried == known) continue;
            }
            const u64 bits = units.next();
            T number;
            if (!Draw::attempt(p, layers, bits, units, number).gives) continue;
            if constexpr (stores) to[count] = number;
            ++count;
        }
        unit = units.unit();
        return count;
    }

    /// Draws from so many units while no attempt is needed; returns the number of units.
    template <bool stores, class Known, class Units>
    static int64_t try_units(const SequenceParameters& p, const Known& layers, const Units& units, int64_t known, T* to,
                             int64_t& drawn) {
        int64_t count = drawn, k = 0;
        for (; k < known; ++k) {
            T number;
            const bool gives = Draw::try_quickly(p, layers, units[k], number);
            if (Draw::kAttempts && !gives) break;
            // What is behind the last number may be another thread's.
            if (stores && gives) to[count] = number;
            count += gives;
        }
        drawn = count;
        return k;
    }

    static int64_t run(const void* parameters, int64_t& unit, int64_t end, void* to, int64_t most) {
        if (unit >= end || most <= 0) return 0;
        const SequenceParameters& p = *static_cast<const SequenceParameters*>(parameters);
        return to ? follow<true>(p, unit, end, static_cast<T*>(to), most) : follow<false>(p, unit, end, nullptr, most);
    }
};

template <class Draw> constexpr SequenceLoops loops_of() {
    if constexpr (is_sequence<Draw>)
        return {nullptr, FollowLoop<Draw>::run, is_chain<Draw>};
    else
        return {FillLoop<Draw>::run, nullptr};
}

constexpr SequenceLoops kLoops[] = {
#define DRAW(name, ...) loops_of<__VA_ARGS__>(),
#include "cuarray/sequence_draws.def"
#undef DRAW
};

}  // namespace

const SequenceLoops* sequence_loops() { return kLoops; }

}  // namespace cuarray::host
