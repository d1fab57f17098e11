"""docs/coverage.md is what the code and NumPy say."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

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
    if installed < written:
        pytest.skip("this NumPy is older than docs/coverage.md")
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


def test_missing_keywords_are_seen(coverage):
    def theirs(a, axis=None, where=True):
        pass

    assert coverage.keywords(theirs, lambda a, axis=None: 0) == "without `where`"
    assert (
        coverage.keywords(theirs, lambda a, axis=None, *, where=1: 0)
        == "all"
        == coverage.keywords(theirs, lambda **k: 0)
    )
