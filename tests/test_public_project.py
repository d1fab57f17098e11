"""What a public project needs: a release is checked, and the workflows call what exists."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("release", ROOT / "scripts/release.py")
release = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release)

CHANGELOG = "# Changelog\n\n## 0.2.0 - {date}\n\n{text}\n\n## 0.1.0 - 2026-01-31\n\n- first\n"


@pytest.fixture
def project(tmp_path):
    """A project that can be released as v0.2.0."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "cuarray"\nversion = "0.2.0"\n')
    (tmp_path / "simulator").mkdir()
    (tmp_path / "simulator/pyproject.toml").write_text('[project]\nname = "cuarray-simulator"\nversion = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG.format(date="2026-11-30", text="- second"))
    (tmp_path / "addresses.toml").write_text('repository = "https://example.org"\nsecurity = "x@example.org"\n')
    return tmp_path


def test_a_complete_release(project):
    assert release.missing(project, "v0.2.0") == []
    assert release.section((project / "CHANGELOG.md").read_text(), "0.2.0") == ("2026-11-30", "- second")
    assert release.section((project / "CHANGELOG.md").read_text(), "0.1.0") == ("2026-01-31", "- first")


INCOMPLETE = [
    ("pyproject.toml", 'version = "0.2.0"', 'version = "0.1.9"', "pyproject.toml says 0.1.9"),
    ("simulator/pyproject.toml", 'version = "0.2.0"', 'version = "0.1.9"', "simulator/pyproject.toml says 0.1.9"),
    ("CITATION.cff", "version: 0.2.0", "version: 0.1.0", "CITATION.cff says 0.1.0"),
    ("CHANGELOG.md", "2026-11-30", "not released", "but - not released"),
    ("CHANGELOG.md", "## 0.2.0", "## 0.3.0", "no heading"),
    ("CHANGELOG.md", "- second", "", "says nothing about 0.2.0"),
    ("addresses.toml", "x@example.org", "", "security is empty"),
]


@pytest.mark.parametrize("name, old, new, expected", INCOMPLETE, ids=[each[3] for each in INCOMPLETE])
def test_what_a_release_lacks_is_named(project, name, old, new, expected):
    text = (project / name).read_text()
    assert old in text
    (project / name).write_text(text.replace(old, new, 1))
    (fault,) = release.missing(project, "v0.2.0")
    assert expected in fault


def test_other_tags_are_refused(project):
    assert "v1.2.3" in release.missing(project, "0.2.0")[0]


def test_every_file_states_the_same_version():
    assert len(set(release.versions(ROOT).values())) == 1


#: Programs that a GitHub runner has, or that a step before installs.
PROGRAMS = {"python", "gh"}


def commands():
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        for command in re.findall(r"^\s*- run: (.+)$", file.read_text(), re.MULTILINE):
            yield pytest.param(command, id=f"{file.stem}: {command}")


@pytest.mark.parametrize("command", list(commands()))
def test_workflows_run_what_is_there(command):
    program, *arguments = command.split()
    assert program in PROGRAMS or shutil.which(program, path=ROOT) or (ROOT / program).is_file()
    for argument in arguments:
        if "/" in argument and "*" not in argument:
            assert (ROOT / argument).exists(), argument
    if program == ".ci/run":
        steps = re.search(r"^steps=\((.*)\)$", (ROOT / ".ci/run").read_text(), re.MULTILINE)[1].split()
        assert set(arguments) <= set(steps)


def test_supported_pythons_are_the_same_everywhere():
    def found(pattern, file):
        return set(re.findall(pattern, (ROOT / file).read_text()))

    classifiers = found(r"Python :: (3\.\d+)", "pyproject.toml")
    tested = found(r'"(3\.1\d)"', ".github/workflows/ci.yml")
    built = {f"3.{n}" for n in found(r"cp3(\d+)-\*", "pyproject.toml")}
    assert classifiers == tested == built
    low, high = re.search(r"(3\.\d+) to (3\.\d+)", (ROOT / "docs/policy.md").read_text()).groups()
    assert (low, high) == (min(classifiers), max(classifiers))
