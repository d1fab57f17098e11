"""Subclasses of numpy.ndarray with cuarray's arrays: masked arrays, matrices, and user-defined ones."""

import io

import numpy as np
import pytest
from foreign import (
    READING,
    faults_of_mixing,
    faults_of_operators,
    faults_of_reading,
    faults_of_refusing,
    outcome,
)

import cuarray

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")


class Plain(np.ndarray):
    """Only numbers."""


class Tagged(np.ndarray):
    """Propagates an attribute."""

    def __array_finalize__(self, source):
        self.tag = getattr(source, "tag", "none")

    def __repr__(self):
        return f"{self.tag} {np.asarray(self)}"


class Loud(np.ndarray):
    """Handles ufunc calls itself, and only accepts NumPy arrays."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if any(isinstance(x, cuarray.ndarray) for x in inputs):
            return NotImplemented
        numbers = [np.asarray(x) if isinstance(x, Loud) else x for x in inputs]
        result = getattr(ufunc, method)(*numbers, **kwargs)
        return result.view(Loud) if isinstance(result, np.ndarray) else result

    def __repr__(self):
        return f"loud {np.asarray(self)}"


def tagged():
    x = np.array([1.0, 2, 3]).view(Tagged)
    x.tag = "mine"
    return x


def masked():
    return np.ma.array([1.0, 2, 3], mask=[0, 1, 0])


CLASSES = {
    "masked": masked,
    "one masked": lambda: np.ma.masked,
    "nothing masked": lambda: np.ma.array([1.0, 2, 3]),
    "matrix": lambda: np.matrix([1.0, 2, 3]),
    "tagged": tagged,
    "loud": lambda: np.array([1.0, 2, 3]).view(Loud),
    "memmap": lambda: np.array([1.0, 2, 3]).view(np.memmap),
}
REFUSED = ("masked", "one masked", "nothing masked", "matrix", "loud")


@pytest.mark.parametrize("axes", [1, 0])
@pytest.mark.parametrize("name", CLASSES)
def test_operators(name, axes, device):
    faults = faults_of_operators(CLASSES[name], axes)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_ours(name, device):
    faults = faults_of_refusing(CLASSES[name]) if name in REFUSED else faults_of_reading(CLASSES[name])
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_numpy(name, device):
    faults = faults_of_mixing(CLASSES[name])
    assert not faults, "\n".join(faults)


def test_masks_come_through():
    x = cuarray.ones(3, device="cpu")
    for result in (
        x + masked(),
        masked() + x,
        x * masked(),
        x == masked(),
        x < masked(),
        np.ma.add(x, masked()),
    ):
        assert isinstance(result, np.ma.MaskedArray) and result.mask.tolist() == [False, True, False]


def test_in_place_operators_write_the_same_memory():
    x = cuarray.ones(3, device="cpu")
    seen, total = x[:2], x
    total += CLASSES["loud"]()
    assert type(total) is Loud and seen.tolist() == [2, 3], "as in NumPy, where the class returns its own"
    total = x
    total *= tagged()
    assert total is x and seen.tolist() == [2, 6]


def test_what_is_refused_everywhere(device):
    x = cuarray.ones(3)
    calls = [
        lambda f: x.__setitem__(slice(None), f), lambda f: x.__setitem__(f == f, 1), lambda f: x[f == f], lambda f: x.fill(f),
        lambda f: cuarray.copyto(x, f), lambda f: cuarray.add(x, 1, out=f), lambda f: cuarray.add(x, 1, where=f == f),
        lambda f: x.sum(where=f == f), lambda f: x.take(f), lambda f: cuarray.asarray([[1, 2, 3], f]), lambda f: cuarray.array((f,)),
        lambda f: cuarray.asarray(f, dtype="f4"), lambda f: cuarray.full(3, f), lambda f: x.dot(f), lambda f: x.clip(f, 2),
        lambda f: np.add(x, f), lambda f: np.add(1, f, out=x), lambda f: cuarray.from_dlpack(f), lambda f: cuarray.histogram(x, f),
        lambda f: cuarray.savetxt(io.StringIO(), f), lambda f: cuarray.pad(x, f), lambda f: cuarray.repeat(x, f),
        lambda f: cuarray.add.reduceat(x, f), lambda f: cuarray.partition(x, f), lambda f: cuarray.delete(x, f),
        lambda f: cuarray.testing.assert_allclose(x, f), lambda f: cuarray.pad(x, 1, constant_values=f),
    ]  # fmt: skip
    for make in (masked, CLASSES["matrix"]):
        for number, call in enumerate(calls):
            with pytest.raises(TypeError):
                call(make())
                pytest.fail(f"call {number} on {make()!r}")
    assert x.tolist() == [1, 1, 1]


#: Functions that query a type, a shape or memory, or read bytes; and those whose arguments are not arrays.
ASKING = ("common_type", "frombuffer", "fromiter", "iscomplexobj", "isfortran", "isrealobj", "isscalar", "iterable", "may_share_memory", "min_scalar_type",
          "mintypecode", "ndim", "printoptions", "set_printoptions", "shape", "shares_memory", "size")  # fmt: skip


def test_no_public_function_reads_past_a_mask():
    """Every function with masked arrays as its array arguments; a cuarray result would have lost the mask."""
    with cuarray.device("cpu"):
        x, m = cuarray.ones(3), masked()
        patterns = [(m,), (m, m), (x, m), (m, x), ([m],), ((m, m),), (m, 1), (m, 0, 1)]
        results = [
            (name, number, outcome(getattr(cuarray, name), *args))
            for name in cuarray.__all__
            if callable(getattr(cuarray, name)) and not isinstance(getattr(cuarray, name), type) and name not in ASKING
            for number, args in enumerate(patterns)
        ]
    wrong = [
        f"{name} of pattern {number}: {result!r}"
        for name, number, result in results
        if isinstance(result, (cuarray.ndarray, tuple, list, int, float)) and name not in ("lexsort", "real_if_close")
    ]
    assert not wrong, "\n".join(wrong)


def test_matrices_and_masks_are_named(device):
    x = cuarray.ones(3)
    for call in (
        lambda: x * np.matrix([1.0]),
        lambda: np.matrix([1.0]) * x,
        lambda: cuarray.sum(np.matrix([1.0])),
    ):
        with pytest.raises(TypeError, match=r"numpy\.matrix.*write numpy\.asarray\(m\)"):
            call()
    for call in (
        lambda: cuarray.sum(masked()),
        lambda: x.__iadd__(masked()),
        lambda: np.sum(x, where=masked()),
        lambda: x[masked()],
        lambda: x[np.ma.masked],
        lambda: cuarray.vectorize(lambda n: n * 2)(masked()),
        lambda: cuarray.frompyfunc(lambda n: n * 2, 1, 1)(masked()),
    ):
        with pytest.raises(TypeError, match=r"masked array.*write m\.filled\(value\)"):
            call()


def test_a_class_that_says_no_more_than_its_numbers_is_a_numpy_array():
    plain = np.array([1.0, 2, 3]).view(Plain)
    x = cuarray.ones(3, device="cpu")
    assert (x + plain).tolist() == [2, 3, 4] and cuarray.sum(plain) == 6 and (plain * x).tolist() == [1, 2, 3]
    assert len(READING) > 60


def test_our_class_has_no_subclasses():
    with pytest.raises(TypeError, match=r"cuarray\.ndarray' is not an acceptable base type"):
        type("Mine", (cuarray.ndarray,), {})


def test_views_as_other_classes():
    x = cuarray.arange(6.0, device="cpu")
    seen = x.view(np.ndarray)
    seen[0] = 9
    assert type(seen) is np.ndarray and x[0] == 9
    assert type(x.view(type=Tagged)) is Tagged and x.view("i8", np.ndarray).dtype == "i8"
    assert type(x.view(cuarray.ndarray)) is cuarray.ndarray and x.view("f4").size == 12
    for wrong in (list, 5):
        with pytest.raises(TypeError):
            x.view("f8", wrong)
    for gpu in (d for d in cuarray.devices() if d != "cpu"):
        with pytest.raises(TypeError, match=r"x\.numpy\(\)"):
            cuarray.ones(3, device=gpu).view(np.ndarray)
