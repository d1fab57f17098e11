"""Write kernel/ziggurats.h: the tables of NumPy's ziggurats, derived by their recurrence.

``python scripts/make_ziggurats.py`` rewrites the file; a test compares it with what this script returns.

A ziggurat covers a decreasing density f by 256 layers of equal area v (Marsaglia, Tsang: The ziggurat method for
generating random variables, 2000): x[255] = r, where the tail begins, and f(x[i]) = f(x[i + 1]) + v / x[i + 1]. A
number of `bits` bits times `width[i]` = x[i] / 2^bits is accepted at once if it is below `inside[i]` =
2^bits x[i - 1] / x[i].

NumPy's tables of the normal distribution were computed in double precision, those of the exponential distribution with
more digits. Both are reproduced bit for bit, which every draw depends on.
"""

import struct
from decimal import Decimal, getcontext
from math import floor, sqrt
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "include" / "cuarray" / "kernel" / "ziggurats.h"

LAYERS = 256
NORMAL_TAIL, NORMAL_AREA = 3.6541528853610087963519472518, 0.004928673233974652
EXPONENTIAL_TAIL = Decimal("7.6971174701310497140446280481")

#: The exponential function that made the table of the normal distribution was wrong here by one unit of 2^-53.
NORMAL_EXCEPTION = 38

getcontext().prec = 50


def normal_tables():
    """Return inside, width and height of the normal distribution, 52 bits, in double precision."""

    def density(x):
        return float(Decimal(-0.5 * x * x).exp())

    x, height = [0.0] * LAYERS, [1.0] * LAYERS
    x[-1], height[-1] = NORMAL_TAIL, density(NORMAL_TAIL)
    for i in range(LAYERS - 2, 0, -1):
        x[i] = sqrt(-2.0 * float(Decimal(NORMAL_AREA / x[i + 1] + height[i + 1]).ln()))
        height[i] = density(x[i]) + (2.0**-53 if i == NORMAL_EXCEPTION else 0)
    base = NORMAL_AREA / height[-1]
    inside = [round(NORMAL_TAIL / base * 2.0**52), 0] + [round(x[i - 1] / x[i] * 2.0**52) for i in range(2, LAYERS)]
    return inside, [a / 2.0**52 for a in [base, *x[1:]]], height


def exponential_tables():
    """Return the same of the exponential distribution, 53 bits, correctly rounded; `inside` is even."""
    area = (EXPONENTIAL_TAIL + 1) * (-EXPONENTIAL_TAIL).exp()
    x, height = [Decimal(0)] * LAYERS, [Decimal(1)] * LAYERS
    x[-1], height[-1] = EXPONENTIAL_TAIL, (-EXPONENTIAL_TAIL).exp()
    for i in range(LAYERS - 2, 0, -1):
        height[i] = height[i + 1] + area / x[i + 1]
        x[i] = -height[i].ln()
    base = area / height[-1]
    shares = [EXPONENTIAL_TAIL / base, Decimal(0)] + [x[i - 1] / x[i] for i in range(2, LAYERS)]
    return [2 * floor(s * 2**52) for s in shares], [float(a / 2**53) for a in [base, *x[1:]]], list(map(float, height))


def single_tables(inside, width, height, bits, digits):
    """Return tables of float32 and 23 bits; numbers were rounded to so many digits on their way."""
    drop = bits - 23

    def rounded(numbers):
        shown = [float(f"{number:.{digits - 1}e}") for number in numbers]
        return struct.unpack(f"{LAYERS}f", struct.pack(f"{LAYERS}f", *shown))

    return [(k + (1 << drop - 1)) >> drop for k in inside], rounded(w * 2.0**drop for w in width), rounded(height)


def table(type_, name, items, columns):
    """Return the definition of a table."""
    rows = [", ".join(items[k : k + columns]) for k in range(0, len(items), columns)]
    return f"CUARRAY_TABLE {type_} {name}[{LAYERS}] = {{\n    " + ",\n    ".join(rows) + "};\n\n"


def ziggurat(name, tables, bits, digits):
    """Return the tables of a distribution, in both types."""
    parts = []
    for integer, number, (inside, *numbers), show in [
        ("u64", "f64", tables, "{!r}".format),
        ("u32", "f32", single_tables(*tables, bits, digits), "{:.9g}f".format),
    ]:
        parts.append(table(integer, f"{name}_inside_{number}", [f"0x{k:x}" for k in inside], 6))
        for what, column in zip(("width", "height"), numbers, strict=True):
            parts.append(table(number, f"{name}_{what}_{number}", [pointed(show(x)) for x in column], 4))
    return "".join(parts)


def pointed(number):
    """Return a literal that C++ takes as a floating-point number: 1f is none."""
    return number.replace("1f", "1.0f") if number == "1f" else number


HEAD = """\
// ziggurats.h -- the layers of NumPy's ziggurats, by scripts/make_ziggurats.py.
#pragma once
#include "cuarray/kernel/types.h"

// clang-format off

#ifdef __CUDACC__
#define CUARRAY_TABLE __device__ const
#else
#define CUARRAY_TABLE constexpr
#endif

namespace cuarray::kernel {

"""


def text():
    """Return the whole file."""
    tables = ziggurat("normal", normal_tables(), 52, 17) + ziggurat("exponential", exponential_tables(), 53, 9)
    return HEAD + tables + "}  // namespace cuarray::kernel\n"


if __name__ == "__main__":
    TARGET.write_text(text(), "utf-8")
