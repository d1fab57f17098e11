"""Measure the error of every inexact function, and write docs/accuracy.md.

``python scripts/measure_ulp.py`` measures on the cpu device at the processor's best level and at
`base`, each in its own process, in about a minute; and on a simulated GPU that runs the PTX of the
real NVRTC (the wheel nvidia-cuda-nvrtc), with exact and with moved approximate instructions, in
about ten. ``--only cuda`` or ``--only cpu`` measures these, and keeps the other columns.

The numbers are those of the tests (tests/python/samples.py) and others near zeros and poles, with a
fixed seed; float16 and bfloat16 functions of one argument are measured for every number. The reference
is NumPy in float64 for 16 and 32 bits, in long double for 64, and mpmath (``pip install mpmath``) for
functions that NumPy lacks.
"""

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import mpmath
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT)]

import oracle  # noqa: E402
import samples  # noqa: E402
import test_ufuncs  # noqa: E402
from tqdm import tqdm  # noqa: E402

import cuarray  # noqa: E402
from cuarray import _core  # noqa: E402

COUNT = 100_000
SLOW_COUNT = 4_000  # mpmath takes about 50 us per number
LEVELS = ("best", "base")
# What CUDASIM_APPROX does to approximate instructions: nothing, or moves them by up to their documented errors.
MODELS = ("0", "1:1", "1:2", "1:3")
RECORD = ROOT / "build/accuracy.json"

HEAD = """\
# Accuracy

Written by `python scripts/measure_ulp.py`; do not edit.

The largest error seen, in units in the last place (ulp) of the result: 0.5 is a correctly rounded
result. A complex error is the distance in the plane, in ulp of the result's magnitude. The numbers are
special values, random ones of every exponent and of moderate size, and those next to multiples of pi/2
and to integers: at least {count} for each function and type, {slow} for float64 `erf`, `erfc`, `gamma`
and `lgamma`; for float16 and bfloat16 all numbers, for functions of one argument. It is a
measurement, not a proof.

The columns `{best}` and `base` are the highest and the lowest CPU level of the measuring processor
({processor}); `CUARRAY_CPU_LEVEL` chooses one. "limit" is the limit of the tests on `cpu`, at every level.
Infinities and NaNs are as specified.

`cuda` is not a GPU's measurement: it is NVRTC {nvrtc}'s own code for compute capability 9.0, executed
instruction by instruction by the simulator (`simulator/`). All instructions but the approximate ones
(`rcp`, `rsqrt`, `ex2`, `lg2`, `div.approx`) are exact, so where the column stands alone, it is what a GPU
computes. "moved" is the largest error if approximate results stay or are moved by up to their documented errors
(three draws); it stands only where results depend on them. Where it is above the limit it is in parentheses:
the documented error of `ex2` (2 ulp) is looser than the hardware's, as CUDA's own bound for `expf` shows, and
the figures of these functions are provisional. "limit on `cuda`" is the limit of the tests: the documented
bounds of CUDA's functions, with half an ulp for the final rounding.

Where terms cancel, the unit is that of the largest term, because a function of rounded terms can do no
better: the larger argument for `logaddexp` and `logaddexp2`; for `lgamma` at least 1, and for negative
arguments x at least lgamma(1 - x), the term of the reflection formula; for complex `pow`
and `exp2` the result's times the magnitude of the exponent. Some limits are wider than the others.
`xlogy` is a product with a logarithm of up to 3.83 ulp; if the product is low in its binade and the
logarithm high in its binade, the same error counts twice as many ulp, and the rounding of the product
is added. Complex `tan` and `tanh` are quotients of products of four rounded values, whose errors add
up to more than those of a product of two (5.3 ulp among 4 million numbers of complex64). `pow` with one number
-2, -1, -1/2, 1/2, 3/2, 2, 5/2, 3 or 4 as exponent is made of products, roots and quotients, with at most three
roundings: 2.5 ulp. Of float32, other integers from -16 to 16 are products in float64. On `cuda` the limit
of complex128 `pow`, `atan` and `atanh` is 5: CUDA's `log`, `log1p` and `atan2` are less accurate than the C library's.

| function | type | `{best}` | `base` | limit | largest at | `cuda` | moved | limit on `cuda` | largest at |
|---|---|---|---|---|---|---|---|---|---|
"""

TAIL = """
Functions without a line are exact, as IEEE 754 defines it: correctly rounded, such as `sqrt` of float64, or
without any rounding. The tests compare them with NumPy's bit for bit. Exact at every type: {exact}.
"""


def in_mpmath(function):
    """Return a function from float64 arrays to long double, computed with mpmath."""

    def wide(x):
        if not np.isfinite(x):
            return np.nan
        try:
            with mpmath.workdps(40):
                return np.longdouble(mpmath.nstr(function(mpmath.mpf(float(x))), 30))
        except ValueError:
            return np.nan  # a pole

    return lambda x: np.array([wide(v) for v in x], np.longdouble)


MPMATH = {
    "erf": in_mpmath(lambda x: mpmath.erf(max(min(x, 100), -100))),
    "erfc": in_mpmath(lambda x: mpmath.erfc(max(min(x, 100), -100))),
    "gamma": in_mpmath(mpmath.gamma),
    "lgamma": in_mpmath(lambda x: mpmath.re(mpmath.loggamma(x))),
}


def near(dtype):
    """Return the numbers next to zeros and poles of common functions."""
    points = np.concatenate([np.arange(-64, 65) * (np.pi / 2), np.arange(-40, 41), [0.5, -0.5, np.e, 1 / np.e]])
    points = points.astype(dtype)
    out = [points]
    for towards in (-np.inf, np.inf):
        step = points
        for _ in range(3):
            step = np.nextafter(step, np.array(towards, dtype))
            out.append(step)
    return np.concatenate(out)


def inputs_for(row, types, count):
    """Return one array of numbers per argument."""
    rng = np.random.default_rng(20261120)
    if len(types) == 1 and types[0].itemsize == 2:
        return [samples.every(types[0])]
    columns = test_ufuncs.sample(row, types, rng, count)
    if types[0].kind == "f" and types[0].itemsize > 2:
        close = near(types[0])
        columns = [np.concatenate([column, rng.permutation(close)]) for column in columns]
    return columns


def measure(name, row, loop):
    """Return (largest error in ulp, its arguments, a checksum of the results) of a loop."""
    types = [np.dtype(_core.dtype(t)) for t in loop[0]]
    out = np.dtype(_core.dtype(loop[1][0]))
    exact = MPMATH.get(name) if out.itemsize == 8 else None
    inputs = inputs_for(row, types, SLOW_COUNT if exact else COUNT)
    results = _core.ufuncs[name](*map(cuarray.asarray, inputs)).numpy()
    bits = zlib.crc32(results.tobytes())
    if exact:
        finite = np.isfinite(inputs[0]) & np.isfinite(results)
        inputs = [x[finite] for x in inputs]
        results = results[finite]
        want = exact(inputs[0])
    else:
        (want,) = oracle.expected(row, inputs, [out], approximate=True)
    off = oracle.distance(name, results, inputs, want)
    worst = int(off.argmax())
    return float(off[worst]), ", ".join(str(x[worst]) for x in inputs), bits


def measured_loops():
    """Yield the loops that are not correctly rounded: (name, row, loop)."""
    for row in _core.rows():
        for loop in row["loops"]:
            types = [np.dtype(_core.dtype(t)) for t in (*loop[0], *loop[1])]
            if types[-1].kind in "fcV" and len(loop[1]) == 1 and limits(row["name"], types)[0]:
                yield row["name"], row, loop


def limits(name, types):
    """Return the limits of the tests on cpu and on cuda."""
    return [oracle.limit(name, types[0], types[-1], device) for device in ("cpu", "cuda")]


def measure_level():
    """Return the measurements of this process's CPU level, by function and type."""
    found = {}
    for name, row, loop in tqdm(list(measured_loops()), unit="loop", disable=None):
        found[f"{name} {loop[0][0]}"] = measure(name, row, loop)
    return found


def run_level(level):
    """Return the measurements of a level of the cpu, made in a separate process."""
    environment = dict(os.environ, CUARRAY_DEVICE="cpu")
    environment.pop("CUARRAY_CPU_LEVEL", None)
    if level != "best":
        environment["CUARRAY_CPU_LEVEL"] = level
    return in_process([sys.executable], environment)


def run_model(model):
    """Return the measurements of a simulated GPU with a model of approximate instructions."""
    environment = dict(os.environ, CUARRAY_DEVICE="cuda", CUDASIM_RUNS="ptx", CUDASIM_APPROX=model, CUDASIM_SEED="1")
    return in_process([str(ROOT / "tests/cudasim/run"), sys.executable], environment)


def in_process(interpreter, environment):
    command = [*interpreter, __file__, "--this-level"]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def cuda_cells(name, found, there):
    """Return the cells of the simulated GPU: the error, the largest if approximations move, the limit, and where."""
    exact, *moved = (found["cuda"][model][name] for model in MODELS)
    worst = max(ulp for ulp, _, _ in (exact, *moved))
    depends = any(bits != exact[2] for _, _, bits in moved)
    shown = "" if not depends else f"{worst:.2f}" if worst <= there else f"({worst:.2f})"
    return f"{exact[0]:.2f} | {shown} | {there:g} | {exact[1]}"


def document(found):
    """Return docs/accuracy.md."""
    facts = found["facts"]
    head = HEAD.format(count=f"{COUNT:,}", slow=f"{SLOW_COUNT:,}", **facts)
    lines = [head]
    names = []
    for name, _, loop in measured_loops():
        types = [np.dtype(_core.dtype(t)) for t in (*loop[0], *loop[1])]
        here, there = limits(name, types)
        key = f"{name} {loop[0][0]}"
        ulp, at, _ = found["cpu"]["best"][key]
        low = found["cpu"]["base"][key][0]
        cells = f"`{name}` | {loop[0][0]} | {ulp:.2f} | {low:.2f} | {here:g} | {at}"
        lines.append(f"| {cells} | {cuda_cells(key, found, there)} |\n")
        names.append(name)
    exact = [f"`{row['name']}`" for row in _core.rows() if row["name"] not in names]
    return "".join(lines) + TAIL.format(exact=", ".join(exact))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--this-level", action="store_true", help="print this process's measurements as JSON")
    parser.add_argument("--only", choices=["cpu", "cuda"], help="measure only this, and keep the other columns")
    options = parser.parse_args()
    if options.this_level:
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        with np.errstate(all="ignore"):
            print(json.dumps(measure_level()))
        return
    found = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    if options.only != "cuda":
        found["cpu"] = {level: run_level(level) for level in LEVELS}
        found.setdefault("facts", {}).update(facts_of_processor())
    if options.only != "cpu":
        found["cuda"] = {model: run_model(model) for model in MODELS}
        found.setdefault("facts", {})["nvrtc"] = importlib.metadata.version("nvidia-cuda-nvrtc")
    RECORD.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    if missing := {"cpu", "cuda"} - found.keys():
        print(f"kept in {RECORD}; docs/accuracy.md is written once --only {missing.pop()} has run, too")
    else:
        (ROOT / "docs/accuracy.md").write_text(document(found), "utf-8")


def facts_of_processor():
    from cuarray._tools.doctor import report

    facts = report()
    return {"best": facts["devices"][0]["level"], "processor": facts["processor"]}


if __name__ == "__main__":
    main()
