"""JAX: functions of cuarray's arrays, or of PyTorch's tensors, inside `jit`, `vmap`, `grad` and `scan`."""

import functools
import inspect
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import cuarray
from cuarray import _core
from cuarray.interop import _trees as trees
from cuarray.interop._rules import (
    ByPosition,
    accepted,
    chosen,
    in_places,
    is_differentiable,
    nothing_kept,
    one_per_argument,
    parts_by_name,
    require_accepted,
    unchecked,
)

try:
    import jax
    from jax.experimental.buffer_callback import buffer_callback
except ImportError as error:
    raise ImportError("cuarray.interop.jax needs JAX 0.6 or newer: pip install jax") from error
from cuarray.interop import _jax_derivatives as opaque

__all__ = ["call"]


def __dir__() -> list[str]:
    return sorted(__all__)


_VMAP_METHODS = ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized", None)

_flatten, _map = jax.tree_util.tree_flatten, jax.tree_util.tree_map
is_leaf, structure_of = jax.tree_util.treedef_is_leaf, jax.tree_util.tree_structure


def _store(out, value, name):
    """Write a result into the memory of JAX's array, unless it is there already."""
    if value is out:
        return
    value = cuarray.asarray(value)
    if value.shape != out.shape:
        raise ValueError(f"{name}: a result of shape {value.shape}; out_spec says {out.shape}")
    if not np.can_cast(value.dtype, out.dtype, "same_kind"):
        raise TypeError(f"{name}: a result of {value.dtype}; out_spec says {out.dtype}")
    cuarray.copyto(out, value)
    if out.dtype.kind in "iu" and not (np.can_cast(value.dtype, out.dtype) or cuarray.array_equal(out, value)):
        raise OverflowError(too_narrow(name, value.dtype, out.dtype))


def too_narrow(name, found, dtype):
    """Return the text of an error: integers do not fit."""
    return f"{name}: a result of {found} has integers beyond {dtype}; set jax_enable_x64, or give another out_spec"


def _spec(tree):
    """Return a tree of shapes and dtypes that JAX has: 32 bits, unless jax_enable_x64 is set."""
    torch = sys.modules.get("torch")

    def spec_of(x):
        if torch and isinstance(x, torch.Size):
            return spec_of(torch.empty(x, device="meta"))
        if not hasattr(x, "shape") or not hasattr(x, "dtype"):
            raise TypeError(f"call: out_spec has {x!r}; write jax.ShapeDtypeStruct(shape, dtype)")
        dtype = str(x.dtype).removeprefix("torch.") if torch and isinstance(x, torch.Tensor) else x.dtype
        return jax.ShapeDtypeStruct(x.shape, jax.dtypes.canonicalize_dtype(dtype))

    return _map(spec_of, tree)


def _in_order(args, keywords, found, taken, function):
    """Return what `vjp` returned as a list with a gradient or None for each array; `taken` are the keywords it got."""
    found, named = parts_by_name(found, args, taken, function)
    pairs = [*zip(args, one_per_argument(found, args, function), strict=True)]
    pairs += [(keywords[name], named.get(name)) for name in sorted(keywords)]  # JAX's order
    flat = []
    for arg, part in pairs:
        structure = structure_of(arg)
        flat += [None] * structure.num_leaves if part is None else structure.flatten_up_to(part)
    return flat


_OPTIONS = {"vmap_method": "sequential", "has_side_effect": False}


def _of_derivatives(options):
    """Return the options of derivatives. A call of a batch broadcasts: each element has gradients by all arguments."""
    method = options["vmap_method"]
    return options | {"vmap_method": "broadcast_all" if method in ("expand_dims", "legacy_vectorized") else method}


class _Function:
    """A function of arrays between `buffer_callback` and its gradients' callback."""

    def __init__(self, fn, vjp, jvp, options, needs=("jax.call", {}), if_kept=None):
        self.fn, self.vjp, self.jvp, self.options, self.needs = fn, vjp, jvp, options, needs
        self.if_kept = if_kept  #: the error where the function keeps views that cannot raise by themselves
        self.name = getattr(fn, "__name__", type(fn).__name__)
        try:
            self.takes_out = "out" in inspect.signature(fn).parameters
        except (TypeError, ValueError):
            self.takes_out = False

    def evaluate(self, spec, tree, derivatives):
        """Return the results; `derivatives(arguments, results, moved, known, spec)` is as of `opaque.call`."""
        wanted, results = _flatten(spec)
        if not wanted:
            raise ValueError(f"{self.name}: out_spec must have an array, not {spec!r}")
        buffers, arguments = _flatten(tree)

        def store(places, result):
            self.store(places, result, results)

        def work(places, arrays):
            args, keywords = arguments.unflatten(arrays)
            if self.takes_out:
                keywords["out"] = results.unflatten(places)
            store(places, self.fn(*args, **keywords))

        if self.takes_out and is_leaf(results) and arguments == structure_of(((0,) * len(buffers), {})):
            callback = functools.partial(_core.lend_out, self.fn, store, self.if_kept)
        else:
            callback = functools.partial(_core.lend, work, self.if_kept)
        run = buffer_callback(callback, wanted, **self.options)
        return results.unflatten(opaque.call(run, buffers, wanted, functools.partial(derivatives, arguments, results)))

    def store(self, places, result, structure):
        if self.takes_out and result is None:
            return
        values, found = _flatten(result)
        if found != structure:
            raise ValueError(f"{self.name}: the result has the structure {found}; out_spec says {structure}")
        for place, value in zip(places, values, strict=True):
            _store(place, value, self.name)

    def derivatives(self, arguments, results, moved, known, spec):
        """Return the push and the pull by `jvp` and `vjp`, as `opaque.call` takes them."""

        def parts(arrays):
            count = len(moved)
            return arrays[:count], arrays[count : count + len(known)], arrays[count + len(known) :]

        def tangents(arrays):
            inputs, outputs, given = parts(arrays)
            moves = [
                cuarray.zeros(x.shape, x.dtype) if t is None and is_differentiable(x) else t
                for t, x in zip(in_places(given, moved), inputs, strict=True)
            ]
            (args, keywords), (moves, moves_by_name) = arguments.unflatten(inputs), arguments.unflatten(moves)
            if keywords := accepted(self.jvp, keywords):
                moves = (*moves, {name: moves_by_name[name] for name in keywords})
            found = self.jvp(args, results.unflatten(outputs), moves, **keywords)
            return chosen(results.flatten_up_to(found), known)

        def gradients(arrays):
            inputs, outputs, given = parts(arrays)
            (args, keywords), grad = arguments.unflatten(inputs), results.unflatten(in_places(given, known))
            taken = accepted(self.vjp, keywords)
            found = self.vjp(args, results.unflatten(outputs), grad, **taken)
            return chosen(_in_order(args, keywords, found, taken, f"{self.name}: vjp"), moved)

        push = self.derivative("jvp", tangents, lambda arrays: spec)
        pull = self.derivative("vjp", gradients, lambda arrays: _spec(chosen(parts(arrays)[0], moved)))
        return push, pull

    def derivative(self, name, function, spec_of):
        """Return a function of arrays in lists, by the user's `vjp` or `jvp`, as one of JAX's arrays."""
        if getattr(self, name) is None:
            return self.missing(name)

        def work(places, arrays):
            for place, value in zip(places, function(arrays), strict=True):
                if value is None:
                    place[...] = 0
                else:
                    _store(place, value, f"{self.name}: {name}")

        callback, options = functools.partial(_core.lend, work, self.if_kept), _of_derivatives(self.options)

        def refuse(*_):
            raise NotImplementedError(
                f"{self.name}: gradients of its gradients, and other second derivatives, are not available; its vjp "
                "and jvp run outside of JAX"
            )

        @jax.jit
        def run(*arrays):
            spec = spec_of(arrays)
            return opaque.call(buffer_callback(callback, spec, **options), arrays, spec, refuse)

        return run

    def missing(self, name):
        """Return a function that raises: the user has left out what it needs."""
        function, words = self.needs
        kind = "gradient" if name == "vjp" else "derivative in forward mode"

        def raises(*_):
            raise TypeError(f"{self.name} has no {kind}: give {function} a {words.get(name, name)}=")

        return raises


def _rehearsed(name, run, forgotten=nothing_kept):
    """Return a function of shapes and dtypes, once for each combination: what `run` returns for zeros of these.

    `forgotten()` is a context in which its other effects are undone.
    """
    known = {}

    def spec(*args, **keywords):
        shapes, structure = _flatten((args, keywords))
        key = structure, tuple((x.shape, x.dtype) for x in shapes)
        if key not in known:
            with cuarray.device(_current_device()), forgotten():
                blanks = [_core.frozen(cuarray.zeros(x.shape, dtype=x.dtype)) for x in shapes]
                args, keywords = structure.unflatten(blanks)
                try:
                    known[key] = _spec(run(*args, **keywords))
                except Exception as error:
                    error.add_note(f"{name} ran with zeros, to see what it returns; out_spec= says it")
                    raise
                results = jax.tree_util.tree_leaves(known[key])
                if results and not any(math.prod(x.shape) for x in results) and all(x.size for x in shapes):
                    del known[key]  # of empty results JAX asks nothing, though they may depend on the values
                    raise ValueError(f"{name}: its results for zeros are empty; out_spec= says what it returns")
        return known[key]

    return spec


def _function_of_torch(fn):
    """Return a function of tensors as one of cuarray's arrays."""
    from cuarray.interop import _torch_in_jax as torch_in_jax

    return functools.partial(torch_in_jax.run, fn)


def _seen(fn, framework):
    """Return the function of shapes that says what a function returns, by running it."""
    name = getattr(fn, "__name__", type(fn).__name__)
    if framework == "torch":
        from cuarray.interop import _torch_in_jax as torch_in_jax

        return _rehearsed(name, *torch_in_jax.rehearsal(fn))
    try:
        out = inspect.signature(fn).parameters.get("out")
    except (TypeError, ValueError):
        out = None
    if out is not None and out.default is inspect.Parameter.empty:
        raise TypeError(f"call: {name} writes to out, so that it cannot say what it returns; give out_spec=")
    return _rehearsed(name, lambda *args, **keywords: _map(cuarray.asarray, fn(*args, **keywords)))


def _derivatives_of_torch(fn, options, if_kept):
    """Return the derivatives of a function of tensors, by autograd."""
    from cuarray.interop import _torch_in_jax as torch_in_jax

    def rule_of(structure, count):
        return torch_in_jax.rule(fn, structure, count)

    return _derivatives_by_tape(rule_of, options, if_kept)


def _derivatives_by_tape(rule_of, options, if_kept=None):
    """Return the derivatives of the rules of a framework that differentiates derivatives, too.

    `rule_of(structure, count)` is the rule of the arrays of a tree; each of its derivatives is traced once, and runs
    the function again, whose results are compared with those of the first run.
    JAX's cotangent of a complex number is the conjugate of the gradient that the others know.
    """

    @functools.cache
    def derivatives(arguments, _results, moved, known, spec):
        count, first = len(moved), len(moved) + len(known)

        def constant(outputs):
            return map(jax.lax.stop_gradient, outputs)

        def lifted_rule(rule, out_spec):
            return _Lifted(rule, out_spec, _of_derivatives(options), if_kept).function

        rule = rule_of(arguments, count)
        pushed = lifted_rule(rule.pushed(moved, known, len(known)), list(spec))
        pulled = lifted_rule(rule.derived(moved, known, len(known)), lambda *given: chosen(given[:count], moved))

        def push(*arrays):
            return pushed(*arrays[:count], *constant(arrays[count:first]), *arrays[first:])

        def pull(*arrays):
            ends = [end.conj() for end in arrays[first:]]
            return [g.conj() for g in pulled(*arrays[:count], *constant(arrays[count:first]), *ends)]

        return push, pull

    return derivatives


def call(
    fn: Callable[..., Any],
    out_spec: Any = None,
    *,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
    framework: str = "cuarray",
    vmap_method: str = "sequential",
    has_side_effect: bool = False,
) -> Callable[..., Any]:
    """Make a function of cuarray's arrays, or of PyTorch's tensors, one of JAX's arrays.

    It runs inside `jit`, `vmap`, `grad`, `scan` and so on, on XLA's stream, over the memory of JAX's arrays.

    Parameters
    ----------
    fn : callable
        It gets cuarray arrays, read-only, in the place of JAX's, in nested containers too (pytrees), and returns
        arrays, which are copied into JAX's memory. With a parameter `out` it gets the arrays of the results there
        and writes into them instead; ufuncs are such functions: ``call(ca.sin, spec)``. The arrays are valid
        during the call only.
    out_spec : pytree or callable, optional
        What it returns: objects with `shape` and `dtype`, such as jax.ShapeDtypeStruct, arrays and tensors, or a
        torch.Size, which has PyTorch's default dtype, in its structure; or a
        function of the arguments, as such objects, that returns that. Results are cast to these dtypes within
        their kind. By default `fn` runs with zeros when it is traced, once for each combination of structure, shapes
        and dtypes, to see; PyTorch's modules and default generators do not notice.
    vjp : callable, optional
        ``vjp(inputs, output, grad)`` with the tuple of positional arguments of `fn`, to which those given by name
        belong if they can follow by position, what it returned, and the cotangent of that, None for results of
        integers and bools. It returns the cotangent of each positional argument, in its structure, or None for zeros:
        a tuple, or the one alone. Arguments by name as of `cuarray.interop.wrap`.
    jvp : callable, optional
        ``jvp(inputs, output, tangents)``, where `tangents` has the structure of `inputs`, with zeros for those that
        stay and None for integers. It returns the tangent of `output`, in its structure.
    framework : 'cuarray' or 'torch'
        With 'torch', `fn` is a function of tensors; its derivatives are those of PyTorch's autograd, and `vjp` and
        `jvp` are not given. It must not change its arguments.
    vmap_method : str
        As for jax.pure_callback. 'sequential', the default, calls `fn` once per element; 'expand_dims' and
        'broadcast_all' call it once with leading axes, and so does 'legacy_vectorized', which leaves those of other
        arguments out; derivatives are called as by 'broadcast_all' then.
    has_side_effect : bool
        Whether JAX must run it even if its results are not used.

    Returns
    -------
    callable
        The function of JAX's arrays. Second derivatives there are with `framework` 'torch'.

    Raises
    ------
    TypeError
        If a derivative is needed and there is no `vjp` or `jvp`, or for a keyword argument that has no position; if
        `framework` is not known; without `out_spec` for a function that needs `out`.
    jax.errors.JaxRuntimeError
        If `fn` or `vjp` raises; if they return other structures, shapes or kinds than told.

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> import cuarray as ca
    >>> from cuarray.interop.jax import call
    >>> sine = call(ca.sin, vjp=lambda inputs, output, grad: grad * ca.cos(inputs[0]))
    >>> jax.jit(jax.grad(lambda x: sine(x).sum()))(jnp.zeros(3)).tolist()
    [1.0, 1.0, 1.0]
    """
    if framework not in ("cuarray", "torch"):
        raise TypeError(f"call: framework is 'cuarray' or 'torch', not {framework!r}")
    if vmap_method not in _VMAP_METHODS:
        raise ValueError(f"call: vmap_method is one of {', '.join(map(repr, _VMAP_METHODS))}, not {vmap_method!r}")
    options = {"vmap_method": vmap_method, "has_side_effect": has_side_effect}
    by_position, if_kept, derivatives = ByPosition(fn), None, None
    if framework == "torch":
        if vjp is not None or jvp is not None:
            raise TypeError("call: PyTorch's autograd makes the gradients of framework='torch'; leave vjp and jvp out")
        by_position = ByPosition(getattr(fn, "forward", fn))
        if_kept = "call: the function has kept a tensor over a JAX buffer; write tensor.clone()"
        derivatives = _derivatives_of_torch(fn, options, if_kept)
    if out_spec is None:
        out_spec = _seen(fn, framework)
    if framework == "torch":
        fn = _function_of_torch(fn)
    function = _Function(fn, vjp, jvp, options, if_kept=if_kept)

    def require_places(tree):
        def is_needed(part):
            return any(jax.tree_util.tree_leaves(part))

        require_accepted(tree[1], (vjp, jvp), function.name, is_needed)

    return _callable(function, out_spec, by_position, require_places, derivatives)


def _callable(function, out_spec, by_position, require_places, derivatives=None):
    """Return a `_Function` as one of JAX's arrays.

    `require_places` is called with the tree of the arguments, True where a derivative is needed; it raises where there
    is none. `derivatives` takes the place of the function's own, whose derivatives are refused.
    """

    derivatives = derivatives or functools.cache(function.derivatives)

    def checked(arguments, results, moved, known, spec):
        require_places(arguments.unflatten(moved))
        return derivatives(arguments, results, moved, known, spec)

    @jax.jit
    def evaluate(tree):
        args, keywords = _map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), tree)
        spec = _spec(out_spec(*args, **keywords) if callable(out_spec) else out_spec)
        return function.evaluate(spec, tree, checked)

    @functools.wraps(function.fn)
    def called(*args, **keywords):
        tree = by_position(args, keywords)
        return evaluate(_map(lambda x: x.jax() if isinstance(x, cuarray.ndarray) else x, tree))

    return called


# For `cuarray.interop.wrap`.


def is_array(x):
    return isinstance(x, jax.Array)


def take(x):
    """Return a read-only cuarray array over the memory of an array of JAX's."""
    return cuarray.from_dlpack(x)


def give_narrowed(x):
    """Return an array of JAX's over an array's memory; a copy of one that is read-only, not compact or narrowed."""
    return x.jax()


def give(x):
    """Do the same where JAX has the dtype; TypeError where it would narrow it."""
    narrow = jax.dtypes.canonicalize_dtype(x.dtype)
    if narrow != x.dtype:
        raise TypeError(f"wrap: JAX makes {narrow} of {x.dtype}; set jax_enable_x64, or write wrap(..., narrow=True)")
    return give_narrowed(x)


def make(x, _like=None):
    return give(x)


def vjp(function, arrays, wanted):
    """Return the results of a function, and the function of their gradients by jax.vjp.

    JAX's cotangent of a complex number is the conjugate of the gradient that the others know.
    """

    def of_chosen(*those):
        given = iter(those)
        return function([next(given) if is_wanted else x for x, is_wanted in zip(arrays, wanted, strict=True)])

    results, pull = jax.vjp(of_chosen, *chosen(arrays, wanted))

    def pull_back(grads):
        ends = [_cotangent(out, g) for out, g in zip(results, grads, strict=True)]
        return in_places([g.conj() for g in pull(ends)], wanted)

    return results, pull_back


zeros_like = jax.numpy.zeros_like
check = unchecked
untaped = forgotten = repeated = nothing_kept


def _cotangent(result, grad):
    if not is_differentiable(result):
        return np.zeros(result.shape, jax.dtypes.float0)
    return jax.numpy.zeros_like(result) if grad is None else grad.astype(result.dtype).conj()


def lifted(rule_of, out_spec):
    """Return the call of a rule as a function that JAX can trace and differentiate."""
    calls = {}  # by structure and static arguments, if those can be keys: each is traced once per shapes

    def lift(args, keywords):
        arrays, skeleton = trees.take_arguments_apart(args, keywords, is_array)
        key = trees.key(skeleton)
        made = calls.get(key) or _Lifted(rule_of(skeleton), out_spec)
        if key is not None:
            calls[key] = made
        results = made.function(*arrays)
        return trees.put_together(made.rule.result, results)

    return lift


class _Lifted:
    """A rule as a function of JAX's arrays."""

    def __init__(self, rule, out_spec, options=_OPTIONS, if_kept=None):
        self.rule, self.out_spec = rule, out_spec

        def run(*arrays):
            return rule.run(list(arrays))

        run.__name__ = rule.name
        self.seen = _rehearsed(rule.name, run, lambda: rule.framework.forgotten(rule.fn))
        vjp = self.pull_back if rule.has_gradient else None
        jvp = self.push_forward if rule.has_tangent else None
        function = _Function(run, vjp, jvp, options, ("wrap", {"vjp": "backward"}), if_kept)
        self.function = _callable(
            function,
            self.spec,
            ByPosition(run),
            lambda tree: rule.require_places(tree[0]),
            _derivatives_by_tape(lambda *_: rule, options, if_kept) if rule.has_derived else None,
        )

    def spec(self, *shapes):
        if self.out_spec is not None:
            spec = self.out_spec(*shapes) if callable(self.out_spec) else self.out_spec
            found, self.rule.result = trees.take_apart(spec, lambda x: hasattr(x, "shape") and hasattr(x, "dtype"))
            return found
        return self.seen(*shapes)

    def pull_back(self, inputs, output, grad):
        found = self.rule.pull_back(list(inputs), list(output), [g if g is None else cuarray.conj(g) for g in grad])
        return tuple(g if g is None else cuarray.conj(g) for g in found)

    def push_forward(self, inputs, output, tangents):
        return self.rule.push_forward(list(inputs), list(output), list(tangents))


def _current_device():
    """Return the device on which JAX computes, as cuarray's."""
    device = jax.devices()[0]
    return {"cpu": "cpu", "gpu": "cuda:{}"}[device.platform].format(device.local_hardware_id)
