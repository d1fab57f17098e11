// einsum_path.cpp -- turns a path of einsum into pairs of terms.
#include "ops/einsum_path.h"
#include <algorithm>

namespace cuarray {
namespace {

/// The positions of a step among so many terms, in ascending order.
Dims positions_of_step(Dims places, int count) {
    std::ranges::sort(places);
    const bool has_outside = !places.empty() && (places[0] < 0 || places.back() >= count);
    const bool has_repeated = std::ranges::adjacent_find(places) != places.end();
    if (has_outside || has_repeated || places.empty())
        raise(has_outside ? ErrorKind::Index : ErrorKind::Value, "einsum: the path takes terms ", to_string(places),
              " of ", count);
    return places;
}

int place_of(const Dims& terms, int64_t term) { return int(std::ranges::find(terms, term) - terms.begin()); }

}  // namespace

std::vector<std::pair<int64_t, int64_t>> pairs_of_path(const std::vector<Dims>& steps, int count) {
    Dims terms, unmoved;
    for (int k = 0; k < count; ++k) terms.push_back(k), unmoved.push_back(k);
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const Dims& step : steps) {
        const Dims places = positions_of_step(step, terms.size());
        int64_t product = terms[int(places[0])];
        for (int k = 1; k < places.size(); ++k) {
            const int one = place_of(unmoved, product), other = place_of(unmoved, terms[int(places[k])]);
            pairs.emplace_back(std::min(one, other), std::max(one, other));
            unmoved.erase(std::max(one, other));
            unmoved.erase(std::min(one, other));
            product = count + int64_t(pairs.size());
            unmoved.push_back(product);
        }
        for (int k = places.size() - 1; k >= 0; --k) terms.erase(int(places[k]));
        terms.push_back(product);
    }
    if (terms.size() > 1) raise(ErrorKind::Runtime, "einsum: the path leaves ", terms.size(), " terms instead of one");
    return pairs;
}

}  // namespace cuarray
