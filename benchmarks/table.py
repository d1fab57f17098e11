"""The figures of `benchmarks/run.py --json FILE` as a page of tables.

python benchmarks/table.py FILE "when, where, which commit" > docs/measured.md
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from race import Result
from run import formatted

HEAD = "| | cuarray | peer | ratio | goal |\n|---|---|---|---|---|"


def row(result: Result) -> str:
    asked = "" if result.least is None else f"{result.least:.2g}x" + ("" if result.passed else ", **missed**")
    peer = formatted(result.peer, result.unit)
    if result.peer_name != peer:
        peer += f" {result.peer_name}"
    name = result.name.replace("|", r"\|") + (f" ({result.note})" if result.note else "")
    return f"| {name} | {formatted(result.ours, result.unit)} | {peer} | {result.ratio:.2f}x | {asked} |"


def main(path: str, about: str) -> None:
    record = json.loads(Path(path).read_text())
    measures = {
        name: [Result(**{key: value for key, value in kept.items() if key != "ratio"}) for kept in rows]
        for name, rows in record["results"].items()
    }
    missed = [result for rows in measures.values() for result in rows if not result.passed]
    goals = sum(result.least is not None for rows in measures.values() for result in rows)
    print("# Measured\n")
    print(f"Written by `benchmarks/table.py` from results of `benchmarks/run.py --json`: {about}; cuarray")
    print(
        f"{record['cuarray']}, NumPy {record['numpy']}, Python {record['python']}. A ratio above 1 means that cuarray"
    )
    print("is faster; [Benchmarks](benchmarks.md) says what each measure compares. No figure here is from a GPU.\n")
    print(f"{len(missed)} of {goals} goals are missed:\n\n{HEAD}")
    for result in missed:
        print(row(result))
    for name, rows in measures.items():
        print(f"\n## {name}\n\n{HEAD}")
        for result in rows:
            print(row(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
