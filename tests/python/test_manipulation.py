"""Joining, splitting and shaping give NumPy's values, shapes, views and errors."""

import itertools
import math

import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4),
    "f": lambda xp: xp.asfortranarray(xp.arange(12.0).reshape(3, 4)),
    "v": lambda xp: xp.arange(5),
    "s": lambda xp: xp.asarray(3.5),
    "e": lambda xp: xp.zeros((0, 3), "f4"),
    "o": lambda xp: xp.ones((1, 3, 1)),
}


@pytest.mark.parametrize(
    "expression",
    [
        "xp.reshape(x, (4, 6))", "xp.reshape(x, -1)", "xp.reshape(x, (6, -1), order='F')", "xp.reshape(x, (5, 5))", "xp.reshape(x, (-1, -1))",
        "xp.reshape(x, (2, 12), copy=True)", "xp.reshape(x.T, (24,), copy=False)", "xp.reshape(f, 12, order='A')", "xp.reshape(e, (3, 0))",
        "xp.reshape(e, (-1, 0))", "xp.reshape(s, (1, 1))", "xp.reshape(v, (5,))", "x.reshape(4, 6)", "x.reshape((4, 6))", "x.reshape([4, 6])",
        "x.reshape(-1, 2)", "f.reshape(6, 2)", "f.reshape(2, 6, order='F')", "x.T.reshape(6, 4)", "x.reshape()", "s.reshape(())", "x.reshape(4, 6.0)",
        "xp.ravel(x)", "xp.ravel(f, 'F')", "xp.ravel(f, 'K')", "xp.ravel(x.T, 'A')", "xp.ravel(s)", "x.flatten('F')",
        "xp.transpose(x)", "xp.transpose(x, (2, 0, 1))", "xp.permute_dims(x, (-1, 0, 1))", "xp.transpose(x, (0, 0, 1))", "xp.transpose(x, (0, 1))",
        "x.T", "x.mT", "v.mT", "x.transpose(1, 0, 2)", "x.transpose((1, 0, 2))", "x.transpose(None)", "xp.matrix_transpose(x)", "xp.matrix_transpose(v)",
        "xp.moveaxis(x, 0, -1)", "xp.moveaxis(x, [0, 1], [-1, -2])", "xp.moveaxis(x, 3, 0)", "xp.moveaxis(x, [0, 1], 0)", "xp.moveaxis(x, [0, 0], [1, 2])",
        "xp.rollaxis(x, 2)", "xp.rollaxis(x, 0, 3)", "xp.rollaxis(x, 1, 0)", "xp.rollaxis(x, 5)", "xp.rollaxis(x, 0, 9)",
        "xp.swapaxes(x, 0, 2)", "xp.swapaxes(x, -1, 5)", "x.swapaxes(1, 1)",
        "xp.expand_dims(v, 0)", "xp.expand_dims(v, (0, -1))", "xp.expand_dims(v, 3)", "xp.expand_dims(v, (0, 0))", "xp.expand_dims(s, 0)",
        "xp.squeeze(o)", "xp.squeeze(o, 0)", "xp.squeeze(o, (0, 2))", "xp.squeeze(o, 1)", "xp.squeeze(o, 7)", "o.squeeze(-1)",
        "xp.atleast_1d(s)", "xp.atleast_1d(s, v)", "xp.atleast_2d(v)", "xp.atleast_2d(s)", "xp.atleast_3d(v)", "xp.atleast_3d(f)", "xp.atleast_3d(x, s)",
        "xp.atleast_1d()",
    ],
)  # fmt: skip
def test_shapes(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.flip(x)", "xp.flip(x, 0)", "xp.flip(x, (0, 2))", "xp.flip(x, -1)", "xp.flip(x, 3)", "xp.flip(s)", "xp.flip(x, ())", "xp.fliplr(x)",
        "xp.fliplr(v)", "xp.flipud(v)", "xp.flipud(s)", "xp.rot90(f)", "xp.rot90(f, 2)", "xp.rot90(f, -1)", "xp.rot90(x, 1, (1, 2))", "xp.rot90(x, 4)",
        "xp.rot90(x, 1, (0, 0))", "xp.rot90(x, 1, (0, 3))", "xp.rot90(x, 1, (0, 1, 2))",
        "xp.roll(v, 2)", "xp.roll(v, -7)", "xp.roll(x, 1)", "xp.roll(x, 1, 0)", "xp.roll(x, (1, 2), (0, 2))", "xp.roll(x, 5, (1, 2))", "xp.roll(x, (1, 1), 1)",
        "xp.roll(x, 1, 4)", "xp.roll(x, (1, 2), (0, 1, 2))", "xp.roll(e, 3, 0)", "xp.roll(e, 3)", "xp.roll(s, 1)", "xp.roll(f, 1, 1)", "xp.roll(x, 0)",
        "xp.roll(v, (1, 2))", "xp.roll(v, xp.zeros((0, 0), 'i8'))", "xp.roll(v, xp.zeros((1, 1), 'i8'))", "xp.roll(v, xp.ones(1, 'i8'))",
        "xp.roll(v, xp.ones(1, '?'))",
        "xp.tile(v, 2)", "xp.tile(v, (2, 2))", "xp.tile(x, 2)", "xp.tile(x, (2, 1, 1, 3))", "xp.tile(s, (2, 2))", "xp.tile(v, 0)", "xp.tile(e, (2, 2))",
        "xp.tile(x, ())", "xp.tile(e[:, :0], 2**40)", "xp.repeat(e[:, 0], 2**40)", "xp.repeat(v, e[:, 0])", "xp.tile(f.T, (1, 2))",
        "xp.repeat(v, 3)", "xp.repeat(x, 2)", "xp.repeat(x, 2, 1)", "xp.repeat(x, 2, -1)", "xp.repeat(x, 0, 0)", "xp.repeat(s, 4)", "xp.repeat(x, -1)",
        "xp.repeat(x, 2, 3)", "xp.repeat(f.T, 2, axis=0)", "xp.repeat(v, [2])", "xp.repeat(s, 2, axis=0)", "xp.repeat(s, 2, -1)", "xp.repeat(s, 2, 1)", "v.repeat(2)",
        "xp.repeat(v, 0.0, axis=type('A', (), {'__index__': lambda self: 1})())",
    ],
)  # fmt: skip
def test_orders(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.broadcast_to(v, (2, 5))", "xp.broadcast_to(s, (2, 0))", "xp.broadcast_to(v, 5)", "xp.broadcast_to(v, (5, 2))", "xp.broadcast_to(x, (3, 4))",
        "xp.broadcast_to(o, (2, 3, 4))", "xp.broadcast_to(v, (-1, 5))", "xp.broadcast_arrays(v, xp.ones((2, 1)))", "xp.broadcast_arrays()",
        "xp.broadcast_arrays(v, xp.ones(4))", "xp.broadcast_arrays(s)", "xp.broadcast_shapes((3, 1), (1, 4))", "xp.broadcast_shapes()", "xp.broadcast_shapes(3, (2, 1))",
        "xp.broadcast_shapes((3,), (4,))", "xp.broadcast_shapes((0, 1), (1, 5))", "xp.broadcast_to(v, (2, 5)).flags.writeable",
    ],
)  # fmt: skip
def test_broadcasting(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.concatenate([v, v])", "xp.concat((x, x), axis=1)", "xp.concatenate([x, x], -1)", "xp.concatenate([x, x], None)", "xp.concatenate([])",
        "xp.concatenate([v, x])", "xp.concatenate([s, s])", "xp.concatenate([v, xp.ones(2)])", "xp.concatenate([v, [1.5]])", "xp.concatenate([v, v], 1)",
        "xp.concatenate([x, x[:, :1]], axis=0)", "xp.concatenate([x, x[:, :1]], axis=1)", "xp.concatenate([v, v], dtype='f4')", "xp.concatenate([f, f], dtype='i4')",
        "xp.concatenate([f, f], dtype='i4', casting='unsafe')", "xp.concatenate([v, v], out=xp.empty(10, int))", "xp.concatenate([v, v], out=xp.empty(9, int))",
        "xp.concatenate([v, v], out=xp.empty(10), dtype='f4')", "xp.concatenate([e, e])", "xp.concatenate([e, xp.ones((2, 3), 'f4')])", "xp.concatenate(x)",
        "xp.concatenate([f.T, f.T])", "xp.concatenate([x[::-1], x[:, :, ::-1]], 0)", "xp.concatenate([v])", "xp.concatenate(5)", "xp.concatenate(s)",
        "xp.concatenate([xp.ones(2, 'i8'), xp.ones(2, 'u8')])", "xp.concatenate([xp.ones(2, bool), xp.ones(1, 'i1')])",
        "xp.stack([v, v])", "xp.stack([v, v], 1)", "xp.stack([v, v], -1)", "xp.stack([x, x], 2)", "xp.stack([v, v], 2)", "xp.stack([])", "xp.stack([v, s])",
        "xp.stack([s, s])", "xp.stack([v, v], dtype='f4')", "xp.stack(x)", "xp.stack([v, v], out=xp.empty((2, 5), int))", "xp.stack(iter([v, v]))",
        "xp.vstack([v, v])", "xp.vstack([s, s])", "xp.vstack([x, x])", "xp.vstack([v, f])", "xp.vstack([v, v], dtype='f2')", "xp.hstack([v, v])", "xp.hstack([s, s])",
        "xp.hstack([f, f])", "xp.hstack([v, f])", "xp.dstack([v, v])", "xp.dstack([f, f])", "xp.dstack([s])", "xp.column_stack([v, v])", "xp.column_stack([f, f])",
        "xp.column_stack([xp.ones(3), f])", "xp.hstack([])", "xp.unstack(x)", "xp.unstack(x, axis=2)", "xp.unstack(s)", "xp.unstack(x, axis=3)",
    ],
)  # fmt: skip
def test_joining(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.split(v, 5)", "xp.split(v, 2)", "xp.split(v, [1, 3])", "xp.split(v, [3, 1])", "xp.split(v, [-1])", "xp.split(v, [9])", "xp.split(x, 2, 2)", "xp.split(x, 2, 3)",
        "xp.array_split(v, 3)", "xp.array_split(v, xp.ones(1, '?'))", "xp.array_split(v, 7)", "xp.array_split(x, [1], axis=1)", "xp.array_split(v, 0)", "xp.array_split(v, -1)",
        "xp.vsplit(x, 2)", "xp.vsplit(v, 1)", "xp.hsplit(x, 3)", "xp.hsplit(v, 5)", "xp.hsplit(s, 1)", "xp.dsplit(x, 2)", "xp.dsplit(f, 2)", "xp.split(s, 1)",
    ],
)  # fmt: skip
def test_splitting(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.shape(x)", "xp.shape([[1, 2]])", "xp.shape(3)", "xp.ndim(x)", "xp.ndim([1])", "xp.size(x)", "xp.size(x, 1)", "xp.size([1, 2])", "xp.size(x, 5)",
        "xp.shares_memory(x, x[:1])", "xp.shares_memory(v[::2], v[1::2])", "xp.shares_memory(x, v)", "xp.may_share_memory(v[:2], v[3:])",
        "xp.where([True, False], 1, 2)", "xp.where(v > 2, v, -v)", "xp.where(v, 1.5, 2)", "xp.where(v > 2, v)", "xp.where(True, v, 0)", "xp.where(f > 3, f, s)",
        "xp.logical_or(e.T[0], 1e-300)", "xp.logical_or(xp.zeros(3, 'f4'), 1e-300)", "xp.logical_or(-1e-300, xp.zeros((), 'f2'))", "xp.logical_xor(xp.zeros(3000, 'f4')[::2], xp.nan)", "xp.logical_and(xp.ones(3, 'u1'), -1)", "xp.logical_or(xp.zeros(3, 'u1')[0], 256)",
        "xp.logical_or.outer(xp.zeros(2, 'f2'), 1e300)", "xp.logical_or(xp.zeros(2, 'f4'), 1e-300j)", "xp.logical_and(xp.ones(2, bool), 0.5, where=xp.asarray([True, False]), out=xp.zeros(2, bool))", "xp.logical_or(xp.zeros(3, 'f4'), 0.0)", "xp.bitwise_or(xp.zeros(3, bool), 3)",
        "xp.where(xp.ones(3, bool), v, v)", "xp.where(s, 1, 2)", "xp.where(v > 1, 1j, v)",
        "xp.clip(f, None, None, where=f > 3, out=xp.zeros((3, 4)))", "xp.clip(v, None, None, dtype='f4')", "xp.clip(v, None, None, out=xp.zeros(5, 'i1'), casting='unsafe')", "xp.clip(v, None, None, out=xp.zeros(5, 'i1'), casting='safe')", "xp.clip(v, None, None, casting='other')",
        "xp.clip(v.astype('u1'), -1, 300, dtype='f4')", "v.astype('u1').clip(0, 255, where=v > 1, out=xp.zeros(5))", "v.clip(None, None, dtype='f8')", "xp.clip(s, None, None)", "xp.clip(v > 1, None, None)", "xp.clip(v, None, None, other=1)",
        "xp.clip(v, 1, 3)", "xp.clip(v, None, 3)", "xp.clip(v, 2, None)", "xp.clip(v, 3, 1)", "xp.clip(v, 1.5, 3)", "xp.clip(v, min=1, max=2)", "xp.clip(v, max=2)",
        "xp.clip(f, [0, 1, 2, 3], 5)", "xp.clip(xp.ones(2, 'u1'), 0, 300)", "xp.clip(xp.ones(2, 'u1'), -5, 0)", "xp.clip(v)", "v.clip(1, 3)",
        "xp.clip(v, 1, 3, out=xp.empty(5, int))", "xp.clip(xp.asarray([1.0, np.nan]), 0, 0.5)", "xp.clip(xp.asarray([1.0, np.nan]), None, 0.5)", "xp.clip(xp.asarray([0.0, np.nan]), 0.5, None)",
        "xp.round(f / 7, 2)", "xp.round(f)", "xp.round(v * 11, -1)", "xp.round(v, 2)", "xp.round(s)", "xp.around(2.5)", "xp.round(xp.asarray([0.5, 1.5, -0.5]))",
        "xp.round(xp.asarray([1.26, 2.75], 'f4'), 1)", "(f / 7).round(1)", "xp.round([1.5 + 2.5j])", "xp.round([complex(np.inf, 0), complex(1.26, np.nan), 13.7 - 8j], 1)", "xp.round([14.7 - 8j], -1, out=xp.empty(1, complex))", "xp.round(f / 7, 1, out=xp.empty((3, 4)))",
        "xp.isclose([1, 2, np.nan], [1 + 1e-9, 2.1, np.nan])", "xp.isclose([np.inf, np.nan], [np.inf, np.nan], equal_nan=True)", "xp.isclose(v, v, atol=xp.ones(5))",
        "xp.isclose(1, 1 + 1e-9)", "xp.allclose(v, v + 1e-9)", "xp.allclose(v, v + 1)", "xp.allclose(v, xp.ones(4))", "xp.isclose(xp.ones(2, bool), xp.zeros(2, bool))",
        "xp.array_equal(v, v)", "xp.array_equal(v, v[:3])", "xp.array_equal([np.nan], [np.nan])", "xp.array_equal([np.nan], [np.nan], equal_nan=True)",
        "xp.array_equiv(v, xp.stack([v, v]))", "xp.array_equiv(v, xp.ones(4))", "xp.iscomplexobj(v)", "xp.isrealobj([1j])", "xp.iscomplex([1j, 1])", "xp.isreal(v)",
        "xp.isscalar(3)", "xp.isscalar([3])", "xp.issubdtype(v.dtype, xp.integer)",
    ],
)  # fmt: skip
def test_choices_and_questions(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.copyto(d, 7)", "xp.copyto(d, [1, 2, 3])", "xp.copyto(d, 1.5)", "xp.copyto(d, 1.5, 'unsafe')", "xp.copyto(d, 300, where=[True, False, True])",
        "xp.copyto(d, xp.asarray([1.5, 2.5, 3.5]))", "xp.copyto(d, xp.asarray([9, 8, 7]), where=xp.asarray([False, True, False]))", "xp.copyto(d, [1, 2])",
        "xp.copyto(d, [1.5, 2, 3], 'unsafe', where=[True, True, False])", "xp.copyto([1], 2)", "xp.copyto(d, d[::-1])", "xp.copyto(d, 2**70)",
        "xp.copyto(d, 7, where=[1, 0, 1])", "xp.copyto(d, 7, where=xp.asarray([1, 0, 1]))", "xp.copyto(d, 7, where=xp.asarray(1.0))", "xp.copyto(d, 7, where=xp.asarray(True))", "xp.copyto(d, 7, where=False)",
    ],
)  # fmt: skip
def test_copyto(expression, device):
    names = {"d": lambda xp: xp.zeros(3, "i4")}
    agree(expression.replace("xp.copyto(", "(lambda d, *a, **k: (xp.copyto(d, *a, **k), d)[1])("), names)


VIEWS = [
    "x.reshape(4, 6)", "xp.ravel(x)", "xp.transpose(x)", "x.T", "x.mT", "xp.moveaxis(x, 0, 2)", "xp.swapaxes(x, 0, 1)", "xp.expand_dims(x, 0)", "xp.squeeze(x[:1])",
    "xp.flip(x)", "xp.rot90(x)", "xp.split(x, 2)[1]", "xp.broadcast_to(x, (2, 2, 3, 4))", "xp.atleast_1d(x)", "x[1:]", "x[..., ::-1]", "x[None]", "x[0, ...]",
    "xp.unstack(x)[0]", "x.view()", "x.real", "xp.asarray(x)", "xp.matrix_transpose(x)", "x.T.reshape(4, 3, 2)",
]  # fmt: skip
COPIES = ["x.copy()", "x.flatten()", "xp.roll(x, 1)", "xp.tile(x, 1)", "xp.repeat(x, 1)", "xp.concatenate([x])", "x.T.ravel()", "x.astype('f4')",
          "x.astype(x.dtype)", "xp.array(x)", "xp.tril(x)", "+x", "x.T.reshape(-1)"]  # fmt: skip


@pytest.mark.parametrize("expression", VIEWS)
def test_views_share_memory(expression, device):
    x = NAMES["x"](cuarray)
    assert cuarray.shares_memory(eval(expression, {"x": x, "xp": cuarray}), x)
    # The stride of an axis of length 1 has no meaning.
    agree(f"[(n, s) for n, s in zip(({expression}).shape, ({expression}).strides) if n > 1]", NAMES)


@pytest.mark.parametrize(
    "array",
    [
        "xp.asarray(0)",
        "xp.arange(1)[None]",
        "xp.zeros((0, 3))",
        "xp.ones((2, 3))",
        "xp.ones((3, 2)).T",
        "xp.zeros(12)[::2]",
    ],
)
def test_strides_of_reshaped_arrays(array, device):
    """Those of axes of length 1 and of arrays without elements too, as NumPy has them."""
    size = eval(array, {"xp": np}).size
    shapes = {0: [(0,), (3, 0, 2), (0, 1)], 1: [(), (1,), (1, 1)]}.get(size, [(6, 1), (1, 6), (3, 1, 2, 1), (2, 3)])
    for shape in shapes:
        for order in "CF":
            agree(f"{array}.reshape({shape}, order='{order}').strides", NAMES)
    for axis in (0, -1):
        agree(f"xp.expand_dims({array}, {axis}).strides", NAMES)


@pytest.mark.parametrize("expression", COPIES)
def test_copies_do_not_share_memory(expression, device):
    x = NAMES["x"](cuarray)
    assert not cuarray.shares_memory(eval(expression, {"x": x, "xp": cuarray}), x)


def test_joining_in_any_layout(device):
    """Every pair of layouts, along every axis."""
    layouts = ["x", "xp.asfortranarray(x)", "x[::-1]", "x[:, :, ::-1]", "x.transpose(0, 1, 2)[:, ::-1]"]
    for (a, b), axis in itertools.product(itertools.product(layouts, repeat=2), range(3)):
        agree(f"xp.concatenate([{a}, {b}], {axis})", NAMES)


def test_joining_into_what_is_joined(device):
    x = cuarray.arange(10)
    assert cuarray.concatenate([x[3:6], x[:3]], out=x[:6]).tolist() == [3, 4, 5, 0, 1, 2] == x.tolist()[:6]


def test_lists_join_the_device_of_the_arrays(device):
    x = cuarray.ones(2, device=device)
    assert cuarray.concat([x, [1.0]]).device == x.device
    assert cuarray.where(x > 0, [1, 2], 0).device == x.device
    assert cuarray.isclose(x, [1, 1]).device == x.device


def test_copyto_needs_an_array(device):
    with pytest.raises(TypeError, match="copyto"):
        cuarray.copyto([1, 1], cuarray.ones(2))


def test_split_into_no_parts(device):
    with pytest.raises(ValueError, match=r"5 elements.*0 equal parts"):
        cuarray.split(cuarray.arange(5), 0)


SHORT = {
    "x": lambda xp: xp.arange(3, dtype="i2"),
    "u": lambda xp: xp.arange(3, dtype="u1"),
    "f": lambda xp: xp.ones((1, 2), dtype="f4"),
}


@pytest.mark.parametrize("call", [
    "(x, 3)", "(3, x, 2.5)", "(f, 3)", "(f, 3, 2.5)", "(f, 1j)", "(u, True)", "(1, 2)", "(1, 2.5)", "(True, 2)", "([1, 2], 3)", "(3,)",
    "(u, 3) casting='no'", "(f, 3.5) casting='no'", "(u, 3) dtype='u1'", "(u, 300) dtype='i4'", "(u, 3) out=xp.zeros(4, dtype='u1')",
    "(u, 3.5) out=xp.zeros(4)", "(u, 3.5) casting='safe',dtype='f4'", "(x, 2**70)",
])  # fmt: skip
def test_numbers_among_flattened_arrays(call, device):
    arrays, _, options = call.partition(") ")
    agree(f"xp.concatenate({arrays.removesuffix(')')}), axis=None, {options})", SHORT)


def test_numbers_among_flattened_arrays_must_fit(device):
    with pytest.raises(OverflowError):
        cuarray.concat((cuarray.zeros(2, "u1"), 300), axis=None)


@pytest.mark.parametrize("count", [1 << 31, 1 << 62, 1 << 64])
def test_more_parts_than_memory(count, device):
    for x in (cuarray.arange(3), cuarray.zeros(0)):
        with pytest.raises(MemoryError):
            cuarray.array_split(x, count)


def test_huge_steps(device):
    x, y = cuarray.arange(24).reshape(2, 3, 4), np.arange(24).reshape(2, 3, 4)
    for step in (2**62, 2**63 - 1, -(2**62), -(2**63), 2**80):
        assert x[..., ::step].tolist() == y[..., ::step].tolist() and x[::step].shape == y[::step].shape
        assert x[1:0:step].tolist() == y[1:0:step].tolist()
        z = x[:, :, ::step][::-1].copy("K") + x[:1, :, ::step]
        assert z.tolist() == (y[:, :, ::step][::-1] + y[:1, :, ::step]).tolist()


@pytest.mark.parametrize("name", ["flip", "median", "expand_dims"])
def test_a_word_names_no_axes(name, device):
    with pytest.raises(TypeError, match=f"^{name}: axis must be an integer"):
        getattr(cuarray, name)(cuarray.ones(2, device=device), axis="")


@pytest.mark.parametrize(
    ("shape", "key"),
    [
        ((3, 200_000), np.s_[:, :150_000]),
        ((300_000,), np.s_[::2]),
        ((300_000,), np.s_[::-1]),
        ((4, 500, 200), np.s_[:, ::2, 1:]),
        ((2, 3, 5, 90_000), np.s_[:, 1:, ::-2, 3:]),
        ((70_000, 12), np.s_[:, 1:11]),
        ((70_000, 3), np.s_[::-1, :2]),
    ],
)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
def test_copies_of_large_views(shape, key, dtype, device):
    """Views larger than the rectangles that the host copies at a time, to new memory and to a view."""
    host = np.arange(math.prod(shape)).astype(dtype).reshape(shape)
    x = cuarray.asarray(host, device=device)
    assert np.array_equal(x[key].copy().numpy(), host[key])
    written, wanted = cuarray.zeros(shape, dtype, device=device), np.zeros(shape, dtype)
    written[key] = x[key]
    wanted[key] = host[key]
    assert np.array_equal(written.numpy(), wanted)
    written[key] = x[key][:1]
    wanted[key] = host[key][:1]
    assert np.array_equal(written.numpy(), wanted)


@pytest.mark.parametrize("dtype", ["?", "h", "f", "d", "D"])
def test_transposed_copies_of_every_extent(dtype, device):
    """Extents around squares of four items, cache lines, blocks of rows and what is copied without tiles."""
    extents = (1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 19, 33, 129, 300) if device == "cpu" else (1, 5, 9, 17, 33)
    for rows, columns in itertools.product(extents, extents):
        values = np.arange(2 * rows * columns).reshape(2, rows, columns).astype(dtype)
        x = cuarray.asarray(values)
        np.testing.assert_array_equal(x[0].T.copy().numpy(), values[0].T)
        np.testing.assert_array_equal(x.transpose(0, 2, 1).copy().numpy(), values.transpose(0, 2, 1))
        np.testing.assert_array_equal(x.transpose(2, 1, 0).copy().numpy(), values.transpose(2, 1, 0))
        np.testing.assert_array_equal(x[0, ::-1, ::-1].T.copy().numpy(), values[0, ::-1, ::-1].T)
        turned = cuarray.zeros((columns, rows), dtype)[::-1, ::-1]
        turned.T[...] = x[1]
        np.testing.assert_array_equal(turned.numpy(), values[1].T)
        out = cuarray.zeros((rows, columns + 3), dtype)
        out[:, 1:-2] = cuarray.asarray(values[1].T.copy()).T
        np.testing.assert_array_equal(out.numpy(), np.pad(values[1], ((0, 0), (1, 2))))


@pytest.mark.parametrize("shift", [1, 2, 3, 7, 8, 9, 15, 16, 33, 63, 64, 65])
@pytest.mark.parametrize("type", ["u1", "f4", "f8", "c16"])
def test_rows_are_shifted(type, shift, rng, device):
    """Between blocks that begin on a page, where the copy of a row has a loop of its own."""
    for columns in (128 + shift, 1000, 4096, 4099):
        x = rng.integers(0, 200, (9, columns)).astype(type)
        ours = cuarray.asarray(x, device=device)
        for step in (shift, -shift):
            np.testing.assert_array_equal(cuarray.roll(ours, step, 1).numpy(), np.roll(x, step, 1))
            np.testing.assert_array_equal(cuarray.roll(ours[0], step).numpy(), np.roll(x[0], step))
        target = cuarray.zeros_like(ours)
        target[:, shift:] = ours[:, :-shift]
        assert not target[:, :shift].any()
        np.testing.assert_array_equal(target.numpy()[:, shift:], x[:, :-shift])


@pytest.mark.parametrize("decimals", [-1, 0, 1])
@pytest.mark.parametrize("dtype", ["f4", "c8", "c16"])
def test_rounded_arrays_keep_their_layout(decimals, dtype, device):
    x = (np.arange(24).reshape(2, 3, 4) * 1.26).astype(dtype)
    for theirs in (x, np.asfortranarray(x), x.transpose(1, 2, 0), x[:, ::-1]):
        want = np.round(theirs, decimals)
        got = cuarray.round(cuarray.asarray(theirs), decimals)
        assert got.strides == want.strides
        np.testing.assert_array_equal(got.numpy(), want)


def test_rounding_into_inexact_outputs(device):
    for values, decimals in ((np.arange(3), -400), (np.array([True, False]), 1), (np.arange(3, dtype="u1"), 2)):
        want, out = np.zeros(values.shape), cuarray.zeros(values.shape)
        with np.errstate(all="ignore"):
            np.round(values, decimals, want)
        cuarray.round(cuarray.asarray(values), decimals, out)
        np.testing.assert_array_equal(out.numpy(), want)


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f4", "f8", "c16"])
def test_many_elements_are_repeated(dtype, rng, device):
    """Written by vectors of copies, of which the last ones must not pass the end."""
    for n in (1, 257, 300, 1000):
        x = (rng.random(n) * 200).astype(dtype)
        ours = cuarray.asarray(x)
        for count in (1, 2, 3, 4, 7, 16, 31, 33):
            assert np.array_equal(cuarray.repeat(ours, count).numpy(), np.repeat(x, count)), (n, count)
        assert np.array_equal(cuarray.repeat(ours[::-2], 3).numpy(), np.repeat(x[::-2], 3)), n
    x = (rng.random((40, 30)) * 200).astype(dtype)
    ours = cuarray.asarray(x)
    for axis in (0, 1):
        assert np.array_equal(cuarray.repeat(ours, 5, axis).numpy(), np.repeat(x, 5, axis))
        assert np.array_equal(cuarray.repeat(ours.T, 5, axis).numpy(), np.repeat(x.T, 5, axis))


@pytest.mark.parametrize("count", [2, 3, 7, 33])
def test_repeated_elements_end_where_they_should(count, device):
    x = cuarray.arange(300, dtype="u1")
    target = cuarray.full(300 * count + 64, 7, dtype="u1")
    target[: 300 * count].reshape(300, count)[...] = x[:, None]
    assert (target[300 * count :] == 7).all() and (target[: 300 * count] == cuarray.repeat(x, count)).all()
