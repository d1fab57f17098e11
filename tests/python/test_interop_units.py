"""Arrays with units, of astropy, unyt and pint: no operator and no function drops a unit."""

import numpy as np
import pytest
from foreign import faults_of_mixing, faults_of_operators, faults_of_refusing, need

import cuarray


def astropy_units():
    need("astropy")
    import astropy.units

    return astropy.units


def unyt_units():
    need("unyt")
    import unyt

    return unyt


def pint_units():
    need("pint")
    import pint

    global registry
    registry = registry or pint.UnitRegistry()
    return registry


registry = None

CLASSES = {
    "astropy": lambda: np.array([1.0, 2, 3]) * astropy_units().m,
    "astropy, one number": lambda: 2.0 * astropy_units().m,
    "astropy, no unit": lambda: np.array([1.0, 2, 3]) * astropy_units().one,
    "unyt": lambda: np.array([1.0, 2, 3]) * unyt_units().m,
    "unyt, no unit": lambda: unyt_units().unyt_array([1.0, 2, 3], ""),
    "pint": lambda: np.array([1.0, 2, 3]) * pint_units().m,
    "pint, no unit": lambda: np.array([1.0, 2, 3]) * pint_units().dimensionless,
}


@pytest.mark.parametrize("axes", [1, 0])
@pytest.mark.parametrize("name", CLASSES)
def test_operators(name, axes, device):
    is_unyt_beside_gpu = name.startswith("unyt") and device != "cpu"  # it takes every TypeError for "not equal"
    faults = faults_of_operators(CLASSES[name], axes, ("eq", "ne") if is_unyt_beside_gpu else ())
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_ours_refuse_units(name, device):
    faults = faults_of_refusing(CLASSES[name])
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_of_numpy(name, device):
    faults = faults_of_mixing(CLASSES[name])
    assert not faults, "\n".join(faults)


def test_units_come_through():
    u = astropy_units()
    x = cuarray.arange(3.0, device="cpu")
    assert (x * (np.ones(3) * u.m)).unit == u.m and ((np.ones(3) * u.m) * x).unit == u.m
    assert (x * u.m).unit == u.m and (u.m * x).unit == u.m
    with pytest.raises(u.UnitConversionError):
        x + np.ones(3) * u.m
    total = x
    with pytest.raises(u.UnitTypeError):
        total *= np.ones(3) * u.m
    total *= np.full(3, 2.0) * u.one
    assert total is x and x.tolist() == [0, 2, 4]
