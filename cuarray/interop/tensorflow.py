"""TensorFlow, for `cuarray.interop.wrap`: immutable tensors, and gradients of tf.GradientTape."""

import cuarray
from cuarray import _core
from cuarray.interop import _trees as trees
from cuarray.interop._rules import chosen, contiguous, in_places, is_differentiable, nothing_kept, unchecked

try:
    import tensorflow as tf
except ImportError as error:
    raise ImportError("this needs TensorFlow: pip install tensorflow, or tensorflow-cpu") from error
from tensorflow.python.eager.forwardprop_util import pack_tangents
from tensorflow.python.eager.record import should_record_backprop

from cuarray.interop._tensorflow_state import forgotten as forgotten
from cuarray.interop._tensorflow_state import repeated as repeated

__all__ = ["give", "is_array", "lifted", "make", "take", "vjp"]


def is_array(x):
    return isinstance(x, (tf.Tensor, tf.Variable))


def take(x):
    """Return a read-only cuarray array over the memory of a tensor; a copy of a variable's value."""
    return cuarray.from_dlpack(tf.identity(x) if isinstance(x, tf.Variable) else x)


#: TensorFlow ends the process for tensors whose address is not a multiple of it.
_ALIGNMENT = 64


def _address(x):
    if x.device.kind != "cpu":
        return x.__cuda_array_interface__["data"][0]
    bits = x.view("uint16") if x.dtype.itemsize == 2 else x  # bfloat16 has no interface
    return bits.__array_interface__["data"][0]


def give(x):
    """Return a tensor over the memory of an array; a copy of one that is read-only, not contiguous or not aligned.

    TensorFlow's stream is not known: the work on the array is waited for.
    """
    if x.device.kind != "cpu" and x.device.index >= (count := len(tf.config.list_logical_devices("GPU"))):
        # TensorFlow would free the capsule's tensor, and leave the capsule to free it again.
        raise ValueError(
            f"tf: the array is on {x.device}, and TensorFlow has {count} GPUs; write x.to_device('cpu').tf()"
        )
    x = contiguous(x)
    if _address(x) % _ALIGNMENT:
        x = cuarray.array(x)  # a copy of a 0-d result would be one, whose address is any
    cuarray.current_stream(x.device).synchronize()
    return tf.experimental.dlpack.from_dlpack(x.__dlpack__())


def make(x, _like=None):
    """Return a tensor over the memory of a result, which is read-only from then on: tensors are immutable."""
    if _core.is_value(x):
        x = cuarray.array(x)
    tensor = give(x)
    if x.flags.writeable:
        x.flags.writeable = False
    return tensor


def vjp(function, tensors, wanted):
    """Return the results of a function, and the function of their gradients by tf.GradientTape."""
    leaves = chosen(tensors, wanted)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(leaves)
        results = function(tensors)

    def pull_back(grads):
        pairs = [(out, g) for out, g in zip(results, grads, strict=True) if g is not None]
        found = [None] * len(leaves)
        if pairs and leaves:
            outputs, ends = zip(*pairs, strict=True)
            found = tape.gradient(list(outputs), leaves, list(ends))
        found = in_places(found, wanted)
        return [tf.convert_to_tensor(g) if isinstance(g, tf.IndexedSlices) else g for g in found]

    return results, pull_back


zeros_like = tf.zeros_like
check, untaped = unchecked, nothing_kept


def _gradients(rule, pull, push, tensors, ends, known):
    """Return what `pull(ends)` does, the gradients of a rule or None, as tensors with gradients of their own.

    `known` has a bool for each of the `ends`, the gradients of the results: whether there is one. `push` is the
    transpose of `pull`: TensorFlow's derivatives in forward mode are gradients of gradients with respect to the ends.
    """
    wanted, are_taped = [], should_record_backprop(tensors)

    @tf.custom_gradient
    def run(*given):
        found = pull(given[len(tensors) :])
        wanted[:] = [g is not None for g in found]

        def again(*ends_of_gradients):
            if not rule.has_derived:
                if are_taped:  # a tape would take the gradients for constants
                    rule.require_derived()
                rule.require_tangent()
                return [None] * len(tensors) + push(in_places(ends_of_gradients, wanted))
            is_used = [True] * len(tensors) + known
            results, gradient = _linearized(rule.derived(wanted, known), chosen(given, is_used))
            rule.require_same(map(take, results), chosen(found, wanted))
            return in_places(gradient(*ends_of_gradients), is_used)

        return [make(g) for g in chosen(found, wanted)], again

    return in_places(run(*tensors, *ends), wanted)


def _linearized(rule, tensors):
    """Return the results of a rule, and the function of their gradients, both as tf.custom_gradient takes them."""
    arrays = [take(t) for t in tensors]
    outputs, pull, push = rule.linearize(arrays, [is_differentiable(x) for x in arrays])
    known = [is_differentiable(x) for x in outputs]

    def pull_back(ends):
        return pull([take(end) if is_known else None for end, is_known in zip(ends, known, strict=True)])

    def push_forward(tangents):
        return [None if t is None else make(t) for t in push([None if t is None else take(t) for t in tangents])]

    def gradient(*ends):
        rule.require_gradient()
        return _gradients(rule, pull_back, push_forward, tensors, ends, known)

    return [make(x) for x in outputs], gradient


def _differentiable(rule, tensors):
    """Run a rule as a differentiable operation of eager TensorFlow; return its results."""
    moved = [isinstance(t, tf.Tensor) and bool(pack_tangents([t]).tangents) for t in tensors]
    if any(moved):
        rule.require_tangent()
        rule.require_places(moved)
    return tf.custom_gradient(lambda *tensors: _linearized(rule, tensors))(*tensors)


def _require_specs(rule, results, specs):
    """Raise if the results are not what out_spec says."""
    if len(results) != len(specs):
        raise ValueError(f"{rule.name}: {len(results)} results; out_spec says {len(specs)}")
    for result, spec in zip(results, specs, strict=True):
        if result.dtype != spec.dtype:
            raise TypeError(f"{rule.name}: a result of {result.dtype.name}; out_spec says {spec.dtype.name}")
        if not spec.shape.is_compatible_with(result.shape):
            raise ValueError(f"{rule.name}: a result of shape {tuple(result.shape)}; out_spec says {spec.shape}")


def lifted(rule_of, out_spec):
    """Return the call of a rule as an operation of TensorFlow's."""
    specs, places = (
        (None, None) if out_spec is None else trees.take_apart(out_spec, lambda x: isinstance(x, tf.TensorSpec))
    )

    def lift(args, keywords):
        tensors, skeleton = trees.take_arguments_apart(args, keywords, is_array)
        rule = rule_of(skeleton)
        if tf.executing_eagerly():
            results = _differentiable(rule, tensors)
            if specs:
                _require_specs(rule, results, specs)
            return trees.put_together(rule.result, results)
        if not specs:
            given = "" if out_spec is None else f", not {out_spec!r}"
            text = "inside of tf.function wrap needs out_spec=, a tf.TensorSpec for each result"
            raise TypeError(f"{rule.name}: {text}{given}")

        def run(*given):
            results = _differentiable(rule, given)
            _require_specs(rule, results, specs)
            return results

        results = tf.py_function(run, tensors, [spec.dtype for spec in specs])
        for result, spec in zip(results, specs, strict=True):
            result.set_shape(spec.shape)
        return trees.put_together(places, results)

    return lift


def __dir__() -> list[str]:
    return sorted(__all__)
