"""The hand-written declarations of the driver against NVIDIA's own header, where it is installed."""

import os
import shutil
import subprocess
from pathlib import Path

import backend_program
import pytest


def header_folder() -> Path | None:
    for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if home and (Path(home) / "include" / "cudaTypedefs.h").exists():
            return Path(home) / "include"
    return None


def compile_against(header: Path, sources: Path) -> subprocess.CompletedProcess:
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{sources}", f"-I{header}"]
    return subprocess.run(
        [*command, str(backend_program.HERE / "compare_driver_api.cpp")], capture_output=True, text=True
    )


@pytest.fixture
def header():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    if header_folder() is None:
        pytest.skip("cuda.h is not installed")
    return header_folder()


def test_declarations_are_nvidias(header):
    result = compile_against(header, backend_program.ROOT / "src")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ENTRY(cuMemFree, 3020, CUdeviceptr)", "ENTRY(cuMemFree, 3020, unsigned)"),
        ("CONSTANT(CUDA_ERROR_NOT_FOUND, 500)", "CONSTANT(CUDA_ERROR_NOT_FOUND, 501)"),
        ("ENTRY(cuMemAllocAsync, 11020,", "ENTRY(cuMemAllocAsync, 12050,"),
    ],
)
def test_wrong_declaration_is_seen(header, tmp_path, old, new):
    text = (backend_program.ROOT / "src" / "cuda" / "driver_api.h").read_text("utf-8")
    assert text.count(old) == 1
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "driver_api.h").write_text(text.replace(old, new), "utf-8")
    assert compile_against(header, tmp_path).returncode != 0
