"""How the parts of gpu_check.sh say what they found: one JSON object a line."""

import json
import os
import sys
import traceback

#: Whether the driver is a simulated one, on which nothing about a GPU can be learned.
SIMULATED = bool(os.environ.get("CUARRAY_LIBCUDA"))


def tell(name, result, detail="", **more):
    """Print one result."""
    print(json.dumps({"name": name, "result": result, "detail": detail, **more}), flush=True)


def unavailable(name, why):
    tell(name, "unavailable", why)


def attempt(name, function):
    """Run a check that returns a detail; tell how it ended."""
    try:
        tell(name, "passed", function() or "")
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        tell(name, "FAILED", f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")


def run_all(checks, needs_gpu=()):
    """Run checks by their names; those in `needs_gpu` only where there is one."""
    for check in checks:
        if SIMULATED and check in needs_gpu:
            unavailable(check.__name__, "needs a GPU, and this one is simulated")
        else:
            attempt(check.__name__, check)
