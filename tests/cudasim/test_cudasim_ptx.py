"""Kernels made from the PTX of the real NVRTC: what the translation keeps, judges and refuses."""

import decimal
import math
import os
import random
import re
import struct
import subprocess
from fractions import Fraction

import ptx_exact as exact
import pytest
from ptx_opcodes import asm, kernel, results
from simulated import HERE, environment, run

import translate  # isort: skip
from instructions import INSTRUCTIONS, STATEMENT, look_up, opcodes_of  # isort: skip

pytestmark = pytest.mark.rest

F32 = exact.FORMATS["f32"]


@pytest.fixture(autouse=True)
def needs_nvrtc():
    if environment()["CUDASIM_REAL_NVRTC"] == "0":
        pytest.skip("nvidia-cuda-nvrtc is not installed")


# Approximations


def precise(opcode, operands):
    """The exact value of an approximation, or None where it is no finite number."""
    name = opcode.partition(".")[0]
    x = [exact.decode(exact.flush(o, F32) if ".ftz" in opcode else o, F32) for o in operands]
    if any(n.kind != "finite" for n in x) or (x[-1].value == 0 and name not in ("sqrt", "ex2")):
        return None
    a = x[0].value
    if name in ("rcp", "div"):
        return 1 / a if name == "rcp" else a / x[1].value
    with decimal.localcontext(prec=140):  # the terms of sin(128) have up to 55 digits before the point
        d = decimal.Decimal(a.numerator) / decimal.Decimal(a.denominator)
        if name == "ex2":
            return (
                Fraction((d * decimal.Decimal(2).ln()).exp()) if abs(a) < 160 and a else Fraction(1) if not a else None
            )
        if name in ("sin", "cos"):
            term, total = (d, decimal.Decimal(0)) if name == "sin" else (decimal.Decimal(1), decimal.Decimal(0))
            for n in range(1 + (name == "sin"), 600, 2):
                total += term
                term *= -d * d / (n * (n + 1))
            return Fraction(total)
        if name == "tanh":
            grown = (2 * d).exp()
            return Fraction((grown - 1) / (grown + 1))
        if a < 0:
            return None
        return Fraction(
            {"sqrt": d.sqrt, "rsqrt": lambda: 1 / d.sqrt(), "lg2": lambda: d.ln() / decimal.Decimal(2).ln()}[name]()
        )


def unit(value):
    exponent = abs(value).numerator.bit_length() - abs(value).denominator.bit_length() if value else -126
    exponent -= value != 0 and abs(value) < Fraction(2) ** exponent
    return Fraction(2) ** (max(exponent, -126) - 23)


def documented_bound(opcode, operands, value):
    """The largest error that the PTX ISA admits."""
    name = opcode.partition(".")[0]
    x = exact.decode(operands[0], F32).value
    relative = {"sqrt": Fraction(1, 2**23), "rsqrt": Fraction(2 ** Fraction(-229, 10)), "lg2": Fraction(1, 2**22)}
    relative["tanh"] = Fraction(1, 2**11)
    if name in ("sin", "cos"):
        return Fraction(2 ** Fraction(-205, 10) if abs(x) <= 2 * math.pi else 2 ** Fraction(-147, 10))
    if name == "lg2" and Fraction(1, 2) < x < 2:
        return Fraction(1, 2**22)
    return relative[name] * abs(value) if name in relative else {"rcp": 1, "ex2": 2, "div": 2}[name] * unit(value)


def approximations():
    rows = [row for row in INSTRUCTIONS if re.search(r"\.(approx|full)", row.opcode) and row.opcode.endswith("f32")]
    return [opcode for row in rows for opcode, _ in opcodes_of(row)]


def operands_for(opcode, chooser):
    two = opcode.startswith("div")
    rows = []
    for _ in range(250):
        exponent = (
            chooser.randrange(110, 134)
            if opcode.startswith(("ex2", "sin", "cos", "tanh"))
            else chooser.randrange(1, 254)
        )
        row = [exponent << 23 | chooser.getrandbits(23) * (chooser.randrange(8) > 0)]
        row += [chooser.randrange(2, 252) << 23 | chooser.getrandbits(23)] if two else []
        rows.append([bits | chooser.getrandbits(1) << 31 for bits in row])
    return rows


@pytest.mark.parametrize("share", ["0", "1:1", "1:2", "0.5:1"])
def test_approximations_stay_within_the_documented_bounds(share, tmp_path):
    """Exact values stay exact; without a share each result is the nearest number."""
    opcodes, chooser = approximations(), random.Random("approx")
    text, kernels, inputs = "", [], []
    for number, opcode in enumerate(opcodes):
        types = ["f32", "f32"] if opcode.startswith("div") else ["f32"]
        rows = operands_for(opcode, chooser)
        statement = f"float r; {asm(opcode, 'f32', types, ['a0', 'a1'][: len(types)])} out[i] = __float_as_uint(r);"
        text += kernel(number, types, [statement])
        kernels.append(([o for row in rows for o in row], len(rows), 1))
        inputs.append(rows)
    judged, moved = 0, 0
    for opcode, rows, got in zip(opcodes, inputs, results(tmp_path, text, kernels, approx=share), strict=True):
        for row, bits in zip(rows, got, strict=True):
            value = precise(opcode, row)
            if value is None or not Fraction(2) ** -125 < abs(value) < Fraction(2) ** 127:
                continue
            if opcode.startswith("div.approx") and abs(exact.decode(row[1], F32).value) > 2**126:
                assert bits & 0x7FFFFFFF == 0
                continue
            found, nearest = exact.decode(bits, F32).value, exact.encode(value, F32)
            error, bound = abs(found - value), documented_bound(opcode, row, value)
            assert error <= bound, (opcode, row, bits, float(error / bound))
            judged += 1
            moved += bits != nearest
            if share == "0" or exact.decode(nearest, F32).value == value:
                assert bits == nearest, (opcode, row, bits, nearest)
    assert judged > 2000
    assert (moved > judged / 10) == (share != "0")


@pytest.mark.parametrize(
    ("opcode", "type_", "function", "bound"),
    [
        ("tanh.approx.f16", "f16", math.tanh, 2**-10.987),
        ("tanh.approx.bf16", "bf16", math.tanh, 2**-8),
        ("ex2.approx.f16", "f16", lambda x: 2**x, 2**-9.9),
        ("ex2.approx.ftz.bf16", "bf16", lambda x: 2**x, 2**-7),
    ],
)
def test_approximations_of_16_bits(opcode, type_, function, bound, tmp_path):
    """Of each number, and of both halves of a pair."""
    f, chooser = exact.FORMATS[type_], random.Random(opcode)
    numbers = [exact.encode(Fraction(chooser.uniform(-4, 4)), f) for _ in range(64)]
    single = f"unsigned short r; {asm(opcode, type_, [type_], ['a0'])} out[2 * i] = r;"
    both = f"unsigned a = in[i] << 16 | in[63 - i]; unsigned r; {asm(opcode + 'x2', 'b32', ['b32'], ['a'])} out[2 * i + 1] = r;"
    (got,) = results(tmp_path, kernel(0, [type_], [single, both]), [(numbers, 64, 2)])
    for i, bits in enumerate(numbers):
        want = function(float(exact.decode(bits, f).value))
        error = abs(float(exact.decode(got[2 * i], f).value) - want)
        assert error <= bound * (want if opcode.startswith("ex2") else 1), (bits, got[2 * i])
        assert got[2 * i + 1] == got[2 * i] << 16 | got[2 * (63 - i)]


def test_equal_operands_give_equal_approximations(tmp_path):
    """The model depends on operands and seed alone, not on the thread or the call."""
    text = kernel(
        0, ["f32"], [f"float r; {asm('rcp.approx.f32', 'f32', ['f32'], ['a0'])} out[i] = __float_as_uint(r);"]
    )
    chooser = random.Random(1)
    numbers = [0x3F800001 + chooser.getrandbits(22) for _ in range(60)]
    job = (numbers + numbers[::-1], 120, 1)
    (one,) = results(tmp_path, text, [job], approx="1:1")
    (two,) = results(tmp_path, text, [job], approx="1:2")
    assert one[:60] == one[60:][::-1] and two[:60] == two[60:][::-1] and one != two


@pytest.mark.parametrize("share", ["0", "1:3"])
def test_seeds_of_double_precision(share, tmp_path):
    """The lower word of a seed is zero; powers of two have exact ones."""
    chooser = random.Random("seed")
    numbers = [struct.unpack("Q", struct.pack("d", chooser.uniform(0.5, 4)))[0] for _ in range(60)]
    numbers += [struct.unpack("Q", struct.pack("d", 4.0**n))[0] for n in range(-30, 30)]
    opcodes = ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64")
    lines = [
        f"double r; {asm(o, 'f64', ['f64'], ['a0'])} out[3 * i + {k}] = __double_as_longlong(r);"
        for k, o in enumerate(opcodes)
    ]
    (got,) = results(tmp_path, kernel(0, ["f64"], lines), [(numbers, len(numbers), 3)], approx=share)
    floats = struct.unpack(f"{len(got)}d", struct.pack(f"{len(got)}Q", *got))
    for i, bits in enumerate(numbers):
        x = struct.unpack("d", struct.pack("Q", bits))[0]
        for k, want in enumerate((1 / x, x**-0.5, x**-0.5)):
            error = abs(floats[3 * i + k] / want - 1)
            assert error == 0 if i >= 60 else error < (2**-19 if k < 2 else 2**-51)
            assert k == 2 or got[3 * i + k] & 0xFFFFFFFF == 0


# Threads


def test_shuffles_of_every_kind_segment_and_distance(tmp_path):
    """shfl as the ISA's pseudocode describes it, with its second result."""
    kinds = ["up", "down", "bfly", "idx"]
    limits = [(kind, n, segment) for kind in kinds for n in (0, 1, 3, 8, 17, 31) for segment in (0, 16, 24, 28)]
    lines = []
    for k, (kind, n, segment) in enumerate(limits):
        clamp = (segment << 8) | (0 if kind == "up" else 31)
        lines.append(
            "unsigned r, v; asm volatile("
            f'"{{ .reg .pred p; shfl.sync.{kind}.b32 %0|p, %2, {n}, {clamp}, 0xFFFFFFFF; selp.u32 %1, 1, 0, p; }}"'
            f' : "=r"(r), "=r"(v) : "r"(a0)); out[{2 * len(limits)} * i + {2 * k}] = r; out[{2 * len(limits)} * i + {2 * k + 1}] = v;'
        )
    (got,) = results(tmp_path, kernel(0, ["u32"], lines), [([100 + i for i in range(32)] * 2, 64, 2 * len(limits))])
    for thread in range(64):
        lane = thread % 32
        for k, (kind, n, segment) in enumerate(limits):
            clamp = 0 if kind == "up" else 31
            most, least = (lane & segment) | (clamp & ~segment & 31), lane & segment
            source = {"up": lane - n, "down": lane + n, "bfly": lane ^ n, "idx": least | (n & ~segment & 31)}[kind]
            valid = source >= most if kind == "up" else source <= most
            want = 100 + (source if valid else lane), int(valid)
            assert (got[2 * (len(limits) * thread + k)], got[2 * (len(limits) * thread + k) + 1]) == want, (
                kind,
                n,
                segment,
                lane,
            )


def test_votes_matches_and_reductions_of_a_block(tmp_path):
    """Every vote, match and reducing barrier, on predicates that differ between lanes."""
    predicate = "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; %s selp.u32 %0, 1, 0, q; }"
    blocks = ("bar", "bar.cta", "barrier", "barrier.cta")
    texts = {
        "vote.sync.any.pred": "vote.sync.any.pred q, p, 0xFFFFFFFF;",
        "vote.sync.all.pred": "vote.sync.all.pred q, p, 0xFFFFFFFF;",
        "vote.sync.uni.pred": "vote.sync.uni.pred q, p, 0xFFFFFFFF;",
        **{f"{b}.red.or.pred": f"{b}.red.or.pred q, 0, p;" for b in blocks},
        **{f"{b}.red.and.pred": f"{b}.red.and.pred q, 0, !p;" for b in blocks},
    }
    plain = {
        "vote.sync.ballot.b32": "{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xFFFFFFFF; }",
        "match.any.sync.b32": "match.any.sync.b32 %0, %1, 0xFFFFFFFF;",
        "match.any.sync.b64": "{ .reg .b64 w; mov.b64 w, {%1, %1}; match.any.sync.b64 %0, w, 0xFFFFFFFF; }",
        "match.all.sync.b32": "{ .reg .pred p; match.all.sync.b32 %0|p, %1, 0xFFFFFFFF; @p add.u32 %0, %0, 3; }",
        "match.all.sync.b64": "{ .reg .b64 w; .reg .pred p; mov.b64 w, {%1, %1}; match.all.sync.b64 %0|p, w, 0xFFFFFFFF; @p add.u32 %0, %0, 2; }",
        "activemask.b32": "{ .reg .u32 m; activemask.b32 m; and.b32 %0, m, 0; add.u32 %0, %0, %1; }",
        **{
            f"{b}.red.popc.u32": f"{{ .reg .pred p; setp.ne.u32 p, %1, 0; {b}.red.popc.u32 %0, 0, p; }}" for b in blocks
        },
    }
    names = [*texts, *plain]
    texts = {name: predicate.replace("%s", text) for name, text in texts.items()} | plain
    threads = {
        name
        for row in INSTRUCTIONS
        for name, _ in opcodes_of(row)
        if re.match(r"vote|match|activemask|bar(rier)?(\.cta)?\.red", name)
    }
    assert threads == set(names)
    lines = [
        f'unsigned r; asm volatile("{texts[name]}" : "=r"(r) : "r"(a0) : "memory"); out[{len(names)} * i + {k}] = r;'
        for k, name in enumerate(names)
    ]
    for values in ([i % 3 for i in range(64)], [0] * 64, [7] * 64):
        (got,) = results(tmp_path, kernel(0, ["u32"], lines), [(values, 64, len(names))])
        for i in range(64):
            warp, value = values[i // 32 * 32 : i // 32 * 32 + 32], values[i]
            set_ = [v != 0 for v in warp]
            same = len(set(warp)) == 1
            want = {
                "any": any(set_),
                "all": all(set_),
                "uni": len(set(set_)) == 1,
                "ballot": sum(s << k for k, s in enumerate(set_)),
                "match.any": sum((v == value) << k for k, v in enumerate(warp)),
                "match.all.sync.b32": 2 if same else 0,
                "match.all.sync.b64": 1 if same else 0,
                "activemask": value,
                "red.or": any(values),
                "red.and": not any(values),
                "popc": sum(v != 0 for v in values),
            }
            for k, name in enumerate(names):
                key = next(key for key in sorted(want, key=len, reverse=True) if key in name)
                assert got[len(names) * i + k] == want[key], (name, i, values[:4])


def test_every_statement_of_the_table_runs(tmp_path):
    """Barriers, fences and what ends a thread; the real assembler knows each of them."""
    statements = [opcode for row in INSTRUCTIONS if row.types == STATEMENT for opcode, _ in opcodes_of(row)]
    operands = {"bar.warp.sync": " 0xFFFFFFFF", "nanosleep.u32": " 10"}
    operands |= {name: " 0" for name in statements if ".wait_group" in name}
    plain = [name for name in statements if ".red." not in name and name not in ("ret", "ret.uni", "trap", "brkpt")]
    lines = [f'asm volatile("{name}{operands.get(name, "")};" ::: "memory");' for name in plain]
    lines += [
        "out[i] = a0 + 1;",
        'asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 5; @p ret; @p exit; @p trap; @!p bra.uni L1; L1: }" :: "r"(a0));',
        "out[i] += 1;",
    ]
    (got,) = results(tmp_path, kernel(0, ["u32"], lines), [([3, 5] * 32, 64, 1)])
    assert got == (5, 6) * 32


# The module


def test_an_unknown_instruction_is_an_error_that_names_it():
    program = """
    text = 'extern "C" __global__ void k(int* p) {{ {body} }}'
    d = Driver()
    try: d.kernel(text, "k")
    except RuntimeError as error: print(error)
    """
    for body, message in [
        ('asm("szext.clamp.s32 %0, 1, 2;" : "=r"(*p));', "does not know: instruction szext.clamp.s32"),
        ('int x; asm("mov.u32 %0, %%pm0;" : "=r"(x)); *p = x;', "does not know: operand %pm0"),
    ]:
        assert message in run(program.format(body=body), runs="ptx")[0]


def test_reports_name_the_line_of_the_cuda_text():
    program = """
    text = '''
    struct alignas(16) V { float x[4]; };
    extern "C" __global__ void k(V* o, int* i, int n) {
        if (n == 1)
            o[threadIdx.x] = V();
        if (n == 2)
            i[threadIdx.x + 5000] = 1;
        if (n == 3 && threadIdx.x < 5)
            __syncthreads();
    }'''
    d = Driver()
    a = d.alloc(4096)
    d.launch(d.kernel(text, "k"), 1, 32, [a + 4, a, c_int({n})])
    print(d.code("cuCtxSynchronize"))
    """
    for n, code, line in ((1, "716", "line 5"), (2, "700", "line 7"), (3, "719", "line 9")):
        out, err = run(program.replace("{n}", str(n)), runs="ptx", check=1)
        assert out == f"{code}\n" and line in err, err


def test_registers_hold_garbage_at_entry_where_accesses_are_checked():
    program = """
    text = 'extern "C" __global__ void k(unsigned* o) { unsigned x; asm volatile("{ .reg .b32 t; mov.b32 %0, t; }" : "=r"(x)); *o = x; }'
    d = Driver()
    a = d.alloc(4)
    d.launch(d.kernel(text, "k"), 1, 1, [a])
    print(hex(ints(d.download(a, 4))[0] & 0xFFFFFFFF))
    """
    assert run(program, runs="ptx", check=1)[0] == "0xcbcbcbcb\n"


def test_parameters_have_the_layout_of_the_ptx():
    """Names, sizes, offsets and alignments of parameters, and the largest block."""
    ptx = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u8 a, .param .align 16 .b8 b[24], .param .u32 c, .param .u64 .ptr .global .align 8 d)
.maxntid 64, 2, 1
{
    ret;
}
"""
    module = translate.Module(ptx)
    module.translate()
    assert module.kernels == {"k": ([1, 24, 4, 8], [0, 16, 40, 48], 56, 128)}


def test_kernels_of_name_expressions_and_variables_of_a_module():
    program = """
    text = '''
    __device__ int table[4] = {1, 2, 3, 4};
    __constant__ float scale = 2.5f;
    template <class T> __global__ void k(T* o) { o[threadIdx.x] = T(table[threadIdx.x] * scale); }'''
    d = Driver()
    module = d.module(d.compile(text, names=["k<double>"]))
    o = d.alloc(32)
    d.launch(d.function(module, d.lowered["k<double>"]), 1, 4, [o])
    print(struct.unpack("4d", d.download(o, 32)))
    """
    assert run(program, runs="ptx")[0] == "(2.5, 5.0, 7.5, 10.0)\n"


def test_rows_do_not_hide_each_other():
    """An opcode has one row: the first that matches would hide others."""
    for row in INSTRUCTIONS:
        if row.meaning == "move":
            continue
        for opcode, _ in opcodes_of(row)[:200]:
            assert look_up(opcode).row == row, opcode


def started(**settings):
    """A program that prints its kernel cache, under `run` with these settings."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CUDASIM_RUNS", "CUDASIM_CHECK", "CUARRAY_CACHE_DIR")}
    command = [str(HERE / "run"), "printenv", "CUARRAY_CACHE_DIR"]
    return subprocess.run(command, env={**kept, **settings}, capture_output=True, text=True)


def test_run_refuses_what_it_cannot_run_from_ptx():
    assert "text or ptx, not sass" in started(CUDASIM_RUNS="sass").stderr
    assert "needs the wheel nvidia-cuda-nvrtc" in started(CUDASIM_RUNS="ptx", CUDASIM_REAL_NVRTC="0").stderr


def test_kernels_from_text_and_from_ptx_lie_apart():
    real = environment()["CUDASIM_REAL_NVRTC"]
    runs = [
        started(CUDASIM_RUNS=kind, CUDASIM_CHECK=check, CUDASIM_REAL_NVRTC=real)
        for kind in ("text", "ptx")
        for check in "01"
    ]
    assert len({done.stdout for done in runs}) == 4 and all(done.returncode == 0 for done in runs)
