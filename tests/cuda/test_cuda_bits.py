"""Kernels from text and from the PTX of the real NVRTC give the same bits, wherever no function of a library is in them."""

import sys
from datetime import date

import backend_program
import pytest

#: Prints a checksum of the bits of each result. Arrays have every kind of number, and no length that tiles like.
PROGRAM = """
import sys, zlib
sys.path.insert(0, "tests/python")
import ml_dtypes, numpy as np
import cuarray as ca
import oracle, test_ufuncs
from cuarray import _core

def show(name, *results):
    for x in results:
        if x.dtype.kind in "fcV":
            x = ca.where(x != x, ca.ones((), x.dtype), x)  # payloads of NaNs are not specified
        print(name, x.dtype, x.shape, zlib.crc32(np.ascontiguousarray(x.numpy()).tobytes()))

def numbers(dtype, *shape):
    rng, dtype = np.random.default_rng(sum(shape)), np.dtype(dtype)
    if dtype.kind in "biu":
        return ca.asarray(rng.integers(0, 100, shape).astype(dtype))
    x = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)
    return ca.asarray((x + 1j * rng.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype))

def some(parts):
    "All of them, or one of ten, chosen by the number."
    return parts if sys.argv[1] == "all" else parts[int(sys.argv[1]) % 10::10]

FLOATS = ("f2", ml_dtypes.bfloat16, "f4", "f8")
WITHOUT_LIBRARY = "multiply divide square reciprocal floor_divide".split()

for row, ins, outs in some([(row, *loop) for row in _core.rows() for loop in row["loops"]]):
    types = [np.dtype(_core.dtype(t)) for t in (ins[0], *outs)]
    if all(row["name"] in WITHOUT_LIBRARY or not oracle.limit(row["name"], types[0], t, "cuda") for t in types[1:]):
        inputs = test_ufuncs.sample(row, ins, np.random.default_rng(5), 1501)
        made = _core.ufuncs[row["name"]](*map(ca.asarray, inputs))
        show(row["name"], *(made if isinstance(made, tuple) else [made]))

for dtype in some([*FLOATS, "c8", "c16", "i1", "u4", "i8", "?"]):
    x, y = numbers(dtype, 137, 211), numbers(dtype, 211, 65)
    for axis in (None, 0, 1):
        for name in "sum prod min max mean var argmax any count_nonzero".split():
            if name != "var" or x.dtype != np.bool_:
                show(name, getattr(ca, name)(x, axis=axis))
    show("cumsum", ca.cumsum(x, axis=0), ca.cumsum(x, axis=1), ca.cumsum(x))
    with ca.deterministic():
        show("matmul", x @ y, x[0] @ y, ca.einsum("ij,ij->i", x, x))
    show("sort", ca.sort(x, axis=0), ca.argsort(x.ravel()), ca.unique(x))
    show("take", x[::-2, 3:], x[ca.arange(5, 60, 7)], x[x == x[0]], ca.roll(x, 7, 1))
    show("fused", ca.fuse(lambda a: (a * a + a) * a)(x), ca.fuse(lambda a: (a * a + a).sum(0))(x))
for dtype in FLOATS[2:]:
    x = numbers(dtype, 5003)
    show("statistics", ca.histogram(x, 30)[0], ca.searchsorted(ca.sort(x), x), ca.convolve(x, x[:9]), ca.median(x), ca.diff(x))
for rng in ca.random.default_rng(5), ca.random.Generator(ca.random.Philox(5)):
    for name in "random standard_normal standard_exponential".split():
        show(name, getattr(rng, name)(1001), getattr(rng, name)(1001, "f4"))
    show("integers", rng.integers(7, size=1001), rng.permutation(1001), rng.integers(0, 200, 1001, "u1"))
# The other draws of a PCG64 are made by the library's exp, log and pow; those of Philox are not.
draws = {"gamma": (0.5, 2.0), "poisson": (30.0,), "binomial": (50, 0.3), "gumbel": (), "vonmises": (1.0, 3.0), "zipf": (2.0,), "beta": (0.2, 0.3)}
for name, parameters in draws.items():
    show(name, getattr(rng, name)(*parameters, size=1001))
"""


@pytest.mark.rest
def test_text_and_ptx_give_the_same_bits(full):
    part, said = "all" if full else date.today().toordinal(), {}
    for runs in ("text", "ptx"):
        done = backend_program.run([sys.executable, "-c", PROGRAM, part], CUDASIM_RUNS=runs, CUARRAY_DEVICE="cuda")
        assert done.returncode == 0, done.stderr[-4000:]
        said[runs] = done.stdout.splitlines()
    assert len(said["text"]) > (1000 if full else 100)
    assert [pair for pair in zip(said["text"], said["ptx"], strict=True) if pair[0] != pair[1]] == []
