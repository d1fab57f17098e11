"""batches.py -- runs the cases of an engine in child processes, so that crashes and hangs are findings like others.

An engine is a module with NAME, `case(rng, device, trace)` and `replay(statements, device)`. The first makes and runs one case and
yields its findings, pairs of a Difference and the statements until then; `trace(statements)` records what is about to
run, for the parent to read if the child does not return. The second runs statements and returns their Differences.
"""

import argparse
import contextlib
import faulthandler
import gc
import mmap
import multiprocessing
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import judge
from judge import Difference, quiet
from minimise import minimise

import cuarray as ca

#: Seconds of processor time, and seconds in all, that one statement may take; instrumented code takes several times as
#: long.
IS_INSTRUMENTED = "libasan" in os.environ.get("LD_PRELOAD", "")
PATIENCE, WALL = (60.0, 240.0) if IS_INSTRUMENTED else (5.0, 60.0)
#: Findings of different kinds after which an engine stops.
ENOUGH = 400
#: The folder for files of cases; deleted with this process.
FOLDER = tempfile.TemporaryDirectory(prefix="cuarray-fuzz-")
HEADER = struct.Struct("qqq")
NUMPYS = 1 << 18  # offset in a note of the flag "NumPy is running"


class Note:
    """A child's current work, in shared memory that outlives it: case, a counter, and the statements."""

    def __init__(self):
        self.memory = mmap.mmap(-1, NUMPYS + 8)

    def watch(self):
        """In a child: record whether NumPy is running."""
        judge.watchers[:] = [lambda numpys: self.memory.__setitem__(NUMPYS, numpys)]

    def is_numpys(self):
        return bool(self.memory[NUMPYS])

    def write(self, index, count, statements=()):
        text = "\0".join(statements).encode()[-NUMPYS + 64 :]
        self.memory[HEADER.size : HEADER.size + len(text)] = text
        self.memory[: HEADER.size] = HEADER.pack(index, count, len(text))

    def read(self):
        index, count, size = HEADER.unpack(self.memory[: HEADER.size])
        text = self.memory[HEADER.size : HEADER.size + size].decode(errors="replace")
        return index, count, text.split("\0") if text else []


#: Contexts that last as long as the process.
CONTEXTS = contextlib.ExitStack()


def limit_memory(device, megabytes=1536):
    """Let large requests fail in this process. Sanitizers and drivers reserve terabytes: there, only arrays are limited."""
    if not IS_INSTRUMENTED and device == "cpu":
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)
    elif device == "cpu":
        CONTEXTS.enter_context(ca.memory.limit(megabytes << 20, device))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def processor_time(pid):
    """Return the CPU time of a process in seconds."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def run_cases(engine, seed, indices, device, note, pipe):
    """In a child: run cases until the parent ends it."""
    start_child(device)
    note.watch()
    count = 0
    for index in indices:

        def trace(statements, index=index):
            nonlocal count
            count += 1
            note.write(index, count, statements)

        trace([])
        try:
            for difference, statements in engine.case(random.Random(f"{seed}/{index}"), device, trace):
                pipe.send(("found", index, difference, statements))
        except MemoryError:
            gc.collect()  # this process's memory limit, while comparing two results; exceptions keep frames alive
        except Exception:
            pipe.send(("broken", f"case {index} of seed {seed}: {traceback.format_exc()}"))
            return
        pipe.send(("done", index))
    pipe.send(("end",))


def start_child(device):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.disable()  # the parent reports crashes
    quiet()
    limit_memory(device)
    ca.set_default_device(device)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)


class Child:
    """A process that runs cases, seen from the parent."""

    def __init__(self, engine, seed, indices, device):
        self.note = Note()
        self.note.write(-1, 0)
        context = multiprocessing.get_context("fork")
        self.pipe, other = context.Pipe(duplex=False)
        arguments = (engine, seed, indices, device, self.note, other)
        self.process = context.Process(target=run_cases, args=arguments, daemon=True)
        self.process.start()
        other.close()
        self.count, self.since, self.used = -1, time.monotonic(), 0.0

    def messages(self):
        with contextlib.suppress(EOFError, OSError):
            while self.pipe.poll(0):
                yield self.pipe.recv()

    def is_stuck(self):
        """Whether the running statement has exceeded its time."""
        _, count, _ = self.note.read()
        now, used = time.monotonic(), processor_time(self.process.pid)
        if count != self.count:
            self.count, self.since, self.used = count, now, used
        return used - self.used > PATIENCE or now - self.since > WALL

    def stop(self):
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()


def in_child(function, device, patience):
    """Return a function's result in a forked child, ("crash", signal) or ("hang",), or None if NumPy was running."""
    read, write = os.pipe()
    note = Note()
    pid = os.fork()
    if pid == 0:
        result = None
        try:
            os.close(read)
            start_child(device)
            note.watch()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            result = function()
        except Exception:
            result = None  # too short to run
        finally:
            os.write(write, repr(result).encode()[:60000])
            os._exit(0)
    os.close(write)
    start, ended, status = time.monotonic(), 0, 0
    while not ended:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            if processor_time(pid) > patience or time.monotonic() - start > 6 * patience:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                os.close(read)
                return None if note.is_numpys() else ("hang",)
            time.sleep(0.002)
    with os.fdopen(read, "rb") as file:
        text = file.read().decode()
    if status:
        code = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return None if note.is_numpys() else ("crash", code)
    try:
        return eval(text or "None", {"nan": float("nan"), "inf": float("inf")})
    except Exception:
        return None


def same_fault(kind, other):
    """Whether a smaller program fails in the same way as a larger one."""
    if kind[1:] != other[1:]:
        return False
    return kind[0] == other[0] or (other[0].startswith("fuse:") and (
        kind[0].startswith("fuse:") or kind[0] in other[0][5:].split("+")))  # fmt: skip


def distinct(kind):
    """Return the key by which findings are counted: a fused block only matters for differences of values."""
    return tuple(kind) if kind[1] == "value" else (kind[0].removeprefix("fuse:"), *kind[1:])


def shorten(engine, difference, statements, device, seconds):
    """Return the shortened program of a finding and its difference."""
    kind = tuple(difference.kind)
    if kind[1] in ("crash", "hang"):
        # Every candidate runs in its own process.
        patience = PATIENCE / 4 if kind[1] == "hang" else PATIENCE

        def fails(candidate):
            result = in_child(lambda: engine.replay(candidate, device) and None, device, patience)
            return isinstance(result, tuple) and result[0] == kind[1]

        return minimise(statements, fails, seconds), difference

    result = in_child(lambda: shorten_here(engine, difference, statements, device, seconds), device, seconds + PATIENCE)
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], list):
        return result[0], Difference(*result[1])
    return statements, difference


def shorten_here(engine, difference, statements, device, seconds):
    """Return the shortened program of a difference, run in this process, and its difference."""
    shown = difference

    def differs(candidate):
        nonlocal shown
        try:
            found = engine.replay(candidate, device)
        except Exception:
            return False  # too short to run
        for other in found:
            if same_fault(tuple(other.kind), tuple(difference.kind)):
                shown = other
                return True
        return False

    short = minimise(statements, differs, seconds)
    return short, tuple(shown)


def report(number, difference, statements, where, header):
    """Print a finding as a program that runs."""
    text = "\n".join(statements)
    print(f"\n--- {number}: {' '.join(map(str, difference.kind))}    ({where})")
    print(header(text) + text)
    print(f"# {difference.text}", flush=True)


def header(text):
    lines = "import numpy as np, cuarray as ca\n\nxp, fuse = ca, ca.fuse\n"
    return lines if "fuse" in text else "import numpy as np, cuarray as ca\n\nxp = ca\n"


def parse(engine):
    parser = argparse.ArgumentParser(description=engine.__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=None, help="stop after so many")
    parser.add_argument("--count", type=int, default=None, help="stop after so many cases")
    parser.add_argument("--seed", type=int, default=0, help="case k of a seed is always the same")
    parser.add_argument("--first", type=int, default=0, help="the case to begin with")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the cases")
    parser.add_argument("--shorten-seconds", type=float, default=20.0, help="for making one finding short")
    parser.add_argument(
        "--crashes", action="store_true", help="exit with 1 for crashes and hangs alone; print the rest"
    )
    if hasattr(engine, "restrict"):
        parser.add_argument("--only", type=engine.restrict, default=None, metavar="REGEX", help=engine.restrict.__doc__)
    arguments = parser.parse_args()
    if arguments.seconds is None and arguments.count is None:
        arguments.seconds = 60.0
    return arguments


def main(engine):
    """Run an engine from the command line; the exit status is 1 if there is a difference."""
    arguments = parse(engine)
    # Parsing has applied --only.
    options = {name: value for name, value in vars(arguments).items() if name not in ("only", "crashes")}
    findings, _ = explore(engine, **options)
    if arguments.crashes:
        findings = [found for found in findings if {"crash", "hang"} & set(found[0].kind)]
    return 1 if findings else 0


def warm():
    """Compute something, so that children are forked from an initialized process."""
    with ca.fuse():
        _ = (ca.zeros(3, device="cpu") + 1).tolist()


def explore(
    engine,
    *,
    seconds=None,
    count=None,
    seed=0,
    first=0,
    device="cpu",
    jobs=1,
    shorten_seconds=20.0,
    quietly=False,
    enough=ENOUGH,
):
    """Run cases and print the findings; returns them, as (Difference, statements), and the number of cases."""
    if device != "cpu":
        return explore_here(engine, seconds, count, seed, first, device, shorten_seconds, quietly)
    warm()
    start = last_word = time.monotonic()
    end = float("inf") if seconds is None else start + seconds
    stop = sys.maxsize if count is None else first + count
    children = [Child(engine, seed, range(first + k, stop, jobs), device) for k in range(jobs)]
    findings, kinds, done = [], {}, 0

    def finding(index, difference, statements):
        kind = distinct(difference.kind)
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] > 1 or len(findings) >= enough:
            return
        short, shown = shorten(engine, difference, statements, device, shorten_seconds)
        findings.append((shown, short))
        for child in children:
            child.since = time.monotonic()  # the child may have waited for this process
        where = f"seed {seed}, case {index}, after {time.monotonic() - start:.1f} s"
        if not quietly:
            report(len(findings), shown, short, where, getattr(engine, "header", header))

    try:
        while children and time.monotonic() < end and len(findings) < enough:
            for child in list(children):
                alive = child.process.is_alive()
                ended = False
                for message in child.messages():
                    if message[0] == "found":
                        finding(*message[1:])
                    if message[0] == "broken":
                        raise RuntimeError(f"{engine.NAME}: the engine itself failed, {message[1]}")
                    done += message[0] == "done"
                    ended |= message[0] == "end"
                if ended:
                    child.stop()
                    children.remove(child)
                elif not alive or child.is_stuck():
                    index, _, statements = child.note.read()
                    code = child.process.exitcode if not alive else None
                    child.stop()
                    children.remove(child)
                    difference = None if child.note.is_numpys() else gone(engine, code, statements)
                    if difference:
                        finding(index, difference, statements)
                    again = Child(engine, seed, range(index + jobs, stop, jobs), device)
                    children.append(again)
                    done += 1
            if not quietly and time.monotonic() - last_word > 10:
                last_word = time.monotonic()
                print(f"{engine.NAME}: {done} cases, {len(findings)} kinds of findings, {last_word - start:.0f} s",
                      file=sys.stderr, flush=True)  # fmt: skip
            time.sleep(0.01)
    finally:
        for child in children:
            child.stop()
    taken = time.monotonic() - start
    if not quietly:
        print(f"\n{engine.NAME}: seed {seed}, {done} cases in {taken:.1f} s ({done / max(taken, 1e-9):.0f}/s) on {device}, "
              f"{len(findings)} kinds of findings in {sum(kinds.values())}", flush=True)  # fmt: skip
    return findings, done


def explore_here(engine, seconds, count, seed, first, device, shorten_seconds, quietly):
    """As explore, in this process: drivers do not survive forks."""
    quiet()
    ca.set_default_device(device)
    start = time.monotonic()
    findings, kinds, index = [], set(), first
    while (count is None or index < first + count) and (seconds is None or time.monotonic() < start + seconds):
        for difference, statements in engine.case(random.Random(f"{seed}/{index}"), device, lambda _: None):
            kind = distinct(difference.kind)
            if kind in kinds:
                continue
            kinds.add(kind)
            short, shown = shorten_here(engine, difference, statements, device, shorten_seconds)
            findings.append((Difference(*shown), short))
            if not quietly:
                where = f"seed {seed}, case {index}, after {time.monotonic() - start:.1f} s"
                report(len(findings), *findings[-1], where, getattr(engine, "header", header))
        index += 1
    if not quietly:
        print(f"\n{engine.NAME}: seed {seed}, {index - first} cases in {time.monotonic() - start:.1f} s on {device}, "
              f"{len(findings)} kinds of findings", flush=True)  # fmt: skip
    return findings, index - first


def gone(engine, code, statements):
    """Return the Difference of a child that died in cuarray with an exit code, or that hung (None)."""
    what = engine.function_of(statements) if statements else "?"
    if code is None:
        return Difference((what, "hang"), f"no answer after {PATIENCE:.0f} s of processor time")
    name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
    return Difference((what, "crash", name), f"the process ended: {name}")
