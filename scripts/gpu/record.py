"""Puts the result of one part of gpu_check.sh into results.json, and prints that file as a summary.

Parts print one JSON object a line: {"name", "result": "passed" | "FAILED" | "unavailable", "detail", ...}.
"""

import json
import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

MARKS = {"passed": " ok ", "FAILED": "FAIL", "unavailable": " -- "}
TIMED_OUT = (124, 137)


def read(path):
    """Return the contents of the results file, or a new record."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {"parts": {}}


def write(path, known):
    temporary = path.with_suffix(".temporary")
    temporary.write_text(json.dumps(known, indent=1), "utf-8")
    temporary.replace(path)


def describe_machine(folder):
    """Write the properties of the machine that the results depend on, and forget those of an earlier run."""
    path = folder / "results.json"
    write(path, {**read(path), "machine": machine()})


def machine():
    """Return these properties; opening the device may fail."""
    known = {
        "host": platform.machine(),
        "python": platform.python_version(),
        "time": f"{datetime.now(UTC):%F %T}",
    }
    commit = Path("commit")
    if commit.exists():
        known["commit"] = commit.read_text("utf-8").strip()
    try:
        import cuarray
        from cuarray import _core

        known["cuarray"] = cuarray.__version__
        known["device"] = json.loads(_core.describe("cuda:0"))
        known["simulated"] = bool(os.environ.get("CUARRAY_LIBCUDA"))
    except Exception as error:
        known["trouble"] = f"{type(error).__name__}: {error}"
    return known


def rows_of(output):
    """Return the JSON objects among the lines of a part's output; other lines are ignored."""
    rows = []
    for line in output.read_text("utf-8", errors="replace").splitlines():
        if line.startswith('{"'):
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
    return rows


def record(folder, part, code, start):
    """Add a part; return whether it passed."""
    path, errors = folder / "results.json", folder / f"{part}.err"
    rows = rows_of(folder / f"{part}.out")
    if code in TIMED_OUT:
        result = "FAILED"
        rows.append({"name": part, "result": "FAILED", "detail": "took too long and was stopped"})
    elif code or any(row["result"] == "FAILED" for row in rows):
        result = "FAILED"
    else:
        alone = rows and all(row["result"] == "unavailable" for row in rows)
        result = "unavailable" if alone else "passed"
    known = read(path)
    known["parts"][part] = {
        "result": result,
        "seconds": round(time.time() - float(start), 1),
        "status": code,
        "rows": rows,
        "errors": errors.read_text("utf-8", errors="replace")[-4000:],
    }
    write(path, known)
    print(f"{MARKS[result]} {part}, {known['parts'][part]['seconds']} s")
    if result == "FAILED" and not any(row["result"] == "FAILED" for row in rows):
        print(known["parts"][part]["errors"][-2000:])
    return result != "FAILED"


def summary(folder):
    """Print the contents of the file."""
    known = read(folder / "results.json")
    about = known.get("machine", {})
    device = about.get("device", {})
    print(f"\n{device.get('name', 'no GPU')}, cuarray {about.get('cuarray')}, {about.get('time')}")
    if about.get("simulated"):
        print("SIMULATED: nothing here was seen on a GPU")
    for part, found in known["parts"].items():
        print(f"{MARKS[found['result']]} {part} ({found['seconds']} s)")
        for row in found["rows"]:
            print(f"    {MARKS[row['result']]} {row['name']:34} {row.get('detail', '')}")
    print(f"written to {folder}")


def main():
    folder = Path(sys.argv[1])
    if sys.argv[2] == "--machine":
        describe_machine(folder)
        return 0
    if sys.argv[2] == "--summary":
        summary(folder)
        return 0
    part, code, start = sys.argv[2:]
    return 0 if record(folder, part, int(code), start) else 1


if __name__ == "__main__":
    sys.exit(main())
