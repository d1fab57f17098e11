"""PyTorch: functions of cuarray's arrays inside autograd, `torch.func` and `torch.compile`; common streams.

Importing the module also lets `torch.utils.data.default_collate` batch cuarray's arrays into tensors, and `torch.load`
read files that contain them.
"""

import contextlib
import functools
import inspect

import cuarray
from cuarray._ndarray import byte_methods
from cuarray.interop import trees
from cuarray.interop.rules import CUARRAY, Rule, contiguous, is_differentiable

try:
    import torch
    from torch.utils.data._utils.collate import collate_tensor_fn, default_collate_fn_map
except ImportError as error:
    raise ImportError("cuarray.interop.torch needs PyTorch: pip install torch") from error

__all__ = ["custom_op", "stream", "wrap"]


def is_array(x):
    return isinstance(x, torch.Tensor)


def take(tensor):
    """Return a cuarray array over the memory of a tensor, or over its values if it is conj- or neg-lazy.

    The capsule holds a tensor of its own: assigning to `tensor.data` later leaves it intact.
    """
    own = tensor.detach()
    if own.is_conj():
        own = own.resolve_conj()
    if own.is_neg():
        own = own.resolve_neg()
    return cuarray.from_dlpack(own)


def _stream_number(device):
    # DLPack's 1 is the legacy default stream, whose handle is 0.
    return None if device.kind == "cpu" else torch.cuda.current_stream(device.index).cuda_stream or 1


def give(x):
    """Return a tensor over the memory of an array, writable even if the array is not; see `check`."""
    return torch.utils.dlpack.from_dlpack(x.__dlpack__(stream=_stream_number(x.device), max_version=(1, 0)))


def make(x, _like=None):
    """Return a tensor over the memory of an array; a copy of a read-only one, since tensors are writable."""
    return give(x if x.flags.writeable else x.copy())


def check(tensors, name):
    """Raise if a function has changed its arguments."""
    if any(t._version for t in tensors):
        raise RuntimeError(f"{name}: a tensor that it was given was changed in place; write tensor.clone() first")


def vjp(function, tensors, wanted):
    """Return the results of a function, and the function of their gradients by autograd."""
    with torch.enable_grad():
        tensors = [t.requires_grad_() if is_wanted else t for t, is_wanted in zip(tensors, wanted, strict=True)]
        results = function(tensors)
    leaves = [t for t in tensors if t.requires_grad]

    def pull_back(grads):
        pairs = [(out, g) for out, g in zip(results, grads, strict=True) if g is not None and out.requires_grad]
        found = iter([None] * len(leaves))
        if pairs and leaves:
            outputs, ends = zip(*pairs, strict=True)
            found = iter(torch.autograd.grad(outputs, leaves, ends, retain_graph=True, allow_unused=True))
        return [next(found) if t.requires_grad else None for t in tensors]

    return results, pull_back


def differentiable(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def _current_stream(device):
    """Return torch's current stream on a device as a cuarray stream."""
    if device.kind == "cpu":
        return contextlib.nullcontext()
    return cuarray.Stream.from_external(torch.cuda.current_stream(device.index), device)


@contextlib.contextmanager
def beside(arrays):
    """Make the device of the arrays cuarray's current one, and torch's current stream cuarray's."""
    if not arrays:
        yield
        return
    device = arrays[0].device
    with cuarray.device(device), _current_stream(device):
        yield


@contextlib.contextmanager
def stream(s):
    """Make a stream the current one of both libraries.

    Parameters
    ----------
    s : torch.cuda.Stream or cuarray.Stream
        A stream of either.

    Yields
    ------
    cuarray.Stream
        The stream, as cuarray's.

    Raises
    ------
    TypeError
        If it is neither.

    Examples
    --------
    >>> import cuarray as ca
    >>> from cuarray.interop.torch import stream
    >>> with stream(ca.Stream(device="cpu")) as s:
    ...     ca.current_stream("cpu") == s
    True
    """
    if isinstance(s, torch.cuda.Stream):
        ours, theirs = cuarray.Stream.from_external(s, f"cuda:{s.device.index}"), s
    elif isinstance(s, cuarray.Stream):
        ours = s
        theirs = torch.cuda.ExternalStream(s.handle, s.device.index) if s.handle else None
    else:
        raise TypeError(f"stream: a torch.cuda.Stream or a cuarray.Stream, not {s!r}")
    with ours, torch.cuda.stream(theirs):
        yield ours


class Step(torch.autograd.Function):
    """A node of autograd: its first argument is a `Node`, the others are tensors."""

    @staticmethod
    def forward(node, *tensors):
        return node.evaluate(tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        node, *tensors = inputs
        ctx.node, ctx.count = node, len(tensors)
        ctx.mark_non_differentiable(*(t for t in output if not differentiable(t)))
        ctx.save_for_backward(*tensors, *output)

    @staticmethod
    def backward(ctx, *grads):
        saved = ctx.saved_tensors  # raises if one was changed in place since
        inputs, outputs = saved[: ctx.count], saved[ctx.count :]
        pull = ctx.node.gradient(ctx.count, ctx.needs_input_grad[1:], outputs)
        known = [g for g, out in zip(grads, outputs, strict=True) if differentiable(out)]
        found = iter(Step.apply(pull, *inputs, *outputs, *known))
        return None, *(next(found) if here else None for here in pull.present)

    @staticmethod
    def vmap(info, in_dims, node, *tensors):
        dims = in_dims[1:]

        def call_with(pick):
            return Step.apply(node, *(t if d is None else pick(t, d) for t, d in zip(tensors, dims, strict=True)))

        if info.batch_size == 0:
            blanks = call_with(lambda t, d: torch.zeros_like(t.sum(d)).to(t.dtype))
            results = tuple(t.new_empty((0, *t.shape)) for t in blanks)
        else:
            rows = [call_with(lambda t, d, number=number: t.select(d, number)) for number in range(info.batch_size)]
            results = tuple(torch.stack(column) for column in zip(*rows, strict=True))
        return results, (0,) * len(results)


class Node:
    """A rule over tensors; it keeps the framework's tape of the run, if there is one."""

    def __init__(self, rule, records=False):
        self.rule, self.records, self.pull = rule, records, None

    def evaluate(self, tensors):
        arrays = [take(t) for t in tensors]
        with beside(arrays):
            if self.records:
                found, self.pull = self.rule.linearize(arrays, [t.requires_grad for t in tensors])
            else:
                found = self.rule.run(arrays)
            return tuple(make(x) for x in found)

    def pull_back(self, inputs, outputs, grads):
        return self.pull(grads) if self.pull else self.rule.pull_back(inputs, outputs, grads)

    def gradient(self, count, needed, outputs):
        if not self.rule.has_gradient:
            raise RuntimeError(f"{self.rule.name} has no gradient: give wrap a backward=")
        return Pullback(self, count, needed, outputs)


class Pullback(Node):
    """The gradients of another node: inputs, outputs and gradients in, those gradients out that there are."""

    def __init__(self, node, count, needed, outputs):
        self.node, self.count, self.needed = node, count, needed
        self.present = [False] * count
        self.are_known = [differentiable(out) for out in outputs]

    def evaluate(self, tensors):
        arrays = [take(t) for t in tensors]
        inputs, rest = arrays[: self.count], arrays[self.count :]
        outputs, known = rest[: len(self.are_known)], iter(rest[len(self.are_known) :])
        grads = [next(known) if is_known else None for is_known in self.are_known]
        with beside(arrays):
            found = self.node.pull_back(inputs, outputs, grads)
            self.present = [g is not None and n for g, n in zip(found, self.needed, strict=True)]
            return tuple(make(g) for g, here in zip(found, self.present, strict=True) if here)

    def gradient(self, *_):
        raise RuntimeError(
            f"{self.node.rule.name}: its backward runs outside of autograd; gradients of gradients are not available"
        )


def lifted(rule_of, _out_spec=None):
    """Return the call of a function through autograd: `rule_of(skeleton)` is its rule."""

    def lift(args, keywords):
        tensors, skeleton = trees.take_apart((args, keywords), is_array)
        rule = rule_of(skeleton)
        # Under torch.func the run belongs to no single tape.
        records = (
            rule.has_tape
            and torch.is_grad_enabled()
            and any(t.requires_grad for t in tensors)
            and not torch._C._are_functorch_transforms_active()
        )
        results = Step.apply(Node(rule, records), *tensors)
        return trees.put_together(rule.result, results)

    return torch.compiler.disable(lift)  # torch.compile would trace into the conversions


def wrap(fn=None, backward=None):
    """Make a function of cuarray's arrays one of tensors, with gradients.

    Parameters
    ----------
    fn : callable
        It gets cuarray arrays over the memory of the tensors, read-only, on torch's current stream; nested lists,
        tuples, dicts and dataclasses are converted, other arguments given as they are. It returns an array, or
        nested containers of arrays. Without it, `wrap` returns a decorator.
    backward : callable, optional
        ``backward(inputs, output, grad)`` with the tuple of positional arguments of `fn`, what it returned, and
        the gradient with respect to that, None for results of integers and bools. It returns the gradient with
        respect to each positional argument, in its structure: a tuple, or the one alone. None means no gradient.

    Returns
    -------
    callable
        The same function of tensors. Results are tensors over the memory of cuarray's arrays, or of a copy where
        those are read-only, as views of the arguments are. `torch.func.vmap` calls `fn` once per element;
        `torch.compile` leaves it as it is, between two graphs.

    Raises
    ------
    RuntimeError
        By the result's `backward()`: without `backward` here; for gradients of gradients; if an argument was
        changed in place meanwhile.
    ValueError, TypeError
        If `backward` returns gradients of another number, structure, shape or kind.

    See Also
    --------
    custom_op : for `torch.compile`

    Examples
    --------
    >>> import torch
    >>> import cuarray as ca
    >>> from cuarray.interop.torch import wrap
    >>> @wrap(backward=lambda inputs, output, grad: grad * ca.cos(inputs[0]))
    ... def sine(x):
    ...     return ca.sin(x)
    >>> x = torch.zeros(3, requires_grad=True)
    >>> sine(x).sum().backward()
    >>> x.grad
    tensor([1., 1., 1.])
    """
    if fn is None:
        return functools.partial(wrap, backward=backward)
    for given in (fn, backward):
        if given is not None and not callable(given):
            raise TypeError(f"wrap: a function, not {given!r}")

    lift = lifted(lambda skeleton: Rule(fn, skeleton, backward=backward))

    @functools.wraps(fn)
    def wrapped(*args, **keywords):
        return lift(args, keywords)

    return wrapped


#: What the parameters of an operator may be, by their annotation in the function.
_SCHEMA_TYPES = {
    inspect.Parameter.empty: "Tensor", cuarray.ndarray: "Tensor", int: "int", float: "float", bool: "bool", str: "str",
    complex: "complex",
}  # fmt: skip


def _schema_of(fn):
    """Return the schema of an operator with the parameters of a function and one result."""
    parts = []
    for parameter in inspect.signature(fn).parameters.values():
        kind = _SCHEMA_TYPES.get(parameter.annotation)
        if kind is None or parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise TypeError(
                f"custom_op: parameter {parameter} of {fn.__name__}: arrays, int, float, bool, str and complex by "
                "position are known; write schema="
            )
        default = "" if parameter.default is inspect.Parameter.empty else f"={parameter.default!r}"
        parts.append(f"{kind} {parameter.name}{default}")
    return f"({', '.join(parts)}) -> Tensor"


def _blank(like):
    return torch.empty(tuple(like.shape), dtype=like.dtype, device=like.device)


class _Operator:
    """The functions that `torch.library` is given for one operator and for that of its gradients."""

    def __init__(self, name, schema, fn, like, backward):
        self.name, self.fn, self.like, self.backward = name, fn, like, backward
        self.parameters, _, results = schema.strip().partition("->")
        self.is_many = results.strip() != "Tensor"
        self.defaults = [p.default for p in inspect.signature(fn).parameters.values()]

    def run(self, *args):
        tensors, skeleton = trees.take_apart((args, {}), is_array)
        rule = Rule(self.contiguous, skeleton, name=self.name)
        results = Node(rule).evaluate(tensors)
        return trees.put_together(rule.result, results)

    def contiguous(self, *args):
        """Call the function; torch.compile relies on results in C order, as `run_fake` says."""
        arrays, skeleton = trees.take_apart(self.fn(*args), CUARRAY.is_array)
        return trees.put_together(skeleton, [contiguous(x) for x in arrays])

    def run_fake(self, *args):
        made = args[self.like] if isinstance(self.like, int) else self.like(*args)
        return tuple(map(_blank, made)) if self.is_many else _blank(made)

    def save(self, ctx, inputs, output):
        outputs = output if self.is_many else (output,)
        tensors, ctx.skeleton = trees.take_apart(self.filled(inputs), is_array)
        ctx.mark_non_differentiable(*(t for t in outputs if not differentiable(t)))
        ctx.count = len(tensors)
        ctx.save_for_backward(*tensors, *outputs)

    def filled(self, inputs):
        """Return the arguments with the defaults that PyTorch leaves out."""
        return (*inputs, *self.defaults[len(inputs) :])

    def pull_back(self, outputs, grads, *inputs):
        """Return the gradients of the tensors that have one; zeros where backward returns None."""
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


def custom_op(name, fn=None, *, like, backward=None, schema=None):
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
        parameters of `fn`: int, float, bool, str, complex by annotation, the others tensors; one result.

    Returns
    -------
    callable
        The operator, of tensors. Its results are contiguous in C order.

    Raises
    ------
    TypeError
        If a parameter is of another type.

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


def _collate(batch, *, collate_fn_map=None):
    return collate_tensor_fn([make(x) for x in batch], collate_fn_map=collate_fn_map)


default_collate_fn_map.setdefault(cuarray.ndarray, _collate)
torch.serialization.add_safe_globals([byte_methods.rebuild, bytes])  # empty bytes are pickled by their class
