// manipulation.cpp -- concatenate and the triangles.
#include "cuarray/ops/manipulation.h"

#include <algorithm>
#include <vector>

#include "cuarray/array/pending.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {

Array concatenate(std::span<const Array> arrays, int64_t axis, Array* out, DType dtype, Casting casting) {
    if (arrays.empty()) raise(ErrorKind::Value, "concatenate: need at least one array");
    const int ndim = arrays[0].ndim();
    if (ndim == 0) raise(ErrorKind::Value, "concatenate: zero-dimensional arrays cannot be concatenated");
    const int along = normalise_axis(axis, ndim, "concatenate");
    Dims shape = arrays[0].shape();
    std::vector<ArgType> types;
    std::vector<const Dims*> strides;
    for (const Array& a : arrays) {
        if (!(a.device() == arrays[0].device()))
            raise(ErrorKind::Value, "concatenate: arrays are on ", to_string(arrays[0].device()), " and ",
                  to_string(a.device()), "; move one with .to_device(...)");
        if (a.ndim() != ndim)
            raise(ErrorKind::Value, "concatenate: all arrays must have the same number of dimensions, got ", ndim,
                  " and ", a.ndim());
        for (int i = 0; i < ndim; ++i)
            if (i != along && a.shape()[i] != shape[i])
                raise(ErrorKind::Value, "concatenate: shapes ", to_string(arrays[0].shape()), " and ",
                      to_string(a.shape()), " differ along axis ", i);
        types.push_back({a.dtype(), {}});
        strides.push_back(&a.strides());
    }
    shape[along] = 0;
    for (const Array& a : arrays)
        if (__builtin_add_overflow(shape[along], a.shape()[along], &shape[along]))
            raise(ErrorKind::Value, "concatenate: the extents along axis ", along, " add up to more than int64 counts");
    if (out && !(out->shape() == shape))
        raise(ErrorKind::Value, "concatenate: out= has shape ", to_string(out->shape()), ", the result ",
              to_string(shape));
    const DType common = out ? out->dtype() : dtype != DType::none ? dtype : result_type(types);
    for (const Array& a : arrays)
        if (!can_cast(a.dtype(), common, casting))
            raise(ErrorKind::Type, "concatenate: cannot cast from ", info(a.dtype()).name, " to ",
                  out ? "out= of " : "", info(common).name, " with casting rule '", to_string(casting), "'");
    if (out && !out->is_writable()) raise(ErrorKind::Value, "concatenate: output array is read-only");
    Array result = out ? *out : empty_in_order(shape, memory_order(shape, strides), common, arrays[0].device());
    std::vector<Array> sources(arrays.begin(), arrays.end());
    if (out)
        for (Array& a : sources)
            if (overlaps(a, result)) a = copy(a, 'K');
    int64_t at = 0;
    for (const Array& a : sources) {
        assign(result.view({a.shape(), result.strides()}, at * result.strides()[along]), a, "concatenate");
        at += a.shape()[along];
    }
    return result;
}

Array triangle(const Array& array, int64_t k, bool upper) {
    const char* name = upper ? "triu" : "tril";
    if (array.ndim() < 2)
        raise(ErrorKind::Value, name, ": the array must have at least 2 dimensions, this one has ", array.ndim());
    const int64_t height = array.shape()[array.ndim() - 2], width = array.shape()[array.ndim() - 1];
    auto counted = [](int64_t value) { return Scalar::of(DType::int64, value); };
    const Device device = array.device();
    // Element (i, j) is in the lower triangle when i + k >= j; all diagonals beyond a corner are equivalent.
    k = std::clamp(k, -height - 1, width + 1);
    const Array row = arange(height, counted(k), counted(k + 1), device).reshape({height, 1});
    const Array column = arange(width, counted(0), counted(1), device);
    const Deferral fused;
    const Argument sides[] = {row, column};
    const Scalar bound = counted(1);
    const Argument shifted[] = {row, bound};
    const Array below = upper ? call(row::subtract, shifted).array[0] : row;
    const Argument compared[] = {below, column};
    const Array kept =
        call(upper ? row::less : row::greater_equal, upper ? std::span<const Argument>(compared) : sides).array[0];
    const Scalar zero = convert(counted(0), array.dtype());
    const Argument chosen[] = {kept, array, zero};
    Array result = call(row::where, chosen).array[0];
    result.settle();
    return result;
}

}  // namespace cuarray
