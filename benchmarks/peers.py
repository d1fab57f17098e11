"""The peers: hand-written loops, compiled on this machine, and other libraries if installed."""

import ctypes
import importlib
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

# The vector library's functions, called by the simplest loop that the compiler vectorizes.
VECTOR_FUNCTIONS = [
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "cbrt",
    "erf",
    "erfc",
]
VECTOR_FUNCTIONS_2 = ["pow", "atan2", "hypot"]
SUFFIX = {np.dtype(np.float32): ("f", "float"), np.dtype(np.float64): ("", "double")}


def loops() -> str:
    text = [
        'extern "C" void multiply_add(const float* a, const float* b, const float* c, float* y, long n) {\n'
        "    for (long i = 0; i < n; ++i) y[i] = a[i] * b[i] + c[i];\n}\n"
    ]
    for suffix, type_ in SUFFIX.values():
        for inputs, names in ((["x"], VECTOR_FUNCTIONS), (["x", "z"], VECTOR_FUNCTIONS_2)):
            types = ", ".join([type_] * len(inputs))
            pointers = ", ".join(f"const {type_}* {name}" for name in inputs)
            elements = ", ".join(f"{name}[i]" for name in inputs)
            for name in names:
                text.append(
                    'extern "C" __attribute__((simd("notinbranch"), const)) '
                    f"{type_} {name}{suffix}({types});\n"
                    f'extern "C" void loop_{name}{suffix}({pointers}, {type_}* y, long n) {{\n'
                    "#pragma omp simd\n"
                    f"    for (long i = 0; i < n; ++i) y[i] = {name}{suffix}({elements});\n}}\n"
                )
    return "".join(text)


@cache
def library() -> ctypes.CDLL:
    """The hand-written loops, compiled for this machine."""
    with tempfile.TemporaryDirectory() as folder:
        source, shared = Path(folder, "peers.cpp"), Path(folder, "peers.so")
        source.write_text(loops())
        flags = [
            "-O3",
            "-march=native",
            "-fopenmp-simd",
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-trapping-math",
            "-fno-builtin",
            "-shared",
            "-fPIC",
        ]
        subprocess.run(["g++", *flags, source, "-o", shared, "-lm", "-lmvec"], check=True)
        return ctypes.CDLL(shared)


def run_loop(name: str, *arrays: np.ndarray) -> None:
    """Run a hand-written loop on contiguous arrays; the last one is written."""
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    getattr(library(), name)(*pointers, ctypes.c_long(arrays[-1].size))


def vector_loop(name: str, dtype: np.dtype) -> str | None:
    """The name of the vector library's own loop for this function, or None."""
    if name in VECTOR_FUNCTIONS or name in VECTOR_FUNCTIONS_2:
        return f"loop_{name}{SUFFIX[np.dtype(dtype)][0]}"
    return None


@cache
def optional(name: str) -> ModuleType | None:
    """The module, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
