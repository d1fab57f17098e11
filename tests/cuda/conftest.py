"""Shared fixtures of the CUDA backend's tests: the test program, and a kernel cache for the session."""

import importlib.util
import os
import shutil
from pathlib import Path

import backend_program
import pytest


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Path:
    """The backend test program, of all worker processes of a run."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    package = importlib.util.find_spec("cuarray").submodule_search_locations[0]
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    return backend_program.build(Path(package).resolve(), folder)


@pytest.fixture(autouse=True)
def fewer_drivers(every, monkeypatch):
    if not every:
        monkeypatch.setattr(backend_program, "drivers", backend_program.drivers[-1:])
