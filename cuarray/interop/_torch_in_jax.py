"""Functions of PyTorch's tensors as functions of cuarray's arrays, for `cuarray.interop.jax.call`."""

import jax

from cuarray.interop import _torch_autograd as ours
from cuarray.interop import _trees as trees
from cuarray.interop import torch as framework
from cuarray.interop._rules import Rule
from cuarray.interop.jax import too_narrow

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


def rehearsal(fn):
    """Return a function of tensors as one of cuarray's arrays, with results of its own, and a context to forget it."""

    def run(*args, **keywords):
        tree = _tensors((args, keywords))
        with ours.beside(_flatten((args, keywords))[0]), torch.no_grad():
            return _map(torch.as_tensor, fn(*tree[0], **tree[1]))

    return run, lambda: ours.forgotten(fn)


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
        is_narrowed = value.dtype != place.dtype and not (place.is_floating_point() or place.is_complex())
        if is_narrowed and not torch.equal(place.to(value.dtype), value.to(place.device)):
            raise OverflowError(too_narrow(name, value.dtype, place.dtype))


def _check(tree, fn):
    """Raise if a function has changed its arguments: JAX's arrays are immutable."""
    for tensor in _flatten(tree)[0]:
        if tensor._version:
            name = getattr(fn, "__name__", type(fn).__name__)
            raise RuntimeError(f"{name}: a tensor over a JAX array was changed in place; write tensor.clone() first")


def rule(fn, structure, count):
    """Return the rule of a function of tensors over the leaves of JAX's tree of its arguments."""

    def flat(*tensors):
        args, keywords = structure.unflatten(tensors)
        return [torch.as_tensor(x) for x in _flatten(fn(*args, **keywords))[0]]

    return ModuleRule(fn, flat, count)


class ModuleRule(Rule):
    """A rule of a function that may be a module, whose buffers stay when it runs again."""

    def __init__(self, fn, flat, count):
        super().__init__(flat, trees.arrays_alone(count), framework, name=getattr(fn, "__name__", type(fn).__name__))
        self.module = fn

    def repeated(self):
        return ours.repeated(self.module, self.name)
