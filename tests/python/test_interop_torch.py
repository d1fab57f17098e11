"""PyTorch and cuarray: exchange of arrays in both directions, over shared memory."""

import io
import zlib

import peers
from peers import error_of

test_check = peers.test_of(__file__, "torch")

NAMES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def address(x):
    return x.__array_interface__["data"][0]


def check_from_numpy_takes_ours_in_programs_of_cuarray_numpy():
    """torch.from_numpy asks for NumPy's own class; such programs give it what they have made by their np."""
    import importlib

    from cuarray._numpy import operators

    theirs = torch.from_numpy
    importlib.import_module("cuarray.numpy")
    operators.install()
    try:
        x = cuarray.arange(4.0)
        tensor = torch.from_numpy(x)
        tensor[0] = 9
        assert x[0] == 9 and torch.from_numpy(np.ones(2)).tolist() == [1, 1]
        assert isinstance(error_of(lambda: torch.from_numpy([1])), TypeError)
    finally:
        operators.remove()
        torch.from_numpy = theirs


def check_every_type_goes_there():
    """With bool as bool, not as uint8 (pytorch #67081, #94463, #114673)."""
    for name in NAMES:
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        t = torch.from_dlpack(x)
        assert str(t.dtype) == f"torch.{name}" and tuple(t.shape) == (2, 3)
        assert t.to(torch.complex128).tolist() == x.astype("c16").tolist()
        if name != "bfloat16":
            assert t.data_ptr() == address(x)


def check_every_type_comes_here():
    for name in NAMES:
        t = torch.arange(6).to(getattr(torch, name)).reshape(2, 3)
        x = cuarray.from_dlpack(t)
        assert x.dtype.name == name and x.shape == (2, 3)
        assert x.astype("c16").tolist() == t.to(torch.complex128).tolist()
        t[0, 0] = 1
        assert x.astype("c16")[0, 0].item() == 1, "one memory"


def check_views():
    """Also without elements (pytorch #117058, #117273)."""
    x = cuarray.arange(12.0).reshape(3, 4)
    for view in (x.T, x[1:, ::2], x[0, ...], x[:0], x[1, 1, ...]):
        t = torch.from_dlpack(view)
        assert t.tolist() == view.tolist()
    t = torch.arange(12.0).reshape(3, 4)
    for view in (t.T, t[1:, ::2], t[0], t[:0]):
        assert cuarray.from_dlpack(view).tolist() == view.tolist()
        assert cuarray.asarray(view).tolist() == view.tolist()


def check_negative_strides_are_refused_or_copied():
    """PyTorch aborts the process over them (pytorch #188023, scikit-learn #34307)."""
    x = cuarray.arange(3.0)[::-1]
    try:
        values = torch.from_dlpack(x).tolist()
    except (ValueError, RuntimeError, BufferError):
        return
    assert values == [2, 1, 0]


def check_other_ways_in():
    """Numbers of the right type, or an error, never garbage (pytorch #188128, #54139)."""
    square, bytes_, value = cuarray.ones((2, 2)), cuarray.arange(4, dtype="u1"), cuarray.ones(2)[0]
    for x in (
        cuarray.arange(3.0),
        square,
        square.astype("f4"),
        bytes_,
        bytes_.reshape(2, 2),
        cuarray.full((), 2.5),
        value,
        square[:0],
    ):
        for make in (torch.as_tensor, torch.tensor):
            assert make(x).tolist() == x.tolist() and str(make(x).dtype) == f"torch.{x.dtype}"
        # PyTorch 2.13 requests raw bytes here and would read them as float32: cuarray can only raise.
        for options in ({}, {"dtype": torch.float64}):
            try:
                values = torch.asarray(x, **options)
            except RuntimeError as error:
                assert "buffer" in str(error)
            else:
                assert values.tolist() == x.tolist() and (options or str(values.dtype) == f"torch.{x.dtype}")


def check_bytes_beside_torch():
    """What other libraries ask for, PyTorch being imported."""
    x = cuarray.ones((2, 2))
    assert zlib.crc32(x) == zlib.crc32(x.tobytes()) and io.BytesIO(bytes(32)).readinto(cuarray.ones(4)) == 32
    assert torch.frombuffer(x.data, dtype=torch.float64).tolist() == [1, 1, 1, 1]


def check_memory_outlives_either_side():
    """Whichever goes first (numba #4886, #5323)."""
    x = cuarray.ones(1000)
    t = torch.from_dlpack(x)
    del x
    assert t.sum() == 1000
    x = cuarray.from_dlpack(t)
    del t
    assert x.sum().item() == 1000


def check_writes_are_seen():
    x = cuarray.zeros(3)
    t = torch.from_dlpack(x)
    t += 2
    x[0] = 7
    assert x.tolist() == t.tolist() == [7, 2, 2]


def subclassed(t):
    return t.as_subclass(type("Subclass", (torch.Tensor,), {}))


def every_way(t):
    """Conversions of a tensor of one element."""
    return [lambda: cuarray.from_dlpack(t), lambda: cuarray.asarray(t), lambda: cuarray.array(t), lambda: cuarray.from_dlpack(t, copy=True),
            lambda: cuarray.add(t, 1), lambda: cuarray.concatenate([cuarray.zeros(1), t]),
            lambda: cuarray.zeros(1).__setitem__(..., t), lambda: cuarray.full(1, t)]  # fmt: skip


def check_negated_and_conjugated_views():
    """They are flags of the tensor, not in its memory."""
    z = torch.tensor([1 + 2j])
    for t in (z.conj().imag, torch._neg_view(torch.ones(1)), subclassed(torch._neg_view(torch.ones(1)))):
        for way in every_way(t):
            error = error_of(way)
            assert isinstance(error, BufferError) and "resolve_neg" in str(error), error
        assert cuarray.asarray(t.resolve_neg()).tolist() == t.tolist()
    for way in every_way(z.conj()):
        assert "resolve_conj" in str(error_of(way, BufferError))
    assert cuarray.asarray(z.conj().resolve_conj()).tolist() == [1 - 2j]
    assert cuarray.asarray(z.conj().conj().imag).tolist() == [2]


def check_tensors_without_memory():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.ones(1)
    freed = torch.ones(1)
    freed.untyped_storage().resize_(0)
    for t in (fake, freed, torch._efficientzerotensor((1,)), torch.ones(1, device="meta")):
        for way in every_way(t):
            error = error_of(way)
            assert isinstance(error, BufferError) and "no memory" in str(error), error


def check_tensors_that_are_more_than_memory():
    square = torch.eye(2)
    quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    for t in (
        torch.ones(2, requires_grad=True),
        torch.nn.Parameter(torch.ones(2)),
        square.to_sparse(),
        square.to_sparse_csr(),
        quantized,
    ):
        for way in every_way(t):
            assert isinstance(error_of(way), BufferError)
    assert cuarray.asarray(torch.ones(2, requires_grad=True).detach()).tolist() == [1, 1]


def check_subclasses_and_shared_views():
    t = subclassed(torch.arange(3.0))
    x = cuarray.asarray(t)
    x[0] = 7
    assert t[0] == 7
    lazy = t._lazy_clone()
    cuarray.asarray(lazy)[1] = 9
    assert t.tolist() == [7, 1, 2], "a copy on write was not made"
    assert cuarray.asarray(torch.ones(1).expand(3)).strides == (0,)


def check_computing_together():
    t = torch.linspace(0, 1, 100, dtype=torch.float64)
    y = cuarray.sin(cuarray.from_dlpack(t))
    assert torch.allclose(torch.from_dlpack(y), torch.sin(t))


def check_operators_compare_or_raise():
    make = lambda: torch.tensor([1.0, 2, 3], dtype=torch.float64)  # noqa: E731  (as the other tables have it)
    for axes in (1, 0):
        faults = faults_of_operators(make, axes, left_out=("eq", "ne", "lt", "le", "gt", "ge"))  # theirs first: tensors
        assert not faults, "\n".join(faults)
    grad = torch.ones(3, dtype=torch.float64, requires_grad=True)
    for call in (lambda: cuarray.ones(3) + grad, lambda: cuarray.sum(grad), lambda: np.add(cuarray.ones(3), grad)):
        try:
            result = call()
        except (TypeError, BufferError, RuntimeError):
            continue
        raise AssertionError(f"a tensor lost its gradient: {result}")


def check_tangents_are_not_lost():
    """Inside of dual_level() a tensor has its tangent beside its memory, and PyTorch exports it all the same."""
    x = cuarray.ones(2)
    with forward_ad.dual_level():
        plain = torch.ones(2, dtype=torch.float64)
        dual = forward_ad.make_dual(plain, 2 * plain)
        for call in (
            lambda: x * dual, lambda: x == dual, lambda: np.add(x, dual), lambda: cuarray.sin(dual), lambda: cuarray.asarray(dual),
            lambda: cuarray.from_dlpack(dual), lambda: cuarray.sum(dual), lambda: x.__iadd__(dual),
        ):  # fmt: skip
            assert "a tensor with a tangent" in str(error_of(call, BufferError))
        assert (x * plain).tolist() == (x * dual.detach()).tolist() == [1, 1] and x.tolist() == [1, 1]
        assert forward_ad.unpack_dual(dual * x).tangent.tolist() == [2, 2]
        for sparse in (torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr()):
            assert "to_dense()" in str(error_of(lambda t=sparse: cuarray.asarray(t), BufferError))
    assert (x * dual).tolist() == [1, 1]


def check_functions_read_tensors():
    make = lambda: torch.tensor([1.0, 2, 3], dtype=torch.float64)  # noqa: E731
    for faults in (faults_of_reading(make), faults_of_mixing(make)):
        assert not faults, "\n".join(faults)


def check_tensors_beside_ours_are_their_memory():
    """Operators with ours first give our arrays, or raise; none compares identities."""
    x, t = cuarray.arange(3.0), torch.arange(3.0, dtype=torch.float64)
    for result in (x + t, x @ t, x == t, x > t, -x + t, x[:, None] * t, x - t.as_subclass(torch.Tensor)):
        assert isinstance(result, cuarray.ndarray), result
    assert (x == t).all() and not (t != x).any() and (x @ t) == 5
    before = address(x)
    x += t
    assert address(x) == before and x.tolist() == [0, 2, 4] and t.tolist() == [0, 1, 2]
    for other in (
        torch.ones(4),
        torch.ones(3, requires_grad=True),
        torch.eye(3).to_sparse(),
        torch.ones(3, device="meta"),
    ):
        for operator in ("__add__", "__radd__", "__eq__", "__ne__", "__lt__", "__iadd__", "__matmul__"):
            if operator != "__radd__" or other.device.type != "meta":
                assert isinstance(error_of(lambda: getattr(x, operator)(other)), (ValueError, BufferError, TypeError))


def check_the_method_torch():
    """PyTorch ignores the read-only flag, so that it gets a copy (array-api #191, dpctl #1755, pytorch #188554)."""
    for name in NAMES:
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        t = x.torch()
        assert type(t) is torch.Tensor and str(t.dtype) == f"torch.{name}" and tuple(t.shape) == (2, 3)
        assert t.to(torch.complex128).tolist() == x.astype("c16").tolist()
        t[0, 0] = 1
        assert x.astype("c16")[0, 0] == 1, "one memory"
    x = cuarray.arange(12.0).reshape(3, 4)
    for view in (x.T, x[1:, ::2], x[:0], x[::-1, ::-2], x[1, 1, ...], cuarray.broadcast_to(x[0], (2, 4)), x.sum()):
        assert view.torch().tolist() == view.tolist()
    hashed = x.sum()
    assert {hashed}
    for constant in (cuarray.broadcast_to(x[0], (2, 4)), hashed):
        constant.torch().zero_()
        assert constant.tolist() != cuarray.zeros_like(constant).tolist(), "a read-only array was written"


def check_copies_can_be_forbidden():
    x = cuarray.arange(6.0).reshape(2, 3)
    constant = cuarray.ones(3)
    constant.flags.writeable = False
    for shared in (x, x.T, x[:, ::2], x[:0], x[0, ...]):
        assert shared.torch(copy=False).data_ptr() == shared.data_ptr()
    for copied in (x[::-1], constant):
        assert "copy=False" in str(error_of(lambda copied=copied: copied.torch(copy=False), ValueError))
    for own in (x, x[::-1], constant):
        tensor = own.torch(copy=True)
        tensor[...] = 9
        assert (own != 9).all() and tensor.shape == own.shape


def check_memory_that_a_tensor_had():
    """PyTorch gives a tensor other memory, and would free that of its capsules: the import holds the storage."""
    for read in (cuarray.asarray, cuarray.from_dlpack):
        t = torch.arange(1000.0)
        x = read(t)
        assert address(x) == t.data_ptr()
        t.data = torch.zeros(1000)
        others = [torch.full((1000,), 7.0) for _ in range(100)]
        assert x.tolist() == list(range(1000)) and len(others) == 100


def check_the_table_is_asked_nothing_that_it_does_not_check():
    """PyTorch's own function gives the memory of these tensors as if nothing were to say: see BufferError instead."""
    table = torch.Tensor.__dlpack_c_exchange_api__
    assert "dlpack_exchange_api" in repr(table), "this version has no table, and these checks test nothing"
    z = torch.tensor([1 + 2j])
    for t in (torch.ones(1, requires_grad=True), z.conj(), z.conj().imag, torch._efficientzerotensor((1,))):
        for way in every_way(t):
            assert isinstance(error_of(way), BufferError)

    def inside(t):
        assert isinstance(error_of(lambda: cuarray.asarray(t)), (RuntimeError, BufferError))
        return t.sum()

    torch.vmap(inside)(torch.ones(2, 3))
    torch.func.grad(inside)(torch.ones(3))


def check_imports_do_not_leak():
    import gc
    import weakref

    t = torch.ones(1000)
    for _ in range(100):
        cuarray.asarray(t), cuarray.from_dlpack(t), t + cuarray.ones(1000)
    gc.collect()
    alive = weakref.ref(t)
    x = cuarray.from_dlpack(t)
    del t
    gc.collect()
    assert alive() is None and x.sum() == 1000


def check_tensors_as_indices():
    x = cuarray.asarray([5, 6, 7])
    assert x[torch.tensor([2, 0])].tolist() == [7, 5] and x[torch.tensor(1)] == 6
    assert x[torch.tensor([True, False, True])].tolist() == [5, 7]


if __name__ == "__main__":
    import numpy as np
    import torch
    import torch.autograd.forward_ad as forward_ad
    from foreign import faults_of_mixing, faults_of_operators, faults_of_reading

    import cuarray

    cuarray.set_default_device("cpu")
    peers.main(globals())
