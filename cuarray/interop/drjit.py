"""Dr.Jit, for `cuarray.interop.wrap`: tensors of the LLVM and CUDA backends, and their gradients."""

from importlib import import_module

import numpy as np

import cuarray
from cuarray.interop import _trees as trees
from cuarray.interop._rules import chosen, contiguous, in_places, nothing_kept, unchecked

try:
    import drjit as dr
except ImportError as error:
    raise ImportError("this needs Dr.Jit: pip install drjit") from error

__all__ = ["give", "is_array", "lifted", "make", "take", "vjp"]

#: The modules of Dr.Jit's types by the kind of device.
_MODULES = {"cpu": "drjit.llvm.ad", "cuda": "drjit.cuda.ad"}


def is_array(x):
    return isinstance(x, dr.ArrayBase)


def take(x):
    """Return a cuarray array over the memory of a Dr.Jit array, evaluated; nested types (Array3f) become axes."""
    x = dr.detach(x)
    dr.eval(x)
    dr.sync_thread()  # its streams are not ordered with others
    return cuarray.from_dlpack(x)


def _tensor_type(dtype, module):
    dtype = np.dtype(dtype)
    bits = "" if dtype.kind == "b" or dtype.itemsize == 4 else str(8 * dtype.itemsize)
    made = getattr(module, f"TensorX{dtype.kind}{bits}", None)
    if made is None:
        raise TypeError(f"wrap: Dr.Jit has no tensors of dtype {dtype}; convert with x.astype")
    return made


def _tensor(x, module):
    cuarray.current_stream(x.device).synchronize()
    return _tensor_type(x.dtype, module)(contiguous(x))


def give(x):
    """Return a tensor over the memory of an array."""
    return _tensor(x, import_module(_MODULES[x.device.kind]))


def make(x, like):
    """Return a tensor over the memory of an array, of the backend of the arrays `like`."""
    return _tensor(x, import_module(type(like[0]).__module__)) if like else give(x)


def _taken(derivatives):
    return [take(x) if dr.is_float_v(x) else None for x in derivatives]


def _shaped(x, like):
    """Return an array as one of the class of another; derivatives have the class of what they belong to."""
    if x is None:
        return dr.zeros(type(like), dr.shape(like))
    tensor = make(x, [like])
    return tensor if dr.is_tensor_v(like) else type(like)(tensor)


check = unchecked
untaped = forgotten = repeated = nothing_kept


def vjp(function, arrays, wanted):
    """Return the results of a function, and its `Tape`."""
    leaves = chosen(arrays, wanted)
    dr.enable_grad(*leaves)
    results = function([type(x)(x) for x in arrays])  # operators in place rebind these, not the leaves
    results = [x * 1 if dr.is_float_v(x) else x for x in results]  # vertices of their own: not leaves, nor inside
    return results, Tape(leaves, wanted, results)


class Tape:
    """The graph of a run: the function of the gradients of its results, and that of its arguments' tangents."""

    def __init__(self, leaves, wanted, results):
        self.leaves, self.wanted, self.results = leaves, wanted, results

    def __call__(self, grads):
        ends = [(x, g) for x, g in zip(self.results, grads, strict=True) if g is not None and dr.grad_enabled(x)]
        self.traverse(dr.ADMode.Backward, ends, self.leaves)
        return in_places(map(dr.grad, self.leaves), self.wanted)

    def push(self, tangents):
        ends = [(x, t) for x, t in zip(self.leaves, chosen(tangents, self.wanted), strict=True) if t is not None]
        self.traverse(dr.ADMode.Forward, ends, self.results)
        return [dr.grad(x) if dr.grad_enabled(x) else None for x in self.results]

    def traverse(self, mode, ends, others):
        dr.clear_grad(others)
        for x, derivative in ends:
            dr.clear_grad(x)
            dr.accum_grad(x, derivative)
            dr.enqueue(mode, x)
        if ends:
            dr.traverse(mode, dr.ADFlag.ClearVertices)


class Step(dr.CustomOp):
    """A call of a rule as an operation of Dr.Jit's."""

    def eval(self, rule, arrays):
        self.rule, self.arrays = rule, arrays
        inputs = [take(x) for x in arrays]
        results, self.pull, self.push = rule.linearize(inputs, [dr.is_float_v(x) for x in arrays])
        self.made = [make(x, arrays) for x in results]
        return self.made

    def backward(self):
        self.rule.require_gradient()
        found = self.pull(_taken(self.grad_out()))
        self.set_grad_in("arrays", [_shaped(g, x) for g, x in zip(found, self.arrays, strict=True)])

    def forward(self):
        self.rule.require_tangent()
        found = self.push(_taken(self.grad_in("arrays")))
        self.set_grad_out([_shaped(t, x) for t, x in zip(found, self.made, strict=True)])

    def name(self):
        return self.rule.name


def lifted(rule_of, _out_spec):
    """Return the call of a rule as an operation of Dr.Jit's."""

    def lift(args, keywords):
        arrays, skeleton = trees.take_arguments_apart(args, keywords, is_array)
        rule = rule_of(skeleton)
        rule.require_places([dr.grad_enabled(x) for x in arrays])
        results = dr.custom(Step, rule, arrays) if arrays else [give(x) for x in rule.run([])]
        return trees.put_together(rule.result, results)

    return lift


def __dir__() -> list[str]:
    return sorted(__all__)
