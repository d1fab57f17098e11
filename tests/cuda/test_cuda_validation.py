"""CUARRAY_VALIDATE against a GPU whose compiler is wrong: a wrapper around g++ changes what kernels compute."""

import re

import backend_program
import pytest

FUSED = """
import numpy as np
import cuarray as ca
rng = np.random.default_rng(3)
a, b, c = (ca.array(rng.random((40, 30)), device="cuda:0") for _ in range(3))
print("begun")
with ca.fuse():
    y = a * b + c
ca.synchronize("cuda:0")
print("nothing was wrong")
"""

ALONE = """
import numpy as np
import cuarray as ca
rng = np.random.default_rng(3)
a = ca.asarray(rng.random((40, 30)), device="cuda:0")
b, c = (ca.asarray(rng.random(200) + 1j * rng.random(200), device="cuda:0") for _ in range(2))
i = ca.asarray(np.array([3, -2, 7]), device="cuda:0")
print("begun")
{call}
ca.synchronize("cuda:0")
print("nothing was wrong")
"""

# For every kind of task without an Expr: a call, and the modification of a line of its kernel by the compiler.
NEGATIVE = ("index < 0 ? index + size : index", "index < 0 ? index + size - 1 : index")
RANK = ("__popc(votes[j] & ((1u << lane) - 1))", "__popc(votes[j] >> lane >> 1)")
WRONG = {
    "gather": ("a[i]", NEGATIVE),
    "scatter": ("a[i] = 1", NEGATIVE),
    "update": ("ca.add.at(a, i, 1.0)", NEGATIVE),
    "compress": ("a[a > 0.5]", RANK),
    "expand": ("a[a > 0.5] = ca.arange(int((a > 0.5).sum()), device='cuda:0')", RANK),
    "locate": ("ca.nonzero(a > 0.5)", RANK),
    "sort": ("ca.sort(a)", ("if constexpr (is_same<T, bool>) {", "if constexpr (true) {")),
    "search": (
        "ca.searchsorted(ca.sort(a.ravel()), a[0])",
        (": stands_before(key, keys[v])", ": !stands_before(keys[v], key)"),
    ),
    "histogram": (
        "ca.histogram(a, [0.0, 0.1, 0.4, 1.0])",
        ("edges[bin + half] ? half : 0", "edges[bin + half] ? half - 1 : 0"),
    ),
}


def run_with_compiler(tmp_path, program, validate, script):
    """Run a program on a simulated GPU whose compiler is a shell script."""
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    # Set after the simulator's own compilation. The script changes the text of kernels.
    command = ["env", f"CUDASIM_CXX={compiler}", "python", "-c", program]
    settings = {"CUDASIM_SEED": 1, "CUARRAY_CACHE_DIR": tmp_path / "kernels", "CUDASIM_RUNS": "text"}
    return backend_program.run(command, CUARRAY_VALIDATE=validate, **settings)


# Fused multiply-add: one rounding for a product and a sum.
CONTRACTING = 'exec g++ "$@" -O2 -mfma -ffp-contract=fast'


def test_contraction_is_seen(tmp_path):
    # Each step is right, and the fused kernel differs from them in the last bit.
    unseen = run_with_compiler(tmp_path, FUSED, 0, CONTRACTING)
    assert "nothing was wrong" in unseen.stdout, unseen.stderr
    seen = run_with_compiler(tmp_path, FUSED, 1, CONTRACTING)
    assert "begun" in seen.stdout and seen.returncode == 1, seen.stdout + seen.stderr
    message = (
        r"CUARRAY_VALIDATE: the whole expression on cuda:0: element \(\d+, \d+\) is [\d.]+, and [\d.]+ on the host "
        r"\(float64; in fused: a\*b \+ c\)"
    )
    assert re.search(message, seen.stderr), seen.stderr[-600:]


@pytest.mark.parametrize(
    ("name", "call"), [("convolve", "ca.convolve(b, c[:7])"), ("multiply", "ca.multiply.reduceat(b, [0, 50, 50, 9])")]
)
def test_contraction_within_a_task_is_seen(tmp_path, name, call):
    program = ALONE.format(call=call)
    seen = run_with_compiler(tmp_path, program, 1, CONTRACTING)
    assert "begun" in seen.stdout and seen.returncode == 1, seen.stdout + seen.stderr
    message = (
        rf"CUARRAY_VALIDATE: {name} on cuda:0: element \(\d+,\) is .*, and .* on the host \(complex128; in {name}\)"
    )
    assert re.search(message, seen.stderr), seen.stderr[-600:]


@pytest.mark.few
@pytest.mark.parametrize("task", WRONG)
def test_wrong_kernels_are_seen(tmp_path, task):
    call, (text, wrong) = WRONG[task]
    edit = f"import sys; p = sys.argv[1]; s = open(p).read(); open(p, 'w').write(s.replace({text!r}, {wrong!r}))"
    (tmp_path / "edit.py").write_text(edit)
    script = (
        f'for word in "$@"; do case $word in */kernel.cpp) python {tmp_path}/edit.py $word;; esac; done; exec g++ "$@"'
    )
    program = ALONE.format(call=call)
    unseen = run_with_compiler(tmp_path, program, 0, script)
    assert "nothing was wrong" in unseen.stdout, unseen.stderr
    seen = run_with_compiler(tmp_path, program, 1, script)
    assert "begun" in seen.stdout and seen.returncode == 1, seen.stdout + seen.stderr
    assert re.search(
        r"RuntimeError: CUARRAY_VALIDATE: .* on cuda:0: element \(.*\) is .*, and .* on the host", seen.stderr
    ), seen.stderr[-600:]
