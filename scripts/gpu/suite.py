"""The Python tests on cuda:0: a part of gpu_check.sh. Arguments beside --junit go to pytest."""

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from results import SIMULATED, tell, unavailable

junit = sys.argv[sys.argv.index("--junit") + 1]
more = [argument for argument in sys.argv[1:] if argument not in ("--junit", junit)]
if importlib.util.find_spec("pytest") is None:
    unavailable("suite", "pytest is not installed; carry the folder of scripts/gpu_bundle.sh")
    sys.exit(0)
workers = "0" if SIMULATED or importlib.util.find_spec("xdist") is None else str(min(12, os.cpu_count()))
command = [
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "-k",
    "cuda",
    f"--junitxml={junit}",
]
if workers != "0":
    command += ["-n", workers]
# Stopped before the part's own limit, so that the tests that ran are known.
try:
    run = subprocess.run([*command, *(more or ["tests/python"])], timeout=160, capture_output=True, text=True)
    said, code = run.stdout + run.stderr, run.returncode
except subprocess.TimeoutExpired as stopped:
    said, code = (stopped.stdout or b"").decode(), 1
    tell("time", "FAILED", "the tests took more than 160 s and were stopped")
print(said, file=sys.stderr)
cases = ET.parse(junit).getroot().iter("testcase") if Path(junit).exists() else []
counts = {"passed": 0, "failed": 0, "skipped": 0}
for case in cases:
    bad = case.find("failure") is not None or case.find("error") is not None
    counts["failed" if bad else "skipped" if case.find("skipped") is not None else "passed"] += 1
    if bad and counts["failed"] <= 40:
        tell(f"{case.get('classname')}.{case.get('name')}"[-100:], "FAILED")
summary = re.findall(r"^\d+ (?:passed|failed).*$|^.*(?:passed|failed|error).* in [\d.]+s.*$", said, re.MULTILINE)
good = code == 0 and counts["passed"] > 0
tell("tests", "passed" if good else "FAILED", summary[-1] if summary else f"pytest ended with {code}", **counts)
