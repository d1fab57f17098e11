"""cuarray.memory: exact statistics, limits, faulty custom allocators, the out-of-memory steps, tracking."""

import gc
import os
import queue
import random
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import allocators
import numpy as np
import pytest

import cuarray
from cuarray import memory


def python(code, **environment):
    folders = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    variables = {**os.environ, "PYTHONPATH": folders, **environment}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=variables, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    return run


def figures(device):
    gc.collect()
    cuarray.synchronize(device)
    stats = memory.stats(device)
    return stats["current"], stats["allocations"]


@pytest.fixture(autouse=True)
def nothing_is_lost(device):
    """After every test as much memory is in use as before, from the device's own pool."""
    (cuarray.ones(2) == 1).all().item()  # makes what is kept for the next value
    before = figures(device)
    yield
    assert figures(device) == before
    assert memory.limit(device=device) is None
    assert not memory.flushes


# Figures


def test_figures_are_exact(device):
    before = memory.stats(device)
    x = cuarray.empty(1000, "f4")
    y = cuarray.empty((3, 5), "c16")
    none = cuarray.empty(0)
    during = memory.stats(device)
    assert during["current"] == before["current"] + x.nbytes + y.nbytes
    assert during["allocations"] == before["allocations"] + 2
    assert during["reserved"] >= during["current"]
    assert 0 < during["available"] <= during["total"]
    view = x[::2]
    del x, none
    assert memory.stats(device)["current"] == during["current"], "a view keeps the memory"
    del view, y
    after = memory.stats(device)
    assert (after["current"], after["allocations"]) == (before["current"], before["allocations"])


def test_parts_add_up(device):
    held = [cuarray.empty(size, "u1") for size in (1, 300, 5000, 2_000_000)]
    stats = memory.stats(device)
    for part in ("kinds", "streams"):
        shares = stats[part].values()
        if shares:
            assert sum(s["current"] for s in shares) == stats["current"] >= sum(x.nbytes for x in held)
            assert sum(s["allocations"] for s in shares) == stats["allocations"]
    assert stats["kinds"]


def test_peak(device):
    memory.reset_peak(device)
    start = memory.stats(device)["peak"]
    assert start == memory.stats(device)["current"]
    x = cuarray.empty(1 << 20, "u1")
    y = cuarray.empty(1 << 21, "u1")
    del x
    assert memory.stats(device)["peak"] == start + (3 << 20)
    memory.reset_peak(device)
    assert memory.stats(device)["peak"] == start + (2 << 20)
    del y
    assert memory.stats(device)["peak"] == start + (2 << 20)


def test_what_fails_is_no_peak(device):
    memory.reset_peak(device)
    before = memory.stats(device)["peak"]
    with pytest.raises(MemoryError):
        cuarray.empty(1 << 50, "u1")
    assert memory.stats(device)["peak"] == before


def test_table(device):
    x = cuarray.empty(3 << 20, "u1")
    stats = memory.stats(device)
    text = str(stats)
    # Other tests may have left arrays alive, so that only the table has the sum.
    assert stats["current"] >= x.nbytes
    assert text.startswith(f"{device}: {memory.size_text(stats['current'])} in ") and "no limit" in text
    assert len({len(line) for line in text.splitlines()[1:]}) == 1, "columns are aligned"
    with memory.limit(1 << 40, device):
        assert "limit 1 TiB" in str(memory.stats(device))
    del x


def test_trim_gives_back(device):
    """Freed memory is kept until then; a pool's default gives it back at once (rmm #2510, cuda-python #771)."""
    cuarray.empty(40 << 20, "u1")
    memory.trim(device)
    trimmed = memory.stats(device)
    x = cuarray.empty(40 << 20, "u1")
    del x
    # Up to 32 MiB of it may lie in a chunk that a driver's pool had reserved.
    assert memory.stats(device)["reserved"] >= trimmed["reserved"] + (8 << 20), "a freed block is kept"
    memory.trim(device)
    assert memory.stats(device)["reserved"] == trimmed["reserved"]
    memory.trim()


@pytest.mark.parametrize("function", [memory.stats, memory.trim, memory.reset_peak, memory.snapshot])
@pytest.mark.parametrize(("bad", "kind"), [("cuda:99", ValueError), ("gpu", ValueError), (3, TypeError)])
def test_wrong_device(function, bad, kind, device):
    with pytest.raises(kind, match="device"):
        function(bad)
    for call in (
        lambda: memory.limit(5, bad),
        lambda: memory.set_allocator(None, bad),
        lambda: memory.use_pool(None, bad),
    ):
        with pytest.raises(kind, match="device"):
            call()


def test_foreign_buffers_are_not_ours():
    before = figures("cpu")
    theirs = np.zeros(1 << 20)
    ours = cuarray.asarray(theirs, device="cpu", copy=False)
    assert figures("cpu") == before
    copied = ours + 1
    assert figures("cpu")[0] == before[0] + copied.nbytes


# Threads


def run_threads(function, count=8):
    failures = []

    def guarded(number):
        try:
            function(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_eight_threads_are_counted_exactly(device):
    before = memory.stats(device)
    held, barrier = [[] for _ in range(8)], threading.Barrier(8)

    def allocate(number):
        with cuarray.device(device):
            barrier.wait()
            for size in range(1, 200):
                held[number].append(cuarray.empty(size * (number + 1), "u1"))
                cuarray.empty(size, "u1")

    run_threads(allocate)
    after = memory.stats(device)
    assert after["allocations"] - before["allocations"] == 8 * 199
    assert after["current"] - before["current"] == sum(range(1, 200)) * sum(range(1, 9))


def test_hammer(device):
    """Arrays created, used, passed to other threads and freed there, concurrently with trims, limits and snapshots.

    A trim waits for the work on what it gives back (cupy #4592).
    """
    handed = queue.Queue()

    def hammer(number):
        chance = random.Random(number)
        own = []
        with cuarray.device(device):
            for step in range(60):
                size = chance.choice([0, 1, 17, 1000, 70_000])
                x = cuarray.full(size, number + step, dtype="f4")
                own.append((x, number + step))
                if chance.random() < 0.3:
                    own.append((x * 2, 2 * (number + step)))
                if chance.random() < 0.5:
                    handed.put(own.pop(chance.randrange(len(own))))
                if chance.random() < 0.4 and not handed.empty():
                    own.append(handed.get())
                if len(own) > 10:
                    array, value = own.pop(chance.randrange(len(own)))
                    assert (array == value).all().item()
                if step % 20 == 10:
                    memory.trim(device)
                if step % 20 == 15:
                    assert memory.stats(device)["current"] >= 0

    with memory.track():
        run_threads(hammer)
        assert sum(line.bytes for line in memory.snapshot(device)) >= 0
    handed.queue.clear()


@pytest.mark.parametrize("pool", [None, "cuarray"])
def test_hammer_on_streams(pool, device):
    """Arrays that eight threads make on separate streams, read on others, and free while work on them is queued."""
    handed = queue.Queue()
    memory.use_pool(pool, device)
    rounds = (
        3 if pool else 1
    )  # blocks that are kept by us go from stream to stream as soon as they are known to be idle

    def hammer(number):
        chance = random.Random(number)
        with cuarray.device(device), cuarray.Stream(device=device):
            for step in range(12 * rounds):
                size = chance.choice([3, 1000, 70_000])
                x = cuarray.full(size, number + step, dtype="f4")
                handed.put((x + 1, number + step + 1))
                del x
                with cuarray.Stream(device=device):
                    y, value = handed.get()
                    z = y * 2
                    del y
                assert (z == 2 * value).all().item()

    try:
        for _ in range(rounds):
            run_threads(hammer)
    finally:
        memory.use_pool(None, device)


@pytest.mark.parametrize("kind", ["device", "direct", "pinned", "managed"])
def test_kinds_are_counted_apart(kind, device):
    def shares():
        kinds = memory.stats(device)["kinds"]
        return {name: (share["current"], share["allocations"]) for name, share in kinds.items()}

    before = shares()
    x = cuarray.empty(100_000, "u1", memory=kind)
    after = shares()
    where = kind if kind in after else next(iter(after))
    assert after[where][0] == before.get(where, (0, 0))[0] + 100_000
    assert after[where][1] == before.get(where, (0, 0))[1] + 1
    del x
    assert all(shares()[name] == share for name, share in before.items())


def test_limit_holds_under_threads(device):
    used = memory.stats(device)["current"]
    memory.reset_peak(device)
    most = used + 40_000
    refused = []

    def allocate(number):
        held = []
        with cuarray.device(device):
            for _ in range(60):
                try:
                    held.append(cuarray.empty(1000, "u1"))
                except MemoryError:
                    refused.append(number)
                    held.clear()

    with memory.limit(most, device):
        run_threads(allocate)
    assert refused
    assert used < memory.stats(device)["peak"] <= most


# Limits


def test_limit(device):
    used = memory.stats(device)["current"]
    assert memory.limit(device=device) is None
    with memory.limit(used + 1000, device):
        assert memory.limit(device=device) == used + 1000 == memory.stats(device)["limit"]
        x = cuarray.empty(1000, "u1")
        with pytest.raises(MemoryError, match=r"cuarray\.memory\.limit"):
            cuarray.empty(1, "u1")
        with memory.limit(used + 2000, device):
            y = cuarray.empty(1000, "u1")
        with pytest.raises(MemoryError):
            cuarray.empty(1, "u1")
        del x, y
        cuarray.empty(1000, "u1")
        with memory.limit(None, device):
            cuarray.empty(5000, "u1")
        with memory.limit(0, device), pytest.raises(MemoryError):
            cuarray.empty(1, "u1")
    assert memory.limit(device=device) is None


def test_limit_as_a_setting_and_a_fraction(device):
    total = memory.stats(device)["total"]
    try:
        memory.limit(0.25, device)
        assert memory.limit(device=device) == total // 4
        memory.limit(np.int64(12345), device)
        assert memory.limit(device=device) == 12345
    finally:
        memory.limit(None, device)
    with pytest.raises(ZeroDivisionError), memory.limit(5, device):
        raise ZeroDivisionError
    with memory.limit(10**30, device):
        cuarray.empty(5)


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        (-1, ValueError),
        (1.5, ValueError),
        (-0.5, ValueError),
        (float("nan"), ValueError),
        (True, TypeError),
        ("1 GiB", TypeError),
        (1j, TypeError),
    ],
)
def test_wrong_limit(size, kind, device):
    with pytest.raises(kind, match=r"^limit: "):
        memory.limit(size, device)
    assert memory.limit(device=device) is None


def test_limit_collects_cycles(device):
    cycle = [cuarray.empty(1000, "u1")]
    cycle.append(cycle)
    with memory.limit(memory.stats(device)["current"], device):
        del cycle
        assert cuarray.empty(1000, "u1").nbytes == 1000


def test_limit_gives_back_what_is_kept(device):
    memory.trim(device)
    before = memory.stats(device)["reserved"]
    # A driver's pool reserves and gives back chunks of at most 32 MiB.
    chunk = 0 if device == "cpu" else 32 << 20
    cuarray.empty(80 << 20, "u1")
    with memory.limit(memory.stats(device)["current"] + 1000, device):
        assert memory.stats(device)["reserved"] <= before + chunk
    with memory.limit(memory.stats(device)["current"] + (64 << 20), device):
        for mebibytes in (40, 48, 56, 64):
            cuarray.empty(mebibytes << 20, "u1")
        cuarray.synchronize(device)
        assert memory.stats(device)["reserved"] <= before + (64 << 20) + chunk


# Custom allocators


@pytest.fixture
def lent(device):
    """An allocator over the device's memory, in use while the test runs."""
    allocator = allocators.over(device)
    memory.set_allocator(allocator, device)
    yield allocator
    memory.set_allocator(None, device)
    gc.collect()
    cuarray.synchronize(device)
    assert not allocator.live, "blocks did not come back"


def test_lent_memory(lent, device):
    before = figures(device)
    x = cuarray.arange(1000.0)
    y = (x * 2 + 1).sum()
    assert y.item() == 1000 * 999 + 1000
    assert x.device == device and sum(lent.live.values()) == figures(device)[0] - before[0]
    sizes = {size for size, _ in lent.asked}
    assert x.nbytes in sizes and len(lent.asked) >= 2
    streams = {stream for _, stream in lent.asked}
    assert len(streams) == 1 and isinstance(streams.pop(), int)


def test_blocks_go_back_to_whom_they_came_from(device):
    first, second = allocators.over(device), allocators.over(device)
    memory.set_allocator(first, device)
    x = cuarray.ones(10)
    memory.set_allocator(second, device)
    y = cuarray.ones(10)
    memory.set_allocator(None, device)
    z = cuarray.ones(10)
    assert len(first.live) == len(second.live) == 1
    del x
    assert not first.live and len(second.live) == 1
    assert (y + z).tolist() == [2] * 10
    del y
    assert not second.live


def test_allocators_are_released(device):
    allocator = allocators.over(device)
    gone = weakref.ref(allocator)
    memory.set_allocator(allocator, device)
    x = cuarray.ones(10)
    memory.set_allocator(None, device)
    del allocator
    gc.collect()
    assert gone(), "an array still needs it"
    del x
    gc.collect()
    assert not gone()


def test_pair_of_functions(device):
    allocator = allocators.over(device)
    memory.set_allocator((allocator.allocate, allocator.free), device)
    x = cuarray.ones(100)
    memory.set_allocator(None, device)
    assert len(allocator.live) == 1 and x.sum().item() == 100


def test_lent_memory_freed_by_threads(lent, device):
    def work(number):
        with cuarray.device(device):
            for size in (10, 100_000):
                x = cuarray.full(size, number)
                assert ((x + x) == 2 * number).all().item()

    run_threads(work)


WRONG = {
    "none": (lambda a, size: None, MemoryError, "returned no address"),
    "null": (lambda a, size: 0, MemoryError, "returned no address"),
    "text": (lambda a, size: "0x100", TypeError, "must return an address"),
    "negative": (lambda a, size: -256, ValueError, "0xffffffffffffff00"),
    "too large": (lambda a, size: 1 << 70, ValueError, "1180591620717411303424, which is no address"),
    "misaligned": (lambda a, size: a.allocate(size + 256, 0) + 8, ValueError, "no multiple of 256"),
    "nobody's": (lambda a, size: 0x1000, ValueError, "0x1000"),
    "raises": (lambda a, size: {}["nothing"], KeyError, "nothing"),
    "raises MemoryError": (lambda a, size: allocators.exhausted(), MemoryError, "sold out"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_allocator(name, device):
    answer, kind, words = WRONG[name]
    allocator = allocators.over(device)
    returned = []

    class Wrong:
        def allocate(self, size, stream):
            return answer(allocator, size)

        def free(self, address, size, stream):
            returned.append(address)

    before = figures(device)
    memory.set_allocator(Wrong(), device)
    try:
        with pytest.raises(kind, match=words):
            cuarray.ones(100)
        with pytest.raises(kind, match=words):
            cuarray.asarray(np.ones(100), copy=True, device=device)
    finally:
        memory.set_allocator(None, device)
    assert figures(device) == before
    is_address = kind is ValueError and name != "too large"
    assert len(returned) == (2 if is_address else 0), "an address that is refused goes back"
    allocator.drop()
    assert cuarray.ones(3).sum().item() == 3


def test_address_that_is_in_use(device):
    allocator = allocators.over(device)

    class Twice:
        def allocate(self, size, stream):
            return next(iter(allocator.live)) + 256 if allocator.live else allocator.allocate(size, stream)

        free = staticmethod(allocator.free)

    memory.set_allocator(Twice(), device)
    try:
        x = cuarray.full(1000, 7)
        with pytest.raises(ValueError, match="in use"):
            cuarray.ones(10)
    finally:
        memory.set_allocator(None, device)
    assert (x == 7).all().item(), "the first owner keeps its memory"
    del x
    assert not allocator.live


def test_free_that_raises(device, monkeypatch):
    allocator = allocators.over(device)
    reports = []
    monkeypatch.setattr(sys, "unraisablehook", reports.append)

    def free(address, size, stream):
        allocator.free(address, size, stream)
        raise RuntimeError("cannot free")

    memory.set_allocator((allocator.allocate, free), device)
    x = cuarray.ones(10)
    memory.set_allocator(None, device)
    del x
    assert [str(r.exc_value) for r in reports] == ["cannot free"]


@pytest.mark.parametrize(
    "bad", [3, "torch", (1, 2), (len,), object(), [len, len], type("Half", (), {"allocate": len})()]
)
def test_no_allocator(bad, device):
    with pytest.raises(TypeError, match="set_allocator"):
        memory.set_allocator(bad, device)


def test_allocator_in_a_capsule(device):
    allocator = allocators.over(device)
    capsule = allocators.capsule(allocator)
    before = figures(device)
    memory.set_allocator(capsule, device)
    x = cuarray.arange(100)
    assert x.sum().item() == 4950 and allocator.live
    assert figures(device)[0] >= before[0] + x.nbytes
    memory.set_allocator(None, device)
    del x
    gc.collect()
    assert not allocator.live


@pytest.mark.parametrize(("change", "kind", "words"), [
    ({"name": b"some_other_capsule"}, ValueError, "PyCapsule"),
    ({"without": "free"}, ValueError, "must not be null"),
])  # fmt: skip
def test_wrong_capsule(change, kind, words, device):
    with pytest.raises(kind, match=words):
        memory.set_allocator(allocators.capsule(allocators.over(device), **change), device)


@pytest.mark.parametrize(
    ("status", "kind", "words"), [(7, RuntimeError, "failed with code 7"), (0, MemoryError, "no address")]
)
def test_capsule_that_fails(status, kind, words, device):
    memory.set_allocator(allocators.capsule(allocators.over(device), status=status), device)
    try:
        with pytest.raises(kind, match=words):
            cuarray.ones(10)
    finally:
        memory.set_allocator(None, device)


# Pools


def test_pools(device):
    """Memory goes back to its own pool, whichever is current then (rmm #2497, cupy #5191)."""
    try:
        memory.use_pool("cuarray", device)
        x = cuarray.arange(100_000)
        y = cuarray.arange(3_000_000, dtype="u1")
        memory.use_pool(None, device)
        z = x + 1
        assert z.sum().item() == 100_000 * 99_999 // 2 + 100_000 and y[-1].item() == (3_000_000 - 1) % 256
    finally:
        memory.use_pool(None, device)
    assert x[7].item() == 7


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ("torch", ValueError),
        (-5, ValueError),
        (0, ValueError),
        (1 << 64, ValueError),
        (1.5, TypeError),
        (object(), TypeError),
        (True, TypeError),
    ],
)
def test_no_pool(bad, kind, device):
    with pytest.raises(kind, match="use_pool"):
        memory.use_pool(bad, device)
    assert cuarray.ones(3).sum().item() == 3


# Out of memory


class Scarce:
    """An allocator with a fixed number of bytes, and another owner of some of them."""

    def __init__(self, device, size):
        self.inner, self.left, self.refusals = allocators.over(device), size, 0

    def allocate(self, size, stream):
        if size > self.left:
            self.refusals += 1
            raise MemoryError(f"{self.left} bytes are left")
        self.left -= size
        return self.inner.allocate(size, stream)

    def free(self, address, size, stream):
        self.left += size
        self.inner.free(address, size, stream)


@pytest.fixture
def scarce(device):
    allocator = Scarce(device, 10_000)
    memory.set_allocator(allocator, device)
    yield allocator
    memory.set_allocator(None, device)
    gc.collect()
    cuarray.synchronize(device)
    assert not allocator.inner.live


@pytest.fixture
def flushed():
    """Calls of a registered flush, which runs a given function."""
    calls = []

    class Flush(list):
        def __call__(self):
            calls.append(1)
            for action in self:
                action()

    flush = memory.register_flush(Flush())
    flush.calls = calls
    yield flush
    memory.unregister_flush(flush)


def test_cycles_are_the_first_to_go(scarce, flushed, device):
    cycle = [cuarray.empty(8000, "u1")]
    cycle.append(cycle)
    del cycle
    assert cuarray.empty(9000, "u1").nbytes == 9000
    assert scarce.refusals == 2, "asked, emptied the cache and asked, collected and asked"
    assert not flushed.calls, "others are spared while there is another way"


def test_others_are_the_last(scarce, flushed, device):
    scarce.left -= 8000
    flushed.append(lambda: setattr(scarce, "left", scarce.left + 8000))
    assert cuarray.empty(9000, "u1").nbytes == 9000
    assert len(flushed.calls) == 1


def test_nothing_helps(scarce, flushed, device):
    held = cuarray.empty(6000, "u1")
    with pytest.raises(MemoryError) as error:
        cuarray.empty(7000, "u1")
    text = str(error.value)
    for words in (
        f"{device}: 7000 bytes asked",
        "available of",
        "arrays hold",
        "kept for reuse",
        "others hold",
        "4000 bytes are left",
    ):
        assert words in text, text
    assert len(flushed.calls) == 1 and held.nbytes == 6000
    del held
    assert cuarray.empty(7000, "u1").nbytes == 7000


def test_the_lines_that_made_arrays_are_named(scarce, device):
    with memory.track():
        held = cuarray.empty(6000, "u1")
        with pytest.raises(MemoryError, match=r"made by .*test_memory\.py:\d+ \(1 of 5\.9 KiB\)"):
            cuarray.empty(7000, "u1")
    del held


def test_flush_that_raises(scarce, flushed, device, monkeypatch, capsys):
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    flushed.append(lambda: 1 / 0)
    called = []
    after = memory.register_flush(lambda: called.append(1))
    try:
        with pytest.raises(MemoryError):
            cuarray.empty(20_000, "u1")
    finally:
        memory.unregister_flush(after)
    said = capsys.readouterr().err
    assert said.count("ZeroDivisionError: division by zero") == 1 and "TypeError" not in said, said
    assert called == [1], "the next one has its turn"


def test_flush_that_allocates(scarce, flushed, device):
    flushed.append(lambda: cuarray.ones(10))

    def fail():
        with pytest.raises(MemoryError):
            cuarray.empty(30_000, "u1")

    flushed.append(fail)
    with pytest.raises(MemoryError):
        cuarray.empty(20_000, "u1")
    assert len(flushed.calls) == 1, "a flush that fails to allocate does not start another search"


def test_out_of_memory_in_eight_threads(scarce, flushed, device):
    def work(number):
        refused = 0
        with cuarray.device(device):
            for _ in range(10):
                try:
                    x = cuarray.full(300 + number, number, dtype="i8")
                    assert (x == number).all().item()
                except MemoryError:
                    refused += 1

    run_threads(work)


def test_registering(device):
    with pytest.raises(TypeError, match="register_flush"):
        memory.register_flush(3)
    with pytest.raises(ValueError, match="unregister_flush"):
        memory.unregister_flush(len)


def test_peers_are_asked_only_where_they_are_in_use(monkeypatch):
    calls = []

    class Cuda:
        initialized = False

        def is_initialized(self):
            return self.initialized

        def empty_cache(self):
            calls.append("torch")

    torch = type(sys)("torch")
    torch.cuda = Cuda()
    memory.flush_peers()
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.cuda", torch.cuda)
    memory.flush_peers()
    assert not calls, "flushing would initialise it"
    torch.cuda.initialized = True
    memory.flush_peers()
    assert calls == ["torch"]


def test_full_machine(device):
    """A device of 64 MiB, if possible; else a process with little address space."""
    if device != "cpu" and not os.environ.get("CUARRAY_LIBCUDA"):
        pytest.skip("only a simulated GPU can be small")
    python(
        f"""
import resource, cuarray
from cuarray import memory
device = {device!r}
cuarray.ones(10, device=device).sum().item()
if device == "cpu":
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
held = []
try:
    while True:
        held.append(cuarray.empty(4 << 20, "u1", device=device))
except MemoryError as error:
    assert str(error).startswith(f"{{device}}: 4194304 bytes asked (4 MiB)"), error
try:
    cuarray.cov(held[0])  # in Python; its name would say that the call was wrong
except MemoryError as error:
    assert str(error).startswith(f"{{device}}: ") and "bytes asked" in str(error), error
assert 8 <= len(held) <= 16, len(held)
stats = memory.stats(device)
assert stats["allocations"] == len(held) and stats["current"] == len(held) << 22
# What was freed in small blocks is found again for a large one, ...
held = held[: len(held) - 4]
held.append(cuarray.empty(15 << 20, "u1", device=device))
# ... and what only a cycle holds, too.
cycle = [held]
cycle.append(cycle)
del held, cycle
assert cuarray.empty(30 << 20, "u1", device=device).nbytes == 30 << 20
memory.trim(device)
assert memory.stats(device)["current"] == 0
assert (cuarray.ones(1000, device=device) + 1).sum().item() == 2000
""",
        CUDASIM_MEMORY=str(64 << 20),
    )


# Tracking


def test_lines(device):
    with memory.track():
        x = cuarray.ones(1000)
        y = [cuarray.ones(10) for _ in range(5)]
    z = cuarray.ones(10)
    snapshot = memory.snapshot(device)
    assert [(line.allocations, line.bytes) for line in snapshot] == [(1, 8000), (5, 400)]
    assert {Path(line.file).name for line in snapshot} == {"test_memory.py"}
    assert snapshot[1].line == snapshot[0].line + 1
    assert f"{snapshot[0].line}" in str(snapshot) and "7.8 KiB" in str(snapshot)
    del x
    assert [line.bytes for line in memory.snapshot(device)] == [400]
    del y, z


def test_lines_of_nested_demands_and_results(device):
    x = cuarray.ones(100)
    with memory.track():
        with memory.track():
            pass
        y = x * 2
    total = sum(line.bytes for line in memory.snapshot(device))
    assert total == y.nbytes
    del y


def test_lines_of_fused_results(device):
    x = cuarray.ones(100)
    with memory.track():
        y = cuarray.fuse(lambda a: a * 2 + 1)(x)
    assert sum(line.bytes for line in memory.snapshot(device)) == y.nbytes


def test_nothing_tracked():
    code = "from cuarray import memory; memory.snapshot('cpu')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "RuntimeError" in run.stderr and "CUARRAY_TRACK_MEMORY=1" in run.stderr


def test_tracking_from_the_start(device):
    run = python(
        f"""
import cuarray
x = cuarray.ones(100, device={device!r})
print(*cuarray.memory.snapshot({device!r})[0])
""",
        CUARRAY_TRACK_MEMORY="1",
    )
    assert run.stdout.split() == ["<string>", "3", "1", "800"]


# Processes


def test_fork(device):
    python(f"""
import os, warnings, cuarray
from cuarray import memory
warnings.simplefilter("ignore", DeprecationWarning)
with memory.track():
    x, y = cuarray.ones(1000, device={device!r}), cuarray.ones(1000, device="cpu")
x.sum().item()
child = os.fork()
if child == 0:
    try:
        z = cuarray.ones(5000, device="cpu") + 1
        assert z.sum().item() == 10000
        before = memory.stats({device!r})
        del x
        after = memory.stats({device!r})
        assert after["current"] == before["current"] - 8000
        memory.trim("cpu")
        os._exit(0)
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert x.sum().item() == 1000
""")


@pytest.mark.parametrize("lending", [False, True])
def test_exit_with_live_arrays(lending, device):
    run = python(f"""
import threading, allocators, cuarray
from cuarray import memory
if {lending}:
    memory.set_allocator(allocators.over({device!r}), {device!r})
x = cuarray.ones(1000, device={device!r})
cycle = [x * 2]
cycle.append(cycle)
kept = threading.local()
kept.x = x + 1
memory.use_pool("cuarray", {device!r})
y = cuarray.ones(1000, device={device!r})
""")
    assert not run.stdout.strip() and "rror" not in run.stderr, run.stderr
