"""Programs in plain NumPy print the same under `python -m cuarray` as under Python."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
SIMULATOR = str(FOLDER.parent / "cudasim" / "run")
PROGRAMS = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem not in ("run_all", "test_scripts"))


def run(*command):
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def outputs(*launcher):
    """Return what programs print, by name."""
    return json.loads(run(*launcher, str(FOLDER / "run_all.py"), *PROGRAMS))


def assert_same(found, expected):
    assert "Traceback" not in expected
    assert found == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_prints_the_same(name, device):
    assert_same(outputs("-m", "cuarray", "--device", device)[name], outputs()[name])


@pytest.mark.rest
def test_programs_print_the_same_on_a_simulated_gpu():
    simulated = (SIMULATOR, sys.executable, "-m", "cuarray", "--device", "cuda:0")
    assert outputs(*simulated) == outputs()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in PROGRAMS[:2] else pytest.mark.full) for name in PROGRAMS]
)
def test_program_in_a_process_of_its_own(name, device):
    file = str(FOLDER / f"{name}.py")
    assert_same(run("-m", "cuarray", "--device", device, file), run(file))


def test_programs_are_plain():
    assert len(PROGRAMS) >= 40
    for name in PROGRAMS:
        text = (FOLDER / f"{name}.py").read_text("utf-8")
        assert "cuarray" not in text and 14 <= text.count("\n") <= 60, name
