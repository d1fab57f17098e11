"""What the tests of the CUDA backend share: the test program, and a kernel cache of the session's own."""

import shutil
from pathlib import Path

import backend_program
import pytest


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Path:
    """The backend test program."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    import cuarray

    return backend_program.build(Path(cuarray.__file__).resolve().parent, tmp_path_factory.mktemp("program"))
