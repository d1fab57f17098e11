"""The PTX instructions that the simulator knows: opcodes, types of the operands, and what each means in C++.

An opcode without a row is an error that names it, never a guess. In a row's opcode, `[name]` is one of CHOICES[name].
The types of the operands after the first (the result) are PTX types or names of choices. The meaning is an
expression for the result in terms of the operands a, b, c, e and the chosen words; with the types STATEMENT it is a
statement in terms of the operands {0}, {1}, ...; with the types SPECIAL it names a method of translate.Function.
"""

import itertools
import re
from functools import cache
from typing import NamedTuple

STATEMENT, SPECIAL = "statement", "special"


class Row(NamedTuple):
    """One row of the table."""

    opcode: str
    types: str
    meaning: str


ROUNDINGS = {"rn": "kNearest", "rz": "kZero", "rm": "kDown", "rp": "kUp"}

CHOICES = {
    "round": ["", ".rn", ".rz", ".rm", ".rp"],
    "to_nearest": ["", ".rn"],
    "directed": [".rn", ".rz", ".rm", ".rp"],
    "narrowing": [".rn", ".rz"],
    "whole": [".rni", ".rzi", ".rmi", ".rpi"],
    "ftz": ["", ".ftz"],
    "sat": ["", ".sat"],
    "nan": ["", ".NaN"],
    "cc": ["", ".cc"],
    "f": ["f32", "f64"],
    "half": ["f16", "bf16"],
    "pair": ["f16x2", "bf16x2"],
    "i": ["u16", "s16", "u32", "s32", "u64", "s64"],
    "w": ["u32", "s32", "u64", "s64"],
    "narrow": ["u16", "s16", "u32", "s32"],
    "s": ["s16", "s32", "s64"],
    "b": ["b16", "b32", "b64"],
    "wide_b": ["b32", "b64"],
    "bit": ["pred", "b16", "b32", "b64"],
    "any": ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"],
    "from": ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"],
    "to": ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"],
    "in_memory": ["b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"],
    "vector": ["", ".v2", ".v4"],
    "order": ["", ".weak", ".volatile", *(f".relaxed.{s}" for s in ("cta", "cluster", "gpu", "sys"))],
    "acquire": [f".acquire.{s}" for s in ("cta", "cluster", "gpu", "sys")],
    "release": [f".release.{s}" for s in ("cta", "cluster", "gpu", "sys")],
    "cta_space": ["", ".shared", ".shared::cta"],
    "cluster_space": ["", ".shared", ".shared::cta", ".shared::cluster"],
    "arrive_order": ["", *(f".{o}.{s}" for o in ("release", "relaxed") for s in ("cta", "cluster"))],
    "wait_order": ["", *(f".{o}.{s}" for o in ("acquire", "relaxed") for s in ("cta", "cluster"))],
    "tx_order": ["", ".relaxed.cta", ".relaxed.cluster"],
    "arrival": ["arrive", "arrive_drop"],
    "wait": ["test_wait", "try_wait"],
    "parity": ["", ".parity"],
    "tx": ["expect_tx", "complete_tx"],
    "noinc": ["", ".noinc"],
    "read": ["", ".read"],
    "cache_hint": ["", ".L2::cache_hint"],
    "own_order": ["", ".volatile"],
    "space": ["", ".global", ".shared", ".shared::cta"],
    "outer_space": ["", ".global"],
    "own_space": [".local"],
    "parameter_space": [".param", ".param::entry", ".param::func"],
    "fixed_space": [".const", ".param", ".param::entry", ".param::func"],
    "atomic_order": [  # without a scope it is the GPU's
        "",
        *(f"{o}{s}" for o in (".relaxed", ".acquire", ".release", ".acq_rel") for s in ("", ".cta", ".gpu", ".sys")),
    ],
    "scope": [".cta", ".gpu", ".sys"],
    "added": ["u32", "s32", "u64", "f32", "f64"],
    "order_u": ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"],
    "order_s": ["eq", "ne", "lt", "le", "gt", "ge"],
    "order_b": ["eq", "ne"],
    "order_f": ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"],
    "join": ["", ".and", ".or", ".xor"],
    "u_type": ["u16", "u32", "u64"],
    "wrap": ["wrap", "clamp"],
    "shuffle": ["up", "down", "bfly", "idx"],
    "redux_i": ["u32", "s32"],
    "redux_b": ["b32"],
    "to_shared": ["shared", "shared::cta"],
    "at_barrier": ["sync", "arrive"],
    "over_barrier": ["or.pred", "and.pred", "popc.u32"],
    "aligned": ["", ".aligned"],
    "class": ["finite", "infinite", "number", "notanumber", "normal", "subnormal"],
    "dot_a": ["u32", "s32"],
    "dot_b": ["u32", "s32"],
    "dot_part": ["lo", "hi"],
    "asked_space": ["global", "local", "shared"],
    "named_shared": ["shared::cta", "shared::cluster"],
    "prefetched": ["", ".global", ".local"],
    "level": ["L1", "L2"],
    "tiny": ["e4m3x2", "e5m2x2"],
    "relu": ["", ".relu"],
    "floats": [".v2.f32", ".v4.f32"],
}


def clamping() -> list[tuple[str, str]]:
    """The pairs of integers (to, from) where a value may be out of range."""

    def limits(type_: str) -> tuple[int, int]:
        bits = int(type_[1:])
        return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_[0] == "s" else (0, (1 << bits) - 1)

    pairs = itertools.product(CHOICES["to"], CHOICES["from"])
    return [(a, b) for a, b in pairs if limits(b)[0] < limits(a)[0] or limits(b)[1] > limits(a)[1]]


# Scopes stand before the space where an order is named, and behind it otherwise.
ATOMIC_HOW = ("[atomic_order][space]", "[space][scope]")

INSTRUCTIONS = [
    # Moves and selections.
    Row("mov.[bit]", SPECIAL, "move"),
    Row("mov.[any]", SPECIAL, "move"),
    Row("selp.[any]", "any any pred", "{c} ? {a} : {b}"),
    # Arithmetic of floating point.
    *(
        Row(f"{name}{rounding}[ftz][sat].f32", operands, f"ptx::{function}<{{round}}, {{ftz}}, {{sat}}>({values})")
        for name, rounding, operands, function, values in [
            ("add", "[round]", "f32 f32", "add", "{a}, {b}"),
            ("sub", "[round]", "f32 f32", "sub", "{a}, {b}"),
            ("mul", "[round]", "f32 f32", "mul", "{a}, {b}"),
            ("fma", "[directed]", "f32 f32 f32", "fma", "{a}, {b}, {c}"),
        ]
    ),
    Row("add[round].f64", "f64 f64", "ptx::add<{round}>({a}, {b})"),
    Row("sub[round].f64", "f64 f64", "ptx::sub<{round}>({a}, {b})"),
    Row("mul[round].f64", "f64 f64", "ptx::mul<{round}>({a}, {b})"),
    Row("fma[directed].f64", "f64 f64 f64", "ptx::fma<{round}>({a}, {b}, {c})"),
    Row("div[directed][ftz].f32", "f32 f32", "ptx::div<{round}, {ftz}>({a}, {b})"),
    Row("div[directed].f64", "f64 f64", "ptx::div<{round}>({a}, {b})"),
    Row("rcp[directed][ftz].f32", "f32", "ptx::div<{round}, {ftz}>(1.0f, {a})"),
    Row("rcp[directed].f64", "f64", "ptx::div<{round}>(1.0, {a})"),
    Row("sqrt[directed][ftz].f32", "f32", "ptx::root<{round}, {ftz}>({a})"),
    Row("sqrt[directed].f64", "f64", "ptx::root<{round}>({a})"),
    Row("min[ftz][nan].f32", "f32 f32", "ptx::min<{ftz}, {nan}>({a}, {b})"),
    Row("max[ftz][nan].f32", "f32 f32", "ptx::max<{ftz}, {nan}>({a}, {b})"),
    Row("min.f64", "f64 f64", "ptx::min({a}, {b})"),
    Row("max.f64", "f64 f64", "ptx::max({a}, {b})"),
    Row("abs[ftz].f32", "f32", "ptx::abs(ptx::in<{ftz}>({a}))"),
    Row("neg[ftz].f32", "f32", "ptx::negate(ptx::in<{ftz}>({a}))"),
    Row("abs.f64", "f64", "ptx::abs({a})"),
    Row("neg.f64", "f64", "ptx::negate({a})"),
    Row("copysign.[f]", "f f", "ptx::copysign({a}, {b})"),
    Row("testp.[class].[f]", "f", "ptx::is_{class}({a})"),
    # Arithmetic of 16 bits.
    *(
        Row(
            f"{name}{rounding}{flags}.{type_}",
            operands.replace("half", type_),
            f"ptx::half_{function}{options}({values})",
        )
        for type_, flags, options in [("f16", "[ftz][sat]", "<{ftz}, {sat}>"), ("bf16", "", "")]
        for name, rounding, operands, function, values in [
            ("add", "[to_nearest]", "half half", "add", "{a}, {b}"),
            ("sub", "[to_nearest]", "half half", "add", "{a}, ptx::half_negate({b})"),
            ("mul", "[to_nearest]", "half half", "mul", "{a}, {b}"),
            ("fma", ".rn", "half half half", "fma", "{a}, {b}, {c}"),
        ]
    ),
    Row("fma.rn[ftz].relu.f16", "f16 f16 f16", "ptx::half_relu(ptx::half_fma<{ftz}>({a}, {b}, {c}))"),
    Row("fma.rn.relu.bf16", "bf16 bf16 bf16", "ptx::half_relu(ptx::half_fma({a}, {b}, {c}))"),
    *(
        Row(f"{name}{flags}[nan].{type_}", f"{type_} {type_}", f"ptx::half_{name}<{options}, {{nan}}>({{a}}, {{b}})")
        for name in ("min", "max")
        for type_, flags, options in [("f16", "[ftz]", "{ftz}"), ("bf16", "", "false")]
    ),
    *(
        Row(f"{name}{flags}.{type_}", type_, f"ptx::half_{function}(ptx::half_flush<{options}>({{a}}))")
        for name, function in (("abs", "abs"), ("neg", "negate"))
        for type_, flags, options in [("f16", "[ftz]", "{ftz}"), ("bf16", "", "false")]
    ),
    # Arithmetic of pairs of 16 bits.
    *(
        Row(f"{name}{options}.{type_}x2", SPECIAL, "pairs")
        for type_, flags, flush in [("f16", "[ftz][sat]", "[ftz]"), ("bf16", "", "")]
        for name, options in [
            ("add", f"[to_nearest]{flags}"),
            ("sub", f"[to_nearest]{flags}"),
            ("mul", f"[to_nearest]{flags}"),
            ("fma", f".rn{flags}"),
            ("fma", f".rn{flush}.relu"),
            ("min", f"{flush}[nan]"),
            ("max", f"{flush}[nan]"),
            ("abs", flush),
            ("neg", flush),
        ]
    ),
    *(
        Row(f"set.[order_f].{to}.{pair}", SPECIAL, "compare_pairs")
        for pair in ("f16x2", "bf16x2")
        for to in (pair, "u32")
    ),
    Row("cvt.rn.[pair].f32", SPECIAL, "pair_of_floats"),
    # Approximations.
    Row("rcp.approx[ftz].f32", "f32", "ptx::rcp_approx<{ftz}>({a})"),
    Row("sqrt.approx[ftz].f32", "f32", "ptx::sqrt_approx<{ftz}>({a})"),
    Row("rsqrt.approx[ftz].f32", "f32", "ptx::rsqrt_approx<{ftz}>({a})"),
    Row("ex2.approx[ftz].f32", "f32", "ptx::ex2_approx<{ftz}>({a})"),
    Row("lg2.approx[ftz].f32", "f32", "ptx::lg2_approx<{ftz}>({a})"),
    Row("sin.approx[ftz].f32", "f32", "ptx::sin_approx<{ftz}>({a})"),
    Row("cos.approx[ftz].f32", "f32", "ptx::cos_approx<{ftz}>({a})"),
    Row("tanh.approx.f32", "f32", "ptx::tanh_approx({a})"),
    Row("tanh.approx.[half]", "half", "ptx::half_tanh_approx({a})"),
    Row("ex2.approx.f16", "f16", "ptx::half_ex2_approx<false>({a})"),
    Row("ex2.approx.ftz.bf16", "bf16", "ptx::half_ex2_approx<true>({a})"),
    Row("tanh.approx.[pair]", SPECIAL, "pairs"),
    Row("ex2.approx.f16x2", SPECIAL, "pairs"),
    Row("ex2.approx.ftz.bf16x2", SPECIAL, "pairs"),
    Row("div.approx[ftz].f32", "f32 f32", "ptx::div_approx<{ftz}>({a}, {b})"),
    Row("div.full[ftz].f32", "f32 f32", "ptx::div_full<{ftz}>({a}, {b})"),
    Row("rcp.approx.ftz.f64", "f64", "ptx::rcp_seed({a})"),
    Row("rsqrt.approx.ftz.f64", "f64", "ptx::rsqrt_seed({a})"),
    Row("rsqrt.approx.f64", "f64", "ptx::rsqrt_approx({a})"),
    # Integers. Signed ones wrap (-fwrapv); products of 16 bits are made of wider ones, which cannot overflow.
    Row("add.[i]", "i i", "{T}({a} + {b})"),
    Row("sub.[i]", "i i", "{T}({a} - {b})"),
    Row("mul.lo.[i]", "i i", "{T}({W}({a}) * {b})"),
    Row("mul.hi.[i]", "i i", "ptx::mul_hi({a}, {b})"),
    Row("mul.wide.[narrow]", "narrow narrow", "{W}({a}) * {W}({b})"),
    Row("mad.lo.[i]", "i i i", "{T}({W}({a}) * {b} + {c})"),
    Row("mad.hi.[i]", "i i i", "{T}(ptx::mul_hi({a}, {b}) + {c})"),
    Row("mad.wide.[narrow]", "narrow narrow W", "{W}({a}) * {W}({b}) + {c}"),
    Row("add.cc.[w]", "w w", "ptx::add_carry<{U}>({a}, {b}, false, carry, true)"),
    Row("addc[cc].[w]", "w w", "ptx::add_carry<{U}>({a}, {b}, true, carry, {cc})"),
    Row("sub.cc.[w]", "w w", "ptx::sub_carry<{U}>({a}, {b}, false, carry, true)"),
    Row("subc[cc].[w]", "w w", "ptx::sub_carry<{U}>({a}, {b}, true, carry, {cc})"),
    Row("mad.lo.cc.[w]", "w w w", "ptx::add_carry<{U}>({a} * {b}, {c}, false, carry, true)"),
    Row("madc.lo[cc].[w]", "w w w", "ptx::add_carry<{U}>({a} * {b}, {c}, true, carry, {cc})"),
    Row("mad.hi.cc.[w]", "w w w", "ptx::add_carry<{U}>(ptx::mul_hi({a}, {b}), {c}, false, carry, true)"),
    Row("madc.hi[cc].[w]", "w w w", "ptx::add_carry<{U}>(ptx::mul_hi({a}, {b}), {c}, true, carry, {cc})"),
    Row("div.[i]", "i i", "{T}({a} / {b})"),
    Row("rem.[i]", "i i", "{T}({a} % {b})"),
    Row("min.[i]", "i i", "{a} < {b} ? {a} : {b}"),
    Row("max.[i]", "i i", "{a} > {b} ? {a} : {b}"),
    Row("min.s32.relu", "s32 s32", "{a} < {b} ? ({a} > 0 ? {a} : 0) : ({b} > 0 ? {b} : 0)"),
    Row("max.s32.relu", "s32 s32", "{a} > {b} ? ({a} > 0 ? {a} : 0) : ({b} > 0 ? {b} : 0)"),
    Row("abs.[s]", "s", "{T}({a} < 0 ? -{a} : {a})"),
    Row("sad.[i]", "i i i", "{T}(({a} < {b} ? {b} - {a} : {a} - {b}) + {c})"),
    Row("dp4a.[dot_a].[dot_b]", "dot_a dot_b b32", "ptx::dp4a({a}, {b}, {c})"),
    Row("dp2a.[dot_part].[dot_a].[dot_b]", "dot_a dot_b b32", "ptx::dp2a_{dot_part}({a}, {b}, {c})"),
    *(
        Row(f"{name}.{half}x2", "b32 b32", f"ptx::{name}_halves<ptx::{half}>({{a}}, {{b}})")
        for name in ("add", "min", "max")
        for half in ("u16", "s16")
    ),
    *(
        Row(
            f"vabsdiff{count}.u32.{type_}.{type_}{add}",
            "b32 b32 b32",
            f"ptx::distances{add.replace(chr(46), chr(95))}<{part}>({{a}}, {{b}}, {{c}})",
        )
        for count, parts in ((2, ("u16", "s16")), (4, ("u8", "s8")))
        for type_, part in zip(("u32", "s32"), (f"ptx::{p}" for p in parts), strict=True)
        for add in ("", ".add")
    ),
    Row("neg.[s]", "s", "{T}(-{a})"),
    # Bits.
    Row("and.[bit]", "bit bit", "{T}({a} & {b})"),
    Row("or.[bit]", "bit bit", "{T}({a} | {b})"),
    Row("xor.[bit]", "bit bit", "{T}({a} ^ {b})"),
    Row("not.pred", "pred", "!{a}"),
    Row("not.[b]", "b", "{T}(~{a})"),
    Row("cnot.[b]", "b", "{T}({a} == 0)"),
    Row("shl.[b]", "b u32", "ptx::shl({a}, {b})"),
    Row("shr.[b]", "b u32", "ptx::shr({a}, {b})"),
    Row("shr.[i]", "i u32", "ptx::shr({a}, {b})"),
    Row("shf.l.[wrap].b32", "b32 b32 u32", "ptx::shf_l<{wrap}>({a}, {b}, {c})"),
    Row("shf.r.[wrap].b32", "b32 b32 u32", "ptx::shf_r<{wrap}>({a}, {b}, {c})"),
    Row("bfe.[w]", "w u32 u32", "ptx::bfe({a}, {b}, {c})"),
    Row("bfi.[wide_b]", "wide_b wide_b u32 u32", "ptx::bfi({a}, {b}, {c}, {e})"),
    Row("brev.[wide_b]", "wide_b", "ptx::brev({a})"),
    Row("clz.[wide_b]", "wide_b", "ptx::clz({a})"),
    Row("popc.[wide_b]", "wide_b", "ptx::u32(__builtin_popcountll({a}))"),
    Row("bfind.[w]", "w", "ptx::bfind({a})"),
    Row("bfind.shiftamt.[w]", "w", "ptx::bfind_shift({a})"),
    Row("prmt.b32", "b32 b32 b32", "ptx::prmt({a}, {b}, {c})"),
    Row("bmsk.[wrap].b32", "u32 u32", "ptx::bmsk<{wrap}>({a}, {b})"),
    Row("lop3.b32", "b32 b32 b32 b32", "ptx::lop3({a}, {b}, {c}, {e})"),
    # Comparisons.
    Row("setp.[order_u][join].[u_type]", SPECIAL, "compare"),
    Row("setp.[order_s][join].[s]", SPECIAL, "compare"),
    Row("setp.[order_b][join].[b]", SPECIAL, "compare"),
    Row("setp.[order_f][join][ftz].f32", SPECIAL, "compare"),
    Row("setp.[order_f][join].f64", SPECIAL, "compare"),
    Row("setp.[order_f][join][ftz].f16", SPECIAL, "compare"),
    Row("setp.[order_f][join].bf16", SPECIAL, "compare"),
    # A comparison that gives 1 or 0, of a floating type or as a mask.
    *(Row(f"set.[order_f][join][ftz].{to}.f32", SPECIAL, "set") for to in ("u32", "s32", "f32")),
    *(Row(f"set.[order_f][join].{to}.f64", SPECIAL, "set") for to in ("u32", "s32", "f32")),
    *(Row(f"set.[order_u][join].{to}.[u_type]", SPECIAL, "set") for to in ("u32", "s32", "f32")),
    *(Row(f"set.[order_s][join].{to}.[s]", SPECIAL, "set") for to in ("u32", "s32", "f32")),
    *(Row(f"set.[order_f][join][ftz].{to}.f16", SPECIAL, "set") for to in ("f16", "u16", "s16", "u32", "s32")),
    *(Row(f"set.[order_f][join].{to}.bf16", SPECIAL, "set") for to in ("bf16", "u16", "s16", "u32", "s32")),
    # Conversions. The assembler knows none between bf16 and 8 bits.
    Row("cvt.[to].[from]", "from", "ptx::{to}({a})"),
    *(Row(f"cvt.sat.{to}.{from_}", from_, f"ptx::clamp<ptx::{to}>({{a}})") for to, from_ in clamping()),
    Row("cvt[whole][ftz][sat].[to].f32", "f32", "ptx::to_integer<ptx::{to}, {round}>(ptx::in<{ftz}>({a}))"),
    Row("cvt[whole][sat].[to].f64", "f64", "ptx::to_integer<ptx::{to}, {round}>({a})"),
    Row("cvt[directed][sat].f32.[from]", "from", "ptx::out<false, {sat}>(ptx::from_integer<float, {round}>({a}))"),
    Row("cvt[directed][sat].f64.[from]", "from", "ptx::out<false, {sat}>(ptx::from_integer<double, {round}>({a}))"),
    Row("cvt[whole][ftz][sat].f32.f32", "f32", "ptx::out<{ftz}, {sat}>(ptx::integral<{round}>(ptx::in<{ftz}>({a})))"),
    Row("cvt[whole][sat].f64.f64", "f64", "ptx::out<false, {sat}>(ptx::integral<{round}>({a}))"),
    Row("cvt[ftz][sat].f32.f32", "f32", "ptx::out<{ftz}, {sat}>(ptx::in<{ftz}>({a}))"),
    Row("cvt[sat].f64.f64", "f64", "ptx::out<false, {sat}>({a})"),
    Row("cvt[ftz][sat].f64.f32", "f32", "ptx::out<false, {sat}>(ptx::f64(ptx::in<{ftz}>({a})))"),
    Row("cvt[directed][ftz][sat].f32.f64", "f64", "ptx::narrow<{round}, {ftz}, {sat}>({a})"),
    Row("cvt[directed].[half].[f]", "f", "ptx::to_half<ptx::{half}, {round}>({a})"),
    Row("cvt[narrowing].relu.[half].f32", "f32", "ptx::half_relu(ptx::to_half<ptx::{half}, {round}>({a}))"),
    Row("cvt.[f].[half]", "half", "ptx::{f}(ptx::from_half({a}))"),
    Row("cvt[whole][sat].[to].f16", "f16", "ptx::to_integer<ptx::{to}, {round}>(ptx::from_half({a}))"),
    Row("cvt[whole].[i].bf16", "bf16", "ptx::to_integer<ptx::{i}, {round}>(ptx::from_half({a}))"),
    Row("cvt[directed].bf16.f16", "f16", "ptx::to_half<ptx::bf16, {round}>(ptx::from_half({a}))"),
    Row("cvt[directed].bf16.[i]", "i", "ptx::to_half<ptx::bf16, {round}>(ptx::odd_double({a}))"),
    Row(
        "cvt[directed][sat].f16.[from]", "from", "ptx::half_out<ptx::f16, false, {sat}, {round}>(ptx::odd_double({a}))"
    ),
    Row("cvt[whole].bf16.bf16", "bf16", "ptx::to_half<ptx::bf16>(ptx::integral<{round}>(ptx::from_half({a})))"),
    Row(
        "cvt[whole][sat].f16.f16",
        "f16",
        "ptx::half_out<ptx::f16, false, {sat}>(ptx::integral<{round}>(ptx::half_in<false>({a})))",
    ),
    # Pairs of floats of 8 bits.
    Row("cvt.rn.satfinite[relu].[tiny].f32", SPECIAL, "pair_of_tiny"),
    Row("cvt.rn.satfinite[relu].[tiny].f16x2", SPECIAL, "pair_of_tiny"),
    Row("cvt.rn[relu].f16x2.[tiny]", SPECIAL, "pair_of_tiny"),
    # Addresses: those in shared memory are offsets, those in other spaces are generic ones.
    Row("cvta.shared.u64", "u64", "ptx::shared_to_generic({a})"),
    Row("cvta.to.shared.u64", "u64", "ptx::generic_to_shared({a})"),
    *(
        Row(f"cvta{to}.{space}.u64", "u64", "{a}")
        for to in ("", ".to")
        for space in ("global", "local", "const", "param")
    ),
    Row("isspacep.[asked_space]", "u64", "ptx::in_{asked_space}({a})"),
    Row("isspacep.[named_shared]", "u64", "ptx::in_shared({a})"),  # a cluster is of one block
    # Memory. Hints for caches are dropped before the look-up.
    Row("ld[order][space][vector].[in_memory]", SPECIAL, "load"),
    Row("ld[acquire][space][vector].[in_memory]", SPECIAL, "load"),
    Row("ld[own_order][own_space][vector].[in_memory]", SPECIAL, "load"),
    Row("ld[fixed_space][vector].[in_memory]", SPECIAL, "load"),
    Row("st[order][space][vector].[in_memory]", SPECIAL, "store"),
    Row("st[release][space][vector].[in_memory]", SPECIAL, "store"),
    Row("st[own_order][own_space][vector].[in_memory]", SPECIAL, "store"),
    Row("st[parameter_space][vector].[in_memory]", SPECIAL, "store"),
    *(
        Row(f"{name}{how}.{change}", SPECIAL, "atomic")
        for name in ("atom", "red")
        for how in ATOMIC_HOW
        for change in (
            "add.[added]",
            "add.noftz.[half]",
            "add.noftz.[pair]",
            "min.[w]",
            "max.[w]",
            "and.[wide_b]",
            "or.[wide_b]",
            "xor.[wide_b]",
            "inc.u32",
            "dec.u32",
        )
    ),
    *(Row(f"atom{how}.exch.[wide_b]", SPECIAL, "atomic") for how in ATOMIC_HOW),
    *(Row(f"atom{how}.cas.[b]", SPECIAL, "atomic") for how in ATOMIC_HOW),
    *(
        Row(f"{name}{how}.add[floats]".replace("[space]", "[outer_space]"), SPECIAL, "atomic")
        for name in ("atom", "red")
        for how in ATOMIC_HOW
    ),
    Row("prefetch[prefetched].[level]", SPECIAL, "nothing"),
    Row("prefetchu.L1", SPECIAL, "nothing"),
    Row("cp.async.ca.[to_shared].global", SPECIAL, "copy_async"),
    Row("cp.async.cg.[to_shared].global", SPECIAL, "copy_async"),
    Row("cp.async.commit_group", STATEMENT, "cudasim_runtime_table->commit_copies();"),
    Row("cp.async.wait_group", STATEMENT, "cudasim_runtime_table->wait_for_copies(ptx::u32({0}));"),
    Row("cp.async.wait_all", STATEMENT, "ptx::wait_for_all_copies();"),
    # Bulk copies, and barriers in memory. The block is a cluster of its own.
    *(
        Row(f"cp.async.bulk.{to}.global.mbarrier::complete_tx::bytes[cache_hint]", SPECIAL, "copy_bulk")
        for to in ("shared::cta", "shared::cluster")
    ),
    Row("cp.async.bulk.global.shared::cta.bulk_group[cache_hint]", SPECIAL, "copy_bulk"),
    Row("cp.async.bulk.commit_group", STATEMENT, "cudasim_runtime_table->commit_bulk_copies();"),
    Row("cp.async.bulk.wait_group[read]", STATEMENT, "cudasim_runtime_table->wait_for_bulk_copies(ptx::u32({0}));"),
    Row("cp.async.bulk.prefetch.L2.global[cache_hint]", SPECIAL, "nothing"),
    Row("mbarrier.init[cta_space].b64", SPECIAL, "memory_barrier"),
    Row("mbarrier.inval[cta_space].b64", SPECIAL, "memory_barrier"),
    Row("mbarrier.[tx][tx_order][cluster_space].b64", SPECIAL, "memory_barrier"),
    Row("mbarrier.[arrival][arrive_order][cluster_space].b64", SPECIAL, "memory_barrier"),
    Row("mbarrier.[arrival].expect_tx[arrive_order][cluster_space].b64", SPECIAL, "memory_barrier"),
    *(
        Row(f"mbarrier.[arrival].noComplete{order}[cta_space].b64", SPECIAL, "memory_barrier")
        for order in ("", ".release.cta")
    ),
    Row("mbarrier.[wait][parity][wait_order][cta_space].b64", SPECIAL, "memory_barrier"),
    Row("mbarrier.pending_count.b64", "b64", "ptx::u32({a} & 0xFFFFF)"),
    Row("cp.async.mbarrier.arrive[noinc][cta_space].b64", SPECIAL, "memory_barrier"),
    *(
        Row(f"fence.{what}", STATEMENT, "ptx::fence(false);")
        for what in (
            "mbarrier_init.release.cluster",
            *(f"proxy.async{space}" for space in ("", ".global", ".shared::cta", ".shared::cluster")),
        )
    ),
    Row("membar.cta", STATEMENT, "ptx::fence(false);"),
    Row("membar.gl", STATEMENT, "ptx::fence(true);"),
    Row("membar.sys", STATEMENT, "ptx::fence(true);"),
    *(
        Row(f"fence.{order}.{scope}", STATEMENT, f"ptx::fence({str(scope != 'cta').lower()});")
        for order in ("sc", "acq_rel")
        for scope in ("cta", "cluster", "gpu", "sys")
    ),
    # Barriers of a block.
    *(Row(f"{name}.[at_barrier]", SPECIAL, "barrier") for name in ("bar", "bar.cta")),
    *(Row(f"{name}.[at_barrier][aligned]", SPECIAL, "barrier") for name in ("barrier", "barrier.cta")),
    *(Row(f"{name}.red.[over_barrier]", SPECIAL, "barrier") for name in ("bar", "bar.cta")),
    *(Row(f"{name}.red.[over_barrier]", SPECIAL, "barrier") for name in ("barrier", "barrier.cta")),
    # Warps.
    Row("bar.warp.sync", STATEMENT, "ptx::exchange(ptx::u32({0}), ptx::kSync, 0);"),
    Row("elect.sync", SPECIAL, "elect"),
    Row("shfl.sync.[shuffle].b32", SPECIAL, "shuffle"),
    Row("vote.sync.ballot.b32", "pred u32", "ptx::ballot({b}, {a})"),
    Row("vote.sync.any.pred", "pred u32", "ptx::ballot({b}, {a}) != 0"),
    Row("vote.sync.all.pred", "pred u32", "ptx::ballot({b}, !{a}) == 0"),
    Row("vote.sync.uni.pred", "pred u32", "ptx::uniform({b}, {a})"),
    Row("match.any.sync.[wide_b]", "wide_b u32", "ptx::match_any({a}, {b})"),
    Row("match.all.sync.[wide_b]", SPECIAL, "match_all"),
    *(
        Row(f"redux.sync.{name}.[redux_{kind}]", SPECIAL, "reduce_warp")
        for kind, names in (("i", ("add", "min", "max")), ("b", ("and", "or", "xor")))
        for name in names
    ),
    Row("activemask.b32", "", "1u << ptx::lane()"),
    # Control.
    Row("bra", SPECIAL, "branch"),
    Row("bra.uni", SPECIAL, "branch"),
    Row("brx.idx", SPECIAL, "branch_by_index"),
    Row("brx.idx.uni", SPECIAL, "branch_by_index"),
    Row("call", SPECIAL, "call"),
    Row("call.uni", SPECIAL, "call"),
    Row("ret", STATEMENT, "return;"),
    Row("ret.uni", STATEMENT, "return;"),
    Row("exit", SPECIAL, "exit"),
    Row("trap", STATEMENT, "ptx::trap({line});"),
    Row("brkpt", STATEMENT, "ptx::trap({line});"),
    # Launches that begin before the one before them ends are refused, so that there is nothing to wait for.
    Row("griddepcontrol.wait", SPECIAL, "nothing"),
    Row("griddepcontrol.launch_dependents", SPECIAL, "nothing"),
    Row("nanosleep.u32", STATEMENT, "ptx::sleep({0});"),
]

HINTS = re.compile(r"\.(?:nc|ca|cg|cs|lu|cv|wb|wt|L1::\w+|L2::\d+B)(?=\.)")
PREFETCH = re.compile(r"\.L2::\d+B$")
CHOICE = re.compile(r"\[(\w+)\]")


class Instruction(NamedTuple):
    """A row, and the words that an opcode chooses in it."""

    row: Row
    chosen: dict[str, str]


def opcodes_of(row: Row) -> list[tuple[str, dict[str, str]]]:
    """All opcodes of a row, with the words that each chooses."""
    names = CHOICE.findall(row.opcode)
    found = []
    for words in itertools.product(*(CHOICES[name] for name in names)):
        chosen = dict(zip(names, words, strict=True))
        found.append((CHOICE.sub(lambda m: chosen[m[1]], row.opcode), chosen))
    return found


@cache
def rows_of(name: str) -> list[tuple[re.Pattern, Row]]:
    """The rows of an opcode's first word, each with the expression that its opcodes match."""
    rows = []
    for row in INSTRUCTIONS:
        if re.match(r"[a-z0-9]+", row.opcode)[0] == name:
            pattern = "".join(
                f"(?P<{part}>{'|'.join(map(re.escape, CHOICES[part]))})" if i % 2 else re.escape(part)
                for i, part in enumerate(CHOICE.split(row.opcode))
            )
            rows.append((re.compile(pattern), row))
    return rows


@cache
def look_up(opcode: str) -> Instruction | None:
    """The row of an opcode, or None."""
    plain = HINTS.sub("", opcode) if opcode.startswith(("ld", "st")) else PREFETCH.sub("", opcode)
    for pattern, row in rows_of(plain.partition(".")[0]):
        if match := pattern.fullmatch(plain):
            return Instruction(row, match.groupdict())
    return None
