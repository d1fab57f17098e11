"""C++ programs that know only `find_package(cuarray)` and `#include <cuarray/cuarray.h>`."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
#: The blocks of docs/guide/cpp.md.
PAGE = (ROOT / "docs/guide/cpp.md").read_text("utf-8")
PROGRAM, CMAKE, OUTPUT = (
    re.search(rf"^```{name}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1] for name in ("cpp", "cmake", "text")
)
needs_tools = pytest.mark.skipif(
    not (shutil.which("g++") and shutil.which("cmake")), reason="no C++ compiler or no cmake"
)


def output_of(source, build, program):
    """Configure and build a project against the installed package, and return what its program prints."""
    folder = subprocess.run(
        [sys.executable, "-m", "cuarray", "--cmake-dir"], capture_output=True, text=True, check=True
    )
    for command in (
        ["cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={folder.stdout.strip()}"],
        ["cmake", "--build", build],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stderr, done.stderr
    libraries = [*(Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*")]
    environment = os.environ | ({"CUARRAY_LIBBLAS": str(libraries[0])} if libraries else {})
    run = subprocess.run([build / program], capture_output=True, text=True, timeout=60, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


@needs_tools
def test_the_program_of_the_guide(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "user.cpp").write_text(PROGRAM)
    assert output_of(tmp_path, tmp_path / "build", "user") == OUTPUT


@needs_tools
def test_the_example(tmp_path):
    """Its numbers are those of NumPy."""
    plate = np.zeros((64, 64))
    plate[0] = 100
    for _ in range(1000):
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] += 0.2 * (around - 4 * plate[1:-1, 1:-1])
    noise = np.random.default_rng(42).normal(0, 0.5, plate.shape)
    printed = output_of(ROOT / "examples/cpp", tmp_path / "build", "heat")
    number = {
        name: float(re.search(rf"{name} ([-+.e0-9]+)", printed)[1])
        for name in ("mean temperature", "residual", "above 50:", "noise", "largest after a limit")
    }
    assert number["mean temperature"] == pytest.approx(plate.mean(), rel=1e-5)
    assert number["residual"] < 1e-9 and number["largest after a limit"] == 50
    assert number["above 50:"] == pytest.approx((plate > 50).mean() * 100, rel=1e-5)
    assert number["noise"] == pytest.approx((plate + noise - plate).std(), rel=1e-5)
    hottest = np.sort(plate[1:-1, 1:-1].ravel())[:-6:-1]
    assert repr(hottest) in printed and repr(plate.mean(0)[::16]) in printed
