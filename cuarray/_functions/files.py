"""Binary and text files of arrays, in NumPy's formats, read and written on the host."""

from types import SimpleNamespace

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.operands import under_its_name
from cuarray._core import ndarray
from cuarray._functions.creation import as_array, device_for

__all__ = [
    "fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
    "savez_compressed",
]  # fmt: skip


def on_host(a):
    """Return an array as a numpy.ndarray; other objects unchanged, unless they carry units or a mask."""
    _core.refuse_to_strip(a, "savetxt")
    return a.numpy() if isinstance(a, ndarray) else a


class Archive(dict):
    """The arrays of an .npz by name, with the interface of numpy.lib.npyio.NpzFile; the file is closed."""

    @property
    def files(self):
        return list(self)

    @property
    def f(self):
        """The arrays as attributes."""
        return SimpleNamespace(**self)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def from_file(found):
    """Return an array that NumPy has read on the current device; elements of type V2 are bfloat16.

    Other members of an archive are returned as bytes.
    """
    if not isinstance(found, np.ndarray):
        return found
    found = found.view(_core.dtype("bfloat16")) if found.dtype == "V2" else found
    is_map = isinstance(found, np.memmap) and found.mode in ("r+", "w+")  # writes to a copy would not reach the file
    return as_array(found, "cpu" if is_map else None)


def save(file, arr, allow_pickle=True):
    """Write an array to a file in NumPy's format .npy.

    Parameters
    ----------
    file : str, path or file
        The ending .npy is appended to a name without it.
    arr : array_like
        NumPy has no name for bfloat16 and writes it as ``|V2``, which `load` reads as bfloat16.
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
    np.save(file, to_file(arr), allow_pickle=False)


def savez(file, *args, allow_pickle=True, **kwds):
    """Write several arrays to one file in NumPy's format .npz.

    Parameters
    ----------
    file : str, path or file
        The ending .npz is appended to a name without it.
    *args : array_like
        Named arr_0, arr_1 and so on.
    allow_pickle : bool
        Accepted and ignored: there are no arrays of objects.
    **kwds : array_like
        Arrays by name.

    Raises
    ------
    ValueError
        If a name is that of an element of `args`.

    See Also
    --------
    numpy.savez

    Examples
    --------
    >>> import cuarray as ca
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> ca.savez(file, ca.arange(3), half=ca.asarray(0.5))
    >>> _ = file.seek(0)
    >>> sorted(ca.load(file))
    ['arr_0', 'half']
    """
    np.savez(file, *arrays_of(args), **dict(zip(kwds, arrays_of(kwds.values()), strict=True)))


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Write several arrays to one compressed file in NumPy's format .npz.

    Parameters
    ----------
    file : str, path or file
        The ending .npz is appended to a name without it.
    *args : array_like
        Named arr_0, arr_1 and so on.
    allow_pickle : bool
        Accepted and ignored: there are no arrays of objects.
    **kwds : array_like
        Arrays by name.

    Raises
    ------
    ValueError
        If a name is that of an element of `args`.

    See Also
    --------
    numpy.savez_compressed

    Examples
    --------
    >>> import cuarray as ca
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> ca.savez_compressed(file, zeros=ca.zeros(9))
    >>> _ = file.seek(0)
    >>> ca.load(file)["zeros"].shape
    (9,)
    """
    np.savez_compressed(file, *arrays_of(args), **dict(zip(kwds, arrays_of(kwds.values()), strict=True)))


def to_file(x):
    """Return an object as a numpy.ndarray of a supported type; one of swapped bytes is written as it is."""
    return x if type(x) is np.ndarray and not x.dtype.isnative and x.dtype.kind in "iufc" else as_array(x).numpy()


def arrays_of(given):
    """Return the objects as numpy.ndarrays of supported types."""
    return list(map(to_file, given))


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """Read an array from a file that `save` wrote, or all arrays of an archive.

    Parameters
    ----------
    file : str, path or file
    mmap_mode : str, optional
        With a mode, the host reads only the required part. A map that can be written to ('r+', 'w+') stays on `cpu`.
    allow_pickle, fix_imports, encoding, max_header_size
        As NumPy's.

    Returns
    -------
    ndarray or Archive
        On the current device; for an archive (.npz) a dict of all its arrays by name, already read;
        other members are bytes.

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
    integer(max_header_size, "max_header_size", "load")
    found = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if isinstance(found, np.ndarray):
        return from_file(found)
    if not isinstance(found, np.lib.npyio.NpzFile):  # of a pickle: x.dump(file)
        return found
    with found:
        return Archive((name, from_file(found[name])) for name in found.files)


@under_its_name
def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
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
        If there are more than two axes.

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
    texts = {
        "newline": newline, "header": header, "footer": footer, "comments": comments, "delimiter": delimiter
    }  # fmt: skip
    for name, text in texts.items():
        if not isinstance(text, str):
            raise TypeError(f"savetxt: {name} must be a string, not {type(text).__name__}")
    np.savetxt(fname, on_host(X), fmt, delimiter, newline, header, footer, comments, encoding)


# Read on the host, then copied to a device.


@under_its_name
def loadtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    device=None,
    like=None,
):
    """Read an array from a text file, one row per line.

    Parameters
    ----------
    fname : str, path, file or list of str
    dtype : dtype
    comments, delimiter, converters, skiprows, usecols, ndmin, encoding, max_rows, quotechar
        As NumPy's.
    unpack : bool
        Whether columns are the first axis.
    device : device or str, optional
        Device of the array.
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If a line has another count of numbers than the others, or other text.
    TypeError
        If the type is not supported.

    See Also
    --------
    numpy.loadtxt

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.loadtxt(["1, 2", "3, 4"], delimiter=",")
    array([[1., 2.],
           [3., 4.]])
    """
    if isinstance(comments, ndarray) and comments.size:  # the elements would be made a list
        raise TypeError("loadtxt: comments must be strings or None, not an array of numbers")
    settings = (comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows)
    found = np.loadtxt(fname, _core.dtype(dtype), *settings, quotechar=quotechar)
    return as_array(found, device_for(device, like))


@under_its_name
def genfromtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    skip_header=0,
    skip_footer=0,
    converters=None,
    missing_values=None,
    filling_values=None,
    usecols=None,
    names=None,
    excludelist=None,
    deletechars=" !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space="_",
    autostrip=False,
    case_sensitive=True,
    defaultfmt="f%i",
    unpack=None,
    usemask=False,
    loose=True,
    invalid_raise=True,
    max_rows=None,
    encoding=None,
    *,
    ndmin=0,
    device=None,
    like=None,
):
    """Read an array from a text file in which values may be missing.

    Parameters
    ----------
    fname : str, path, file or list of str
    dtype : dtype or None
        None selects the type that holds all values; columns of different types are not supported.
    comments, delimiter, skip_header, skip_footer, converters, missing_values, filling_values, usecols
        As NumPy's.
    names, excludelist, deletechars, replace_space, autostrip, case_sensitive, defaultfmt, usemask, loose
        As NumPy's. Structured types (`names`) and masked arrays (`usemask`) are not supported.
    unpack, invalid_raise, max_rows, encoding, ndmin
        As NumPy's.
    device : device or str, optional
        Device of the array.
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If a line has another count of values than the others.
    TypeError
        If the type is not supported.

    See Also
    --------
    numpy.genfromtxt

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.genfromtxt(["1,2", "3,"], delimiter=",", filling_values=0)
    array([[1., 2.],
           [3., 0.]])
    """
    settings = {name: value for name, value in locals().items() if name not in ("device", "like")}
    if usemask:
        raise TypeError("genfromtxt: there are no masked arrays; use filling_values=")
    return as_array(np.genfromtxt(**settings), device_for(device, like))


@_core.without_binding
@under_its_name
def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, device=None, like=None):
    """Read a 1-d array from the bytes of a file, or from numbers written as text.

    Parameters
    ----------
    file : str, path or file
        A file object must be a file on disk.
    dtype : dtype, optional
        float64 by default.
    count : int
        The number of elements; -1 reads all.
    sep : str
        The separator of numbers in text; empty for bytes.
    offset : int
        Bytes to skip.
    device : device or str, optional
        Device of the array.
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    OSError
        If the file does not exist or cannot be read.
    TypeError
        If the type is not supported.

    See Also
    --------
    numpy.fromfile

    Examples
    --------
    >>> import cuarray as ca
    >>> from tempfile import TemporaryFile
    >>> with TemporaryFile() as file:
    ...     ca.arange(3).tofile(file)
    ...     _ = file.seek(0)
    ...     ca.fromfile(file, ca.int64)
    array([0, 1, 2])
    """
    return as_array(
        np.fromfile(file, _core.stored_dtype(dtype, "fromfile"), count, sep, offset), device_for(device, like)
    )


@_core.without_binding
@under_its_name
def fromstring(string, dtype=float, count=-1, *, sep="", device=None, like=None):
    """Make an array from numbers written as text.

    Parameters
    ----------
    string : str
    dtype : dtype
    count : int
        The number of elements; -1 reads all.
    sep : str
        The separator of the numbers.
    device : device or str, optional
        Device of the array.
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the text has anything else, or `sep` is empty: `frombuffer` reads bytes.
    TypeError
        If the type is not supported.

    See Also
    --------
    numpy.fromstring

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fromstring("1, 2, 4", sep=",")
    array([1., 2., 4.])
    """
    if not isinstance(string, str | bytes | memoryview):
        raise TypeError(f"fromstring: text is needed, not {type(string).__name__}")
    dtype = _core.dtype(dtype)
    numbers = np.fromstring(string, dtype, count, sep=sep)
    if count > 0 and numbers.size and is_shorter(string, dtype, count, sep):
        raise ValueError(f"fromstring: the text holds fewer than {count} numbers")
    return as_array(numbers, device_for(device, like))


def is_shorter(text, dtype, count, sep):
    """Tell whether a text has fewer than `count` numbers: NumPy leaves the others undefined."""
    try:
        return np.fromstring(text, dtype, sep=sep).size < count
    except ValueError:
        return False  # other text follows


@under_its_name
def fromregex(file, regexp, dtype, encoding=None, *, device=None, like=None):
    """Read a 1-d array from the matches of a regular expression in a text file.

    Parameters
    ----------
    file : str, path or file
    regexp : str or compiled expression
        With one group, which matches a number.
    dtype : dtype
    encoding : str, optional
    device : device or str, optional
        Device of the array.
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If the type is not supported. Structured types are not, so there is only one group.

    See Also
    --------
    numpy.fromregex

    Examples
    --------
    >>> import cuarray as ca
    >>> from io import StringIO
    >>> ca.fromregex(StringIO("x=3 y=4"), r"=(\\d+)", ca.int64)
    array([3, 4])
    """
    number = np.dtype([("number", _core.dtype(dtype))])
    return as_array(np.fromregex(file, regexp, number, encoding)["number"], device_for(device, like))
