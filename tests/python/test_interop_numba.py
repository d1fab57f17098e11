"""Numba on cuarray's arrays: compiled functions on the CPU, and a CUDA kernel under Numba's simulator."""

import peers

test_check = peers.test_of(__file__, "numba", environment=(("NUMBA_ENABLE_CUDASIM", "1"),))


def check_njit_reads_and_writes():
    # Numba uses cuarray's arrays by the buffer protocol: it supports indexing and len, but not shape.
    @numba.njit
    def double(x, columns):
        total = 0.0
        for i in range(len(x)):
            for j in range(columns):
                x[i, j] *= 2
                total += x[i, j]
        return total

    for name in ("float64", "float32", "int32"):
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        assert double(x, 3) == 30
        assert x.tolist() == [[0, 2, 4], [6, 8, 10]]


def check_njit_by_way_of_numpy():
    @numba.njit
    def count(x):
        return (x > 2).sum()

    assert count(np.asarray(cuarray.arange(6.0))) == 3


def check_vectorize():
    @numba.vectorize(["float64(float64)"])
    def cube(x):
        return x * x * x

    assert np.asarray(cube(np.asarray(cuarray.arange(3.0)))).tolist() == [0, 1, 8]


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


if __name__ == "__main__":
    import numba
    import numpy as np
    from numba import cuda  # a global: the simulator replaces the module of that name

    import cuarray

    cuarray.set_default_device("cpu")
    peers.main(globals())
