# test_cudasim.py -- the simulator shows what it promises; each test would fail if that property were lost.
"""Every test runs a small program in a process of its own, under `run`, with the settings it names."""

import functools
import json
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

PREAMBLE = """
import struct, sys, threading
from ctypes import *
sys.path.insert(0, {here!r})
from driver_api import CudaError, Driver
def floats(data): return struct.unpack(f"{{len(data) // 4}}f", data)
def ints(data): return struct.unpack(f"{{len(data) // 4}}i", data)
def code_of(function, *arguments):
    try:
        function(*arguments)
    except CudaError as error:
        return error.code
    return 0
"""

FILL = """
extern "C" __global__ void fill(int* out, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
extern "C" __global__ void add_one(int* out, const int* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
"""


@functools.cache
def environment():
    """The environment that `run` makes; asked for once, since every test needs several processes."""
    show = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
    return json.loads(subprocess.run([str(HERE / "run"), *show], capture_output=True, text=True, check=True).stdout)


def run(program, expect=0, **settings):
    """Runs a program on the simulator; returns its standard output and error."""
    env = dict(environment(), CUDASIM_SEED="1")
    env.update({"CUDASIM_" + key.upper(): str(value) for key, value in settings.items()})
    text = PREAMBLE.format(here=str(HERE)) + f"FILL = {FILL!r}\n" + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True)
    if expect is not None:
        assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout, done.stderr


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
    out, err = run("d = Driver(); a = d.alloc(64); d.fill(a, 7, 16); d.synchronize(); cast(a, POINTER(c_int))[0]", expect=None)
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
    use, free = 'd.launch(fill, 1, 32, [a, c_int(1), c_int(32)], t)', "d.free_async(a, s)"
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


def test_the_nth_call_fails_once():
    program = "d = Driver(); print([code_of(d.alloc_async, 256) for _ in range(4)])"
    assert run(program, fail="cuMemAllocAsync:3:2")[0] == "[0, 0, 2, 0]\n"
    assert run("print(code_of(Driver))", init_error=100)[0] == "100\n"
    assert run("print(code_of(Driver))", devices=0)[0] == "100\n"


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


@pytest.mark.parametrize("first, second, ordered", [
    ("d.stream(0)", "d.LEGACY", True),
    ("d.LEGACY", "d.stream(0)", True),
    ("None", "c_void_p(2)", True),
    ("d.stream()", "d.LEGACY", False),
    ("d.LEGACY", "d.stream()", False),
    ("d.stream(0)", "d.stream(0)", False),
])
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
    print(code_of(d.launch, fill, 1, 32, arguments, None, 49153), code_of(d.launch, fill, 1, 32, arguments, None, 49152))
    codes = []
    thread = threading.Thread(target=lambda: codes.append(code_of(d.alloc, 4)))
    thread.start(); thread.join()
    print(codes)
    s = d.stream()
    d.call("cuStreamDestroy_v2", s)
    print(d.code("cuStreamSynchronize", s), d.code("cuMemFree_v2", c_uint64(a + 256)), code_of(d.free, a), code_of(d.free, a))
    print(d.code("cuPointerGetAttribute", byref(n), 2, c_uint64(id(d))), d.code("cuPointerGetAttribute", byref(n), 2, c_uint64(0)))
    """
    assert run(program)[0].splitlines() == [
        "3", "1 0", "[1, 1, 1, 0, 1, 701, 0]", "1 0", "[201]", "400 1 0 1", "1 1"]


def test_addresses_are_aligned_to_256_and_no_more():
    out = run("d = Driver(); print([d.alloc(n) % 512 for n in (1, 100, 5000, 1 << 20)])")[0]
    assert out == "[256, 256, 256, 256]\n"


def test_entry_points_come_by_name_and_version():
    program = """
    d = Driver()
    def ask(name, version):
        address, status = c_void_p(), c_int()
        code = d.code("cuGetProcAddress_v2", name, byref(address), version, c_uint64(0), byref(status))
        return code, status.value, address.value is not None
    print(ask(b"cuMemAlloc", 12000), ask(b"cuMemAlloc", 2000), ask(b"cuNoSuchThing", 12000), ask(b"cuCtxRecordEvent", 12050))
    address = c_void_p()
    d.call("cuGetProcAddress_v2", b"cuMemAlloc", byref(address), 12000, c_uint64(0), None)
    print(address.value == cast(d.cuda.cuMemAlloc_v2, c_void_p).value)
    """
    assert run(program)[0] == "(0, 0, True) (500, 2, False) (500, 1, False) (0, 0, True)\nTrue\n"
    assert "(500, 1, False)\nTrue" in run(program, driver=12000)[0]


REDUCE = """
extern "C" __global__ void block_sum(int* out, const int* in, int n) {
    __shared__ int s[256];
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += in[i];
    s[threadIdx.x] = sum;
    BARRIER_1
    for (int k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        BARRIER_2
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
"""

REDUCE_PROGRAM = """
text = {text!r}
d = Driver()
k = d.kernel(text, "block_sum")
a, o = d.alloc(4000), d.alloc(32)
d.upload(a, struct.pack("1000i", *range(1000)))
d.launch(k, 8, 256, [o, a, c_int(1000)])
print(ints(d.download(o, 32)) == (499500,) * 8)
"""


def reduce_text(first="__syncthreads();", second="__syncthreads();"):
    return REDUCE.replace("BARRIER_1", first).replace("BARRIER_2", second)


def test_block_reduction_and_its_barriers():
    for seed in range(3):
        assert run(REDUCE_PROGRAM.format(text=reduce_text()), seed=seed)[0] == "True\n"
    assert run(REDUCE_PROGRAM.format(text=reduce_text(first="")))[0] == "False\n"
    assert run(REDUCE_PROGRAM.format(text=reduce_text(second="")))[0] == "False\n"


def test_divergent_barriers_are_found():
    skipped = reduce_text(first="if (threadIdx.x != 3) __syncthreads();")
    split = reduce_text(first="if (threadIdx.x < 128)\n __syncthreads();\n else\n __syncthreads();")
    for text in (skipped, split):
        out, err = run(REDUCE_PROGRAM.format(text=text), expect=1)
        assert "CudaError" in err and ": 719" in err and "divergent barrier" in err


def test_warp_functions():
    program = """
    text = '''
    extern "C" __global__ void warp(int* out, double* wide) {
        int lane = threadIdx.x % 32;
        int sum = lane;
        for (int k = 16; k; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
        int up = __shfl_up_sync(0xffffffffu, lane, 3), down = __shfl_down_sync(0xffffffffu, lane, 3);
        unsigned even = __ballot_sync(0xffffffffu, lane % 2 == 0);
        unsigned peers = __match_any_sync(0xffffffffu, lane / 8);
        int half = -1;
        if (lane < 16) half = __shfl_sync(0x0000ffffu, lane, 15);
        int any = __any_sync(0xffffffffu, lane == 31), all = __all_sync(0xffffffffu, lane < 31);
        int* o = out + 8 * threadIdx.x;
        o[0] = sum; o[1] = up; o[2] = down; o[3] = even; o[4] = peers; o[5] = half; o[6] = any; o[7] = all;
        wide[threadIdx.x] = __shfl_sync(0xffffffffu, 0.5 + lane, 7);
    }'''
    d = Driver()
    k = d.kernel(text, "warp")
    o, w = d.alloc(64 * 32), d.alloc(64 * 8)
    d.launch(k, 1, 64, [o, w])
    rows = ints(d.download(o, 64 * 32))
    for t in range(64):
        lane = t % 32
        expected = (496, max(lane - 3, 0) if lane >= 3 else lane, lane + 3 if lane < 29 else lane, 0x55555555,
                    c_int(255 << (lane // 8 * 8)).value, 15 if lane < 16 else -1, 1, 0)
        assert rows[8 * t:8 * t + 8] == expected, (t, rows[8 * t:8 * t + 8], expected)
    assert struct.unpack("64d", d.download(w, 512)) == (7.5,) * 64
    print("ok")
    """
    for seed in range(3):
        assert run(program, seed=seed)[0] == "ok\n"


@pytest.mark.parametrize("body, message", [
    ("if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);\n else __shfl_sync(0xffff0001u, 1, 16);", "with masks"),
    ("__shfl_sync(0x0000ffffu, 1, 0);", "not in its own mask"),
    ("if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);\n else __syncthreads();", "deadlock"),
    ("if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);\n else __ballot_sync(0xffffffffu, 1);", "some lanes are in"),
])
def test_wrong_masks_and_deadlocks_are_found(body, message):
    program = f"""
    text = {'extern "C" __global__ void k(int* out) { ' + body + ' }'!r}
    d = Driver()
    d.launch(d.kernel(text, "k"), 1, 32, [d.alloc(4)])
    print(d.code("cuCtxSynchronize"))
    """
    out, err = run(program)
    assert out == "719\n" and message in err


LAST_BLOCK = """
extern "C" __global__ void total(int* out, const int* in, int* partial, unsigned* counter, int n) {
    __shared__ int s[64];
    __shared__ bool last;
    int sum = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        int t = 0;
        for (int i = 0; i < 64; i++) t += s[i];
        partial[blockIdx.x] = t;
        __threadfence();
        last = LAST;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        int t = 0;
        for (unsigned b = 0; b < gridDim.x; b++) t += partial[b];
        *out = t;
    }
}
"""


def test_last_block_reduction():
    program = """
    d = Driver()
    k = d.kernel({text!r}, "total")
    a, p, c, o = d.alloc(40000), d.alloc(64), d.alloc(4), d.alloc(4)
    d.upload(a, struct.pack("10000i", *range(10000)))
    d.fill(c, 0, 1)
    d.launch(k, 16, 64, [o, a, p, c, c_int(10000)])
    print(ints(d.download(o, 4))[0] == sum(range(10000)))
    """
    good = LAST_BLOCK.replace("LAST;", "atomicAdd(counter, 1u) == gridDim.x - 1;")
    by_order = LAST_BLOCK.replace("LAST;", "blockIdx.x == gridDim.x - 1;")
    assert {run(program.format(text=good), seed=seed)[0] for seed in range(5)} == {"True\n"}
    assert "False\n" in {run(program.format(text=by_order), seed=seed)[0] for seed in range(5)}


def test_a_block_that_waits_for_another_by_its_index_deadlocks():
    program = """
    text = '''
    extern "C" __global__ void chain(volatile int* flags) {
        if (threadIdx.x == 0) {
            while (blockIdx.x > 0 && flags[blockIdx.x - 1] == 0) __nanosleep(10);
            flags[blockIdx.x] = 1;
        }
    }'''
    d = Driver()
    k = d.kernel(text, "chain")
    f = d.alloc(400)
    d.fill(f, 0, 100)
    d.launch(k, 100, 32, [f])
    print(d.code("cuCtxSynchronize"))
    """
    assert "702\n" in {run(program, seed=seed)[0] for seed in range(2)}


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


def test_structs_by_value_carry_pointers():
    program = """
    text = '''
    struct View { int* data; long long stride; };
    struct Arguments { View out; int n; View in[2]; };
    extern "C" __global__ void sum(const __grid_constant__ Arguments a, short scale, float* also) {
        int i = threadIdx.x;
        if (i < a.n) a.out.data[i * a.out.stride] = scale * (a.in[0].data[i] + a.in[1].data[-i]);
        if (i == 0) *also = 0.5f;
    }'''
    class View(Structure): _fields_ = [("data", c_uint64), ("stride", c_longlong)]
    class Arguments(Structure): _fields_ = [("out", View), ("n", c_int), ("input", View * 2)]
    d = Driver()
    k = d.kernel(text, "sum")
    x, y, o, f = d.alloc(40), d.alloc(40), d.alloc(80), d.alloc(4)
    d.upload(x, struct.pack("10i", *range(10))); d.upload(y, struct.pack("10i", *range(10))); d.fill(o, 0, 20)
    a = Arguments(View(o, 2), 10, (View * 2)(View(x, 1), View(y + 36, 1)))
    d.launch(k, 1, 32, [a, c_short(3), f])
    print(ints(d.download(o, 80))[::2] == (27,) * 10, floats(d.download(f, 4)) == (0.5,))
    """
    assert run(program)[0] == "True True\n"


def test_a_write_next_to_an_allocation_is_found():
    program = """
    d = Driver()
    fill = d.kernel(FILL, "fill")
    a = d.alloc(4000)
    d.launch(fill, 4, 256, [a, c_int(1), c_int({n})])
    print(d.code("cuCtxSynchronize"), d.code("cuCtxSynchronize"))
    """
    assert run(program.format(n=1000))[0] == "0 0\n"
    out, err = run(program.format(n=1001))
    assert out == "700 700\n" and "wrote next to a block" in err


def test_faults_in_kernels_are_errors_not_crashes():
    program = """
    text = 'extern "C" __global__ void k(int* out, int zero) {{ {body} }}'
    d = Driver()
    d.launch(d.kernel(text, "k"), 1, 32, [d.alloc(128), c_int(0)])
    print(d.code("cuCtxSynchronize"), code_of(d.alloc, 4))
    """
    null, division = "out[threadIdx.x] = *(volatile int*)(8l * zero);", "out[threadIdx.x] = 7 / zero;"
    overflow = "volatile char big[100000]; for (int i = 99999; i >= 0; --i) big[i] = 1; out[0] = big[zero];"
    assert run(program.format(body=null))[0] == "700 700\n"
    assert run(program.format(body=division))[0] == "719 719\n"
    assert run(program.format(body=overflow))[0] == "714 714\n"


def test_shared_memory_starts_as_garbage_and_is_a_blocks_own():
    program = """
    text = '''
    extern "C" __global__ void k(int* out) {
        __shared__ int s[32];
        extern __shared__ int dynamic[];
        if (INIT) s[threadIdx.x] = dynamic[threadIdx.x] = 0;
        __syncthreads();
        atomicAdd(&s[0], 1); atomicAdd(&dynamic[1], 1);
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = s[0] + dynamic[1];
    }'''
    d = Driver()
    o = d.alloc(400)
    for init in ("1", "0"):
        d.launch(d.kernel(text.replace("INIT", init), "k"), 100, 32, [o], None, 128)
        print(set(ints(d.download(o, 400))) == {64})
    """
    assert run(program)[0] == "True\nFalse\n"


def test_pageable_memory_changed_under_an_asynchronous_copy_is_found():
    program = """
    d = Driver()
    a = d.alloc(64)
    source = create_string_buffer(b"x" * 64, 64) if {pageable} else d.pinned(64)
    d.call("cuMemcpyHtoDAsync_v2", c_uint64(a), source, c_size_t(64), None)
    source[0] = b"y"
    print(d.code("cuCtxSynchronize"))
    """
    codes = {run(program.format(pageable=True), progress="lazy", seed=seed)[0] for seed in range(6)}
    assert codes == {"0\n", "700\n"}
    assert run(program.format(pageable=False), progress="lazy")[0] == "0\n"


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


def test_nvrtc_options_architectures_and_logs():
    program = """
    d = Driver()
    def attempt(text, *options):
        try:
            d.compile(text, options)
        except RuntimeError as error:
            return str(error)
        return "good"
    print(attempt(FILL, "-arch=sm_90", "-fmad=false", "-minimal", "-std=c++17"))
    print(attempt(FILL, "-arch=sm_90", "--no-such-option"))
    print(attempt(FILL, "-arch=sm_42"))
    print(attempt("extern C nonsense", "-arch=sm_90"))
    for options, kind in ((["-arch=sm_75"], "CUBIN"), (["-arch=sm_90"], "CUBIN"), (["-arch=compute_75"], "PTX")):
        print(code_of(d.module, d.compile(FILL, options, kind)))
    """
    lines = run(program)[0].splitlines()
    assert lines[0] == "good"
    assert "nvrtc 5" in lines[1] and "--no-such-option" in "".join(lines)
    assert any("nvrtc 6" in line for line in lines)
    assert lines[-3:] == ["209", "0", "0"]
    assert "nvrtc 5" in run(program, driver=12000)[0].splitlines()[0]


def test_contraction_shows_where_it_was_not_forbidden():
    program = """
    text = 'extern "C" __global__ void k(float* out, float a, float b, float c) { *out = a * b + c; }'
    d = Driver()
    o = d.alloc(4)
    for fmad in ("true", "false"):
        k = d.kernel(text, "k", ["-arch=sm_90", "-fmad=" + fmad])
        d.launch(k, 1, 1, [o, c_float(1 + 2**-12), c_float(1 + 2**-12), c_float(-1)])
        print(floats(d.download(o, 4))[0] == 2**-11 + 2**-24)
    """
    assert run(program)[0] == "True\nFalse\n"


def test_kernels_are_kept_on_disk():
    program = "import os; d = Driver(); text = FILL + '//' + %r; {change} d.compile(text); print('ok')" % uuid.uuid4().hex
    no_compiler = "os.environ['PATH'] = '/nowhere';"
    assert "cannot be started" in run(program.format(change=no_compiler), expect=1)[1]
    assert run(program.format(change=""))[0] == "ok\n"
    assert run(program.format(change=no_compiler))[0] == "ok\n"


def test_run_explains_itself_and_reports_what_it_cannot_run():
    shown = subprocess.run([str(HERE / "run"), "--help"], capture_output=True, text=True, check=True)
    assert "CUDASIM_PROGRESS" in shown.stdout
    missing = subprocess.run([str(HERE / "run"), "no-such-command"], capture_output=True, text=True)
    assert missing.returncode == 1 and "no-such-command" in missing.stderr


# ---- CUDASIM_CHECK=1: every access is judged.

CHECKED = """
text = {text!r}
d = Driver()
k = d.kernel(text, "k")
a, o = d.alloc(4096), d.alloc(4096)
d.fill(a, 1, 1024); d.fill(o, 0, 1024)
d.launch(k, {grid}, 64, [o, a, c_int(0)], None, 256)
print(d.code("cuCtxSynchronize"))
"""


def checked(body, grid=2, **settings):
    text = 'extern "C" __global__ void k(int* out, int* in, int zero) {\n' + body + "\n}"
    return run(CHECKED.format(text=text, grid=grid), check=1, **settings)


@pytest.mark.parametrize("body, message", [
    ("out[threadIdx.x + 64 * blockIdx.x] = in[threadIdx.x + 1000];", ("never allocated", "past the end")),
    ("out[threadIdx.x + 64 * blockIdx.x] = in[int(threadIdx.x) - 100];", "no memory of the device"),
    ("out[threadIdx.x + 64 * blockIdx.x] = *(int*)(0x1000 + 8l * zero);", "no memory of the device"),
    ("__shared__ int s[64]; if (zero) s[threadIdx.x] = 1; out[threadIdx.x + 64 * blockIdx.x] = s[threadIdx.x];", "never written"),
    ("out[threadIdx.x] = in[threadIdx.x];", "race: a write is not ordered after the write"),
    ("__shared__ int s[64]; s[threadIdx.x] = 1; if (blockIdx.x == 0) out[threadIdx.x] = s[63 - threadIdx.x];", ("race: a", "never written")),
    ("__shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); int x = s[63 - threadIdx.x]; s[threadIdx.x] = x + 2;", "race: a"),
    ("__shared__ int s; if (threadIdx.x == 0) s = 1; __syncthreads(); int x = s; __syncwarp(); if (threadIdx.x == 0) s = x;", "race: a write is not ordered after the read"),
    ("atomicAdd(&out[0], 1); if (threadIdx.x == 5) out[1] = out[0];", "race: a"),
    ("extern __shared__ int s[]; s[threadIdx.x] = 1; if (blockIdx.x == 0) out[threadIdx.x] = s[threadIdx.x ^ 32];", ("race: a", "never written")),
])
def test_checks_find(body, message):
    out, err = checked(body)
    either = message if isinstance(message, tuple) else (message,)
    assert out != "0\n" and any(m in err for m in either)


@pytest.mark.parametrize("body", [
    "out[threadIdx.x + 64 * blockIdx.x] = in[1023 - threadIdx.x];",
    "__shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x + 64 * blockIdx.x] = s[63 - threadIdx.x];",
    "__shared__ int s[64]; s[threadIdx.x] = 1; __syncwarp(); out[threadIdx.x + 64 * blockIdx.x] = s[threadIdx.x ^ 1];",
    "__shared__ int s[64]; s[threadIdx.x] = 1; __syncthreads(); int x = s[63 - threadIdx.x]; __syncthreads(); s[threadIdx.x] = x + 2;",
    "__shared__ int s; if (threadIdx.x == 0) s = 1; __syncthreads(); int x = s; __syncthreads(); if (threadIdx.x == 0) s = x;",
    "atomicAdd(&out[0], 1); atomicMax(&out[1], (int)threadIdx.x);",
    "extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x + 64 * blockIdx.x] = s[threadIdx.x ^ 32];",
    "for (int i = 16; i; i /= 2) zero += __shfl_xor_sync(~0u, in[threadIdx.x], i); out[threadIdx.x + 64 * blockIdx.x] = zero;",
    "struct alignas(16) V { int x[4]; }; ((V*)out)[threadIdx.x + 64 * blockIdx.x] = ((V*)in)[threadIdx.x];",
    "((unsigned char*)out)[threadIdx.x + 64 * blockIdx.x] = ((unsigned char*)in)[threadIdx.x];",
])
def test_checks_accept(body):
    for seed in range(2):
        assert checked(body, seed=seed)[0] == "0\n"


def test_checks_find_a_missing_fence_between_blocks():
    text = LAST_BLOCK.replace("LAST;", "atomicAdd(counter, 1u) == gridDim.x - 1;")
    program = """
    d = Driver()
    k = d.kernel({text!r}, "total")
    a, p, c, o = d.alloc(40000), d.alloc(64), d.alloc(4), d.alloc(4)
    d.upload(a, struct.pack("10000i", *range(10000)))
    d.fill(c, 0, 1)
    d.launch(k, 16, 64, [o, a, p, c, c_int(10000)])
    print(d.code("cuCtxSynchronize"))
    """
    for seed in range(3):
        assert run(program.format(text=text), check=1, seed=seed)[0] == "0\n"
        released = text.replace("__threadfence();\n        last", "last")
        assert "race" in run(program.format(text=released), check=1, seed=seed)[1]
        acquired = text.replace("__threadfence();\n        int t", "int t")
        assert "race" in run(program.format(text=acquired), check=1, seed=seed)[1]


STREAM_RACE = """
d = Driver()
module = d.module(d.compile(FILL))
fill, add_one = d.function(module, "fill"), d.function(module, "add_one")
s, t = d.stream(), d.stream()
a, b = d.alloc(4000), d.alloc(4000)
d.launch(fill, 4, 256, [a, c_int(41), c_int(1000)], s)
{between}
d.launch(add_one, 4, 256, [b, a, c_int(1000)], t)
print(d.code("cuCtxSynchronize"))
"""


@pytest.mark.parametrize("between, good", [
    ("", False),
    ("d.synchronize(s)", True),
    ("e = d.event(); d.call('cuEventRecord', e, s); d.call('cuStreamWaitEvent', t, e, 0)", True),
    ("e = d.event(); d.call('cuEventRecord', e, t); d.call('cuStreamWaitEvent', t, e, 0)", False),
    ("e = d.event(); d.call('cuEventRecord', e, s); d.call('cuEventSynchronize', e)", True),
    ("while d.code('cuStreamQuery', s): pass", True),
])
def test_checks_find_races_between_streams_whatever_the_order(between, good):
    for progress in ("eager", "lazy"):
        out, err = run(STREAM_RACE.format(between=between), check=1, progress=progress)
        assert out == ("0\n" if good else "719\n") and ("race" in err) != good


def test_checks_accept_disjoint_parts_in_two_streams_and_find_an_early_free():
    program = """
    d = Driver()
    fill = d.kernel(FILL, "fill")
    s, t = d.stream(), d.stream()
    a = d.alloc_async(4000, s)
    d.synchronize(s)
    d.launch(fill, 1, 500, [a, c_int(1), c_int(500)], s)
    d.launch(fill, 1, 500, [a + 2000, c_int(2), c_int(500)], t)
    if {wait}:
        e = d.event(); d.call("cuEventRecord", e, t); d.call("cuStreamWaitEvent", s, e, 0)
    d.free_async(a, s)
    print(d.code("cuCtxSynchronize"))
    """
    assert run(program.format(wait=True), check=1, progress="eager")[0] == "0\n"
    out, err = run(program.format(wait=False), check=1, progress="eager")
    assert out == "700\n" and "free: race" in err


def test_copies_take_uninitialised_memory_along():
    program = """
    d = Driver()
    add_one = d.kernel(FILL, "add_one")
    a, b, c = d.alloc(4000), d.alloc(4000), d.alloc(4000)
    d.fill(a, 1, {filled})
    d.call("cuMemcpyDtoDAsync_v2", c_uint64(b), c_uint64(a), c_size_t(4000), None)
    d.launch(add_one, 4, 256, [c, b, c_int(1000)])
    print(d.code("cuCtxSynchronize"))
    """
    assert run(program.format(filled=1000), check=1)[0] == "0\n"
    out, err = run(program.format(filled=999), check=1)
    assert out == "719\n" and "never written" in err


def test_misaligned_access_is_found_without_checks():
    program = """
    text = 'struct alignas(16) V {{ float x[4]; }}; extern "C" __global__ void k(V* o, V* i) {{ o[threadIdx.x] = i[threadIdx.x]; }}'
    d = Driver()
    a = d.alloc(4096)
    d.fill(a, 0, 1024)
    d.launch(d.kernel(text, "k"), 1, 32, [a, a + 2048 + {offset}])
    print(d.code("cuCtxSynchronize"))
    """
    assert run(program.format(offset=16))[0] == "0\n"
    assert run(program.format(offset=8))[0] == "716\n"
