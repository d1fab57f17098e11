"""cuarray.interop.jax: functions of cuarray's arrays, and of PyTorch's tensors, inside jit, vmap, grad and scan."""

import peers

test_check = peers.test_of(__file__, "jax", "torch", environment=(("JAX_PLATFORMS", "cpu"),))

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16", "float32", "complex64"]


def address(x):
    return x.__array_interface__["data"][0]


def error_of(call, kind=Exception):
    try:
        jax.block_until_ready(call())
    except kind as error:
        return error
    raise AssertionError("nothing was raised")


def sine(**options):
    return call(ca.sin, like, vjp=lambda inputs, output, grad: grad * ca.cos(inputs[0]), **options)


def like(x):
    return x


def row(*shape):
    return jnp.linspace(0.1, 1, int(np.prod(shape)), dtype=jnp.float32).reshape(shape)


def check_call_and_jit():
    for x in (row(5), row(2, 3), row(0, 3), jnp.float32(0.5), row(4, 3).T, row(8)[::2]):
        for f in (sine(), jax.jit(sine())):
            assert jnp.allclose(f(x), jnp.sin(x)) and f(x).dtype == x.dtype


def check_gradients():
    x, f = row(5), sine()
    for g in (jax.grad(lambda x: f(x).sum()), jax.jit(jax.grad(lambda x: f(x).sum()))):
        assert jnp.allclose(g(x), jnp.cos(x))
    assert jnp.allclose(jax.jacrev(f)(x), jnp.diag(jnp.cos(x)))
    value, grad = jax.value_and_grad(lambda x: (f(x) ** 2).sum())(x)
    assert jnp.allclose(value, (jnp.sin(x) ** 2).sum()) and jnp.allclose(grad, 2 * jnp.sin(x) * jnp.cos(x))


def check_vmap_methods():
    rows = row(3, 4)
    for method in ("sequential", "expand_dims", "broadcast_all"):
        shapes = []
        f = call(lambda x, y: shapes.append((x.shape, y.shape)) or x * y, lambda x, y: x, vmap_method=method)
        y = jnp.ones(4, jnp.float32)
        assert jnp.allclose(jax.vmap(f, (0, None))(rows, y), rows)
        expected = {
            "sequential": [((4,), (4,))] * 3,
            "expand_dims": [((3, 4), (1, 4))],
            "broadcast_all": [((3, 4), (3, 4))],
        }
        assert shapes == expected[method], (method, shapes)
    f = sine()
    assert jnp.allclose(jax.vmap(jax.grad(lambda x: f(x).sum()))(rows), jnp.cos(rows))


def check_scan_loops_and_conditions():
    x, f = row(3), sine()
    end, _ = jax.jit(lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, length=3))(x)
    assert jnp.allclose(end, jnp.sin(jnp.sin(jnp.sin(x))))
    assert jnp.allclose(jax.lax.cond(True, f, like, x), jnp.sin(x))
    assert jnp.allclose(jax.jit(lambda x: jax.lax.fori_loop(0, 2, lambda _, c: f(c), x))(x), jnp.sin(jnp.sin(x)))
    grad = jax.grad(lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0].sum())(x)
    assert jnp.allclose(grad, jnp.cos(jnp.sin(x)) * jnp.cos(x))


def check_pytrees_and_integers():
    def f(d, n, *, shift):
        return {"z": (d["x"] * n + shift, ca.argsort(d["x"]).astype("i4"))}

    def vjp(inputs, output, grad):
        seen.append(grad)
        return {"x": grad["z"][0] * inputs[1]}, None

    seen = []
    g = call(f, lambda d, n, shift: {"z": (d["x"], jax.ShapeDtypeStruct(d["x"].shape, "int32"))}, vjp=vjp)
    x, n = row(3), jnp.asarray([3, 1, 2])
    result = jax.jit(g)({"x": x}, n, shift=jnp.float32(1))
    assert jnp.allclose(result["z"][0], x * n + 1) and result["z"][1].tolist() == [0, 1, 2]
    grads = jax.grad(lambda d, n, s: g(d, n, shift=s)["z"][0].sum(), (0, 1), allow_int=True)({"x": x}, n, 1.0)
    assert grads[0]["x"].tolist() == [3, 1, 2]
    assert grads[1].dtype == jax.dtypes.float0 and grads[1].shape == (3,)
    assert seen[0]["z"][1] is None


def check_every_dtype():
    for name in NAMES:
        x = jnp.arange(6).astype(name).reshape(2, 3)
        seen = []
        result = call(lambda x: seen.append(x.dtype.name) or x + ca.zeros_like(x), like)(x)
        assert seen == [name] and result.dtype == x.dtype
        assert np.asarray(result).astype("c16").tolist() == np.asarray(x).astype("c16").tolist()


def check_complex_gradients():
    z = jnp.asarray([1 + 2j, -0.5 + 0.1j], "complex64")
    f = call(lambda z: z * z, like, vjp=lambda inputs, output, grad: 2 * grad * inputs[0])
    for part in (jnp.real, jnp.imag):
        assert jnp.allclose(jax.grad(lambda z: part(f(z)).sum())(z), jax.grad(lambda z: part(z * z).sum())(z))


def check_memory_is_shared():
    x, seen = jnp.ones(64, jnp.float32), []

    def f(x, out):
        seen.extend((address(x), address(out)))
        assert not x.flags.writeable and out.flags.writeable
        ca.add(x, 1, out=out)

    result = jax.jit(call(f, like))(x)
    assert seen == [x.unsafe_buffer_pointer(), result.unsafe_buffer_pointer()] and result.tolist() == [2] * 64


def check_arguments_are_read_only():
    f = call(lambda x: x.__iadd__(1), like)
    assert "read-only" in str(error_of(lambda: f(row(3)))) and jnp.allclose(sine()(row(3)), jnp.sin(row(3)))


def check_arrays_that_are_kept_raise():
    kept, result = [], []

    def f(x, out):
        kept.extend((x, x[1:], x.reshape(1, -1), out, out[:1]))
        result.append(x * 2)
        ca.multiply(x, 2, out=out)

    assert call(f, like)(jnp.arange(3, dtype=jnp.float32)).tolist() == [0, 2, 4]
    for x in kept:
        for use in (lambda x: x + 1, lambda x: x.tolist(), repr, lambda x: x.sum(), lambda x: x[0], np.asarray,
                    lambda x: x.__dlpack__(), lambda x: x.copy(), lambda x: ca.sin(x), lambda x: x.T):  # fmt: skip
            assert "write x.copy()" in str(error_of(lambda: use(x), RuntimeError)), use
        assert x.shape and x.dtype == "float32"
    assert result[0].tolist() == [0, 2, 4]


def check_results_are_cast_within_their_kind():
    x = row(3)
    assert jnp.allclose(call(lambda x: x.astype("f8") + 1, like)(x), x + 1)
    spec = jax.ShapeDtypeStruct((3,), "float64")  # float32 without jax_enable_x64
    assert call(lambda x: x, spec)(x).dtype == jnp.float32
    assert "float32" in str(error_of(lambda: call(lambda x: x + 1j, like)(x)))


def check_integers_fit_or_raise():
    """JAX has 32 bits without jax_enable_x64: integers of 64 are cast where no number changes."""
    x = row(3)
    few = jax.ShapeDtypeStruct((3,), jnp.int8)
    assert call(lambda x: (x * 50).astype("i8"), few)(jnp.asarray([1.0, 2, -2])).tolist() == [50, 100, -100]
    assert call(lambda x: x > 0)(x).dtype == bool and call(lambda x: ca.argsort(x))(x).tolist() == [0, 1, 2]
    beyond = call(lambda x: (x * 1000).astype("i8") + 1000, few)
    assert "beyond int8" in str(error_of(lambda: jax.block_until_ready(beyond(x))))
    for f in (
        call(lambda x: ca.full(3, 2**40)),
        call(lambda x: ca.full(3, 2**32, "u8")),
        call(lambda x: torch.full((3,), -(2**31) - 1), framework="torch"),
        wrap(lambda x: torch.full((3,), 2**31), source="jax", target="torch"),
    ):
        assert "int32; set jax_enable_x64" in str(error_of(lambda f=f: jax.block_until_ready(f(x))))


def check_integers_as_floats_are_rounded():
    for dtype in (jnp.float32, jnp.float16):
        spec = jax.ShapeDtypeStruct((1,), dtype)
        for f in (
            call(lambda x: torch.tensor([16777217]), spec, framework="torch"),
            call(lambda x: ca.array([16777217]), spec),
        ):
            assert f(row(3)).tolist() == [float(np.asarray([16777217]).astype(dtype)[0])]


def check_modules_that_functions_call():
    """Of any kind: they are found when they are called, by a hook."""
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)).eval()
    x, expected = row(4, 3), net(torch.from_numpy(np.array(row(4, 3)))).detach().numpy()
    scripted, traced = torch.jit.script(net), torch.jit.trace(net, torch.zeros(4, 3))
    compiled = torch.compile(net, backend="eager", fullgraph=True)
    for module in (net, scripted, traced, compiled):
        for f in (
            call(lambda x, m=module: m(x), framework="torch"),
            wrap(lambda x, m=module: m(x), source="jax", target="torch"),
        ):
            assert jnp.allclose(f(x), expected, atol=1e-5), module
    other = {"1.running_mean": torch.full((3,), 100.0)}  # stands in the module's place for the call alone
    f = call(lambda x: torch.func.functional_call(net, other, (x,)), framework="torch")
    assert not jnp.allclose(f(x), expected, atol=1e-5)
    assert net[1].running_mean.tolist() == [0, 0, 0] and other["1.running_mean"].tolist() == [100, 100, 100]
    params, buffers = torch.func.stack_module_state([net, net])
    f = call(
        lambda x: torch.vmap(lambda p, b: torch.func.functional_call(net, (p, b), (x,)))(params, buffers),
        framework="torch",
    )
    assert f(x).shape == (2, 4, 3) and jnp.allclose(call(lambda x: net(x), framework="torch")(x), expected, atol=1e-5)


def check_empty_results_are_told_by_out_spec():
    """JAX does not call for results without elements: those for zeros may be empty by their values alone."""
    x, none = row(3), jax.ShapeDtypeStruct((0,), "float32")
    for f in (call(lambda x: x[x > 0.5]), call(lambda x: ca.nonzero(x)[0]), jax.jit(call(lambda x: x[:0]))):
        for _ in range(2):
            assert "out_spec= says what it returns" in str(error_of(lambda f=f: f(x), ValueError))
    assert call(lambda x: x[:0], none)(x).shape == call(lambda x: x * 2)(x[:0]).shape == (0,)


def check_wrong_results():
    x = row(3)
    for f, text in (
        (lambda x: x[:2], "a result of shape (2,); out_spec says (3,)"),
        (lambda x: (x, x), "structure"),
        (lambda x: None, "structure"),
        (lambda x: 1 / 0, "ZeroDivisionError"),
        (lambda x: x.no, "AttributeError"),
    ):
        error = error_of(lambda: jax.jit(call(f, like))(x))
        assert isinstance(error, jax.errors.JaxRuntimeError) and text in str(error), error
    for vjp, text in ((lambda i, o, g: (g, g), "must return 1 gradients"), (lambda i, o, g: g[:2], "shape (2,)")):
        f = call(ca.sin, like, vjp=vjp)
        assert text in str(error_of(lambda: jax.grad(lambda x: f(x).sum())(x)))
    assert jnp.allclose(sine()(x), jnp.sin(x))


def check_derivatives_that_are_refused():
    x, f = row(3), sine()
    grad = jax.grad(lambda x: f(x).sum())
    assert "gradients of its gradients" in str(
        error_of(lambda: jax.grad(lambda x: grad(x).sum())(x), NotImplementedError)
    )
    assert "give jax.call a jvp=" in str(error_of(lambda: jax.jvp(f, (x,), (x,)), TypeError))
    bare = call(ca.sin, like)
    assert "give jax.call a vjp=" in str(error_of(lambda: jax.grad(lambda x: bare(x).sum())(x), TypeError))


def check_wrong_arguments():
    assert "'cuarray' or 'torch', not 'numpy'" in str(
        error_of(lambda: call(ca.sin, like, framework="numpy"), TypeError)
    )
    assert "leave vjp and jvp out" in str(
        error_of(lambda: call(torch.sin, like, framework="torch", vjp=ca.sin), TypeError)
    )
    assert "out_spec must have an array" in str(error_of(lambda: call(ca.sin, ())(row(3)), ValueError))


def check_functions_without_arguments():
    spec = jax.ShapeDtypeStruct((2,), "float32")
    assert jax.jit(call(lambda: ca.ones(2, "f4"), spec))().tolist() == [1, 1]


def check_tensors_say_what_is_returned():
    x = row(3)
    for spec in (torch.empty(3), torch.Size([3]), x, ca.empty(3, "f4")):
        result = jax.jit(call(torch.sin, spec, framework="torch"))(x)
        assert result.dtype == "float32" and jnp.allclose(result, jnp.sin(x)), spec
    both = call(lambda x: (x, x.int()), (torch.Size([3]), torch.empty(3, dtype=torch.int32)), framework="torch")
    assert [y.dtype.name for y in both(x)] == ["float32", "int32"]


def check_functions_of_torch():
    def f(d, n):
        assert type(d["x"]) is torch.Tensor
        return {"y": torch.sin(d["x"]) * n, "order": torch.argsort(d["x"])}

    spec = lambda d, n: {"y": d["x"], "order": jax.ShapeDtypeStruct(d["x"].shape, "int32")}  # noqa: E731
    wrong = call(f, spec, framework="torch")
    x, n = row(3), jnp.asarray([3, 1, 2])
    result = wrong({"x": x}, n)
    assert jnp.allclose(result["y"], jnp.sin(x) * n) and result["order"].tolist() == [0, 1, 2]
    for grad in (jax.grad, lambda f: jax.jit(jax.grad(f))):
        found = grad(lambda x: wrong({"x": x}, n)["y"].sum())(x)
        assert jnp.allclose(found, jnp.cos(x) * n)
    assert jnp.allclose(jax.vmap(call(torch.sin, like, framework="torch"))(row(2, 3)), jnp.sin(row(2, 3)))


def check_complex_functions_of_torch():
    z = jnp.asarray([1 + 2j, -0.5 + 0.1j], "complex64")
    f = call(lambda z: z * z * torch.abs(z), like, framework="torch")
    g = lambda z: z * z * jnp.abs(z)  # noqa: E731
    for part in (jnp.real, jnp.imag):
        ours, theirs = (jax.grad(lambda z, h=h: part(h(z)).sum())(z) for h in (f, g))
        assert jnp.allclose(ours, theirs, atol=1e-5), (ours, theirs)


def check_modules_of_torch():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    f = jax.jit(call(net, lambda x: jax.ShapeDtypeStruct((x.shape[0], 1), x.dtype), framework="torch"))
    x = row(5, 3)
    t = torch.tensor(np.asarray(x), requires_grad=True)
    net(t).sum().backward()
    assert jnp.allclose(f(x), net(t).detach().numpy(), atol=1e-6)
    assert jnp.allclose(jax.grad(lambda x: f(x).sum())(x), t.grad.numpy(), atol=1e-6)


def check_tensors_that_are_kept_or_changed():
    kept, x = [], row(3)
    keeps = call(lambda t: kept.append(t[1:]) or t * 2, like, framework="torch")
    assert "write tensor.clone()" in str(error_of(lambda: keeps(x)))
    kept.clear()
    changes = call(lambda t: t.add_(1), like, framework="torch")
    assert "changed in place" in str(error_of(lambda: changes(x)))
    cycle = call(lambda t: (lambda box: box.append((box, t)) or t * 2)([]), like, framework="torch")
    assert jnp.allclose(cycle(x), 2 * x)


def check_docstrings():
    assert doctest.testmod(cuarray.interop.jax).failed == 0


def check_nothing_leaks():
    x = row(1000)
    grad = jax.jit(jax.grad(lambda x: f(x).sum()))
    f = sine()
    grad(x).block_until_ready()
    gc.collect()
    before = ca.memory.stats("cpu")["current"]
    for _ in range(500):
        grad(x).block_until_ready()
    gc.collect()
    assert ca.memory.stats("cpu")["current"] <= before


def check_it_is_faster_than_pure_callback():
    """About 10 times on an idle machine (benchmarks); here 3 times, so that other processes may run."""
    x = jnp.ones(8, jnp.float32)
    ours = call(lambda x, out: ca.add(x, 1, out=out), like)
    theirs = lambda x: jax.pure_callback(lambda x: np.asarray(x) + 1, x, x)  # noqa: E731

    def seconds(f):
        loop = jax.jit(lambda x: jax.lax.fori_loop(0, 300, lambda _, c: f(c), x))
        loop(x).block_until_ready()
        times = []
        for _ in range(5):
            start = time.perf_counter()
            loop(x).block_until_ready()
            times.append(time.perf_counter() - start)
        return min(times)

    assert 3 * seconds(ours) < seconds(theirs)


def check_functions_say_themselves_what_they_return():
    """Without out_spec they run with zeros, once for each combination of structure, shapes and dtypes."""
    runs = []

    def sine_of(x):
        if not ca.any(x):
            runs.append((x.shape, x.dtype.name, x.flags.writeable))
        return ca.sin(x)

    def vjp(inputs, output, grad):
        return grad * ca.cos(inputs[0])

    f = call(sine_of, vjp=vjp)
    x = row(2, 3)
    assert jnp.allclose(f(x), jnp.sin(x)) and jnp.allclose(jax.jit(f)(x + 1), jnp.sin(x + 1))
    assert jnp.allclose(jax.jit(jax.grad(lambda x: f(x).sum()))(x), jnp.cos(x))
    assert runs == [((2, 3), "float32", False)]
    assert jnp.allclose(jax.vmap(f)(x), jnp.sin(x)) and f(x.astype("float16")).dtype == "float16"
    assert runs[1:] == [((3,), "float32", False), ((2, 3), "float16", False)]
    assert jnp.allclose(jax.vmap(jax.grad(lambda x: f(x).sum()))(x), jnp.cos(x)) and len(runs) == 3
    for method in ("expand_dims", "broadcast_all"):
        assert jnp.allclose(jax.vmap(call(ca.sin, vmap_method=method))(x), jnp.sin(x))
    assert jnp.allclose(jax.lax.scan(lambda c, x: (f(c), f(x)), x[0], x)[1], jnp.sin(x))

    trees = call(lambda state, *, shift: {"sum": state["x"].sum() + shift, "rest": (ca.argsort(state["x"]), 2.5)})
    found = jax.jit(trees)({"x": x[0]}, shift=x[1, 0])
    assert jnp.allclose(found["sum"], x[0].sum() + x[1, 0]) and found["rest"][1] == 2.5
    assert found["rest"][0].dtype == "int32" and found["rest"][0].tolist() == [0, 1, 2]
    assert "give out_spec=" in str(error_of(lambda: call(lambda x, out: ca.sin(x, out=out)), TypeError))
    error = error_of(lambda: jax.jit(call(ca.linalg.inv))(jnp.eye(3)))
    assert any("out_spec=" in note for note in error.__notes__)


def check_functions_of_torch_say_themselves_what_they_return():
    x, runs = row(5, 3), []
    net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5))
    net.register_forward_hook(lambda *_: runs.append(torch.get_rng_state()))
    start, f = torch.get_rng_state(), call(net, framework="torch")
    assert f(x).shape == (5, 8) and f(x).dtype == "float32"
    assert len(runs) == 3 and int(net[2].num_batches_tracked) == 2  # the first was not counted
    assert (
        torch.equal(runs[0], runs[1])
        and not torch.equal(runs[1], runs[2])
        and torch.equal(torch.get_rng_state(), runs[2])
    )
    assert not torch.equal(start, runs[0])
    g = call(lambda x: {"sum": (x**3).sum(), "most": x.argmax()}, framework="torch")
    assert jnp.allclose(jax.jit(jax.grad(lambda x: g(x)["sum"]))(x), 3 * x**2, rtol=1e-4)
    assert jnp.allclose(jax.hessian(lambda x: g(x)["sum"])(x[0]), jnp.diag(6 * x[0]), rtol=1e-4)
    assert jax.vmap(g)(x)["sum"].shape == (5,) and int(g(x)["most"]) == 14


def check_errors_name_what_to_write():
    error = error_of(lambda: call(lambda x: x, ((5, 3), "float32"))(jnp.ones(3)), TypeError)
    assert "write jax.ShapeDtypeStruct(shape, dtype)" in str(error)
    assert "out_spec says float32" in str(error_of(lambda: call(lambda x: x + 1j, like)(jnp.ones(3, "float32"))))
    assert "vmap_method is one of" in str(error_of(lambda: call(ca.sin, like, vmap_method="foo"), ValueError))
    sine = wrap(lambda x: np.sin(x), source="jax", target="numpy")
    error = error_of(lambda: jax.grad(lambda x: sine(x).sum())(jnp.ones(3)), TypeError)
    assert "give wrap a backward=" in str(error)
    error = error_of(lambda: jax.jit(wrap(ca.linalg.inv, source="jax", target="cuarray"))(jnp.eye(3)))
    assert any("out_spec=" in note for note in error.__notes__)


def check_arrays_of_ours_as_arguments():
    result = call(lambda x: x * 2, like)(ca.ones(3, "float32"))
    assert isinstance(result, jax.Array) and result.tolist() == [2] * 3


if __name__ == "__main__":
    import doctest
    import gc
    import time

    import jax
    import jax.numpy as jnp
    import numpy as np
    import torch

    import cuarray
    import cuarray as ca
    from cuarray.interop import wrap
    from cuarray.interop.jax import call

    ca.set_default_device("cpu")
    peers.main(globals())
