"""Calls on few elements, which no task computes: the same as NumPy's, and as calls on many elements give."""

import pickle
import threading

import numpy as np
import pytest

import cuarray
from cuarray import _core

DTYPES = [dtype for dtype in _core.dtype_names() if dtype != "bfloat16"]
SHAPES = [(1,), (7,), (255,), (256,), (257,), (3, 4), (1, 5), (5, 1), (2, 3, 4), (4, 1, 3), (0,), (3, 0), (2, 0, 4)]


def numbers(rng, dtype, shape):
    """Return elements of which about half are zero."""
    kept = rng.random(shape) < 0.5
    found = np.where(kept, rng.integers(-9, 10, shape) if np.dtype(dtype).kind in "ifc" else 1, 0).astype(dtype)
    return found + 1j * found[::-1] if np.dtype(dtype).kind == "c" else found


@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_hold_pythons_numbers(dtype, rng, device):
    low, high = (0, 2) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max) if "int" in dtype else (-1, 1)
    for shape in SHAPES:
        host = numbers(rng, dtype, shape)
        if host.size:
            host.flat[0], host.flat[-1] = low if dtype != "bool" else False, high if dtype != "bool" else True
        x = cuarray.asarray(host, device=device)
        for ours, numpys in ((x, host), (x.T, host.T), (x[::-1], host[::-1]), (x[..., :1], host[..., :1])):
            assert repr(ours.tolist()) == repr(numpys.tolist())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_coordinates(shape, dtype, rng, device):
    host = numbers(rng, dtype, shape)
    x = cuarray.asarray(host, device=device)
    for ours, numpys in ((x, host), (x.T, host.T), (x[::-1], host[::-1])):
        found = ours.nonzero()
        assert all(map(np.array_equal, map(np.asarray, (y.numpy() for y in found)), numpys.nonzero()))
        assert len(found) == numpys.ndim
        assert np.array_equal(cuarray.argwhere(ours).numpy(), np.argwhere(numpys))
        assert np.array_equal(cuarray.flatnonzero(ours).numpy(), np.flatnonzero(numpys))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 1, 5), (2, 2, 2, 3), (1, 4, 300)])
def test_folds_of_the_first_and_the_last_axis(shape, dtype, rng, device):
    x = cuarray.asarray(numbers(rng, dtype, shape), device=device)
    spread = cuarray.repeat(x, 2, axis=1)[:, ::2]  # which is not contiguous, so that a task folds it
    for name in ("sum", "prod", "max", "min", "mean", "any", "all", "argmax", "argmin", "var"):
        for axis in (0, -1, len(shape) - 1, 1):
            few, by_task = (getattr(y, name)(axis=axis) for y in (x, spread))
            assert few.dtype == by_task.dtype
            assert few.shape == by_task.shape
            assert few.numpy().tobytes() == by_task.numpy().tobytes(), (name, axis)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 10, 11, 40])
def test_values_start_again_where_they_end(count, rng, device):
    values = rng.random(count)
    for size in (1, 4, 9, 20):
        mask = rng.random(size) < 0.6
        for name in ("putmask", "place"):
            host = np.zeros(size)
            x = cuarray.zeros(size, device=device)
            getattr(np, name)(host, mask, values)
            getattr(cuarray, name)(x, cuarray.asarray(mask, device=device), cuarray.asarray(values, device=device))
            assert np.array_equal(x.numpy(), host)
        places = rng.integers(0, size, 7)
        np.put(host, places, values)
        cuarray.put(x, cuarray.asarray(places, device=device), cuarray.asarray(values, device=device))
        assert np.array_equal(x.numpy(), host)


@pytest.mark.parametrize("key", [slice(None), slice(None, None, 2), slice(4, 1, -1), slice(3, 3), 2, Ellipsis])
@pytest.mark.parametrize("value", [1, 2.5, True, [1, 2], [], (3,), np.float32(1.5)])
def test_flat_takes_numbers_and_lines(key, value, device):
    for shape, view in (((2, 3), lambda x: x), ((3, 2), lambda x: x.T), ((6,), lambda x: x[::-1])):
        host, x = np.zeros(shape), cuarray.zeros(shape, device=device)
        if key == 2 and isinstance(value, list | tuple):
            with pytest.raises(ValueError, match=r"set.* element"):
                view(x).flat[key] = value
        else:
            view(host).flat[key] = value
            view(x).flat[key] = value
        assert np.array_equal(x.numpy(), host)


def test_methods_take_their_array_in_its_place(device):
    host, x = np.arange(6.0).reshape(2, 3), cuarray.arange(6.0, device=device).reshape(2, 3)
    for arguments, options in (
        (([True, False],), {"axis": 0}), (([True, False, True], 1), {}), (([False, True],), {}), (([], None), {}),
    ):  # fmt: skip
        assert np.array_equal(x.compress(*arguments, **options).numpy(), host.compress(*arguments, **options))
    assert np.array_equal(x.compress(condition=[False, True], axis=1).numpy(), host.compress([False, True], axis=1))
    for arguments, options in (((), {"indices": [0, 1], "values": 9}), (([7, -8], [1, 2], "wrap"), {})):
        host.put(*arguments, **options)
        x.put(*arguments, **options)
        assert np.array_equal(x.numpy(), host)
    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        x.put(6, 1)
        cuarray.synchronize()  # at the latest there, on a GPU
    with pytest.raises(TypeError, match=r"compress\(\) got an unexpected keyword argument 'a'"):
        x.compress([True], a=x)
    with pytest.raises(TypeError, match=r"put\(\) missing 1 required positional argument: 'values'"):
        x.put(1)
    assert (x.put.__name__, x.compress.__name__) == ("put", "compress")


def test_lines_of_one_element_are_sorted(device):
    for shape, axis in (((5, 1), -1), ((1, 5), 0), ((1,), 0), ((0, 3), 0), ((3, 0), 1)):
        x = cuarray.ones(shape, device=device)
        x.sort(axis=axis)
        assert x.shape == shape
        x.flags.writeable = False
        with pytest.raises(ValueError, match=r"^sort: the array is read-only"):
            x.sort(axis=axis)
    with pytest.raises(np.exceptions.AxisError):
        cuarray.ones((1, 1), device=device).sort(axis=2)
    x = cuarray.asarray([[3, 1], [2, 0]], device=device)
    x.sort(axis=0)
    assert x.tolist() == [[2, 0], [3, 1]]
    x.sort()
    assert x.tolist() == [[0, 2], [1, 3]]
    for function in (cuarray.sort, cuarray.argsort):
        for shape, axis in (((5, 1), 1), ((1, 5), 0)):
            y = cuarray.arange(5, device=device).reshape(shape)
            want = y if function is cuarray.sort else y * 0
            assert function(y, axis=axis).tolist() == want.tolist()


@pytest.mark.parametrize("given", [range(0), range(5), range(-3, 9, 4), range(9, 0, -2), range(2**62, 2**62 + 2)])
def test_ranges_are_read_as_lists(given, device):
    for dtype in (None, "f4", "i2", "c8", bool):
        if given and given[0] > 2**60 and dtype == "i2":
            continue
        ours = cuarray.asarray(given, dtype, device=device)
        assert ours.dtype == np.asarray(given, dtype).dtype
        assert np.array_equal(ours.numpy(), np.asarray(given, dtype))
    assert np.array_equal((cuarray.zeros(len(given), device=device) + given).numpy(), np.zeros(len(given)) + given)


def test_a_range_that_is_too_long():
    with pytest.raises((MemoryError, ValueError, TypeError, OverflowError)):
        cuarray.asarray(range(2**62))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16", "?", "f2"])
def test_products_of_a_stack_and_a_vector(dtype, rng, device):
    for shape in ((2, 3), (2, 3, 4), (3, 1, 2, 5), (1, 1)):
        stack, vector = numbers(rng, dtype, shape), numbers(rng, dtype, shape[-1:])
        x, y = (cuarray.asarray(z, device=device) for z in (stack, vector))
        for name, arguments in (("vecdot", (0, 1)), ("vecdot", (1, 0)), ("matmul", (0, 1))):
            ours = getattr(cuarray, name)(*((x, y)[k] for k in arguments))
            numpys = getattr(np, name)(*((stack, vector)[k] for k in arguments))
            assert ours.shape == numpys.shape
            assert ours.dtype == numpys.dtype
            assert np.array_equal(ours.numpy(), numpys)  # of small integers


def test_equal_arrays_that_hold_nan(device):
    x = cuarray.asarray([1.0, np.nan], device=device)
    assert cuarray.array_equal(x, x, equal_nan=True)
    assert cuarray.array_equal(x, x.copy(), equal_nan=True)
    assert not cuarray.array_equal(x, x)
    assert not cuarray.array_equal(x, cuarray.asarray([1.0, 2.0], device=device), equal_nan=True)
    k = cuarray.asarray([1, 2], device=device)
    assert cuarray.array_equal(k, [1.0, 2.0], equal_nan=True)
    assert not cuarray.array_equal(k, [1.0, np.nan], equal_nan=True)


def test_coordinates_while_another_thread_writes():
    """They may be those of neither state, and nothing else happens."""
    mask = cuarray.zeros(100_000, bool)
    empty, full = cuarray.zeros_like(mask), cuarray.ones_like(mask)
    ends = threading.Event()

    def write():
        while not ends.is_set():
            mask[...] = full
            mask[...] = empty

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(30_000):
            (found,) = cuarray.nonzero(mask[50_000:50_250])
            assert found.size <= 250
    finally:
        ends.set()
        thread.join()


def test_methods_of_rows_are_pickled_by_the_class():
    for method in (cuarray.ndarray.put, cuarray.ndarray.compress):
        assert pickle.loads(pickle.dumps(method)) is method
        assert method.__qualname__ == f"ndarray.{method.__name__}"


def test_values_are_not_changed_in_place(device):
    value = cuarray.asarray([1, 2], device=device).sum()
    with pytest.raises(ValueError, match=r"^byteswap: a value cannot be changed in place"):
        value.byteswap(True)
    assert value.byteswap() == np.int64(3).byteswap()
    with pytest.raises(TypeError, match=r"^conj: cannot cast"):
        cuarray.arange(3.0, device=device).conj(cuarray.zeros(3, int, device=device))
