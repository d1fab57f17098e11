"""docs/coverage.md is what the code and NumPy say."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import cuarray

sys.path.insert(0, str(Path(__file__).resolve().parent / "python"))
import random_cases

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def coverage():
    sys.path.insert(0, str(DOCS))
    try:
        spec = importlib.util.spec_from_file_location("make_coverage", DOCS / "make_coverage.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


def test_the_page_is_up_to_date(coverage):
    page = coverage.PAGE.read_text("utf-8")
    installed = tuple(map(int, np.__version__.split(".")[:2]))
    written = tuple(map(int, page.partition("attribute of NumPy ")[2].partition(",")[0].split(".")))
    if installed != written:
        pytest.skip("docs/coverage.md is of another NumPy")
    assert page == coverage.page(), "type: python docs/make_coverage.py"


def test_every_public_function_has_a_row(coverage):
    page = coverage.PAGE.read_text("utf-8")
    for name in ("add", "sort", "einsum", "poly1d", "busday_count"):
        assert f"\n| `{name}` |" in page
    for name in (
        "ndarray.mean",
        "linalg.svd",
        "fft.rfft",
        "random.Generator.normal",
        "random.RandomState.rand",
        "ufunc.reduceat",
    ):
        assert f"\n| `{name}` |" in page
    assert "| `sum` | all | on the device |" in page and "| `poly1d` |  | by NumPy |" in page


def test_what_a_gpu_draws_is_said(coverage, device):
    page = coverage.PAGE.read_text("utf-8")
    said = dict(re.findall(r"^\| `random\.Generator\.(\w+)` \|[^|]*\| drawn on the (\w+) \|", page, re.MULTILINE))
    for names in (random_cases.METHODS, random_cases.STANDARD, random_cases.OTHERS, random_cases.ROWS):
        assert set(names) <= set(said)
    assert said["normal"] == said["integers"] == "device" and said["poisson"] == said["shuffle"] == "host"
    if device == "cpu":  # draws all, and says so: the page is about GPUs
        return
    one = {name: cases[0] for table in (random_cases.OTHERS, random_cases.ROWS) for name, cases in table.items()}
    one |= {name: parameters for name, (parameters, _) in random_cases.METHODS.items()}
    one |= {"integers": (10,), "permutation": (300,), "bytes": (300,), "choice": (10, 300)}
    assert set(said) - set(one) - set(random_cases.STANDARD) == {"shuffle", "permuted"}  # which move elements there
    for name in said.keys() - {"shuffle", "permuted"}:
        size = {} if name in ("permutation", "bytes", "choice") else {"size": 300}
        with cuarray.profile() as profile:
            getattr(cuarray.random.default_rng(1), name)(*one.get(name, ()), **size)
        drawn = any(event.name == name for event in profile.events)
        assert said[name] == ("device" if drawn else "host"), name


def test_missing_keywords_are_seen(coverage):
    def theirs(a, axis=None, where=True):
        pass

    assert coverage.keywords(theirs, lambda a, axis=None: 0) == "without `where`"
    assert (
        coverage.keywords(theirs, lambda a, axis=None, *, where=1: 0)
        == "all"
        == coverage.keywords(theirs, lambda **k: 0)
    )
