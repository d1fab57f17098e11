// loops.h -- compile-time visitors of every table row at every type of its domain, in the order of loops().
//
// A visitor has `template <class F, class T, class U> void loop()`, called once per loop: table.cpp collects
// dtypes, the host backend its compiled loops. Both visit in the same order, so a loop's position is its LoopId.
#pragma once
#include <utility>
#include "core/dispatch.h"
#include "cuarray/core/table.h"
#include "cuarray/kernel/functors.h"
#include "cuarray/kernel/reduce.h"

namespace cuarray {

/// All kernel types in promotion order, ended by fn::nothing.
using KernelTypes = fn::list<
#define DTYPE(name, T, kind, bits, exponent, typestr) T,
#include "cuarray/dtypes.def"
    fn::nothing>;

/// The kernel type of a dtype: kernel_t<DType::float32> is f32.
template <DType D>
using kernel_t = fn::item_t<int(D), KernelTypes>;

/// The names used in the tables' domain column, as sets of dtypes: bit d for dtype d.
namespace domain {
constexpr uint32_t of_kind(Kind wanted) {
    uint32_t set = 0;
#define DTYPE(name, T, kind, bits, exponent, typestr) set |= uint32_t(Kind::kind == wanted) << int(DType::name);
#include "cuarray/dtypes.def"
    return set;
}
template <class... T>
constexpr uint32_t of = ((1u << int(dtype_of<T>)) | ...);
constexpr uint32_t Bool = of_kind(Kind::Bool), SignedInt = of_kind(Kind::Signed), UnsignedInt = of_kind(Kind::Unsigned);
constexpr uint32_t Floating = of_kind(Kind::Floating), Complex = of_kind(Kind::Complex), Half = of<f16, bf16>;
constexpr uint32_t Double = of<f64, c128>;
constexpr uint32_t Integer = SignedInt | UnsignedInt, Real = Integer | Floating, Inexact = Floating | Complex;
constexpr uint32_t Number = Real | Complex, All = Bool | Number;
}  // namespace domain

namespace domain {
/// The domain of a row, by its functor.
template <class F>
constexpr uint32_t of_row = 0;
#define UFUNC(name, inputs, outputs, domain_, flags, identity, doc, ...) \
    template <>                                                          \
    inline constexpr uint32_t of_row<fn::name> = domain_;
#include "cuarray/ufuncs.def"
}  // namespace domain

/// All rows of ufuncs.def, in order, ended by fn::nothing.
using Rows = fn::list<
#define UFUNC(name, inputs, outputs, domain, flags, identity, doc, ...) fn::name,
#include "cuarray/ufuncs.def"
    fn::nothing>;
static_assert(kRows == Rows::size - 1);

/// Calls `visitor` for the loops of row F that have the first template argument T.
template <class F, class T, class Visitor>
constexpr void visit_loops_at(Visitor& visitor) {
    if constexpr ((domain::of_row<F> >> int(dtype_of<T>) & 1) != 0) {
        if constexpr ((F::flags & EitherInt) != 0) {
            visitor.template loop<F, T, i32>();
            visitor.template loop<F, T, i64>();
        } else {
            // Before float16, the first floating dtype: int64 with uint64 must not resolve to a float loop.
            if constexpr ((F::flags & Exact64) != 0 && is_same<T, f16>) {
                visitor.template loop<F, i64, u64>();
                visitor.template loop<F, u64, i64>();
            }
            visitor.template loop<F, T, T>();
        }
    }
}

template <class F, class Visitor, class... T>
constexpr void visit_row(Visitor& visitor, fn::list<T...>) {
    (visit_loops_at<F, T>(visitor), ...);
}

/// Calls `visitor` for the loops of row F, in table order.
template <class F, class Visitor>
constexpr void visit_row(Visitor& visitor) {
    visit_row<F>(visitor, KernelTypes());
}

template <int Begin, int... Row, class Visitor>
constexpr void visit_rows(Visitor& visitor, std::integer_sequence<int, Row...>) {
    (visit_row<fn::item_t<Begin + Row, Rows>>(visitor), ...);
}

/// Calls `visitor` for all loops of rows [Begin, End); translation units compile parts of the table.
template <int Begin = 0, int End = kRows, class Visitor>
constexpr void visit_rows(Visitor& visitor) {
    visit_rows<Begin>(visitor, std::make_integer_sequence<int, End - Begin>());
}

/// All rows of reductions.def, in order, over elements of one type, ended by fn::nothing.
template <class Element>
using Reductions = fn::list<
#define REDUCTION(name, ...) red::name<Element>,
#include "cuarray/reductions.def"
    fn::nothing>;
static_assert(kReductions == Reductions<f32>::size - 1);

/// Reduction row R over elements of one type.
template <int R, class Element>
using reduction_t = fn::item_t<R, Reductions<Element>>;

namespace domain {
/// The domains of reductions.def, by row.
constexpr uint32_t of_reductions[] = {
#define REDUCTION(name, ufunc, domain_, ...) domain_,
#include "cuarray/reductions.def"
};
}  // namespace domain

template <int R, class Element, class Visitor>
constexpr void visit_reduction_at(Visitor& visitor) {
    if constexpr (!is_same<Element, fn::nothing>)
        if constexpr ((domain::of_reductions[R] >> int(dtype_of<Element>) & 1) != 0)
            visitor.template reduction<R, Element>();
}

template <int R, class Visitor, class... Element>
constexpr void visit_reduction(Visitor& visitor, fn::list<Element...>) {
    (visit_reduction_at<R, Element>(visitor), ...);
}

template <class Visitor, int... R>
constexpr void visit_reductions(Visitor& visitor, std::integer_sequence<int, R...>) {
    (visit_reduction<R>(visitor, KernelTypes()), ...);
}

/// Calls `visitor.template reduction<R, Element>()` for every row of reductions.def and every element type of
/// its domain; the row there is reduction_t<R, Element>.
template <class Visitor>
constexpr void visit_reductions(Visitor& visitor) {
    visit_reductions(visitor, std::make_integer_sequence<int, kReductions>());
}

}  // namespace cuarray
