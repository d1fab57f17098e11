"""Each driver call fails once: the error names it, nothing leaks, and the next round works."""

import re
import sys
from datetime import date

import backend_program
import pytest

INVALID_VALUE, OUT_OF_MEMORY, UNSUPPORTED = 1, 2, 801
# Called only after another failure.
ONLY_IN_ERRORS = {"cuGetErrorName", "cuGetErrorString"}
# Their failure is handled, or occurs during a release and is a warning.
SWALLOWED = {"cuModuleLoadDataEx", "cuMemFreeAsync", "cuCtxPopCurrent", "cuMemGetInfo", "cuCtxRecordEvent"}
SWALLOWED |= {"cuThreadExchangeStreamCaptureMode"}


def entries() -> list[str]:
    text = (backend_program.ROOT / "src" / "cuda" / "driver_api.h").read_text("utf-8")
    found = re.findall(r"^\s*(?:ENTRY|WAITS)\((\w+),", text, re.MULTILINE)
    assert len(found) > 30
    return [name for name in found if name not in ONLY_IN_ERRORS]


@pytest.fixture(scope="module")
def calls(program) -> set[str]:
    """The calls of the scenario, whose kernels are in the disk cache from here on."""
    backend_program.check([program, "failures"], CUDASIM_SEED=1, CUDASIM_CHECK=1)
    log = backend_program.run([program, "failures"], CUDASIM_SEED=1, CUDASIM_CHECK=1, CUDASIM_LOG=1).stderr
    found = set(re.findall(r"\] (\w+) #1\b", log))
    assert len(found) > 25
    return found


@pytest.mark.few
@pytest.mark.parametrize("entry", entries())
def test_call_fails(program, calls, entry):
    if entry not in calls:
        return
    for nth in (1, 2, 4):
        said = backend_program.check(
            [program, "failures"],
            CUDASIM_SEED=nth,
            CUDASIM_CHECK=1,
            CUDASIM_FAIL=f"{entry}:{nth}:{INVALID_VALUE}",
        )
        errors = [line for line in said.splitlines() if line.startswith("error: ")]
        assert all(f"{entry}: CUDA" in line and f"({INVALID_VALUE})" in line for line in errors), said
        if nth == 1 and entry not in SWALLOWED:
            assert errors, f"nobody noticed that {entry} failed"


@pytest.mark.few
@pytest.mark.parametrize("nth", range(1, 7))
def test_out_of_memory_once(program, calls, nth):
    # The out-of-memory steps find memory: no error.
    said = backend_program.check(
        [program, "failures"], CUDASIM_SEED=nth, CUDASIM_FAIL=f"cuMemAllocAsync:{nth}:{OUT_OF_MEMORY}"
    )
    assert "error: " not in said


def test_a_module_that_does_not_load(program, tmp_path):
    # Nothing is in the cache, so there is no other image to try.
    said = backend_program.check(
        [program, "failures"],
        CUDASIM_SEED=1,
        CUDASIM_FAIL=f"cuModuleLoadDataEx:1:{INVALID_VALUE}",
        CUARRAY_CACHE_DIR=tmp_path,
    )
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "cuModuleLoadDataEx: CUDA_ERROR_INVALID_VALUE" in errors[0]


@pytest.mark.parametrize("code", [34, 100, 803, 999])
def test_driver_that_does_not_start(program, code):
    result = backend_program.run([program, "kernels"], CUDASIM_SEED=1, CUDASIM_INIT_ERROR=code)
    assert result.returncode == 1
    assert "there is no cuda:0; cuInit: CUDA_ERROR_" in result.stderr and f"({code})" in result.stderr


# A release makes the context current first, and must not raise either.
RELEASING = {"cuCtxGetCurrent", "cuCtxPushCurrent", "cuEventDestroy"}

SCRIPT = [sys.executable, "-W", "ignore", backend_program.HERE / "failing_script.py"]


def run_script(*arguments, **settings):
    settings.setdefault("CUDASIM_SEED", 1)
    result = backend_program.run([*SCRIPT, *arguments], **settings)
    assert result.returncode == 0, (result.stdout + result.stderr)[-4000:]
    return result.stdout


@pytest.mark.rest
@pytest.mark.parametrize(
    ("code", "progress"), [(INVALID_VALUE, "random"), (OUT_OF_MEMORY, "lazy"), (UNSUPPORTED, "eager")]
)
def test_every_call_of_a_python_program_fails(code, progress):
    # A clean exception, no leak, and the next run in the same process is right.
    said = run_script("every", code, CUDASIM_PROGRESS=progress, CUARRAY_MEMORY_CACHE="off")
    calls = [line.split() for line in said.splitlines()[:-1]]
    assert len(calls) > 250 and "0 faults" in said
    silent = {name.rstrip(":") for _, name, *result in calls if "noticed" in result}
    # During a release a failure is a warning; a failed allocation is repeated once.
    dropping = {"cuMemFree", "cuMemFreeHost", "cuEventRecord", "cuStreamWaitEvent"} | RELEASING
    asking = {"cuMemAlloc", "cuMemAllocAsync", "cuMemAllocManaged", "cuMemHostAlloc"}
    allowed = SWALLOWED | dropping
    assert silent <= (allowed | asking if code == OUT_OF_MEMORY else allowed)


@pytest.mark.few
@pytest.mark.parametrize("nth", range(1, 120, 7))
def test_a_call_fails_while_a_python_program_starts(nth, tmp_path):
    nth += date.today().toordinal() % 7
    said = run_script("cold", CUDASIM_FAIL=f"*:{nth}:{INVALID_VALUE}", CUARRAY_CACHE_DIR=tmp_path)
    assert said.count("error:") <= 3


def test_calls_of_single_lines_fail():
    # A code with no other meaning for any of these calls.
    lines = run_script("calls", UNSUPPORTED).splitlines()
    calls = {tuple(line.split(" | ")) for line in lines}
    assert {"cuGraphLaunch", "cuEventElapsedTime", "cuMemAlloc", "cuMemHostAlloc"} < {call for _, call, _ in calls}
    assert "cuEventQuery" in {call for line, call, _ in calls if "foreign" in line}
    for line, call, result in calls:
        if result == "nothing was noticed":
            assert call in SWALLOWED | RELEASING, (line, call)
        else:
            assert f"({UNSUPPORTED})" in result, (line, call, result)


def test_an_error_that_stays_says_so():
    run_script("stays")


CAPTURING = """
import cuarray as ca
x = ca.arange(5)
(x + 1).tolist()
for _ in range(2):
    graph = ca.Graph()
    try:
        with graph.capture():
            y = x + 1
    except ca.CudaError as error:
        print("error:", error, flush=True)
graph.launch()
assert y.tolist() == [1, 2, 3, 4, 5]
"""


@pytest.mark.parametrize(
    "entry", ["cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphGetNodes", "cuGraphInstantiateWithFlags"]
)
def test_a_capture_fails(entry):
    """The call that failed is named, and the next capture works."""
    result = backend_program.run(
        [sys.executable, "-c", CAPTURING], CUDASIM_SEED=1, CUDASIM_FAIL=f"{entry}:1:{INVALID_VALUE}"
    )
    errors = result.stdout.splitlines()
    assert errors and re.match(rf"error: .*{entry}: CUDA", errors[0]), result.stdout + result.stderr
    # A call that the simulator fails has no effect: the stream keeps capturing, unlike on a real GPU.
    if entry != "cuStreamEndCapture":
        assert result.returncode == 0 and len(errors) == 1, result.stdout + result.stderr
