"""Functions of cuarray's arrays as PyTorch's operators, for `torch.compile`."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, get_args, get_origin

import torch

import cuarray
from cuarray.interop import _trees as trees
from cuarray.interop._rules import CUARRAY, Rule, contiguous, is_differentiable
from cuarray.interop._torch_autograd import (
    Node,
    beside,
    differentiable,
    is_array,
    is_dual,
    make,
    may_have_tangents,
    take,
)

#: What the parameters of an operator may be, by their annotation in the function.
_SCHEMA_TYPES = {
    inspect.Parameter.empty: "Tensor", cuarray.ndarray: "Tensor", int: "int", float: "float", bool: "bool", str: "str",
    complex: "complex",
}  # fmt: skip


def _schema_of(fn):
    """Return the schema of an operator with the parameters of a function; its results by the annotation."""
    parts, signature = [], inspect.signature(fn)
    for parameter in signature.parameters.values():
        kind = _SCHEMA_TYPES.get(parameter.annotation)
        if kind is None or parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise TypeError(
                f"custom_op: parameter {parameter} of {fn.__name__}: arrays, int, float, bool, str and complex by "
                "position are known; write schema="
            )
        default = "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
        parts.append(f"{kind} {parameter.name}{default}")
    several = get_args(signature.return_annotation) if get_origin(signature.return_annotation) is tuple else ()
    if Ellipsis in several:
        raise TypeError(f"custom_op: {fn.__name__} has an unknown number of results; write schema=")
    results = f"({', '.join(['Tensor'] * len(several))})" if several else "Tensor"
    return f"({', '.join(parts)}) -> {results}"


def _blank(like):
    return torch.empty(tuple(like.shape), dtype=like.dtype, device=like.device)


def _without_data(x):
    return torch.empty_like(x, device="meta") if is_array(x) else x


class _Operator:
    """The functions that `torch.library` is given for one operator and for that of its gradients."""

    def __init__(self, name, schema, fn, like, backward):
        self.name, self.fn, self.like, self.backward = name, fn, like, backward
        self.parameters, _, results = schema.strip().partition("->")
        self.is_many = results.strip() != "Tensor"
        self.defaults = [p.default for p in inspect.signature(fn).parameters.values()]

    def refuse_forward_mode(self, tensors=None):
        """Raise where tangents may be at work: PyTorch takes no rule for them, and would go on with zeros.

        Of `tensors`, those that are given are seen, except inside of torch.func.jvp.
        """
        if is_dual() and (tensors is None or may_have_tangents(tensors)):
            raise NotImplementedError(
                f"{self.name}: PyTorch's operators have no derivatives in forward mode; write "
                "interop.torch.wrap(fn, jvp=), or call it outside of torch.func.jvp"
            )

    def run(self, *args):
        tensors, skeleton = trees.take_apart((args, {}), is_array)
        self.refuse_forward_mode(tensors)
        rule = Rule(self.contiguous, skeleton, name=self.name)
        results = Node(rule).evaluate(tensors)
        self.check(results, rule.result, args)
        return trees.put_together(rule.result, results)

    def check(self, results, skeleton, args):
        """Raise unless the results look as `like` says: compiled programs rely on it, and would read other memory."""
        wanted = self.looks(*(args if isinstance(self.like, int) else map(_without_data, args)))
        wanted = list(wanted) if self.is_many else [wanted]
        if isinstance(skeleton, (tuple, list)) != self.is_many or len(results) != len(wanted):
            kind = f"{len(results)} results" if isinstance(skeleton, (tuple, list)) else "one array"
            many = f"a tuple of {len(wanted)}" if self.is_many else "one; annotate the tuple, or write schema="
            raise TypeError(f"{self.name}: the function returned {kind}; its schema says {many}")
        for found, like in zip(results, wanted, strict=True):
            if found.shape != like.shape:
                raise ValueError(f"{self.name}: a result of shape {tuple(found.shape)}; like says {tuple(like.shape)}")
            if found.dtype != like.dtype:
                raise TypeError(f"{self.name}: a result of {found.dtype}; like says {like.dtype}")

    def contiguous(self, *args):
        """Call the function; torch.compile relies on results in C order, as `run_fake` says."""
        arrays, skeleton = trees.take_apart(self.fn(*args), CUARRAY.is_array)
        return trees.put_together(skeleton, [contiguous(x) for x in arrays])

    def looks(self, *args):
        """What the results look like."""
        return args[self.like] if isinstance(self.like, int) else self.like(*args)

    def run_fake(self, *args):
        self.refuse_forward_mode()
        made = self.looks(*args)
        return tuple(map(_blank, made)) if self.is_many else _blank(made)

    def save(self, ctx, inputs, output):
        outputs = output if self.is_many else (output,)
        tensors, ctx.skeleton = trees.take_apart(self.filled(inputs), is_array)
        ctx.count = len(tensors)
        ctx.save_for_backward(*tensors, *outputs)

    def filled(self, inputs):
        """Return the arguments with the defaults that PyTorch leaves out."""
        return (*inputs, *self.defaults[len(inputs) :])

    def pull_back(self, outputs, grads, *inputs):
        """Return the gradients of the tensors that have one; zeros where backward returns None."""
        self.refuse_forward_mode()
        tensors, skeleton = trees.take_apart(self.filled(inputs), is_array)
        rule = Rule(self.fn, (skeleton, {}), backward=self.backward, name=self.name)
        rule.result = tuple(map(trees.Slot, range(len(outputs)))) if self.is_many else trees.Slot(0)
        arrays, results, given = ([take(t) for t in part] for part in (tensors, outputs, grads))
        with beside(arrays):
            given = [g if is_differentiable(g) else None for g in given]
            found = rule.pull_back(arrays, results, given)
            filled = [
                cuarray.zeros(x.shape, x.dtype) if g is None else contiguous(g)
                for g, x in zip(found, arrays, strict=True)
                if is_differentiable(x)
            ]
            return [make(g) for g in filled]


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    *,
    like: int | Callable[..., Any],
    backward: Callable[..., Any] | None = None,
    schema: str | None = None,
) -> Any:
    """Make a function of cuarray's arrays an operator of PyTorch's, which `torch.compile` keeps in its graphs.

    Parameters
    ----------
    name : str
        'namespace::name'; without a namespace it is 'cuarray'.
    fn : callable
        As for `wrap`, with tensors, numbers and strings as positional arguments. It returns an array or a tuple of
        arrays. Without it, `custom_op` returns a decorator.
    like : int or callable
        What the results look like: the position of an argument whose shape and dtype the only result has, or a
        function of the arguments, here tensors without data, that returns such tensors (``torch.empty_like(x)``).
    backward : callable, optional
        As for `wrap`.
    schema : str, optional
        PyTorch's schema, such as ``"(Tensor x, float k) -> (Tensor, Tensor)"``. By default it is read from the
        parameters of `fn`: int, float, bool, str, complex by annotation, the others tensors; one result, or as many as
        the annotation ``tuple[..., ...]`` has.

    Returns
    -------
    callable
        The operator, of tensors. Its results are contiguous in C order.

    Raises
    ------
    TypeError
        If a parameter is of another type; by a call, if a result has another dtype than `like` says.
    ValueError
        By a call, if a result has another shape than `like` says.
    NotImplementedError
        By a call inside of torch.func.jvp, or of a tensor with a tangent: torch.library takes no rule for forward mode.

    See Also
    --------
    wrap : outside of torch.compile; accepts nested containers

    Examples
    --------
    >>> import torch
    >>> import cuarray as ca
    >>> from cuarray.interop.torch import custom_op
    >>> @custom_op("examples::scaled_sine", like=0, backward=lambda inputs, output, grad: (
    ...     inputs[1] * grad * ca.cos(inputs[0]), None))
    ... def scaled_sine(x, factor: float):
    ...     return factor * ca.sin(x)
    >>> x = torch.zeros(2, requires_grad=True)
    >>> scaled_sine(x, 3.0).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """
    if fn is None:
        return functools.partial(custom_op, name, like=like, backward=backward, schema=schema)
    name = name if "::" in name else f"cuarray::{name}"
    schema = schema or _schema_of(fn)
    count = len(torch._C.parse_schema(f"{name}{schema.strip()}").arguments)
    if not callable(like) and not (isinstance(like, int) and 0 <= like < count):
        raise TypeError(f"custom_op: like is the position of one of {count} arguments, or a function, not {like!r}")
    parts = _Operator(name, schema, fn, like, backward)
    op = torch.library.custom_op(name, parts.run, mutates_args=(), schema=schema)
    op.register_fake(parts.run_fake)
    if backward is None:
        return op
    pull = torch.library.custom_op(
        f"{name}_backward",
        parts.pull_back,
        mutates_args=(),
        schema=f"(Tensor[] outputs, Tensor[] grads, {parts.parameters.strip()[1:]} -> Tensor[]",
    )

    @pull.register_fake
    def _(_outputs, _grads, *inputs):
        return [_blank(t) for t in inputs if is_array(t) and differentiable(t)]

    def differentiate(ctx, *grads):
        inputs, outputs = ctx.saved_tensors[: ctx.count], ctx.saved_tensors[ctx.count :]
        known = [torch.zeros_like(o) if g is None else g for g, o in zip(grads, outputs, strict=True)]
        args = trees.put_together(ctx.skeleton, inputs)
        found = iter(pull(list(outputs), known, *args))
        return tuple(next(found) if is_array(x) and differentiable(x) else None for x in args)

    op.register_autograd(differentiate, setup_context=parts.save)
    return op
