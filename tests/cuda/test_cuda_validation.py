"""CUARRAY_VALIDATE against a GPU whose compiler is wrong: a wrapper around g++ changes what kernels compute."""

import re

import backend_program

PROGRAM = """
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


def test_contraction_is_seen(tmp_path):
    # Each step is right, and the fused kernel differs from them in the last bit.
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nexec g++ "$@" -O2 -mfma -ffp-contract=fast\n')
    compiler.chmod(0o755)
    # Set behind the simulator's own compilation.
    command = ["env", f"CUDASIM_CXX={compiler}", "python", "-c", PROGRAM]
    settings = {"CUDASIM_SEED": 1, "CUARRAY_CACHE_DIR": tmp_path / "kernels"}
    unseen = backend_program.run(command, CUARRAY_VALIDATE=0, **settings)
    assert "nothing was wrong" in unseen.stdout, unseen.stderr
    seen = backend_program.run(command, CUARRAY_VALIDATE=1, **settings)
    assert "begun" in seen.stdout and seen.returncode == 1, seen.stdout + seen.stderr
    message = (
        r"CUARRAY_VALIDATE: the whole expression on cuda:0: element \(\d+, \d+\) is [\d.]+, and [\d.]+ on the host "
        r"\(float64; in fused: a\*b \+ c\)"
    )
    assert re.search(message, seen.stderr), seen.stderr[-600:]
