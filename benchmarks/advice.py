"""The times before and after each piece of advice of docs/guide/fast.md, on cpu, and its table.

    python benchmarks/advice.py             prints the table
    python benchmarks/advice.py --write     puts it into the page

Each line is Python before and after; both have equal results. The times are processor time of one thread, the best of
many alternating rounds, so that a shared machine disturbs them less.
"""

import os

if __name__ == "__main__":
    os.environ |= dict.fromkeys(("CUARRAY_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import argparse
import datetime
import platform
import re
import time
from pathlib import Path

import numpy as np
from race import completed, seconds_of

import cuarray as ca

PAGE = Path(__file__).resolve().parents[1] / "docs/guide/fast.md"
BEGIN, END = "<!-- by benchmarks/advice.py -->\n", "<!-- end -->\n"
SECONDS = 3.0  # for each line


@ca.fuse
def chain(a, b, c):
    return a * b + ca.sin(c)


@ca.fuse
def distance(a, b):
    return ((a - b) ** 2).sum()


def host(n, dtype="f8"):
    return np.random.default_rng(1).uniform(0.1, 0.9, n).astype(dtype)


def eagerly(function):
    with ca.eager():
        return function()


def in_steps(xp, x):
    total = 0.0
    for value in x.tolist():
        total += value * value
    return xp.asarray(total)


def grown(xp, pieces):
    out = pieces[0]
    for piece in pieces[1:]:
        out = xp.concat([out, piece])
    return out


def masked(xp, x):
    out = xp.array(x)
    out[out < 0] = 0.0
    return out


def each(xp, stack):
    return xp.stack([stack[i] @ stack[i] for i in range(len(stack))])


def stencil_out(xp, u, w):
    laplacian = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    xp.add(u[1:-1, 1:-1], 0.1 * laplacian, out=w[1:-1, 1:-1])
    return w


def stencil_assigned(xp, u, w):
    w[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return w


#: Arguments by name, as NumPy's arrays.
ARGUMENTS = {
    "a": host(1_000_000), "b": host(1_000_000), "c": host(1_000_000), "f": host(1_000_000, "f4"),
    "y": np.empty(1_000_000),
    "few": host(1000), "tiny": host(3), "signed": host(1_000_000) - 0.5, "matrices": host(1600).reshape(100, 4, 4),
    "pieces": list(host(100_000).reshape(100, 1000)), "grid": host(360_000).reshape(600, 600),
    "v": np.zeros((600, 600)), "w": np.zeros((600, 600)),
}  # fmt: skip

#: What the page calls the advice, the code before and after, and whether NumPy can run the code before.
ADVICE = [
    (
        "chains fuse by themselves; here before is `ca.eager()`",
        "eagerly(lambda: a * b + xp.sin(c))",
        "a * b + xp.sin(c)",
        True,
    ),
    (
        "`array` instead of `asarray` for data of many operations",
        "asarray_a * asarray_b + xp.sin(asarray_c)",
        "a * b + xp.sin(c)",
        False,
    ),
    (
        "memory shared with NumPy, in a function decorated by `fuse`",
        "asarray_a * asarray_b + xp.sin(asarray_c)",
        "chain(asarray_a, asarray_b, asarray_c)",
        False,
    ),
    ("a reduction joins the chain in `fuse`", "((a - b) ** 2).sum()", "distance(a, b)", True),
    ("`out=` instead of a new array", "xp.sqrt(a)", "xp.sqrt(a, out=y)", True),
    (
        "`w[...] = expression` instead of a named part and `out=`, stencil on 600 x 600",
        "stencil_out(xp, grid, v)",
        "stencil_assigned(xp, grid, w)",
        True,
    ),
    ("`float32` instead of `float64`", "xp.exp(a)", "xp.exp(f)", True),
    ("operations on arrays instead of a loop, 1000 elements", "in_steps(xp, few)", "(few * few).sum()", True),
    ("one stack instead of 100 products of 4 x 4 matrices", "each(xp, matrices)", "matrices @ matrices", True),
    ("one `concat` of a list instead of 99 that grow an array", "grown(xp, pieces)", "xp.concat(pieces)", True),
    ("`where=` instead of a mask", "signed[signed > 0].sum()", "xp.sum(signed, where=signed > 0)", True),
    ("`maximum` instead of an assignment to a mask", "masked(xp, signed)", "xp.maximum(signed, 0.0)", True),
    (
        "`partition` instead of `sort` for the 100 largest",
        "xp.sort(a)[-100:]",
        "xp.sort(xp.partition(a, -100)[-100:])",
        True,
    ),
    ("functions of cuarray instead of NumPy's, 3 elements", "np.add(tiny, tiny)", "ca.add(tiny, tiny)", True),
]


def namespace(xp):
    """What the code sees: the arguments as arrays of a library, and the functions above."""
    made = {k: [xp.array(p) for p in v] if isinstance(v, list) else xp.array(v) for k, v in ARGUMENTS.items()}
    shared = {f"asarray_{k}": ca.asarray(v, device="cpu") for k, v in ARGUMENTS.items() if k in ("a", "b", "c")}
    functions = (in_steps, grown, masked, each, stencil_out, stencil_assigned)
    helpers = {f.__name__: f for f in functions} | {"chain": chain, "distance": distance}
    return made | shared | helpers | {"xp": xp, "ca": ca, "np": np, "eagerly": eagerly}


def best(contenders):
    """The processor time of each function, in seconds: the best of rounds in turn."""
    functions = {name: completed(function) for name, function in contenders.items()}
    calls = {name: max(1, int(0.004 / max(seconds_of(f, 2, time.process_time), 1e-7))) for name, f in functions.items()}
    least = dict.fromkeys(functions, float("inf"))
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for name, function in functions.items():
            least[name] = min(least[name], seconds_of(function, calls[name], time.process_time))
    return least


def shown(seconds):
    for unit, scale in (("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.2g} ns"


def lines():
    """The lines of the table."""
    ours, theirs = namespace(ca), namespace(np)
    for name, before, after, has_numpy in ADVICE:
        ca.testing.assert_allclose(eval(before, ours), eval(after, ours), rtol=1e-5)
        contenders = {"before": eval(f"lambda: {before}", ours), "after": eval(f"lambda: {after}", ours)}
        if has_numpy:
            contenders["numpy"] = eval(f"lambda: {before}", theirs)
        time_of = best(contenders)
        numpy = shown(time_of["numpy"]) if has_numpy else ""
        yield f"| {name} | {numpy} | {shown(time_of['before'])} | {shown(time_of['after'])} |"


def conditions():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8"))
    kind = re.sub(r"\(R\)|Processor|\d+-Core", "", cpu[1] if cpu else platform.machine())
    kind = " ".join(kind.split()) + (" with AVX-512" if "avx512f" in Path("/proc/cpuinfo").read_text("utf-8") else "")
    python = f"Python {platform.python_version()}, NumPy {np.__version__}, {datetime.date.today()}"
    return (
        f"(`python benchmarks/advice.py`: one thread of {os.cpu_count()} cores of an {kind}, {python}; "
        "1,000,000 elements where no number stands.)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true")
    head = ["| advice | NumPy, as before | before | after |", "|---|---|---|---|"]
    write = parser.parse_args().write
    text = "\n".join([*head, *lines(), "", conditions()]) + "\n"
    print(text)
    if write:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    main()
