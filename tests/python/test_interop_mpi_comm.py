"""cuarray.interop.mpi against mpi4py on NumPy arrays: two and four processes, on cpu and on a simulated GPU."""

import shutil
import sys
from pathlib import Path

import peers

TYPES = ["int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128", "bool"]
LAYOUTS = ["C", "F", "reversed", "step"]


def launcher(processes, *prefix):
    """Return a function that gives the command for so many processes."""

    def command():
        beside = Path(sys.executable).parent / "mpiexec"
        mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec") or "mpiexec"
        return [mpiexec, "-n", str(processes), *prefix]

    return command


SIMULATOR = str(Path(__file__).resolve().parents[1] / "cudasim" / "run")

test_two = peers.test_of(__file__, "mpi4py", command=launcher(2))
test_four = peers.test_of(__file__, "mpi4py", command=launcher(4))
test_two_with_gpus = peers.test_of(__file__, "mpi4py", command=launcher(2, SIMULATOR))
test_four_with_gpus = peers.test_of(__file__, "mpi4py", command=launcher(4, SIMULATOR))


def array(data, layout, device):
    """An array of ours with these elements in the layout."""
    data = np.asarray(data)
    if layout == "C" or data.ndim == 0:
        return ca.array(data, device=device)
    if layout == "F":
        return ca.array(data.T.copy(), device=device).T
    if layout == "reversed":
        return ca.array(data[::-1].copy(), device=device)[::-1]
    x = ca.zeros((*data.shape[:-1], 2 * data.shape[-1]), data.dtype, device=device)[..., ::2]
    x[...] = ca.array(data, device=device)
    return x


def numbers(shape, dtype, seed=0):
    """Different numbers in each process, exact in every type."""
    values = np.random.default_rng(100 * seed + rank).integers(0, 3, shape)
    return values.astype(dtype)


def collectives(p):
    """Method: shapes of the buffer that is sent and of the one that is received, and keywords."""
    one, all_of_them = (2, 3), (p, 2, 3)
    return {
        "Bcast": (None, one, {"root": p - 1}),
        "Gather": (one, all_of_them, {"root": p - 1}),
        "Scatter": (all_of_them, one, {"root": p - 1}),
        "Allgather": (one, all_of_them, {}),
        "Alltoall": (all_of_them, all_of_them, {}),
        "Reduce": (one, one, {"root": p - 1}),
        "Allreduce": (one, one, {}),
        "Reduce_scatter_block": (all_of_them, one, {}),
        "Reduce_scatter": (all_of_them, one, {}),
        "Scan": (one, one, {}),
        "Exscan": (one, one, {}),
    }


def run(comm, name, variant, buffers, keywords):
    """Run a collective: blocking, by a request, or twice by a persistent one."""
    if variant == "":
        getattr(comm, name)(*buffers, **keywords)
    elif variant == "I":
        getattr(comm, "I" + name.lower())(*buffers, **keywords).Wait()
    else:
        request = getattr(comm, name + "_init")(*buffers, **keywords)
        for _ in range(2):
            request.Start()
            request.Wait()
        request.Free()


def buffers_of(shapes, dtype, make):
    sent, received, _ = shapes
    received = make(numbers(received, dtype, seed=1))
    return [received] if sent is None else [make(numbers(sent, dtype)), received]


def check_collectives():
    for name, shapes in collectives(size).items():
        for dtype in TYPES:
            op = {"op": MPI.LOR} if dtype == "bool" and len(shapes) and "op" in parameters(name) else {}
            for variant in ("", "I", "_init"):
                expected = buffers_of(shapes, dtype, lambda data: data)
                run(world, name, variant, expected, {**shapes[2], **op})
                for device in devices:
                    for layout in LAYOUTS:
                        got = buffers_of(shapes, dtype, lambda data: array(data, layout, device))
                        run(comm, name, variant, got, {**shapes[2], **op})
                        for x, y in zip(got, expected, strict=True):
                            assert np.array_equal(x.numpy(), y), (name, dtype, variant, device, layout)


def parameters(name):
    return inspect.signature(getattr(MPI.Intracomm, name)).parameters


def check_collectives_in_place():
    for device in devices:
        for layout in LAYOUTS:
            for name in ("Allreduce", "Scan", "Exscan", "Allgather", "Alltoall", "Reduce_scatter_block"):
                expected = numbers((size, 2, 3), "float64")
                got = array(expected, layout, device)
                getattr(world, name)(MPI.IN_PLACE, expected)
                again = array(got.numpy(), layout, device)
                getattr(comm, name)(MPI.IN_PLACE, got)
                getattr(comm, name)(None, again)  # means the same
                assert np.array_equal(got.numpy(), expected), (name, device, layout)
                assert np.array_equal(again.numpy(), expected), (name, device, layout)
            expected = numbers((size, 2, 3), "float64")
            got = array(expected, layout, device)
            for communicator, buffer in ((world, expected), (comm, got)):
                communicator.Reduce(MPI.IN_PLACE if rank == 0 else buffer, buffer if rank == 0 else None)
            assert np.array_equal(got.numpy(), expected)


def check_counts_and_displacements():
    counts = [k + 1 for k in range(size)]
    starts = [(size + 1) * k for k in range(size)]  # with gaps, which keep what they hold
    for device in devices:
        for layout in ("C", "step", "reversed"):
            for variant in ("", "I", "_init"):
                results = []
                for communicator, make in ((world, np.array), (comm, lambda x: array(x, layout, device))):
                    mine, every = make(np.arange(rank + 1.0) + 10 * rank), make(np.full(size * (size + 1), -1.0))
                    run(communicator, "Allgatherv", variant, [mine, [every, counts, starts, MPI.DOUBLE]], {})
                    back = make(np.full(rank + 1, -1.0))
                    run(communicator, "Scatterv", variant, [[every, counts, starts, MPI.DOUBLE], back], {})
                    others = make(np.full(size * (size + 1), -2.0))
                    run(communicator, "Alltoallv", variant,
                        [[every, ([1] * size, starts)], [others, ([1] * size, starts), MPI.DOUBLE]], {})  # fmt: skip
                    gathered = make(np.full(size * (size + 1), -3.0))
                    run(communicator, "Gatherv", variant, [mine, [gathered, (counts, starts)]], {"root": size - 1})
                    results.append([np.asarray(x if isinstance(x, np.ndarray) else x.numpy())
                                    for x in (mine, every, back, others, gathered)])  # fmt: skip
                for x, y in zip(*results, strict=True):
                    assert np.array_equal(x, y), (device, layout, variant)


def check_derived_types():
    """A column of a matrix, whose other elements stay."""
    column = MPI.DOUBLE.Create_vector(4, 1, 3).Commit()
    to, source = (rank + 1) % size, (rank - 1) % size
    for device in devices:
        results = []
        for communicator, make in ((world, np.array), (comm, lambda x: array(x, "C", device))):
            x, y = make(numbers((4, 3), "float64")), make(np.full((4, 3), -1.0))
            communicator.Sendrecv([x, 1, column], to, recvbuf=[y, 1, column], source=source)
            results.append(y if isinstance(y, np.ndarray) else y.numpy())
        assert np.array_equal(*results), device
    column.Free()


def check_point_to_point():
    """Sends wait for the work on their array (mpi4jax #60, #230; MPI.jl #443)."""
    to, source = (rank + 1) % size, (rank - 1) % size
    for device in devices:
        for dtype in [*TYPES, "bfloat16"]:
            for layout in LAYOUTS:
                x = ca.array(numbers((3, 4), "int8"), device=device).astype(dtype)
                x = array(x.numpy(), layout, device)
                expected = np.zeros((3, 4), x.dtype)
                words = np.uint16 if dtype == "bfloat16" else x.dtype
                world.Sendrecv(x.numpy().copy().view(words), to, recvbuf=expected.view(words), source=source)

                def target():
                    return array(np.zeros((3, 4), x.dtype), layout, device)

                y = target()
                comm.Sendrecv(x, to, recvbuf=y, source=source)
                z = target()
                requests = [comm.Irecv(z, source), comm.Isend(x, to)]
                assert mpi.Request.Waitall(requests)
                u = array(x.numpy(), layout, device)
                comm.Sendrecv_replace(u, to, source=source)
                v = target()
                comm.Isendrecv(x, to, recvbuf=v, source=source).Wait()
                w = target()
                requests = [comm.Recv_init(w, source), comm.Ssend_init(x, to)]
                for _ in range(2):
                    mpi.Request.Startall(requests)
                    mpi.Request.Waitall(requests)
                for request in requests:
                    request.Free()
                t = target()
                comm.Sendrecv([x, 5], to, recvbuf=[t, 5], source=source)
                assert (
                    t.numpy().ravel()[:5].tobytes() == expected.ravel()[:5].tobytes()
                    and not t.numpy().ravel()[5:].any()
                )
                for got in (y, z, u, v, w):
                    assert got.numpy().tobytes() == expected.tobytes(), (device, dtype, layout)


def check_other_ranks_may_use_numpy():
    for device in devices:
        if rank == 0:
            comm.Send(array(np.arange(6.0).reshape(2, 3), "F", device), 1)
        elif rank == 1:
            x = np.zeros((2, 3))
            world.Recv(x, 0)
            assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
        total = ca.zeros(3, device=device) if rank else np.zeros(3)
        comm.Allreduce(np.ones(3) if rank else ca.ones(3, device=device), total)
        assert total.tolist() == [size] * 3


def check_short_messages_leave_the_rest():
    for device in devices:
        for layout in LAYOUTS:
            for receive in (lambda x: comm.Recv(x, 0), lambda x: comm.Irecv(x, 0).Wait(),
                            lambda x: comm.Mprobe(0).Recv(x), lambda x: comm.Mprobe(0).Irecv(x).Wait(),
                            lambda x: comm.Sendrecv(np.zeros(0), MPI.PROC_NULL, recvbuf=x, source=0)):  # fmt: skip
                if rank == 0:
                    for other in range(1, size):
                        comm.Send(np.arange(5.0), other)
                else:
                    x = array(np.full((4, 3), -1.0), layout, device)
                    receive(x)
                    assert x.numpy().ravel().tolist() == [0, 1, 2, 3, 4] + [-1] * 7, (device, layout)
                x = array(np.ones((2, 2)), layout, device)
                status = MPI.Status()
                comm.Recv(x, MPI.PROC_NULL, status=status)
                assert x.tolist() == [[1, 1], [1, 1]] and status.Get_source() == MPI.PROC_NULL


def check_matched_messages():
    for device in devices:
        if rank == 0:
            comm.Send(ca.arange(3.0, device=device), 1, tag=7)
        elif rank == 1:
            message = None
            while message is None:
                message = comm.Improbe(0, 7)
            assert isinstance(message, mpi.Message)
            x = ca.zeros(3, device=device)
            message.Recv(x)
            assert x.tolist() == [0, 1, 2]


def check_empty_and_0d():
    for device in devices:
        x, y = ca.ones((), device=device) * (rank + 1), ca.zeros((), device=device)
        comm.Allreduce(x, y)
        assert float(y) == sum(range(size + 1))
        comm.Bcast(y, root=0)
        comm.Allreduce(ca.ones(3, device=device).sum(), y)
        assert float(y) == 3 * size
        value = ca.ones(3, device=device).sum()
        comm.Allreduce(y, value)
        assert value == 3 * size * size and hash(value) == 3 * size * size
        for receive in (
            lambda: comm.Allreduce(MPI.IN_PLACE, value),
            lambda: comm.Allreduce(y, value),
            lambda: comm.Irecv(value, MPI.PROC_NULL),
        ):
            text = str(peers.error_of(receive, BufferError))  # what is received would be lost
            assert "write cuarray.array(x)" in text
        if str(device) == "cpu":
            text = str(peers.error_of(lambda: world.Allreduce(MPI.IN_PLACE, value), BufferError))
            assert "not writable" in text
        empty = ca.zeros((0, 3), device=device)
        comm.Allreduce(empty, ca.zeros((0, 3), device=device))
        comm.Bcast(empty[::-1])


def check_operations_that_mpi_lacks():
    """In the order of the ranks, as NumPy reduces; MPI may add in another order."""
    cases = [("complex64", MPI.MAX, np.maximum), ("complex128", MPI.MIN, np.minimum), ("bool", MPI.SUM, np.add),
             ("bool", MPI.PROD, np.multiply), ("bool", MPI.MAX, np.maximum), ("float32", MPI.LAND, np.logical_and),
             ("float64", MPI.LXOR, np.logical_xor), ("complex64", MPI.LOR, np.logical_or), ("float16", MPI.SUM, np.add),
             ("float16", MPI.MAX, np.maximum), ("bfloat16", MPI.SUM, np.add), ("bfloat16", MPI.PROD, np.multiply),
             ("bfloat16", MPI.MIN, np.minimum), ("bfloat16", MPI.LAND, np.logical_and), ("bool", MPI.BOR, np.bitwise_or),
             ("float16", MPI.LOR, np.logical_or)]  # fmt: skip
    for device in devices:
        for dtype, op, function in cases:
            mine = ca.array(numbers((5, 7), "int8"), device=device).astype(dtype)
            if mine.dtype.kind == "c":
                mine = mine + 1j * ca.array(numbers((5, 7), "int8", seed=3), device=device).astype(mine.real.dtype)
            every = world.allgather(mine.numpy())
            expected = every[0]
            for other in every[1:]:
                expected = function(expected, other).astype(mine.dtype)
            for layout in LAYOUTS:
                for variant in ("", "I", "_init"):
                    total = array(np.zeros((5, 7), mine.dtype), layout, device)
                    run(comm, "Allreduce", variant, [array(mine.numpy(), layout, device), total], {"op": op})
                    assert np.array_equal(total.numpy(), expected), (dtype, op.py2f(), device, layout)
        for dtype in ("float32", "bfloat16", "complex64"):
            try:
                comm.Allreduce(ca.ones(3, dtype, device=device), ca.ones(3, dtype, device=device), op=MPI.BAND)
            except TypeError:
                continue
            raise AssertionError("bits of floating-point numbers")


def check_operations_of_the_program():
    """They get the bytes, as from mpi4py."""

    def maximum(source, target, _datatype):
        target = np.frombuffer(target, np.float64)
        np.maximum(np.frombuffer(source, np.float64), target, out=target)

    op = MPI.Op.Create(maximum, commute=True)
    for device in devices:
        total = ca.zeros(4, device=device)
        comm.Allreduce(ca.full(4, float(rank), device=device), total, op=op)
        assert total.tolist() == [size - 1] * 4
    op.Free()


def check_chunks():
    """Whatever the sizes and layouts: chunks of 5 elements that end anywhere, arrays of GPUs in some processes."""
    small = mpi.Comm(world, chunk=40)
    for here in devices:
        for device in (here, devices[0] if rank % 2 else here):
            for name in ("Allreduce", "Reduce", "Scan", "Exscan", "Bcast"):
                for count in (4, 5, 6, 10, 23):
                    for layout in ("C", "step"):
                        root = {"root": size - 1} if "root" in parameters(name) else {}
                        expected = [np.arange(count) + rank + 1.0, np.full(count, -1.0)]
                        got = [array(x, layout, device) for x in expected]
                        first = 1 if name == "Bcast" else 0
                        getattr(world, name)(*expected[first:], **root)
                        getattr(small, name)(*got[first:], **root)
                        for x, y in zip(got, expected, strict=True):
                            assert np.array_equal(x.numpy(), y), (name, count, layout, device)
                        y = array(expected[0], layout, device)
                        if name != "Bcast":
                            in_place = expected[0].copy()
                            for communicator, buffer in ((world, in_place), (small, y)):
                                if name == "Reduce":
                                    is_root = rank == size - 1
                                    communicator.Reduce(
                                        MPI.IN_PLACE if is_root else buffer, buffer if is_root else None, **root
                                    )
                                else:
                                    getattr(communicator, name)(MPI.IN_PLACE, buffer)
                            assert np.array_equal(y.numpy(), in_place), (name, count, layout, device)


def check_chunks_of_numpy_and_halves():
    small = mpi.Comm(world, chunk=8)
    for device in devices:
        x = ca.arange(30, dtype="bfloat16", device=device)
        total = ca.zeros((5, 6), "bfloat16", device=device).T if rank else ca.zeros(30, "bfloat16", device=device)
        small.Allreduce(x, total)  # the shapes may differ, the elements go in C order
        assert np.array_equal(total.numpy().ravel(), (size * np.arange(30.0)).astype(x.dtype))
        total = np.zeros(30) if rank else ca.zeros(30, device=device)
        small.Allreduce(np.arange(30.0) if rank else ca.arange(30.0, device=device), total)
        assert np.array_equal(total if rank else total.numpy(), size * np.arange(30.0))
        total = np.zeros(30) if rank else ca.zeros(30, device=device)
        words = bytearray(80) if rank else ca.zeros(80, "uint8", device=device)
        small.Allreduce(bytearray([1] * 80) if rank else ca.ones(80, "uint8", device=device), words)
        assert list(words) == [size] * 80 if rank else words.tolist() == [size] * 80
        total[...] = 0
        small.Allreduce([np.arange(30.0), MPI.DOUBLE] if rank else ca.arange(30.0, device=device), total)  # as a whole
        assert np.array_equal(total if rank else total.numpy(), size * np.arange(30.0))


def check_requests():
    to, source = (rank + 1) % size, (rank - 1) % size
    for device in devices:
        x, y = ca.full(3, float(rank), device=device), ca.zeros((3, 2), device=device).T[0, ...]
        receive, send = comm.Irecv(y, source), comm.Isend(x, to)
        found = set()
        while len(found) < 2:
            found.add(mpi.Request.Waitany([receive, send]))
        assert found == {0, 1} and mpi.Request.Waitany([receive, send]) == MPI.UNDEFINED
        assert y.tolist() == [source] * 3 and not receive
        y[...] = 0
        requests = [comm.Irecv(y, source), comm.Isend(x, to), world.Ibarrier()]
        done = []
        while len(done) < 3:
            done += mpi.Request.Waitsome(requests) or []
        assert sorted(done) == [0, 1, 2] and y.tolist() == [source] * 3
        y[...] = 0
        requests, statuses = [comm.Irecv(y, source), comm.Isend(x, to)], [MPI.Status(), MPI.Status()]
        while not mpi.Request.Testall(requests, statuses):
            pass
        assert y.tolist() == [source] * 3 and statuses[0].Get_source() == source
        y[...] = 0
        receive, send = comm.Irecv(y, source), comm.Isend(x, to)
        while not receive.Test():
            pass
        send.wait()
        assert y.tolist() == [source] * 3
        try:
            MPI.Request.Waitall([comm.Isend(x, MPI.PROC_NULL)])
        except TypeError:
            pass
        else:
            raise AssertionError("mpi4py would not copy what arrived")
        receive = comm.Irecv(y, source, tag=99)
        receive.Cancel()
        receive.Wait()
        assert y.tolist() == [source] * 3


def check_persistent_requests_read_at_start():
    to, source = (rank + 1) % size, (rank - 1) % size
    for device in devices:
        for layout in LAYOUTS:
            x, y = (array(np.zeros((2, 3)), layout, device) for _ in range(2))
            requests = [comm.Recv_init(y, source), comm.Send_init(x, to)]
            for k in range(3):
                x[...] = 10 * k + rank
                mpi.Request.Startall(requests)
                mpi.Request.Waitall(requests)
                assert np.array_equal(y.numpy(), np.full((2, 3), 10 * k + source)), (device, layout)
            for request in requests:
                request.Free()


def check_neighbours():
    cart = comm.Create_cart([size], periods=[False])
    reference = world.Create_cart([size], periods=[False])
    assert isinstance(cart, mpi.Comm) and isinstance(cart, MPI.Cartcomm)
    for device in devices:
        for layout in LAYOUTS:
            for variant in ("", "_init"):
                expected = [numbers((2, 3), "float64"), np.full((2, 3), -1.0)]
                got = [array(x, layout, device) for x in expected]
                run(reference, "Neighbor_alltoall", variant, expected, {})
                run(cart, "Neighbor_alltoall", variant, got, {})
                assert np.array_equal(got[1].numpy(), expected[1]), (device, layout)


def check_communicators():
    for made in (comm.Dup(), comm.Split(0, rank), comm.Split_type(MPI.COMM_TYPE_SHARED), comm.Create_cart([size]).Sub([True]),
                 comm.Idup()[0], comm.Create(comm.Get_group())):  # fmt: skip
        assert isinstance(made, mpi.Comm) and made.chunk == comm.chunk
        total = ca.zeros(2)
        made.Allreduce(ca.ones(2), total)
        assert total.tolist() == [size] * 2
    assert comm.Split(MPI.UNDEFINED) == MPI.COMM_NULL
    assert comm == world and pickle.loads(pickle.dumps(comm)) == world
    assert mpi.Comm(world, chunk=None).Dup().chunk is None


def check_intercommunicators():
    half = comm.Split(rank % 2, rank)
    between = half.Create_intercomm(0, world, 1 - rank % 2)
    assert isinstance(between, MPI.Intercomm) and isinstance(between, mpi.Comm)
    for device in devices:
        x, total = ca.full(3, rank + 1.0, device=device), ca.zeros((3, 2), device=device)[:, 0]
        between.Allreduce(x, total)
        assert total.tolist() == [sum(other + 1 for other in range(size) if other % 2 != rank % 2)] * 3
        root = 0 if rank % 2 else (MPI.ROOT if rank == 0 else MPI.PROC_NULL)
        values = ca.arange(3.0, device=device)[::-1] if rank == 0 else ca.zeros(3, device=device)[::-1]
        between.Bcast(values, root=root)
        assert values.tolist() == ([2, 1, 0] if rank == 0 or rank % 2 else [0, 0, 0])


def check_bad_arguments():
    for device in devices:
        frozen = ca.zeros(3, device=device)
        frozen.flags.writeable = False
        x, y = ca.ones(3, device=device), ca.zeros(4, device=device)
        for call, error in (
            (lambda: comm.Allreduce(x, frozen), BufferError),
            (lambda: comm.Recv(frozen[::-1], MPI.PROC_NULL), BufferError),
            (lambda: comm.Allreduce(x, y), ValueError),
            (lambda: comm.Allreduce(x[::2], y), ValueError),
            (lambda: comm.Send(x), TypeError),
            (lambda: comm.Send(x, 0, wrong=1), TypeError),
            (lambda: comm.Send(x, 0, buf=x), TypeError),
            (lambda: comm.Send(x, size), MPI.Exception),
            (lambda: mpi.Comm(None), TypeError),
            (lambda: mpi.Comm(world, chunk=0), ValueError),
            (lambda: mpi.Comm(world, chunk=True), ValueError),
            (lambda: comm.Isend(x, MPI.PROC_NULL).Start(), TypeError),
            (lambda: comm.Psend_init(x[::-1], 1, 0), NotImplementedError),
        ):
            try:
                call()
            except error:
                continue
            raise AssertionError(call.__code__)
        total = ca.zeros(3, device=device)
        comm.Allreduce(x, total)
        assert total.tolist() == [size] * 3


def check_windows():
    to, source = (rank + 1) % size, (rank - 1) % size
    for device in devices:
        for layout in LAYOUTS:
            for dtype in ("float64", "int16", "complex128", "bfloat16"):
                x = array(np.zeros((2, 3), ca.zeros(1, dtype, device="cpu").dtype), layout, device)
                win = mpi.Win.Create(x, disp_unit=x.itemsize, comm=comm)
                win.Fence()
                origin = (ca.arange(4, device=device) + 1)[::-1].astype(dtype)[1:]
                win.Put(origin, to, target=1)
                win.Fence()
                assert x.numpy().ravel().tolist() == [0, 3, 2, 1, 0, 0], (device, layout, dtype)
                x[0, 0] = rank + 5
                win.Fence()  # publishes what the program changed
                result = array(np.zeros((3, 2), x.dtype), layout, device)
                win.Get(result, source)
                win.Fence()
                assert result.numpy().ravel().tolist() == [source + 5, 3, 2, 1, 0, 0], (device, layout, dtype)
                if dtype != "bfloat16":
                    win.Accumulate(origin, to, target=0)
                    win.Fence()
                    assert x.numpy().ravel().tolist() == [rank + 8, 5, 3, 1, 0, 0], (device, layout, dtype)
                win.Free()


def check_passive_windows():
    for device in devices:
        for layout in ("C", "step"):
            x = array(np.zeros((2, 2)), layout, device)
            win = mpi.Win.Create(x, disp_unit=8, comm=comm)
            x[0, 1] = -1.0  # the program may change what others leave alone
            for _ in range(3):
                win.Lock(0)
                old, one = ca.zeros(1, device=device), ca.ones(1, device=device)
                win.Fetch_and_op(one, old, 0)
                win.Unlock(0)
            world.Barrier()
            win.Lock(rank)
            assert float(x[0, 0]) == (3 * size if rank == 0 else 0) and float(x[0, 1]) == -1, (device, layout)
            x[0, 1] = 0
            x[1, 1] = rank + 1
            win.Unlock(rank)
            world.Barrier()
            win.Lock_all()
            got = array(np.zeros((2, 2)), layout, device)
            request = win.Rget(got, (rank + 1) % size)
            request.Wait()
            assert float(got[1, 1]) == (rank + 1) % size + 1
            if rank == 0:
                compared = ca.full(1, 5.0, device=device)
                win.Compare_and_swap(ca.full(1, 7.0, device=device).view("int64"), ca.zeros(1, "int64", device=device),
                                     compared.view("int64"), size - 1, 1)  # fmt: skip
                win.Flush(size - 1)
                assert float(compared[0]) == 0, "what was there"
            win.Rput(ca.full(1, 9.0, device=device), rank, 2).Wait()
            win.Unlock_all()
            world.Barrier()
            win.Lock(rank)
            assert float(x[1, 0]) == 9 and float(x[0, 1]) == (7 if rank == size - 1 else 0)
            win.Unlock(rank)
            win.Free()


def check_general_active_windows():
    others = [other for other in range(size) if other != rank]
    group = world.Get_group().Incl(others)
    for device in devices:
        x = ca.zeros((2, size), device=device).T[:, 0]
        win = mpi.Win.Create(x, disp_unit=8, comm=comm)
        win.Post(group)
        win.Start(group)
        for other in others:
            win.Put(ca.full(1, rank + 1.0, device=device), other, rank)
        win.Complete()
        win.Wait()
        got = ca.zeros((2, len(others)), device=device)[:, ::2]
        win.Post(group)
        win.Start(group)
        win.Get([got, got.size], others[0])
        win.Complete()
        first = [0 if k == others[0] else k + 1.0 for k in range(size)]
        assert got.numpy().ravel().tolist() == first[: got.size]
        win.Wait()
        assert x.tolist() == [0 if k == rank else k + 1 for k in range(size)]
        try:
            win.Accumulate(ca.ones(1, "bfloat16", device=device), 0)
        except TypeError as error:
            assert "bfloat16" in str(error)
        else:
            raise AssertionError("MPI adds no bfloat16")
        win.Free()


def check_gpu_arrays_directly():
    """Managed memory, which the host reads too, stands for that of a CUDA-aware MPI."""
    os.environ["CUARRAY_MPI_CUDA"] = "1"
    mpi.reads_gpus.cache_clear()
    try:
        for device in devices[1:]:
            with ca.Stream(device=device):
                x = ca.zeros(1000, device=device, memory="managed")
                y = ca.zeros(1000, device=device, memory="managed")
                before = ca.memory.stats(device)["kinds"].get("pinned", {"allocations": 0})["allocations"]
                for _ in range(20):
                    x += 1
            comm.Allreduce(x, y)  # waits for the work of a stream that is not the current one
            assert y.tolist() == [20 * size] * 1000
            world.Allreduce(x, y)
            request = comm.Irecv(y, rank)
            comm.Send(x, rank)
            request.Wait()
            assert y.tolist() == [20] * 1000
            after = ca.memory.stats(device)["kinds"].get("pinned", {"allocations": 0})["allocations"]
            assert after == before, "the array was staged"
            win = mpi.Win.Create(y, disp_unit=8, comm=comm)
            win.Fence()
            win.Put(x[:1], (rank + 1) % size)
            win.Fence()
            assert win._mirror is None
            win.Free()
            half = ca.ones(3, "bfloat16", device=device, memory="managed")
            comm.Allreduce(MPI.IN_PLACE, half)  # our operation runs on the host, so the array goes there
            assert half.tolist() == [size] * 3
    finally:
        del os.environ["CUARRAY_MPI_CUDA"]
        mpi.reads_gpus.cache_clear()


def check_examples_of_the_docstrings():
    for module in (mpi.communicators, mpi.requests, mpi.windows):
        failed, tried = doctest.testmod(module)
        assert tried and not failed, module.__name__


def check_nothing_is_left():
    for device in devices:
        before = None
        for k in range(6):
            for layout in LAYOUTS:
                x, y = array(np.ones((3, 4)), layout, device), array(np.ones((3, 4)), layout, device)
                comm.Allreduce(x, y)
                comm.Isend(x, MPI.PROC_NULL).Wait()
                mpi.Win.Create(x, comm=comm).Free()
                request = comm.Send_init(x, MPI.PROC_NULL)
                request.Start()
                request.Wait()
                request.Free()
            del x, y, request
            kinds = {name: kind["current"] for name, kind in ca.memory.stats(device)["kinds"].items()}
            before = kinds if k == 2 else before
        assert kinds == before, (kinds, before)


def check_abandoned_requests_keep_their_memory():
    count = len(mpi.requests.abandoned)
    for device in devices:
        comm.Isend(ca.ones((3, 4), device=device).T, MPI.PROC_NULL)
    assert len(mpi.requests.abandoned) == count + len(devices)


if __name__ == "__main__":
    import doctest
    import inspect
    import os
    import pickle

    import numpy as np
    from mpi4py import MPI

    import cuarray as ca
    from cuarray.interop import mpi

    world = MPI.COMM_WORLD
    comm = mpi.Comm(world)
    rank, size = comm.rank, comm.size
    devices = ["cpu", *[str(device) for device in ca.devices() if device != ca.device("cpu")][:1]]
    peers.main(globals())
