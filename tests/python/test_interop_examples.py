"""The examples that need MPI, on three processes."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = str(ROOT / "tests" / "cudasim" / "run")
PREFIXES = pytest.mark.parametrize("prefix", [(), (SIMULATOR,)], ids=["plain", "simulated"])


def run(arguments, prefix, folder):
    """Run Python with these arguments in three processes; return what they print."""
    for module in ("mpi4py", "PIL"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    beside = Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec") or "mpiexec"
    command = [mpiexec, "-n", "3", *prefix, sys.executable, *arguments]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@PREFIXES
def test_kmeans(prefix, tmp_path):
    """The program compares the centres with those of which it drew the points."""
    says = run([ROOT / "examples/kmeans.py", "--points", "3000", "--clusters", "4"], prefix, tmp_path)
    assert "centres found within" in says


def plates_by_numpy(start, steps, rate):
    u = np.pad(start, 1)
    for _ in range(steps):
        neighbours = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u[1:-1, 1:-1] += rate * (neighbours - u[1:-1, 1:-1])
    return u[1:-1, 1:-1]


def test_heat(tmp_path):
    """The plate of three processes is NumPy's of one."""
    code = "import sys, numpy; sys.path.append(sys.argv[1]); import heat; seen = heat.plates(37, (3, 27)); "
    code += "seen and numpy.savez('plates.npz', rate=heat.RATE, start=seen[0], soon=seen[1], later=seen[2])"
    run(["-c", code, str(ROOT / "examples/gallery")], (), tmp_path)
    with np.load(tmp_path / "plates.npz") as seen:
        assert 0.05 < seen["start"].mean() < 0.5
        for name, steps in (("soon", 3), ("later", 30)):
            expected = plates_by_numpy(seen["start"], steps, float(seen["rate"]))
            np.testing.assert_allclose(seen[name], expected, rtol=1e-9, atol=1e-12)


@PREFIXES
def test_heat_draws_the_same_picture(prefix, tmp_path):
    run([ROOT / "examples/gallery/heat.py"], prefix, tmp_path)
    from PIL import Image

    drawn, expected = (
        np.asarray(Image.open(file)).astype(int)
        for file in (tmp_path / "heat.png", ROOT / "docs/images/gallery/heat.png")
    )
    assert abs(drawn - expected).max() <= 1
