"""Docstrings of ufuncs, generated from the rows of the table."""

import re
from functools import cache
from inspect import Parameter, Signature, signature

import numpy as np

from cuarray import _core

#: Arguments of the examples, by kind of dtype; the first that gives only finite results is used.
SAMPLES = {
    "b": [([True, True, False], [True, False, False], [False, True, True])],
    "i": [([6, 7, 8], [2, 2, 3], [9, 9, 9])],
    "f": [
        ([0.25, 0.5, 0.75], [0.5, 0.25, 2.0], [1.0, 1.0, 1.0]),
        ([1.25, 2.5, 4.0], [1.0, 2.0, 3.0], [5.0, 5.0, 5.0]),
    ],
}
#: Loops to use in examples, if the row has them.
SHOWN = ("float64", "int64", "bool")
#: NumPy's names of two inputs. The rows of the table call theirs x, y and z.
PAIR = {"x": "x1", "y": "x2"}
#: Functions of NumPy's that take their argument by name, too.
NAMED = {"real": "val", "imag": "val"}
#: The keywords that all ufuncs take besides out, and their defaults.
KEYWORDS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": None}


@cache
def rows_by_name():
    return {row["name"]: row for row in _core.rows()}


def sample_call(ufunc, row, sample):
    """Return an example's arguments as text, and its result."""
    loops = dict(row["loops"])
    inputs = next((i for want in SHOWN for i in loops if i[-1] == want or i[0] == want), next(iter(loops)))
    kinds = [np.dtype(name).kind for name in inputs]
    arguments = [SAMPLES["i" if kind == "u" else kind] for kind in kinds]
    values = [choices[min(sample, len(choices) - 1)][i] for i, choices in enumerate(arguments)]
    pairs = zip(values, inputs, strict=True)
    arrays = [_core.array_from_object(value, dtype, "cpu") for value, dtype in pairs]
    return ", ".join(f"ca.asarray({value})" for value in values), ufunc(*arrays)


def is_finite(result):
    parts = result if isinstance(result, tuple) else (result,)
    return all(np.isfinite(part.numpy()).all() for part in parts)


def example(ufunc, row):
    with _core.device("cpu"):
        calls = [sample_call(ufunc, row, sample) for sample in range(2)]
    text, result = next((call for call in calls if is_finite(call[1])), calls[0])
    # NumPy's repr: a docstring must not depend on the default device.
    result = tuple(part.numpy() for part in result) if isinstance(result, tuple) else result.numpy()
    return f">>> import cuarray as ca\n>>> ca.{ufunc.__name__}({text})\n{result!r}"


def input_names(ufunc):
    """Return the names of a ufunc's inputs, as in NumPy."""
    if ufunc._row in NAMED:
        return [NAMED[ufunc._row]]
    return list(PAIR.values()) if ufunc.nin == 2 else ["x", "y", "z"][: ufunc.nin]


def described(ufunc, row):
    """Return what the row says of the function, in terms of its inputs' names."""
    names = dict(zip("xyz", input_names(ufunc), strict=False))
    return re.sub(r"\b[xyz]\b", lambda match: names.get(match[0], match[0]), row["doc"])


class UfuncSignature:
    """The attribute __signature__ of ufuncs; the class itself has none."""

    def __get__(self, ufunc, kind):
        if ufunc is None:
            raise AttributeError("__signature__")
        if ufunc.signature:
            return signature(ufunc._function)
        keyword, either = Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD
        place = either if ufunc._row in NAMED else Parameter.POSITIONAL_ONLY
        inputs = [Parameter(name, place) for name in input_names(ufunc)]
        named = [Parameter("out", either, default=None if ufunc.nout == 1 else (None,) * ufunc.nout)]
        named += [Parameter(name, keyword, default=default) for name, default in KEYWORDS.items()]
        return Signature(inputs + named)


_core.ufunc.__signature__ = UfuncSignature()  # type: ignore[attr-defined]


#: The text of `help(cuarray.ufunc)`; each function has its own docstring.
TYPE_DOC = """The type of elementwise functions, such as cuarray.add: calls broadcast and choose a loop.

Generalized ufuncs, such as cuarray.matmul, take vectors or matrices for elements: `signature` is that of their
core dimensions, and they have no methods but `resolve_dtypes`.

A loop is compiled code for certain types; `types` lists them. The function that is called may be given as
keywords `out`, `where`, `casting`, `order` and `dtype`, and has methods that apply it in other ways.

Attributes
----------
nin, nout, nargs, ntypes : int
    Numbers of inputs, of results, of both, and of loops.
types : list of str
    The loops in NumPy's letters.
identity : number or None
    What a fold of no elements gives.
signature : str or None
    The core dimensions, such as '(m,n),(n)->(m)'; None: the function works element by element.

Methods
-------
reduce
    Folds one or more axes.
accumulate
    Folds an axis up to each of its elements.
reduceat
    Folds segments of an axis.
at
    Applies the function to chosen elements, in place.
outer
    The function of all pairs of elements.
resolve_dtypes
    The types of the loop that such arguments choose.

See Also
--------
numpy.ufunc

Examples
--------
>>> import cuarray as ca
>>> ca.add.reduce([1, 2, 3])
np.int64(6)
>>> ca.multiply.outer([1, 2], [3, 4])
array([[3, 4],
       [6, 8]])
>>> ca.hypot.nin, ca.hypot.types
(2, ['ee->e', 'EE->E', 'ff->f', 'dd->d'])
"""


class UfuncDoc:
    """The docstring of the type, or that of a function, generated from its row."""

    def __get__(self, ufunc, owner=None):
        if ufunc is None:
            return TYPE_DOC
        return ufunc._function.__doc__ if ufunc.signature else ufunc_doc(ufunc)


_core.ufunc.__doc__ = UfuncDoc()  # type: ignore[assignment]


def ufunc_doc(ufunc):
    """Return the docstring of a ufunc, in numpydoc's form."""
    row = rows_by_name()[ufunc._row]
    names = ", ".join(input_names(ufunc))
    results = "ndarray" if ufunc.nout == 1 else "tuple of ndarray"
    identity = f"\nAn empty reduction gives {ufunc.identity}.\n" if ufunc.identity is not None else ""
    return f"""{ufunc.__name__}{ufunc.__signature__}

{described(ufunc, row)}
{identity}
Parameters
----------
{names} : array_like
    {"Of shapes that broadcast." if ufunc.nin > 1 else "Of any shape."}
out : ndarray or tuple of ndarray, optional
    Where the result goes; it must have the broadcast shape.
where : array_like of bool, optional
    Where to compute; elsewhere out keeps what it has.
dtype : dtype, optional
    The type to compute in.
casting : {{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}}, optional
    Which casts of arguments and result are allowed.
order : {{'K', 'C', 'F', 'A'}}, optional
    The memory layout of a new result.
subok : bool, optional
    Accepted and ignored: there are no subclasses.
signature : str or tuple of dtype, optional
    The types of the loop, as ``'ff->f'``; None in a tuple: any type.

Returns
-------
{results}

Raises
------
TypeError
    If no loop takes the types.
ValueError
    If shapes do not broadcast or devices differ.

Examples
--------
{example(ufunc, row)}
"""
