"""Threads, barriers, warps, blocks and faults of kernels on the simulator."""

import pytest
from simulated import LAST_BLOCK, environment, run

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
        _, err = run(REDUCE_PROGRAM.format(text=text), expect=1)
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


@pytest.mark.parametrize(
    "body, message",
    [
        (
            "if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);\n else __shfl_sync(0xffff0001u, 1, 16);",
            "with masks",
        ),
        ("__shfl_sync(0x0000ffffu, 1, 0);", "not in its own mask"),
        ("if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);\n else __syncthreads();", "deadlock"),
        (
            "if (threadIdx.x < 16) __shfl_sync(0xffffffffu, 1, 0);\n else __ballot_sync(0xffffffffu, 1);",
            "some lanes are in",
        ),
    ],
)
def test_wrong_masks_and_deadlocks_are_found(body, message):
    program = f"""
    text = {'extern "C" __global__ void k(int* out) { ' + body + " }"!r}
    d = Driver()
    d.launch(d.kernel(text, "k"), 1, 32, [d.alloc(4)])
    print(d.code("cuCtxSynchronize"))
    """
    out, err = run(program)
    assert out == "719\n" and message in err


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
    assert out == "700 700\n" and "writes next to a block" in err


DEEP = """
__device__ __noinline__ int deep(volatile int* from, int n) {
    volatile int own[64];
    own[n % 64] = n;
    return n < 0 ? from[0] : deep(own, n + 1) + own[(n + 1) % 64];
}
"""


def test_faults_in_kernels_are_errors_not_crashes():
    program = """
    text = {deep!r} + 'extern "C" __global__ void k(int* out, int zero) {{ {body} }}'
    d = Driver()
    d.launch(d.kernel(text, "k"), 1, 32, [d.alloc(128), c_int(0)])
    print(d.code("cuCtxSynchronize"), code_of(d.alloc, 4))
    """
    null, division = "out[threadIdx.x] = *(volatile int*)(8l * zero);", "out[threadIdx.x] = 7 / zero;"
    large = "volatile char big[300000]; for (int i = 299999; i >= 0; --i) big[i] = i; out[0] = big[zero + 200001];"
    overflow = "out[0] = deep(out, zero);"
    for body, codes in ((null, "700 700"), (division, "719 719"), (large, "0 0"), (overflow, "714 714")):
        assert run(program.format(deep=DEEP, body=body))[0] == f"{codes}\n"


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


HEAVY = """
extern "C" __global__ void heavy(double* p, int n) {
    double a[40];
    #pragma unroll
    for (int i = 0; i < 40; i++) a[i] = p[i * n + threadIdx.x];
    #pragma unroll
    for (int i = 0; i < 40; i++) p[i * n + threadIdx.x] = a[39 - i] * a[i];
}
extern "C" __global__ void holder(int* p) {
    __shared__ int s[10000];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[31 - threadIdx.x];
}
extern "C" __global__ void plain(int* p) { *p = 1; }
"""


def test_what_ptxas_gives_a_kernel_limits_its_launches():
    """Registers, static shared memory and parameters are those of the real compiler."""
    if environment()["CUDASIM_REAL_NVRTC"] == "0":
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    program = f"""
    d = Driver()
    module = d.module(d.compile({HEAVY!r}))
    heavy, holder, plain = (d.function(module, name) for name in ("heavy", "holder", "plain"))
    def attribute(function, key):
        value = c_int()
        d.call("cuFuncGetAttribute", byref(value), key, function)
        return value.value
    def blocks(function, size):
        value = c_int()
        d.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(value), function, size, c_size_t(0))
        return value.value
    a = d.alloc(1 << 20)
    d.call("cuMemsetD8_v2", c_uint64(a), 0, c_size_t(1 << 20))
    print(64 < attribute(heavy, 4) < 256, attribute(plain, 4) < 33)
    most = attribute(heavy, 0)
    print(most < 1024, blocks(heavy, most), blocks(heavy, 1024), blocks(plain, 1024))
    arguments = [a, c_int(1024)]
    print([code_of(d.launch, heavy, 1, n, arguments) for n in (1024, most)])
    print([attribute(f, 1) for f in (heavy, holder, plain)], attribute(holder, 8), attribute(plain, 8))
    print([code_of(d.launch, holder, 1, 32, [a], None, n) for n in (9152, 9153)])
    print([d.code("cuFuncSetAttribute", holder, 8, n) for n in (232448 - 40000, 232448)])
    print(code_of(d.launch, holder, 1, 32, [a], None, 100000))
    d.synchronize()
    """
    out = run(program)[0].splitlines()
    assert out == [
        "True True",
        "True 1 0 2",
        "[701, 0]",
        "[0, 40000, 0] 9152 49152",
        "[0, 1]",
        "[0, 1]",
        "0",
    ]


def test_parameters_of_more_than_4_kb_are_refused():
    text = 'struct Big { char bytes[4096]; }; extern "C" __global__ void k(Big b, int* p) { *p = b.bytes[0]; }'
    program = f"""
    class Big(Structure):
        _fields_ = [("bytes", c_char * 4096)]
    d = Driver()
    k = d.kernel({text!r}, "k")
    print(code_of(d.launch, k, 1, 1, [Big(), d.alloc(4)]))
    """
    assert run(program)[0] == "701\n"


def test_limits_are_those_of_the_compute_capability():
    program = """
    d = Driver()
    print([d.attribute(key) for key in (75, 76, 39, 106, 81, 97)])
    """
    table = {"7.5": [7, 5, 1024, 16, 65536, 65536], "9.0": [9, 0, 2048, 32, 233472, 232448]}
    table["12.0"] = [12, 0, 1536, 24, 102400, 101376]
    for capability, values in table.items():
        assert run(program, cc=capability)[0] == f"{values}\n"
