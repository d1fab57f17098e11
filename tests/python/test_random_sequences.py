"""Random sequences of calls of every method, over every bit generator of NumPy: its numbers, and its states."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from test_random import ARRAYS, SCALARS, assert_same, plain

import cuarray
from cuarray.random import Generator, RandomState

KINDS = ["PCG64", "PCG64DXSM", "SFC64", "MT19937", "Philox"]
SIZES = ["None", "()", "0", "1", "2", "7", "(3, 5)", "(2, 0)", "[2, 2]", "np.int64(3)", "1001"]
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
#: Of one method each: calls that are not of the form method(parameters, size).
OTHERS = """
random(SIZE, 'f4') | standard_normal(SIZE, 'f4') | standard_exponential(SIZE, 'f4') | standard_gamma(2.5, SIZE, 'f4')
standard_exponential(SIZE, method='inv') | standard_exponential(SIZE, 'f4', 'inv')
random(out=A(np.zeros(9))) | standard_normal(dtype='f4', out=A(np.zeros((3, 3), 'f4'))) | standard_gamma(A([1.0, 2.0]), out=A(np.zeros((3, 2))))
integers(TYPE) | integers(0, 2, SIZE, bool) | integers(2**31, size=SIZE) | integers(-5, 2**33, SIZE) | integers(5, size=SIZE, dtype=np.int16)
integers(A([1, 200, 3]), dtype='u1') | integers(2**63, size=SIZE, dtype='u8') | integers(9, endpoint=True) | integers(3, 4, SIZE) | integers(2**32, size=SIZE)
uniform(A(2.0), 5) | normal(A(2.0), A(3.0)) | normal(np.float64(1), np.int64(2), SIZE) | poisson(A([1.0, 200.0])) | binomial(100, 0.4, SIZE) | binomial(A([5, 500]), 0.5)
gamma(0.5, 1.0, SIZE) | gamma(1.0, 2.0, SIZE) | gamma(0, 1.0, 3) | beta(0.3, 0.4, SIZE) | vonmises(1.0, 1e-9, SIZE) | zipf(1.5, SIZE) | geometric(0.001, SIZE)
noncentral_chisquare(0.5, 2.0, SIZE) | hypergeometric(10**5, 10**5, 500, SIZE) | standard_t(1, SIZE) | exponential(0, 3) | uniform(3, 3, 2) | lognormal(0, 0, 2)
choice(10) | choice(10, SIZE) | choice(10, 4, replace=False) | choice(1000, 4, replace=False) | choice(100, 60, False, shuffle=False) | choice(10, SIZE, p=P)
choice(10, p=P.numpy()) | choice(10, 3, p=P.tolist(), replace=False) | choice(A([[1.5, 2.0], [3.0, 4.0]]), 3, axis=1) | choice(['a', 'b'], 3) | choice([3, 5, 7])
choice(A([1.5, 2.5, 9.5])) | choice(A([1, 2, 3]), SIZE) | choice(A(np.arange(10.0)), 4, p=P) | choice(A(np.arange(9.0)), 4, False) | choice(A([1, 2]), 5, axis=0)
permutation(9) | permutation(0) | permutation(1) | permutation(A(np.arange(8.0))) | permutation(A(np.arange(12).reshape(4, 3)), axis=1) | permutation(A(np.ones((0, 3))))
permuted(A(np.arange(12).reshape(4, 3)), axis=0) | permuted(A(np.arange(12).reshape(4, 3))) | permuted(A(np.arange(6.0)), out=A(np.zeros(6)))
shuffled(A(np.arange(10))) | shuffled(A(np.arange(5, dtype='u1'))) | shuffled(A(np.arange(12).reshape(4, 3))) | shuffled(A(np.arange(20))[::2]) | shuffled(list('abcdef'))
bytes(7) | bytes(0) | multivariate_hypergeometric([5, 6, 7], 4, SIZE, method='count') | dirichlet([0.01, 0.02], SIZE) | dirichlet(A([1.0, 2.0]), SIZE)
multivariate_normal([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]], SIZE, method='cholesky') | spawned(2)
"""
OLDER = """
rand() | rand(3, 2) | randn() | randn(3) | random(SIZE) | random_sample(SIZE) | randint(10) | randint(5, size=SIZE) | randint(-5, 2**33, SIZE) | randint(2**32, size=SIZE)
randint(0, 2, SIZE, bool) | randint(100, size=SIZE, dtype='TYPE') | randint(A([1, 2, 300])) | tomaxint(SIZE) | normal(1.0, 2.0) | normal(size=7) | standard_normal(SIZE)
normal(A([1.0, 2.0]), A(2.0)) | standard_gamma(0.5, SIZE) | gamma(0.5, 1.0, SIZE) | standard_exponential(SIZE) | uniform(1, 0, SIZE) | uniform(A([0.0, 1.0]), 2)
choice(10) | choice(10, SIZE) | choice(10, 4, replace=False) | choice(10, SIZE, p=P) | choice(10, 3, p=P.tolist(), replace=False) | choice(['a', 'b'], 3) | choice(A([1.5, 2.5]), SIZE) | choice(A([1, 5, 9])) | choice(A(np.arange(10.0)), 4, p=P)
rand(5) | rand(0) | rand(2, 0, 3) | randn(2, 3) | normal(scale=2.0) | normal(2.0, size=3) | poisson(size=SIZE) | standard_gamma(shape=2.0, size=4)
permutation(9) | permutation(0) | permutation(A(np.arange(8.0))) | permutation(A(np.arange(12).reshape(4, 3))) | permutation([1, 2, 3])
shuffled(A(np.arange(10))) | shuffled(A(np.arange(12).reshape(4, 3))) | shuffled(list('abcdef')) | bytes(7) | binomial(100, 0.4, SIZE) | hypergeometric(20, 10, 7, SIZE)
"""


def calls_of(kind, others):
    """The texts of calls, in which SIZE and TYPE are to be replaced."""
    texts = [call.strip() for line in others.strip().splitlines() for call in line.split(" | ")]
    for name, parameters in SCALARS.items():
        if hasattr(kind, name):
            texts += [f"{name}({', '.join(filter(None, [parameters, 'size=SIZE']))})"] * 2
    wide = {"multinomial"} if kind is RandomState else set()  # which takes one n
    texts += [
        f"{name}({parameters})" for name, parameters in ARRAYS.items() if hasattr(kind, name) and name not in wide
    ]
    return [text for text in texts if "integers(TYPE)" not in text]


def called(text, rng, names):
    """What a call returns; of those that change their argument, that."""
    name, _, arguments = text.partition("(")
    if name == "shuffled":
        x = eval(arguments[:-1], names)
        rng.shuffle(x)
        return x
    if name == "spawned":
        return [child.bit_generator.random_raw() for child in rng.spawn(2)]
    return eval(f"rng.{text}", names | {"rng": rng})


def same(mine, other, text):
    if not isinstance(mine, cuarray.ndarray):
        assert type(mine) is type(other) and np.array_equal(mine, other), text
    elif text.startswith("shuffled") or "out=" in text:
        assert mine.numpy().tobytes() == np.ascontiguousarray(other).tobytes(), text
    else:
        assert_same(mine, other, text)


def play(ours, theirs, state, texts, count, seed):
    """Compare so many calls, drawn by a seed, and the states behind each."""
    draw = np.random.default_rng(seed)
    p = np.full(10, 0.1)
    here = {"np": np, "A": cuarray.asarray, "P": cuarray.asarray(p)}
    there = {"np": np, "A": np.array, "P": type("P", (), {})}
    for step in range(count):
        text = texts[draw.integers(len(texts))]
        text = text.replace("SIZE", SIZES[draw.integers(len(SIZES))]).replace("TYPE", TYPES[1 + draw.integers(8)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            there_text = text.replace("P.numpy()", "p").replace("P.tolist()", "p").replace("p=P", "p=p")
            expected = called(there_text, theirs, there | {"p": p})
            same(called(text, ours, here), expected, f"{step}: {text}")
        assert state(ours) == state(theirs), f"{step}: {text}"
        what = draw.integers(100)
        if what == 0:
            ours = pickle.loads(pickle.dumps(ours))
        elif what == 1:
            theirs = copy.deepcopy(theirs)
    return ours, theirs


def state_of_generator(rng):
    return plain(rng.bit_generator.state)


def state_of_older(rng):
    return plain(rng.get_state(legacy=False))


@pytest.mark.parametrize("kind", KINDS)
def test_generator(kind, device, full):
    bits = getattr(np.random, kind)
    ours, theirs = Generator(bits(11)), np.random.Generator(bits(11))
    play(ours, theirs, state_of_generator, calls_of(Generator, OTHERS), 10_000 if full else 600, KINDS.index(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_older(kind, device, full):
    bits = getattr(np.random, kind)
    ours, theirs = RandomState(bits(12)), np.random.RandomState(bits(12))
    play(ours, theirs, state_of_older, calls_of(RandomState, OLDER), 10_000 if full else 400, KINDS.index(kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sorted(SCALARS))
def test_many_numbers(kind, name, device, full):
    """Arrays that other threads see drawn, and such whose size is odd; the states behind them."""
    bits = getattr(np.random, kind)
    ours, theirs = Generator(bits(3)), np.random.Generator(bits(3))
    older, oldest = RandomState(bits(3)), np.random.RandomState(bits(3))
    for size in (100_000 if full else 20_000, 33_333 if full else 3333):
        arguments = f"{SCALARS[name]}{', ' if SCALARS[name] else ''}size={size}"
        assert_same(eval(f"rng.{name}({arguments})", {"rng": ours}), eval(f"rng.{name}({arguments})", {"rng": theirs}))
        assert state_of_generator(ours) == state_of_generator(theirs)
        if hasattr(RandomState, name):
            assert_same(
                eval(f"rng.{name}({arguments})", {"rng": older}), eval(f"rng.{name}({arguments})", {"rng": oldest})
            )
            assert state_of_older(older) == state_of_older(oldest)


@pytest.mark.parametrize("dtype", TYPES)
def test_integers_of_all_types(dtype, device):
    """Half words that are left, of draws of 8, 16, 32 and 64 bits behind one another."""
    for kind in KINDS:
        bits = getattr(np.random, kind)
        ours, theirs = Generator(bits(5)), np.random.Generator(bits(5))
        least, most = (0, 1) if dtype == "?" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        ends = {(0, 1), (least, most), (0, most), (most, most), (0, most // 2), (0, min(most, 9)), (max(least, -3), 1)}
        for low, high in sorted(ends):
            for size in (None, 1, 3, 1000, (2, 501)):
                arguments = {"size": size, "dtype": np.dtype(dtype), "endpoint": True}
                assert_same(ours.integers(low, high, **arguments), theirs.integers(low, high, **arguments))
                assert_same(ours.random(3, "f4"), theirs.random(3, "f4"))
                assert state_of_generator(ours) == state_of_generator(theirs)


def test_seed_of_a_used_generator():
    """`seed` begins anew: no number that is left, of 32 bits or of a pair, is seen again."""
    ours, theirs = RandomState(1), np.random.RandomState(1)
    for rng in (ours, theirs):
        rng.randn()
        rng.randint(7, dtype="u1")
        rng.seed(9)
    assert state_of_older(ours) == state_of_older(theirs)
    assert ours.randn(3).tolist() == theirs.randn(3).tolist()
