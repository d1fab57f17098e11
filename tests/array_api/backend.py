"""A plug-in of pytest: the tests of other libraries that run on any array API namespace run on cuarray alone.

SciPy's fixture `xp`, scikit-learn's combinations of namespaces and array-api-extra's table of backends name the
namespaces that they know. Each gets ours, in NumPy's place or as one more. `array_api_suite.py` runs it.
"""

import sys

import pytest

import cuarray

cuarray.set_default_device("cpu")


def known_to_scipy():
    """Enter cuarray among the backends by which SciPy's tests are skipped and marked."""
    sys.modules["scipy.conftest"].xp_known_backends.add("cuarray")


def in_place_of_numpy(items):
    """Return the tests of NumPy's parameter `xp`, which is cuarray from now on."""
    kept = []
    for item in items:
        found = getattr(item, "callspec", None)
        if found and getattr(found.params.get("xp"), "__name__", "") == "numpy":
            found.params["xp"] = cuarray
            kept.append(item)
    return kept


def of_cuarray(item):
    """Whether scikit-learn's test has one of the combinations that name cuarray."""
    found = getattr(item, "callspec", None)
    return bool(found) and "cuarray" in map(str, found.params.values())


def of_our_backend(item):
    """Whether array-api-extra's test is one of cuarray."""
    found = getattr(item, "callspec", None)
    return bool(found) and getattr(found.params.get("library"), "value", "") == "cuarray"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    library = config.getoption("--library")
    if library == "scipy":
        known_to_scipy()
        kept = in_place_of_numpy(items)
    else:
        kept = list(filter(of_cuarray if library == "sklearn" else of_our_backend, items))
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Enter cuarray among the backends of array-api-extra, an Enum, before its conftest.py lists them."""
    if early_config.known_args_namespace.library == "array_api_extra":
        from array_api_extra._lib._backends import Backend

        ours = object.__new__(Backend)
        ours._name_, ours._value_ = "CUARRAY", "cuarray"
        Backend._member_names_.append(ours.name)
        Backend._member_map_[ours.name] = ours


def pytest_addoption(parser):
    parser.addoption("--library", choices=("scipy", "sklearn", "array_api_extra"))


def pytest_configure(config):
    if config.getoption("--library") == "sklearn":
        from sklearn.utils import _array_api

        def combinations(include_numpy_namespaces=True):
            yield "cuarray", None, "float64"
            yield "cuarray", None, "float32"

        _array_api.yield_namespaces = lambda include_numpy_namespaces=True: iter(["cuarray"])
        _array_api.yield_namespace_device_dtype_combinations = combinations
