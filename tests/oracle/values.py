"""The arrays of the oracle's rows, and the comparison of both sides of a row."""

import warnings
import zlib

import numpy as np
import oracle
import same

import cuarray

#: Zero, and around the boundaries of blocks, warps and tiles of the kernels.
SIZES = [0, 1, 2, 31, 33, 255, 257, 1023, 1025, 4097, 65_537]
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def seed_of(*what):
    return zlib.crc32(repr(what).encode())


def moderate(dtype, rng, count):
    """Return numbers whose sums and products stay within the type, zero among them."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 10, count).astype(dtype)
    parts = rng.uniform(-2, 2, (2, count))
    return (parts[0] + 1j * parts[1]).astype(dtype) if dtype.kind == "c" else parts[0].astype(dtype)


def arrays(dtype, size, seed):
    """Return the arrays of a row by name, as NumPy's."""
    rng = np.random.default_rng(seed)
    v, w = moderate(dtype, rng, size), moderate(dtype, rng, size)
    rows = int(size**0.5) | 1 if size else 0
    columns = max(size // max(rows, 1), 3 if size == 0 else 1)
    a, b = (np.resize(one, (rows, columns)) for one in (v, rng.permutation(w)))
    deep = max(size // 15, min(size, 1))
    return {
        "v": v, "w": w, "a": a, "b": b, "d": np.resize(rng.permutation(v), (columns, rows)), "s": v.sum(),
        "x": np.resize(w, (3, deep, 5)), "p": np.abs(v) + 1, "t": np.sort(v),
        "i": rng.integers(-size, max(size, 1), (size + 1) // 2), "j": rng.integers(0, max(size, 1), (size + 1) // 2), "m": rng.integers(0, 2, size).astype(bool),
        "k": rng.integers(0, 2, a.shape).astype(bool),
    }  # fmt: skip


def on_device(values, layout):
    """Return the arrays in a layout, on the current device."""
    return {name: layout(value) if np.ndim(value) else cuarray.asarray(value) for name, value in values.items()}


def evaluate(expression, xp, values):
    """Return the value of a row's expression, or its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(expression, {"xp": xp, "np": np, **values})
        except Exception as error:
            return error


def results(value):
    """Return the arrays of a result, possibly nested, as NumPy arrays; other objects are unchanged."""
    if isinstance(value, list | tuple):
        return [one for part in value for one in results(part)]
    return [value.numpy() if isinstance(value, cuarray.ndarray) else value]


def widened(values):
    """Return the values in a wider type, indices and masks unchanged."""
    return {n: x.astype(oracle.wider(x.dtype)) if x.dtype.kind in "fc" else x for n, x in values.items()}


def magnitudes(values):
    return {n: np.abs(x) if x.dtype.kind in "fc" else x for n, x in widened(values).items()}


def check(row, dtype, size, layout, mutate=None):
    """Compare a row's two sides; `mutate` changes cuarray's result, to show that the row would fail.

    Returns whether the mutation changed the result.
    """
    values = arrays(dtype, size, seed_of(row.expression, dtype, size))
    want, got = evaluate(row.reference, np, values), evaluate(row.expression, cuarray, on_device(values, layout))
    if isinstance(want, Exception) or isinstance(got, Exception):
        # For example, the maximum of an empty array.
        assert size == 0, f"{got!r} instead of {want!r}"
        assert isinstance(want, Exception) and isinstance(got, same.public_type(want)), f"{got!r} instead of {want!r}"
        return False
    want, got = results(want), results(got)
    assert len(got) == len(want), f"{len(got)} results instead of {len(want)}"
    inexact = row.off and any(np.asarray(x).dtype.kind in "fc" for x in want)
    exact = results(evaluate(row.reference, np, widened(values))) if inexact else want
    scale = results(evaluate(row.reference, np, magnitudes(values))) if inexact and row.sums else exact
    scale = [np.full(np.shape(one), row.scale) for one in exact] if row.scale else scale
    differs = False
    for ours, theirs, true, size_of in zip(got, want, exact, scale, strict=True):
        if not isinstance(ours, np.ndarray):
            assert mutate or ours == theirs, f"{ours!r} instead of {theirs!r}"
            continue
        mutant = mutate(ours, values) if mutate else ours
        differs |= mutant.shape != ours.shape or not oracle.same_bits(mutant, ours, zeros=False).all()
        compare(mutant, np.asarray(theirs), np.asarray(true), np.asarray(size_of), row.off)
    return differs


def compare(ours, theirs, true, scale, off):
    """Assert type, shape and values; inexact ones within `off` units of the last place of the scale."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), (
        f"{ours.dtype} {ours.shape} instead of {theirs.dtype} {theirs.shape}"
    )
    if not off or ours.dtype.kind not in "fc":
        same = oracle.same_bits(ours, theirs, zeros=False)
        assert same.all(), f"{ours[~same][:3]} instead of {theirs[~same][:3]} at {np.argwhere(~same)[:3].tolist()}"
        return
    eps = np.finfo(ours.dtype).eps
    error, room = np.abs(ours.astype(true.dtype) - true), off * eps * np.abs(scale) + np.finfo(ours.dtype).tiny
    # Equal infinities, and NaN of both, have distance 0.
    near = (error <= room) | oracle.same_bits(ours, true.astype(ours.dtype), zeros=False)
    assert near.all(), f"off by {float(np.max(error / (eps * np.abs(scale) + np.finfo(ours.dtype).tiny))):.3g} units"


#: Mutations of a result. The factor only has an effect on types precise enough for it.
MUTANTS = {
    "zeros": lambda got, values: np.zeros_like(got),
    "the first argument": lambda got, values: np.resize(next(iter(values.values())), got.shape).astype(got.dtype),
    "another last element": lambda got, values: with_another_last(got),
    "a factor of 1.001": lambda got, values: got * got.dtype.type(1.001) if got.dtype.char in "fdFD" else got,
}


def with_another_last(array):
    result = array.copy()
    if result.size:
        last = result.reshape(-1)[-1]
        result.reshape(-1)[-1] = not last if result.dtype == bool else last + result.dtype.type(1)
    return result
