// indices.cpp -- assignments of numbers and arrays to what indices select.
#include "cuarray/api/indices.h"
#include "cuarray/array/array.h"
#include "ops/call.h"

namespace cuarray {
namespace {

constexpr char kAssignment[] = "assignment";

}  // namespace

void store(const Array& to, const Argument& values) {
    if (values.array)
        transfer(to, *values.array, kAssignment, values.is_dying);
    else
        fill(to, stored_element(values, to.dtype(), kAssignment), kAssignment);
}

void SelectedElements::operator=(const Argument& values) && {
    if (!values.array) return assign_at(array_, indices_, stored_element(values, array_.dtype(), kAssignment));
    assign_at(array_, indices_, to_device(*values.array, array_.device()));
}

}  // namespace cuarray
