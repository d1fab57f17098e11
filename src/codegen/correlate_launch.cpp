// correlate_launch.cpp -- plans a cross-correlation: one thread per result.
#include "codegen/correlate_launch.h"

#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {

NamedLaunch plan_correlate(DType dtype, const kernel::CorrelateParameters& p) {
    static_assert(sizeof p <= sizeof(Launch::parameters));
    const std::string type = info(dtype).text;
    NamedLaunch to;
    to.kernel.entry = "correlate_" + type;
    to.kernel.parameters = "CorrelateParameters";
    to.kernel.function = "correlate<" + type + ">";
    to.kernel.has_complex = info(dtype).kind == Kind::Complex;
    to.kernel.threads = kThreads;
    to.launch.set_grid("correlate", (p.count + kThreads - 1) / kThreads, kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

}  // namespace cuarray
