// binary_loop.cpp -- the loop of a fold with a binary row, and the checks of out= and of exponents.
#include "ops/binary_loop.h"

#include "cuarray/array/elements.h"
#include "cuarray/ops/reduction.h"

namespace cuarray {
namespace {

bool folds(const Loop& loop) { return loop.in[0] == loop.in[1] && loop.in[0] == loop.out[0]; }

/// The row's loop (dtype, dtype) -> dtype, or kNone.
LoopId loop_in(const Row& row, DType dtype) {
    for (int k = 0; k < row.loops; ++k) {
        const LoopId id = LoopId(row.first_loop + k);
        if (folds(loops()[id]) && loops()[id].in[0] == dtype) return id;
    }
    return kNone;
}

}  // namespace

DType fold_dtype(DType dtype, const Array& out) {
    const DType common = promote(dtype, out.dtype());
    const bool are_integers = info(dtype).kind < Kind::Floating && info(out.dtype()).kind < Kind::Floating;
    if (!are_integers || info(common).kind < Kind::Floating) return common;
    return info(dtype).kind == Kind::Signed ? DType::int64 : DType::uint64;
}

LoopId running_loop(RowId id, DType dtype, DType asked, const Array* out, const char* method) {
    const Row& row = rows()[id];
    LoopId loop = kNone;
    if (asked != DType::none) {
        loop = loop_in(row, asked);
    } else {
        if (out)
            dtype = fold_dtype(dtype, *out);
        else if (row.reduction != kNone)
            dtype = reduction_dtype(row.reduction, dtype);
        const ArgType types[] = {{dtype, {}}, {dtype, {}}};
        loop = resolve(id, types);
        // Logical rows fold bools. Comparisons give bools, too, but are not associative: they have no fold.
        if (loop != kNone && row.has(Associative) && loops()[loop].out[0] == DType::bool_)
            loop = loop_in(row, DType::bool_);
    }
    if (loop == kNone || !folds(loops()[loop]))
        raise(ErrorKind::Type, row.name, ".", method, ": no loop takes and gives ",
              info(asked != DType::none ? asked : dtype).name);
    return loop;
}

void check_out(const Array& array, const Array& out, const Dims& shape, const std::string& name) {
    if (!(out.device() == array.device()))
        raise(ErrorKind::Value, name, ": out= is on ", to_string(out.device()), ", the array on ",
              to_string(array.device()), "; move one with .to_device(...)");
    if (!(out.shape() == shape))
        raise(ErrorKind::Value, name, ": out= has shape ", to_string(out.shape()), ", the result ", to_string(shape));
    if (!out.is_writable()) raise(ErrorKind::Value, name, ": output array is read-only");
}

void check_binary(RowId id, const char* method) {
    const Row& row = rows()[id];
    if (row.nin != 2) raise(ErrorKind::Value, row.name, ".", method, ": only supported for binary functions");
    if (row.nout != 1)
        raise(ErrorKind::Value, row.name, ".", method, ": only supported for functions returning a single value");
}

void check_exponents(RowId id, const Array& array, int axis, bool has_base, DType T, const char* name) {
    if (!rows()[id].has(NegativeFault) || info(T).kind != Kind::Signed || array.is_empty()) return;
    Array exponents = array;
    if (has_base) {
        Dims shape = array.shape();
        --shape[axis];
        exponents = array.view({shape, array.strides()}, shape[axis] > 0 ? array.strides()[axis] : 0);
        if (exponents.is_empty()) return;
    }
    const Scalar zero = convert(Scalar::of(DType::int64, int64_t(0)), T);
    const Array powers = astype(exponents, T, 'K', false);
    const Array negative = reduce(reduction::any, apply_row(row::less, powers, zero), {});
    if (item(negative, name).bytes[0] != 0) raise(ErrorKind::Value, name, ": ", kNegativePower);
}

}  // namespace cuarray
