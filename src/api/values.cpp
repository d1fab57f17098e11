// values.cpp -- numbers of arrays, and arrays of numbers.
#include "cuarray/api/values.h"
#include <variant>
#include "cuarray/ops/arguments.h"

namespace cuarray {

bool truth(const Array& array) {
    if (array.size() != 1)
        raise(ErrorKind::Value, "the truth value of an array of ", array.size(),
              " elements is ambiguous; write all(x), any(x) or x.defined()");
    return array.item<bool>();
}

Array IndexArray::from_positions(const Dims& positions, const Dims& shape) {
    return cuarray::array(positions.data(), shape);
}

Array IndexArray::from_mask(const bool* mask, size_t count) { return cuarray::array(mask, Dims(count)); }

ArrayOrNumber::operator Array() const {
    if (const Array* const array = std::get_if<Array>(this)) return *array;
    return full({}, as_argument(*this));
}

}  // namespace cuarray
