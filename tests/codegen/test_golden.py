"""Generated kernels against golden files, so that the effect of a change of the generator is visible.

``python tests/codegen/test_golden.py --update`` rewrites the files.
"""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import program

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
NAMES = sorted(file.stem for file in GOLDEN.glob("*.cu"))


def generated():
    """The generator's own part of each representative kernel, by name."""
    parts = program.run("golden").split("=== ")[1:]
    return dict(part.split("\n", 1) for part in parts)


@pytest.mark.parametrize("name", NAMES)
def test_golden(name):
    assert generated()[name] == (GOLDEN / f"{name}.cu").read_text("utf-8")


def test_every_kernel_has_a_golden_file():
    assert sorted(generated()) == NAMES


def test_scalars_are_parameters():
    # A scalar's value in the text would cause one compile per value.
    assert "0x4000" not in generated()["fused"] and "scalar<f16>(scalars, 0)" in generated()["fused"]


def main():
    GOLDEN.mkdir(exist_ok=True)
    for file in GOLDEN.glob("*.cu"):
        file.unlink()
    for name, text in generated().items():
        (GOLDEN / f"{name}.cu").write_text(text, "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    main()
