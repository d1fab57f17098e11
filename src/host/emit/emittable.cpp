// emittable.cpp -- the rows and casts that have instructions.
#include "host/emit/instruction_sets.h"

namespace cuarray::host::emit {

bool can_emit(const Loop& loop) {
    const DType T = loop.T;
    if (loop.U != T || !is_known(T)) return false;
    if (!with_set([&](auto set) { return SetOf<decltype(set)>::has(loop.row, T); })) return false;
    switch (loop.row) {
        case row::add:
        case row::multiply:
        case row::where:
        case row::equal:
        case row::not_equal:
        case row::maximum:
        case row::minimum: return true;
        case row::subtract:
        case row::square:
        case row::negative:
        case row::less:
        case row::less_equal:
        case row::greater:
        case row::greater_equal:
        case row::abs: return !is_bool(T);
        case row::divide:
        case row::fabs:
        case row::sign:
        case row::reciprocal:
        case row::sqrt:
        case row::rsqrt:
        case row::rint:
        case row::round:
        case row::floor:
        case row::ceil:
        case row::trunc:
        case row::signbit:
        case row::copysign:
        case row::degrees:
        case row::radians:
        case row::fmax:
        case row::fmin:
        case row::clip:
        case row::isnan:
        case row::isinf:
        case row::isfinite: return is_float(T);
        case row::logical_and:
        case row::logical_or:
        case row::logical_xor:
        case row::logical_not: return is_bool(T) || is_float(T);
        case row::bitwise_and:
        case row::bitwise_or:
        case row::bitwise_xor:
        case row::bitwise_invert: return !is_float(T);
        case row::bitwise_left_shift:
        case row::bitwise_right_shift: return is_integer(T);
        default: return false;
    }
}

int constant_bytes() {
    return with_set([](auto set) { return SetOf<decltype(set)>::kConstantBytes; });
}

bool can_emit_cast(DType from, DType to) {
    if (!is_known(from) || !is_known(to) || from == to) return false;
    return with_set([&](auto set) { return SetOf<decltype(set)>::has_cast(from, to); });
}

}  // namespace cuarray::host::emit
