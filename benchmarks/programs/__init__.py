"""Programs in plain NumPy, run with NumPy and with cuarray: of many small calls, and chains of calls on whole arrays.

Each program is a function whose parameter `np` is the module to run it with. None is tuned for cuarray.
"""

import math
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from measures import measure
from race import Result, race

import cuarray as ca
from programs import (  # noqa: F401, they register their programs
    arithmetic,
    chains,
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
from programs.registry import CHAINS, PROGRAMS, Program


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
        is_single = np.finfo(theirs.dtype).bits == 32  # whose roundings are 6e-8
        np.testing.assert_allclose(ours, theirs, rtol=1e-4 if is_single else 1e-7,
                                   atol=(1e-6 if is_single else 1e-9) * scale, err_msg=name)  # fmt: skip
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


def mean_of(results: list[Result], duration: str, least: float | None) -> Result:
    mean = math.exp(sum(math.log(result.ratio) for result in results) / len(results))
    return Result(f"geometric mean of {len(results)}, about {duration}", 1.0, mean, "numpy", least, unit="")


@measure()
def programs() -> Iterator[Result]:
    """Each program with inputs for which NumPy takes about 1 ms and about 20 ms, the slowest first."""
    means = []
    for which, (duration, least) in enumerate((("1 ms", 1.0), ("20 ms", 1.2))):
        results = []
        for program in PROGRAMS:
            ours, theirs = (prepared(program, program.sizes[which], xp) for xp in (ca, np))
            check_equal(program.name, ours(), theirs())
            timed = race(0.25, ours=ours, numpy=theirs)
            results.append(Result(f"{program.name}, about {duration}", timed["ours"], timed["numpy"], "numpy"))
        yield from sorted(results, key=lambda result: result.ratio)
        means.append(mean_of(results, duration, least))
    yield from means


@measure()
def whole_arrays() -> Iterator[Result]:
    """Each chain for about 1, 20 and 500 ms of NumPy's time, eager: processor time, and wall time as a note.

    Results are compared after the timing, because NumPy's view of an array counts as another owner of its memory. Of
    large arrays, half of NumPy's time may be page faults: it gets new memory for each temporary of 1 to 32 MB.
    """
    means = []
    for which, duration in enumerate(("1 ms", "20 ms", "500 ms")):
        results = []
        for program in CHAINS:
            functions = {
                name: prepared(program, program.sizes[which], xp) for name, xp in (("ours", ca), ("numpy", np))
            }
            used = race(0.25, clock=time.process_time, **functions)
            passed = race(0.1, **functions)
            note = f"wall {passed['numpy'] / passed['ours']:.2f}x"
            results.append(Result(f"{program.name}, about {duration}", used["ours"], used["numpy"], "numpy", note=note))
            check_equal(program.name, functions["ours"](), functions["numpy"]())
        yield from sorted(results, key=lambda result: result.ratio)
        means.append(mean_of(results, duration, None))
    yield from means
