// indices.cpp -- assignments of numbers and arrays to what indices select.
#include "cuarray/api/indices.h"
#include "cuarray/array/array.h"
#include "ops/call.h"

namespace cuarray {
namespace {

constexpr char kAssignment[] = "assignment";

/// A number as an element: integers have to hold its integral part, other dtypes round it.
Scalar stored_element(const Argument& value, DType dtype) {
    if (value.scalar) return convert_exactly(*value.scalar, dtype, kAssignment);
    const Weak& number = *value.weak;
    if (info(dtype).kind == Kind::Bool) return Scalar::of(DType::bool_, is_true(number));
    if (number.kind == Weak::Kind::Complex && info(dtype).kind != Kind::Complex)
        raise(ErrorKind::Type, kAssignment, ": a complex number cannot be stored in ", info(dtype).name);
    return convert(number, dtype, kAssignment);
}

}  // namespace

void store(const Array& to, const Argument& values) {
    if (values.array)
        transfer(to, *values.array, kAssignment, values.is_dying);
    else
        fill(to, stored_element(values, to.dtype()), kAssignment);
}

void SelectedElements::operator=(const Argument& values) && {
    if (!values.array) return assign_at(array_, indices_, stored_element(values, array_.dtype()));
    assign_at(array_, indices_, to_device(*values.array, array_.device()));
}

}  // namespace cuarray
