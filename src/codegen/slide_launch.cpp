// slide_launch.cpp -- plans sliding sums of products: one thread for each result.
#include "cuarray/codegen/slide_launch.h"

#include <cstring>
#include <string>

#include "codegen/sizes.h"

namespace cuarray {

NamedLaunch plan_slide(DType dtype, const kernel::Slide& slide) {
    static_assert(sizeof slide <= sizeof(Launch::parameters));
    const std::string type = info(dtype).text;
    NamedLaunch to;
    to.kernel.entry = "slide_" + type;
    to.kernel.parameters = "Slide";
    to.kernel.function = "slide<" + type + ">";
    to.kernel.has_complex = info(dtype).kind == Kind::Complex;
    to.kernel.threads = kThreads;
    const int64_t blocks = (slide.count + kThreads - 1) / kThreads;
    if (blocks > INT32_MAX)
        raise(ErrorKind::NotImplemented, "slide: ", blocks, " blocks; a grid has at most ", INT32_MAX);
    to.launch.grid = uint32_t(blocks);
    to.launch.block = uint32_t(kThreads);
    std::memcpy(to.launch.parameters, &slide, sizeof slide);
    return to;
}

}  // namespace cuarray
