"""The examples that need MPI: they compare their results themselves."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = str(ROOT / "tests" / "cudasim" / "run")


@pytest.mark.parametrize("prefix", [(), (SIMULATOR,)], ids=["plain", "simulated"])
@pytest.mark.parametrize(
    ("program", "says"),
    [
        (["heat.py", "--size", "36", "--steps", "30"], "the same as NumPy's in one process"),
        (["kmeans.py", "--points", "3000", "--clusters", "4"], "centres found within"),
    ],
    ids=["heat", "kmeans"],
)
def test_example(program, says, prefix, tmp_path):
    for module in ("mpi4py", "PIL"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    beside = Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec") or "mpiexec"
    command = [mpiexec, "-n", "3", *prefix, sys.executable, str(ROOT / "examples" / program[0]), *program[1:]]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and says in run.stdout, run.stdout + run.stderr
    assert program[0] != "heat.py" or (tmp_path / "heat.png").stat().st_size > 1000
