"""The memory of results, against NumPy: whether a row's result is a value, a view, writable, and its memory order."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "python")]

import values
from rows import ROWS

import cuarray
from cuarray import _core

#: Results without a line in rows.py: of methods, subscripts, or further results of the same functions.
MORE = """
v[0].astype('f4')  v[0].copy()  v[0].T  v[0].squeeze()  v[0].real  v[0].imag  v[0].conj()  v[0].round()  v[0].clip(0,1)
xp.inner(v,w)  xp.vdot(v,w)  xp.vecdot(v,w)  xp.dot(v,w)  v@w  xp.tensordot(v,w,1)  xp.einsum('i,i',v,w)  xp.einsum('i->',v)
xp.einsum('ii',a@a.T)  xp.einsum('ij->ji',a)  xp.take(v,1)  v.take(1)  v.take(j)  xp.trace(a)  a.diagonal()  xp.average(v)
v[0]  v[...,0]  v[0,...]  a[0]  a[0,1]  a[1:,::-1]  v[xp.array(0)]  a[xp.array(0)]  a[xp.array(0),...]  a[xp.array(0),1:]
a[0,xp.array(1)]  v[np.int64(0)]  a[np.int64(0)]  v[j]  v[m]  a[k]  v[[0,1]]  a[None]  a[...,None]  v[True]
v.ravel()  a.ravel()  a.ravel('F')  a.ravel('A')  a.ravel('K')  a.T.ravel('K')  x.ravel('K')  v[::2].ravel()  v[::-1].ravel('K')  a[:,:1].ravel()
xp.ravel(v[::2])  xp.ravel(a,'F')  a.flatten()  a.reshape(-1)  v[::2].reshape(-1)  a.reshape(a.shape)  a.T.reshape(-1)
xp.broadcast_to(v,v.shape)  xp.broadcast_to(s,(3,))  xp.broadcast_to(a[0],a.shape)  xp.broadcast_arrays(v,v)  xp.unstack(v)  xp.unstack(a,axis=1)
v.T  a.T  a.mT  x.swapaxes(0,2)  xp.squeeze(v)  xp.atleast_1d(v)  xp.atleast_2d(v)  xp.atleast_3d(v)  xp.expand_dims(v,0)
xp.asarray(v)  xp.array(v)  xp.array(v,copy=None)  xp.astype(v,v.dtype,copy=False)  v.astype(v.dtype,copy=False)  v.view()
xp.nan_to_num(v[0])  xp.nan_to_num(s)  xp.nan_to_num(v,copy=False)  xp.lexsort((s,))  xp.sort(xp.broadcast_to(v,(2,*v.shape))[:,:0])
xp.repeat(v,2)  xp.diag(a)  xp.diag(a,1)  xp.split(v,3)  xp.hsplit(a,a.shape[1])  xp.flip(v)  xp.rot90(a,2)  xp.roll(v,1)
""".split()
#: Intended differences, with reasons.
INTENDED = {
    "xp.broadcast_arrays(a,a[0])": "NumPy's are writable with a warning that they will be read-only",
}

#: Memory layouts, for arrays of both libraries.
LAYOUTS = {
    "contiguous": lambda v, xp: xp.array(v),
    "fortran": lambda v, xp: xp.array(v.T).T,
    "reversed": lambda v, xp: xp.array(v[::-1])[::-1],
    "every second": lambda v, xp: xp.array(np.repeat(v, 2, axis=-1))[..., ::2],
}


def arguments(given, layout, xp):
    return {name: LAYOUTS[layout](v, xp) if np.ndim(v) else xp.array(v) for name, v in given.items()}


def parts(value):
    """Return the arrays and numbers of a result, a nested sequence of them."""
    if isinstance(value, list | tuple):
        return [one for part in value for one in parts(part)]
    return [value]


def describe(result, given):
    """Return a description of a result: "value", or an array's sharing, writability and layout."""
    if isinstance(result, np.generic) or (isinstance(result, cuarray.ndarray) and _core.is_value(result)):
        return "value"
    if not isinstance(result, np.ndarray | cuarray.ndarray):
        return "object"
    xp = np if isinstance(result, np.ndarray) else cuarray
    shared = sorted(name for name, v in given.items() if isinstance(v, type(result)) and xp.shares_memory(result, v))
    flags = result.flags
    lies = f", C {flags.c_contiguous}, F {flags.f_contiguous}" if shared else ""  # the order of new memory is free
    return f"{'writable' if flags.writeable else 'read-only'}, shares {shared}{lies}"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.expression.replace(" ", ""))
def test_result_lies_as_numpys(row, layout, device):
    if row.expression.replace(" ", "") in INTENDED:
        return
    types = list(row.dtypes) or [t for t in values.TYPES if np.dtype(t).kind in row.types]
    check("f8" if "f8" in types else types[-1], layout, row.expression, row.reference)


@pytest.mark.parametrize("dtype", ["f8", "c16", "i4"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("expression", MORE)
def test_more_results_lie_as_numpys(expression, layout, dtype, device):
    check(dtype, layout, expression)


def check(dtype, layout, expression, reference=None):
    given = values.arrays(dtype, 33, 1)
    theirs, ours = arguments(given, layout, np), arguments(given, layout, cuarray)
    reference = reference or re.sub(r"xp\.(array\(\d\))", r"np.\1", expression)
    want, got = values.evaluate(reference, np, theirs), values.evaluate(expression, cuarray, ours)
    assert not isinstance(want, Exception) and not isinstance(got, Exception), (want, got)
    for mine, numpys in zip(parts(got), parts(want), strict=True):
        if isinstance(mine, cuarray.ndarray) and isinstance(numpys, np.ndarray | np.generic):
            assert describe(mine, ours) == describe(numpys, theirs)
