// random_draw.h -- what kernel/random.h draws: the rows of random_draws.def.
#pragma once
#include <cstdint>

namespace cuarray {

enum class RandomDraw : uint8_t {
#define DRAW(name, ...) name,
#include "cuarray/random_draws.def"
#undef DRAW
};

}  // namespace cuarray
