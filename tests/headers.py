"""The location of NVIDIA's headers, to compare cuarray's declarations with: toolkits, and wheels from PyPI."""

import os
import sys
from pathlib import Path

import pytest

HOMES = [Path(home) for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda") if home]


def folders_with(header: str, *others: str) -> list[Path]:
    """The folders with a header and the others that it includes; the test is skipped if there is none."""
    wheels = [include for entry in map(Path, sys.path) for include in sorted(entry.glob("nvidia/*/include"))]
    folders = [home / "include" for home in HOMES] + wheels
    found = [folder for folder in folders if all((folder / name).exists() for name in (header, *others))]
    if not found:
        pytest.skip(f"{header} is not installed")
    return found
