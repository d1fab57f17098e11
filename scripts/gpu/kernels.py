"""The calls of benchmarks/gpu_calls.py on a GPU: their share of a copy's pace; a part of gpu_check.sh.

kernels.py [--side S]      times
kernels.py --count FILE    counters of Nsight Compute (ncu): instructions an element, registers, bytes from memory
"""

import argparse
import csv
import ctypes
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from results import SIMULATED, tell, unavailable
from timing import seconds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import gpu_calls

import cuarray as ca

METRICS = {
    "gpu__time_duration.sum": "time",
    "smsp__inst_executed.sum": "instructions",
    "dram__bytes.sum": "bytes",
    "launch__registers_per_thread": "registers",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "issue",
    "l1tex__data_bank_conflicts_pipe_lsu.sum": "conflicts",
}
OF_LARGEST = {"registers", "occupancy", "issue"}  # of a call's kernels; the others are sums
COUNT_SIDE = 4096  # every kernel runs several times for the counters


def wait():
    ca.synchronize("cuda:0")


def prepared(names, call):
    """Return the call of the table as a function, its operands made."""
    local = dict(names)
    exec(call.setup, local)
    return eval(f"lambda: {call.call}", local)


def copy_bandwidth():
    source = ca.ones(1 << 26, dtype="f4", device="cuda:0")
    target = ca.empty_like(source)
    return 2 * source.nbytes / seconds(lambda: ca.copyto(target, source), wait)


def time_calls(side):
    names = gpu_calls.make_names(side)
    copy = copy_bandwidth()
    tell("copy bandwidth", "passed", f"{copy / 1e12:.2f} TB/s, read and written", bytes_per_second=copy)
    for name, call in gpu_calls.CALLS.items():
        try:
            taken = seconds(prepared(names, call), wait, 0.01)
        except Exception as error:
            tell(name, "FAILED", f"{type(error).__name__}: {error}")
            continue
        elements = call.size(side)
        if call.bytes:
            share = elements * call.bytes / taken / copy
            detail = f"{taken * 1e6:.0f} us, {share:.0%} of a copy"
        else:
            share, detail = None, f"{taken * 1e6:.0f} us, {2 * elements / taken / 1e12:.2f} T operations/s"
        tell(name, "passed", detail, seconds=taken, share=share)


# Counters


def run_once(side):
    """Run every call once, between calls of the profiler, and a marker before each: the program that ncu looks at."""
    driver, names = ctypes.CDLL("libcuda.so.1"), gpu_calls.make_names(side)
    x = ca.ones(7, dtype="f4", device="cuda:0")

    def marker():  # a kernel that no call of the table launches
        ca.spacing(x, out=x)

    marker()
    for call in gpu_calls.CALLS.values():
        function = prepared(names, call)
        function()
        wait()
        driver.cuProfilerStart()
        marker()
        function()
        wait()
        driver.cuProfilerStop()


def read_counters(lines):
    """Return for each marker the sums of the metrics of the kernels that follow; the largest of registers."""
    rows = csv.DictReader(line for line in lines if line.startswith('"'))
    kernels = defaultdict(dict)
    for row in rows:
        kernels[int(row["ID"])][row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
        kernels[int(row["ID"])]["kernel"] = row["Kernel Name"]
    found = []
    for number in sorted(kernels):
        if "spacing" in kernels[number]["kernel"]:
            found.append([])
        elif found:
            found[-1].append(kernels[number])
    return found


def count_calls(path, side):
    """Run this program under ncu; print the counters of each call."""
    if shutil.which("ncu") is None:
        return unavailable("counters", "Nsight Compute's ncu is not installed")
    command = [
        "ncu", "--csv", "--page", "details", "--print-units", "base", "--clock-control", "none",
        "--profile-from-start", "off", "--target-processes", "application-only",
        "--log-file", path, "--metrics", ",".join(METRICS),
        sys.executable, __file__, "--run-once", "--side", str(side),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
    found = read_counters(Path(path).read_text().splitlines()) if Path(path).exists() else []
    if not found:
        return unavailable("counters", f"ncu gave none, status {done.returncode}")
    for (name, call), kernels in zip(gpu_calls.CALLS.items(), found, strict=False):
        elements = call.size(side)
        sums = {
            short: (max if short in OF_LARGEST else sum)([kernel.get(metric, 0) for kernel in kernels] or [0])
            for metric, short in METRICS.items()
        }
        tell(
            name,
            "passed",
            f"{32 * sums['instructions'] / elements:.1f} instructions, {sums['bytes'] / elements:.1f} bytes each; "
            f"{sums['registers']:.0f} registers, {sums['occupancy']:.0f} % occupied, {sums['issue']:.0f} % issue; "
            f"{32 * sums['conflicts'] / elements:.2f} conflicts; {len(kernels)} kernels, {sums['time'] / 1e3:.0f} us",
            elements=elements,
            kernels=len(kernels),
            **sums,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int)
    parser.add_argument("--count", metavar="FILE")
    parser.add_argument("--run-once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if SIMULATED and not options.side:
        return unavailable("kernels", "need a GPU, and this one is simulated")
    if options.run_once:
        return run_once(options.side)
    if options.count:
        return count_calls(options.count, options.side or COUNT_SIDE)
    return time_calls(options.side or gpu_calls.TIMED_SIDE)


if __name__ == "__main__":
    main()
