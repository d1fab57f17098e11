"""Shared fixtures: the devices under test, seeds, and the exhaustive variants of --full."""

import ctypes
import os
import random
import sys
import zlib

import hypothesis
import numpy as np
import pytest

hypothesis.settings.register_profile("quick", max_examples=40, deadline=None, derandomize=True)
hypothesis.settings.register_profile("full", max_examples=2000, deadline=None)


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="also run the exhaustive variants of the tests")
    parser.addoption("--shard", metavar="K/N", help="run the K-th of N parts of the tests, K from 0")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: an exhaustive variant, run with --full only")
    hypothesis.settings.load_profile("full" if config.getoption("--full") else "quick")


def pytest_xdist_auto_num_workers(config):
    """Return the number of worker processes: one per core for the whole suite, none for a part of it."""
    return min(len(os.sched_getaffinity(0)), 8) if config.args == config.getini("testpaths") else 0


def pytest_collection_modifyitems(config, items):
    # Deselected and not skipped: a skip needs a reason that tests/skips.txt allows.
    if not config.getoption("--full"):
        keep(config, items, lambda item: not item.get_closest_marker("full"))
    if config.getoption("--shard"):
        part, parts = map(int, config.getoption("--shard").split("/"))
        keep(config, items, lambda item: zlib.crc32(item.nodeid.encode()) % parts == part)


def keep(config, items, wanted):
    """Keep only the selected tests, and report the others to pytest as deselected."""
    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = [item for item in items if wanted(item)]


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
