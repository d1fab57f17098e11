"""The planted bugs can still be planted: each text occurs in its file as often as declared, and has tests."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mutants():
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "cudasim")]
    tables = ("mutants.py", "host/mutants.py", "oracle/mutants.py", "cudasim/mutants.py", "cudasim/ptx_mutants.py")
    for path in (ROOT / "tests" / table for table in tables):
        spec = importlib.util.spec_from_file_location(f"table_of_{path.parent.name}_{path.stem}", path)
        table = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(table)
        yield from getattr(table, "MUTANTS", None) or [*table.mechanical(), *table.BY_HAND]


@pytest.mark.parametrize("mutant", list(mutants()), ids=lambda mutant: mutant.name)
def test_can_be_planted(mutant):
    text = (ROOT / mutant.file).read_text()
    assert mutant.planted_in(text) != text
    assert mutant.commands(), "the table names no tests"


@pytest.mark.rest
def test_the_tests_of_planted_bugs_exist():
    """Every command chooses a test, of those for `cpu` and for a simulated GPU: else the runner would test nothing."""
    collect = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--all",
        "--collect-only",
        "-p",
        "chosen",
        "-p",
        "no:cacheprovider",
    ]
    paths = os.pathsep.join([str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, ROOT / "tests" / "cudasim" / "run", *collect, "tests"],
        env=os.environ | {"PYTHONPATH": paths}, cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    lines = [line for line in run.stdout.splitlines() if "commands" in line or "chooses no test" in line]
    assert lines[:1] and int(lines[0].split()[0]) > 500, run.stdout[-2000:] + run.stderr[-2000:]
    assert lines[1:] == []
