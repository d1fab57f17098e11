// few_random_numbers.cpp -- draws by loops of the host; domains of several parameters; rows of outcomes.
#include "ops/few_random_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cuarray/runtime/registry.h"
#include "ops/element_access.h"

namespace cuarray {
namespace {

/// The draw of elements with parameters of their own, for one of numbers with the same ones; false where there is none.
bool becomes_draw_of_each(RandomDraw& draw) {
    switch (draw) {
        case RandomDraw::binomial: draw = RandomDraw::binomial_each; return true;
        case RandomDraw::chisquare: draw = RandomDraw::chisquare_each; return true;
        case RandomDraw::gamma_double: draw = RandomDraw::gamma_each; return true;
        case RandomDraw::geometric: draw = RandomDraw::geometric_each; return true;
        case RandomDraw::poisson: draw = RandomDraw::poisson_each; return true;
        case RandomDraw::wald: draw = RandomDraw::wald_each; return true;
        default: return draw >= RandomDraw::beta_each && draw <= RandomDraw::zipf_each;
    }
}

/// Sets the parameters of a draw of elements; false if not all are surely in its domain.
bool set_each(RandomNumbers& numbers, SeveralParameters& each) {
    constexpr double kMost = 1e18;  // MOST of each.py
    for (int k = 0; k < each.count; ++k)
        if (is_count(numbers.draw, k) && each.are_floating[k]) return false;
    for (int64_t i = 0; i < each.size; ++i) {
        double x[3];
        for (int k = 0; k < each.count; ++k) {
            x[k] = each[k][i];
            if (!(std::fabs(x[k]) < (is_count(numbers.draw, k) ? 0x1p53 : kMost))) return false;
        }
        if (!set_parameters(numbers, {x, size_t(each.count)})) return false;
    }
    for (int k = 0; k < each.count; ++k) numbers.parameters.of[k] = each[k];
    return true;
}

/// Makes of the parameters of a draw of start + width * number the start and the width of each element; false for other
/// draws, and where a width is not finite and not negative.
bool make_widths(RandomDraw draw, SeveralParameters& each) {
    double *const first = each[0], *const width = each[each.count - 1];
    if (each.count != (draw == RandomDraw::exponential_double || draw == RandomDraw::rayleigh ? 1 : 2)) return false;
    switch (draw) {
        case RandomDraw::uniform_double:
            for (int64_t i = 0; i < each.size; ++i) width[i] -= first[i];
            break;
        case RandomDraw::normal_double:
        case RandomDraw::exponential_double:
        case RandomDraw::gumbel:
        case RandomDraw::laplace:
        case RandomDraw::logistic:
        case RandomDraw::rayleigh: break;
        default: return false;
    }
    return std::all_of(width, width + each.size, [](double w) { return std::isfinite(w) && !std::signbit(w); });
}

/// A new array of numbers, or one without a storage if the host cannot write it now.
Array drawn(RandomNumbers& numbers, const Dims& shape, int64_t size, DType dtype, Device device, const char* name,
            const TakeNumbers& take) {
    Array result = empty(shape, dtype, device);
    if (!direct_data(result)) return {};
    take(numbers, size);
    random_fill_now(result, numbers, name);
    return result;
}

}  // namespace

Scalar random_number(const RandomNumbers& numbers, DType dtype, const char* name) {
    Scalar number;
    number.dtype = dtype;
    backend(Device{}).front().direct()->draw(RandomFill{numbers.draw, numbers.parameters, {}, name}, number.bytes);
    return number;
}

bool random_fill_now(const Array& result, const RandomNumbers& numbers, const char* name) {
    char* const to = direct_data(result);
    if (!to) return false;
    result.storage().front().direct()->draw(RandomFill{numbers.draw, numbers.parameters, {}, name}, to);
    return true;
}

bool is_count(RandomDraw draw, int k) {
    const bool is_binomial = draw == RandomDraw::binomial || draw == RandomDraw::binomial_each;
    return draw == RandomDraw::hypergeometric_each || (is_binomial && k == 0);
}

Array draw_several(RandomDraw draw, SeveralParameters& each, DType dtype, const char* name, const TakeNumbers& take) {
    RandomNumbers numbers{draw};
    if (becomes_draw_of_each(numbers.draw)) {
        if (!set_each(numbers, each)) return {};
        return drawn(numbers, each.shape, each.size, dtype, each.device, name, take);
    }
    if (!make_widths(draw, each) || !set_parameters(numbers, {})) return {};
    Array result = drawn(numbers, each.shape, each.size, dtype, each.device, name, take);
    if (!result.defined()) return result;
    double* const to = reinterpret_cast<double*>(direct_data(result));
    const double* const width = each[each.count - 1];
    const double* const first = each.count > 1 ? each[0] : nullptr;
    for (int64_t i = 0; i < each.size; ++i) to[i] = first ? first[i] + width[i] * to[i] : width[i] * to[i];
    return result;
}

Array draw_several_integers(SeveralParameters& ends, bool with_end, const char* name, const TakeNumbers& take) {
    double *const low = ends[0], *const most = ends[1];
    if (ends.are_floating[0] || ends.are_floating[1]) return {};
    for (int64_t i = 0; i < ends.size; ++i) {
        const double width = most[i] - low[i] - (with_end ? 0 : 1);
        if (!(std::fabs(low[i]) < 0x1p52 && std::fabs(most[i]) < 0x1p52 && width >= 0)) return {};
        most[i] = std::bit_cast<double>(int64_t(width));
    }
    RandomNumbers numbers{RandomDraw::integer_each};
    numbers.parameters.of[0] = most;
    Array result = drawn(numbers, ends.shape, ends.size, DType::int64, ends.device, name, take);
    if (!result.defined()) return result;
    int64_t* const to = reinterpret_cast<int64_t*>(direct_data(result));
    for (int64_t i = 0; i < ends.size; ++i) to[i] += int64_t(low[i]);
    return result;
}

Array draw_outcomes(int64_t n, std::span<const double> p, const Dims& shape, Device device, const char* name,
                    const TakeNumbers& take) {
    double total = 0;
    for (size_t k = 0; k + 1 < p.size(); ++k) total += p[k];
    if (!std::ranges::all_of(p, [](double x) { return x >= 0 && x <= 1; }) || !(total <= 1 + 1e-12)) return {};
    Dims extents = shape;
    extents.push_back(int64_t(p.size()));
    Array result = empty(extents, DType::int64, device);
    int64_t* const to = reinterpret_cast<int64_t*>(direct_data(result));
    if (!to) return {};
    DirectLoops& loops = *result.storage().front().direct();
    std::vector<double> left(size_t(result.size()) / p.size(), double(n));
    std::vector<int64_t> counts(left.size());
    double before = 0;
    for (size_t k = 0; k + 1 < p.size(); ++k) {
        RandomNumbers numbers{RandomDraw::binomial_each};
        numbers.parameters.of[0] = left.data();
        numbers.parameters.value[1] = before < 1 ? std::min(p[k] / (1 - before), 1.0) : 0;
        take(numbers, int64_t(left.size()));
        loops.draw(RandomFill{numbers.draw, numbers.parameters, {}, name}, counts.data());
        for (size_t r = 0; r < left.size(); ++r) to[r * p.size() + k] = counts[r], left[r] -= double(counts[r]);
        before += p[k];
    }
    for (size_t r = 0; r < left.size(); ++r) to[(r + 1) * p.size() - 1] = int64_t(left[r]);
    return result;
}

}  // namespace cuarray
