"""cuarray.interop.wrap: functions of one framework with arrays of another, in every combination, with gradients."""

import peers

test_check = peers.test_of(
    __file__, "drjit", "tensorflow", "torch", "jax",
    environment=(("JAX_PLATFORMS", "cpu"), ("TF_CPP_MIN_LOG_LEVEL", "3"), ("CUDA_VISIBLE_DEVICES", "")),
)  # fmt: skip

TARGETS = ("numpy", "cuarray", "torch", "jax", "tensorflow", "drjit")


def error_of(call, kind=Exception):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("nothing was raised")


def function_of(target):
    """Return a function of {x, y} with results {z, s}, and its backward where the framework has no gradients."""
    sin, total = {
        "numpy": (np.sin, np.sum), "cuarray": (ca.sin, ca.sum), "torch": (torch.sin, torch.sum), "jax": (jnp.sin, jnp.sum),
        "tensorflow": (tf.sin, tf.reduce_sum), "drjit": (dr.sin, lambda x: dr.sum(x, axis=None)),
    }[target]  # fmt: skip

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


CALLS = []


def wrapped(source, target):
    f, backward = function_of(target)
    return wrap(f, source=source, target=target, backward=backward)


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-5)


def data():
    x = np.linspace(0.1, 1, 6, dtype="f4").reshape(2, 3)
    y = x + 1
    return x, y, np.sin(x) * y * 2, (x * x).sum(), np.cos(x) * y * 2 + 6 * x, np.sin(x) * 2


def check_from_numpy_and_cuarray():
    x, y, z, s, *_ = data()
    for source, xp, kind in (("numpy", np, np.ndarray), ("cuarray", ca, ca.ndarray)):
        for target in TARGETS:
            result = wrapped(source, target)({"x": xp.asarray(x), "y": xp.asarray(y)}, names=["a"])
            close(result["z"], z)
            close(result["s"], s)
            assert type(result["z"]) is kind and result["names"] == ["a"], (source, target)


def check_from_torch():
    a, b, z, s, gx, gy = data()
    for target in TARGETS:
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


def check_from_jax():
    a, b, z, s, gx, gy = data()
    for target in TARGETS:
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


def check_from_tensorflow():
    a, b, z, s, gx, gy = data()
    for target in TARGETS:
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


def check_from_drjit():
    a, b, z, s, gx, gy = data()
    for target in TARGETS:
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


def check_types_of_drjit():
    f = wrap(lambda v, w: (v * w).sum(0), source="drjit", target="torch")
    v, w = ll.Array3f([1, 2], [3, 4], [5, 6]), ll.Float([2, 3])
    dr.enable_grad(v, w)
    total = f(v, w)
    close(total, [18, 36])
    dr.backward(total)
    assert type(dr.grad(v)) is ll.Array3f and type(dr.grad(w)) is ll.Float
    close(dr.grad(v), [[2, 3]] * 3)
    close(dr.grad(w), [9, 12])
    plain = wrap(lambda x: x + 1, source="drjit", target="numpy")(drjit.llvm.Float([1, 2]))
    assert type(plain) is drjit.llvm.TensorXf
    for dtype in ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"):
        x = ca.asarray([0, 1, 1]).astype(dtype)
        back = wrap(lambda x: x, source="cuarray", target="drjit")(x)
        assert back.dtype == dtype and back.tolist() == x.tolist()
    for dtype in ("int16", "complex64"):
        error = error_of(lambda: wrap(lambda x: x, source="cuarray", target="drjit")(ca.ones(2, dtype)), TypeError)
        assert dtype in str(error)


def check_structures():
    @dataclasses.dataclass
    class Scene:
        colour: object
        count: int

    Pair = collections.namedtuple("Pair", "a b")

    @wrap(source="torch", target="jax")
    def f(scene, pair):
        return dataclasses.replace(scene, colour=scene.colour * scene.count), Pair(pair.b, [pair.a, (pair.a,)])

    colour, a = (torch.ones(2, requires_grad=True) for _ in range(2))
    scene, pair = f(Scene(colour, 3), Pair(a, torch.zeros(1)))
    assert (
        scene.count == 3 and scene.colour.tolist() == [3, 3] and type(pair) is Pair and pair.b[1][0].tolist() == [1, 1]
    )
    (scene.colour.sum() + 2 * pair.b[0].sum()).backward()
    assert colour.grad.tolist() == [3, 3] and a.grad.tolist() == [2, 2]


def check_complex_numbers():
    """JAX's cotangents are the conjugates of the gradients of torch and TensorFlow."""
    values = np.asarray([1 + 2j, -0.5 + 0.1j], "c8")

    def reference(part):
        z = torch.tensor(values, requires_grad=True)
        part(z * z * torch.abs(z)).sum().backward()
        return z.grad.numpy()

    bodies = {"torch": lambda z: z * z * torch.abs(z), "jax": lambda z: z * z * jnp.abs(z),
              "tensorflow": lambda z: z * z * tf.cast(tf.abs(z), z.dtype)}  # fmt: skip
    for name, body in bodies.items():
        for part in ("real", "imag"):
            expected = reference(lambda z, part=part: getattr(z, part))
            if name != "torch":
                z = torch.tensor(values, requires_grad=True)
                getattr(wrap(body, source="torch", target=name)(z), part).sum().backward()
                close(z.grad, expected)
            if name != "jax":
                f = wrap(body, source="jax", target=name)
                found = jax.grad(lambda z, f=f, part=part: getattr(f(z), part).sum())(jnp.asarray(values))
                close(np.conj(found), expected)


def check_random_functions_are_run_once():
    x = torch.ones(1000, requires_grad=True)
    drop = wrap(lambda x: tf.nn.dropout(x, 0.5), source="torch", target="tensorflow")
    result = drop(x)
    result.sum().backward()
    assert torch.equal(x.grad, result.detach())


def check_integers():
    f = wrap(lambda x, n: (x * n, n + 1), source="torch", target="jax")
    x, n = torch.ones(3, requires_grad=True), torch.arange(3, dtype=torch.int32)
    product, more = f(x, n)
    product.sum().backward()
    assert x.grad.tolist() == [0, 1, 2] and more.tolist() == [1, 2, 3] and not more.requires_grad
    g = wrap(lambda x, n: (x * n, n + 1), source="jax", target="torch")
    grad = jax.grad(lambda x, n: g(x, n)[0].sum())(jnp.ones(3), jnp.arange(3))
    assert grad.tolist() == [0, 1, 2]


def check_shapes_and_layouts():
    for shape in ((), (0, 3), (1,), (2, 3)):
        for target in TARGETS[2:]:
            values = np.arange(np.prod(shape), dtype="f4").reshape(shape)
            f = wrap(lambda x: x + x, source="torch", target=target)
            for t in (
                torch.tensor(values),
                torch.tensor(values).T.contiguous().T if len(shape) == 2 else torch.tensor(values),
            ):
                result = f(t)
                assert tuple(result.shape) == shape, (shape, target, result.shape)
                close(result, 2 * values)


def check_tensorflow_graphs():
    f = wrap(lambda x: torch.sin(x), source="tensorflow", target="torch", out_spec=tf.TensorSpec((3,), tf.float32))

    @tf.function
    def graph(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y, tape.gradient(y, x)

    x = tf.constant([0.1, 0.2, 0.3])
    y, grad = graph(x)
    assert y.shape == (3,)
    close(y, np.sin(x.numpy()))
    close(grad, np.cos(x.numpy()))
    bare = wrap(lambda x: torch.sin(x), source="tensorflow", target="torch")
    assert "out_spec=" in str(error_of(lambda: tf.function(bare)(x), TypeError))


def check_tensors_of_tensorflow_are_not_changed():
    made = []
    f = wrap(lambda x: made.append(x * 2) or made[0], source="tensorflow", target="cuarray")
    t = f(tf.constant([1.0, 2.0]))
    assert "read-only" in str(error_of(lambda: made[0].__setitem__(0, 9), ValueError)) and t.numpy().tolist() == [2, 4]


def check_given_results_of_jax():
    calls = []
    spec = jax.ShapeDtypeStruct((3,), "float32")
    f = wrap(lambda x: calls.append(x) or x + 1, source="jax", target="cuarray", out_spec=spec)
    assert jax.jit(f)(jnp.arange(3.0)).tolist() == [1, 2, 3] and len(calls) == 1
    g = wrap(lambda x: x + 1, source="jax", target="cuarray", out_spec=lambda x: x)
    assert jax.jit(g)(jnp.arange(4.0)).tolist() == [1, 2, 3, 4]


def check_arguments_are_not_changed():
    for source, x in (("jax", jnp.ones(3)), ("torch", torch.ones(3)), ("numpy", np.ones(3, "f4"))):
        for target in ("torch", "numpy", "cuarray"):
            if source != target:
                f = wrap(lambda x: x.__iadd__(1), source=source, target=target)
                text = f"{source} {target} {error_of(lambda: f(x))}"
                assert "changed in place" in text or "read-only" in text, (source, target, text)


def check_missing_gradients():
    x = torch.ones(3, requires_grad=True)
    f = wrap(np.sin, source="torch", target="numpy")
    assert "give wrap a backward=" in str(error_of(f(x).sum().backward, RuntimeError))
    g = wrap(np.sin, source="jax", target="numpy")
    assert "has no gradient" in str(error_of(lambda: jax.grad(lambda x: g(x).sum())(jnp.ones(3)), TypeError))
    v = ll.TensorXf([1.0])
    dr.enable_grad(v)
    with contextlib.nullcontext():
        error = error_of(lambda: dr.backward(wrap(np.sin, source="drjit", target="numpy")(v)), RuntimeError)
    assert "custom" in str(error) or "backward=" in str(error)
    with tf.GradientTape() as tape:
        t = tf.constant([1.0])
        tape.watch(t)
        y = wrap(np.sin, source="tensorflow", target="numpy")(t)
    assert "backward=" in str(error_of(lambda: tape.gradient(y, t), RuntimeError))


def check_wrong_arguments():
    for source, target in (("nympy", "torch"), ("torch", "mxnet")):
        assert "must be one of numpy, cuarray, cupy" in str(
            error_of(lambda: wrap(source=source, target=target), ValueError)
        )
    for name in ("torch", "jax"):
        assert "leave backward out" in str(
            error_of(lambda: wrap(ca.sin, source=name, target=name, backward=ca.cos), ValueError)
        )
    assert isinstance(error_of(lambda: wrap(3, source="torch", target="jax")), TypeError)
    if importlib.util.find_spec("cupy") is None:
        assert "pip install cupy" in str(error_of(lambda: wrap(source="cupy", target="torch"), ImportError))


if __name__ == "__main__":
    import collections
    import contextlib
    import dataclasses
    import importlib.util

    import drjit  # isort: skip  (TensorFlow before it aborts the process at its end)
    import drjit as dr
    import drjit.llvm.ad as ll

    ll.TensorXf([1])
    import jax
    import jax.numpy as jnp
    import numpy as np
    import tensorflow as tf
    import torch

    import cuarray as ca
    from cuarray.interop import wrap

    ca.set_default_device("cpu")
    peers.main(globals())
