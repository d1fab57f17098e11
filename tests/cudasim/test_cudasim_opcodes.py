"""Every opcode of the simulator's table of PTX instructions, against exact arithmetic.

The opcodes stand as inline PTX in CUDA text, so that the real compiler and assembler judge whether they exist.
"""

import itertools
import random
from collections import defaultdict

import ptx_exact as exact
import pytest
from ptx_opcodes import agrees, as_bits, asm, kernel, register, results
from simulated import environment

import instructions  # isort: skip

COUNT = 160
LOGICAL_TABLES = (0x96, 0xE8, 0x1B)


@pytest.fixture(autouse=True)
def needs_nvrtc():
    if environment()["CUDASIM_REAL_NVRTC"] == "0":
        pytest.skip("nvidia-cuda-nvrtc is not installed")


def computed_opcodes():
    """The opcodes that compute a result from registers, without approximations and carries."""
    found = []
    for row in instructions.INSTRUCTIONS:
        name = row.opcode.partition(".")[0]
        special = row.types == instructions.STATEMENT or (
            row.types == instructions.SPECIAL and row.meaning not in ("move", "compare", "set")
        )
        apart = (
            name in ("vote", "match", "activemask", "cvta", "isspacep", "mbarrier")
            or ".approx" in row.opcode
            or ".full" in row.opcode
        )
        if not special and not apart and "carry" not in row.meaning:
            found += [opcode for opcode, _ in instructions.opcodes_of(row)]
    return sorted(set(found))


def carry_opcodes():
    rows = [row for row in instructions.INSTRUCTIONS if "carry" in row.meaning]
    return sorted({opcode for row in rows for opcode, _ in instructions.opcodes_of(row)})


# Operands


def interesting(type_, chooser):
    """One operand: special values more often than random ones."""
    n = exact.width(type_)
    if type_ == "pred":
        return chooser.getrandbits(1)
    if type_ in exact.FORMATS:
        f = exact.FORMATS[type_]
        one = f.bias << f.fraction
        specials = [
            0,
            1,
            (1 << f.fraction) - 1,
            1 << f.fraction,
            f.infinity - 1,
            f.infinity,
            f.infinity + 1,
            f.infinity | 1 << (f.fraction - 1),
        ]
        specials += [one, one + 1, one - 1, one + (1 << (f.fraction - 1)), one - (1 << f.fraction)]
        near = [
            exact.encode(exact.Fraction(x) / 2, f)
            for x in (*range(3, 12), 2**9 - 1, 2**17 - 1, 2**33 - 1, 2**64 - 1, 2**65 - 1)
        ]
        kind = chooser.randrange(4)
        if kind == 0:
            bits = chooser.choice(specials)
        elif kind == 1:
            bits = chooser.choice(near) + chooser.randrange(-1, 2)
        elif kind == 2:
            bits = one + chooser.randrange(-6 << f.fraction, 6 << f.fraction)
        else:
            bits = chooser.getrandbits(n)
        return (bits & (f.sign - 1)) | (f.sign if chooser.getrandbits(1) else 0)
    specials = [
        0,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        65,
        255,
        256,
        257,
        (1 << n) - 1,
        1 << (n - 1),
        (1 << (n - 1)) - 1,
        (1 << (n - 1)) + 1,
    ]
    value = chooser.choice(specials) if chooser.getrandbits(1) else chooser.getrandbits(n) >> chooser.randrange(n)
    return value & ((1 << n) - 1)


def limits(type_):
    """Zeros, infinities, NaN and 1; or the extreme integers."""
    n = exact.width(type_)
    if type_ in exact.FORMATS:
        f = exact.FORMATS[type_]
        return [0, f.sign, f.infinity, f.sign | f.infinity, f.infinity | 1 << (f.fraction - 1), f.bias << f.fraction]
    return [0, 1] if type_ == "pred" else [0, (1 << n) - 1, 1 << (n - 1), (1 << (n - 1)) - 1]


def ties(type_, chooser):
    """Two operands whose product is halfway between two numbers, and one that decides: a tiny one, or zero."""
    f = exact.FORMATS[type_]
    place = chooser.randrange(1, f.fraction + 1)
    a, b = (exact.encode(1 + exact.Fraction(1, 2**n), f) for n in (place, f.fraction + 1 - place))
    return [a, b, chooser.choice([0, 1, f.sign | 1, 1 << f.fraction, f.sign | 1 << f.fraction])]


def tuples(types, chooser):
    """COUNT tuples of operands; the first are combinations of limits, and ties of three numbers."""
    combinations = [list(row) for row in itertools.product(*map(limits, types))]
    first = chooser.sample(combinations, min(len(combinations), COUNT // 2))
    if len(types) == 3 and set(types) <= exact.FORMATS.keys():
        first += [ties(types[0], chooser) for _ in range(COUNT // 8)]
    return first + [[interesting(t, chooser) for t in types] for _ in range(COUNT - len(first))]


def defined(opcode, operands):
    """Whether PTX defines the result: division by zero, and a quotient out of range, are not."""
    words = opcode.split(".")
    if words[0] in ("div", "rem") and words[-1] not in exact.FORMATS:
        a, b = (exact.signed(o, words[-1]) for o in operands)
        return b != 0 and not (b == -1 and a == -(1 << (exact.width(words[-1]) - 1)))
    return True


def computed_groups():
    """The opcodes of each signature, in groups of parts of the table."""
    groups = defaultdict(list)
    for opcode in computed_opcodes():
        words = opcode.split(".")
        group = "conversions" if words[0] == "cvt" else "comparisons" if words[0] in ("setp", "set") else words[-1]
        groups[group].append(opcode)
    return groups


@pytest.mark.few
@pytest.mark.parametrize("group", sorted(computed_groups()))
def test_opcodes_against_exact_arithmetic(group, tmp_path):
    chooser = random.Random(group)
    by_signature = defaultdict(list)
    for opcode in computed_groups()[group]:
        target, sources = exact.signature(opcode)
        if opcode == "lop3.b32":
            by_signature[target, tuple(sources[:3])] += [(opcode, f", {table}") for table in LOGICAL_TABLES]
        else:
            by_signature[target, tuple(sources)].append((opcode, ""))
            if opcode.startswith("setp") and not opcode.endswith("f16"):  # those have no second result
                by_signature[target, tuple(sources)].append((opcode, "|"))
    text, kernels, cases = "", [], []
    for number, ((target, sources), opcodes) in enumerate(by_signature.items()):
        operands = tuples(sources, chooser)
        statements = []
        for k, (opcode, more) in enumerate(opcodes):
            names = [f"a{i}" for i in range(len(sources))]
            guard = (
                "if (a1 != 0 && !(a1 + 1 == 0)) "
                if opcode.startswith(("div", "rem")) and sources[0] not in exact.FORMATS
                else ""
            )
            statement = f"{register(target)[1]} r; {asm(opcode, target, sources, names, more)} out[{len(opcodes)}ull * i + {k}] = {as_bits(target, 'r')};"
            statements.append(f"{guard}{{ {statement} }}")
        text += kernel(number, sources, statements)
        kernels.append(([o for row in operands for o in row], COUNT, len(opcodes)))
        cases.append((target, opcodes, operands))
    wrong = []
    for (target, opcodes, operands), got in zip(cases, results(tmp_path, text, kernels), strict=True):
        for i, row in enumerate(operands):
            for k, (opcode, more) in enumerate(opcodes):
                if opcode.startswith(("div", "rem")) and not defined(opcode, row):
                    continue
                if (
                    opcode.startswith(("div", "rem"))
                    and opcode[-3] in "us"
                    and row[1] == (1 << exact.width(opcode[-3:])) - 1
                ):
                    continue
                every = [*row, int(more[2:])] if opcode == "lop3.b32" else row
                if opcode.startswith("setp"):
                    want = exact.compared(opcode.split("."), every)[more == "|"]
                else:
                    want = exact.expected(opcode, every)
                value = got[len(opcodes) * i + k]
                if not agrees(value, want, target):
                    shown = want if want == exact.ANY_NAN else hex(want)
                    wrong.append(f"{opcode}{more} {[hex(o) for o in every]}: {value:#x}, not {shown}")
    assert not wrong, "\n".join(wrong[:20])


def test_carries_against_exact_arithmetic(tmp_path):
    """Each instruction between one that sets the flag and one that reads it."""
    chooser = random.Random("carry")
    text, kernels, cases = "", [], []
    for number, type_ in enumerate(("u32", "s32", "u64", "s64")):
        opcodes = [opcode for opcode in carry_opcodes() if opcode.endswith(type_)]
        same = [type_] * 3
        operands = tuples([*same, "pred"], chooser)
        statements = []
        for k, opcode in enumerate(opcodes):
            count = len(exact.signature(opcode)[1])
            sources = ", ".join(f"%{i + 2}" for i in range(count))
            constraint, c_type = register(type_)
            inputs = ", ".join(f'"{constraint}"(a{i})' for i in range(count))
            statements.append(
                f"{c_type} r; unsigned c; asm volatile("
                f'"{{ .reg .u32 t; add.cc.u32 t, %{count + 2}, 0xFFFFFFFF; {opcode} %0, {sources}; addc.u32 %1, 0, 0; }}"'
                f' : "=&{constraint}"(r), "=&r"(c) : {inputs}, "r"(a3)); '
                f"out[{2 * len(opcodes)}ull * i + {2 * k}] = r; out[{2 * len(opcodes)}ull * i + {2 * k + 1}] = c;"
            )
        text += kernel(number, [*same, "pred"], statements)
        kernels.append(([o for row in operands for o in row], COUNT, 2 * len(opcodes)))
        cases.append((type_, opcodes, operands))
    wrong = []
    for (type_, opcodes, operands), got in zip(cases, results(tmp_path, text, kernels), strict=True):
        for i, row in enumerate(operands):
            for k, opcode in enumerate(opcodes):
                count = len(exact.signature(opcode)[1])
                want = exact.with_carry(opcode.split("."), row[:count], row[3])
                found = got[2 * (len(opcodes) * i + k)], got[2 * (len(opcodes) * i + k) + 1]
                if not (agrees(found[0], want[0], type_) and found[1] == want[1]):
                    wrong.append(f"{opcode} {[hex(o) for o in row]}: {found}, not {want}")
    assert not wrong, "\n".join(wrong[:20])
