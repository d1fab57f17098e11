"""Large operations on `cpu` wait and are fused outside of `fuse`, too: the same values, as if each ran at its call."""

from pathlib import Path

import numpy as np
import pytest
from own_process import in_own_process

import cuarray

N = 20_000


def arrays(dtype="f8", n=N, device="cpu"):
    rng = np.random.default_rng(0)
    host = [(rng.normal(size=n) * 4).astype(dtype) for _ in range(3)]
    return host, [cuarray.array(x, device=device) for x in host]


PROGRAMS = {
    "chain": lambda xp, x, y, z: (x * y + z) / (z * z + 1),
    "powers": lambda xp, x, y, z: abs(x) ** 0.5 + y**2 - z**-1 + x**3 + abs(y) ** 2.5,
    "named parts": lambda xp, x, y, z: [t := x + y, u := t * z, t - u, u + t][-1] + t,
    "casts": lambda xp, x, y, z: (x.astype("f4") * 2 + y.astype("i4")).astype("f8") + z,
    "casts of one": lambda xp, x, y, z: x.astype("f4") + x.astype("f2") + x.astype("i4") * x.astype("i8"),
    "repeated": lambda xp, x, y, z: (xp.sin(x) * 2 + y) * (xp.sin(x) * 2 + z) - (xp.sin(y) * 2 + y) * (xp.sin(x) * 3),
    "zeros": lambda xp, x, y, z: xp.copysign(1, x * 0.0) + 2 * xp.copysign(1, x * -0.0) + (x > 0) * 0.0,
    "equal results": lambda xp, x, y, z: [a := x * 2 + y, b := x * 2 + y, a.__iadd__(1), a * b][-1],
    "equal pairs": lambda xp, x, y, z: sum(xp.divmod(x, 3.0)) * sum(xp.divmod(x, 3.0)) + sum(xp.divmod(x, 2.0)),
    "selection": lambda xp, x, y, z: xp.where(x > y, x * 2, z) + xp.minimum(y, 0),
    "bools": lambda xp, x, y, z: (x > y) & ~(z < 0) | (y == z),
    "two results": lambda xp, x, y, z: sum(xp.divmod(x, abs(y) + 1)) + xp.modf(z)[0],
    "broadcast": lambda xp, x, y, z: x[:100, None] * y[:200] + z[:1],
    "stencil": lambda xp, x, y, z: x[2:] - 2 * x[1:-1] + x[:-2],
    "backwards": lambda xp, x, y, z: x[::-1] * y[::-1] + z,
    "transposed": lambda xp, x, y, z: x.reshape(100, -1).T * 2 + y.reshape(100, -1).T,
    "functions": lambda xp, x, y, z: xp.exp(-abs(x)) * xp.sin(y) + xp.tanh(z),
    "sum of a chain": lambda xp, x, y, z: (x * y + z).sum(axis=0) + xp.max(x * 2),
    "softmax": lambda xp, x, y, z: xp.exp(x.reshape(100, -1) - x.reshape(100, -1).max(1, keepdims=True)),
    "sorted": lambda xp, x, y, z: xp.sort(x * y) + z,
    "in place": lambda xp, x, y, z: (t := x * y).__iadd__(z).__imul__(2) + t,
    "out": lambda xp, x, y, z: xp.add(x * 2, y, out=xp.zeros_like(z)) + z,
    "mask": lambda xp, x, y, z: xp.add(x * 2, y, where=x > 0, out=z * 1),
    "indices": lambda xp, x, y, z: (x * y)[xp.argsort(z)[:50]],
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_single_steps(name, dtype):
    if dtype == "i8" and name in ("powers", "two results"):
        dtype = "f8"
    code = f"""
import test_deferral as t
_, given = t.arrays({dtype!r})
program = t.PROGRAMS[{name!r}]
waiting = program(ca, *given)
with ca.eager():
    assert not _core.is_pending(given[0] * 2)
    wanted = program(ca, *given)
waiting, wanted = np.asarray(waiting), np.asarray(wanted)
assert waiting.dtype == wanted.dtype and np.array_equal(waiting, wanted, equal_nan=waiting.dtype.kind == "f")
"""
    in_own_process(code)


def test_what_waits():
    in_own_process("""
x = ca.ones(20_000)
y = x * 2 + 1
assert _core.is_pending(y) and not _core.is_pending(x)
assert not _core.is_pending(x[:100] * 2), "few elements do not wait"
assert _core.is_pending(x[:8192] * 2) and not _core.is_pending(x[:8191] * 2)
assert float(y[0]) == 3 and not _core.is_pending(y)
y = x * 2
ca.synchronize()
assert not _core.is_pending(y)
with ca.eager():
    assert not _core.is_pending(x * 2)
    with ca.eager():
        pass
    assert not _core.is_pending(x * 2)
assert _core.is_pending(x * 2)
with ca.errstate(over="raise"):
    assert not _core.is_pending(x * 2)
n = np.ones(20_000)
assert not _core.is_pending(ca.asarray(n) * 2), "NumPy may write the memory"
seen = np.asarray(x)
assert not _core.is_pending(x * 2)
del seen
assert _core.is_pending(x * 2)
""")


@pytest.mark.parametrize(
    "value, waits", [("off", False), ("on", True), ("100", True), ("30000", False), ("no", True), ("0", True)]
)
def test_the_setting(value, waits):
    out = in_own_process("print(_core.is_pending(ca.ones(20_000) + 1))", CUARRAY_FUSE=value)
    assert out.strip() == str(waits)


def test_writes_come_after_what_reads_before_them():
    in_own_process("""
x = ca.arange(20_000.0)
old = np.arange(20_000.0)
a = x + 1; x[0] = 50; b = x + 1; x += 1; c = x * 2
x[10:20] = 0; d = x[5:] - 1; ca.add(x, 1, out=x); e = x + 0
np.asarray(x)[:] = 7.0; f = x * 1
view = memoryview(x); view[3] = 4.0; g = x * 1
assert np.array_equal(a, old + 1)
old[0] = 50; assert np.array_equal(b, old + 1)
old += 1; assert np.array_equal(c, old * 2)
old[10:20] = 0; assert np.array_equal(d, old[5:] - 1)
old += 1; assert np.array_equal(e, old)
assert np.array_equal(f, np.full(20_000, 7.0))
assert g[3] == 4 and g[4] == 7
""")


ASSIGNMENTS = """
def stencil(xp, a, b): b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1])
def same_elements(xp, a, b): a[...] = 2 * a + b
def shifted(xp, a, b): a[1:] = 2 * a[:-1] + b[1:]
def backwards(xp, a, b): a[::-1] = 2 * a + b
def transposed(xp, a, b): a[:, :] = 2 * a.T + b.T
def cast(xp, a, b): c = xp.zeros(a.shape, "f4"); c[:, 1:] = (a * 1.5 + b)[:, 1:]; c[...] = a * 3 - b; return c
def broadcast(xp, a, b): a[...] = (b.reshape(-1)[:20_000].sum() + b[3] * 2)
def in_place(xp, a, b): a[1:, 2:] += 0.5 * (b[1:, 2:] - b[:-1, 2:])
def in_place_shifted(xp, a, b): a[1:] -= 0.5 * (a[:-1] - b[1:])
def out(xp, a, b): xp.add(a * 2, b - 1, out=b[:, ::-1])
def named(xp, a, b): e = a * 2 + 1; b[...] = e; return e, e * a
def named_in_place(xp, a, b): e = b * 2; a[...] = e + a; b += e; return e
def part_of_it_lives(xp, a, b): e = a * 2; b[...] = e + a; a[...] = e - b; return e
def an_earlier_reader(xp, a, b): e = b * 2; b[...] = a * 3 + 1; return e, e + b
def a_later_reader(xp, a, b): b[...] = a * 3 + 1; e = b * 2; b[...] = e + 1; return e
def two_readers(xp, a, b): e = b + 1; f = b - a; b[1:] = a[1:] * 5 + a[:-1]; return e, f
"""


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_chains_are_assigned_as_their_values(dtype, order):
    in_own_process(
        ASSIGNMENTS
        + f"""
programs = {{name: f for name, f in globals().items() if type(f) is type(lambda: 0)}}
given = [np.random.default_rng(k).normal(size=(150, 150)).astype({dtype!r}, order={order!r}) for k in (0, 1)]
def results(xp, program):
    a, b = map(xp.array, given)
    c = program(xp, a, b)
    return [np.asarray(x) for x in (a, b, *(c if isinstance(c, tuple) else [] if c is None else [c]))]
for name, program in programs.items():
    for k, (ours, theirs) in enumerate(zip(results(ca, program), results(np, program), strict=True)):
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs), (name, k)
"""
    )


def test_chains_are_computed_where_they_are_assigned():
    """Without memory of their own: neither for the chain nor, in place, for its operand."""
    in_own_process("""
a, b = ca.ones((1000, 1000)), ca.ones((1000, 1000))
def warm_up(): b[1:-1] = a[1:-1] * 2; b[1:-1] += a[1:-1] * 2
warm_up()
for assign in (
    "b[1:-1] = 0.5 * (a[1:-1] + a[2:])", "b[...] = 2 * b + a", "b[1:-1] += 0.5 * (a[1:-1] + a[2:])", "b[::2] -= a[::2] * 3",
):
    ca.memory.trim("cpu"); ca.memory.reset_peak("cpu")
    before = ca.memory.stats("cpu")["peak"]
    exec(assign)
    extra = ca.memory.stats("cpu")["peak"] - before
    assert extra < 1_000_000, (assign, extra)
""")


def test_errors_in_arguments_stand_at_the_call():
    x = cuarray.ones(N, device="cpu")
    with pytest.raises(ValueError, match=r"broadcast|shapes"):
        x * 2 + cuarray.ones(N - 1, device="cpu")
    with pytest.raises(ValueError, match="negative"):
        cuarray.ones(N, dtype="i8", device="cpu") ** -1


def test_memory_that_only_pending_work_keeps_alive_is_limited():
    in_own_process("""
def total(n):
    acc = ca.zeros(1_000_000)
    for k in range(n):
        acc = acc + ca.full(1_000_000, float(k))
    return float(acc[0])
with ca.eager():
    assert total(5) == 10
ca.memory.trim("cpu")
ca.memory.reset_peak("cpu")
assert total(120) == 120 * 119 / 2
peak = ca.memory.stats("cpu")["peak"]
assert peak <= 4.5 * 8_000_000, peak
""")


def test_memory_of_operands_that_die_takes_the_result():
    in_own_process("""
def fresh(n=100_000, dtype="f8", shape=(-1,)):
    x = (ca.arange(n) % 97 + 1).astype(dtype).reshape(shape)
    x[0].sum().item()
    return x

def growth(function, *arrays):
    \"""The memory that computing a value takes beside its operands, in the value's bytes.\"""
    ca.memory.trim("cpu"); ca.memory.reset_peak("cpu")
    before = ca.memory.stats("cpu")["current"]
    y = function(list(arrays))
    y.reshape(-1)[0].item()
    return (ca.memory.stats("cpu")["peak"] - before) / y.nbytes

lent = {
    "in a chain": lambda x: x.pop() * 2 + 1,
    "read twice": lambda x: (lambda y: y * y + y - 1)(x.pop()),
    "another dtype of its size": lambda x: ca.sqrt(x.pop().astype("f8") + 1),
}
for name, function in lent.items():
    dtype = "i8" if "dtype" in name else "f8"
    x = [fresh(dtype=dtype)]
    y = x[0].copy(); y[0].item()
    assert growth(lambda _, f=function: f(x)) < 0.5, name
    x, z = [fresh(dtype=dtype)], function([fresh(dtype=dtype)])
    with ca.eager():
        expected = function([y])
    assert ca.array_equal(function(x), expected) and ca.array_equal(z, expected), name

def kept(function, make=fresh):
    with ca.eager():
        expected = function([make()])
    x = [make()]
    y = function(x)
    if type(y) is tuple:
        for a, b in zip(y, expected, strict=True):
            assert ca.array_equal(a, b)
    else:
        assert ca.array_equal(y, expected)

def view_lives(x):
    view = x[0][3:9]
    y = x.pop() * 2 + 1
    return y + 0, view + 0

def reader_waits(x):
    a = x[0] * 3 + 1
    y = x.pop() * 2 + 1
    y[0].item()
    return a + 0, y + 0

def reader_of_a_part_waits(x):
    a = x[0][5:] * 3 + 1
    y = x.pop() * 2 + 1
    y[0].item()
    return a + 0, y + 0

def shifted(x):
    y = x.pop()
    z = y[1:] * 2 - y[:-1]
    del y
    return z + 1

def turned(x):
    y = x.pop()
    z = y * 2 + y[::-1]
    del y
    return z + 0

def transposed(x):
    y = x.pop()
    z = y + y.T * 2
    del y
    return z + 0

def in_another_order(x):
    y = x.pop()
    z = other + y.T
    del y
    return z + 0

other = fresh(90_000, shape=(300, 300))

def broadcast(x):
    y = x.pop()
    z = y * 2 + y[:1]
    del y
    return z + 0

def half_as_wide(x):
    return x.pop().astype("f8") + 1

def two_results(x):
    y = x.pop()
    a, b = y + 1, y * 3
    del y
    return a, b

for function in (view_lives, reader_waits, reader_of_a_part_waits, shifted, turned, broadcast, two_results):
    kept(function)
for function in transposed, in_another_order:
    kept(function, lambda: fresh(90_000, shape=(300, 300)))
kept(half_as_wide, lambda: fresh(dtype="f4"))

x = fresh()
view = memoryview(x)
y = x * 2 + 1
del x
y[0].item()
assert view[5] == 6.0, "other code has it"
class Foreign:
    def __init__(self, array): self.array = array
    def __dlpack__(self, **options): return self.array.__dlpack__(**options)
    def __dlpack_device__(self): return self.array.__dlpack_device__()
x = [ca.from_dlpack(Foreign(shared := np.arange(100_000.0)))]
y = ca.fuse(lambda: x.pop() * 2 + 1)()
assert y[5] == 11 and shared[5] == 5, "it is other code's"
before = ca.memory.stats("cpu")["current"]
x = fresh(1_000_000)[:100_000]
y = x * 2 + 1
del x
y[0].item()
assert ca.memory.stats("cpu")["current"] - before < 2_000_000, "a part keeps nothing alive"
""")


def test_threads_that_compute_side_by_side_do_not_wait():
    in_own_process("""
import threading
x = ca.ones(20_000)
first = x * 2
assert _core.is_pending(first)
def work(into):
    y = first + 1
    into += [_core.is_pending(y), float(y[0]), _core.is_pending(x * 3)]
found = []
thread = threading.Thread(target=work, args=(found,)); thread.start(); thread.join()
assert found == [False, 3.0, False], found
assert not _core.is_pending(x * 2), "from now on neither waits"
""")


def test_captures_record_each_operation_and_a_profile_shows_what_runs():
    in_own_process("""
x = ca.ones(20_000)
graph = ca.Graph()
with graph.capture():
    y = x * 2
x[...] = 5
graph.launch()
assert float(y[0]) == 10
with ca.profile() as p:
    z = x * 2 + 1
    assert _core.is_pending(z)
assert not _core.is_pending(z), "it was asked for in the block"
assert [(event.name, event.expression) for event in p.events if event.kind == "launch"] == [("fused", "a*2 + 1")], p.events
""")


def test_a_fork_and_an_exit_with_pending_work():
    in_own_process("""
import os
x = ca.ones(20_000)
y = x * 2 + 1
if (child := os.fork()) == 0:
    os._exit(0 if float(y[7]) == 3 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert float(y[7]) == 3
left = x * 2 + 1
""")


def test_other_threads_run_while_values_are_computed():
    """Reading a value computes what waits; the GIL is free meanwhile."""
    in_own_process("""
import threading, time
x = ca.ones(3_000_000)
stop, beats = threading.Event(), []
def beat():
    while not stop.is_set():
        beats.append(time.perf_counter())
        time.sleep(0.001)
threading.Thread(target=beat).start()
readers = [lambda y: y[0], lambda y: y.numpy(), np.asarray, lambda y: float(y.sum()), lambda y: y.tobytes(), lambda y: y[1:5],
           lambda y: y.copy(), lambda y: ca.sort(y), lambda y: bool((y > 0).all()), lambda y: y[y > 1e9], memoryview, lambda y: y.T + 1,
           lambda y: np.from_dlpack(y), lambda y: y.reshape(2, -1)[0, :3], str, lambda y: y.astype("f4")[:3], lambda y: ca.synchronize()]
slow = []
for k, read in enumerate(readers):
    y = x
    for _ in range(12):
        y = ca.sin(y) * 1.5
    begin = time.perf_counter()
    read(y)
    end = time.perf_counter()
    inside = [begin, *[t for t in beats if begin < t < end], end]
    longest = max(b - a for a, b in zip(inside, inside[1:]))
    if longest > 0.6 * (end - begin):
        slow.append((k, longest, end - begin))
# More waits than may be kept alive: it runs while an operation is recorded.
waits, y = [], x
for k in range(8):
    begin = time.perf_counter()
    y = ca.sin(ca.sin(ca.sin(y))) * ca.full(3_000_000, 0.5 + k)
    end = time.perf_counter()
    inside = [begin, *[t for t in beats if begin < t < end], end]
    longest = max(b - a for a, b in zip(inside, inside[1:]))
    waits.append(end - begin)
    if longest > 0.6 * (end - begin) and end - begin > 0.03:
        slow.append(("recording", k, longest, end - begin))
stop.set()
assert max(waits) > 0.03, "nothing has run"
assert not slow, slow
""")


def test_memory_that_runs_out_is_told_where_a_value_is_read():
    in_own_process("""
x = ca.ones(1_000_000)
y = x * 2 + 1
ca.memory.limit(1_000_000 * 8 + 100_000, "cpu")
try:
    y.numpy()
except MemoryError as error:
    assert "8000000" in str(error)
else:
    raise AssertionError("no error")
ca.memory.limit(None, "cpu")
assert float(y[0]) == 3 and float((x + 1)[5]) == 2
""")


def test_programs_of_chains_give_the_bits_of_single_steps():
    """Those that benchmarks/programs measures: stencils, solvers, filters, finance."""
    folder = Path(__file__).resolve().parents[2] / "benchmarks"
    in_own_process(f"""
import sys
sys.path.insert(0, {str(folder)!r})
from programs import CHAINS, prepared
def results_of(program):
    found = prepared(program, program.sizes[0], ca)()
    return [np.asarray(x) for x in (found if isinstance(found, tuple) else (found,))]
for program in CHAINS:
    waiting = results_of(program)
    with ca.eager():
        wanted = results_of(program)
    for x, y in zip(waiting, wanted, strict=True):
        assert np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"), program.name
assert len(CHAINS) >= 40
""")


def test_a_long_chain_is_one_run():
    in_own_process("""
x = ca.ones(1_000_000)
before = ca.memory.stats()["current"]
ca.memory.reset_peak()
y = x
for k in range(300):
    y = y * 0.5 + k
assert "600 operations" in str(ca.explain(y))
ca.synchronize()
assert ca.memory.stats()["peak"] - before < 1.5 * x.nbytes, "no value between them has memory"
host = np.ones(1_000_000)
for k in range(300):
    host = host * 0.5 + k
assert np.array_equal(np.asarray(y), host)
""")


@pytest.mark.parametrize("seed", range(8))
def test_a_graph_that_no_run_can_take(seed):
    """Hundreds of operations on many arrays, of which many have names, both results of a row among them."""
    in_own_process(f"""
def program(values):
    rng = np.random.default_rng({seed})
    named = list(values)
    for _ in range(250):
        a, b = (named[k] for k in rng.integers(0, len(named), 2))
        match int(rng.integers(0, 5)):
            case 0: made = [a + b]
            case 1: made = [ca.minimum(a * 0.5, b) - 1]
            case 2: made = list(ca.divmod(a, abs(b) + 1))
            case 3: made = [ca.modf(a)[1] + b]
            case 4: made = [ca.where(a > b, a, b * 0.25)]
        named += made
        waited.append(_core.is_pending(made[0]))
        if rng.random() < 0.3:
            del named[int(rng.integers(0, len(named)))]
        if rng.random() < 0.02:
            target = ca.zeros(20_002)
            target[1:-1] = named[-1] + sum(named[-20:])
            named.append(target[2:])
    return named

rng = np.random.default_rng({seed})
given = [ca.array(rng.normal(size=20_000) * 4) for _ in range(30)]
waited = []
waiting = program(given)
assert all(waited)
with ca.eager():
    wanted = program(given)
for k in rng.permutation(len(waiting)).tolist():
    assert np.array_equal(np.asarray(waiting[k]), np.asarray(wanted[k]), equal_nan=True), k
""")


def test_a_graph_runs_before_it_is_planned_many_times():
    """Planned whole, thousands of nodes that no run can take together cost more than to compute them."""
    in_own_process("""
def waiting(arrays):
    return sum(map(_core.is_pending, arrays))

x = ca.ones(8192)
named = [x + float(i) for i in range(1000)]
assert waiting(named) <= 128, "values with names"
ca.synchronize()
inputs = [ca.ones(8192) for _ in range(200)]
total = first = x * 1
for one in inputs:
    total = total + one
assert not _core.is_pending(first), "memory that is read"
assert float(total[0]) == 201
y = x
for i in range(1000):
    first = y if i == 1 else first if i else None
    y = y * 1.0 + x
assert _core.is_pending(first), "long chains of few inputs are one run"
assert float(y[0]) == 1001
""")


def test_a_profile_begins_after_one_that_could_not():
    in_own_process("""
z = ca.ones((1 << 22, 1)) + ca.ones((1, 1 << 22))
profile = ca.profile()
try:
    with profile:
        pass
except MemoryError:
    pass
else:
    raise AssertionError("what waits is computed before")
del z
with profile:
    ca.ones(10) + 1
assert [event.name for event in profile.events if event.kind == "launch"]
""")


def test_functions_of_named_arrays_are_not_repeated_by_reductions():
    in_own_process("""
x = ca.arange(20_000.0) / 20_000
with ca.fuse():
    e = ca.tanh(x) * ca.exp(x)
    f = x * 2 + 1
    found = [e.sum(), f.sum(), e.max(), ca.min(e)]
    assert not _core.is_pending(e), "computed once, for all four"
    assert _core.is_pending(f), "cheaper to compute again than to store and read"
    g = ca.exp(x) - 1
    (g + 1).sum()
    assert _core.is_pending(g + 1)
with ca.eager():
    e, f = ca.tanh(x) * ca.exp(x), x * 2 + 1
    assert found == [e.sum(), f.sum(), e.max(), e.min()]
""")
