"""docs/settings.md lists every environment variable that the code reads, and nothing else."""

import pathlib
import re

import cuarray
from cuarray._runtime.settings import SETTINGS

ROOT = pathlib.Path(__file__).resolve().parents[1]


def test_every_variable_is_documented():
    listed = set(re.findall(r"^\| (`.*?`) \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE))
    listed = {name for cell in listed for name in re.findall(r"CUARRAY_\w+", cell)}
    read = set()
    for path in (ROOT / "src").rglob("*.cpp"):
        read |= set(re.findall(r'(?:getenv|is_set)\("(CUARRAY_\w+)"\)', path.read_text()))
    for path in pathlib.Path(cuarray.__file__).parent.rglob("*.py"):  # also where ROOT has no package
        read |= set(re.findall(r'environ(?:\.get\(|\[)"(CUARRAY_\w+)"', path.read_text()))
    # Python derives these names from the names of libraries.
    libraries = {name for name in listed if name.startswith("CUARRAY_LIB")}
    assert read - listed == set()
    assert listed - read - libraries == set()


def test_the_table_has_every_variable():
    rows = dict(re.findall(r"^\| `(CUARRAY_\w+)` \| (.*?) \|", (ROOT / "docs/settings.md").read_text(), re.MULTILINE))
    assert rows.keys() == SETTINGS.keys()
    for name, values in rows.items():
        pattern = SETTINGS[name].pattern
        for value in re.findall(r"`(.*?)`", values):
            assert re.fullmatch(pattern, value), (name, value)
