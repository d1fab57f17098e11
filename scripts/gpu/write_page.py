"""Writes docs/measured_gpu.md from results of gpu_check.sh.

python scripts/gpu/write_page.py RESULTS...    results.json of one or more runs: of each part the last one
python scripts/gpu/write_page.py               the file that the page was made from, benchmarks/results/gpu.json
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from gpu_calls import CALLS

PAGE, KEPT = ROOT / "docs" / "measured_gpu.md", ROOT / "benchmarks" / "results" / "gpu.json"
PREDICTED = ROOT / "docs" / "gpu_performance.md"

HEAD = """# Measured on a GPU

`scripts/gpu_check.sh` on one {name} (driver {driver}, NVRTC {nvrtc}, Python {python}), {dates}; `python
scripts/gpu/write_page.py` makes this page of [its
results](https://github.com/cuarray/cuarray/tree/main/benchmarks/results/gpu.json). The machine was a virtual one with
16 cores; its calls of the driver are slow, see [below](#calls-of-the-driver). Nothing was measured on another GPU.

## Tests

{tests}

{notes}

Every `float32` function of one argument was compared with `float64` over all 2^32 values: the largest errors, in
units in the last place, are {ulps}. The GPU's arithmetic, square roots, remainders, roundings and conversions gave
the CPU's bits, sums too.

## Kernels

Each call on arrays of 2^26 elements (the table of `benchmarks/gpu_calls.py`), as a share of the pace of a copy:
{copy:.2f} TB/s, read and written. *bytes* are those that must be read or written at least, for an element. The
*instructions* are Nsight Compute's count for an element, and those that [the model](gpu_performance.md) predicts,
with the share that it predicts at most.

| call | time | bytes | share of a copy | predicted | instructions | predicted | kernels |
|---|--:|--:|--:|--:|--:|--:|--:|
{kernels}

## Time on the host

A call on arrays of 1000 `float32` (matrices of 32 x 32), in microseconds: what Python waits for. Only `x[W]` and
`float()` wait for the GPU. Each library runs eagerly, with its newest version there: CuPy 14.2, PyTorch 2.11, JAX
0.11.

| call | cuarray | CuPy | PyTorch | JAX |
|---|--:|--:|--:|--:|
{host}

## Beside CuPy, PyTorch and JAX

The best time of each, in microseconds, on large arrays; a number in bold is the fastest.

| call | cuarray | CuPy | PyTorch | JAX |
|---|--:|--:|--:|--:|
{beside}

## Calls of the driver

Through `ctypes`, which takes 0.5 us of each:

| call | time |
|---|--:|
{driver_calls}
"""


def rows(results, part):
    return {row["name"]: row for row in results["parts"].get(part, {}).get("rows", [])}


def merged(files):
    """Return the results of several runs as one: of each part those of the last run that has it."""
    found = {"parts": {}, "runs": [], "notes": ""}
    for file in files:
        results = json.loads(Path(file).read_text())
        found["machine"] = results["machine"]
        if "runs" not in results:
            found["runs"].append(results["machine"]["time"])
        else:
            found["runs"] = results["runs"]
        found["notes"] = results.get("notes", found["notes"])
        found["parts"] |= {
            name: {key: part[key] for key in ("result", "seconds", "rows")} for name, part in results["parts"].items()
        }
    return found


def predictions():
    """Return {call: (instructions, share on an H200)} of the page of predictions."""
    found = {}
    for line in PREDICTED.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 9 and re.fullmatch(r"[\d.]+", cells[1]):
            found[cells[0]] = cells[1], cells[4]
    return found


def kernels(results):
    counters, predicted = rows(results, "counters"), predictions()
    for name, row in rows(results, "kernels").items():
        if "share" not in row:
            continue
        instructions, share = predicted.get(name, ("", ""))
        counted = counters.get(name, {})
        of_call = f"{32 * counted['instructions'] / counted['elements']:.1f}" if "instructions" in counted else ""
        of_copy = "" if row["share"] is None else f"{row['share']:.0%}"
        cells = [
            name,
            f"{row['seconds'] * 1e6:.0f} us",
            f"{CALLS[name].bytes:g}",
            of_copy,
            share,
            of_call,
            instructions,
        ]
        yield f"| {' | '.join(cells)} | {counted.get('kernels', '')} |"


def beside(results, part, names=("cuarray", "cupy", "torch", "jax")):
    for name, row in rows(results, part).items():
        times = row.get("seconds")
        if not isinstance(times, dict):
            continue
        known = {key: t * 1e6 for key, t in times.items() if isinstance(t, float)}
        cells = []
        for key in names:
            text = f"{known[key]:.{2 if known[key] < 100 else 0}f}" if key in known else "-"
            cells.append(f"**{text}**" if known.get(key) == min(known.values()) else text)
        yield f"| `{name}` | {' | '.join(cells)} |"


def tests(results):
    lines = []
    for part, what in (("suite", "of the library"), ("frameworks", "of interoperation, with the libraries there")):
        row = rows(results, part).get("tests")
        if row:
            lines.append(
                f"- {row['passed']} tests {what} passed, {row['failed']} failed, {row['skipped']} were skipped."
            )
    return "\n".join(lines)


def page(results):
    device, accuracy = results["machine"]["device"], rows(results, "only_gpu")
    ulps = {name.split()[1]: row["ulp"] for name, row in accuracy.items() if "ulp" in row}
    largest = sorted(ulps.items(), key=lambda pair: -pair[1])
    copy = rows(results, "kernels")["copy bandwidth"]["bytes_per_second"]
    return HEAD.format(
        name=device["name"],
        driver=f"CUDA {device['driver_cuda_version']}",
        nvrtc=device["nvrtc"]["version"],
        python=results["machine"]["python"],
        dates=", ".join(sorted({run[:10] for run in results["runs"]})),
        tests=tests(results),
        notes=results["notes"],
        ulps=", ".join(f"{name} {ulp:.3g}" for name, ulp in largest if ulp < 100)
        + "".join(f"; {name} {ulp:.2g} beside its zeros" for name, ulp in largest if ulp >= 100),
        copy=copy / 1e12,
        kernels="\n".join(kernels(results)),
        host="\n".join(beside(results, "host_time")),
        beside="\n".join(beside(results, "benchmarks")),
        driver_calls="\n".join(
            f"| {name} | {row['seconds'] * 1e6:.2f} us |"
            for name, row in rows(results, "driver_costs").items()
            if "seconds" in row
        ),
    )


def main(files):
    results = merged(files or [KEPT])
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(results, indent=1) + "\n")
    PAGE.write_text(page(results))


if __name__ == "__main__":
    main(sys.argv[1:])
