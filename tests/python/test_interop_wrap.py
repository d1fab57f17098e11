"""cuarray.interop.wrap: functions of one framework with arrays of another, in every combination, with gradients."""

import peers
from peers import error_of

test_check = peers.test_of(
    __file__, "tensorflow", "torch", "jax",
    environment=(("JAX_PLATFORMS", "cpu"), ("TF_CPP_MIN_LOG_LEVEL", "3"), ("CUDA_VISIBLE_DEVICES", "")),
)  # fmt: skip

TARGETS = ("numpy", "cuarray", "torch", "jax", "tensorflow")


def check_every_pair():
    for source in wrap_cases.SOURCES.values():
        for target in TARGETS:
            source(target)


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


def scaled(x, k=1.0, *, shift=0.0):
    return x * k + shift


def scaled_backward(inputs, output, grad):
    assert len(inputs) == 2
    return grad * inputs[1], grad * inputs[0]


def named_backward(inputs, output, grad, *, shift):
    assert shift.shape == output.shape
    return *scaled_backward(inputs, output, grad), {"shift": grad}


def named_jvp(inputs, output, tangents, *, shift):
    assert shift.shape == output.shape
    return tangents[0] * inputs[1] + inputs[0] * tangents[1] + tangents[2]["shift"]


def gradient(source, f, name):
    """Return the gradient of the sum of f(x, k=, shift=) with respect to the argument of that name; x is (1, 2)."""
    values = {"x": [1.0, 2.0], "k": [3.0, 4.0], "shift": [0.5, 0.5]}
    if source == "torch":
        given = {n: torch.tensor(v, requires_grad=n == name) for n, v in values.items()}
        f(given["x"], k=given["k"], shift=given["shift"]).sum().backward()
        return given[name].grad.tolist()
    if source == "jax":
        given = {n: jnp.asarray(v) for n, v in values.items() if n != name}

        def total(one):
            arguments = given | {name: one}
            return f(arguments.pop("x"), **arguments).sum()

        return jax.grad(total)(jnp.asarray(values[name])).tolist()
    given = {n: tf.constant(v) for n, v in values.items()}
    with tf.GradientTape() as tape:
        tape.watch(given[name])
        end = tf.reduce_sum(f(given["x"], k=given["k"], shift=given["shift"]))
    found = tape.gradient(end, given[name])
    return found if found is None else found.numpy().tolist()


def check_keyword_arguments():
    """Where a function of gradients has no place for a gradient that is needed, there is no gradient of zeros."""
    expected = {"x": [3, 4], "k": [1, 2], "shift": [1, 1]}
    for source in ("torch", "jax", "tensorflow"):
        for target in TARGETS:
            if source == target:
                continue
            is_own = target in ("numpy", "cuarray")
            f = wrap(scaled, source=source, target=target, backward=scaled_backward if is_own else None)
            for name in ("x", "k") if is_own else expected:
                assert gradient(source, f, name) == expected[name], (source, target, name)
            if not is_own:
                continue
            if source == "tensorflow":  # which does not say what it watches, and has None for no gradient
                assert gradient(source, f, "shift") is None
            else:
                text = str(error_of(lambda: gradient(source, f, "shift"), TypeError))
                assert "keyword argument 'shift'; give it by position" in text, (source, target)


def check_keyword_arguments_of_calls_in_jax():
    from cuarray.interop.jax import call

    functions = {"none": call(scaled, vjp=scaled_backward), "named": call(scaled, vjp=named_backward),
                 "torch": call(scaled, framework="torch")}  # fmt: skip
    for kind, f in functions.items():
        for jitted in (f, jax.jit(f)):
            assert gradient("jax", jitted, "k") == [1, 2] and gradient("jax", jitted, "x") == [3, 4]
            if kind != "none":
                assert gradient("jax", jitted, "shift") == [1, 1], kind
                continue
            text = str(error_of(lambda: gradient("jax", jitted, "shift"), TypeError))
            assert "keyword argument 'shift'; give it by position" in text
    f = call(scaled, jvp=named_jvp)
    x, k = jnp.asarray([1.0, 2.0]), jnp.asarray([3.0, 4.0])
    close(jax.jvp(lambda x, shift: f(x, k, shift=shift), (x, k), (x, k))[1], [6, 12])
    close(jax.jvp(lambda x: f(x, k, shift=x), (x,), (x,))[1], [4, 10])
    many = call(lambda *, b, a: {"sum": a["x"] * b}, vjp=lambda i, o, g, *, a, b: {"a": {"x": g["sum"] * b}, "b": None})
    found = jax.grad(lambda a, b: many(b=b, a=a)["sum"].sum(), (0, 1))({"x": x}, k)
    assert found[0]["x"].tolist() == [3, 4] and found[1].tolist() == [0, 0]


def check_derivatives_by_keyword_arguments():
    """A function of derivatives gets those keyword arguments that it has parameters for, and answers by name."""
    for source in ("torch", "jax", "tensorflow"):
        for target in ("numpy", "cuarray"):
            f = wrap(scaled, source=source, target=target, backward=named_backward, jvp=named_jvp)
            for name, expected in {"x": [3, 4], "k": [1, 2], "shift": [1, 1]}.items():
                assert gradient(source, f, name) == expected, (source, target, name)
            if source == "torch":
                x, k = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
                assert torch.func.jvp(lambda x, shift: f(x, k, shift=shift), (x, k), (x, k))[1].tolist() == [6, 12]

    x = torch.ones(3, requires_grad=True)
    for backward, expected in (
        (lambda i, o, g, *, x, **others: {"x": 2 * g}, [2, 2, 2]),
        (lambda i, o, g, **all: ({"x": 2 * g},), [2, 2, 2]),
        (lambda i, o, g, *, x: {}, None),
        (lambda i, o, g, *, x: {"y": g}, "returned gradients of ['y']"),
    ):
        x.grad, f = None, wrap(lambda *, x, k=2: x * k, source="torch", target="cuarray", backward=backward)
        end = f(x=x, k=2).sum()
        if isinstance(expected, str):
            assert expected in str(error_of(end.backward, ValueError))
            continue
        end.backward()
        assert (x.grad if expected is None else x.grad.tolist()) == expected


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
    for spec, text in (
        (tf.TensorSpec((2,), tf.float32), "of shape (3,); out_spec"),
        (tf.TensorSpec((3,), tf.float64), "float32; out"),
    ):
        wrong = wrap(lambda x: torch.sin(x), source="tensorflow", target="torch", out_spec=spec)
        for run in (wrong, tf.function(wrong)):
            assert text in str(error_of(lambda run=run: run(x)))
    loose = wrap(
        lambda x: torch.sin(x), source="tensorflow", target="torch", out_spec=tf.TensorSpec((None,), tf.float32)
    )
    assert tf.function(loose)(x).shape == (3,)
    bare = wrap(lambda x: torch.sin(x), source="tensorflow", target="torch")
    assert "out_spec=" in str(error_of(lambda: tf.function(bare)(x), TypeError))


def check_tensors_of_tensorflow_are_not_changed():
    made = []
    f = wrap(lambda x: made.append(x * 2) or made[0], source="tensorflow", target="cuarray")
    t = f(tf.constant([1.0, 2.0]))
    assert "read-only" in str(error_of(lambda: made[0].__setitem__(0, 9), ValueError)) and t.numpy().tolist() == [2, 4]


def polynomial(lib):
    """A function of two arrays that broadcast, in a library's own functions, with derivatives of every order."""
    return lambda x, y: lib.sin(x) * y * y + x * x * x


def check_gradients_of_gradients_in_torch():
    x, y = (torch.linspace(0.1, n, 3 * n, dtype=torch.float64).reshape(n, 3) for n in (2, 1))
    z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128)
    with jax.enable_x64(True):
        for target, lib in (("jax", jnp), ("tensorflow", tf)):
            f = wrap(polynomial(lib), source="torch", target=target)
            assert torch.autograd.gradgradcheck(f, (x.requires_grad_(), y.requires_grad_()))
            assert torch.autograd.gradgradcheck(
                wrap(lambda z: z * z * z, source="torch", target=target), (z.requires_grad_(),)
            )
            found, expected = f(x, y), polynomial(torch)(x, y)
            for _ in range(3):
                found, expected = (torch.autograd.grad(v.sum(), x, create_graph=True)[0] for v in (found, expected))
                assert torch.allclose(found, expected)
            second = torch.func.grad(torch.func.grad(lambda t, f=f: f(t, t)))
            assert torch.allclose(
                second(x[0, 1]), torch.func.grad(torch.func.grad(lambda t: polynomial(torch)(t, t)))(x[0, 1])
            )


def check_gradients_of_gradients_in_jax():
    from jax.test_util import check_grads

    from cuarray.interop.jax import call

    with jax.enable_x64(True):
        x, y = jnp.linspace(0.1, 2, 6).reshape(2, 3), jnp.linspace(0.1, 1, 3)
        for f in (
            wrap(polynomial(torch), source="jax", target="torch"),
            wrap(polynomial(tf), source="jax", target="tensorflow"),
            call(polynomial(torch), lambda x, y: x, framework="torch"),
        ):
            check_grads(lambda x, y, f=f: f(jnp.asarray(x), jnp.asarray(y)), (x, y), order=3, modes=("rev",))
            twice = jax.jit(jax.grad(jax.grad(lambda t, f=f: f(t, t))))
            assert jnp.allclose(twice(0.3), jax.grad(jax.grad(lambda t: polynomial(jnp)(t, t)))(0.3))
        cube = wrap(lambda z: z * z * z, source="jax", target="torch")
        check_grads(lambda z: cube(jnp.asarray(z)), (jnp.asarray([1 + 2j, 0.5 - 1j]),), order=2, modes=("rev",))
        summed = wrap(lambda x, k: (x**3 * k).sum(), source="jax", target="torch")  # an integer has no gradient
        hessian = jax.jacrev(jax.jacrev(summed))(jnp.arange(3.0), jnp.arange(3))
        assert hessian.tolist() == np.diag([0, 6, 24]).tolist()


def check_gradients_of_gradients_in_tensorflow():
    """They were taken for zero."""
    x = tf.constant([1.0, 2.0])
    for target in ("torch", "jax"):
        cube = wrap(lambda x: x * x * x, source="tensorflow", target=target)
        with tf.GradientTape() as third:
            third.watch(x)
            with tf.GradientTape(persistent=True) as second:
                second.watch(x)
                with tf.GradientTape(persistent=True) as first:
                    first.watch(x)
                    total = tf.reduce_sum(cube(x))
                slope = first.gradient(total, x)
                loss = tf.reduce_sum(slope * slope) + total
            assert slope.numpy().tolist() == first.gradient(total, x).numpy().tolist() == [3, 12]
            assert second.gradient(loss, x).numpy().tolist() == [39, 300]
            curvature = second.gradient(slope, x)
        assert curvature.numpy().tolist() == [6, 12] and third.gradient(curvature, x).numpy().tolist() == [6, 6]


def check_gradients_of_gradients_keep_buffers():
    """A module runs again for them: its buffers stay."""
    from cuarray.interop.jax import call

    net, expected = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3)
    rows = np.arange(12, dtype="f4").reshape(4, 3) ** 2
    expected(torch.tensor(rows))
    f = call(net, lambda x: x, framework="torch")
    slope = jax.grad(lambda x: (f(x) ** 3).sum())
    jax.grad(lambda x: (slope(x) ** 2).sum())(jnp.asarray(rows))
    assert all(map(torch.equal, net.buffers(), expected.buffers())), list(net.buffers())


def check_second_derivatives_that_tensorflow_is_refused():
    """Gradients of gradients by `backward` were taken for zero."""
    x = tf.constant([1.0, 2.0])
    cube = wrap(lambda x: x * x * x, source="tensorflow", target="cuarray", backward=lambda i, o, g: 3 * g * i[0] ** 2)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            total = tf.reduce_sum(cube(x))
        slope = inner.gradient(total, x)
    assert slope.numpy().tolist() == [3, 12]
    assert "gradients of gradients" in str(error_of(lambda: outer.gradient(slope, x), NotImplementedError))


def check_jax_narrows_only_where_it_is_asked():
    """2**40 was 0."""
    add = lambda x: x + 1  # noqa: E731
    for values in (torch.tensor([2**40]), torch.ones(2, dtype=torch.float64)):
        assert "narrow=True" in str(error_of(lambda: wrap(add, source="torch", target="jax")(values), TypeError))
        result = wrap(add, source="torch", target="jax", narrow=True)(values)
        assert result.dtype in (torch.int32, torch.float32)
    assert wrap(add, source="torch", target="jax")(torch.ones(2)).tolist() == [2, 2]
    with jax.enable_x64(True):
        assert wrap(add, source="torch", target="jax")(torch.tensor([2**40])).tolist() == [2**40 + 1]


def check_modules_with_state_inside_jax():
    """A second run for the gradients leaves the buffers alone, and draws no other random numbers."""
    from cuarray.interop.jax import call

    rows = np.arange(12, dtype="f4").reshape(4, 3) ** 2
    for make in (
        lambda net: call(net, lambda x: x, framework="torch"),
        lambda net: wrap(net, source="jax", target="torch", out_spec=lambda x: x),
    ):
        expected, net = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3)
        expected(torch.tensor(rows))
        counted = make(net)
        jax.grad(lambda x, f=counted: (f(x) ** 2).sum())(jnp.asarray(rows))
        assert all(map(torch.equal, net.buffers(), expected.buffers())), list(net.buffers())
        drawing = make(torch.nn.Dropout(0.5))
        assert drawing(jnp.asarray(rows)).shape == rows.shape
        for x in (rows, *[rows[:1, :1] + 1] * 10):  # of one element half of all masks are the first one
            error = error_of(lambda x=x, f=drawing: jax.grad(lambda x: f(x).sum())(jnp.asarray(x)))
            assert "draws random numbers" in str(error), error


def check_random_numbers_that_no_framework_knows():
    """Functions that run again for derivatives, with numbers of generators of their own."""
    from cuarray.interop.jax import call

    own, numpys, numbers = torch.Generator(), np.random.default_rng(0), itertools.cycle([1, 5, 3, 7, 2])
    draws = {
        "torch": lambda: torch.rand(3, generator=own),
        "numpy": lambda: torch.as_tensor(numpys.random(3, "f4")),
        "python": lambda: float(next(numbers)),  # of two that are close by chance nothing can be said
    }
    x = jnp.arange(1.0, 4.0)
    derivatives = [
        derivative
        for start in (x, 0 * x)  # where the results are zero, too
        for derivative in (
            lambda f, x=start: jax.grad(lambda x: f(x).sum())(x),
            lambda f, x=start: jax.jvp(f, (x,), (x + 1,)),
            lambda f, x=start: jax.hessian(lambda x: (f(x) ** 2).sum())(x),
            lambda f, x=start: jax.jit(jax.grad(lambda x: jax.vmap(f)(x).sum()))(jnp.stack([x, x])),
        )
    ]
    for draw in draws.values():

        def scaled(t, draw=draw):
            return t * draw()

        for f in (
            call(scaled, x, framework="torch"),
            wrap(scaled, source="jax", target="torch"),
            wrap(lambda t, draw=draw: t * tf.constant(draw()), source="jax", target="tensorflow"),
        ):
            assert f(x).tolist() != f(x).tolist()
            for derivative in derivatives:
                assert "draws random numbers" in str(error_of(lambda d=derivative, f=f: d(f)))
    infinite = call(lambda t: torch.log(t - 1) + draws["numpy"](), x, framework="torch")  # -inf is near to nothing
    assert "draws random numbers" in str(error_of(lambda: jax.grad(lambda x: infinite(x)[1:].sum())(x)))
    seeded = call(lambda t: t * torch.rand(3, generator=own.manual_seed(1)), x, framework="torch")
    close(jax.grad(lambda x: seeded(x).sum())(x) * x, seeded(x))
    close(jax.grad(lambda x: seeded(x).sum())(0 * x) * x, seeded(x))
    for target, f in {
        "torch": lambda t: t**3 * draws["numpy"](),
        "jax": lambda t: t**3 * numpys.random(3, "f4"),
    }.items():
        start, cubes = tf.constant([1.0, 2.0, 3.0]), wrap(f, source="tensorflow", target=target)
        with tf.GradientTape() as outer:
            outer.watch(start)
            with tf.GradientTape() as inner:
                inner.watch(start)
                result = cubes(start)
            gradient = inner.gradient(result, start)
        close(gradient * start, 3 * result)  # TensorFlow remembers the run
        assert "draws random numbers" in str(error_of(lambda: outer.gradient(gradient, start)))


def check_integers_that_do_not_repeat():
    """They have no derivatives: a function may count its calls."""
    from cuarray.interop.jax import call

    counter, x = itertools.count(), jnp.arange(3.0)
    f = call(lambda t: (t**3, torch.tensor(next(counter))), framework="torch")
    close(jax.grad(lambda x: f(x)[0].sum())(x), 3 * x**2)
    close(jax.hessian(lambda x: f(x)[0].sum())(x), jnp.diag(6 * x))
    runs = next(counter)
    gradient = jax.jit(jax.grad(lambda x: f(x)[0].sum()))
    gradient(x), gradient(x + 1)
    assert next(counter) - runs == 5  # two calls and their gradients; the first one of all alone was made twice


def check_results_that_are_numbers():
    from cuarray.interop.jax import call

    f = call(lambda t: (t * 2, 3.0), framework="torch")
    assert jax.grad(lambda x: sum(part.sum() for part in f(x)))(jnp.ones(2)).tolist() == [2, 2]


def check_state_is_kept_where_a_function_is_rehearsed():
    """Without out_spec a function runs with zeros first, of which no model knows."""
    rows = np.arange(12, dtype="f4").reshape(4, 3) ** 2
    expected, net = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3)
    expected(torch.tensor(rows))
    torch.manual_seed(1)
    state = torch.get_rng_state()
    wrap(net, source="jax", target="torch")(jnp.asarray(rows))
    assert all(map(torch.equal, net.buffers(), expected.buffers())), list(net.buffers())
    assert torch.equal(torch.get_rng_state(), state)
    inside = torch.nn.BatchNorm1d(3)  # a module that the function calls
    forms = [lambda x: inside(x), functools.partial(torch.nn.Module.__call__, inside), [inside].pop().__call__]
    for count, form in enumerate(forms, 1):
        f = wrap(form, source="jax", target="torch")
        f(jnp.asarray(rows))
        assert int(inside.num_batches_tracked) == 2 * count - 1
        jax.grad(lambda x, f=f: (f(x) ** 3).sum())(jnp.asarray(rows))
        assert int(inside.num_batches_tracked) == 2 * count
        if count == 1:
            first = expected.running_mean * 0.9 + expected.running_mean
            close(inside.running_mean, first)
    shapes = []
    wrap(lambda x: shapes.append(x.shape) or torch.dropout(x, 0.5, True), source="jax", target="torch")(
        jnp.asarray(rows)
    )
    torch.set_rng_state(state)
    torch.dropout(torch.tensor(rows), 0.5, True)
    once = torch.get_rng_state()
    torch.set_rng_state(state)
    wrap(lambda x: torch.dropout(x, 0.5, True), source="jax", target="torch")(jnp.asarray(rows))
    assert torch.equal(torch.get_rng_state(), once) and len(shapes) == 2
    expected, layer = (tf.keras.layers.BatchNormalization() for _ in range(2))
    model = tf.keras.Sequential([layer])
    model.build((None, 3))
    expected(rows, training=True)
    wrap(model, source="jax", target="tensorflow")(jnp.asarray(rows), training=True)
    close(layer.moving_mean, expected.moving_mean)


def check_state_of_tensorflow_inside_jax():
    """A second run for the gradients keeps a model's variables, and draws no other random numbers."""
    keras, x = tf.keras, jnp.arange(6.0).reshape(2, 3)

    def gradient(f):
        called = wrap(f, source="jax", target="tensorflow", out_spec=lambda x: x)
        return jax.grad(lambda x: (called(x) ** 2).sum())(x)

    class Model(keras.Model):
        def __init__(self, layer):
            super().__init__()
            self.layer = layer

        def call(self, x):
            return self.layer(x, training=True)

    expected, found = (Model(keras.layers.BatchNormalization()) for _ in range(2))
    expected(np.asarray(x))
    found.layer.build((None, 3))
    gradient(found)
    for one, other in zip(found.layer.non_trainable_variables, expected.layer.non_trainable_variables, strict=True):
        close(one, other)

    def call(self, x):
        self.calls.assign_add(1)
        return self.weight * x

    def start(self):
        tf.Module.__init__(self)
        self.calls, self.weight = tf.Variable(0.0, trainable=False), tf.Variable(2.0)

    for method in (call, tf.function(call)):
        counting = type("Counting", (tf.Module,), {"__init__": start, "__call__": method})()
        close(gradient(counting), 8 * x)
        assert float(counting.calls) == 1

    generator, drop = tf.random.Generator.from_seed(1), tf.function(lambda x: tf.nn.dropout(x, 0.5))
    for f in (drop, tf.function(lambda x: drop(x) + 1), lambda x: tf.nn.dropout(x, 0.5), Model(keras.layers.Dropout(0.5)),
              lambda x: x * generator.uniform(()), lambda x: x * tf.random.shuffle(x)):  # fmt: skip
        assert "draws random numbers" in str(error_of(lambda f=f: gradient(f)))
    gradient(lambda x: x * tf.random.stateless_uniform((), seed=(1, 2)))
    for f in (lambda x: found(x), lambda x: counting.calls.assign_add(1) * x, lambda x: counting(x)):
        assert "changes variables" in str(error_of(lambda f=f: gradient(f)))


def check_caches_are_emptied():
    def cached():
        return ca.memory.stats("cpu")["kinds"]["host"]["cached"]

    def body(x):
        seen.append((len(flushes), cached()))
        return x * 1

    flush = ca.memory.register_flush(lambda: flushes.append(1))
    try:
        for source, x in (("torch", torch.ones(3)), ("jax", jnp.ones(3)), ("numpy", np.ones(3))):
            for target in {"cuarray", "numpy", "torch"} - {source}:
                for trim in (True, False):
                    seen, flushes = [], []
                    ca.ones(1 << 22, device="cpu")
                    assert cached() > 1 << 24
                    wrap(body, source=source, target=target, trim=trim)(x)
                    # what the conversion of arguments keeps is little
                    assert all((count > 0, size < 1 << 20) == (trim, trim) for count, size in seen) and seen, seen
    finally:
        ca.memory.unregister_flush(flush)


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


def check_docstrings():
    assert doctest.testmod(cuarray.interop._wrapping).failed == 0


def check_missing_gradients():
    x = torch.ones(3, requires_grad=True)
    f = wrap(np.sin, source="torch", target="numpy")
    assert "give wrap a backward=" in str(error_of(f(x).sum().backward, RuntimeError))
    g = wrap(np.sin, source="jax", target="numpy")
    assert "has no gradient" in str(error_of(lambda: jax.grad(lambda x: g(x).sum())(jnp.ones(3)), TypeError))
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
    import dataclasses
    import doctest
    import functools
    import importlib.util
    import itertools

    import jax
    import jax.numpy as jnp
    import numpy as np
    import tensorflow as tf
    import torch
    import wrap_cases
    from wrap_cases import close

    import cuarray
    import cuarray as ca
    from cuarray.interop import wrap

    ca.set_default_device("cpu")
    peers.main(globals())
