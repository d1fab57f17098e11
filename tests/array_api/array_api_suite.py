"""The tests that SciPy and scikit-learn bring for array API namespaces, run on cuarray alone, and counted.

    python tests/array_api/array_api_suite.py [scipy] [sklearn]

Both are those of the installed wheels, unedited. Exit status 1: a test fails that failures.txt does not name, or a
row of it names none that fails. Needs, besides cuarray: pip install pytest scipy scikit-learn.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: The packages of each library that have such tests.
PACKAGES = {
    "scipy": "_lib cluster constants differentiate fft integrate optimize special stats".split(),
    "sklearn": """_loss decomposition.tests.test_pca linear_model metrics mixture model_selection preprocessing
        tests.test_calibration tests.test_discriminant_analysis tests.test_kernel_approximation tests.test_naive_bayes
        tests.test_pipeline utils""".split(),
}
#: The fewest tests that must pass: those of a library that finds no namespace are skipped.
LEAST = {"scipy": 8000, "sklearn": 900}


def outcomes_of(library):
    """Run a library's tests; return {name: 'passed', 'skipped', 'failed' or 'error'}."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "backend", "-p", "no:cacheprovider",
                   "--tb=short", f"--junitxml={report}", f"--library={library}", "--pyargs"]  # fmt: skip
        path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        settings = {**os.environ, "PYTHONPATH": path, "SCIPY_ARRAY_API": "1", "OMP_NUM_THREADS": "1"}
        subprocess.run(
            [*command, *(f"{library}.{name}" for name in PACKAGES[library])], cwd=folder, env=settings, check=False
        )
        found = {}
        for case in ET.parse(report).iter("testcase"):
            name = f"{case.get('classname')}::{case.get('name')}"
            marks = {child.tag for child in case}
            outcome = next((mark for mark in ("error", "failure", "skipped") if mark in marks), "passed")
            found[name] = outcome
        return found


def known_failures(library):
    """Return the patterns of failures.txt for a library."""
    rows = [line.split(" | ") for line in HERE.joinpath("failures.txt").read_text("utf-8").splitlines()]
    return [row[1] for row in rows if len(row) == 3 and row[0] == library]


def complaints(library, found):
    """Return what is wrong with the outcomes of a library's tests."""
    failed = [name for name, outcome in found.items() if outcome in ("failure", "error")]
    known = known_failures(library)
    passed = sum(outcome == "passed" for outcome in found.values())
    skipped = sum(outcome == "skipped" for outcome in found.values())
    print(f"{library}: {passed} pass, {len(failed)} fail, {skipped} are skipped")
    wrong = [f"{name} fails" for name in failed if not any(fnmatchcase(name, pattern) for pattern in known)]
    wrong += [f"no test of {row} fails" for row in known if not any(fnmatchcase(name, row) for name in failed)]
    if passed < LEAST[library]:
        wrong.append(f"{passed} tests of {library} passed, and not {LEAST[library]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=", ".join(PACKAGES))
    wrong = []
    for library in parser.parse_args().libraries or PACKAGES:
        wrong += complaints(library, outcomes_of(library))
    print("\n".join(wrong) or "all failures are those of failures.txt")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
