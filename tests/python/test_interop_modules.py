"""cuarray.interop: lazy modules, and what is said where a framework is not installed."""

import subprocess
import sys

import pytest

FRAMEWORKS = ("torch", "jax", "tensorflow", "drjit", "cupy", "rmm", "numba", "mpi4py", "dask")


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_framework_is_imported():
    program = (
        "import sys, cuarray as ca; ca.interop; ca.interop.wrap; ca.interop.memory; dir(ca.interop)\n"
        "print([name for name in sys.modules if name.split('.')[0] in " + repr(FRAMEWORKS) + "])"
    )
    assert run(program).strip() == "[]"
    assert run("import sys, cuarray; print('cuarray.interop' in sys.modules)").strip() == "False"


@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow", "drjit", "cupy"])
def test_missing_framework(name):
    program = f"""
import sys
sys.modules[{name!r}] = None
import cuarray as ca
for use in (lambda: getattr(ca.interop, {name!r}), lambda: ca.interop.wrap(source="numpy", target={name!r})):
    try:
        use()
    except ImportError as error:
        print("pip install" in str(error))
assert ca.ones(2, device="cpu").sum() == 2
"""
    assert run(program).split() == ["True", "True"]


def test_unknown_module():
    import cuarray

    with pytest.raises(AttributeError, match="has no attribute 'mxnet'"):
        _ = cuarray.interop.mxnet
    assert {"torch", "jax", "memory", "wrap"} <= set(dir(cuarray.interop))
