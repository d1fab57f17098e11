// sequence_fill.cpp -- draws the numbers of NumPy's Generator by threads, which jump in the sequence of words.
#include <algorithm>
#include <vector>

#include "cuarray/runtime/threads.h"
#include "host/radix.h"
#include "host/tasks.h"

namespace cuarray::host {
namespace {

using kernel::SequenceEnd;
using kernel::SequenceParameters;

/// So many numbers are drawn by one thread.
constexpr int64_t kSeveral = 1 << 15;
/// Of chains, threads make each number two or three times: before it is known where it belongs, from one entry or two.
constexpr int kLeastThreadsOfChains = 4;

/// Follows numbers from one to the last that begins before `end`; stores them, if there is a place.
SequenceEnd follow(const SequenceLoops& loops, const SequenceParameters& p, SequenceEnd at, int64_t end,
                   void* to = nullptr, int64_t most = INT64_MAX) {
    int64_t unit = at.unit;
    at.numbers += loops.follow(&p, unit, end, to, most);
    at.unit = unit;
    return at;
}

/// The units of a part of a draw. Where a number begins in it depends on those before it: on how many units behind the
/// beginning the last one ends, its entry.
struct SequencePart {
    static constexpr int kEntries = 8;
    int64_t begin, end;
    SequenceEnd exits[kEntries];  ///< by entry: the numbers, and the unit behind them
    SequenceEnd first;            ///< the numbers before, and the unit where the part's numbers begin

    /// Attempts from different entries meet sooner or later: all go on by some units until they have met, or come to
    /// the end of the part.
    void find_exits(const SequenceLoops& loops, const SequenceParameters& p) {
        for (int k = 0; k < kEntries; ++k) exits[k] = {0, begin + k};
        for (int64_t to = begin, step = 64; to < end; step *= 2) {
            const auto [first, last] = std::ranges::minmax(exits, {}, &SequenceEnd::unit);
            to = first.unit == last.unit ? end : std::min(to + step, end);
            struct Rest {
                int64_t from;
                SequenceEnd to;
            };
            Rest rests[kEntries];
            int known = 0;
            for (SequenceEnd& exit : exits) {
                const Rest* rest =
                    std::find_if(rests, rests + known, [&](const Rest& r) { return r.from == exit.unit; });
                if (rest == rests + known) rests[known++] = {exit.unit, follow(loops, p, {0, exit.unit}, to)};
                exit = {exit.numbers + rest->to.numbers, rest->to.unit};
            }
        }
    }
};

/// Draws numbers that take several units, a part by each thread.
SequenceEnd draw_parts(const SequenceLoops& loops, const SequenceParameters& p, int64_t item) {
    const int64_t n = int64_t(p.numbers.n), least = loops.is_chain ? kLeastThreadsOfChains : 2;
    const int64_t threads = n - p.begin.numbers > kSeveral && num_threads() >= least ? num_threads() : 1;
    const int64_t each = threads > 1 ? (int64_t(p.likely) + threads - 1) / threads : 0;
    std::vector<SequencePart> parts(static_cast<size_t>(threads));
    for (int64_t k = 0; k < threads; ++k) {
        SequencePart& part = parts[size_t(k)];
        part.begin = p.begin.unit + k * each;
        part.end = k + 1 < threads ? part.begin + each : INT64_MAX;
    }
    parallel_for(threads - 1, [&](int64_t k) { parts[size_t(k)].find_exits(loops, p); });
    SequenceEnd at = p.begin;
    for (SequencePart& part : parts) {
        part.first = at;
        const int64_t entry = at.unit - part.begin;
        if (&part == &parts.back() || at.numbers >= n) continue;
        if (entry < SequencePart::kEntries)
            at = {at.numbers + part.exits[entry].numbers, part.exits[entry].unit};
        else
            at = follow(loops, p, at, part.end);
    }
    SequenceEnd last{};
    parallel_for(threads, [&](int64_t k) {
        const SequencePart& part = parts[size_t(k)];
        if (part.first.numbers >= n) return;
        void* const to = static_cast<char*>(p.numbers.result) + part.first.numbers * item;
        const SequenceEnd end = follow(loops, p, part.first, part.end, to, n - part.first.numbers);
        if (end.numbers == n) last = end;
    });
    return last;
}

}  // namespace

void run(const LoopLibrary& library, const SequenceFill& task) {
    const SequenceLoops& loops = library.sequences[int(task.draw)];
    SequenceParameters p = task.parameters;
    p.numbers.result = task.result.data();
    if (task.end.storage)
        *reinterpret_cast<SequenceEnd*>(task.end.data()) = draw_parts(loops, p, item_size(task.result.dtype));
    else
        each_chunk(task.words(), threads_of(int64_t(p.numbers.n)),
                   [&](int, int64_t begin, int64_t end) { loops.fill(&p, begin, end); });
}

}  // namespace cuarray::host
