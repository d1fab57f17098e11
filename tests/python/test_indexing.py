"""Basic indexing: the elements, shapes, strides and errors of NumPy, but a copy if every axis has an integer."""

import itertools
import math

import numpy as np
import pytest
from same import agree, public_type

import cuarray

NAMES = {
    "x": lambda xp: xp.arange(60).reshape(3, 4, 5),
    "v": lambda xp: xp.arange(7.0),
    "s": lambda xp: xp.asarray(2.5),
    "e": lambda xp: xp.zeros((0, 3)),
}

ENTRIES = ["0", "-1", "2", ":", "1:", ":-1", "::2", "::-1", "-1:0:-2", "5:2", "...", "None", "9:", "-9:9", "1:1"]


@pytest.mark.parametrize(
    "index", [", ".join(t) for n in (1, 2, 3) for t in itertools.product(ENTRIES[:9:2] + ENTRIES[9:12], repeat=n)]
)
def test_reading(index, device):
    agree(f"x[{index}]", NAMES)


@pytest.mark.parametrize("entry", ENTRIES)
def test_reading_one_axis(entry, device):
    for name in ("x", "v", "e"):
        agree(f"{name}[{entry}]", NAMES)
        agree(f"{name}[{entry},]", NAMES)


@pytest.mark.parametrize(
    "index",
    ["()", "...", "None", "..., None", "0", "5", "-6", "np.int64(1)", "np.uint8(2)", "xp.asarray(1)", "0, 0, 0, 0", "..., ...", "0, 0, 7", "'a'", "1.5", "1.0",
     "slice(None, None, 0)", "slice(1.5)", "slice(np.int8(1), None)", "slice(-100, 100, 3)", "slice(None, None, -4)", "2**70", "-2**70", "0, slice(2**62, None)",
     "slice(None, 2**70)"],
)  # fmt: skip
def test_forms_of_an_index(index, device):
    for name in ("x", "v", "e"):
        agree(f"{name}[{index}]", NAMES)


@pytest.mark.parametrize("index", ["()", "...", "None", "None, ...", "0", "-1", ":", "1:", "0, 0"])
def test_reading_without_axes(index, device):
    agree(f"s[{index}]", NAMES)


@pytest.mark.parametrize("index", ["1:", "::-1", "::2", "..., 1:3", "None, 1:", "1, ...", "1, :, ::-2"])
def test_views(index, device):
    x = NAMES["x"](cuarray)
    assert cuarray.shares_memory(eval(f"x[{index}]"), x)
    agree(f"[(n, s) for n, s in zip(x[{index}].shape, x[{index}].strides) if n > 1]", NAMES)


@pytest.mark.parametrize(
    "assignment",
    ["x[0] = 7", "x[0, 0, 0] = 7", "x[1:] = 7", "x[::-1] = x", "x[...] = x[::-1]", "x[:, 1] = [1, 2, 3, 4, 5]", "x[..., 0] = x[0, :, 0]", "x[1:] = x[:-1]",
     "x[:-1] = x[1:]", "x[:] = 1.9", "x[0] = xp.arange(5)", "x[0] = xp.arange(4)", "x[7] = 1", "x[None] = 3",
     "x[5:2] = 3", "x[5:2] = [1, 2]", "x[:, :, ::2] = x[:, :, ::-2]", "x[0] = xp.asarray(3.7)", "x[()] = 5", "x[0, 0, 0] = 2**70", "x[1] = True", "x.T[...] = x.T[::-1]",
     "v[0] = 3", "v[::2] = v[1::2]", "v[::2] = 4", "v[1:] = v[:-1]", "v[:-1] = v[1:]", "v[::-1] = v", "v[0] = 1j", "v[...] = v", "s[...] = 4", "s[()] = 5", "s[0] = 1",
     "v[0], v[2] = v[2], v[0]", "x[0], x[1] = x[1].copy(), x[0].copy()", "e[...] = 5", "v[2:5] += 1", "v[0] += 1", "x[1, 2, 3] *= 2", "x[0, :, 1:3] -= x[1, :, 1:3]"],
)  # fmt: skip
def test_writing(assignment, device):
    """The whole array after the assignment is that of NumPy."""
    results = []
    for xp in (np, cuarray):
        names = {name: make(xp) for name, make in NAMES.items()}
        try:
            with np.testing.suppress_warnings() as quiet:
                quiet.filter(np.exceptions.ComplexWarning)
                exec(assignment, {"xp": xp, "np": np}, names)
            results.append({n: np.asarray(a.numpy() if xp is cuarray else a).tolist() for n, a in names.items()})
        except Exception as error:
            results.append(error)
    want, got = results
    if isinstance(want, Exception):
        assert isinstance(got, public_type(want)), f"{got!r} instead of {want!r}"
    else:
        assert not isinstance(got, Exception), f"{got!r} instead of {want!r}"
        assert got == want


@pytest.mark.parametrize("n", [8, 1000, 100_000])
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16"])
def test_parts_of_one_array_are_read_before_they_are_written(dtype, n, device):
    for target, source in (
        (slice(None), slice(None, None, -1)),
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None, None, 2), slice(0, n // 2)),
        (slice(1, None, 2), slice(n // 2, None)),
        (slice(0, n // 2), slice(None, None, -2)),
    ):
        theirs = np.arange(n).astype(dtype)
        ours = cuarray.asarray(theirs.copy(), device=device)
        theirs[target] = theirs[source].copy()  # without it, NumPy reads some that it wrote
        ours[target] = ours[source]
        assert np.array_equal(ours.numpy(), theirs), (target, source)
    theirs = np.arange(n).astype("i8")
    ours = cuarray.asarray(theirs.copy(), device=device)
    theirs.view("i4")[: n // 2] = theirs[: n // 2].copy()  # of another type
    ours.view("i4")[: n // 2] = ours[: n // 2]
    assert np.array_equal(ours.numpy(), theirs)


def test_writing_what_does_not_fit(device):
    x = NAMES["x"](cuarray)
    with pytest.raises(ValueError, match=r"\(2,\)"):
        x[0, 0, 0] = [1, 2]
    with pytest.raises(ValueError):
        x[0] = "a"


STORES = {
    "assignment": lambda xp, x, v: x.__setitem__(0, v),
    "assignment of all": lambda xp, x, v: x.__setitem__(slice(None), v),
    "fill": lambda xp, x, v: x.fill(v),
    "put": lambda xp, x, v: xp.put(x, 0, v),
    "putmask": lambda xp, x, v: xp.putmask(x, x == 0, v),
    "place": lambda xp, x, v: xp.place(x, x == 0, v),
    "put_along_axis": lambda xp, x, v: xp.put_along_axis(x, xp.asarray([0]), v, 0),
    "fill_diagonal": lambda xp, x, v: xp.fill_diagonal(x.reshape(2, 2), v),
}


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "?"])
@pytest.mark.parametrize("store", STORES)
def test_floats_that_do_not_fit_are_refused_by_every_store(store, dtype, device):
    """As in NumPy, whose integers of both kinds refuse a Python float beyond them, and what remains is unchanged."""
    for value in (math.inf, -math.inf, math.nan, 300.5, -1.5, -0.5, 255.9, 2.0**31, 2.0**63, 2.0**64, -(2.0**63), 1e30):
        results = []
        for xp in (np, cuarray):
            x = xp.zeros(4, dtype=dtype)
            try:
                STORES[store](xp, x, value)
                results.append(x.tolist())
            except (OverflowError, ValueError) as error:
                results.append((type(error), x.tolist()))
        assert results[0] == results[1], (value, *results)


def test_integers_on_every_axis_give_a_value(device):
    """Not a view: what was read does not change when the array does."""
    v = cuarray.arange(3)
    first, third = v[0], v[2]
    assert first.shape == () and isinstance(first, cuarray.ndarray)
    v[0], v[2] = third, first
    assert v.tolist() == [2, 1, 0] and first.item() == 0
    low = high = v[1]
    high += 5
    assert (low.item(), high.item()) == (1, 6), "in-place operators rebind values"
    total = kept = v.sum()
    total += 1
    assert (total.item(), kept.item()) == (4, 3)
    view = v[0, ...]
    view += 40
    assert v[0].item() == 42, "an index with an ellipsis is a view"


def test_iteration_gives_values_and_views(device):
    assert [int(i) for i in cuarray.arange(4)] == [0, 1, 2, 3]
    v = cuarray.arange(3)
    elements = list(v)
    v[...] = 9
    assert [e.item() for e in elements] == [0, 1, 2]
    x = cuarray.zeros((2, 3))
    for row in x:
        row[...] = 5
    assert x.tolist() == [[5.0] * 3] * 2
    with pytest.raises(TypeError):
        iter(cuarray.asarray(1))
    assert 2 in cuarray.arange(4) and 9 not in cuarray.arange(4)


def test_index_errors_name_index_axis_and_size(device):
    x = NAMES["x"](cuarray)
    with pytest.raises(IndexError, match=r"index 7 .*axis 1 .*size 4"):
        x[0, 7]
    with pytest.raises(IndexError, match=r"index -4 .*axis 0 .*size 3"):
        x[-4] = 1


def test_indexing_in_higher_rank(device):
    x = np.arange(2**7).reshape((2,) * 7)
    a = cuarray.asarray(x)
    for index in [(0, ..., 1), (..., slice(None, None, -1), 0), (1, slice(None), None, 0, ..., None)]:
        np.testing.assert_array_equal(a[index].numpy(), x[index])
    with pytest.raises(IndexError):
        a[(None,) * 60]


def test_an_element_takes_one_value(device):
    x = cuarray.zeros((2, 2), device=device)
    x[0, 0] = cuarray.asarray(5.0, device=device)
    with pytest.raises(ValueError, match="sequence"):
        x[0, 1] = cuarray.ones((1,), device=device)
    assert x.numpy().tolist() == [[5.0, 0.0], [0.0, 0.0]]


NUMBERS = [
    np.int64(300), np.uint8(255), np.int8(-1), np.uint64(2**64 - 1), np.int64(-(2**63)), np.float64(300.5), np.float64("nan"), np.float32("inf"), np.float16(-3.7),
    np.float32(3e9), np.float64(-0.9), np.bool_(True), np.int16(7), 300, -1, 2**64, 300.5, float("nan"), float("inf"), -0.9, True,
]  # fmt: skip
SETTERS = {
    "x[0]": lambda x, v: x.__setitem__(0, v),
    "x[-1]": lambda x, v: x.__setitem__((-1,), v),
    "x[:]": lambda x, v: x.__setitem__(slice(None), v),
    "x[...]": lambda x, v: x.__setitem__(Ellipsis, v),
    "x.fill": lambda x, v: x.fill(v),
}


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "i8", "?", "f2", "f8"])
@pytest.mark.parametrize("setter", SETTERS.values(), ids=SETTERS)
def test_numbers_must_fit_where_they_are_set(setter, dtype, device):
    """As NumPy's `setitem`: OverflowError and ValueError for Python's and NumPy's numbers, and nothing is written."""
    for number in NUMBERS:
        if dtype[0] == "u" and isinstance(number, np.floating) and not 0 <= np.trunc(number) < 256:
            continue  # conversion to an unsigned type is undefined in C; cuarray clamps
        want = np.arange(3).astype(dtype)
        got = cuarray.asarray(want.copy(), device=device)
        error = None
        with np.errstate(all="ignore"):
            try:
                setter(want, number)
            except (OverflowError, ValueError) as raised:
                error = type(raised)
        if error:
            with pytest.raises(error, match="assignment: "):
                setter(got, number)
        else:
            setter(got, number)
        np.testing.assert_array_equal(got.numpy(), want, err_msg=repr(number))


@pytest.mark.parametrize("setter", SETTERS.values(), ids=SETTERS)
def test_values_must_fit_as_numpys_scalars(setter):
    """On the CPU, where they can be read without waiting; arrays, also 0-d ones, are cast."""
    x, y = cuarray.zeros(3, dtype="i1", device="cpu"), cuarray.asarray([300, 5], device="cpu")
    with pytest.raises(OverflowError, match="300 out of bounds for int8"):
        setter(x, y[0])
    with pytest.raises(OverflowError, match="out of bounds for int8"):
        setter(x, y.sum() + 0.5)
    assert x.tolist() == [0, 0, 0]
    setter(x, y[1])
    setter(x, y[1, ...] + 1.5)
    if setter is not SETTERS["x.fill"]:
        setter(x, y[0, ...])
        assert 44 in x.tolist()


@pytest.mark.parametrize("resized", [(3,), (3, 2), ()], ids=str)
def test_an_array_resized_while_its_value_is_made(resized, device):
    class Number:
        def __float__(self):
            x.resize(resized, refcheck=False)
            return 5.0

    x = cuarray.arange(100_000.0, device=device)
    with pytest.raises(IndexError):
        x[99_999] = Number()
    assert x.shape == resized
    if resized:
        x = cuarray.arange(100_000.0, device=device)
        x[1] = Number()
        assert x.shape == resized and (x[1] == 5).all()


def test_integer_arrays_without_axes_give_copies(device):
    x = cuarray.arange(6, device=device).reshape(2, 3)
    zero = cuarray.asarray(0, device=device)
    for part in (x[zero], x[zero, ...], x[zero, 1:], x[..., zero]):
        part[...] = 9
    assert x.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    x[zero, 1:] = 7
    assert x.ravel().tolist() == [0, 7, 7, 3, 4, 5]
