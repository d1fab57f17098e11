"""Times of simulated GPUs: the start, a kernel's first run and later ones; vector add beside Numba's own simulator.

    python benchmarks/simulated.py

Prints a line for each measure, the best of several runs, with its goal. Needs g++, NVRTC's wheel and numba-cuda.
"""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIMULATE = ["-m", "cuarray", "--simulate"]

START = "import cuarray\n"

# The program's argument makes the kernel one that nobody has compiled.
KERNEL = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "tests" / "cudasim")!r})
from driver_api import Driver
d = Driver()
x = d.alloc(4 << 10)
d.fill(x, 0, 1 << 10)
text = 'extern "C" __global__ void kernel(int* x) {{ x[threadIdx.x] += 0x%sull; }}' % sys.argv[1]
d.synchronize()
start = time.perf_counter()
d.launch(d.kernel(text, "kernel"), 1, 256, [x])
d.synchronize()
print(time.perf_counter() - start)
"""

VECTOR_ADD = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from numba import cuda

@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]

n = int(sys.argv[1])
x, y, out = (cuda.to_device(np.ones(n, np.float32)) for _ in range(3))
best = 1e9
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    add[(n + 255) // 256, 256](x, y, out)
    cuda.synchronize()
    best = min(best, time.perf_counter() - start)
assert (out.copy_to_host() == 2).all()
print(best)
"""


def run(text, *arguments, options=(), environment=()):
    """Run a program; return its seconds, and the last number that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(text, "utf-8")
        settings = {k: v for k, v in os.environ.items() if not k.startswith(("CUDASIM_", "CUARRAY_"))}
        settings |= {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "simulator"))), **dict(environment)}
        command = [sys.executable, "-W", "ignore", *options, str(program), *map(str, arguments)]
        start = time.perf_counter()
        done = subprocess.run(command, env=settings, capture_output=True, text=True)
        seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return seconds, float((done.stdout.split() or ["nan"])[-1])


def show(name, seconds, goal):
    print(f"{name:<56} {seconds:8.3f} s   goal {goal:g} s{'' if seconds <= goal else '   MISSED'}", flush=True)


def main():
    run(START, options=SIMULATE)  # builds the simulator
    plain = min(run(START)[0] for _ in range(5))
    show(
        "start of --simulate, over the script's own",
        min(run(START, options=SIMULATE)[0] for _ in range(5)) - plain,
        0.5,
    )
    names = [uuid.uuid4().hex[:7] for _ in range(3)]
    for name, goal in (("a kernel's first run", 2), ("the same kernel in another process", 0.1)):
        show(name, min(run(KERNEL, text, options=SIMULATE)[1] for text in names), goal)
    n = 1_000_000
    _, ours = run(VECTOR_ADD, n, 5, options=SIMULATE)
    show("Numba's vector add of 10^6", ours, 0.1)
    show("the same with --memcheck", run(VECTOR_ADD, n, 3, options=[*SIMULATE, "--memcheck"])[1], 2)
    few = n // 100
    _, theirs = run(VECTOR_ADD, few, 1, environment={"NUMBA_ENABLE_CUDASIM": "1"})
    ratio = theirs * n / few / ours
    print(
        f"Numba's CUDASIM, of 10^4: {theirs:.3f} s, for each element {ratio:.0f} times as long   goal 100", flush=True
    )


if __name__ == "__main__":
    main()
