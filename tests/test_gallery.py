"""The programs of examples/gallery draw the pictures of docs/images/gallery."""

import importlib.util
from pathlib import Path

import numpy
import pytest

import cuarray

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = sorted(ROOT.glob("examples/gallery/*.py"))
#: Drawn in every run of the tests; the others take longer, or need more than the examples' packages.
ALWAYS = {"fractal", "waves", "finance"}


def test_every_program_has_a_picture():
    pictures = {file.stem for file in ROOT.glob("docs/images/gallery/*.png")}
    page = (ROOT / "docs/guide/gallery.md").read_text("utf-8")
    assert {file.stem for file in PROGRAMS} == pictures
    assert all(f"examples/gallery/{file.name}" in page for file in PROGRAMS)


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_pictures(file, request):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    if file.stem not in ALWAYS and not request.config.getoption("--full"):
        pytest.skip("only with --full")
    for needed in ("numba", "sklearn"):
        if f"\nimport {needed}" in file.read_text("utf-8") or f"\nfrom {needed}" in file.read_text("utf-8"):
            pytest.importorskip(needed, reason=f"{needed} is not installed")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    drawn = cuarray.asarray(program.draw()).numpy()
    expected = numpy.asarray(image.open(ROOT / f"docs/images/gallery/{file.stem}.png"))
    assert drawn.shape == expected.shape and drawn.dtype == expected.dtype
    # Chaotic systems move single points; the picture stays.
    difference = numpy.abs(drawn.astype(float) - expected)
    assert difference.mean() < 1 and (difference > 32).mean() < 0.01
