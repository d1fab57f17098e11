"""The Python tests on cuda:0: parts of gpu_check.sh. suite.py suite|frameworks RESULTS SECONDS [PYTEST'S ARGUMENTS]

`suite` is a sample with every value of every parameter, of the tests that have the GPU's name in theirs; `frameworks`
are the tests of interoperation, a file after the other in one process. Named tests replace these.

Each test is written to a file when it begins and when it ends, so that nothing is lost if one of them hangs, or takes
the process along.
"""

import glob
import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import log_tests
from results import tell, unavailable

PART, FOLDER, SECONDS, *MORE = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), *sys.argv[4:]
SPARE = min(15.0, SECONDS / 3)  # of the part's time, for ending the tests and reading the log
SHOWN = 40  # failed tests in the results; the file of failed tests has all
FRAMEWORKS = "tests/python/test_interop_*.py"
OMITTED = ("tests/python/test_interop_mpi*.py",)  # these need an MPI library built for GPUs


def chosen():
    """Return pytest's arguments that choose the tests."""
    if any(not argument.startswith("-") for argument in MORE):
        return [*MORE, "-k", "cuda"]
    if PART == "frameworks":
        omitted = {name for pattern in OMITTED for name in glob.glob(pattern)}
        return [*MORE, *sorted(set(glob.glob(FRAMEWORKS)) - omitted)]
    return [*MORE, "-o", "testpaths=tests/python", f"--ignore-glob={Path(FRAMEWORKS).name}"]


def command():
    """Return pytest's command. Tests go to the workers one by one: a file may hold half of all compilations."""
    workers = []
    if importlib.util.find_spec("xdist") is not None:
        spread = "loadfile" if PART == "frameworks" else "worksteal"
        workers = ["-n", str(min(12, os.cpu_count())), "--dist", spread]
    options = ["-q", "-ra", "--strict-markers", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "log_tests"]
    return [sys.executable, "-m", "pytest", *options, *workers, *chosen()]


def run_tests(log, said):
    """Run pytest; return its exit status, or None if it had to be stopped."""
    here = str(Path(__file__).parent)
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, log_tests.VARIABLE: str(log), "PYTHONPATH": path}
    if PART == "suite":
        environment[log_tests.ONLY] = "cuda"
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):  # this may run in a test of another pytest
        environment.pop(name, None)
    run = subprocess.Popen(command(), env=environment, stdout=said, stderr=subprocess.STDOUT)
    # An interruption is for pytest, which then tells where its tests are; this process tells what has passed.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return run.wait(SECONDS - SPARE)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)
    try:
        run.wait(SPARE / 2)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
    return None


def main():
    if importlib.util.find_spec("pytest") is None:
        return unavailable(PART, "pytest is not installed; carry the folder of scripts/gpu_bundle.sh")
    log, output = FOLDER / f"{PART}.jsonl", FOLDER / f"{PART}.pytest.txt"
    log.unlink(missing_ok=True)
    with output.open("w", encoding="utf-8") as said:
        code = run_tests(log, said)
    counts, failed, unfinished = log_tests.read(log)
    (FOLDER / f"{PART}.failed.txt").write_text("".join(f"{name}\n" for name in [*failed, *unfinished]), "utf-8")
    if code is None:
        tell("time", "FAILED", f"the tests took more than {SECONDS - SPARE:.0f} s and were stopped")
    for name in unfinished[:SHOWN]:
        tell(name[-100:], "FAILED", "did not end")
    for name, why in list(failed.items())[:SHOWN]:
        tell(name[-100:], "FAILED", why.strip().rpartition("\n")[2])
    text = output.read_text("utf-8", errors="replace")
    print(text[-20_000:], file=sys.stderr)
    last = re.findall(r"^=*(.*(?:passed|failed|error).* in [\d.]+s.*?)=*$", text, re.MULTILINE)
    seen = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    detail = (
        last[-1].strip() if last else f"{seen}; pytest " + ("was stopped" if code is None else f"ended with {code}")
    )
    good = code == 0 and counts["passed"] > 0
    tell("tests", "passed" if good else "FAILED", detail, **counts, unfinished=len(unfinished))


main()
