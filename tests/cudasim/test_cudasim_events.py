"""Events, the ends of streams and contexts, and drivers that do not start."""

import pytest
from simulated import run

SETUP = """
d = Driver()
module = d.module(d.compile(FILL))
fill, add_one = d.function(module, "fill"), d.function(module, "add_one")
s, t = d.stream(), d.stream()
a, b = d.alloc(4000), d.alloc(4000)
d.fill(a, 0, 1000); d.call("cuCtxSynchronize")
def set_to(value, stream):
    d.launch(fill, 4, 256, [a, c_int(value), c_int(1000)], stream)
"""

PROGRESS = ("lazy", "eager", "random")


def lines(program, **settings):
    return run(SETUP + program, **settings)[0].splitlines()


def test_an_event_that_was_never_recorded_is_complete():
    program = """
e = d.event()
d.call("cuStreamWaitEvent", s, e, 0)
print(d.code("cuEventQuery", e), d.code("cuEventSynchronize", e), d.code("cuStreamSynchronize", s))
"""
    for progress in PROGRESS:
        assert lines(program, progress=progress) == ["0 0 0"]


def test_a_wait_binds_to_the_record_at_its_call():
    """Later records, and destruction of the event, have no effect."""
    program = """
e = d.event()
set_to(1, s)
d.call("cuEventRecord", e, s)
d.call("cuStreamWaitEvent", t, e, 0)
set_to(2, t)
d.call("cuEventRecord", e, t)
d.call("cuStreamWaitEvent", s, e, 0)
d.call("cuEventDestroy_v2", e)
set_to(3, s)
print(set(ints(d.download(a, 4000, s))), d.code("cuEventQuery", e))
"""
    for progress in PROGRESS:
        for seed in range(3):
            assert lines(program, progress=progress, seed=seed, check=1) == ["{3} 400"]


def test_events_and_graphs_are_destroyed_in_a_context():
    program = """
e = d.event()
graph, made = c_void_p(), c_void_p()
d.call("cuStreamBeginCapture_v2", s, 0)
set_to(1, s)
d.call("cuStreamEndCapture", s, byref(graph))
d.call("cuGraphInstantiateWithFlags", byref(made), graph, c_uint64(0))
def destroy():
    objects = {"cuEventDestroy_v2": e, "cuGraphExecDestroy": made, "cuGraphDestroy": graph}
    return [d.code(entry, handle) for entry, handle in objects.items()]
seen = []
thread = threading.Thread(target=lambda: seen.extend([destroy(), d.code("cuCtxRecordEvent", d.contexts[0], e)]))
thread.start(); thread.join()
print(*seen, destroy())
"""
    assert lines(program) == ["[201, 201, 201] 201 [0, 0, 0]"]


def test_a_destroyed_stream_finishes_its_work():
    program = """
e = d.event()
set_to(5, s)
d.call("cuEventRecord", e, s)
d.call("cuStreamDestroy_v2", s)
d.call("cuStreamWaitEvent", t, e, 0)
print(set(ints(d.download(a, 4000, t))), code_of(set_to, 6, s))
u = d.stream()
set_to(7, u)
d.call("cuStreamDestroy_v2", u)
d.call("cuCtxSynchronize")
print(set(ints(d.download(a, 4000, t))))
"""
    for progress in PROGRESS:
        assert lines(program, progress=progress) == ["{5} 400", "{7}"]


def test_objects_of_another_context_are_refused():
    program = """
e = d.event()
d.call("cuCtxSetCurrent", d.contexts[1])
elsewhere = d.stream()
print(d.code("cuEventRecord", e, elsewhere), code_of(set_to, 1, elsewhere), code_of(set_to, 1, s))
d.call("cuStreamWaitEvent", elsewhere, e, 0)
d.call("cuEventRecord", e, s)
d.call("cuStreamWaitEvent", elsewhere, e, 0)
print(d.code("cuStreamSynchronize", elsewhere))
"""
    assert lines(program) == ["400 400 400", "0"]


def test_times_between_events():
    program = """
timed, later, plain = d.event(), d.event(), d.event(2)
out = c_float()
def elapsed(*events):
    return d.code("cuEventElapsedTime", byref(out), *events)
print(elapsed(timed, later))
d.call("cuEventRecord", timed, s)
set_to(1, s)
for e in (later, plain):
    d.call("cuEventRecord", e, s)
print(elapsed(timed, plain))
while elapsed(timed, later) == 600:
    pass
print(elapsed(timed, later), out.value > 0, d.elapsed(later, timed) < 0)
"""
    for progress in PROGRESS:
        assert lines(program, progress=progress) == ["400", "400", "0 True True"]


def test_streams_have_priorities():
    program = """
least, greatest, value = c_int(), c_int(), c_int()
d.call("cuCtxGetStreamPriorityRange", byref(least), byref(greatest))
for wanted in (0, -3, -99, 5):
    made = c_void_p()
    d.call("cuStreamCreateWithPriority", byref(made), 1, wanted)
    d.call("cuStreamGetPriority", made, byref(value))
    print(value.value, end=" ")
print(least.value, greatest.value)
"""
    assert lines(program) == ["0 -3 -5 0 0 -5"]


@pytest.mark.parametrize("code", [34, 100, 803, 999])
def test_a_driver_that_does_not_start(code):
    assert run("print(code_of(Driver))", init_error=code)[0] == f"{code}\n"


def test_a_context_that_somebody_has_reset():
    program = """
d.call("cuDevicePrimaryCtxReset_v2", 0)
print(code_of(d.alloc, 4), d.code("cuStreamSynchronize", s))
"""
    assert lines(program) == ["709 709"]


def test_ptx_of_a_newer_nvrtc_than_the_driver():
    program = """
d = Driver()
print(code_of(d.module, d.compile(FILL, ["-arch=compute_75"], "PTX")))
"""
    assert run(program, driver=12040, nvrtc="12.4")[0] == "0\n"
    assert run(program, driver=12040, nvrtc="13.0")[0] == "222\n"
    assert run(program, driver=13000, nvrtc="12.9", cc="12.0")[0] == "0\n"
