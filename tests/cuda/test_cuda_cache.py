"""The kernel cache: its files, several processes, and that a cached kernel needs no NVRTC."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import backend_program
import pytest


def test_files(program, tmp_path):
    backend_program.check([program, "cache", tmp_path])


@pytest.fixture
def folder(tmp_path):
    return {"CUDASIM_SEED": 1, "CUARRAY_CACHE_DIR": tmp_path / "kernels"}


def test_second_process_opens_no_nvrtc(program, folder):
    assert "nvrtc opened" in backend_program.check([program, "kernels"], **folder)
    said = backend_program.check([program, "kernels"], **folder)
    assert "nvrtc not opened" in said
    facts = json.loads(said.splitlines()[0])
    assert facts["kernels"] == 1 and facts["cache"]["bytes"] > 0
    assert facts["nvrtc"]["target"] == "sm_90"


def test_damaged_files_are_written_again(program, folder):
    backend_program.check([program, "kernels"], **folder)
    for file in folder["CUARRAY_CACHE_DIR"].glob("*.kernel"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    result = backend_program.run([program, "kernels"], **folder)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("is damaged") == 1, "one warning, whatever is damaged"
    assert "nvrtc not opened" in backend_program.check([program, "kernels"], **folder)


def test_unwritable_directory(program, folder):
    folder["CUARRAY_CACHE_DIR"] = "/proc/none/cache"
    result = backend_program.run([program, "kernels"], **folder)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("warning: kernel cache") == 1


def test_another_architecture_is_another_kernel(program, folder):
    backend_program.check([program, "kernels"], **folder)
    assert "nvrtc opened" in backend_program.check([program, "kernels"], CUDASIM_CC="7.5", **folder)
    assert "nvrtc not opened" in backend_program.check([program, "kernels"], CUDASIM_CC="7.5", **folder)


def test_another_toolkit_is_another_kernel(program, folder, tmp_path):
    # The same path, but another file: an update of the toolkit.
    show = [*backend_program.SIMULATOR, "--paths"]
    paths = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    original = Path(paths.splitlines()[1])
    copy = tmp_path / "toolkit" / original.name
    shutil.copytree(original.parent, copy.parent, ignore=shutil.ignore_patterns("cuarray-cache*"))
    command = ["sh", "-c", f"CUARRAY_LIBNVRTC={copy} exec {program} kernels"]
    assert "nvrtc opened" in backend_program.check(command, **folder)
    assert "nvrtc not opened" in backend_program.check(command, **folder)
    os.utime(copy, (1, 1))
    assert "nvrtc opened" in backend_program.check(command, **folder)
    kernels = len(list(folder["CUARRAY_CACHE_DIR"].glob("*.kernel")))
    assert kernels == 3, "one memory of the toolkit, and the kernel of each"


@pytest.mark.rest
def test_long_compile_says_so(program, folder, tmp_path):
    slow = tmp_path / "slow-compiler"
    slow.write_text('#!/bin/sh\nsleep 1.1\nexec g++ "$@"\n')
    slow.chmod(0o755)
    # Set after the simulator's own compilation.
    command = ["env", f"CUDASIM_CXX={slow}", program, "kernels"]
    said = backend_program.run(command, **folder)
    assert said.returncode == 0, said.stderr
    assert re.search(r"^cuarray: compiling \w+ took \d\.\d s$", said.stderr, re.MULTILINE), said.stderr
    # Kernels from the cache load quickly.
    assert "compiling" not in backend_program.run(command, **folder).stderr
