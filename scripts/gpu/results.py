"""Output of results by the parts of gpu_check.sh: one JSON object per line."""

import json
import os
import sys
import traceback

#: Whether the driver is the simulator, whose results say nothing about a GPU.
SIMULATED = bool(os.environ.get("CUARRAY_LIBCUDA"))


def tell(name, result, detail="", **more):
    """Print one result."""
    print(json.dumps({"name": name, "result": result, "detail": detail, **more}), flush=True)


def unavailable(name, why):
    tell(name, "unavailable", why)


def attempt(name, function):
    """Run a check that returns a detail; print its result."""
    try:
        tell(name, "passed", function() or "")
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        tell(name, "FAILED", f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")


def run_all(checks, needs_gpu=()):
    """Run checks by their names; those in `needs_gpu` only on a real GPU."""
    for check in checks:
        if SIMULATED and check in needs_gpu:
            unavailable(check.__name__, "needs a GPU, and this one is simulated")
        else:
            attempt(check.__name__, check)
