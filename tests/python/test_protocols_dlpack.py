"""DLPack in detail: contents of capsules, their release, and producers of every version."""

import ctypes
import enum
import gc
import subprocess
import sys
import threading

import capsules
import hypothesis
import numpy as np
import pytest
from capsules import IS_COPIED, READ_ONLY, Legacy, Producer, Versioned, consume, name_of, open_capsule
from hypothesis import strategies as st
from peers import complaints

import cuarray

NUMPY_TYPES = [cuarray._core.dtype(name) for name in cuarray._core.dtype_names() if name != "bfloat16"]


@pytest.fixture(autouse=True)
def cpu():
    with cuarray.device("cpu"):
        yield


def live_blocks():
    gc.collect()
    return cuarray.memory.stats("cpu")["allocations"]


def address(x):
    return x.__array_interface__["data"][0]


# Contents of capsules


@pytest.mark.parametrize("dtype", NUMPY_TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (3, 0, 2), (1, 4, 1)], ids=str)
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_description(dtype, shape, version):
    """Arrays with axes have strides, 0-d arrays neither shape nor strides (dlpack #177, numpy #29872)."""
    size = int(np.prod(shape))
    x = cuarray.asarray((np.arange(size) % 2).astype(dtype).reshape(shape))
    tensor = open_capsule(capsule := x.__dlpack__(max_version=version)).tensor
    assert (tensor.device.type, tensor.device.id) == (1, 0) == x.__dlpack_device__()
    assert tensor.ndim == x.ndim and tensor.byte_offset == 0 and tensor.dtype.lanes == 1
    assert bool(tensor.strides) == bool(x.ndim) == bool(tensor.shape)
    assert tensor.data == (address(x) if x.size else None)
    np.testing.assert_array_equal(capsules.values(tensor), x.numpy())
    del capsule


def test_axes_of_extent_one_have_the_strides_of_c_order():
    """Other strides pass for another layout (pytorch #83069, #83158, #82610, #99803; triton #6102; drjit #122)."""
    x = cuarray.zeros((4, 6))[1:2, ::6]
    assert x.shape == (1, 1)
    tensor = open_capsule(capsule := x.__dlpack__()).tensor
    assert tensor.strides[:2] == [1, 1]
    del capsule


@pytest.mark.parametrize(
    ("version", "name"),
    [(None, b"dltensor"), ((0, 8), b"dltensor"), ((1, 0), b"dltensor_versioned"), ((1, 3), b"dltensor_versioned"),
     ((2, 0), b"dltensor_versioned"), ([1, 0], b"dltensor_versioned")],
)  # fmt: skip
def test_max_version(version, name):
    capsule = cuarray.ones(2).__dlpack__(max_version=version)
    assert name_of(capsule) == name
    if name == b"dltensor_versioned":
        assert open_capsule(capsule).major == 1


@pytest.mark.parametrize("keywords", [{"max_version": ("a", 0)}, {"max_version": (1,)}, {"max_version": 1},
                                      {"stream": "s"}, {"stream": 1}, {"stream": 0}, {"dl_device": (9, 0)},
                                      {"dl_device": 1}, {"dl_device": ("cpu", 0)}], ids=str)  # fmt: skip
def test_faults_are_no_type_errors(keywords):
    """A TypeError would make NumPy, PyTorch and mpi4py retry in an older form, with another meaning."""
    with pytest.raises((ValueError, BufferError)):
        cuarray.ones(2).__dlpack__(**keywords)


def test_arguments_are_keywords():
    with pytest.raises(TypeError):
        cuarray.ones(2).__dlpack__(None)


@pytest.mark.parametrize("keywords", [{"stream": None}, {"stream": -1}, {"dl_device": (1, 0)}, {"dl_device": None},
                                      {"copy": None}, {"copy": False}], ids=str)  # fmt: skip
def test_no_copy_where_none_is_needed(keywords):
    x = cuarray.ones(3)
    opened = open_capsule(capsule := x.__dlpack__(max_version=(1, 0), **keywords))
    assert opened.tensor.data == address(x) and opened.flags == 0
    del capsule


class Kind(enum.IntEnum):
    CPU = 1


@pytest.mark.parametrize("given", [(Kind.CPU, 0), (np.int32(1), np.int64(0))], ids=str)
def test_numbers_of_devices_may_be_enums(given):
    x = cuarray.ones(3)
    capsule = x.__dlpack__(dl_device=given)
    assert open_capsule(capsule).tensor.data == address(x)


def test_numpy_asks_for_copies_and_devices():
    x = cuarray.arange(3)
    for keywords, is_copy in (
        ({}, False),
        ({"copy": None}, False),
        ({"copy": False}, False),
        ({"copy": True}, True),
        ({"device": "cpu"}, False),
        ({"device": "cpu", "copy": True}, True),
    ):
        host = np.from_dlpack(x, **keywords)
        assert host.tolist() == [0, 1, 2] and (host.ctypes.data != address(x)) == is_copy, keywords
    with pytest.raises(BufferError):
        np.from_dlpack(x[::-1], copy=False)


def test_copies_say_so():
    x = cuarray.ones(3)
    opened = open_capsule(capsule := x.__dlpack__(max_version=(1, 0), copy=True))
    assert opened.tensor.data != address(x) and opened.flags & IS_COPIED
    del capsule


def test_read_only_memory():
    """The flag, or a copy, keeps consumers from writing (numpy #20742, #28599, #28600, #28632; jax #40789)."""
    x = cuarray.broadcast_to(cuarray.arange(3), (2, 3))
    opened = open_capsule(capsule := x.__dlpack__(max_version=(1, 0)))
    assert opened.flags & READ_ONLY and opened.tensor.data == address(x)
    # The old capsule has no flag, so that only a copy keeps the consumer from writing here.
    old = open_capsule(old_capsule := x.__dlpack__())
    assert old.tensor.data != address(x)
    np.testing.assert_array_equal(capsules.values(old.tensor), x.numpy())
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)
    del capsule, old_capsule


def test_values_are_written_until_they_are_hashed():
    x = cuarray.arange(4.0, device="cpu")
    for value in (x.sum(), x[1], x.max()):
        host = np.from_dlpack(value)
        host[...] = 7
        assert value == 7 and x.tolist() == [0, 1, 2, 3]
        with pytest.raises(TypeError, match=r"^hash: a view or another library"):
            hash(value)
        del host
        assert {7: "seven"}[value] == "seven"
        assert not np.from_dlpack(value).flags.writeable
        copied = np.from_dlpack(value, copy=True)
        copied[...] = 8
        assert copied == 8 != value
        with pytest.raises(BufferError, match="without a copy"):
            value.__dlpack__(copy=False)  # a consumer that is not informed of the protection
        assert np.from_dlpack(cuarray.array(value)).flags.writeable


def test_negative_strides():
    """Consumers reject them, or abort (pytorch #188023; scikit-learn #34307; tensorflow #51598, #92680)."""
    x = cuarray.arange(6)[::-2]
    opened = open_capsule(capsule := x.__dlpack__(max_version=(1, 0)))
    assert opened.flags & IS_COPIED and capsules.values(opened.tensor).tolist() == [5, 3, 1]
    with pytest.raises(BufferError, match=r"\.copy\(\)"):
        x.__dlpack__()  # a consumer that is not informed of the copy would write to it
    with pytest.raises(BufferError):
        x.__dlpack__(max_version=(1, 0), copy=False)
    del capsule


def test_odd_addresses_and_strides_are_copied():
    """Consumers need alignment (numpy #20338; array-api #293; jax #29810, #29963; warp #550)."""
    raw = cuarray.zeros(25, "u1")
    unaligned = raw[1:].view("f8")
    skewed = cuarray._core.as_strided(cuarray.arange(6, dtype="f4"), (3,), (6,))
    for x in (unaligned, skewed):
        opened = open_capsule(capsule := x.__dlpack__(max_version=(1, 0)))
        assert opened.flags & IS_COPIED and opened.tensor.data % 8 == 0
        np.testing.assert_array_equal(capsules.values(opened.tensor), x.numpy())
        del capsule


def test_memory_is_aligned():
    """Consumers copy what is less than 64-byte aligned (numpy #20338, array-api #293, jax #29810, warp #550)."""
    for size in (1, 3, 17, 1000, 100_003):
        assert address(cuarray.ones(size, "u1")) % 64 == 0


def test_bool_is_bool():
    """Not uint8, which it was in DLPack before 0.8 (jax #4719, #19352; pytorch #67081, #94463; cupy #7307; warp #1619)."""
    x = cuarray.asarray([True, False])
    tensor = open_capsule(capsule := x.__dlpack__()).tensor
    assert (tensor.dtype.code, tensor.dtype.bits) == (6, 8) and x.__array_interface__["typestr"] == "|b1"
    del capsule
    assert np.from_dlpack(x).dtype == bool == cuarray.from_dlpack(Producer(np.ones(2, bool))).dtype
    old = cuarray.from_dlpack(Producer(np.ones(2, bool), code=1))
    assert old.dtype == np.uint8 and old.tolist() == [1, 1]


def test_bfloat16():
    tensor = open_capsule(capsule := cuarray.ones(2, "bfloat16").__dlpack__()).tensor
    assert (tensor.dtype.code, tensor.dtype.bits) == (4, 16)
    del capsule


# Release


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_capsules_that_nobody_consumes(version):
    """Each frees its memory once (pytorch #9261, quadrants #598, onnxruntime #32732)."""
    before = live_blocks()
    for _ in range(1000):
        cuarray.ones(10).__dlpack__(max_version=version)
    assert live_blocks() == before


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_consumed_capsules_are_freed_by_the_deleter_alone(version):
    before = live_blocks()
    capsule = cuarray.ones(10).__dlpack__(max_version=version)
    opened = consume(capsule)
    del capsule
    assert live_blocks() == before + 1
    opened.deleter(ctypes.addressof(opened))
    assert live_blocks() == before


@pytest.mark.parametrize("kind", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE])
def test_deleter_runs_in_any_thread_without_the_gil(kind):
    """And with it (numpy #22507; pytorch #88082, #89759)."""
    before = live_blocks()
    opened = consume(cuarray.ones(10).__dlpack__(max_version=(1, 0)))
    address_of_it = ctypes.addressof(opened)
    # CFUNCTYPE releases the GIL around the call, PYFUNCTYPE does not.
    deleter = kind(None, ctypes.c_void_p)(ctypes.cast(opened.deleter, ctypes.c_void_p).value)
    thread = threading.Thread(target=deleter, args=(address_of_it,))
    thread.start()
    thread.join()
    assert live_blocks() == before


def test_exported_memory_stays_where_it_is():
    x = cuarray.arange(4.0)
    host = np.from_dlpack(x)
    x += 1
    cuarray.multiply(x, 2, out=x)
    x[0] = 9
    x.sort()
    assert host.tolist() == x.tolist() == [4, 6, 8, 9] and host.ctypes.data == address(x)
    x.resize(1000)
    assert host.tolist() == [4, 6, 8, 9], "the consumer keeps the memory that x had"


def test_an_exception_in_flight_survives_the_capsule():
    def fail():
        capsule = cuarray.ones(3).__dlpack__()
        raise KeyError(name_of(capsule))

    with pytest.raises(KeyError, match="dltensor"):
        fail()


def test_two_exports_at_once():
    """One array may be exported again while an export is alive (jax #4636)."""
    x = cuarray.arange(3)
    one, two = np.from_dlpack(x), np.from_dlpack(x)
    del x
    one[0] = 9
    assert two.tolist() == [9, 1, 2]


def test_chains_of_views_live_on():
    """The last view keeps the memory of the first (numba #4886, #5323)."""
    host = np.arange(10.0)
    x = cuarray.from_dlpack(np.asarray(cuarray.asarray(host)[2:]))
    del host
    gc.collect()
    assert x.tolist() == list(range(2, 10))


@pytest.mark.parametrize("way", ["np.asarray(x)", "np.from_dlpack(x)", "x.__dlpack__()", "memoryview(x)",
                                 "ca.asarray(np.ones(3))", "ca.from_dlpack(np.ones(3))"])  # fmt: skip
def test_alive_at_exit(way):
    """Exits are clean with exchanged arrays in a global and in a handler (dlpack #103, #129; numpy #22507)."""
    program = f"""
import atexit, numpy as np, cuarray as ca
x = ca.ones(5, device='cpu')
kept = {way}
atexit.register(lambda: print('left', type(kept).__name__))
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("left") and not complaints(done.stderr), done.stderr


# Producers of every version


@pytest.mark.parametrize("kind", [Legacy, Versioned])
@pytest.mark.parametrize("takes", [(), ("stream",), ("max_version",), ("stream", "max_version", "dl_device", "copy")])
def test_producers_are_asked_for_what_they_know(kind, takes):
    host = np.arange(6.0).reshape(2, 3)
    producer = Producer(host, kind, takes)
    x = cuarray.from_dlpack(producer)
    assert address(x) == host.ctypes.data and x.tolist() == host.tolist()
    x[0, 0] = 7
    assert host[0, 0] == 7 and producer.deleted == 0
    view = x[1]
    del x
    assert producer.deleted == 0
    del view
    assert producer.deleted == 1


def test_first_asked_in_the_newest_way():
    producer = Producer(np.ones(2))
    cuarray.from_dlpack(producer)
    assert producer.calls == [{"max_version": (1, 3)}]


def test_copy_is_made_here_where_the_producer_cannot():
    host = np.arange(3)
    for producer in (Producer(host, takes=()), Producer(host)):
        x = cuarray.from_dlpack(producer, copy=True)
        assert address(x) != host.ctypes.data and x.tolist() == [0, 1, 2]


def test_read_only_flag_is_kept():
    """Read-only memory is not written through an import (numpy #28599; pytorch #188554)."""
    x = cuarray.from_dlpack(Producer(np.ones(3), flags=READ_ONLY))
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x += 1


def test_missing_strides_and_offsets():
    """Null strides mean C order (cupy #2095, dlpack #177)."""
    host = np.arange(12.0)
    x = cuarray.from_dlpack(Producer(host.reshape(3, 4), strides=None))
    assert x.tolist() == host.reshape(3, 4).tolist()
    y = cuarray.from_dlpack(Producer(host[:6], byte_offset=16, strides=None))
    assert y.tolist() == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("view", ["h.T", "h[::2]", "h[:, ::-1]", "h[::-1, ::-1]", "h[1:2, 1:2]", "h[:0]"])
def test_layouts_come_as_they_are(view):
    host = eval(view, {"h": np.arange(12.0).reshape(4, 3)})
    x = cuarray.from_dlpack(Producer(host))
    assert x.tolist() == host.tolist() and (x + 1).tolist() == (host + 1).tolist()
    if host.size:
        assert x.strides == host.strides and address(x) == host.ctypes.data


def test_no_axes_and_no_elements():
    """Shape, strides or data are null or arbitrary (numpy #29872; pytorch #117058, #117273; cupy #2104, #2610, #2789)."""
    assert cuarray.from_dlpack(Producer(np.asarray(5.0))).item() == 5
    assert cuarray.from_dlpack(Producer(np.asarray(5.0), shape_is_null=True, strides=None)).item() == 5
    assert cuarray.from_dlpack(Producer(np.ones((0, 3)), data=0)).shape == (0, 3)
    garbage = Producer(np.ones((0, 3)), data=1)
    x = cuarray.from_dlpack(garbage)
    assert x.shape == (0, 3) and x.sum().item() == 0
    del x
    assert garbage.deleted == 1


def test_null_deleter():
    """A producer may have nothing to free (pytorch #43166)."""
    x = cuarray.from_dlpack(Producer(np.ones(2), has_deleter=False))
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize("kind", [3, 11])
def test_pinned_memory_is_the_host_s(kind):
    """Of CUDA and of ROCm (pytorch #96318, #136250; jax #22346; pyamrex #454)."""
    host = np.arange(3.0)
    x = cuarray.from_dlpack(Producer(host, device=(kind, 0)))
    assert x.device == "cpu" and address(x) == host.ctypes.data and x.tolist() == [0, 1, 2]


#: Codes and bits of numbers of 8, 6 and 4 bits, and of known kinds with other widths.
NO_DTYPES = [
    *((code, 8) for code in range(7, 15)),
    (15, 6),
    (16, 6),
    (17, 4),
    (0, 4),
    (1, 1),
    (6, 1),
    (2, 8),
    (4, 32),
    (5, 32),
]


@pytest.mark.parametrize(("code", "bits"), NO_DTYPES)
def test_types_that_are_not_here(code, bits):
    producer = Producer(np.ones(3), code=code, bits=bits)
    with pytest.raises(BufferError, match=f"no dtype for DLPack code {code}, {bits} bits"):
        cuarray.from_dlpack(producer)
    assert producer.deleted == 0


HUGE = 2**62


@pytest.mark.parametrize(
    "fault",
    [{"lanes": 2}, {"lanes": 0}, {"code": 3}, {"code": 9}, {"bits": 63}, {"bits": 128}, {"major": 2}, {"major": 0},
     {"device": (7, 0)}, {"device": (2, 256)}, {"device": (2, -1)}, {"device": (13, 2**31 - 1)},
     {"data": 0}, {"data": 0, "byte_offset": 8}, {"shape_is_null": True}, {"ndim": -1}, {"ndim": 2**31 - 1},
     {"shape": (-1,)}, {"shape": (-(2**63),)}, {"strides": (HUGE,)}, {"strides": (-(2**63),)}, {"byte_offset": 2**64 - 8},
     {"byte_offset": 2**63}, {"data": 2**64 - 8}, {"data": 8, "strides": (-1,)}, {"data": 2**63 - 8}],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_imported_stays_the_producers(fault):
    """A capsule that is refused frees its memory itself (pytorch #171820, #172611)."""
    producer = Producer(np.ones(3), **fault)
    with pytest.raises(BufferError):
        cuarray.from_dlpack(producer)
    with pytest.raises(BufferError):
        cuarray.from_dlpack(capsule := producer.capsule())
    assert producer.deleted == 0 and name_of(capsule) == b"dltensor_versioned"


@pytest.mark.parametrize("shape", [(HUGE,), (HUGE, HUGE, HUGE)[:1], (2**63 - 1,)], ids=str)
def test_sizes_beyond_the_address_space(shape):
    producer = Producer(np.ones(1), shape=shape)
    with pytest.raises(ValueError, match="too big"):
        cuarray.from_dlpack(producer)
    assert producer.deleted == 0


def test_strides_of_axes_that_nobody_steps_along():
    """Axes of extent 1, and all axes of arrays without elements (pytorch #83069, #83158; triton #6102; drjit #122)."""
    one = cuarray.from_dlpack(Producer(np.ones((3, 1, 2)), strides=(2, 77, 1)))
    assert one.flags.c_contiguous and cuarray.shares_memory(one.reshape(6), one)
    for stride in (HUGE, -(2**63), 2**63 - 1):
        one = cuarray.from_dlpack(Producer(np.asarray([5.0]), strides=(stride,)))
        assert one.tolist() == [5] and (one + one).tolist() == [10] and one.copy().tolist() == [5]
        none = cuarray.from_dlpack(Producer(np.ones((0, 3)), strides=(stride, stride)))
        assert none.shape == (0, 3) and none.sum().item() == 0


@pytest.mark.parametrize("answer", [None, 5, (1,), (1, 0, 0), ("cpu", 0), (2**40, 0), (2, 256), (1, 2**31)], ids=str)
def test_what_dlpack_device_may_not_answer(answer):
    producer = Producer(np.ones(3), device_answer=answer)
    with pytest.raises((TypeError, BufferError, OverflowError)):
        cuarray.from_dlpack(producer)
    assert producer.calls == []


def test_names_of_capsules():
    producer = Producer(np.ones(3))
    capsule = producer.capsule()
    for name, shown in [(b"arrow_array", "arrow_array"), (b"dltensor\xff", "dltensor\ufffd")]:
        capsules.api.PyCapsule_SetName(capsule, name)
        with pytest.raises(ValueError, match=f'named "{shown}"'):
            cuarray.from_dlpack(capsule)
    with pytest.raises(ValueError, match="of class int is no DLPack capsule"):
        cuarray.from_dlpack(producer_of(5))
    assert producer.deleted == 0


def producer_of(answer):
    class Given:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **keywords):
            return answer

    return Given()


def test_a_capsule_is_not_consumed_for_a_device_that_is_not_there():
    producer = Producer(np.ones(3))
    capsule = producer.capsule()
    for device in ("cuda:255", "no device"):
        with pytest.raises(ValueError, match=r"no cuda:255|no device"):
            cuarray.from_dlpack(capsule, device=device)
    assert name_of(capsule) == b"dltensor_versioned" and producer.deleted == 0


# Known producers


def made_by(module, producer, *bases):
    """Return the producer as an array of a library, by the module of its class."""
    return type("Array", bases or (object,), {
        "__module__": module,
        "__dlpack_device__": lambda self: (1, 0),
        "__dlpack__": lambda self, **keywords: producer.__dlpack__(**keywords),
    })()  # fmt: skip


@pytest.mark.parametrize(("module", "is_immutable"), [
    ("jaxlib._jax", True), ("jax.numpy", True), ("jax", True), ("mlx.core", True), ("pyarrow.lib", True),
    ("jaxtyping", False), ("mlxtend.data", False), ("cupy", False), ("__main__", False), (5, False),
])  # fmt: skip
def test_immutable_producers(module, is_immutable):
    """Only capsules without flags need the information; with flags the producer has given it."""
    host = np.ones(3)
    x = cuarray.from_dlpack(made_by(module, Producer(host, Legacy)))
    assert x.flags.writeable != is_immutable and address(x) == host.ctypes.data
    assert cuarray.from_dlpack(made_by(module, Producer(host, Versioned))).flags.writeable
    assert not cuarray.from_dlpack(made_by(module, Producer(host, Versioned, flags=READ_ONLY))).flags.writeable


def test_classes_over_immutable_ones():
    base = type("Base", (), {"__module__": "mlx.core"})
    host = np.ones(3)
    assert not cuarray.asarray(made_by("__main__", Producer(host, Legacy), base)).flags.writeable


def test_a_capsule_is_consumed_once():
    """The second consumer gets an error and frees nothing (cupy #3611, pytorch #56789)."""
    producer = Producer(np.ones(3))
    capsule = producer.capsule()
    x = cuarray.from_dlpack(capsule)
    assert name_of(capsule) == b"used_dltensor_versioned"
    with pytest.raises(ValueError, match="consumed"):
        cuarray.from_dlpack(capsule)
    del x
    assert producer.deleted == 1


def test_other_objects():
    for thing in (5, "text", object(), [1, 2]):
        with pytest.raises((AttributeError, TypeError, ValueError)):
            cuarray.from_dlpack(thing)


def test_errors_of_the_producer_come_through():
    class Broken:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **keywords):
            raise BufferError("not today")

    with pytest.raises(BufferError, match="not today"):
        cuarray.from_dlpack(Broken())
    with pytest.raises(BufferError, match="not today"):
        cuarray.asarray(Broken())


def test_arrays_of_ours_stay_in_order_on_all_streams(device):
    x = cuarray.arange(5000.0)
    first, second = cuarray.Stream(), cuarray.Stream()
    with first:
        y = cuarray.from_dlpack(x)
    with second:
        y *= 2
    assert x.numpy()[1] == 2 and cuarray.shares_memory(x, y)
    copy = cuarray.from_dlpack(x, copy=True)
    assert not cuarray.shares_memory(x, copy)


def test_to_which_device_and_by_which_copy(device):
    x = cuarray.arange(3.0)
    for to in (None, *cuarray.devices()):
        is_here = to is None or to == x.device
        for copy in (None, False, True):
            if not is_here and copy is False:
                with pytest.raises(ValueError, match="needs a copy"):
                    cuarray.from_dlpack(x, device=to, copy=copy)
                continue
            y = cuarray.from_dlpack(x, device=to, copy=copy)
            assert y.device == (to or x.device) and y.tolist() == [0, 1, 2]
            assert cuarray.shares_memory(x, y) == (is_here and not copy)


# Any shape, layout and type


@st.composite
def layouts(draw):
    """Return a NumPy array of any type, shape, order and steps."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    dtype = draw(st.sampled_from(NUMPY_TYPES))
    steps = [draw(st.sampled_from((1, 2, 3, -1, -2))) for _ in shape]
    base = (np.arange(np.prod([4 * abs(step) for step in steps], dtype=int)) % 120).astype(dtype)
    base = base.reshape([4 * abs(step) for step in steps])
    whole = base[(..., *(slice(None, None, step) for step in steps))]
    part = whole[(..., *(slice(n) for n in shape))]  # of no axes: an array, by the ellipsis
    part = part.transpose(draw(st.permutations(range(part.ndim))))
    if draw(st.booleans()):
        part = np.broadcast_to(part, (draw(st.integers(0, 3)), *part.shape))
    return part


@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(host=layouts(), kind=st.sampled_from((Legacy, Versioned)))
def test_any_layout_there_and_back(host, kind):
    x = cuarray.from_dlpack(Producer(host, kind))
    np.testing.assert_array_equal(x.numpy(), host)
    assert x.dtype == host.dtype and (not host.size or address(x) == host.ctypes.data)
    for back in (np.from_dlpack(x), np.from_dlpack(x, copy=True), np.asarray(x), np.asarray(memoryview(x))):
        assert back.dtype == host.dtype
        np.testing.assert_array_equal(back, host)
