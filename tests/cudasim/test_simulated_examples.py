"""examples/simulated: every program runs, finds what its text says, and the workflow tests kernels."""

import importlib.util
import shutil

import pytest
from test_simulate import ROOT, python

FOLDER = ROOT / "examples" / "simulated"

#: The program, its options, its exit status, and what it prints.
RUNS = [
    ("vector_add.py", [], [], 0, "3907 blocks of 256 threads added 1000000 pairs on cuda:0"),
    ("reduction.py", ["--memcheck"], [], 0, "the sum of 10000 elements is 49995000, on cuda:0"),
    ("race.py", ["--memcheck"], [], 1, "on cuda:0"),
    ("race.py", ["--memcheck"], ["--mended"], 0, "reversed on cuda:0"),
    ("saxpy.py", ["--memcheck"], [], 0, "saxpy of 10000 elements on cuda:0"),
    ("profile_kernels.py", [], [], 0, "kernel"),
]
NEEDS = {"numba": ("numba_cuda", "nvidia.cu13.nvvm"), "cuda.core": ("cuda.core", "nvidia.cu13.lib")}


def require(text):
    """Skip where a program's libraries are not installed."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    for name, modules in NEEDS.items():
        if f"from {name} import" not in text:
            continue
        for module in modules:
            try:
                found = importlib.util.find_spec(module)
            except ModuleNotFoundError:
                found = None
            if found is None:
                pytest.skip(f"{module} is not installed")


def test_every_program_is_run():
    assert {name for name, *_ in RUNS} | {"test_kernels.py"} == {file.name for file in FOLDER.glob("*.py")}


@pytest.mark.parametrize(("name", "options", "arguments", "status", "says"), RUNS)
def test_program(name, options, arguments, status, says):
    require((FOLDER / name).read_text("utf-8"))
    run = python(FOLDER, "-W", "ignore", "-m", "cuarray", "--simulate", *options, name, *arguments)
    assert run.returncode == status and says in run.stdout, run.stdout + run.stderr
    if status:
        lines = (FOLDER / name).read_text("utf-8").splitlines()
        write, read = (lines.index(text) + 1 for text in ("    part[t] = x[t]", "    x[t] = part[63 - t]"))
        assert "cudasim: kernel reverse, block (0, 0, 0), thread (" in run.stderr, run.stderr
        assert (
            f"line {write} of " in run.stderr
            and f"line {read} of " in run.stderr
            and "cuda.syncthreads()" in run.stderr
        )


def test_a_workflow_tests_kernels():
    text = (FOLDER / "workflow.yml").read_text("utf-8")
    require((FOLDER / "test_kernels.py").read_text("utf-8"))
    (command,) = [line.partition("run: ")[2] for line in text.splitlines() if "run: pytest" in line]
    words = [word.replace("tests", "test_kernels.py") for word in command.split()]
    plugin = ["-W", "ignore", "-m", *words, "-p", "cuarray_simulator.pytest_plugin", "-p", "no:cacheprovider"]
    run = python(FOLDER, *plugin, "-q", "-n", "0")
    assert "5 passed" in run.stdout, run.stdout + run.stderr
