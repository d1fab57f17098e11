"""Compile every C++ source of a build alone, as a development build would: a missing #include is an error.

    python scripts/check_includes.py BUILD [--jobs N] [NAME...]

BUILD is a configured build folder without precompiled headers (-DCUARRAY_DEV=ON). Units that a unity build groups are
compiled one by one, with -fsyntax-only. NAME... are parts of paths; without them, all sources, the loops at one level.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def commands(build: Path) -> dict[Path, list[str]]:
    """Return the compiler's arguments by source, those of unity units for each source that they include."""
    found: dict[Path, list[str]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text("utf-8")):
        words = shlex.split(entry["command"])
        if words[0].endswith("ccache"):
            del words[0]
        at = words.index("-o")
        del words[at : at + 2]
        source = Path(entry["directory"], entry["file"])
        words = [word for word in words if word not in ("-c", entry["file"], str(source))]
        sources = [source]
        if "Unity" in source.parts:
            sources = [Path(name) for name in re.findall(r'^#include "(.*)"$', source.read_text("utf-8"), re.MULTILINE)]
        for each in sources:
            found.setdefault(each, words)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    chosen = {
        source: words
        for source, words in commands(arguments.build.resolve()).items()
        if not arguments.names or any(name in str(source) for name in arguments.names)
    }
    if not chosen:
        sys.exit("check_includes: no source is called so")

    def compile_alone(source: Path) -> str:
        words = [*chosen[source], "-fsyntax-only", str(source)]
        result = subprocess.run(words, cwd=arguments.build, capture_output=True, text=True)
        return result.stderr if result.returncode else ""

    failures = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for source, errors in zip(chosen, pool.map(compile_alone, chosen), strict=True):
            if errors:
                failures += 1
                print(f"{source}\n{errors}", flush=True)
    print(f"check_includes: {len(chosen)} sources, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
