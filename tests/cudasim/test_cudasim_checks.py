"""With CUDASIM_CHECK=1 every access of every kernel is checked."""

import re

import pytest
from simulated import LAST_BLOCK, environment, run

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
    text = "#define T threadIdx.x\n#define MINE (T + 64 * blockIdx.x)\n"
    text += 'extern "C" __global__ void k(int* out, int* in, int zero) {\n' + body + "\n}"
    return run(CHECKED.format(text=text, grid=grid), check=1, **settings)


@pytest.mark.parametrize(
    "body, message",
    [
        ("out[MINE] = in[T + 1000];", ("never allocated", "past the end")),
        ("out[MINE] = in[int(T) - 100];", "no memory of the device"),
        ("out[MINE] = *(int*)(0x1000 + 8l * zero);", "no memory of the device"),
        ("__shared__ int s[64]; if (zero) s[T] = 1; out[MINE] = s[T];", "never written"),
        ("out[T] = in[T];", "race: a write is not ordered after the write"),
        (
            "__shared__ int s[64]; s[T] = 1; if (blockIdx.x == 0) out[T] = s[63 - T];",
            ("race: a", "never written"),
        ),
        ("__shared__ int s[64]; s[T] = 1; __syncthreads(); int x = s[63 - T]; s[T] = x + 2;", "race: a"),
        (
            "__shared__ int s; if (!T) s = 1; __syncthreads(); int x = s; __syncwarp(); if (!T) s = x + 2;",
            "race: a write is not ordered after the read",
        ),
        ("__shared__ int s[64]; s[T] = 1; __shfl_sync(~0u, T, 3); out[MINE] = s[T ^ 1];", "race: a"),
        ("__shared__ int s[64]; s[T] = 1; __ballot_sync(~0u, T); out[MINE] = s[T ^ 1];", "race: a"),
        ("__shared__ int s[64]; s[T] = 1; __match_any_sync(~0u, T); out[MINE] = s[T ^ 1];", "race: a"),
        ("atomicAdd(&out[0], 1); if (T == 5) out[1] = out[0];", "race: a"),
        (
            "extern __shared__ int s[]; s[T] = 1; if (blockIdx.x == 0) out[T] = s[T ^ 32];",
            ("race: a", "never written"),
        ),
    ],
)
def test_checks_find(body, message):
    out, err = checked(body)
    either = message if isinstance(message, tuple) else (message,)
    assert out != "0\n" and any(m in err for m in either)


def test_a_race_is_with_another_thread():
    """Also where the thread that writes was the last that has read."""
    body = "__shared__ int s[64]; s[T] = 1; __syncthreads();\nif (T < 32) s[T] += s[T + 32];\nif (T >= 32) s[T] += 1;"
    for seed in range(4):
        _, err = checked(body, grid=1, seed=seed)
        pairs = re.findall(r"thread \((\d+), 0, 0\).*race: .*, thread (\d+)", err)
        assert pairs and all(abs(int(thread) - int(other)) == 32 for thread, other in pairs), err


@pytest.mark.parametrize(
    "body",
    [
        "out[MINE] = in[1023 - T];",
        "__shared__ int s[64]; s[T] = 1; __syncthreads(); out[MINE] = s[63 - T];",
        "__shared__ int s[64]; s[T] = 1; __syncwarp(); out[MINE] = s[T ^ 1];",
        "__shared__ int s[64]; s[T] = 1; __syncthreads(); int x = s[63 - T]; __syncthreads(); s[T] = x + 2;",
        "__shared__ int s; if (!T) s = 1; __syncthreads(); int x = s; __syncthreads(); if (!T) s = x;",
        "atomicAdd(&out[0], 1); atomicMax(&out[1], (int)T);",
        "extern __shared__ int s[]; s[T] = 1; __syncthreads(); out[MINE] = s[T ^ 32];",
        "for (int i = 16; i; i /= 2) zero += __shfl_xor_sync(~0u, in[T], i); out[MINE] = zero;",
        "struct alignas(16) V { int x[4]; }; ((V*)out)[MINE] = ((V*)in)[T];",
        "((unsigned char*)out)[MINE] = ((unsigned char*)in)[T];",
    ],
)
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


@pytest.mark.parametrize(
    "between, good",
    [
        ("", False),
        ("d.synchronize(s)", True),
        ("e = d.event(); d.call('cuEventRecord', e, s); d.call('cuStreamWaitEvent', t, e, 0)", True),
        ("e = d.event(); d.call('cuEventRecord', e, t); d.call('cuStreamWaitEvent', t, e, 0)", False),
        ("e = d.event(); d.call('cuEventRecord', e, s); d.call('cuEventSynchronize', e)", True),
        ("while d.code('cuStreamQuery', s): pass", True),
    ],
)
def test_checks_find_races_between_streams_whatever_the_order(between, good):
    for progress in ("eager", "lazy"):
        out, err = run(STREAM_RACE.format(between=between), check=1, progress=progress)
        assert out == ("0\n" if good else "719\n") and ("race" in err) != good


@pytest.mark.parametrize(("add", "good"), [("atomicAdd", False), ("atomicAdd_system", True)])
def test_checks_accept_atomics_of_the_whole_system_between_streams(add, good):
    text = 'extern "C" __global__ void k(int* x) { ADD(x, 1); }'.replace("ADD", add)
    out, err = run(
        f"""
d = Driver()
k = d.kernel({text!r}, "k")
a, s, t = d.alloc(64), d.stream(), d.stream()
d.fill(a, 0, 16)
d.call("cuCtxSynchronize")
d.launch(k, 2, 64, [a], s)
d.launch(k, 2, 64, [a], t)
print(d.code("cuCtxSynchronize"))
""",
        check=1,
    )
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


#: Atomic functions of CUDA, and the types that they take; EXCHANGES depend on the old value only by their result.
UPDATES = {
    "Add": ["int", "unsigned", "unsigned long long", "float", "double"],
    "Sub": ["int", "unsigned"],
    **{name: ["int", "unsigned", "long long", "unsigned long long"] for name in ("Min", "Max")},
    **{name: ["int", "unsigned long long"] for name in ("And", "Or", "Xor")},
    **{name: ["unsigned"] for name in ("Inc", "Dec")},
    "CAS": ["int", "unsigned long long", "unsigned short"],
}
EXCHANGES = {"Exch": ["int", "float", "unsigned long long"]}


def found_in_fresh_memory(functions, use, runs):
    """How many kernels were launched, and the numbers of those that were found."""
    if runs == "ptx" and environment()["CUDASIM_REAL_NVRTC"] == "0":
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    bodies = []
    for name, types in functions.items():
        for type_ in types:
            for scope in ("", "_block", "_system")[: 1 if type_ == "unsigned short" else 3]:
                values = f"({type_})1" + f", ({type_})2" * (name == "CAS")
                for place in (f"{type_}* s = ({type_}*)x;", f"__shared__ {type_} s[32];"):
                    call = f"{use} atomic{name}{scope}(s + threadIdx.x, {values}); "
                    bodies.append(place + call + f"(({type_}*)x)[32 + threadIdx.x] = s[threadIdx.x];")
    text = "".join(f'extern "C" __global__ void k{i}(void* x, int* out) {{ {b} }}\n' for i, b in enumerate(bodies))
    _, err = run(
        f"""
d = Driver()
module = d.module(d.compile({text!r}))
for i in range({len(bodies)}):
    d.launch(d.function(module, f"k{{i}}"), 1, 32, [d.alloc(1024), d.alloc(1024)])
d.synchronize()
""",
        check=1,
        limit=10000,
        runs=runs,
    )
    assert "race" not in err
    found = re.findall(r"kernel k(\d+),.* of memory that was never written", err)
    assert len(found) == len(set(found))
    return len(bodies), {int(number) for number in found}


@pytest.mark.parametrize("runs", ["text", "ptx"])
@pytest.mark.parametrize("use", ["", "out[threadIdx.x] ="])
def test_atomic_updates_of_memory_that_was_never_written(use, runs):
    """Each is found once, in global and in shared memory, and what it leaves may be read."""
    count, found = found_in_fresh_memory(UPDATES, use, runs)
    assert found == set(range(count))


@pytest.mark.parametrize("runs", ["text", "ptx"])
@pytest.mark.parametrize("use", ["", "out[threadIdx.x] ="])
def test_atomic_exchanges_with_memory_that_was_never_written(use, runs):
    """An exchange writes; one whose result is used also reads, which only PTX shows."""
    count, found = found_in_fresh_memory(EXCHANGES, use, runs)
    assert found == (set(range(count)) if use and runs == "ptx" else set())


def test_copies_to_the_host_may_take_memory_that_was_never_written():
    out, err = run("d = Driver(); a = d.alloc(64); print(len(d.download(a, 64)), d.code('cuCtxSynchronize'))", check=1)
    assert out == "64 0\n" and "never written" not in err


def test_misaligned_access_is_found_without_checks():
    program = """
    text = '''
    struct alignas(16) V {{ float x[4]; }};
    extern "C" __global__ void k(V* o, V* i) {{ o[threadIdx.x] = i[threadIdx.x]; }}
    '''
    d = Driver()
    a = d.alloc(4096)
    d.fill(a, 0, 1024)
    d.launch(d.kernel(text, "k"), 1, 32, [a, a + 2048 + {offset}])
    print(d.code("cuCtxSynchronize"))
    """
    assert run(program.format(offset=16))[0] == "0\n"
    assert run(program.format(offset=8))[0] == "716\n"


# Thread 5 of a block writes the value that thread 0 publishes; FENCE is the code of thread 5 or thread 0 in between.
ANNOUNCE = """
extern "C" __global__ void k(int* data, unsigned* flag, int* out) {
    if (blockIdx.x == 1) {
        if (threadIdx.x == 5) { data[0] = 7; MINE }
        BETWEEN
        if (threadIdx.x == 0) { OWN atomicAdd(flag, 1u); }
        return;
    }
    if (threadIdx.x != READER) return;
    while (atomicAdd(flag, 0u) == 0u) __nanosleep(10);
    __threadfence();
    out[0] = data[0];
}
"""


@pytest.mark.parametrize(
    ("mine", "between", "own", "good"),
    [
        ("__threadfence();", "__syncthreads();", "", True),
        ("", "__syncthreads();", "__threadfence();", True),
        ("", "__syncwarp();", "__threadfence();", True),
        ("", "", "__threadfence();", False),
        ("__threadfence();", "", "", False),
        ("", "__syncthreads();", "", False),
    ],
)
def test_a_fence_speaks_for_its_thread_and_for_what_that_thread_has_waited_for(mine, between, own, good):
    text = ANNOUNCE.replace("MINE", mine).replace("BETWEEN", between).replace("OWN", own)
    program = f"""
    d = Driver()
    k = d.kernel({text.replace("READER", "40")!r}, "k")
    data, flag, out = d.alloc(4), d.alloc(4), d.alloc(4)
    d.fill(flag, 0, 1)
    d.launch(k, 2, 64, [data, flag, out])
    print(d.code("cuCtxSynchronize"))
    """
    for seed in range(3):
        out, err = run(program, check=1, seed=seed)
        assert (out == "0\n") is good and ("race" in err) is not good


def test_of_several_readers_each_is_remembered():
    """A write that follows one of two streams that have read is a race with the other."""
    program = """
    d = Driver()
    module = d.module(d.compile(FILL))
    fill, add_one = d.function(module, "fill"), d.function(module, "add_one")
    s, t, u = d.stream(), d.stream(), d.stream()
    a, b, c = d.alloc(4000), d.alloc(4000), d.alloc(4000)
    d.fill(a, 1, 1000)
    d.call("cuCtxSynchronize")
    d.launch(add_one, 4, 256, [b, a, c_int(1000)], s)
    d.launch(add_one, 4, 256, [c, a, c_int(1000)], t)
    for stream in ({waits}):
        e = d.event()
        d.call("cuEventRecord", e, stream)
        d.call("cuStreamWaitEvent", u, e, 0)
    d.launch(fill, 4, 256, [a, c_int(2), c_int(1000)], u)
    print(d.code("cuCtxSynchronize"))
    """
    for seed in range(4):
        assert run(program.format(waits="s, t"), check=1, seed=seed)[0] == "0\n"
        for waits in ("s,", "t,"):
            out, err = run(program.format(waits=waits), check=1, seed=seed)
            assert out != "0\n" and "race" in err
