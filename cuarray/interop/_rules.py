"""A function written for one framework, and its gradients, as functions of flat lists of cuarray's arrays.

`Rule` is one call of it. A framework is a module (or a namespace) with these functions:

- ``is_array(x)``: whether x is an array of the framework
- ``give(x)``: a cuarray array as an argument of a function of the framework, if possible over the same memory
- ``take(x)``: a result of such a function as a cuarray array
- ``make(x, like)``: a cuarray array for the framework's user, in the manner of the user's arrays `like`
- ``vjp(function, arrays, wanted)``: its results and `pull`, the function of their gradients; frameworks with autodiff
  only. `pull.push`, optional, is the function of the arrays' tangents; without it, it is the transpose of `pull`.
- ``zeros_like(x)``: frameworks only whose `pull` can be differentiated
- ``lift(rule_of, args, keywords)``: a call of a rule as a differentiable operation; frameworks with autodiff only
- ``check(arrays, name)``: raises if a function has changed its arguments; `unchecked` where they cannot be
- ``untaped()``: a context in which nothing is remembered for gradients
- ``forgotten(fn)``: a context for a run of a function that has no lasting effects
- ``repeated(fn, name)``: a context for another run of a function, for its gradients; as `untaped` it is `nothing_kept`
  where there is no state
"""

import contextlib
import inspect
import reprlib
from functools import partial
from types import SimpleNamespace

import numpy as np

import cuarray
from cuarray import _core
from cuarray.interop import _trees as trees


def is_differentiable(array):
    """Whether an array has a gradient: real and complex floating-point numbers have."""
    return array.dtype.kind not in "biu"


def contiguous(x):
    """Return an array, or a copy of it in C order. (ascontiguousarray makes one axis of none.)"""
    return x if x.flags.c_contiguous else x.copy()


_NOTHING = contextlib.nullcontext()


def nothing_kept(*_):
    """Stand for `forgotten`, `repeated` and `untaped` of a framework without state."""
    return _NOTHING


def draws_random_numbers(name):
    """Return the text of the error for a function that cannot run again."""
    return (
        f"{name}: it draws random numbers, or keeps state, and runs again for the gradients, which would be those of "
        "others; draw them outside and pass them"
    )


def are_close(x, y):
    """Whether two results are equal, or differ by sums in another order."""
    x = x if x.dtype == y.dtype else x.astype(y.dtype)
    if not x.size or cuarray.array_equal(x, y, equal_nan=True):
        return True
    rtol, atol = 1e-3, 0.0
    if is_differentiable(y):
        finite = abs(y[cuarray.isfinite(y)])
        rtol = max(rtol, 8 * float(cuarray.finfo(y.dtype).eps))
        atol = 1e-6 * float(finite.max()) if finite.size else 0.0
    return bool(cuarray.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True))


def unchecked(*_):
    """Stand for `check` of a framework whose arguments are read-only."""


CUARRAY = SimpleNamespace(
    __name__="cuarray",
    is_array=lambda x: isinstance(x, (cuarray.ndarray, np.ndarray, np.generic)),
    give=_core.frozen,
    take=cuarray.asarray,
    make=lambda x, like: x,
    check=unchecked,
    untaped=nothing_kept,
    forgotten=nothing_kept,
    repeated=nothing_kept,
)
NUMPY = SimpleNamespace(
    __name__="numpy",
    is_array=lambda x: isinstance(x, (np.ndarray, np.generic)),
    give=lambda x: np.asarray(_core.frozen(x)) if x.device.kind == "cpu" else x.numpy(),
    take=cuarray.asarray,
    make=lambda x, like: x.numpy(),
    check=unchecked,
    untaped=nothing_kept,
    forgotten=nothing_kept,
    repeated=nothing_kept,
)


def free_unused_memory():
    """Empty the caches of memory: of cuarray's current device and cpu, and of other libraries."""
    cuarray.memory.trim("cpu")
    cuarray.memory.trim()
    cuarray.memory.flush_peers()


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


def accepted(function, keywords):
    """Return those of a call's keyword arguments that a function of its derivatives has parameters for."""
    if not keywords:
        return {}
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin
        return {}
    if any(x.kind is x.VAR_KEYWORD for x in parameters):
        return dict(keywords)
    names = [x.name for x in parameters if x.kind is x.KEYWORD_ONLY]
    return {name: keywords[name] for name in names if name in keywords}


def require_accepted(keywords, functions, name, is_needed):
    """Raise where a derivative is needed by a keyword argument that one of the functions given has no parameter for."""
    for keyword, part in keywords.items():
        if is_needed(part) and not all(accepted(f, {keyword: part}) for f in functions if f is not None):
            raise TypeError(
                f"{name}: there is no derivative by the keyword argument {keyword!r}; give it by position, or write "
                f"backward, vjp and jvp with a parameter *, {keyword}"
            )


def parts_by_name(found, positional, taken, function):
    """Return what a function of the gradients returned by position, and the dict by name that may follow."""
    if taken and isinstance(found, dict) and not positional:
        found = (found,)
    is_pair = isinstance(found, (tuple, list)) and len(found) == len(positional) + 1 and isinstance(found[-1], dict)
    if not (taken and is_pair):
        return found, {}
    if unknown := found[-1].keys() - taken.keys():
        raise ValueError(f"{function} returned gradients of {sorted(unknown)}, which it was not given by name")
    return tuple(found[:-1]), found[-1]


def chosen(parts, are_wanted):
    """Return the parts that are wanted."""
    return [part for part, is_wanted in zip(parts, are_wanted, strict=True) if is_wanted]


def in_places(parts, are_here):
    """Return a list with the next of `parts` where one is, and None elsewhere."""
    rest = iter(parts)
    return [next(rest) if is_here else None for is_here in are_here]


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
        the gradient with respect to each input. Without it and `jvp`, gradients are the framework's own.
    jvp : callable, optional
        ``jvp(inputs, output, tangents)`` in the same way: `tangents` has the structure of `inputs`. It returns the
        tangent of `output`, in its structure. Without it and `backward`, tangents are the framework's own.
    name : str, optional
        The function's name in errors.
    trim : bool
        Whether each run frees unused memory first, cuarray's and that of other libraries.
    """

    def __init__(self, fn, arguments, framework=CUARRAY, backward=None, jvp=None, name=None, trim=False):
        self.fn, self.arguments, self.framework, self.backward, self.jvp = fn, arguments, framework, backward, jvp
        self.name = name or getattr(fn, "__name__", type(fn).__name__)
        self.trim = trim
        self.result = None  #: the skeleton of the result, once it has run
        #: Whether the framework remembers the run for the gradients.
        self.has_tape = backward is None and jvp is None and hasattr(framework, "vjp")
        #: Not empty once derivatives were found to be the same twice; all calls of the function have this list.
        self.has_repeated = []
        #: Whether the function takes cuarray's arrays alone, by position: nothing is converted.
        self.is_direct = self.may_be_direct(arguments)
        #: The arguments of the latest call where those are arrays alone, and what a rule of them holds.
        self.latest = None, {}

    def may_be_direct(self, arguments):
        count = len(arguments[0])
        return self.framework is CUARRAY and not self.trim and count > 0 and arguments is trees.arrays_alone(count)

    def called_with(self, arguments):
        """Return the rule of another call of the function, not run yet; faster than a new one."""
        latest, parts = self.latest
        if latest is not arguments:
            parts = {**self.__dict__, "arguments": arguments, "is_direct": self.may_be_direct(arguments)}
            parts["latest"] = None, {}  # or each call would keep those before it
            if parts["is_direct"]:  # others may hold objects of the program
                self.latest = arguments, parts
        rule = object.__new__(Rule)
        rule.__dict__ = parts.copy()
        return rule

    @property
    def has_gradient(self):
        return self.backward is not None or self.has_tape

    @property
    def has_tangent(self):
        return self.jvp is not None or self.has_tape

    def require_gradient(self):
        if self.backward is None and not self.has_tape:
            raise RuntimeError(f"{self.name} has no gradient: give wrap a backward=")

    def require_tangent(self):
        if self.jvp is None and not self.has_tape:
            raise RuntimeError(f"{self.name} has no derivative in forward mode: give wrap a jvp=")

    @property
    def has_derived(self):
        """Whether the framework can differentiate the derivatives, too."""
        return self.has_tape and hasattr(self.framework, "zeros_like")

    def require_derived(self):
        if self.has_tape and not self.has_derived:
            kind = self.framework.__name__.rpartition(".")[2]
            raise NotImplementedError(
                f"{self.name}: {kind} has no gradients of gradients, nor other second derivatives"
            )
        if not self.has_derived:
            raise NotImplementedError(
                f"{self.name}: gradients of gradients, and other second derivatives, are not available: "
                "its backward and jvp run outside of autodiff"
            )

    def derived(self, wanted, known, compared=0):
        """Return the rule of the gradients.

        Its arguments are the inputs, as many as `compared` of the first run's outputs, all or none, and the gradients
        with respect to the results that are `known`; its results are those with respect to the inputs that are
        `wanted`. Both are lists of bools.
        """
        self.require_derived()

        def gradients(*given):
            inputs, outputs, ends = self.parts(given, len(wanted), compared)

            def run():
                results, pull = self.framework.vjp(self.call, inputs, wanted)
                return results, pull(in_places(ends, known))

            return self.filled(self.found_again(run, outputs, self.framework.take), inputs, wanted)

        arguments = trees.arrays_alone(len(wanted) + compared + sum(known))
        return Rule(gradients, arguments, self.framework, name=f"the gradient of {self.name}")

    def pushed(self, moved, known, compared=0):
        """Return the rule of the tangents.

        Its arguments are the inputs, outputs as above, and the tangents of the inputs that are `moved`; its results
        are those of the results that are `known`. Both are lists of bools.
        """
        self.require_derived()

        def tangents(*given):
            inputs, outputs, starts = self.parts(given, len(moved), compared)

            def run():
                results, pull = self.framework.vjp(self.call, inputs, moved)
                found = self.push(pull, results, in_places(starts, moved), known)
                return results, self.filled(found, results, known)

            return self.found_again(run, outputs, self.framework.take)

        arguments = trees.arrays_alone(len(moved) + compared + sum(moved))
        return Rule(tangents, arguments, self.framework, name=f"the tangent of {self.name}")

    def parts(self, given, count, compared):
        """Return the arguments of a derivative as inputs, outputs and derivatives."""
        return list(given[:count]), given[count : count + compared], given[count + compared :]

    def filled(self, found, like, wanted):
        """Return the derivatives that are wanted, zeros for those that there are not."""
        pairs = chosen(zip(found, like, strict=True), wanted)
        return tuple(self.framework.zeros_like(x) if part is None else part for part, x in pairs)

    def push(self, pull, results, tangents, known):
        """Return the tangents of the results that are `known` from those of the inputs, None for no tangent.

        `pull` is linear, and its transpose, which is its own gradient, is the function of the tangents.
        """
        if hasattr(pull, "push"):
            return pull.push(tangents)
        moved = [t is not None for t in tangents]
        is_used = []

        def gradients(ends):
            found = chosen(pull(in_places(ends, known)), moved)
            is_used[:] = [g is not None for g in found]
            return chosen(found, is_used)

        ends = [self.framework.zeros_like(x) for x in chosen(results, known)]
        _, transpose = self.framework.vjp(gradients, ends, [True] * len(ends))
        return in_places(transpose(chosen(chosen(tangents, moved), is_used)), known)

    def repeated(self):
        """Return the context in which the function runs again, for its gradients."""
        return self.framework.repeated(self.fn, self.name)

    def call(self, given):
        """Call the function with the framework's arrays; return its arrays."""
        if self.trim:
            free_unused_memory()
        args, keywords = trees.put_together(self.arguments, given)
        return self.arrays_of(self.fn(*args, **keywords), given)

    def arrays_of(self, result, given):
        results, self.result = trees.take_apart(result, self.framework.is_array)
        if not results:
            kind = self.framework.__name__.rpartition(".")[2]
            hint = "" if given else "; none of its arguments is an array of the `source`"
            raise TypeError(
                f"{self.name}: the function must return arrays of {kind}, not {reprlib.repr(self.result)}{hint}"
            )
        self.framework.check(given, self.name)
        return results

    def run(self, arrays):
        """Return the results of the function, on the device of the arguments."""
        with self.framework.untaped():
            return self.taken(self.call(self.given(arrays)), arrays)

    def taken(self, results, arrays):
        found = [self.framework.take(x) for x in results]
        return [x.to_device(arrays[0].device) for x in found] if arrays else found

    def linearize(self, arrays, wanted):
        """Return the results and two functions: from their gradients to those of the arrays that are `wanted`, and from
        the tangents of these to theirs.
        """
        if not self.has_tape:
            outputs = self.run(arrays)
            return outputs, partial(self.pull_back, arrays, outputs), partial(self.push_forward, arrays, outputs)
        with self.framework.untaped():
            results, pull = self.framework.vjp(self.call, self.given(arrays), wanted)
            outputs = self.taken(results, arrays)
        known = [is_differentiable(x) for x in outputs]

        def pull_back(grads):
            with self.framework.untaped():
                return self.fitted(pull(self.given(grads)), arrays, "gradient")

        def push_forward(tangents):
            with self.framework.untaped():
                return self.fitted(self.push(pull, results, self.given(tangents), known), outputs, "tangent")

        return outputs, pull_back, push_forward

    def given(self, arrays):
        give = self.framework.give
        return [None if x is None else give(x) for x in arrays]

    def require_places(self, are_needed):
        """Raise where a derivative is needed that the functions given have no place for; a bool for each array."""
        if self.has_tape or not self.arguments[1]:
            return

        def is_needed(part):
            slots, _ = trees.take_apart(part, lambda x: isinstance(x, trees.Slot))
            return any(are_needed[slot.index] for slot in slots)

        require_accepted(self.arguments[1], (self.backward, self.jvp), self.name, is_needed)

    def pull_back(self, inputs, outputs, grads):
        """Return the gradients with respect to the inputs, each None or an array of the input's shape and dtype."""
        if self.has_tape:

            def run():
                results, pull, _ = self.linearize(inputs, [is_differentiable(x) for x in inputs])
                return results, pull(grads)

            return self.found_again(run, outputs)
        args, keywords = trees.put_together(self.arguments, self.given(inputs))
        output = trees.put_together(self.result, self.given(outputs))
        grad = trees.put_together(self.result, self.given(grads))
        found = self.backward(args, output, grad, **accepted(self.backward, keywords))
        return self.fitted(self.in_order(found, len(inputs)), inputs, "gradient")

    def found_again(self, run, outputs, take=cuarray.asarray):
        """Return the derivatives of `run()`, which returns the results, too: those of the first run, the `outputs`.

        Results may be equal where random numbers are not, as those times zero: so derivatives are made twice, until
        they were once the same and not zero. Without `outputs` nothing is compared.
        """
        with self.repeated():
            results, found = run()
        if outputs:
            self.require_same(map(take, results), map(take, outputs))
        if outputs and not self.has_repeated:
            with self.repeated():
                again = run()[1]
            once, twice = ([take(x) for x in part if x is not None] for part in (found, again))
            self.require_same(twice, once)
            if any(bool(cuarray.any(x)) for x in once):
                self.has_repeated.append(True)
        return found

    def require_same(self, results, outputs):
        """Raise if another run has other results than the first: of random numbers that the framework does not see.

        Integers and bools have no derivatives, and may be others: times, numbers of calls.
        """
        for x, y in zip(results, outputs, strict=True):
            if x.shape == y.shape and is_differentiable(x) and not are_close(x, y):
                raise RuntimeError(draws_random_numbers(self.name))

    def in_order(self, found, count):
        """Return what `backward` returned as a list, by the number of the array."""
        positional, keywords = self.arguments
        name = f"{self.name}: backward"
        found, named = parts_by_name(found, positional, accepted(self.backward, keywords), name)
        found = one_per_argument(found, positional, name)
        if self.arguments is trees.arrays_alone(count):
            return found
        flat = trees.in_slots(positional, tuple(found), name)
        return flat + trees.in_slots(keywords, {keyword: named.get(keyword) for keyword in keywords}, name)

    def push_forward(self, inputs, outputs, tangents):
        """Return the tangents of the outputs from those of the inputs: zeros for those that stay, None for integers."""
        if self.has_tape:

            def run():
                results, _, push = self.linearize(inputs, [t is not None for t in tangents])
                return results, push(tangents)

            return self.found_again(run, outputs)
        args, keywords = trees.put_together(self.arguments, self.given(inputs))
        moves, moves_by_name = trees.put_together(self.arguments, self.given(tangents))
        if keywords := accepted(self.jvp, keywords):
            moves = (*moves, {name: moves_by_name[name] for name in keywords})
        found = self.jvp(args, trees.put_together(self.result, self.given(outputs)), moves, **keywords)
        return self.fitted(trees.in_slots(self.result, found, f"{self.name}: jvp"), outputs, "tangent")

    def fitted(self, found, likes, kind):
        """Return derivatives as arrays of the dtypes of what they belong to; ValueError if a shape is another."""
        take, pairs = self.framework.take, enumerate(zip(found, likes, strict=True))
        return [None if x is None else self.fit(take(x), like, kind, i) for i, (x, like) in pairs]

    def fit(self, found, like, kind, index):
        if not is_differentiable(like):
            return None
        if found.shape != like.shape:
            raise ValueError(f"{self.name}: a {kind} of shape {found.shape} for array {index} of shape {like.shape}")
        if found.dtype != like.dtype:
            if found.dtype.kind == "c" and like.dtype.kind != "c":
                text = f"a {kind} of {found.dtype} for array {index} of {like.dtype}; write .real"
                raise TypeError(f"{self.name}: {text}")
            found = found.astype(like.dtype)
        return found.to_device(like.device)
