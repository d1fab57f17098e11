"""suite.py -- runs NumPy's own installed test files against cuarray. Called by scripts/numpy_tests.sh.

    python tests/numpy_suite/suite.py [--jobs J] [--again] [--update] [--prune] [--show CLASS] [FILE...]

A test counts if it is portable: it passes with the stand-in (standin.py), which is NumPy with only numbers, 0-d arrays as
results, and no warnings. Every portable test that fails with cuarray must be matched by a row of failures.txt, and every row
must match tests that fail, and none that passes. A process runs one file; if it crashes or hangs, the test that ran is
a finding, and another process runs the tests after it. Outcomes are kept in build/numpy_tests: an interrupted run resumes,
--again starts from the beginning. With --update the counts in docs/conformance.md are written anew.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STATE = ROOT / "build" / "numpy_tests"
PATIENCE = 120  # seconds without an outcome

#: Test files of functions that cuarray has, relative to NumPy's folder. Others are about dtypes, text, dates, iterators,
#: and C interfaces of NumPy's own.
FILES = """
_core: abc api argparse array_api_info array_coercion array_interface arrayobject arrayprint casting_floatingpoint_errors
_core: casting_unittests conversion_utils dlpack einsum errstate finfo function_base getlimits half indexerrors indexing item_selection
_core: mem_overlap memmap multiarray multithreading nep50_promotions numeric numerictypes overrides print protocols regression scalar_methods
_core: scalarmath scalarprint shape_base ufunc umath umath_accuracy umath_complex
lib: array_utils arraypad arraysetops arrayterator format function_base histograms index_tricks io loadtxt mixins nanfunctions
lib: packbits polynomial regression shape_base stride_tricks twodim_base type_check ufunclike utils
linalg: deprecations linalg regression
fft: helper pocketfft
polynomial: chebyshev classes hermite hermite_e laguerre legendre polynomial polyutils printing symbol
random: direct generator_mt19937 generator_mt19937_regressions random randomstate randomstate_regression regression seed_sequence smoke
"""


def files():
    found = []
    for line in FILES.strip().splitlines():
        folder, _, names = line.partition(":")
        found += [f"{folder}/tests/test_{name}.py" for name in names.split()]
    return found


CLASSES = ("ours", "documented", "harness", "leniency")


class Row(NamedTuple):
    """A row of failures.txt: tests that are known to fail, by a pattern, and why."""

    file: str
    pattern: str
    kind: str
    reason: str

    @property
    def is_of_some(self):
        """Whether some of a test's parameters fail, and others do not."""
        return self.pattern.endswith("[some]")

    def matches(self, file, test):
        if self.is_of_some:
            return file == self.file and test.partition("[")[0] == self.pattern.removesuffix("[some]")
        return file == self.file and (
            test == self.pattern or fnmatch.fnmatchcase(test, self.pattern.replace("[", "[[]"))
        )


def rows():
    found = []
    for number, line in enumerate((HERE / "failures.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = line.split(" | ")
        if len(parts) != 3 or parts[1] not in CLASSES or "::" not in parts[0]:
            raise SystemExit(f"failures.txt:{number}: not `FILE::TEST | {' or '.join(CLASSES)} | reason`: {line}")
        file, _, pattern = parts[0].partition("::")
        found.append(Row(file, pattern, parts[1], parts[2]))
    return found


# ---- running -----------------------------------------------------------------------------------------------------------


def version(target):
    """Return what the outcomes of a target depend on, as far as it is looked at: NumPy and the harness, and our build."""
    digest = hashlib.sha256(np.__version__.encode())
    paths = [HERE / "standin.py", HERE / "substitution.py"]
    if target == "cuarray":
        import cuarray

        folder = Path(cuarray.__file__).parent
        paths += sorted([*folder.rglob("*.py"), *folder.rglob("*.so")])
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def lines(path):
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue  # cut off
    return found


def outcomes(path):
    """Return what a file of outcomes has: outcomes by test, the test that was running, and what could not be collected."""
    found, running, broken, collected = {}, None, None, []
    for line in lines(path):
        if "started" in line:
            running = line["started"]
        if "test" in line:
            if found.get(line["test"], {}).get("outcome") != "failed":
                found[line["test"]] = line
            running = None
        if "broken" in line:
            broken = line["text"]
        collected = line.get("collected", collected)
    return found, running, broken, collected


def run(target, file, again, wanted=None):
    """Run a file's tests, all or those that are wanted, in as many processes as it takes; returns their outcomes."""
    path = STATE / target / (file.replace("/", ".") + "l")
    stamp = path.with_suffix(".version")
    current = version(target)
    if again or not stamp.exists() or stamp.read_text() != current:
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(current)
    finished = path.with_suffix(".finished")
    if finished.exists() and path.exists() and finished.read_text() == current:
        return outcomes(path)
    while True:
        found, _, broken, _ = outcomes(path)
        code = child(target, file, path, [wanted, sorted(found)])
        found, running, broken, collected = outcomes(path)
        if code is None or code < 0 or (running and code not in (0, 1, 5)):
            what = "hang" if code is None else f"crash {signal.Signals(-code).name if code < 0 else code}"
            if not running:
                raise SystemExit(f"{file}: {what} outside a test, with {target}; output in {path.with_suffix('.log')}")
            with path.open("a") as out:
                out.write("\n" + json.dumps({"test": running, "outcome": "failed", "text": what, "line": ""}) + "\n")
            continue
        if not collected and not broken and code != 5:
            raise SystemExit(f"{file}: pytest ended with {code}; output in {path.with_suffix('.log')}")
        finished.write_text(current)
        return outcomes(path)


def child(target, file, path, plan):
    """Run tests of a file, [those wanted, those done], in a process; returns its exit status, or None if it hung."""
    path.with_suffix(".plan").write_text(json.dumps(plan))
    environment = {**os.environ, "NUMPY_TESTS_TARGET": target, "NUMPY_TESTS_OUTCOMES": str(path), "NPY_AVAILABLE_MEM": "1 GB",
                   "NUMPY_TESTS_PLAN": str(path.with_suffix(".plan")), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # fmt: skip
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(HERE)]))
    settings = path.with_suffix(".ini")
    settings.write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "substitution", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", str(settings),
               "--rootdir", str(Path(np.__file__).parent), "-m", "not slow", "-W", "ignore", "--tb=native", str(Path(np.__file__).parent / file)]  # fmt: skip
    folder = STATE / "work" / target / file.replace("/", ".")
    folder.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=log, stderr=subprocess.STDOUT, preexec_fn=limited
        )
        size, since = -1, time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            now = path.stat().st_size if path.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            if time.monotonic() - since > PATIENCE:
                process.kill()
                process.wait()
                return None
    return process.returncode


def limited():
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# ---- judging -----------------------------------------------------------------------------------------------------------


class Count(NamedTuple):
    """The counts of one file."""

    file: str
    portable: int
    passed: int
    failures: list  # (test, line, text, Row or None)
    stale: list  # (Row, test) that passes


def judge(file, table, again):
    """Run a file with the stand-in, then with cuarray."""
    portable = {test for test, line in run("standin", file, again)[0].items() if line["outcome"] == "passed"}
    found, _, broken, _ = run("cuarray", file, again, sorted(portable))
    missing = {"outcome": "failed", "text": f"not collected: {(broken or '').strip().splitlines()[-1:]}", "line": ""}
    own = [row for row in table if row.file == file]
    failures, stale = [], []
    for test in sorted(portable):
        line = found.get(test, missing)
        row = next((row for row in own if row.matches(file, test)), None)
        if line["outcome"] in ("passed", "xfailed"):
            stale += [(row, test)] if row and not row.is_of_some else []
        else:
            failures.append((test, line["line"], line["text"], row))
    return Count(file, len(portable), len(portable) - len(failures), failures, stale)


def section(counts):
    """Return the section of docs/conformance.md."""
    kinds = dict.fromkeys(CLASSES, 0)
    text = ["| file | portable tests | passed | " + " | ".join(CLASSES) + " |", "|---|" + "---|" * (2 + len(CLASSES))]
    total = [0, 0]
    for count in counts:
        mine = {kind: sum(row is not None and row.kind == kind for *_, row in count.failures) for kind in CLASSES}
        kinds = {kind: kinds[kind] + mine[kind] for kind in CLASSES}
        total = [total[0] + count.portable, total[1] + count.passed]
        if count.portable:
            text.append(
                f"| `{count.file}` | {count.portable:,} | {count.passed:,} | "
                + " | ".join(str(n or "") for n in mine.values())
                + " |"
            )
    share = f"{100 * total[1] / max(total[0], 1):.1f} %"
    text.append(f"| **all** | {total[0]:,} | {total[1]:,} ({share}) | " + " | ".join(map(str, kinds.values())) + " |")
    return "\n".join(text)


def prune(counts):
    """Remove the rows of the table that no failure needs."""
    used = {f"{row.file}::{row.pattern}" for count in counts for *_, row in count.failures if row}
    ran = {count.file for count in counts}
    path = HERE / "failures.txt"
    kept = [
        line
        for line in path.read_text().splitlines()
        if line.startswith("#") or line.split("::")[0] not in ran or line.split(" | ")[0] in used
    ]
    path.write_text("\n".join(kept) + "\n")


MARKS = "<!-- numpy_tests: generated by scripts/numpy_tests.sh --update -->", "<!-- end of numpy_tests -->"


def update(counts):
    path = ROOT / "docs" / "conformance.md"
    text = path.read_text()
    start, end = (re.escape(mark) for mark in MARKS)
    body = f"{MARKS[0]}\nNumPy {np.__version__}:\n\n{section(counts)}\n{MARKS[1]}"
    path.write_text(re.sub(f"{start}.*{end}", lambda _: body, text, flags=re.DOTALL))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="*", help="part of a file's name, such as lib/tests/test_io; all files otherwise")
    parser.add_argument("--jobs", "-n", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    parser.add_argument("--again", action="store_true", help="do not resume")
    parser.add_argument("--update", action="store_true", help="write the counts into docs/conformance.md")
    parser.add_argument("--prune", action="store_true", help="remove the rows of failures.txt whose tests pass")
    parser.add_argument("--show", choices=CLASSES, help="print the failures of a class")
    arguments = parser.parse_args()
    table = rows()
    chosen = [file for file in files() if not arguments.file or any(part in file for part in arguments.file)]
    counts = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for count in pool.map(lambda file: judge(file, table, arguments.again), chosen):
            counts.append(count)
            unknown = sum(row is None for *_, row in count.failures)
            print(
                f"{count.file}: {count.passed} of {count.portable} portable tests passed, {unknown} failures not classified",
                flush=True,
            )
    return report(counts, table, arguments)


def report(counts, table, arguments):
    """Print what is not as the table says; returns the exit status."""
    wrong = False
    for count in counts:
        for test, line, text, row in count.failures:
            if row is None or row.kind == arguments.show:
                wrong |= row is None
                print(
                    f"{'not classified' if row is None else row.kind}: {count.file}::{test}:{line}: {' '.join(text.split())[:300]}"
                )
        for row, test in count.stale:
            wrong = True
            print(f"passes, but is classified ({row.kind}): {count.file}::{test}")
    chosen = {count.file for count in counts}
    used = {id(row) for count in counts for *_, row in count.failures} | {
        id(row) for count in counts for row, _ in count.stale
    }
    for row in table:
        if row.file in chosen and id(row) not in used:
            wrong = True
            print(f"matches no portable test: {row.file}::{row.pattern}")
    if arguments.prune:
        prune(counts)
    if arguments.update and not arguments.file:
        update(counts)
    portable, passed = sum(count.portable for count in counts), sum(count.passed for count in counts)
    print(
        f"numpy_tests: NumPy {np.__version__}, {passed} of {portable} portable tests passed ({100 * passed / max(portable, 1):.1f} %)"
    )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
