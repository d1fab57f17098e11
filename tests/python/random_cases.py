"""Distributions with parameters, for the tests of random numbers."""

import math

import numpy as np

import cuarray

SQRT2 = math.sqrt(2)
erf = np.vectorize(math.erf, otypes=[float])
#: Methods that are drawn by a kernel, with parameters, and their distribution functions.
METHODS = {
    "exponential": ((2.0,), lambda x: -np.expm1(-x / 2)),
    "gumbel": ((1.0, 2.0), lambda x: np.exp(-np.exp(-(x - 1) / 2))),
    "laplace": ((1.0, 2.0), lambda x: np.where(x < 1, np.exp((x - 1) / 2) / 2, 1 - np.exp(-(x - 1) / 2) / 2)),
    "logistic": ((1.0, 2.0), lambda x: 1 / (1 + np.exp(-(x - 1) / 2))),
    "lognormal": ((1.0, 0.5), lambda x: (1 + erf((np.log(x) - 1) / 0.5 / SQRT2)) / 2),
    "normal": ((1.0, 2.0), lambda x: (1 + erf((x - 1) / 2 / SQRT2)) / 2),
    "pareto": ((3.0,), lambda x: 1 - (1 + x) ** -3.0),
    "power": ((2.5,), lambda x: x**2.5),
    "rayleigh": ((2.0,), lambda x: -np.expm1(-((x / 2) ** 2) / 2)),
    "standard_cauchy": ((), lambda x: 0.5 + np.arctan(x) / np.pi),
    "triangular": ((0.0, 1.0, 3.0), lambda x: np.where(x < 1, x * x / 3, 1 - (3 - x) ** 2 / 6)),
    "uniform": ((1.0, 4.0), lambda x: (x - 1) / 3),
    "weibull": ((1.5,), lambda x: -np.expm1(-(x**1.5))),
}
#: Those that exist as float32, too.
STANDARD = {
    "random": lambda x: x,
    "standard_normal": lambda x: (1 + erf(x / SQRT2)) / 2,
    "standard_exponential": lambda x: -np.expm1(-x),
}
#: Those of numbers that are tried again, and those that are made of two others: parameters, up to the ends.
OTHERS = {
    "beta": [(2.0, 3.0), (0.1, 0.1), (0.5, 1e4), (1e6, 1e6), (0.01, 0.02), (1e-3, 5.0)],
    "binomial": [
        (10, 0.3), (1, 0.5), (1000, 0.003), (100, 0.3), (100, 0.7), (40, 0.25), (10**6, 0.9), (2**40, 1e-11), (2**40, 0.5), (5, 1.0), (7, 0.0),
    ],
    "chisquare": [(3.0,), (0.1,), (1.0,), (1e5,)],
    "f": [(3.0, 5.0), (0.5, 0.5), (1e4, 20.0), (0.05, 7.0)],
    "gamma": [(2.0, 3.0), (0.02, 1.0), (0.999, 2.0), (1.0, 1.0), (1e9, 1.0), (1e-3, 1.0), (0.0, 1.0)],
    "geometric": [(0.2,), (1.0,), (0.999,), (0.1,), (1e-3,), (1e-17,)],
    "hypergeometric": [
        (30, 10, 8), (10, 30, 8), (3, 0, 2), (0, 5, 3), (1000, 2000, 300), (2000, 1000, 2500), (10**8, 10**8, 10**7), (15, 15, 15), (5, 999_999_990, 10**6),
    ],
    "logseries": [(0.5,), (0.999,), (0.01,), (0.0,), (1 - 1e-9,)],
    "negative_binomial": [(4.0, 0.5), (0.1, 0.3), (1e5, 0.2), (3.0, 1.0), (2.0, 1e-9)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 20.0), (1.0, 1.0), (5.0, 0.0), (0.1, 1e6)],
    "noncentral_f": [(5.0, 20.0, 2.0), (0.5, 3.0, 1.0), (30.0, 1e4, 100.0)],
    "poisson": [(5.0,), (0.001,), (9.999,), (10.0,), (30.0,), (1e4,), (1e9,), (1e12,), (0.0,)],
    "standard_gamma": [(2.0,), (0.3,)],
    "standard_t": [(4.0,), (0.5,), (1e6,), (0.06,)],
    "vonmises": [(1.0, 8.0), (0.0, 0.1), (-3.0, 2.0), (2.0, 1e-9), (1.0, 1e5), (1.0, 1e8), (100.0, 0.5)],
    "wald": [(1.0, 2.0), (1.0, 1e-3), (1e-3, 1e3), (1e6, 1.0)],
    "zipf": [(4.0,), (2.0,), (1.1,), (1.5,), (60.0,), (2000.0,)],
}  # fmt: skip
#: Those of rows that depend on one another.
ROWS = {
    "dirichlet": [
        ([1.0, 2.0, 3.0],),
        ([0.5, 0.5],),
        ([0.2, 30.0, 1e3],),
        ([1.0, 1.0, 1.0],),
        ([0.03, 0.05, 0.02],),
        ([0.05, 0.0, 0.09],),
    ],
    "multinomial": [
        (20, [0.2, 0.3, 0.5]),
        (5, [0.0, 1.0]),
        (1, [0.25] * 4),
        (3, [0.5, 0.5, 0.0]),
        (10**6, [0.1, 0.2, 0.7]),
    ],
    "multivariate_hypergeometric": [([16, 8, 4], 6), ([5, 0, 5], 10), ([1000, 2000], 1500)],
    "multivariate_normal": [([0.0, 5.0], [[1.0, 0.5], [0.5, 2.0]]), ([1.0], [[4.0]])],
}
INTEGERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def philox(seed=None, device=None):
    """A generator that draws on the device of its results."""
    return cuarray.random.Generator(cuarray.random.Philox(seed), device)


def numpys(seed=7):
    """NumPy's over the same bit generator."""
    return np.random.Generator(np.random.Philox(seed))


def state(rng):
    return str(rng.bit_generator.state)


def limits(dtype):
    return (0, 1) if dtype == "?" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
