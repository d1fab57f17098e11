// elementwise.h -- every row of ufuncs.def as a function, and the operators of arrays.
#pragma once
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>
#include "cuarray/api/indices.h"
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

}  // namespace api

// f(x), f(x, y) or f(x, y, z) of arrays and numbers, as NumPy's ufuncs: broadcast, in the dtype of the first loop to
// which all arguments cast safely. Rows with two results give a pair. `options` are NumPy's keywords.
#define CUARRAY_COUNT(...) CUARRAY_COUNT_(__VA_ARGS__, 3, 2, 1, 0)
#define CUARRAY_COUNT_(a, b, c, count, ...) count
#define CUARRAY_PARAMETERS_1 const Argument& x
#define CUARRAY_PARAMETERS_2 const Argument &x, const Argument &y
#define CUARRAY_PARAMETERS_3 const Argument &x, const Argument &y, const Argument &z
#define CUARRAY_VALUES_1 x
#define CUARRAY_VALUES_2 x, y
#define CUARRAY_VALUES_3 x, y, z
#define CUARRAY_JOIN(a, b) CUARRAY_JOIN_(a, b)
#define CUARRAY_JOIN_(a, b) a##b
#define UFUNC(name, in, out, ...)                                                                             \
    inline auto name(CUARRAY_JOIN(CUARRAY_PARAMETERS_, CUARRAY_COUNT in), const UfuncOptions& options = {}) { \
        const Argument args[] = {CUARRAY_JOIN(CUARRAY_VALUES_, CUARRAY_COUNT in)};                            \
        return api::results<CUARRAY_COUNT out>(call(row::name, args, options));                               \
    }
#include "cuarray/ufuncs.def"
#undef CUARRAY_COUNT
#undef CUARRAY_COUNT_
#undef CUARRAY_PARAMETERS_1
#undef CUARRAY_PARAMETERS_2
#undef CUARRAY_PARAMETERS_3
#undef CUARRAY_VALUES_1
#undef CUARRAY_VALUES_2
#undef CUARRAY_VALUES_3
#undef CUARRAY_JOIN
#undef CUARRAY_JOIN_

namespace api {

template <class T>
concept AnyArray = ArrayIndex<std::remove_cvref_t<T>>;
template <class T>
concept Operand = AnyArray<T> || NumberType<std::remove_cvref_t<T>> || std::same_as<std::remove_cvref_t<T>, Scalar>;
/// An array whose elements an operator may write.
template <class T>
concept Target = std::derived_from<std::remove_reference_t<T>, Array>;

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

template <RowId row, class... Args>
Array operate(Args&&... operands) {
    const Argument args[] = {std::forward<Args>(operands)...};
    return std::move(call(row, args).array[0]);
}

template <RowId row, class B>
void operate_in_place(Array& target, B&& other) {
    const Argument args[] = {target, std::forward<B>(other)};
    UfuncOptions options;
    options.out[0] = &target;
    call(row, args, options);
}

}  // namespace api

// Operators, of which one operand at least is an array: each computes what Python's computes. There is no && and no ||,
// which C++ evaluates otherwise; & and | of bools are logical.
//
// The constraint on arrays comes first: operands of other types are not asked whether they are numbers.
#define OPERATOR(symbol)                                                                       \
    template <class A, class B>                                                                \
        requires((api::AnyArray<A> || api::AnyArray<B>) && api::Operand<A> && api::Operand<B>) \
    Array operator symbol(A&& a, B&& b) {                                                      \
        return api::operate<api::row_of(#symbol, 2)>(std::forward<A>(a), std::forward<B>(b));  \
    }
// x += y writes to the elements of x, which all arrays that share them see; the result is cast by the rule 'same_kind'.
#define ARITHMETIC(symbol)                                                           \
    OPERATOR(symbol)                                                                 \
    template <api::Target A, api::Operand B>                                         \
    A&& operator symbol## = (A && a, B && b) {                                       \
        api::operate_in_place<api::row_of(#symbol, 2)>(a, std::forward<B>(b));       \
        return std::forward<A>(a);                                                   \
    }                                                                                \
    template <std::same_as<SelectedElements> A, api::Operand B>                      \
    void operator symbol## = (A && a, B && b) {                                      \
        std::move(a) = api::operate<api::row_of(#symbol, 2)>(a, std::forward<B>(b)); \
    }
#define UNARY_OPERATOR(symbol)                                            \
    template <api::AnyArray A>                                            \
    Array operator symbol(A&& a) {                                        \
        return api::operate<api::row_of(#symbol, 1)>(std::forward<A>(a)); \
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
