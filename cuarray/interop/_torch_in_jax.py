"""Functions of PyTorch's tensors as functions of cuarray's arrays, for `cuarray.interop.jax.call`."""

import jax

from cuarray.interop import _torch_autograd as ours
from cuarray.interop._rules import is_differentiable

import torch  # isort: skip  (the module above says what to install)

_flatten, _map = jax.tree_util.tree_flatten, jax.tree_util.tree_map


def _tensors(tree):
    return _map(ours.give, tree)


def run(fn, *args, out, **keywords):
    """Write the results of a function of tensors to `out`."""
    tree = _tensors((args, keywords))
    with ours.beside(_flatten(out)[0]), torch.no_grad():
        result = fn(*tree[0], **tree[1])
        _store(out, result, fn)
    _check(tree, fn)


def _store(out, result, fn):
    places, structure = _flatten(_tensors(out))
    values, found = _flatten(result)
    name = getattr(fn, "__name__", type(fn).__name__)
    if found != structure:
        raise ValueError(f"{name}: the result has the structure {found}; out_spec says {structure}")
    for place, value in zip(places, values, strict=True):
        value = torch.as_tensor(value)
        if value.shape != place.shape:
            raise ValueError(f"{name}: a result of shape {tuple(value.shape)}; out_spec says {tuple(place.shape)}")
        if not torch.can_cast(value.dtype, place.dtype):
            raise TypeError(f"{name}: a result of {value.dtype}; out_spec says {place.dtype}")
        place.copy_(value)


def _check(tree, fn):
    """Raise if a function has changed its arguments: JAX's arrays are immutable."""
    for tensor in _flatten(tree)[0]:
        if tensor._version:
            name = getattr(fn, "__name__", type(fn).__name__)
            raise RuntimeError(f"{name}: a tensor over a JAX array was changed in place; write tensor.clone() first")


def pull_back(fn, inputs, _output, grad):
    """Return the cotangents of the inputs by PyTorch's autograd, from another run of the function.

    JAX's cotangent of a complex number is the conjugate of PyTorch's gradient.
    """
    arrays, structure = _flatten(inputs)
    again = ours.repeated(fn, getattr(fn, "__name__", type(fn).__name__))
    with ours.beside(arrays), torch.enable_grad(), again:
        tensors = [ours.give(x) for x in arrays]
        leaves = [t.requires_grad_() for t in tensors if ours.differentiable(t)]
        outputs = _flatten(fn(*structure.unflatten(tensors)))[0]
        ends = _flatten(grad, is_leaf=lambda x: x is None)[0]
        pairs = [
            (out, ours.give(end).conj())
            for out, end in zip(outputs, ends, strict=True)
            if end is not None and out.requires_grad
        ]
        found = iter(_gradients(pairs, leaves))
        flat = [next(found) if is_differentiable(x) else None for x in arrays]
    return structure.unflatten([g if g is None else ours.take(g.conj()) for g in flat])


def _gradients(pairs, leaves):
    if not pairs or not leaves:
        return [None] * len(leaves)
    outputs, ends = zip(*pairs, strict=True)
    return torch.autograd.grad(outputs, leaves, ends, allow_unused=True)
