"""Factorisations by cuSOLVER, here a simulated one: streams, threads, captures, failures, and without it."""

import backend_program
import pytest

BEGIN = """
import ctypes, json, os, threading
import numpy as np
import cuarray as ca
from cuarray import linalg

ca.set_default_device("cuda:0")
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_failed.restype = ctypes.c_char_p
rng = np.random.default_rng(5)
a = rng.standard_normal((2, 5, 5)) + 5 * np.eye(5)
x = ca.asarray(a)
many = rng.standard_normal((9, 5, 5)) + 5 * np.eye(5)
stack = ca.asarray(many)


def agrees(got, want):
    assert got.shape == want.shape and abs(got.numpy() - want).max() < 1e-11 * max(1, abs(want).max()), (got, want)


def is_refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError("no error")
"""


def check(script, *modes, **settings):
    for mode in modes or backend_program.drivers:
        backend_program.check(
            ["python", "-c", BEGIN + script + "\nprint('passed')"],
            CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1, **settings,
        )  # fmt: skip


@pytest.mark.rest
@pytest.mark.parametrize("cache", ["on", "off"])
def test_streams_and_threads(cache):
    check(
        """
results = []
def work():
    with ca.Stream():
        for _ in range(2):
            q, r = linalg.qr(x)
            values, vectors = linalg.eigh(x)
            results.append((linalg.det(x), q @ r, linalg.inv(x), linalg.svdvals(x), values))
ca.default_stream("cuda:0").synchronize()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(results) == 6
for det, product, inverse, values, eigenvalues in results:
    agrees(det + 0, np.linalg.det(a))
    agrees(product, a)
    agrees(inverse, np.linalg.inv(a))
    agrees(values, np.linalg.svdvals(a))
    agrees(eigenvalues, np.linalg.eigvalsh(a))
""",
        CUARRAY_MEMORY_CACHE=cache,
    )


@pytest.mark.rest
@pytest.mark.parametrize("cache", ["on", "off"])
def test_streams_and_threads_with_stacks(cache):
    """One call for all matrices, which are named by addresses in the device's memory."""
    check(
        """
hermitian = many @ many.mT
results = []
def work():
    with ca.Stream():
        for _ in range(2):
            y = stack * 1
            q, r = linalg.qr(y)
            u, s, vh = linalg.svd(y)
            inverse = linalg.inv(y)
            product = y @ y.mT
            values = linalg.eigvalsh(product)
            factor = linalg.cholesky(product)
            y[...] = 0
            results.append((q @ r, (u * s[:, None]) @ vh, inverse, values, factor))
ca.default_stream("cuda:0").synchronize()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(results) == 6
for product, same, inverse, values, factor in results:
    agrees(product, many)
    agrees(same, many)
    agrees(inverse, np.linalg.inv(many))
    agrees(values, np.linalg.eigvalsh(hermitian))
    agrees(factor, np.linalg.cholesky(hermitian))
""",
        CUARRAY_MEMORY_CACHE=cache,
    )


def test_number_of_launches():
    """Eight small matrices or more are factorised by one call; fewer and larger ones by one for each."""
    check(
        """
driver.cudasim_calls.restype = ctypes.c_long
def launches(function, count, shape=(5, 5)):
    y = ca.asarray(np.repeat((rng.standard_normal(shape) + 5 * np.eye(*shape))[None], count, 0))
    before = driver.cudasim_calls(b"cuLaunchKernel")
    function(y)
    return driver.cudasim_calls(b"cuLaunchKernel") - before
functions = (
    linalg.inv, linalg.det, linalg.svd, linalg.svdvals, linalg.eigh, linalg.eigvalsh, linalg.qr,
    lambda y: linalg.solve(y, y), lambda y: linalg.cholesky(y @ y.mT),
)
for function in functions:
    assert launches(function, 20) == launches(function, 8), function
    assert launches(function, 7) > launches(function, 4), function
for shape in ((33, 2), (2, 33)):
    assert launches(linalg.svdvals, 20, shape) == launches(linalg.svdvals, 8, shape) + 12
""",
        "eager",
        CUARRAY_FUSE="off",  # a chain whose kernel is still being compiled runs step by step
    )


def test_one_matrix_for_many_right_sides():
    check(
        """
b = rng.standard_normal((9, 5, 2))
agrees(linalg.solve(x[0], ca.asarray(b)), np.linalg.solve(a[0], b))
agrees(linalg.solve(stack, ca.asarray(b[0])), np.linalg.solve(many, b[0]))
agrees(linalg.solve(ca.broadcast_to(x[0], (9, 5, 5)), ca.asarray(b)), np.linalg.solve(a[0], b))
agrees(linalg.inv(stack[::-1]), np.linalg.inv(many[::-1]))
""",
        "lazy",
    )


def test_routines_that_cannot_fail_report_info():
    check(
        """
from cuarray import _core
def info(routine, *arrays, solved=1):
    return _core.lapack_routine(routine, arrays, np.dtype(float), True, "none", solved, "f")[-1].tolist()
for y in (x, stack):
    factors, pivots, _ = _core.lapack_routine("getrf", (y,), np.dtype(float), True, "none", 1, "f")
    zeros = [0] * len(y)
    assert info("getrs", factors, pivots, y, solved=5) == zeros and info("geqrf", y) == zeros
""",
        "lazy",
    )


def test_stacks_without_cublas():
    check(
        """
agrees(linalg.inv(stack), np.linalg.inv(many))
agrees(linalg.svdvals(stack), np.linalg.svdvals(many))
""",
        "lazy", CUARRAY_LIBCUBLAS="off",
    )  # fmt: skip


def test_two_devices():
    check(
        """
y = ca.asarray(a, device="cuda:1")
agrees(linalg.inv(y), np.linalg.inv(a))
agrees(linalg.inv(x), np.linalg.inv(a))
assert linalg.inv(y).device == "cuda:1" and linalg.det(y[:0]).device == "cuda:1"
for one in (*linalg.svd(y), *linalg.qr(y), *linalg.lstsq(y[0], y[1]), *linalg.slogdet(y), linalg.solve(y, y)):
    assert one.device == "cuda:1"
"""
    )


def test_work_before_and_after_is_ordered():
    """Matrices are computed on another stream before, and results overwritten by another one after."""
    check(
        """
for number in range(3):
    with ca.Stream():
        y = x * 2 + number
    with ca.Stream():
        q, r = linalg.qr(y)
        det = linalg.det(y)
        vectors = linalg.eigh(y).eigenvectors
    with ca.Stream():
        y[...] = 0
        agrees(q @ r, a * 2 + number)
        agrees(det, np.linalg.det(a * 2 + number))
        agrees(vectors.mT @ vectors, np.broadcast_to(np.eye(5), a.shape))
"""
    )


def test_captures_are_refused():
    check(
        """
calls = {
    "inv": (x,), "solve": (x, x), "det": (x,), "slogdet": (x,), "qr": (x,), "cholesky": (x,), "eigh": (x,),
    "eigvalsh": (x,), "svd": (x,), "svdvals": (x,), "lstsq": (x[0], x[1]), "pinv": (x,), "cond": (x,),
}
for name, arguments in calls.items():
    def capture():
        with ca.Graph().capture():
            getattr(linalg, name)(*arguments)
    is_refused(RuntimeError, name + ": not while a graph is being captured", capture)
def capture():
    with ca.Graph().capture():
        linalg.eigvals(x)
is_refused(RuntimeError, "a copy to the host: not while a graph is being captured", capture)  # whether all are finite
agrees(linalg.inv(x), np.linalg.inv(a))
y = ca.zeros((2, 5, 5))
graph = ca.Graph()
inverse = linalg.inv(x)
with graph.capture():
    y[...] = inverse @ x
graph.launch()
agrees(y, np.broadcast_to(np.eye(5), a.shape))
"""
    )


@pytest.mark.few
@pytest.mark.parametrize(
    ("call", "want"),
    [
        ("linalg.solve(x, x[0])", "np.linalg.solve(a, a[0])"),
        ("linalg.qr(x)[1] ** 2", "np.linalg.qr(a)[1] ** 2"),
        ("linalg.svdvals(x)", "np.linalg.svdvals(a)"),
        ("linalg.inv(stack)", "np.linalg.inv(many)"),
        ("linalg.svd(stack).S", "np.linalg.svdvals(many)"),
        ("linalg.eigvalsh(stack)", "np.linalg.eigvalsh(many)"),
    ],
)
def test_any_call_fails(call, want):
    check(
        f"""
failed = 0
for number in range(1, 150):
    driver.cudasim_fail_after(ctypes.c_long(number), 2)
    try:
        ({call}).numpy()
    except (ca.CudaError, MemoryError):
        failed += 1
    finally:
        name = driver.cudasim_failed()
        driver.cudasim_fail_after(ctypes.c_long(0), 0)
    agrees({call}, {want})
    if not name:
        break
else:
    raise AssertionError("every call failed")
assert failed > 2
""",
        "eager",
    )


def test_errors_name_the_function():
    check(
        """
is_refused(TypeError, "no factorisations in float16", lambda: linalg.inv(x.astype("f2")))
is_refused(linalg.LinAlgError, "inv: Singular matrix (shape (2, 5, 5))", lambda: linalg.inv(x * 0))
""",
        "eager",
    )


def test_the_doctor_describes_it():
    check(
        """
from cuarray import _core
found = json.loads(_core.describe("cuda:0"))["cusolver"]
assert found["path"] == os.environ["CUARRAY_LIBCUSOLVER"] and found["version"] == "12.0", found
""",
        "eager",
    )


def test_without_cusolver():
    script = BEGIN + "linalg.inv(x)"
    for setting in ("CUARRAY_LIBCUSOLVER=off", "CUARRAY_LIBCUSOLVER="):
        result = backend_program.run(["env", setting, "python", "-c", script], CUDASIM_SEED=1)
        assert result.returncode == 1
        assert "NotImplementedError: inv: on a GPU, factorisations need cuSOLVER; " in result.stderr, result.stderr
        assert "x.to_device('cpu')" in result.stderr
    assert 'no cuSOLVER for this driver (CUDA 13.0): pip install "cuarray[cuda13]"; tried:' in result.stderr
    result = backend_program.run(["env", "CUARRAY_LIBCUSOLVER=/nowhere.so", "python", "-c", script], CUDASIM_SEED=1)
    assert result.returncode == 1 and "CudaError: CUARRAY_LIBCUSOLVER cannot be used:\n  /nowhere.so" in result.stderr


def test_an_older_cusolver_lacks_functions(tmp_path):
    old = tmp_path / "libcusolver-old.so"
    check(
        f"""
import pathlib
new = pathlib.Path(os.environ["CUARRAY_LIBCUSOLVER"])
pathlib.Path({str(old)!r}).write_bytes(new.read_bytes()
    .replace(b"cusolverDnXgeev", b"cusolverDnYgeev").replace(b"cusolverDnXsyevBatched", b"cusolverDnYsyevBatched"))
os.environ["CUARRAY_LIBCUSOLVER"] = {str(old)!r}
for function in (linalg.eig, linalg.eigvals):
    is_refused(NotImplementedError, function.__name__ + ": on a GPU it needs cusolverDnXgeev of cuSOLVER, which came with "
        "CUDA 12.6 Update 2, and " + {str(old)!r} + " is older", lambda: function(x))
agrees(linalg.inv(x), np.linalg.inv(a))
agrees(linalg.eigvalsh(stack), np.linalg.eigvalsh(many))
""",
        "lazy",
    )
