// sequence_launch.cpp -- plans draws from a PCG64: threads take pairs of words, or thread blocks tiles.
#include "codegen/sequence_launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {
namespace {

/// Blocks of a grid that strides, by step: powers of two, at least two waves on the largest GPUs.
constexpr int64_t kMostSequenceBlocks[] = {2048, 512, 512};

constexpr const char* kFunctions[] = {"sequence_fill", "sequence_map", "sequence_write"};

}  // namespace

NamedLaunch plan_sequence_fill(SequenceDraw draw, int step, const kernel::SequenceParameters& p) {
    struct SequenceKernel {
        const char *name, *type;
    };
    static constexpr SequenceKernel kDraws[] = {
#define DRAW(name, ...) {#name, #__VA_ARGS__},
#include "cuarray/sequence_draws.def"
#undef DRAW
    };
    static_assert(sizeof p <= sizeof(Launch::parameters));
    NamedLaunch to;
    to.kernel.entry = std::string(kFunctions[step]) + "_" + kDraws[int(draw)].name;
    to.kernel.parameters = "SequenceParameters";
    to.kernel.function = std::string(kFunctions[step]) + "<" + kDraws[int(draw)].type + ">";
    to.kernel.threads = kThreads;
    to.kernel.is_optimised = true;
    const int64_t words = 2 * kThreads, blocks = step == 0 ? (int64_t(p.words) + words - 1) / words : int64_t(p.tiles);
    to.launch.set_grid(to.kernel.entry, std::min(blocks, kMostSequenceBlocks[step]), kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

}  // namespace cuarray
