"""Run programs of this folder one after the other, and print what they print, as JSON: run_all.py NAME..."""

import contextlib
import io
import json
import sys
import traceback
import types
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent


def output_of(name):
    """Run a program as `python` does, in a module `__main__` of its own; return its output, or its traceback."""
    file = FOLDER / f"{name}.py"
    main = types.ModuleType("__main__")
    main.__file__ = str(file)
    out = io.StringIO()
    with np.printoptions(), np.errstate(), contextlib.redirect_stdout(out):
        try:
            exec(compile(file.read_bytes(), str(file), "exec"), vars(main))
        except Exception:
            out.write(traceback.format_exc())
    return out.getvalue()


if __name__ == "__main__":
    outputs = {name: output_of(name) for name in sys.argv[1:]}
    print(json.dumps(outputs))
