"""Labelled arrays of pandas and xarray with cuarray's arrays: operators keep the labels, functions read the numbers."""

import numpy as np
import pytest
from foreign import faults_of_mixing, faults_of_operators, faults_of_reading, need

import cuarray


def pandas():
    need("pandas")
    import pandas

    return pandas


def xarray():
    need("xarray")
    import xarray

    return xarray


CLASSES = {
    "Series": lambda: pandas().Series([1.0, 2, 3], index=[5, 6, 7]),
    "Index": lambda: pandas().Index([1.0, 2, 3]),
    "DataArray": lambda: xarray().DataArray(np.array([1.0, 2, 3]), dims="t"),
    "Column": lambda: column(),
}


def column():
    need("astropy")
    from astropy.table import Column

    return Column([1.0, 2, 3], name="length", unit="m")


@pytest.fixture
def cpu():
    with cuarray.device("cpu"):
        yield


@pytest.mark.parametrize("axes", [1, 0])
@pytest.mark.parametrize("name", CLASSES)
def test_operators(name, axes, device):
    faults = faults_of_operators(CLASSES[name], axes)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_ours_read_the_numbers(name, cpu):
    faults = faults_of_reading(CLASSES[name])
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_numpy(name, device):
    faults = faults_of_mixing(CLASSES[name])
    assert not faults, "\n".join(faults)


def test_everyday_pandas(cpu):
    pd = pandas()
    x = cuarray.arange(3.0)
    frame = pd.DataFrame({"a": x, "b": [1.0, 2, 3]})
    frame["c"] = x * 2
    assert frame.dtypes.tolist() == [np.float64] * 3 and frame["c"].tolist() == [0, 2, 4]
    assert (frame["a"] + x).tolist() == [0, 2, 4] and (x + frame["a"]).tolist() == [0, 2, 4]
    assert (frame["b"] > x.mean()).tolist() == [False, True, True]
    assert ((frame["b"] > 1) & (x > 1)).tolist() == [False, False, True]
    assert frame[(x > 0).numpy()].shape == (2, 3)
    total = x
    total += frame["b"]  # as with a NumPy array, the memory is written and the name becomes a Series
    assert x.tolist() == [1, 3, 5]
    assert cuarray.isnan(cuarray.mean(pd.Series([1, np.nan, 3])))


def test_everyday_xarray(cpu):
    xr = xarray()
    x = cuarray.arange(3.0)
    grid = xr.DataArray(np.ones(3), dims="t")
    assert (grid + x).dims == ("t",) and float((x * grid).sum()) == 3
    assert isinstance(xr.DataArray(x, dims="t").data, cuarray.ndarray)
