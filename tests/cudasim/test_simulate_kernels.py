"""Small wrong kernels that --memcheck finds, with the right line, and right ones that look wrong and are clean.

The lines of a wrong kernel that its finding may name end in `// here`.
"""

import json
import re
import textwrap

import pytest
from test_simulate import KERNEL, compiler, script, simulate  # noqa: F401  (fixtures)

pytestmark = pytest.mark.rest

HEAD = 'extern "C" __global__ void kernel(int* x) {\n    const int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t;\n'

#: The begin of kernels with a barrier in memory for 64 threads: its offset `at`, and `to` of an array.
BARRIER = """
        __shared__ alignas(16) int s[64];
        __shared__ unsigned long long barrier;
        const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(s);
        if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(at) : "memory");
        __syncthreads();
#define WAIT asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" :: "r"(at) : "memory");
#define COPY_BULK asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" :: "r"(to), "l"(x), "r"(at) : "memory");
"""
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
    "a flag that several threads set to one value": ("race in a block", "", """
        if (t % 3 == 0) x[0] = 1;    // here
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
    "bins in shared memory that nobody has zeroed": ("uninitialised", "", """
        __shared__ int bins[8];
        atomicAdd(bins + t % 8, 1);         // here
        __syncthreads();
        if (t < 8) atomicAdd(x + t, bins[t]);
    """),
    "a maximum of memory that was never written": ("uninitialised", "fill=False", """
        atomicMax(x, t);                    // here
    """),
    "a claim of memory that was never written": ("uninitialised", "fill=False", """
        if (atomicCAS(x, 0, 1) == 0) x[1] = t;              // here
    """),
    "an exchange that gives what was never written": ("uninitialised", "fill=False", """
        x[512 + t] = atomicExch(x + t, t);                  // here
    """),
    "vectors that are added to nothing": ("uninitialised", "fill=False", """
        atomicAdd((float4*)x + t, make_float4(1, 2, 3, 4)); // here
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
    "behind the thread's own array": ("illegal address", "", """
        int own[4] = {1, 2, 3, 4};
        own[x[t] + 5] = 7;                  // here
        x[t] = own[t % 4];
    """),
    "a read before the thread's own array": ("illegal address", "", """
        int own[4] = {1, 2, 3, x[t]};
        x[t] = own[x[t] - 1 - t % 4];       // here
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
    "a copy of a thread's own that another reads": ("uninitialised", "", BARRIER + """
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to + 4 * t), "l"(x + t) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at) : "memory");
        x[512 + t] = s[63 - t];             // here
    """),
    "a bulk copy that nobody waited for": ("uninitialised", "", BARRIER + """
        if (t == 0) {
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 256;" :: "r"(at) : "memory");
            COPY_BULK
        }
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
        x[512 + t] = s[t];                  // here
    """),
    "a bulk copy whose bytes are not expected": ("does not end", "", BARRIER + """
        if (t == 0) {
            COPY_BULK
        }
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 256;" :: "r"(at) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
        WAIT                                // here
    """),
    "a bulk copy that overtakes the end of its block": ("illegal address", "", BARRIER + """
        if (t == 0) {
            COPY_BULK                       // here
        }
    """),
    "a bulk copy from shared memory without a wait": ("illegal address", "", BARRIER + """
        s[t] = t;
        __syncthreads();
        if (t == 0)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(x), "r"(to) : "memory");  // here
    """),
    "a buffer that is written before its bulk copy has read it": ("race in a block", "", BARRIER + """
        s[t] = t;
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(x), "r"(to) : "memory");  // here
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        s[t] = 2 * t;                       // here
        if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    """),
    "a bulk copy of 24 bytes": ("misaligned", "", BARRIER + """
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %3, [%2];" :: "r"(to), "l"(x), "r"(at), "r"(24 + t / 64) : "memory");  // here
    """),
    "a bulk copy past the end of shared memory": ("illegal address", "block=1", BARRIER + """
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" :: "r"(to), "l"(x), "r"(at) : "memory");  // here
    """),
    "a barrier in memory that orders nothing": ("race in a block", "", BARRIER + """
        s[t] = t;                           // here
        asm volatile("mbarrier.arrive.relaxed.cta.shared.b64 _, [%0];" :: "r"(at) : "memory");
        WAIT
        x[t] = s[63 - t];                   // here
    """),
    "a barrier in memory that nobody waits for": ("race in a block", "", BARRIER + """
        s[t] = t;                           // here
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
        x[t] = s[63 - t];                   // here
    """),
    "a barrier in memory by the wrong parity": ("race in a block", "", BARRIER + """
        s[t] = t;                           // here
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
        asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 1; @!p bra again; }" :: "r"(at) : "memory");
        x[t] = s[63 - t];                   // here
    """),
    "a barrier in memory that some never reach": ("does not end", "", BARRIER + """
        if (t != 5) {
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
            WAIT                            // here
        }
    """),
    "a barrier in memory with one arrival too many": ("barrier", "", BARRIER + """
        if (t == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0], 64;" :: "r"(at) : "memory");
        if (t == 1) asm volatile("mbarrier.arrive.shared.b64 _, [%0], 65;" :: "r"(at) : "memory");  // here
    """),
    "a barrier in memory that nobody has made": ("barrier", "block=1", """
        __shared__ unsigned long long barrier;
        asm volatile("mbarrier.arrive.b64 _, [%0];" :: "l"(&barrier) : "memory");    // here
    """),
    "a barrier in memory that is written over": ("barrier", "block=1", BARRIER + """
        *(volatile int*)&barrier = 3;
        asm volatile("mbarrier.arrive.shared.b64 _, [%0], 2;" :: "r"(at) : "memory");    // here
    """),
    "a barrier that waits for more threads": ("does not end", "", """
        if (t < 32) asm volatile("bar.sync 1, 64;" ::: "memory");    // here
    """),
    "an assertion": ("assertion", "", """
        assert(t < 60);                     // here
    """),
    "an assertion of the size": ("assertion", "", """
        assert(blockDim.x == 32 && "blocks are too large");    // here
    """),
    "a message without a fence": ("race between blocks", "grid=2, block=1", """
        if (atomicAdd(x, 1) == 0) {
            x[100] = 5;                     // here
            atomicExch(x + 1, 1);
        } else {
            while (atomicAdd(x + 1, 0) == 0) __nanosleep(20);
            x[101] = x[100];                // here
        }
    """),
    "a fence of the block alone": ("race between blocks", "grid=2, block=1", """
        if (atomicAdd(x, 1) == 0) {
            x[100] = 5;                     // here
            __threadfence_block();
            atomicExch(x + 1, 1);
        } else {
            while (atomicAdd(x + 1, 0) == 0) __nanosleep(20);
            __threadfence_block();
            x[101] = x[100];                // here
        }
    """),
    "two buffers without a barrier": ("race in a block", "", """
        __shared__ int s[2][64];
        s[0][t] = t;
        __syncthreads();
        for (int k = 0; k < 4; ++k) s[1 - k % 2][t] = s[k % 2][(t + 1) % 64];    // here
        x[t] = s[0][t];
    """),
    "a pipeline that waits for too few copies": ("uninitialised", "", """
        __shared__ alignas(16) int s[2][64];
        for (int k = 0; k < 2; ++k) {
            const unsigned to = (unsigned)__cvta_generic_to_shared(&s[k][t]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + 64 * k + t) : "memory");
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        x[512 + t] = s[1][t];               // here
    """),
    "a lock that is not released": ("does not end", "grid=2, block=1", """
        while (atomicCAS(x, 0, 1) != 0) {   // here
        }
        x[1] += 1;
    """),
    "a thread waits for one of its warp's": ("does not end", "", """
        if (t == 0)
            while (atomicAdd(x, 0) == 0) {  // here
            }
        __syncwarp();                       // here
        if (t == 1) atomicExch(x, 1);
    """),
    "a loop that leaves at no value": ("does not end", "grid=3", """
        unsigned k = x[0];
        while (k != 7u) k = k * 2u + 2u;    // here
        x[1] = k;
    """),
    "a loop that writes for ever": ("does not end", "grid=3", """
        for (int k = 1;; ++k) {             // here
            if (k == 0) break;              // here
            ((volatile int*)x)[5 + i] = k;  // here
        }
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
    "flags that several threads set": ("grid=2", """
        if (t % 3 == 0) atomicExch(x, 1);
        if (t % 3 == 1) *(volatile int*)(x + 1) = 1;
    """),
    "a copy that is waited for and arrives as well": ("", BARRIER + """
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to + 4 * t), "l"(x + t) : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        x[512 + t] = s[t];
    """),
    "one lane that arrives for its warp": ("", BARRIER + """
        __shared__ unsigned long long full;
        const unsigned copied = (unsigned)__cvta_generic_to_shared(&full);
        if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0]; mbarrier.init.shared.b64 [%0], 1;" :: "r"(at) : "memory");
        if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(copied) : "memory");
        s[t] = t;
        __syncthreads();
        if (t < 32) {
            const int mine = s[31 - t] + s[63 - t];
            __syncwarp();
            if (t == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at) : "memory");
            x[512 + t] = mine;
        } else if (t == 32) {
            WAIT
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" :: "r"(copied) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" :: "r"(to), "l"(x), "r"(copied) : "memory");
        }
        asm volatile("{ .reg .pred p; again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" :: "r"(copied) : "memory");
        x[600 + t] = s[63 - t];
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
    "a scan of a warp by shuffles": ("", """
        int sum = t;
        for (int k = 1; k < 32; k *= 2) {
            const int before = __shfl_up_sync(~0u, sum, k);
            if (t % 32 >= k) sum += before;
        }
        x[t] = sum;
    """),
    "a tree of which a warp does the end": ("", """
        __shared__ int s[64];
        s[t] = x[t];
        __syncthreads();
        if (t >= 32) return;
        int sum = s[t] + s[t + 32];
        for (int k = 16; k > 0; k /= 2) {
            s[t] = sum;
            __syncwarp();
            sum += s[(t + k) % 32];
            __syncwarp();
        }
        x[t] = sum;
    """),
    "a scan in place with two barriers": ("", """
        __shared__ int s[64];
        s[t] = 1;
        for (int k = 1; k < 64; k *= 2) {
            __syncthreads();
            const int before = t >= k ? s[t - k] : 0;
            __syncthreads();
            s[t] += before;
        }
        x[t] = s[t];
    """),
    "the largest float by comparing and swapping": ("grid=3", """
        const float mine = float((i * 37) % 101);
        int old = atomicAdd(x, 0);
        while (__int_as_float(old) < mine) {
            const int seen = atomicCAS(x, old, __float_as_int(mine));
            if (seen == old) break;
            old = seen;
        }
    """),
    "a queue of work": ("grid=4", """
        for (int k = atomicAdd(x, 1); k < 500; k = atomicAdd(x, 1)) x[100 + k] = k;
    """),
    "a message to the block that comes next": ("grid=4", """
        __shared__ int ticket;
        if (t == 0) ticket = atomicAdd(x, 1);
        __syncthreads();
        if (ticket % 2 == 0) {
            x[100 + 64 * ticket + t] = t;
            __threadfence();
            __syncthreads();
            if (t == 0) atomicExch(x + 1 + ticket, 1);
        } else {
            if (t == 0)
                while (atomicAdd(x + ticket, 0) == 0) __nanosleep(20);
            __syncthreads();
            __threadfence();
            x[600 + 64 * (ticket / 2) + t] = x[100 + 64 * (ticket - 1) + 63 - t];
        }
    """),
    "a message by acquire and release": ("grid=2, block=1", """
        if (atomicAdd(x, 1) == 0) {
            x[100] = 5;
            asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(x + 1) : "memory");
        } else {
            unsigned flag;
            do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(x + 1) : "memory");
            while (flag == 0);
            x[101] = x[100];
        }
    """),
    "neighbouring bytes": ("", """
        ((char*)x)[t] = t;
        __syncthreads();
        if (t < 16) x[512 + t] = x[t];
    """),
    "its own element again and again": ("grid=4", """
        for (int k = 0; k < 5; ++k) x[i] = x[i] * 3 + 1;
    """),
    "whole blocks that leave before a barrier": ("grid=4", """
        __shared__ int s[64];
        if (b % 2) return;
        s[t] = t;
        __syncthreads();
        x[i] = s[63 - t];
    """),
    "a barrier in a branch that a block takes together": ("grid=4", """
        __shared__ int s[64];
        if (b % 2) {
            s[t] = t;
            __syncthreads();
            x[i] = s[63 - t];
        }
    """),
    "an exchange until all is sorted": ("", """
        __shared__ int s[64];
        s[t] = (t * 29) % 64;
        __syncthreads();
        for (int step = 0;; ++step) {
            int change = 0;
            const int at = 2 * t + step % 2;
            if (at + 1 < 64 && s[at] > s[at + 1]) {
                const int a = s[at];
                s[at] = s[at + 1];
                s[at + 1] = a;
                change = 1;
            }
            if (!__syncthreads_or(change) && step > 64) break;
        }
        x[t] = s[t];
    """),
    "a bitonic sort": ("", """
        __shared__ int s[64];
        s[t] = (t * 29) % 64;
        for (int size = 2; size <= 64; size *= 2)
            for (int k = size / 2; k > 0; k /= 2) {
                __syncthreads();
                const int other = t ^ k;
                if (other > t && ((t & size) == 0) == (s[t] > s[other])) {
                    const int a = s[t];
                    s[t] = s[other];
                    s[other] = a;
                }
            }
        __syncthreads();
        x[t] = s[t];
    """),
    "a stencil with its borders": ("grid=4", """
        __shared__ int s[66];
        s[t + 1] = x[i];
        if (t == 0) s[0] = i > 0 ? x[i - 1] : 0;
        if (t == 63) s[65] = x[i + 1];
        __syncthreads();
        x[512 + i] = s[t] + s[t + 1] + s[t + 2];
    """),
    "a product of matrices in tiles": ("", """
        __shared__ int a[8][8], c[8][8];
        const int row = t / 8, column = t % 8;
        int sum = 0;
        for (int k = 0; k < 2; ++k) {
            a[row][column] = x[16 * row + 8 * k + column];
            c[row][column] = x[128 + 8 * (8 * k + row) + column];
            __syncthreads();
            for (int j = 0; j < 8; ++j) sum += a[row][j] * c[j][column];
            __syncthreads();
        }
        x[512 + t] = sum;
    """),
    "shared memory of another type in the next phase": ("shared=512", """
        extern __shared__ double wide[];
        wide[t] = t;
        __syncthreads();
        const double other = wide[63 - t];
        __syncthreads();
        int* narrow = (int*)wide;
        narrow[t] = int(other);
        __syncthreads();
        x[t] = narrow[t ^ 1];
    """),
    "lanes with equal keys add together": ("", """
        const unsigned same = __match_any_sync(~0u, t % 5);
        if (t % 32 == __ffs(same) - 1) atomicAdd(x + t % 5, __popc(same));
    """),
    "halves of a warp with masks of their own": ("block=32", """
        __shared__ int s[32];
        const unsigned mask = t < 16 ? 0xFFFFu : 0xFFFF0000u;
        if (t < 16) {
            s[t] = t;
            __syncwarp(mask);
            x[t] = s[15 - t];
        } else {
            s[t] = 2 * t;
            __syncwarp(mask);
            x[t] = s[47 - t];
        }
    """),
    "a pipeline of copies": ("", """
        __shared__ alignas(16) int s[2][64];
        const auto load = [&](int k) {
            const unsigned to = (unsigned)__cvta_generic_to_shared(&s[k % 2][t]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + 64 * k + t) : "memory");
            asm volatile("cp.async.commit_group;" ::: "memory");
        };
        load(0);
        for (int k = 0; k < 4; ++k) {
            if (k < 3) load(k + 1);
            if (k < 3)
                asm volatile("cp.async.wait_group 1;" ::: "memory");
            else
                asm volatile("cp.async.wait_group 0;" ::: "memory");
            __syncthreads();
            x[512 + 64 * k + t] = s[k % 2][63 - t];
            __syncthreads();
        }
    """),
    "an address beyond the end that nobody reads": ("", """
        const int* end = x + 5000;
        const int* at = x + t;
        x[512 + t] = end - at > 64 ? *at : 0;
    """),
    "threads to spare": ("grid=5, block=256", """
        if (i < 1024) x[i] = 1;
    """),
    "a pair at a multiple of its size": ("", """
        const int2 pair = *(const int2*)(x + 2 + 2 * t);
        x[512 + t] = pair.x + pair.y;
    """),
    "an array of the thread's own": ("", """
        int own[16];
        for (int k = 0; k < 16; ++k) own[k] = k * t;
        for (int k = 0; k < 16; ++k) x[t] += own[(k * 7 + t) % 16];
    """),
    "the last block of many threads": ("grid=5", """
        __shared__ bool last;
        x[100 + i] = t;
        __threadfence();
        __syncthreads();
        if (t == 0) last = atomicAdd(x, 1) == 4;
        __syncthreads();
        if (!last) return;
        __threadfence();
        for (int k = 0; k < 5; ++k) x[600 + t] += x[100 + 64 * k + 63 - t];
    """),
    "the place of the smallest": ("grid=4", """
        const unsigned long long mine = (unsigned long long)((i * 37 + 5) % 256) << 32 | i;
        if (i == 0) atomicExch((unsigned long long*)x + 1, mine);
        __syncthreads();
        atomicMin((unsigned long long*)x + 1, mine);
    """),
    "bins that an exchange has zeroed": ("fill=False", """
        __shared__ int bins[8];
        if (t < 8) atomicExch(bins + t, 0);
        atomicExch(x + t, 0);
        __syncthreads();
        atomicAdd(bins + t % 8, 1);
        atomicMax(x + 63 - t, t);
    """),
    "a list in shared memory": ("", """
        __shared__ int count, list[64];
        if (t == 0) count = 0;
        __syncthreads();
        if (t % 3 == 0) list[atomicAdd(&count, 1)] = t;
        __syncthreads();
        if (t < count) x[t] = list[t];
    """),
    "a warp of which some lanes leave": ("", """
        if (t % 2) return;
        __syncwarp(0x55555555u);
        x[t] = __shfl_sync(0x55555555u, t, 0);
    """),
}  # fmt: skip

#: The same through Numba: the kind of finding, the launch, the array, and the body. Lines end in `# here`.
INTEGERS = 'cuarray.zeros(64, dtype="int64", device="cuda")'
NUMBA = {
    "an index below zero": ("illegal address", "1, 64", INTEGERS, """
        p = cuda.threadIdx.x
        x[p - 64 * 40] = 1  # here
    """),
    "an index beyond the end": ("illegal address", "1, 64", INTEGERS, """
        x[cuda.grid(1) + 64] = 1  # here
    """),
    "no test of the size": ("illegal address", "2, 64", INTEGERS, """
        x[cuda.grid(1)] = 1  # here
    """),
    "neighbours in place": ("race in a block", "1, 64", INTEGERS, """
        if cuda.threadIdx.x < 63:
            x[cuda.threadIdx.x + 1] = x[cuda.threadIdx.x] + 1  # here
    """),
    "no barrier": ("race in a block", "1, 64", INTEGERS, """
        part = cuda.shared.array(64, int64)
        part[cuda.threadIdx.x] = 1  # here
        x[cuda.threadIdx.x] = part[63 - cuda.threadIdx.x]  # here
    """),
    "no barrier before the next round": ("race in a block", "1, 64", INTEGERS, """
        part = cuda.shared.array(64, int64)
        for k in range(3):
            part[cuda.threadIdx.x] = k  # here
            cuda.syncthreads()
            x[cuda.threadIdx.x] += part[(cuda.threadIdx.x + 1) % 64]  # here
    """),
    "a sum of all threads": ("race in a block", "1, 64", INTEGERS, """
        x[0] += cuda.threadIdx.x  # here
    """),
    "a sum of all blocks": ("race between blocks", "64, 1", INTEGERS, """
        x[0] += cuda.blockIdx.x  # here
    """),
    "the neighbouring block's element": ("race between blocks", "63, 1", INTEGERS, """
        i = cuda.grid(1)
        x[i] = x[i + 1] + 1  # here
    """),
    "the last block without a fence": ("race between blocks", "8, 1", INTEGERS, """
        x[8 + cuda.blockIdx.x] = 1  # here
        if cuda.atomic.add(x, 0, 1) == 7:
            for k in range(8):
                x[32] += x[8 + k]  # here
    """),
    "memory of a block that was never written": ("uninitialised", "1, 64", INTEGERS, """
        part = cuda.shared.array(64, int64)
        if cuda.threadIdx.x < 32:
            part[cuda.threadIdx.x] = 1
        cuda.syncthreads()
        x[cuda.threadIdx.x] = part[cuda.threadIdx.x]  # here
    """),
    "an array that was never written": ("uninitialised", "1, 64", INTEGERS.replace("zeros", "empty"), """
        x[cuda.grid(1)] += 1  # here
    """),
    "bins of a block that nobody has zeroed": ("uninitialised", "1, 64", INTEGERS, """
        part = cuda.shared.array(8, int64)
        cuda.atomic.add(part, cuda.threadIdx.x % 8, 1)  # here
        cuda.syncthreads()
        if cuda.threadIdx.x < 8:
            cuda.atomic.add(x, cuda.threadIdx.x, part[cuda.threadIdx.x])
    """),
    "a maximum of an array that was never written": ("uninitialised", "1, 64", INTEGERS.replace("zeros", "empty"), """
        cuda.atomic.max(x, 0, cuda.threadIdx.x)  # here
    """),
    "a claim of an array that was never written": ("uninitialised", "1, 64", INTEGERS.replace("zeros", "empty"), """
        if cuda.atomic.cas(x, 0, 0, 1) == 0:  # here
            x[1] = 1
    """),
    "an exchange with an array that was never written": ("uninitialised", "1, 8", INTEGERS.replace("zeros", "empty"), """
        x[8 + cuda.threadIdx.x] = cuda.atomic.exch(x, cuda.threadIdx.x, 1)  # here
    """),
    "8 bytes at a multiple of 4": ("misaligned", "1, 8", "Shifted(4)", """
        x[cuda.grid(1)] = 1  # here
    """),
    "8 bytes at an odd place": ("misaligned", "1, 8", "Shifted(1)", """
        x[cuda.grid(1)] += 1  # here
    """),
    "a barrier in a branch": ("barrier", "1, 64", INTEGERS, """
        if cuda.threadIdx.x < 32:
            cuda.syncthreads()  # here
        x[cuda.threadIdx.x] = 1
    """),
    "a barrier in a loop that some leave": ("barrier", "1, 64", INTEGERS, """
        for k in range(cuda.threadIdx.x % 3 + 1):
            x[cuda.threadIdx.x] += k
            cuda.syncthreads()  # here
    """),
    "a flag that nobody sets": ("does not end", "1, 64", INTEGERS, """
        while cuda.atomic.add(x, 0, 0) == 0:  # here
            pass  # here
    """),
    "a lock that is not released": ("does not end", "2, 1", INTEGERS, """
        while cuda.atomic.cas(x, 0, 0, 1) != 0:  # here
            pass  # here
        x[1] += 1
    """),
    "a loop that leaves at no value": ("does not end", "3, 32", INTEGERS, """
        value = x[0]
        while value != 7:  # here
            value = (value * 2 + 2) % 1000  # here
        x[cuda.threadIdx.x] = value
    """),
}  # fmt: skip

#: Through Numba, around a kernel that adds 1 to its array: the kind of finding, and the program.
NUMBA_PROGRAMS = {
    "an array that is freed before the launch": ("illegal address", """
x = cuarray.zeros(64, dtype="int64", device="cuda")
borrowed = cuda.as_cuda_array(Borrowed(x))
del x
cuarray.memory.trim("cuda")
kernel[1, 64](borrowed)
cuda.synchronize()
"""),
    "a part of an array that is freed between two launches": ("illegal address", """
x = cuarray.zeros((4, 64), dtype="int64", device="cuda")
row = cuda.as_cuda_array(Borrowed(x[2]))
kernel[1, 64](row)
del x
cuarray.memory.trim("cuda")
kernel[1, 64](row)
cuda.synchronize()
"""),
    "two streams that add to one array": ("race between kernels", """
x = cuda.to_device(numpy.zeros(64, dtype=numpy.int64))
for stream in (cuda.stream(), cuda.stream()):
    kernel[1, 64, stream](x)
cuda.synchronize()
"""),
    "a kernel that does not wait for the copy in another stream": ("race between kernels", """
x = cuda.device_array(64, dtype=numpy.int64)
source = cuda.pinned_array(64, dtype=numpy.int64)
source[:] = 0
x.copy_to_device(source, stream=cuda.stream())
kernel[1, 64, cuda.stream()](x)
cuda.synchronize()
"""),
}  # fmt: skip

#: Right ones through Numba: the launch and the body. x has 256 elements, which are 0; t and b are the thread and the block.
NUMBA_RIGHT = {
    "a warp with the right masks": ("1, 32", """
        part = cuda.shared.array(32, int64)
        part[t] = t
        cuda.syncwarp()
        other = part[t ^ 1]
        cuda.syncwarp()
        part[t] = other + 1
        cuda.syncwarp()
        x[t] = part[31 - t]
    """),
    "halves of a warp with masks of their own": ("1, 32", """
        part = cuda.shared.array(32, int64)
        part[t] = t
        if t < 16:
            cuda.syncwarp(0xFFFF)
            x[t] = part[15 - t]
        else:
            cuda.syncwarp(0xFFFF0000)
            x[t] = part[47 - t]
    """),
    "two buffers and one barrier a step": ("1, 64", """
        part = cuda.shared.array((2, 64), int64)
        part[0, t] = t
        cuda.syncthreads()
        for k in range(6):
            part[1 - k % 2, t] = part[k % 2, (t + 1) % 64]
            cuda.syncthreads()
        x[t] = part[0, t]
    """),
    "the last block adds the parts": ("8, 1", """
        x[100 + b] = b
        cuda.threadfence()
        if cuda.atomic.add(x, 0, 1) == 7:
            cuda.threadfence()
            for k in range(8):
                x[200] += x[100 + k]
    """),
    "a message by a flag": ("2, 1", """
        if cuda.atomic.add(x, 0, 1) == 0:
            x[100] = 5
            cuda.threadfence()
            cuda.atomic.exch(x, 1, 1)
        else:
            while cuda.atomic.add(x, 1, 0) == 0:
                cuda.nanosleep(20)
            cuda.threadfence()
            x[101] = x[100]
    """),
    "many threads set one flag by an exchange": ("4, 64", """
        if t % 3 == 0:
            cuda.atomic.exch(x, 0, 1)
    """),
    "a barrier of the grid": ("2, 64", """
        i = cuda.grid(1)
        x[i] = i
        cuda.cg.this_grid().sync()
        x[128 + i] = x[127 - i]
    """),
    "a sum by shuffles": ("1, 64", """
        total = t
        k = 16
        while k > 0:
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, k)
            k //= 2
        if t % 32 == 0:
            cuda.atomic.add(x, 0, total)
    """),
    "a lock": ("4, 1", """
        while cuda.atomic.cas(x, 0, 0, 1) != 0:
            cuda.nanosleep(20)
        cuda.threadfence()
        x[100] += 1
        cuda.threadfence()
        cuda.atomic.exch(x, 0, 0)
    """),
}  # fmt: skip


#: The time limit where a kernel does not end.
SECONDS = {"does not end": "3"}

NUMBA_HEAD = """import warnings
warnings.simplefilter("ignore")
import numpy
import cuarray
from numba import cuda, int64
class Borrowed:
    def __init__(self, owner):
        self.__cuda_array_interface__ = dict(owner.__cuda_array_interface__)
class Shifted:
    def __init__(self, bytes):
        self.owner = cuarray.zeros(65, dtype="int64", device="cuda")
        self.__cuda_array_interface__ = dict(self.owner.__cuda_array_interface__, shape=(64,), strides=None)
        self.__cuda_array_interface__["data"] = (self.__cuda_array_interface__["data"][0] + bytes, False)
@cuda.jit
def kernel(x):"""
NUMBA_TAIL = """x = ARRAY
kernel[LAUNCH](x)
cuda.synchronize()
"""


def marked(text, mark):
    return {number for number, line in enumerate(text.splitlines(), start=1) if line.rstrip().endswith(mark)}


def findings(program, seconds="20", options=("--memcheck",)):
    """The findings of a program under --memcheck, as JSON."""
    run = simulate(program, *options, "--json", "found.json", "--seconds", seconds)
    lines = (program.parent / "found.json").read_text().splitlines()
    assert run.returncode == 1 and lines, run.stdout + run.stderr
    return [json.loads(line) for line in lines]


def assert_found(found, kind, lines):
    assert kind in {finding["kind"] for finding in found}, found
    for finding in found:
        if finding["kind"] == kind:
            assert finding["line"] in lines, finding
        assert finding["kernel"] == "kernel" and (finding["meaning"] or finding["kind"] == "error")


@pytest.mark.few
@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_are_found(name, script):  # noqa: F811
    kind, launch, body = WRONG[name]
    text = HEAD + body.strip("\n") + "\n}\n"
    program = script(KERNEL + f"launch({text!r}, {launch})\n")
    assert_found(findings(program, SECONDS.get(kind, "20")), kind, marked(text, "// here"))


@pytest.mark.parametrize("name", [name for name, (kind, *_) in WRONG.items() if kind == "does not end"])
def test_each_block_of_an_endless_kernel_has_lines(name, script):  # noqa: F811
    """Without --memcheck, too: of every block that has begun, where its threads are."""
    _, launch, body = WRONG[name]
    text = HEAD + body.strip("\n") + "\n}\n"
    lines = marked(text, "// here")
    (found,) = findings(script(KERNEL + f"launch({text!r}, {launch})\n"), "3", ())
    assert found["line"] in lines, found
    inside = []
    for block in re.split(r"[;:] (?=block \()", found["message"])[1:]:
        threads, ended, not_begun = re.search(r"(\d+) threads, (\d+) ended(?:, (\d+) not started)?", block).groups("0")
        if int(threads) > int(ended) + int(not_begun):
            inside.append(set(map(int, re.findall(r"in line (\d+)", block))))
    assert inside and all(at and at <= lines for at in inside), found


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


def test_a_copy_and_a_kernel_without_order_are_a_race(script):  # noqa: F811
    text = HEAD + "    x[i] = 1;\n}\n"
    program = f"""
x, kernel = d.alloc(4096), d.kernel({text!r}, "kernel")
d.launch(kernel, 1, 64, [x], d.stream())
d.fill(x, 0, 64, d.stream())
d.synchronize()
"""
    messages = [f["message"] for f in findings(script(KERNEL + program))]
    assert len(messages) == 1 and "race: a write is not ordered after the write by" in messages[0], messages


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


def test_memory_that_is_freed_while_a_kernel_uses_it(script):  # noqa: F811
    text = HEAD + "    x[i] = 1;\n}\n"
    program = f"""
x, kernel, other = d.alloc_async(4096), d.kernel({text!r}, "kernel"), d.stream()
d.synchronize()
d.launch(kernel, 1, 64, [x], other)
d.free_async(x)
d.synchronize()
d.synchronize(other)
"""
    (found,) = findings(script(KERNEL + program))
    assert "not alive" in found["message"] or "race" in found["message"], found


def test_each_kind_of_fault_is_in_both_tables_twice():
    for table, others in ((WRONG, {"assertion"}), (NUMBA, set())):
        kinds = [kind for kind, *_ in table.values()]
        assert {kind for kind in kinds if kinds.count(kind) >= 2} == set(kinds) == others | {
            "race in a block", "race between blocks", "uninitialised", "illegal address", "misaligned", "barrier",
            "does not end",
        }  # fmt: skip
    assert len(WRONG) + len(NUMBA) >= 40 and len(RIGHT) >= 40 and len(NUMBA_RIGHT) >= 6
    kinds = [kind for kind, _ in NUMBA_PROGRAMS.values()]
    assert kinds.count("illegal address") >= 2 and kinds.count("race between kernels") >= 2


@pytest.fixture
def numba():
    for module in ("numba_cuda", "nvidia.cu13.nvvm"):
        pytest.importorskip(module, reason=f"{module} is not installed")


def lines_of(body):
    """The lines of a body, as those of a function."""
    return "\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


@pytest.mark.few
@pytest.mark.parametrize("name", NUMBA)
def test_wrong_kernels_of_numba_are_found(name, script, numba):  # noqa: F811
    kind, launch, array, body = NUMBA[name]
    tail = NUMBA_TAIL.replace("ARRAY", array).replace("LAUNCH", launch)
    program = script(NUMBA_HEAD + lines_of(body) + tail)
    assert_found(findings(program, SECONDS.get(kind, "20")), kind, marked(program.read_text(), "# here"))


@pytest.mark.few
@pytest.mark.parametrize("name", NUMBA_PROGRAMS)
def test_wrong_programs_of_numba_are_found(name, script, numba):  # noqa: F811
    kind, text = NUMBA_PROGRAMS[name]
    found = findings(script(NUMBA_HEAD + "\n    x[cuda.grid(1)] += 1  # here" + text))
    assert kind in {finding["kind"] for finding in found}, found


@pytest.mark.parametrize("seeds", [2, pytest.param(20, marks=pytest.mark.full)])
def test_right_kernels_of_numba_are_clean(seeds, script, numba):  # noqa: F811
    kernels = "".join(
        f"@cuda.jit\ndef kernel(x):\n    t, b = cuda.threadIdx.x, cuda.blockIdx.x{lines_of(body)}"
        f"kernel[{launch}](cuarray.zeros(256, dtype='int64', device='cuda'))\n"
        for launch, body in NUMBA_RIGHT.values()
    )
    head = NUMBA_HEAD.rpartition("@cuda.jit")[0]
    run = simulate(script(head + kernels), "--memcheck", "--seeds", str(seeds))
    assert run.returncode == 0 and run.stderr.startswith("cuarray: no findings"), run.stderr
