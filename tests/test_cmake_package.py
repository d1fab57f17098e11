"""A C++ program that knows only `find_package(cuarray)` and `#include <cuarray/cuarray.h>`."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

#: The blocks of docs/guide/cpp.md.
PAGE = (Path(__file__).resolve().parents[1] / "docs/guide/cpp.md").read_text("utf-8")
CMAKE, PROGRAM = (re.search(rf"^```{name}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1] for name in ("cmake", "cpp"))


@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("cmake")), reason="no C++ compiler or no cmake")
def test_program_of_a_user(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "user.cpp").write_text(PROGRAM)
    folder = subprocess.run(
        [sys.executable, "-m", "cuarray", "--cmake-dir"], capture_output=True, text=True, check=True
    )
    for command in (
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={folder.stdout.strip()}"],
        ["cmake", "--build", tmp_path / "build"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    run = subprocess.run([tmp_path / "build" / "user"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    numbers, error = run.stdout.splitlines()
    assert numbers == "48 2 9"
    assert "reshape" in error and "(5, 5)" in error
