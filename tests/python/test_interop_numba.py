"""Numba on cuarray's arrays: compiled functions on the CPU, and a CUDA kernel under Numba's simulator."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "numba", environment=(("NUMBA_ENABLE_CUDASIM", "1"),))

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "complex64",
         "complex128"]  # fmt: skip


def check_the_first_call_of_a_process():
    """Numba keeps the first type that it finds for a kind of object: it must be ours, though nothing is imported."""

    @numba.njit
    def shape(x):
        return x.shape, x[1:].sum()

    for _ in range(3):
        assert shape(cuarray.arange(3.0)) == ((3,), 3)
    assert [str(kinds[0]) for kinds in shape.signatures] == ["cuarray(float64, 1d, C)"]


def check_code_that_numba_keeps_on_disk():
    """A second process takes it, unless it has another version of cuarray."""
    import os
    import subprocess
    import sys
    import tempfile

    text = """
import sys
from cuarray import _core
_core.__version__ = sys.argv[1]
import cuarray, numba
@numba.njit(cache=True)
def change(x):
    x[0] = 7
    return x
x = cuarray.ones(3)
assert change(x) is x and x[0] == 7
print(len(change.stats.cache_hits), len(change.stats.cache_misses))
"""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(text)
        told = [
            subprocess.run(
                [sys.executable, program, version],
                env={**os.environ, "NUMBA_CACHE_DIR": os.path.join(folder, "cache")},
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout.split()
            for version in ("1", "1", "2")
        ]
    assert told == [["0", "1"], ["1", "0"], ["0", "1"]], told


def check_every_type_is_read_written_and_returned():
    @numba.njit
    def change(x):
        x[0, 1] = x[1, 2]
        return x, x.shape, x.strides, x.ndim, x.size

    for name in NAMES:
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        result, *facts = change(x)
        assert result is x and facts == [(2, 3), x.strides, 2, 6], name
        assert x[0, 1] == x[1, 2], name


def check_functions_of_ours_are_numpys_in_compiled_code():
    """By the name of a module, of a submodule, or imported: np is cuarray, or cuarray.numpy, in such programs."""
    import cuarray.numpy as facade
    from cuarray import hypot
    from cuarray.numpy import mean

    @numba.njit
    def by_cuarray(x):
        y = cuarray.zeros(3, dtype=cuarray.float64)
        y[1] = cuarray.linalg.norm(x) + cuarray.pi
        return cuarray.sqrt(x).sum(), y, cuarray.concatenate((x, x)), hypot(x, 3)

    @numba.njit
    def by_facade(x):
        y = facade.zeros(3, dtype=facade.float64)
        y[1] = facade.linalg.norm(x) + facade.pi
        return facade.sqrt(x).sum(), y, facade.concatenate((x, x)), mean(x)

    x = np.arange(4.0)
    want = np.sqrt(x).sum(), np.array([0, np.linalg.norm(x) + np.pi, 0]), np.concatenate([x, x])
    for function, last in ((by_cuarray, np.hypot(x, 3)), (by_facade, x.mean())):
        for result, expected in zip(function(cuarray.asarray(x)), (*want, last), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-15)

    @numba.vectorize(["float64(float64)"])
    def shifted(x):
        return facade.exp(x) + 1

    np.testing.assert_allclose(shifted(x), np.exp(x) + 1, rtol=1e-15)

    @numba.njit
    def unknown(x):
        return cuarray.synchronize(x)

    error = error_of(lambda: unknown(x))
    assert isinstance(error, AttributeError) and "has no attribute 'synchronize'" in str(error), error  # as of NumPy


def check_every_layout():
    @numba.njit
    def total(x):
        result = 0.0
        for value in x.flat:
            result += value
        return result

    @numba.njit
    def same(x):
        return x

    x = cuarray.arange(24.0).reshape(2, 3, 4)
    for view in (x, x.T, x[:, 1], x[::-1, ::2], x[1, ::-1, ::-2], x[:0], x[:, :0], x[0, 0], cuarray.broadcast_to(x[0], (5, 3, 4)),
                 cuarray.asarray(np.asfortranarray(x.numpy())), cuarray.array(3.0)):  # fmt: skip
        assert total(view) == view.sum(), view.strides
        assert same(view) is view or (not view.size and same(view).shape == view.shape)


def check_results_that_are_arguments():
    """The very array comes back, unless it has another shape by then; views in compiled code are NumPy's."""

    @numba.njit
    def parts(x):
        return x, x.view(np.int64), x[1:], np.full(3, x.sum())

    x = cuarray.arange(4.0)
    same, bits, part, _ = parts(x)
    assert same is x and bits.tolist() == x.view("int64").tolist() and part.tolist() == [1, 2, 3]
    assert np.shares_memory(bits, np.asarray(x)) and np.shares_memory(part, np.asarray(x))
    constant = cuarray.arange(3.0)
    constant.flags.writeable = False
    for _ in range(2):
        assert parts(constant)[0] is constant and parts(constant)[3].tolist() == [3, 3, 3]
    kept = numba.typed.List([x])
    for shape in ((2, 2), (4, 1)):
        x.shape = shape
        assert kept[0] is not x and kept[0].tolist() == [0, 1, 2, 3] and kept[0].data_ptr() == x.data_ptr()
        x.shape = 4
        assert kept[0] is x


def check_arrays_that_numba_keeps():
    """Compiled code holds the array; cuarray knows that others may write to its memory, and defers no reads of it."""

    @numba.njit
    def write(arrays, value):
        arrays[0][:] = value
        return arrays[0]

    x = cuarray.ones(1000)
    kept = numba.typed.List()
    kept.append(x)
    with cuarray.fuse():
        y = x * 2
        write(kept, 5.0)
        assert y[0] == 2 and (x[1:] == 5).all()
    address, number = x.data_ptr(), sys.getrefcount(x)
    with cuarray.fuse():
        del x
        pending = cuarray.ones(1000) * 3
        kept.append(pending)
    x = write(kept, 7.0)
    assert x.data_ptr() == address and x.sum() == 7000 and kept[1].sum() == 3000
    del kept
    assert sys.getrefcount(x) == number - 1


def check_arguments_of_another_type():
    """Machine code refuses what it was not compiled for."""
    from numba.core.runtime import _nrt_python

    from cuarray import _core

    addresses = _core.numba_functions(_nrt_python.c_helpers["meminfo_new_from_pyobject"])
    unbox = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)(
        addresses["cuarray_unbox_argument"]
    )
    place, double = (ctypes.c_ssize_t * 32)(), ord("f") << 8 | 8
    for wrong in (3, np.ones(3), cuarray.ones(3, "f4"), cuarray.ones((3, 3)), cuarray.ones(3, "i8")):
        assert "compiled for" in str(error_of(lambda wrong=wrong: unbox(wrong, place, 1, double), TypeError))
        assert not any(place)


def check_values_are_numbers():
    """Whether Numba asks before or after this module is registered: elements and sums are numbers, as NumPy's scalars."""

    @numba.njit
    def scaled_sum(x, factor):
        total = factor * 0
        for value in x:
            total += value * factor
        return total

    x = cuarray.arange(5.0)
    complexes = x.astype(complex) * (1 + 2j)
    for value in (x.mean(), x[1], x.astype("f4")[2], x.astype(int)[3], x.astype("u1")[4], (x > 1)[3], complexes[2]):
        assert str(numba.typeof(value)) == value.dtype.name, value.dtype
        assert scaled_sum(x, value) == scaled_sum(x.numpy(), value.numpy()[()]) == (x * value).sum(), value.dtype
    assert str(numba.typeof(cuarray.array(2.0))) == "cuarray(float64, 0d, C)"


def check_functions_of_numpy_inside():
    @numba.njit
    def many(x):
        y = np.zeros_like(x)
        y[:] = np.sort(x)[::-1]
        return np.dot(x, y), np.concatenate((x, y)), x + y, np.where(x > 1, x, y).sum(), x.mean(), np.argmax(x)

    x, a = cuarray.asarray([3.0, 1.0, 2.0]), np.asarray([3.0, 1.0, 2.0])
    for one, other in zip(many(x), many(a), strict=True):
        assert type(one) is type(other), "what a function makes is NumPy's"
        np.testing.assert_array_equal(one, other)


def check_arrays_of_the_program():
    """Global arrays, and those of an enclosing function, are constants, as NumPy's; large and strided ones by address."""
    local, constant = cuarray.arange(5.0), cuarray.ones(3, "i4")
    constant.flags.writeable = False

    @numba.njit
    def read(i):
        total = 0.0
        for value in GLOBAL:
            total += value
        return total + local[i], GLOBAL.shape, STRIDED.sum(), LARGE[5], PAIR[1][0], constant.sum()

    @numba.njit
    def write():
        GLOBAL[0] = 1

    read(cuarray.arange(3)[0])  # Numba has heard of our arrays
    assert read(2) == (17, (6,), 9, 5, 0, 3)
    assert isinstance(error_of(write), numba.TypingError)
    half = cuarray.ones(3, "f2")
    assert "no float16" in str(error_of(numba.njit(lambda: half[0])))


def check_calls_casts_and_containers():
    @numba.njit
    def half(x):
        return x / 2

    @numba.njit
    def either(condition, x):
        y = x if condition else np.zeros(3)
        return half(y).sum() + half(x).sum()

    @numba.njit
    def of_pair(pair):
        return pair[0].sum() - pair[1].sum()

    @numba.njit(parallel=True)
    def parallel(x):
        result = 0.0
        for i in numba.prange(x.size):
            result += x[i]
        return result

    x = cuarray.ones(3)
    assert (either(True, x), either(False, x)) == (3, 1.5)
    assert of_pair((x, np.ones(2))) == 1 and parallel(x) == 3


def check_numbers():
    @numba.njit
    def twice(x):
        return x * 2

    x = cuarray.arange(3.0)
    for value in (x.sum(), x.astype("f4").sum(), x.astype(int).sum(), (x > 1).any(), x[1], x[2]):
        assert twice(value) == value.item() * 2 and type(twice(value)) in (float, int)
    assert twice((x * 1j).sum()) == 6j


def check_read_only_arrays_are_not_written():
    @numba.njit
    def write(x):
        x[0] = 1

    x = cuarray.zeros(3)
    x.setflags(write=False)
    assert isinstance(error_of(lambda: write(x)), numba.TypingError) and x[0] == 0
    y = cuarray.zeros(3)
    write(y)
    assert y[0] == 1, "the next call works"


def check_types_without_functions():
    @numba.njit
    def first(x):
        return x[0]

    for name, advice in (("float16", "astype('float32')"), ("bfloat16", "view('uint16')")):
        for _ in range(2):
            error = error_of(lambda name=name: first(cuarray.ones(3).astype(name)))
            assert isinstance(error, TypeError) and advice in str(error), error
    assert first(cuarray.ones(3)) == 1


def check_functions_compiled_in_advance():
    @numba.njit("float64(float64[::1])")
    def total(x):
        return x.sum()

    x = cuarray.ones(3)
    assert isinstance(error_of(lambda: total(x)), TypeError)
    assert total(np.asarray(x)) == total(x.numba()) == 3


def check_nothing_leaks():
    import gc

    @numba.njit
    def views(x):
        return x, x[1:], x + 1

    x = cuarray.ones(1000)
    views(x)
    gc.collect()  # what earlier tests left
    before, blocks = sys.getrefcount(x), cuarray.memory.stats("cpu")["allocations"]
    for _ in range(1000):
        views(x)
        views(cuarray.ones(10))
    assert (sys.getrefcount(x), cuarray.memory.stats("cpu")["allocations"]) == (before, blocks)
    part = views(cuarray.arange(10.0))[1]
    assert part.tolist() == list(range(1, 10)), "a view keeps the memory"


def check_vectorize():
    @numba.vectorize
    def lazy(x, y):
        return x + 2 * y

    @numba.vectorize(["float32(float32)", "float64(float64)"])
    def eager(x):
        return x * x * x

    @numba.vectorize(["float64(float64, float64)"])
    def add(x, y):
        return x + y

    x = cuarray.arange(3.0)
    for result, values in ((lazy(x, x), [0, 3, 6]), (lazy(x, 1), [2, 3, 4]), (lazy(np.ones(3), x), [1, 3, 5]),
                           (lazy(cuarray.arange(3), cuarray.arange(3)), [0, 3, 6]), (eager(x), [0, 1, 8]),
                           (eager(x[::-1]), [8, 1, 0]), (eager(x.astype("f4")), [0, 1, 8]), (eager(x > 1), [0, 0, 1]),
                           (add.accumulate(x), [0, 1, 3]), (add.outer(x, x[:2]), [[0, 1], [1, 2], [2, 3]])):  # fmt: skip
        assert type(result) is cuarray.ndarray and result.tolist() == values
    assert eager(x.astype("f4")).dtype == "float32" and add.reduce(x) == 3
    out = cuarray.zeros(3)
    assert add(x, x, out=out) is out and out.tolist() == [0, 2, 4]
    assert add.at(x, [0, 0], 5.0) is None and x.tolist() == [10, 1, 2]


def check_guvectorize():
    @numba.guvectorize(["(float64[:], float64[:])"], "(n)->()")
    def total(x, out):
        out[0] = x.sum()

    @numba.guvectorize("(n)->(n)")
    def double(x, out):
        for i in range(x.size):
            out[i] = 2 * x[i]

    x = cuarray.arange(6.0).reshape(2, 3)
    assert type(total(x)) is cuarray.ndarray and total(x).tolist() == [3, 12]
    assert total(x.T).tolist() == [3, 5, 7]
    out = cuarray.zeros((2, 3))
    double(x, out)
    assert out.tolist() == [[0, 2, 4], [6, 8, 10]]


def check_kernel_under_the_simulator():
    @cuda.jit
    def scale(x, y, factor):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] * factor

    x, y = cuarray.arange(10.0), cuarray.zeros(10)
    scale[1, 16](x, y, 3)
    assert y.tolist() == [3.0 * i for i in range(10)]


def check_two_axes_under_the_simulator():
    @cuda.jit
    def transpose(x, y):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[j, i] = x[i, j]

    x, y = cuarray.arange(6).reshape(2, 3), cuarray.zeros((3, 2), int)
    transpose[(1, 1), (4, 4)](x, y)
    assert y.tolist() == x.T.tolist()


def check_the_method_numba():
    x = cuarray.arange(6.0).reshape(2, 3)
    view = x.numba()
    assert type(view) is np.ndarray and np.shares_memory(view, np.asarray(x))
    assert cuda.to_device(x).copy_to_host().tolist() == x.tolist()


if __name__ == "__main__":
    import ctypes
    import sys

    import numba
    import numpy as np
    from numba import cuda  # a global: the simulator replaces the module of that name

    import cuarray

    cuarray.set_default_device("cpu")
    GLOBAL, LARGE = cuarray.arange(6.0), cuarray.arange(200_000.0)
    STRIDED = GLOBAL[1::2]
    PAIR = (GLOBAL, STRIDED[:1] - 1)
    peers.main(globals())
