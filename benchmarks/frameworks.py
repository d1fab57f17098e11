"""The measures of functions inside other frameworks."""

import time
from collections.abc import Iterator

import numpy as np
import peers
from measures import measure
from race import Result, race

import cuarray as ca

CALLS = 1000
SIZE = 100

#: Goals in seconds: what an argument of ours may cost more than the library's own, what a step may add to a function.
IN_TORCH, IN_JAX, IN_NUMBA, IN_TORCH_STEP = 2e-6, 3e-6, 200e-9, 45e-6


@measure()
def functions_in_torch() -> Iterator[Result]:
    """Functions of 100 float64 by `interop.torch.wrap`, sin against an autograd.Function on NumPy's; CPU time."""
    torch = peers.optional("torch")
    if not torch:
        return
    from cuarray.interop.torch import wrap

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.from_numpy(np.sin(x.detach().numpy()))

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return torch.from_numpy(grad.numpy() * np.cos(x.detach().numpy()))

    ours = wrap(ca.sin, backward=lambda inputs, output, grad: grad * ca.cos(inputs[0]))
    x = torch.linspace(0, 1, SIZE, dtype=torch.float64)
    leaf, end = x.clone().requires_grad_(), torch.ones_like(x)
    steps = {
        "forward": lambda function: function(x),
        "forward, recorded": lambda function: function(leaf),
        "with backward": lambda function: function(leaf).backward(end),
    }
    for name, step in steps.items():
        best = race(
            1.0, time.process_time, ours=lambda step=step: step(ours), plain=lambda step=step: step(Plain.apply)
        )
        yield Result(f"sin of {SIZE} in torch, {name}", best["ours"], best["plain"], "autograd.Function", 1 / 1.3)

    def draw(place):
        return ca.exp(-8.0 * (place - 0.5) ** 2) * ca.cos(40.0 * place)

    def gradient(inputs, output, grad):
        (place,) = inputs
        return grad * (-16.0 * (place - 0.5) * output - 40.0 * ca.exp(-8.0 * (place - 0.5) ** 2) * ca.sin(40.0 * place))

    inside, place, ends = wrap(draw, backward=gradient), ca.asarray(x), ca.asarray(end)
    best = race(
        1.0,
        time.process_time,
        inside=lambda: inside(leaf).backward(end),
        alone=lambda: gradient((place,), draw(place), ends),
    )
    yield Result(
        "what torch adds to a step of a renderer",
        best["inside"] - best["alone"],
        IN_TORCH_STEP,
        "goal",
        1.0,
        note=f"of {best['alone'] * 1e6:.0f} us",
    )


def cost_of_argument(function, ours, theirs):
    """Return the seconds that an argument of ours costs more than another; CPU time."""
    best = race(1.0, time.process_time, ours=lambda: function(ours), theirs=lambda: function(theirs))
    return best["ours"] - best["theirs"]


@measure()
def arguments_elsewhere() -> Iterator[Result]:
    """An argument of 100 elements on cpu in functions of PyTorch, JAX and Numba, over one of their own; CPU time."""
    x = ca.linspace(0, 1, SIZE, dtype="float32")
    if torch := peers.optional("torch"):
        yield Result("argument of torch.sin", cost_of_argument(torch.sin, x, x.torch()), IN_TORCH, "goal", 1.0)
    if jax := peers.optional("jax"):
        add, values = jax.jit(lambda v: v + 1), np.asarray(x)
        yield Result("argument of a jitted function", cost_of_argument(add, x, x.jax()), IN_JAX, "goal", 1.0)
        best = race(1.0, time.process_time, ours=x.jax, numpy=lambda: jax.numpy.asarray(values))
        yield Result("x.jax()", best["ours"], best["numpy"], "jnp.asarray(numpy array)", 1.0)
    if numba := peers.optional("numba"):
        nothing = numba.njit(lambda v: 1.0)
        yield Result("argument of numba.njit", cost_of_argument(nothing, x, 3.0), IN_NUMBA, "goal", 1.0)


@measure()
def calls_in_jax() -> Iterator[Result]:
    """A trivial function of 8 float32 in a jitted loop of JAX: `interop.jax.call` against `jax.pure_callback`."""
    jax = peers.optional("jax")
    if not jax:
        return
    from cuarray.interop.jax import call

    x = jax.numpy.ones(8, "float32")
    ours = call(lambda x, out: ca.add(x, 1, out=out), lambda x: x)

    def looped(function):
        loop = jax.jit(lambda x: jax.lax.fori_loop(0, CALLS, lambda _, y: function(y), x))
        return lambda: loop(x).block_until_ready()

    best = race(
        1.0,
        call=looped(ours),
        pure_callback=looped(lambda x: jax.pure_callback(lambda x: np.asarray(x) + 1, x, x)),
    )
    yield Result(
        "x + 1 in a jitted loop", best["call"] / CALLS, best["pure_callback"] / CALLS, "jax.pure_callback", 10.0
    )
