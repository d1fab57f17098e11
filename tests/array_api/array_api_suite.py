"""The tests that other libraries bring for array API namespaces, run on cuarray alone, and counted.

    python tests/array_api/array_api_suite.py [scipy] [sklearn]
    python tests/array_api/array_api_suite.py array_api_extra --checkout DIR

SciPy's and scikit-learn's are those of the installed wheels, array-api-extra's those of DIR, a checkout of
github.com/data-apis/array-api-extra, all unedited. Exit status 1: a test fails that failures.txt does not name, or a
row of it names none that fails. Needs, besides cuarray: pip install pytest scipy scikit-learn, and for the last
array-api-compat.
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
LIBRARIES = (*PACKAGES, "array_api_extra")
#: The fewest tests that must pass: those of a library that finds no namespace are skipped.
LEAST = {"scipy": 8000, "sklearn": 900, "array_api_extra": 1000}


def outcomes_of(library, checkout=None):
    """Run a library's tests; return {name: 'passed', 'skipped', 'failed' or 'error'}."""
    if checkout:
        tests, paths = [f"--rootdir={checkout}", f"{checkout}/tests/main"], [HERE, f"{checkout}/src"]
    else:
        tests, paths = ["-W", "ignore", "--pyargs", *(f"{library}.{name}" for name in PACKAGES[library])], [HERE]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "backend", "-p", "no:cacheprovider",
                   "--tb=short", f"--junitxml={report}", f"--library={library}", *tests]  # fmt: skip
        path = os.pathsep.join([*map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])])
        settings = {**os.environ, "PYTHONPATH": path, "SCIPY_ARRAY_API": "1", "OMP_NUM_THREADS": "1"}
        subprocess.run(command, cwd=folder, env=settings, check=False)
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
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=", ".join(LIBRARIES))
    parser.add_argument("--checkout", metavar="DIR", type=Path, help="of array-api-extra's repository")
    given = parser.parse_args()
    wrong = []
    for library in given.libraries or PACKAGES:
        if library not in PACKAGES and not given.checkout:
            parser.error(f"{library} has no tests in its wheel: give --checkout")
        checkout = None if library in PACKAGES else given.checkout.resolve()
        wrong += complaints(library, outcomes_of(library, checkout))
    print("\n".join(wrong) or "all failures are those of failures.txt")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
