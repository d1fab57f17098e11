"""The arguments of transforms: what is transformed, along which axes, over how many points, and how it is scaled."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import bounded, integer, normalise_axis
from cuarray._arguments.operands import as_arrays, dtype_into, is_on_host, sole_output, write_output
from cuarray._core import ndarray
from cuarray._fft import on_cpu
from cuarray._fft.kinds import FROM_REAL, OPPOSITE, TO_REAL

#: The real type of the precision of a complex one.
REAL = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}


def operand(function, a):
    """Return the array to transform."""
    (x,) = as_arrays(function, a)
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{function}: there is no transform of {x.dtype}; write x.astype(cuarray.float32)")
    return x


def as_precise(x, out):
    """Return the array in the precision of `out`, if that has more: as in NumPy, the transform is computed in it."""
    if x.dtype not in (np.float16, np.float32, np.complex64):
        return x
    dtype = dtype_into(x.dtype, out)
    return x.astype(dtype if x.dtype.kind == "c" else REAL.get(dtype, dtype), copy=False)


def extent(value, what, function):
    """Return a number of points as an int; like NumPy, rejects bools."""
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{function}: {what} must be an integer, not {value!r}")
    return integer(value, what, function)


def entries(values, what, function):
    """Return a sequence as a list."""
    if not np.iterable(values) or isinstance(values, str | bytes):
        raise TypeError(f"{function}: {what} must be a sequence of integers, not {values!r:.80}")
    return list(bounded(values, what, function))


def output(out, function):
    """Return the array to write to, or None; ValueError where NumPy's ufunc cannot make the result."""
    sole = sole_output(out, function)
    if sole is Ellipsis or (sole is None and out is not None):
        raise ValueError(f"{function}: out= must be an array: the length of the result is not known from {out}")
    return sole


def transform_axis(function, a, n, axis, norm, out):
    """Transform one axis."""
    out = output(out, function)
    x = a if type(a) is ndarray else operand(function, a)
    x = x if out is None else as_precise(x, out)
    scaling = "backward" if norm is None else norm
    is_usual = (n is None or type(n) is int) and type(axis) is int and type(scaling) is str
    if is_usual and scaling in OPPOSITE and is_on_host(x):
        few = on_cpu.transform_few(function, x, axis, n, scaling)
        if few is not None:
            return few if out is None else write_output(few, out, function)
    x = operand(function, x)
    # Before the shape is read: __index__ may resize an array.
    n = None if n is None else extent(n, "n", function)
    axis = normalise_axis(axis, x, function)
    return run(function, x, [(function, n, axis)], norm, out)


def transform_axes(function, a, s, axes, norm, out):
    """Transform several axes by a function whose name without its last letter is the transform of an axis."""
    x = operand(function, a)
    if s is not None:
        s = [None if n is None else extent(n, "a length in s", function) for n in entries(s, "s", function)]
    if axes is not None:
        if isinstance(axes, ndarray | np.ndarray) and axes.dtype.kind not in "iu":  # without elements, too
            raise TypeError(f"{function}: axes must be integers, not {axes.dtype}")
        axes = [integer(axis, "an axis", function) for axis in entries(axes, "axes", function)]
    elif s is not None:
        axes = range(-len(s), 0)
    else:
        axes = range(x.ndim)
    if s is not None and len(s) != len(axes):
        raise ValueError(f"{function}: s has {len(s)} lengths, and axes has {len(axes)} axes")
    axes = [normalise_axis(axis, x, function) for axis in axes]
    transform = function[:-1]
    if transform in ("rfft", "irfft") and not axes:
        raise np.exceptions.AxisError(f"{function}: a real transform needs one axis at least")
    if not axes:
        return x  # as in NumPy, whatever out= and norm= say
    out = output(out, function)
    x = as_precise(x, out)
    lengths = [x.shape[axis] for axis in axes]
    if s is None:
        s = [*lengths[:-1], None] if transform == "irfft" else lengths
    steps = [(length if n == -1 else n, axis) for n, length, axis in zip(s, lengths, axes, strict=True)]
    # In NumPy's order, so that the results have the same bits.
    if transform == "irfft":
        plan = [*(("ifft", *step) for step in steps[:-1]), (transform, *steps[-1])]
    elif transform == "rfft":
        plan = [(transform, *steps[-1]), *(("fft", *step) for step in steps[-2::-1])]
    else:
        plan = [(transform, *step) for step in reversed(steps)]
    return run(function, x, plan, norm, out)


def run(function, x, plan, norm, out):
    """Transform axes one after another; `plan` has the transform, the points (None by default) and the axis of each."""
    norm = "backward" if norm is None else norm
    if not isinstance(norm, str) or norm not in OPPOSITE:
        raise ValueError(f"{function}: norm must be 'backward', 'ortho' or 'forward', not {norm!r:.80}")
    given = x.dtype
    if given.kind == "c" and plan[0][0] in FROM_REAL:
        raise TypeError(f"{function}: the input must be real, not {given}; write cuarray.real(x)")
    if given == np.float16:
        x = x.astype(np.float32)
    steps, shapes = [], [x.shape]
    for name, n, axis in plan:
        shape = shapes[-1]
        if n is None:
            n = 2 * (shape[axis] - 1) if name in TO_REAL else shape[axis]
        if n < 1:
            raise ValueError(f"{function}: {n} points along axis {axis}, and a transform needs one at least")
        steps.append((name, n, axis))
        shapes.append((*shape[:axis], n // 2 + 1 if name in FROM_REAL else n, *shape[axis + 1 :]))
    if is_on_host(x):
        result = on_cpu.transformed(x, steps, shapes, norm)
    else:
        result = _core.fourier_transforms(x, steps, norm, function)
    if given == np.float16 and len(plan) == 1 and result.dtype.kind == "f":
        result = result.astype(given)  # as in NumPy, where the first of several transforms gives complex64
    return write_output(result, out, function)
