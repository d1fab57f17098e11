"""The list of programs, and what their inputs are made of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Program:
    """A function of a module (NumPy or cuarray) and inputs, and two sizes to run it with.

    `inputs(size)` makes NumPy arrays and Python numbers; NumPy takes about 1 ms with the small size and about
    20 ms with the large one.
    """

    name: str
    run: Callable
    inputs: Callable[[int], list]
    small: int
    large: int


PROGRAMS: list[Program] = []


def program(inputs: Callable[[int], list], small: int, large: int):
    """Register a function as a program. Programs leave their inputs as they are."""

    def register(function):
        name = function.__name__.replace("_", " ")
        PROGRAMS.append(Program(name, function, inputs, small, large))
        return function

    return register


def random(*shape: int) -> numpy.ndarray:
    """Numbers from 0 to 1."""
    return numpy.random.default_rng(1).random(shape)


def integers(high: int, *shape: int) -> numpy.ndarray:
    """Integers from 0 to high - 1."""
    return numpy.random.default_rng(2).integers(0, high, shape)


def dominant(n: int) -> numpy.ndarray:
    """A matrix with a dominant diagonal, for which iterations converge."""
    return random(n, n) + n * numpy.eye(n)


def positive_definite(n: int) -> numpy.ndarray:
    a = random(n, n)
    return a @ a.T + n * numpy.eye(n)


def stochastic(n: int, m: int) -> numpy.ndarray:
    """A matrix of probabilities; each row sums to 1."""
    a = random(n, m) + 0.1
    return a / a.sum(axis=1, keepdims=True)
