"""Tests that array_api_suite.py fails where failures.txt and the outcomes of other libraries' tests differ."""

import subprocess
import sys
import types
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import array_api_suite as suite

pytestmark = pytest.mark.rest
KNOWN = "stats.tests.TestGMean::test_1d[numpy]"


@pytest.fixture(autouse=True)
def one_row(monkeypatch):
    monkeypatch.setattr(suite, "known_failures", lambda library: ["*TestGMean::test_1d*"])
    monkeypatch.setattr(suite, "LEAST", {"scipy": 1})


def test_known_failures_are_no_complaint(capsys):
    assert suite.complaints("scipy", {KNOWN: "failure", "a": "passed", "b": "skipped"}) == []
    assert capsys.readouterr().out == "scipy: 1 pass, 1 fail, 1 are skipped\n"


@pytest.mark.parametrize("outcome", ["failure", "error"])
def test_other_failures_are(outcome):
    assert suite.complaints("scipy", {KNOWN: "failure", "a": "passed", "b": outcome}) == ["b fails"]


def test_rows_of_tests_that_pass_are():
    assert suite.complaints("scipy", {KNOWN: "passed"}) == ["no test of *TestGMean::test_1d* fails"]


def test_too_few_tests_are():
    assert suite.complaints("scipy", {KNOWN: "failure"}) == ["0 tests of scipy passed, and not 1"]


def test_pytest_alone_is_needed(monkeypatch):
    """Its options are those that it has without pytest-xdist."""

    def run(command, cwd, env, check):
        known = [option for option in command if not option.startswith("--library")]
        known[known.index("backend")] = "no:xdist"
        known[known.index("--pyargs") :] = ["--collect-only"]
        subprocess.run(known, cwd=cwd, check=False)

    monkeypatch.setattr(suite, "subprocess", types.SimpleNamespace(run=run))
    assert suite.outcomes_of("scipy") == {}


def test_every_row_has_a_library_and_a_reason():
    rows = [line for line in (suite.HERE / "failures.txt").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert rows and all(line.count(" | ") == 2 and line.split(" | ")[0] in suite.LIBRARIES for line in rows)
