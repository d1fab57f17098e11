// sequence.cpp -- draws the numbers of NumPy's Generator from a PCG64: the places of words, and the tasks that draw
// them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/sequence.h"
#include "cuarray/ops/random.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/threads.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

using kernel::kTileEntries;
using kernel::TileExit;
using kernel::TilePlace;
using kernel::u128;

/// What a draw takes of the sequence.
struct SequenceUnits {
    int bits;
    bool is_sequence;  ///< numbers take several
};

template <class Draw> constexpr SequenceUnits units_of() {
    if constexpr (kernel::is_sequence<Draw>)
        return {Draw::kBits, true};
    else
        return {64 / Draw::kElements, false};
}

SequenceUnits units_of(SequenceDraw draw) {
    using namespace kernel;
    static constexpr SequenceUnits kUnits[] = {
#define DRAW(name, ...) units_of<__VA_ARGS__>(),
#include "cuarray/sequence_draws.def"
#undef DRAW
    };
    return kUnits[int(draw)];
}

/// Sets the jumps over 2^k words, which a thread's next draw from the same generator takes over.
void set_jumps(kernel::AffineMap* jumps, const u128& increment) {
    struct Jumps {
        u128 increment{};
        kernel::AffineMap over[kernel::kPcg64Jumps];
    };
    thread_local Jumps last;
    if (last.increment.low != increment.low || last.increment.high != increment.high) {
        last.over[0] = {kPcg64Multiplier, increment};
        for (int k = 1; k < kernel::kPcg64Jumps; ++k)
            last.over[k] = kernel::composed(last.over[k - 1], last.over[k - 1]);
        last.increment = increment;
    }
    std::copy(last.over, last.over + kernel::kPcg64Jumps, jumps);
}

/// A draw, and where it is in the sequence.
class SequenceOf {
 public:
    SequenceOf(const SequenceNumbers& numbers, const Pcg64State& state, int64_t n)
        : units_(units_of(numbers.draw)), pieces_(64 / units_.bits) {
        task.draw = numbers.draw;
        kernel::RandomParameters& to = task.parameters.numbers;
        to.n = uint64_t(n), to.start = numbers.start, to.width = numbers.width;
        std::copy(numbers.value, numbers.value + 3, to.value);
        to.low = numbers.low, to.most = numbers.most, to.least = numbers.least;
        const double exact = units_.bits == 64 ? 0x1p-48 : 0x1p-20;
        task.parameters.margin = numbers.margin < 0 ? exact : numbers.margin;
        kernel::Pcg64Place& place = task.parameters.place;
        set_jumps(place.jumps, state.increment);
        place.has_carried = pieces_ > 1 && state.has_carried;
        place.carried = uint64_t(state.carried) << 32;
        place.state = place.has_carried ? state.state : kernel::jumped(place.jumps[0], state.state);
        begin = place.has_carried ? pieces_ / 2 : 0;
        task.parameters.words = uint64_t((begin + n + pieces_ - 1) / pieces_);
    }

    /// The state behind the units before `end`.
    void move(Pcg64State& state, int64_t end) const {
        if (end == begin) return;
        const kernel::Pcg64Place& place = task.parameters.place;
        const int64_t half = std::max(pieces_ / 2, int64_t(1)), halves = (end + half - 1) / half;
        const int64_t last = pieces_ > 1 ? (halves + 1) / 2 - 1 : end - 1;
        state.state = kernel::state_at(place, uint64_t(last));
        if (pieces_ == 1) return;
        state.has_carried = halves % 2 != 0;
        state.carried = uint32_t(kernel::word_at(place, uint64_t(last), state.state) >> 32);
    }

    bool is_sequence() const { return units_.is_sequence; }
    /// The units that so many numbers are likely to take.
    int64_t likely_units(int64_t numbers) const {
        const kernel::RandomParameters& p = task.parameters.numbers;
        const double rejected = p.most ? std::ldexp(double(p.least), -units_.bits) : 0.035, n = double(numbers);
        return int64_t((n + 4 * std::sqrt(n * rejected) + 8) / (1 - rejected)) + 8;
    }

    SequenceFill task{};
    int64_t begin;  ///< the first unit

 private:
    const SequenceUnits units_;
    const int64_t pieces_;
};

/// Numbers of a tile that was drawn on the host.
struct DrawnTile {
    int64_t first;
    std::vector<char> bytes;
};

/// Draws numbers that take several units.
class TiledDraw {
 public:
    TiledDraw(SequenceOf& sequence, const Array& result)
        : sequence_(sequence), task_(sequence.task), result_(result), n_(result.size()), unit_(sequence.begin) {
        // Threads of the host take a tile each; one thread needs to know no exits.
        const bool is_host = result.device() == Device{};
        const int threads = is_host && n_ > kSeveral ? num_threads() : 1;
        maps_ = !is_host || threads > 1;
        const int64_t each = (sequence.likely_units(n_) + threads - 1) / threads;
        task_.parameters.tile_units = uint64_t(!is_host ? kernel::kTileUnits : maps_ ? each : kEndless);
        end_ = empty({1}, DType::int64, result.device());
    }

    /// Returns the unit behind the last number.
    int64_t run() {
        while (drawn_ < n_) draw_tiles();
        if (!ends_alone_) read(&unit_, end_, sizeof unit_);
        return unit_;
    }

 private:
    /// So many numbers are drawn by one thread.
    static constexpr int64_t kSeveral = 1 << 15;
    static constexpr int64_t kEndless = int64_t(1) << 46;

    void draw_tiles() {
        kernel::SequenceParameters& p = task_.parameters;
        const int64_t units = int64_t(p.tile_units), entry = unit_ % units;
        p.first_tile = uint64_t(unit_ / units);
        p.tiles = uint64_t(maps_ ? (entry + sequence_.likely_units(n_ - drawn_) + units - 1) / units : 1);
        std::vector<TilePlace> places;
        std::vector<DrawnTile> alone;
        follow(places, alone, maps_ ? map_tiles() : std::vector<TileExit>());
        p.tiles = places.size();
        const Array device_places = empty({int64_t(places.size()) * 2}, DType::int64, result_.device());
        write(device_places, 0, places.data(), int64_t(places.size() * sizeof(TilePlace)));
        run_step(SequenceStep::Write, result_, device_places);
        for (const DrawnTile& tile : alone)
            write(result_, tile.first * item_size(result_.dtype()), tile.bytes.data(), int64_t(tile.bytes.size()));
    }

    std::vector<TileExit> map_tiles() {
        std::vector<TileExit> exits(task_.parameters.tiles * kTileEntries);
        const Array map = empty({int64_t(exits.size()) * 2}, DType::int64, result_.device());
        run_step(SequenceStep::Map, map, {});
        read(exits.data(), map, int64_t(exits.size() * sizeof(TileExit)));
        return exits;
    }

    /// Follows the numbers from tile to tile; those whose exits are not known are drawn at once.
    void follow(std::vector<TilePlace>& places, std::vector<DrawnTile>& alone, const std::vector<TileExit>& exits) {
        const kernel::SequenceParameters& p = task_.parameters;
        const int64_t units = int64_t(p.tile_units);
        for (uint64_t tile = 0; tile < p.tiles && drawn_ < n_; ++tile) {
            const int64_t begin = int64_t(p.first_tile + tile) * units, entry = unit_ - begin;
            places.push_back({drawn_, entry});
            TileExit exit = {n_ - drawn_, 0};
            if (maps_) exit = entry < kTileEntries ? exits[tile * kTileEntries + uint64_t(entry)] : TileExit{-1, -1};
            if (exit.numbers >= 0) {
                drawn_ += exit.numbers, unit_ = begin + units + exit.entry;
                continue;
            }
            places.back().entry = -1;
            alone.push_back({drawn_, {}});
            draw_alone(alone.back(), begin + units);
        }
    }

    void draw_alone(DrawnTile& tile, int64_t end) {
        DirectLoops* const host = backend(Device{}).direct();
        if (!host) raise(ErrorKind::Runtime, task_.name, ": random numbers cannot be drawn while a graph is captured");
        const int64_t item = item_size(result_.dtype());
        tile.bytes.resize(size_t((end - unit_) * item));
        const int64_t count = host->follow(task_.draw, task_.parameters, unit_, end, tile.bytes.data(), n_ - drawn_);
        tile.bytes.resize(size_t(count * item));
        drawn_ += count;
        ends_alone_ = drawn_ == n_;
    }

    void run_step(SequenceStep step, const Array& result, const Array& places) {
        SequenceFill task = task_;
        task.step = step;
        task.result = flat(result);
        if (places.defined()) task.places = flat(places), task.end = flat(end_);
        result_.storage().front().run(task);
    }

    View flat(const Array& array) const {
        const Array line = array.reshape({array.size()});
        return line.as_operand(line.shape(), task_.name);
    }
    static void read(void* to, const Array& from, int64_t bytes) {
        from.storage().front().read(to, from.storage(), from.offset(), bytes);
    }
    static void write(const Array& to, int64_t offset, const void* from, int64_t bytes) {
        to.storage().front().write(to.storage(), to.offset() + offset, from, bytes);
    }

    SequenceOf& sequence_;
    SequenceFill& task_;
    const Array& result_;
    const int64_t n_;
    int64_t unit_, drawn_ = 0;  ///< where the next number begins, and how many are known
    bool maps_, ends_alone_ = false;
    Array end_;
};

}  // namespace

void set_parameters(SequenceNumbers& numbers, std::span<const double> x) {
    switch (numbers.draw) {
        case SequenceDraw::pareto:
        case SequenceDraw::rayleigh: numbers.value[0] = x[0]; break;
        case SequenceDraw::power:
        case SequenceDraw::weibull: numbers.value[0] = 1 / x[0]; break;
        case SequenceDraw::uniform_double: numbers.start = x[0], numbers.width = x[1] - x[0]; break;
        case SequenceDraw::exponential_double: numbers.width = x[0]; break;
        case SequenceDraw::triangular:
            numbers.start = x[0], numbers.width = x[2];
            numbers.value[0] = (x[1] - x[0]) / (x[2] - x[0]);
            numbers.value[1] = (x[1] - x[0]) * (x[2] - x[0]), numbers.value[2] = (x[2] - x[1]) * (x[2] - x[0]);
            break;
        default: numbers.start = x[0], numbers.width = x[1];
    }
}

SequenceNumbers sequence_integers(DType dtype, uint64_t low, uint64_t most) {
    SequenceNumbers numbers{SequenceDraw::power_64};
    numbers.low = low, numbers.most = most;
    const bool is_power = (most & (most + 1)) == 0;
    const auto draw = [&](SequenceDraw power, SequenceDraw other) { return is_power ? power : other; };
    if (dtype == DType::bool_)
        numbers.draw = SequenceDraw::power_1;
    else if (item_size(dtype) == 1)
        numbers.draw = draw(SequenceDraw::power_8, SequenceDraw::integer_8);
    else if (item_size(dtype) == 2)
        numbers.draw = draw(SequenceDraw::power_16, SequenceDraw::integer_16);
    else if (item_size(dtype) == 4)
        numbers.draw = draw(SequenceDraw::power_32, SequenceDraw::integer_32);
    else if (most <= UINT32_MAX)
        numbers.draw = draw(SequenceDraw::power_64_of_32, SequenceDraw::integer_64_of_32);
    else
        numbers.draw = draw(SequenceDraw::power_64, SequenceDraw::integer_64);
    const uint64_t largest = UINT64_MAX >> (64 - units_of(numbers.draw).bits), count = most + 1;
    numbers.least = is_power ? 0 : (largest - most) % count;
    return numbers;
}

void draw_sequence(const Array& result, const SequenceNumbers& numbers, Pcg64State& state, const char* name) {
    if (result.is_empty()) return;
    if (!result.is_c_contiguous() || !is_aligned(result)) {
        const Array contiguous = empty(result.shape(), result.dtype(), result.device());
        draw_sequence(contiguous, numbers, state, name);
        return assign(result, contiguous, name);
    }
    before_write(result.storage());
    SequenceOf sequence(numbers, state, result.size());
    sequence.task.name = name;
    if (sequence.is_sequence()) return sequence.move(state, TiledDraw(sequence, result).run());
    const Array line = result.reshape({result.size()});
    sequence.task.result = line.as_operand(line.shape(), name);
    result.storage().front().run(sequence.task);
    sequence.move(state, sequence.begin + result.size());
}

}  // namespace cuarray
