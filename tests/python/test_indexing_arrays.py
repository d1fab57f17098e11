"""Arrays and masks as indices: random keys on random views, read and written, against NumPy; then the corner cases."""

import contextlib
import itertools
import math
import warnings

import hypothesis
import layouts
import numpy as np
import pytest
from hypothesis import strategies as st
from same import agree, public_type

import cuarray

DTYPES = ["bool", "int8", "uint16", "float32", "int64", "complex128"]


def numbers(shape, dtype):
    """Small numbers that every dtype holds, unique as far as possible."""
    return (np.arange(math.prod(shape)) % 120).reshape(shape).astype(dtype)


# Views: a base array, with axes permuted, reversed and subsampled.


@st.composite
def views(draw):
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 3, 4, 0]), min_size=0, max_size=4)))
    steps = tuple(slice(None, None, draw(st.sampled_from([1, 1, 1, -1, 2, -2]))) for _ in shape)
    big = tuple(n * abs(s.step) for n, s in zip(shape, steps, strict=True))
    order = tuple(draw(st.permutations(range(len(shape)))))
    return big, (*steps, ...), order, draw(st.sampled_from(DTYPES)), draw(st.booleans())


def make(xp, view, unaligned=False):
    """Return the base array and the view of it."""
    shape, steps, order, dtype, _ = view
    values = numbers(shape, dtype)
    if xp is np:
        base = values
    elif unaligned and values.size:
        base = layouts.unaligned(values)
    else:
        base = cuarray.asarray(values.copy())
    return base, base[steps].transpose(order)


# Keys: functions that make an entry for numpy and for cuarray.


@st.composite
def entries(draw, shape, common):
    """One entry for the first axes of `shape`, and the number of axes that it consumes."""
    kind = draw(st.sampled_from(["int", "slice", "array", "array", "list", "mask", "none", "bool", "zero"]))
    if kind == "none":
        return None, 0
    if kind == "bool":
        return draw(st.sampled_from([True, False, np.True_, np.array(True)])), 0
    if not shape:
        return None, 0
    n = shape[0]
    inside = st.integers(-n, n - 1) if n else st.just(0)
    place = draw(st.integers(-n - 2, n + 1)) if draw(st.integers(0, 19)) == 0 else draw(inside)
    if kind == "int":
        return draw(st.sampled_from([int, np.int32, np.int64]))(place), 1
    if kind == "zero":
        return np.array(place), 1
    if kind == "slice":
        ends = st.none() | st.integers(-n - 1, n + 1)
        return slice(draw(ends), draw(ends), draw(st.sampled_from([None, 1, 2, -1, -2]))), 1
    if kind == "mask":
        axes = draw(st.integers(1, min(len(shape), 3)))
        extents = list(shape[:axes])
        if draw(st.integers(0, 19)) == 0:
            extents[-1] += 1
        bits = draw(st.lists(st.booleans(), min_size=math.prod(extents), max_size=math.prod(extents)))
        return np.array(bits, bool).reshape(extents), axes
    extents = [draw(st.sampled_from([1, e])) for e in common[draw(st.integers(0, len(common))) :]]
    if draw(st.integers(0, 19)) == 0:
        extents.append(draw(st.integers(0, 3)))
    count = math.prod(extents)
    values = [draw(inside) for _ in range(count)] if n or not count else [0] * count
    if values and draw(st.integers(0, 14)) == 0:
        values[draw(st.integers(0, count - 1))] = draw(st.sampled_from([-n - 1, n, n + 7]))
    array = np.array(values, np.int64).reshape(extents)
    array = array.astype(draw(st.sampled_from(["int64", "int32", "int8"] + ["uint8"] * bool((array >= 0).all()))))
    return (array.tolist() if kind == "list" and array.ndim == 1 else array), 1


@st.composite
def placements(draw, shape):
    """A key without errors: for each axis a slice, an array or an integer, and newaxis among them."""
    key = []
    for n in shape:
        kind = draw(st.sampled_from(["slice", "array", "array", "int", "none"])) if n else "slice"
        if kind == "none":
            key.append(None)
        if kind == "int":
            key.append(draw(st.integers(-n, n - 1)))
        elif kind == "array":
            extents = draw(st.sampled_from([(2,), (1,), (3, 2), (3, 1)]))
            values = draw(st.lists(st.integers(-n, n - 1), min_size=math.prod(extents), max_size=math.prod(extents)))
            key.append(np.array(values).reshape(extents))
        else:
            key.append(slice(draw(st.sampled_from([None, 1])), None, draw(st.sampled_from([None, -1, 2]))))
    return tuple(key) if any(isinstance(entry, (slice, np.ndarray)) for entry in key) else Ellipsis


@st.composite
def keys(draw, shape):
    if draw(st.booleans()):
        return draw(placements(shape))
    common = draw(st.lists(st.sampled_from([1, 2, 3, 0]), max_size=2))
    key, axis, ellipsis = [], 0, draw(st.integers(-4, 3))
    for position in range(draw(st.integers(1, 4))):
        if position == ellipsis:
            rest = draw(st.integers(0, len(shape) - axis))
            key.append(Ellipsis)
            axis += rest
        entry, taken = draw(entries(shape[axis:], common))
        key.append(entry)
        axis += taken
    return tuple(key) if len(key) > 1 or isinstance(key[0], tuple) or draw(st.booleans()) else key[0]


def ours(key, mixed):
    """The same key for cuarray; NumPy arrays may remain."""

    def convert(i, entry):
        if not isinstance(entry, np.ndarray) or (mixed and i % 2):
            return entry
        return layouts.last_axis_reversed(entry) if entry.ndim and i % 3 == 1 else cuarray.asarray(entry)

    return tuple(convert(i, e) for i, e in enumerate(key)) if isinstance(key, tuple) else convert(0, key)


def attempt(function):
    """The result of a function, or its exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except Exception as error:
            cuarray_settled()
            return error


def cuarray_settled():
    """Drop the fault that belongs to an exception already seen."""
    with contextlib.suppress(Exception):
        cuarray.synchronize()


def same_outcome(want, got, what):
    """Assert equal arrays, or exceptions of equal type; return whether it was an array."""
    if isinstance(got, IndexError) and "boolean index did not match" in str(got) and getattr(want, "size", 1) == 0:
        return False  # NumPy does not check a mask's shape if the array is empty
    if isinstance(want, Exception):
        assert isinstance(got, public_type(want)), f"{what}: {got!r} instead of {want!r}"
        return False
    assert not isinstance(got, Exception), f"{what}: {got!r} instead of {want!r}"
    assert (got.dtype, got.shape) == (want.dtype, want.shape), (
        f"{what}: {got.dtype}{got.shape}, not {want.dtype}{want.shape}"
    )
    assert np.array_equal(got, want), f"{what}: {got!r} instead of {want!r}"
    return True


def read(x, key):
    result = x[key]
    cuarray.synchronize()  # raises an out-of-bounds index: nothing waits for an empty array
    return result.numpy() if isinstance(result, cuarray.ndarray) else np.asarray(result)


def many(test):
    """More examples than usual: the keys are many."""
    usual = hypothesis.settings().max_examples
    return hypothesis.settings(
        max_examples=5 * usual, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
    )(test)


@many
@hypothesis.given(st.data())
def test_random_keys_read(device, data):
    view = data.draw(views())
    _, want = make(np, view)
    base, got = make(cuarray, view, view[-1])
    key = data.draw(keys(want.shape))
    same_outcome(attempt(lambda: read(want, key)), attempt(lambda: read(got, ours(key, view[-1]))), f"{view}[{key!r}]")
    assert np.array_equal(base.numpy(), make(np, view)[0]), "reading has written"


@many
@hypothesis.given(st.data())
def test_random_keys_write(device, data):
    view = data.draw(views())
    want_base, want = make(np, view)
    got_base, got = make(cuarray, view, view[-1])
    key = data.draw(keys(want.shape))
    chosen = attempt(lambda: read(want, key))
    shape = () if isinstance(chosen, Exception) else chosen.shape
    shape = [data.draw(st.sampled_from([n, n, n, 1])) for n in shape[data.draw(st.integers(0, len(shape))) :]]
    if 0 not in shape and data.draw(st.integers(0, 14)) == 0:
        shape.append(data.draw(st.integers(1, 3)))
    values = (numbers(shape, "int64") % 50 + 60).astype(
        data.draw(st.sampled_from(["int64", "float64", view[3], "complex64"]))
    )
    is_number = not shape and values.dtype.kind != "c" and data.draw(st.booleans())

    def write(base, x, key, values):
        x[key] = values
        cuarray.synchronize()
        return base.numpy() if isinstance(base, cuarray.ndarray) else base

    their = values.item() if is_number else values
    mine = their if is_number else cuarray.asarray(values)
    what = f"{view}[{key!r}] = {values!r}"
    same_outcome(attempt(lambda: write(want_base, want, key, their)),
                 attempt(lambda: write(got_base, got, ours(key, view[-1]), mine)), what)  # fmt: skip


# Sizes at which the work is split: blocks of a row, several rows, long runs, several threads.

LARGE = {
    "line": ((200_003,), lambda r, s: r.integers(-s[0], s[0], 150_001)),
    "rows": ((301, 70), lambda r, s: r.integers(-s[0], s[0], 5000)),
    "columns": ((301, 702), lambda r, s: (slice(None), r.integers(-s[1], s[1], 500))),
    "few columns": ((70_001, 5), lambda r, s: (slice(None), np.array([4, 0, -2]))),
    "long runs": ((7, 200_003), lambda r, s: r.integers(-s[0], s[0], 3)),
    "runs of two axes": ((9, 300, 2, 301), lambda r, s: (slice(None), r.integers(-s[1], s[1], 50))),
    "pairs": ((400, 300), lambda r, s: (r.integers(-s[0], s[0], 130_001), r.integers(-s[1], s[1], 130_001))),
    "grid": ((400, 300), lambda r, s: (r.integers(-s[0], s[0], (401, 1)), r.integers(-s[1], s[1], (1, 350)))),
    "apart": ((40, 30, 50), lambda r, s: (r.integers(-s[0], s[0], 900), slice(None), r.integers(-s[2], s[2], 900))),
    "mask": ((150_001,), lambda r, s: r.random(s) < 0.4),
    "nearly nothing": ((150_001,), lambda r, s: r.random(s) < 0.001),
    "mask of two axes": ((301, 502), lambda r, s: r.random(s) < 0.9),
    "mask of rows": ((3001, 52), lambda r, s: r.random(s[0]) < 0.5),
    "mask of columns": ((31, 3002), lambda r, s: (slice(None), r.random(s[1]) < 0.5)),
    "pairs of items": ((3001, 2), lambda r, s: r.integers(-s[0], s[0], 90_001)),
    "triples of items": ((3001, 3), lambda r, s: r.integers(-s[0], s[0], 60_001)),
}  # fmt: skip

WAYS = [layouts.contiguous, layouts.fortran, layouts.last_axis_reversed, layouts.unaligned, layouts.every_third]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LARGE)
def test_large(name, way, rng, device, full):
    dtypes = DTYPES if full else [DTYPES[(list(LARGE).index(name) + WAYS.index(way)) % len(DTYPES)]]
    for dtype in dtypes:
        shape, make_key = LARGE[name]
        if device != "cpu" and not full:
            shape = tuple(n // 8 if n > 100 else n for n in shape)
        want = rng.integers(0, 120, shape).astype(dtype)
        key = make_key(rng, shape)
        got, my_key = way(want), ours(key, False)
        np.testing.assert_array_equal(got[my_key].numpy(), want[key])
        values = rng.integers(0, 120, want[key].shape).astype(dtype)
        want[key] = values
        got[my_key] = cuarray.asarray(values)
        np.testing.assert_array_equal(got.numpy(), want)
        want[key] = 7
        got[my_key] = 7
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("count", [1, 2, 7, 31, 32, 33, 255, 256, 257, 1023, 1025, 4095, 4097, 16385])
def test_masks_at_borders(count, rng, device):
    for share in (0.0, 0.5, 1.0):
        want, mask = rng.integers(0, 99, count).astype(np.int16), rng.random(count) < share
        x, m = cuarray.asarray(want.copy()), cuarray.asarray(mask)
        np.testing.assert_array_equal(x[m].numpy(), want[mask])
        np.testing.assert_array_equal(cuarray.flatnonzero(m).numpy(), np.flatnonzero(mask))
        values = rng.integers(0, 99, mask.sum()).astype(np.int16)
        want[mask] = values
        x[m] = cuarray.asarray(values)
        np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.parametrize("blocks", [512, 513, 514])
def test_many_mask_blocks(device, blocks):
    """Counts of few blocks of 4096 elements are added up by each block, those of more than 512 are scanned."""
    mask = np.zeros(blocks * 4096, bool)
    mask[[0, 4095, 4096, 511 * 4096 - 1, 511 * 4096, blocks * 4096 - 5, blocks * 4096 - 1]] = True
    mask[100_000:100_050] = True
    np.testing.assert_array_equal(cuarray.flatnonzero(cuarray.asarray(mask)).numpy(), np.flatnonzero(mask))


def test_repeated_places_keep_the_last_value(rng, device):
    for places, width in itertools.product((1, 7, 300), (1, 3)):
        index = rng.integers(0, places, 20_001 if device == "cpu" else 3001)
        values = np.arange(index.size * width).reshape(index.size, width)
        want, got = np.zeros((places, width), int), cuarray.zeros((places, width), int)
        want[index] = values
        for _ in range(3):
            got[...] = -1
            got[cuarray.asarray(index)] = cuarray.asarray(values)
            np.testing.assert_array_equal(got.numpy()[np.unique(index)], want[np.unique(index)])


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64", "complex128"])
def test_one_value_at_repeated_places(dtype, device):
    x = cuarray.zeros(40, dtype)
    x[cuarray.asarray(np.arange(3000) % 7)] = 5
    assert x.numpy().tolist() == [5] * 7 + [0] * 33


def test_repeated_places_of_a_large_array(rng, device):
    """Fewer indices than elements: repeated targets are found without a table of the whole array."""
    x = cuarray.zeros(100_000, np.float32)
    index = np.array([5, 99_999, 5, 0, -1, 5, 77_777])
    x[cuarray.asarray(index)] = cuarray.arange(7.0)
    assert x.numpy()[[0, 5, 77_777, 99_999]].tolist() == [3, 5, 6, 4]
    assert float(x.sum()) == 18
    want, index = np.zeros(100_000, np.float32), rng.integers(0, 100_000, 3000)
    want[index] = values = np.arange(3000)
    x[...] = 0
    x[cuarray.asarray(index)] = cuarray.asarray(values)
    np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.parametrize(
    "statement",
    ["x[i] = x[::-1]", "x[i] = x[i[::-1]]", "x[x] = i", "x[x] = x[::-1]", "x[x > 3] = x[x <= 3][0]", "x[x % 2 == 0] = x[x % 2 == 1]", "x[i] += 10", "x[x > 4] *= 2",
     "x[:5][x[5:] - 5] = x[5:]", "m = x > 5; x[m] = x[::-1][m]", "x[i], x[0] = x[0], x[i][0]", "x[m] = m[m]", "m[m] = False", "m[m] = m[::-1][m]"],
)  # fmt: skip
def test_overlapping(statement, device):
    results = []
    for xp in (np, cuarray):
        names = {"x": xp.arange(10), "i": xp.asarray([3, 1, 4, 1, 5, 9, 2, 6, 0, 7]), "m": xp.arange(10) % 3 == 0}
        exec(statement, {}, names)
        results.append([np.asarray(v.numpy() if xp is cuarray else v).tolist() for v in names.values()])
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "statement", ["x[x] = x[::-1]", "x[x] = y", "x[y] = x", "x[x[::-1]] = x", "x[:3000][x[:3000] % 3000] = x[2001:]"]
)
def test_overlapping_beyond_a_block(statement, rng, device):
    """Indices are read block by block: a write must not change later indices."""
    n = 5001
    values = {"x": rng.permutation(n), "y": rng.permutation(n)}
    names = {name: cuarray.asarray(value.copy()) for name, value in values.items()}
    exec(statement, {}, values)
    exec(statement, {}, names)
    np.testing.assert_array_equal(names["x"].numpy(), values["x"])


NAMES = {
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4),
    "v": lambda xp: xp.arange(5.0),
    "s": lambda xp: xp.asarray(2.5),
}


@pytest.mark.parametrize(
    "key",
    ["[]", "[[]]", "[1.0]", "['a']", "[None]", "[slice(None)]", "[0, 1]", "(0, 1)", "[[0], [1]]", "[True, False]", "True", "False", "(True, False)", "(True, [0, 1])",
     "xp.asarray(True)", "xp.asarray(False)", "xp.asarray([])", "xp.asarray([1.0])", "xp.asarray([0, 1], dtype=xp.uint64)", "xp.zeros((2, 3), dtype=bool)",
     "xp.ones((2, 3, 4), dtype=bool)", "xp.ones((2, 4), dtype=bool)", "xp.ones((2, 3, 4, 1), dtype=bool)", "([0], [0], [0], [0])", "([0, 1], [0, 1, 2])", "(0, [1, 2])",
     "([0], ..., [1])", "(slice(None), 0, [1])", "([0], slice(None), 0)", "(0, slice(None), [0])", "(0, None, [0])", "([5], 0)", "(5, [0])", "([], 5)", "([5], slice(0, 0))",
     "([5], [])", "range(2)", "np.bool_(True)", "[2**70]", "[[0], [1, 2]]", "(..., [0])", "(..., [0], ...)", "(slice(None), [0, 1], None, [1, 0])", "(slice(None), [0, 1], ..., 1)",
     "(slice(None), 0, [1, 0])", "(None, [0, 1], slice(None), [1, 0])", "(slice(None), [0], ..., [1, 1])", "1j", "'a'", "{0}", "xp.asarray([0])[0]", "xp.asarray(1)"],
)  # fmt: skip
def test_forms_of_a_key(key, device):
    for name in NAMES:
        agree(f"{name}[{key}].shape", NAMES)
        agree(f"{name}[{key}]", NAMES)


@pytest.mark.parametrize(
    "assignment",
    ["x[[0, 1]] = [1, 2]", "x[[0]] = x", "x[x > 5] = [1, 2]", "x[x > 5] = []", "x[x > 90] = []", "x[x > 5] = [[1]]", "v[[0, 1]] = [[[1, 2]]]", "v[[0, 1]] = 1j",
     "x[[0, 7]] = 1", "x[[True, False, True]] = 1", "x[[0.5]] = 1", "v[[0, 0, 0]] = [1, 2, 3]", "s[True] = 7", "s[False] = 7", "s[s > 0] = [8]",
     "x[:, [0, 2]] = 5", "x[[0, 1], :, [1, 2]] = xp.arange(3)", "x[..., [True, False, True, False]] = 9", "x[x > 5] = 2**70"],
)  # fmt: skip
def test_forms_of_an_assignment(assignment, device):
    results = []
    for xp in (np, cuarray):
        names = {name: build(xp) for name, build in NAMES.items()}

        def run(xp=xp, names=names):
            exec(assignment, {"xp": xp, "np": np}, names)
            return np.concatenate([np.asarray(a.numpy() if xp is cuarray else a).ravel() for a in names.values()])

        results.append(attempt(run))
    same_outcome(*results, assignment)


def test_read_only_and_devices(device):
    x = cuarray.arange(3)
    x.flags.writeable = False
    for key in ([0], x > 0, True):
        with pytest.raises(ValueError, match="read-only"):
            x[key] = 1
    if device != "cpu":
        assert x[np.array([2])].tolist() == [2]
        with pytest.raises(ValueError, match="to_device"):
            x[cuarray.asarray([0], device="cpu")]


def test_an_index_outside_names_itself(device):
    x = cuarray.zeros((3, 4))
    for key in (([0, 7], 0), ([0, 7, 1], [0, 1, 2])):
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
            x[key].numpy()
    before, places = cuarray.zeros(3), np.zeros(3001, int)
    places[-1] = -4
    with pytest.raises(IndexError, match="-4"):
        before[cuarray.asarray(places)] = 5
        cuarray.synchronize()
    if device == "cpu":
        assert before.tolist() == [0, 0, 0], "nothing is written, whichever of the indices is outside"
    assert x[[0, 2]].shape == (2, 4), "and all is well again"


def test_the_result_owns_its_memory(device):
    x = cuarray.arange(5)
    y = x[[0, 1]]
    y[0] = 9
    assert x.tolist() == [0, 1, 2, 3, 4]
    assert x[cuarray.asarray(2)].shape == () and not cuarray.shares_memory(x[True], x)


@pytest.mark.parametrize("mask", [(0,), (0, 3), (2, 0), (0, 0), (0, 2), (0, 3, 1), (1, 0)])
@pytest.mark.parametrize("array", [(2, 3), (0, 3), (2, 0), (0, 1), (2, 3, 4)])
def test_masks_of_no_elements(array, mask, device):
    """Without elements they match any extent, as in the Array API standard's tests."""
    names = {"x": lambda xp: xp.ones(array), "m": lambda xp: xp.zeros(mask, dtype=bool)}
    for expression in ("x[m]", "x[m, ...]", "x.__setitem__(m, 2) or x", "x.__setitem__(m, xp.ones((0,))) or x"):
        agree(expression, names)


def test_the_last_of_rows_that_meet_stays():
    """Also with rows divided among threads: all of them are written to row 0."""
    rows, columns = 64, 30_000
    values = cuarray.arange(rows * columns).reshape(rows, columns)
    nowhere, places = np.zeros((rows, 1), int), np.arange(columns)
    for _ in range(10):
        x = cuarray.zeros((2, columns), int)
        x[nowhere, places] = values
        assert (x[0] == values[-1]).all() and not x[1].any()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 3), (3,), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize(
    "key", ["m", "(m, ...)", "(..., m)", "(m[:, 0], ...)", "(m[:, 0], slice(1, None))", "(None, m)"]
)
def test_values_of_any_shape_for_masks(key, shape, device):
    """A mask as the whole key takes one value per true element; as one of several entries it broadcasts them."""
    want = np.arange(6.0).reshape(2, 3)
    mask = want % 2 == 0
    values = np.arange(9, 9 + np.prod(shape, dtype=int)).reshape(shape)
    x, m = cuarray.asarray(want.copy(), device=device), cuarray.asarray(mask.copy(), device=device)
    try:
        want[eval(key, {"m": mask})] = values
    except (ValueError, TypeError) as error:
        with pytest.raises(type(error)):
            x[eval(key, {"m": m})] = cuarray.asarray(values, device=device)
    else:
        x[eval(key, {"m": m})] = cuarray.asarray(values, device=device)
    np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1"])
def test_lists_that_hold_elements_of_ours(dtype, device):
    """As lists of NumPy's integers; positions outside are found."""
    values = np.arange(12.0).reshape(4, 3)
    x = cuarray.asarray(values)
    for position in (2, 0, -1) if dtype[0] == "i" else (2, 0):
        place = cuarray.asarray(np.array([position], dtype))[0]
        np.testing.assert_array_equal(x[[place, 1]].numpy(), values[[position, 1]])
        np.testing.assert_array_equal(x[[0, place]].numpy(), values[[0, position]])
        y = x.copy()
        y[[place, 1]] = y[[1, place]]
        expected = values.copy()
        expected[[position, 1]] = expected[[1, position]]
        np.testing.assert_array_equal(y.numpy(), expected)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        x[[cuarray.asarray(np.array([9], dtype))[0], 0]].numpy()


@pytest.mark.parametrize("rows", [3, 40, 5000, 200_000])
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16"])
def test_few_indices_of_many_rows(rows, dtype, device):
    """Rows are moved index by index, in parts: each place is read and written, and of repeated ones the last stays."""
    values = numbers((rows, 2, 3), dtype) + np.arange(rows)[:, None, None].astype(dtype)
    x = cuarray.asarray(values, device=device)
    for view, host in ((x, values), (x[::-1, 1:], values[::-1, 1:]), (x[..., ::2], values[..., ::2])):
        for index in ([0, -1], [1, 0, 1], [1], np.array([[0, 1], [-1, 0]])):
            np.testing.assert_array_equal(view[:, :, index].numpy(), host[:, :, index])
            np.testing.assert_array_equal(view[:, 0, index].numpy(), host[:, 0, index])
            np.testing.assert_array_equal(cuarray.take(view, index, -1).numpy(), np.take(host, index, -1))
    for index in ([2, 0], [1, 1], [0, 1, 0, 2, 2]):
        y, want = cuarray.asarray(values.copy(), device=device), values.copy()
        stored = np.arange(rows * 2 * len(index)).reshape(rows, 2, len(index)).astype(dtype)
        y[:, :, index] = cuarray.asarray(stored, device=device)
        want[:, :, index] = stored
        y[:, 1, index] = want[:, 1, index] = 7
        np.testing.assert_array_equal(y.numpy(), want)


def test_few_indices_out_of_bounds_of_many_rows():
    x = cuarray.zeros((100, 3), device="cpu")
    for write in (lambda: x[:, [0, 3]], lambda: x.__setitem__((slice(None), [0, -4]), 1)):
        with pytest.raises(IndexError, match="out of bounds for axis 1 with size 3"):
            write()
    assert not x.any()
