"""PyTorch: functions of cuarray's arrays inside autograd, `torch.func` and `torch.compile`; common streams."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import cuarray
from cuarray.interop._rules import ByPosition, Rule
from cuarray.interop._torch_autograd import check as check
from cuarray.interop._torch_autograd import forgotten as forgotten
from cuarray.interop._torch_autograd import give as give
from cuarray.interop._torch_autograd import is_array as is_array
from cuarray.interop._torch_autograd import lifted as lifted
from cuarray.interop._torch_autograd import make as make
from cuarray.interop._torch_autograd import repeated as repeated
from cuarray.interop._torch_autograd import take as take
from cuarray.interop._torch_autograd import untaped as untaped
from cuarray.interop._torch_autograd import vjp as vjp
from cuarray.interop._torch_autograd import zeros_like as zeros_like
from cuarray.interop._torch_operator import custom_op as custom_op

import torch  # isort: skip  (the modules above say what to install)

__all__ = ["custom_op", "stream", "wrap"]


def __dir__() -> list[str]:
    return sorted(__all__)


@contextlib.contextmanager
def stream(s: Any) -> Iterator[cuarray.Stream]:
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


def wrap(
    fn: Callable[..., Any] | None = None,
    backward: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Make a function of cuarray's arrays one of tensors, with gradients.

    Parameters
    ----------
    fn : callable
        It gets cuarray arrays over the memory of the tensors, read-only, on torch's current stream; nested lists,
        tuples, dicts and dataclasses are converted, other arguments given as they are. It returns an array, or
        nested containers of arrays. Without it, `wrap` returns a decorator.
    backward : callable, optional
        ``backward(inputs, output, grad)`` with the tuple of positional arguments of `fn`, to which those given by
        name belong if they can follow by position, what it returned, and the gradient with respect to that, None
        for results of integers and bools. It returns the gradient with respect to each positional argument, in its
        structure: a tuple, or the one alone. None means no gradient. Arguments by name as of `cuarray.interop.wrap`.
    jvp : callable, optional
        ``jvp(inputs, output, tangents)``, for forward mode: `tangents` has the structure of `inputs`, with zeros for
        those that stay and None for integers. It returns the tangent of `output`, in its structure.

    Returns
    -------
    callable
        The same function of tensors. Results are tensors over the memory of cuarray's arrays, or of a copy where
        those are read-only, as views of the arguments are. `torch.func.vmap` calls `fn` once per element;
        `torch.compile` leaves it as it is, between two graphs.

    Raises
    ------
    TypeError
        By the result's `backward()`, if a gradient of another keyword argument is needed.
    RuntimeError
        By the result's `backward()`: without `backward` here; for gradients of gradients; if an argument was
        changed in place meanwhile. In forward mode without `jvp`.
    ValueError, TypeError
        If `backward` or `jvp` returns derivatives of another number, structure, shape or kind.

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
        return functools.partial(wrap, backward=backward, jvp=jvp)
    for given in (fn, backward, jvp):
        if given is not None and not callable(given):
            raise TypeError(f"wrap: a function, not {given!r}")

    lift = lifted(Rule(fn, ((), {}), backward=backward, jvp=jvp).called_with)
    by_position = ByPosition(fn)

    @functools.wraps(fn)
    def wrapped(*args, **keywords):
        return lift(*by_position(args, keywords)) if keywords else lift(args, keywords)

    return wrapped
