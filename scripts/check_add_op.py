"""Check that adding an operation takes one line: add a row to a copy of the tree and check the results.

    python scripts/check_add_op.py

The row must appear, without another edit, as a function with a docstring, in the stub, in the reference, in
the tests' parameters and as a CUDA kernel that NVRTC compiles; `.ci/run` runs this.
"""

import subprocess
import sys

import scratch_tree

NAME = "planted_cube"
DOC = "x times x times x: planted to see what one line does."
ROW = f'UNARY({NAME}, T, Floating, 0, "{DOC}", x * x * x)\n'
BEFORE = "// Complex numbers\n"

FUNCTION = f"""
import numpy as np
import cuarray as ca
assert ca.{NAME}.__name__ == "{NAME}" and {DOC!r} in ca.{NAME}.__doc__, ca.{NAME}.__doc__
for dtype in (np.float32, np.float64):
    x = np.linspace(-2, 2, 1000, dtype=dtype)
    result = ca.{NAME}(ca.asarray(x, device="cpu"))
    assert result.dtype == dtype and (result.numpy() == x * x * x).all()
"""

KERNEL = f"""
import sys
sys.path[:0] = ["tests/codegen", "tests/nvrtc"]
import compiler, program
names = [name for name in program.kernel_names() if name.startswith("{NAME}_")]
assert any("f32" in name for name in names) and any("f64" in name for name in names), names
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
    table = scratch_tree.SCRATCH / "include" / "cuarray" / "ufuncs.def"
    text = table.read_text("utf-8")
    assert text.count(BEFORE) == 1, f"ufuncs.def has no line {BEFORE!r}"
    table.write_text(text.replace(BEFORE, ROW + BEFORE), "utf-8")


def look(root) -> None:
    """Check that the function appears everywhere."""
    run("-c", FUNCTION)
    print("function and docstring")
    for file in ("cuarray/_core.pyi", "cuarray/__init__.pyi", "docs/reference.md"):
        assert NAME in (root / file).read_text("utf-8"), f"{file} does not name {NAME}"
        print(file)
    listed = run("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/python")
    tests = [line for line in listed.splitlines() if NAME in line]
    assert tests, "no test has it as a parameter"
    print(len(tests), "tests")
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
