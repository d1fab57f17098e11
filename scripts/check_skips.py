"""Fail when a test was skipped that tests/skips.txt does not allow.

    python scripts/check_skips.py RUN REPORT.xml            check the skips of a pytest run
    python scripts/check_skips.py RUN REPORT.xml --list     print the skipped tests, for ``pytest @FILE``

RUN names the kind of run: ``plain`` (README's second command) or ``frameworks`` (everything installed).
REPORT.xml comes from ``pytest --junitxml=REPORT.xml``.
"""

import argparse
import sys
import xml.etree.ElementTree as ET
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SKIPS = ROOT / "tests" / "skips.txt"


class Skip(NamedTuple):
    """A skipped test and its reason."""

    test: str
    reason: str


class Allowance(NamedTuple):
    """A line of skips.txt: in which runs, which tests (a pattern), for which reason (a pattern)."""

    runs: list[str]
    tests: str
    reason: str

    def covers(self, run: str, skip: Skip) -> bool:
        return run in self.runs and fnmatchcase(skip.test, self.tests) and fnmatchcase(skip.reason, self.reason)


def read_allowances(text: str) -> list[Allowance]:
    """Read lines of the form ``RUN,RUN | TESTS | REASON``; ``#`` starts a comment."""
    allowances = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            runs, tests, reason = (part.strip() for part in line.split("|"))
            allowances.append(Allowance(runs.split(","), tests, reason))
    return allowances


def node_id(case: ET.Element) -> str:
    """Return the pytest node id of this test case.

    The report's ``file`` is the source of the function, which may be a module that generates tests for
    others, so the test's own module is taken from its class name.
    """
    name, parts = case.get("name", ""), case.get("classname", "").split(".")
    for length in range(len(parts), 0, -1):
        file = Path(*parts[:length]).with_suffix(".py")
        if (ROOT / file).exists():
            return "::".join([file.as_posix(), *parts[length:], name])
    return case.get("file", "")  # the whole module was skipped


def read_skips(report: Path) -> list[Skip]:
    """Return the skipped tests of a junit report; a test that is expected to fail counts as skipped."""
    skips = []
    for case in ET.parse(report).iter("testcase"):
        for skipped in case.iter("skipped"):
            # If a whole module was skipped, the reason is in the text.
            reason = f"{skipped.get('message', '')} {skipped.text or ''}"
            skips.append(Skip(node_id(case), " ".join(reason.split())))
    return skips


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", choices=["plain", "frameworks"])
    parser.add_argument("report", type=Path)
    parser.add_argument("--list", action="store_true", help="print the skipped tests, check nothing")
    options = parser.parse_args()

    skips = read_skips(options.report)
    if options.list:
        print("\n".join(dict.fromkeys(skip.test for skip in skips)))
        return 0
    allowances = read_allowances(SKIPS.read_text("utf-8"))
    refused = [s for s in skips if not any(a.covers(options.run, s) for a in allowances)]
    for skip in refused:
        print(f"skipped, and not listed in tests/skips.txt for {options.run} runs: {skip.test}: {skip.reason}")
    print(f"{len(skips)} skipped, {len(refused)} of them not allowed")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
