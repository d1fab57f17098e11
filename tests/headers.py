"""The location of NVIDIA's headers, to compare cuarray's declarations with: toolkits, and wheels from PyPI."""

import os
import sys
from pathlib import Path

import pytest

HOMES = [Path(home) for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda") if home]


def folders_with(header: str) -> list[Path]:
    """The folders with a header; the test is skipped if there is none."""
    wheels = [include for entry in map(Path, sys.path) for include in sorted(entry.glob("nvidia/*/include"))]
    found = [folder for folder in [home / "include" for home in HOMES] + wheels if (folder / header).exists()]
    if not found:
        pytest.skip(f"{header} is not installed")
    return found
