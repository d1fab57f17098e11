// random.cpp -- the places of random numbers in their sequence, and the task that draws them.
#include "cuarray/ops/random.h"

#include <algorithm>
#include <cmath>

#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/kernel/distributions.h"
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

/// Smaller shapes than 1 have a draw of their own.
void set_gamma(RandomNumbers& numbers, double shape) {
    kernel::RandomParameters& to = numbers.parameters;
    const bool is_double = numbers.draw == RandomDraw::gamma_double;
    if (shape < 1) numbers.draw = is_double ? RandomDraw::small_gamma_double : RandomDraw::small_gamma_float;
    to.value[0] = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, to.value[1] = 1 / std::sqrt(9 * to.value[0]);
    to.value[2] = 1 / shape;
}

void set_poisson(RandomNumbers& numbers, double mean) {
    kernel::RandomParameters& to = numbers.parameters;
    if (mean < 10) {
        numbers.draw = RandomDraw::small_poisson;
        to.value[0] = mean, to.value[1] = kernel::random_exp(-mean);
        return;
    }
    const kernel::PoissonHat hat = kernel::poisson_hat(mean);
    to.value[0] = hat.mean, to.value[1] = hat.a, to.value[2] = hat.b;
    to.value[3] = hat.inverse_alpha, to.value[4] = hat.limit;
}

void set_binomial(RandomNumbers& numbers, double n, double p) {
    kernel::RandomParameters& to = numbers.parameters;
    const double q = p > 0.5 ? 1 - p : p;
    to.value[7] = p > 0.5;
    if (n * q < 10) {
        numbers.draw = RandomDraw::small_binomial;
        to.value[0] = n, to.value[1] = kernel::random_exp(-n * kernel::random_minus_log1p(q)),
        to.value[2] = q / (1 - q);
        return;
    }
    const kernel::BinomialHat hat = kernel::binomial_hat(n, q);
    const double values[] = {hat.n, hat.mean, hat.a, hat.b, hat.alpha, hat.limit, hat.top};
    std::copy(std::begin(values), std::end(values), to.value);
}

/// Whether the numbers are parameters of a draw that ends in _each. NumPy judges those that are not.
bool are_in_domain(RandomDraw draw, const double* x) {
    const auto is_positive = [](double a) { return a > 0 && std::isfinite(a); };
    const auto is_count = [](double a, double most) { return a >= 0 && a <= most && a == std::floor(a); };
    constexpr double kMostCount = 0x1p53, kMostMean = 9e18, kMostGood = 1e9;
    switch (draw) {
        case RandomDraw::beta_each:
        case RandomDraw::f_each:
        case RandomDraw::wald_each: return is_positive(x[0]) && is_positive(x[1]);
        case RandomDraw::binomial_each: return is_count(x[0], kMostCount) && x[1] >= 0 && x[1] <= 1;
        case RandomDraw::chisquare_each:
        case RandomDraw::standard_t_each: return is_positive(x[0]);
        case RandomDraw::negative_binomial_each:
            return is_positive(x[0]) && x[1] > 0 && x[1] <= 1 &&
                   (1 - x[1]) * (x[0] + 10 * std::sqrt(x[0])) <= kMostMean * x[1];
        case RandomDraw::noncentral_f_each:
            return is_positive(x[0]) && is_positive(x[1]) && !std::signbit(x[2]) && x[2] <= kMostMean;
        case RandomDraw::gamma_each:
            return std::isfinite(x[0]) && !std::signbit(x[0]) && !std::signbit(x[1]) && std::isfinite(x[1]);
        case RandomDraw::geometric_each: return x[0] > 0 && x[0] <= 1;
        case RandomDraw::hypergeometric_each:
            return is_count(x[0], kMostGood - 1) && is_count(x[1], kMostGood - 1) && is_count(x[2], x[0] + x[1]);
        case RandomDraw::logseries_each: return !std::signbit(x[0]) && x[0] < 1;
        case RandomDraw::noncentral_chisquare_each:
            return is_positive(x[0]) && !std::signbit(x[1]) && x[1] <= kMostMean;
        case RandomDraw::poisson_each: return !std::signbit(x[0]) && x[0] <= kMostMean;
        case RandomDraw::vonmises_each: return std::isfinite(x[0]) && !std::signbit(x[1]) && std::isfinite(x[1]);
        case RandomDraw::zipf_each: return x[0] > 1 && std::isfinite(x[0]);
        default: return false;
    }
}

/// The bits of the sequence that an integer takes.
int bits_of(RandomDraw draw) { return 64 / RandomFill::group_of(draw).elements; }

RandomDraw integer_draw(DType dtype, uint64_t most) {
    const bool is_power = (most & (most + 1)) == 0, is_small = most < uint64_t(1) << 24;
    if (dtype == DType::bool_) return RandomDraw::integer_1;
    switch (item_size(dtype)) {
        case 1: return is_power ? RandomDraw::integer_8 : RandomDraw::integer_8_of_32;
        case 2: return is_power ? RandomDraw::integer_16 : RandomDraw::integer_16_of_32;
        case 4: return is_power || is_small ? RandomDraw::integer_32 : RandomDraw::integer_32_of_64;
        default:
            return (is_power && most <= UINT32_MAX) || is_small ? RandomDraw::integer_64_of_32 : RandomDraw::integer_64;
    }
}

}  // namespace

bool set_parameters(RandomNumbers& numbers, std::span<const double> parameters) {
    double x[3] = {0, 1, 0};
    if (parameters.size() > 3) return false;
    std::copy(parameters.begin(), parameters.end(), x);
    const bool has_any = !parameters.empty();
    kernel::RandomParameters& p = numbers.parameters;
    p.start = x[0], p.width = x[1];
    switch (numbers.draw) {
        case RandomDraw::uniform_double:
        case RandomDraw::uniform_float: p.width = has_any ? x[1] - x[0] : 1; break;
        case RandomDraw::exponential_double:
        case RandomDraw::exponential_float:
        case RandomDraw::rayleigh: p.start = 0, p.width = has_any ? x[0] : 1; break;
        case RandomDraw::pareto:
        case RandomDraw::power:
        case RandomDraw::weibull: p.width = 1 / x[0]; return x[0] > 0;
        case RandomDraw::triangular:
            p.width = x[2] - x[0], p.value[0] = x[1], p.value[1] = x[2];
            return x[0] <= x[1] && x[1] <= x[2] && x[0] < x[2];
        case RandomDraw::gamma_double:
        case RandomDraw::gamma_float:
            if (!(x[0] > 0) || std::isinf(x[0])) return false;
            set_gamma(numbers, x[0]);
            break;
        case RandomDraw::binomial:
            if (!are_in_domain(RandomDraw::binomial_each, x)) return false;
            set_binomial(numbers, x[0], x[1]);
            return true;
        case RandomDraw::chisquare:
            if (!are_in_domain(RandomDraw::chisquare_each, x)) return false;
            numbers.draw = RandomDraw::gamma_double, p.start = 0, p.width = 2;
            set_gamma(numbers, 0.5 * x[0]);
            return true;
        case RandomDraw::wald: return x[0] > 0 && x[1] > 0 && std::isfinite(x[0]) && std::isfinite(x[1]);
        case RandomDraw::geometric:
            if (!(x[0] > 0 && x[0] <= 1)) return false;
            p.width = kernel::geometric_width(x[0]);
            return true;
        case RandomDraw::poisson:
            if (!(x[0] > 0 && x[0] <= 9e18)) return false;
            set_poisson(numbers, x[0]);
            return true;
        default:
            if (numbers.draw < RandomDraw::beta_each) break;
            std::copy(x, x + 3, p.value);
            return are_in_domain(numbers.draw, x);
    }
    return std::isfinite(p.width) && !std::signbit(p.width);
}

RandomNumbers random_integers(DType dtype, uint64_t low, uint64_t most) {
    RandomNumbers numbers{integer_draw(dtype, most)};
    const uint64_t largest = UINT64_MAX >> (64 - bits_of(numbers.draw)), count = most + 1;
    numbers.parameters.low = low, numbers.parameters.most = most;
    numbers.parameters.least = count == 0 ? 0 : (largest - most) % count;
    return numbers;
}

RandomFill::Group RandomFill::group_of(RandomDraw draw) {
    using namespace kernel;
    static constexpr Group kGroups[] = {
#define DRAW(name, ...) {__VA_ARGS__::kWords, __VA_ARGS__::kElements},
#include "cuarray/random_draws.def"
#undef DRAW
    };
    return kGroups[int(draw)];
}

void take_numbers(PhiloxState& state, RandomNumbers& numbers, int64_t n) {
    const RandomDraw draw = numbers.draw;
    kernel::RandomParameters& p = numbers.parameters;
    p.n = uint64_t(n);
    p.key[0] = state.key[0], p.key[1] = state.key[1];
    const bool begins_within = state.position < 4 && (reads_halves(draw) || reads_words(draw));
    p.first = begins_within ? uint32_t(state.position) : 0;
    p.counter = begins_within ? state.counter : kernel::later(state.counter, 1);
    const RandomFill::Group group = RandomFill::group_of(draw);
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
}

void random_fill(const Array& result, const RandomNumbers& numbers, const char* name,
                 std::span<const Array> parameters) {
    if (result.is_empty()) return;
    if (!result.is_c_contiguous() || !is_aligned(result)) {
        const Array contiguous = empty(result.shape(), result.dtype(), result.device());
        random_fill(contiguous, numbers, name, parameters);
        return assign(result, contiguous, name);
    }
    RandomFill task{numbers.draw, numbers.parameters, {}, name};
    const auto flat = [&](const Array& array) {
        const Array line = array.reshape({array.size()});
        return line.as_operand(line.shape(), name);
    };
    for (size_t k = 0; k < parameters.size(); ++k) {
        const Array& of = parameters[k];
        if (!of.defined()) continue;
        if (of.dtype() != DType::float64 || of.size() != result.size() || !(of.device() == result.device()))
            raise(ErrorKind::Value, name, ": parameter ", k,
                  " must be float64, of the size and the device of the result");
        task.parameters[k] = flat(packed(of));
    }
    before_write(result.storage());
    task.result = flat(result);
    result.storage().front().run(task);
}

}  // namespace cuarray
