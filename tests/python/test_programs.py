"""Random programs of views, operations, in-place writes and copies, eager and deferred, against NumPy.

Only correctly rounded operations are used, so that every live array must be equal after every step.
"""

import contextlib
import random

import numpy as np
import pytest

import cuarray

BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]
UNARY = ["negative", "sqrt", "abs", "floor", "square"]
LIVE = 8


def add_to(x, y):
    x += y


def subtract_from(x, y):
    x -= y


def multiply_by(x, y):
    x *= y


IN_PLACE = [add_to, subtract_from, multiply_by]


def random_index(rng, shape):
    """A basic index that does not select a single element."""
    index = []
    for extent in shape:
        kind = rng.choice(["all", "range", "reversed", "step", "integer"] if extent else ["all"])
        if kind == "range":
            index.append(slice(rng.randrange(extent), rng.randrange(extent + 1)))
        else:
            index.append(
                {"all": slice(None), "reversed": slice(None, None, -1), "step": slice(None, None, 2)}.get(kind)
                or rng.randrange(-extent, extent)
            )
    return (*index, ...)


def random_step(rng, shapes):
    """A step as a function of the list of live arrays; it returns a new array or None."""
    first, second = rng.randrange(len(shapes)), rng.randrange(len(shapes))
    shape = shapes[first]
    kind = rng.choice(["binary", "unary", "view", "transpose", "in_place", "assign", "copy"])
    if kind == "binary":
        name = rng.choice(BINARY)
        return lambda xp, live: getattr(xp, name)(live[first], live[second])
    if kind == "unary":
        name = rng.choice(UNARY)
        return lambda xp, live: getattr(xp, name)(live[first])
    if kind == "in_place":
        if not shape:  # NumPy's 0-d results are scalars, which in-place operators rebind
            return lambda xp, live: None
        change = rng.choice(IN_PLACE)
        return lambda xp, live: change(live[first], live[second])
    index = random_index(rng, shape)
    if kind == "view":
        return lambda xp, live: live[first][index]
    if kind == "assign":
        return lambda xp, live: live[first].__setitem__(index, live[second])
    return (lambda xp, live: live[first].T) if kind == "transpose" else (lambda xp, live: live[first].copy())


def attempt(step, xp, live):
    try:
        return step(xp, live), None
    except Exception as error:
        return None, type(error)


def check(program, want, got):
    for k, (expected, array) in enumerate(zip(want, got, strict=True)):
        np.testing.assert_array_equal(array.numpy(), expected, strict=True, err_msg=f"program {program}, array {k}")


def run(program, device, deferred):
    rng = random.Random(program)
    numbers = np.random.default_rng(program)
    shapes = [tuple(rng.choice([1, 2, 3, 5]) for _ in range(rng.randrange(1, 4))) for _ in range(3)]
    want = [numbers.integers(-9, 9, shape).astype(rng.choice([np.float32, np.float64])) for shape in shapes]
    got = [cuarray.asarray(x, device=device, copy=True) for x in want]
    for _ in range(25):
        step = random_step(rng, [x.shape for x in want])
        (expected, error), (array, problem) = attempt(step, np, want), attempt(step, cuarray, got)
        assert problem == error, f"program {program}: {problem}, NumPy: {error}"
        if expected is not None:
            place = rng.randrange(LIVE)
            want[place : place + 1], got[place : place + 1] = [np.asarray(expected)], [cuarray.asarray(array)]
        if not deferred:
            check(program, want, got)
    check(program, want, got)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("deferred", [False, True], ids=["eager", "deferred"])
def test_programs(device, deferred, full):
    for program in range((3000 if full else 300) // (1 if device == "cpu" else 10)):
        with cuarray.fuse() if deferred else contextlib.nullcontext():
            run(program, device, deferred)
