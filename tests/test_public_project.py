"""What a public project needs: a release is checked, and the workflows call what exists."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = script("release")

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
PROGRAMS = {"python", "gh", "sudo"}


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


def test_ci_has_the_commit_that_lines_are_compared_with(tmp_path, monkeypatch):
    gate = (ROOT / ".github/workflows/ci.yml").read_text().partition("\n  gate:\n")[2].partition("\n  pythons:\n")[0]
    depth = re.search(r"fetch-depth: (\d+)", gate)

    def git(*arguments):
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        return subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main", str(tmp_path / "origin"))
    for message in ("first", "second", "third"):
        git("-C", str(tmp_path / "origin"), "commit", "-q", "--allow-empty", "-m", message)
    git("clone", "-q", "--depth", depth[1] if depth else "1", f"file://{tmp_path}/origin", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    assert git("log", "-1", "--format=%s", script("count_lines").base_of(git("rev-parse", "HEAD"))) == "second"


def folders_of_distributions():
    return [Path(name).parent.as_posix() for name in release.versions(ROOT) if name.endswith("pyproject.toml")]


def test_a_release_builds_every_distribution():
    run = re.findall(
        r"- run: python -m build (.*)--outdir dist$", (ROOT / ".github/workflows/wheels.yml").read_text(), re.M
    )
    built = {"." if arguments == "--sdist " else arguments.strip() for arguments in run}
    assert built == set(folders_of_distributions())


@pytest.mark.parametrize("folder", folders_of_distributions())
def test_the_source_distribution_has_every_file(tmp_path, folder):
    listing = subprocess.run(["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode or not (ROOT / ".git").exists():
        pytest.skip("these files are not in a checkout of Git")
    for name in listing.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "tree" / name)
    tree = tmp_path / "tree" / folder
    ours = {file.relative_to(tree).as_posix() for file in tree.rglob("*") if file.is_file()}
    build = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=tree, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        packed = {member.name.partition("/")[2] for member in opened if member.isfile()}
    assert ours - packed == ({".gitignore", ".git-blame-ignore-revs"} if folder == "." else set())
    assert all(re.fullmatch(r"PKG-INFO|setup\.cfg|\w+\.egg-info/.*", name) for name in packed - ours)


def test_a_build_says_what_it_does_and_how_long_that_takes(tmp_path):
    for name in ("setup.py", "pyproject.toml", "addresses.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "bin").mkdir()
    for program in ("cmake", "ninja"):
        (tmp_path / "bin" / program).write_text('#!/bin/sh\necho "command $1"\n')
        (tmp_path / "bin" / program).chmod(0o755)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "CMAKE_BUILD_PARALLEL_LEVEL": "3", "CUARRAY_ISA_LEVELS": "base,v3"}
    command = [sys.executable, "setup.py", "-q", "build_ext"]
    shown = subprocess.run(command, cwd=tmp_path, env=settings, check=True, capture_output=True, text=True).stdout
    wanted = [
        "cuarray: configuring: .*",
        "command -S",
        "cuarray: compiling for base,v3, with 3 jobs: (?P<duration>about .* minutes on two cores)",
        "command --build",
        "cuarray: installing: .*",
        "command --install",
    ]
    duration = re.fullmatch("\n".join(wanted) + "\n", shown)["duration"]
    for page in ("README.md", "docs/guide/install.md"):
        assert duration in (ROOT / page).read_text("utf-8")
