"""Check that an operation or a reduction is one line: add rows to a copy of the tree and see what follows.

    python scripts/check_add_op.py

Each row must appear, without another edit, as a function with a docstring, in the stub, in the reference,
in the tests' parameters and as a CUDA kernel that NVRTC compiles, and the reduction as a method; `.ci/run`
runs this.
"""

import subprocess
import sys

import scratch_tree

NAME = "planted_cube"
DOC = "x times x times x: planted to see what one line does."
ROW = f'UNARY({NAME}, T, Floating, 0, "{DOC}", x * x * x)\n'
BEFORE = "// Complex numbers\n"

FOLD = "planted_squares"
FOLD_DOC = "Sum of the squares: planted to see what one line does."
FOLD_ROW = (
    f"REDUCTION({FOLD}, NONE, Inexact, Commutative | WideInt, Method((axis, dtype, out, *, keepdims, where), "
    f'"array([ 9., 41.])"), T, T(), "{FOLD_DOC}", math::multiply(x, x), math::add(a, b), a)\n'
)
FOLD_BEFORE = "// Reductions for the reduce of further functions of ufuncs.def\n"

FUNCTION = f"""
import numpy as np
import cuarray as ca
assert ca.{NAME}.__name__ == "{NAME}" and {DOC!r} in ca.{NAME}.__doc__, ca.{NAME}.__doc__
for dtype in (np.float32, np.float64):
    x = np.linspace(-2, 2, 1000, dtype=dtype)
    result = ca.{NAME}(ca.asarray(x, device="cpu"))
    assert result.dtype == dtype and (result.numpy() == x * x * x).all()
    x = ca.asarray(x, device="cpu")
    assert abs(ca.{FOLD}(x) - (x * x).sum()) < 1e-3
    assert (x.{FOLD}(0, keepdims=True) == ca.{FOLD}(x)).all()
assert {FOLD_DOC!r} in ca.{FOLD}.__doc__ and {FOLD_DOC!r} in ca.ndarray.{FOLD}.__doc__
"""

KERNEL = f"""
import sys
sys.path[:0] = ["tests/codegen", "tests/nvrtc"]
import compiler, program
names = [name for name in program.kernel_names() if name.startswith(("{NAME}_", "{FOLD}_"))]
for row in ("{NAME}", "{FOLD}"):
    for dtype in ("f32", "f64"):
        assert any(dtype in name.split("_") for name in names if name.startswith(row)), names
nvrtc = compiler.Compiler(compiler.find_library(), program.compile_options())
for name, text in program.kernel_texts(names).items():
    assert name in nvrtc.compile(text, "sm_90").figures(), name
print(len(names), "kernels")
"""


def run(*arguments: str) -> str:
    """Run Python in the scratch tree and return what it prints; a failure is printed and raised."""
    result = scratch_tree.run([sys.executable, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(result.stdout[-3000:] + result.stderr[-3000:])
    return result.stdout


def plant() -> None:
    for name, row, before in (("ufuncs.def", ROW, BEFORE), ("reductions.def", FOLD_ROW, FOLD_BEFORE)):
        table = scratch_tree.SCRATCH / "include" / "cuarray" / name
        text = table.read_text("utf-8")
        assert text.count(before) == 1, f"{name} has no line {before!r}"
        table.write_text(text.replace(before, row + before), "utf-8")


def look(root) -> None:
    """Find the functions everywhere."""
    run("-c", FUNCTION)
    print("functions, method and docstrings")
    for file in ("cuarray/_core.pyi", "cuarray/__init__.pyi", "docs/reference.md"):
        for name in (NAME, FOLD):
            assert name in (root / file).read_text("utf-8"), f"{file} does not name {name}"
        print(file)
    listed = run("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/python")
    for name in (NAME, FOLD):
        tests = [line for line in listed.splitlines() if name in line]
        assert tests, f"no test has {name} as a parameter"
        print(len(tests), "tests of", name)
    print(run("-c", KERNEL).strip())


def main() -> int:
    root = scratch_tree.refresh()
    plant()
    try:
        scratch_tree.configure()
        scratch_tree.build()
        look(root)
    except (AssertionError, scratch_tree.BuildError, subprocess.SubprocessError) as error:
        print(f"one line was not enough: {error}")
        return 1
    finally:
        scratch_tree.refresh()
    return 0


if __name__ == "__main__":
    sys.exit(main())
