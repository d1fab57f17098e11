"""slow_calls.py -- random valid calls of every public function, timed beside NumPy: finds keywords that make one slow.

    python tests/fuzz/slow_calls.py [--seconds 150] [--seed 1] [--below 0.8]

The calls are those of calls.py without hostile arguments: small arrays of all dtypes and layouts. Printed are the
functions with calls below a ratio (NumPy's time over ours), and their slowest calls. A ratio is the best of six timings
by turns on one thread, and still rough: on a busy machine only what two seeds show is there.
"""

import argparse
import itertools
import random
import re
import timeit
import warnings
from collections import defaultdict
from statistics import median
from time import monotonic
from typing import NamedTuple

import calls
import numpy as np

import cuarray as ca

#: Calls that measure something else: files, and what takes memory for ever.
LEFT_OUT = re.compile(r"file|save|load|input\(|resize\(|endless|device|test\(|info\(|show_|ctypes")

#: A call that takes NumPy longer, in seconds, is left out; one timing repeats a shorter one for about so long.
LONGEST, TIMING = 0.02, 2e-4


class Timed(NamedTuple):
    """A call, the statements that make its arrays, and the seconds that it takes."""

    function: str
    call: str
    setup: list[str]
    ours: float
    numpys: float

    @property
    def ratio(self) -> float:
        return self.numpys / self.ours


class PlainWriter(calls.Writer):
    """Writes calls without hostile arguments."""

    def spoilt(self, count):
        return set()


def names_of(module, setup):
    """Return the names of one side, with its arrays."""
    names = {"np": np, "xp": module, **calls.NAMES}
    exec("\n".join(setup), names)
    return names


def timed(statement, setup, sides) -> Timed | None:
    """Time a call on both sides by turns; None if it raises on one of them, or takes long."""
    try:
        for names in sides:
            exec(statement, names)
        once = timeit.timeit(statement, globals=sides[1], number=2) / 2
        if once > LONGEST:
            return None
        number = max(1, int(TIMING / max(once, 1e-7)))
        best = [float("inf")] * 2
        for _ in range(6):
            for side, names in enumerate(sides):
                best[side] = min(best[side], timeit.timeit(statement, globals=names, number=number) / number)
    except Exception:
        return None
    return Timed(calls.main_function(statement), statement, setup, *best)


def drawn(seed, seconds):
    """Yield calls and their times."""
    end = monotonic() + seconds
    writer = PlainWriter(random.Random(seed))
    while monotonic() < end:
        calls.settle()
        setup = writer.arrays()
        try:
            sides = [names_of(module, setup) for module in (ca, np)]
        except Exception:
            continue  # such as a layout of no elements
        for _ in range(12):
            statement = calls.statement_of(writer.call())
            if any(pattern.search(statement) for pattern in (calls.ENDLESS, calls.CORRUPTING, LEFT_OUT)):
                continue
            if found := timed(statement, setup, sides):
                yield found


def used(call, setup):
    """Return the statements that make the arrays of a call."""
    return "; ".join(line for line in setup if re.search(rf"\b{line[:2]}\b", call))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=150)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--below", type=float, default=0.8)
    options.add_argument("--shown", type=int, default=3, help="calls shown of each function")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    ca.set_num_threads(1)
    of = defaultdict(list)
    for one in drawn(given.seed, given.seconds):
        of[one.function].append(one)
    ratios = [one.ratio for one in itertools.chain(*of.values())]
    slow = {name: [one for one in found if one.ratio < given.below] for name, found in of.items()}
    slow = {name: sorted(found, key=lambda one: one.ratio) for name, found in slow.items() if found}
    print(
        f"seed {given.seed}: {len(ratios)} calls of {len(of)} functions, median {median(ratios):.2f} of NumPy's speed"
    )
    print(f"{sum(ratio < given.below for ratio in ratios)} calls of {len(slow)} functions below {given.below}")
    for name in sorted(slow, key=lambda name: -len(slow[name]) / len(of[name])):
        typical = median(one.ratio for one in of[name])
        print(f"\n{name}: {len(slow[name])} of {len(of[name])} calls, median {typical:.2f}")
        for one in slow[name][: given.shown]:
            print(f"  {one.ratio:.2f}  {one.ours * 1e6:.2f} us  {one.call:.120}   {used(one.call, one.setup):.160}")


if __name__ == "__main__":
    main()
