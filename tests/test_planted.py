"""The planted bugs can still be planted: each text occurs in its file as often as declared, and has tests."""

import importlib.util
import pathlib
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
