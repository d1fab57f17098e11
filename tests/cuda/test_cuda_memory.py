"""Memory of simulated GPUs from Python: the driver's pools, small devices, reuse, calls per operation."""

import re
import sys

import backend_program
import pytest

START = """
import ctypes, gc, os
import cuarray
from cuarray import memory
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])

def call(name, *arguments):
    status = getattr(driver, name)(*arguments)
    assert status == 0, (name, status)

def current_pool():
    pool = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGetMemPool", ctypes.byref(pool), 0)
    return pool

def attribute(pool, which, value=None):
    number = ctypes.c_uint64(value or 0)
    name = "cuMemPoolGetAttribute" if value is None else "cuMemPoolSetAttribute"
    call(name, pool, which, ctypes.byref(number))
    return number.value

def holds(x, value):
    # needs no memory of the array's size
    return x.min().item() == x.max().item() == value

THRESHOLD, USED = 4, 7
"""

MODES = ["lazy", "eager", "random"]


def run(program, **settings):
    settings = {"CUDASIM_SEED": 1, **settings}
    result = backend_program.run([sys.executable, "-c", START + program], **settings)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def test_threshold_of_the_pool():
    run("""
pool = current_pool()
assert attribute(pool, THRESHOLD) == 0
cuarray.ones(3, device="cuda:0")
assert attribute(pool, THRESHOLD) == 2**64 - 1, "it is raised where nobody had chosen one"
with memory.limit(1 << 20, "cuda:0"):
    assert attribute(pool, THRESHOLD) == 1 << 20
assert attribute(pool, THRESHOLD) == 2**64 - 1
kinds = (ctypes.c_int * 32)(1, 0, 1, 0)  # pinned device memory on device 0
other = ctypes.c_void_p()
call("cuMemPoolCreate", ctypes.byref(other), kinds)
memory.use_pool(type("Pool", (), {"handle": other.value}), "cuda:0")
memory.use_pool(None, "cuda:0")
with memory.limit(1 << 20, "cuda:0"):
    assert attribute(pool, THRESHOLD) == 1 << 20, "it is still ours after another pool"
""")
    run("""
pool = current_pool()
attribute(pool, THRESHOLD, 12345)
cuarray.ones(3, device="cuda:0")
with memory.limit(1 << 20, "cuda:0"):
    pass
assert attribute(pool, THRESHOLD) == 12345, "somebody's choice is left alone"
""")


@pytest.mark.few
@pytest.mark.parametrize("mode", MODES)
def test_pool_of_somebody_else(mode):
    run(
        """
cuarray.ones(3, device="cuda:0").sum().item()
kinds = (ctypes.c_int * 32)(1, 0, 1, 0)  # pinned device memory on device 0
pool = ctypes.c_void_p()
call("cuMemPoolCreate", ctypes.byref(pool), kinds)

class Pool:
    handle = pool.value

memory.use_pool(Pool(), "cuda:0")
x = cuarray.arange(200_000, device="cuda:0")  # too large for the list of small blocks
y = cuarray.arange(100, device="cuda:0")
assert attribute(pool, USED) >= x.nbytes + y.nbytes
assert attribute(pool, THRESHOLD) == 0, "its owner's choice"
memory.use_pool(None, "cuda:0")
z = x + 1
used = attribute(pool, USED)
assert x.sum().item() + y.sum().item() == 200_000 * 199_999 // 2 + 99 * 50
del x, y
cuarray.synchronize()
memory.trim()
assert attribute(pool, USED) == 0, "blocks went back to their pool"
assert z[5].item() == 6
try:
    memory.use_pool(12345678, "cuda:0")
except ValueError as error:
    assert "12345678 is no memory pool" in str(error)
else:
    raise AssertionError("no error")
""",
        CUDASIM_PROGRESS=mode,
    )


def test_no_pool_where_there_are_none():
    run(
        """
try:
    memory.use_pool(12345678, "cuda:0")
except ValueError as error:
    assert "cuda:0 has no memory pools" in str(error)
else:
    raise AssertionError("no error")
memory.use_pool(None, "cuda:0")
assert memory.stats("cuda:0")["kinds"].keys() <= {"direct"}
x = cuarray.ones(1000, device="cuda:0")
assert list(memory.stats("cuda:0")["kinds"]) == ["direct"]
""",
        CUDASIM_POOLS=0,
    )


@pytest.mark.few
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pools", [0, 1])
@pytest.mark.parametrize("cache", ["on", "off"])
def test_small_device(mode, pools, cache):
    run(
        """
unit = 1 << 16
device = "cuda:0"

def full(count, value):
    return cuarray.full(count * unit, value, "u1", device=device)

a = full(20, 7)
b = a + 1
del a                           # freed, and perhaps still in use
c = full(20, 9)
small = [full(1, 1) for _ in range(20)]
try:
    full(5, 0)
except MemoryError as error:
    assert str(error).startswith("cuda:0: 327680 bytes asked (320 KiB)"), error
else:
    raise AssertionError("more than there is")
assert holds(b, 8) and holds(c, 9)
del small                       # free blocks of another size are no use, unless they go back
d = full(15, 3)
cycle = [b, c]
cycle.append(cycle)
del b, c, cycle
e = full(40, 4)
assert holds(d, 3) and holds(e, 4)
assert memory.stats(device)["current"] == 55 * unit and memory.stats(device)["allocations"] == 2
""",
        CUARRAY_FUSE="off",  # what waits allocates later
        CUDASIM_PROGRESS=mode,
        CUDASIM_POOLS=pools,
        CUARRAY_MEMORY_CACHE=cache,
        CUDASIM_MEMORY=4 << 20,
    )


@pytest.mark.few
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pools", [0, 1])
def test_another_streams_blocks_are_the_last_resort(mode, pools):
    run(
        """
def full(value):
    return cuarray.full(20 << 16, value, "u1", device="cuda:0")

x = full(7)
with cuarray.Stream(device="cuda:0"):
    y = x + 1
    z = y + 1
    del y                       # memory whose last reader is that stream's
    w = full(5)
del w
v = full(9)
assert holds(x, 7) and holds(z, 9) and holds(v, 9)
""",
        CUARRAY_FUSE="off",  # what waits allocates later
        CUDASIM_PROGRESS=mode,
        CUDASIM_POOLS=pools,
        CUDASIM_CHECK=1,
        CUDASIM_MEMORY=4 << 20,
    )


@pytest.mark.few
@pytest.mark.parametrize("mode", MODES)
def test_pinned_blocks_in_use_are_the_last_resort(mode):
    run(
        """
def full(value):
    return cuarray.full(6 << 20, value, "u1", device="cpu", memory="pinned")

target = cuarray.empty(6 << 20, "u1", device="cuda:0")
x = full(7)
with cuarray.Stream(device="cuda:0"):
    for _ in range(9):
        cuarray.copyto(target, x)
    del x                       # memory that copies still read, and the host is about to write
    y = full(9)
    assert holds(target, 7) and holds(y, 9)
""",
        CUDASIM_PROGRESS=mode,
        CUDASIM_PINNED=10 << 20,
    )


@pytest.mark.few
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["direct", "pinned", "managed"])
def test_kept_kinds_are_reused_in_order(mode, kind):
    run(
        f"""
kind = {kind!r}
device = "cuda:0"
for step in range(8):
    place = "cpu" if kind == "pinned" else device
    x = cuarray.full(5000, step, "f8", memory=kind, device=place)
    with cuarray.Stream(device=device):
        y = x.to_device(device) * 2
        del x
    assert (y == 2 * step).all().item()
    del y
kept = memory.stats(device)["kinds"][kind]
assert kept["allocations"] == 0 and 0 < kept["cached"] <= 4 * 40960, kept
memory.trim(device)
assert kind not in memory.stats(device)["kinds"]
""",
        CUDASIM_PROGRESS=mode,
    )


@pytest.mark.few
@pytest.mark.parametrize("kind", ["pinned", "direct", "managed"])
def test_kept_blocks_are_used_again_after_their_readers(kind):
    # The block's own stream is idle except for its wait for the reader: only that wait shows that it is in use.
    run(
        f"""
kind = {kind!r}
place = "cpu" if kind == "pinned" else "cuda:0"
writer, reader, next_writer = [cuarray.Stream(device="cuda:0") for _ in range(3)]
result = cuarray.empty(5000, device="cuda:0")
for step in range(4):
    with writer:
        x = cuarray.full(5000, step, "f8", memory=kind, device=place)
    cuarray.synchronize()
    with reader:
        cuarray.copyto(result, x)
    del x
    with next_writer:
        others = [cuarray.full(5000, -1, "f8", memory=kind, device=place) for _ in range(step + 1)]
    assert holds(result, step)
""",
        CUDASIM_PROGRESS="lazy",
    )


@pytest.mark.few
@pytest.mark.parametrize("cache", ["on", "off"])
@pytest.mark.parametrize("mode", MODES)
def test_trim_waits_for_what_is_in_use(mode, cache):
    run(
        """
x = cuarray.full(1 << 20, 7, "u1", device="cuda:0")
with cuarray.Stream(device="cuda:0"):
    y = x + 1
    z = cuarray.full(3 << 20, 5, "u1", device="cuda:0")
del x, y, z
memory.trim("cuda:0")
assert memory.stats("cuda:0")["reserved"] == 0
""",
        CUDASIM_PROGRESS=mode,
        CUARRAY_MEMORY_CACHE=cache,
    )


@pytest.mark.few
@pytest.mark.parametrize("cache", ["on", "off"])
def test_an_operation_allocates_once(cache):
    said = run("""
x = cuarray.ones(1 << 19, device="cuda:0")
for _ in range(100):
    y = x + x
y[0].item()
""", CUARRAY_FUSE="off", CUARRAY_MEMORY_CACHE=cache, CUDASIM_LOG=1).stderr  # fmt: skip
    counts = {name: int(count) for count, name in re.findall(r"(\d+) calls of (\w+)", said)}
    assert counts["cuLaunchKernel"] >= 100
    assert 100 <= counts["cuMemAllocAsync"] <= 104 and 98 <= counts["cuMemFreeAsync"] <= 104
    assert counts["cuStreamSynchronize"] <= 2 and "cuEventQuery" not in counts, "only the end waits"


def test_small_blocks_cost_no_call():
    said = run("""
x = cuarray.ones(1000, device="cuda:0")
for _ in range(100):
    y = x + x
y[0].item()
""", CUARRAY_FUSE="off", CUDASIM_LOG=1).stderr  # fmt: skip
    counts = {name: int(count) for count, name in re.findall(r"(\d+) calls of (\w+)", said)}
    assert counts["cuLaunchKernel"] >= 100 and counts["cuMemAllocAsync"] <= 5


def test_no_pinned_memory():
    run(
        """
held = cuarray.empty(1 << 20, "u1", device="cpu", memory="pinned")
stats = memory.stats("cuda:0")
assert stats["allocations"] == stats["current"] == 0, stats
assert stats["kinds"]["pinned"]["allocations"] == 1 and stats["kinds"]["pinned"]["current"] == 1 << 20
try:
    cuarray.empty(4 << 30, "u1", memory="pinned")
except MemoryError as error:
    text = str(error)
assert text.startswith("pinned host memory: 4294967296 bytes asked (4 GiB)") and "hold 1 MiB of it in 1 blocks" in text, text
""",
        CUDASIM_PINNED=100_000_000,
    )
