"""python -m cuarray cache: show, clear, warm."""

import json
import os

import backend_program
import pytest

FILES = ["one.kernel", "two.kernel", "half.kernel.temporary.1.2", "swept"]


def cache(*arguments, **settings):
    return backend_program.run(["python", "-m", "cuarray", "cache", *arguments], CUDASIM_SEED=1, **settings)


def facts(*arguments, **settings):
    result = cache(*arguments, "--json", **settings)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    for name in [*FILES, "mine.txt"]:
        (folder / name).write_bytes(b"x" * 100)
    return folder


def test_show(folder, tmp_path):
    shown = facts("show", CUARRAY_CACHE_DIR=folder)
    assert shown["directory"] == str(folder) and shown["kernels"] == 2 and shown["bytes"] == 200
    assert shown["limit"] == 1 << 30 and shown["oldest"] <= shown["newest"]
    assert "2 kernels, 200 bytes of at most 1.0 GiB" in cache(CUARRAY_CACHE_DIR=folder).stdout
    nothing = cache("show", CUARRAY_CACHE_DIR=tmp_path / "none")
    assert nothing.returncode == 0 and "no kernels" in nothing.stdout and not (tmp_path / "none").exists()


def test_clear_removes_nothing_else(folder):
    assert facts("clear", CUARRAY_CACHE_DIR=folder)["removed"] == len(FILES)
    assert [file.name for file in folder.iterdir()] == ["mine.txt"]
    assert "0 files removed" in cache("clear", CUARRAY_CACHE_DIR=folder).stdout


def test_clear_refuses_a_foreign_folder(folder):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    os.chown(folder, 12345, 12345)
    result = cache("clear", CUARRAY_CACHE_DIR=folder)
    assert result.returncode == 1 and f"{folder} belongs to another user" in result.stderr
    assert len(list(folder.iterdir())) == len(FILES) + 1


@pytest.mark.rest
def test_warm(tmp_path):
    # Two rows and two types: the whole table takes g++ too long.
    program = """
import sys
from cuarray import _core
from cuarray._tools import kernel_cache
kernel_cache.DTYPES = ("int64", "float32")
_core.ufuncs = {name: _core.ufuncs[name] for name in ("add", "sqrt")}
_core.reductions = lambda real=_core.reductions: [row for row in real() if row["name"] in ("sum", "argmax")]
sys.exit(kernel_cache.main(["warm", "--device", "cuda:0", "--json"]))
"""
    command = ["python", "-c", program]
    settings = {"CUARRAY_CACHE_DIR": tmp_path / "kernels", "CUDASIM_SEED": 1}
    first = backend_program.run(command, **settings)
    assert first.returncode == 0, first.stderr
    made = json.loads(first.stdout)
    assert made["compiled"] > 8 and made["failed"] == {} and made["device"] == "cuda:0"
    assert "kernels for cuda:0" in first.stderr, "a progress bar"
    again = json.loads(backend_program.run(command, **settings).stdout)
    assert again["compiled"] == 0 and again["disk"] == made["compiled"]
    # A program that uses them compiles nothing.
    use = """
import cuarray as ca
x = ca.ones((20, 40), dtype=ca.float32, device="cuda:0")
with ca.profile() as p:
    (x + x)[:, ::2].sum(axis=1), ca.sqrt(x[:, ::2]), x.sum(), x.argmax(axis=0)
print({e.build for e in p.events})
"""
    said = backend_program.run(["python", "-c", use], **settings).stdout
    assert "compiled" not in said and "disk" in said


def test_bad_words(tmp_path):
    assert cache("fill").returncode == 2
    result = cache("warm", "--device", "cpu")
    assert result.returncode == 1 and "nothing is compiled for cpu" in result.stderr
    result = cache("warm", "--device", "cuda:7")
    assert result.returncode == 1 and "there is no cuda:7; this machine has 2" in result.stderr
