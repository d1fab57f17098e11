"""Buffers, NumPy's dispatch protocols and the CUDA Array Interface: rejections, dispatch, and lifetimes."""

import contextlib
import ctypes
import gc
import operator
import sys
import threading
import weakref

import numpy as np
import pytest

import cuarray

FORMATS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
           "int64": "l", "uint64": "L", "float16": "e", "float32": "f", "float64": "d", "complex64": "Zf",
           "complex128": "Zd"}  # fmt: skip

WRITABLE, FORMAT, ND, STRIDES = 0x1, 0x4, 0x8, 0x18
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS = 0x38, 0x58, 0x98


@pytest.fixture
def cpu():
    with cuarray.device("cpu"):
        yield


def live_blocks(device="cpu"):
    gc.collect()
    return cuarray.memory.stats(device)["allocations"]


# The buffer protocol


class Buffer(ctypes.Structure):
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]  # fmt: skip


def request(x, flags):
    """Request a buffer as C code does, and release it."""
    view = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer.argtypes = [ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int]
    ctypes.pythonapi.PyObject_GetBuffer(x, ctypes.byref(view), flags)
    told = (bool(view.format), bool(view.shape), bool(view.strides), bool(view.readonly))
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return told


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name, cpu):
    view = memoryview(cuarray.ones((2, 3), name))
    item = np.dtype(name).itemsize
    assert (view.format, view.itemsize, view.shape, view.strides) == (FORMATS[name], item, (2, 3), (3 * item, item))
    assert np.asarray(view).dtype == np.dtype(name)


def test_arrays_without_elements_are_contiguous(cpu):
    for x in (cuarray.ones(0)[::-1], cuarray.ones((3, 0, 2)).T, cuarray.asarray([]).reshape(0)):
        assert memoryview(x).c_contiguous
        assert cuarray.frombuffer(x).shape == (0,)


def test_contiguity_is_honoured(cpu):
    c = cuarray.ones((2, 3))
    f, neither = c.T, cuarray.ones((4, 4))[::2, ::2]
    allowed = {C_CONTIGUOUS: [c], F_CONTIGUOUS: [f], ANY_CONTIGUOUS: [c, f], STRIDES: [c, f, neither], ND: [c]}
    for flags, arrays in allowed.items():
        for x in (c, f, neither):
            if any(x is a for a in arrays):
                assert request(x, flags | FORMAT)[2] == (flags != ND)
            else:
                with pytest.raises(BufferError):
                    request(x, flags | FORMAT)


def test_buffers_keep_what_they_described(cpu):
    x = cuarray.arange(6.0)
    view = memoryview(x)
    x.shape = (2, 3)
    assert view.shape == (6,) and view.strides == (8,) and view[5] == 5
    assert x[1, 2].item() == 5


def test_read_only_buffers(cpu):
    x = cuarray.broadcast_to(cuarray.ones(1), (3,))
    assert memoryview(x).readonly
    with pytest.raises(BufferError, match="read-only"):
        request(x, STRIDES | FORMAT | WRITABLE)


def test_buffers_hold_the_memory(cpu):
    before = live_blocks()
    view = memoryview(cuarray.ones(1000))
    assert live_blocks() == before + 1 and view[999] == 1
    view.release()
    assert live_blocks() == before


def test_no_references_are_left(cpu):
    x = cuarray.ones(3)
    count = sys.getrefcount(x)
    for _ in range(100):
        memoryview(x), np.asarray(x), x.__array__(), x.__array_interface__, x.__dlpack__(), x.T, x[1:], iter(x), x.flags
        np.from_dlpack(x)
    gc.collect()
    assert sys.getrefcount(x) == count


def test_cycles_of_containers_are_collected(device):
    """Through an array, its capsules and what consumed them."""
    before = live_blocks(device)
    x = cuarray.ones(1000)
    cycle = [x, x[1:], x.__dlpack__(), cuarray.from_dlpack(x.__dlpack__())]
    if device == "cpu":
        cycle += [np.from_dlpack(x), memoryview(x)]
    cycle.append(cycle)
    del x, cycle
    assert live_blocks(device) == before


# Memory that NumPy owns


def test_numpy_arrays_are_let_go(cpu):
    class Owner(np.ndarray):
        pass

    host = np.ones(5).view(Owner)
    alive = weakref.ref(host)
    x = cuarray.asarray(host)
    assert x.base is host
    y = x[2:]
    del host, x
    gc.collect()
    assert alive() is not None and y.sum().item() == 3
    del y
    gc.collect()
    assert alive() is None


def test_operands_are_let_go(cpu):
    host, x = np.ones(5), cuarray.ones(5)
    count = sys.getrefcount(host)
    for _ in range(50):
        x + host, host * x, cuarray.add(x, host, out=x), np.hypot(host, x)
        with pytest.raises(ValueError, match="broadcast"):
            x + host[:2]
    assert sys.getrefcount(host) == count


def test_results_go_into_numpy_arrays(cpu):
    x, host = cuarray.arange(3.0), np.zeros(3)
    assert np.add(x, 1, out=host) is host and host.tolist() == [1, 2, 3]
    assert cuarray.multiply(x, 2, out=host) is host and host.tolist() == [0, 2, 4]
    assert np.modf(x, out=(host, None))[0] is host
    host += x
    assert isinstance(host, np.ndarray)
    assert np.add.reduce(cuarray.ones((2, 3)), out=host) is host and host.tolist() == [2, 2, 2]
    host.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        np.add(x, 1, out=host)


# __array_ufunc__ and __array_function__


class Stranger:
    """Another library's array, which handles NumPy's calls itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return f"stranger's {ufunc.__name__}"

    def __array_function__(self, function, types, args, kwargs):
        return f"stranger's {function.__name__}"

    def __radd__(self, other):
        return "stranger's radd"

    def __eq__(self, other):
        return "stranger's eq"

    __hash__ = None


class OptedOut:
    __array_ufunc__ = None

    def __rsub__(self, other):
        return "rsub"

    def __rmatmul__(self, other):
        return "rmatmul"


class Prior:
    __array_priority__ = 1e6

    def __rmul__(self, other):
        return "rmul"

    def __len__(self):
        return 1

    def __getitem__(self, index):
        raise IndexError(index)


def test_others_come_first_where_they_say_so(device):
    x = cuarray.ones(2)
    assert x + Stranger() == "stranger's radd" and (x == Stranger()) == "stranger's eq"
    assert np.multiply(x, Stranger()) == "stranger's multiply" and np.sum(Stranger()) == "stranger's sum"
    assert np.concatenate([x, Stranger()]) == "stranger's concatenate"
    assert x - OptedOut() == "rsub" and x @ OptedOut() == "rmatmul"
    low = type(
        "Low",
        (Prior,),
        {"__array_priority__": 0.5, "__len__": lambda self: 2, "__getitem__": lambda self, i: [5, 6][i]},
    )()
    assert x * Prior() == "rmul" and x * low == "rmul", "NumPy's arrays have priority 0"
    with pytest.raises(TypeError):  # it does not add
        x + low
    x_before = x
    with pytest.raises(TypeError):
        x += OptedOut()
    assert x is x_before


def test_a_ufunc_of_ones_own_is_not_taken_for_numpys(device):
    add = np.frompyfunc(lambda a, b: a - b, 2, 1)
    if device == "cpu":
        assert add(cuarray.ones(2), 1).tolist() == [0, 0]
        return
    with pytest.raises(TypeError, match=r"write x\.numpy\(\)"):
        add(cuarray.ones(2), 1)


class Hostile:
    """Every access fails."""

    def __getattr__(self, name):
        raise ZeroDivisionError(name)

    def __bool__(self):
        raise ZeroDivisionError

    __index__ = __hash__ = __eq__ = __iter__ = __len__ = __float__ = __repr__ = lambda *args: 1 / 0


HOSTILE = [None, 5, -1, b"__call__", "", "__class__", "__reduce__", "at", (), [], {}, [[]], (None,), object, np.add, np.matmul, 2**70,
           float("nan"), Hostile(), Hostile, type, lambda: None, np.ma.masked, np.matrix([1]), "x" * 9999]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "method",
    ["__array_ufunc__", "__array_function__", "__array__", "__array_namespace__", "__dlpack__", "view", "__conform__"],
)
def test_hostile_arguments_of_protocols(method, device):
    """For any arguments, a protocol returns or raises: neither this call nor the next one crashes."""
    x = cuarray.arange(3.0)
    call = getattr(x, method)
    several = [(a, b) for a in HOSTILE for b in HOSTILE]
    right = {
        "__array_ufunc__": (np.add, "__call__", x, x),
        "__array_function__": (np.sum, (cuarray.ndarray,), (x,), {}),
    }
    several += (
        [(*right[method][:k], h, *right[method][k + 1 :]) for k in range(4) for h in HOSTILE] if method in right else []
    )
    several += [(), *((h,) for h in HOSTILE), *((h,) * 4 for h in HOSTILE), (*right.get(method, ()), x, x, x, x)]
    for args in several:
        with contextlib.suppress(Exception):
            call(*args)
    for name in (
        "out",
        "where",
        "dtype",
        "axis",
        "casting",
        "stream",
        "max_version",
        "dl_device",
        "copy",
        "type",
        "nonsense",
    ):
        for h in HOSTILE:
            for args in ((), right.get(method, ())):
                with contextlib.suppress(Exception):
                    call(*args, **{name: h})
    assert x.shape == (3,) and np.add(x, x).tolist() == (x + x).tolist()


@pytest.mark.parametrize(
    "args",
    [(np.add, b"__call__"), (np.add, "__class__"), (np.add, "__reduce__"), (np.add, None), (5, "__call__"), ([], "__call__"),
     (None, "__call__"), (np.matmul, "reduce"), (len, "__call__")],
)  # fmt: skip
def test_what_is_no_call_of_a_ufunc_is_a_type_error(args, device):
    x = cuarray.ones(3)
    with pytest.raises(TypeError, match=r"__array_ufunc__|has no method"):
        x.__array_ufunc__(*args, x, x)


@pytest.mark.parametrize(
    "args", [(None, (), (), {}), (np.sum, (), 5, {}), (np.sum, (), (), 5), (5, (), (), {}), (np.sum, 5, (), {})]
)
def test_what_is_no_call_of_a_function_is_a_type_error(args, device):
    with pytest.raises(TypeError):
        cuarray.ones(3).__array_function__(*args)


class Capsule:
    """A class that has memory, and no operators."""

    def __init__(self, x=None):
        self.x = cuarray.ones(3) if x is None else x

    def __dlpack__(self, **keywords):
        return self.x.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


OPERATORS = (operator.eq, operator.ne, operator.lt, operator.add, operator.matmul, operator.iadd, divmod)


def test_arrays_are_compared_and_not_identities(device):
    """A class that does not support cuarray returns NotImplemented, and Python would compare identities."""

    class Tensor:
        __array_priority__ = 1000

        def __array__(self, dtype=None, copy=None):
            return np.ones(3)

    class Unit(Capsule):
        __array_ufunc__ = None

    for number in (cuarray.ones(3), cuarray.ones(3).sum()):
        for other in (Tensor(), Unit()):
            for call in OPERATORS:
                for pair in ((number, other), (other, number)):
                    if call is operator.iadd and pair[0] is other:
                        continue
                    with pytest.raises(TypeError, match=r"write cuarray\.asarray\(y\) for the .*(Tensor|Unit) y"):
                        call(*pair)


def test_a_class_with_memory_that_leaves_an_operator_is_its_memory(device):
    """Its own operators go first: a class may have more to say than its memory."""

    class Says(Capsule):
        def __radd__(self, other):
            return "said"

        __eq__ = __radd__

    x, y = cuarray.arange(3.0), np.arange(3.0)
    for call in OPERATORS:
        for pair, expected in (((x, Capsule()), (y, np.ones(3))), ((Capsule(), x), (np.ones(3), y))):
            if call is operator.iadd:
                continue
            got, wanted = call(*pair), call(*expected)
            for one, other in zip(got, wanted, strict=True) if call is divmod else [(got, wanted)]:
                assert isinstance(one, cuarray.ndarray) and one.device == x.device
                np.testing.assert_array_equal(one.numpy(), other)
    assert x + Says() == "said" and (x == Says()) == "said"
    with pytest.raises(ValueError, match="broadcast"):
        cuarray.ones(4) == Capsule()  # noqa: B015
    with pytest.raises(ValueError, match="0-dimensional"):
        x.sum() @ Capsule()


def test_memory_on_another_device_is_not_moved_by_operators():
    if len(cuarray.devices()) < 2:
        pytest.skip("one device is present")
    with cuarray.device(cuarray.devices()[1]):
        other = Capsule(cuarray.ones(3))
    x = cuarray.ones(3, device="cpu")
    for call in OPERATORS:
        for pair in ((x, other), (other, x)):
            with pytest.raises(TypeError, match=r"write cuarray\.asarray\(y, device='cpu'\)"):
                call(*pair)


def test_what_is_not_there(device):
    x = cuarray.ones(3)
    assert not hasattr(x, "__cuda_array_interface__" if device == "cpu" else "__array_interface__")
    if device != "cpu":
        with pytest.raises(BufferError, match=r"write x\.numpy\(\)"):
            memoryview(x)


def test_unknown_functions_say_so(device):
    with pytest.raises(TypeError, match=r"no cuarray\.is_busday; there are no dates: use int64"):
        np.is_busday(cuarray.ones(3))


def test_numpy_arrays_beside_a_gpu_are_refused():
    for gpu in (d for d in cuarray.devices() if d != "cpu"):
        x, host = cuarray.ones(3, device=gpu), np.ones(3)
        for call in (lambda: x + host, lambda: host + x, lambda: np.add(x, host), lambda: cuarray.add(x, 1, out=host),
                     lambda: x.sum(out=np.zeros(()))):  # fmt: skip
            with pytest.raises(TypeError, match=rf"cuarray\.asarray.*{gpu}"):
                call()


def test_numpy_numbers_go_along(device):
    x = cuarray.arange(3.0)
    for two in (np.float64(2), np.asarray(2.0)):
        assert (two < x).tolist() == [False, False, False] == (x > two).tolist()
        assert (two * x).tolist() == [0, 2, 4] == np.multiply(two, x).tolist()


def test_array_namespace(device):
    x = cuarray.ones(1)
    assert x.__array_namespace__() is cuarray is x.__array_namespace__(api_version="2024.12")
    with pytest.raises(ValueError, match="1999"):
        x.__array_namespace__(api_version="1999.12")


# The CUDA Array Interface, described by a dictionary


def interface(**changes):
    class Foreign:
        pass

    foreign = Foreign()
    foreign.__cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (0, False), "version": 3} | changes
    return foreign


@pytest.mark.parametrize(
    ("changes", "error"),
    [({"shape": None}, ValueError), ({"shape": (-1,)}, ValueError), ({"typestr": ">f4"}, TypeError),
     ({"typestr": "<M8[s]"}, TypeError), ({"mask": object()}, NotImplementedError), ({"data": (1,)}, ValueError),
     ({"strides": (3,)}, ValueError), ({"strides": (4, 4)}, ValueError), ({"shape": (2**62, 8)}, ValueError),
     ({"version": 4}, ValueError), ({"version": -1}, ValueError), ({"version": "3"}, TypeError), ({"typestr": None}, ValueError),
     ({"typestr": 5}, TypeError), ({"typestr": np.float32}, TypeError), ({"data": None}, ValueError), ({"data": 5}, ValueError),
     ({"data": (None, False)}, TypeError), ({"data": (-8, False)}, ValueError), ({"data": (2**64, False)}, OverflowError),
     ({"data": (2**63, False)}, OverflowError), ({"stream": 0}, ValueError), ({"stream": "1"}, TypeError),
     ({"shape": "3"}, TypeError), ({"shape": (2**70,)}, ValueError), ({"strides": (2**70,)}, OverflowError)],
)  # fmt: skip
def test_bad_cuda_array_interfaces(changes, error):
    """Strides that are no multiple of the item size, and other faults, are errors (cupy #2589)."""
    foreign = interface(**changes)
    # The message names the wrong entry; a missing GPU is a ValueError, too.
    (entry,) = changes
    others = {"shape": "dimensions", "typestr": "dtype", "data": "pointer", "strides": "stride"}
    with pytest.raises(error, match=f"{entry}|{others.get(entry, entry)}"):
        cuarray.asarray(foreign)


class Unwilling:
    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("not today")


def test_errors_of_an_interface_come_through(cpu):
    with pytest.raises(RuntimeError, match="not today"):
        cuarray.asarray(Unwilling())


def test_cuda_array_interfaces_on_gpus():
    for gpu in (d for d in cuarray.devices() if d != "cpu"):
        x = cuarray.arange(12, dtype="f4", device=gpu)
        pointer = x.__cuda_array_interface__["data"][0]
        whole = {"shape": (12,), "data": (pointer, False)}
        y = cuarray.asarray(interface(**whole))
        assert y.tolist() == list(range(12)) and cuarray.shares_memory(x, y) and y.flags.writeable
        assert not cuarray.asarray(interface(**whole | {"data": [pointer, True]})).flags.writeable
        back = interface(shape=(2, 3), strides=(-24, 8), data=(pointer + 24, False))
        assert cuarray.asarray(back).tolist() == [[6, 8, 10], [0, 2, 4]]
        one = interface(shape=(1, 1), strides=(3, 2**62), data=(pointer, False))
        assert cuarray.asarray(one).tolist() == [[0]]
        for bad in (
            {"data": (pointer + 1, False)},
            {"strides": (2**62,)},
            {"strides": (-(2**62),)},
            {"shape": (2**61 - 1,)},
        ):
            with pytest.raises((ValueError, BufferError)):
                cuarray.asarray(interface(**whole | bad))


def test_what_the_cuda_array_interface_says():
    """No elements have no address (numba #4140, #4175; pytorch #98133; cuda-python #1396; ucx-py #70)."""
    for gpu in (d for d in cuarray.devices() if d != "cpu"):
        x = cuarray.arange(12, dtype="f4", device=gpu).reshape(3, 4)
        data = x.__cuda_array_interface__["data"]
        for view, shape, strides, is_read_only in (
            (x, (3, 4), None, False),
            (x.T, (4, 3), (4, 16), False),
            (x[0, ...], (4,), None, False),
            (x[0, 0, ...], (), None, False),
            (cuarray.broadcast_to(x[0], (2, 4)), (2, 4), (0, 4), True),
        ):
            interface = view.__cuda_array_interface__
            assert interface["data"] == (data[0], is_read_only) and interface["version"] == 3
            assert (interface["shape"], interface["strides"]) == (shape, strides)
        for nothing in (x[:0], x[3:, ::2], cuarray.ones((3, 0, 2), device=gpu)):
            interface = nothing.__cuda_array_interface__
            assert interface["shape"] == nothing.shape and interface["data"][0] == 0 and interface["strides"] is None
        assert cuarray.ones(2, bool, device=gpu).__cuda_array_interface__["typestr"] == "|b1"
        assert not hasattr(cuarray.ones(2, "bfloat16", device=gpu), "__cuda_array_interface__")


def test_numpy_arrays_beyond_the_address_space(cpu):
    """NumPy makes such arrays without checking the memory."""
    wild = np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (-(2**63),))
    for call in (lambda: cuarray.asarray(wild), lambda: cuarray.ones(2) + wild):
        with pytest.raises(BufferError, match="out of the address space"):
            call()


# Several threads


def test_threads_exchange_and_compute(cpu):
    before, faults = live_blocks(), []

    def work(seed):
        try:
            host = np.full(50_000, float(seed))
            for _ in range(30):
                x = cuarray.asarray(host, device="cpu")  # the fixture's device is only set for the main thread
                y = np.from_dlpack(x * 2 + np.asarray(x))
                assert y[0] == y[-1] == 3 * seed
                z = cuarray.from_dlpack(y)
                z += 1
                assert float(z.max()) == 3 * seed + 1
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert live_blocks() <= before


class LastsFor:
    """An object whose attributes are missing, and whose later ones raise."""

    def __init__(self, lookups, error):
        self.left, self.error = lookups, error

    def __getattr__(self, name):
        self.left -= 1
        raise AttributeError(name) if self.left >= 0 else self.error


@pytest.mark.parametrize("error", [ConnectionError("gone"), KeyboardInterrupt()], ids=repr)
def test_lookups_that_raise_in_a_comparison(device, error):
    # NumPy asks later, and crashes.
    for lookups in range(14):
        with pytest.raises(type(error)):
            cuarray.ones(3, device=device) == LastsFor(lookups, error)  # noqa: B015


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interruption_of_a_comparison_is_raised(device, error):
    errors = [TypeError, error]

    class Fickle:
        def __array__(self, dtype=None, copy=None):
            raise errors.pop(0)

    with pytest.raises(error):
        cuarray.ones(3, device=device) == Fickle()  # noqa: B015


def test_lists_of_any_depth_are_cast_without_swapping(device):
    class Endless(list):
        def __getitem__(self, key):
            return self

    assert cuarray.add(Endless([1, 2]), 1, casting="no").tolist() == [2, 3]
    swapped = np.arange(3, dtype=np.dtype("i4").newbyteorder())
    for call in (lambda: cuarray.add(swapped, 1, casting="no"), lambda: cuarray.concat([swapped], casting="no")):
        with pytest.raises(TypeError, match="swapped bytes"):
            call()
