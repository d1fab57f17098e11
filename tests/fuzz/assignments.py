"""assignments.py -- random programs of assignments to slices that overlap what they read, deferred, eager and by NumPy.

    python tests/fuzz/assignments.py --seconds 60 --seed 1 [--count K] [--first I] [--jobs J]
    CUARRAY_JIT=off python tests/fuzz/assignments.py ...

Arrays are compared only at the end of a program, because a comparison would compute what waits. They are large enough
for machine code, which CUARRAY_JIT=off replaces by the block interpreter: the bits must be the same. programs.py has
more operations, on small arrays that are compared after each step.
"""

import contextlib
import math
import os
import sys
import warnings

if __name__ == "__main__":
    os.environ["CUARRAY_FUSE"] = "1"  # everything waits

import batches
import numpy as np
from judge import Difference
from statements import main_function

import cuarray as ca
from cuarray import _core

NAME = "assignments"
NAMES = ("a", "b", "c", "d")
FLOATS, DTYPES = ("f8", "f4"), ("f8", "f4", "i8", "i4", "c16", "u1", "?")
SHAPES = ((2002,), (5002,), (42, 62), (42, 72), (102, 72), (12, 22, 12), (12, 22, 18))

#: weight, then a statement with {placeholders}.
TABLE = """
9 {target} = {term}
4 {target} {op}= {term}
3 xp.add({term}, {term}, out={target}, casting='unsafe')
2 xp.multiply({term}, {term}, out={target}, where={term} > 1, casting='unsafe')
3 v = {view}; e = {term} + v; {target} = e; k = e * 2
3 p = {term} + 1; {target} = p * {term}; q = p + {view}
3 w = {view}; w {op}= {term}; r = w + {view}
2 w = {name}.T; w[...] = {name}.T + w
2 {name}[::-1] = {name} * 2 + 1
3 {name}[{name} > {name}] = {number}
2 m = {term} > 1; {target}[m] = {term}[m]
2 m = {term} > 1; {view}[m] {op}= {number}
1 a, {name} = {name}, a
2 g = {name}.max(); {target} = {term} + (g > 3)
2 s = {name}.copy(); {target} = s[{index}] + {term}; z = s * 1
"""
ROWS = [line.split(" ", 1) for line in TABLE.strip().splitlines()]
WEIGHTS, TEXTS = [int(weight) for weight, _ in ROWS], [text for _, text in ROWS]


class Writer:
    """Fills in the placeholders; all slices of a program's arrays have one shape, two less along each axis."""

    def __init__(self, rng, shape):
        self.rng, self.shape = rng, shape

    def statement(self):
        text = self.rng.choices(TEXTS, WEIGHTS)[0]
        while "{" in text:
            before, _, rest = text.partition("{")
            place, _, after = rest.partition("}")
            text = before + getattr(self, place)() + after
        return text

    def name(self):
        return self.rng.choice(NAMES)

    def op(self):
        return self.rng.choice("+*-")

    def number(self):
        return self.rng.choice(("2", "0.5", "3", "-1"))

    def index(self):
        rng = self.rng
        parts = []
        for extent in self.shape:
            begin = rng.randrange(3)
            if rng.random() < 0.75:
                parts.append(f"{begin}:{extent - 2 + begin}")
            else:
                parts.append(f"{extent - 3 + begin}:{begin - 1 if begin else ''}:-1")
        return ", ".join(parts)

    def view(self):
        return f"{self.name()}[{self.index()}]"

    target = view

    def term(self, depth=0):
        rng = self.rng
        kind = rng.random()
        if depth > 2 or kind < 0.5:
            return self.view()
        one, other = self.term(depth + 1), self.term(depth + 1)
        if kind < 0.58:
            return f"({self.number()} * {one})"
        if kind < 0.68:
            return f"xp.where({one} > 1, {other}, {self.term(depth + 1)})"
        if kind < 0.76:
            return f"xp.{rng.choice(('abs', 'square', 'negative', 'sqrt'))}({one} * 1.0)"
        if kind < 0.82:
            return f"xp.{rng.choice(('minimum', 'maximum'))}({one}, {other})"
        return f"({one} {self.op()} {other})"


def outcome(statements, xp, scope):
    """The arrays that a program leaves, and the errors of its statements, run with a module."""
    names = {"np": np, "xp": xp}
    errors = []
    with scope, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for statement in statements:
            try:
                exec(statement, names)
            except Exception as error:
                errors.append((statement, type(error).__name__))
        return {
            name: np.asarray(x) for name, x in names.items() if isinstance(x, np.ndarray | np.generic | ca.ndarray)
        }, errors


def difference_of(kind, ours, theirs):
    """The first difference of two outcomes; of NaN, the sign does not count."""
    (arrays, errors), (others, other_errors) = ours, theirs
    if errors != other_errors:
        return Difference((kind, "error"), f"{errors} and {other_errors}")
    for name, x in arrays.items():
        y = others[name]
        if x.dtype != y.dtype or x.shape != y.shape:
            return Difference((kind, "dtype"), f"{name}: {x.dtype} {x.shape} and {y.dtype} {y.shape}")
        if not np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"):
            at = np.argwhere(~((x == y) | ((x != x) & (y != y))))[0].tolist()
            return Difference((kind, "values"), f"{name}{at}: {x[tuple(at)]!r} and {y[tuple(at)]!r}")
    return None


def replay(statements, device):
    """Run statements deferred, eagerly and with NumPy; return the Differences."""
    eager = outcome(statements, ca, ca.eager())
    # A chain has machine code when it runs a second time.
    found = [difference_of(f"deferred, {time} time", outcome(statements, ca, contextlib.nullcontext()), eager)
             for time in ("first", "second")]  # fmt: skip
    # Promotion with bools and what does not fit into integers is compared by programs.py.
    if not any(f"astype({dtype!r})" in text for text in statements for dtype in DTYPES if dtype not in FLOATS):
        found.append(difference_of("numpy", eager, outcome(statements, np, contextlib.nullcontext())))
    return [difference for difference in found if difference]


def case(rng, device, trace):
    """Make and run one program; yield its findings."""
    if not _core.is_pending(ca.ones(2000) + 1):
        raise RuntimeError("nothing waits: run this file as a program, on cpu")
    shape = rng.choice(SHAPES)
    # No random numbers of NumPy's: a program that is made shorter must stay the same program.
    statements = [f"{name} = (xp.arange({math.prod(shape)}) * {rng.randrange(1, 50)} % 5).reshape({shape}).astype({rng.choice(FLOATS * 4 + DTYPES)!r})"
                  for name in NAMES]  # fmt: skip
    writer = Writer(rng, shape)
    statements += [writer.statement() for _ in range(rng.randrange(2, 10))]
    trace(statements)
    for difference in replay(statements, device):
        yield difference, statements


def function_of(statements):
    return main_function(statements[-1])


if __name__ == "__main__":
    sys.exit(batches.main(sys.modules[__name__]))
