"""Timing of peers: all in the same process, alternating, with the best of several rounds."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from cuarray._core import settle_all

# A round of one function lasts at least this long, so that the clock's own cost vanishes.
ROUND_SECONDS = 0.002

# The fraction of the bandwidth of a copy that counts as full bandwidth.
MEMORY_SHARE = 0.8

# Elements from which a result of cuarray may wait until it is read.
LARGE = 10_000


@dataclass
class Result:
    """One printed line: the times of cuarray and of a peer, and the goal.

    `ratio` is the speed (or size) of cuarray relative to the peer; `least` is the ratio that it must reach,
    None if the line is for information only. `memory` is the time to read the operands at full memory
    bandwidth: a result close to it has reached the limit, whatever the ratio.
    """

    name: str
    ours: float
    peer: float
    peer_name: str
    least: float | None = None
    unit: str = "s"
    note: str = ""
    memory: float = 0.0

    @property
    def ratio(self) -> float:
        if self.ours == self.peer:
            return 1.0
        return self.peer / self.ours if self.ours else math.inf

    @property
    def passed(self) -> bool:
        return self.least is None or self.ratio >= self.least or self.memory >= MEMORY_SHARE * self.ours


def seconds_of(function: Callable[[], object], calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    for _ in range(calls):
        function()
    return (clock() - start) / calls


def completed(function: Callable[[], object]) -> Callable[[], object]:
    """Return the function, or one that also computes its result, if that has so many elements that it may wait."""
    results = function()
    sizes = [getattr(x, "size", 0) for x in (results if isinstance(results, tuple | list) else [results])]
    if not any(isinstance(n, int) and n >= LARGE for n in sizes):
        return function

    def complete() -> object:
        result = function()
        settle_all()
        return result

    return complete


def race(
    budget: float = 0.5, clock: Callable[[], float] = time.perf_counter, **functions: Callable[[], object]
) -> dict[str, float]:
    """Return the best seconds per call of each function; `budget` is the time in seconds given to each."""
    calls = {}
    functions = {name: completed(function) for name, function in functions.items()}
    for name, function in functions.items():
        once = min(seconds_of(function, 1) for _ in range(3))
        calls[name] = max(1, round(ROUND_SECONDS / max(once, 1e-9)))
    best = dict.fromkeys(functions, float("inf"))
    stop = time.perf_counter() + budget * len(functions)
    rounds = 0
    while rounds < 5 or time.perf_counter() < stop:
        for name, function in functions.items():
            best[name] = min(best[name], seconds_of(function, calls[name], clock))
        rounds += 1
    return best
