"""Files of arrays and texts of arrays: NumPy's own, by copies on the host."""

import numpy as np

from cuarray._core import ndarray
from cuarray._creation import as_array
from cuarray._repr import host_text, ndarray_repr, ndarray_str

__all__ = ["array_repr", "array_str", "get_printoptions", "load", "save", "savetxt", "set_printoptions"]


def on_host(a):
    """Return an array as a numpy.ndarray; other objects as they are."""
    return a.numpy() if isinstance(a, ndarray) else a


def save(file, arr, allow_pickle=True):
    """Write an array to a file in NumPy's format .npy.

    Parameters
    ----------
    file : str, path or file
        A name gets the ending .npy where it has none.
    arr : array_like
    allow_pickle : bool
        Accepted and ignored: there are no arrays of objects.

    See Also
    --------
    numpy.save

    Examples
    --------
    >>> import cuarray as ca
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> ca.save(file, ca.arange(3))
    >>> _ = file.seek(0)
    >>> ca.load(file)
    array([0, 1, 2])
    """
    np.save(file, as_array(arr).numpy(), allow_pickle=False)


def load(
    file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000
):
    """Read an array from a file that `save` wrote, or all arrays of an archive.

    Parameters
    ----------
    file : str, path or file
    mmap_mode : str, optional
        Lets the host read only what is needed.
    allow_pickle, fix_imports, encoding, max_header_size
        As NumPy's.

    Returns
    -------
    ndarray or dict of ndarray
        On the current device; of an archive (.npz), the arrays by their names.

    Raises
    ------
    OSError
        If the file does not exist or cannot be read.
    ValueError
        If it holds Python objects.

    See Also
    --------
    numpy.load

    Examples
    --------
    >>> import cuarray as ca
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> ca.save(file, ca.eye(2))
    >>> _ = file.seek(0)
    >>> ca.load(file)
    array([[1., 0.],
           [0., 1.]])
    """
    found = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if isinstance(found, np.ndarray):
        return as_array(found)
    with found:
        return {name: as_array(found[name]) for name in found.files}


def savetxt(
    fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None
):
    """Write an array to a text file.

    Parameters
    ----------
    fname : str, path or file
    X : array_like
        One or two axes.
    fmt, delimiter, newline, header, footer, comments, encoding
        As NumPy's.

    Raises
    ------
    ValueError
        If there are more axes.

    See Also
    --------
    numpy.savetxt

    Examples
    --------
    >>> import cuarray as ca
    >>> from io import StringIO
    >>> file = StringIO()
    >>> ca.savetxt(file, ca.eye(2), fmt="%g")
    >>> file.getvalue()
    '1 0\\n0 1\\n'
    """
    np.savetxt(fname, on_host(X), fmt, delimiter, newline, header, footer, comments, encoding)


def get_printoptions():
    """Return how arrays are shown: NumPy's settings, which are ours, too.

    Returns
    -------
    dict

    See Also
    --------
    numpy.get_printoptions

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.get_printoptions()["precision"]
    8
    """
    return np.get_printoptions()


def set_printoptions(
    precision=None,
    threshold=None,
    edgeitems=None,
    linewidth=None,
    suppress=None,
    nanstr=None,
    infstr=None,
    formatter=None,
    sign=None,
    floatmode=None,
    *,
    legacy=None,
    override_repr=None,
):
    """Set how arrays are shown, NumPy's and ours.

    Parameters
    ----------
    precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, formatter, sign, floatmode
        As NumPy's; None leaves a setting alone.
    legacy, override_repr
        As NumPy's.

    See Also
    --------
    numpy.set_printoptions

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.set_printoptions(precision=3)
    >>> ca.asarray([0.123456])
    array([0.123])
    >>> ca.set_printoptions(precision=8)
    """
    given = {name: value for name, value in locals().items() if value is not None}
    np.set_printoptions(**given)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """Return the text that shows an array with its type.

    Parameters
    ----------
    arr : array_like
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers next to zero are shown as zero.

    Returns
    -------
    str

    See Also
    --------
    numpy.array_repr

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_repr(ca.arange(3))
    'array([0, 1, 2])'
    """
    if max_line_width is precision is suppress_small is None:
        return ndarray_repr(as_array(arr))
    return host_text(as_array(arr), lambda a: np.array_repr(a, max_line_width, precision, suppress_small))


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """Return the text that shows the values of an array.

    Parameters
    ----------
    a : array_like
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers next to zero are shown as zero.

    Returns
    -------
    str

    See Also
    --------
    numpy.array_str

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_str(ca.arange(3))
    '[0 1 2]'
    """
    if max_line_width is precision is suppress_small is None:
        return ndarray_str(as_array(a))
    return host_text(as_array(a), lambda h: np.array_str(h, max_line_width, precision, suppress_small))
