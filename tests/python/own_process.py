"""Code in a process of its own: what waits depends on which threads of a process have computed."""

import os
import subprocess
import sys
from pathlib import Path


def in_own_process(code, **environment):
    """Run code with `ca`, `np`, `_core` and the modules of this folder, in which one thread alone has computed."""
    head = "import numpy as np, cuarray as ca\nfrom cuarray import _core\nca.set_default_device('cpu')\n"
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    run = subprocess.run(
        [sys.executable, "-c", head + code],
        capture_output=True,
        text=True,
        env={**os.environ, "CUARRAY_FUSE": "on", "PYTHONPATH": path, **environment},
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def runs_as_under_python(program, folder):
    """Assert that `python -m cuarray` prints what Python prints for a program."""
    file = folder / "program.py"
    file.write_text(program)
    told = [
        subprocess.run(
            [sys.executable, "-W", "ignore", *launcher, str(file)], capture_output=True, text=True, check=False
        )
        for launcher in ([], ["-m", "cuarray"])
    ]
    assert told[0].returncode == 0, told[0].stderr
    assert told[1].stdout == told[0].stdout, told[1].stderr
