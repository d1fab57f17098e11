"""Columns of tables: pyarrow, polars and pandas take arrays by Arrow's interface, and arrays take their columns."""

import importlib

import numpy as np
import own_process
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


#: Programs of pandas, which `python -m cuarray` has to run as Python does.
PROGRAMS = [
    """
x = a.copy()
x *= df.a
y = a + 1
y /= df.b + 1
show(x, y, a + df.a, df.a + a, np.add(a, df.a), a > df.a)
import pickle
for function in (pd.read_csv, pd.concat, pd.isnull, pd.DataFrame.agg, pd.DataFrame.div, pd.Series.apply):
    show(pickle.loads(pickle.dumps(function)) is function)
""",
    """
show(np.log(df["a"]), np.add(df.a, 1), np.exp(df.a).rolling(2).mean(), np.cumsum(df.a), np.round(df.a / 3, 2), np.sum(df), np.mean(df, axis=0))
show(np.maximum(df.a, df.b), np.isnan(df), np.clip(df.a, 1, 2), np.add.reduce(df.a), np.add.accumulate(df.a), np.log1p(df.a).name)
show(np.where(df.a > 1, np.sqrt(df.b), 0), np.diff(df.a), np.percentile(df.a, 50), np.corrcoef(df.a, df.b), np.dot(df.a, df.b), np.std(df.a))
show(np.concatenate([df.a, df.b]), np.column_stack([df.a, df.b]), np.isin(df.a, [1.0]), np.histogram(df.a)[0], np.unique(df.a), np.nanmean(df.a))
show(df.a * np.array([1, 2, 3, 4]), np.array([1.0, 2, 3, 4]) * df.a, np.ones(4) @ df.a, df.a @ np.ones(4), df.values * np.ones((4, 1)))
show(df.apply(np.sum), df.apply(np.log1p), df.agg([np.mean, np.std]), df.a.map(np.sin), df.groupby("b").agg(np.sum), df.rolling(2).apply(np.mean))
""",
    """
mask = np.array([True, False, True, False])
show(df[mask], df.iloc[mask], df.loc[mask, "a"], df.a[mask], df.a.iloc[np.arange(2)], df.index[mask], df[np.isin(df.b, [1])])
df.loc[mask, "a"] = np.array([7.0, 8.0])
df["d"] = np.arange(4)
df[np.zeros((4, 4), bool)] = 1
df.insert(0, "n", np.ones(4))
show(df, df.groupby(np.array([0, 1, 0, 1])).sum(), df.a.groupby(np.array([0, 1, 0, 1])).mean(), df.set_index(np.array([5, 6, 7, 8])))
show(df.reindex(np.array([2, 1])), df.drop(np.array([0])), df.take(np.array([0, 1])), df.assign(z=np.zeros(4)), df.where(mask[:, None] & np.ones(5, bool)))
show(pd.DataFrame(np.eye(2), columns=np.array(["a", "b"]), index=np.arange(2)), pd.cut(np.array([1.0, 2, 3]), np.array([0, 1.5, 3])), pd.Index(a))
show(pd.crosstab(np.array([1, 2]), np.array([3, 4])), pd.get_dummies(np.array([1, 2])), df.a.quantile(np.array([0.2, 0.5])), df.a.isin(np.ones(1)))
""",
    """
show(pd.DataFrame([{"mean": a.mean(), "n": i.sum(), "f": f.mean()}]), pd.DataFrame({"m": [a.mean(), a.std()], "i": [i.sum(), i.max()]}))
show(pd.Series([x for x in a]), pd.Series({"u": a.max()}), pd.Series(a.mean(), index=[0, 1]), pd.Series(dict(enumerate(a))), pd.Index([i[0], i[1]]))
show(df > a.mean(), df.a - a.mean(), df.b + i[2], df.c * f[1], df.fillna(a.mean()), df.a.clip(a[1], a[2]), (df - a.mean()) / a.std())
df["k"] = a.mean()
df.loc[0, "a"] = a[3]
df.iloc[1, 1] = i[3]
df.at[2, "c"] = f[2]
show(df, df.iloc[i[1]], df.loc[i[2]], df.a[i[3]], df.head(i[2]), df.shift(i[1]), df.rolling(i[2]).mean(), df.iloc[i[0] : i[2]], df.round(i[1]))
show(pd.DataFrame([(k, a[k]) for k in range(3)]), pd.isna(a[0]), pd.Series([a.mean()]).isna(), df.a.isin([a[0], a[1]]), df.a.replace(a[1], 9.0))
show(df.groupby(lambda k: i[k] % 2).size(), df.apply(lambda r: np.mean(r), axis=1), df.a.apply(lambda v: a[int(v)]), pd.Timedelta(a[1], "s"))
""",
]  # fmt: skip
BEGINNING = """
import numpy as np, pandas as pd
def show(*results):
    for x in results:
        print(type(x).__name__ if "pandas" in type(x).__module__ else "", x, list(x.dtypes) if isinstance(x, pd.DataFrame) else getattr(x, "dtype", ""))
a = np.arange(4.0)
i = np.arange(4)
f = a.astype("f4")
df = pd.DataFrame({"a": a, "b": i, "c": f})
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_of_pandas_run_unchanged(program, tmp_path):
    need("pandas")
    own_process.runs_as_under_python(BEGINNING + program, tmp_path)


def test_columns_from_arrow_where_programs_have_cuarray_as_numpy():
    """pandas' other methods get NumPy's arrays there, which have no Arrow interface."""
    need("pandas", "pyarrow")
    own_process.in_own_process(
        "import cuarray.numpy, pandas as pd\n"
        "assert pd.Series.from_arrow(ca.asarray([1.0, 2.0])).tolist() == [1, 2]\n"
        "assert (pd.Series([3, 4]) + ca.asarray([1.0, 2.0])).tolist() == [4, 6]\n"
    )
