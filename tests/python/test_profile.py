"""cuarray.profile: its events and its files, and CUARRAY_VALIDATE, which all report expressions."""

import itertools
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from own_process import in_own_process

import cuarray as ca


@pytest.fixture
def at_the_call(request):
    """Operations on a GPU run at the call, as those on few elements of `cpu` do."""
    scope = ca.eager()
    scope.__enter__()
    request.addfinalizer(lambda: scope.__exit__(None, None, None))


def launches(p):
    return [event for event in p.events if event.kind == "launch"]


@pytest.mark.usefixtures("at_the_call")
def test_events(device):
    host = np.arange(1000, dtype=np.float32)
    with ca.profile() as p:
        x = ca.asarray(host, copy=True)
        y = x * 2 + 1
        y.sum()
        y.numpy()
        ca.synchronize()
    # On cpu asarray copies with a kernel.
    found = [event for event in launches(p) if event.name != "astype"]
    assert [event.expression for event in found] == ["a*2", "a + 1", "sum(a, axis=(0,))"]
    first = found[0]
    assert (first.shape, first.dtype, first.bytes, first.device) == ((1000,), "float32", 8000, device)
    assert first.file == __file__ and first.where.startswith("test_profile.py:")
    assert first.kernel == "multiply_f32"
    assert [e.line for e in found] == [first.line, first.line, first.line + 1]
    assert {e.kind for e in p.events} == {"launch", "copy", "wait", "alloc"}
    starts = [event.start for event in p.events]
    assert starts == sorted(starts) and starts[0] >= 0
    assert all(0 <= e.seconds <= p.seconds and 0 <= e.host_seconds <= p.seconds for e in p.events)
    for event in p.events:
        is_timed = device != "cpu" and event.kind in ("launch", "copy")
        assert (event.device_seconds is not None) == is_timed == (event.device_start is not None), event
    builds = {"memory", "disk", "compiled"} if device != "cpu" else {""}
    assert {e.build for e in found} <= builds


def test_deferred_work_names_the_lines_where_it_was_written(device):
    x = ca.ones(1000)
    with ca.profile() as p, ca.fuse():
        first = x * 2
        second = first + 1
        third = ca.sin(x[:500])
        float(second[0])
    found = {event.expression: event for event in launches(p)}
    (chain,) = (event for text, event in found.items() if "+ 1" in text)
    alone = found["sin(a)"]
    assert (chain.file, chain.last_line - chain.line) == (__file__, 1)
    assert (alone.line, alone.last_line) == (chain.line + 2, chain.line + 2)
    assert chain.where == f"test_profile.py:{chain.line}-{chain.last_line}" and "-" not in alone.where[-5:]
    del third


@pytest.mark.usefixtures("at_the_call")
def test_bytes_count_repeated_elements_once(device):
    row = ca.ones(40, dtype=ca.float32)
    with ca.profile() as p:
        ca.ones((30, 40), dtype=ca.float32) + row
    assert launches(p)[-1].bytes == (2 * 1200 + 40) * 4


def test_off_outside(device):
    x = ca.ones(3)
    with ca.profile() as p:
        pass
    x + 1
    assert p.events == [] and p.lost == 0


@pytest.mark.usefixtures("at_the_call")
def test_nested(device):
    x = ca.ones(3)
    with ca.profile() as outer:
        x + 1
        with ca.profile() as inner:
            x + 2
        x + 3
    assert [e.expression for e in launches(outer)] == ["a + 1", "a + 2", "a + 3"]
    assert [e.expression for e in launches(inner)] == ["a + 2"]


@pytest.mark.usefixtures("at_the_call")
def test_entered_twice():
    p = ca.profile()
    with p, pytest.raises(RuntimeError, match="profile: it is running already"):
        p.__enter__()
    x = ca.ones(3)
    with p:
        x * 3
    assert [e.expression for e in launches(p)] == ["a*3"], "a profile that is entered again starts anew"


@pytest.mark.usefixtures("at_the_call")
def test_exception_in_the_block(device):
    x = ca.ones(3)
    with pytest.raises(ZeroDivisionError), ca.profile() as p:
        x + 1
        1 / 0  # noqa: B018
    assert [e.expression for e in launches(p)] == ["a + 1"]
    with ca.profile() as after:
        pass
    assert after.events == []


def test_what_streams_are_asked_for(device):
    x, stream = ca.ones((100, 1000)), ca.Stream()
    with ca.profile() as p:
        stream.synchronize()
        stream.record().synchronize()
        x @ ca.ones((1000, 3))
        ca.take(x, [1, 2], axis=0)
    waits = [e.name for e in p.events if e.kind == "wait"]
    assert waits == ["Stream.synchronize", "Event.synchronize"]
    moved = {e.kernel: e.bytes for e in launches(p)}
    assert moved["matmul"] == 8 * (100 * 1000 + 1000 * 3 + 100 * 3)
    assert moved["gather"] >= 2 * 8 * 2 * 1000


def test_graphs(device):
    if device == "cpu":
        pytest.skip("cpu runs everything at the call")
    x = ca.ones(1000)
    graph = ca.Graph()
    with ca.profile() as p:
        with graph.capture():
            y = x * 2
        graph.launch()
    assert [(e.name, e.bytes) for e in launches(p)] == [("multiply", 0), ("Graph.launch", 0)]
    assert y.numpy()[0] == 2


def test_exception_beside_a_fault(device):
    if device == "cpu":
        pytest.skip("cpu runs everything at the call")
    x = ca.arange(10)
    with pytest.raises(KeyError) as raised, ca.profile():
        ca.take(x, ca.asarray([50]))
        raise KeyError("mine")
    assert "index 50 is out of bounds" in raised.value.__notes__[0]
    assert (x + 1).numpy()[0] == 1


def test_failed_operation(device):
    with ca.profile() as p, pytest.raises(MemoryError):
        ca.empty(1 << 55, dtype=ca.int8)
    assert [e.failed for e in p.events] == [True]
    assert "allocate FAILED" in str(p)


def test_threads(device):
    x = ca.ones(100)

    def work():
        for _ in range(100):
            x + 1

    with ca.profile() as p:
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert len(launches(p)) == 400 and len({e.thread for e in launches(p)}) == 4


def test_fused_expression_computes_the_result(device):
    rng = np.random.default_rng(5)
    a, b, c = (rng.random((7, 5)) + 0.5 for _ in range(3))
    formulas = [
        "a*b + sin(c)",
        "(a - b)/(b + c)*-a",
        "(a*b)**c",
        "a - (b - c) - (a - b - c)",
        "maximum(a, b)*(c + 1)/2",
        "exp(-a)/(exp(-a) + 1)",
        "where(a < b, a, -(b + c))",
        "-(a*b)*-c % 2 // (a + 0.1)",
        "(a > b) == (b < c)",
    ]
    for formula in formulas:
        names = dict(zip("abc", (ca.array(v, device=device) for v in (a, b, c)), strict=True))
        with ca.profile() as p:
            with ca.fuse():
                result = eval(formula, {**vars(ca), **names})
            result = result.numpy()
        text = launches(p)[-1].expression
        # Inputs are named in the order in which they are read.
        orders = itertools.permutations((a, b, c))
        assert any(np.allclose(value_of(text, order), result, 1e-12) for order in orders), (formula, text)


def test_expression_of_two_results(device):
    x = ca.array([1.5, -2.25], device=device)
    with ca.profile() as p, ca.fuse():
        fraction, whole = ca.modf(x)
        wanted = (fraction * 2, whole + 1)
        del fraction, whole
    with ca.profile() as q:
        kept = ca.modf(x)
    del kept
    assert [v.tolist() for v in wanted] == [[1.0, -0.5], [2.0, -1.0]]
    assert launches(p)[-1].expression == "t1 = modf(a); (t1[0]*2, t1[1] + 1)"
    assert launches(q)[-1].expression == "t1 = modf(a); (t1[0], t1[1])"


def value_of(text, inputs):
    """An expression of a profile evaluated by NumPy."""
    *definitions, value = text.split("; ")
    scope = {**vars(np), **dict(zip("abc", inputs, strict=True))}
    for definition in definitions:
        exec(definition, scope)
    return eval(value, scope)


def test_table(device):
    x = ca.ones((64, 32), dtype=ca.float32)
    with ca.profile() as p:
        for _ in range(3):
            y = x + x
        y.sum(axis=0)
    lines = str(p).splitlines()
    assert "4 launches" in lines[0] and "4 allocations" in lines[0]
    assert lines[2].split()[:4] == ["time", "share", "calls", "what"]
    (line,) = (line for line in lines if "a + b" in line or "a + a" in line)
    assert "(64, 32) float32" in line and "%" in line and "test_profile.py:" in line and " 3 " in line
    assert "<table>" in p._repr_html_() and "a + " in p._repr_html_()
    seconds = [sum(e.seconds for e in group) for group in p.groups()]
    assert seconds == sorted(seconds, reverse=True)


def test_measuring_the_copy_is_in_no_profile(device):
    from cuarray._tools import profile_table

    profile_table.measured_bandwidth.cache_clear()
    with ca.profile() as p:
        assert profile_table.copy_bandwidth(device) > 0
    assert p.events == []


def test_first_operations_are_as_later_ones():
    """Operands that die are known by what the first use of an operator has learned, also where that is profiled."""
    out = in_own_process("""
w, y = ca.zeros((300, 300)), ca.ones((300, 300))
with ca.profile() as p:
    w[...] = y * 2 + 1
    ca.synchronize()
print([(e.kind, e.expression, e.bytes) for e in p.events if e.kind != "wait"])
""")
    assert out.strip() == f"[('launch', 'a*2 + 1', {2 * 300 * 300 * 8})]"


def test_empty_profile(tmp_path):
    with ca.profile() as p:
        pass
    assert "nothing was done" in str(p)
    for name in ("trace.json", "profile.html"):
        p.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert "<table>" in p._repr_html_()


def test_trace_format(device, tmp_path):
    x = ca.ones(100)
    with ca.profile() as p:
        (x + 1).sum()
    p.save(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text("utf-8"))
    events = trace["traceEvents"]
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for event in events:
        assert event["ph"] in ("X", "M") and isinstance(event["name"], str)
        assert all(isinstance(event[key], int) for key in ("pid", "tid")) and isinstance(event["args"], dict)
        if event["ph"] == "X":
            assert event["ts"] >= 0 and event["dur"] >= 0 and event["cat"] in ("launch", "copy", "wait", "alloc")
        else:
            assert event["name"] in ("process_name", "thread_name") and isinstance(event["args"]["name"], str)
    complete = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in complete} >= {"a + 1", "sum(a, axis=(0,))"}
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in complete} <= named, "every track has a name"


def test_page_is_self_contained(device, tmp_path):
    x = ca.ones(100)
    with ca.profile() as p:
        ca.less(x + 1, x)
    p.save(tmp_path / "profile.html")
    page = (tmp_path / "profile.html").read_text("utf-8")
    assert "http" not in page.replace("http-equiv", "") and "/*DATA*/null" not in page
    text = page.partition("const data = ")[2].partition(";\n")[0]
    assert "<" not in text, "nothing in the data can end the script"
    data = json.loads(text)
    assert len(data["events"]) == len(p.events) and sum(map(len, data["groups"])) == len(p.events)


def test_save_refuses_other_names(tmp_path):
    with pytest.raises(ValueError, match=r"profile.save: .*must end with \.json .* or \.html"):
        ca.profile().save(tmp_path / "profile.txt")


VALIDATED = """
import numpy as np
import cuarray as ca
rng = np.random.default_rng(0)
a, b = (ca.array(rng.standard_normal((9, 14)).astype("f4")) for _ in range(2))
with ca.fuse():
    c = ca.sin(a)*b + ca.exp(b) / (1 + ca.exp(b)) - ca.floor(a * 3)
d = (a[::2, ::-1] + b[1::2].sum(axis=0)).astype(ca.float16)
d[:, 1:] *= 2
m = a > b
e = ca.where(m, a, b).max(axis=1)
f = ca.add(a, b, where=m, out=ca.zeros_like(a))
q, r = ca.divmod(ca.arange(-9, 9), 4)
g = ca.subtract.reduce(a, axis=0)
h = (a + 1j * b) * (a - 2j)
k = ca.zeros((0, 3)).sum(axis=0), ca.asarray(3.5) * 2, ca.linspace(0, 1, 7)
ca.synchronize()
print(float(e.sum()), g.shape, h.sum().numpy())
"""


def test_validate(device):
    environment = {**os.environ, "CUARRAY_DEVICE": device}
    said = []
    for value in ("0", "1"):
        environment["CUARRAY_VALIDATE"] = value
        result = subprocess.run([sys.executable, "-c", VALIDATED], env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        said.append(result.stdout)
    assert said[0] == said[1]


def test_names_outlive_their_calls(device):
    x = ca.asarray([3.0, 1.0, 2.0])
    with ca.profile() as p:
        for call in (ca.sort, ca.argsort, ca.median):
            call(x)
        ca.partition(x, 1)
        ca.histogram(x, 3)
        ca.convolve(x, x)
    names = {event.name for event in p.events}
    assert names >= {"sort", "argsort", "median", "partition", "histogram", "convolve"}, names
