"""Fourier transforms by cuFFT, here a simulated one: streams, threads, captures, plans, failures, and without it."""

import backend_program

BEGIN = """
import ctypes, os, threading
import numpy as np
import cuarray as ca

ca.set_default_device("cuda:0")
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_failed.restype = ctypes.c_char_p
rng = np.random.default_rng(5)
a = rng.standard_normal((4, 30))
x = ca.asarray(a)


def agrees(got, want):
    assert got.shape == want.shape and abs(got.numpy() - want).max() < 1e-12 * max(1, abs(want).max()), (got, want)
"""


def check(script, *modes, **settings):
    for mode in modes or backend_program.drivers:
        backend_program.check(
            ["python", "-c", BEGIN + script + "\nprint('passed')"],
            CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1, **settings,
        )  # fmt: skip


def test_streams_and_threads():
    for cache in ("on", "off"):
        check(
            """
results = []
def work():
    with ca.Stream():
        for _ in range(3):
            results.append((ca.fft.fft(x), ca.fft.irfft(ca.fft.rfft(x))))
ca.default_stream("cuda:0").synchronize()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(results) == 9 and ca.fft.plan_cache.count >= 3
for spectrum, back in results:
    agrees(spectrum + 0, np.fft.fft(a))
    agrees(back, a)
""",
            CUARRAY_MEMORY_CACHE=cache,
        )


def test_captures_keep_their_plans():
    check(
        """
y, z = ca.zeros((4, 30), dtype=complex), ca.zeros((4, 30))
graph = ca.Graph()
with graph.capture():  # also makes the plans
    y[...] = ca.fft.fft(x)
    z[...] = ca.fft.irfft(ca.fft.rfft(x) * 2)
ca.fft.plan_cache.clear()
assert ca.fft.plan_cache.count == 0
for factor in (1, 3):
    x[...] = ca.asarray(factor * a)
    graph.launch()
    agrees(y, np.fft.fft(factor * a))
    agrees(z, 2 * factor * a)
"""
    )


def test_plans_wait_for_their_work():
    check(
        """
ca.fft.plan_cache.limit = 1
other = ctypes.c_void_p()  # a stream of another library
with ca.device("cuda:0"):
    assert driver.cuStreamCreate(ctypes.byref(other), 1) == 0
for stream in (ca.default_stream("cuda:0"), ca.Stream(), ca.Stream.from_external(other.value)):
    with stream:
        results = [ca.fft.fft(x[:, :n]) for n in (5, 6, 7, 5)]
        for n, got in zip((5, 6, 7, 5), results):
            agrees(got, np.fft.fft(a[:, :n]))
"""
    )


def test_any_call_fails():
    check(
        """
failed = 0
for number in range(1, 80):
    driver.cudasim_fail_after(ctypes.c_long(number), 2)
    try:
        ca.fft.irfft2(x + 0j).numpy()
    except (ca.CudaError, MemoryError):
        failed += 1
    finally:
        name = driver.cudasim_failed()
        driver.cudasim_fail_after(ctypes.c_long(0), 0)
    agrees(ca.fft.irfft2(x + 0j), np.fft.irfft2(a + 0j))
    ca.fft.plan_cache.clear()
    if not name:
        break
else:
    raise AssertionError("every call failed")
assert failed > 2
""",
        "eager",
    )


def test_without_cufft():
    script = BEGIN + "ca.fft.fft(x)"
    for setting in ("CUARRAY_LIBCUFFT=off", "CUARRAY_LIBCUFFT="):
        result = backend_program.run(["env", setting, "python", "-c", script], CUDASIM_SEED=1)
        assert result.returncode == 1
        assert "NotImplementedError: fft: on a GPU, transforms need cuFFT; " in result.stderr, result.stderr
    assert 'no cuFFT for this driver (CUDA 13.0): pip install "cuarray[cuda13]"; tried:' in result.stderr
    result = backend_program.run(["env", "CUARRAY_LIBCUFFT=/nowhere.so", "python", "-c", script], CUDASIM_SEED=1)
    assert result.returncode == 1 and "CudaError: CUARRAY_LIBCUFFT cannot be used:\n  /nowhere.so" in result.stderr
