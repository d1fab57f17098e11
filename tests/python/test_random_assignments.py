"""Random programs that assign chains to slices: the values with deferral are those of `cuarray.eager()`, bit for bit."""

import contextlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cuarray

NAMES = "abcd"
DTYPES = ["f8", "f4"] * 4 + ["i8", "i4", "c16", "u1", "?"]
SHAPES = [(20_002,), (33_000,), (152, 130), (130, 152), (30, 32, 24)]


class Program:
    """Statements drawn from a seed. Slices of one axis have the same length at several places, in both directions."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.shape = self.draw.choice(SHAPES)
        rng = np.random.default_rng(seed)
        self.values = {name: rng.integers(0, 5, self.shape).astype(self.draw.choice(DTYPES)) for name in NAMES}
        self.statements = [self.statement(step) for step in range(self.draw.randrange(2, 9))]

    def __str__(self):
        types = {name: str(value.dtype) for name, value in self.values.items()}
        return "\n".join([f"# {self.shape}, {types}", *self.statements])

    def name(self):
        return self.draw.choice(NAMES)

    def part(self):
        """An index of extents that are 2 smaller, anywhere inside, forwards or backwards."""
        texts = []
        for extent in self.shape:
            begin = self.draw.randrange(3)
            end = begin + extent - 2
            backwards = f"{end - 1}:{begin - 1 if begin else ''}:-1"
            texts.append(backwards if self.draw.random() < 0.25 else f"{begin}:{end}")
        return f"[{', '.join(texts)}]"

    def view(self):
        return self.name() + self.part()

    def term(self, depth=0):
        kind = self.draw.random()
        if depth > 2 or kind < 0.55:
            return self.view()
        if kind < 0.6:
            return f"{self.draw.choice([2, 0.5, 3])} * {self.view()}"
        if kind < 0.7:
            return f"xp.where({self.term(depth + 1)} > 1, {self.term(depth + 1)}, {self.term(depth + 1)})"
        if kind < 0.8:
            return f"xp.{self.draw.choice(['abs', 'square', 'negative'])}({self.term(depth + 1)} * 1.0)"
        return f"({self.term(depth + 1)} {self.draw.choice('+*')} {self.term(depth + 1)})"

    def statement(self, step):
        kind, to = self.draw.random(), self.name()
        if kind < 0.45:
            return f"{to}{self.part()} = {self.term()}"
        if kind < 0.6:
            return f"{to}{self.part()} {self.draw.choice(['+=', '*='])} {self.term()}"
        if kind < 0.68:
            return f"xp.add({self.term()}, {self.term()}, out={to}{self.part()}, casting='unsafe')"
        if kind < 0.76:
            # The value and a view have names, and are read afterwards.
            return f"v = {self.view()}; e = {self.term()} + v; {to}{self.part()} = e; r{step} = e * 2"
        if kind < 0.84:
            # A reader of the old values is pending when they are overwritten.
            return f"r{step} = {self.term()} + 1; {to}{self.part()} = r{step} * {self.term()}; s{step} = r{step} + {self.view()}"
        if kind < 0.9:
            return f"w = {to}.T; w[...] = {self.name()}.T + w"
        if kind < 0.95:
            return f"{to}, a = a, {to}"
        return f"r{step} = {to}.sum(); {to}{self.part()} = {self.term()} + (r{step} > 3)"

    def run(self, device, mode):
        """The arrays afterwards, and the statements that raised."""
        with cuarray.device(device), mode, np.errstate(all="ignore"):
            names = {name: cuarray.array(value) for name, value in self.values.items()} | {"xp": cuarray}
            errors = []
            for text in self.statements:
                try:
                    exec(text, names)
                except (TypeError, NameError) as error:
                    errors.append(f"{type(error).__name__} {text}")
            return {k: x.numpy() for k, x in names.items() if isinstance(x, cuarray.ndarray)}, errors


def compare(seeds, device):
    """Assert that the programs give the same with deferral and without."""
    for seed in seeds:
        program = Program(seed)
        want, errors = program.run(device, cuarray.eager())
        got, others = program.run(device, contextlib.nullcontext())
        assert errors == others and want.keys() == got.keys(), f"seed {seed}\n{program}"
        for name, value in want.items():
            np.testing.assert_array_equal(got[name], value, f"{name} of seed {seed}\n{program}", strict=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shard", range(10))
def test_assignments(shard, device, full):
    count = 4 if device != "cpu" else 3000 if full else 30
    compare(range(shard, 10 * count, 10), device)


@pytest.mark.parametrize("jit", ["off", "avx2"])
def test_assignments_by_other_code(jit, full):
    """The settings are read once in a process."""
    program = f"import test_random_assignments as t; t.compare(range({3000 if full else 100}), 'cpu')"
    run = [sys.executable, "-W", "ignore", "-c", program]
    subprocess.run(run, cwd=Path(__file__).parent, env={**os.environ, "CUARRAY_JIT": jit}, check=True)
