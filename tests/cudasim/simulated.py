"""Runs small programs on the simulator, each in its own process; shared by all tests of this folder."""

import functools
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "simulator" / "cuarray_simulator"
SOURCES = PACKAGE / "sources"

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

# Kernels that most programs use.
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

# Every block adds its part; the last block adds the parts. LAST is a placeholder.
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


@functools.cache
def environment():
    """The environment that `run` makes; computed once, since every test needs several processes."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    # Settings that a test does not make have their defaults, also when the tests themselves run on simulated GPUs.
    kept = {"CUDASIM_CACHE_DIR", "CUDASIM_CXX", "CUDASIM_REAL_NVRTC", "CUDASIM_RUNS"}
    plain = {k: v for k, v in os.environ.items() if not k.startswith("CUDASIM_") or k in kept}
    show = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
    return json.loads(
        subprocess.run([str(HERE / "run"), *show], env=plain, capture_output=True, text=True, check=True).stdout
    )


def run(program, expect=0, **settings):
    """Runs a program on the simulator; returns its standard output and error."""
    env = dict(environment(), CUDASIM_SEED="1")
    env.update({"CUDASIM_" + key.upper(): str(value) for key, value in settings.items()})
    text = PREAMBLE.format(here=str(HERE)) + f"FILL = {FILL!r}\n" + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True)
    if expect is not None:
        assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout, done.stderr
