"""Some hostile inputs of the exchange protocols, a million with --full; tests/fuzz/protocols.py runs any number."""

import subprocess
import sys
from pathlib import Path

ENGINE = Path(__file__).with_name("protocols.py")


def run(*arguments, seconds=300):
    # In a separate process, because the engine forks.
    return subprocess.run([sys.executable, ENGINE, *arguments], capture_output=True, text=True, timeout=seconds)


def test_no_input_is_answered_wrongly(full):
    count, seconds = (1_000_000, 2400) if full else (1500, 120)
    done = run("--seed", "19", "--count", str(count), "--seconds", str(seconds), seconds=seconds + 180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"protocols: {count} inputs" in done.stdout, done.stdout


def test_the_engine_finds_and_minimises():
    """A deliberately wrong family: a crash, a hang and a wrong value are found, each in its shortest form."""
    program = f"""
import os, signal, sys, time
sys.path.insert(0, {str(ENGINE.parent)!r})
import protocol_runner
from families import Family, expect, refused

protocol_runner.PATIENCE = 0.5

class Wrong(Family):
    name = "wrong"
    fields = {{"way": ("fine", "crash", "hang", "value", "type"), "noise": (0, 1, 2, 3)}}
    share = 0.5

    def run(self, fields):
        way = fields.get("way")
        if way == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if way == "hang":
            time.sleep(60)
        expect(way != "value", "value", 1)
        refused(lambda: 1 / (way != "type"), "call")

families = [Wrong()]
ran, faults = protocol_runner.run(families, 1, 60, 30)
for (name, kind), inputs in faults.items():
    number, verdict = inputs[0]
    print(kind, protocol_runner.minimised(*protocol_runner.chosen(families, 1, number), verdict)[0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    found = sorted(done.stdout.splitlines())
    assert found == ["call raised ZeroDivisionError {'way': 'type'}", "crash SIGKILL {'way': 'crash'}", "hang {'way': 'hang'}",
                     "value {'way': 'value'}"], done.stdout + done.stderr  # fmt: skip
