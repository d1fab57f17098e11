"""`python -m cuarray --simulate`, `cuarray.simulate` and `pytest --cuarray-simulate`: programs on simulated GPUs."""

import json
import os
import shutil
import subprocess
import sys
import textwrap

import pytest
from simulated import HERE, PACKAGE

ROOT = PACKAGE.parents[1]

# A kernel that a program compiles and launches through the driver, and the addresses of its arrays.
KERNEL = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from ctypes import c_int
from driver_api import CudaError, Driver
d = Driver()
def launch(text, grid=1, block=64, bytes=4096, shared=0, fill=True, name="kernel"):
    x = d.alloc(bytes)
    if fill:
        d.fill(x, 0, bytes // 4)
    d.launch(d.kernel(text, name), grid, block, [x], shared=shared)
    d.synchronize()
    return x
"""

RACE = """
extern "C" __global__ void kernel(int* x) {
    __shared__ int part[64];
    part[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = part[63 - threadIdx.x];
}
"""
SPINS = """
extern "C" __global__ void kernel(volatile int* x) {
    while (x[threadIdx.x] == 0) {
    }
}
"""
ENDLESS = """
extern "C" __global__ void kernel(int* x) {
    for (;;) {
        x[threadIdx.x] += 1;
        __syncthreads();
    }
}
"""


def python(folder, *command, path=(ROOT, ROOT / "simulator"), launcher=(), **environment):
    """Run Python without any setting of a simulator that the tests themselves may run on."""
    settings = {k: v for k, v in os.environ.items() if not k.startswith(("CUDASIM_", "CUARRAY_")) or k in KEPT}
    settings |= {"PYTHONPATH": os.pathsep.join(map(str, path)), "LD_LIBRARY_PATH": "", **environment}
    return subprocess.run(
        [*launcher, sys.executable, *map(str, command)],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        timeout=300,
    )


KEPT = {"CUDASIM_CACHE_DIR", "CUDASIM_CXX", "CUDASIM_REAL_NVRTC"}


@pytest.fixture(autouse=True)
def compiler():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")


@pytest.fixture
def script(tmp_path):
    """Write a program; return its path."""

    def write(text, name="program.py"):
        (tmp_path / name).write_text(textwrap.dedent(text), "utf-8")
        return tmp_path / name

    return write


def simulate(program, *options, **environment):
    """Run a program on simulated GPUs."""
    return python(program.parent, "-m", "cuarray", "--simulate", *options, program.name, **environment)


def test_a_program_finds_simulated_gpus_and_keeps_numpy(script):
    program = script("""
        import sys
        import numpy as np, cuarray as ca
        print([str(device) for device in ca.devices()], type(np.ones(1)).__module__, sys.argv[1:])
        print((ca.arange(5.0) * 2).tolist(), ca.arange(3).device)
    """)
    run = python(program.parent, "-m", "cuarray", "--simulate", "2", "program.py", "--memcheck", "x")
    assert run.stdout.splitlines() == [
        "['cuda:0', 'cuda:1', 'cpu'] numpy ['--memcheck', 'x']", "[0.0, 2.0, 4.0, 6.0, 8.0] cuda:0"
    ], run.stderr  # fmt: skip
    run = python(program.parent, "-m", "cuarray", "--simulate", "--device", "cuda:0", "-m", "program")
    assert run.returncode == 0 and run.stdout.startswith("['cuda:0', 'cpu'] cuarray []"), run.stderr


def test_a_call_in_a_program(script):
    program = script("""
        import ctypes
        import cuarray as ca
        ca.simulate(3, like="T4")
        driver, major = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
        driver.cuInit(0)
        said = [len(ca.devices()) - 1]
        # Major, multiprocessors, L2 cache, shared memory of a multiprocessor, pitch, alignment, ratio to double, ECC.
        for key in (75, 16, 38, 81, 11, 14, 87, 32):
            driver.cuDeviceGetAttribute(ctypes.byref(major), key, 0)
            said.append(major.value)
        total, free, device_total = (ctypes.c_size_t() for _ in range(3))
        driver.cuDeviceTotalMem_v2(ctypes.byref(device_total), 0)
        ca.empty(1, device="cuda")
        driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        said += [device_total.value == total.value, total.value >> 30, 7 << 30 < free.value <= 8 << 30]
        print(*said)
        try:
            ca.simulate()
        except RuntimeError as error:
            print(error)
    """)
    run = python(program.parent, program)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(
        f"3 7 40 {4 << 20} {64 << 10} {2**31 - 1} 512 32 1 True 15 True\nsimulate: GPUs have been looked for already; "
    ), run.stdout


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("ca.simulate(0)", "simulate: count is an integer from 1 to 16, not 0"),
        ("ca.simulate(2.0)", "simulate: count is an integer from 1 to 16, not 2.0"),
        ("ca.simulate(like='GTX')", "simulate: like is T4, A100, A100-80, L4, H100, H200, B200, not 'GTX'"),
        ("ca.simulate(seed=-1)", "simulate: seed is an integer from 0 to "),
        ("ca.simulate(seconds=-4)", "simulate: seconds is a number from 0 on, not -4"),
        ("ca.simulate(seconds='4')", "simulate: seconds is a number from 0 on, not '4'"),
        ("ca.simulate(json='nowhere/x')", "simulate: json nowhere/x: No such file"),
    ],
)
def test_wrong_arguments(script, call, says):
    program = script(f"import cuarray as ca\n{call}\n")
    run = python(program.parent, program)
    assert run.returncode == 1 and f"SimulatorError: {says}" in run.stderr, run.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--memcheck"], "--memcheck needs --simulate before it"),
        (["--simulat", "program.py"], "no option --simulat; did you mean --simulate?"),
        (["--simulate", "-1", "program.py"], "count is an integer from 1 to 16, not -1"),
        (["--simulate", "--seed", "x", "program.py"], "--seed needs a number, not 'x'"),
        (["--simulate", "--seed"], "--seed needs a value"),
        (["--simulate"], "no program is named"),
        (["--simulate", "2", "--memchek", "program.py"], "no option --memchek; did you mean --memcheck?"),
        (["--simulate", "17", "program.py"], "count is an integer from 1 to 16, not 17"),
        (["--simulate", "--json", "nowhere/x", "program.py"], "json nowhere/x: No such file"),
        (["--simulate", "--json", "nowhere/x", "--seeds", "2", "program.py"], "json nowhere/x: No such file"),
        (["--simulate", "--seconds", "-4", "program.py"], "seconds is a number from 0 on, not -4.0"),
        (["--simulate", "--seconds", "nan", "program.py"], "seconds is a number from 0 on, not nan"),
        (["--simulate", "--limit", "0", "program.py"], "limit is an integer from 1 to "),
        (["--simulate", "--seed", "-1", "program.py"], "seed is an integer from 0 to "),
        (["--simulate", "--seeds", "0", "program.py"], "--seeds needs a positive number, not 0"),
        (["--simulate", "--memcheck=no", "program.py"], "--memcheck takes no value"),
    ],
)
def test_wrong_options(script, options, says):
    program = script("print('runs')")
    run = python(program.parent, "-m", "cuarray", *options)
    assert run.returncode == 1 and says in run.stderr and "Traceback" not in run.stderr and not run.stdout


def test_what_is_missing_is_named_with_the_command(script):
    program = script("print('runs')")
    run = simulate(program, path=(ROOT,))
    assert run.returncode == 1 and "pip install ./simulator" in run.stderr and "Traceback" not in run.stderr
    run = simulate(program, CUDASIM_REAL_NVRTC="0")
    assert run.returncode == 1 and "pip install nvidia-cuda-nvrtc" in run.stderr and "Traceback" not in run.stderr
    for built in ({}, {"CUDASIM_CACHE_DIR": str(program.parent / "cache")}):
        run = simulate(program, CUDASIM_CXX="no-such-g++", **built)
        assert run.returncode == 1 and "Traceback" not in run.stderr
        assert "no-such-g++ is needed to run kernels on simulated GPUs; install it: sudo apt install g++" in run.stderr


def test_a_program_that_fails_has_its_own_traceback_and_status(script):
    program = script("import sys\ndef f():\n    raise ValueError('mine')\nf() if len(sys.argv) < 2 else sys.exit(7)\n")
    plain, ours = python(program.parent, "program.py"), simulate(program)
    assert (ours.returncode, ours.stderr) == (plain.returncode, plain.stderr) and "mine" in ours.stderr
    run = python(program.parent, "-m", "cuarray", "--simulate", "program.py", "x")
    assert run.returncode == 7


def test_memory_runs_out(script):
    program = script("""
        import cuarray as ca
        try:
            ca.empty(1 << 34, dtype="int8", device="cuda")
        except MemoryError as error:
            print("MemoryError", error)
    """)
    run = simulate(program)
    assert run.stdout.startswith("MemoryError"), run.stdout + run.stderr


def test_a_forked_child_is_told(script):
    program = script(
        KERNEL
        + """
import os
if os.fork() == 0:
    try:
        d.alloc(100)
    except CudaError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""
    )
    assert simulate(program).stdout == "cuMemAlloc_v2: 3\n"


@pytest.mark.rest
@pytest.mark.parametrize(
    ("text", "seconds", "says"), [(SPINS, "300", "threads wait for ever"), (ENDLESS, "1", "more than 1 s")]
)
def test_a_kernel_that_never_ends(script, text, seconds, says):
    """The limit names the place of each resident block; that threads spin is seen without it."""
    run = simulate(script(KERNEL + f"launch({text!r})\n"), "--seconds", seconds)
    assert run.returncode == 1 and "CudaError: cuStreamSynchronize: 702" in run.stderr, run.stderr
    assert "kernel kernel, block (0, 0, 0), thread (" in run.stderr and says in run.stderr, run.stderr
    assert "block (0, 0, 0): 64 threads, 0 ended" in run.stderr


def test_memcheck_reports_both_accesses_and_what_they_mean(script):
    program = script(KERNEL + f"launch({RACE!r})\nprint('ends')\n")
    run = simulate(program)
    assert run.returncode == 0 and not run.stderr
    run = simulate(program, "--memcheck", "--json", "found.json")
    assert run.returncode == 1 and run.stdout == "ends\n", run.stderr
    found = [json.loads(line) for line in (program.parent / "found.json").read_text().splitlines()]
    races = [finding for finding in found if finding["kind"] == "race in a block"]
    assert races and {finding["line"] for finding in races} <= {4, 5}
    race = races[0]
    assert race["kernel"] == "kernel" and race["seed"] == 0 and race["bytes"] == 4
    assert {race["line"], int(race["other"]["line"].split()[1])} == {4, 5}
    assert "__syncthreads" in race["meaning"] and race["message"] in run.stderr
    assert run.stderr.splitlines()[-1] == f"cudasim: {len(found)} findings (seed 0)"


def test_a_cache_that_cannot_be_written_is_named(script):
    run = simulate(script("print(1)"), CUDASIM_CACHE_DIR="/dev/null/x")
    assert run.returncode == 1 and run.stdout == "" and "Traceback" not in run.stderr
    assert "/dev/null/x, cannot be written (Not a directory): set CUDASIM_CACHE_DIR to a folder that can" in run.stderr


def test_numbas_own_simulator_stays_off(script):
    program = "import os, cuarray; print(os.environ.get('NUMBA_ENABLE_CUDASIM'))"
    run = simulate(script(program), NUMBA_ENABLE_CUDASIM="1")
    assert run.stdout == "None\n" and "NUMBA_ENABLE_CUDASIM is ignored" in run.stderr, run.stderr


def test_a_call_has_the_options_and_says_at_the_end_what_was_found(script):
    text = f"import cuarray\ncuarray.simulate(memcheck=True, OPTIONS)\n{KERNEL}\nlaunch({RACE!r})\nprint('ends')\n"
    program = script(text.replace("OPTIONS", "json='found.json', seconds=20"))
    for _ in range(2):  # the file is emptied first
        run = python(program.parent, program)
        found = [json.loads(line) for line in (program.parent / "found.json").read_text().splitlines()]
        assert run.returncode == 0 and run.stdout == "ends\n" and found, run.stderr
        assert run.stderr.splitlines()[-1] == f"cudasim: {len(found)} findings (seed 0)"
    run = python(program.parent, script(text.replace("OPTIONS", "limit=1")))
    assert run.returncode == 1 and run.stderr.splitlines()[-1] == "cudasim: 1 finding (seed 0)", run.stderr
    run = python(program.parent, script(text.replace("OPTIONS", "suppress='k*l'")))
    assert run.returncode == 0 and run.stderr == "cudasim: 0 findings (seed 0)\n", run.stderr


def test_findings_of_child_processes_are_counted(script):
    script(KERNEL + f"launch({RACE!r})\n", "child.py")
    program = script("""
        import multiprocessing, subprocess, sys
        def work():
            import child
        if __name__ == "__main__":
            process = multiprocessing.get_context("spawn").Process(target=work)
            process.start()
            process.join()
            run = subprocess.run([sys.executable, "-m", "cuarray", "--simulate", "--memcheck", "child.py"])
            print(process.exitcode, run.returncode)
    """)
    run = simulate(program, "--memcheck", "--json", "found.json")
    count = len((program.parent / "found.json").read_text().splitlines())
    assert run.returncode == 1 and run.stdout == "0 1\n" and count > 2, run.stdout + run.stderr
    assert f"cudasim: {count // 2} findings (seed 0)\n" in run.stderr, "the child's own"
    assert run.stderr.splitlines()[-1] == f"cudasim: {count} findings (seed 0), {count} of them in other processes"


def test_what_was_not_judged_is_said(script):
    program = script(KERNEL + "d.alloc(16 << 20)\nd.alloc((16 << 20) + 1)\nd.alloc(32 << 20)\n")
    says = "; races and uninitialised reads were not looked for in 2 allocations above 16 MiB\n"
    run = simulate(program, "--memcheck")
    assert run.returncode == 0 and run.stderr == f"cudasim: 0 findings (seed 0){says}", run.stderr
    run = simulate(program, "--memcheck", "--seeds", "1")
    assert run.returncode == 0 and run.stderr == f"cuarray: no findings with the seeds 0 to 0{says}", run.stderr


@pytest.mark.rest
@pytest.mark.parametrize("extent", [1, 999, 1000])
def test_memcheck_knows_the_ends_of_arrays(script, extent):
    """The blocks of arrays are not rounded then; a pool's would hide a write behind them."""
    writes = 'extern "C" __global__ void kernel(double* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }'
    program = script(
        KERNEL
        + f"import cuarray as ca\nx = ca.empty({extent}, device='cuda:0')\n"
        + f"d.launch(d.kernel({writes!r}, 'kernel'), int(sys.argv[1]), 1, [x.__cuda_array_interface__['data'][0]])\n"
        + "d.synchronize()\n"
    )
    for blocks, found in ((extent, 0), (extent + 1, 1)):
        command = ["-m", "cuarray", "--simulate", "--memcheck", program.name, str(blocks)]
        run = python(program.parent, *command)
        assert (run.returncode != 0) == bool(found), run.stdout + run.stderr
        assert (f"past the end of a block of {8 * extent} bytes" in run.stderr) == bool(found), run.stderr


@pytest.mark.rest
def test_findings_are_limited_and_suppressed(script):
    program = script(KERNEL + f"launch({RACE!r})\nprint('ends')\n")
    run = simulate(program, "--memcheck", "--limit", "1")
    assert run.returncode == 1 and not run.stdout and "cudasim: 1 finding (seed 0)" in run.stderr
    for pattern in ("kernel", "k*l"):
        run = simulate(program, "--memcheck", "--suppress", "other", "--suppress", pattern)
        assert run.returncode == 0 and "cudasim: 0 findings" in run.stderr, run.stderr


def test_a_seed_repeats_a_schedule(script):
    order = """
extern "C" __global__ void kernel(int* x) {
    int i = atomicAdd(x, 1);
    x[1 + i] = blockIdx.x * 64 + threadIdx.x;
}
"""
    program = script(KERNEL + f"import hashlib\nx = launch({order!r}, grid=8, block=64)\n"
                     "print(hashlib.sha1(d.download(x, 4096)).hexdigest())\n")  # fmt: skip
    said = [simulate(program, "--seed", str(seed)).stdout for seed in (1, 1, 2)]
    assert said[0] == said[1] != said[2] and len(said[0]) == 41


@pytest.mark.rest
def test_many_seeds(script):
    sometimes = """
extern "C" __global__ void kernel(int* x) {
    if (threadIdx.x == 0) x[blockIdx.x] = atomicAdd(x + 100, 1);
}
"""
    program = script(KERNEL + f"x = launch({sometimes!r}, grid=2)\nfirst = d.download(x, 4)[0]\n"
                     "print('ends')\nassert first == 0, first\n")  # fmt: skip
    run = simulate(program, "--seeds", "6")
    assert run.returncode == 1 and run.stdout.startswith("ends\n"), run.stdout + run.stderr
    last = run.stderr.splitlines()[-1]
    assert last.startswith("cuarray: ") and " of 6 seeds fail: " in last and not last.startswith("cuarray: 6"), last
    again = simulate(program, "--seed", last.partition("fail: ")[2].partition(",")[0].partition(";")[0])
    assert again.returncode == 1 and "AssertionError: 1" in again.stderr
    good = script("import cuarray as ca\nca.arange(3, device='cuda').sum()\n")
    run = simulate(good, "--memcheck", "--seeds", "2")
    assert run.returncode == 0 and run.stderr == "cuarray: no findings with the seeds 0 to 1\n", run.stderr
    run = simulate(good, "--seeds", "2")
    assert run.returncode == 0, run.stderr
    assert run.stderr == "cuarray: no failure with the seeds 0 to 1; accesses are judged with --memcheck\n"


@pytest.mark.rest
def test_tests_of_a_project(tmp_path, script):
    script("import cuarray\nassert len(cuarray.devices()) == 3\n", "conftest.py")
    text = (
        "import pytest\n"
        + KERNEL
        + f"def test_good():\n    pass\ndef test_race():\n    launch({RACE!r})\n"
        + f"@pytest.fixture\ndef x():\n    return launch({RACE.replace('kernel', 'other')!r}, name='other')\n"
        + "def test_fixture(x):\n    pass\n"
    )
    script(text, "test_kernels.py")

    def run(*options, **environment):
        plugin = ["-m", "pytest", "-q", "-p", "cuarray_simulator.pytest_plugin", "-p", "no:cacheprovider"]
        return python(tmp_path, *plugin, *options, **environment)

    done = run("--cuarray-count=2", "--cuarray-simulate", "test_kernels.py", "-p", "no:xdist")
    assert "3 passed" in done.stdout and "cudasim" not in done.stdout, done.stdout + done.stderr
    judged = ["--cuarray-count=2", "--cuarray-memcheck", "--cuarray-json=found.json", "--cuarray-simulate", "."]
    done = run(*judged, "-p", "no:xdist")
    assert "1 failed, 1 passed, 1 error" in done.stdout, done.stdout
    section = done.stdout.partition("_ test_race _")[2]
    assert "memcheck: 2 findings" in section and "Captured stderr call" in section, section
    assert section.partition("Captured stderr call")[2].count("__syncthreads()") == 1, section
    assert f"cudasim: {len((tmp_path / 'found.json').read_text().splitlines())} findings (seed 0)" in done.stdout
    options = ["--cuarray-suppress=none", "--cuarray-suppress=k*l", "--cuarray-suppress", "other", "-p", "no:xdist"]
    done = run(*judged, *options)
    assert "3 passed" in done.stdout and not (tmp_path / "found.json").read_text(), done.stdout
    done = run(*judged, "-p", "no:xdist", CUDASIM_REAL_NVRTC="0")
    assert "pip install nvidia-cuda-nvrtc" in done.stderr and done.returncode == 4, done.stdout + done.stderr
    done = run(*judged, "--cuarray-seconds=-1", "-p", "no:xdist")
    assert "seconds is a number from 0 on, not -1.0" in done.stderr and done.returncode == 4, done.stderr
    done = run(*judged, "-n", "2")
    found = len((tmp_path / "found.json").read_text().splitlines())
    assert f"cudasim: {found} findings (seed 0), {found} of them in other processes" in done.stdout, done.stdout


RUNTIME = r"""
extern "C" int probe(int (*ask)(const void**, const char*)) {
    const void* table;
    int code = ask(&table, "0123456789abcdef");
    return code;
}
"""


def test_libraries_of_the_runtime_and_binaries_are_named(script):
    """A stand-in for PyTorch's libraries: one in a folder of that name, which asks for the tables of the runtime."""
    program = script(
        KERNEL
        + f"""
import ctypes, os, subprocess
os.makedirs("torch/lib")
open("probe.cpp", "w").write({RUNTIME!r})
subprocess.run(["g++", "-shared", "-fPIC", "probe.cpp", "-o", "torch/lib/libc10_cuda.so"], check=True)
library = ctypes.CDLL(os.path.abspath("torch/lib/libc10_cuda.so"))
print(library.probe(d.cuda.cuGetExportTable), library.probe(d.cuda.cuGetExportTable))
for image in (b"\\xb1\\x43\\x62\\x46" + bytes(60), b"\\x50\\xed\\x55\\xba" + bytes(60)):
    try:
        d.module(image)
    except CudaError as error:
        print(error)
"""
    )
    run = simulate(program)
    assert run.stdout.splitlines() == ["500 500", *["cuModuleLoadData: 200"] * 2], run.stdout + run.stderr
    assert run.stderr.count("cudasim: PyTorch (libc10_cuda.so) uses CUDA's runtime, which is not simulated") == 1
    assert run.stderr.count("loads a fat binary: simulated GPUs run PTX alone") == 2


def test_cubins_are_named(script):
    """Of the real compiler, by each of the calls that load them; and objects of other machines."""
    program = script(
        KERNEL
        + f"""
import ctypes, os
from ctypes import byref, c_size_t, c_void_p
d.nvrtc = ctypes.CDLL(os.environ["CUDASIM_REAL_NVRTC"])
image = d.compile({RACE!r}, ["--gpu-architecture=sm_90"])
state, handle, binary, size = c_void_p(), c_void_p(), c_void_p(), c_size_t()
print(d.code("cuModuleLoadData", byref(handle), image))
print(d.code("cuLibraryLoadData", byref(handle), image, None, None, 0, None, None, 0))
d.call("cuLinkCreate_v2", 0, None, None, byref(state))
d.call("cuLinkAddData_v2", state, 0, image, c_size_t(len(image)), b"cubin", 0, None, None)
print(d.code("cuLinkComplete", state, byref(binary), byref(size)))
other = bytearray(image.raw)
other[18:20] = (243).to_bytes(2, "little")
print(d.code("cuModuleLoadData", byref(handle), bytes(other)))
print(d.code("cuModuleLoadData", byref(handle), open("/proc/self/exe", "rb").read()))
"""
    )
    run = simulate(program)
    assert run.stdout.splitlines() == ["200"] * 5, run.stdout + run.stderr
    said = [
        line.partition(" loads ")[2].partition(": simulated GPUs run PTX alone")[0] for line in run.stderr.splitlines()
    ]
    assert said == [
        *["a binary for GPUs (cubin)"] * 3,
        "an ELF object for machine 243",
        "an ELF object that this simulator has not made",
    ], run.stderr


@pytest.mark.rest
def test_the_distribution_holds_the_sources_and_ours_does_not(tmp_path):
    from setuptools import find_packages

    assert not [name for name in find_packages(str(ROOT), include=["cuarray*"]) if "simulator" in name]
    shutil.copytree(ROOT / "simulator", tmp_path / "simulator", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", tmp_path]
    run = subprocess.run([*build, tmp_path / "simulator"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    import zipfile

    (wheel,) = tmp_path.glob("cuarray_simulator-*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        p.relative_to(ROOT / "simulator").as_posix() for p in PACKAGE.rglob("*.*") if "__pycache__" not in p.parts
    }
    assert sources <= inside and any(name.endswith("entry_points.txt") for name in inside)
