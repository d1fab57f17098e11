"""Streams, events, memory, contexts and errors of the simulated driver."""

import pytest
from simulated import run

TWO_STREAMS = """
d = Driver()
module = d.module(d.compile(FILL))
fill, add_one = d.function(module, "fill"), d.function(module, "add_one")
s, t = d.stream(), d.stream()
a, b = d.alloc(4000), d.alloc(4000)
d.call("cuCtxSynchronize")
d.launch(fill, 4, 256, [a, c_int(41), c_int(1000)], s)
if {wait}:
    e = d.event()
    d.call("cuEventRecord", e, s)
    d.call("cuStreamWaitEvent", t, e, 0)
d.launch(add_one, 4, 256, [b, a, c_int(1000)], t)
print(ints(d.download(b, 4000, t)) == (42,) * 1000)
"""


def test_a_missing_wait_is_found_and_a_wait_is_kept():
    for progress in ("lazy", "random"):
        for seed in range(4):
            assert run(TWO_STREAMS.format(wait=True), progress=progress, seed=seed)[0] == "True\n"
    assert run(TWO_STREAMS.format(wait=False), progress="lazy")[0] == "False\n"
    found = {run(TWO_STREAMS.format(wait=False), progress="random", seed=seed)[0] for seed in range(8)}
    assert "False\n" in found


def test_streams_run_in_different_orders():
    program = """
    d = Driver()
    fill = d.kernel(FILL, "fill")
    a = d.alloc(4)
    streams = [d.stream() for _ in range(4)]
    d.call("cuCtxSynchronize")
    for i, s in enumerate(streams):
        d.launch(fill, 1, 32, [a, c_int(i), c_int(1)], s)
    d.call("cuCtxSynchronize")
    print(ints(d.download(a, 4))[0])
    """
    assert len({run(program, seed=seed)[0] for seed in range(8)}) > 1
    assert run(program, seed=3)[0] == run(program, seed=3)[0]


def test_host_access_to_device_memory_crashes():
    _, err = run(
        "d = Driver(); a = d.alloc(64); d.fill(a, 7, 16); d.synchronize(); cast(a, POINTER(c_int))[0]",
        expect=None,
    )
    assert "the host touched device memory" in err
    # The same memory is readable by a copy.
    assert run("d = Driver(); a = d.alloc(64); d.fill(a, 7, 16); print(ints(d.download(a, 64))[15])")[0] == "7\n"


def test_use_after_free_in_another_stream_is_found():
    program = """
    d = Driver()
    fill = d.kernel(FILL, "fill")
    s, t = d.stream(), d.stream()
    a = d.alloc_async(4000, s)
    d.synchronize(s)
    {first}
    {second}
    d.synchronize(s)
    print(d.code("cuStreamSynchronize", t))
    """
    use, free = "d.launch(fill, 1, 32, [a, c_int(1), c_int(32)], t)", "d.free_async(a, s)"
    out, err = run(program.format(first=use, second=free), progress="lazy")
    assert out == "700\n" and "not alive" in err
    assert run(program.format(first=use.replace(", t)", ", s)"), second=free), progress="lazy")[0] == "0\n"


def test_memory_of_a_stream_is_reused_at_once_and_in_order():
    program = """
    d = Driver()
    fill = d.kernel(FILL, "fill")
    s = d.stream()
    a = d.alloc_async(4000, s)
    d.launch(fill, 4, 256, [a, c_int(1), c_int(1000)], s)
    d.free_async(a, s)
    b = d.alloc_async(4000, s)
    d.launch(fill, 1, 256, [b, c_int(2), c_int(10)], s)
    c = ints(d.download(b, 4000, s))
    print(a == b, c[:10] == (2,) * 10, c[10] not in (1, 2))
    """
    for progress in ("lazy", "eager", "random"):
        assert run(program, progress=progress)[0] == "True True True\n"


def test_out_of_memory_and_what_is_left():
    program = """
    d = Driver()
    a = d.alloc_async(600 << 20)
    print(code_of(d.alloc_async, 600 << 20), code_of(d.alloc, 600 << 20), code_of(d.alloc, 300 << 20))
    free, total = c_size_t(), c_size_t()
    d.call("cuMemGetInfo_v2", byref(free), byref(total))
    print(total.value >> 20, free.value >> 20)
    d.free_async(a); d.synchronize()
    print(code_of(d.alloc_async, 600 << 20))
    """
    out = run(program, memory=1 << 30)[0].splitlines()
    assert out[0] == "2 2 0" and out[2] == "0"
    total, free = map(int, out[1].split())
    assert total == 1024 and free < 130


def test_pinned_memory_runs_out():
    program = """
    d = Driver()
    a = d.pinned(3000)
    print(code_of(d.pinned, 3000))
    d.call("cuMemFreeHost", a)
    print(code_of(d.pinned, 3000))
    """
    assert run(program, pinned=4096)[0].split() == ["2", "0"]


def test_pool_keeps_memory_only_up_to_its_threshold():
    program = """
    d = Driver()
    pool = c_void_p()
    d.call("cuDeviceGetMemPool", byref(pool), 0)
    def reserved():
        value = c_uint64()
        d.call("cuMemPoolGetAttribute", pool, 5, byref(value))
        return value.value >> 20
    def cycle():
        d.free_async(d.alloc_async(64 << 20)); d.synchronize()
        return reserved()
    print(cycle())
    d.call("cuMemPoolSetAttribute", pool, 4, byref(c_uint64(2**64 - 1)))
    print(cycle())
    d.call("cuMemPoolTrimTo", pool, c_size_t(0))
    print(reserved())
    """
    assert run(program)[0].split() == ["0", "64", "0"]


def test_pools_reserve_whole_chunks_where_there_is_room_for_them():
    program = """
    d = Driver()
    pool = c_void_p()
    d.call("cuDeviceGetMemPool", byref(pool), 0)
    d.call("cuMemPoolSetAttribute", pool, 4, byref(c_uint64(2**64 - 1)))
    def figures():
        values = []
        for which in (5, 7):
            value = c_uint64()
            d.call("cuMemPoolGetAttribute", pool, which, byref(value))
            values.append(value.value >> 20)
        free, total = c_size_t(), c_size_t()
        d.call("cuMemGetInfo_v2", byref(free), byref(total))
        return *values, (total.value - free.value) >> 20
    def trim(keep=0):
        d.synchronize()
        d.call("cuMemPoolTrimTo", pool, c_size_t(keep))
    a = d.alloc_async(1 << 20); print(*figures())
    b = d.alloc_async(48 << 20); print(*figures())
    trim(); print(*figures())
    d.free_async(b); trim(40 << 20); print(*figures())
    trim(); print(*figures())
    d.free_async(a); trim(); print(*figures())
    """
    # A chunk stays as long as any block in it is in use.
    lines = run(program)[0].splitlines()
    assert lines == ["32 1 32", "64 49 64", "64 49 64", "64 1 64", "32 1 32", "0 0 0"]
    assert run(program, memory=50 << 20)[0].splitlines()[:2] == ["32 1 32", "49 49 49"]


def test_names_of_instances_of_mig():
    program = """
    d = Driver()
    name = create_string_buffer(64)
    d.call("cuDeviceGetName", name, 64, 1)
    print(name.value.decode())
    """
    assert run(program)[0] == "Simulated GPU 1\n"
    assert run(program, mig=1)[0] == "Simulated GPU 1 MIG 1g.10gb\n"


def test_the_nth_call_fails_once():
    program = "d = Driver(); print([code_of(d.alloc_async, 256) for _ in range(4)])"
    assert run(program, fail="cuMemAllocAsync:3:2")[0] == "[0, 0, 2, 0]\n"
    assert run("print(code_of(Driver))", init_error=100)[0] == "100\n"
    assert run("print(code_of(Driver))", devices=0)[0] == "100\n"


def test_launches_can_be_switched_off():
    program = """
    d = Driver()
    fill = d.function(d.module(d.compile(FILL)), "fill")
    a = d.alloc(4000)
    d.fill(a, 7, 1000)
    d.launch(fill, 4, 256, [a, c_int(41), c_int(1000)])
    print(set(ints(d.download(a, 4000))))
    print(code_of(d.launch, fill, 4, 2048, [a, c_int(41), c_int(1000)]))
    d.cuda.cudasim_ticks.restype = c_uint64
    inside = c_uint64()
    before = d.cuda.cudasim_ticks(byref(inside)), inside.value
    d.call("cuCtxSynchronize")
    print(before[1] < (d.cuda.cudasim_ticks(byref(inside)), inside.value)[1] <= before[1] + 10**12)
    print(d.cuda.cudasim_calls(b"cuLaunchKernel"), d.cuda.cudasim_calls(None) > 2)
    """
    skipped = run(program, launches="off")[0].splitlines()
    assert skipped == ["{7}", "1", "True", "2 True"]
    assert run(program)[0].splitlines() == ["{41}", "1", "True", "2 True"]


LEGACY = """
d = Driver()
module = d.module(d.compile(FILL))
fill, add_one = d.function(module, "fill"), d.function(module, "add_one")
a, b = d.alloc(4000), d.alloc(4000)
first, second = {first}, {second}
d.call("cuCtxSynchronize")
d.launch(fill, 4, 256, [a, c_int(41), c_int(1000)], first)
d.launch(add_one, 4, 256, [b, a, c_int(1000)], second)
print(ints(d.download(b, 4000, second)) == (42,) * 1000)
"""


@pytest.mark.parametrize(
    "first, second, ordered",
    [
        ("d.stream(0)", "d.LEGACY", True),
        ("d.LEGACY", "d.stream(0)", True),
        ("None", "c_void_p(2)", True),
        ("d.stream()", "d.LEGACY", False),
        ("d.LEGACY", "d.stream()", False),
        ("d.stream(0)", "d.stream(0)", False),
    ],
)
def test_the_legacy_stream_is_ordered_with_blocking_streams_only(first, second, ordered):
    assert run(LEGACY.format(first=first, second=second), progress="lazy")[0] == f"{ordered}\n"


def test_error_codes():
    program = """
    bare = Driver(init=False)
    n = c_int()
    print(bare.code("cuDeviceGetCount", byref(n)))
    d = Driver()
    fill = d.kernel(FILL.replace("void fill", "void __launch_bounds__(64) fill"), "fill")
    a = d.alloc(4000)
    arguments = [a, c_int(1), c_int(8)]
    print(code_of(d.alloc, 0), d.code("cuMemsetD8Async", c_uint64(a), 1, c_size_t(0), None))
    print([code_of(d.launch, fill, grid, block, arguments) for grid, block in
           [(0, 32), (1, 0), ((1, 65536), 32), ((1, 65535), 32), (1, 1025), (1, 65), (1, 64)]])
    print([code_of(d.launch, fill, 1, 32, arguments, None, shared) for shared in (49153, 49152)])
    codes = []
    thread = threading.Thread(target=lambda: codes.append(code_of(d.alloc, 4)))
    thread.start(); thread.join()
    print(codes)
    s = d.stream()
    d.call("cuStreamDestroy_v2", s)
    print(d.code("cuStreamSynchronize", s))
    print([code_of(d.free, address) for address in (a + 256, a, a)])
    print([d.code("cuPointerGetAttribute", byref(n), 2, c_uint64(address)) for address in (id(d), 0)])
    """
    assert run(program)[0].splitlines() == [
        "3",
        "1 0",
        "[1, 1, 1, 0, 1, 1, 0]",
        "[1, 0]",
        "[201]",
        "400",
        "[1, 0, 1]",
        "[1, 1]",
    ]


def test_addresses_are_aligned_to_256_and_no_more():
    out = run("d = Driver(); print([d.alloc(n) % 512 for n in (1, 100, 5000, 1 << 20)])")[0]
    assert out == "[256, 256, 256, 256]\n"


def test_ranges_of_device_and_host_memory():
    program = """
    d = Driver()
    base, size = c_uint64(), c_size_t()
    for memory in (d.alloc(100), addressof(d.pinned(5000))):
        d.call("cuMemGetAddressRange_v2", byref(base), byref(size), c_uint64(memory + 40))
        print(base.value == memory, size.value)
    print(d.code("cuMemGetAddressRange_v2", byref(base), byref(size), c_uint64(id(d))))
    """
    assert run(program)[0].splitlines() == ["True 100", "True 5000", "500"]


def test_entry_points_come_by_name_and_version():
    program = """
    d = Driver()
    def ask(name, version):
        address, status = c_void_p(), c_int()
        code = d.code("cuGetProcAddress_v2", name, byref(address), version, c_uint64(0), byref(status))
        return code, status.value, address.value is not None
    print(ask(b"cuMemAlloc", 12000), ask(b"cuMemAlloc", 2000))
    print(ask(b"cuNoSuchThing", 12000), ask(b"cuCtxRecordEvent", 12050))
    address = c_void_p()
    d.call("cuGetProcAddress_v2", b"cuMemAlloc", byref(address), 12000, c_uint64(0), None)
    print(address.value == cast(d.cuda.cuMemAlloc_v2, c_void_p).value)
    """
    assert run(program)[0] == "(0, 0, True) (500, 2, False)\n(500, 1, False) (0, 0, True)\nTrue\n"
    assert "(500, 1, False) (500, 1, False)\nTrue" in run(program, driver=12000)[0]


def test_two_devices_and_copies_between_them():
    program = """
    d = Driver()
    a = d.alloc(64)
    d.fill(a, 5, 16); d.synchronize()
    d.call("cuCtxSetCurrent", d.contexts[1])
    b = d.alloc(64)
    fill = d.kernel(FILL, "fill")
    d.call("cuMemcpyPeerAsync", c_uint64(b), d.contexts[1], c_uint64(a), d.contexts[0], c_size_t(64), None)
    print(ints(d.download(b, 64))[15])
    if {peer}:
        d.call("cuCtxEnablePeerAccess", d.contexts[0], 0)
    d.launch(fill, 1, 32, [a, c_int(6), c_int(16)])
    print(d.code("cuCtxSynchronize"))
    """
    out, err = run(program.format(peer=False))
    assert out == "5\n700\n" and "no peer access" in err
    assert run(program.format(peer=True))[0] == "5\n0\n"
    assert run("d = Driver(); print(d.device_count())", devices=3)[0] == "3\n"


def test_pageable_memory_changed_under_an_asynchronous_copy_is_found():
    program = """
    d = Driver()
    a = d.alloc(64)
    source = create_string_buffer(b"x" * 64, 64)
    d.call("cuMemcpyHtoDAsync_v2", c_uint64(a), source, c_size_t(64), None)
    source[0] = b"y"
    print(d.code("cuCtxSynchronize"))
    """
    codes = {run(program, progress="lazy", seed=seed)[0] for seed in range(6)}
    assert codes == {"0\n", "700\n"}


@pytest.mark.parametrize("before, code", [("", 700), ("d.synchronize()", 0)])
def test_pinned_memory_in_flight_belongs_to_the_copy(before, code):
    upload = """
    d = Driver()
    a, source = d.alloc(64), d.pinned(64)
    d.call("cuMemcpyHtoDAsync_v2", c_uint64(a), source, c_size_t(64), None)
    {before}
    source[0] = b"y"
    print(d.code("cuCtxSynchronize"))
    """
    assert run(upload.format(before=before), progress="lazy")[0] == f"{code}\n"
    download = """
    d = Driver()
    a, target = d.alloc(64), d.pinned(64)
    d.upload(a, b"x" * 64)
    target[:] = b"x" * 64
    d.call("cuMemcpyDtoHAsync_v2", target, c_uint64(a), c_size_t(64), None)
    {before}
    print(target[:] == b"x" * 64)
    """
    assert run(download.format(before=before), progress="lazy")[0] == f"{code == 0}\n"


def test_kernels_in_flight_change_pinned_memory():
    """Copies in the order of the stream: from memory that a kernel writes, and to memory that a kernel reads."""
    program = """
    d = Driver()
    fill, add = d.kernel(FILL, "fill"), d.kernel(FILL, "add_one")
    a, b, x, y = d.alloc(64), d.alloc(64), d.pinned(64), d.pinned(64)
    d.fill(b, 5, 16)
    y[:] = struct.pack("16i", *range(16))
    d.launch(fill, 1, 16, [addressof(x), c_int(7), c_int(16)])
    d.call("cuMemcpyHtoDAsync_v2", c_uint64(a), x, c_size_t(64), None)
    d.launch(add, 1, 16, [a, addressof(y), c_int(16)])
    d.call("cuMemcpyDtoHAsync_v2", y, c_uint64(b), c_size_t(64), None)
    d.synchronize()
    print(ints(x[:])[3], ints(d.download(a, 64))[3], ints(y[:])[3])
    """
    assert run(program, progress="lazy")[0] == "7 4 5\n"


def test_globals_are_the_modules_and_kernels_change_them():
    program = """
    text = "__device__ int state[16];" + FILL.replace("void fill(int* out", "void fill(int* x").replace(
        "if (i < n) out[i] = value", "if (i < n) x[i] = state[i], state[i] = value")
    d = Driver()
    module = d.module(d.compile(text, ("-arch=sm_90", "-rdc=true")))
    fill, state, size, x = d.function(module, "fill"), c_uint64(), c_size_t(), d.alloc(64)
    d.call("cuModuleGetGlobal_v2", byref(state), byref(size), module, b"state")
    d.upload(state.value, struct.pack("16i", *range(16)))
    d.launch(fill, 1, 16, [x, c_int(8), c_int(16)])
    target = d.pinned(64)
    d.call("cuMemcpyDtoHAsync_v2", target, state, size, None)
    source = d.pinned(64)
    source[:] = bytes(64)
    d.call("cuMemcpyHtoDAsync_v2", state, source, size, None)
    d.synchronize()
    kind = c_int()
    print(ints(d.download(x, 64))[3], ints(target[:])[3], ints(d.download(state.value, 64))[3])
    print(d.code("cuPointerGetAttribute", byref(kind), 2, state))
    d.call("cuModuleUnload", module)
    print(d.code("cuPointerGetAttribute", byref(kind), 2, state))
    """
    assert run(program, progress="lazy")[0].split() == ["3", "8", "0", "0", "1"]


def test_pinned_memory_may_be_reused_in_stream_order():
    program = """
    d = Driver()
    a, b, staging = d.alloc(64), d.alloc(64), d.pinned(64)
    d.fill(a, 7, 16)
    d.call("cuMemcpyDtoHAsync_v2", staging, c_uint64(a), c_size_t(64), None)
    d.call("cuMemcpyHtoDAsync_v2", c_uint64(b), staging, c_size_t(64), None)
    print(ints(d.download(b, 64)) == (7,) * 16)
    """
    for progress in ("lazy", "random", "eager"):
        assert run(program, progress=progress)[0] == "True\n"


def test_queries_end_and_host_functions_may_not_call():
    program = """
    d = Driver()
    fill = d.kernel(FILL, "fill")
    s = d.stream()
    a = d.alloc(4000)
    e = d.event()
    print(d.code("cuEventQuery", e))
    for _ in range(20): d.launch(fill, 4, 256, [a, c_int(1), c_int(1000)], s)
    d.call("cuEventRecord", e, s)
    answers = [d.code("cuEventQuery", e)]
    while answers[-1] == 600: answers.append(d.code("cuEventQuery", e))
    print(answers[0], answers[-1])
    seen = []
    FN = CFUNCTYPE(None, c_void_p)
    function = FN(lambda data: seen.append(code_of(d.alloc, 4)))
    d.call("cuLaunchHostFunc", s, function, None)
    d.synchronize(s)
    print(seen)
    """
    assert run(program, progress="lazy")[0].splitlines() == ["0", "600 0", "[800]"]


def test_pending_work_runs_without_further_calls():
    program = """
    import time
    d = Driver()
    s = d.stream()
    done = threading.Event()
    FN = CFUNCTYPE(None, c_void_p)
    function = FN(lambda data: done.set())
    d.call("cuLaunchHostFunc", s, function, None)
    print(done.wait(20))
    """
    for progress in ("lazy", "eager", "random"):
        assert run(program, progress=progress)[0] == "True\n"


def test_a_forked_child_has_no_driver():
    program = """
    import os
    d = Driver()
    a = d.alloc(64)
    if os.fork() == 0:
        os._exit(code_of(d.alloc, 4))
    print(os.waitstatus_to_exitcode(os.wait()[1]), code_of(d.alloc, 4))
    """
    assert run(program)[0] == "3 0\n"
