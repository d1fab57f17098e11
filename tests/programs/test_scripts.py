"""Programs in plain NumPy print the same under `python -m cuarray` as under Python."""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cuarray as ca

FOLDER = Path(__file__).resolve().parent
PROGRAMS = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem not in ("run_all", "test_scripts"))

#: Whether seeds give NumPy's numbers; where they do not, programs that draw numbers only have to run to their end.
HAS_NUMBERS_OF_NUMPY = float(ca.random.default_rng(1).normal()) == np.random.default_rng(1).normal()


def run(*command):
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def outputs(*launcher):
    """Return what all programs print, by name."""
    return json.loads(run(*launcher, str(FOLDER / "run_all.py"), *PROGRAMS))


def draws_numbers(name):
    return "np.random" in (FOLDER / f"{name}.py").read_text("utf-8")


def assert_same(name, found, expected):
    assert "Traceback" not in expected and "Traceback" not in found, found
    if HAS_NUMBERS_OF_NUMPY or not draws_numbers(name):
        assert found == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_prints_the_same(name, device):
    assert_same(name, outputs("-m", "cuarray", "--device", device)[name], outputs()[name])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in PROGRAMS[:2] else pytest.mark.full) for name in PROGRAMS]
)
def test_program_in_a_process_of_its_own(name, device):
    file = str(FOLDER / f"{name}.py")
    assert_same(name, run("-m", "cuarray", "--device", device, file), run(file))


def test_programs_are_plain():
    assert len(PROGRAMS) >= 40
    for name in PROGRAMS:
        text = (FOLDER / f"{name}.py").read_text("utf-8")
        assert "cuarray" not in text and 14 <= text.count("\n") <= 60, name
