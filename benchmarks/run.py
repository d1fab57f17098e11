"""Compare cuarray with NumPy and others on this machine.

    python benchmarks/run.py [NAMES] [--json FILE]

Prints, for each measure, the best time of cuarray and of the peer in the same run, their ratio and the goal
of the ratio. Each measure runs in its own process.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent))

import calls  # noqa: F401, registers its measure
import deferral  # noqa: F401, registers its measure
import everyday  # noqa: F401, registers its measure
import frameworks  # noqa: F401, registers its measure
import interop  # noqa: F401, registers its measures
import libraries  # noqa: F401, registers its measures
import parallel  # noqa: F401, registers its measures
import planned_calls  # noqa: F401, registers its measure
import programs  # noqa: F401, registers its measure
import routines  # noqa: F401, registers its measures
from measures import MEASURES, THREADS
from race import Result

import cuarray as ca

#: Measures that raised.
FAILED: list[str] = []

THREAD_VARIABLES = ["CUARRAY_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"]


def formatted(value: float, unit: str) -> str:
    """A value with three digits and a suitable unit."""
    if unit == "B":
        return f"{value / 2**20:.1f} MiB"
    if unit != "s":
        return f"{value:.2f}"
    for factor, name in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if value * factor < 1000:
            return f"{value * factor:.3g} {name}"
    return f"{value:.3g} s"


def line(result: Result) -> str:
    least = "" if result.least is None else f"{result.least:.2f}x"
    verdict = "" if result.least is None else ("ok" if result.passed else "MISSED")
    return (
        f"{result.name:44} {formatted(result.ours, result.unit):>10} "
        f"{formatted(result.peer, result.unit):>10} "
        f"{result.ratio:7.2f}x {least:>6} {verdict:7} {result.peer_name} {result.note}"
    ).rstrip()


def run_measure(name: str) -> list[Result]:
    """Run one measure in its own process and return its results; one that fails gives none, and a line."""
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(THREADS[name]))}
    command = [sys.executable, __file__, "--in-process", name]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    results = []
    for text in tqdm(child.stdout, desc=name, unit=" results", leave=False, file=sys.stderr):
        results.append(Result(**json.loads(text)))
        tqdm.write(line(results[-1]))
    if child.wait() != 0:
        FAILED.append(name)
        tqdm.write(f"{name} failed")
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAMES", help=f"some of: {', '.join(MEASURES)}")
    parser.add_argument("--json", metavar="FILE", help="also write the results there")
    parser.add_argument("--in-process", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_process:
        for result in MEASURES[options.in_process]():
            print(json.dumps(asdict(result)), flush=True)
        return 0
    if unknown := set(options.names) - set(MEASURES):
        parser.error(f"no measure is called {', '.join(sorted(unknown))}; there are {', '.join(MEASURES)}")

    print(f"{'measure':44} {'cuarray':>10} {'peer':>10} {'ratio':>8} {'least':>6} {'':7} peer")
    results = {name: run_measure(name) for name in options.names or MEASURES}
    if options.json:
        record = {
            "cuarray": ca.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "machine": platform.processor() or platform.machine(),
            "results": {name: [{**asdict(r), "ratio": r.ratio} for r in rows] for name, rows in results.items()},
        }
        Path(options.json).write_text(json.dumps(record, indent=1))
    missed = sum(not result.passed for rows in results.values() for result in rows)
    print(f"{missed} of {sum(r.least is not None for rows in results.values() for r in rows)} goals missed")
    if FAILED:
        print(f"failed: {', '.join(FAILED)}")
    return 1 if missed or FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
