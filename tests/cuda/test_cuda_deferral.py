"""Operations on a GPU wait and are fused outside of `fuse`: what runs when, and the kernels that are compiled beside."""

import backend_program
import pytest

BEGIN = """
import ctypes, os, threading, time
import numpy as np
import cuarray as ca
from cuarray import _core

ca.set_default_device("cuda:0")
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_calls.restype = ctypes.c_long
launched = lambda: driver.cudasim_calls(b"cuLaunchKernel")
host = np.linspace(-2, 2, 1000)
x, y = ca.asarray(host), ca.asarray(host[::-1].copy())


def launches(function):
    before = launched()
    function()
    return launched() - before
"""

# A program's loop: a pass has five operations, one of which is overwritten in the next.
STEPS = """
def steps(count):
    u = x * 0.5
    for _ in range(count):
        u = u + 0.1 * (y - u)
        named = u + 1
        u = u * 0.99
    return u, named
"""


def check(script, cache="", *modes, **settings):
    for mode in modes or backend_program.drivers:
        backend_program.check(
            ["python", "-c", BEGIN + script + "\nprint('passed')"],
            CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1, CUARRAY_CACHE_DIR=str(cache), **settings,
        )  # fmt: skip


def test_what_waits():
    check(
        """
z = x * y + 1
assert _core.is_pending(z) and _core.is_pending(x[:3] + 1) and _core.is_pending(z.astype("f4")), "at any size"
assert float(z[0]) == -3 and not _core.is_pending(z)
with ca.eager():
    assert not _core.is_pending(x * 2)
with ca.errstate(over="raise"):
    assert not _core.is_pending(x * 2)
with ca.profile() as p:
    z = x * y + 2
    assert _core.is_pending(z)
    float(z[0])
assert any(event.name == "fused" for event in p.events), [event.name for event in p.events]
graph = ca.Graph()
with graph.capture():
    assert not _core.is_pending(x * 2), "a capture records launches"

def settles(action):
    z = x * 2 + y
    assert _core.is_pending(z)
    kept = action(z)
    assert not _core.is_pending(z), action

def switch(z):
    with ca.Stream():
        pass
event = ca.Event()
settles(switch)
settles(lambda z: event.record())
settles(lambda z: ca.synchronize())
settles(lambda z: z.__cuda_array_interface__)
settles(lambda z: z.__dlpack__())
settles(lambda z: ca.from_dlpack(z))
settles(lambda z: z.numpy())
settles(lambda z: z.sum())
reader = x * 2
x[0] = 5
assert not _core.is_pending(reader) and reader[0] == -4 and x[0] == 5
# Each runs on the stream on which it was asked for.
one, two = ca.Stream(), ca.Stream()
ca.synchronize()
with ca.profile() as p:
    with one:
        z = x * 2 + y
        with two:
            w = x - y * 2
    kept = x + 1
assert len({event.stream for event in p.events if event.device == ca.device("cuda:0")}) == 3, p.events
shared = x.__cuda_array_interface__
assert not _core.is_pending(x * 2), "others may write the memory"
cpu = ca.ones(10, device="cpu")
assert not _core.is_pending(cpu * 2)
w = y + 1
assert _core.is_pending(w)
thread = threading.Thread(target=lambda: float((y * 3)[0])); thread.start(); thread.join()
assert np.array_equal(w.numpy(), host[::-1] + 1) and not _core.is_pending(y * 2), "several threads compute"
""",
        CUARRAY_JIT="wait",
    )


def test_launches():
    check(
        STEPS
        + """
def chain():
    z = x
    for k in range(60):
        z = z * 0.5 + y
    return z
want = [f() for f in (lambda: chain().numpy(), lambda: steps(30)[0].numpy())]
assert launches(lambda: chain().numpy()) <= 8
assert launches(lambda: [a.numpy() for a in steps(30)]) <= 12
assert launches(lambda: (x * y + x).sum().numpy()) == 2
def in_place():
    z = x + 0
    z += x * y
    z[10:] = z[:-10] * 2 + y[10:]
    return z.numpy()
assert launches(in_place) <= 5
with ca.eager():
    assert np.array_equal(want[0], chain().numpy()) and np.array_equal(want[1], steps(30)[0].numpy())
    eager = in_place()
assert np.array_equal(eager, in_place())
""",
        CUARRAY_JIT="wait",
    )


@pytest.mark.rest
def test_memory_that_what_waits_keeps_alive_is_bounded():
    check(
        """
total = ca.zeros(1 << 18)
for k in range(32):
    total = total + ca.full(1 << 18, float(k))
assert float(total[7]) == 496 and ca.memory.stats()["peak"] < 50 << 20, ca.memory.stats()
""",
        "",
        "lazy",
        CUARRAY_JIT="wait",
    )


def test_passes_of_a_loop_use_the_same_kernels(tmp_path):
    check(
        STEPS
        + f"""
compiled = lambda: sum(name.endswith(".kernel") for name in os.listdir({str(tmp_path)!r}))
steps(40)[0].numpy()
before = compiled()
steps(80)[0].numpy()
assert compiled() <= before + 1, (before, compiled(), "but for where it ends")
""",
        tmp_path,
        "lazy",
        CUARRAY_JIT="wait",
    )


@pytest.mark.few
@pytest.mark.parametrize("jit", ["on", "wait"])
def test_memory_is_that_of_single_steps(jit, tmp_path):
    check(
        """
unary = [ca.sin, ca.cos, ca.exp, ca.tanh, ca.floor, ca.rint, abs, ca.sqrt, ca.cbrt, ca.sinh, ca.arctan, ca.log1p, ca.square]
big = ca.ones(1 << 17)  # 1 MiB
with ca.memory.limit(ca.memory.stats()["current"] + (4 << 20)):
    z = big
    for function in unary + unary[::-1]:
        z = function(z)
    waiting = z.numpy()
with ca.eager():
    z = big
    for function in unary + unary[::-1]:
        z = function(z)
assert np.array_equal(waiting, z.numpy())
""",
        tmp_path,
        "lazy",
        CUARRAY_JIT=jit,
    )


@pytest.mark.rest
def test_short_of_memory():
    check(
        """
keep = ca.ones(1 << 20)
with ca.memory.limit(ca.memory.stats()["current"] + (12 << 20)):
    z, w, small = keep * 2, keep * 3, x * 2
    both = z + w
    for _ in range(2):
        try:
            ca.synchronize()
        except MemoryError:
            pass
        else:
            raise AssertionError("there is no room for both")
    assert np.array_equal(small.numpy(), host * 2)
    del both, w
    assert float(z[3]) == 2
    try:
        with ca.Stream():
            v = keep * 4
            raise KeyError("the program's own")
    except KeyError:
        del v
    try:
        with ca.Stream():
            v = keep * 4
    except MemoryError:
        pass
    else:
        raise AssertionError("there is no room for v")
assert float(v[3]) == 4, "it is tried again"
# What waits is run before memory is refused: it keeps alive what it reads.
with ca.memory.limit(ca.memory.stats()["current"] + (20 << 20)):
    kept = ca.ones(1 << 20) > 0
    more = ca.ones(2 << 20)
    assert bool(kept[5]) and float(more[5]) == 1
""",
        CUARRAY_JIT="wait",
    )


def test_kernels_are_the_same_for_equal_numbers(tmp_path):
    check(
        f"""
compiled = lambda: sum(name.endswith(".kernel") for name in os.listdir({str(tmp_path)!r}))
assert np.array_equal((x * 2.5 + 3.5).numpy(), host * 2.5 + 3.5)
before = compiled()
assert np.array_equal((x * 2.5 + 2.5).numpy(), host * 2.5 + 2.5)
assert compiled() == before
""",
        tmp_path,
        "lazy",
        CUARRAY_JIT="wait",
    )


def test_a_new_kernel_is_compiled_beside_the_program(tmp_path):
    code = """
def chain(): return ((x * y + x) * 0.5 - y).numpy()
def two_results(): return sum(ca.divmod(x * 2, y + 3)).numpy()
def in_place():
    z = x + 0
    z[...] = x * y - z * 2
    return z.numpy()
for function in (chain, two_results, in_place):
    few, many = FEW[function.__name__], MANY[function.__name__]
    with ca.eager():
        want = function()
    first = launches(function)
    assert first == (few if IS_CACHED else many), (function, first)
    for _ in range(200):
        if launches(function) == few:
            break
        time.sleep(0.05)
    else:
        raise AssertionError("it was never compiled")
    assert np.array_equal(function(), want)
"""
    few = "FEW, MANY = {'chain': 1, 'two_results': 1, 'in_place': 2}, {'chain': 4, 'two_results': 5, 'in_place': 5}\n"
    for is_cached in (False, True):
        check(f"IS_CACHED = {is_cached}\n" + few + code, tmp_path, "lazy")


def test_a_kernel_that_cannot_be_compiled_raises_at_every_use(tmp_path):
    code = """
def chain(): return ((x * y + x) * 0.5 - y).numpy()
with ca.eager():
    want = chain()
os.environ["CUDASIM_CXX"] = "false"
results = []
for _ in range(200):
    try:
        results.append(chain())
    except RuntimeError as error:
        break
    time.sleep(0.05)
else:
    raise AssertionError("no error was raised")
assert results and all(np.array_equal(result, want) for result in results)
for _ in range(3):
    try:
        chain()
    except RuntimeError as error:
        assert "false" in str(error) or "compile" in str(error), error
    else:
        raise AssertionError("the error was forgotten")
with ca.eager():
    assert np.array_equal(chain(), want)
"""
    check(code, tmp_path, "lazy")


@pytest.mark.parametrize("jit", ["on", "wait"])
def test_values_are_those_of_single_steps(jit, every):
    check(
        f"""
import sys
sys.path.insert(0, {str(backend_program.ROOT / "tests/python")!r})
import test_deferral as t
for dtype in {("f8", "f4", "i8") if every else ("f8",)}:
    _, given = t.arrays(dtype, 2000, "cuda:0")
    for name, program in t.PROGRAMS.items():
        if dtype == "i8" and name in ("powers", "two results"):
            continue
        for again in range(2):
            if again and {jit == "on"}:
                time.sleep(0.2)  # the kernel is there
            waiting = program(ca, *given)
            with ca.eager():
                wanted = program(ca, *given)
            waiting, wanted = waiting.numpy(), wanted.numpy()
            assert waiting.dtype == wanted.dtype, name
            assert np.array_equal(waiting, wanted, equal_nan=waiting.dtype.kind == "f"), (name, dtype)
""",
        "",
        "random",
        CUARRAY_JIT=jit,
    )


def test_the_compiler_ends_with_the_program():
    check("z = ((x * y + x) * 0.5 - y).sum(); z = (x - y * 3 + x).sum()", "", "lazy")
    check("""
import sys
chain = lambda: ((x * y + x) * 0.25 - y).numpy()
chain()
child = os.fork()
if child == 0:
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
chain()
""", "", "lazy")  # fmt: skip
