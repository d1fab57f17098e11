"""Columns of tables: pyarrow, polars and pandas take arrays by Arrow's interface, and arrays take their columns."""

import importlib

import numpy as np
import pytest
from foreign import need

import cuarray as ca


@pytest.fixture(autouse=True)
def cpu():
    with ca.device("cpu"):
        yield


def environment(*packages):
    for package in packages:
        need(package)
    short = {"pyarrow": "pa", "polars": "pl", "pandas": "pd"}
    names = {short[package]: importlib.import_module(package) for package in packages}
    return {**names, "ca": ca, "np": np, "x": ca.arange(5.0), "i": ca.arange(5, dtype="i4"), "b": ca.arange(5) > 2}


GIVEN = [
    ("pyarrow", "pa.array(x).to_pylist()", [0.0, 1.0, 2.0, 3.0, 4.0]),
    ("pyarrow", "str(pa.array(i).type), str(pa.array(b).type), str(pa.array(x.astype('f2')).type)", ("int32", "bool", "halffloat")),
    ("pyarrow", "pa.array(b).to_pylist()", [False, False, False, True, True]),
    ("pyarrow", "pa.array(x[::-2]).to_pylist()", [4.0, 2.0, 0.0]),
    ("pyarrow", "pa.array(x, type=pa.float32()).to_pylist()", [0.0, 1.0, 2.0, 3.0, 4.0]),
    ("pyarrow", "pa.table({'a': x, 'b': b}).column('a').to_pylist()", [0.0, 1.0, 2.0, 3.0, 4.0]),
    ("pyarrow", "pa.chunked_array([x, x[:1]]).length()", 6),
    ("pyarrow", "pa.array(x).buffers()[1].address == np.asarray(x).ctypes.data", True),
    ("polars", "pl.DataFrame({'a': x, 'b': i, 'c': b}).sum().rows()", [(10.0, 10, 2)]),
    ("polars", "pl.Series(x).sum(), pl.DataFrame({'n': x})['n'].name", (10.0, "n")),
    ("polars", "str(pl.Series(i).dtype), str(pl.Series(b).dtype)", ("Int32", "Boolean")),
    ("pandas pyarrow", "pd.Series.from_arrow(x).tolist()", [0.0, 1.0, 2.0, 3.0, 4.0]),
    ("pandas", "pd.DataFrame({'a': x, 'b': b}).dtypes.tolist()", [np.dtype("f8"), np.dtype("?")]),
]  # fmt: skip

TAKEN = [
    ("pyarrow", "pa.array([1.0, 2.0])", [1.0, 2.0], "float64"),
    ("pyarrow", "pa.array([1, None])", [1.0, np.nan], "float64"),
    ("pyarrow", "pa.array([True, False])", [True, False], "bool"),
    ("pyarrow", "pa.array([1, 2, 3], pa.int8())[1:]", [2, 3], "int8"),
    ("pyarrow", "pa.chunked_array([[1], [2]])", [1, 2], "int64"),
    ("polars", "pl.Series([1, 2])", [1, 2], "int64"),
    ("polars", "pl.Series([1, None])", [1.0, np.nan], "float64"),
    ("polars", "pl.Series([True, False])", [True, False], "bool"),
    ("polars", "pl.DataFrame({'a': [1, 2], 'b': [3, 4]})", [[1, 3], [2, 4]], "int64"),
    ("pandas", "pd.Series([1, None], dtype='Int64')", [1.0, np.nan], "float64"),
    ("pandas pyarrow", "pd.Series([1.0, 2.0], dtype='float64[pyarrow]')", [1.0, 2.0], "float64"),
    ("pandas", "pd.DataFrame({'a': [1, 2], 'b': [3.0, 4]})", [[1, 3], [2, 4]], "float64"),
]


@pytest.mark.parametrize("packages, expression, expected", GIVEN, ids=[each[1] for each in GIVEN])
def test_arrays_become_columns(packages, expression, expected):
    names = environment(*packages.split())
    assert eval(expression, names) == expected


@pytest.mark.parametrize("packages, expression, expected, dtype", TAKEN, ids=[each[1] for each in TAKEN])
def test_columns_become_arrays(packages, expression, expected, dtype):
    names = environment(*packages.split())
    x = eval(f"ca.asarray({expression})", names)
    assert type(x) is ca.ndarray and x.dtype == dtype
    np.testing.assert_array_equal(x.numpy(), expected)


def test_pyarrow_columns_beside_arrays():
    names = environment("pyarrow")
    assert eval("ca.add(x, pa.array([1, 1, 1, 1, None])).tolist()[:4]", names) == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="object"):
        eval("ca.asarray(pa.array(['a']))", names)


def test_refusals_name_the_line_to_write():
    names = environment("pyarrow")
    for expression, words in {"x.reshape(5, 1)": "x.ravel", "x * 1j": "x.real and x.imag"}.items():
        with pytest.raises(BufferError, match=words):
            eval(f"pa.array({expression})", names)
