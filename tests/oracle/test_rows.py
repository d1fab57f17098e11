"""Every public function against NumPy: the rows of rows.py over dtypes, layouts, sizes and devices; and whether each row
would detect a wrong result."""

import inspect
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "python")]

import layouts
import oracle
import test_ufuncs
import values
from rows import ROWS

import cuarray
from cuarray import _core

#: Public functions that compute no array; they are tested in tests/python.
NO_VALUES = {
    "__array_namespace_info__", "array2string", "array_repr", "array_str", "base_repr", "binary_repr",
    "can_cast", "common_type", "current_stream", "default_device", "default_stream", "devices", "explain",
    "format_float_positional", "format_float_scientific", "fromfile", "fromregex", "get_num_threads",
    "get_printoptions", "geterr", "geterrcall", "isdtype", "isfortran", "isscalar", "issubdtype", "iterable", "load",
    "may_share_memory", "min_scalar_type", "mintypecode", "ndim", "printoptions", "promote_types",
    "result_type", "save", "savetxt", "savez", "savez_compressed", "set_default_device", "set_num_threads", "simulate",
    "set_printoptions", "seterr", "seterrcall", "shape", "shares_memory", "size", "synchronize", "typename",
}  # fmt: skip


def identify(row):
    return row.expression.replace(" ", "")


def types_of(row, full):
    """The row's dtypes: all of them, or float32, if included, and another one derived from the row."""
    types = list(row.dtypes) or [t for t in values.TYPES if np.dtype(t).kind in row.types]
    few = {types[values.seed_of(row.expression) % len(types)], "f4" if "f4" in types else types[-1]}
    return types if full else sorted(few)


def cases(row, device, full):
    """Dtypes x sizes x layouts: everything, or a few of each selected by the row's text."""
    on_cpu = device == "cpu"
    for dtype in types_of(row, full or on_cpu):
        for k, size in enumerate(values.SIZES):
            if not full and not on_cpu and size not in (33, 257):
                continue
            chosen = values.seed_of(row.expression, dtype) + k
            for layout in layouts.LAYOUTS if full else [layouts.LAYOUTS[chosen % len(layouts.LAYOUTS)]]:
                if full or size < 5000 or chosen % 4 == 0:
                    yield dtype, size, layout


@pytest.mark.parametrize("row", ROWS, ids=identify)
def test_row(row, device, full):
    for dtype, size, layout in cases(row, device, full):
        try:
            values.check(row, dtype, size, layout)
        except Exception as error:
            kind = np.dtype(dtype).name
            raise AssertionError(f"{row.expression} of {kind}, {size} numbers, {layout.__name__}: {error}") from error


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_row(device, data):
    row = data.draw(st.sampled_from(ROWS))
    dtype = data.draw(st.sampled_from(types_of(row, device == "cpu")))
    size, layout = data.draw(st.integers(0, 3000)), data.draw(st.sampled_from(layouts.LAYOUTS))
    values.check(row, dtype, size, layout)


@pytest.mark.parametrize("row", ROWS, ids=identify)
def test_row_notices_a_wrong_result(row):
    """Every mutant that changes the result must fail; at least one must do so for each row of arrays."""
    types = types_of(row, True)
    dtype = next((t for t in ("f8", "i4") if t in types), types[0])
    caught = 0
    with cuarray.device("cpu"):
        plain = values.results(
            values.evaluate(row.expression, cuarray, values.on_device(values.arrays(dtype, 33, 1), layouts.contiguous))
        )
        for name, mutate in values.MUTANTS.items():
            try:
                differs = values.check(row, dtype, 33, layouts.contiguous, mutate)
            except AssertionError:
                caught += 1
            else:
                assert not differs, f"{row.expression} does not notice {name}"
    assert caught or not any(isinstance(one, np.ndarray) for one in plain), f"{row.expression} notices nothing"


@pytest.mark.parametrize("row", _core.rows(), ids=lambda row: row["name"])
def test_ufunc_notices_a_wrong_result(row, monkeypatch):
    """The check of tests/python/test_ufuncs.py, which runs there for every type, layout and device."""
    loop = next((one for one in row["loops"] if one[0][-1] == "float64"), row["loops"][-1])
    inputs = test_ufuncs.sample(row, loop[0], np.random.default_rng(3), 200)
    right = test_ufuncs.call(row, inputs)
    for name, mutate in values.MUTANTS.items():
        with np.errstate(all="ignore"):
            wrong = [mutate(one.numpy(), {"x": inputs[0]}) for one in right]
        alike = [oracle.same_bits(a, b.numpy()).all() for a, b in zip(wrong, right, strict=True)]
        if all(alike):
            continue
        monkeypatch.setattr(test_ufuncs, "call", lambda row, inputs, given=wrong: tuple(map(cuarray.asarray, given)))
        with pytest.raises(AssertionError):
            test_ufuncs.check(row, inputs, loop[1], "cpu")
            raise LookupError(f"{row['name']} does not notice {name}")


def test_every_public_function_has_a_row():
    kinds = FunctionType | _core.function
    functions = {name for name in cuarray.__all__ if isinstance(inspect.unwrap(getattr(cuarray, name)), kinds)}
    rows = {row.name for row in ROWS}
    without = functions - rows - NO_VALUES
    assert not without, f"give these a line in tests/oracle/rows.py: {sorted(without)}"
    assert rows <= set(dir(cuarray)), rows - set(dir(cuarray))


def test_what_computes_no_array_is_tested_elsewhere():
    folder = Path(__file__).resolve().parents[1] / "python"
    text = "".join(file.read_text("utf-8") for file in folder.glob("test_*.py"))
    assert not [name for name in NO_VALUES if name not in text]
