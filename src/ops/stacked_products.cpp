// stacked_products.cpp -- matmul, matvec, vecmat and vecdot with the options of NumPy's generalized ufuncs: their axes
// are moved to the end, multiplied by matmul.cpp, and moved back or written to an output.
#include <algorithm>
#include <string>
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/shaping.h"
#include "ops/sum_of_products.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

/// A product of arrays whose core axes are the last ones. matmul takes vectors for matrices, too: the result then lacks
/// their axis.
struct CoreProduct {
    const char* name;
    int cores[3];  ///< numbers of core axes: of both arguments and of the result
    Array (*multiply)(const Array& x1, const Array& x2, DType dtype);
    bool takes_vectors = false;
};

struct CoreProductOptions {
    const UfuncOutput& out;
    Casting casting;
    const std::optional<char>& order;
    DType dtype;
    const std::optional<LoopSignature>& signature;
    const std::optional<CoreAxes>& axes;
    bool keepdims = false;
};

/// The last axes, counted from the end.
Dims last_axes(int count) {
    Dims axes;
    for (int k = -count; k < 0; ++k) axes.push_back(k);
    return axes;
}

/// Axes of an array with so many, none of them twice and none negative.
Dims own_positions(const Dims& axes, int ndim, const char* name) {
    Dims positions;
    for (const int64_t axis : axes) {
        positions.push_back(normalise_axis(axis, ndim, name));
        if (std::ranges::count(positions, positions.back()) > 1)
            raise(ErrorKind::Value, name, ": repeated axis in ", to_string(axes));
    }
    return positions;
}

/// The shape without its last axes.
Dims stack_shape(const Array& array, int cores) {
    Dims stack = array.shape();
    stack.resize(stack.size() - cores);
    return stack;
}

/// The array with these axes at its end.
Array with_axes_last(const Array& array, const Dims& axes, const char* name) {
    const Dims last = last_axes(axes.size());
    return axes == last ? array : moveaxis(array, own_positions(axes, array.ndim(), name), last);
}

/// The type of the computation, to which both arguments may be cast.
DType dtype_of_product(const CoreProduct& product, const Array& x1, const Array& x2,
                       const CoreProductOptions& options) {
    DType dtype = options.dtype;
    if (options.signature) {
        if (dtype != DType::none)
            raise(ErrorKind::Type, product.name, ": only one of dtype= and signature= can be given");
        for (const DType type :
             {options.signature->types[0], options.signature->types[1], options.signature->types[2]}) {
            if (type != DType::none && dtype != DType::none && type != dtype)
                raise(ErrorKind::Type, product.name, ": no loop has a signature with ", info(dtype).name, " and ",
                      info(type).name, "; its types are the same in all places");
            if (type != DType::none) dtype = type;
        }
    }
    if (dtype == DType::none) dtype = x1.dtype() == x2.dtype() ? x1.dtype() : promote(x1.dtype(), x2.dtype());
    for (const Array* const array : {&x1, &x2}) {
        if (array->dtype() == dtype) continue;
        if (!can_cast(array->dtype(), dtype, options.casting))
            raise(ErrorKind::Type, product.name, ": cannot cast ", info(array->dtype()).name, " to ", info(dtype).name,
                  " with casting rule '", to_string(options.casting), "'");
        warn_of_lost_imaginary_part(array->dtype(), dtype);
    }
    return dtype;
}

/// The lists of `axes`, as many axes in each as the arguments and the result have core axes.
void read_core_axes(const CoreProduct& product, const CoreAxes& given, const int (&counts)[3], Dims (&axes)[3]) {
    const bool lacks_last = given.size() == 2 && product.cores[2] == 0;
    if (given.size() != 3 && !lacks_last)
        raise(ErrorKind::Value, product.name, ": axes= takes a list of three entries, not of ", given.size());
    for (size_t k = 0; k < 3; ++k) {
        axes[k] = k < given.size() ? given[k] : last_axes(counts[k]);
        if (axes[k].size() != counts[k])
            raise(ErrorKind::Axis, product.name, ": ", counts[k], " axes are needed in ", to_string(axes[k]));
    }
}

/// ValueError unless rows and columns are equally long and the stacks broadcast. The core axes of the factors, which
/// are the arguments with their axes moved, are the last ones.
void check_extents(const CoreProduct& product, const Array& x1, const Array& x2, const Array& left, const Array& right,
                   const int (&counts)[3]) {
    const int64_t length = left.shape().back(), other = right.shape()[right.ndim() - counts[1]];
    const auto fail = [&](const auto&... parts) { raise(ErrorKind::Value, product.name, ": ", parts...); };
    if (length != other)
        fail("shapes ", to_string(x1.shape()), " and ", to_string(x2.shape()), " do not go together: ", length, " and ",
             other, " elements to multiply");
    const int stack = left.ndim() - counts[0], beside = right.ndim() - counts[1];
    for (int d = 1; d <= std::min(stack, beside); ++d) {
        const int64_t n = left.shape()[stack - d], m = right.shape()[beside - d];
        if (n != m && n != 1 && m != 1)
            fail("the stacks of shapes ", to_string(x1.shape()), " and ", to_string(x2.shape()),
                 " cannot be broadcast together: ", to_string(stack_shape(left, counts[0])), " and ",
                 to_string(stack_shape(right, counts[1])));
    }
}

/// An output with its core axes at the end, to whose other axes the result broadcasts. The result loses axes of one
/// element in front that the output has not.
Array output_for(const CoreProduct& product, Array& result, const Array& out, Dims axes) {
    const auto fail = [&](ErrorKind kind) {
        raise(kind, product.name, ": out= has shape ", to_string(out.shape()), ", the result ",
              to_string(result.shape()));
    };
    const bool are_last = axes == last_axes(axes.size());
    const int missing = result.ndim() - out.ndim();
    const bool are_single = missing > 0 && std::ranges::all_of(result.shape().begin(), result.shape().begin() + missing,
                                                               [](int64_t extent) { return extent == 1; });
    if (are_single && axes.size() <= out.ndim() + product.takes_vectors) {
        Dims shape = result.shape();
        for (int k = 0; k < missing; ++k) shape.erase(0);
        result = result.reshape(shape);
        while (axes.size() > out.ndim()) axes.erase(0);
    }
    const int cores = axes.size(), around = out.ndim() - cores, stack = result.ndim() - cores;
    if (around < 0) fail(are_last ? ErrorKind::Value : ErrorKind::Axis);
    if (stack > around) fail(ErrorKind::Value);
    Array target = with_axes_last(out, axes, product.name);
    for (int d = 1; d <= result.ndim(); ++d) {
        const int64_t n = result.shape()[result.ndim() - d], m = target.shape()[target.ndim() - d];
        if (n != m && (d <= cores || n != 1)) fail(ErrorKind::Value);
    }
    return target;
}

/// Writes a result, whose core axes are the last ones, to an output, in which they are these.
void write_stack(const CoreProduct& product, Array result, const Array& out, const Dims& axes, Casting casting) {
    if (!out.is_writable()) raise(ErrorKind::Value, product.name, ": output array is read-only");
    const bool is_alike = out.shape() == result.shape() && axes == last_axes(axes.size());
    Array moved;
    const Array& target = is_alike ? out : moved = output_for(product, result, out, axes);
    if (result.dtype() != out.dtype() && !can_cast(result.dtype(), out.dtype(), casting))
        raise(ErrorKind::Type, product.name, ": cannot cast the output from ", info(result.dtype()).name, " to ",
              info(out.dtype()).name, " with casting rule '", to_string(casting), "'");
    warn_of_lost_imaginary_part(result.dtype(), out.dtype());
    assign(target, result, product.name);
}

/// The product of arrays whose core axes are the last ones, with an axis of one element behind it for `keepdims`.
Array multiply_last(const CoreProduct& product, const Array& left, const Array& right, DType dtype, bool keepdims) {
    Array result = product.multiply(left, right, dtype);
    if (!keepdims) return result;
    Dims shape = result.shape();
    shape.push_back(1);
    return result.reshape(shape);
}

/// The product of arrays of any axes, by options.
Array multiply_stacks(const CoreProduct& product, const Array& x1, const Array& x2, const CoreProductOptions& options) {
    const Array* const arrays[] = {&x1, &x2};
    int counts[3];
    for (int k = 0; k < 2; ++k) {
        const int ndim = arrays[k]->ndim(), least = product.takes_vectors ? 1 : product.cores[k];
        if (ndim < least)
            raise(ErrorKind::Value, product.name, ": argument ", k + 1, " is ", ndim, "-dimensional and needs ", least,
                  " axes at least");
        counts[k] = std::min(product.cores[k], ndim);
    }
    counts[2] = product.takes_vectors ? counts[0] + counts[1] - 2 : options.keepdims ? counts[0] : product.cores[2];
    const DType dtype = dtype_of_product(product, x1, x2, options);
    const char order = options.order.value_or('K');
    const bool is_ordered = order == 'K' || order == 'A';
    if (!options.axes && !options.out.array && !options.keepdims && is_ordered) {
        check_extents(product, x1, x2, x1, x2, counts);
        return product.multiply(x1, x2, dtype);
    }
    Array result;
    Dims result_axes = last_axes(counts[2]);
    if (options.axes) {
        Dims axes[3];
        read_core_axes(product, *options.axes, counts, axes);
        const Array left = with_axes_last(x1, axes[0], product.name), right = with_axes_last(x2, axes[1], product.name);
        check_extents(product, x1, x2, left, right, counts);
        result = multiply_last(product, left, right, dtype, options.keepdims);
        result_axes = axes[2];
    } else {
        check_extents(product, x1, x2, x1, x2, counts);
        result = multiply_last(product, x1, x2, dtype, options.keepdims);
    }
    if (options.out.array) {
        write_stack(product, std::move(result), *options.out.array, result_axes, options.casting);
        return *options.out.array;
    }
    if (options.axes && result_axes != last_axes(counts[2]))
        result = moveaxis(result, last_axes(counts[2]), own_positions(result_axes, result.ndim(), product.name));
    return is_ordered ? result : astype(result, result.dtype(), order, false);
}

/// An array's complex conjugate; the array itself if it is real.
class Conjugate {
 public:
    Conjugate(const Array& array) : array_(array) {
        if (info(array.dtype()).kind != Kind::Complex) return;
        conjugate_ = apply_row(row::conj, array);
    }
    const Array& get() const { return conjugate_ ? *conjugate_ : array_; }

 private:
    const Array& array_;
    std::optional<Array> conjugate_;
};

/// The product without an axis of one element.
Array without_axis(const Array& product, int from_end) {
    Dims shape = product.shape();
    shape.erase(shape.size() - from_end);
    return product.reshape(shape);
}

Array matrix_times_vector(const Array& x1, const Array& x2, DType dtype) {
    if (x2.ndim() == 1) return matmul(x1, x2, dtype);
    return without_axis(matmul(x1, expand_dims(x2, {-1}), dtype), 1);
}

Array vector_times_matrix(const Array& x1, const Array& x2, DType dtype) {
    const Conjugate vector(x1);
    if (x1.ndim() == 1) return matmul(vector.get(), x2, dtype);
    return without_axis(matmul(expand_dims(vector.get(), {-2}), x2, dtype), 2);
}

Array vector_times_vector(const Array& x1, const Array& x2, DType dtype) {
    constexpr int kMostAxes = 8;
    const bool are_alike = x1.dtype() == dtype && x2.dtype() == dtype && x1.shape() == x2.shape();
    if (are_alike && x1.ndim() == 1) return conjugated_dot(x1, x2);
    const Conjugate vector(x1);
    if (x2.ndim() == 1) return matmul(vector.get(), x2, dtype);
    if (x1.ndim() == 1 && info(dtype).kind != Kind::Complex) return matmul(x2, x1, dtype);
    if (are_alike && x1.ndim() <= kMostAxes && !x1.is_empty())
        return sum_of_products(vector.get(), x2, dtype, {x1.ndim() - 1}, false);
    const Array product = matmul(expand_dims(vector.get(), {-2}), expand_dims(x2, {-1}), dtype);
    return without_axis(without_axis(product, 1), 1);
}

constexpr CoreProduct kMatmulProduct{
    "matmul", {2, 2, 2}, [](const Array& x1, const Array& x2, DType dtype) { return matmul(x1, x2, dtype); }, true};
constexpr CoreProduct kMatvecProduct{"matvec", {2, 1, 1}, matrix_times_vector};
constexpr CoreProduct kVecmatProduct{"vecmat", {1, 2, 1}, vector_times_matrix};
constexpr CoreProduct kVecdotProduct{"vecdot", {1, 1, 0}, vector_times_vector};

}  // namespace

namespace functions {

Array matmul(const Array& x1, const Array& x2, const UfuncOutput& out, Casting casting,
             const std::optional<char>& order, DType dtype, const std::optional<LoopSignature>& signature,
             const std::optional<CoreAxes>& axes) {
    return multiply_stacks(kMatmulProduct, x1, x2, {out, casting, order, dtype, signature, axes});
}

Array matvec(const Array& x1, const Array& x2, const UfuncOutput& out, Casting casting,
             const std::optional<char>& order, DType dtype, const std::optional<LoopSignature>& signature,
             const std::optional<CoreAxes>& axes) {
    return multiply_stacks(kMatvecProduct, x1, x2, {out, casting, order, dtype, signature, axes});
}

Array vecmat(const Array& x1, const Array& x2, const UfuncOutput& out, Casting casting,
             const std::optional<char>& order, DType dtype, const std::optional<LoopSignature>& signature,
             const std::optional<CoreAxes>& axes) {
    return multiply_stacks(kVecmatProduct, x1, x2, {out, casting, order, dtype, signature, axes});
}

Array vecdot(const Array& x1, const Array& x2, const UfuncOutput& out, Casting casting,
             const std::optional<char>& order, DType dtype, const std::optional<LoopSignature>& signature,
             const std::optional<CoreAxes>& axes, const SingleAxis& axis, const StrictBool& keepdims) {
    CoreProductOptions options{out, casting, order, dtype, signature, axes, keepdims};
    if (!axis) return multiply_stacks(kVecdotProduct, x1, x2, options);
    if (axes) raise(ErrorKind::Type, "vecdot: axis= and axes= are two ways to say the same; give one");
    const std::optional<CoreAxes> all = CoreAxes{{*axis}, {*axis}, keepdims ? Dims{*axis} : Dims()};
    return multiply_stacks(kVecdotProduct, x1, x2, {out, casting, order, dtype, signature, all, keepdims});
}

}  // namespace functions
}  // namespace cuarray
