"""The one place that calls factorisations, NumPy's or a GPU's, and the checks of matrices before it."""

from math import prod

import numpy as np
from numpy.linalg import LinAlgError

from cuarray import _core
from cuarray._arguments.functions import broadcast_to
from cuarray._arguments.operands import as_arrays
from cuarray._linalg import on_gpu


def as_matrices(function, x, is_square=False):
    """Return one matrix, or a stack of them, as an array; LinAlgError if it is none, or not square."""
    (x,) = as_arrays(function, x)
    require_matrices(function, x, is_square)
    return x


def require_matrices(function, x, is_square=False):
    """Raise LinAlgError unless an array has two axes at least, of equal lengths if the matrices must be square."""
    shape = x.shape
    if len(shape) < 2:
        raise LinAlgError(f"{function}: a matrix has two axes, and the array has {len(shape)}")
    if is_square and shape[-1] != shape[-2]:
        raise LinAlgError(f"{function}: the matrix must be square, and it is {shape[-2]} by {shape[-1]}")


def factorise(function, name, *arrays, dtype=None, **options):
    """Return what the factorisation of numpy.linalg of that name gives for arrays: a new array, or a tuple of them.

    `function` is the public function, which errors name. With `dtype`, results are cast. The device decides who
    computes.
    """
    for x in arrays:
        require_supported(function, x)
    compute = on_host if arrays[0].device.kind == "cpu" else on_gpu.factorised
    try:
        found = compute(function, name, arrays, options)
    except LinAlgError as error:
        raise LinAlgError(f"{function}: {error} (shape {arrays[0].shape})") from None
    if not isinstance(found, tuple):
        return owned(found, dtype)
    return tuple([owned(one, dtype) for one in found])


def on_host(function, name, arrays, options):
    """Call a function of numpy.linalg with views of arrays; small equations are solved as the fast paths solve them."""
    found = small_equations(name, arrays, options) if name in SMALL and arrays[0].shape[-1] <= MOST_ROWS else None
    if found is not None:
        return found
    with np.errstate(all="ignore"):
        return getattr(np.linalg, name)(*[x.__array__() for x in arrays], **options)


#: kSmallMatrix of src/host/small_matrices.h.
MOST_ROWS = 8

#: The fast paths of some functions; None where they decline.
SMALL = {
    "cholesky": _core.with_fast_path(lambda a, *, upper=False: None, "cholesky"),
    "det": _core.with_fast_path(lambda a: None, "det"),
    "inv": _core.with_fast_path(lambda a: None, "inv"),
    "slogdet": _core.with_fast_path(lambda a: None, "slogdet"),
    "solve": _core.with_fast_path(lambda a, b: None, "solve"),
}


def small_equations(name, arrays, options):
    """Return what a fast path gives for arrays of any stacks; None where it declines."""
    shapes = [x.shape for x in arrays]
    if not all(x.size for x in arrays) or any(x.dtype.kind == "c" for x in arrays):
        return None
    n = shapes[0][-1]
    columns = None if name != "solve" or len(shapes[1]) == 1 else shapes[1][-1]
    stack = np.broadcast_shapes(shapes[0][:-2], () if len(shapes[-1]) == 1 else shapes[-1][:-2])
    dtype = np.float32 if all(x.dtype == np.float32 for x in arrays) else np.float64
    spread = [broadcast_to(arrays[0], (*stack, n, n))]
    if name == "solve":
        right = arrays[1] if columns is not None else arrays[1].reshape((n, 1))
        spread.append(broadcast_to(right, (*stack, n, columns or 1)))
    count = () if not stack else (prod(stack),)
    lines = [x.astype(dtype).copy("C").reshape((*count, *x.shape[-2:])) for x in spread]
    for x in lines:
        x.__array__()  # not pending
    found = SMALL[name](*lines, **options)
    ends = {"det": (), "slogdet": (), "solve": (n,) if columns is None else (n, columns)}.get(name, (n, n))
    if found is None:
        return None
    shape = (*stack, *ends)
    results = [x if x.shape == shape else x.reshape(shape).copy() for x in (found if name == "slogdet" else (found,))]
    return tuple(results) if name == "slogdet" else results[0]


def owned(x, dtype):
    """Return an array with memory of its own, or a value, from an array or number of NumPy's; ours have it."""
    if not isinstance(x, _core.ndarray):
        x = _core.array_from_object(x, dtype, "cpu", True)
    elif dtype is not None:
        x = x.astype(dtype, copy=False)
    return _core.as_value(x)


def require_supported(function, x):
    """Raise unless there are factorisations of the array's dtype."""
    dtype = x.dtype
    if dtype.itemsize < 4 and dtype.kind in "fV":
        raise TypeError(f"{function}: there are no factorisations in {dtype.name}; write x.astype('float32')")


def inverse(function, a):
    """Return the inverses of square matrices, for the public function of that name."""
    return factorise(function, "inv", a)
