// sequence.cpp -- draws the numbers of NumPy's Generator from a PCG64: the places of words, and the tasks that draw
// them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/sequence.h"
#include "cuarray/ops/random.h"
#include "cuarray/ops/ufunc.h"
#include "cuarray/runtime/registry.h"
#include "ops/packed.h"
#include "runtime/decorators.h"

namespace cuarray {
namespace {

using kernel::SequenceEnd;
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

View flat(const Array& array, const char* name) {
    const Array line = array.reshape({array.size()});
    return line.as_operand(line.shape(), name);
}

/// The units that a gamma number takes, on average and rather more.
double units_of_gamma(double shape) {
    if (shape == 1) return 1.04;
    return shape < 1 ? 2.06 + 1.2 * std::sqrt(shape) : 2.05 + 0.12 / shape;
}

/// The same of a chain; 0 for other sequences.
double units_of_each(SequenceDraw draw, const double* value) {
    constexpr double normal = 1.03;
    switch (draw) {
        case SequenceDraw::gamma_double:
        case SequenceDraw::gamma_float:
        case SequenceDraw::chisquare: return units_of_gamma(value[0]);
        case SequenceDraw::beta:
        case SequenceDraw::f: return units_of_gamma(value[0]) + units_of_gamma(value[3]);
        case SequenceDraw::standard_cauchy: return 2 * normal;
        case SequenceDraw::standard_t: return normal + units_of_gamma(value[0]);
        default: return 0;
    }
}

/// A draw, and where it is in the sequence.
class SequenceOf {
 public:
    SequenceOf(const SequenceNumbers& numbers, const Pcg64State& state, int64_t n)
        : units_(units_of(numbers.draw)), pieces_(64 / units_.bits) {
        task.draw = numbers.draw;
        kernel::RandomParameters& to = task.parameters.numbers;
        to.n = uint64_t(n), to.start = numbers.start, to.width = numbers.width;
        std::ranges::copy(numbers.value, to.value);
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
        const double n = double(numbers);
        if (const double each = units_of_each(task.draw, p.value); each > 0)
            return int64_t(each * (n + 4 * std::sqrt(n))) + 16;
        const double rejected = p.most ? std::ldexp(double(p.least), -units_.bits) : 0.035;
        return int64_t((n + 4 * std::sqrt(n * rejected) + 8) / (1 - rejected)) + 8;
    }

    SequenceFill task{};
    int64_t begin;  ///< the first unit

 private:
    const SequenceUnits units_;
    const int64_t pieces_;
};

/// Draws numbers that take several units; returns the unit behind the last one.
int64_t draw_all(SequenceOf& sequence, const Array& result) {
    SequenceFill& task = sequence.task;
    Backend& device = result.storage().front();
    const int64_t n = result.size(), item = item_size(result.dtype());
    const Array end = empty({2}, DType::int64, result.device());
    task.result = flat(result, task.name), task.end = flat(end, task.name);
    SequenceEnd& at = task.parameters.begin;
    at = {0, sequence.begin};
    for (;;) {
        task.parameters.likely = uint64_t(sequence.likely_units(n - at.numbers));
        device.run(task);
        const int64_t before = at.numbers;
        device.read(&at, end.storage(), end.offset(), sizeof at);
        if (at.numbers >= n) return at.unit;
        if (at.numbers > before) continue;
        // Nothing is certain from here: the host, whose functions are NumPy's, draws on.
        DirectLoops* const host = loops_of_host();
        if (!host) raise(ErrorKind::Runtime, task.name, ": random numbers cannot be drawn while a graph is captured");
        constexpr int64_t kAlone = kernel::kTileUnits;
        const int64_t end_of_tile =
            (at.unit / kAlone + 1) * kAlone;  // so that the next number begins near a tile's unit 0
        const int64_t most = n - at.numbers;
        std::vector<char> numbers(size_t(std::min(kAlone, most) * item));
        int64_t unit = at.unit;
        const int64_t count = host->follow(task.draw, task.parameters, unit, end_of_tile, numbers.data(), most);
        device.write(result.storage(), result.offset() + at.numbers * item, numbers.data(), count * item);
        at = {at.numbers + count, unit};
        if (count == most) return unit;
    }
}

/// Sets a kernel::GammaShape, in the precision of the numbers; false for a shape whose numbers take no units.
template <class T> bool set_gamma_shape(double* value, double given) {
    const T shape = T(given), d = shape - T(1) / T(3);
    value[0] = shape, value[1] = d;
    value[2] = shape < 1 ? 1 / shape : 1 / std::sqrt(9 * d);
    return shape > 0;
}

}  // namespace

bool set_parameters(SequenceNumbers& numbers, std::span<const double> x) {
    switch (numbers.draw) {
        case SequenceDraw::gamma_double:
            numbers.width = x.size() > 1 ? x[1] : 1;
            return set_gamma_shape<double>(numbers.value, x[0]);
        case SequenceDraw::gamma_float: return set_gamma_shape<float>(numbers.value, x[0]);
        case SequenceDraw::chisquare: numbers.width = 2; return set_gamma_shape<double>(numbers.value, x[0] / 2);
        case SequenceDraw::standard_t:
            numbers.width = std::sqrt(x[0] / 2);
            return set_gamma_shape<double>(numbers.value, x[0] / 2);
        case SequenceDraw::f:
            numbers.start = x[0], numbers.width = x[1];
            return set_gamma_shape<double>(numbers.value, x[0] / 2) &&
                   set_gamma_shape<double>(numbers.value + 3, x[1] / 2);
        case SequenceDraw::beta:
            // Two words at a time for two shapes up to 1: numbers that begin at even words and at odd ones never meet.
            return (x[0] > 1 || x[1] > 1) && set_gamma_shape<double>(numbers.value, x[0]) &&
                   set_gamma_shape<double>(numbers.value + 3, x[1]);
        case SequenceDraw::standard_cauchy: break;
        case SequenceDraw::pareto:
        case SequenceDraw::rayleigh: numbers.value[0] = x[0]; break;
        case SequenceDraw::weibull:
            if (x[0] == 0) return false;
            [[fallthrough]];
        case SequenceDraw::power: numbers.value[0] = 1 / x[0]; break;
        case SequenceDraw::uniform_double: numbers.start = x[0], numbers.width = x[1] - x[0]; break;
        case SequenceDraw::exponential_double: numbers.width = x[0]; break;
        case SequenceDraw::triangular:
            numbers.start = x[0], numbers.width = x[2];
            numbers.value[0] = (x[1] - x[0]) / (x[2] - x[0]);
            numbers.value[1] = (x[1] - x[0]) * (x[2] - x[0]), numbers.value[2] = (x[2] - x[1]) * (x[2] - x[0]);
            break;
        default: numbers.start = x[0], numbers.width = x[1];
    }
    return true;
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
    if (sequence.is_sequence()) return sequence.move(state, draw_all(sequence, result));
    sequence.task.result = flat(result, name);
    result.storage().front().run(sequence.task);
    sequence.move(state, sequence.begin + result.size());
}

Array shares_of_rows(const Array& numbers) {
    const int axis = numbers.ndim() - 1;
    const auto column = [&](int64_t k) {
        Layout layout = numbers.layout();
        layout.shape[axis] = 1;
        return numbers.view(std::move(layout), k * numbers.layout().strides[axis]);
    };
    Array sum = column(0);
    for (int64_t k = 1; k < numbers.shape()[axis]; ++k) sum = apply_row(row::add, sum, column(k));
    const Weak one{Weak::Kind::Float, 0, false, 0, 1, 0};
    return apply_row(row::multiply, numbers, apply_row(row::divide, one, sum));
}

}  // namespace cuarray
