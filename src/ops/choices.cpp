// choices.cpp -- choose and select: chains of the row where.
#include "cuarray/ops/choices.h"
#include <cstring>
#include <string>
#include <vector>
#include "cuarray/array/pending.h"
#include "cuarray/core/table.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/shaping.h"
#include "ops/as_array.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

Weak weak_count(int64_t number) { return PlainNumber(number).value; }

Array chosen_where(const Array& condition, const Array& one, const Array& other) {
    return apply_row(row::where, condition, one, other);
}

/// Numbers of choices as integers of 64 bits.
Array numbers_of_choices(const Array& given) {
    const DType dtype = given.dtype();
    const Kind kind = info(dtype).kind;
    if (kind != Kind::Bool && kind != Kind::Signed && kind != Kind::Unsigned)
        raise(ErrorKind::Type, "choose: indices must be integers, not ", info(dtype).name);
    return astype(given, dtype == DType::uint64 ? dtype : DType::int64, 'K', false);
}

int64_t end_of_numbers(ReductionId id, const Array& numbers) {
    Scalar end;
    if (!reduce_few(id, numbers, end)) end = item(reduce(id, numbers, {}), "choose");
    int64_t bits;
    std::memcpy(&bits, end.bytes, sizeof bits);
    return bits;
}

void check_range(const Array& numbers, int64_t count) {
    const int64_t least = end_of_numbers(reduction::min, numbers), most = end_of_numbers(reduction::max, numbers);
    const bool is_signed = numbers.dtype() == DType::int64;
    if (!(is_signed && least < 0) && uint64_t(most) < uint64_t(count)) return;
    const auto text = [&](int64_t bits) { return is_signed ? std::to_string(bits) : std::to_string(uint64_t(bits)); };
    raise(ErrorKind::Value, "choose: invalid entry in choice array: numbers are from ", text(least), " to ", text(most),
          ", there are ", count, " choices");
}

}  // namespace

Array functions::choose(const Array& a, const ArgumentList& choices, Array* out, Outside mode) {
    const int64_t count = int64_t(choices.size());
    Array numbers = numbers_of_choices(a);
    if (count == 0) raise(ErrorKind::Value, "choose: there are no choices");
    std::vector<Array> arrays;
    std::vector<ArgType> types;
    std::vector<const Dims*> shapes{&numbers.shape()};
    for (const Argument& one : choices) {
        arrays.push_back(as_array(one, numbers.device(), "choose"));
        types.push_back(one.type());
    }
    for (const Array& one : arrays) shapes.push_back(&one.shape());
    const Dims shape = broadcast(shapes, "choose");
    if (mode == Outside::Raise && !numbers.is_empty() && cuarray::count(shape) > 0) check_range(numbers, count);
    if (mode == Outside::Wrap) numbers = apply_row(row::remainder, numbers, weak_count(count));
    const DType dtype = result_type(types);
    const auto choice = [&](int64_t k) { return astype(arrays[size_t(k)], dtype, 'K', false); };
    Array result;
    {
        // With 'clip' the last choice serves all larger numbers, and the first one negative numbers.
        const Deferral fused;
        result = choice(count - 1);
        for (int64_t k = count - 2; k >= 0; --k)
            result = chosen_where(apply_row(row::less_equal, numbers, weak_count(k)), choice(k), result);
        result.settle();
    }
    if (!(result.shape() == shape) || count == 1) result = copy(broadcast_to(result, shape), 'C');
    if (!out) return result;
    if (!(out->shape() == shape))
        raise(ErrorKind::Type, "choose: out= has shape ", to_string(out->shape()), ", the result ", to_string(shape));
    if (!out->is_writable()) raise(ErrorKind::Value, "choose: output array is read-only");
    warn_of_lost_imaginary_part(dtype, out->dtype());
    assign(*out, result, "choose");
    return *out;
}

Array select(const ArrayList& condlist, const ArgumentList& choicelist, const Argument& otherwise) {
    const size_t count = condlist.size();
    if (count != choicelist.size())
        raise(ErrorKind::Value, "select: ", count, " conditions do not go with ", choicelist.size(), " choices");
    if (count == 0) raise(ErrorKind::Value, "select: there are no conditions");
    std::vector<ArgType> types;
    for (size_t k = 0; k < count; ++k) {
        if (const DType dtype = condlist[k]->dtype(); dtype != DType::bool_)
            raise(ErrorKind::Type, "select: condition ", k, " is of type ", info(dtype).name, ", not bool");
        types.push_back(choicelist[k].type());
    }
    types.push_back(otherwise.type());
    const DType dtype = result_type(types);
    const auto choice = [&](const Argument& one) {
        if (one.weak) return full({}, convert(*one.weak, dtype, "select"), condlist[0]->device());
        return astype(as_array(one, condlist[0]->device(), "select"), dtype, 'K', false);
    };
    const Deferral fused;
    Array result = choice(otherwise);
    for (size_t k = count; k-- > 0;) result = chosen_where(*condlist[k], choice(choicelist[k]), result);
    result.settle();
    return result;
}

}  // namespace cuarray
