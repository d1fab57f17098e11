"""Memory that other code may write: as long as its view, buffer or capsule lives, operations that read it are not deferred."""

import contextlib
import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import cuarray

N = 1000


@pytest.fixture
def cpu():
    with cuarray.device("cpu"):
        yield


def defers(x):
    """Whether an operation that reads x waits in a context."""
    gc.collect()
    device = str(x.device)
    with cuarray.fuse():
        before = cuarray.memory.stats(device)["current"]
        y = x + 1
        waits = cuarray.memory.stats(device)["current"] == before
    assert (y == x + 1).all()
    return waits


class Consumer:
    """Another library that takes a tensor by DLPack, and gives it back when it dies."""

    def __init__(self, x):
        self.tensor, self.device = x.__dlpack__(), x.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.tensor

    def __dlpack_device__(self):
        return self.device


VIEWS = {
    "asarray": np.asarray,
    "__array__": lambda x: x.__array__(),
    "from_dlpack": np.from_dlpack,
    "memoryview": memoryview,
    "data": lambda x: x.data,
    "slice": lambda x: np.asarray(x)[3:7],
    "of a view": lambda x: np.asarray(x[3:7]),
    "base": lambda x: x.__array__().base,
    "of a buffer": lambda x: np.frombuffer(x),
    "arrow": lambda x: x.__arrow_c_array__(),
    "imported again": lambda x: cuarray.asarray(np.asarray(x)),
    "two": lambda x: (np.asarray(x), memoryview(x)),
}
CAPSULES = {
    "capsule": lambda x: x.__dlpack__(),
    "versioned": lambda x: x.__dlpack__(max_version=(1, 0)),
    "consumer": Consumer,
    "imported capsule": lambda x: cuarray.from_dlpack(Consumer(x)),
}


@pytest.mark.parametrize("view", [*VIEWS, *CAPSULES])
def test_live_views_and_gone_ones(view, device):
    if view in VIEWS and device != "cpu":
        return
    x = cuarray.zeros(N)
    assert defers(x)
    alive = (VIEWS | CAPSULES)[view](x)
    assert not defers(x) and not defers(x[2:])
    if view == "two":
        alive = alive[0]
        assert not defers(x)
    del alive
    assert defers(x)


@pytest.mark.parametrize("view", VIEWS)
def test_live_views_of_gone_arrays(view, cpu):
    """The count is of the memory, not of the array whose view it is."""
    x = cuarray.zeros(N)
    y = x[:]
    alive = VIEWS[view](x)
    del x
    assert not defers(y)
    del alive
    assert defers(y)


READERS = [
    "print(x, file=text)", "str(x)", "repr(x)", "x.tolist()", "np.asarray(x).sum()", "np.sum(x)", "np.add(x, 1)", "float(x[0])", "x.tobytes()",
    "bytes(memoryview(x))", "list(x)", "hash(x.sum())", "np.save(binary, x)", "np.testing.assert_array_equal(x, x)", "x.numpy().copy()",
    "memoryview(x).release()", "f'{x}'", "x.numpy(out=np.empty(1000))", "np.asarray(x)[3:5].tolist()", "pickle.dumps(x)", "copy.deepcopy(x)",
    "cuarray.random.default_rng(1).shuffle(x)", "np.linalg.norm(x)", "x.numpy()", "x.data", "x.flags", "sum(x)", "cuarray.save(binary, x)",
]  # fmt: skip


@pytest.mark.parametrize("code", READERS)
def test_what_is_gone_after_a_read(code, tmp_path, device):
    on_host = ("memoryview", "np.", "x.data", "shuffle")
    if device != "cpu" and any(word in code for word in on_host):
        return
    import copy
    import pickle

    x = cuarray.zeros(N)
    with open(tmp_path / "text", "w") as text, open(tmp_path / "bytes", "wb") as binary:
        exec(
            code, {"x": x, "np": np, "cuarray": cuarray, "text": text, "binary": binary, "pickle": pickle, "copy": copy}
        )
    assert defers(x)


def test_an_address_lasts_for_ever(device):
    x, y = cuarray.zeros(N), cuarray.zeros(N)
    if device == "cpu":
        x.__array_interface__  # noqa: B018
        y.ctypes.data  # noqa: B018
        assert not defers(y)
    else:
        x.__cuda_array_interface__  # noqa: B018
    assert not defers(x) and not defers(x[::2])


def test_memory_that_is_used_again_is_new(cpu):
    for _ in range(3):
        x = cuarray.zeros(N)
        assert defers(x)
        x.__array_interface__  # noqa: B018
        del x


def test_read_only_views_write_nothing(cpu):
    x = cuarray.broadcast_to(cuarray.zeros(N), (2, N))
    alive = np.asarray(x)
    assert defers(x) and alive.sum() == 0


def test_values_hash_again_when_their_views_are_gone(cpu):
    value = cuarray.ones(N).sum()
    alive = memoryview(value)
    with pytest.raises(TypeError, match="hash"):
        hash(value)
    del alive
    assert hash(value) == N


# Memory of others


def test_imports_are_others_memory(cpu):
    theirs = np.zeros(N)
    for x in (cuarray.asarray(theirs), cuarray.from_dlpack(theirs), cuarray.frombuffer(bytearray(theirs))):
        assert not defers(x)


def test_numpy_arrays_that_nobody_holds_are_ours(cpu):
    for make in (
        lambda: cuarray.asarray(np.random.default_rng(1).random(N)),
        lambda: cuarray.asarray(np.arange(float(2 * N)).reshape(2, N)[:, ::-1]),
        lambda: cuarray.asarray(np.ones(N))[3:],
    ):
        x = make()
        assert defers(x)
    theirs = np.zeros(N)
    x = cuarray.asarray(theirs)
    y = x[5:]
    assert not defers(x) and not defers(y)
    del theirs
    assert defers(x) and defers(y)
    view = np.asarray(x)
    assert not defers(x)
    del view
    again = cuarray.asarray(x.base)
    assert not defers(x) and not defers(again)
    again += 1
    del again
    assert defers(x) and x.base[0] == 1


def test_whoever_else_finds_a_numpy_array(cpu):
    class Subclass(np.ndarray):
        pass

    theirs = np.zeros((2, N))
    part = cuarray.asarray(theirs[0])
    assert not defers(part)  # the view is its own alone, but not the memory
    other = theirs[1]
    del theirs
    assert not defers(part)
    del other
    assert defers(part)
    theirs = np.zeros(N)
    weak = weakref.ref(theirs)
    x = cuarray.asarray(theirs)
    del theirs
    assert not defers(x) and weak() is not None
    del weak
    assert defers(x)
    for kept in (np.zeros(N).view(Subclass), np.frombuffer(bytearray(8 * N)), np.asarray(memoryview(np.zeros(N)))):
        x = cuarray.asarray(kept)
        del kept
        assert not defers(x)


def test_the_base_of_an_import_is_what_lent_it(cpu):
    theirs = np.arange(6.0)
    x = cuarray.asarray(theirs)
    views = [x, x[1:], x[1:][::2], x.reshape(2, 3).T, cuarray.asarray(x, order="C"), cuarray.squeeze(x)]
    for view in views:
        assert view.base is theirs and not view.flags.owndata
    assert cuarray.array(theirs).base is None and (x + 1).flags.owndata
    theirs.flags.writeable = False
    x = cuarray.asarray(theirs)
    with pytest.raises(ValueError):
        x.flags.writeable = True
    theirs.flags.writeable = True
    x.flags.writeable = True
    x[0] = 5
    assert theirs[0] == 5


def test_the_base_of_an_import_is_handed_out_before_it_is_written(cpu):
    x = cuarray.asarray(np.zeros(N))
    with cuarray.fuse():
        y = x + 1
        x.base[...] = 7
        z = x + 1
    assert y[0] == 1 and z[0] == 8


def test_results_do_not_take_the_memory_of_numpy(cpu):
    y = cuarray.asarray(np.ones(100_000)) * 2 + 1
    assert y.base is None and y.flags.owndata and (y == 3).all()


# Decorated functions


@pytest.mark.parametrize("n", [10, 5000])
def test_decorated_functions_defer_all(n, cpu):
    """Nobody else writes the memory until the function returns; what cuarray writes within it is in order."""
    theirs = np.arange(float(n))
    x, same = cuarray.asarray(theirs), cuarray.asarray(theirs)
    want = (np.sqrt(theirs * 2 + 1), theirs * 3)

    @cuarray.fuse
    def f(a):
        return cuarray.sqrt(a * 2 + 1), a * 3

    @cuarray.fuse
    def writes(a, b):
        y = a * 2
        b += 1  # another import of the same memory
        return y + a

    @cuarray.fuse
    def shifts(a, b):
        y = a[:-1] * 2
        b[1:] += y
        cuarray.add(a[1:], y, out=b[:-1])
        return y

    got = f(x)
    theirs[...] = 0
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one.numpy(), other)
    theirs[...] = np.arange(n)
    np.testing.assert_array_equal(writes(x, same).numpy(), np.arange(n) * 3 + 1)
    np.testing.assert_array_equal(theirs, np.arange(n) + 1)
    want = theirs.copy()
    y = want[:-1] * 2
    want[1:] += y
    want[:-1] = want[1:] + y
    np.testing.assert_array_equal(shifts(x, same).numpy(), y)
    np.testing.assert_array_equal(theirs, want)
    with cuarray.fuse():
        y = f(x)[1]
        theirs[...] = 7
    np.testing.assert_array_equal(y.numpy(), want * 3)


def runs(function, *arguments):
    """The most memory that a call holds beside its result, in bytes."""
    function(*arguments)
    cuarray.memory.reset_peak("cpu")
    start = cuarray.memory.stats("cpu")["peak"]
    y = function(*arguments)
    return cuarray.memory.stats("cpu")["peak"] - start - y.nbytes


def test_decorated_functions_of_shared_memory_run_once(cpu):
    theirs = np.arange(100_000.0)
    x = cuarray.asarray(theirs)

    @cuarray.fuse
    def f(a):
        return ((a * 2 + 1) * a - 3) * a

    def in_context(a):
        with cuarray.fuse():
            return ((a * 2 + 1) * a - 3) * a

    assert runs(f, x) == 0
    assert runs(in_context, x) > 0
    own = cuarray.array(theirs)
    assert runs(in_context, own) == 0
    view = np.asarray(own)
    assert runs(in_context, own) > 0 and view[1] == 1
    assert runs(f, own) == 0


def test_what_a_call_shares_itself(cpu):
    """What NumPy writes within the function to memory that is exported, or imported, there is seen in order."""
    x, outside = cuarray.zeros(N), np.zeros(N)
    shared = cuarray.asarray(outside)

    @cuarray.fuse
    def exports(a):
        view = np.asarray(a)
        y = a + 1
        view[...] = 5
        return y, a + 1

    @cuarray.fuse
    def imports(theirs):
        a = cuarray.asarray(theirs)
        y = a + 1
        theirs[...] = 5
        return y, a + 1

    @cuarray.fuse
    def operators(a, theirs):
        y = a * theirs + theirs
        theirs[...] = 5
        return y, a * theirs

    @cuarray.fuse
    def inner(a):
        return a + 1

    @cuarray.fuse
    def nested(theirs):
        y = inner(cuarray.asarray(theirs))
        s = cuarray.std(cuarray.asarray(theirs).reshape(2, -1), axis=0)
        theirs[...] = 5
        return y, s

    for call in (lambda: exports(x), lambda: exports(shared), lambda: imports(np.zeros(N))):
        before, after = call()
        assert before[0] == 1 and after[0] == 6
    before, after = operators(cuarray.ones(N), np.ones(N))
    assert before[0] == 2 and after[0] == 5
    before, deviations = nested(np.zeros(N))
    assert before[0] == 1 and deviations[0] == 0


def test_read_only_exports_overlap_what_they_show(cpu):
    """Two arrays of one memory, one by a read-only view of NumPy's."""
    x = cuarray.zeros(N)
    same = cuarray.asarray(np.asarray(cuarray.broadcast_to(x, (2, N))))

    @cuarray.fuse
    def f(a, b):
        y = b + 1
        a += 7
        return y + 1

    assert f(x, same)[0, 0] == 2


def test_errors_leave_nothing_pending(cpu):
    theirs = np.arange(float(N))
    x = cuarray.asarray(theirs)
    kept = []

    @cuarray.fuse
    def raises(a):
        kept.append(a * 2)
        raise KeyError("x")

    for _ in range(3):
        with pytest.raises(KeyError):
            raises(x)
        theirs[...] = 0
        assert kept[-1][3] == 6
        theirs[...] = np.arange(N)
    with cuarray.fuse():
        with pytest.raises(KeyError):
            raises(x)
        theirs[...] = 0
        y = x + 1  # strict again
        theirs[...] = 9
    assert kept[-1][3] == 6 and y[3] == 1
    with contextlib.suppress(KeyError), cuarray.fuse():
        view = np.asarray(x)
        raise KeyError("x")
    del view
    own = cuarray.zeros(N)
    with pytest.raises((BufferError, ValueError), match="contiguous"):
        np.frombuffer(own[::2])
    assert defers(own)


def test_views_that_the_garbage_collector_finds(cpu):
    x = cuarray.zeros(N)
    cycle = [np.asarray(x), x.__array__(), memoryview(x)]
    cycle.append(cycle)
    assert not defers(x)
    del cycle
    assert defers(x)  # it collects first


# Threads


def run_in_threads(work, count=4):
    errors = []

    def guarded(k):
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_threads_export_and_defer(cpu):
    x = cuarray.ones(N)

    def work(k):
        for _ in range(200):
            view = np.asarray(x)
            with cuarray.fuse():
                y = x * 2 + view.sum()
            assert y[0] == 2 + N
            del view

    run_in_threads(work)
    assert defers(x)


def test_threads_write_what_others_have_read(cpu):
    """An operation that has returned is not changed by a view that another thread takes and writes to."""
    for _ in range(30):
        x = cuarray.zeros(5000)
        deferred, written = threading.Event(), threading.Event()
        results = []

        def reads(x=x, deferred=deferred, written=written, results=results):
            with cuarray.fuse():
                y = x + 1
                deferred.set()
                written.wait()
                results.append(y + 1)

        def writes(x=x, deferred=deferred, written=written):
            view = np.asarray(x)
            deferred.wait()
            view[...] = 5
            written.set()

        run_in_threads(lambda k, reads=reads, writes=writes: (writes if k else reads)(), 2)
        assert results[0][0] == 2 and x[0] == 5


def test_capsules_die_in_other_threads(device):
    x = cuarray.ones(N)
    capsules = [x.__dlpack__() for _ in range(200)]
    assert not defers(x)

    def work(k):
        for _ in range(50):
            capsules.pop()

    run_in_threads(work)
    assert defers(x)


PROGRAM = """
import numpy as np
import cuarray as ca

x = ca.asarray(np.ones((100_000, 2)), device="cpu")
{operation}
assert (x.sum(axis=1) == 1).all()
"""


@pytest.mark.parametrize("operation", ["x /= ca.sum(x, axis=1)[:, None]", "ca.divide(x, 2, out=x)", "x = x / 2"])
def test_imports_are_asked_for_their_lender_without_the_gil(operation):
    """In a new process: what was asked of NumPy for the first time needed the GIL, and ended the program."""
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(operation=operation)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
