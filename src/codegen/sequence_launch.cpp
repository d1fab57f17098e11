// sequence_launch.cpp -- plans draws from a PCG64: threads take pairs of words, or thread blocks tiles.
#include "codegen/sequence_launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {
namespace {

/// Blocks of a grid that strides: a power of two, at least two waves on the largest GPUs.
constexpr int64_t kMostFillBlocks = 2048;
/// Blocks that take tiles: at least a wave.
constexpr int64_t kMostTileBlocks = 1024;

}  // namespace

NamedLaunch plan_sequence_fill(SequenceDraw draw, const kernel::SequenceParameters& p) {
    struct SequenceKernel {
        const char *name, *type;
    };
    static constexpr SequenceKernel kDraws[] = {
#define DRAW(name, ...) {#name, #__VA_ARGS__},
#include "cuarray/sequence_draws.def"
#undef DRAW
    };
    static_assert(sizeof p <= sizeof(Launch::parameters));
    const SequenceKernel& row = kDraws[int(draw)];
    const std::string function = p.tiles ? "sequence_tiles" : "sequence_fill";
    NamedLaunch to;
    to.kernel.entry = function + "_" + row.name;
    to.kernel.parameters = "SequenceParameters";
    to.kernel.function = function + "<" + row.type + ">";
    to.kernel.threads = kThreads;
    to.kernel.is_optimised = true;
    const int64_t words = 2 * kThreads;
    const int64_t blocks = p.tiles ? std::min(int64_t(p.tiles), kMostTileBlocks)
                                   : std::min((int64_t(p.words) + words - 1) / words, kMostFillBlocks);
    to.launch.set_grid(to.kernel.entry, blocks, kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

}  // namespace cuarray
