"""Runs inputs in forked children, reports which one crashed, hung or failed, and minimizes it.

An input is a family and the fields in which it differs from the plain, harmless input of that family. A family has
``name``, ``make(rng) -> fields`` and ``run(fields)``, which raises Fault where the library did something wrong.
"""

import gc
import json
import mmap
import os
import random
import select
import signal
import struct
import time

#: Seconds after which an input counts as hanging.
PATIENCE = 30


class Fault(AssertionError):
    """A wrong answer of the library; the text before the first colon names the kind of fault."""


def chosen(families, seed, number):
    """Return the family and fields of input ``number``; the same for the same seed."""
    rng = random.Random(f"{seed}/{number}")
    family = families[rng.randrange(len(families))]
    return family, family.make(rng)


def verdict_of(family, fields):
    """Run one input in this process and return the fault, or ''."""
    try:
        family.run(fields)
    except Fault as fault:
        return str(fault)
    except Exception as error:  # an unexpected error of a family
        return f"unexpected {type(error).__name__}: {error}"
    return ""


class Progress:
    """A child's progress in shared memory: its current input, and the number of finished ones."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 16)
        self.say(-1)

    def say(self, number):
        struct.pack_into("q", self.memory, 0, number)

    @property
    def number(self):
        return struct.unpack_from("q", self.memory, 0)[0]


def _is_over(pid):
    """Whether a child has ended, and how: the number of its signal, or its exit status negated."""
    done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        return None
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)


def in_child(work, is_stuck):
    """Run ``work(write)`` in a child; return (lines that it wrote, how it ended: '' or a text)."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        gc.freeze()  # inputs run gc.collect(), which should skip imported modules
        status = 1
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(quiet, stream)
            work(lambda line: os.write(writer, (line + "\n").encode("utf-8", "backslashreplace")))
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    text, ended = b"", None
    while True:
        ready, _, _ = select.select([reader], [], [], 0.2)
        if ready:
            piece = os.read(reader, 65536)
            if piece:
                text += piece
                continue
            ended = ended if ended is not None else _is_over(pid)
            while ended is None:
                time.sleep(0.001)
                ended = _is_over(pid)
            break
        if is_stuck():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            ended = "hang"
            break
    os.close(reader)
    if ended != "hang":
        ended = (
            "" if ended == 0 else f"crash {signal.Signals(ended).name}" if ended > 0 else f"crash: exit status {-ended}"
        )
    return text.decode().splitlines(), ended


def probe(family, fields):
    """Run one input in its own child and return the fault, or ''."""
    deadline = time.monotonic() + PATIENCE
    lines, ended = in_child(
        lambda write: write(json.dumps(verdict_of(family, fields))), lambda: time.monotonic() > deadline
    )
    return ended or (json.loads(lines[0]) if lines else "crash: no answer")


def kind_of(verdict):
    return verdict.split(":")[0]


def minimised(family, fields, verdict):
    """Drop fields while the same kind of fault remains. Returns (fields, verdict); verdict '' if the fault is gone."""
    again = probe(family, fields)
    if not again:
        return fields, ""
    smaller = True
    while smaller:
        smaller = False
        for name in list(fields):
            fewer = {key: value for key, value in fields.items() if key != name}
            answer = probe(family, fewer)
            if kind_of(answer) == kind_of(again) and answer:
                fields, again, smaller = fewer, answer, True
    return fields, again


def run(families, seed, seconds, count=None, first=0):
    """Run inputs up to a time or number. Returns (number of inputs, {kind: [number, verdict]}).

    A crashed child is replaced by one that resumes after the input that caused it.
    """
    began, number, faults = time.monotonic(), first, {}
    last = first + count if count is not None else 1 << 62
    while number < last and time.monotonic() - began < seconds:
        progress = Progress()
        moved = [number, time.monotonic()]

        def work(write, start=number, progress=progress):
            for n in range(start, last):
                if time.monotonic() - began > seconds:
                    break
                progress.say(n)
                family, fields = chosen(families, seed, n)
                if verdict := verdict_of(family, fields):
                    write(json.dumps([n, verdict]))
            else:
                n = last
            progress.say(n)
            write(json.dumps([n, ""]))

        def is_stuck(progress=progress, moved=moved):
            if progress.number != moved[0]:
                moved[:] = [progress.number, time.monotonic()]
            return time.monotonic() - moved[1] > PATIENCE

        lines, ended = in_child(work, is_stuck)
        answers = [json.loads(line) for line in lines]
        for n, verdict in answers:
            if verdict:
                family, _ = chosen(families, seed, n)
                faults.setdefault((family.name, kind_of(verdict)), []).append((n, verdict))
        if not ended and answers and not answers[-1][1]:
            number = answers[-1][0]
            continue
        number = max(progress.number, number)
        family, _ = chosen(families, seed, number)
        faults.setdefault((family.name, kind_of(ended or "crash: silence")), []).append(
            (number, ended or "crash: silence")
        )
        number += 1
    return number - first, faults
