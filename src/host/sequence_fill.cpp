// sequence_fill.cpp -- draws the numbers of NumPy's Generator by threads, which jump in the sequence of words.
#include <algorithm>

#include "host/radix.h"
#include "host/tasks.h"

namespace cuarray::host {
namespace {

using kernel::kTileEntries;
using kernel::TileExit;

/// The exits of a tile. Attempts from different entries soon meet, so that the rest of the tile is drawn once: behind
/// where the first attempts have ended, if that is the same place.
void map_tile(const SequenceLoops& loops, const kernel::SequenceParameters& p, int64_t begin, TileExit* exits) {
    constexpr int64_t kHead = 64;
    struct Rest {
        int64_t from, unit, numbers;
    };
    Rest rests[kTileEntries];
    int known = 0;
    const int64_t end = begin + int64_t(p.tile_units);
    for (int entry = 0; entry < kTileEntries; ++entry) {
        int64_t unit = begin + entry;
        const int64_t head = loops.follow(&p, unit, std::min(begin + kHead, end), nullptr, INT64_MAX);
        const Rest* rest = std::find_if(rests, rests + known, [&](const Rest& r) { return r.from == unit; });
        if (rest == rests + known) {
            Rest& made = rests[known++] = {unit, unit, 0};
            made.numbers = loops.follow(&p, made.unit, end, nullptr, INT64_MAX);
        }
        exits[entry] = {head + rest->numbers, rest->unit - end};
    }
}

}  // namespace

void run(const LoopLibrary& library, const SequenceFill& task) {
    const SequenceLoops& loops = library.sequences[int(task.draw)];
    kernel::SequenceParameters p = task.parameters;
    p.numbers.result = task.result.data();
    const int64_t n = int64_t(p.numbers.n), units = int64_t(p.tile_units);
    const auto begin_of = [&](int64_t tile) { return (int64_t(p.first_tile) + tile) * units; };
    switch (task.step) {
        case SequenceStep::Fill:
            return each_chunk(task.words(), threads_of(n),
                              [&](int, int64_t begin, int64_t end) { loops.fill(&p, begin, end); });
        case SequenceStep::Map:
            return parallel_for(task.tiles(), [&](int64_t tile) {
                map_tile(loops, p, begin_of(tile), static_cast<TileExit*>(p.numbers.result) + tile * kTileEntries);
            });
        case SequenceStep::Write: break;
    }
    const auto* const places = reinterpret_cast<const kernel::TilePlace*>(task.places.data());
    const int64_t item = item_size(task.result.dtype);
    parallel_for(task.tiles(), [&](int64_t tile) {
        const kernel::TilePlace place = places[tile];
        if (place.entry < 0 || place.first >= n) return;
        int64_t unit = begin_of(tile) + place.entry;
        void* const to = static_cast<char*>(p.numbers.result) + place.first * item;
        const int64_t count = loops.follow(&p, unit, begin_of(tile + 1), to, n - place.first);
        if (place.first + count == n && count > 0) *reinterpret_cast<int64_t*>(task.end.data()) = unit;
    });
}

}  // namespace cuarray::host
