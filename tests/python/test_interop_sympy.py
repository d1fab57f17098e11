"""SymPy: values of arrays are its numbers, exact and of their precision, as NumPy's scalars are."""

import numpy as np
import pytest
from foreign import need

import cuarray

CALLS = {
    "power": lambda sympy, a, xp: a ** xp.arange(3)[2],
    "product": lambda sympy, a, xp: xp.arange(3)[2] * a,
    "substitution": lambda sympy, a, xp: (a**2).subs(a, xp.arange(4)[3]),
    "square root": lambda sympy, a, xp: sympy.sqrt(xp.arange(3)[2]),
    "sympify": lambda sympy, a, xp: sympy.sympify(xp.asarray([7], dtype="u1")[0]),
    "bool": lambda sympy, a, xp: sympy.sympify(xp.asarray([True])[0]),
    "half": lambda sympy, a, xp: a * xp.asarray([1.1], dtype="f2")[0],
    "single": lambda sympy, a, xp: a - xp.asarray([1.1], dtype="f4")[0],
    "double": lambda sympy, a, xp: sympy.sympify(xp.asarray([1.1])[0]),
    "complex": lambda sympy, a, xp: sympy.sympify(xp.asarray([1.5 + 2j])[0]),
    "sum": lambda sympy, a, xp: a + xp.ones(3).sum(),
    "rational": lambda sympy, a, xp: sympy.Rational(xp.arange(3)[2], 3),
    "factorial": lambda sympy, a, xp: sympy.factorial(xp.arange(5)[4]),
    "derivative": lambda sympy, a, xp: sympy.diff(a**4, a, xp.arange(3)[2]),
    "matrix": lambda sympy, a, xp: sympy.Matrix(2, 2, xp.arange(4)),
    "matrix of rows": lambda sympy, a, xp: sympy.Matrix(xp.ones((2, 2))),
    "array": lambda sympy, a, xp: sympy.Array(xp.arange(4)),
    "polynomial": lambda sympy, a, xp: sympy.Poly([xp.arange(3)[2], 1], a),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_numpys_scalars(name):
    need("sympy")
    import sympy

    a = sympy.Symbol("a")
    with cuarray.device("cpu"):
        ours = CALLS[name](sympy, a, cuarray)
    theirs = CALLS[name](sympy, a, np)
    assert sympy.srepr(ours) == sympy.srepr(theirs)


def test_arrays_are_no_numbers(device):
    need("sympy")
    import sympy

    x = cuarray.ones((2, 2), device=device)
    with pytest.raises(sympy.SympifyError, match="shape"):
        sympy.sympify(x)
    with pytest.raises(TypeError):
        sympy.Symbol("a") * x
    value = cuarray.asarray([3, 4], device=device)[1]
    assert sympy.sympify(value) == 4
    bfloat16 = cuarray.asarray([1.1], dtype="bfloat16", device=device)[0]
    assert float(sympy.sympify(bfloat16)) == float(bfloat16)
