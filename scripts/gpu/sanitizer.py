"""compute-sanitizer on a few kernels, if it works on this machine: a part of gpu_check.sh."""

import shutil
import subprocess
import sys
import time

from results import SIMULATED, tell, unavailable

BUDGET = 36  # seconds for all runs
TRIVIAL = "import cuarray as ca; x = ca.ones(1000, device='cuda:0'); print(float((x + 1).sum()))"
WORK = """
import cuarray as ca
x = ca.arange(30_000, dtype=ca.float32, device='cuda:0').reshape(100, 300)
y = (x.T * 2 + x.sum(axis=0)[:, None])[::3, ::-1]
print(float(y.sum()), y.argmax(axis=1).numpy()[:3], x.max(axis=1).numpy()[:3])
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
        tell(tool, "passed" if found.returncode == 0 else "FAILED", lines[-1].strip("= "))
        print(said[-3000:], file=sys.stderr)


main()
