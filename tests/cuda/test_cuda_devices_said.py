"""What the reference says of devices, docs/chapters.toml, is what calls do: where results are, and whether they wait."""

import sys
from pathlib import Path

import backend_program
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("gated_examples.py")
#: Statements that speak of results on the device of the arguments, or on the current one.
ON_DEVICE = {"arrays", "array", "made", "numpys", "copied", "called"}
#: Statements that say that the call waits.
SAY_WAITS = {"host", "read", "numpys", "copied", "tested", "values", "moved"}


@pytest.mark.rest
def test_what_the_reference_says_of_devices(full, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    import make_reference

    done = backend_program.run([sys.executable, SCRIPT, 1 if full else 20], seconds=3000 if full else 600)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) > (350 if full else 15)
    said = make_reference.statements()
    wrong = []
    for name, waited, *devices in lines:
        key, waits = said[f"cuarray.{name}"]
        wrong += [f"{name} waits"] * (waited == "True" and not waits and key not in SAY_WAITS)
        wrong += [f"{name}: results on {devices}"] * (key in ON_DEVICE and devices not in ([], ["cuda:0"]))
    assert not wrong
