"""Derivatives, in forward and reverse mode, of functions that JAX cannot see into.

Such a function has a *push*, from the tangents of its arguments to those of its results, and a *pull*, its transpose.
Both are functions of JAX's arrays again: of inputs, outputs and those derivatives that there are. jax.custom_jvp loses
its rule inside of scan, and JAX's linear_call has no rule for vmap, so that two primitives stand here.
"""

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from cuarray.interop._rules import chosen, in_places, is_differentiable


def _evaluate(*args, run, **_):
    return run(*args)


def _primitive(name):
    primitive = Primitive(name)
    primitive.multiple_results = True
    primitive.def_impl(_evaluate)
    primitive.def_abstract_eval(lambda *_, spec, **__: spec)
    mlir.register_lowering(primitive, mlir.lower_fun(_evaluate, multiple_results=True))
    return primitive


#: `run(*args)`, whose results have the avals `spec`. `tangents_of(inputs, outputs, given, moved)` returns the tangents
#: of its float results, from those given of the inputs that are `moved`.
opaque_call = _primitive("cuarray_opaque_call")

#: The same of a function that is linear in all but the first `count` arguments, with `pull`, its transpose.
linear_call = _primitive("cuarray_linear_call")


def _is_there(tangent):
    return type(tangent) is not ad.Zero


def _batched(args, dims, spec):
    """Return a batch's size, the arguments with it in front, their axes, and the avals of the results."""
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    front = [x if d is None else jax.numpy.moveaxis(x, d, 0) for x, d in zip(args, dims, strict=True)]
    return size, front, [None if d is None else 0 for d in dims], tuple(x.update(shape=(size, *x.shape)) for x in spec)


def _differentiate(primals, tangents, *, tangents_of, **params):
    results = opaque_call.bind(*primals, tangents_of=tangents_of, **params)
    moved = tuple(map(_is_there, tangents))
    known = [is_differentiable(x) for x in results]
    found = in_places(tangents_of(primals, results, chosen(tangents, moved), moved) if any(known) else (), known)
    return results, [_no_tangent(x) if t is None else t for x, t in zip(results, found, strict=True)]


def _no_tangent(x):
    return ad.Zero(jax.core.ShapedArray(x.shape, jax.dtypes.float0))


def _batch(args, dims, *, run, tangents_of, spec):
    _, front, axes, spec = _batched(args, dims, spec)

    def tangents_of_batch(inputs, outputs, given, moved):
        def one(inputs, outputs, given):
            return tangents_of(inputs, outputs, given, moved)

        return jax.vmap(one, (axes, 0, chosen(axes, moved)))(list(inputs), list(outputs), given)

    results = opaque_call.bind(*front, run=jax.vmap(run, axes), tangents_of=tangents_of_batch, spec=spec)
    return results, [0] * len(results)


def _differentiate_linear(primals, tangents, *, run, count, **params):
    def linear(given):
        return linear_call.bind(*primals[:count], *map(ad.instantiate_zeros, given), run=run, count=count, **params)

    results = linear(primals[count:])
    moved = list(map(_is_there, tangents))
    if not any(moved[:count]):
        return results, linear(tangents[count:])

    def of_moved(*those):
        given = in_places(those, moved)
        return run(*(x if part is None else part for x, part in zip(primals, given, strict=True)))

    return results, jax.jvp(of_moved, chosen(primals, moved), chosen(tangents, moved))[1]


def _transpose(cotangents, *args, run, pull, count, spec):
    unknown = [ad.is_undefined_primal(x) for x in args]
    wanted = tuple(x.aval if ad.is_undefined_primal(x) else jax.typeof(x) for x in args[count:])
    ends = map(ad.instantiate_zeros, cotangents)
    found = linear_call.bind(*args[:count], *ends, run=pull, pull=run, count=count, spec=wanted)
    return [g if is_unknown else None for g, is_unknown in zip([None] * count + found, unknown, strict=True)]


def _batch_linear(args, dims, *, run, pull, count, spec):
    size, front, axes, batch_spec = _batched(args, dims, spec)
    axes = axes[:count]
    # With every tangent batched, so is every gradient.
    tangents = [
        jax.numpy.broadcast_to(x, (size, *x.shape)) if d is None else x
        for x, d in zip(front[count:], dims[count:], strict=True)
    ]
    results = linear_call.bind(
        *front[:count],
        *tangents,
        run=jax.vmap(run, (*axes, *[0] * len(tangents))),
        pull=jax.vmap(pull, (*axes, *[0] * len(spec))),
        count=count,
        spec=batch_spec,
    )
    return results, [0] * len(results)


ad.primitive_jvps[opaque_call] = _differentiate
batching.primitive_batchers[opaque_call] = _batch
ad.primitive_jvps[linear_call] = _differentiate_linear
ad.primitive_transposes[linear_call] = _transpose
batching.primitive_batchers[linear_call] = _batch_linear


def call(run, arrays, spec, derivatives):
    """Return ``run(*arrays)``, arrays like those of `spec`, with derivatives.

    ``derivatives(moved, known, spec)`` returns push and pull: `moved` has a bool for each argument, whether it has a
    tangent, `known` one for each result, and `spec` the avals of those that are known.
    """
    spec = tuple(jax.core.ShapedArray(x.shape, x.dtype) for x in spec)

    def tangents_of(inputs, outputs, given, moved):
        known = tuple(map(is_differentiable, outputs))
        wanted = tuple(chosen(spec, known))
        push, pull = derivatives(moved, known, wanted)
        count = len(inputs) + len(outputs)
        return linear_call.bind(*inputs, *outputs, *given, run=push, pull=pull, count=count, spec=wanted)

    return opaque_call.bind(*arrays, run=run, tangents_of=tangents_of, spec=spec)
