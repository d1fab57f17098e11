"""apache-tvm-ffi and cuda.core, which read and offer DLPack's table of C functions."""

import peers

test_check = peers.test_of(__file__, "tvm_ffi", "cuda.core")

NAMES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def address(x):
    return x.__array_interface__["data"][0]


def views(x):
    return [x, x.T, x[1:, ::2], x[:0], x[1, 1, ...], cuarray.broadcast_to(x[0], (2, 4))]


def check_tvm_ffi_reads_our_table():
    for name in NAMES:
        for x in views(cuarray.arange(12).astype(name).reshape(3, 4)):
            t = tvm_ffi.from_dlpack(x)
            assert str(t.dtype) == name and tuple(t.shape) == x.shape
            back = cuarray.from_dlpack(t)
            assert back.tolist() == x.tolist() and back.dtype == x.dtype
            if x.size and name != "bfloat16":
                assert address(back) == address(x)


def check_the_table_is_used_and_not_the_method():
    calls = []
    method = cuarray.ndarray.__dlpack__
    cuarray._core.extend_ndarray(
        {"__dlpack__": lambda *args, **options: calls.append(args) or method(*args, **options)}
    )
    try:
        tvm_ffi.from_dlpack(cuarray.arange(3.0))
    finally:
        cuarray._core.extend_ndarray({"__dlpack__": method})
    assert not calls


def check_our_arrays_as_arguments_of_its_functions():
    seen = []
    function = tvm_ffi.convert(lambda x: seen.append(cuarray.from_dlpack(x)))
    x = cuarray.arange(3.0)
    function(x)
    assert type(seen[0]) is cuarray.ndarray and address(seen[0]) == address(x)


def check_views_of_cuda_core():
    a = np.arange(6.0).reshape(2, 3)
    for source in (a, cuarray.asarray(a)):
        view = StridedMemoryView.from_any_interface(source, stream_ptr=-1)
        for read in (cuarray.from_dlpack, cuarray.asarray):
            x = read(view)
            assert x.tolist() == a.tolist() and address(x) == a.ctypes.data


def check_nothing_leaks():
    import gc

    x = cuarray.ones(1000)
    gc.collect()  # what earlier tests left
    before = cuarray.memory.stats("cpu")["allocations"]
    for _ in range(100):
        cuarray.from_dlpack(tvm_ffi.from_dlpack(x))
        tvm_ffi.from_dlpack(cuarray.ones(1000))
    gc.collect()
    assert cuarray.memory.stats("cpu")["allocations"] == before


if __name__ == "__main__":
    import numpy as np
    import tvm_ffi
    from cuda.core.utils import StridedMemoryView

    import cuarray

    cuarray.set_default_device("cpu")
    peers.main(globals())
