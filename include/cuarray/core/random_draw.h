// random_draw.h -- what is drawn: the rows of random_draws.def and of sequence_draws.def.
#pragma once
#include <cstdint>

namespace cuarray {

enum class RandomDraw : uint8_t {
#define DRAW(name, ...) name,
#include "cuarray/random_draws.def"
#undef DRAW
};

/// A draw whose numbers are those of NumPy's Generator.
enum class SequenceDraw : uint8_t {
#define DRAW(name, ...) name,
#include "cuarray/sequence_draws.def"
#undef DRAW
};

}  // namespace cuarray
