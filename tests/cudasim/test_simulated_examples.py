"""examples/simulated: every program runs, finds what its text says, and the workflow tests kernels."""

import importlib.util
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

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
    ("heat.py", ["--memcheck"], [], 0, "50 steps of heat in 512 elements, up to 100.0 degrees, on cuda:0"),
    ("sessions.py", ["--memcheck"], [], 0, "400 clicks in 189 sessions, on cuda:0"),
    ("monte_carlo.py", [], [], 0, "pi is 3.139 by 128000 points, on cuda:0"),
    ("matrix_product.py", ["--memcheck"], [], 0, "a product of shape (30, 19) on cuda:0"),
    ("warp_kernel.py", ["--memcheck"], [], 0, "1000 balls are up to 1.22 m high on cuda:0"),
    ("mpi_sum.py", ["--memcheck"], [], 0, "2 processes added 2000 elements on cuda:0"),
    ("profile_kernels.py", [], [], 0, "kernel"),
]
NEEDS = {
    "from numba import": ("numba_cuda", "nvidia.cu13.nvvm"),
    "from cuda.core import": ("cuda.core", "nvidia.cu13.lib"),
    "import warp": ("warp",),
    "from mpi4py import": ("mpi4py",),
}
#: The launcher of the environment that runs the tests, or another one.
BESIDE = Path(sys.executable).parent / "mpiexec"
MPIEXEC = str(BESIDE) if BESIDE.exists() else "mpiexec"


def require(text):
    """Skip where a program's libraries are not installed."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    if "from mpi4py import" in text and not shutil.which(MPIEXEC):
        pytest.skip("mpiexec is not installed")
    for name, modules in NEEDS.items():
        if name not in text:
            continue
        for module in modules:
            try:
                found = importlib.util.find_spec(module)
            except ModuleNotFoundError:
                found = None
            if found is None:
                pytest.skip(f"{module} is not installed")


def test_every_program_is_run_and_is_in_the_readme():
    files = {file.name for file in FOLDER.glob("*.*")} - {"README.md"}
    assert {name for name, *_ in RUNS} | {"test_kernels.py", "workflow.yml"} == files
    assert set(re.findall(r"^\| `([\w.]+)`", (FOLDER / "README.md").read_text("utf-8"), re.M)) == files


@pytest.mark.parametrize(("name", "options", "arguments", "status", "says"), RUNS)
def test_program(name, options, arguments, status, says):
    text = (FOLDER / name).read_text("utf-8")
    require(text)
    launcher = [MPIEXEC, "-n", "2"] if "mpiexec -n 2" in text else []
    run = python(FOLDER, "-W", "ignore", "-m", "cuarray", "--simulate", *options, name, *arguments, launcher=launcher)
    assert run.returncode == status and says in run.stdout, run.stdout + run.stderr


PAGES = [ROOT / "docs/guide/simulated.md", *sorted((ROOT / "docs/guide/simulated").glob("*.md"))]
#: Page, command, and what it shows.
TRANSCRIPTS = [
    (page.stem, *transcript)
    for page in PAGES
    for transcript in re.findall(r"^```\n\$ ([^\n]*)\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize(("page", "command", "shown"), TRANSCRIPTS)
def test_pages_show_what_a_run_prints(page, command, shown):
    words = command.removeprefix("python -m ").split()
    require((ROOT / next(word for word in words if word.endswith(".py"))).read_text("utf-8"))
    if command.startswith("pytest"):
        words += ["-p", "cuarray_simulator.pytest_plugin", "-p", "no:cacheprovider", "-q", "-n", "0"]
    run = python(ROOT, "-W", "ignore", "-m", *words)
    # Pages leave folders out, and how long a compilation took.
    outputs = [
        [line.replace(f"{FOLDER}/", "") for line in text.splitlines() if not line.startswith("cuarray: compiling ")]
        for text in (run.stdout, run.stderr)
    ]
    for line in shown.splitlines():
        if line == "...":
            continue
        output = next((output for output in outputs if line in output), [])
        assert output, (line, run.stdout, run.stderr)
        skipped = output.index(line)
        assert "..." in shown or not skipped, output[:skipped]
        del output[: skipped + 1]
    assert "..." in shown or outputs == [[], []], outputs


@pytest.mark.parametrize("page", ["numba_cuda", "cuda_core", "warp"])
def test_a_page_of_a_library_has_a_program_and_its_run(page):
    text = (ROOT / "docs/guide/simulated" / f"{page}.md").read_text("utf-8")
    (program,) = re.findall(r"^```{literalinclude} .*/(\w+\.py)$", text, re.MULTILINE)
    assert [command.split()[-1] for name, command, _ in TRANSCRIPTS if name == page] == [
        f"examples/simulated/{program}"
    ]
    assert 'pip install "cuarray[simulator]"' in text and "pip install . ./simulator" in text


def test_the_guide_names_every_option(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "simulator")
    from cuarray_simulator.options import OPTIONS

    guide, runner = ((ROOT / f"docs/guide/{name}.md").read_text("utf-8") for name in ("simulated", "simulated/runner"))
    table = re.findall(r"^\| `--([a-z]+)[^`]*`", guide, re.MULTILINE)
    assert set(OPTIONS) | {"simulate", "seeds"} <= set(table)
    assert not [name for name in (*OPTIONS, "count") if f"`--cuarray-{name}" not in runner]


def test_a_workflow_tests_kernels():
    """Its lines: what pip is asked for is this distribution, and pytest runs as written, in a project of its own."""
    text = (FOLDER / "workflow.yml").read_text("utf-8")
    commands = re.findall(r"^      - run: (.*)$", text, re.MULTILINE)
    assert len(commands) == text.count("run:") == 2
    install, test = map(shlex.split, commands)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert install == ["pip", "install", "cuarray[simulator]", "pytest", "numba-cuda[cu13]"]
    assert project["name"] == "cuarray" and [
        name for name in project["optional-dependencies"]["simulator"] if name.startswith("cuarray-simulator")
    ]
    require((FOLDER / "test_kernels.py").read_text("utf-8"))
    words = [word.replace("tests", "test_kernels.py") for word in test]
    plugin = ["-W", "ignore", "-m", *words, "-p", "cuarray_simulator.pytest_plugin", "-p", "no:cacheprovider"]
    run = python(FOLDER, *plugin, "-q", "-n", "0")
    assert "5 passed" in run.stdout and run.returncode == 0, run.stdout + run.stderr
