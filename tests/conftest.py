"""Shared fixtures: the devices under test, and seeds. Which tests run is chosen in selection.py."""

import ctypes
import gc
import os
import random
import sys

import hypothesis
import numpy as np
import pytest

hypothesis.settings.register_profile("quick", max_examples=40, deadline=None, derandomize=True)
hypothesis.settings.register_profile("full", max_examples=2000, deadline=None)


pytest_plugins = ["selection"]  # --all, --full and --shard


def pytest_configure(config):
    hypothesis.settings.load_profile("full" if config.getoption("--full") else "quick")


def pytest_xdist_auto_num_workers(config):
    """Return the number of worker processes: one per core for the whole suite, none for a part of it."""
    return min(len(os.sched_getaffinity(0)), 8) if config.args == config.getini("testpaths") else 0


def pytest_collection_finish():
    """Collections look at what tests make: one that looked at all objects of the tests would take a second."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        import cuarray

        first_of_each_kind = {device.kind: str(device) for device in reversed(cuarray.devices())}
        metafunc.parametrize("device", sorted(first_of_each_kind.values()), indirect=True)


@pytest.fixture
def device(request):
    """The name of a present device, which is the device of new arrays during the test.

    A fault that the test left behind is raised here, and not in the test that waits next.
    """
    import cuarray

    with cuarray.device(request.param):
        yield request.param
        cuarray.synchronize()


@pytest.fixture
def full(request):
    """Whether the tests run exhaustively."""
    return request.config.getoption("--full")


@pytest.fixture(autouse=True)
def seeds():
    """The same random numbers in every run."""
    random.seed(20)
    np.random.seed(20)  # noqa: NPY002  (of code that uses NumPy's global generator)


@pytest.fixture(autouse=True)
def methods_of_cuarray_alone():
    """Undoes what the import of cuarray.numpy does to methods and operators."""
    yield
    if "cuarray.numpy" in sys.modules:
        sys.modules["cuarray._numpy.operators"].remove()


@pytest.fixture(autouse=True)
def spoilt_captures():
    """With the simulator's CUDASIM_CAPTURE: fails a test whose calls break the capture of another library."""
    if os.environ.get("CUDASIM_CAPTURE", "none") == "none":
        yield
        return
    spoilt = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"]).cudasim_spoilt
    before = spoilt()
    yield
    assert spoilt() == before, "a call broke a capture of another thread; the simulator names it on stderr"


@pytest.fixture
def rng():
    """A random number generator with a fixed seed."""
    return np.random.default_rng(20)
