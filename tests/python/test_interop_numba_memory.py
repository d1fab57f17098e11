"""numba-cuda with its memory from cuarray's pool, on simulated GPUs."""

import peers

test_check = peers.test_of(
    __file__,
    "numba_cuda",
    command=peers.on_gpus,
    environment=(("CUDASIM_REAL_NVRTC", "0"), ("NUMBA_CUDA_MEMORY_MANAGER", "cuarray.interop.numba")),
)


def used():
    cuda.current_context().deallocations.clear()
    return cuarray.memory.stats()["current"]


def check_the_manager_is_ours():
    manager = cuarray.interop.numba.MemoryManager
    assert manager is cuarray.interop.numba._numba_memory_manager
    assert type(cuda.current_context().memory_manager) is manager


def check_memory_comes_from_the_pool_and_goes_back():
    before = used()
    arrays = [cuda.to_device(np.arange(1000.0) + i) for i in range(3)]
    assert used() - before >= 24000
    assert [cuarray.asarray(a)[1].item() for a in arrays] == [1, 2, 3], "each has its own"
    view = arrays[1][10:20]
    del arrays
    assert 8000 <= used() - before < 16000, "a view keeps the memory"
    assert cuarray.asarray(view)[0] == 11
    del view
    assert used() == before


def check_new_memory_has_no_work_of_ours_queued():
    """The pool gives memory to our streams in their order; Numba's streams are not among them."""
    ones = np.ones(100_000)
    for _ in range(20):
        with cuarray.Stream():
            x = cuarray.arange(100_000.0) + 1
            x *= 2
            address = x.__cuda_array_interface__["data"][0]
            del x
        d = cuda.device_array(100_000)
        stream = cuda.stream()
        cuda.to_device(ones, to=d, stream=stream)
        stream.synchronize()
        cuarray.synchronize()
        assert (cuarray.asarray(d) == 1).all(), hex(address)


def check_few_bytes_and_none():
    assert cuda.device_array(0).size == 0
    d = cuda.to_device(np.arange(3, dtype=np.int8))
    assert cuarray.asarray(d).tolist() == [0, 1, 2]


def check_sizes():
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total


def check_other_processes():
    try:
        cuda.device_array(3).get_ipc_handle()
    except NotImplementedError as error:
        assert "other processes" in str(error)
    else:
        raise AssertionError("memory of a pool cannot be shared")


if __name__ == "__main__":
    import numpy as np
    from numba import cuda

    import cuarray
    import cuarray.interop.numba

    cuarray.set_default_device("cuda")
    peers.main(globals())
