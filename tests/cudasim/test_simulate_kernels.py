"""Small wrong kernels that --memcheck finds, with the right line, and right ones that look wrong and are clean.

The lines of a wrong kernel that its finding may name end in `// here`.
"""

import json

import pytest
from test_simulate import KERNEL, compiler, script, simulate  # noqa: F401  (fixtures)

HEAD = 'extern "C" __global__ void kernel(int* x) {\n    const int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t;\n'

#: Name: the kind of finding, the launch, and the body of the kernel. x has 1024 elements, which are 0.
WRONG = {
    "no barrier between write and read": ("race in a block", "", """
        __shared__ int s[64];
        s[t] = x[t];         // here
        x[t] = s[63 - t];    // here
    """),
    "all threads write one element": ("race in a block", "", """
        __shared__ int s;
        s = t;               // here
        __syncthreads();
        x[t] = s;
    """),
    "no barrier at the end of a step": ("race in a block", "", """
        __shared__ int s[64];
        s[t] = x[t];
        __syncthreads();
        for (int n = 32; n > 0; n /= 2)
            if (t < n) s[t] += s[t + n];    // here
        if (t == 0) x[0] = s[0];            // here
    """),
    "no barrier before the next round": ("race in a block", "", """
        __shared__ int s[64];
        for (int k = 0; k < 3; ++k) {
            s[t] = x[t] + k;                // here
            __syncthreads();
            x[t] += s[(t + 1) % 64];        // here
        }
    """),
    "a warp that is thought to run in step": ("race in a block", "block=32", """
        __shared__ int s[32];
        s[t] = t;                           // here
        s[t] = s[t ^ 1] + 1;                // here
        x[t] = s[t];                        // here
    """),
    "neighbours in place": ("race in a block", "", """
        x[t + 1] = x[t] + 1;                // here
    """),
    "all blocks write one element": ("race between blocks", "grid=4, block=1", """
        x[0] = b;                           // here
    """),
    "an addition that is not atomic": ("race between blocks", "grid=4, block=1", """
        x[0] += 1;                          // here
    """),
    "neighbouring blocks in place": ("race between blocks", "grid=64, block=1", """
        x[i] = x[i + 1] + 1;                // here
    """),
    "a plain read of an atomic counter": ("race between blocks", "grid=8, block=1", """
        atomicAdd(x, 1);                    // here
        x[100 + b] = x[0];                  // here
    """),
    "a flag without a fence": ("race between blocks", "grid=4, block=1", """
        x[100 + b] = b;                     // here
        if (atomicAdd(x, 1) != 3) return;
        for (int k = 0; k < 4; ++k) x[200] += x[100 + k];    // here
    """),
    "memory that was never written": ("uninitialised", "fill=False", """
        x[t] = x[t] + 1;                    // here
    """),
    "half of the shared memory is written": ("uninitialised", "", """
        __shared__ int s[64];
        if (t < 32) s[t] = 1;
        __syncthreads();
        x[t] = s[t];                        // here
    """),
    "no test of the size": ("illegal address", "grid=5, block=256", """
        x[i] = 1;                           // here
    """),
    "an index below zero": ("illegal address", "", """
        x[t - 1] = 1;                       // here
    """),
    "an index that overflows": ("illegal address", "", """
        x[(t + 1) * 100000] = 1;            // here
    """),
    "too little dynamic shared memory": ("illegal address", "shared=128", """
        extern __shared__ int s[];
        s[t * 64] = t;                      // here
    """),
    "a null pointer": ("illegal address", "", """
        int* p = (int*)(size_t)x[t];
        p[t] = 1;                           // here
    """),
    "8 bytes at an odd place": ("misaligned", "", """
        *(long long*)(x + 1 + 2 * t) = 1;   // here
    """),
    "a vector at an odd place": ("misaligned", "", """
        *(int4*)(x + 2) = make_int4(1, 2, 3, 4);    // here
    """),
    "a barrier in a branch": ("barrier", "", """
        if (t < 32) __syncthreads();        // here
        x[t] = 1;
    """),
    "a barrier in a loop that some leave": ("barrier", "", """
        for (int k = 0; k <= t % 3; ++k) {
            x[t] += k;
            __syncthreads();                // here
        }
    """),
    "two barriers of one block": ("barrier", "", """
        if (t % 2) {
            x[t] = 1;
            __syncthreads();                // here
        } else {
            __syncthreads();                // here
            x[t] = 2;
        }
    """),
    "a barrier of another part of the block": ("race in a block", "block=128", """
        __shared__ int s[128];
        s[t] = t;                           // here
        if (t < 64)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        else
            asm volatile("bar.sync 2, 64;" ::: "memory");
        x[t] = s[127 - t];                  // here
    """),
    "a copy that nobody waited for": ("uninitialised", "", """
        __shared__ int s[64];
        const unsigned to = (unsigned)__cvta_generic_to_shared(s + t);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + t) : "memory");
        x[512 + t] = s[t];                  // here
    """),
    "a barrier that waits for more threads": ("does not end", "", """
        if (t < 32) asm volatile("bar.sync 1, 64;" ::: "memory");
    """),
    "an assertion": ("assertion", "", """
        assert(t < 60);                     // here
    """),
    "an assertion of the size": ("assertion", "", """
        assert(blockDim.x == 32 && "blocks are too large");    // here
    """),
    "a thread waits for one of its warp's": ("does not end", "", """
        if (t == 0)
            while (atomicAdd(x, 0) == 0) {
            }
        __syncwarp();
        if (t == 1) atomicExch(x, 1);
    """),
}  # fmt: skip

#: Name: the launch, the body, and what x holds at first.
RIGHT = {
    "a warp with the right masks": ("block=32", """
        __shared__ int s[32];
        s[t] = t;
        __syncwarp();
        int other = s[t ^ 1];
        __syncwarp();
        s[t] = other + 1;
        __syncwarp();
        x[t] = s[31 - t];
    """),
    "two buffers and one barrier a step": ("", """
        __shared__ int s[2][64];
        s[0][t] = t;
        __syncthreads();
        for (int k = 0; k < 6; ++k) {
            s[1 - k % 2][t] = s[k % 2][(t + 1) % 64];
            __syncthreads();
        }
        x[t] = s[0][t];
    """),
    "the last block adds the parts": ("grid=8, block=1", """
        x[100 + b] = b;
        __threadfence();
        if (atomicAdd(x, 1) != 7) return;
        __threadfence();
        for (int k = 0; k < 8; ++k) x[200] += x[100 + k];
    """),
    "decoupled look-back": ("grid=8, block=1", """
        const int ticket = atomicAdd(x, 1);
        int before = 0;
        if (ticket > 0) {
            while (atomicAdd(x + 100 + ticket - 1, 0) == 0) __nanosleep(20);
            __threadfence();
            before = x[200 + ticket - 1];
        }
        x[200 + ticket] = before + ticket;
        __threadfence();
        atomicExch(x + 100 + ticket, 1);
    """),
    "a histogram in shared memory": ("grid=4", """
        __shared__ int bins[8];
        if (t < 8) bins[t] = 0;
        __syncthreads();
        atomicAdd(bins + (i * 7) % 8, 1);
        __syncthreads();
        if (t < 8) atomicAdd(x + t, bins[t]);
    """),
    "a sum by shuffles": ("", """
        int sum = t;
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
        if (t % 32 == 0) atomicAdd(x, sum);
    """),
    "blocks that read each other's input": ("grid=4", """
        x[512 + i] = x[i] + x[(i + 1) % 256];
    """),
    "a loop over the grid": ("grid=4", """
        for (int k = i; k < 1024; k += gridDim.x * blockDim.x) x[k] += 1;
    """),
    "a tile that is transposed": ("", """
        __shared__ int s[8][9];
        s[t / 8][t % 8] = x[t];
        __syncthreads();
        x[t] = s[t % 8][t / 8];
    """),
    "a scan in two buffers": ("", """
        __shared__ int s[128];
        int* from = s;
        int* to = s + 64;
        from[t] = 1;
        for (int k = 1; k < 64; k *= 2) {
            __syncthreads();
            to[t] = from[t] + (t >= k ? from[t - k] : 0);
            int* other = from;
            from = to;
            to = other;
        }
        x[t] = from[t];
    """),
    "a lock": ("grid=6, block=1", """
        while (atomicCAS(x, 0, 1) != 0) __nanosleep(20);
        __threadfence();
        x[100] += 1;
        __threadfence();
        atomicExch(x, 0);
    """),
    "one atomic addition for a warp": ("grid=2", """
        const unsigned votes = __ballot_sync(~0u, t % 3 == 0);
        int at = 0;
        if (t % 32 == 0) at = atomicAdd(x, __popc(votes));
        at = __shfl_sync(~0u, at, 0);
        if (t % 3 == 0) x[1 + at + __popc(votes & ((1u << t % 32) - 1))] = t;
    """),
    "a barrier that counts": ("", """
        x[t] = __syncthreads_count(t % 2) + __syncthreads_or(t == 5);
    """),
    "a barrier in a loop of all threads": ("", """
        __shared__ int s;
        for (int k = 0; k < 5; ++k) {
            if (t == k) s = k;
            __syncthreads();
            x[t] += s;
            __syncthreads();
        }
    """),
    "dynamic shared memory of all threads": ("shared=256", """
        extern __shared__ int s[];
        s[t] = t;
        __syncthreads();
        x[t] = s[63 - t];
    """),
    "aligned vectors": ("", """
        *(int4*)(x + 4 * t) = make_int4(t, t, t, t);
        __syncthreads();
        x[512 + t] = x[4 * (63 - t) + 1];
    """),
    "blocks that add to one element": ("grid=8", """
        atomicAdd(x, 1);
        atomicMax(x + 1, i);
    """),
    "a warp of which some lanes leave": ("", """
        if (t % 2) return;
        __syncwarp(0x55555555u);
        x[t] = __shfl_sync(0x55555555u, t, 0);
    """),
}  # fmt: skip

NUMBA = {
    "an index below zero": ("illegal address", """
        p = cuda.threadIdx.x
        x[p - 64 * 40] = 1  # here
    """),
    "neighbours in place": ("race in a block", """
        if cuda.threadIdx.x < 63:
            x[cuda.threadIdx.x + 1] = x[cuda.threadIdx.x] + 1  # here
    """),
    "memory of a block that was never written": ("uninitialised", """
        part = cuda.shared.array(64, int64)
        if cuda.threadIdx.x < 32:
            part[cuda.threadIdx.x] = 1
        cuda.syncthreads()
        x[cuda.threadIdx.x] = part[cuda.threadIdx.x]  # here
    """),
    "no barrier before the next round": ("race in a block", """
        part = cuda.shared.array(64, int64)
        for k in range(3):
            part[cuda.threadIdx.x] = k  # here
            cuda.syncthreads()
            x[cuda.threadIdx.x] += part[(cuda.threadIdx.x + 1) % 64]  # here
    """),
    "a barrier in a loop that some leave": ("barrier", """
        for k in range(cuda.threadIdx.x % 3 + 1):
            x[cuda.threadIdx.x] += k
            cuda.syncthreads()  # here
    """),
    "an index beyond the end": ("illegal address", """
        x[cuda.grid(1) + 64] = 1  # here
    """),
    "no barrier": ("race in a block", """
        part = cuda.shared.array(64, int64)
        part[cuda.threadIdx.x] = 1  # here
        x[cuda.threadIdx.x] = part[63 - cuda.threadIdx.x]  # here
    """),
    "a sum of all threads": ("race in a block", """
        x[0] += cuda.threadIdx.x  # here
    """),
    "a barrier in a branch": ("barrier", """
        if cuda.threadIdx.x < 32:
            cuda.syncthreads()  # here
        x[cuda.threadIdx.x] = 1
    """),
}  # fmt: skip


NUMBA_HEAD = """import warnings
warnings.simplefilter("ignore")
import cuarray
from numba import cuda, int64
@cuda.jit
def kernel(x):"""
NUMBA_TAIL = """x = cuarray.zeros(64, dtype="int64", device="cuda")
kernel[1, 64](x)
cuda.synchronize()
"""


def marked(text, mark):
    return {number for number, line in enumerate(text.splitlines(), start=1) if line.rstrip().endswith(mark)}


def findings(program):
    """The findings of a program under --memcheck, as JSON."""
    run = simulate(program, "--memcheck", "--json", "found.json", "--seconds", "20")
    lines = (program.parent / "found.json").read_text().splitlines()
    assert run.returncode == 1 and lines, run.stdout + run.stderr
    return [json.loads(line) for line in lines]


def assert_found(found, kind, lines):
    assert kind in {finding["kind"] for finding in found}, found
    for finding in found:
        if finding["kind"] == kind and lines:
            assert finding["line"] in lines, finding
        assert finding["kernel"] == "kernel" and (finding["meaning"] or finding["kind"] == "error")


@pytest.mark.few
@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_are_found(name, script):  # noqa: F811
    kind, launch, body = WRONG[name]
    text = HEAD + body.strip("\n") + "\n}\n"
    assert_found(findings(script(KERNEL + f"launch({text!r}, {launch})\n")), kind, marked(text, "// here"))


@pytest.mark.parametrize("seeds", [2, pytest.param(20, marks=pytest.mark.full)])
def test_right_kernels_are_clean(seeds, script):  # noqa: F811
    launches = "".join(f"launch({HEAD + body + chr(10) + '}'!r}, {launch})\n" for launch, body in RIGHT.values())
    run = simulate(script(KERNEL + launches), "--memcheck", "--seeds", str(seeds))
    assert run.returncode == 0 and run.stderr.startswith("cuarray: no findings"), run.stderr


def test_streams_without_order_are_a_race(script):  # noqa: F811
    text = HEAD + "    x[i] = 1;\n}\n"
    program = f"""
x, kernel = d.alloc(4096), d.kernel({text!r}, "kernel")
for stream in (d.stream(), d.stream()):
    d.launch(kernel, 1, 64, [x], stream)
"""
    found = findings(script(KERNEL + program))
    assert [(f["kind"], f["line"]) for f in found] == [("race between kernels", 3)]
    assert found[0]["other"]["work"].startswith("kernel (stream ") and found[0]["other"]["line"] == "line 3"


def test_freed_memory(script):  # noqa: F811
    text = HEAD + "    x[i] = 1;\n}\n"
    program = f"""
x, kernel, stream = d.alloc_async(4096), d.kernel({text!r}, "kernel"), d.stream()
d.free_async(x)
d.synchronize()
d.launch(kernel, 1, 64, [x])
d.synchronize()
"""
    assert findings(script(KERNEL + program))[0]["kind"] == "illegal address"


@pytest.mark.few
@pytest.mark.parametrize("name", NUMBA)
def test_wrong_kernels_of_numba_are_found(name, script):  # noqa: F811
    for module in ("numba_cuda", "nvidia.cu13.nvvm"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    kind, body = NUMBA[name]
    own = [line for line in body.splitlines() if line.strip()]
    indent = len(own[0]) - len(own[0].lstrip())
    program = script("\n".join([NUMBA_HEAD, *("    " + line[indent:] for line in own), NUMBA_TAIL]))
    assert_found(findings(program), kind, marked(program.read_text(), "# here"))
