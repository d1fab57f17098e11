"""The documents: their Python examples run, and what they point at exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))]
FOLDERS = "cuarray|src|include|tests|examples|docs|benchmarks|scripts|cmake|\\.ci"


def name_of(file):
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_examples_run(document, capsys):
    for block in re.findall(r"^```python\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(block, name_of(document), "exec"), {})


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{name_of(document)} links to {target}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_named_files_exist(document):
    for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]*[\w/])[ `]", document.read_text("utf-8")):
        if "NAME" not in path:
            assert (ROOT / path).exists(), f"{name_of(document)} names {path}"


def test_the_first_screen_is_what_ci_runs():
    commands = re.findall(r"^pip install .*", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert commands[0] == 'pip install ".[examples]" && python examples/palette.py'
    assert commands[1] == 'pip install ".[test]" && pytest'
