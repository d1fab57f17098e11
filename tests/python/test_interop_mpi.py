"""mpi4py sends and reduces cuarray's arrays, between two processes."""

import shutil
import sys
from pathlib import Path

import peers

NAMES = ["int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"]


def launcher():
    """The mpiexec of the environment that runs the tests, for two processes."""
    beside = Path(sys.executable).parent / "mpiexec"
    return [str(beside) if beside.exists() else shutil.which("mpiexec") or "mpiexec", "-n", "2"]


test_check = peers.test_of(__file__, "mpi4py", command=launcher)


def check_there_are_two():
    assert comm.Get_size() == 2


def check_allreduce():
    for name in NAMES:
        mine = cuarray.full(5, comm.Get_rank() + 1).astype(name)
        total = cuarray.zeros(5, name)
        comm.Allreduce(mine, total)
        assert total.tolist() == [3] * 5


def check_allreduce_in_place():
    x = cuarray.arange(4.0) * (comm.Get_rank() + 1)
    comm.Allreduce(MPI.IN_PLACE, x)
    assert x.tolist() == [0, 3, 6, 9]


def check_send_and_receive():
    for name in NAMES:
        if comm.Get_rank() == 0:
            comm.Send(cuarray.arange(10).astype(name), dest=1, tag=3)
        else:
            x = cuarray.zeros(10, name)
            comm.Recv(x, source=0, tag=3)
            assert x.tolist() == list(range(10))


def check_parts_of_arrays():
    x = cuarray.zeros((2, 3))
    row = cuarray.full(3, float(comm.Get_rank()))
    comm.Allgather(row, x)
    assert x.tolist() == [[0, 0, 0], [1, 1, 1]]
    if comm.Get_rank() == 0:
        comm.Send(x[1, ...], dest=1)
    else:
        comm.Recv(x[0, ...], source=0)
        assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


def check_objects():
    """By pickle, which keeps shape, type and device."""
    x = comm.bcast(cuarray.arange(6).reshape(2, 3) if comm.Get_rank() == 0 else None)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def check_strided_arrays_are_refused():
    try:
        comm.Allreduce(cuarray.arange(6.0)[::2], cuarray.zeros(3))
    except (BufferError, ValueError, TypeError):
        return
    raise AssertionError("a strided array was sent as if it were contiguous")


def check_gpu_arrays_are_refused_by_an_mpi_of_the_host():
    """It would dereference a device address, and crash."""
    for gpu in (device for device in cuarray.devices() if device != "cpu"):
        if mpi.reads_gpus():
            return
        x, y = cuarray.arange(4.0, device=gpu), cuarray.zeros(4, device=gpu)
        for call in (lambda: comm.Allreduce(x, y), lambda: comm.Bcast(x), lambda: comm.Allreduce(MPI.IN_PLACE, [x, 4, MPI.DOUBLE]),
                     lambda: comm.Sendrecv(x, comm.Get_rank(), recvbuf=y, source=comm.Get_rank()), lambda: MPI.Get_address(x)):  # fmt: skip
            try:
                call()
            except BufferError as error:
                assert "x.numpy()" in str(error) and "cuarray.interop.mpi" in str(error), error
            else:
                raise AssertionError("MPI was given memory that it cannot read")
        comm.Allreduce(x.numpy(), host := numpy.zeros(4))
        assert host.tolist() == [0, 2, 4, 6]
        assert cuarray.from_dlpack(x).device == gpu and x.__dlpack__(stream=-1) is not None


def check_what_this_mpi_says():
    told = list(mpi.answers(mpi.library_of_mpi4py()))
    assert len(told) == 2 and len(set(told)) == 1, "MPICH has both functions"
    kinds = mpi.kinds_of_memory()
    assert ("cuda" in kinds) == mpi.reads_gpus() and "system" in kinds


def check_the_setting():
    try:
        for setting in ("1", "0", "yes"):
            os.environ["CUARRAY_MPI_CUDA"] = setting
            mpi.reads_gpus.cache_clear()
            try:
                assert mpi.reads_gpus() == (setting == "1")
            except ValueError as error:
                assert "CUARRAY_MPI_CUDA" in str(error) and setting == "yes"
    finally:
        del os.environ["CUARRAY_MPI_CUDA"]
        mpi.reads_gpus.cache_clear()


def check_libraries_without_an_answer_are_believed():
    assert list(mpi.answers(object())) == []


if __name__ == "__main__":
    import os

    import numpy
    from mpi4py import MPI

    import cuarray
    from cuarray.interop.mpi import library as mpi

    comm = MPI.COMM_WORLD
    cuarray.set_default_device("cpu")
    peers.main(globals())
