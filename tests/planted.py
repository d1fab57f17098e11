"""Planting bugs: the machinery of tests/mutants.py and of the mutants.py of tests/host, oracle and cudasim.

A mutant is a change of one place in the sources. It is caught when one of its tests, which pass without it,
fails with it. Works on a copy of the tree (scripts/scratch_tree.py), with --jobs on several. Results are kept in
build/planted: an interrupted run is resumed, and a result is valid while the mutant and its file are unchanged.
"""

import argparse
import fcntl
import hashlib
import json
import os
import random
import re
import shlex
import subprocess
import sys
import threading
import time
from datetime import date
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import embed_kernels
import scratch_tree

# pytest's exit status for "some tests failed"; the others mean that nothing was tested.
TESTS_FAILED = 1
# A bug may cause an endless wait.
SECONDS = 900

# What the prefix of a test command selects.
SIMULATED = {"sim": "text", "ptx": "ptx"}

KERNEL_TEXT = scratch_tree.SCRATCH / "build" / "generated" / "kernel_text.cpp"


class Mutant(NamedTuple):
    """A bug: in `file` the text `old`, which occurs `copies` times, becomes `new` at the `nth` place.

    `tests` are arguments of pytest, one string or several that are tried in turn; "sim ..." runs on simulated
    GPUs, "ptx ..." with kernels made from PTX. With `text_only`, only the source for NVRTC changes, so that no host
    loop is recompiled. The tests `hidden_from` must pass with the bug. It is planted where the processor has the flag
    `needs`.
    """

    name: str
    file: str
    old: str
    new: str
    tests: str | tuple[str, ...]
    nth: int = 0
    copies: int = 1
    text_only: bool = False
    hidden_from: str = ""
    needs: str = ""

    def runs_here(self) -> bool:
        return not self.needs or self.needs in Path("/proc/cpuinfo").read_text("utf-8").split()

    def commands(self) -> tuple[str, ...]:
        return (self.tests,) if isinstance(self.tests, str) else self.tests

    def target(self) -> str:
        """The build target: libcuarray alone for its own sources and for kernel text, and for Python files."""
        parts = ("src/bindings/", "src/host/loops/")
        is_own = self.file.endswith(".cpp") and not self.file.startswith(parts)
        return "cuarray" if self.text_only or is_own or self.file.endswith(".py") else "all"

    def planted_in(self, text: str) -> str:
        parts = text.split(self.old)
        if len(parts) != self.copies + 1:
            raise LookupError(f"{self.file} holds the old text {len(parts) - 1} times, not {self.copies}")
        head, tail = parts[: self.nth + 1], parts[self.nth + 1 :]
        return self.old.join(head) + self.new + self.old.join(tail)


def run_tests(tests: str) -> tuple[int, str, str]:
    """Run pytest on the scratch tree up to the first failure; return its exit status, the failed test, and the output.

    The status is negative after a crash, and 1 after a hang. The failed test, where known, can be passed to
    this function again.
    """
    words = shlex.split(tests)
    simulated = words[0] in SIMULATED
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *words[simulated:]]
    runs = f"CUDASIM_RUNS={SIMULATED.get(words[0])}"
    simulator = ["env", runs, sys.executable, "tests/cudasim/run"] if simulated else []
    try:
        run = scratch_tree.run([*simulator, *pytest], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return TESTS_FAILED, tests, "hangs"
    said = (run.stdout + run.stderr)[-2000:]
    # Parameters in a test's name may have spaces, hyphens and brackets.
    failed = re.search(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?= - |$)", run.stdout, re.MULTILINE)
    if not failed:
        return run.returncode, tests, said
    return run.returncode, f"{words[0]} " * simulated + shlex.quote(failed[1]), said


def write_planted(mutant: Mutant, text: str, planted: str) -> tuple[Path, str]:
    """Plant the bug in the scratch tree; return the changed file and its previous contents."""
    if mutant.text_only:
        file, before = KERNEL_TEXT, KERNEL_TEXT.read_text("utf-8")
        after = before.replace(embed_kernels.literal(text), embed_kernels.literal(planted))
        if after == before:
            raise LookupError(f"{mutant.file} is not among the texts that NVRTC gets")
    else:
        file, before, after = scratch_tree.SCRATCH / mutant.file, text, planted
    file.write_text(after, "utf-8")
    return file, before


class Verdict(NamedTuple):
    """Whether a bug was caught, and by which test, or the error."""

    is_caught: bool
    text: str


def plant(mutant: Mutant, sound: set[str], before_it: Mutant | None) -> Verdict:
    """Plant one bug, rebuild it and the one `before_it`, test, and revert it.

    `sound` are the tests known to pass without bugs.
    """
    text = (scratch_tree.SCRATCH / mutant.file).read_text("utf-8")
    try:
        file, before = write_planted(mutant, text, mutant.planted_in(text))
    except LookupError as error:
        return Verdict(False, str(error))
    try:
        if before_it and before_it.target() != mutant.target():
            scratch_tree.build(before_it.target())
        scratch_tree.build(mutant.target())
        for tests in mutant.commands():
            status, failed, said = run_tests(tests)
            if status > TESTS_FAILED:
                return Verdict(False, f"pytest {tests} ended with status {status}: nothing was tested\n{said}")
            if status != 0:
                break
        else:
            commands = ", ".join(mutant.commands())
            return Verdict(False, f"survived: pytest {commands} passes with the bug")
        if mutant.hidden_from and run_tests(mutant.hidden_from)[0] != 0:
            return Verdict(False, f"pytest {mutant.hidden_from} fails with the bug, too, and should not")
    except scratch_tree.BuildError as error:
        return Verdict(False, f"the mutant does not compile:\n{error}")
    finally:
        file.write_text(before, "utf-8")
    if failed not in sound:
        scratch_tree.build(mutant.target())
        status, _, trouble = run_tests(failed)
        if status != 0:
            return Verdict(False, f"pytest {failed} fails without the bug, too:\n{trouble}")
        sound.add(failed)
    return Verdict(True, failed)


class Results:
    """The results of earlier runs, in build/planted."""

    def __init__(self, name: str) -> None:
        self.file = scratch_tree.ROOT / "build" / "planted" / f"{name}.json"
        self.found = json.loads(self.file.read_text()) if self.file.exists() else {}

    @staticmethod
    def key(mutant: Mutant) -> str:
        text = (scratch_tree.ROOT / mutant.file).read_text("utf-8")
        bug = mutant._replace(tests="")  # a change of its tests keeps the result: a caught bug stays caught
        return hashlib.sha256(repr((bug, text)).encode()).hexdigest()[:24]

    def known(self, mutant: Mutant) -> Verdict | None:
        """The verdict if the bug was caught; other bugs are tested again."""
        verdict = Verdict(*self.found.get(self.key(mutant), (False, "")))
        return verdict if verdict.is_caught else None

    def note(self, mutant: Mutant, verdict: Verdict) -> None:
        """Add a verdict to the file, which others may write meanwhile."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            self.found = {**json.loads(file.read() or "{}"), self.key(mutant): verdict}
            file.truncate(0)
            file.write(json.dumps(self.found, indent=1))


def choose(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """The mutants of the given names, of one shard, or a selection by date."""
    if options.names:
        known = {mutant.name: mutant for mutant in mutants}
        return [known[name] for name in options.names]
    if options.shard:
        part, parts = map(int, options.shard.split("/"))
        return mutants[part::parts]
    if options.pick is None:
        return mutants
    return random.Random(date.today().toordinal()).sample(mutants, min(options.pick, len(mutants)))


def run_jobs(chosen: list[Mutant], jobs: int, again: bool) -> int:
    """Share the mutants among processes with scratch trees of their own; return how many were caught."""
    caught, lock = 0, threading.Lock()

    def run_part(k: int) -> None:
        nonlocal caught
        command = [sys.executable, sys.argv[0], *["--again"] * again, *(mutant.name for mutant in chosen[k::jobs])]
        environment = {**os.environ, "CUARRAY_SCRATCH": f"scratch-{k}"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
            for line in child.stdout:
                total = re.fullmatch(r"(\d+) of \d+ caught\n", line)
                with lock:
                    if total:
                        caught += int(total[1])
                    else:
                        print(line, end="", flush=True)

    threads = [threading.Thread(target=run_part, args=(k,)) for k in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return caught


def main(name: str, mutants: list[Mutant], doc: str) -> int:
    """The command line of a table of mutants; its last line is the number of caught ones."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pick", type=int, metavar="N", help="N of them, chosen by the date")
    parser.add_argument("--shard", metavar="K/N", help="the K-th of N parts, K from 0")
    parser.add_argument("--list", action="store_true", help="only print their names")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs have found")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="on N scratch trees at once")
    options = parser.parse_args()
    chosen = choose(mutants, options)
    if not chosen:
        sys.exit("mutants: the table is empty")
    if options.list:
        print("\n".join(f"{mutant.name:48} {mutant.file}" for mutant in chosen))
        return 0

    without = [mutant for mutant in chosen if not mutant.runs_here()]
    for mutant in without:
        print(f"{mutant.name:48} not planted: the processor has no {mutant.needs}", flush=True)
    chosen = [mutant for mutant in chosen if mutant not in without]
    if options.jobs > 1:
        caught = run_jobs(chosen, min(options.jobs, len(chosen)), options.again)
        print(f"{caught} of {len(chosen)} caught")
        return 0 if caught == len(chosen) else 1

    results, sound, survivors = Results(name), set[str](), 0
    last: Mutant | None = None
    known = {} if options.again else {mutant: results.known(mutant) for mutant in chosen}
    if not all(known.get(mutant) for mutant in chosen):
        scratch_tree.refresh()
        scratch_tree.configure()
        KERNEL_TEXT.unlink(missing_ok=True)  # a killed run may have left a bug in it
        scratch_tree.build()
    for mutant in chosen:
        start, verdict = time.monotonic(), known.get(mutant)
        if not verdict:
            verdict = plant(mutant, sound, last)
            last = mutant
            results.note(mutant, verdict)
        survivors += not verdict.is_caught
        seconds = time.monotonic() - start
        print(f"{mutant.name:48} {seconds:5.0f} s  {'caught by ' * verdict.is_caught}{verdict.text}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} caught")
    return 1 if survivors else 0
