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
    const int64_t blocks = (p.count + kThreads - 1) / kThreads;
    if (blocks > INT32_MAX)
        raise(ErrorKind::NotImplemented, "correlate: ", blocks, " blocks; a grid has at most ", INT32_MAX);
    to.launch.grid = uint32_t(blocks);
    to.launch.block = uint32_t(kThreads);
    std::memcpy(to.launch.parameters, &p, sizeof p);
    return to;
}

}  // namespace cuarray
