"""JAX's functions and transformations with arrays of ours in each position."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "jax", environment=(("JAX_PLATFORMS", "cpu"),))

UNARY = """abs arccos arcsin arcsinh arctan arctanh argmax argmin argsort cbrt ceil conj cos cosh cumprod cumsum deg2rad degrees
diff exp exp2 expm1 flip floor iscomplex isfinite isinf isnan log log10 log1p log2 max mean median min negative nonzero prod
ptp rad2deg radians ravel real reciprocal rint round sign signbit sin sinc sinh sort sqrt square std sum tan tanh trunc unique
var vander""".split()

BINARY = """add arctan2 array_equal convolve copysign cross divide divmod dot equal floor_divide float_power fmax fmin fmod greater
heaviside hypot inner isclose kron less logaddexp logical_and maximum minimum multiply nextafter not_equal outer polyval power
remainder searchsorted setdiff1d subtract union1d vdot append""".split()

LAX = """abs acos asin atan cbrt ceil cos cosh digamma erf erf_inv exp expm1 floor is_finite lgamma log log1p logistic neg rsqrt sign
sin sinh sqrt square tan tanh""".split()

LAX_BINARY = "add atan2 complex div eq ge gt le lt max min mul ne nextafter pow rem sub".split()

#: a and b are vectors of float32, m a matrix, k integers, p a mask, e an element; each in turn is ours, and all of them.
CALLS = """
jnp.where(p, a, b) | jnp.where(p, a, e) | jnp.clip(a, e, b) | jnp.concatenate([a, b]) | jnp.stack([a, b]) | jnp.einsum("i,ij->j", a, m)
jnp.matmul(m, a) | jnp.linalg.inv(m) | jnp.linalg.norm(a) | jnp.linalg.solve(m, a) | jnp.take(m, k, axis=0) | jnp.full((2, 2), e)
jnp.full_like(a, e) | jnp.tensordot(m, m) | jnp.transpose(m) | jnp.bincount(k, length=3) | jnp.fft.fft(a)
jnp.interp(a, J, b) | jnp.pad(a, 1) | jnp.tile(a, 2) | jnp.array([a, b]) | jnp.array([e, e]) | jnp.asarray(m)
jnp.take_along_axis(a, k, 0) | jnp.select([p], [a], e) | jnp.linspace(e, 1, 3) | jnp.average(a, weights=b) | jnp.add(a, e)
lax.dot(m, m) | lax.select(p, a, b) | lax.clamp(a * 0, b, a) | lax.reduce_max(m, (0,)) | lax.top_k(a, 2) | lax.sort(b) | lax.cumsum(a)
lax.concatenate([a, b], 0) | lax.dynamic_slice(m, (k[1], k[1]), (2, 2)) | lax.fori_loop(0, 3, lambda i, c: c * 2, a) | lax.rev(m, (0,))
lax.scan(lambda c, v: (c + v, c * v), e, a) | lax.cond(True, jnp.sin, jnp.cos, a) | lax.map(jnp.sin, m) | lax.while_loop(lambda c: c[0] < 9, lambda c: c + 1, a)
lax.associative_scan(jnp.add, a) | lax.stop_gradient(a) | lax.dynamic_update_slice(J, b, (0,)) | lax.switch(1, [jnp.sin, jnp.cos], a)
jax.jit(lambda x, y: x + y)(a, b) | jax.grad(lambda x: (x ** 2).sum())(a) | jax.value_and_grad(lambda x: jnp.dot(x, b))(a)
jax.vmap(jnp.dot, (0, None))(m, a) | jax.jvp(jnp.sin, (a,), (b,)) | jax.vjp(jnp.sin, a)[1](b) | jax.jacfwd(jnp.sin)(a)
jax.jacrev(jnp.sin)(a) | jax.hessian(lambda x: jnp.dot(x, x))(a) | jax.linearize(jnp.sin, a)[1](b) | jax.checkpoint(jnp.sin)(a)
jax.device_put(m) | jax.tree.map(jnp.sin, {"x": [a]}) | jax.jit(lambda t: t["x"] * 2)({"x": a}) | jax.jit(lambda x: x + b)(J)
jax.nn.softmax(a) | jax.nn.relu(a) | jax.nn.one_hot(k, 3) | jax.ops.segment_sum(a, k, 3) | jax.scipy.special.erf(a) | jax.scipy.special.logsumexp(a)
J + b | J - e | J * b | J / b | J // b | J % b | J ** b | J @ b | J == b | J < b | J >= e | J.at[1:].set(b[1:]) | J.at[0].add(e) | J.dot(b)
""".replace("\n", "|").split("|")


def operands():
    return {"a": cuarray.asarray([1.0, 2, 3], dtype="float32"), "b": cuarray.asarray([2.0, 0.5, 4], dtype="float32"),
            "m": cuarray.asarray([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]], dtype="float32"), "k": cuarray.asarray([2, 0, 1], dtype="int32"),
            "p": cuarray.asarray([True, False, True]), "e": cuarray.asarray([0.25, 1], dtype="float32")[0]}  # fmt: skip


def evaluated(call, values):
    return eval(call, {"jax": jax, "jnp": jnp, "lax": jax.lax, "J": jnp.asarray([3.0, 1, 2]), **values})


def calls():
    found = [call.strip() for call in CALLS if call.strip()]
    found += [f"jnp.{name}(a)" for name in UNARY] + [f"jnp.{name}(a, b)" for name in BINARY]
    found += [f"lax.{name}(a)" for name in LAX] + [f"lax.{name}(a, b)" for name in LAX_BINARY]
    return {call: sorted(set(re.findall(r"(?<![\w.\"'])[abmkpe](?![\w\"'])", call))) for call in found}


def same(found, expected):
    (found, structure), (expected, other) = jax.tree.flatten(found), jax.tree.flatten(expected)
    return structure == other and all(
        isinstance(x, jax.Array) == isinstance(y, jax.Array) and x.dtype == y.dtype and x.shape == y.shape and np.array_equal(x, y, equal_nan=True)
        if hasattr(y, "dtype") else x == y
        for x, y in zip(found, expected, strict=True)
    )  # fmt: skip


def check_every_function_takes_arrays_in_every_position():
    ours = operands()
    assert len(calls()) > 220
    faults = []
    for call, names in calls().items():
        theirs = {name: x.jax() for name, x in operands().items()}
        expected = evaluated(call, theirs)
        for some in [names, *([name] for name in names)] if names else []:
            try:
                found = evaluated(call, {**theirs, **{name: ours[name] for name in some}})
            except Exception as error:
                faults.append(f"{call} with {some}: {type(error).__name__}: {error}")
                continue
            if not same(found, expected):
                faults.append(f"{call} with {some}: {found} instead of {expected}")
    assert not faults, "\n".join(faults)
    assert all((x == y).all() for x, y in zip(ours.values(), operands().values(), strict=True)), (
        "an argument has changed"
    )


def check_types_and_layouts():
    """As of the same array of NumPy's: without jax_enable_x64, 64 bits are narrowed."""
    base = cuarray.arange(24).reshape(4, 6)
    functions = (
        jax.jit(lambda v: v + v),
        lambda v: jnp.stack([v, v]),
        jax.device_put,
        lambda v: jax.vmap(jnp.ravel)(v) if v.ndim else jnp.ravel(v),
    )
    for name in _core.dtype_names():
        for view in (base, base.T, base[::-1, ::2], base[:0], base[1], base[2, 3, ...]):
            x = view.astype(name, order="K")
            x.flags.writeable = name != "int8"
            assert same(x.jax(), jnp.asarray(np.asarray(x))), (name, view.shape)
            for function in functions:
                expected = function(np.asarray(x))
                for found in (function(x), function(x)):  # traced, and by the compiled dispatch
                    assert same(found, expected), (name, found, expected)


def check_memory_is_shared():
    x = cuarray.arange(1000, dtype="f4")
    assert jax.device_put(x).unsafe_buffer_pointer() == x.data_ptr()
    assert x.jax().unsafe_buffer_pointer() == x.data_ptr()
    donating = jax.jit(lambda v: v * 2, donate_argnums=0)
    for _ in range(3):
        assert donating(x)[1] == 2 and x[1] == 1, "JAX wrote its result into our memory"


def check_compiled_dispatch_takes_arrays():
    """After its first call, a jitted function asks no handler written in Python."""
    from jax._src import core

    x = cuarray.arange(4, dtype="f4")
    asked, handlers = [], core.pytype_aval_mappings
    kept = {kind: handlers[kind] for kind in handlers if issubclass(kind, cuarray.ndarray)}
    assert len(kept) > 3
    handlers.update({kind: lambda *args, f=f: asked.append(args) or f(*args) for kind, f in kept.items()})
    compiled = jax.jit(lambda t, k: t["a"][0] * k).lower({"a": [x]}, k=x[1]).compile()
    jitted = jax.jit(jnp.cbrt)
    calls = [lambda: jitted(x), lambda: jnp.sin(x), lambda: jnp.add(x, x[1]), lambda: compiled({"a": [x]}, k=x[1])]
    try:
        for call in calls:
            first = call()
            seen = len(asked)
            for _ in range(3):
                found = call()
                assert same(found, first) and found.committed == first.committed
            assert len(asked) == seen, call
        assert asked
    finally:
        handlers.update(kept)


def check_arguments_are_placed_as_numpys():
    """On the devices of the function, not on that of the memory."""
    code = """
import cuarray, jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
x, devices = cuarray.arange(8, dtype="f4", device="cpu"), jax.devices()
a, parts = np.asarray(x), NamedSharding(Mesh(np.array(devices), ("i",)), PartitionSpec("i"))
plain, sharded = jax.jit(lambda v: v * 2), jax.jit(lambda v: v * 2, in_shardings=parts)
for call in (plain, sharded, jax.pmap(lambda v: v * 2)):
    for device in (devices[0], devices[3]):
        with jax.default_device(device):
            for v, w in [(x, a), (x, a)] if call is not sharded or device is devices[0] else []:
                v, w = (v, w) if call in (plain, sharded) else (v.reshape(4, 2), w.reshape(4, 2))
                found, expected = call(v), call(w)
                assert found.sharding == expected.sharding and found.committed == expected.committed, (found, expected)
                assert (np.asarray(found) == np.asarray(expected)).all()
"""
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | flags)
    assert run.returncode == 0, run.stderr


def check_the_library_of_the_left_operand_computes():
    x, y = cuarray.arange(1, 4, dtype="f4"), jnp.ones(3)
    for mine in (x, x[1], x.mean()):
        for op in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
                   operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.matmul):  # fmt: skip
            if op is not operator.matmul or mine.ndim:
                assert isinstance(op(mine, y), cuarray.ndarray) and isinstance(op(y, mine), jax.Array), (op, mine)
                assert (
                    op(mine, y).tolist() == op(mine.jax(), y).tolist()
                    and op(y, mine).tolist() == op(y, mine.jax()).tolist()
                )
    assert type(np.add(x, y)) is type(np.add(y, x)) is type(cuarray.add(y, x)) is cuarray.ndarray
    assert isinstance(jnp.add(x, y), jax.Array) and isinstance(jnp.add(y, x), jax.Array)


def check_indices():
    """Arrays of ours index JAX's, as those of NumPy do."""
    y, places, mask = jnp.arange(12.0).reshape(3, 4), np.array([0, 2]), np.array([True, False, True])
    cases = {
        "integers": lambda xp: y[xp.asarray(places)],
        "pairs": lambda xp: y[xp.asarray(places), xp.asarray(places)],
        "negative strides": lambda xp: y[..., xp.asarray(places)[::-1]],
        "a mask": lambda xp: y[xp.asarray(mask)],
        "a mask and a slice": lambda xp: y[xp.asarray(mask), 1:],
        "an element": lambda xp: y[xp.asarray(places)[1]],
        "no axes": lambda xp: y[xp.asarray(1)],
        "none": lambda xp: y[xp.asarray(places[:0])],
        "at": lambda xp: y.at[xp.asarray(places)].set(0),
        "at a mask": lambda xp: y.at[xp.asarray(mask)].add(1),
        "traced": lambda xp: jax.jit(lambda v: v[xp.asarray(places)])(y),
    }
    for name, f in cases.items():
        mine, theirs = f(cuarray), f(np)
        assert isinstance(mine, jax.Array) and mine.tolist() == theirs.tolist(), (name, mine, theirs)
    assert isinstance(error_of(lambda: y[cuarray.ones(2)]), TypeError)


def check_the_order_of_imports():
    """Whichever library comes first, and whichever function is the first; asking for JAX does not import it."""
    first_calls = (
        "jax.grad(lambda v: v.sum())(x)",
        "jax.vmap(jnp.sin)(x)",
        "jax.lax.sin(x)",
        "jnp.sin(x)",
        "jax.device_put(x)",
    )
    imports = ("import cuarray, jax", "import jax, cuarray", "import importlib.util, cuarray; assert importlib.util.find_spec('jax').loader; import jax",
               "import cuarray; from jax import numpy; import jax", "import cuarray, cuarray.interop.jax, jax")  # fmt: skip
    for number, line in enumerate(imports):
        code = f"{line}\nimport sys\nimport jax.numpy as jnp\nx = cuarray.ones(3, 'f4', device='cpu')\nassert {first_calls[number]}.shape == (3,)\n"
        code += "assert len([f for f in sys.meta_path if type(f).__module__.startswith('cuarray')]) == 1"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.returncode == 0, f"{code}\n{run.stderr}"


def check_another_jax_says_what_to_write():
    for loss in ("del pxla.shard_arg_handlers", "jax.__version_info__ = (0, 5, 3)", "del dtypes.canonicalize_dtype"):
        code = f"""
import jax, jax.numpy as jnp
from jax._src import dtypes
from jax._src.interpreters import pxla
kept = vars(pxla).get("shard_arg_handlers"), dtypes.canonicalize_dtype
{loss}
import cuarray
pxla.shard_arg_handlers, dtypes.canonicalize_dtype = kept
x = cuarray.ones(3, "f4", device="cpu")
assert jnp.sin(x.jax()).shape == jnp.asarray(x).shape == (3,)
for call in (jnp.sin, jax.jit(lambda v: v), jax.grad(lambda v: v.sum()), jax.device_put):
    try:
        call(x)
    except ValueError as error:
        assert "x.jax()" in str(error), error
    else:
        raise AssertionError(call)
"""
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.returncode == 0, f"{loss}\n{run.stderr}"


def check_another_jax_without_short_ways():
    """Whatever is missing of what makes calls fast, they go the long way."""
    losses = ("del tree_util.dispatch_registry", "lib.jaxlib_extension_version = 466",
              "lib._jax.dlpack_managed_tensor_to_buffer = lambda capsule, device: capsule")  # fmt: skip
    for loss in losses:
        code = f"""
import jax, jax.numpy as jnp
from jax._src import lib, tree_util
module = lib._jax
kept = tree_util.dispatch_registry, lib.jaxlib_extension_version, module.dlpack_managed_tensor_to_buffer
{loss}
import cuarray
from cuarray._ndarray import jax_types
x = cuarray.ones(3, "f4", device="cpu")
make = jax_types.host_import()
tree_util.dispatch_registry, lib.jaxlib_extension_version, module.dlpack_managed_tensor_to_buffer = kept
assert (make is None) == ("466" in {loss!r}) and (make is None or (make(x) is None) == ("lambda" in {loss!r}))
for _ in range(2):
    assert jnp.sin(x).shape == x.jax().shape == (3,) and x.jax().unsafe_buffer_pointer() == x.data_ptr()
"""
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.returncode == 0, f"{loss}\n{run.stderr}"


def check_calls_do_not_leak():
    ours = operands()
    jitted = jax.jit(lambda x, y: x + y)
    some = [
        lambda: jnp.sin(ours["a"]),
        lambda: jitted(ours["a"], ours["b"]),
        lambda: jnp.ones(3) + ours["a"],
        lambda: jax.device_put(ours["m"]),
        ours["m"].jax,
    ]

    def round_of(count):
        for number in range(count):
            some[number % len(some)]().block_until_ready()
        gc.collect()
        return (
            cuarray.memory.stats("cpu")["current"],
            [sys.getrefcount(x) for x in ours.values()],
            len(gc.get_objects()),
        )

    first = round_of(200)
    last = round_of(2000)
    assert last[:2] == first[:2] and last[2] - first[2] < 20, (first, last)


def check_arguments_that_are_refused():
    assert isinstance(error_of(lambda: jnp.sin(cuarray.ones(3), cuarray.ones(3))), TypeError)


if __name__ == "__main__":
    import gc
    import operator
    import os
    import re
    import subprocess
    import sys

    import jax
    import jax.numpy as jnp
    import numpy as np

    import cuarray
    from cuarray import _core

    cuarray.set_default_device("cpu")
    peers.main(globals())
