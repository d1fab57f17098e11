"""Products by cuBLAS, here a simulated one: values, streams, threads, captures, failures, and machines without it."""

import backend_program
import pytest

BEGIN = """
import ctypes, itertools, os, threading
import numpy as np
import cuarray as ca

ca.set_default_device("cuda:0")
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_failed.restype = ctypes.c_char_p
rng = np.random.default_rng(5)


def numbers(dtype, *shape):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


def agrees(got, x, y):
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    want = x.astype(wide) @ y.astype(wide)
    size = abs(x).astype(float) @ abs(y).astype(float)
    error = np.asarray(abs(got.numpy().astype(wide) - want))
    assert got.shape == want.shape, (got.shape, want.shape)
    assert (error <= 8 * np.finfo(got.dtype).eps * size + 1e-7).all(), (got.dtype, x.shape, y.shape, error.max())


def is_by_library(dtype="f4"):
    x, y = ca.asarray(numbers(dtype, 16, 300)), ca.asarray(numbers(dtype, 300, 16))
    with ca.deterministic():
        written = x @ y
    return bool((x @ y != written).any())
"""


def check(script, *modes, **settings):
    for mode in modes or backend_program.drivers:
        backend_program.check(
            ["python", "-c", BEGIN + script + "\nprint('passed')"],
            CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1, **settings,
        )  # fmt: skip


def test_layouts_and_dtypes(every):
    check(
        f"dtypes = {('f2', 'f4', 'f8', 'c8', 'c16') if every else ('f4', 'c16')}"
        """
def by_rows(x): return ca.asarray(x)
def by_columns(x): return ca.asarray(np.ascontiguousarray(np.swapaxes(x, -1, -2))).mT
def in_larger_rows(x):
    room = ca.zeros((*x.shape[:-1], x.shape[-1] + 3), dtype=x.dtype)
    room[..., 1:-2] = ca.asarray(x)
    return room[..., 1:-2]
def every_second(x):
    room = ca.zeros((*x.shape[:-1], 2 * x.shape[-1]), dtype=x.dtype)
    room[..., ::2] = ca.asarray(x)
    return room[..., ::2]
def backwards(x): return ca.asarray(np.ascontiguousarray(x[..., ::-1, ::-1]))[..., ::-1, ::-1]
def unaligned(x):
    room = ca.zeros(x.nbytes + 1, dtype="u1")
    room[1:] = ca.asarray(np.ascontiguousarray(x).reshape(-1).view("u1"))
    return room[1:].view(x.dtype).reshape(x.shape)

layouts = [by_rows, by_columns, in_larger_rows, every_second, backwards, unaligned]
for dtype in dtypes:
    for m, k, n in [(3, 5, 4), (1, 6, 4), (5, 6, 1), (4, 1, 3), (1, 7, 1)]:
        x, y = numbers(dtype, m, k), numbers(dtype, k, n)
        for left, right in itertools.product(layouts, repeat=2):
            agrees(left(x) @ right(y), x, y)
x, y = numbers("f4", 3, 5), numbers("f4", 5, 4)
got = ca.asarray(x).astype(ca.bfloat16) @ ca.asarray(y).astype(ca.bfloat16)
assert abs(got.astype("f4").numpy() - x @ y).max() < 0.1
assert (ca.ones((3, 0)) @ ca.ones((0, 4)) == 0).all() and (ca.ones((0, 3)) @ ca.ones((3, 4))).shape == (0, 4)
for dtype in ("f4", "f8", "c8", "c16"):
    assert is_by_library(dtype), dtype
""",
        "random",
    )


def test_stacks():
    check(
        """
for dtype in ("f4", "c16"):
    x, y = numbers(dtype, 2, 3, 4, 5), numbers(dtype, 2, 3, 5, 2)
    a, b = ca.asarray(x), ca.asarray(y)
    agrees(a @ b, x, y)
    agrees(a @ b[0, 0], x, y[0, 0])
    agrees(a[0, 0] @ b, x[0, 0], y)
    agrees(a[:, :1] @ b, x[:, :1], y)
    agrees(a[:1] @ b[:, 1:2], x[:1], y[:, 1:2])
    agrees(a[:, None] @ b[:, :, None], x[:, None], y[:, :, None])
    agrees(a[::-1, ::2] @ b[:, ::2], x[::-1, ::2], y[:, ::2])
    agrees(a[..., 0, :] @ b[0, 0], x[..., 0, :], y[0, 0])
    agrees(ca.broadcast_to(a[0, 0, 0], (6, 5)) @ b[0, 0], np.broadcast_to(x[0, 0, 0], (6, 5)), y[0, 0])
    agrees(a.transpose(2, 0, 1, 3) @ b[0, 0], x.transpose(2, 0, 1, 3), y[0, 0])
    agrees(a.transpose(3, 1, 0, 2) @ a.transpose(3, 1, 2, 0), x.transpose(3, 1, 0, 2), x.transpose(3, 1, 2, 0))
    out = ca.zeros((2, 3, 4, 2), dtype=dtype)[..., ::-1]
    agrees(ca.matmul(a, b, out=out), x, y)
""",
        "random",
    )


def test_streams_and_threads_share_nothing():
    check(
        """
x, y = numbers("f8", 40, 30), numbers("f8", 30, 20)
a, b = ca.asarray(x), ca.asarray(y)
ca.default_stream("cuda:0").synchronize()
results = []
def work():
    with ca.Stream():
        for _ in range(4):
            results.append(a @ b)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
later = [result + 1 for result in results]  # on the default stream, which waits for the others
assert len(results) == 12
for result, more in zip(results, later):
    agrees(result, x, y)
    assert (more - 1 == a @ b).all() or abs(more.numpy() - 1 - x @ y).max() < 1e-12
"""
    )


def test_captures():
    check(
        """
x, y = numbers("f4", 6, 5), numbers("f4", 5, 7)
a, b, c, d = ca.asarray(x), ca.asarray(y), ca.zeros((6, 7), dtype="f4"), ca.zeros((6, 6), dtype="f4")
graph = ca.Graph()
with graph.capture():  # also makes the handle
    ca.matmul(a, b, out=c)
    d[...] = c @ (a @ b).T
for factor in (1, 2):
    a[...] = ca.asarray(factor * x)
    graph.launch()
    agrees(c, factor * x, y)
    agrees(d, factor * (x @ y), factor * (x @ y).T)
"""
    )


def test_any_call_fails():
    check(
        """
x, y = numbers("f4", 6, 5), numbers("f4", 5, 7)
a, b = ca.asarray(x), ca.asarray(y)[:, ::-1]
failed = 0
for number in range(1, 60):
    driver.cudasim_fail_after(ctypes.c_long(number), 2)
    try:
        c = a @ b
        c.numpy()
    except (ca.CudaError, MemoryError) as error:
        failed += 1
    finally:
        name = driver.cudasim_failed()
        driver.cudasim_fail_after(ctypes.c_long(0), 0)
    agrees(a @ b, x, y[:, ::-1])
    if not name:
        break
else:
    raise AssertionError("every call failed")
assert failed > 2
""",
        "eager",
    )


def test_tf32_only_where_asked():
    check(
        """
x, y = numbers("f4", 20, 30), numbers("f4", 30, 20)
a, b = ca.asarray(x), ca.asarray(y)
with ca.linalg.precision("tf32"):
    fast = a @ b
    with ca.deterministic():
        agrees(a @ b, x, y)
    agrees(a.astype("f8") @ b, x.astype("f8"), y)
error = abs(fast.numpy() - x.astype("f8") @ y).max()
assert 1e-4 < error < 0.1, error
agrees(a @ b, x, y)
""",
        "random",
    )


def test_without_cublas():
    """Our own kernel multiplies; a file that cannot be used is an error, not a silent choice."""
    script = (
        BEGIN
        + """
x, y = numbers("f4", 6, 5), numbers("f4", 5, 7)
agrees(ca.asarray(x) @ ca.asarray(y), x, y)
assert not is_by_library()
print('passed')
"""
    )
    backend_program.check(["env", "CUARRAY_LIBCUBLAS=off", "python", "-c", script], CUDASIM_SEED=1)
    result = backend_program.run(["env", "CUARRAY_LIBCUBLAS=/nowhere.so", "python", "-c", script], CUDASIM_SEED=1)
    assert result.returncode == 1 and "CudaError: CUARRAY_LIBCUBLAS cannot be used:\n  /nowhere.so" in result.stderr
    other = "env CUARRAY_LIBCUBLAS=$CUARRAY_LIBCUDA python -c 'import cuarray as ca; ca.ones((2, 2), device=\"cuda:0\") @ 1'"
    result = backend_program.run(["sh", "-c", other.replace("@ 1", '@ ca.ones((2, 2), device="cuda:0")')])
    assert result.returncode == 1 and "has no cublasGetProperty" in result.stderr


@pytest.mark.parametrize(("driver", "said"), [(13000, "13.0"), (12040, "12.4")])
def test_doctor_names_the_library(driver, said, tmp_path):
    show = "import json; from cuarray import _core; print(json.loads(_core.describe('cuda:0'))['cublas'], 'passed')"
    said = f"'version': '{said}'"
    settings = {"CUDASIM_DRIVER": driver, "CUARRAY_CACHE_DIR": tmp_path / "kernels", "CUDASIM_SEED": 1}
    assert said in backend_program.check(["python", "-c", show], **settings)
    off = backend_program.check(["env", "CUARRAY_LIBCUBLAS=off", "python", "-c", show], **settings)
    assert "'missing': 'CUARRAY_LIBCUBLAS=off'" in off
