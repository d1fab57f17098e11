"""A copy of the working tree in build/scratch, with a separate build, for checks that change sources.

CUARRAY_SCRATCH names another folder in build, for checks at the same time.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRATCH = ROOT / "build" / os.environ.get("CUARRAY_SCRATCH", "scratch")


def highest_level() -> str:
    """The highest x86-64 level of the host loops that this machine supports."""
    if platform.machine() != "x86_64":
        return "base"
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text().split()) if cpuinfo.exists() else set()
    return "v4" if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags else "v3"


# One level of the host loops is enough to detect a bug.
LEVEL = highest_level()


class BuildError(Exception):
    """The scratch tree does not compile; the message is the compiler's."""


def refresh() -> Path:
    """Update the scratch tree from the working tree and return it; equal files keep their time stamps."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    wanted = {name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()}
    for name in wanted:
        source, copy = ROOT / name, SCRATCH / name
        if not copy.is_file() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)
    record = SCRATCH / "build" / "copied_files.txt"
    if record.exists():
        for name in set(record.read_text().split("\0")) - wanted:
            (SCRATCH / name).unlink(missing_ok=True)
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("\0".join(sorted(wanted)))
    return SCRATCH


def configure() -> None:
    """Configure the scratch tree's build folder, once after a refresh."""
    command_line(
        "cmake",
        "-S",
        SCRATCH,
        "-B",
        SCRATCH / "build",
        "-G",
        "Ninja",
        "-DCUARRAY_DEV=ON",
        "-DCUARRAY_PRECOMPILED=ON",
        f"-DCUARRAY_ISA_LEVELS={LEVEL}",
        f"-DPython_EXECUTABLE={sys.executable}",
    )


def build(target: str = "all") -> None:
    """Compile the changes in the scratch tree; the shared objects go into its cuarray/."""
    command_line("cmake", "--build", SCRATCH / "build", "--target", target)


def command_line(*command: str | Path) -> None:
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise BuildError((run.stdout + run.stderr)[-4000:])


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    """Run a command in the scratch tree, with the cuarray of that tree."""
    environment = {**os.environ, "PYTHONPATH": str(SCRATCH), "CUARRAY_CPU_LEVEL": LEVEL}
    return subprocess.run(command, cwd=SCRATCH, env=environment, **options)
