"""numba-cuda itself on simulated GPUs: types of arguments, and device arrays."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "numba_cuda", command=peers.on_gpus)

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"]  # fmt: skip


def views(x):
    """Arrays of every order: contiguous, transposed, strided, reversed, broadcast, empty, 0-d."""
    readonly = x.copy()
    readonly.setflags(write=False)
    return [
        x,
        x.T,
        x[:, 0, ...],
        x[::2, 1:],
        x[::-1],
        x[:0],
        x[0, 0, ...],
        readonly,
        cuarray.broadcast_to(x[0], (2, 3)),
    ]


def host(d):
    """The values of Numba's array; its copies to the host may be asynchronous."""
    values = d.copy_to_host()
    cuda.synchronize()
    return values.tolist()


def check_types_are_those_of_numbas_own_arrays():
    for name in NAMES:
        for x in views(cuarray.ones((4, 3)).astype(name)):
            if min(x.strides, default=0) < 0 or not x.flags.writeable:  # numba-cuda's arrays are neither
                continue
            own = cuda.as_cuda_array(x)._numba_type_
            assert (x._numba_type_.dtype, x._numba_type_.ndim) == (own.dtype, own.ndim)
            assert typeof(x) is x._numba_type_ or typeof(x) == x._numba_type_
            assert x._numba_type_.layout == own.layout or x.size == 0, (name, x.strides)


def check_types_say_what_capsules_say():
    """Without cuarray's types numba-cuda would read a capsule, and take the type from it."""
    from cuda.core.utils import StridedMemoryView

    for name in NAMES:
        for x in views(cuarray.ones((4, 3)).astype(name)):
            view = StridedMemoryView.from_dlpack(x, stream_ptr=-1)
            if min(x.strides, default=0) < 0:
                assert "write cuda.as_cuda_array(x), or x.copy()" in str(error_of(lambda x=x: x._numba_type_))
                continue
            kind = x._numba_type_
            assert kind.mutable == (not view.readonly), (name, x.strides)
            assert kind.ndim == len(view.shape) and str(kind.dtype) == str(typeof(np.ones(1, name)).dtype)


def check_types_are_kept():
    x = cuarray.ones((2, 3))
    assert x._numba_type_ is (x + 1)._numba_type_ is not x.T._numba_type_
    assert cuarray.ones((1,) * 7)._numba_type_ == cuarray.ones((1,) * 7)._numba_type_


def check_the_path_of_a_launch():
    """A launch types its arguments in C, and looks for the kernel: here it is a function that nothing has compiled."""

    @cuda.jit
    def kernel(x):
        pass

    x = cuarray.ones(3)
    kernel._insert([x._numba_type_._code], found, cuda=True)
    for _ in range(3):
        assert Dispatcher._cuda_call(kernel, x) is found
    assert Dispatcher._cuda_call(kernel, x * 2) is found


def found():
    pass


def check_arguments_do_not_stop_the_host():
    """The stream of the launch waits for the work on an argument."""
    from cuda.core.utils import StridedMemoryView

    stream = cuda.stream()
    with cuarray.Stream():
        x = cuarray.arange(1000.0) + 1
        view = StridedMemoryView.from_dlpack(x, stream_ptr=int(stream.handle))
    assert view.ptr == x.__cuda_array_interface__["data"][0] and view.is_device_accessible
    stream.synchronize()
    assert host(cuda.as_cuda_array(x)) == list(range(1, 1001))


def check_device_arrays():
    x = cuarray.arange(12.0).reshape(3, 4)
    for d in (cuda.as_cuda_array(x), cuda.to_device(x), x.numba()):
        assert d.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0]
        assert host(d) == x.tolist()
        back = cuarray.asarray(d)
        back[0, 0] = 7
        assert x[0, 0] == 7
        x[0, 0] = 0
    d = cuda.to_device(np.arange(3.0))
    assert cuarray.asarray(d).tolist() == [0, 1, 2] and cuarray.asarray(d).device == x.device


def check_arrays_of_cpu_are_refused():
    """numba-cuda would pass their addresses to the kernel."""
    x = cuarray.arange(3.0, device="cpu")
    assert not hasattr(x, "_numba_type_") and not hasattr(x.sum(), "_numba_type_")

    @cuda.jit
    def kernel(x):
        x[0] = 1

    for _ in range(2):
        error = error_of(lambda: kernel[1, 1](x))
        assert isinstance(error, TypeError) and "x.to_device('cuda')" in str(error), error
    assert x.numba().base is not None and type(x.numba()) is np.ndarray


def check_types_that_numba_lacks():
    try:
        kind = cuarray.ones(3).astype("bfloat16")._numba_type_
    except TypeError as error:  # versions without ml_dtypes
        assert "write x.astype('float32')" in str(error)
    else:
        assert "bfloat16" in str(kind)
    assert cuarray.ones(3)._numba_type_ is not None, "the next call works"


def check_arrays_of_gpus_in_functions_for_the_host():
    @numba.njit
    def total(x):
        return x.sum()

    assert total(cuarray.arange(3.0, device="cpu")) == 3
    for x in (cuarray.arange(3.0), cuarray.arange(3)):
        error = error_of(lambda x=x: total(x))
        assert isinstance(error, TypeError) and "x.numpy()" in str(error), error


def check_the_stream_is_none_once_the_work_has_run():
    x = cuarray.ones(1000) + 1
    x.device.synchronize()
    assert x.__cuda_array_interface__["stream"] is None


if __name__ == "__main__":
    import numba
    import numpy as np
    from numba import cuda
    from numba.cuda.cext._dispatcher import Dispatcher
    from numba.cuda.typing.typeof import typeof

    import cuarray
    import cuarray.interop.numba

    cuarray.set_default_device("cuda")
    peers.main(globals())
