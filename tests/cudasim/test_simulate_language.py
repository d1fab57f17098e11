"""What CUDA programs use besides loads and stores: named barriers, pairs of halves, copies, printf, cooperative launches."""

import re

import ml_dtypes
import numpy as np
import pytest
from simulated import run
from test_simulate import KERNEL, compiler, script, simulate  # noqa: F401  (fixtures)
from test_simulate_kernels import HEAD

pytestmark = pytest.mark.rest

#: Name: the launch, the body, and x[0], x[1] and x[2] afterwards. x has 1024 elements, which are 0.
RUNS = {
    "a warp that produces for another": ("", """
        __shared__ int s[32];
        for (int k = 0; k < 3; ++k) {
            if (t < 32) {
                if (k > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
                s[t] = t + k;
                asm volatile("bar.arrive 1, 64;" ::: "memory");
            } else {
                asm volatile("bar.sync 1, 64;" ::: "memory");
                x[t - 32] += s[t - 32];
                if (k < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
            }
        }
    """, (3, 6, 9)),
    "warps that meet in pairs": ("block=128", """
        __shared__ int s[128];
        s[t] = t;
        if (t < 64)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            asm volatile("bar.sync 2, 64;" ::: "memory");
        x[t] = s[t ^ 63];
    """, (63, 62, 61)),
    "a barrier for a part of the threads that counts": ("block=128", """
        if (t < 64) {
            int n;
            asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 5; bar.red.popc.u32 %0, 3, 64, p; }" : "=r"(n) : "r"(t));
            x[t] = n;
        }
    """, (5, 5, 5)),
    "pairs of halves": ("block=1", """
        unsigned a = 0x3E004000, c = 0x3C00BC00, sum, product, same;  // (1.5, 2) and (1, -1)
        asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(c));
        asm("fma.rn.f16x2 %0, %1, %2, %2;" : "=r"(product) : "r"(a), "r"(c));
        asm("set.gt.f16x2.f16x2 %0, %1, %2;" : "=r"(same) : "r"(c), "r"(0u));
        x[0] = sum, x[1] = product, x[2] = same;
    """, (0x41003C00, 0x4100C200, 0x3C000000)),
    "pairs of bfloat16": ("block=1", """
        unsigned a = 0x3FC04000, least, negated, made;
        asm("min.bf16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(0x3F804040u));
        asm("neg.bf16x2 %0, %1;" : "=r"(negated) : "r"(a));
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(made) : "f"(1.5f), "f"(2.0f));
        x[0] = least, x[1] = negated, x[2] = made;
    """, (0x3F804000, 0xBFC0C000 - (1 << 32), 0x3FC04000)),
    "products and sums of pairs that are not negative": ("block=1", """
        unsigned a = 0x3FC04000, c = 0x3F80BF80, d = 0x3E004000, e = 0x3C00BC00, r[3];  // (1.5, 2) and (1, -1) of both
        asm("fma.rn.relu.bf16x2 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(a), "r"(c), "r"(0u));
        asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(d), "r"(e), "r"(0u));
        asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(r[2]) : "r"(d), "r"(e), "r"(0x7E004400u));
        x[0] = r[0], x[1] = r[1], x[2] = r[2];
    """, (0x3FC00000, 0x3E000000, 0x7FFF4000)),
    "one lane of a warp": ("", """
        unsigned lane, is_leader;
        const unsigned mask = t < 32 ? ~0u : 0xFF00u;
        if (t >= 32 && (t - 32) / 8 != 1) return;
        asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
                     : "=r"(lane), "=r"(is_leader) : "r"(mask));
        if (is_leader) atomicAdd(x + t / 32, 100 + lane), atomicAdd(x + 2, 1);
    """, (100, 108, 2)),
    "copies to shared memory": ("block=64", """
        __shared__ alignas(16) int s[2][64];
        x[512 + t] = t + 1;
        __syncthreads();
        const unsigned to = (unsigned)__cvta_generic_to_shared(&s[0][t]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + 512 + t) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;" :: "r"(to + 256), "l"(x + 512 + t) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        x[t] = s[0][63 - t];
        asm volatile("cp.async.wait_all;" ::: "memory");
        x[t] += s[1][t];
    """, (64, 63, 62)),
    "a barrier in memory for all threads, by tokens": ("block=128", """
        __shared__ unsigned long long barrier;
        __shared__ int s[128];
        const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
        if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" :: "r"(at) : "memory");
        __syncthreads();
        for (int k = 0; k < 4; ++k) {
            s[t] = t + k;
            unsigned long long token;
            int ended = 0, lacks;
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
            asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(lacks) : "l"(token));
            if (lacks < 1 || lacks > 128) x[1000] = 1;
            while (!ended)
                asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                             : "=r"(ended) : "r"(at), "l"(token) : "memory");
            x[t] += s[127 - t];
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
            do asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2, 20; selp.u32 %0, 1, 0, p; }"
                            : "=r"(ended) : "r"(at), "l"(token) : "memory");
            while (!ended);
        }
        __syncthreads();
        if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at) : "memory");
    """, (4 * 127 + 6, 4 * 126 + 6, 4 * 125 + 6)),
    "bulk copies through two buffers": ("block=64", """
        __shared__ alignas(16) int in[2][64];
        __shared__ alignas(16) int out[2][64];
        __shared__ unsigned long long full[2];
        int* y = x + 512;
        for (int k = 0; k < 4; ++k) y[64 * k + t] = 64 * k + t;
        __syncthreads();
        if (t == 0) {
            for (int b = 0; b < 2; ++b)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"((unsigned)__cvta_generic_to_shared(full + b)));
            asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
        }
        __syncthreads();
        auto load = [&](int k) {
            const unsigned at = (unsigned)__cvta_generic_to_shared(full + k % 2);
            const unsigned to = (unsigned)__cvta_generic_to_shared(in[k % 2]);
            asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], 256;" :: "r"(at) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                         :: "r"(to), "l"(y + 64 * k), "r"(at) : "memory");
        };
        if (t == 0) load(0);
        for (int k = 0; k < 4; ++k) {
            if (t == 0 && k < 3) load(k + 1);
            const unsigned at = (unsigned)__cvta_generic_to_shared(full + k % 2);
            asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }"
                         :: "r"(at), "r"(k / 2 % 2) : "memory");
            if (t == 0 && k > 1) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            __syncthreads();
            out[k % 2][t] = in[k % 2][63 - t] + 1;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            if (t == 0) {
                const unsigned from = (unsigned)__cvta_generic_to_shared(out[k % 2]);
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;"
                             :: "l"(x + 64 * k), "r"(from) : "memory");
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            }
        }
        if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    """, (64, 63, 62)),
    "copies of threads that arrive at a barrier in memory": ("block=64", """
        __shared__ alignas(16) int s[64];
        __shared__ unsigned long long barrier[2];
        const unsigned at = (unsigned)__cvta_generic_to_shared(barrier);
        x[512 + t] = t;
        if (t == 0) asm volatile("mbarrier.init.b64 [%0], 64;" :: "l"(barrier) : "memory");
        if (t == 1) asm volatile("mbarrier.init.b64 [%0], 64;" :: "l"(barrier + 1) : "memory");
        __syncthreads();
        const unsigned to = (unsigned)__cvta_generic_to_shared(s + t);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + 512 + t) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at) : "memory");
        asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }"
                     :: "r"(at) : "memory");
        const int seen = s[63 - t];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
        asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 1; @!p bra again; }"
                     :: "r"(at) : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + 512 + (t ^ 1)) : "memory");
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(at + 8) : "memory");
        if (t < 32) {
            asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"(at + 8) : "memory");
        } else {
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at + 8) : "memory");
            asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }"
                         :: "r"(at + 8) : "memory");
            x[t] = s[t - 32];
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at + 8) : "memory");
            asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 1; @!p bra again; }"
                         :: "r"(at + 8) : "memory");
        }
        __syncthreads();
        if (t < 32) x[t] = seen;
    """, (63, 62, 61)),
    "a reduction of a warp": ("block=32", """
        x[t] = __reduce_add_sync(~0u, t) + __reduce_max_sync(~0u, -t) + __reduce_or_sync(~0u, t);
    """, (527, 527, 527)),
    "clocks and pauses": ("", """
        const long long start = clock64();
        while (clock64() - start < 1000) __nanosleep(20);
        x[t] = clock64() > start;
    """, (1, 1, 1)),
    "atomic additions to vectors": ("", """
        float* f = (float*)(x + 512);
        const float4 before = atomicAdd((float4*)f, make_float4(1, 2, 3, 4));
        atomicAdd((float2*)f + 1, make_float2(0, 1));
        __syncthreads();
        x[t] = t < 2 ? int(f[2 + t]) : before.x < 64 && before.w < 256;
    """, (192, 320, 1)),
    "spaces of addresses": ("block=1", """
        __shared__ int s;
        int own = t;
        x[0] = __isShared(&s) + 2 * __isGlobal(&s) + 4 * __isLocal(&s);
        x[1] = __isShared(x) + 2 * __isGlobal(x) + 4 * __isLocal(x);
        x[2] = __isShared(&own) + 2 * __isGlobal(&own) + 4 * __isLocal(&own);
    """, (1, 2, 4)),
    "hints change nothing": ("", """
        asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0];" :: "l"(x + 1000));
        asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory");
        x[t] = t;
    """, (0, 1, 2)),
    "the size of dynamic shared memory": ("shared=512", """
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(x[t]));
    """, (512, 512, 512)),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_runs_without_findings(name, script):  # noqa: F811
    launch, body, wanted = RUNS[name]
    program = f"x = launch({HEAD + body + '}'!r}, {launch})\nprint(*(c_int * 3).from_buffer_copy(d.download(x, 12)))\n"
    run = simulate(script(KERNEL + program), "--memcheck", "--seeds", "3")
    assert run.returncode == 0 and tuple(map(int, run.stdout.split())) == wanted, run.stdout + run.stderr


def test_the_most_dynamic_shared_memory(script):  # noqa: F811
    text = HEAD + "extern __shared__ int s[]; s[t * 900] = t; __syncthreads(); x[t] = s[(63 - t) * 900]; }"
    program = f"""
kernel, x = d.kernel({text!r}, "kernel"), d.alloc(256)
print(d.code("cuFuncSetAttribute", kernel, 8, c_int((227 << 10) + 1)))
print(d.code("cuFuncSetAttribute", kernel, 8, c_int(227 << 10)))
d.launch(kernel, 1, 64, [x], shared=227 << 10)
print(*(c_int * 2).from_buffer_copy(d.download(x, 8)))
"""
    run = simulate(script(KERNEL + program), "--memcheck")
    assert run.stdout == "1\n0\n63 62\n", run.stdout + run.stderr


def test_printf_and_assert(script):  # noqa: F811
    text = """
    extern "C" __global__ void kernel(int* x) {
        printf("%d %5.2f|%-4s|%lld %c %x%%\\n", -3, 2.5, "ab", 1ll << 40, 'q', 255);
        assert(x[0] == 1);
    }"""
    run = simulate(script(KERNEL + f"launch({text!r}, 1, 1)\n"))
    assert run.stdout == "-3  2.50|ab  |1099511627776 q ff%\n", run.stdout + run.stderr
    assert "line 4: assertion x[0] == 1 failed, in void kernel(int *)" in run.stderr and run.returncode == 1
    assert "CudaError: cuStreamSynchronize: 710" in run.stderr


@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_pairs_of_floats_of_8_bits(name, script):  # noqa: F811
    """All codes to halves, and 4,096 numbers back, against ml_dtypes; NaN is one, and what is too large the largest."""
    dtype = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[name]
    body = f"""
        for (int k = 256 * b + t; k < 4096; k += 1024) {{
            unsigned short both, relu, again; unsigned wide, wide_relu, pair;
            asm("cvt.rn.satfinite.{name}x2.f32 %0, %1, %2;" : "=h"(both) : "f"(in[k]), "f"(-in[k]));
            asm("cvt.rn.satfinite.relu.{name}x2.f32 %0, %1, %2;" : "=h"(relu) : "f"(in[k]), "f"(-in[k]));
            asm("cvt.rn.f16x2.{name}x2 %0, %1;" : "=r"(wide) : "h"((unsigned short)(k & 255 | 0x3800)));
            asm("cvt.rn.relu.f16x2.{name}x2 %0, %1;" : "=r"(wide_relu) : "h"((unsigned short)(k & 255 | 0xB800)));
            asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(in[k]), "f"(-in[k]));
            asm("cvt.rn.satfinite.{name}x2.f16x2 %0, %1;" : "=h"(again) : "r"(pair));
            out[5 * k] = both, out[5 * k + 1] = relu, out[5 * k + 2] = wide, out[5 * k + 3] = wide_relu;
            out[5 * k + 4] = again;
        }}
    }}"""
    text = (
        'extern "C" __global__ void kernel(const float* in, unsigned* out) { const int t = threadIdx.x, b = blockIdx.x;'
        + body
    )
    random = np.random.default_rng(3)
    values = (random.standard_normal(4096) * 2.0 ** random.integers(-20, 20, 4096)).astype(np.float32)
    values[:8] = np.nan, np.inf, 0, 448, 464, 57344, 61440, 2.0**-9
    program = script(
        KERNEL
        + f"""
import numpy as np
values = np.load("values.npy")
a, o = d.alloc(values.nbytes), d.alloc(4 * 5 * 4096)
d.upload(a, values.tobytes())
d.launch(d.kernel({text!r}, "kernel"), 4, 256, [a, o])
np.save("out.npy", np.frombuffer(d.download(o, 4 * 5 * 4096), "u4"))
"""
    )
    np.save(program.parent / "values.npy", values)
    run = simulate(program, "--memcheck")
    assert run.returncode == 0, run.stderr
    both, relu, wide, wide_relu, again = np.load(program.parent / "out.npy").reshape(-1, 5).T

    def encoded(x, relu=False):
        most = np.float32(ml_dtypes.finfo(dtype).max)
        x = np.where(np.isnan(x), x, np.clip(x, -most, most))
        x = np.where(x <= 0, 0, x) if relu else x
        return np.where(np.isnan(x), 0x7F, x.astype(dtype).view(np.uint8)).astype(np.uint32)

    def same_halves(found, code):
        wanted = code.astype(np.uint8).view(dtype).astype(np.float16)
        is_nan = np.isnan(wanted)
        return np.array_equal(np.where(is_nan, 0x7FFF, wanted.view(np.uint16)), found & 0xFFFF)

    with np.errstate(over="ignore"):
        halves = values.astype(np.float16).astype(np.float32)
    codes = np.arange(4096) & 255
    assert np.array_equal(both, encoded(values) << 8 | encoded(-values))
    assert np.array_equal(relu, encoded(values, True) << 8 | encoded(-values, True))
    assert np.array_equal(again, encoded(halves) << 8 | encoded(-halves))
    assert same_halves(wide, codes) and np.all(wide >> 16 == np.float16(np.uint8(0x38).view(dtype)).view(np.uint16))
    positive = np.where(
        codes < 128, codes, np.where(np.isnan(codes.astype(np.uint8).view(dtype).astype(float)), 0x7F, 0)
    )
    assert same_halves(wide_relu, positive) and np.all(wide_relu >> 16 == 0)


GRID = """
extern "C" __global__ void kernel(int* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        x[512 * ((k + 1) % 2) + i] = k + x[512 * (k % 2) + 255 - i];
        SYNC
    }
}
"""
COOPERATIVE = """
def cooperative(text, blocks=4):
    x = d.alloc(4096)
    d.fill(x, 0, 1024)
    kernel, value = d.kernel(text, "kernel", ("-arch=sm_90", "-rdc=true", "-lineinfo")), c_uint64(x)
    places = (c_void_p * 1)(addressof(value))
    return x, kernel, d.code("cuLaunchCooperativeKernel", kernel, blocks, 1, 1, 64, 1, 1, 0, None, places)
from ctypes import *
"""


def test_cooperative_launches(script):  # noqa: F811
    """All blocks run at once, and meet; more than fit, and barriers in other launches, are errors."""
    text = GRID.replace("SYNC", "cudaCGSynchronize(cudaCGGetIntrinsicHandle(cudaCGScopeGrid), 0);")
    program = f"""
x, kernel, code = cooperative({text!r})
print(code, *(c_int * 2).from_buffer_copy(d.download(x + 2048, 8)))
print(cooperative({text!r}, 40000)[2])
d.launch(kernel, 4, 64, [x])
print(d.code("cuCtxSynchronize"))
"""
    run = simulate(script(KERNEL + COOPERATIVE + program), "--memcheck")
    assert run.stdout.splitlines() == ["0 3 3", "720", "719"], run.stdout + run.stderr
    assert "a barrier of the grid in a launch that is not cooperative" in run.stderr
    assert run.stderr.splitlines()[-1] == "cudasim: 1 finding (seed 0)", run.stderr
    run = simulate(
        script(KERNEL + COOPERATIVE + f"cooperative({GRID.replace('SYNC', '')!r})\nd.synchronize()"), "--memcheck"
    )
    assert run.returncode == 1 and "race" in run.stderr, run.stderr


NUMBA = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
from numba import cuda
"""


@pytest.fixture
def numba():
    for module in ("numba_cuda", "nvidia.cu13.nvvm"):
        pytest.importorskip(module, reason=f"{module} is not installed")


def test_exceptions_of_kernels_in_numba(numba, script):  # noqa: F811
    """Kernels with debug=True write their error code to a global of their module, which the host reads and resets."""
    program = """
@cuda.jit(debug=True, opt=False)
def halves(x, out):
    i = cuda.grid(1)
    if i == 3:
        raise ValueError("three")
    out[i] = x[i] / 2
x, out = np.arange(64.), np.zeros(64)
for threads in (64, 3):
    try:
        halves[1, threads](x, out)
        print(out[:4])
    except ValueError as error:
        print(error.args[0].partition("tid=")[2])
"""
    run = simulate(script(NUMBA + program), "--memcheck", "--seeds", "2")
    assert run.stdout == "[0, 0, 3] ctaid=[0, 0, 0]: three\n[0.  0.5 1.  0. ]\n", run.stdout + run.stderr


def test_fastmath_in_numba(numba, script):  # noqa: F811
    program = """
import math
@cuda.jit(fastmath=True)
def f(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sin(x[i]) + math.cos(x[i]) * math.tanh(x[i]) + math.exp(x[i]) / math.sqrt(x[i]) + math.log(x[i])
x = np.linspace(0.1, 3, 1000, dtype=np.float32)
out = np.zeros_like(x)
f[8, 128](x, out)
print(np.abs(out - (np.sin(x) + np.cos(x) * np.tanh(x) + np.exp(x) / np.sqrt(x) + np.log(x))).max() < 1e-5)
"""
    run = simulate(script(NUMBA + program), "--memcheck")
    assert run.stdout == "True\n" and run.returncode == 0, run.stdout + run.stderr


def test_halves_in_numba(numba, script):  # noqa: F811
    """Numba links functions of CUDA's header of halves, which it compiles with NVRTC."""
    program = """
@cuda.jit
def f(x, out):
    i = cuda.grid(1)
    out[i] = cuda.fp16.hsin(x[i]) + x[i] * x[i] / (x[i] + x[i]) + cuda.fp16.hexp(x[i])
x = np.linspace(0.1, 1, 64, dtype=np.float16)
out = np.zeros_like(x)
f[1, 64](x, out)
x = x.astype(np.float32)
print(np.abs(out - (np.sin(x) + x / 2 + np.exp(x))).max() < 4e-3)
"""
    run = simulate(script(NUMBA + program), "--memcheck")
    assert run.stdout == "True\n" and run.returncode == 0, run.stdout + run.stderr


def test_barriers_of_the_grid_in_numba(numba, script):  # noqa: F811
    program = """
@cuda.jit
def rows(m):
    column, grid = cuda.grid(1), cuda.cg.this_grid()
    for row in range(1, m.shape[0]):
        m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
        grid.sync()
    if column == 0:
        print("row", m[row, 7])
m = np.zeros((6, 256), np.int32)
rows[4, 64](m)
cuda.synchronize()
print((m[-1] == 5).all())
"""
    run = simulate(script(NUMBA + program), "--memcheck")
    assert run.stdout == "row 5\nTrue\n" and run.returncode == 0, run.stdout + run.stderr


#: Name: the body, and what is said of its memory from malloc.
HEAP_FAULTS = {
    "past the end": (
        "int* p = (int*)malloc(12); p[3] = t; x[t] = p[3]; free(p);",
        "past the end of a block of 12 bytes",
    ),
    "never written": ("int* p = new int[t + 1]; x[t] = p[t]; delete[] p;", "a read of memory that was never written"),
    "used after its end": (
        "int* p = (int*)malloc(4); *p = t; free(p); x[t] = *p;",
        "the memory is not alive.*\n.*freed before the access",
    ),
    "freed twice": ("int* p = (int*)malloc(4); *p = t; free(p); free(p);", "free of what malloc has not returned"),
    "freed in its middle": ("int* p = (int*)malloc(64); free(p + 4);", "free of what malloc has not returned"),
    "freed by one thread while another reads": (
        "__shared__ int* p; if (t == 0) { p = (int*)malloc(4); *p = 5; } __syncthreads();"
        "if (t == 0) free(p); else x[t] = *p;",
        r"(not alive|a write is not ordered after the read)",
    ),
    "shared without a barrier": (
        "__shared__ int* volatile p; if (t == 0) { p = (int*)malloc(4); } __syncthreads(); *p = t;",
        "a write is not ordered after the write.*\n.*several threads run this line",
    ),
}


@pytest.mark.parametrize("name", HEAP_FAULTS)
def test_faults_of_memory_that_kernels_allocate(name, script):  # noqa: F811
    text, says = HEAP_FAULTS[name]
    run = simulate(script(KERNEL + f"launch({HEAD + text + '}'!r}, block=64)\n"), "--memcheck")
    assert run.returncode != 0 and re.search(says, run.stderr), run.stderr


HEAP = """
struct Node { int value; Node* next; };
__device__ Node* first;

extern "C" __global__ void push(int* x) {
    Node* node = (Node*)malloc(sizeof(Node));
    node->value = threadIdx.x + blockDim.x * blockIdx.x;
    Node* seen = first;
    do {
        node->next = seen;
        __threadfence();
    } while ((seen = (Node*)atomicCAS((unsigned long long*)&first, (unsigned long long)seen, (unsigned long long)node)) != node->next);
}
extern "C" __global__ void pop(int* x) {
    for (Node* node = first; node;) {
        x[node->value] += 1;
        Node* done = node;
        node = node->next;
        free(done);
    }
    first = nullptr;
}
extern "C" __global__ void fill(int* x) {
    void* kept[200];
    kept[0] = malloc(1 << 16);
    int n = 1 + (malloc(~0ull) != nullptr);
    while (n < 200 && (kept[n] = malloc(1 << 16))) ++n;
    x[0] = n;
    while (n) free(kept[--n]);
}
"""


HEAP_PROGRAM = f"""
import ctypes, struct
from ctypes import c_size_t
module = d.module(d.compile({HEAP!r}))
x = d.alloc(1024)
d.fill(x, 0, 256)
read = lambda: struct.unpack("256i", d.download(x, 1024))
d.launch(d.function(module, "push"), 4, 64, [x])
d.launch(d.function(module, "pop"), 1, 1, [x])
assert read() == (1,) * 256
d.launch(d.function(module, "fill"), 1, 1, [x])
assert read()[0] == 128, read()[0]
size = c_size_t()
d.call("cuCtxGetLimit", ctypes.byref(size), 2)
assert size.value == 8 << 20
d.call("cuCtxSetLimit", 2, c_size_t(1 << 20))
d.launch(d.function(module, "fill"), 1, 1, [x])
assert read()[0] == 16, read()[0]
"""


def test_memory_that_kernels_allocate(script):  # noqa: F811
    """It outlives its kernel, is freed by another, and ends where the heap is full; a context sets the heap's size."""
    for more in ([], ["--memcheck"]):
        run = simulate(script(KERNEL + HEAP_PROGRAM), *more)
        assert run.returncode == 0, run.stderr


def test_memory_that_kernels_allocate_in_cuda_text():
    text = HEAP[HEAP.index('extern "C" __global__ void fill') :]
    program = f"""
d = Driver()
x = d.alloc(4)
d.launch(d.kernel({text!r}, "fill"), 1, 1, [x])
print(*struct.unpack("i", d.download(x, 4)))
"""
    for check in (0, 1):
        assert run(program, check=check, runs="text")[0] == "128\n"


POINTERS = """
__device__ __noinline__ int once(int a) { return a; }
__device__ __noinline__ int twice(int a) { return a + a; }
__device__ __noinline__ void meet(int* s, int t) { __syncthreads(); s[t] += s[63 - t] * 0 + 1; __syncthreads(); }
__device__ int (*functions[2])(int) = {once, twice};
struct Base { __device__ virtual int get(int t) const { return t; } };
struct Thrice : Base { __device__ int get(int t) const override { return 3 * t; } };

extern "C" __global__ void calls(int* x) {
    const int t = threadIdx.x;
    int (*volatile f)(int) = t % 2 ? once : twice;
    int (*volatile g)(int) = functions[t & 1];
    const Base one;
    const Thrice three;
    const Base* const p = t % 3 ? &one : &three;
    x[t] = f(t) + 1000 * p->get(t) + 1000000 * g(t);
}
extern "C" __global__ void waits(int* x) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    void (*volatile f)(int*, int) = meet;
    f(s, threadIdx.x);
    x[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void jumps(int* x) {
    int r;
    asm volatile("{ T: .branchtargets A, B, C; brx.idx %1, T; A: mov.s32 %0, 10; bra E; B: mov.s32 %0, 20; bra E;"
                 " C: mov.s32 %0, 30; E: }" : "=r"(r) : "r"(threadIdx.x % 3));
    x[threadIdx.x] = r;
}
extern "C" __global__ void null(int* x) {
    int (*volatile f)(int) = nullptr;
    x[0] = f(1);
}
extern "C" __global__ void data(int* x) {
    int (*volatile f)(int) = (int (*)(int))x;
    x[0] = f(1);
}
extern "C" __global__ void beside(int* x) {
    int r;
    asm volatile("{ T: .branchtargets A, B; brx.idx %1, T; A: mov.s32 %0, 1; B: mov.s32 %0, 2; }" : "=r"(r) : "r"(x[0] + 2));
    x[0] = r;
}
"""


def test_calls_through_pointers_and_jumps_by_tables():
    program = f"""
d = Driver()
x = d.alloc(256)
module = d.module(d.compile({POINTERS!r}))
for kernel in ("calls", "waits", "jumps"):
    d.launch(d.function(module, kernel), 1, 64, [x])
    print(*struct.unpack("64i", d.download(x, 256)))
"""
    lines = [[int(word) for word in line.split()] for line in run(program, check=1, runs="ptx")[0].splitlines()]
    once_and_twice = [(t if t % 2 else 2 * t, 2 * t if t % 2 else t) for t in range(64)]
    thrice = [t if t % 3 else 3 * t for t in range(64)]
    assert lines[0] == [a + 1000 * m + 1000000 * c for (a, c), m in zip(once_and_twice, thrice, strict=True)]
    assert lines[1] == [64 - t for t in range(64)]
    assert lines[2] == [10 * (t % 3 + 1) for t in range(64)]


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        ("null", "line 34: a call through a null pointer"),
        ("data", "line 38: access to 0x"),
        ("beside", "line 42: a jump beside its table"),
    ],
)
def test_calls_of_what_is_no_function(kernel, says):
    program = f"""
d = Driver()
x = d.alloc(256)
d.fill(x, 0, 64)
d.launch(d.function(d.module(d.compile({POINTERS!r})), {kernel!r}), 1, 1, [x])
d.synchronize()
"""
    assert says in run(program, expect=1, runs="ptx")[1]


ADDRESSES = """
extern "C" __global__ void gather(double** rows, double* sums) {
    double* row = rows[threadIdx.x];
    sums[threadIdx.x] = row[0] + row[1];
    rows[threadIdx.x] = row + 1;
}
extern "C" __global__ void seen(double* x, unsigned long long* out) {
    __shared__ double* kept;
    if (threadIdx.x == 0) kept = x + 1;
    __syncthreads();
    out[0] = (unsigned long long)kept;
    out[1] = kept == x + 1;
    printf("%s %p\\n", (const char*)x, x);
}
extern "C" __global__ void fixed(double* sum) { *sum = *(double*)AT; }
extern "C" __global__ void past(double** rows, double* sums) { sums[0] = rows[0][2]; }
"""


@pytest.mark.parametrize("check", [0, 1])
def test_addresses_in_memory(check):
    """Those of the host's tables are the device's, those that kernels leave, too, and a fixed one is an address."""
    program = f"""
rows = [d.alloc(16) for _ in range(4)]
for k, row in enumerate(rows):
    d.upload(row, struct.pack("2d", k, 10 * k))
table, sums = d.alloc(32), d.alloc(32)
d.upload(table, struct.pack("4Q", *(row.value if hasattr(row, "value") else row for row in rows)))
first = struct.unpack("4Q", d.download(table, 32))
module = d.module(d.compile({ADDRESSES!r}.replace("AT", hex(first[1] + 8))))
d.launch(d.function(module, "gather"), 1, 4, [table, sums])
assert struct.unpack("4d", d.download(sums, 32)) == (0, 11, 22, 33)
assert struct.unpack("4Q", d.download(table, 32)) == tuple(at + 8 for at in first)
d.upload(rows[0], b"text".ljust(16, bytes(1)))
d.launch(d.function(module, "seen"), 1, 1, [rows[0], sums])
assert struct.unpack("2Q", d.download(sums, 16)) == (first[0] + 8, 1)
d.launch(d.function(module, "fixed"), 1, 1, [sums])
assert struct.unpack("d", d.download(sums, 8)) == (10,)
print("text", hex(first[0]))
"""
    out, _ = run("d = Driver()" + program, check=check, runs="ptx")
    seen, said = out.splitlines()
    assert seen == said
    if check:
        launch = """
d.upload(table, struct.pack("4Q", *first))
d.launch(d.function(module, "past"), 1, 1, [table, sums])
d.synchronize()
"""
        _, err = run("d = Driver()" + program + launch, expect=1, check=1, runs="ptx")
        assert "8 bytes at" in err and "past the end of a block of 16 bytes" in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%0,%0,%0,%0,%0,%0,%0}, [%1];"'
         ' : "=r"(x[0]) : "l"(x));', "tensor cores are not simulated"),
        ("x[0] = int(tex2D<float>((cudaTextureObject_t)t, 1.f, 2.f));", "textures and surfaces are not simulated"),
        ('asm volatile("barrier.cluster.arrive;");', "clusters are not simulated"),
        ('asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;" :: "l"(x), "r"(0));',
         "reductions by bulk copies and copies to several blocks are not simulated"),
        ('asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%0, {%1}];" :: "l"(x), "r"(0));',
         "tensor maps are not simulated"),
    ],
)  # fmt: skip
def test_what_is_not_simulated_is_named(text, says, script):  # noqa: F811
    run = simulate(script(KERNEL + f"launch({HEAD + text + '}'!r})\n"))
    assert run.returncode == 1 and says in run.stderr, run.stderr


def test_dimensions_of_clusters_are_named(script):  # noqa: F811
    """A cluster of one block is none."""
    text = 'extern "C" __global__ void __cluster_dims__({}, 1, 1) kernel(int* x) {{ x[blockIdx.x] = 1; }}'
    run = simulate(script(KERNEL + f"launch({text.format(2)!r}, grid=2)\n"))
    assert run.returncode == 1 and "cluster dimensions of kernel kernel: clusters are not simulated" in run.stderr
    assert simulate(script(KERNEL + f"launch({text.format(1)!r}, grid=2)\n")).returncode == 0


WARP = """
import numpy as np, warp as wp
wp.config.quiet, wp.config.kernel_cache_dir = True, "kernels"
wp.init()

@wp.kernel
def step(x: wp.array(dtype=float), y: wp.array(dtype=wp.vec3), seen: int):
    i = wp.tid()
    if i < seen:
        x[i] = x[i] * 2.0 + y[i][2]
"""


@pytest.mark.parametrize("wrong", [False, True])
def test_arrays_and_graphs_of_warp(script, wrong):  # noqa: F811
    """Warp's memory, copies, fills and captures, which are those of CUDA's runtime elsewhere."""
    pytest.importorskip("warp", reason="warp is not installed")
    program = f"""
gpu, more = "cuda:0", {int(wrong)}
x, y = wp.zeros(10, dtype=float, device=gpu), wp.full(10, wp.vec3(1.0, 2.0, 3.0), device=gpu)
launch = lambda: wp.launch(step, dim=10 + more, inputs=[x, y, 10 + more], device=gpu)
with wp.ScopedCapture(device=gpu) as capture:
    launch()
    launch()
for _ in range(3):
    wp.capture_launch(capture.graph)
launch()
print(x.numpy()[[0, 9]], y.numpy()[9])
pinned = wp.array(np.arange(5.0), dtype=wp.float64, device="cpu", pinned=True)
z = wp.empty(5, dtype=wp.float64, device=gpu)
wp.copy(z, pinned)
w = wp.clone(z)
z.fill_(7.0)
del pinned
try:
    z[::2].fill_(1.0)
except RuntimeError as error:
    assert "wp_array_fill_device is compiled in Warp's library" in str(error), error
start, end = wp.Event(gpu, enable_timing=True), wp.Event(gpu, enable_timing=True)
wp.record_event(start), launch(), wp.record_event(end)
assert wp.get_event_elapsed_time(start, end) > 0
with wp.ScopedCapture(device=gpu) as capture:
    kept = wp.zeros(10, dtype=float, device=gpu)
    wp.copy(kept, x)
for _ in range(2):
    wp.capture_launch(capture.graph)
print(w.numpy(), z.to("cpu").numpy(), wp.ones(3, dtype=wp.uint8, device=gpu).numpy(), wp.zeros(0, device=gpu).shape)
"""
    run = simulate(script(WARP + program), "--memcheck")
    if wrong:
        assert run.returncode == 1 and "past the end of a block of 40 bytes" in run.stderr, run.stderr
        assert "line 10 of " in run.stderr and "10 | x[i] = x[i] * 2.0 + y[i][2]" in run.stderr, run.stderr
    else:
        wanted = ["[381. 381.] [1. 2. 3.]", "[0. 1. 2. 3. 4.] [7. 7. 7. 7. 7.] [1 1 1] (0,)"]
        assert run.stdout.splitlines()[-2:] == wanted, run.stdout + run.stderr
        assert run.returncode == 0 and "cudasim: 0 findings" in run.stderr
