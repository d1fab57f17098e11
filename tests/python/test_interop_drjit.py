"""cuarray.interop.wrap with Dr.Jit, in both directions; it needs the LLVM library."""

import peers
import wrap_cases
from peers import error_of

test_check = wrap_cases.test_with_drjit(__file__)


def check_every_target():
    for target in ("numpy", "cuarray", "torch", "jax", "tensorflow"):
        wrap_cases.from_drjit(target)


def check_every_source():
    for source in wrap_cases.SOURCES.values():
        source("drjit")


def check_functions_that_change_their_variables():
    """Operators in place rebind the function's variables; the gradient is with respect to the argument."""

    def repeated(x):
        for _ in range(3):
            x *= x
        return x

    def added(x):
        x += x
        x -= 1
        x **= 2
        x /= 2
        return x

    for body, derivative in ((repeated, lambda x: 8 * x**7), (added, lambda x: 2 * (2 * x - 1))):
        x = torch.tensor([1.0, 2, 3, 4], requires_grad=True)
        wrap(body, source="torch", target="drjit")(x).sum().backward()
        close(x.grad, derivative(np.arange(1.0, 5)))
        assert x.tolist() == [1, 2, 3, 4]
        f = wrap(body, source="jax", target="drjit")
        close(jax.grad(lambda v, f=f: f(v).sum())(jax.numpy.asarray([1.0, 2, 3, 4])), derivative(np.arange(1.0, 5)))


def check_types():
    f = wrap(lambda v, w: (v * w).sum(0), source="drjit", target="torch")
    v, w = ll.Array3f([1, 2], [3, 4], [5, 6]), ll.Float([2, 3])
    dr.enable_grad(v, w)
    total = f(v, w)
    close(total, [18, 36])
    dr.backward(total)
    assert type(dr.grad(v)) is ll.Array3f and type(dr.grad(w)) is ll.Float
    close(dr.grad(v), [[2, 3]] * 3)
    close(dr.grad(w), [9, 12])
    plain = wrap(lambda x: x + 1, source="drjit", target="numpy")(drjit.llvm.Float([1, 2]))
    assert type(plain) is drjit.llvm.TensorXf
    for dtype in ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"):
        x = ca.asarray([0, 1, 1]).astype(dtype)
        back = wrap(lambda x: x, source="cuarray", target="drjit")(x)
        assert back.dtype == dtype and back.tolist() == x.tolist()
    for dtype in ("int16", "complex64"):
        error = error_of(lambda: wrap(lambda x: x, source="cuarray", target="drjit")(ca.ones(2, dtype)), TypeError)
        assert dtype in str(error)


def check_copies_can_be_forbidden():
    x = ca.arange(64.0).reshape(8, 8)
    assert ca.from_dlpack(x.drjit(copy=False)).data_ptr() == x.data_ptr()
    assert "copy=False" in str(error_of(lambda: x.T.drjit(copy=False), ValueError))
    constant = x.copy()
    constant.flags.writeable = False
    said = str(error_of(lambda: constant.drjit(copy=False), ValueError))
    assert "shared are writeable, C-contiguous arrays" in said
    assert ca.from_dlpack(constant.drjit()).data_ptr() != constant.data_ptr()
    private = x.drjit(copy=True)
    x[...] = 9
    assert ca.from_dlpack(private).sum() == 2016


def check_gradients_are_not_lost():
    """Dr.Jit exports the memory of arrays that gradients are wanted of."""
    x, leaf = ca.ones(3, "f4"), ll.Float(1, 2, 3)
    dr.enable_grad(leaf)
    for call in (
        lambda: ca.asarray(leaf), lambda: ca.from_dlpack(leaf), lambda: ca.sin(leaf), lambda: ca.add(x, leaf), lambda: np.add(x, leaf),
        lambda: ca.sum(leaf * 2), lambda: x.__setitem__(slice(None), leaf),
    ):  # fmt: skip
        assert "an array of Dr.Jit with a gradient" in str(error_of(call, BufferError))
    assert ca.asarray(dr.detach(leaf)).tolist() == [1, 2, 3] and x.tolist() == [1, 1, 1]
    for total in (x + leaf, leaf + x):  # its operators compute
        assert type(total) is ll.Float and dr.grad_enabled(total)
    assert type(x + ll.Float(1)) is ll.Float


def check_samplers_that_are_kept():
    """JAX runs a function again for derivatives, which were those of other numbers than the result's."""
    sampler = ll.PCG32(4)

    def scaled(x):
        return x * ll.TensorXf(sampler.next_float32(), (4,))

    x, f = jax.numpy.ones(4), wrap(scaled, source="jax", target="drjit")
    assert f(x).tolist() != f(x).tolist()
    for derivative in (
        lambda: jax.grad(lambda x: f(x).sum())(x),
        lambda: jax.jit(jax.jvp, static_argnums=0)(f, (x,), (x,)),
    ):
        assert "draws random numbers" in str(error_of(derivative))
    leaf = torch.ones(4, requires_grad=True)  # PyTorch remembers the run
    result = wrap(scaled, source="torch", target="drjit")(leaf)
    result.sum().backward()
    assert leaf.grad.tolist() == result.tolist()
    numbers = ll.TensorXf([0.1, np.nan, 0.3, np.inf])
    fixed = wrap(lambda x: x * numbers, source="jax", target="drjit")
    assert jax.grad(lambda x: fixed(x)[::2].sum())(x)[2] == numbers[2]


def check_missing_gradients():
    v = ll.TensorXf([1.0])
    dr.enable_grad(v)
    error = error_of(lambda: dr.backward(wrap(np.sin, source="drjit", target="numpy")(v)), RuntimeError)
    assert "custom" in str(error) or "backward=" in str(error)


def check_gradients_by_keyword_arguments():
    def backward(inputs, output, grad, *, shift):
        return grad * inputs[1], grad * inputs[0], {"shift": grad}

    def jvp(inputs, output, tangents, *, shift):
        return tangents[0] * inputs[1] + inputs[0] * tangents[1] + tangents[2]["shift"]

    f = wrap(lambda x, k, *, shift: x * k + shift, source="drjit", target="cuarray", backward=backward, jvp=jvp)
    for run, grad in ((lambda x, y: dr.backward(y) or x, dr.grad), (lambda x, y: dr.forward(x) or y, dr.grad)):
        x = ll.TensorXf([1.0, 2.0])
        dr.enable_grad(x)
        close(grad(run(x, f(2 * x, ll.TensorXf([1.0, 1.0]), shift=5 * x))), [7, 7])


if __name__ == "__main__":
    import drjit  # before TensorFlow, which otherwise aborts the process at its end
    import drjit as dr
    import drjit.llvm.ad as ll

    ll.TensorXf([1])
    import jax
    import numpy as np
    import tensorflow  # noqa: F401
    import torch
    from wrap_cases import close

    import cuarray as ca
    from cuarray.interop import wrap

    ca.set_default_device("cpu")
    peers.main(globals())
