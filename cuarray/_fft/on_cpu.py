"""Transforms on the device cpu: NumPy's, over views, with threads over the other axes."""

import contextvars
import itertools
from collections import deque
from functools import lru_cache
from math import prod
from threading import Thread

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import broadcast_to, empty, empty_like
from cuarray._fft.kinds import FROM_REAL, OPPOSITE, TO_REAL

#: Transforms of at most so many elements copy NumPy's result; others are written where the result lies.
FEW = 4096

#: Elements that are worth a thread, whose start takes 50 us, and more where other programs use the cores.
SHARE = 100_000


def to_real(a, n, axis, norm, out):
    """Transform like numpy.fft.irfft, which reads beyond the end of an axis that has no elements."""
    if a.shape[axis] == 0:
        a = np.zeros((*a.shape[:axis], 1, *a.shape[axis + 1 :]), a.dtype)
    return np.fft.irfft(a, n, axis, norm, out)


def hermitian(a, n, axis, norm, out):
    """Transform like numpy.fft.hfft, into `out`, which that ignores."""
    return to_real(np.conjugate(a), n, axis, OPPOSITE[norm], out)


def inverse_hermitian(a, n, axis, norm, out):
    """Transform like numpy.fft.ihfft, in parts of a larger output too."""
    result = np.fft.rfft(a, n, axis, OPPOSITE[norm], out)
    return np.conjugate(result, out=result)


#: The transforms of one axis, called with (array, n, axis, norm, out). NumPy's may warn of infinite values; the setting
#: of warnings belongs to the thread that calls.
TRANSFORMS = {
    name: np.errstate(all="ignore")(transform)
    for name, transform in {
        "fft": np.fft.fft,
        "ifft": np.fft.ifft,
        "rfft": np.fft.rfft,
        "irfft": to_real,
        "hfft": hermitian,
        "ihfft": inverse_hermitian,
    }.items()
}


def numpy_loops():
    """Return the loops below NumPy's functions, whose checks take most of the time of few points; {} without them."""
    try:
        from numpy.fft import _pocketfft_umath as loops

        from_real = loops.rfft_n_even, loops.rfft_n_odd
        return {
            "fft": loops.fft,
            "ifft": loops.ifft,
            "rfft": from_real,
            "irfft": loops.irfft,
            "hfft": loops.irfft,
            "ihfft": from_real,
        }
    except (ImportError, AttributeError):
        return {}


LOOPS = numpy_loops()

#: The dtypes of what these loops take, complex and real, by the dtype of an array.
RESULTS = {
    np.dtype(dtype): (np.dtype(result), np.dtype(real))
    for dtypes, result, real in ((("f4", "c8"), "c8", "f4"), (("f8", "c16", *"?bBhHiIlLqQ"), "c16", "f8"))
    for dtype in dtypes
}

#: Runs calls without NumPy's warnings in a twentieth of the time of numpy.errstate; copied for each, as no two calls
#: may be in one context.
QUIET = contextvars.Context()
QUIET.run(np.seterr, all="ignore")


@lru_cache(maxsize=256)
def loop_of_few(name, shape, dtype, axis, n, norm):
    """Return how NumPy's loop transforms an axis, over `n` points or None for all, or None.

    That is the loop, the dtype to convert to or None, its factor, shape and dtype of its result, and its axes, None for
    the last one.
    """
    loop, results = LOOPS.get(name), RESULTS.get(dtype)
    if loop is None or results is None or not 0 < prod(shape) <= FEW or not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    if n is None:
        n = 2 * (shape[axis] - 1) if name in TO_REAL else shape[axis]
    if not 1 <= n <= FEW:
        return None
    points = n
    if name in FROM_REAL:
        if dtype.kind == "c":
            return None
        loop, points = loop[n % 2], n // 2 + 1
    real = results[1]
    scaling = OPPOSITE[norm] if name in ("ifft", "irfft", "ihfft") else norm
    if scaling == "backward":
        factor = 1
    else:
        factor = np.reciprocal(n if scaling == "forward" else np.sqrt(n, dtype=real), dtype=real)
    if real == np.float64:  # an array needs no conversion; with a Python integer, float32 is transformed in float64
        factor = np.asarray(factor, real)
    axes = None if axis == len(shape) - 1 else [(axis,), (), (axis,)]
    converted = None if dtype.kind in "fc" else real
    return loop, converted, factor, (*shape[:axis], points, *shape[axis + 1 :]), results[name in TO_REAL], axes


def transform_few(name, x, axis, n, norm):
    """Return a transform of few points of an axis; None to decline."""
    result = run_loop(name, x.numpy(), axis, n, norm)
    return None if result is None else _core.array_from_object(result, None, x.device, True)


def run_loop(name, points, axis, n, norm):
    """Transform few points of an axis of an array, which may be overwritten; None to decline."""
    found = loop_of_few(name, points.shape, points.dtype, axis, n, norm)
    if found is None:
        return None
    loop, converted, factor, shape, dtype, axes = found
    result = np.empty_like(points, dtype, shape=shape)  # in the order of the points, as NumPy's
    if converted is not None:
        points = points.astype(converted)
    if name == "hfft":
        np.conjugate(points, points)
    if axes is None:
        QUIET.copy().run(loop, points, factor, result)
    else:
        QUIET.copy().run(loop, points, factor, result, axes=axes)
    if name == "ihfft":
        np.conjugate(result, result)
    return result


def transformed(x, plan, shapes, norm):
    """Return the transforms of one axis after another; `plan` has name, points and axis of each."""
    if max(map(prod, shapes)) > FEW:
        steps = [(TRANSFORMS[name], n, axis) for name, n, axis in plan]
        return run_in_place(x, steps, shapes[1:], norm, plan[-1][0] in TO_REAL)
    found = x.numpy()
    for name, n, axis in plan:
        result = run_loop(name, found, axis, n, norm)
        found = TRANSFORMS[name](found, n, axis, norm, None) if result is None else result
    return _core.array_from_object(found, None, x.device, True)


class Memory:
    """The memory of a new array, for NumPy to write.

    A view by x.__array__() would do, but marks the memory as one that other code may write at any time, and
    operations that read such memory do not fuse.
    """

    def __init__(self, array):
        described = read_only(array).__array_interface__
        self.array = array
        self.__array_interface__ = {**described, "data": (described["data"][0], False)}


def read_only(x):
    """Return a view that cannot be written."""
    return broadcast_to(x, x.shape)


def run_in_place(x, steps, shapes, norm, is_real):
    """Transform axes by steps (transform, n, axis), whose results have the given shapes; the last may be real."""
    source = read_only(x).__array__()
    real = np.dtype(np.float32 if x.dtype in (np.float32, np.complex64) else np.float64)
    between = np.result_type(real, np.complex64)
    result = in_layout_of(x, shapes[-1], real if is_real else between)
    memory = np.asarray(Memory(result))
    found = source
    for (transform, n, axis), shape in zip(steps, shapes, strict=True):
        is_last_kind = shape == result.shape and (not is_real or shape is shapes[-1])
        if is_last_kind:
            target = memory
        elif found is not source and found.shape == shape:
            target = found
        else:
            target = np.empty(shape, between)
        transform_lines(transform, found, n, axis, norm, target)
        found = target
    return result


def in_layout_of(x, shape, dtype):
    """Return a new array whose axes are in the order that they have in the memory of `x`, where that is simple."""
    if x.flags.c_contiguous or any(new > old for new, old in zip(shape, x.shape, strict=True)):
        return empty(shape, dtype, "F" if x.flags.fnc else "C", device=x.device)
    return empty_like(x[tuple(map(slice, shape))], dtype)


def transform_lines(transform, source, n, axis, norm, target):
    """Transform one axis into `target`; the other axes are split over threads if there are many elements."""
    threads = min(_core.get_num_threads(), max(source.size, target.size) // SHARE)
    others = [k for k in range(target.ndim) if k != axis and target.shape[k] > 1]
    if threads < 2 or not others:
        transform(source, n, axis, norm, target)
        return
    along = max(others, key=target.shape.__getitem__)
    length = target.shape[along]
    bounds = [length * k // threads for k in range(threads + 1)]
    before = (slice(None),) * along
    parts = deque((*before, slice(*pair)) for pair in itertools.pairwise(bounds) if pair[0] < pair[1])
    failures = []

    def work():
        while parts and not failures:
            try:
                part = parts.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                transform(source[part], n, axis, norm, target[part])
            except BaseException as error:
                failures.append(error)

    helpers = [Thread(target=work, daemon=True) for _ in range(len(parts) - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
