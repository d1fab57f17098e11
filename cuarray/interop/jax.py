"""JAX: functions of cuarray's arrays, or of PyTorch's tensors, inside `jit`, `vmap`, `grad` and `scan`."""

import functools
import inspect

import numpy as np

import cuarray
from cuarray import _core
from cuarray.interop import _trees as trees
from cuarray.interop._rules import ByPosition, contiguous, is_differentiable, no_place, one_per_argument

try:
    import jax
    from jax.custom_derivatives import SymbolicZero
    from jax.experimental.buffer_callback import buffer_callback
except ImportError as error:
    raise ImportError("cuarray.interop.jax needs JAX 0.6 or newer: pip install jax") from error

__all__ = ["call"]

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


def _spec(tree):
    """Return a tree of shapes and dtypes that JAX has: 32 bits, unless jax_enable_x64 is set."""
    for x in jax.tree_util.tree_leaves(tree):
        if not hasattr(x, "shape") or not hasattr(x, "dtype"):
            raise TypeError(f"call: out_spec has {x!r}; write jax.ShapeDtypeStruct(shape, dtype)")
    return _map(lambda x: jax.ShapeDtypeStruct(x.shape, jax.dtypes.canonicalize_dtype(x.dtype)), tree)


def _gradients(args, found, name):
    """Return what `vjp` returned as a list: a gradient or None for each array of `args` that can have one."""
    flat = []
    for arg, part in zip(args, one_per_argument(found, args, f"{name}: vjp"), strict=True):
        leaves, structure = _flatten(arg)
        parts = [None] * len(leaves) if part is None else structure.flatten_up_to(part)
        flat += [g for g, x in zip(parts, leaves, strict=True) if is_differentiable(x)]
    return flat


class _Function:
    """A function of arrays between `buffer_callback` and its gradients' callback."""

    def __init__(self, fn, vjp, options, forgotten, if_kept=None):
        self.fn, self.vjp, self.options = fn, vjp, options
        self.if_kept = if_kept  #: the error where the function keeps views that cannot raise by themselves
        self.forgotten = forgotten  #: what the user has left out where there is no vjp
        self.name = getattr(fn, "__name__", type(fn).__name__)
        try:
            self.takes_out = "out" in inspect.signature(fn).parameters
        except (TypeError, ValueError):
            self.takes_out = False

    def evaluate(self, spec, tree):
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
        return results.unflatten(buffer_callback(callback, wanted, **self.options)(*buffers))

    def store(self, places, result, structure):
        if self.takes_out and result is None:
            return
        values, found = _flatten(result)
        if found != structure:
            raise ValueError(f"{self.name}: the result has the structure {found}; out_spec says {structure}")
        for place, value in zip(places, values, strict=True):
            _store(place, value, self.name)

    def pull_back(self, tree, output, cotangent):
        """Return the cotangents of the arrays of `tree`, in its structure."""
        if self.vjp is None:
            raise TypeError(f"{self.name}: {self.forgotten}, so that it has no gradient")
        inputs, arguments = _flatten(tree)
        outputs, results = _flatten(output)
        ends = jax.tree_util.tree_leaves(cotangent)
        known = [end.dtype != jax.dtypes.float0 for end in ends]
        wanted = [x for x in inputs if is_differentiable(x)]

        def work(places, arrays):
            rest = iter(arrays)
            args, _ = arguments.unflatten([next(rest) for _ in inputs])
            result = results.unflatten([next(rest) for _ in outputs])
            grad = results.unflatten([next(rest) if is_known else None for is_known in known])
            found = _gradients(args, self.vjp(args, result, grad), self.name)
            found += [None] * (len(places) - len(found))  # of keyword arguments
            for place, value in zip(places, found, strict=True):
                if value is None:
                    place[...] = 0
                else:
                    _store(place, value, f"{self.name}: vjp")

        callback = functools.partial(_core.lend, work, self.if_kept)
        given = [*inputs, *outputs, *(end for end, is_known in zip(ends, known, strict=True) if is_known)]
        found = iter(buffer_callback(callback, _spec(wanted), **self.options)(*given) if wanted else [])
        # JAX's gradients of integers have no values.
        return arguments.unflatten(
            [next(found) if is_differentiable(x) else np.zeros(x.shape, jax.dtypes.float0) for x in inputs]
        )


def _refusing(function, name):
    """Return a function whose gradient is refused."""

    def refuse(*_):
        raise NotImplementedError(f"{name}: gradients of its gradients are not available; its vjp runs outside of JAX")

    once = jax.custom_vjp(function)
    once.defvjp(refuse, refuse)
    return once


def _function_of_torch(fn):
    """Return a function of tensors as one of cuarray's arrays."""
    from cuarray.interop import _torch_in_jax as torch_in_jax

    return functools.partial(torch_in_jax.run, fn)


def _pull_back_of_torch(fn, if_kept):
    """Return `_Function.pull_back` of a function of tensors, by autograd."""
    from cuarray.interop import _torch_in_jax as torch_in_jax

    def rule_of(structure, count):
        return torch_in_jax.rule(fn, structure, count)

    return _pull_back_by_tape(rule_of, if_kept)


def _pull_back_by_tape(rule_of, if_kept=None):
    """Return `_Function.pull_back` of the rules of a framework that differentiates gradients, too.

    `rule_of(structure, count)` is the rule of the arrays of a tree; each of its derived rules is traced once.
    JAX's cotangent of a complex number is the conjugate of the gradient that the others know.
    """
    made = {}

    def pull_back(tree, _output, cotangent):
        inputs, structure = _flatten(tree)
        ends = jax.tree_util.tree_leaves(cotangent)
        wanted, known = [is_differentiable(x) for x in inputs], [end.dtype != jax.dtypes.float0 for end in ends]
        key = structure, tuple(wanted), tuple(known)
        if key not in made:
            rule = rule_of(structure, len(inputs)).derived(wanted, known)
            made[key] = _Lifted(rule, functools.partial(_chosen, wanted), if_kept).function
        found = iter(made[key](*inputs, *(end.conj() for end, is_known in zip(ends, known, strict=True) if is_known)))
        # JAX's gradients of integers have no values.
        return structure.unflatten(
            [next(found).conj() if here else np.zeros(x.shape, jax.dtypes.float0)
             for x, here in zip(inputs, wanted, strict=True)]
        )  # fmt: skip

    return pull_back


def _chosen(wanted, *arrays):
    return tuple(x for x, is_wanted in zip(arrays, wanted, strict=False) if is_wanted)


def call(fn, out_spec, *, vjp=None, framework="cuarray", vmap_method="sequential", has_side_effect=False):
    """Make a function of cuarray's arrays, or of PyTorch's tensors, one of JAX's arrays.

    It runs inside `jit`, `vmap`, `grad`, `scan` and so on, on XLA's stream, over the memory of JAX's arrays.

    Parameters
    ----------
    fn : callable
        It gets cuarray arrays, read-only, in the place of JAX's, in nested containers too (pytrees), and returns
        arrays, which are copied into JAX's memory. With a parameter `out` it gets the arrays of the results there
        and writes into them instead; ufuncs are such functions: ``call(ca.sin, spec)``. The arrays are valid
        during the call only.
    out_spec : pytree or callable
        What it returns: objects with `shape` and `dtype`, such as jax.ShapeDtypeStruct, in its structure; or a
        function of the arguments, as such objects, that returns that. Results are cast to these dtypes within
        their kind.
    vjp : callable, optional
        ``vjp(inputs, output, grad)`` with the tuple of positional arguments of `fn`, to which those given by name
        belong if they can follow by position, what it returned, and the cotangent of that, None for results of
        integers and bools. It returns the cotangent of each positional argument, in its structure, or None for zeros:
        a tuple, or the one alone.
    framework : 'cuarray' or 'torch'
        With 'torch', `fn` is a function of tensors; its gradients are those of PyTorch's autograd, and `vjp` is not
        given. It must not change its arguments.
    vmap_method : str
        As for jax.pure_callback. 'sequential', the default, calls `fn` once per element; 'expand_dims' and
        'broadcast_all' call it once with leading axes.
    has_side_effect : bool
        Whether JAX must run it even if its results are not used.

    Returns
    -------
    callable
        The function of JAX's arrays. It has no forward-mode derivative; gradients of its gradients there are with
        `framework` 'torch'.

    Raises
    ------
    TypeError
        If a gradient is needed and there is no `vjp`, or for a keyword argument that has no position; if `framework`
        is not known.
    jax.errors.JaxRuntimeError
        If `fn` or `vjp` raises; if they return other structures, shapes or kinds than told.

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> import cuarray as ca
    >>> from cuarray.interop.jax import call
    >>> sine = call(ca.sin, lambda x: x, vjp=lambda inputs, output, grad: grad * ca.cos(inputs[0]))
    >>> jax.jit(jax.grad(lambda x: sine(x).sum()))(jnp.zeros(3)).tolist()
    [1.0, 1.0, 1.0]
    """
    if framework not in ("cuarray", "torch"):
        raise TypeError(f"call: framework is 'cuarray' or 'torch', not {framework!r}")
    by_position, if_kept, pull_back = ByPosition(fn), None, None
    if framework == "torch":
        if vjp is not None:
            raise TypeError("call: PyTorch's autograd makes the gradients of framework='torch'; leave vjp out")
        by_position = ByPosition(getattr(fn, "forward", fn))
        if_kept = "call: the function has kept a tensor over a JAX buffer; write tensor.clone()"
        pull_back = _pull_back_of_torch(fn, if_kept)
        fn = _function_of_torch(fn)
    if vmap_method not in _VMAP_METHODS:
        raise ValueError(f"call: vmap_method is one of {', '.join(map(repr, _VMAP_METHODS))}, not {vmap_method!r}")
    options = {"vmap_method": vmap_method, "has_side_effect": has_side_effect}
    function = _Function(fn, vjp, options, "jax.call was given no vjp=", if_kept)

    def require_places(tree):
        for name, part in tree[1].items():
            if any(jax.tree_util.tree_leaves(part)):
                raise no_place(function.name, name)

    return _callable(function, out_spec, by_position, require_places, pull_back)


def _callable(function, out_spec, by_position, require_places, pull_back=None):
    """Return a `_Function` as one of JAX's arrays.

    `require_places` is called with the tree of the arguments, True where a derivative is needed; it raises where there
    is none. `pull_back` takes the place of the function's own, whose gradients are refused.
    """

    @jax.jit
    def evaluate(tree):
        args, keywords = _map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), tree)
        return function.evaluate(_spec(out_spec(*args, **keywords) if callable(out_spec) else out_spec), tree)

    pull_back = pull_back or _refusing(jax.jit(function.pull_back), function.name)
    differentiable = jax.custom_vjp(evaluate)

    def forward(tree):
        require_places(_map(lambda x: x.perturbed, tree))
        tree = _map(lambda x: x.value, tree)
        output = differentiable(tree)
        return output, (tree, output)

    def backward(kept, grad):
        return (pull_back(*kept, _map(_with_values, grad, is_leaf=_is_zero)),)

    differentiable.defvjp(forward, backward, symbolic_zeros=True)

    @functools.wraps(function.fn)
    def called(*args, **keywords):
        tree = by_position(args, keywords)
        return differentiable(_map(lambda x: x.jax() if isinstance(x, cuarray.ndarray) else x, tree))

    return called


def _is_zero(cotangent):
    return isinstance(cotangent, SymbolicZero)


def _with_values(cotangent):
    """Return a cotangent as an array."""
    if not _is_zero(cotangent):
        return cotangent
    if cotangent.dtype == jax.dtypes.float0:
        return np.zeros(cotangent.shape, jax.dtypes.float0)
    return jax.numpy.zeros(cotangent.shape, cotangent.dtype)


# For `cuarray.interop.wrap`.


def is_array(x):
    return isinstance(x, jax.Array)


def take(x):
    """Return a read-only cuarray array over the memory of an array of JAX's."""
    return cuarray.from_dlpack(x)


def give_narrowed(x):
    """Return an array of JAX's over an array's memory; a copy of one that is read-only, not compact or narrowed."""
    return jax.dlpack.from_dlpack(contiguous(x))


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
    chosen = [x for x, is_wanted in zip(arrays, wanted, strict=True) if is_wanted]

    def of_chosen(*those):
        given = iter(those)
        return function([next(given) if is_wanted else x for x, is_wanted in zip(arrays, wanted, strict=True)])

    results, pull = jax.vjp(of_chosen, *chosen)

    def pull_back(grads):
        ends = [_cotangent(out, g) for out, g in zip(results, grads, strict=True)]
        found = iter(pull(ends))
        return [next(found).conj() if is_wanted else None for is_wanted in wanted]

    return results, pull_back


zeros_like = jax.numpy.zeros_like


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

    def __init__(self, rule, out_spec, if_kept=None):
        self.rule, self.out_spec = rule, out_spec

        def run(*arrays):
            return rule.run(list(arrays))

        run.__name__ = rule.name
        vjp, options = (
            self.pull_back if rule.has_gradient else None,
            {"vmap_method": "sequential", "has_side_effect": False},
        )
        function = _Function(run, vjp, options, "wrap was given no backward=", if_kept)
        by_tape = _pull_back_by_tape(lambda *_: rule) if rule.has_derived else None
        self.function = _callable(
            function, self.spec, ByPosition(run), lambda tree: rule.require_places(tree[0]), by_tape
        )

    def spec(self, *shapes):
        if self.out_spec is not None:
            spec = self.out_spec(*shapes) if callable(self.out_spec) else self.out_spec
            found, self.rule.result = trees.take_apart(spec, lambda x: hasattr(x, "shape") and hasattr(x, "dtype"))
            return found
        with cuarray.device(_current_device()):
            blanks = [cuarray.zeros(x.shape, dtype=x.dtype) for x in shapes]
            try:
                return [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in self.rule.run(blanks)]
            except Exception as error:
                error.add_note(f"wrap called {self.rule.name} with zeros, to see what it returns; out_spec= says it")
                raise

    def pull_back(self, inputs, output, grad):
        found = self.rule.pull_back(list(inputs), list(output), [g if g is None else cuarray.conj(g) for g in grad])
        return tuple(g if g is None else cuarray.conj(g) for g in found)


def _current_device():
    """Return the device on which JAX computes, as cuarray's."""
    device = jax.devices()[0]
    return {"cpu": "cpu", "gpu": "cuda:{}"}[device.platform].format(device.local_hardware_id)
