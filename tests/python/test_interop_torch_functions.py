"""cuarray.interop.torch: functions inside autograd, torch.func and torch.compile; data loaders, files, streams."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "torch", "PIL", "tqdm")  # the last two for the example

NAMES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128"]  # fmt: skip


def address(x):
    return x.__array_interface__["data"][0]


def sine():
    return wrap(ca.sin, backward=lambda inputs, output, grad: grad * ca.cos(inputs[0]))


def double(*shape, grad=True):
    return torch.linspace(0.1, 1, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape).requires_grad_(grad)


def check_gradients_of_one_argument():
    for x in (double(5), double(2, 3).T, double(4, 3)[::2], double(0, 3), double(1)[0]):
        assert gradcheck(sine(), (x,))


def check_gradients_of_nested_arguments():
    @wrap(
        backward=lambda inputs, output, grad: (
            {"x": grad[0] * inputs[1][0], "k": None},
            (grad[0] * inputs[0]["x"], 2 * grad[1]["y"]),
        )
    )
    def f(first, second, *, shift):
        return first["x"] * second[0] * first["k"] + shift, {"y": 2 * second[1]}

    def flat(a, b, c):
        product, rest = f({"x": a, "k": 1}, (b, c), shift=torch.ones(3, dtype=torch.float64))
        return product, rest["y"]

    assert gradcheck(flat, (double(3), double(3) + 1, double(2)))


def check_keyword_arguments():
    """By name or by position, functions of gradients see the same arguments."""

    @wrap(backward=lambda inputs, output, grad: (grad * inputs[1], grad * inputs[0]))
    def f(x, k, *, shift=0.0):
        return x * k + shift

    x, k, shift = (torch.full((2,), v, requires_grad=True) for v in (2.0, 3.0, 4.0))
    f(x, k=k).sum().backward()
    f(k=k, x=x).sum().backward()
    assert x.grad.tolist() == [6, 6] and k.grad.tolist() == [4, 4]
    f(x, k=k, shift=shift.detach()).sum().backward()
    end = f(x, k=k, shift=shift).sum()
    assert "keyword argument 'shift'; give it by position" in str(error_of(end.backward, TypeError))


def check_complex_gradients():
    z = torch.tensor([1 + 2j, -0.5 + 0.1j], dtype=torch.complex128, requires_grad=True)
    square = wrap(lambda z: z * z, backward=lambda inputs, output, grad: 2 * grad * ca.conj(inputs[0]))
    absolute = wrap(ca.abs, backward=lambda inputs, output, grad: grad * inputs[0] / output)
    assert gradcheck(square, (z,)) and gradcheck(absolute, (z,))


def check_integers_have_no_gradient():
    @wrap(backward=lambda inputs, output, grad: (grads.append(grad) or grad[0] * inputs[1], None))
    def f(x, n):
        return x * n, ca.argsort(x)

    grads = []
    x, n = double(3), torch.tensor([3, 1, 2])
    product, order = f(x, n)
    assert product.requires_grad and not order.requires_grad and order.dtype == torch.int64
    product.sum().backward()
    assert x.grad.tolist() == [3, 1, 2] and grads[0][1] is None


def check_gradients_that_are_not_needed_or_not_there():
    f = wrap(lambda x, y: (x + y, x - y), backward=lambda inputs, output, grad: (grad[0], None))
    x, y = double(3), double(3)
    f(x, y)[0].sum().backward()
    assert x.grad.tolist() == [1, 1, 1] and y.grad is None
    f(x, y.detach())[1].sum().backward()  # the other result has the gradient zero
    assert x.grad.tolist() == [1, 1, 1]


def check_gradients_with_zero_strides():
    x = double(2, 3)
    sine()(x).sum().backward()
    assert torch.equal(x.grad, torch.cos(x.detach()))


def check_every_dtype():
    for name in NAMES:
        t = torch.arange(6).to(getattr(torch, name)).reshape(2, 3)
        seen = []
        result = wrap(lambda x: seen.append(x.dtype.name) or x.copy())(t)
        assert seen == [name] and result.dtype == t.dtype and torch.equal(result, t)


def check_memory_is_shared():
    seen = []
    t = torch.ones(4, dtype=torch.float64)
    result = wrap(lambda x: seen.append(x) or seen.append(x + 1) or seen[1])(t)
    assert address(seen[0]) == t.data_ptr() and address(seen[1]) == result.data_ptr()


def check_arguments_are_read_only():
    for write in (lambda x: x.__setitem__(0, 9), lambda x: x.__iadd__(1), lambda x: x.sort()):
        t = torch.ones(3)
        assert "read-only" in str(error_of(lambda: wrap(lambda x: write(x) or x)(t), ValueError))
        assert t.tolist() == [1, 1, 1]


def check_gradients_see_read_only_arrays():
    """Memory of tensors that autograd has saved, and that of gradients which it gives to others, too."""

    def backward(inputs, output, grad):
        for x in (*inputs, output, grad):
            assert "read-only" in str(error_of(lambda x=x: x.__setitem__(0, 9), ValueError))
            seen.append(x)
        return [grad] * len(inputs)

    seen, x = [], double(3)
    wrap(lambda x: x * 1, backward=backward)(x).sum().backward()
    wrap(lambda x, y: x * y, backward=backward)(x, x).sum().backward()
    in_tuples = wrap(lambda x: (x * 1,), backward=lambda i, output, grad: backward(i, output[0], grad[0]))
    in_tuples(x)[0].sum().backward()
    assert len(seen) == 10 and x.grad.tolist() == [4, 4, 4]


def check_results_do_not_alias_arguments():
    t = torch.ones(3)
    for f in (lambda x: x, lambda x: x[1:], lambda x: ca.broadcast_to(x, (2, 3))):
        result = wrap(f)(t)
        result[...] = 9
        assert t.tolist() == [1, 1, 1] and result.unique().tolist() == [9]


def check_lazy_tensors():
    z = torch.tensor([1 + 2j])
    for t in (z.conj(), z.conj().imag, torch._neg_view(torch.ones(1))):
        assert torch.equal(wrap(lambda x: x + 0)(t), t.resolve_conj().resolve_neg())
        seen = []
        wrap(lambda *args: seen.extend(args) or args[0] + 0)(z, t)
        assert address(seen[0]) == z.data_ptr() and seen[1].tolist() == t.tolist()


def check_parameters_and_other_classes():
    class Own(torch.Tensor):
        pass

    for t in (torch.nn.Parameter(double(3)), double(3, grad=False).as_subclass(Own)):
        assert torch.equal(torch.Tensor(sine()(t).detach()), torch.sin(torch.Tensor(t.detach())))


def check_new_data_leaves_nothing_dangling():
    seen, t = [], torch.full((1000,), 7.0)
    wrap(lambda x: seen.append(x) or x + 1)(t)
    t.data = torch.zeros(1)
    others = [torch.zeros(1000) for _ in range(20)]
    assert seen[0].tolist() == [7] * 1000 and others


def check_changes_between_forward_and_backward():
    x = double(3)
    y = x * 1
    loss = sine()(y).sum()
    y += 1
    assert "modified by an inplace operation" in str(error_of(loss.backward, RuntimeError))


def check_func_transforms():
    f, x = sine(), double(4, grad=False)
    assert torch.allclose(torch.func.grad(lambda x: f(x).sum())(x), torch.cos(x))
    assert torch.allclose(torch.func.jacrev(f)(x), torch.diag(torch.cos(x)))
    value, pull = torch.func.vjp(f, x)
    assert torch.allclose(value, torch.sin(x)) and torch.allclose(pull(x)[0], x * torch.cos(x))
    rows = double(2, 4, grad=False)
    assert torch.allclose(torch.func.vmap(torch.func.grad(lambda x: f(x).sum()))(rows), torch.cos(rows))


def check_vmap():
    f = wrap(lambda x, y: (x * y, x.sum()))
    x, y = double(2, 3, grad=False), double(2, grad=False)
    product, total = torch.func.vmap(f, in_dims=(1, None))(x, y)
    assert torch.allclose(product, x.T * y) and torch.allclose(total, x.sum(0))
    product, total = torch.func.vmap(f, in_dims=(-1, None))(x[:, :0], y)
    assert product.shape == (0, 2) and total.shape == (0,)
    nested = torch.func.vmap(torch.func.vmap(sine()))(x)
    assert torch.allclose(nested, torch.sin(x))


def check_double_backward_is_refused():
    x = double(3)
    (grad,) = torch.autograd.grad(sine()(x).sum(), x, create_graph=True)
    assert "gradients of gradients" in str(error_of(grad.sum().backward, RuntimeError))
    f = torch.func.grad(torch.func.grad(lambda x: sine()(x)))
    assert "gradients of gradients" in str(error_of(lambda: f(torch.tensor(0.5)), RuntimeError))


def check_without_backward():
    f = wrap(lambda x: x * 2)
    assert f(torch.ones(2)).tolist() == [2, 2]
    assert "give wrap a backward=" in str(error_of(f(double(2)).sum().backward, RuntimeError))


def check_wrong_gradients():
    x = double(3)
    for backward, kind, text in (
        (lambda i, o, g: (g, g), ValueError, "must return 1 gradients"),
        (lambda i, o, g: g[:2], ValueError, "shape (2,) for array 0 of shape (3,)"),
        (lambda i, o, g: g + 1j, TypeError, ".real"),
        (lambda i, o, g: "no", (TypeError, ValueError), ""),
        (lambda i, o, g: ca.zeros(3) / {}, TypeError, ""),
    ):
        loss = wrap(lambda x: x * 2, backward=backward)(x).sum()
        error = error_of(loss.backward, kind)
        assert text in str(error), (text, error)
    tree = wrap(lambda d: d["x"] * 2, backward=lambda i, o, g: ({"y": g},))
    assert "structure" in str(error_of(tree({"x": x}).sum().backward, ValueError))
    assert sine()(x).sum().backward() is None  # the next call works


def check_dtypes_of_gradients():
    """A gradient of another dtype is cast to the tensor's; one argument, several, and those that are not needed."""
    wide = wrap(lambda x: x * 2, backward=lambda inputs, output, grad: grad.astype("f8") * 2)
    x = torch.ones(3, requires_grad=True)
    wide(x).sum().backward()
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [2, 2, 2]
    both = wrap(lambda x, y: x * y, backward=lambda i, output, grad: [(grad * i[1]).astype("f8"), grad * i[0]])
    y = torch.full((3,), 3.0, requires_grad=True)
    both(x, y).sum().backward()
    assert x.grad.tolist() == [5, 5, 5] and y.grad.tolist() == [1, 1, 1]
    both(x, y.detach()).sum().backward()
    assert x.grad.tolist() == [8, 8, 8] and y.grad.tolist() == [1, 1, 1]
    whole = wrap(lambda x: x.astype(int), backward=lambda inputs, output, grad: grad)
    assert not whole(x).requires_grad and whole(x).tolist() == [1, 1, 1]


def check_wrong_functions():
    for wrong in (3, "f"):
        assert isinstance(error_of(lambda: wrap(wrong)), TypeError)
        assert isinstance(error_of(lambda: wrap(ca.sin, backward=wrong)), TypeError)
    assert "must return arrays of cuarray" in str(error_of(lambda: wrap(lambda x: None)(torch.ones(1)), TypeError))
    assert isinstance(error_of(lambda: wrap(lambda x: x.no)(torch.ones(1))), AttributeError)
    for t in (torch.eye(2).to_sparse(), torch.ones(2, device="meta")):
        assert isinstance(error_of(lambda: wrap(lambda x: x + 1)(t)), (BufferError, ValueError))


def check_other_arguments_and_results_stay():
    f = wrap(lambda x, n, names, k=1: (x * n, names, len(names) * k))
    result, names, count = f(torch.ones(2), 3, ["a", "b"], k=2)
    assert result.tolist() == [3, 3] and names == ["a", "b"] and count == 4


def check_nothing_leaks():
    x = double(1000)
    sine()(x).sum().backward()
    gc.collect()
    before = ca.memory.stats("cpu")["current"]
    for _ in range(200):
        x.grad = None
        sine()(x).sum().backward()
        error_of(wrap(lambda x: x * 2)(x).sum().backward)
    x.grad = None
    gc.collect()
    assert ca.memory.stats("cpu")["current"] <= before


def make_operator():
    @custom_op("cuarray_tests::scaled", like=0, backward=lambda i, o, g: (i[1] * g * ca.cos(i[0]), None))
    def scaled(x, factor: float = 2.0):
        return factor * ca.sin(x)

    @custom_op("cuarray_tests::polar", schema="(Tensor x, Tensor y, Tensor n) -> (Tensor, Tensor)",
               like=lambda x, y, n: (torch.empty_like(x), torch.empty_like(n)),
               backward=lambda i, o, g: (g[0] * i[0] / o[0], g[0] * i[1] / o[0], None))  # fmt: skip
    def polar(x, y, n):
        return ca.hypot(x, y), n + 1

    return scaled, polar


def check_operators():
    scaled, polar = OPERATORS
    x, n = double(2, 3), torch.arange(3)
    for args in ((x, 3.0), (x.detach().T, 3.0), (double(0, 2),)):
        torch.library.opcheck(scaled, args)
    assert scaled(torch.tensor(0.5)).shape == () and gradcheck(scaled, (double(1)[0],))
    torch.library.opcheck(polar, (double(3), double(3) + 1, n))
    assert gradcheck(scaled, (x, 3.0)) and gradcheck(lambda x, y: polar(x, y, n)[0], (double(3), double(3) + 1))
    assert polar(double(3), double(3), n)[1].tolist() == [1, 2, 3]


def check_operators_refuse_forward_mode():
    """PyTorch would take the tangents of their results for zeros."""
    scaled, polar = OPERATORS
    x, forward_ad = double(3, grad=False), torch.autograd.forward_ad

    def dual():
        with forward_ad.dual_level():
            return scaled(forward_ad.make_dual(x, x))

    for call in (
        lambda: torch.func.jvp(scaled, (x,), (x,)),
        lambda: torch.func.jacfwd(lambda x: polar(x, x, x.argsort())[0])(x),
        lambda: torch.compile(lambda x: torch.func.jvp(scaled, (x,), (x,))[1], backend="aot_eager")(x),
        dual,
    ):
        error = str(error_of(call))
        assert "no derivatives in forward mode" in error and "interop.torch.wrap(fn, jvp=)" in error, error
    assert torch.allclose(scaled(x), 2 * torch.sin(x))
    leaf = double(3)
    with forward_ad.dual_level():  # tensors without tangents
        assert torch.allclose(scaled(x), 2 * torch.sin(x)) and polar(x, x, x.argsort())[1].tolist() == [1, 2, 3]
        assert torch.allclose(scaled(leaf), 2 * torch.sin(leaf))
        moved = forward_ad.make_dual(x, x)
        for call in (lambda: polar(x, moved, x.argsort()), lambda: scaled(moved * 2), lambda: scaled(moved + leaf)):
            for is_recorded in (True, False):
                with torch.set_grad_enabled(is_recorded):
                    assert isinstance(error_of(call), NotImplementedError)


def check_compiled_operators():
    scaled, _ = OPERATORS
    x = double(2, 3)
    for backend in ("eager", "aot_eager", "inductor") if shutil.which("g++") else ("eager", "aot_eager"):
        f = torch.compile(lambda x: (scaled(x * 2, 1.5) + 1).sum(), backend=backend, fullgraph=True)
        value = f(x)
        (grad,) = torch.autograd.grad(value, x)
        assert torch.allclose(value, (1.5 * torch.sin(2 * x) + 1).sum())
        assert torch.allclose(grad, 3 * torch.cos(2 * x))


def check_wrapped_functions_beside_compiled_code():
    x, f = double(3), sine()
    compiled = torch.compile(lambda x: f(x * 2) + 1, backend="aot_eager")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*Dynamo does not know.*")
        value = compiled(x)
    (grad,) = torch.autograd.grad(value.sum(), x)
    assert torch.allclose(value, torch.sin(2 * x) + 1) and torch.allclose(grad, 2 * torch.cos(2 * x))


def check_wrong_operators():
    assert "write schema=" in str(error_of(lambda: custom_op("t::b", lambda *x: x, like=0), TypeError))

    def f(x, flag: list):
        return x

    assert "write schema=" in str(error_of(lambda: custom_op("t::c", f, like=0), TypeError))


def check_results_are_what_the_operator_says():
    """Compiled programs would read memory of another type or size."""

    @custom_op("errors::wide", like=0)
    def wide(x):
        return x.astype("float64")

    @custom_op("errors::short", like=0)
    def short(x):
        return x[:2]

    @custom_op("errors::two", like=0)
    def two(x):
        return x, x

    x = torch.ones(4)
    for op in (wide, short, two):
        for run in (op, torch.compile(lambda x, op=op: op(x) + 1)):
            error = error_of(lambda run=run: run(x), (TypeError, ValueError))
            assert "like says" in str(error) or "write schema=" in str(error), error
    for like in ("x", 1, -1, 1.5, None):
        error = error_of(lambda like=like: custom_op("errors::like", lambda x: x, like=like), TypeError)
        assert "position of one of 1 arguments" in str(error)

    @custom_op("several::two", like=lambda x: (x, torch.empty_like(x, dtype=torch.bool)))
    def sum_and_sign(x) -> tuple[torch.Tensor, torch.Tensor]:
        return x + x, x > 0

    for run in (sum_and_sign, torch.compile(sum_and_sign)):
        total, sign = run(x)
        assert total.tolist() == [2] * 4 and sign.tolist() == [True] * 4


def check_gradients_of_one_argument_in_a_sequence():
    for made in (lambda g: g, lambda g: (g,), lambda g: [g]):
        t = torch.ones(3, requires_grad=True)
        wrap(lambda a: a * 2, backward=lambda inputs, output, g, made=made: made(g * 2))(t).sum().backward()
        assert t.grad.tolist() == [2] * 3


def check_streams():
    s = ca.Stream("cpu")
    with stream(s) as current:
        assert current == s == ca.current_stream("cpu")
    assert ca.current_stream("cpu") != s
    assert "not 7" in str(error_of(lambda: stream(7).__enter__(), TypeError))


def check_names_that_the_allocators_rely_on():
    """cuarray.interop.memory is tested with stand-ins of these."""
    cuda = torch.cuda
    assert list(inspect.signature(cuda.caching_allocator_alloc).parameters) == ["size", "device", "stream"]
    assert list(inspect.signature(cuda.caching_allocator_delete).parameters) == ["mem_ptr"]
    pluggable = inspect.signature(cuda.memory.CUDAPluggableAllocator)
    assert list(pluggable.parameters) == ["path_to_so_file", "alloc_fn_name", "free_fn_name"]
    assert callable(cuda.memory.change_current_allocator) and issubclass(cuda.OutOfMemoryError, RuntimeError)
    if not torch.backends.cuda.is_built():
        assert "without CUDA" in str(error_of(memory.serve_torch, RuntimeError))


def check_the_example():
    """examples/gallery/splats.py: its gradients, and that its blobs approach the picture."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "gallery"))
    import splats

    places, widths, colours = double(3, 2), double(3, 2) + 0.3, double(3, 3)
    assert gradcheck(lambda *values: splats.renderer(*values, 11), (places, widths.detach().requires_grad_(), colours))
    pictures, losses = splats.fit(torch.linspace(0, 1, 300).reshape(10, 10, 3), 20, 40)
    assert losses[-1] < losses[0] / 4 and [p.shape for p in pictures] == [(10, 10, 3)] * 3


def check_docstrings():
    for module in (cuarray.interop.torch, cuarray.interop._torch_operator, memory):
        assert doctest.testmod(module).failed == 0


def check_work_runs_on_the_tensors_device():
    with ca.device(str(ca.devices()[0])):
        assert wrap(lambda x: x + ca.ones(2))(torch.ones(2)).tolist() == [2, 2]


if __name__ == "__main__":
    import doctest
    import gc
    import inspect
    import shutil
    import sys
    import warnings
    from pathlib import Path

    import torch
    from torch.autograd import gradcheck

    import cuarray
    import cuarray as ca
    from cuarray.interop import memory
    from cuarray.interop.torch import custom_op, stream, wrap

    ca.set_default_device("cpu")
    OPERATORS = make_operator()
    peers.main(globals())
