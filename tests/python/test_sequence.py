"""Numbers of NumPy's Generator over PCG64, drawn in parallel: NumPy's bits, and its state behind them."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import cuarray
from cuarray import _core

ROOT = Path(__file__).resolve().parents[2]

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
MASK = 2**128 - 1

#: Draws of numbers: NumPy's method, its dtype, and the number from which a tail begins.
FLOATS = {
    "uniform_double": (lambda g, n: g.random(n), np.float64, np.inf),
    "uniform_float": (lambda g, n: g.random(n, dtype=np.float32), np.float32, np.inf),
    "normal_double": (lambda g, n: g.standard_normal(n), np.float64, 3.6541),
    "normal_float": (lambda g, n: g.standard_normal(n, dtype=np.float32), np.float32, 3.6541),
    "exponential_double": (lambda g, n: g.standard_exponential(n), np.float64, 7.697),
    "exponential_float": (lambda g, n: g.standard_exponential(n, dtype=np.float32), np.float32, 7.697),
}
REJECTING = [name for name in FLOATS if "uniform" not in name]
#: Chains, whose numbers take several units each: row, parameters, and NumPy's draw of them.
CHAINS = {
    f"{row}-{'-'.join(map(str, parameters))}": (row, parameters, draw)
    for row, draw, *several in [
        (
            "gamma_double",
            lambda g, n, *p: g.gamma(*p, n),
            [0.01, 3.0],
            [0.7, 1.0],
            [1.0, 2.0],
            [1.001, 1.0],
            [50.0, 0.1],
        ),
        (
            "gamma_float",
            lambda g, n, *p: g.standard_gamma(*p, n, dtype=np.float32),
            *([0.01], [0.7], [1.0], [1.001], [50.0]),
        ),
        ("chisquare", lambda g, n, *p: g.chisquare(*p, n), [0.5], [2.0], [3.0], [1e9]),
        ("standard_t", lambda g, n, *p: g.standard_t(*p, n), [0.5], [2.0], [3.0], [1e9]),
        ("f", lambda g, n, *p: g.f(*p, n), [0.7, 0.9], [0.7, 8.0], [2.0, 2.0], [5.0, 1.5], [1e9, 1e9]),
        ("beta", lambda g, n, *p: g.beta(*p, n), [0.7, 3.0], [1.0, 1.5], [2.0, 2.0], [1e9, 1e-3]),
        ("standard_cauchy", lambda g, n: g.standard_cauchy(n), []),
    ]
    for parameters in several
}
INTEGERS = [np.dtype(code) for code in "?bBhHiIlL"]


def numpys(seed, half=False):
    """NumPy's generator, of which a 32-bit number may be left over."""
    generator = np.random.Generator(np.random.PCG64(seed))
    if half:
        generator.random(dtype=np.float32)
    return generator


def numbers_of(generator):
    """The state of NumPy's generator, as draw_sequence takes and returns it."""
    state = generator.bit_generator.state
    inner = state["state"]
    return inner["state"], inner["inc"], bool(state["has_uint32"]), state["uinteger"]


def with_numbers(state, inc):
    """NumPy's generator of a state."""
    bits = np.random.PCG64()
    inner = {"state": state, "inc": inc}
    bits.state = {"bit_generator": "PCG64", "state": inner, "has_uint32": 0, "uinteger": 0}
    return np.random.Generator(bits)


def same_numbers(ours, theirs, tail=np.inf):
    """Whether numbers have the same bits; those of tails on a GPU may differ in the last ones."""
    ours = ours.numpy() if isinstance(ours, cuarray.ndarray) else ours
    assert ours.dtype == theirs.dtype
    differ = ours.view(f"u{ours.itemsize}") != theirs.view(f"u{ours.itemsize}")
    if not differ.any():
        return True
    if cuarray.device().kind == "cpu" or not (abs(theirs[differ]) > tail).all():
        return False
    return np.allclose(ours[differ], theirs[differ], rtol=4 * np.finfo(ours.dtype).eps, atol=0)


def check_floats(name, generator, n, **options):
    """Draw beside NumPy; the state is compared, too."""
    draw, dtype, tail = FLOATS[name]
    out = cuarray.empty(n, dtype)
    before = numbers_of(generator)
    after = _core.draw_sequence(out, before, name, **options)
    assert same_numbers(out, draw(generator, n), tail), (name, n)
    assert after == numbers_of(generator), (name, n)


def check_integers(generator, low, high, n, dtype):
    """The same of integers from low to high."""
    out = cuarray.empty(n, dtype)
    before = numbers_of(generator)
    after = _core.draw_sequence_integers(out, before, low % 2**64, high - low)
    theirs = generator.integers(low, high, n, dtype=dtype, endpoint=True)
    assert same_numbers(out, theirs), (low, high, n, dtype)
    assert after == numbers_of(generator), (low, high, n, dtype)


def limits(dtype):
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def ranges(dtype):
    """Ranges of every kind: powers of two, all of a type, those that reject many and few numbers."""
    least, most = limits(dtype)
    if dtype.kind == "b":
        return [(0, 1)]
    found = [(least, most), (least, least + 1), (0, 99), (-1 if least else 1, 3), (most - 6, most)]
    bits = 8 * dtype.itemsize
    found += [(least, least + 2**k - 1) for k in range(1, bits, 3)]
    found += [(least, least + 2**k) for k in (bits - 1, bits // 2, bits - 3)]
    if bits == 64:
        found += [(0, 2**32 - 1), (0, 2**32), (0, 2**32 - 2), (5, 2**33 + 1), (0, 2**31)]
    return found


@pytest.fixture(params=[1, 2, 7])
def threads(request):
    """The number of threads of cpu."""
    before = cuarray.get_num_threads()
    cuarray.set_num_threads(request.param)
    yield request.param
    cuarray.set_num_threads(before)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("name", FLOATS)
def test_sizes(device, name, half):
    for n in (0, 1, 2, 3, 255, 256, 257, 2047, 2048, 2049, 5001):
        check_floats(name, numpys(n, half), n)


def check_chain(name, generator, n, **options):
    """Draw numbers of a chain beside NumPy; on a GPU they are as close as its log and pow are."""
    row, parameters, draw = CHAINS[name]
    check_chain_of(row, parameters, generator, n, draw, **options)


def check_chain_of(row, parameters, generator, n, draw=None, **options):
    """The same of a row with these parameters."""
    draw = draw or next(one for name, _, one in CHAINS.values() if name == row)
    before, theirs = numbers_of(generator), draw(generator, n, *parameters)
    out = cuarray.empty(n, theirs.dtype)
    after = _core.draw_sequence(out, before, row, parameters, **options)
    if cuarray.device().kind == "cpu":
        assert same_numbers(out, theirs), (row, parameters, n)
    else:
        np.testing.assert_allclose(out.numpy(), theirs, rtol=600 * np.finfo(theirs.dtype).eps, atol=1e-300)
        if (
            n >= 400
            and row != "standard_cauchy"
            and all(p >= 2.1 for p in parameters[: 2 if row in ("f", "beta") else 1])
        ):
            assert (out.numpy() == theirs).mean() > 0.99, row
    assert after == numbers_of(generator), (row, parameters, n)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("name", CHAINS)
def test_chains(device, name, half):
    """From few numbers to those of several tiles."""
    for n in (0, 1, 2, 3, 400, 801, 5001 if cuarray.device(device).kind == "cpu" else 2049):
        check_chain(name, numpys(n, half), n)


@pytest.mark.parametrize("name", CHAINS)
def test_ties_of_chains_are_decided_by_the_host(device, name):
    """With these margins, all or many acceptances that need log or pow are taken for ties."""
    for margin in (1.0, 1e-3):
        check_chain(name, numpys(17, True), 2500, margin=margin)


def with_words(first, second):
    """NumPy's generator whose next two words are these: the increment is what leads from one state to the other."""
    inverse = pow(MULTIPLIER, -1, 2**128)
    inc = (second - MULTIPLIER * first) & MASK
    if inc % 2 == 0:  # the same word of another state
        inc = ((1 << 64 | second ^ 1) - MULTIPLIER * first) & MASK
    return with_numbers((first - inc) * inverse & MASK, inc)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_planted_ties_of_cubes(device, dtype):
    """Numbers whose logarithm is as close to its bound as it can be: an acceptance follows from the last bit."""
    row, shape = ("gamma_double", 2.25) if dtype == "f8" else ("gamma_float", 2.25)
    real = np.dtype(dtype).type
    d = real(shape) - real(1) / real(3)
    c, bits = 1 / np.sqrt(9 * d), 53 if dtype == "f8" else 24
    found = 0
    for layer in range(3, 250, 13 if cuarray.device(device).kind == "cpu" else 31):
        for sign in (0, 1):
            unit = 0x7654321FEDCBA << 9 | sign << 8 | layer if dtype == "f8" else 0x765432 << 9 | sign << 8 | layer
            x = with_words(unit, unit).standard_normal(dtype=dtype)
            v = (1 + c * real(x)) ** 3
            bound = real(0.5) * x * x + d * (1 - v + np.log(v))
            for k in range(-3, 4):
                u = round(float(np.exp(np.float64(bound))) * 2**bits) + k
                if not 0 < u < 2**bits or u / 2**bits < 1 - 0.0331 * x**4:
                    continue
                # Words of two units: both halves of the first are read.
                words = (unit, u << 11) if dtype == "f8" else (unit | u << 40, 0x123456789ABCDEF)
                check_chain_of(row, [shape, 1.0][: 2 if dtype == "f8" else 1], with_words(*words), 2)
                found += 1
    assert found > 60


def test_planted_ties_of_powers(device):
    """The same of shapes below 1, where a power of a uniform number is compared with an exponential one."""
    found = 0
    for shape in (0.03, 0.4, 0.9):
        for layer in range(2, 256, 11 if cuarray.device(device).kind == "cpu" else 37):
            for uniform in (0.2, 0.7, 0.95, 0.99):
                u = int(uniform * 2**53) + 12345
                more = 0.0 if u * 2**-53 <= 1 - shape else -np.log((1 - u * 2**-53) / shape)
                power = (u * 2**-53 if more == 0 else 1 - shape + shape * more) ** (1 / shape)
                width = with_words(1 << 11 | layer << 3, 0).standard_exponential()
                for k in range(-3, 4):
                    distance = round((power - more) / width) + k
                    if 0 < distance < 2**52:
                        word = distance << 11 | layer << 3
                        check_chain_of("gamma_double", [shape, 1.0], with_words(u << 11, word), 2)
                        found += 1
    assert found > 60


def test_graphs_repeat_numbers_or_refuse_them(device):
    """On a GPU nothing is copied while a graph is captured: nothing is drawn, and the next call draws."""
    rng, theirs, graph = cuarray.random.default_rng(8), numpys(8), cuarray.Graph()
    if cuarray.device(device).kind == "cpu":
        with graph.capture():
            x = rng.gamma(2.5, size=3000)
        graph.launch()
        assert same_numbers(x, theirs.gamma(2.5, size=3000))
        return
    place = cuarray.ones(4, "f8")
    with graph.capture():
        cuarray.add(place, 1, out=place)
        for draw in (
            lambda: rng.gamma(2.5, size=3000),
            lambda: rng.dirichlet([2.0, 2.0], 10),
            lambda: rng.random(),
            lambda: rng.random(out=place),
            lambda: rng.choice(place),
            lambda: rng.permutation(place),
            lambda: rng.shuffle(place),
            lambda: cuarray.random.rand(3),
        ):
            with pytest.raises(RuntimeError, match="while a graph is being captured"):
                draw()
    assert rng.bit_generator.state == theirs.bit_generator.state
    check_close(rng.gamma(2.5, size=30), theirs.gamma(2.5, size=30))


def test_parameters_that_numpy_alone_draws():
    """They take no words, or two each at any time, so that numbers from different entries never meet."""
    for name, parameters in (("gamma_double", [0.0, 1.0]), ("beta", [0.5, 1.0]), ("weibull", [0.0])):
        with pytest.raises(ValueError, match=f"draw_sequence: {name}: NumPy alone"):
            _core.draw_sequence(cuarray.empty(3), numbers_of(numpys(1)), name, parameters)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(device, dtype, half):
    for k, (low, high) in enumerate(ranges(dtype)):
        for n in (1, 7, 3001):
            check_integers(numpys(k, half), low, high, n, dtype)


@pytest.mark.parametrize("name", FLOATS)
def test_many_numbers(device, name):
    """More than threads and grids take at once."""
    check_floats(name, numpys(11, True), 2_200_003 if name == "uniform_float" else 1_100_003)


def test_calls_of_any_order(device):
    """A state is carried through draws of all kinds, as NumPy's is."""
    draw, generator = np.random.default_rng(3), numpys(5)
    for _ in range(3000 if cuarray.device(device).kind == "cpu" else 150):
        n = int(draw.choice([0, 1, 2, 3, 4, 5, 7, 31, 64, 1000]))
        kind = draw.random()
        if kind < 0.4:
            check_floats(list(FLOATS)[draw.integers(len(FLOATS))], generator, n)
        elif kind < 0.6:
            check_chain(list(CHAINS)[draw.integers(len(CHAINS))], generator, n)
        else:
            dtype = INTEGERS[draw.integers(len(INTEGERS))]
            low, high = ranges(dtype)[draw.integers(len(ranges(dtype)))]
            check_integers(generator, low, high, n, dtype)


def test_threads_draw_the_same(threads):
    """Threads begin where the numbers before them end, which is rarely at the first unit of their part."""
    with cuarray.device("cpu"):
        for seed in range(30):
            for name in REJECTING:
                check_floats(name, numpys(seed, True), 40_000 + seed)
            check_integers(numpys(seed), 0, 2**31, 40_001, np.dtype("l"))
            check_integers(numpys(seed, True), 0, 200, 40_001, np.dtype("B"))
        for name in CHAINS:
            check_chain(name, numpys(7, True), 40_007)
        check_floats("uniform_double", numpys(1), 200_001)
        check_floats("uniform_float", numpys(1, True), 200_001)


@pytest.mark.parametrize("name", REJECTING)
def test_ties_are_decided_by_the_host(device, name):
    """With a margin of one, every acceptance that needs exp or log1p is taken for a tie."""
    for margin in (1.0, 1e-2):
        check_floats(name, numpys(17, True), 9001, margin=margin)


#: States behind which a number of the tail takes 7, 9 and 13 words: a tile of a GPU knows exits up to 7 words behind it.
LONG_TAILS = [
    (7, 0xA350EC91F393BBF441110794D3B5D40D, 0x289D99CBFDB6AFE4ECAF5D5EAB1C1EE1),
    (9, 0x3BB593CE2CAA07599EA60EFE94BE70D2, 0xD2E4D092502A6DBD585E1BE21C606665),
    (13, 0x66352EB4455777DA4ACF415294A71FAF, 0xAD1BB90FDA7E4D2C103C12A0883E4B3B),
]


@pytest.mark.parametrize(("words", "state", "inc"), LONG_TAILS)
def test_numbers_that_end_far_behind_a_tile(device, words, state, inc):
    generator = with_numbers(state, inc)
    generator.standard_normal()
    assert numbers_of(generator)[0] == advanced(state, inc, words)
    for before in (2047, 2048, 2046, 2041, 4095):
        check_floats("normal_double", with_numbers(advanced(state, inc, -before), inc), 5000)


def advanced(state, inc, steps):
    """The state that many steps later."""
    bits = with_numbers(state, inc).bit_generator
    bits.advance(steps % 2**128)
    return bits.state["state"]["state"]


def test_every_layer_is_numpys(device, every):
    """The first word of each state is at the border of a layer: accepted at once below it, and not at it."""
    inverse = pow(MULTIPLIER, -1, 2**128)
    for name, shift, drop in (("normal_double", 9, 0), ("exponential_double", 11, 3)):
        draw = FLOATS[name][0]
        for layer in (
            range(0, 256, 1 if every else 17) if cuarray.device(device).kind == "cpu" else (0, 1, 2, 38, 100, 255)
        ):
            inside = border(draw, layer, shift, drop)
            for distance in (1, max(inside - 1, 0), inside, inside + 1):
                word = distance << shift | layer << drop
                state = (word - 12345) * inverse & MASK
                check_floats(name, with_numbers(state, 12345), 3)
                check_floats(name, with_numbers(state, 12345), 1)


def border(draw, layer, shift, drop):
    """The first distance in a layer of which NumPy takes a second word."""
    inverse = pow(MULTIPLIER, -1, 2**128)
    low, high = 0, 2 ** (64 - shift - (3 if drop == 0 else 0))
    while low < high:
        middle = (low + high) // 2
        generator = with_numbers(((middle << shift | layer << drop) - 12345) * inverse & MASK, 12345)
        first = advanced(numbers_of(generator)[0], 12345, 1)
        draw(generator, 1)
        if numbers_of(generator)[0] == first:
            low = middle + 1
        else:
            high = middle
    return low


def test_tables_follow_from_their_recurrence():
    spec = importlib.util.spec_from_file_location("make_ziggurats", ROOT / "scripts" / "make_ziggurats.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.text() == script.TARGET.read_text("utf-8")


def test_layouts_and_scales(device):
    """Numbers go to the elements in C order; they are scaled as NumPy scales them."""
    for shape, layout in [((6, 7), lambda x: x.T), ((9, 8), lambda x: x[::-2, 1::3]), ((5,), lambda x: x[::-1])]:
        out = layout(cuarray.zeros(shape))
        generator = numpys(4)
        after = _core.draw_sequence(out, numbers_of(generator), "normal_double", [2.0, 0.3])
        check_close(out, generator.normal(2.0, 0.3, out.shape))
        assert after == numbers_of(generator)


#: Distributions that are functions of others, with their parameters.
TRANSFORMS = {
    "uniform": ("uniform_double", [-3.0, 5.0]),
    "normal": ("normal_double", [0.5, 7.0]),
    "exponential": ("exponential_double", [2.5]),
    "gumbel": ("gumbel", [1.0, 3.0]),
    "laplace": ("laplace", [-1.0, 0.3]),
    "logistic": ("logistic", [10.0, 1.7]),
    "lognormal": ("lognormal", [0.1, 1.3]),
    "pareto": ("pareto", [2.5]),
    "power": ("power", [0.7]),
    "rayleigh": ("rayleigh", [3.3]),
    "triangular": ("triangular", [-1.0, 2.0, 2.5]),
    "weibull": ("weibull", [1.7]),
}


@pytest.mark.parametrize("method", TRANSFORMS)
def test_distributions(device, method):
    name, parameters = TRANSFORMS[method]
    for seed, n in enumerate((1, 2, 5001, 40_001 if cuarray.device(device).kind == "cpu" else 4097)):
        generator, out = numpys(seed, True), cuarray.empty(n)
        after = _core.draw_sequence(out, numbers_of(generator), name, parameters)
        check_close(out, getattr(generator, method)(*parameters, n))
        assert after == numbers_of(generator)


def check_close(ours, theirs):
    """Compare numbers: equal on cpu, and on GPUs as close as their functions are."""
    if cuarray.device().kind == "cpu":
        assert same_numbers(ours, theirs)
    else:
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-14, atol=1e-15)


#: Calls that generators draw in parallel.
CALLS = {
    "random": lambda g, n: g.random(n),
    "random_float": lambda g, n: g.random((2, n // 2), dtype=np.float32),
    "uniform": lambda g, n: g.uniform(-1.0, 4.0, n),
    "integers": lambda g, n: g.integers(10, 1010, n),
    "integers_8": lambda g, n: g.integers(0, 200, n, dtype=np.uint8),
    "integers_power": lambda g, n: g.integers(-8, 8, n, dtype=np.int16),
    "integers_same": lambda g, n: g.integers(7, 8, n),
    "standard_normal": lambda g, n: g.standard_normal(n),
    "standard_normal_float": lambda g, n: g.standard_normal(n, dtype=np.float32),
    "standard_exponential": lambda g, n: g.standard_exponential(n),
    "weibull_of_nothing": lambda g, n: g.weibull(0.0, n),
    "gamma": lambda g, n: g.gamma(2.5, 3.0, n),
    "gamma_of_nothing": lambda g, n: g.gamma(0.0, 3.0, n),
    "standard_gamma": lambda g, n: g.standard_gamma(1.5, n),
    "standard_gamma_float": lambda g, n: g.standard_gamma(1.5, n, dtype=np.float32),
    "standard_gamma_of_nothing": lambda g, n: g.standard_gamma(1e-60, n, dtype=np.float32),
    "chisquare": lambda g, n: g.chisquare(3.0, n),
    "standard_t": lambda g, n: g.standard_t(3.0, n),
    "standard_cauchy": lambda g, n: g.standard_cauchy(n),
    "f": lambda g, n: g.f(3.0, 7.0, n),
    "beta": lambda g, n: g.beta(3.0, 0.7, n),
    "beta_of_small_shapes": lambda g, n: g.beta(0.3, 0.7, n),
    "dirichlet": lambda g, n: g.dirichlet([2.5, 2.5, 2.5], n),
    "dirichlet_of_array": lambda g, n: g.dirichlet(np.ones(4), (2, n // 2)),
    "dirichlet_of_different": lambda g, n: g.dirichlet([2.5, 1.0], n),
    "dirichlet_of_small_shapes": lambda g, n: g.dirichlet([0.05, 0.05], n),
    **{name: lambda g, n, name=name: getattr(g, name)(*TRANSFORMS[name][1], n) for name in TRANSFORMS},
}


@pytest.mark.parametrize("name", CALLS)
def test_generators_draw_numpys_numbers(device, name):
    """The same calls, few and many numbers, one after the other and with a half of a word left over."""
    ours, theirs = cuarray.random.default_rng(21), numpys(21)
    for n in (1, 4, 1998, 2000, 2002, 5000, 40_000 if cuarray.device(device).kind == "cpu" else 2050):
        a, b = CALLS[name](ours, n), CALLS[name](theirs, n)
        assert a.shape == b.shape and a.device == cuarray.device()
        if "integers" in name:
            assert same_numbers(a, b)
        elif b.dtype == np.float32 and "normal" in name:
            assert same_numbers(a, b, 3.6541)
        elif "gamma_float" in name:
            np.testing.assert_allclose(a.numpy(), b, rtol=0 if cuarray.device().kind == "cpu" else 1e-5)
        else:
            check_close(a, b)
        assert ours.random(dtype=np.float32).item() == theirs.random(dtype=np.float32)
        assert ours.bit_generator.state == theirs.bit_generator.state
