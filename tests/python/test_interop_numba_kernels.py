"""numba-cuda's own kernels, compiled by NVIDIA's compiler to PTX, on our arrays on simulated GPUs.

Every access is checked, and streams are under the race detector.
"""

import peers

test_check = peers.test_of(
    __file__,
    "numba_cuda",
    peers.NVVM,
    command=peers.on_gpus,
    environment=peers.FOREIGN_KERNELS,
)


def host(d):
    """The values of Numba's array; its copies to the host may be asynchronous."""
    values = d.copy_to_host()
    cuda.synchronize()
    return values.tolist()


def check_addition():
    @cuda.jit
    def add(x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] + y[i]

    for name in ("int8", "uint16", "int32", "int64", "float32", "float64", "complex64", "complex128"):
        x = cuarray.arange(300).astype(name)
        out = cuarray.zeros_like(x)
        add[3, 128](x, x * 2, out)
        assert (out == x * 3).all(), name


def check_a_loop_over_the_grid():
    @cuda.jit
    def saxpy(a, x, y):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            y[i] += a * x[i]

    x, y = cuarray.arange(10000.0), cuarray.ones(10000)
    saxpy[16, 64](2.5, x, y)
    assert (y == 1 + 2.5 * x).all()


def check_a_reduction_in_shared_memory():
    @cuda.jit
    def total(x, out):
        part = cuda.shared.array(128, float64)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        part[t] = x[i] if i < x.size else 0.0
        cuda.syncthreads()
        n = 64
        while n > 0:
            if t < n:
                part[t] += part[t + n]
            cuda.syncthreads()
            n //= 2
        if t == 0:
            cuda.atomic.add(out, 0, part[0])

    x, out = cuarray.arange(1000.0), cuarray.zeros(1)
    total[8, 128](x, out)
    assert out[0] == 499500


def check_a_missing_barrier_is_a_race():
    """What the checks above rely on: the simulator sees races in numba-cuda's kernels."""

    @cuda.jit
    def turn(x):
        part = cuda.shared.array(64, float64)
        t = cuda.threadIdx.x
        part[t] = x[t]
        x[t] = part[63 - t]

    function = textwrap.dedent(inspect.getsource(turn.py_func))
    code = f"from numba import cuda, float64\nimport cuarray\n{function}"
    code += "x = cuarray.arange(64.0, device='cuda')\nturn[1, 64](x)\nx.tolist()\n"
    report = peers.report_of(code)
    assert "race" in report, report


def check_atomics():
    @cuda.jit
    def count(values, bins, most, least, sums):
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.add(bins, values[i], 1)
            cuda.atomic.max(most, 0, values[i])
            cuda.atomic.min(least, 0, values[i])
            cuda.atomic.add(sums, values[i], 0.5)

    values = cuarray.arange(1000) * 7 % 11
    bins, sums = cuarray.zeros(11, dtype="int64"), cuarray.zeros(11, dtype="float32")
    most, least = cuarray.full(1, -5), cuarray.full(1, 50)
    count[8, 128](values, bins, most, least, sums)
    assert (bins == cuarray.bincount(values)).all() and (sums == bins / 2).all()
    assert (most[0], least[0]) == (10, 0)

    @cuda.jit
    def once(flag, out):
        if cuda.atomic.cas(flag, 0, 0, 1) == 0:
            cuda.atomic.add(out, 0, 1)

    flag, out = cuarray.zeros(1, dtype="int32"), cuarray.zeros(1, dtype="int32")
    once[4, 32](flag, out)
    assert out[0] == 1


def check_a_stencil_of_two_dimensions():
    @cuda.jit
    def laplacian(u, out):
        i, j = cuda.grid(2)
        if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
            out[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]

    base = cuarray.random.default_rng(1).random((100, 60))
    for u in (base, base.T, base[::2, 1:], cuarray.asfortranarray(base), cuarray.broadcast_to(base[0], (20, 60))):
        u = u if u.flags.writeable else u.copy()
        out = cuarray.zeros(u.shape)
        laplacian[((u.shape[0] + 7) // 8, (u.shape[1] + 15) // 16), (8, 16)](u, out)
        expected = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        assert (out[1:-1, 1:-1] == expected).all() and (out[0] == 0).all()


def check_complex_numbers_and_halves():
    @cuda.jit
    def conjugates(z, out):
        i = cuda.grid(1)
        if i < z.size:
            out[i] = z[i] * z[i].conjugate() + abs(z[i]) * 1j

    for name, limit in (("complex64", 1e-6), ("complex128", 1e-15)):
        z = (cuarray.arange(100) + 1j * cuarray.arange(100)[::-1]).astype(name)
        out = cuarray.zeros_like(z)
        conjugates[1, 128](z, out)
        n = z.get()
        np.testing.assert_allclose(out.get(), n * n.conj() + abs(n) * 1j, rtol=limit)

    @cuda.jit
    def polynomial(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] * x[i] + x[i]

    x = cuarray.arange(300).astype("float16") / 8
    y = cuarray.zeros_like(x)
    polynomial[3, 128](x, y)
    n = x.get()
    exact = n.astype("float64") ** 2 + n
    assert abs(y.get() - exact).max() <= np.spacing(exact.max().astype("float16"))
    assert y.dtype == "float16"


def check_functions_of_mathematics():
    @cuda.jit
    def values(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = math.sin(x[i]) + math.exp(x[i]) + math.pow(x[i], 1.5) + math.lgamma(x[i] + 1)

    x = cuarray.linspace(0, 3, 100)
    y = cuarray.zeros_like(x)
    values[1, 128](x, y)
    n = x.get()
    gammas = [math.lgamma(v + 1) for v in n]
    np.testing.assert_allclose(y.get(), np.sin(n) + np.exp(n) + n**1.5 + gammas, rtol=1e-14)


def check_streams():
    """A kernel waits for the work on its arguments, and our next work for the kernel: on no stream, ours and Numba's.

    Numba read unfinished data (numba #4933, #5162).
    """

    @cuda.jit
    def increment(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    x = cuarray.zeros(1000)
    for _ in range(4):
        x = x * 2
        increment[8, 128](x)
    assert (x == 15).all()

    theirs = cuda.stream()
    shared = cuarray.Stream.from_external(theirs)
    x = cuarray.zeros(1000)
    with shared:
        for _ in range(4):
            x = x * 2
            increment[8, 128, theirs](x)
        assert (x == 15).all()


def check_views_are_written_in_place():
    @cuda.jit
    def number(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] += 10 * i + j

    x = cuarray.zeros((10, 12))
    number[(2, 2), (8, 8)](x.T[::2, 1:])
    expected = np.zeros((10, 12))
    expected.T[::2, 1:] += 10 * np.arange(6)[:, None] + np.arange(9)
    assert (x.get() == expected).all()


def check_device_functions_and_small_arrays():
    table = np.arange(10.0)

    @cuda.jit(device=True)
    def ratio(a, b):
        return a / (b + 1)

    @cuda.jit
    def values(x, y):
        fixed = cuda.const.array_like(table)
        own = cuda.local.array(8, float64)
        i = cuda.grid(1)
        if i < x.size:
            for k in range(8):
                own[k] = fixed[k] * i
            y[i] = ratio(x[i], i)
            for k in range(8):
                y[i] += own[(k + i) % 8]

    x = cuarray.arange(20.0)
    y = cuarray.zeros(20)
    values[1, 32](x, y)
    i = np.arange(20.0)
    np.testing.assert_allclose(y.get(), i / (i + 1) + 28 * i, rtol=1e-15)


def check_warps():
    @cuda.jit
    def sums(x, out):
        t = cuda.threadIdx.x
        value = x[t]
        for k in (16, 8, 4, 2, 1):
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, k)
        out[t] = value

    x, out = cuarray.arange(32.0), cuarray.zeros(32)
    sums[1, 32](x, out)
    assert out[0] == 496


def check_reduce_and_vectorize():
    assert cuda.reduce(lambda a, b: a + b)(cuda.as_cuda_array(cuarray.arange(100.0))) == 4950

    @numba.vectorize(["float64(float64, float64)"], target="cuda")
    def area(a, b):
        return a * b + 1

    result = area(cuarray.arange(100.0), cuarray.arange(100.0))
    assert host(result) == (np.arange(100.0) ** 2 + 1).tolist()
    assert cuarray.asarray(result).__cuda_array_interface__["data"] == result.__cuda_array_interface__["data"]


def check_arrays_of_both_in_one_kernel():

    @cuda.jit
    def copy(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i]

    x = cuarray.arange(100.0)
    y = cuda.device_array(100)
    copy[1, 128](x, y)
    assert host(y) == x.tolist() and (cuarray.asarray(y) == x).all()


def check_negative_strides_are_refused():
    """Numba would get a copy, and what the kernel writes there would be lost."""

    @cuda.jit
    def increment(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    x = cuarray.arange(6.0)
    assert "negative strides" in str(peers.error_of(lambda: increment[1, 32](x[::-1]), TypeError))
    increment[1, 32](cuda.as_cuda_array(x[::-2]))
    increment[1, 32](x[::2])
    cuda.synchronize()
    assert x.tolist() == [1, 2, 3, 4, 5, 6]


def check_operators_beside_arrays_of_numba():
    """Ours, whichever comes first: Numba's arrays have no operators."""
    import operator as o

    host = np.asarray([3.0, 1, 2])
    x, d = cuarray.asarray([1.0, 2, 3]), cuda.to_device(host)
    for op in (
        o.add,
        o.sub,
        o.mul,
        o.truediv,
        o.floordiv,
        o.mod,
        o.pow,
        o.matmul,
        o.eq,
        o.ne,
        o.lt,
        o.le,
        o.gt,
        o.ge,
        divmod,
    ):
        for found, expected in ((op(x, d), op(x.numpy(), host)), (op(d, x), op(host, x.numpy()))):
            found, expected = (pair if isinstance(pair, tuple) else (pair,) for pair in (found, expected))
            assert all(
                type(f) is cuarray.ndarray and f.tolist() == e.tolist() for f, e in zip(found, expected, strict=True)
            ), op
    x += d
    assert x.tolist() == [4, 3, 5] and host.tolist() == [3, 1, 2]


if __name__ == "__main__":
    import inspect
    import math
    import textwrap
    import warnings

    import numba
    import numpy as np
    from numba import cuda, float64

    import cuarray

    warnings.simplefilter("ignore")
    cuarray.set_default_device("cuda")
    peers.main(globals())
