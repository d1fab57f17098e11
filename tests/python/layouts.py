"""Memory layouts of the same values, made by views on the device and never by uploading a strided array."""

import math

import numpy as np

import cuarray


def contiguous(v):
    return cuarray.asarray(v.copy())


def fortran(v):
    return cuarray.asarray(np.ascontiguousarray(v.T)).T


def reversed_axes(v):
    backwards = (slice(None, None, -1),) * v.ndim
    return cuarray.asarray(np.ascontiguousarray(v[backwards]))[(*backwards, ...)]


def last_axis_reversed(v):
    return cuarray.asarray(np.ascontiguousarray(v[..., ::-1]))[..., ::-1]


def every_third(v):
    wide = cuarray.zeros((*v.shape[:-1], 3 * v.shape[-1]), v.dtype)
    wide[..., 1::3] = cuarray.asarray(v.copy())
    return wide[..., 1::3]


def every_second_row(v):
    tall = cuarray.zeros((2 * v.shape[0], *v.shape[1:]), v.dtype)
    tall[::2, ...] = cuarray.asarray(v.copy())
    return tall[::2, ...]


def inner_columns(v):
    wide = cuarray.zeros((*v.shape[:-1], v.shape[-1] + 5), v.dtype)
    wide[..., 2:-3] = cuarray.asarray(v.copy())
    return wide[..., 2:-3]


def offset_by_one(v):
    flat = cuarray.zeros(v.size + 1, v.dtype)
    flat[1:] = cuarray.asarray(v.ravel())
    return flat[1:].reshape(v.shape)


def unaligned(v):
    """At an address that is not a multiple of the item size (its alignment), which is impossible for one byte."""
    raw = cuarray.zeros(v.nbytes + 1, cuarray.uint8)
    raw[1:] = cuarray.asarray(np.frombuffer(v.tobytes(), np.uint8))
    return raw[1:].view(v.dtype).reshape(v.shape)


def axes_of_length_one(v):
    spread = cuarray.zeros((v.shape[0], 4, *v.shape[1:]), v.dtype)
    spread[:, 3, ...] = cuarray.asarray(v.copy())
    return spread[:, 3:, ...].reshape(v.shape)


LAYOUTS = [contiguous, fortran, reversed_axes, last_axis_reversed, every_third, every_second_row, inner_columns,
           offset_by_one, unaligned, axes_of_length_one]  # fmt: skip


def rectangle(v):
    """Return most of the values of a one-dimensional array as two axes, neither a power of two."""
    rows = max(math.isqrt(len(v)) | 1, 1)
    return v[: len(v) // rows * rows].reshape(rows, -1)
