"""GPUs that do not start: which device a program gets, what it reads, what stays behind; and GPUs that were reset."""

import re

import backend_program
import pytest

OUT_OF_MEMORY, DEVICE_UNAVAILABLE, UNCORRECTABLE, UNKNOWN = 2, 46, 214, 999

#: A call of the start, and its result where the GPU is full, exclusive or lost.
FAILURES = {
    "exclusive": f"cuDevicePrimaryCtxRetain:1:{DEVICE_UNAVAILABLE}",
    "full": f"cuDevicePrimaryCtxRetain:1:{OUT_OF_MEMORY}",
    "full later": f"cuStreamCreateWithPriority:1:{OUT_OF_MEMORY}",
    "full for events": f"cuEventCreate:1:{OUT_OF_MEMORY}",
    "full for a word": f"cuMemAlloc:1:{OUT_OF_MEMORY}",
    "full on the host": f"cuMemHostAlloc:1:{OUT_OF_MEMORY}",
    "lost": f"cuDevicePrimaryCtxRetain:1:{UNKNOWN}",
    "lost later": f"cuStreamSynchronize:1:{UNKNOWN}",
    "broken": f"cuDevicePrimaryCtxRetain:1:{UNCORRECTABLE}",
}
BEGIN = """
import warnings
import numpy as np
import cuarray as ca

def first_call(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        x = call()
        call()
    return x, [str(one.message) for one in said]
"""


@pytest.mark.few
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize(
    "call", ["ca.arange(3)", "ca.ones((2, 2))", "ca.asarray([1, 2])", "ca.asarray(np.ones(2))", "ca.linalg.inv([[2.0]])",
             "ca.random.default_rng(1).random(3)"],
)  # fmt: skip
def test_without_a_name_the_next_device_is_taken(failure, call):
    for gpus, taken in ((2, "cuda:1"), (1, "cpu")):
        program = BEGIN + f"""
x, said = first_call(lambda: {call})
assert str(x.device) == str(ca.default_device()) == {taken!r}, x.device
assert len(said) == 1 and "cuda:0 cannot be used: " in said[0] and "arrays go to {taken} instead" in said[0], said
assert (x + 1).numpy().size and "CUARRAY_DEVICE" in said[0]
print("passed")
"""  # fmt: skip
        backend_program.check(
            ["python", "-c", program], CUDASIM_FAIL=FAILURES[failure], CUDASIM_SEED=1, CUDASIM_DEVICES=gpus
        )


@pytest.mark.parametrize(
    "call", ["ca.asarray([1], device='cpu')", "ca.asarray(1.5, device='cpu')", "ca.zeros(3, device='cpu')", "ca.arange(3, device=cpu)",
             "ca.asarray(np.ones(2), device='cpu')", "ca.full(2, 3, device='cpu')", "ca.linspace(0, 1, 3, device='cpu')",
             "ca.random.default_rng(1, device='cpu').random(3)"],
)  # fmt: skip
def test_cpu_by_name_opens_no_gpu(call):
    program = (
        BEGIN
        + f"""
cpu = ca.asarray(np.ones(1), device="cpu").device
x, said = first_call(lambda: {call})
assert str(x.device) == "cpu" and not said, said
x, said = first_call(lambda: ca.ones(1))
assert len(said) == 1  # that opens it
print("passed")
"""
    )
    backend_program.check(["python", "-c", program], CUDASIM_FAIL=FAILURES["full"], CUDASIM_SEED=1, CUDASIM_DEVICES=1)


@pytest.mark.few
@pytest.mark.parametrize("failure", FAILURES)
def test_a_named_device_raises(failure):
    for call in ("ca.arange(3, device='cuda:0')", "ca.set_default_device('cuda:0')", "ca.device('cuda:0').__enter__()",
                 "ca.Stream(device='cuda:0')", "ca.memory.stats('cuda:0')"):  # fmt: skip
        program = (
            BEGIN
            + f"""
try:
    {call}
except (ca.CudaError, MemoryError) as error:
    print("passed")
"""
        )
        backend_program.check(["python", "-c", program], CUDASIM_FAIL=FAILURES[failure], CUDASIM_SEED=1)
    program = "import cuarray as ca\ntry: ca.ones(3)\nexcept (ca.CudaError, MemoryError): print('passed')"
    backend_program.check(
        ["python", "-c", program], CUDASIM_FAIL=FAILURES[failure], CUDASIM_SEED=1, CUARRAY_DEVICE="cuda:0"
    )


#: Calls that make something, and those that give it back.
PAIRS = {
    "cuDevicePrimaryCtxRetain": "cuDevicePrimaryCtxRelease",
    "cuStreamCreateWithPriority": "cuStreamDestroy",
    "cuEventCreate": "cuEventDestroy",
    "cuMemAlloc": "cuMemFree",
    "cuMemHostAlloc": "cuMemFreeHost",
}


@pytest.mark.few
@pytest.mark.parametrize("failing", ["cuStreamCreateWithPriority", "cuEventCreate", "cuMemHostAlloc", "cuMemHostGetDevicePointer",
                                     "cuMemAlloc", "cuMemsetD8Async", "cuStreamSynchronize", "cuDeviceGetMemPool"])  # fmt: skip
def test_a_failed_start_leaves_nothing_behind(failing):
    program = """
import cuarray as ca
try:
    ca.ones(3, device="cuda:0")
except (ca.CudaError, MemoryError):
    print("passed")
"""
    done = backend_program.run(
        ["python", "-c", program], CUDASIM_FAIL=f"{failing}:1:{OUT_OF_MEMORY}", CUDASIM_SEED=1, CUDASIM_LOG=1
    )
    assert "passed" in done.stdout, done.stderr[-2000:]
    for makes, gives in PAIRS.items():
        made, given = (len(re.findall(rf"\] {name} #", done.stderr)) for name in (makes, gives))
        assert made - (makes == failing) == given, (makes, made, given)


RESET = """
import ctypes, os
import cuarray as ca
x = ca.ones(3, device="cuda:0")
assert float(x.sum()) == 3
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
assert getattr(driver, "cuDevicePrimaryCtxReset_v2", None)(0) == 0
for call in (lambda: x + 1, lambda: x.numpy(), lambda: ca.zeros(3, device="cuda:0"), lambda: ca.synchronize("cuda:0")):
    try:
        call()
        raise AssertionError("no error")
    except ca.CudaError as error:
        said = str(error)
        assert "709" in said and "cudaDeviceReset" in said and "another library" not in said, said
        assert "Arrays on this GPU are lost" in said and "trim()" in said, said
assert ca.ones(3, device="cpu").sum() == 3 and float(ca.ones(3, device="cuda:1").sum()) == 3
print("passed")
"""


def test_after_a_reset_errors_say_what_happened():
    backend_program.check(["python", "-c", RESET], CUARRAY_FUSE="off", CUDASIM_SEED=1)
