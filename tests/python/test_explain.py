"""cuarray.explain: the runs that it names are those that then run, and it runs nothing."""

import gc

import numpy as np
import pytest
from own_process import in_own_process

import cuarray
from cuarray import _core

N = 20_000


def chain(x, y, z):
    return x * y + cuarray.sin(z)


def named_parts(x, y, z):
    t = x + y
    u = t * z
    return u - t, t, u


def other_shapes(x, y, z):
    column, row = x[:100, None] * 2 + 1, y[:200] * z[:200]
    return column * row + column


def both_results(x, y, z):
    q, r = cuarray.divmod(x, abs(y) + 1)
    return q + r * z


def casts(x, y, z):
    return (x.astype("f4") * 2 + y.astype("i4")).astype("f8") + z


def many_inputs(x, y, z):
    total = x[:1000] * 2
    for k in range(40):
        total = total + y[k : k + 1000]
    return total


def many_outputs(x, y, z):
    values = [x + y]
    for k in range(25):
        values.append(values[-1] * z + float(k))
    return tuple(values)


def long_chain(x, y, z):
    for k in range(200):
        x = x * 0.5 + y if k % 2 else x - z
    return x


PROGRAMS = [chain, named_parts, other_shapes, both_results, casts, many_inputs, many_outputs, long_chain]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_runs_are_those_that_follow(program, device):
    rng = np.random.default_rng(0)
    given = [cuarray.array(rng.normal(size=1200)) for _ in range(3)]
    with cuarray.profile() as p, cuarray.fuse():
        results = program(*given)
        results = results if isinstance(results, tuple) else (results,)
        assert all(_core.is_pending(x) for x in results)
        gc.collect()  # of arrays that other tests left
        before = cuarray.memory.stats()["current"]
        plan = cuarray.explain(*results)
        assert all(_core.is_pending(x) for x in results) and cuarray.memory.stats()["current"] == before
        begin = _core.record_clock() * 1e-9 - p._clock * 1e-9
        for x in results:
            x[:0]  # a view has memory
        assert not any(_core.is_pending(x) for x in results)
    ran = [event for event in p.events if event.kind == "launch" and event.start >= begin]
    assert [run.expression for run in plan.runs] == [event.expression for event in ran]
    assert [run.shape for run in plan.runs] == [event.shape for event in ran]
    assert [run.bytes_read + run.bytes_written for run in plan.runs] == [event.bytes for event in ran]
    assert all(run.device == device for run in plan.runs)
    if device != "cpu":
        assert all(f"CUDA kernel {event.kernel}" in run.how for run, event in zip(plan.runs, ran, strict=True))
    assert cuarray.explain(*results).runs == []


def test_what_a_run_has(device):
    x, row = cuarray.ones((30, 40)), cuarray.ones(40, dtype=cuarray.float32)
    with cuarray.fuse():
        y = x * row + 2
        (run,) = cuarray.explain(y).runs
    assert run.operations == ("multiply", "add") and run.shape == (30, 40) and run.end == ""
    assert run.inputs == (((30, 40), "float64", 9600), ((1, 40), "float32", 160))
    assert run.outputs == (((30, 40), "float64", 9600),) and run.code == ""


def test_why_runs_end(device):
    x = [cuarray.ones(1000) for _ in range(20)]
    with cuarray.fuse():
        total = sum(x[1:], x[0] * 2)
        first, second = cuarray.explain(total).runs
        assert first.end == "a run reads at most 14 arrays" and second.end == ""
        assert len(first.inputs) == 14 and len(second.inputs) == 7
        named = [x[0] + k for k in range(10)]
        ends = [run.end for run in cuarray.explain(sum(named)).runs]
        assert ends[0] == "a run stores at most 8 arrays" and ends[-1] == ""
        column = x[0][:, None] * 2
        ends = [run.end for run in cuarray.explain(column + x[1]).runs]
        assert ends == ["the next operations have shape (1000, 1000)", ""]


def test_the_text(device):
    x = cuarray.ones(1000)
    with cuarray.fuse():
        y = x * 2
        z = y + cuarray.sin(x) + x * 3
        plan = cuarray.explain(z)
    lines = str(plan).splitlines()
    assert lines[0] == "1 run: reads 8000 B, writes 16.0 kB" and lines[1] == ""
    assert lines[2].split()[0] == "1" and plan.runs[0].expression in lines[2]
    assert lines[3].strip() == f"5 operations on (1000,), {device}: multiply 2, sin, add 2"
    assert lines[4].split(maxsplit=1) == ["reads", "8000 B: (1000,) float64"]
    assert lines[5].split(maxsplit=1) == ["writes", "16.0 kB: 2 x (1000,) float64"]
    assert lines[6].split(maxsplit=1) == ["by", plan.runs[0].how] and len(lines) == 7
    assert repr(plan) == str(plan) and plan._repr_html_().startswith("<pre>1 run")


def test_the_code(device):
    x = cuarray.ones(100_000, dtype=cuarray.float32)
    with cuarray.profile() as p, cuarray.fuse():
        y = x * 2 + x
        assert cuarray.explain(y).runs[0].code == ""
        plan = cuarray.explain(y, code=True)
        y[:0]
    (run,) = plan.runs
    if device == "cpu":
        is_emitted = run.how.startswith("machine code")
        assert ("vmulps" in run.code and "vaddps" in run.code and run.code.split()[-1] != "ret") == is_emitted
    else:
        entry = run.how.split()[2].rstrip(",")
        assert f"{entry}(" in run.code and 'extern "C" __global__' in run.code
        assert entry.startswith([event.kernel for event in p.events if event.kernel][-1])
    assert all(line.strip() in str(plan) for line in run.code.splitlines())


def test_arguments(device):
    with pytest.raises(TypeError, match="no array is given"):
        cuarray.explain()
    with pytest.raises(TypeError, match="list is no array of cuarray"):
        cuarray.explain([1.0])
    assert cuarray.explain(cuarray.ones(3).sum()).runs == []


def test_the_reason_that_holds_at_every_size_comes_first(device):
    for n in (3, 20_000):
        stored = cuarray.explain(cuarray.ones(n)).stored
        assert "fewer than" not in stored or (device, n) == ("cpu", 3), stored
    if device == "cpu":
        with cuarray.fuse():
            for number in (cuarray.ones(3)[0], cuarray.ones(3).sum(), cuarray.ones(())):
                assert "it is a number on cpu" in cuarray.explain(number).stored


def test_why_nothing_waits():
    in_own_process("""
def why(x):
    plan = ca.explain(x)
    assert plan.runs == [] and str(plan) == "nothing waits: " + plan.stored
    return plan.stored.removeprefix("the array is stored; ").removeprefix("operations on it run at the call: ")
x = ca.ones(20_000)
assert why(x) == "operations on it wait"
assert why(x[:100]) == "results of fewer than 8192 elements do not wait"
with ca.eager():
    assert why(x) == why(x[:100]) == "this is a scope of eager()"
with ca.errstate(over="raise"):
    assert why(x).startswith("floating-point errors")
with ca.profile():
    assert why(x) == "operations on it wait"
graph = ca.Graph()
with graph.capture():
    assert why(x).startswith("a graph is captured")
shared = np.ones(20_000)
assert why(ca.asarray(shared)) == "the array's memory is shared with other code"
import threading
thread = threading.Thread(target=lambda: why(x)); thread.start(); thread.join()
assert _core.is_pending(x * 2), "to explain is not to compute"
thread = threading.Thread(target=lambda: x * 2); thread.start(); thread.join()
assert why(x) == "several threads compute"
""")
    assert "CUARRAY_FUSE=off" in in_own_process("print(ca.explain(ca.ones(20_000)))", CUARRAY_FUSE="off")


def test_failed_work_is_told():
    in_own_process("""
try:
    with ca.fuse():
        y = ca.ones((1 << 22, 1)) * ca.ones((1, 1 << 22))
except MemoryError:
    pass
assert ca.explain(y).stored.startswith("the computation failed")
""")


@pytest.mark.parametrize("jit", ["on", "avx2", "off"])
def test_how_the_host_computes(jit):
    in_own_process(
        f"""
import json
def machine(): return json.loads(_core.describe("cpu"))
state = machine()["machine_code"]
x = ca.ones(40_000)
few, short, long = x[:200] * 1, x[:2000] * 1, x * 1
with ca.fuse():
    chains = machine()["chains"]
    y = x * 2 + 1
    how = ca.explain(y).runs[0].how
    assert machine()["chains"] == chains, "no code is kept"
    if state.startswith("avx"):
        assert how == f"machine code, {{state}}, of 2 operations" and {jit!r} in ("on", state), how
    else:
        assert how == f"loops over blocks: multiply, add; machine code: {{state}}", how
    y = ca.exp(x * 2 + 1) - 1
    how = ca.explain(y).runs[0].how
    assert how.split("; ")[-1 if state.startswith("avx") else 0].startswith("loops over blocks: "), how
    assert "exp" in how
    assert ca.explain(few * 2 + 1).runs[0].how.startswith("one operation after the other")
    if state.startswith("avx"):
        later = "loops over blocks: multiply, add, subtract; machine code from the next run on"
        for _ in range(2):
            y = short * 3 + 1 - short
            assert ca.explain(y).runs[0].how == later, "explaining is not running"
        y[0]
        y = short * 3 + 1 - short
        assert ca.explain(y).runs[0].how == f"machine code, {{state}}, of 3 operations"
        y = (x * 2 + 1) * (x * 2 + 1)
        assert ca.explain(y).runs[0].how == f"machine code, {{state}}, of 3 operations", "what is equal is done once"
    assert ca.explain(ca.ones((0, 5)) + 1).runs[0].how.startswith("nothing")
""",
        CUARRAY_JIT=jit if jit != "on" else "",
    )


def test_a_system_that_refuses_executable_memory():
    """Linux does so from here on (PR_SET_MDWE), as SELinux may: loops run instead, and nobody sees an error."""
    told = in_own_process("""
import ctypes
if ctypes.CDLL(None).prctl(65, *map(ctypes.c_ulong, (1, 0, 0, 0))) != 0:
    print("no such call")
    raise SystemExit
x = ca.ones(40_000)
first, second = x * 2 + 1, x * 3 + 1
plan = ca.explain(first, code=True)
assert plan.runs[0].how.startswith("loops over blocks: multiply, add; machine code: "), plan
assert plan.runs[0].code == ""
assert (first.numpy() == 3).all() and (second.numpy() == 4).all()
""")
    if told:
        pytest.skip("this Linux has no PR_SET_MDWE")


def test_another_threads_work():
    in_own_process("""
import threading
x = ca.ones(20_000)
made = []
def work():
    with ca.fuse():
        made.append(x * 2 + 1)
        ready.set(); done.wait()
ready, done = threading.Event(), threading.Event()
thread = threading.Thread(target=work); thread.start(); ready.wait()
assert [run.expression for run in ca.explain(made[0]).runs] == ["a*2 + 1"]
done.set(); thread.join()
assert float(made[0][0]) == 3
""")
