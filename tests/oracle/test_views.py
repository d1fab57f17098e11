"""A state machine of views, copies and writes: after each step every live array equals its NumPy counterpart."""

import sys
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "python")]

import oracle

import cuarray

TYPES = ["i1", "i4", "u2", "f4", "f8", "c8", "?"]
SHAPES = [(), (7,), (0,), (3, 4), (1, 5), (2, 3, 4), (2, 0, 3)]
NUMBERS = st.integers(0, 9)


class Views(RuleBasedStateMachine):
    """Arrays as pairs (cuarray, NumPy)."""

    pairs = Bundle("pairs")

    def __init__(self):
        super().__init__()
        self.alive = []

    def keep(self, ours, theirs):
        self.alive.append((ours, theirs))
        return self.alive[-1]

    @rule(target=pairs, shape=st.sampled_from(SHAPES), type=st.sampled_from(TYPES), start=NUMBERS)
    def make(self, shape, type, start):
        values = (np.arange(int(np.prod(shape)), dtype="f8") + start).reshape(shape).astype(type)
        return self.keep(cuarray.array(values), values.copy())

    @rule(target=pairs, pair=pairs, data=st.data())
    def cut(self, pair, data):
        ours, theirs = pair
        key = (*(data.draw(st.slices(extent)) for extent in theirs.shape), Ellipsis)
        return self.keep(ours[key], theirs[key])

    @rule(target=pairs, pair=pairs, data=st.data())
    def turn(self, pair, data):
        ours, theirs = pair
        axes = data.draw(st.permutations(range(theirs.ndim)))
        return self.keep(ours.transpose(axes), theirs.transpose(axes))

    @rule(target=pairs, pair=pairs)
    def copy(self, pair):
        return self.keep(pair[0].copy(), pair[1].copy())

    @rule(target=pairs, pair=pairs)
    def flatten(self, pair):
        # Whether it is a view must agree as well: the next write would show a difference.
        return self.keep(pair[0].reshape(-1), pair[1].reshape(-1))

    @rule(target=pairs, pair=pairs, type=st.sampled_from(TYPES))
    def convert(self, pair, type):
        real = type[0] == "c" or pair[1].dtype.kind != "c"
        small = np.abs(pair[1]).max(initial=0) < 100 and (pair[1].real >= 0).all()
        return self.keep(pair[0].astype(type), pair[1].astype(type)) if real and small else pair

    @rule(pair=pairs, number=NUMBERS)
    def fill(self, pair, number):
        if all(one.size == 0 or one.flags.writeable for one in pair[1:]):
            pair[0][...] = number
            pair[1][...] = number

    @rule(pair=pairs, other=pairs)
    def assign(self, pair, other):
        """From an array that may be a view of the same memory."""
        for one, value in zip(pair, other, strict=True):
            if other[1].dtype.kind == "c" and pair[1].dtype.kind != "c":
                return
            if other[1].dtype.kind == "f" and pair[1].dtype.kind in "iu":
                return
            self.twice(lambda one=one, value=value: one.__setitem__(..., value))

    @rule(pair=pairs, other=pairs)
    def add_in_place(self, pair, other):
        for one, value in zip(pair, other, strict=True):
            self.twice(lambda one=one, value=value: one.__iadd__(value))

    @rule(pair=pairs, number=st.integers(1, 2))
    def multiply_in_place(self, pair, number):
        if pair[1].dtype != bool and np.abs(pair[1]).max(initial=0) < 1e4:
            for one in pair:
                one.__imul__(number)

    @rule(pair=pairs, number=NUMBERS)
    def write_by_mask(self, pair, number):
        for one in pair:
            one[one == number] = 3

    @rule(pair=pairs, data=st.data(), number=NUMBERS)
    def write_by_positions(self, pair, data, number):
        if pair[1].ndim and pair[1].shape[0]:
            where = data.draw(st.lists(st.integers(-pair[1].shape[0], pair[1].shape[0] - 1), max_size=5))
            for one in pair:
                one[np.array(where, int) if one is pair[1] else cuarray.asarray(np.array(where, int))] = number

    def twice(self, action):
        """Run a write that both sides may reject, for shapes or types."""
        try:
            action()
        except (ValueError, TypeError) as error:
            self.refused = error

    @invariant()
    def all_are_equal(self):
        for ours, theirs in self.alive:
            host = ours.numpy()
            assert (host.dtype, host.shape) == (theirs.dtype, theirs.shape)
            assert oracle.same_bits(host, theirs, zeros=False).all(), f"{host} instead of {theirs}"


@pytest.mark.filterwarnings("ignore")
def test_views_copies_and_writes(device, full):
    examples = 400 if full else 40 if device == "cpu" else 5
    run_state_machine_as_test(
        Views, settings=settings(max_examples=examples, stateful_step_count=20, deadline=None, derandomize=not full)
    )
