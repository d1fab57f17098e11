// matmul_launch.cpp -- plans matrix products: one thread block per tile of each result, or for several small results.
#include "codegen/matmul_launch.h"

#include "codegen/parameters.h"
#include "codegen/sizes.h"
#include "cuarray/kernel/matmul.h"

namespace cuarray {
namespace {

/// The operands and the axes of the stack.
template <class Parameters>
void fill_operands(Parameters& p, const Space& space, const DeviceOperand* const (&operands)[3]) {
    p.axes = uint32_t(space.ndim);
    for (int d = 0; d < space.ndim; ++d) p.extents[d] = space.shape[d];
    kernel::MatrixOperand* const matrices[] = {&p.left, &p.right, &p.result};
    for (int k = 0; k < 3; ++k) {
        const Dims& all = *operands[k]->strides;
        kernel::MatrixOperand& matrix = *matrices[k];
        matrix.data = reinterpret_cast<char*>(operands[k]->address + uint64_t(space.offset[k]));
        matrix.row = all[all.size() - 2];
        matrix.column = all[all.size() - 1];
        for (int d = 0; d < space.ndim; ++d) matrix.batch[d] = space.strides[k][d];
    }
}

/// The zeroed parameters of a launch.
template <class Parameters>
Parameters& parameters_of(Launch& launch) {
    static_assert(sizeof(Parameters) <= sizeof(Launch::parameters));
    auto& p = *reinterpret_cast<Parameters*>(launch.parameters);
    p = {};
    return p;
}

}  // namespace

NamedLaunch plan_matmul(const MatmulOperands& places) {
    const DeviceOperand* const operands[] = {&places.left, &places.right, &places.result};
    Dims batches[3];
    for (int k = 0; k < 3; ++k)
        for (int d = 0; d < places.batch.size(); ++d) batches[k].push_back((*operands[k]->strides)[d]);
    const Dims* const strides[] = {&batches[0], &batches[1], &batches[2]};
    Space space;
    collapse(space, places.batch, strides);
    if (space.ndim > kernel::kMaxAxes)
        raise(ErrorKind::NotImplemented, "matmul: ", space.ndim, " axes of matrices; a kernel takes at most ",
              kernel::kMaxAxes);

    const std::string type = info(places.dtype).text;
    const bool is_small = places.rows <= kThreads && places.columns <= kThreads &&
                          places.rows * places.columns <= kThreads && places.rows * places.columns > 0;
    // Elements of a thread, where there are rows for them.
    constexpr int64_t kOwnRows = 4;
    const int64_t own = !is_small || places.rows < kOwnRows ? 1 : kOwnRows;
    const std::string kernel = is_small ? "small_matmul" : "matmul";
    NamedLaunch to;
    to.kernel.entry = kernel + (own > 1 ? "_rows_" : "_") + type;
    to.kernel.parameters = is_small ? "SmallMatmulParameters" : "MatmulParameters";
    to.kernel.function = kernel + "<" + type + (is_small ? ", " + std::to_string(own) : "") + ">";
    to.kernel.has_complex = info(places.dtype).kind == Kind::Complex;
    to.kernel.threads = kThreads;
    to.kernel.is_optimised = true;  // else the addresses of each step are computed anew
    if (is_small) {
        auto& p = parameters_of<kernel::SmallMatmulParameters>(to.launch);
        p.stack = uint64_t(space.size), p.depth = uint64_t(places.depth);
        p.rows = uint32_t(places.rows), p.apart = uint32_t((places.rows + own - 1) / own);
        set_extent(p.columns, places.columns);
        set_extent(p.threads, places.columns * p.apart);
        p.matrices = uint32_t(kThreads) / p.threads.size;
        fill_operands(p, space, operands);
        to.launch.set_grid("matmul", (space.size + p.matrices - 1) / p.matrices, kThreads);
        return to;
    }
    auto& p = parameters_of<kernel::MatmulParameters>(to.launch);
    p.rows = uint64_t(places.rows), p.depth = uint64_t(places.depth), p.columns = uint64_t(places.columns);
    p.tiles_down = uint64_t((places.rows + kernel::kMatrixTile - 1) / kernel::kMatrixTile);
    p.tiles_across = uint64_t((places.columns + kernel::kMatrixTile - 1) / kernel::kMatrixTile);
    fill_operands(p, space, operands);
    to.launch.set_grid("matmul", space.size * int64_t(p.tiles_down) * int64_t(p.tiles_across), kThreads);
    return to;
}

}  // namespace cuarray
