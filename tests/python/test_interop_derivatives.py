"""Derivatives across frameworks in reverse and forward mode, of first and second order: the documented table, executed."""

import peers
import wrap_cases
from peers import error_of

test_check = wrap_cases.test_with_drjit(__file__)

TEXT = "docs/functions_across_frameworks.md"


def text_of(error):
    """Return the text of an error and of those that it came from."""
    return "" if error is None else f"{error} {text_of(error.__cause__ or error.__context__)}"


def reverse_in_torch(f):
    x = torch.tensor(VALUES, requires_grad=True)
    return torch.autograd.grad(f(x).sum(), x)[0]


def forward_in_torch(f):
    x, t = torch.tensor(VALUES), torch.tensor(TANGENT)
    with torch.autograd.forward_ad.dual_level():
        found = torch.autograd.forward_ad.unpack_dual(f(torch.autograd.forward_ad.make_dual(x, t))).tangent
    assert torch.equal(found, torch.func.jvp(f, (x,), (t,))[1])
    return found


def second_in_torch(f):
    x = torch.tensor(VALUES, requires_grad=True)
    (slope,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    (found,) = torch.autograd.grad(slope.sum(), x)
    for derivative in (torch.func.jacfwd(torch.func.jacrev(f)), torch.func.jacrev(torch.func.jacfwd(f))):
        assert torch.allclose(derivative(x.detach()).sum((1, 2)), found)
    return found


def reverse_in_jax(f):
    return jax.jit(jax.grad(lambda x: f(x).sum()))(jnp.asarray(VALUES))


def forward_in_jax(f):
    x, t = jnp.asarray(VALUES), jnp.asarray(TANGENT)
    found = jax.jvp(f, (x,), (t,))[1]
    assert jnp.array_equal(found, jax.linearize(f, x)[1](t))
    assert jnp.array_equal(found, jax.jit(lambda x, t: jax.jvp(f, (x,), (t,))[1])(x, t))
    assert jnp.allclose(jax.jacfwd(f)(x) @ t, found)
    return found


def second_in_jax(f):
    x = jnp.asarray(VALUES)
    found = jnp.diag(jax.jacrev(jax.grad(lambda x: f(x).sum()))(x))
    for first in (jax.jacfwd, jax.jacrev):
        for second in (jax.jacfwd, jax.jacrev):
            assert jnp.allclose(jax.jit(second(first(f)))(x).sum((1, 2)), found)
    assert jnp.allclose(jnp.diag(jax.hessian(lambda x: f(x).sum())(x)), found)
    return found


def reverse_in_tensorflow(f):
    x = tf.constant(VALUES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        end = tf.reduce_sum(f(x))
    return tape.gradient(end, x)


def forward_in_tensorflow(f):
    x = tf.constant(VALUES)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(TANGENT)) as forward:
        result = f(x)
    return forward.jvp(result)


def second_in_tensorflow(f):
    x = tf.constant(VALUES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        slope = reverse_of_tape(f, x)
    found = tape.gradient(slope, x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward:
        slope = reverse_of_tape(f, x)
    assert np.allclose(forward.jvp(slope), found)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as inner:
            result = f(x)
        move = inner.jvp(result)
    assert np.allclose(outer.jvp(move), found)
    return found


def reverse_of_tape(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        end = tf.reduce_sum(f(x))
    return tape.gradient(end, x)


def leaf_in_drjit():
    x = ll.TensorXf64(VALUES)
    dr.enable_grad(x)
    return x


def reverse_in_drjit(f):
    x = leaf_in_drjit()
    dr.backward(f(x))
    return dr.grad(x)


def forward_in_drjit(f):
    x = leaf_in_drjit()
    result = f(x)
    dr.set_grad(x, TANGENT)
    dr.forward_to(result)
    return dr.grad(result)


def second_in_drjit(f):
    """Dr.Jit's gradients are constants."""
    assert not dr.grad_enabled(reverse_in_drjit(f))
    raise NotImplementedError("drjit")


def documented():
    """Return the rows of the table: callers, functions, what is given, and the cells of the three kinds."""
    lines = Path(__file__).parents[2].joinpath(TEXT).read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| called from"))
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def cube(x):
    return x * x * x


FUNCTIONS = {
    "backward=": lambda inputs, output, grad: 3 * grad * inputs[0] * inputs[0],
    "jvp=": lambda inputs, output, tangents: 3 * tangents[0] * inputs[0] * inputs[0],
}


def check_the_documented_table():
    expected = {"reverse": 3 * VALUES**2, "forward": 3 * VALUES**2 * TANGENT, "second": 6 * VALUES}
    pairs = set()
    for callers, targets, given, *cells in documented():
        keywords = {name.strip("`="): FUNCTIONS[name.strip("`")] for name in given.split(", ") if name != "nothing"}
        for source, target in itertools.product(callers.split(", "), targets.split(", ")):
            if source == target or (target == "cupy" and importlib.util.find_spec("cupy") is None):
                continue
            pairs.add((source, target))
            f = wrap(cube, source=source, target=target, **keywords)
            for kind, cell in zip(expected, cells, strict=True):
                derivative = globals()[f"{kind}_in_{source}"]
                if cell == "yes":
                    np.testing.assert_allclose(np.asarray(derivative(f)), expected[kind], err_msg=f"{source} {target}")
                    continue
                error = error_of(lambda derivative=derivative, f=f: derivative(f))
                assert cell.strip("`") in text_of(error), (source, target, kind, cell, text_of(error))
    frameworks = {"torch", "jax", "tensorflow", "drjit"}
    assert pairs == {(a, b) for a in frameworks for b in frameworks | {"numpy", "cuarray"} if a != b}


def bodies(lib):
    """Return functions of float arrays in a library's words, with the shapes of their arguments."""
    return {
        "elementwise": (lambda x: lib.sin(x) * x, [(2, 2)]),
        "broadcast": (lambda x, y: lib.sin(x) * y * y + x * y, [(2, 2), (2,)]),
        "0-d": (lambda x, y: x * y * y, [(), (2,)]),
        "empty": (lambda x: x * x, [(0, 2)]),
        "several": (lambda x, y: (x * y, lib.exp(x), y), [(2,), (2,)]),
    }


#: The functions that are checked by target: all once. Dr.Jit broadcasts other shapes, and has no empty gradients.
CASES = {
    "torch": ("elementwise", "broadcast", "0-d", "empty", "several"),
    "jax": ("elementwise", "broadcast", "0-d", "empty", "several"),
    "tensorflow": ("broadcast", "several"),
    "drjit": ("elementwise", "several"),
}


def tree(d, *, k):
    a, (b, n) = d["a"], d["more"]
    return {"product": a * b * n * k, "sums": (a + b, [b * b * b])}


def arrays_in_torch(shapes, dtype, layout):
    """Return tensors with gradients: in C order, transposed, or every second element."""
    made = []
    for number, shape in enumerate(shapes):
        generator = torch.Generator().manual_seed(number)
        wide = tuple(2 * n for n in shape) if layout == "steps" else shape[::-1] if layout == "transposed" else shape
        x = torch.randn(wide, dtype=dtype, generator=generator)
        if layout == "steps":
            x = x[(slice(None, None, 2),) * x.ndim]
        elif layout == "transposed":
            x = x.mT
        made.append(x.detach().requires_grad_())
    return made


def check_gradcheck_in_torch():
    with jax.enable_x64(True):
        for target, lib in (("jax", jnp), ("tensorflow", tf), ("drjit", dr)):
            dtypes = [torch.float64] + ([torch.complex128] if target != "drjit" else [])
            for (name, (body, shapes)), dtype in itertools.product(bodies(lib).items(), dtypes):
                if name not in CASES[target]:
                    continue
                f = wrap(body, source="torch", target=target)
                for layout in ("C", "transposed", "steps") if name == "elementwise" else ("C",):
                    given = arrays_in_torch(shapes, dtype, layout)
                    case = (target, name, dtype, layout)
                    assert torch.autograd.gradcheck(f, given, check_forward_ad=True), case
                    if target != "drjit" and (dtype.is_complex or name == "broadcast"):
                        assert torch.autograd.gradgradcheck(f, given, check_fwd_over_rev=True), case


def check_gradcheck_of_trees_in_torch():
    n = torch.tensor([1, 2, 3])
    with jax.enable_x64(True):
        for target in ("jax", "tensorflow"):
            scaled = tree if target == "jax" else lambda d, *, k: tree(
                {"a": d["a"], "more": (d["more"][0], tf.cast(d["more"][1], tf.float64))}, k=k)  # fmt: skip
            f = wrap(scaled, source="torch", target=target)

            def flat(a, b, f=f):
                found = f({"a": a, "more": (b, n)}, k=2.0)
                return found["product"], found["sums"][0], found["sums"][1][0]

            given = arrays_in_torch([(3,), (3,)], torch.float64, "C")
            assert torch.autograd.gradcheck(flat, given, check_forward_ad=True)
            assert torch.autograd.gradgradcheck(flat, given, check_fwd_over_rev=True)


def check_grads_in_jax():
    with jax.enable_x64(True):
        for target, lib in (("torch", torch), ("tensorflow", tf), ("drjit", dr)):
            for (name, (body, shapes)), dtype in itertools.product(bodies(lib).items(), ("f8", "c16")):
                if name not in CASES[target] or (target == "drjit" and dtype == "c16"):
                    continue
                f = wrap(body, source="jax", target=target)
                given = [jnp.asarray(x.detach().numpy()) for x in arrays_in_torch(shapes, torch.float64, "C")]
                given = [(x * (1 + 0.5j) if dtype == "c16" else x).astype(dtype) for x in given]
                order = 1 if target == "drjit" else 2

                def of_arrays(*args, f=f):
                    return f(*map(jnp.asarray, args))

                jax.test_util.check_grads(of_arrays, given, order=order, modes=("fwd", "rev"))


def check_grads_of_trees_in_jax():
    n = jnp.asarray([1, 2, 3])
    with jax.enable_x64(True):
        f = wrap(tree, source="jax", target="torch")
        g = call(tree, lambda d, k: {"product": d["a"], "sums": (d["a"], [d["a"]])}, framework="torch")
        for h in (f, functools.partial(f, k=3.0), jax.jit(lambda d, k=2.0, g=g: g(d, k=k))):

            def flat(a, b, h=h):
                a, b = jnp.asarray(a), jnp.asarray(b)
                return h({"a": a, "more": (b, n)}) if h is not f else h({"a": a, "more": (b, n)}, k=2.0)

            jax.test_util.check_grads(
                flat, (jnp.asarray([0.5, 1, 2]), jnp.asarray([1.0, -1, 2])), order=2, modes=("fwd", "rev")
            )


def check_transforms_of_jax():
    """vmap inside and outside of derivatives, linear_transpose, scan and checkpoint, as of a function of JAX's own."""
    with jax.enable_x64(True):
        x, y = jnp.linspace(0.1, 2, 6).reshape(2, 3), jnp.linspace(0.1, 1, 3)
        functions = [bodies(jnp)["broadcast"][0], wrap(bodies(torch)["broadcast"][0], source="jax", target="torch")]
        functions += [
            call(bodies(torch)["broadcast"][0], lambda x, y: x, framework="torch", vmap_method=method)
            for method in ("sequential", "expand_dims", "broadcast_all")
        ]

        def by_scan(f, y):
            return jax.lax.scan(lambda carry, row: (carry + f(row, y).sum(), None), 0.0, x)[0]

        transforms = (
            lambda f: jax.vmap(jax.grad(lambda row, y: f(row, y).sum(), (0, 1)), (0, None))(x, y),
            lambda f: jax.grad(lambda x, y: (jax.vmap(f, (0, None))(x, y) ** 2).sum(), (0, 1))(x, y),
            lambda f: jax.jvp(jax.vmap(f, (0, None)), (x, y), (x, y)),
            lambda f: jax.vmap(lambda t: jax.jvp(lambda y: f(x[0], y), (y,), (t,))[1])(jnp.eye(3)),
            lambda f: jax.linear_transpose(jax.linearize(f, x, y)[1], x, y)(x),
            lambda f: jax.jit(jax.hessian(lambda y: by_scan(f, y)))(y),
            lambda f: jax.grad(lambda y: jax.checkpoint(f)(x, y).sum())(y),
            lambda f: jax.jvp(jax.grad(lambda y: jax.vmap(f, (0, None))(x, y).sum()), (y,), (y,)),
        )
        for number, transform in enumerate(transforms):
            expected, *found = (jax.tree_util.tree_leaves(transform(f)) for f in functions)
            for which, parts in enumerate(found):
                assert all(map(jnp.allclose, parts, expected)), (number, which, parts, expected)


def check_vmap_methods_of_gradients():
    """An argument without a batch has a gradient for each element of the batch."""

    def vjp(inputs, output, grad):
        x, y = inputs
        return grad * y, grad * x

    x, y = jnp.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), jnp.asarray([2.0, 3.0])
    for method in ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"):
        f = call(lambda x, y: x * y, lambda x, y: x, vjp=vjp, vmap_method=method)
        for dx, dy in (
            jax.vmap(jax.grad(lambda x, y, f=f: f(x, y).sum(), (0, 1)), (0, None))(x, y),
            jax.jit(jax.vmap(jax.grad(lambda x, y, f=f: f(x, y).sum(), (0, 1)), (0, None)))(x, y),
        ):
            assert dx.tolist() == [[2, 3]] * 3 and dy.tolist() == x.tolist(), method
        total = jax.grad(lambda y, f=f: jax.vmap(f, (0, None))(x, y).sum())(y)
        assert total.tolist() == [9, 12], method


def check_jvp_of_functions_with_integers():
    """The tangent of an integer is None, that of an array that stays is zeros; results of integers have none."""
    seen = []

    def body(x, n, y):
        return x * n + y, n + 1

    def backward(inputs, output, grad):
        return grad[0] * inputs[1], None, grad[0]

    def jvp(inputs, output, tangents):
        seen.append([t if t is None else t.tolist() for t in tangents])
        assert output[1].tolist() == [2, 3]
        return tangents[0] * inputs[1] + tangents[2], None

    expected, stays = [10, 40], [[10, 20], None, [0, 0]]
    f = torch_wrap(body, backward=backward, jvp=jvp)
    x, n, y = torch.ones(2), torch.tensor([1, 2]), torch.ones(2)
    t = torch.tensor([10.0, 20.0])
    (_, more), (found, _) = torch.func.jvp(lambda x: f(x, n, y), (x,), (t,))
    assert found.tolist() == expected and more.tolist() == [2, 3]
    with torch.autograd.forward_ad.dual_level():
        product, more = f(torch.autograd.forward_ad.make_dual(x, t), n, y)
        assert torch.autograd.forward_ad.unpack_dual(product).tangent.tolist() == expected
    assert torch.allclose(torch.func.jacfwd(lambda x: f(x, n, y)[0])(x), torch.diag(n * 1.0).double())
    g = call(body, lambda x, n, y: (x, n), vjp=backward, jvp=jvp)
    for jvp_of in (jax.jvp, jax.jit(jax.jvp, static_argnums=0)):
        _, (found, _) = jvp_of(
            lambda x: g(x, jnp.asarray([1, 2]), jnp.ones(2)), (jnp.ones(2),), (jnp.asarray([10.0, 20]),)
        )
        assert found.tolist() == expected
    h = wrap(body, source="tensorflow", target="cuarray", backward=backward, jvp=jvp)
    with tf.autodiff.ForwardAccumulator(one := tf.ones(2), tf.constant([10.0, 20])) as forward:
        product, _ = h(one, tf.constant([1, 2]), tf.ones(2))
    assert forward.jvp(product).numpy().tolist() == expected
    assert len(seen) >= 6
    assert all(tangents == stays for tangents in seen[:2] + seen[-2:]), seen


def check_results_of_unused_inputs():
    """An input that no result depends on has a tangent, which counts nowhere."""
    x, y = torch.ones(2), torch.full((2,), 3.0)
    for target in ("jax", "tensorflow", "drjit"):
        f = wrap(lambda x, y: (y * y, y + 0), source="torch", target=target)
        found = torch.func.jvp(f, (x, y), (torch.tensor([10.0, 20]), torch.tensor([1.0, 2])))[1]
        assert [t.tolist() for t in found] == [[6, 12], [1, 2]], (target, found)


def check_wrong_jvps():
    x = torch.ones(3)
    for jvp, kind, text in (
        (lambda i, o, t: t[0][:2], ValueError, "a tangent of shape (2,) for array 0 of shape (3,)"),
        (lambda i, o, t: t[0] + 1j, TypeError, ".real"),
        (lambda i, o, t: (t[0], t[0]), ValueError, "jvp"),
    ):
        f = torch_wrap(lambda x: {"y": x * 2} if text == "jvp" else x * 2, jvp=jvp)
        error = error_of(lambda f=f: torch.func.jvp(f, (x,), (x,)), kind)
        assert text in str(error), (text, error)
    f = torch_wrap(lambda x: x * 2, jvp=lambda i, o, t: None)
    assert torch.func.jvp(f, (x,), (x,))[1].tolist() == [0, 0, 0]
    f = torch_wrap(lambda x, *, k: x * k, jvp=lambda i, o, t: t[0])
    error = error_of(lambda: torch.func.jvp(lambda k: f(x, k=k), (x,), (x,)), TypeError)
    assert "keyword argument 'k'; give it by position" in str(error)
    for source, forward in (("tensorflow", forward_in_tensorflow), ("jax", forward_in_jax)):
        body = lambda x, *, k: x * k  # noqa: E731
        g = wrap(body, source=source, target="cuarray", backward=lambda i, o, g: g, jvp=lambda i, o, t: t[0])
        assert "keyword argument 'k'" in text_of(error_of(lambda g=g, run=forward: run(lambda k: g(1 + 0 * k, k=k))))
    assert "leave vjp and jvp out" in str(
        error_of(lambda: call(torch.sin, None, framework="torch", jvp=ca.sin), TypeError)
    )


def check_arrays_are_not_kept():
    """Neither a run nor its derivatives leave reference cycles, which keep arrays until a collection."""
    f = wrap(cube, source="drjit", target="torch")
    kinds = (lambda: f(ll.TensorXf64(VALUES)), lambda: reverse_in_drjit(f), lambda: forward_in_drjit(f))
    g = call(cube, lambda x: x, framework="torch")
    x = jnp.ones(3)
    kinds += (lambda: jax.grad(lambda x: g(x).sum())(x), lambda: jax.jvp(g, (x,), (x,)))
    for number, run in enumerate(kinds):
        run()
        gc.collect()
        gc.disable()
        try:
            before = sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())
            run()
            assert sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects()) == before, number
        finally:
            gc.enable()


if __name__ == "__main__":
    import drjit as dr  # before TensorFlow, which otherwise aborts the process at its end
    import drjit.llvm.ad as ll

    ll.TensorXf([1])
    import functools
    import gc
    import importlib.util
    import itertools
    from pathlib import Path

    import jax
    import jax.numpy as jnp
    import jax.test_util
    import numpy as np
    import tensorflow as tf
    import torch

    import cuarray as ca
    from cuarray.interop import wrap
    from cuarray.interop.jax import call
    from cuarray.interop.torch import wrap as torch_wrap

    jax.config.update("jax_enable_x64", True)
    VALUES, TANGENT = np.asarray([1.0, 2.0, -0.5]), np.asarray([1.0, 10.0, 100.0])
    ca.set_default_device("cpu")
    peers.main(globals())
