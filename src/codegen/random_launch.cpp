// random_launch.cpp -- plans a random draw: one thread per block of the sequence.
#include "codegen/random_launch.h"

#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {

NamedLaunch plan_random_fill(RandomDraw draw, const kernel::RandomParameters& p, int64_t blocks) {
    struct RandomKernel {
        const char *name, *type;
    };
    static constexpr RandomKernel kDraws[] = {
#define DRAW(name, ...) {#name, #__VA_ARGS__},
#include "cuarray/random_draws.def"
#undef DRAW
    };
    static_assert(sizeof p <= sizeof(Launch::parameters));
    NamedLaunch to;
    to.kernel.entry = std::string("random_fill_") + kDraws[int(draw)].name;
    to.kernel.parameters = "RandomParameters";
    to.kernel.function = std::string("random_fill<") + kDraws[int(draw)].type + ">";
    to.kernel.threads = kThreads;
    const int64_t grid = (blocks + kThreads - 1) / kThreads;
    to.launch.set_grid(to.kernel.entry, grid, kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

}  // namespace cuarray
