"""The modules emath, polynomial, lib, exceptions and typing, which NumPy has beside its main namespace."""

import importlib
import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest

import cuarray
from cuarray import emath, polynomial

BASES = ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")
CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")


def test_every_public_name_is_there():
    for name in ("emath", "exceptions", "lib", "polynomial", *(f"polynomial.{base}" for base in BASES)):
        ours, theirs = importlib.import_module(f"cuarray.{name}"), operator.attrgetter(name)(np)
        public = getattr(theirs, "__all__", None) or [n for n in dir(theirs) if not n.startswith("_")]
        assert not [n for n in public if not hasattr(ours, n)], name
    for name in ("array_utils", "format", "mixins", "npyio", "scimath", "stride_tricks"):
        assert importlib.import_module(f"cuarray.lib.{name}") is getattr(cuarray.lib, name)
    assert cuarray.lib.scimath is emath and cuarray.exceptions.RankWarning is np.exceptions.RankWarning
    assert {"ArrayLike", "DTypeLike", "NDArray"} <= set(dir(cuarray.typing))
    assert cuarray.typing.NDArray[cuarray.float32].__origin__ is cuarray.ndarray
    with pytest.raises(ModuleNotFoundError, match=r"cuarray\.polynomial\.nothing"):
        importlib.import_module("cuarray.polynomial.nothing")


# emath


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", emath.__all__)
def test_emath(name, dtype, device):
    for values in ([1, 2, 3], [-1, 2, -3], [0, 1, 1], [2], []):
        x = np.array([abs(v) for v in values] if dtype[0] in "u?" else values, dtype)
        two = {"logn": [(x, x), (2, x), (-2.0, x)], "power": [(x, x), (x, -2), (x, 3), (-2.0, x), (x, 0.5)]}
        for arguments in two.get(name, [(x,)]):
            with np.errstate(all="ignore"):
                expected = np.asarray(getattr(np.emath, name)(*arguments))
            found = getattr(emath, name)(*(cuarray.asarray(a) if a is x else a for a in arguments))
            assert found.dtype == expected.dtype and found.device == cuarray.device(device)
            tolerance = 1e-2 if dtype == "f2" else 1e-6
            assert np.allclose(found.numpy(), expected, rtol=tolerance, atol=1e-7, equal_nan=True), arguments


# polynomial


def both(call, device):
    """Return an expression of polynomials, evaluated here and by NumPy."""
    host = np.linspace(-1.5, 2.0, 8)
    with cuarray.device(device):
        ours = eval(call, {"P": polynomial, "xp": cuarray, "x": cuarray.asarray(host)})
    return ours, eval(call, {"P": np.polynomial, "xp": np, "x": host})


def assert_same(ours, theirs, device):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, device)
        return
    if hasattr(theirs, "coef"):
        assert type(ours).__name__ == type(theirs).__name__ and str(ours) == str(theirs)
        for name in ("coef", "domain", "window"):
            assert_same(getattr(ours, name), getattr(theirs, name), device)
        return
    theirs = np.asarray(theirs)
    assert isinstance(ours, cuarray.ndarray) and ours.device == cuarray.device(device)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert np.allclose(ours.numpy(), theirs, rtol=1e-10, atol=1e-9)


CALLS = [
    "P.{kind}([1, 2, 3.5])(x)", "P.{kind}([1, 2, 3])(P.{kind}([1, 2]))", "P.{kind}.fit(x, 2 + x**2, 2)", "P.{kind}.basis(3).roots()",
    "P.{kind}([1.5, 2, 3]) * P.{kind}([1, 2])", "divmod(P.{kind}([1, 2, 4]), P.{kind}([1, 2]))", "P.{kind}([1, 2, 3]).integ().deriv(2)",
    "P.{kind}([1, 2, 3], domain=[0, 4]).linspace(5)", "P.{kind}.fromroots([1, 2, 4])", "P.{kind}([1, 2, 3], [0, 4]).convert(kind=P.Polynomial)",
    "P.{kind}([1, 2], symbol='t') ** 3", "P.{kind}([1, 2 + 1j])(x)", "P.{kind}.identity([0, 5])",
    "P.{base}.{short}val2d(x, x, xp.ones((2, 3)))", "P.{base}.{short}vander(x, 3)", "P.{base}.{short}fit(x, x**2, 2, w=x + 3)",
    "P.{base}.{short}val(x, xp.ones((3, 2)))", "P.{base}.{short}grid2d(x[:2], x, xp.ones((2, 3)))", "P.{base}.{short}mulx([1, 2, 3])",
    "P.{base}.{short}companion([1, 2, 4])",
]  # fmt: skip
SHORT = {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "laguerre": "lag", "hermite": "herm",
         "hermite_e": "herme"}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("base", "kind"), list(zip(BASES, CLASSES, strict=True)))
def test_polynomials(base, kind, call, device):
    assert_same(*both(call.format(base=base, kind=kind, short=SHORT[base]), device), device)


def test_polynomials_of_several_devices(device):
    """The intervals of a class lie where the coefficients do, whatever the device was when the module was imported."""
    with cuarray.device("cpu"):
        x, p = cuarray.arange(4.0), polynomial.Legendre([1, 2, 3])
    y = cuarray.arange(4.0)
    q = polynomial.Legendre([1, 2, 3])
    assert p(x).tolist() == q(y).tolist() and p(x).device == cuarray.device("cpu") and q(y).device == y.device
    assert q.domain.device == q.window.device == q.coef.device == y.device and str(p) == str(q)
    assert polynomial.Legendre.fit(y, y, 1).has_samewindow(q)
    r = polynomial.Legendre(p.coef, domain=[0, 4])  # given as a list: on the current device, until it is asked for
    assert r.domain.device == r.coef.device == cuarray.device("cpu") and r(x)[2] == 1 - 1.5
    with cuarray.device("cpu"):
        assert polynomial.Legendre.fit(x, x, 1).has_samewindow(p) and p.deriv().coef.device == p.coef.device


def test_polynomials_are_pickled_and_compared():
    p = polynomial.Chebyshev([1, 2, 3], domain=[0, 2])
    back = pickle.loads(pickle.dumps(p))
    assert back == p and back.domain.tolist() == [0, 2] and p != polynomial.Chebyshev([1, 2, 3])
    text = "import pickle, sys; p = pickle.loads(sys.stdin.buffer.read()); print(p.domain, float(p(1.5)))"
    done = subprocess.run([sys.executable, "-c", text], input=pickle.dumps(p), capture_output=True, check=True)
    assert done.stdout.split() == [b"[0.", b"2.]", str(float(p(1.5))).encode()]


def test_import_asks_nothing_of_numpys_protocols():
    text = "import cuarray as ca; from cuarray import polynomial, emath, lib, typing; ca.ones(2).astype(object)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "TypeError" in done.stderr
