"""Which tests run: a sample that covers every value of every parameter, all with --all, exhaustive variants with --full.

``pytest`` alone runs of each test function, on each device, as few cases as have every value of every parameter at least
once: each function, kind of dtype, layout and keyword. ``@pytest.mark.few`` leaves the first case of a slow test,
``@pytest.mark.rest`` nothing of a test of the project's own tools, or of a slow one beside which others test the same, and
the fixture ``every`` tells a test to repeat less. What is left out runs with ``--all``, alone with ``--rest``, and whenever
tests are named: by file, node id, ``-k`` or ``--lf``.
"""

import zlib
from collections import defaultdict

import ml_dtypes  # noqa: F401  (lets np.dtype know bfloat16)
import numpy as np
import pytest

#: The tests as collected, before some are chosen.
COLLECTED = pytest.StashKey[list]()

#: The number of tests that --all would run besides; in a worker of xdist, and in the process that prints it.
MORE = pytest.StashKey[int]()


def pytest_addoption(parser):
    group = parser.getgroup("selection", "which tests run; without these, one or more per value of each parameter")
    group.addoption("--all", action="store_true", help="run all combinations of parameters, as of named tests")
    group.addoption("--rest", action="store_true", help="run only what --all runs besides")
    group.addoption("--full", action="store_true", help="run all, and the exhaustive variants of tests")
    group.addoption("--shard", metavar="K/N", help="run the K-th of N parts of the tests, K from 0")


def pytest_configure(config):
    config.addinivalue_line("markers", "few: a slow test, of which the first case per device runs without --all")
    config.addinivalue_line(
        "markers",
        "rest: a test of the project's own tools, or one that others sample: run with --all or when it is named",
    )
    config.addinivalue_line("markers", "together: cases that run in one process: a shard has all of them or none")
    config.addinivalue_line("markers", "full: an exhaustive variant, run with --full only")
    config.stash[MORE] = 0


def pytest_collection_modifyitems(config, items):
    # Deselected and not skipped: a skip needs a reason that tests/skips.txt allows.
    config.stash[COLLECTED] = list(items)
    config.stash[MORE] = select(config, items)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["more"] = session.config.stash[MORE]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    node.config.stash[MORE] = getattr(node, "workeroutput", {}).get("more", 0)


def pytest_terminal_summary(terminalreporter, config):
    if config.stash[MORE]:
        terminalreporter.write_line(f"{config.stash[MORE]} tests more with --all")


@pytest.fixture
def every(request):
    """Whether the tests repeat what they do: with --all, and where tests are named."""
    return is_everything_named(request.config)


def is_everything_named(config):
    """Whether the command line names tests, or asks for all."""
    asked = any(config.getoption(option, None) for option in ("all", "rest", "full", "keyword", "lf"))
    return asked or config.args != config.getini("testpaths")


def select(config, items):
    """Drop the tests that this run leaves out; return how many of them ``--all`` would run."""
    more = 0
    if not config.getoption("full"):
        keep(config, items, lambda item: not item.get_closest_marker("full"))
    if config.getoption("rest"):
        chosen = sample(items)
        keep(config, items, lambda item: item not in chosen)
    elif not is_everything_named(config):
        more = len(items)
        chosen = sample(items)
        keep(config, items, chosen.__contains__)
        more -= len(items)
    if config.getoption("shard"):
        part, parts = map(int, config.getoption("shard").split("/"))
        keep(config, items, lambda item: zlib.crc32(unit_of(item).encode()) % parts == part)
    return more


def unit_of(item):
    """Return the name of what a shard has as a whole: a test, or all cases of one whose cases share a process."""
    return item.nodeid.split("[")[0] if item.get_closest_marker("together") else item.nodeid


def keep(config, items, wanted):
    """Keep only the selected tests, and report the others to pytest as deselected."""
    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = [item for item in items if wanted(item)]


def sample(items):
    """Return the set of the tests that cover all values of their parameters, for each function and device apart."""
    tests = defaultdict(list)
    for item in items:
        callspec = getattr(item, "callspec", None)
        parameters = dict(callspec.params) if callspec else {}
        tests[item.nodeid.split("[")[0], parameters.pop("device", None)].append((item, parameters))
    chosen = set()
    for cases in tests.values():
        if cases[0][0].get_closest_marker("rest"):
            continue
        if cases[0][0].get_closest_marker("few"):
            chosen.add(cases[0][0])
            continue
        # In the order of a hash of the name, so that what is chosen beside a value varies, and a new case moves no other.
        cases.sort(key=lambda case: zlib.crc32(case[0].nodeid.encode()))
        places = cover(values_of([parameters for _, parameters in cases]))
        chosen.update(cases[place][0] for place in places)
    return chosen


def cover(cases):
    """Return the places of a few sets whose union is that of all; of equal sets, the first."""
    left = set().union(*cases)
    gains = defaultdict(list)  # the places of sets by what they add, or added when there was more left
    for place, values in enumerate(cases):
        gains[len(values)].append(place)
    chosen = []
    for gain in range(max(gains), 0, -1):
        for place in gains[gain]:
            added = len(cases[place] & left)
            if added == gain:
                chosen.append(place)
                left -= cases[place]
            elif added:
                gains[added].append(place)
    return chosen or [0]


def values_of(cases):
    """Return for each case the set of its parameters with their values; dtypes count by their kind."""
    kinds = {}
    for name in cases[0]:
        found = [kinds_of(case[name]) for case in cases if name in case]
        if None not in found:
            kinds[name] = True
    return [
        {(name, kinds_of(value) if name in kinds else distinct(value)) for name, value in case.items()}
        for case in cases
    ]


def distinct(value):
    """Return something hashable that differs for values that differ."""
    if isinstance(value, tuple | list):
        return (type(value), *map(distinct, value))
    if isinstance(value, str | bytes | int | float | complex):
        return type(value), repr(value)  # not the value: 1 == 1.0 == True, 0.0 == -0.0
    return id(value)


def kinds_of(value):
    """Return the kinds of the dtypes that this parameter's value names, or None if it names none."""
    if isinstance(value, tuple):
        kinds = tuple(map(kinds_of, value))
        return None if None in kinds or not kinds else kinds
    name = str(value) if type(value).__name__ == "DType" else value
    if not isinstance(name, str | np.dtype) and not (isinstance(name, type) and issubclass(name, np.generic)):
        return None
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError, SyntaxError):
        return None
    if dtype.kind in "biufc":
        return dtype.kind, dtype.isnative
    return ("f", True) if dtype.name == "bfloat16" else (str(dtype), dtype.isnative)
