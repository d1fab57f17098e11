"""Transforms on GPUs, by cuFFT: up to three axes at a time, each after at most one copy, which also cuts and pads."""

from math import prod, sqrt

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import moveaxis, zeros
from cuarray._arguments.ufuncs import conj, multiply
from cuarray._fft.kinds import FROM_REAL, OPPOSITE, TO_REAL

#: Axes that cuFFT transforms in one call.
AXES = 3


def transformed(function, x, plan, shapes, norm):
    """Return the transforms of one axis after another; `plan` has name, points and axis of each."""
    single = x.dtype in (np.float32, np.complex64)
    result = x
    for part in parts(plan):
        result = transform_part(function, result, part, single, result is not x)
    if plan[-1][0] == "ihfft":
        result = conj(result)
    # Axes were moved; results lie in C order.
    scale = scale_of(plan, norm)
    if scale != 1:
        return multiply(result, scale, order="C")
    return result if result.flags.c_contiguous else result.copy("C")


def parts(plan):
    """Divide a plan into parts that one call computes: one transform to or from real numbers, or complex ones.

    A transform to real numbers is alone. Together with others, the library would want a Hermitian input.
    """
    found = []
    for step in plan:
        kind, axes = step[0], {axis for _, _, axis in found[-1]} if found else set()
        if found and kind in ("fft", "ifft") and len(axes) < AXES and step[2] not in axes:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def transform_part(function, x, part, single, is_spare):
    """Transform the axes of a part of a plan; a spare array may be overwritten."""
    name = part[0][0]
    from_real, to_real = name in FROM_REAL, name in TO_REAL
    if from_real:
        part = [*part[1:], part[0]]  # the real axis last
    axes, points = [axis for _, _, axis in part], [n for _, n, _ in part]
    last = points[-1]
    lengths = [*points[:-1], last // 2 + 1] if to_real else points
    real = np.float32 if single else np.float64
    dtype = np.dtype(real if from_real else np.result_type(real, np.complex64))
    places = range(x.ndim - len(axes), x.ndim)
    source = moveaxis(x, axes, places)
    if name == "hfft":
        source, is_spare = conj(source), True
    kind = "inverse" if name == "ifft" else "forward"
    if from_real:
        kind = "from_real"
    elif to_real:
        kind = "to_real"
    ready = prepared(source, lengths, dtype, to_real and not is_spare)
    if to_real:
        # NumPy does not look at the imaginary parts of the first and of an even middle frequency.
        ready.imag[..., 0] = 0
        if last % 2 == 0:
            ready.imag[..., -1] = 0
    result = _core.fourier_transform(ready, kind, len(axes), last, is_spare or ready is not source, function)
    return moveaxis(result, places, axes)


def prepared(source, lengths, dtype, copies):
    """Return an array whose last axes have these lengths, cut or padded with zeros: a copy or the same."""
    shape = (*source.shape[: source.ndim - len(lengths)], *lengths)
    if source.shape == shape:
        is_ready = source.dtype == dtype and source.flags.c_contiguous and not copies
        return source if is_ready else source.astype(dtype, order="C")
    inner = tuple(slice(min(pair)) for pair in zip(source.shape, shape, strict=True))
    if all(old >= new for old, new in zip(source.shape, shape, strict=True)):
        return source[inner].astype(dtype, order="C")
    room = zeros(shape, dtype, device=source.device)
    room[inner] = source[inner]
    return room


def scale_of(plan, norm):
    """Return the factor of the results."""
    if plan[-1][0] in ("hfft", "ihfft"):
        norm = OPPOSITE[norm]
    total = prod(n for _, n, _ in plan)
    is_inverse = plan[-1][0] in ("ifft", "irfft", "hfft")
    if norm == "ortho":
        return 1 / sqrt(total)
    return 1 / total if (norm == "backward") == is_inverse else 1
