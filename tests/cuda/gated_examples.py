"""gated_examples.py -- makes the calls of docstrings' examples on a GPU whose work is held back, and prints what they do.

    python tests/cuda/gated_examples.py [EACH]

Each line is a name, whether the call waited for the GPU, and the devices of its results; EACH makes each n-th name's calls.
A host function keeps the stream from its work until the call has returned; a call that does not return for a second waits.
"""

import ast
import contextlib
import ctypes
import doctest
import importlib
import inspect
import os
import sys
import tempfile
import threading
import warnings

import numpy as np

import cuarray as ca
from cuarray._namespace.aliases import ALIASES

MODULES = ("linalg", "fft", "emath", "lib.stride_tricks", "testing")
#: Functions whose settings hold for all calls that follow.
LEFT_OUT = {"simulate", "set_default_device", "seterr"}
SECONDS = 1.0


class Gate:
    """A host function in a stream, which holds its work back."""

    def __init__(self, stream):
        self.driver, self.stream = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"]), stream
        self.passed, self.opened = threading.Event(), threading.Event()
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.hold)

    def hold(self, _):
        self.opened.wait(SECONDS)
        self.passed.set()

    def close(self):
        ca.synchronize()
        self.passed.clear()
        self.opened.clear()
        code = self.driver.cuLaunchHostFunc(ctypes.c_void_p(self.stream.handle), self.function, None)
        assert code == 0, f"cuLaunchHostFunc: error {code}"

    def open(self):
        self.opened.set()
        self.passed.wait()


def functions():
    """Yield the names of the functions and methods, and their docstrings."""
    homes = {"": ca, **{f"{name}.": importlib.import_module(f"cuarray.{name}") for name in MODULES}}
    for prefix, home in homes.items():
        for name in home.__all__:
            value = getattr(home, name)
            if callable(value) and not isinstance(value, type) and name not in (ALIASES if home is ca else ()):
                yield prefix + name, inspect.getdoc(value)
    for name, value in vars(ca.ndarray).items():
        if callable(value) and not name.startswith("_"):
            yield f"ndarray.{name}", inspect.getdoc(value)


def arrays(result):
    if isinstance(result, ca.ndarray):
        yield result
    elif isinstance(result, tuple | list):
        for one in result:
            yield from arrays(one)


def examples(name, doc, gate=None):
    """Run the examples of a docstring; with a gate, yield what its innermost calls of the function do."""
    names = {"ca": ca, "np": np}
    for example in doctest.DocTestParser().get_examples(doc):
        tree = ast.parse(example.source.replace('device="cpu"', 'device="cuda:0"'))
        calls = [node for node in ast.walk(tree) if getattr(getattr(node, "func", None), "attr", "") == name]
        if gate and calls and isinstance(tree.body[0], ast.Expr | ast.Assign):
            code = compile(ast.Expression(calls[-1]), "<call>", "eval")
            gate.close()
            with contextlib.suppress(Exception):
                result = eval(code, names)
                yield gate.passed.is_set(), {str(x.device) for x in arrays(result)}
            gate.open()
        exec(compile(tree, "<example>", "exec"), names)


def main(each):
    os.chdir(tempfile.mkdtemp())
    warnings.simplefilter("ignore")
    ca.set_default_device("cuda:0")
    stream = ca.Stream()
    gate = Gate(stream)
    for name, doc in [one for one in functions() if one[0] not in LEFT_OUT][::each]:
        found = []
        with stream, contextlib.redirect_stdout(None), contextlib.suppress(Exception):
            last = name.rpartition(".")[2]
            list(examples(last, doc))  # compiles the kernels
            found += examples(last, doc, gate)
        if found:
            print(name, any(waited for waited, _ in found), *sorted(set().union(*(devices for _, devices in found))))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
