"""The list of programs, and what their inputs are made of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Program:
    """A function of a module (NumPy or cuarray) and inputs, and sizes to run it with.

    `inputs(size)` makes NumPy arrays and Python numbers; NumPy takes about 1 ms with the first size, about 20 ms with
    the second one, about 500 ms with a third one.
    """

    name: str
    run: Callable
    inputs: Callable[[int], list]
    sizes: tuple[int, ...]


PROGRAMS: list[Program] = []
CHAINS: list[Program] = []


def registered(programs: list[Program], inputs: Callable[[int], list], *sizes: int):
    def register(function):
        programs.append(Program(function.__name__.replace("_", " "), function, inputs, sizes))
        return function

    return register


def program(inputs: Callable[[int], list], small: int, large: int):
    """Register a function as a program of small calls. Programs leave their inputs as they are."""
    return registered(PROGRAMS, inputs, small, large)


def chain(inputs: Callable[[int], list], small: int, large: int, huge: int):
    """Register a function as a program whose calls take whole arrays."""
    return registered(CHAINS, inputs, small, large, huge)


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
