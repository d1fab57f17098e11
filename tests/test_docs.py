"""The documents: their Python examples run, and their links and file names exist."""

import functools
import importlib.util
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest

import cuarray

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
FOLDERS = "cuarray|src|include|tests|examples|docs|benchmarks|scripts|cmake|\\.ci"


def name_of(file):
    return file.relative_to(ROOT).as_posix()


def examples():
    """The Python blocks of the documents."""
    for document in DOCUMENTS:
        blocks = re.findall(r"^```python\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for number, block in enumerate(blocks):
            yield pytest.param(name_of(document), block, id=f"{name_of(document)}-{number}")


@pytest.mark.parametrize(("document", "block"), list(examples()))
def test_examples_run(document, block, capsys):
    for module in re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    # The first line sets a variable that a library reads at import.
    if variables := re.match(r"# (\w+)=(\S+) python\n", block):
        environment = {**os.environ, variables[1]: variables[2]}
        subprocess.run([sys.executable, "-c", block], check=True, env=environment, timeout=300)
        return
    if "cuarray.numpy" in block and "cuarray.numpy" in sys.modules:  # which another test has undone
        sys.modules["cuarray._numpy.operators"].install()
    exec(compile(block, document, "exec"), {})


def test_the_advice_of_the_guide_is_that_which_is_measured(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    advice = importlib.import_module("advice")
    table = (ROOT / "docs/guide/fast.md").read_text("utf-8").partition(advice.BEGIN)[2].partition(advice.END)[0]
    assert re.findall(r"^\| (.*?) \| .*\d [mun]s \| .*\d [mun]s \|$", table, re.MULTILINE) == [
        row[0] for row in advice.ADVICE
    ]
    names = advice.namespace(cuarray)
    for name, before, after, _ in advice.ADVICE:
        cuarray.testing.assert_allclose(eval(before, names), eval(after, names), rtol=1e-5, err_msg=name)


def differences():
    """The rows of the tables of docs/differences.md: what differs, and the expression that shows it."""
    rows = re.findall(r"^\| (.*) \|$", (ROOT / "docs/differences.md").read_text("utf-8"), re.MULTILINE)
    cells = [row.split(" | ") for row in rows]
    return [(one[0], one[-1]) for one in cells if one[-1] != "shown by" and len(one) == 4]


def test_the_differences_met_first_come_first():
    first = (ROOT / "docs/differences.md").read_text("utf-8").partition("\n## ")[2]
    assert (
        first.startswith("The differences you meet first\n")
        and len(re.findall(r"^\| .* `[^`]+` \|$", first.partition("\n## ")[0], re.MULTILINE)) == 3
    )


@pytest.mark.parametrize(("what", "expression"), differences())
def test_differences_are_shown(what, expression):
    names = {"np": numpy, "ca": cuarray, "raises": raises, "warnings_of": warnings_of, "sys": sys}
    if re.search(r"\bpd\.", expression):
        names["pd"] = pytest.importorskip("pandas", reason="pandas is not installed")
    with warnings.catch_warnings(), cuarray.device("cpu"):
        warnings.simplefilter("ignore")
        assert eval(expression.strip("`"), names), f"{what}: {expression}"


def raises(kind, action):
    with pytest.raises(kind):
        action()
    return True


def warnings_of(action):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        action()
    return found


def test_there_are_differences():
    assert len(differences()) >= 55


def without_blocks(document):
    return re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@functools.cache
def anchors(document):
    """The anchors of a document: those that GitHub gives its headings, and those written in it."""
    text = without_blocks(document)
    headings = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'id="([^"]+)"', text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", without_blocks(document)):
        if "://" not in target:
            file = document.parent / target if target else document
            assert file.exists(), f"{name_of(document)} links to {target}"
            assert not anchor or anchor in anchors(file), f"{name_of(document)} links to {target}#{anchor}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_named_files_exist(document):
    for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]*[\w/])[ `]", document.read_text("utf-8")):
        if "NAME" not in path:
            home = (
                Path(cuarray.__file__).parents[1] if path.startswith("cuarray/") else ROOT
            )  # a wheel's tests have no cuarray/
            assert (home / path).exists(), f"{name_of(document)} names {path}"


def test_the_first_screen_is_what_ci_runs():
    commands = re.findall(r"^pip install .*", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert commands[0] == 'pip install ".[examples]" && python examples/palette.py'
    assert commands[1] == 'pip install ".[test]" && pytest'
