// random.cpp -- the places of random numbers in their sequence, and the task that draws them.
#include "cuarray/ops/random.h"

#include <algorithm>

#include "cuarray/array/pending.h"
#include "cuarray/kernel/random.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

bool is_integer_draw(RandomDraw draw) { return draw >= RandomDraw::integer_64; }

/// Whether a draw reads the next words of the sequence.
bool reads_words(RandomDraw draw) {
    return draw == RandomDraw::uniform_double || draw == RandomDraw::integer_64 || draw == RandomDraw::integer_32_of_64;
}
/// Whether it reads 32-bit numbers, one of which may be carried over from the draw before.
bool reads_halves(RandomDraw draw) {
    return draw == RandomDraw::uniform_float || (is_integer_draw(draw) && !reads_words(draw));
}

/// Moves the state behind the word that is `words` > 0 words after the beginning of block `counter`.
void move_behind(PhiloxState& state, const kernel::RandomBlock& counter, int64_t words) {
    state.counter = kernel::later(counter, uint64_t(words - 1) / 4);
    const kernel::RandomBlock block = kernel::philox(state.key, state.counter);
    std::copy(block.word, block.word + 4, state.buffer);
    state.position = int((words - 1) % 4 + 1);
}

}  // namespace

RandomFill::Group RandomFill::group() const {
    using namespace kernel;
    static constexpr Group kGroups[] = {
#define DRAW(name, ...) {__VA_ARGS__::kWords, __VA_ARGS__::kElements},
#include "cuarray/random_draws.def"
#undef DRAW
    };
    return kGroups[int(draw)];
}

kernel::RandomParameters take_numbers(PhiloxState& state, RandomDraw draw, int64_t n) {
    kernel::RandomParameters p{};
    p.n = uint64_t(n), p.width = 1;
    p.key[0] = state.key[0], p.key[1] = state.key[1];
    const bool begins_within = state.position < 4 && (reads_halves(draw) || reads_words(draw));
    p.first = begins_within ? uint32_t(state.position) : 0;
    p.counter = begins_within ? state.counter : kernel::later(state.counter, 1);
    const RandomFill::Group group = RandomFill{draw, p, {}}.group();
    int64_t words = 0;
    if (reads_halves(draw)) {
        const int64_t of_half = group.elements / 2;
        int64_t halves = (n + of_half - 1) / of_half;
        if (halves > 0 && state.has_carried) {
            p.has_carried = true, p.carried = state.carried;
            state.has_carried = false;
            --halves;
        }
        words = (halves + 1) / 2;
        if (words > 0) move_behind(state, p.counter, p.first + words);
        if (halves % 2) state.has_carried = true;
        if (words > 0) state.carried = uint32_t(state.buffer[state.position - 1] >> 32);
    } else {
        words = (n + group.elements - 1) / group.elements * group.words;
        if (words > 0) move_behind(state, p.counter, p.first + words);
    }
    return p;
}

void random_fill(const Array& result, RandomDraw draw, const kernel::RandomParameters& numbers, const char* name) {
    if (result.is_empty()) return;
    if (!result.is_c_contiguous() || !is_aligned(result)) {
        const Array packed = empty(result.shape(), result.dtype(), result.device());
        random_fill(packed, draw, numbers, name);
        return assign(result, packed, name);
    }
    before_write(result.storage());
    RandomFill task{draw, numbers, {}, name};
    const Array flat = result.reshape({result.size()});
    task.result = flat.as_operand(flat.shape(), name);
    result.storage().front().run(task);
}

}  // namespace cuarray
