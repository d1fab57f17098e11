"""The methods of ndarray that are written in Python; importing this module puts them into the type."""

import math
from operator import index
from types import GenericAlias

import numpy as np

import cuarray
from cuarray import _bytes, _core
from cuarray._axes import normalise_axis
from cuarray._indexing import cycle
from cuarray._operands import values_for
from cuarray._other_arrays import array_function
from cuarray._repr import html_table, ndarray_repr, ndarray_str
from cuarray._sorting import check_kind, ranks_of

# Attributes


#: NumPy's names of flags: the attributes of Flags.
FLAGS = {
    "C_CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "F": "f_contiguous",
    "OWNDATA": "owndata",
    "O": "owndata",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "ALIGNED": "aligned",
    "A": "aligned",
}


class Flags:
    """How an array lies in memory, by NumPy's names: attributes, and items in both spellings."""

    def __init__(self, array):
        self._array = array

    @property
    def c_contiguous(self):
        return self._array._memory_flags()[0]

    @property
    def f_contiguous(self):
        return self._array._memory_flags()[1]

    @property
    def contiguous(self):
        return self.c_contiguous

    @property
    def forc(self):
        return self.c_contiguous or self.f_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def owndata(self):
        return self._array._memory_flags()[2]

    @property
    def aligned(self):
        # Arrays whose address is no multiple of the item size are correct here, so nothing depends on it.
        return True

    @property
    def writeable(self):
        return self._array._memory_flags()[3]

    @writeable.setter
    def writeable(self, value):
        if value and not self.writeable:
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        if not value:
            self._array._protect()

    def __getitem__(self, key):
        if key not in FLAGS:
            raise KeyError(f"unknown flag {key!r}")
        return getattr(self, FLAGS[key])

    def __setitem__(self, key, value):
        if FLAGS.get(key) != "writeable":
            raise KeyError(f"the flag {key!r} cannot be set")
        self.writeable = value

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")
        return "\n".join(f"  {name} : {self[name]}" for name in names)


class Flat:
    """The elements of an array as one axis, in C order, for reading and writing."""

    def __init__(self, array):
        self.base = array
        self.index = 0
        self.rest = None

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.rest is None:
            self.rest = iter(self.base.ravel())
        element = next(self.rest)
        self.index += 1
        return element

    @property
    def coords(self):
        """The place of the element that comes next, one integer per axis."""
        return self.position(self.index)

    def copy(self):
        """Return the elements as a new array of one axis."""
        return self.base.flatten()

    def __array__(self, dtype=None, copy=None):
        return self.copy().__array__(dtype)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other):
        return self.base.ravel() == other

    def __ne__(self, other):
        return self.base.ravel() != other

    def __lt__(self, other):
        return self.base.ravel() < other

    def __le__(self, other):
        return self.base.ravel() <= other

    def __gt__(self, other):
        return self.base.ravel() > other

    def __ge__(self, other):
        return self.base.ravel() >= other

    def position(self, number):
        """Return the place of element `number` as one integer per axis."""
        size = self.base.size
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for size {size}")
        number %= size
        place = []
        for extent in reversed(self.base.shape):
            number, rest = divmod(number, extent)
            place.append(rest)
        return tuple(reversed(place))

    def one_axis(self, key):
        """Return the key without a tuple around it: an int, a slice, or what makes an index array."""
        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError(f"too many indices for flat iterator: {len(key)} for its one axis")
            key = key[0] if key else Ellipsis
        if key is None:
            raise IndexError("only integers, slices, ... and arrays of integers or bools index x.flat")
        if key is Ellipsis:
            return slice(None)
        return index(key) if isinstance(key, np.integer) else key

    def __getitem__(self, key):
        key = self.one_axis(key)
        if type(key) is int:
            return self.base[self.position(key)]
        chosen = self.base.ravel()[key]
        return chosen.copy() if isinstance(key, slice) else chosen

    def __setitem__(self, key, value):
        key = self.one_axis(key)
        if type(key) is int:
            self.base[self.position(key)] = value
        elif isinstance(key, slice):
            flat = self.base.ravel()
            chosen, values = flat[key], values_for(flat, value, "flat").ravel()
            if values.size and chosen.size:
                chosen[...] = cycle(values, chosen.size)
            if not _core.shares_memory(flat, self.base):
                self.base[...] = flat.reshape(self.base.shape)
        else:
            places = cuarray.arange(self.base.size, device=self.base.device)[key]
            cuarray.put(self.base, places, value)


def setflags(self, write=None, align=None, uic=None):
    """Set whether the array can be written; the other flags are for NumPy's sake, and are not looked at.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(2)
    >>> x.setflags(write=False)
    >>> x.flags.writeable
    False
    """
    if write is not None:
        self.flags.writeable = bool(write)


def set_flat(self, value):
    self.flat[...] = value


# Elementwise


def array_round(self, decimals=0, out=None):
    """Round to a number of decimals; see cuarray.round.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1.25, 2.71]).round(1)
    array([1.2, 2.7])
    """
    return cuarray.round(self, decimals, out=out)


def array_clip(self, min=None, max=None, out=None, **kwargs):
    """Limit the elements to a range; see cuarray.clip.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.arange(5).clip(1, 3)
    array([1, 1, 2, 3, 3])
    """
    return cuarray.clip(self, min, max, out=out, **kwargs)


def conj(self):
    """Return the complex conjugate of the elements; of a real array, as in NumPy, the array itself.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1 + 2j]).conj()
    array([1.-2.j])
    """
    return _core.ufuncs["conj"](self) if self.dtype.kind == "c" else self


def repeat(self, repeats, axis=None):
    """Repeat the elements; see cuarray.repeat.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 2]).repeat(2)
    array([1, 1, 2, 2])
    """
    return cuarray.repeat(self, repeats, axis)


# Along an axis


def cumsum(self, axis=None, dtype=None, out=None):
    """Add up the elements along an axis; see cuarray.cumsum.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 2, 3]).cumsum()
    array([1, 3, 6])
    """
    return cuarray.cumsum(self, axis, dtype, out)


def cumprod(self, axis=None, dtype=None, out=None):
    """Multiply the elements along an axis; see cuarray.cumprod.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 2, 3]).cumprod()
    array([1, 2, 6])
    """
    return cuarray.cumprod(self, axis, dtype, out)


# Indexing


def take(self, indices, axis=None, out=None, mode="raise"):
    """Return elements along an axis; see cuarray.take.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([5, 6, 7]).take([2, 0])
    array([7, 5])
    """
    return cuarray.take(self, indices, axis, out, mode)


def put(self, indices, values, mode="raise"):
    """Store values at positions of the flattened array; see cuarray.put.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(3, int)
    >>> x.put([0, 2], [7, 8])
    >>> x
    array([7, 0, 8])
    """
    cuarray.put(self, indices, values, mode)


def choose(self, *choices, out=None, mode="raise"):
    """Make an array of elements of several arrays, chosen by number; see cuarray.choose.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 0]).choose([[10, 11], [20, 21]])
    array([20, 11])
    """
    return cuarray.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)


def compress(self, condition, axis=None, out=None):
    """Return the slices at which a condition is true; see cuarray.compress.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.arange(4).compress([True, False, True])
    array([0, 2])
    """
    return cuarray.compress(condition, self, axis, out)


def dot(self, b, out=None):
    """Multiply along the last axis; see cuarray.dot.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 2]).dot([3, 4])
    array(11)
    """
    return cuarray.dot(self, b, out)


def nonzero(self):
    """Return the coordinates of the elements that are not zero; see cuarray.nonzero.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([3, 0, 4]).nonzero()
    (array([0, 2]),)
    """
    return cuarray.nonzero(self)


def diagonal(self, offset=0, axis1=0, axis2=1):
    """Return a read-only view of the diagonals; see cuarray.diagonal.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.arange(4).reshape(2, 2).diagonal()
    array([0, 3])
    """
    return cuarray.diagonal(self, offset, axis1, axis2)


def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Add the elements of diagonals; see cuarray.trace.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.arange(4).reshape(2, 2).trace()
    array(3)
    """
    return cuarray.trace(self, offset, axis1, axis2, dtype, out)


# Order


def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Sort the elements along an axis, in place; see cuarray.sort.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([3, 1, 2])
    >>> x.sort()
    >>> x
    array([1, 2, 3])
    """
    check_kind(kind, order, stable, "sort")
    _core.sort_in_place(self, normalise_axis(axis, self.ndim, "sort"), bool(descending))


def argsort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Return the positions that sort the elements; see cuarray.argsort.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([3, 1, 2]).argsort()
    array([1, 2, 0])
    """
    return cuarray.argsort(self, axis, kind, order, stable=stable, descending=descending)


def partition(self, kth, axis=-1, kind="introselect", order=None, *, descending=False):
    """Partition the elements along an axis, in place; see cuarray.partition.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([4, 1, 3, 2])
    >>> x.partition(1)
    >>> x[1]
    array(2)
    """
    axis = normalise_axis(axis, self.ndim, "partition")
    ranks = ranks_of(kth, self.shape[axis], kind, order, "partition")
    self[...] = _core.partition(self, axis, ranks, bool(descending), "partition")


def argpartition(self, kth, axis=-1, kind="introselect", order=None, *, descending=False):
    """Return the positions that partition the elements; see cuarray.argpartition.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([4, 1, 3, 2])
    >>> x[x.argpartition(1)][1]
    array(2)
    """
    return cuarray.argpartition(self, kth, axis, kind, order, descending=descending)


def searchsorted(self, v, side="left", sorter=None):
    """Return the positions at which values belong; see cuarray.searchsorted.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 3, 5]).searchsorted([2, 5])
    array([1, 2])
    """
    return cuarray.searchsorted(self, v, side, sorter)


# Python's numbers


def tolist(self):
    """Return the elements as nested lists of Python numbers, a 0-d array's as the number itself.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    bfloat16_has_no_python_number = self.dtype.kind == "V"
    return (self.astype(np.float32) if bfloat16_has_no_python_number else self).numpy().tolist()


def to_numpy(self):
    """Return a copy as a numpy.ndarray.

    Examples
    --------
    >>> import cuarray as ca
    >>> type(ca.arange(3).to_numpy())
    <class 'numpy.ndarray'>
    """
    return self.numpy()


def array_complex(self):
    if self.ndim:
        raise TypeError(f"complex: only 0-dimensional arrays can be converted, not shape {self.shape}")
    return complex(self.item())


def python_round(self, ndigits=None):
    if self.ndim == 0 and ndigits is None:
        return round(self.item())
    return self.round(ndigits or 0)


def python_trunc(self):
    return math.trunc(self.item()) if self.ndim == 0 else _core.ufuncs["trunc"](self)


def python_floor(self):
    return math.floor(self.item()) if self.ndim == 0 else _core.ufuncs["floor"](self)


def python_ceil(self):
    return math.ceil(self.item()) if self.ndim == 0 else _core.ufuncs["ceil"](self)


def array_format(self, spec):
    if not spec:
        return str(self)
    if self.ndim:
        raise TypeError(f"format: {spec!r} formats one number, not an array of shape {self.shape}")
    return format(self.item(), spec)


# Protocols


def conform(self, protocol):
    """Return the number of an array without axes for sqlite3, which asks so; None for any other."""
    return self.item() if self.ndim == 0 else None


def array_namespace(self, *, api_version=None):
    """Return the module cuarray, by the Array API standard."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", cuarray.__array_api_version__):
        raise ValueError(f"cuarray does not implement the Array API standard {api_version!r}")
    return cuarray




_core.extend_ndarray(
    {
        **_bytes.METHODS,
        "__array_function__": array_function,
        "__array_namespace__": array_namespace,
        "__class_getitem__": classmethod(GenericAlias),
        "__ceil__": python_ceil,
        "__complex__": array_complex,
        "__conform__": conform,
        "__floor__": python_floor,
        "__format__": array_format,
        "__repr__": ndarray_repr,
        "__round__": python_round,
        "__str__": ndarray_str,
        "__trunc__": python_trunc,
        "_repr_html_": html_table,
        "argpartition": argpartition,
        "argsort": argsort,
        "choose": choose,
        "clip": array_clip,
        "compress": compress,
        "conj": conj,
        "conjugate": conj,
        "cumprod": cumprod,
        "cumsum": cumsum,
        "diagonal": diagonal,
        "dot": dot,
        "flags": property(Flags, doc="How the array lies in memory."),
        "flat": property(Flat, set_flat, doc="The elements as one axis, in C order."),
        "nonzero": nonzero,
        "partition": partition,
        "put": put,
        "repeat": repeat,
        "round": array_round,
        "searchsorted": searchsorted,
        "setflags": setflags,
        "sort": sort,
        "take": take,
        "to_numpy": to_numpy,
        "trace": trace,
        "tolist": tolist,
    }
)
