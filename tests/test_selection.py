"""The tests that run without --all (selection.py): every value of every parameter, and what is named."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import selection

pytestmark = pytest.mark.rest
HERE = Path(__file__).parent

#: A suite of 21 tests, of which 5 run: four dtypes of three kinds, three layouts, one slow test, one of the rest; and an exhaustive one.
SUITE = """
import pytest

@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "c8"])
@pytest.mark.parametrize("layout", [1, True, 1.0])
def test_combinations(dtype, layout):
    pass

@pytest.mark.few
@pytest.mark.parametrize("size", range(7))
def test_slow(size):
    pass

@pytest.mark.full
def test_exhaustive():
    pass

@pytest.mark.rest
def test_of_the_rest():
    pass

def test_plain():
    pass
"""


def values(collected):
    """Return of each test what it has: its function on its device, and the values of its parameters, dtypes by kind."""
    tests, found = {}, {}
    for item in collected:
        if item.get_closest_marker("rest"):
            continue
        parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        test = (item.nodeid.split("[")[0], parameters.pop("device", None))
        tests[item] = test, {} if item.get_closest_marker("few") else parameters
        for name, value in tests[item][1].items():
            found.setdefault((test, name), []).append(selection.kinds_of(value))
    of_dtypes = {key for key, kinds in found.items() if all(kinds)}
    return {
        item: {test}
        | {(test, n, repr(selection.kinds_of(v) if (test, n) in of_dtypes else v)) for n, v in parameters.items()}
        for item, (test, parameters) in tests.items()
    }


def test_every_value_is_chosen(request):
    have = values(request.config.stash[selection.COLLECTED])
    chosen = selection.sample(have)
    among = Counter(value for item in chosen for value in have[item])
    assert not set().union(*have.values()) - set(among)
    # A value that no chosen test has would be seen: a function without its only test lacks one, and most others, too.
    alone = [item for item in chosen if any(among[value] == 1 for value in have[item])]
    assert len(alone) > 0.9 * len(chosen)
    gone = sorted(alone, key=lambda item: item.nodeid)[0]
    assert set().union(*have.values()) - set().union(*(have[item] for item in chosen if item is not gone))


def test_a_cover_is_whole_and_small(rng):
    for _ in range(100):
        cases = [set(rng.integers(0, 12, rng.integers(1, 5)).tolist()) for _ in range(rng.integers(1, 40))]
        places = selection.cover(cases)
        assert set().union(*(cases[place] for place in places)) == set().union(*cases)
        assert len(places) == len(set(places)) <= 12
    assert selection.cover([{(0, i), (1, j)} for i in range(8) for j in range(8)]) == [9 * i for i in range(8)]
    assert selection.cover([set(), set()]) == [0]


@pytest.mark.parametrize(
    "values",
    [
        (1, True, 1.0),
        (0.0, -0.0),
        ("1", 1, b"1"),
        ((1, 2), [1, 2]),
        (len, max),
        (None, "None"),
        ("f4", ">f4", "c8"),
        (("f4", "i4"), ("i4", "f4")),
        ("f", "dirichlet"),
    ],
)
def test_values_that_differ(values):
    assert len({frozenset(case) for case in selection.values_of([{"x": value} for value in values])}) == len(values)


@pytest.mark.parametrize(
    "values",
    [("f4", "f8", np.float16, np.dtype("f4"), "bfloat16"), ("i1", "int64"), (("u1", "f4"), ("uint64", "float64"))],
)
def test_dtypes_of_a_kind(values):
    assert len({frozenset(case) for case in selection.values_of([{"x": value} for value in values])}) == 1


@pytest.fixture
def suite(tmp_path):
    """Runs pytest in a folder with the small suite; returns what it prints."""
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_small.py").write_text(SUITE)

    def run(*arguments):
        environment = os.environ | {
            "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{HERE}",
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        return subprocess.run([sys.executable, "-m", "pytest", "-p", "selection", *arguments], capture_output=True, text=True, cwd=tmp_path, env=environment).stdout  # fmt: skip

    return run


@pytest.mark.parametrize(
    ("arguments", "tests"),
    [
        ("", 5), ("--all", 21), ("--rest", 16), ("--full", 22), ("tests/test_small.py", 21), ("-k slow", 7),
        ("tests/test_small.py::test_slow[5]", 1), ("--lf", 21),
    ],
)  # fmt: skip
def test_what_runs(suite, arguments, tests):
    shown = suite("-q", *arguments.split())
    assert f"{tests} passed" in shown
    assert ("16 tests more with --all" in shown) == (tests == 5)


def test_workers_count_together(suite):
    shown = suite("-p", "xdist", "-n", "2")
    assert "5 passed" in shown and shown.count("16 tests more with --all") == 1


def test_shards_are_parts(suite):
    shown = [suite("-v", "--all", "--shard", f"{part}/2") for part in range(2)]
    ran = [re.findall(r"^(\S+) PASSED", text, re.MULTILINE) for text in shown]
    assert all(ran) and len({name for names in ran for name in names}) == sum(map(len, ran)) == 21


def test_cases_of_one_process_are_in_one_shard(suite, tmp_path):
    tests = "import pytest\n@pytest.mark.together\n@pytest.mark.parametrize('x', range(20))\ndef test_x(x): pass\n"
    (tmp_path / "tests/test_together.py").write_text(tests)
    shown = [suite("-v", "--all", "--shard", f"{part}/3", "tests/test_together.py") for part in range(3)]
    assert sorted(text.count("PASSED") for text in shown) == [0, 0, 20]


def test_the_rest_is_all_but_the_sample(suite):
    plain, rest, everything = (set(re.findall(r"^(\S+) PASSED", suite("-v", *arguments), re.MULTILINE)) for arguments in ([], ["--rest"], ["--all"]))  # fmt: skip
    assert plain | rest == everything and not plain & rest and len(everything) == 21


def test_help_says_it(suite):
    shown = suite("--help")
    assert "--all" in shown and "all combinations of parameters" in shown and "@pytest.mark.few" in suite("--markers")
