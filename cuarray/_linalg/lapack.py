"""Checks of matrices, and functions that work for others."""

from numpy.linalg import LinAlgError

from cuarray._arguments.operands import as_arrays


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


def require_supported(function, x):
    """Raise unless there are factorisations of the array's dtype."""
    dtype = x.dtype
    if dtype.itemsize < 4 and dtype.kind in "fV":
        raise TypeError(f"{function}: there are no factorisations in {dtype.name}; write x.astype('float32')")


def named(name, function, *args, **options):
    """Call a function of cuarray.linalg for another one, whose name its errors then begin with."""
    try:
        return function(*args, **options)
    except (LinAlgError, TypeError, ValueError, RuntimeError) as error:
        text, own = str(error), f"{function.__name__}:"
        if not text.startswith(own):
            raise
        raise type(error)(f"{name}:{text.removeprefix(own)}") from None
