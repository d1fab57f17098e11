"""The loop libraries: their system dependencies, their exports, and equal results of all levels."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

LEVELS = ["base", "v3", "v4"]

needs_binutils = pytest.mark.skipif(not (shutil.which("nm") and shutil.which("objdump")), reason="no binutils")


def libraries():
    import cuarray

    return sorted(pathlib.Path(cuarray.__file__).parent.glob("_host_*.so"))


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def newer_than(version, symbols):
    """The versioned glibc symbols among `symbols` that a glibc of `version` does not have."""
    found = re.findall(r"(\S+)@+GLIBC_(\d+(?:\.\d+)+)", symbols)
    return [name for name, v in found if tuple(map(int, v.split("."))) > version]


@needs_binutils
def test_no_new_glibc_and_no_vector_library_is_needed():
    assert libraries()
    for library in libraries():
        undefined = output("nm", "-D", "--undefined-only", str(library))
        assert not newer_than((2, 28), undefined), library.name
        assert "_ZGV" not in undefined, library.name


def test_newer_symbols_are_seen():
    assert newer_than((2, 28), "U exp@GLIBC_2.29\nU sin@GLIBC_2.2.5\n") == ["exp"]


@needs_binutils
def test_one_exported_symbol():
    for library in libraries():
        defined = output("nm", "-D", "--defined-only", str(library)).split("\n")
        names = {line.split()[-1] for line in defined if line} - {"_init", "_fini"}
        assert names == {"cuarray_host_library"}, library.name


@needs_binutils
def test_products_are_rounded():
    """g++ 12 contracts a difference and a sum of products into fmaddsub even with -ffp-contract=off."""
    for library in libraries():
        code = output("objdump", "-d", "--no-show-raw-insn", str(library))
        assert not re.findall(r"vfm(?:addsub|subadd)\d+p[sd]", code), library.name


PROGRAM = """
import json, sys
import numpy as np
import cuarray as ca
rng = np.random.default_rng(0)
bits = []
with ca.device("cpu"):
    for dtype in ("float16", "float32", "float64", "complex64"):
        x = (rng.standard_normal(1003) * 4).astype(dtype)
        y = (rng.standard_normal(1003) * 4).astype(dtype)
        a, b = ca.asarray(x), ca.asarray(y)
        for result in (a + b, a * b, a / b, ca.sqrt(ca.abs(ca.real(a))), ca.sum(a), ca.sum(ca.reshape(a[1:], (3, 334)), axis=0)):
            bits.append(result.numpy().tobytes().hex())
        wave = ca.sin(a)
        error = np.abs(wave.numpy() - np.sin(x.astype("complex128" if dtype == "complex64" else "float64")))
        assert np.all(error <= 1e-2 if dtype == "float16" else 1e-3), dtype
        assert ca.sin(a[::2]).numpy().tobytes() == wave.numpy()[::2].tobytes(), dtype
print(json.dumps(bits))
"""


def results_of(**environment):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={**os.environ, **environment}
    )
    if "this processor has" in run.stderr or "cuarray was built without" in run.stderr:
        return None
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_every_level_gives_the_same_numbers():
    expected = results_of(CUARRAY_CPU_LEVEL="base")
    for level in LEVELS[1:]:
        results = results_of(CUARRAY_CPU_LEVEL=level)
        assert results is None or results == expected, level


def test_without_the_vector_library():
    assert results_of(CUARRAY_LIBMVEC="off") == results_of()


def test_one_thread_or_many():
    assert results_of(CUARRAY_NUM_THREADS="1") == results_of(CUARRAY_NUM_THREADS="5")


def test_an_unknown_level_is_named():
    run = subprocess.run(
        [sys.executable, "-c", "import cuarray; cuarray.device('cpu'); cuarray.ones(3, device='cpu')"],
        capture_output=True,
        text=True,
        env={**os.environ, "CUARRAY_CPU_LEVEL": "v9"},
    )
    assert run.returncode != 0
    assert "base, v3 or v4 expected, got 'v9'" in run.stderr


PRODUCT = """
import ctypes, json
import numpy as np
import cuarray as ca
from cuarray import _core
rng = np.random.default_rng(0)
x, y = (ca.asarray(rng.standard_normal((300, 300)), device="cpu") for _ in range(2))
with ca.deterministic():
    own = (x @ y).numpy()
file = json.loads(_core.describe("cpu"))["blas"]
threads = None
if "scipy_openblas64_" in file:
    (x @ y)
    threads = [ctypes.CDLL(file).scipy_openblas_get_num_threads64_()]
    ca.set_num_threads(3)
    threads.append(ctypes.CDLL(file).scipy_openblas_get_num_threads64_())
print(json.dumps([file, bool(((x @ y).numpy() == own).all()), threads]))
"""


def product_with(**environment):
    return subprocess.run(
        [sys.executable, "-c", PRODUCT], capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_matrices_are_multiplied_by_the_library_of_numpy():
    file, is_own, threads = json.loads(product_with(CUARRAY_LIBBLAS="", CUARRAY_NUM_THREADS="2").stdout)
    assert "blas" in file and not is_own
    assert threads in (None, [2, 3])


def test_without_a_blas():
    file, is_own, _ = json.loads(product_with(CUARRAY_LIBBLAS="off").stdout)
    assert file == "" and is_own


@pytest.mark.parametrize("file, message", [("/nowhere/libblas.so", "nowhere"), ("libm.so.6", "has no cblas_dgemm")])
def test_a_wrong_blas_is_named(file, message):
    run = product_with(CUARRAY_LIBBLAS=file)
    assert run.returncode == 1 and "ValueError: CUARRAY_LIBBLAS: " in run.stderr and message in run.stderr
