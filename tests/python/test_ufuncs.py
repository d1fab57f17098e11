"""Every row of the table, at every type and in every layout, against NumPy in higher precision."""

import operator

import numpy as np
import pytest
from layouts import LAYOUTS, contiguous, rectangle, unaligned
from oracle import BFLOAT16, bits, distance, expected, limit, same_bits
from samples import arguments, every

import cuarray
from cuarray import _core

ROWS = {row["name"]: row for row in _core.rows()}
LOOPS = [(name, loop) for name, row in ROWS.items() for loop in row["loops"]]
UFUNCS = [pytest.param(name, id=name) for name in ROWS]

# With two zeros, or two NaNs, the result depends on the order of the operands.
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip"}
# Infinite operands follow the Array API standard, tested separately; NumPy differs.
FINITE_ONLY = {"floor_divide", "remainder", "fmod", "divmod"}


def loops(*, of=None):
    """The parameters (row, input dtypes, output dtypes), with ids such as add-float32-float32."""
    return [
        pytest.param(ROWS[name], *loop, id="-".join([name, *loop[0]]))
        for name, loop in LOOPS
        if of is None or of(ROWS[name], *loop)
    ]


def dtype(name):
    return _core.dtype(name)


def call(row, inputs, **keywords):
    """Call the function of a row on NumPy arrays and return a tuple of results as cuarray's arrays."""
    result = cuarray_function(row)(*map(cuarray.asarray, inputs), **keywords)
    return result if isinstance(result, tuple) else (result,)


def cuarray_function(row):
    return _core.ufuncs[row["name"]]


def sample(row, ins, rng, count=400):
    """Arguments for a loop, without those for which the row is not defined by NumPy."""
    inputs = arguments([dtype(t) for t in ins], rng, count)
    name = row["name"]
    if name == "pow" and inputs[1].dtype.kind == "i":
        inputs[1] = np.where(inputs[1] < 0, ~inputs[1], inputs[1]).astype(inputs[1].dtype)
    if name == "ldexp":
        inputs[1] = np.clip(inputs[1], -3000, 3000)
    if name in ("gcd", "lcm") and inputs[0].dtype.kind == "i":
        # The magnitude of the smallest integer overflows.
        inputs = [np.maximum(x, -np.iinfo(x.dtype).max) for x in inputs]
    if name in FINITE_ONLY and inputs[0].dtype.kind in "fV":
        inputs = [np.where(np.isfinite(x), x, np.ones(1, x.dtype)) for x in inputs]
    return inputs


def check(row, inputs, outs, device):
    """Assert that a row's results equal the reference, within the limits of oracle.py."""
    name = row["name"]
    out_types = [dtype(t) for t in outs]
    results = call(row, inputs)
    assert [r.dtype for r in results] == out_types
    hosts = [r.numpy() for r in results]
    parts = ["floor_divide", "remainder"] if name == "divmod" else [name] * len(out_types)
    limits = [limit(part, inputs[0].dtype, t, device) for part, t in zip(parts, out_types, strict=True)]
    exact = expected(row, inputs, out_types, approximate=any(limits))
    for got, want, most in zip(hosts, exact, limits, strict=True):
        assert got.shape == inputs[0].shape
        if most:
            off = distance(name, got, inputs, want)
            fault = off.argmax()
            assert off[fault] <= most, (
                f"{name}({', '.join(repr(x[fault]) for x in inputs)}) is {got[fault]!r}, {off[fault]:.4g} ulp "
                f"from {want[fault]!r}; the limit is {most}"
            )
        else:
            alike = same_bits(got, want.astype(got.dtype), zeros=name not in EITHER_ZERO)
            fault = alike.argmin()
            assert alike[fault], (
                f"{name}({', '.join(repr(x[fault]) for x in inputs)}) is {got[fault]!r} instead of {want[fault]!r}"
            )


@pytest.mark.parametrize(("row", "ins", "outs"), loops())
def test_values(row, ins, outs, rng, device, full):
    check(row, sample(row, ins, rng, 200_000 if full else 1000), outs, device)


NUMBERS = np.arange(1.0, 20_000)
#: Functions, their arguments and results, which the type holds: programs take the floor of such results.
EXACT = {
    "cbrt": ((NUMBERS**3,), NUMBERS),
    "log2": ((2.0 ** np.arange(-100, 100),), np.arange(-100.0, 100)),
    "exp2": ((np.arange(-100.0, 100),), 2.0 ** np.arange(-100, 100)),
    "log10": ((10.0 ** np.arange(23),), np.arange(23.0)),
    "hypot": ((NUMBERS[:5000] ** 2 - 1, 2 * NUMBERS[:5000]), NUMBERS[:5000] ** 2 + 1),
    "pow": ((np.arange(2.0, 100), 7.0), np.arange(2, 100) ** 7.0),
}


@pytest.mark.parametrize("name", EXACT)
def test_results_that_the_type_holds_are_exact(name, device):
    inputs, want = EXACT[name]
    most = 0 if device == "cpu" or name == "cbrt" else 3e-16  # CUDA's functions promise an error
    function = getattr(cuarray, name)
    for sign in (1, -1) if name == "cbrt" else (1,):
        got = function(*(sign * cuarray.asarray(x) for x in inputs)).numpy()
        np.testing.assert_allclose(got, sign * want, rtol=most, atol=0)
    if name == "cbrt":
        assert (function(cuarray.asarray(inputs[0][:250], dtype="f4")).numpy() == want[:250]).all()
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, 1.7e308])
        got = function(cuarray.asarray(odd)).numpy()
        assert np.array_equal(np.signbit(got), np.signbit(np.cbrt(odd)))
        np.testing.assert_allclose(got, np.cbrt(odd), rtol=1e-15)


def small(row, ins, outs):
    """Whether all input values can be tested: one input of 16 bits, or two of 8."""
    return sum(dtype(t).itemsize for t in ins) <= 2


@pytest.mark.parametrize(("row", "ins", "outs"), loops(of=small))
def test_every_value_of_small_types(row, ins, outs, device):
    columns = [every(dtype(t)) if t not in ("bool", "bool_") else np.array([False, True]) for t in ins]
    inputs = [x.ravel() for x in np.meshgrid(*columns)] if len(columns) > 1 else columns
    if row["name"] == "pow" and ins[1] == "int8":
        keep = inputs[1] >= 0
        inputs = [x[keep] for x in inputs]
    if row["name"] in ("gcd", "lcm") and ins[0] == "int8":
        keep = np.minimum(*inputs) > -128
        inputs = [x[keep] for x in inputs]
    check(row, inputs, outs, device)


def test_bits_sees_the_sign_of_zero(device):
    assert bits(cuarray.asarray([0.0])) != bits(cuarray.asarray([-0.0]))
    assert bits(cuarray.asarray([np.nan])) == bits(cuarray.asarray([-np.nan]))


@pytest.mark.parametrize(("row", "ins", "outs"), loops())
def test_layouts_change_no_bit(row, ins, outs, rng, device):
    inputs = [rectangle(x[-1000:]) for x in sample(row, ins, rng, 500)]
    want = [bits(r) for r in call(row, inputs)]
    function = cuarray_function(row)
    for shift in range(len(LAYOUTS)):
        recipes = [LAYOUTS[(shift + 3 * i) % len(LAYOUTS)] for i in range(len(ins))]
        results = function(*(recipe(x) for recipe, x in zip(recipes, inputs, strict=True)))
        results = results if isinstance(results, tuple) else (results,)
        assert [bits(r) for r in results] == want, [recipe.__name__ for recipe in recipes]

        # And the results into each layout.
        out = tuple(LAYOUTS[shift](np.zeros(inputs[0].shape, dtype(t))) for t in outs)
        given = function(*map(contiguous, inputs), out=out)
        given = given if isinstance(given, tuple) else (given,)
        assert all(a is b for a, b in zip(given, out, strict=True))
        assert [bits(r) for r in out] == want, LAYOUTS[shift].__name__


@pytest.mark.parametrize(("row", "ins", "outs"), loops())
def test_shapes(row, ins, outs, rng, device):
    """0-d, empty and broadcast arrays: the bits of the plain call."""
    inputs = [x[-60:] for x in sample(row, ins, rng, 300)]
    function = cuarray_function(row)
    plain = call(row, inputs)
    for i in (0, 31, 59):
        single = call(row, [x[i] for x in inputs])
        assert [bits(r.reshape(1)) for r in single] == [bits(p[i : i + 1]) for p in plain]
        assert all(r.shape == () for r in single)
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 2)]:
        for result, out in zip(call(row, [np.zeros(shape, x.dtype) for x in inputs]), outs, strict=True):
            assert (result.shape, result.dtype) == (shape, dtype(out))

    # Each input is broadcast along another axis; the last one has fewer axes.
    shapes = [(5, 1, 1), (1, 4, 1), (3,)][: len(ins)]
    stretched = [x[: int(np.prod(s))].reshape(s) for x, s in zip(inputs, shapes, strict=True)]
    apart = [np.array(x) for x in np.broadcast_arrays(*stretched)]
    assert [bits(r) for r in call(row, stretched)] == [bits(r) for r in call(row, apart)]
    views = [cuarray.broadcast_to(x, apart[0].shape) for x in stretched]
    results = function(*views)
    results = results if isinstance(results, tuple) else (results,)
    assert [bits(r) for r in results] == [bits(r) for r in call(row, apart)]


@pytest.mark.parametrize(("row", "ins", "outs"), loops(of=lambda row, ins, outs: ins[0] == outs[0]))
def test_overlap_of_input_and_output(row, ins, outs, rng, device):
    """Results are as if all inputs were read before any write, for every shift of the output."""
    inputs = [x[-301:] for x in sample(row, ins, rng, 600)]
    function = cuarray_function(row)
    for source, target in [
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None, None, -1), slice(None)),
        (slice(None), slice(None)),
    ]:
        buffer = contiguous(inputs[0])
        others = [contiguous(x)[source] for x in inputs[1:]]
        want = function(contiguous(inputs[0])[source], *others)
        rest = tuple(cuarray.empty_like(w) for w in want[1:]) if isinstance(want, tuple) else ()
        function(buffer[source], *others, out=(buffer[target], *rest))
        want = want[0] if isinstance(want, tuple) else want
        assert bits(buffer[target]) == bits(want), (source, target)


@pytest.mark.parametrize(("row", "ins", "outs"), loops())
def test_where_keeps_the_rest(row, ins, outs, rng, device):
    inputs = [rectangle(x[-200:]) for x in sample(row, ins, rng, 300)]
    mask = rng.integers(0, 2, inputs[0].shape).astype(bool)
    plain = [r.numpy() for r in call(row, inputs)]
    out = tuple(cuarray.full(p.shape, 1, p.dtype) for p in plain)
    call(row, inputs, out=out, where=cuarray.asarray(mask))
    for o, p in zip(out, plain, strict=True):
        kept = np.where(mask, p, np.ones(1, p.dtype)).astype(p.dtype)
        assert bits(o) == bits(cuarray.asarray(kept))


@pytest.mark.parametrize("name", UFUNCS)
def test_inputs_stay_as_they_are(name, rng, device):
    row = ROWS[name]
    ins, _ = row["loops"][-1]
    inputs = sample(row, ins, rng, 50)
    arrays = [cuarray.asarray(x.copy()) for x in inputs]
    cuarray_function(row)(*arrays)
    assert all(bits(a) == bits(cuarray.asarray(x)) for a, x in zip(arrays, inputs, strict=True))


def heavy(row, ins, outs):
    """The loops that call the vector math library, where position could matter."""
    return "VectorMath" in row["flags"]


@pytest.mark.parametrize(("row", "ins", "outs"), loops(of=heavy))
def test_position_changes_no_bit(row, ins, outs, rng, device):
    """The same input gives the same result at any index, alignment, length and number of threads."""
    inputs = [x[-97:] for x in sample(row, ins, rng, 300)]
    function = cuarray_function(row)
    arrays = [contiguous(x) for x in inputs]

    def of(part):
        results = function(*(part(a) for a in arrays))
        return results if isinstance(results, tuple) else (results,)

    plain = of(lambda a: a)
    for start, length in [(1, 96), (3, 17), (5, 16), (7, 15), (13, 1), (31, 33), (64, 32)]:
        part = slice(start, start + length)
        assert [bits(r) for r in of(lambda a, part=part: a[part])] == [bits(p[part]) for p in plain]
    assert [bits(r) for r in of(lambda a: a[::-1])] == [bits(p[::-1]) for p in plain]
    assert [bits(r) for r in of(lambda a: a[::5])] == [bits(p[::5]) for p in plain]
    assert [bits(r) for r in of(lambda a: unaligned(a.numpy()))] == [bits(p) for p in plain]

    long = of(lambda a: cuarray.tile(a, 3001))
    assert [bits(r) for r in long] == [bits(cuarray.tile(p, 3001)) for p in plain]


@pytest.mark.parametrize("name", ["sin", "exp", "pow", "add", "divide"])
def test_number_of_threads_changes_no_bit(name, rng, device):
    row = ROWS[name]
    inputs = [np.resize(x, 300_001) for x in sample(row, row["loops"][-3][0], rng, 1000)]
    before = cuarray.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 5):
            cuarray.set_num_threads(threads)
            results.append([bits(r) for r in call(row, inputs)])
    finally:
        cuarray.set_num_threads(before)
    assert results[0] == results[1] == results[2]


# Results that NumPy leaves undefined or the Array API standard defines differently.

X, INF, NAN = 3.0, np.inf, np.nan


@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [
        ("floor_divide", INF, X, INF), ("floor_divide", -INF, X, -INF),
        ("floor_divide", INF, -X, -INF), ("floor_divide", X, INF, 0.0), ("floor_divide", -X, -INF, 0.0),
        ("floor_divide", -X, INF, -0.0), ("floor_divide", X, -INF, -0.0),
        ("floor_divide", 0.0, 0.0, NAN), ("floor_divide", X, 0.0, INF), ("floor_divide", -X, 0.0, -INF),
        ("floor_divide", 6.0, 0.1, 59.0),
        ("remainder", X, INF, X), ("remainder", -X, INF, INF), ("remainder", X, -INF, -INF),
        ("remainder", INF, X, NAN), ("remainder", X, 0.0, NAN), ("remainder", -0.0, X, 0.0), ("remainder", 0.0, -X, -0.0),
        ("fmod", X, INF, X), ("fmod", -X, INF, -X), ("fmod", INF, X, NAN), ("fmod", -0.0, X, -0.0),
        ("pow", 1.0, NAN, 1.0), ("pow", NAN, 0.0, 1.0), ("pow", -1.0, INF, 1.0), ("pow", 0.0, -1.0, INF),
        ("pow", -8.0, 1 / 3, NAN), ("pow", -INF, 3.0, -INF),
        ("atan2", 0.0, -0.0, np.pi), ("atan2", -0.0, -0.0, -np.pi), ("atan2", -0.0, 0.0, -0.0),
        ("hypot", INF, NAN, INF), ("copysign", NAN, -1.0, NAN), ("xlogy", 0.0, 0.0, 0.0), ("xlogy", 0.0, NAN, NAN),
        ("logaddexp", -INF, -INF, -INF), ("logaddexp", INF, INF, INF), ("heaviside", NAN, 1.0, NAN),
        ("fmax", NAN, X, X), ("maximum", NAN, X, NAN), ("fmin", X, NAN, X), ("minimum", X, NAN, NAN),
    ],
)  # fmt: skip
def test_special_values(name, a, b, want, type, device):
    if (name, type, b) == ("floor_divide", "float16", 0.1):
        want = 60.0  # the nearest float16 of 0.1 is below it
    if (name, type, b) == ("pow", "float16", 1 / 3):
        b = np.float16(b)
    got = getattr(cuarray, name)(cuarray.asarray(a, type), cuarray.asarray(b, type)).numpy()
    assert same_bits(got, np.asarray(want, type)), got


@pytest.mark.parametrize("type", [t for t in _core.dtype_names() if np.dtype(_core.dtype(t)).kind in "iu"])
def test_integer_division_by_zero_is_zero(type, device):
    t = np.dtype(type)
    x = cuarray.asarray(np.array([np.iinfo(t).min, 0, 1, 7, np.iinfo(t).max], t))
    for name in ("floor_divide", "remainder", "fmod"):
        assert getattr(cuarray, name)(x, t.type(0)).tolist() == [0] * 5
    assert cuarray.reciprocal(cuarray.asarray(np.array([0, 1, 2], t))).tolist() == [0, 1, 0]


@pytest.mark.parametrize("type", ["int64", "uint64"])
def test_integer_division_around_what_float64_holds(type, device):
    t = np.iinfo(type)
    near = [edge + step for edge in (0, 2**52, 2**53, 2**54, 2**62, t.max) for step in range(-3, 4)]
    numbers = [n for n in (*near, *(-n for n in near), 10**18 + 7) if t.min <= n <= t.max]
    pairs = [(x, y) for x in numbers for y in numbers if y != 0 and (x, y) != (t.min, -1)]
    x, y = (cuarray.asarray(np.array(side, type)) for side in zip(*pairs, strict=True))
    quotients, remainders = zip(*(divmod(x, y) for x, y in pairs), strict=True)
    truncated = [abs(x) % abs(y) * (-1 if x < 0 else 1) for x, y in pairs]
    assert (x // y).tolist() == list(quotients)
    assert (x % y).tolist() == list(remainders)
    assert cuarray.fmod(x, y).tolist() == truncated
    assert [part.tolist() for part in cuarray.divmod(x, y)] == [list(quotients), list(remainders)]


@pytest.mark.parametrize(
    ("name", "compare"),
    [
        ("equal", operator.eq),
        ("not_equal", operator.ne),
        ("less", operator.lt),
        ("less_equal", operator.le),
        ("greater", operator.gt),
        ("greater_equal", operator.ge),
    ],
)
def test_integers_of_two_signs_compare_by_value(name, compare, device):
    signed = [-1, -(2**63), 0, 7, 2**63 - 1]
    unsigned = [2**64 - 1, 2**63, 0, 7, 2**63 - 1]
    x, y = np.array(signed, "int64"), np.array(unsigned, "uint64")
    call = getattr(cuarray, name)
    assert call(cuarray.asarray(x), cuarray.asarray(y)).tolist() == list(map(compare, signed, unsigned))
    assert call(cuarray.asarray(y), cuarray.asarray(x)).tolist() == list(map(compare, unsigned, signed))


@pytest.mark.parametrize("type", ["int8", "int16", "int32", "int64"])
def test_the_least_integer(type, device):
    least = np.iinfo(type).min
    x = cuarray.asarray(np.array([least], type))
    minus_one = cuarray.asarray(np.array([-1], type))
    assert (x // minus_one).tolist() == [least]
    assert (x % minus_one).tolist() == [0]
    assert abs(x).tolist() == (-x).tolist() == [least]


@pytest.mark.parametrize("type", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_shifts_beyond_the_width(type, device):
    t, width = np.dtype(type), 8 * np.dtype(type).itemsize
    x = cuarray.asarray(np.array([1, np.iinfo(t).max, np.iinfo(t).min], t))
    for count in (width, width + 1, 100):
        assert (x << t.type(count)).tolist() == [0, 0, 0]
        assert (x >> t.type(count)).tolist() == [0, 0, -1 if t.kind == "i" else 0]


@pytest.mark.parametrize("type", ["int8", "int16", "int32", "int64"])
def test_negative_integer_power_is_an_error(type, device):
    x = cuarray.asarray(np.array([2, 3], type))
    with pytest.raises(ValueError, match="pow"):
        (x ** cuarray.asarray(np.array([1, -1], type))).numpy()
    with pytest.raises(ValueError, match="pow"):
        (x**-1).numpy()
    assert (x ** cuarray.asarray(np.array([1, 2], type))).tolist() == [2, 9]


@pytest.mark.parametrize(
    ("value", "type", "want"),
    [
        (np.float64(1 + 2**-11 + 2**-40), "float16", 1 + 2**-10),
        (np.float64(1 + 2**-8 + 2**-40), "bfloat16", 1 + 2**-7),
        (np.int64(2**32 + 2**24 + 1), "bfloat16", 2**32 + 2**25),
    ],
)
def test_casts_to_half_types_round_once(value, type, want, device):
    """Through float32, the value would become a tie and round to the even neighbour below."""
    assert float(cuarray.asarray([value]).astype(type)[0]) == want


# Reductions and outer products of ufuncs.

BINARY = [pytest.param(name, id=name) for name, row in ROWS.items() if (row["nin"], row["nout"]) == (2, 1)]


@pytest.mark.parametrize("name", BINARY)
def test_outer(name, rng, device):
    row = ROWS[name]
    ins, _ = row["loops"][-1]
    a, b = (x[:7] for x in sample(row, ins, rng, 30))
    function = cuarray_function(row)
    want = function(cuarray.asarray(a[:5]).reshape((5, 1)), cuarray.asarray(b))
    assert bits(function.outer(cuarray.asarray(a[:5]), cuarray.asarray(b))) == bits(want)


FOLDED = [
    pytest.param(name, ins[0], id=f"{name}-{ins[0]}")
    for name, (ins, outs) in LOOPS
    if ROWS[name]["nin"] == 2 and ROWS[name]["nout"] == 1 and ins[0] == ins[1] == outs[0] != "bool"
]


@pytest.mark.parametrize(("name", "type"), FOLDED)
def test_reduce_folds_from_the_left(name, type, rng, device):
    """Rows that are not associative give the bits of the loop over the elements; sums and products are close."""
    row = ROWS[name]
    function = cuarray_function(row)
    x = sample(row, (type, type), rng, 30)[1][:24].reshape(4, 6)
    if name == "bitwise_left_shift":
        x = x % x.dtype.type(3)
    array = cuarray.asarray(x)
    want = array[0, :]
    for i in range(1, 4):
        want = function(want, array[i, :])
    got = function.reduce(array, axis=0, dtype=type)
    if name in ("add", "multiply") and x.dtype.kind in "fcV":
        np.testing.assert_allclose(got.astype("c16").numpy(), want.astype("c16").numpy(), rtol=0.05)
    else:
        assert bits(got) == bits(want)
    assert function.reduce(array, axis=0, keepdims=True).shape == (1, 6)


def test_bfloat16_is_among_the_types(device):
    assert any(BFLOAT16 in map(dtype, ins) for _, (ins, _) in LOOPS)
    x = cuarray.asarray([1.0, 2.0], dtype=cuarray.bfloat16)
    assert (x + x).dtype == BFLOAT16 and (x + 1).dtype == BFLOAT16


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_neighbours_of_zeros_are_numpys(dtype, device):
    x, y = (
        a.ravel() for a in np.meshgrid(np.array([0.0, -0.0, 1.0, -1.0], dtype), np.array([0.0, -0.0, 1.0, -1.0], dtype))
    )
    ours, others = cuarray.asarray(x, device=device), cuarray.asarray(y, device=device)
    assert cuarray.spacing(ours).numpy().tobytes() == np.spacing(x).tobytes()
    assert cuarray.nextafter(ours, others).numpy().tobytes() == np.nextafter(x, y).tobytes()


@pytest.mark.parametrize("shape", [(3, 70), (600, 512), (2, 3, 64), (4, 63)])
@pytest.mark.parametrize("type", ["?", "u1", "f2", "f4", "f8", "c8"])
def test_rows_that_are_contiguous(type, shape, device, rng):
    """Rows of views, shifted, in both directions, across axes, beside whole arrays: in place and to a new array."""
    wide = rng.integers(0, 2, (*shape[:-1], shape[-1] + 3)).astype(type)
    other = rng.integers(0, 2, (2, *shape)).astype(type)
    name = "logical_or" if type == "?" else "add"
    ours, theirs = (lambda f: f(cuarray, lambda a: cuarray.array(a, device=device))), (lambda f: f(np, np.array))
    views = [lambda a: a[..., 1:-2], lambda a: a[::-1, ..., 3:], lambda a: a[..., :-3][..., ::-1]]
    for view in views:
        calls = [
            lambda xp, of, view=view: getattr(xp, name)(view(of(wide)), of(other)[0]),
            lambda xp, of, view=view: getattr(xp, name)(of(other)[1], view(of(wide)), out=of(other)[0]),
            lambda xp, of, view=view: getattr(xp, name)(view(of(wide)), 1),
            lambda xp, of, view=view: xp.negative(view(of(wide))) if type != "?" else xp.invert(view(of(wide))),
            lambda xp, of, view=view: getattr(xp, name)(view(of(wide)), of(other)[0, 0]),
        ]
        for call in calls:
            np.testing.assert_array_equal(ours(call).numpy(), theirs(call))
    mine, its = cuarray.array(wide, device=device), wide.copy()
    for a in (mine, its):
        if type == "?":
            a[..., 1:] |= a[..., :-1]
        else:
            a[..., 1:] += a[..., :-1]
    np.testing.assert_array_equal(mine.numpy(), its)


@pytest.mark.parametrize("type", ["complex64", "complex128"])
def test_complex_quotients_have_numpys_bits(type, device):
    parts = np.array([0.0, -0.0, 1, -1, 3, -2.5, 1e-5, 7e4, 1 / 3])
    z = (parts[:, None] + 0j).astype(type).repeat(9, 1)
    z.imag = parts
    z = z.ravel()
    x, y = z.repeat(len(z)), np.tile(z, len(z))
    x, y = x[y != 0], y[y != 0]
    a, b = cuarray.asarray(x), cuarray.asarray(y)
    with np.errstate(all="ignore"):
        for got, want in [(a / b, x / y), (a / 2, x / 2), (3j / b, 3j / y), (cuarray.reciprocal(b), np.reciprocal(y))]:
            assert got.dtype == want.dtype and got.numpy().tobytes() == want.tobytes()


FAR = [1e300, -1e300, 1e-310, 0.0, -0.0, INF, -INF, NAN]


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log1p", "pow", "hypot", "abs", "divide", "reciprocal"])
def test_far_numbers_change_no_bit_of_their_neighbours(name, rng, device):
    """Loops compute groups of moderate numbers by shorter formulas."""
    is_complex = name in ("abs", "divide", "reciprocal")
    count = 2 if name in ("pow", "hypot", "divide") else 1
    plain = [rng.uniform(0.1, 9, (2, 16 * 3 * len(FAR))) for _ in range(count)]
    mixed = [x.copy() for x in plain]
    for x in mixed:
        x[:, ::48] = np.array(FAR)
    if is_complex:
        with np.errstate(all="ignore"):
            plain, mixed = ([x + 1j * x[::-1] for x in many] for many in (plain, mixed))
    function = getattr(cuarray, name)
    with np.errstate(all="ignore"):
        got, want = (np.asarray(function(*map(cuarray.asarray, many)).numpy()) for many in (mixed, plain))
    is_plain = np.arange(got.shape[1]) % 48 != 0
    assert got[:, is_plain].tobytes() == want[:, is_plain].tobytes()


@pytest.mark.parametrize("exponent", [-1.0, -2, -3])
def test_negative_powers_of_complex_numbers_have_numpys_zeros(exponent, device):
    z = np.array([4, -4, 4j, -4j, complex(4, -0.0), 0.5])
    got, want = cuarray.power(cuarray.asarray(z), exponent).numpy(), np.power(z, exponent)
    assert same_bits(got, want).all(), (got, want)
