"""`wrap`: a function written for one framework, called with the arrays of another."""

import functools
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from cuarray.interop import _trees as trees
from cuarray.interop._rules import CUARRAY, NUMPY, ByPosition, Rule

#: The frameworks that `wrap` knows; the others are modules of this package.
_HERE = {"cuarray": CUARRAY, "numpy": NUMPY}
_NAMES = ("numpy", "cuarray", "cupy", "torch", "jax", "tensorflow", "drjit")


def _framework(name, parameter):
    if name not in _NAMES:
        raise ValueError(f"wrap: {parameter} must be one of {', '.join(_NAMES)}, not {name!r}")
    return _HERE.get(name) or import_module(f"cuarray.interop.{name}")


def _call_plainly(source, rule_of, args, keywords):
    """Call a rule from a framework without gradients."""
    given, skeleton = trees.take_arguments_apart(args, keywords, source.is_array)
    rule = rule_of(skeleton)
    results = rule.run([source.take(x) for x in given])
    return trees.put_together(rule.result, [source.make(x, given) for x in results])


def wrap(
    fn: Callable[..., Any] | None = None,
    *,
    source: str,
    target: str,
    backward: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
    out_spec: Any = None,
    narrow: bool = False,
    trim: bool = False,
) -> Callable[..., Any]:
    """Call a function that is written for one framework with the arrays of another, with gradients.

    Parameters
    ----------
    fn : callable
        A function of the arrays of `target`. Nested lists, tuples, dicts, dataclasses and Dr.Jit's structs of
        arrays are converted, its other arguments given as they are, and so are results beside an array, of which there
        must be one. Without it, `wrap` returns a decorator.
    source, target : str
        The framework of the caller, and that of the function: 'numpy', 'cuarray', 'cupy', 'torch', 'jax',
        'tensorflow' or 'drjit'. Of equal ones, the result is `fn`.
    backward : callable, optional
        ``backward(inputs, output, grad)``, a function of `target` as well: `inputs` is the tuple of positional
        arguments, to which those given by name belong if they can follow by position, `output` what `fn` returned,
        `grad` the gradient with respect to that, None for integers. It returns the gradient with respect to each
        positional argument, in its structure: a tuple, or the one alone; None means no gradient. With parameters after
        `*` it gets the arguments that were given by these names, and the tuple ends with a dict of their gradients. By
        default gradients are those of torch, jax, tensorflow and drjit, where `target` is one of them.
    jvp : callable, optional
        ``jvp(inputs, output, tangents)``, the derivative in forward mode of a function with `backward`: `tangents` has
        the structure of `inputs`, with zeros for those that stay and None for integers, and such a dict at the end. It
        returns the tangent of `output`, in its structure.
    out_spec : optional
        For source='jax': what the function returns, as of `cuarray.interop.jax.call`. By default it is called once
        with zeros, for each combination of shapes and dtypes, to see. For source='tensorflow', which needs it inside of
        tf.function: tf.TensorSpec, or nested containers of them.
    narrow : bool
        For target='jax': whether arguments of 64 bits may lose half of them, where `jax_enable_x64` is not set.
    trim : bool
        Whether each run of `fn` begins with `cuarray.memory.trim` and `cuarray.memory.flush_peers`, so that memory
        which one framework only keeps for later is there for the other.

    Returns
    -------
    callable
        The function of arrays of `source`. Memory is shared where both frameworks can; `fn` must not change its
        arguments. In jax it can be traced and runs again for derivatives; elsewhere the run is remembered. Where both
        are torch, jax or tensorflow, derivatives have derivatives, for which it runs again.

    Raises
    ------
    ValueError
        If a framework is not known.
    TypeError
        By the function: for arguments of 64 bits that JAX would narrow.
    ImportError
        If a framework is not installed; the message says how to install it.

    Examples
    --------
    >>> import torch
    >>> from cuarray.interop import wrap
    >>> @wrap(source="torch", target="cuarray", backward=lambda inputs, output, grad: 2 * grad * inputs[0])
    ... def square(x):
    ...     return x * x
    >>> x = torch.tensor([1.0, 3.0], requires_grad=True)
    >>> square(x).sum().backward()
    >>> x.grad
    tensor([2., 6.])
    """
    theirs, ours = _framework(source, "source"), _framework(target, "target")
    if fn is None:
        return functools.partial(
            wrap, source=source, target=target, backward=backward, jvp=jvp, out_spec=out_spec, narrow=narrow, trim=trim
        )
    for given in (fn, backward, jvp):
        if given is not None and not callable(given):
            raise TypeError(f"wrap: a function, not {given!r}")

    if source == target:
        if (backward or jvp) and hasattr(theirs, "lifted"):
            raise ValueError(
                f"wrap: a function of {target} has its own gradients in {source}; leave backward out, and jvp"
            )
        return fn

    if narrow and target == "jax":
        ours = SimpleNamespace(**{**vars(ours), "give": ours.give_narrowed})

    rule_of = Rule(fn, ((), {}), ours, backward, jvp, trim=trim).called_with
    plain = functools.partial(_call_plainly, theirs, rule_of)
    lift = theirs.lifted(rule_of, out_spec) if hasattr(theirs, "lifted") else plain
    by_position = ByPosition(fn)

    @functools.wraps(fn)
    def wrapped(*args, **keywords):
        return lift(*by_position(args, keywords)) if keywords else lift(args, keywords)

    return wrapped
