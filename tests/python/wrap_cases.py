"""One function in each framework, called from each other one: what the tests of `interop.wrap` share.

A framework is imported where it is used; they clash in some orders (TensorFlow before Dr.Jit aborts at the end).
"""

import importlib
import os
from pathlib import Path

import numpy as np
import peers
import pytest

import cuarray as ca
from cuarray.interop import wrap

ENVIRONMENT = (("JAX_PLATFORMS", "cpu"), ("TF_CPP_MIN_LOG_LEVEL", "3"), ("CUDA_VISIBLE_DEVICES", ""))
FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/lib/*-linux-gnu", "/usr/lib/llvm-*/lib")
CALLS = []  # the frameworks of the function's calls


def has_llvm():
    found = (file for folder in FOLDERS for file in Path("/").glob(f"{folder[1:]}/libLLVM*.so*"))
    return "DRJIT_LIBLLVM_PATH" in os.environ or any(found)


def test_with_drjit(file):
    """Return the test of a file's checks, which need all frameworks and the LLVM library."""
    in_process = peers.test_of(file, "drjit", "tensorflow", "torch", "jax", environment=ENVIRONMENT)

    @pytest.mark.together
    @pytest.mark.parametrize("name", peers.checks_of(file))
    def test_check(name):
        if not has_llvm():
            pytest.skip("LLVM is not installed")
        in_process(name)

    return test_check


test_with_drjit.__test__ = False


def names_of(target):
    """Return sine and sum of a framework."""
    if target == "drjit":
        dr = importlib.import_module("drjit")
        return dr.sin, lambda x: dr.sum(x, axis=None)
    module = importlib.import_module({"jax": "jax.numpy"}.get(target, target))
    return module.sin, module.reduce_sum if target == "tensorflow" else module.sum


def function_of(target):
    """Return a function of {x, y} with results {z, s}, and its backward where the framework has no gradients."""
    sin, total = names_of(target)

    def f(d, k=2.0, *, names=()):
        CALLS.append(target)
        return {"z": sin(d["x"]) * d["y"] * k, "s": total(d["x"] * d["x"]), "names": names}

    def backward(inputs, output, grad):
        (d,), xp = inputs, np if target == "numpy" else ca
        return (
            {
                "x": grad["z"] * xp.cos(d["x"]) * d["y"] * 2 + 2 * grad["s"] * d["x"],
                "y": grad["z"] * xp.sin(d["x"]) * 2,
            },
        )

    return f, backward if target in ("numpy", "cuarray") else None


def wrapped(source, target):
    f, backward = function_of(target)
    return wrap(f, source=source, target=target, backward=backward)


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-5)


def data():
    x = np.linspace(0.1, 1, 6, dtype="f4").reshape(2, 3)
    y = x + 1
    return x, y, np.sin(x) * y * 2, (x * x).sum(), np.cos(x) * y * 2 + 6 * x, np.sin(x) * 2


def from_torch(target):
    import torch

    a, b, z, s, gx, gy = data()
    x, y = (torch.tensor(v, requires_grad=True) for v in (a, b))
    CALLS.clear()
    result = wrapped("torch", target)({"x": x, "y": y})
    close(result["z"].detach(), z)
    close(result["s"].detach(), s)
    (result["z"].sum() + 3 * result["s"]).backward()
    close(x.grad, gx)
    close(y.grad, gy)
    assert len(CALLS) == 1, target
    f = wrapped("torch", target)
    loss = lambda d, f=f: (lambda r: r["z"].sum() + 3 * r["s"])(f(d))  # noqa: E731
    close(torch.func.grad(loss)({"x": x.detach(), "y": y.detach()})["x"], gx)
    with torch.no_grad():
        assert not wrapped("torch", target)({"x": x, "y": y})["z"].requires_grad


def from_jax(target):
    import jax
    import jax.numpy as jnp

    a, b, z, s, gx, gy = data()
    f, d = wrapped("jax", target), {"x": jnp.asarray(a), "y": jnp.asarray(b)}
    for call in (f, jax.jit(lambda d, f=f: {k: v for k, v in f(d, names=("a",)).items() if k != "names"})):
        close(call(d)["z"], z)
        close(call(d)["s"], s)
    loss = lambda d, f=f: (lambda r: r["z"].sum() + 3 * r["s"])(f(d))  # noqa: E731
    for grad in (jax.grad(loss), jax.jit(jax.grad(loss))):
        close(grad(d)["x"], gx)
        close(grad(d)["y"], gy)
    rows = jax.vmap(lambda x, y, f=f: f({"x": x, "y": y})["z"])(d["x"], d["y"])
    close(rows, z)
    assert f(d, names=["b"])["names"] == ["b"]


def from_tensorflow(target):
    import tensorflow as tf

    a, b, z, s, gx, gy = data()
    f, x, y = wrapped("tensorflow", target), tf.Variable(a), tf.constant(b)
    CALLS.clear()
    with tf.GradientTape() as tape:
        tape.watch(y)
        result = f({"x": x, "y": y})
        loss = tf.reduce_sum(result["z"]) + 3 * result["s"]
    close(result["z"], z)
    close(result["s"], s)
    for found, expected in zip(tape.gradient(loss, [x, y]), (gx, gy), strict=True):
        close(found, expected)
    assert len(CALLS) == 1, target


def from_drjit(target):
    import drjit as dr
    import drjit.llvm.ad as ll

    a, b, z, s, gx, gy = data()
    x, y = ll.TensorXf(a), ll.TensorXf(b)
    dr.enable_grad(x, y)
    CALLS.clear()
    result = wrapped("drjit", target)({"x": x, "y": y})
    assert type(result["z"]) is ll.TensorXf and result["z"].shape == (2, 3)
    close(result["z"], z)
    close(result["s"], s)
    dr.backward(dr.sum(result["z"], axis=None) + 3 * result["s"])
    close(dr.grad(x), gx)
    close(dr.grad(y), gy)
    assert len(CALLS) == 1, target


def from_plain(target):
    """NumPy and cuarray have no gradients."""
    x, y, z, s, *_ = data()
    for source, xp, kind in (("numpy", np, np.ndarray), ("cuarray", ca, ca.ndarray)):
        result = wrapped(source, target)({"x": xp.asarray(x), "y": xp.asarray(y)}, names=["a"])
        close(result["z"], z)
        close(result["s"], s)
        assert type(result["z"]) is kind and result["names"] == ["a"], (source, target)


SOURCES = {"plain": from_plain, "torch": from_torch, "jax": from_jax, "tensorflow": from_tensorflow}
