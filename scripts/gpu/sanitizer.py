"""compute-sanitizer on a few kernels, if it works on this machine: a part of gpu_check.sh."""

import shutil
import subprocess
import sys
import time

from results import SIMULATED, tell, unavailable

BUDGET = 36  # seconds for all runs
TRIVIAL = "import cuarray as ca; x = ca.ones(1000, device='cuda:0'); print(float((x + 1).sum()))"
#: Every kind of kernel with memory that blocks or threads share.
WORK = """
import numpy as np
import cuarray as ca
same = np.testing.assert_array_equal
a = np.arange(30_000, dtype="f4").reshape(100, 300)
x = ca.asarray(a, device="cuda:0")
y = (x.T * 2 + x.sum(axis=0)[:, None])[::3, ::-1]                      # elementwise, reductions
same(y.numpy(), (a.T * 2 + a.sum(axis=0)[:, None])[::3, ::-1])
same(y.argmax(axis=1).numpy(), y.numpy().argmax(axis=1))
n = np.random.default_rng(0).permutation(70_000).astype("i4")
z = ca.asarray(n, device="cuda:0")
same(z.cumsum().numpy(), n.cumsum())                                   # scan
same(ca.cumsum(x, axis=0).numpy(), a.cumsum(axis=0, dtype="f4"))
same(ca.sort(z).numpy(), np.sort(n)), same(ca.argsort(z).numpy(), np.argsort(n))
same(ca.sort(x[:, ::-1], axis=1).numpy(), a)
same(z[z].numpy(), n[n]), same(ca.take(x, z[:50] % 100, axis=0).numpy(), a[n[:50] % 100])
same(z[z > 35_000].numpy(), n[n > 35_000]), same(ca.flatnonzero(z > 9).numpy(), np.flatnonzero(n > 9))
z[z % 1000] = 7                                                        # update
n[n % 1000] = 7
ca.add.at(z, ca.asarray(n % 100, device="cuda:0"), 3), np.add.at(n, n % 100, 3)
same(z.numpy(), n), same(ca.bincount(z % 50).numpy(), np.bincount(n % 50))
b = a[:, :100] % 7
with ca.deterministic():
    same((ca.asarray(b, device="cuda:0") @ (x % 5)).numpy(), b @ (a % 5))
print("done")
"""
TOOLS = {"memcheck": ["--track-stream-ordered-races", "all"], "racecheck": [], "synccheck": []}


def run(tool, options, program, seconds):
    command = [
        "compute-sanitizer",
        "--tool",
        tool,
        *options,
        "--error-exitcode",
        "77",
        sys.executable,
        "-c",
        program,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=max(seconds, 1))


def main():
    if SIMULATED:
        return unavailable("compute-sanitizer", "needs a GPU, and this one is simulated")
    if shutil.which("compute-sanitizer") is None:
        return unavailable("compute-sanitizer", "it is not installed")
    end = time.monotonic() + BUDGET
    try:
        probe = run("memcheck", [], TRIVIAL, 20)
    except subprocess.TimeoutExpired:
        return unavailable("compute-sanitizer", "a trivial kernel took more than 20 s")
    said = probe.stdout + probe.stderr
    if probe.returncode != 0 and "ERROR SUMMARY" not in said:
        last = [line for line in said.splitlines() if line.strip()][-1:]
        return unavailable("compute-sanitizer", f"it does not work here: {' '.join(last)[:200]}")
    for tool, options in TOOLS.items():
        try:
            found = run(tool, options, WORK, end - time.monotonic())
        except subprocess.TimeoutExpired:
            unavailable(tool, "no time was left")
            continue
        said = found.stdout + found.stderr
        lines = [line for line in said.splitlines() if "SUMMARY" in line] or ["no summary"]
        good = found.returncode == 0 and "done" in found.stdout.splitlines()
        tell(tool, "passed" if good else "FAILED", lines[-1].strip("= "))
        print(said[-3000:], file=sys.stderr)


if __name__ == "__main__":
    main()
