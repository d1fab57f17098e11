"""Bad arguments of the older interface, RandomState: the errors of numpy.random.RandomState."""

import numpy as np
import pytest
from test_random import CALLS, refusal

import cuarray
from cuarray.random import RandomState

OWN_CALLS = """
rng.dirichlet([0.0, 0.0]) | rng.dirichlet([0, 1]) | rng.choice([[1, 2], [3, 4]]) | rng.choice(A([[1, 2]])) | rng.choice(([1],)) | rng.choice([[]])
rng.rand(-1) | rng.rand('a') | rng.rand(1.5) | rng.randn((2, 3), 1) | rng.random_sample(-1) | rng.random(2.5) | rng.uniform(1, 0, -2)
rng.randint(0) | rng.randint(5, 2) | rng.randint(300, dtype='u1') | rng.randint('a') | rng.tomaxint(-1) | rng.random_integers(0) | rng.random_integers(3, 1)
rng.seed(-1) | rng.seed('a') | rng.seed(1.5) | rng.seed([1, -1]) | rng.set_state(3) | rng.set_state({}) | rng.set_state(()) | rng.set_state(("MT19937", 1)) | rng.get_state(1, 2)
rng.permutation((1, 2), 3) | rng.gamma(0, -1) | rng.standard_gamma(-1.0) | rng.chisquare(0) | rng.zipf(1) | rng.logseries(1) | rng.wald(0, 1)
rng.hypergeometric(1, 1, 3) | rng.multinomial(3, [0.7, 0.7, 0]) | rng.multinomial(-1, [1.0]) | rng.normal(0, 1, 'a')
"""
OWN = [call.strip() for line in OWN_CALLS.strip().splitlines() for call in line.split(" | ")]
KNOWN = [call for call in CALLS + OWN if hasattr(np.random.RandomState, call[len("rng.") : call.index("(")])]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of random_integers
@pytest.mark.parametrize("call", KNOWN)
def test_errors_are_numpys(call, device):
    ours = {"A": cuarray.asarray, "F": lambda *s: cuarray.broadcast_to(cuarray.zeros(1), s)}
    theirs = {"A": np.asarray, "F": lambda *s: np.broadcast_to(np.zeros(1), s)}
    kind, text = refusal(call, {"np": np, "rng": RandomState(7), **ours})
    expected, reason = refusal(call, {"np": np, "rng": np.random.RandomState(7), **theirs})
    assert kind == expected, f"{call}: {text!r} instead of {reason!r}"


def test_no_outcomes(device):
    """Rows without entries, of the older class alone."""
    for size in (None, 2, (7, 5)):
        expected = np.random.RandomState(7).multinomial(3, [], size)
        drawn = RandomState(7).multinomial(3, [], size)
        assert drawn.shape == expected.shape and drawn.dtype == expected.dtype


def test_classes_of_bit_generators():
    for kind in (np.random.MT19937, np.random.Philox):
        with pytest.raises(ValueError, match="instanti"):
            RandomState(kind)


def test_states_by_the_protocol_of_pickles():
    rng = RandomState(7)
    state = rng.__getstate__()
    numbers = rng.rand(5).tolist()
    rng.__setstate__(state)
    assert rng.rand(5).tolist() == numbers


def test_shares_of_zero():
    """Only the Generator takes them; without any other share a row is of zeros, as in NumPy."""
    for alpha in ([0.0, 0.0], [0], [0, 0, 0]):
        expected = np.random.default_rng(1).dirichlet(alpha, 2)
        assert cuarray.random.default_rng(1).dirichlet(alpha, 2).tolist() == expected.tolist()
        assert cuarray.random.default_rng(1).dirichlet(cuarray.asarray(alpha), 2).tolist() == expected.tolist()
