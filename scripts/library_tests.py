"""The tests that numba-cuda and Warp bring in their wheels, on simulated GPUs.

    python scripts/library_tests.py numba [PATTERN] [--jobs N] [--json FILE]
    python scripts/library_tests.py warp [PATTERN]

Each module of tests runs in a process of its own; tests that fail run again, each alone, because an error of a kernel
fails all that follow it in its process. Prints a line for each module, and the tests that fail alone with the reason.
numba-cuda's tests need filecheck and cffi, too.
"""

import argparse
import fnmatch
import importlib.util
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600
#: A line of `unittest -v`: the test, its class, and what became of it.
RESULT = re.compile(
    r"^(\w+) \(([\w.]+)\).*?\.\.\. .*?(ok|FAIL|ERROR|skipped|expected failure|unexpected success)", re.M | re.S
)


def modules_of(library):
    """The names of the library's modules of tests."""
    package, folders = {
        "numba": ("numba_cuda", ["numba.cuda.tests." + f for f in ("cudadrv", "cudapy", "doc_examples", "nrt")]),
        "warp": ("warp", ["warp.tests"]),
    }[library]
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise SystemExit(f"{package} is not installed")
    base = Path(spec.origin).parent
    for folder in folders:
        path = base.joinpath(*folder.split(".")[0 if library == "numba" else 1 :])
        yield from sorted(f"{folder}.{file.stem}" for file in path.glob("test_*.py"))


def run(names, seconds=SECONDS):
    """Run tests by name; return what became of each, and the output."""
    settings = {
        k: v for k, v in os.environ.items() if not k.startswith(("CUDASIM_", "CUARRAY_")) or k == "CUDASIM_CACHE_DIR"
    }
    settings |= {
        "PYTHONPATH": os.pathsep.join(
            [str(ROOT), str(ROOT / "simulator"), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",
    }
    command = [sys.executable, "-W", "ignore", "-m", "cuarray", "--simulate", "-m", "unittest", "-v", *names]
    try:
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=seconds)
        output = done.stderr + done.stdout
    except subprocess.TimeoutExpired as error:
        output = (
            "".join(part.decode(errors="replace") for part in (error.stderr, error.stdout) if part) + "\ntimed out\n"
        )
    found = {}
    for test, place, result in RESULT.findall(output):
        name = place if place.endswith("." + test) else f"{place}.{test}"
        found[name] = result
    return found, output


def last_line(output):
    """The error that ended a test: the simulator's own words where there are any."""
    if unknown := re.search(r"does not know: (.*)", output):
        return unknown[1][:300]
    lines = [
        line
        for line in output.splitlines()
        if re.match(r"[\w.]*(Error|Exception|Skip|Timeout)\w*:|cudasim: .*|timed out", line)
    ]
    return (lines or ["no result"])[-1][:300]


def test_module(name):
    """Run a module, and what fails again alone: counts, and the reasons of failures."""
    found, output = run([name])
    if not found and "Ran 0 tests" in output:
        return {"module": name, "results": {}, "failures": {}}
    if not found:
        return {"module": name, "results": {}, "failures": {name: last_line(output)}}
    failures = {}
    for test in [test for test, result in found.items() if result in ("FAIL", "ERROR", "unexpected success")]:
        alone, output = run([test], 120)
        found[test] = next(iter(alone.values()), "ERROR")
        if found[test] in ("FAIL", "ERROR", "unexpected success"):
            failures[test] = last_line(output)
    return {"module": name, "results": found, "failures": failures}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=("numba", "warp"))
    parser.add_argument("pattern", nargs="?", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json")
    options = parser.parse_args()
    names = [name for name in modules_of(options.library) if fnmatch.fnmatch(name, f"*{options.pattern}*")]
    passed = skipped = failed = 0
    reports = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for report in pool.map(test_module, names):
            reports.append(report)
            results = list(report["results"].values())
            good = sum(result in ("ok", "expected failure") for result in results)
            passed, skipped, failed = (
                passed + good,
                skipped + results.count("skipped"),
                failed + len(report["failures"]),
            )
            print(f"{report['module']}: {good} of {len(results) - results.count('skipped')} pass", flush=True)
            for test, reason in report["failures"].items():
                print(f"    {test}: {reason}", flush=True)
            if options.json:
                Path(options.json).write_text(json.dumps(reports, indent=1), "utf-8")
    print(f"{passed} pass, {failed} fail, {skipped} are skipped")


if __name__ == "__main__":
    main()
