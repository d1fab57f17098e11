// random.cpp -- NumPy's Generator in C++: its seeds, and its methods by draw_sequence.
#include "cuarray/api/random.h"
#include <algorithm>
#include <array>
#include <cmath>
#include "cuarray/ops/random.h"

namespace cuarray {
namespace {

/// The words that numpy.random.SeedSequence(seed) makes of a seed: M. E. O'Neill's seed_seq of fixed entropy with a
/// pool of four words, https://www.pcg-random.org/posts/developing-a-seed_seq-alternative.html.
class SeedWords {
 public:
    explicit SeedWords(uint64_t seed) {
        const std::array<uint32_t, 4> entropy{uint32_t(seed), uint32_t(seed >> 32), 0, 0};
        uint32_t constant = 0x43b0d7e5;
        const auto hashed = [&](uint32_t value) {
            value ^= constant;
            constant *= 0x931e8875;
            return folded(value * constant);
        };
        for (size_t i = 0; i < pool_.size(); ++i) pool_[i] = hashed(entropy[i]);
        for (size_t from = 0; from < pool_.size(); ++from)
            for (size_t to = 0; to < pool_.size(); ++to)
                if (from != to) pool_[to] = folded(0xca01f9dd * pool_[to] - 0x4973f715 * hashed(pool_[from]));
    }

    uint64_t next() {
        const uint64_t low = next_half();
        return low | uint64_t(next_half()) << 32;
    }

 private:
    static uint32_t folded(uint32_t value) { return value ^ value >> 16; }

    uint32_t next_half() {
        uint32_t value = pool_[taken_++ % pool_.size()] ^ constant_;
        constant_ *= 0x58f38ded;
        return folded(value * constant_);
    }

    std::array<uint32_t, 4> pool_;
    uint32_t constant_ = 0x8b51f9dd;
    size_t taken_ = 0;
};

void check_not_negative(double x, const char* parameter, const char* name) {
    if (!(x >= 0) || std::signbit(x)) raise(ErrorKind::Value, name, ": ", parameter, " must not be negative, not ", x);
}

void check_positive(double x, const char* parameter, const char* name) {
    if (!(x > 0)) raise(ErrorKind::Value, name, ": ", parameter, " must be positive, not ", x);
}

/// The row of a draw of that dtype.
SequenceDraw draw_of(DType dtype, SequenceDraw of_double, SequenceDraw of_float, const char* name) {
    if (dtype == DType::float64) return of_double;
    if (dtype == DType::float32) return of_float;
    raise(ErrorKind::Type, name, ": dtype must be float64 or float32, not ", info(dtype).name);
}

/// The state of NumPy's PCG64(seed).
Pcg64State pcg64_state(uint64_t seed) {
    using kernel::u128;
    SeedWords words(seed);
    u128 start, sequence;
    start.high = words.next(), start.low = words.next();
    sequence.high = words.next(), sequence.low = words.next();
    Pcg64State state{};
    state.increment.high = sequence.high << 1 | sequence.low >> 63;
    state.increment.low = sequence.low << 1 | 1;
    // A step from 0 gives the increment; a second one follows on the start.
    const kernel::AffineMap step{kPcg64Multiplier, state.increment};
    state.state = kernel::jumped(step, kernel::add_wide(state.increment, start));
    return state;
}

}  // namespace

Generator::Generator(uint64_t seed) : state_(std::make_unique<Pcg64State>(pcg64_state(seed))) {}
Generator::Generator(const Generator& other) : state_(std::make_unique<Pcg64State>(*other.state_)) {}
Generator& Generator::operator=(const Generator& other) {
    *state_ = *other.state_;
    return *this;
}
Generator::~Generator() = default;

Array Generator::draw(const SequenceNumbers& numbers, const Dims& shape, DType dtype, Device device, const char* name) {
    const Array result = empty(shape, dtype, device);
    draw_sequence(result, numbers, *state_, name);
    return result;
}

Array Generator::random(const Dims& shape, DType dtype, Device device) {
    const SequenceDraw row = draw_of(dtype, SequenceDraw::uniform_double, SequenceDraw::uniform_float, "random");
    return draw(SequenceNumbers{row}, shape, dtype, device, "random");
}

Array Generator::draw(SequenceDraw row, std::initializer_list<double> parameters, const Dims& shape, DType dtype,
                      Device device, const char* name) {
    SequenceNumbers numbers{row};
    if (set_parameters(numbers, {parameters.begin(), parameters.size()}))
        return draw(numbers, shape, dtype, device, name);
    return full(shape, Scalar::of(dtype, 0), device);  // of shape 0
}

Array Generator::located(SequenceDraw row, double loc, double scale, const Dims& shape, Device device,
                         const char* name) {
    check_not_negative(scale, "scale", name);
    return draw(row, {loc, scale}, shape, DType::float64, device, name);
}

Array Generator::uniform(double low, double high, const Dims& shape, Device device) {
    if (!std::isfinite(high - low) || std::signbit(high - low))
        raise(ErrorKind::Value, "uniform: high - low must be finite and not negative, not ", high, " - ", low);
    return draw(SequenceDraw::uniform_double, {low, high}, shape, DType::float64, device, "uniform");
}

Array Generator::standard_normal(const Dims& shape, DType dtype, Device device) {
    const SequenceDraw row = draw_of(dtype, SequenceDraw::normal_double, SequenceDraw::normal_float, "standard_normal");
    return draw(SequenceNumbers{row}, shape, dtype, device, "standard_normal");
}

Array Generator::normal(double loc, double scale, const Dims& shape, Device device) {
    return located(SequenceDraw::normal_double, loc, scale, shape, device, "normal");
}

Array Generator::standard_exponential(const Dims& shape, DType dtype, Device device) {
    const SequenceDraw row =
        draw_of(dtype, SequenceDraw::exponential_double, SequenceDraw::exponential_float, "standard_exponential");
    return draw(SequenceNumbers{row}, shape, dtype, device, "standard_exponential");
}

Array Generator::exponential(double scale, const Dims& shape, Device device) {
    check_not_negative(scale, "scale", "exponential");
    return draw(SequenceDraw::exponential_double, {scale}, shape, DType::float64, device, "exponential");
}

Array Generator::standard_gamma(double k, const Dims& shape, DType dtype, Device device) {
    check_not_negative(k, "k", "standard_gamma");
    const SequenceDraw row = draw_of(dtype, SequenceDraw::gamma_double, SequenceDraw::gamma_float, "standard_gamma");
    return draw(row, {k}, shape, dtype, device, "standard_gamma");
}

Array Generator::gamma(double k, double scale, const Dims& shape, Device device) {
    check_not_negative(k, "k", "gamma");
    check_not_negative(scale, "scale", "gamma");
    return draw(SequenceDraw::gamma_double, {k, scale}, shape, DType::float64, device, "gamma");
}

Array Generator::chisquare(double df, const Dims& shape, Device device) {
    check_positive(df, "df", "chisquare");
    return draw(SequenceDraw::chisquare, {df}, shape, DType::float64, device, "chisquare");
}

Array Generator::f(double dfnum, double dfden, const Dims& shape, Device device) {
    check_positive(dfnum, "dfnum", "f");
    check_positive(dfden, "dfden", "f");
    return draw(SequenceDraw::f, {dfnum, dfden}, shape, DType::float64, device, "f");
}

Array Generator::gumbel(double loc, double scale, const Dims& shape, Device device) {
    return located(SequenceDraw::gumbel, loc, scale, shape, device, "gumbel");
}

Array Generator::laplace(double loc, double scale, const Dims& shape, Device device) {
    return located(SequenceDraw::laplace, loc, scale, shape, device, "laplace");
}

Array Generator::logistic(double loc, double scale, const Dims& shape, Device device) {
    return located(SequenceDraw::logistic, loc, scale, shape, device, "logistic");
}

Array Generator::lognormal(double mean, double sigma, const Dims& shape, Device device) {
    check_not_negative(sigma, "sigma", "lognormal");
    return draw(SequenceDraw::lognormal, {mean, sigma}, shape, DType::float64, device, "lognormal");
}

Array Generator::pareto(double a, const Dims& shape, Device device) {
    check_positive(a, "a", "pareto");
    return draw(SequenceDraw::pareto, {a}, shape, DType::float64, device, "pareto");
}

Array Generator::power(double a, const Dims& shape, Device device) {
    check_positive(a, "a", "power");
    return draw(SequenceDraw::power, {a}, shape, DType::float64, device, "power");
}

Array Generator::rayleigh(double scale, const Dims& shape, Device device) {
    check_not_negative(scale, "scale", "rayleigh");
    return draw(SequenceDraw::rayleigh, {scale}, shape, DType::float64, device, "rayleigh");
}

Array Generator::standard_cauchy(const Dims& shape, Device device) {
    return draw(SequenceDraw::standard_cauchy, {}, shape, DType::float64, device, "standard_cauchy");
}

Array Generator::standard_t(double df, const Dims& shape, Device device) {
    check_positive(df, "df", "standard_t");
    return draw(SequenceDraw::standard_t, {df}, shape, DType::float64, device, "standard_t");
}

Array Generator::triangular(double left, double mode, double right, const Dims& shape, Device device) {
    if (!(left <= mode && mode <= right && left < right))
        raise(ErrorKind::Value, "triangular: left <= mode <= right and left < right expected, not ", left, ", ", mode,
              ", ", right);
    return draw(SequenceDraw::triangular, {left, mode, right}, shape, DType::float64, device, "triangular");
}

Array Generator::weibull(double a, const Dims& shape, Device device) {
    check_not_negative(a, "a", "weibull");
    return draw(SequenceDraw::weibull, {a}, shape, DType::float64, device, "weibull");
}

Array Generator::integers(int64_t low, int64_t high, const Dims& shape, DType dtype, Device device) {
    if (info(dtype).kind > Kind::Signed)
        raise(ErrorKind::Type, "integers: dtype must be an integer type, not ", info(dtype).name);
    if (low >= high) raise(ErrorKind::Value, "integers: low >= high: ", low, " >= ", high);
    const Scalar least = Scalar::of(DType::int64, low), last = Scalar::of(DType::int64, high - 1);
    if ((low < 0 && info(dtype).kind != Kind::Signed) || convert(convert(least, dtype), DType::int64) != least ||
        convert(convert(last, dtype), DType::int64) != last)
        raise(ErrorKind::Value, "integers: ", low, " to ", high, " is out of bounds for ", info(dtype).name);
    const uint64_t most = uint64_t(high) - uint64_t(low) - 1;
    if (most == 0) return full(shape, convert(least, dtype), device);
    return draw(sequence_integers(dtype, uint64_t(low), most), shape, dtype, device, "integers");
}

}  // namespace cuarray
