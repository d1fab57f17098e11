"""numba-cuda-mlir beside numba-cuda, on simulated GPUs: each gets its own types for an array."""

import peers

test_check = peers.test_of(
    __file__,
    "numba_cuda_mlir",
    "numba_cuda",
    command=peers.on_gpus,
    environment=(("CUDASIM_REAL_NVRTC", "0"),),
)


def check_types_of_both():
    for x in (cuarray.ones((2, 3)), cuarray.ones((2, 3)).T, cuarray.ones((2, 3), "c8")[:, ::2], cuarray.ones(())):
        ours, theirs = typeof_mlir(x), typeof(x)
        assert type(ours) is types_mlir.Array and type(theirs) is types.Array
        assert (ours.ndim, ours.layout, ours.mutable) == (theirs.ndim, theirs.layout, theirs.mutable)
        assert str(ours.dtype) == str(theirs.dtype)
    x = cuarray.ones(3)
    x.setflags(write=False)
    assert not typeof_mlir(x).mutable and not typeof(x).mutable


def check_arrays_of_cpu_are_refused_by_both():
    for kind in (typeof_mlir, typeof):
        try:
            kind(cuarray.ones(3, device="cpu"))
        except TypeError as error:
            assert "x.to_device('cuda')" in str(error)
        else:
            raise AssertionError("an address of the host would go to a kernel")


if __name__ == "__main__":
    from numba.cuda import types
    from numba.cuda.core import entrypoints
    from numba.cuda.typing.typeof import typeof
    from numba_cuda_mlir.numba_cuda import types as types_mlir
    from numba_cuda_mlir.numba_cuda.core import entrypoints as entrypoints_mlir
    from numba_cuda_mlir.numba_cuda.typing.typeof import typeof as typeof_mlir

    import cuarray

    entrypoints.init_all()  # as the first compilation does
    entrypoints_mlir.init_all()
    cuarray.set_default_device("cuda")
    peers.main(globals())
