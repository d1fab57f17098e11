"""What a function of TensorFlow's changes beside its results: variables, and the states of random numbers."""

import contextlib
import functools
import re

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import op_callbacks, op_def_registry

from cuarray.interop._rules import draws_random_numbers

#: Names of stateful operations: those that write to a variable, and those that draw random numbers.
_ASSIGNS = re.compile("Assign|Resource(Apply|Scatter|SparseApply)")
_DRAWS = re.compile("Random|Normal|Uniform|Multinomial|Rng|NonDeterministic|CandidateSampler|DistortedBoundingBox")


@functools.cache
def _is_stateful(name):
    found = op_def_registry.get(name)
    return found is not None and found.is_stateful


def _operations(name):
    """Return the names of the operations inside of one: itself, or what a tf.function is made of."""
    found, waiting, known = set(), [name], context.context()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if known.has_function(name):
            for node in known.get_function_def(name).node_def:
                waiting += [node.op, *(value.func.name for value in node.attr.values() if value.HasField("func"))]
    return found


class Effects:
    """What eager operations have done: whether they drew random numbers, and the handles of variables written to."""

    def __init__(self):
        self.draws, self.handles, self.others, self.known = False, [], [], {}

    def __call__(self, name, inputs, _attrs, _outputs, op_name=None, graph=None):
        if graph is not None:  # a function is traced; its call follows
            return
        name = name.decode() if isinstance(name, bytes) else name
        if name not in self.known:
            names = [x for x in _operations(name) if _is_stateful(x)]
            self.known[name] = any(map(_DRAWS.search, names)), any(map(_ASSIGNS.search, names))
        draws, assigns = self.known[name]
        self.draws |= draws
        if assigns:
            self.handles += [x for x in inputs if x.dtype == tf.resource]


@contextlib.contextmanager
def _watched(fn):
    """Watch the run of a function, after which the variables of a model have their values again.

    It gives the effects, which have in `others` the handles of variables that are not the model's after the run.
    """
    variables = [x if isinstance(x, tf.Variable) else x.value for x in getattr(fn, "variables", ())]  # or Keras's
    kept = [(x, tf.convert_to_tensor(x)) for x in variables]
    effects = Effects()
    op_callbacks.add_op_callback(effects)
    try:
        yield effects
    finally:
        op_callbacks.remove_op_callback(effects)
        for variable, value in kept:
            if any(variable.handle is handle for handle in effects.handles):
                variable.assign(value)
        effects.others = [x for x in effects.handles if all(x is not variable.handle for variable in variables)]


def forgotten(fn):
    """Run a function without lasting effects on the variables of a model."""
    return _watched(fn)


@contextlib.contextmanager
def repeated(fn, name):
    """Do the same with a function that runs again, for its gradients: random numbers and other changes are refused."""
    with _watched(fn) as effects:
        yield
    if effects.draws:
        raise RuntimeError(draws_random_numbers(name))
    if effects.others:
        raise RuntimeError(
            f"{name}: it changes variables, and runs again for the gradients, which would change them twice; wrap the "
            "model itself, whose state is kept, or change them outside"
        )
