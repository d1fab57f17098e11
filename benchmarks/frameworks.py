"""The measures of functions inside other frameworks."""

from collections.abc import Iterator

import numpy as np
import peers
from measures import measure
from race import Result, race

import cuarray as ca

CALLS = 1000


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

    time = race(
        1.0,
        call=looped(ours),
        pure_callback=looped(lambda x: jax.pure_callback(lambda x: np.asarray(x) + 1, x, x)),
    )
    yield Result(
        "x + 1 in a jitted loop", time["call"] / CALLS, time["pure_callback"] / CALLS, "jax.pure_callback", 10.0
    )
