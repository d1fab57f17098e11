"""The exceptions of failed launches, immediate or later: notes that name kernel, expression and line."""

import backend_program
import pytest

INVALID_VALUE, ILLEGAL_ADDRESS, LAUNCH_FAILED = 1, 700, 719
OPENING = 1  # waits while the device is opened
PROGRAM = """
import cuarray as ca
x = ca.ones((20, 30), dtype=ca.float32, device="cuda:0")
try:
    y = x.T[::2] * 2.5 + 1
    s = y.sum(axis=0)
    ca.synchronize("cuda:0")
    print("nothing was wrong")
except ca.CudaError as error:
    print("MESSAGE", str(error))
    for note in getattr(error, "__notes__", []):
        print("NOTE", note)
print("cpu still works:", float(ca.ones(3, device="cpu").sum()))
try:
    print("again:", float((x + x).sum()))
except ca.CudaError as error:
    print("AGAIN", str(error))
"""


def run(**settings):
    result = backend_program.run(["python", "-c", PROGRAM], CUARRAY_FUSE="off", CUDASIM_SEED=1, **settings)
    assert result.returncode == 0, result.stderr
    assert "cpu still works: 3.0" in result.stdout
    return result.stdout


def test_nothing_fails():
    assert "nothing was wrong" in run() and "again: 1200.0" in run()


@pytest.mark.parametrize(("nth", "kernel"), [(2, "multiply_f32"), (4, "sum_f32")])
def test_failed_launch_is_explained(nth, kernel):
    said = run(CUDASIM_FAIL=f"cuLaunchKernel:{nth}:{INVALID_VALUE}")
    assert "MESSAGE cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1)" in said
    notes = said.split("NOTE ")[1:]
    assert notes[0].startswith(f"kernel {kernel}"), notes
    for fact in ("grid (", "block (", "registers", "shared memory", "threads per block"):
        assert fact in notes[1], fact
    assert notes[2].startswith("arguments: 1 results, then 1 inputs (float32) at 0x")
    assert "unknown (error" not in notes[1]
    # The program with numbered lines: the second line follows a 2.
    assert notes[3].startswith("the program:\n    1 | ") and "\n    2 | " in notes[3]
    assert "__global__" in notes[3]
    assert "again: 1200.0" in said, "an error that is not sticky ends with its call"


def test_failed_launch_of_an_indexing_kernel():
    program = """
import cuarray as ca
x = ca.ones(20, device="cuda:0")
try:
    print("nothing was wrong", x[ca.asarray([3, 4], device="cuda:0")].tolist())
except ca.CudaError as error:
    print("MESSAGE", error)
    for note in error.__notes__:
        print("NOTE", note)
"""
    settings = {"CUDASIM_SEED": 1, "CUDASIM_FAIL": f"cuLaunchKernel:2:{INVALID_VALUE}"}
    said = backend_program.run(["python", "-c", program], CUARRAY_FUSE="off", **settings).stdout
    assert said.startswith("MESSAGE cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1)"), said
    notes = said.split("NOTE ")[1:]
    assert notes[0].startswith("kernel gather_") and notes[0].strip().endswith(", for index"), notes[0]
    assert "grid (1, 1, 1), block (256, 1, 1)" in notes[1] and "unknown (error" not in notes[1]
    assert notes[2].startswith("arguments: ") and "which begins with the bytes " in notes[2]
    assert notes[3].startswith("the program:\n    1 | ") and "__global__" in notes[3]


def test_failed_scan_is_explained():
    program = """
import cuarray as ca
x = ca.ones((3, 4000), dtype="f4", device="cuda:0")
try:
    print("nothing was wrong", ca.cumsum(x.T, axis=1).tolist())
except ca.CudaError as error:
    for note in error.__notes__:
        print("NOTE", note)
print("AT", hex(x.__cuda_array_interface__["data"][0]))
"""
    settings = {"CUDASIM_SEED": 1, "CUDASIM_FAIL": f"cuLaunchKernel:2:{INVALID_VALUE}"}
    said = backend_program.run(["python", "-c", program], CUARRAY_FUSE="off", **settings).stdout
    address = said.split("AT ")[1].strip()
    notes = said.split("NOTE ")[1:]
    assert notes[0].startswith("kernel ") and "unknown (error" not in notes[1], said
    assert f", {address}" in notes[2], "the input's address is the second operand"


def test_scalars_are_told():
    notes = run(CUDASIM_FAIL=f"cuLaunchKernel:2:{INVALID_VALUE}").split("NOTE ")
    assert notes[1].strip().endswith("a*s0"), "the value is an argument, not part of the kernel"
    assert "s0 = bytes 00002040" in notes[3], "2.5 as float32"


#: Codes after which CUDA's header says that no call succeeds any more.
STICKY = [226, ILLEGAL_ADDRESS, 702, 710, 714, 715, 716, 717, 718, LAUNCH_FAILED, 721, 911]


@pytest.mark.few
@pytest.mark.parametrize("code", STICKY)
def test_asynchronous_error_names_what_was_queued(code):
    said = run(CUDASIM_FAIL=f"cuStreamSynchronize:{OPENING + 1}:{code}", CUDASIM_PROGRESS="lazy")
    assert f"({code})" in said and "MESSAGE cuStreamSynchronize" in said
    assert "The error stays" in said and "Arrays on cpu still work" in said
    notes = said.split("NOTE ")[1:]
    assert any("multiply, kernel multiply_f32" in note and ": a*s0" in note for note in notes), notes
    assert any("sum, kernel sum_f32" in note for note in notes)
    assert "by <string>" not in said, "lines are told only while somebody records them"


@pytest.mark.parametrize("code", [214, 220])
def test_faults_of_the_hardware_blame_no_operation(code):
    said = run(CUDASIM_FAIL=f"cuStreamSynchronize:{OPENING + 1}:{code}", CUDASIM_PROGRESS="lazy")
    assert f"({code})" in said and "The hardware has failed, not the program" in said and "The error stays" in said
    assert "It arose in one of the operations" not in said and "CUARRAY_SYNC" not in said and "NOTE" not in said


def test_a_module_that_a_lost_gpu_does_not_load():
    said = run(CUDASIM_FAIL=f"cuModuleLoadDataEx:2:{ILLEGAL_ADDRESS}")
    assert "MESSAGE cuModuleLoadDataEx: CUDA_ERROR_ILLEGAL_ADDRESS (700)" in said and "The error stays" in said


def test_lines_are_told_while_logging():
    said = run(CUDASIM_FAIL=f"cuStreamSynchronize:{OPENING + 1}:{ILLEGAL_ADDRESS}", CUARRAY_LOG="launch")
    notes = said.split("NOTE ")[1:]
    assert any("multiply" in note and "by <string>:5" in note for note in notes), notes
    assert any("sum" in note and "by <string>:6" in note for note in notes), notes


def test_every_operation_waited_for_names_the_one():
    said = run(CUDASIM_FAIL=f"cuStreamSynchronize:{OPENING + 2}:{ILLEGAL_ADDRESS}", CUARRAY_SYNC="1")
    notes = said.split("NOTE ")[1:]
    assert len(notes) == 1 and "multiply" in notes[0], notes


def test_times_of_work_that_has_not_run():
    program = """
import cuarray as ca
start, end = ca.Event(timing=True, device="cuda:0"), ca.Event(timing=True, device="cuda:0")
start.record()
x = ca.ones(1000, device="cuda:0")
end.record()
try:
    print("nothing was wrong", end - start)
except RuntimeError as error:
    print("MESSAGE", error)
end.synchronize()
assert end - start >= 0
"""
    result = backend_program.run(["python", "-c", program], CUARRAY_FUSE="off", CUDASIM_SEED=1, CUDASIM_PROGRESS="lazy")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("MESSAGE elapsed_ms: the work before the events has not run yet")


def test_failed_free_is_unraisable():
    program = """
import sys
import cuarray as ca
said = []
sys.unraisablehook = lambda report: said.append(f"{type(report.exc_value).__name__}: {report.exc_value}")
x = [ca.ones(1 << 20, dtype=ca.float32, device="cuda:0") for _ in range(3)]
x.clear()
print("UNRAISABLE", said)
print(float(ca.ones(7, device="cuda:0").sum()))
"""
    settings = {"CUDASIM_FAIL": f"cuMemFreeAsync:1:{INVALID_VALUE}", "CUARRAY_MEMORY_CACHE": "off"}
    result = backend_program.run(["python", "-c", program], CUARRAY_FUSE="off", CUDASIM_SEED=1, **settings)
    assert result.returncode == 0, result.stderr
    assert "UNRAISABLE ['CudaError: a block of cuda memory could not be freed: cuMemFreeAsync" in result.stdout
    assert result.stdout.count("could not be freed") == 1 and "7.0" in result.stdout


def test_asynchronous_error_names_an_indexing_kernel():
    program = """
import cuarray as ca
x, at = ca.ones(20, device="cuda:0"), ca.asarray([3, 4], device="cuda:0")
ca.synchronize("cuda:0")
y = x[at]
try:
    ca.synchronize("cuda:0")
    print("nothing was wrong")
except ca.CudaError as error:
    print("NOTES", error.__notes__)
"""
    for nth in range(1, 9):
        settings = {"CUDASIM_FAIL": f"cuStreamSynchronize:{nth}:{LAUNCH_FAILED}", "CUDASIM_PROGRESS": "lazy"}
        said = backend_program.run(["python", "-c", program], CUARRAY_FUSE="off", CUDASIM_SEED=1, **settings).stdout
        if said.startswith("NOTES"):
            break
    assert "queued on cuda:0: index, kernel gather_" in said, said
