"""Dr.Jit, for `cuarray.interop.wrap`: tensors of the LLVM and CUDA backends, and their gradients."""

from importlib import import_module

import numpy as np

import cuarray
from cuarray.interop import _trees as trees
from cuarray.interop._rules import contiguous

try:
    import drjit as dr
except ImportError as error:
    raise ImportError("this needs Dr.Jit: pip install drjit") from error

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


def _shaped(x, like):
    """Return an array as one of the class of another; gradients have the class of what they belong to."""
    tensor = make(x, [like])
    return tensor if dr.is_tensor_v(like) else type(like)(tensor)


def vjp(function, arrays, wanted):
    """Return the results of a function, and the function of their gradients by Dr.Jit's reverse mode."""
    for x, is_wanted in zip(arrays, wanted, strict=True):
        if is_wanted:
            dr.enable_grad(x)
    results = function([type(x)(x) for x in arrays])  # operators in place rebind these, not the leaves

    def pull_back(grads):
        ends = [(out, g) for out, g in zip(results, grads, strict=True) if g is not None and dr.grad_enabled(out)]
        leaves = [x for x, is_wanted in zip(arrays, wanted, strict=True) if is_wanted]
        dr.clear_grad(leaves)
        for out, g in ends:
            dr.clear_grad(out)
            dr.accum_grad(out, g)
            dr.enqueue(dr.ADMode.Backward, out)
        if ends:
            dr.traverse(dr.ADMode.Backward, dr.ADFlag.ClearVertices)
        return [dr.grad(x) if is_wanted else None for x, is_wanted in zip(arrays, wanted, strict=True)]

    return results, pull_back


class Step(dr.CustomOp):
    """A call of a rule as an operation of Dr.Jit's."""

    def eval(self, rule, arrays):
        self.rule, self.arrays = rule, arrays
        inputs = [take(x) for x in arrays]
        self.wanted = [dr.is_float_v(x) for x in arrays]
        self.pull = None
        if rule.has_tape:
            results, self.pull = rule.linearize(inputs, self.wanted)
        else:
            results = rule.run(inputs)
        self.inputs, self.results = inputs, results
        return [make(x, arrays) for x in results]

    def backward(self):
        if not self.rule.has_gradient:
            raise RuntimeError(f"{self.rule.name} has no gradient: give wrap a backward=")
        ends = self.grad_out()
        grads = [take(g) if dr.is_float_v(g) else None for g in ends]
        found = self.pull(grads) if self.pull else self.rule.pull_back(self.inputs, self.results, grads)
        self.set_grad_in("arrays", [
            dr.zeros(type(x), dr.shape(x)) if g is None else _shaped(g, x)
            for g, x in zip(found, self.arrays, strict=True)
        ])  # fmt: skip

    def forward(self):
        raise NotImplementedError(f"{self.rule.name}: derivatives in forward mode are not available")

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
