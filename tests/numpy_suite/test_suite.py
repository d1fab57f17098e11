"""A part of NumPy's own tests, and tests that the script fails where the table of failures and the outcomes differ."""

import argparse
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import suite

pytestmark = pytest.mark.rest
OPTIONS = argparse.Namespace(update=False, prune=False, file=["x"], show=None)
ROW = suite.Row("fft/tests/test_helper.py", "TestA::test_b*", "ours", "is to be mended")


def counted(failures=(), stale=()):
    return suite.Count(ROW.file, 3, 3 - len(failures), list(failures), list(stale))


@pytest.mark.few
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the children's memory is limited")
@pytest.mark.parametrize("file", ["fft/tests/test_helper.py", "lib/tests/test_ufunclike.py"])
def test_a_file(file, monkeypatch, tmp_path):
    """The whole path: the stand-in, cuarray, and the table. No test of these files fails."""
    monkeypatch.setattr(suite, "STATE", tmp_path)
    count = suite.judge(file, suite.rows(), again=True)
    assert count.portable >= 3
    assert not [failure for failure in count.failures if failure[-1] is None], count.failures
    assert not count.stale


def test_crashes_are_failures(monkeypatch, tmp_path):
    """A process that ends within a test: the test is a finding, and the others run."""
    monkeypatch.setattr(suite, "STATE", tmp_path)
    (tmp_path / "substitution.py").write_text(
        "import os, cuarray\nif os.environ['NUMPY_TESTS_TARGET'] == 'cuarray':\n"
        "    cuarray.fft.fftfreq = lambda *a, **k: os.abort()\n" + (HERE / "substitution.py").read_text()
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    count = suite.judge("fft/tests/test_helper.py", [], again=True)
    crashes = [test for test, _, text, _ in count.failures if "crash SIGABRT" in text]
    assert crashes and all("FFTFreq" in test for test in crashes), count.failures
    assert count.passed == count.portable - len(crashes)


def test_a_failure_without_a_row_fails(capsys):
    assert suite.report([counted([("TestA::test_b", "1", "AssertionError", None)])], [], OPTIONS) == 1
    assert "not classified: fft/tests/test_helper.py::TestA::test_b" in capsys.readouterr().out


def test_a_failure_with_a_row_passes():
    assert suite.report([counted([("TestA::test_b", "1", "AssertionError", ROW)])], [ROW], OPTIONS) == 0


def test_a_row_of_a_test_that_passes_fails():
    assert suite.report([counted(stale=[(ROW, "TestA::test_b[2]")])], [ROW], OPTIONS) == 1


def test_a_row_without_a_test_fails():
    assert suite.report([counted()], [ROW], OPTIONS) == 1


def test_patterns_take_brackets_as_they_are():
    row = ROW._replace(pattern="test_c[a-*")
    assert row.matches(ROW.file, "test_c[a-1]")
    assert not row.matches(ROW.file, "test_ca-1")


def test_rows_of_some_parameters_are_needed_by_one(capsys):
    row = ROW._replace(pattern="test_d[some]")
    assert row.matches(ROW.file, "test_d[a-1]") and not row.matches(ROW.file, "test_da[1]")
    assert suite.report([counted()], [row], OPTIONS) == 1


def test_the_table_names_rows_of_the_differences():
    """A documented failure quotes the beginning of a row or sentence of docs/differences.md."""
    text = (HERE.parents[1] / "docs" / "differences.md").read_text()
    missing = {
        row.reason for row in suite.rows() if row.kind == "documented" and row.reason.partition(": ")[0] not in text
    }
    assert not missing
