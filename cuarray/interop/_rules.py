"""A function written for one framework, and its gradients, as functions of flat lists of cuarray's arrays.

`Rule` is one call of it. A framework is a module (or a namespace) with these functions:

- ``is_array(x)``: whether x is an array of the framework
- ``give(x)``: a cuarray array as an argument of a function of the framework, if possible over the same memory
- ``take(x)``: a result of such a function as a cuarray array
- ``make(x, like)``: a cuarray array for the framework's user, in the manner of the user's arrays `like`
- ``vjp(function, arrays, wanted)``: its results and a function of their gradients; frameworks with autodiff only
- ``lift(rule_of, args, keywords)``: a call of a rule as a differentiable operation; frameworks with autodiff only
- ``check(arrays, name)``, optional: raises if a function has changed its arguments
- ``repeated(fn, name)``, optional: a context for another run of a function, for its gradients
"""

import contextlib
import inspect
from types import SimpleNamespace

import numpy as np

import cuarray
from cuarray import _core
from cuarray.interop import _trees as trees


def is_differentiable(array):
    """Whether an array has a gradient: real and complex floating-point numbers have."""
    return np.dtype(array.dtype).kind not in "biu"


def contiguous(x):
    """Return an array, or a copy of it in C order. (ascontiguousarray makes one axis of none.)"""
    return x if x.flags.c_contiguous else x.copy()


def frozen(x):
    """Return a read-only view of an array, or a read-only copy of a 0-d result."""
    if not x.flags.writeable:
        return x
    view = cuarray.array(x) if _core.is_value(x) else x.view()
    view.flags.writeable = False
    return view


CUARRAY = SimpleNamespace(
    __name__="cuarray",
    is_array=lambda x: isinstance(x, (cuarray.ndarray, np.ndarray, np.generic)),
    give=frozen,
    take=cuarray.asarray,
    make=lambda x, like: x,
)
NUMPY = SimpleNamespace(
    __name__="numpy",
    is_array=lambda x: isinstance(x, (np.ndarray, np.generic)),
    give=lambda x: np.asarray(frozen(x)) if x.device.kind == "cpu" else x.numpy(),
    take=cuarray.asarray,
    make=lambda x, like: x.numpy(),
)


def nothing_kept(fn, name):
    """Stand for `repeated` of a framework without state."""
    return contextlib.nullcontext()


class ByPosition:
    """Moves arguments that are given by name to their positions, where a function's parameters allow it.

    Functions of gradients get and return one part for each positional argument, however it was given.
    """

    def __init__(self, fn):
        try:
            parameters = inspect.signature(fn).parameters.values()
        except (TypeError, ValueError):
            parameters = ()
        self.names = [x.name for x in parameters if x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD)]

    def __call__(self, args, keywords):
        if not keywords:
            return args, keywords
        args, keywords = list(args), dict(keywords)
        for name in self.names[len(args) :]:
            if name not in keywords:
                break
            args.append(keywords.pop(name))
        return tuple(args), keywords


def no_place(function, name):
    """Return the error for a gradient of an argument that is given by name alone."""
    return TypeError(f"{function}: there is no gradient of the keyword argument {name!r}; give it by position")


def one_per_argument(found, positional, function):
    """Return the tuple of gradients: what a function of the gradients returned, or that alone if it is the only one."""
    if len(positional) == 1:
        is_sequence = (isinstance(found, tuple) and (len(found) == 1 or not isinstance(positional[0], tuple))) or (
            isinstance(found, list) and len(found) == 1 and not isinstance(positional[0], list)
        )
        found = found if is_sequence else (found,)
    if not isinstance(found, (tuple, list)) or len(found) != len(positional):
        raise ValueError(f"{function} must return {len(positional)} gradients, one per argument, not {found!r}")
    return tuple(found)


class Rule:
    """One call of a function: its structure, its run, and the run of its gradients.

    Parameters
    ----------
    fn : callable
        A function of the framework's arrays.
    arguments : tuple
        A skeleton: the positional arguments and the dict of the others, with slots for the arrays.
    framework : module
        As above.
    backward : callable, optional
        ``backward(inputs, output, grad)`` in the framework's arrays: `inputs` are the positional arguments of `fn`,
        `output` is what it returned and `grad` the gradient with respect to it, with None for integers. It returns
        the gradient with respect to each input. Without it, gradients are the framework's own.
    name : str, optional
        The function's name in errors.
    """

    def __init__(self, fn, arguments, framework=CUARRAY, backward=None, name=None):
        self.fn, self.arguments, self.framework, self.backward = fn, arguments, framework, backward
        self.name = name or getattr(fn, "__name__", type(fn).__name__)
        self.result = None  #: the skeleton of the result, once it has run

    @property
    def has_tape(self):
        """Whether the framework remembers the run for the gradients."""
        return self.backward is None and hasattr(self.framework, "vjp")

    @property
    def has_gradient(self):
        return self.backward is not None or self.has_tape

    @property
    def has_derived(self):
        """Whether the framework can differentiate the gradients, too."""
        return self.has_tape and hasattr(self.framework, "zeros_like")

    def derived(self, wanted, known):
        """Return the rule of the gradients where it `has_derived`.

        Its arguments are the inputs, and the gradients with respect to the results that are `known`; its results are
        those with respect to the inputs that are `wanted`. Both are lists of bools.
        """
        count = len(wanted)

        def gradients(*given):
            inputs, ends = list(given[:count]), iter(given[count:])
            with self.repeated():
                _, pull = self.framework.vjp(self.call, inputs, wanted)
                found = pull([next(ends) if is_known else None for is_known in known])
            return tuple(
                self.framework.zeros_like(x) if g is None else g
                for g, x, is_wanted in zip(found, inputs, wanted, strict=True)
                if is_wanted
            )

        arguments = trees.arrays_alone(count + sum(known))
        return Rule(gradients, arguments, self.framework, name=f"the gradient of {self.name}")

    def repeated(self):
        """Return the context in which the function runs again, for its gradients."""
        return getattr(self.framework, "repeated", nothing_kept)(self.fn, self.name)

    def call(self, given):
        """Call the function with the framework's arrays; return its arrays."""
        args, keywords = trees.put_together(self.arguments, given)
        results, self.result = trees.take_apart(self.fn(*args, **keywords), self.framework.is_array)
        if not results:
            kind = self.framework.__name__.rpartition(".")[2]
            raise TypeError(f"{self.name}: the function must return arrays of {kind}, not {self.result!r}")
        if hasattr(self.framework, "check"):
            self.framework.check(given, self.name)
        return results

    def run(self, arrays):
        """Return the results of the function, on the device of the arguments."""
        return self.taken(self.call([self.framework.give(x) for x in arrays]), arrays)

    def taken(self, results, arrays):
        found = [self.framework.take(x) for x in results]
        return [x.to_device(arrays[0].device) for x in found] if arrays else found

    def linearize(self, arrays, wanted):
        """Return the results, and a function from their gradients to those of the arrays that are `wanted`."""
        given = [self.framework.give(x) for x in arrays]
        results, pull = self.framework.vjp(self.call, given, wanted)

        def pull_back(grads):
            found = pull([None if g is None else self.framework.give(g) for g in grads])
            taken = [None if g is None else self.framework.take(g) for g in found]
            return [self.fitted(g, x, i) for i, (g, x) in enumerate(zip(taken, arrays, strict=True))]

        return self.taken(results, arrays), pull_back

    def require_places(self, are_needed):
        """Raise where a gradient is needed that `backward` cannot return; `are_needed` has a bool for each array."""
        if self.backward is None:
            return
        for name, part in self.arguments[1].items():
            slots, _ = trees.take_apart(part, lambda x: isinstance(x, trees.Slot))
            if any(are_needed[slot.index] for slot in slots):
                raise no_place(self.name, name)

    def pull_back(self, inputs, outputs, grads):
        """Return the gradients with respect to the inputs, each None or an array of the input's shape and dtype."""
        if self.has_tape:
            with self.repeated():
                return self.linearize(inputs, [is_differentiable(x) for x in inputs])[1](grads)
        inputs_given, outputs_given, grads_given = (
            [None if x is None else self.framework.give(x) for x in part] for part in (inputs, outputs, grads)
        )
        args, _ = trees.put_together(self.arguments, inputs_given)
        output, grad = (trees.put_together(self.result, part) for part in (outputs_given, grads_given))
        found = self.backward(args, output, grad)
        flat = self.in_order(found, len(inputs))
        taken = [None if g is None else self.framework.take(g) for g in flat]
        return [self.fitted(g, x, i) for i, (g, x) in enumerate(zip(taken, inputs, strict=True))]

    def in_order(self, found, count):
        """Return what `backward` returned as a list, by the number of the array."""
        positional = self.arguments[0]
        found = one_per_argument(found, positional, f"{self.name}: backward")
        flat = trees.in_slots(positional, tuple(found), f"{self.name}: backward")
        return flat + [None] * (count - len(flat))  # arrays among the keyword arguments have no gradient

    def fitted(self, grad, like, index):
        """Return a gradient as an array of an input's dtype; ValueError if its shape is another."""
        if grad is None or not is_differentiable(like):
            return None
        if grad.shape != like.shape:
            raise ValueError(f"{self.name}: a gradient of shape {grad.shape} for array {index} of shape {like.shape}")
        if grad.dtype.kind == "c" and like.dtype.kind != "c":
            raise TypeError(f"{self.name}: a gradient of {grad.dtype} for array {index} of {like.dtype}; write .real")
        return grad.astype(like.dtype, copy=False).to_device(like.device)
