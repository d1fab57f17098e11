// elementwise.h -- every row of ufuncs.def as a function, and the operators of arrays.
#pragma once
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>
#include "cuarray/api/indices.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/ufunc.h"

namespace cuarray {
namespace api {

/// The new arrays of a call: one, or two.
template <int count>
auto results(UfuncResult&& all) {
    if constexpr (count == 1)
        return std::move(all.array[0]);
    else
        return std::pair<Array, Array>(std::move(all.array[0]), std::move(all.array[1]));
}

template <class T>
concept AnyArray = ArrayIndex<std::remove_cvref_t<T>> || std::same_as<std::remove_cvref_t<T>, ArrayOrNumber>;
template <class T>
concept OperandType = AnyArray<T> || NumberType<std::remove_cvref_t<T>> || std::same_as<std::remove_cvref_t<T>, Scalar>;
/// Operands of which one at least is an array. They are not asked whether they are numbers where none is.
template <class... Ts>
concept OperandTypes = (AnyArray<Ts> || ...) && (OperandType<Ts> && ...);

/// Lets go of an array without a name, which otherwise lives to the end of the statement: what computes it need not
/// store it then. T is that of a forwarding reference.
template <class T>
void give_up([[maybe_unused]] T& operand) {
    if constexpr (std::same_as<T, Array>) operand = Array();
}

}  // namespace api

// f(x), f(x, y) or f(x, y, z) of arrays and numbers, as NumPy's ufuncs: broadcast, in the dtype of the first loop to
// which all arguments cast safely. Rows with two results give a pair. `options` are NumPy's keywords.
#define CUARRAY_COUNT(...) CUARRAY_COUNT_(__VA_ARGS__, 3, 2, 1, 0)
#define CUARRAY_COUNT_(a, b, c, count, ...) count
#define CUARRAY_PARAMETERS_1 const Argument& x
#define CUARRAY_PARAMETERS_2 const Argument &x, const Argument &y
#define CUARRAY_PARAMETERS_3 const Argument &x, const Argument &y, const Argument &z
#define CUARRAY_CLASSES_1 class X
#define CUARRAY_CLASSES_2 class X, class Y
#define CUARRAY_CLASSES_3 class X, class Y, class Z
#define CUARRAY_OPERANDS_1 X
#define CUARRAY_OPERANDS_2 X, Y
#define CUARRAY_OPERANDS_3 X, Y, Z
#define CUARRAY_FORWARDED_1 X&& x
#define CUARRAY_FORWARDED_2 X &&x, Y &&y
#define CUARRAY_FORWARDED_3 X &&x, Y &&y, Z &&z
#define CUARRAY_PASSED_1 operand(std::forward<X>(x))
#define CUARRAY_PASSED_2 CUARRAY_PASSED_1, operand(std::forward<Y>(y))
#define CUARRAY_PASSED_3 CUARRAY_PASSED_2, operand(std::forward<Z>(z))
#define CUARRAY_GIVEN_UP_1 give_up<X>(x)
#define CUARRAY_GIVEN_UP_2 CUARRAY_GIVEN_UP_1, api::give_up<Y>(y)
#define CUARRAY_GIVEN_UP_3 CUARRAY_GIVEN_UP_2, api::give_up<Z>(z)
#define CUARRAY_VALUES_1 x
#define CUARRAY_VALUES_2 x, y
#define CUARRAY_VALUES_3 x, y, z
#define CUARRAY_JOIN(a, b) CUARRAY_JOIN_(a, b)
#define CUARRAY_JOIN_(a, b) a##b
#define UFUNC(name, in, out, ...)                                                                             \
    inline auto name(CUARRAY_JOIN(CUARRAY_PARAMETERS_, CUARRAY_COUNT in), const UfuncOptions& options = {}) { \
        const Argument args[] = {CUARRAY_JOIN(CUARRAY_VALUES_, CUARRAY_COUNT in)};                            \
        return api::results<CUARRAY_COUNT out>(call(row::name, args, options));                               \
    }                                                                                                         \
    template <CUARRAY_JOIN(CUARRAY_CLASSES_, CUARRAY_COUNT in)>                                               \
        requires api::OperandTypes<CUARRAY_JOIN(CUARRAY_OPERANDS_, CUARRAY_COUNT in)>                         \
    auto name(CUARRAY_JOIN(CUARRAY_FORWARDED_, CUARRAY_COUNT in), const UfuncOptions& options = {}) {         \
        const Argument args[] = {CUARRAY_JOIN(CUARRAY_PASSED_, CUARRAY_COUNT in)};                            \
        auto made = api::results<CUARRAY_COUNT out>(call(row::name, args, options));                          \
        api::CUARRAY_JOIN(CUARRAY_GIVEN_UP_, CUARRAY_COUNT in);                                               \
        return made;                                                                                          \
    }
#include "cuarray/ufuncs.def"
#undef CUARRAY_COUNT
#undef CUARRAY_COUNT_
#undef CUARRAY_PARAMETERS_1
#undef CUARRAY_PARAMETERS_2
#undef CUARRAY_PARAMETERS_3
#undef CUARRAY_CLASSES_1
#undef CUARRAY_CLASSES_2
#undef CUARRAY_CLASSES_3
#undef CUARRAY_OPERANDS_1
#undef CUARRAY_OPERANDS_2
#undef CUARRAY_OPERANDS_3
#undef CUARRAY_FORWARDED_1
#undef CUARRAY_FORWARDED_2
#undef CUARRAY_FORWARDED_3
#undef CUARRAY_PASSED_1
#undef CUARRAY_PASSED_2
#undef CUARRAY_PASSED_3
#undef CUARRAY_GIVEN_UP_1
#undef CUARRAY_GIVEN_UP_2
#undef CUARRAY_GIVEN_UP_3
#undef CUARRAY_VALUES_1
#undef CUARRAY_VALUES_2
#undef CUARRAY_VALUES_3
#undef CUARRAY_JOIN
#undef CUARRAY_JOIN_

namespace api {

/// An array whose elements an operator may write.
template <class T>
concept TargetType =
    std::derived_from<std::remove_reference_t<T>, Array> && !std::is_const_v<std::remove_reference_t<T>>;

consteval bool is_symbol(std::string_view wanted, const char* symbol) { return symbol && wanted == symbol; }

/// The row of an operator of Python, which C++ writes alike.
consteval RowId row_of(std::string_view wanted, int operands) {
#define BINARY(name, row_name, symbol, ...) \
    if (operands == 2 && is_symbol(wanted, symbol)) return row::row_name;
#define COMPARISON BINARY
#define UNARY(name, row_name, symbol, ...) \
    if (operands == 1 && is_symbol(wanted, symbol)) return row::row_name;
#define OTHER(...)
#include "cuarray/core/operators.def"
    throw "no operator of Python";
}

template <RowId row, class B>
void operate_in_place(Array& target, B&& other) {
    const Argument args[] = {target, operand(std::forward<B>(other))};
    UfuncOptions options;
    options.out[0] = &target;
    call(row, args, options);
}

}  // namespace api

// Operators, of which one operand at least is an array: each computes what Python's computes. There is no && and no ||,
// which C++ evaluates otherwise; & and | of bools are logical.
#define OPERATOR(symbol)                                                                         \
    template <class A, class B>                                                                  \
        requires api::OperandTypes<A, B>                                                         \
    Array operator symbol(A&& a, B&& b) {                                                        \
        Array made = apply_row(api::row_of(#symbol, 2), std::forward<A>(a), std::forward<B>(b)); \
        api::give_up<A>(a), api::give_up<B>(b);                                                  \
        return made;                                                                             \
    }
// x += y writes to the elements of x, which all arrays that share them see; the result is cast by the rule 'same_kind'.
#define ARITHMETIC(symbol)                                                        \
    OPERATOR(symbol)                                                              \
    template <api::TargetType A, api::OperandType B>                              \
    A&& operator symbol## = (A && a, B && b) {                                    \
        api::operate_in_place<api::row_of(#symbol, 2)>(a, std::forward<B>(b));    \
        return std::forward<A>(a);                                                \
    }                                                                             \
    template <std::same_as<SelectedElements> A, api::OperandType B>               \
    void operator symbol## = (A && a, B && b) {                                   \
        std::move(a) = apply_row(api::row_of(#symbol, 2), a, std::forward<B>(b)); \
    }
#define UNARY_OPERATOR(symbol)                                               \
    template <api::AnyArray A>                                               \
    Array operator symbol(A&& a) {                                           \
        Array made = apply_row(api::row_of(#symbol, 1), std::forward<A>(a)); \
        api::give_up<A>(a);                                                  \
        return made;                                                         \
    }
ARITHMETIC(+)
ARITHMETIC(-)
ARITHMETIC(*)
ARITHMETIC(/)
ARITHMETIC(%)
ARITHMETIC(&)
ARITHMETIC(|)
ARITHMETIC(^)
ARITHMETIC(<<)
ARITHMETIC(>>)
OPERATOR(==)
OPERATOR(!=)
OPERATOR(<)
OPERATOR(<=)
OPERATOR(>)
OPERATOR(>=)
UNARY_OPERATOR(-)
UNARY_OPERATOR(+)
UNARY_OPERATOR(~)
#undef OPERATOR
#undef ARITHMETIC
#undef UNARY_OPERATOR

template <api::AnyArray A>
Array operator!(A&& a) {
    return logical_not(std::forward<A>(a));
}

}  // namespace cuarray
