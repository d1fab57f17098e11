"""The programs of examples/gallery write the pictures of docs/images/gallery."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import cuarray

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = sorted(ROOT.glob("examples/gallery/*.py"))
#: Drawn in every run of the tests; the others take longer, or need more than the tests' packages.
ALWAYS = {"fractal", "waves", "finance"}
OPTIONAL = {"mpi4py": "mpi4py", "numba": "numba", "PIL": "Pillow", "sklearn": "scikit-learn", "torch": "torch"}


def imports(file):
    """The top-level packages that a program imports."""
    statements = ast.parse(file.read_text("utf-8")).body
    names = [alias.name for s in statements if isinstance(s, ast.Import) for alias in s.names]
    names += [s.module for s in statements if isinstance(s, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def test_every_program_is_short_and_has_a_picture():
    pictures = {file.stem for file in ROOT.glob("docs/images/gallery/*.png")}
    page = (ROOT / "docs/guide/gallery.md").read_text("utf-8")
    assert {file.stem for file in PROGRAMS} == pictures and len(pictures) >= 12
    for file in PROGRAMS:
        assert f"examples/gallery/{file.name}\n" in page and f"images/gallery/{file.stem}.png" in page
        assert 30 <= len(file.read_text("utf-8").splitlines()) <= 80
        assert imports(file) <= {"cuarray", *OPTIONAL}


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_pictures(file, request, tmp_path):
    if file.stem not in ALWAYS and not request.config.getoption("--full"):
        pytest.skip("only with --full")
    for module in sorted(imports(file) & OPTIONAL.keys()):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{OPTIONAL[module]} is not installed")
    from PIL import Image

    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(cuarray.__file__))}
    run = subprocess.run([sys.executable, file], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    drawn = numpy.asarray(Image.open(tmp_path / f"{file.stem}.png"))
    expected = numpy.asarray(Image.open(ROOT / f"docs/images/gallery/{file.stem}.png"))
    assert drawn.shape == expected.shape and drawn.dtype == expected.dtype
    # Chaotic systems move single points; the picture stays.
    difference = numpy.abs(drawn.astype(float) - expected)
    assert difference.mean() < 1 and (difference > 32).mean() < 0.01
