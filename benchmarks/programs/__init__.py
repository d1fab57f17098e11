"""Programs of many small calls, in plain NumPy, run with NumPy and with cuarray.

Each program is a function whose parameter `np` is the module to run it with. None is tuned for cuarray.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from measures import measure
from race import Result, race

import cuarray as ca
from programs import (  # noqa: F401, they register their programs
    arithmetic,
    graphs,
    images,
    iterations,
    learning,
    matrices,
    signals,
    simulations,
    tables,
    texts,
)
from programs.registry import PROGRAMS, Program


def prepared(program: Program, size: int, xp) -> partial:
    """The program as a function without arguments, its inputs made with a module."""
    inputs = [xp.array(x) if isinstance(x, np.ndarray) else x for x in program.inputs(size)]
    return partial(program.run, xp, *inputs)


def check_equal(name: str, ours, theirs) -> None:
    """Raise AssertionError where a result of cuarray differs from NumPy's."""
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs), name
        for one, other in zip(ours, theirs, strict=True):
            check_equal(name, one, other)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype, f"{name}: dtype {ours.dtype}, with NumPy {theirs.dtype}"
    if theirs.dtype.kind in "fc":
        scale = np.max(np.abs(theirs), initial=0.0, where=np.isfinite(theirs))
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9 * scale, err_msg=name)
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@measure()
def programs() -> Iterator[Result]:
    """Each program with inputs for which NumPy takes about 1 ms and about 20 ms, the slowest first."""
    means = []
    for duration, size_of, least in (("1 ms", lambda p: p.small, 1.0), ("20 ms", lambda p: p.large, 1.2)):
        results = []
        for program in PROGRAMS:
            ours, theirs = (prepared(program, size_of(program), xp) for xp in (ca, np))
            check_equal(program.name, ours(), theirs())
            time = race(0.25, ours=ours, numpy=theirs)
            results.append(Result(f"{program.name}, about {duration}", time["ours"], time["numpy"], "numpy"))
        yield from sorted(results, key=lambda result: result.ratio)
        mean = math.exp(sum(math.log(result.ratio) for result in results) / len(results))
        means.append(Result(f"geometric mean of {len(results)}, about {duration}", 1.0, mean, "numpy", least, unit=""))
    yield from means
