"""The one place that calls factorisations, NumPy's or a GPU's, and the checks of matrices before it."""

import numpy as np
from numpy.linalg import LinAlgError

from cuarray import _core
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
    compute = by_numpy if arrays[0].device.kind == "cpu" else on_gpu.factorised
    try:
        found = compute(function, name, arrays, options)
    except LinAlgError as error:
        raise LinAlgError(f"{function}: {error} (shape {arrays[0].shape})") from None
    if not isinstance(found, tuple):
        return owned(found, dtype)
    return tuple([owned(one, dtype) for one in found])


@np.errstate(all="ignore")
def by_numpy(function, name, arrays, options):
    """Call a function of numpy.linalg with views of arrays."""
    return getattr(np.linalg, name)(*[x.__array__() for x in arrays], **options)


def owned(x, dtype):
    """Return an array with memory of its own, or a value, from an array or number of NumPy's; ours have it."""
    if not isinstance(x, _core.ndarray):
        x = _core.array_from_object(np.asarray(x), dtype, device="cpu", copy=True)
    return _core.as_value(x)


def require_supported(function, x):
    """Raise unless there are factorisations of the array's dtype."""
    dtype = x.dtype
    if dtype.itemsize < 4 and dtype.kind in "fV":
        raise TypeError(f"{function}: there are no factorisations in {dtype.name}; write x.astype('float32')")


def inverse(function, a):
    """Return the inverses of square matrices, for the public function of that name."""
    return factorise(function, "inv", a)
