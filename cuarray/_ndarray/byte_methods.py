"""Methods of ndarray that handle an array's bytes: host copies, files, pickles, byte order."""

import math
import pickle
import sys
import warnings
from importlib import import_module
from sys import getrefcount

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, shape_tuple
from cuarray._arguments.functions import empty
from cuarray._arguments.operands import host_copy
from cuarray._core import ndarray


def as_ctypes(self):
    if self.device.kind != "cpu":
        raise AttributeError("ctypes: the memory is not on the host; write x.numpy().ctypes")
    _core.export_address(self)
    return self.__array__().ctypes


def tofile(self, fid, sep="", format="%s"):
    """Write the elements to a file as bytes or, with a separator, as text; see numpy.ndarray.tofile.

    Examples
    --------
    >>> import cuarray as ca
    >>> from tempfile import TemporaryFile
    >>> with TemporaryFile() as file:
    ...     ca.arange(3).tofile(file, sep=",")
    ...     _ = file.seek(0)
    ...     text = file.read()
    >>> text
    b'0,1,2'
    """
    host_copy(self).tofile(fid, sep, format)


# Parts of elements


def setfield(self, val, dtype, offset=0):
    """Store values into a part of each element; see numpy.ndarray.setfield.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([1 + 2j])
    >>> x.setfield(5, "float64")
    >>> x
    array([5.+2.j])
    """
    self.getfield(dtype, offset)[...] = val


# Another size


def resize(self, *new_shape, refcheck=True):
    """Change shape and size in place, filled up with zeros; see numpy.ndarray.resize.

    If the size changes, the array gets new memory. Views of the array keep the old memory, so `refcheck` is
    ignored.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(3)
    >>> x.resize(5)
    >>> x
    array([0, 1, 2, 0, 0])
    """
    if not new_shape or (len(new_shape) == 1 and new_shape[0] is None):
        return
    shape = shape_tuple(new_shape[0] if len(new_shape) == 1 else new_shape, "shape", "resize")
    if not self.flags.forc:
        raise ValueError("resize: only an array whose elements lie side by side can be resized")
    order = "F" if self.flags.fnc else "C"
    if math.prod(shape) == self.size:
        self._replace(self.reshape(shape, order=order))
        return
    if not owns_memory(self):
        raise ValueError("resize: cannot resize this array: it does not own its data")
    result = empty(shape, self.dtype, order, device=self.device)
    old, new = line(self), line(result)
    both = min(old.size, new.size)
    new[:both] = old[:both]
    new[both:] = 0
    self._replace(result)


def owns_memory(array):
    """Whether no other array shares the memory. Many results are reshaped arrays with a private base."""
    base = array.base
    if isinstance(base, np.ndarray) and (base.base is not None or base.nbytes != array.nbytes):
        return False  # a view of memory that was imported
    # As many as of an object with one owner and one name; how many a call adds depends on Python's version.
    owner = [object()]
    held = owner[0]
    return base is None or (isinstance(base, ndarray | np.ndarray) and getrefcount(base) <= getrefcount(held))


def line(array):
    """Return the elements of a C- or Fortran-contiguous array as one axis, in memory order."""
    return (array.T if array.flags.fnc else array).reshape(-1)


# Pickle


def dumps(self):
    """Return the array pickled; see numpy.ndarray.dumps.

    Examples
    --------
    >>> import cuarray as ca
    >>> import pickle
    >>> pickle.loads(ca.arange(3).dumps())
    array([0, 1, 2])
    """
    return pickle.dumps(self)


def dump(self, file):
    """Write the pickled array to a file or a path; see numpy.ndarray.dump.

    Examples
    --------
    >>> import cuarray as ca
    >>> import io, pickle
    >>> file = io.BytesIO()
    >>> ca.arange(3).dump(file)
    >>> pickle.loads(file.getvalue())
    array([0, 1, 2])
    """
    if hasattr(file, "write"):
        pickle.dump(self, file)
    else:
        with open(file, "wb") as opened:
            pickle.dump(self, opened)


def host_bytes(array):
    """Return the elements as contiguous bytes on the host, copied only if needed, and their order."""
    order = "F" if array.flags.fnc else "C"
    array = array.T if order == "F" else array
    if array.dtype.kind == "V":
        array = array.view(np.uint16)
    host = host_copy(array)
    return np.ascontiguousarray(host).reshape(-1).view(np.uint8), order


def is_dense(array):
    """Tell whether the array is contiguous in some order of its axes."""
    falling = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return array.transpose(falling).flags.c_contiguous


def reduce_ex(self, protocol):
    protocol = integer(protocol, "protocol", "__reduce_ex__")
    host, order = host_bytes(self)
    # As in NumPy, the copy of an array that is not contiguous in any order of its axes travels within the pickle.
    is_lent = protocol >= 5 and (self.flags.forc or is_dense(self))
    data = pickle.PickleBuffer(host) if is_lent else host.tobytes()
    dtype = self.dtype
    name = dtype.name if dtype.kind == "V" else dtype.str  # which is at hand; a name is made by every call
    arguments = data, name, self.shape, order, str(self.device)
    return rebuild, (*arguments, True) if _core.is_value(self) else arguments


def reduce(self):
    return reduce_ex(self, 2)


CPU = _core.device("cpu")

#: The device of unpickled arrays of GPUs, in place of their own; None for their own.
gpu_of_pickles = None


def rebuild(data, dtype, shape, order, device, is_value=False):
    """Make an array, or a value, from pickled bytes, on its device or, with a warning, on cpu."""
    if "dask" in sys.modules:
        tell_dask()
    dtype = _core.dtype(dtype)
    raw = np.frombuffer(data, np.uint8)
    host = raw.view(np.uint16 if dtype.kind == "V" else dtype).reshape(shape[::-1] if order == "F" else shape)
    place = CPU if device == "cpu" else gpu_or_cpu(device)
    array = _core.array_from_object(host, device=place, copy=None if raw.flags.writeable else True)
    if dtype.kind == "V":
        array = array.view(dtype)
    array = array.T if order == "F" else array
    return _core.as_value(array) if is_value else array


def tell_dask():
    """Register the arrays with Dask: a worker gets its first ones by a pickle."""
    try:
        import_module("cuarray.interop.dask")
    except ImportError:  # Dask without its arrays
        return


def gpu_or_cpu(device):
    """Return a GPU, or cpu with a warning where it is missing."""
    try:
        place = gpu_of_pickles or _core.device(device)
        with place:  # which opens it
            return place
    except (ValueError, _core.CudaError) as reason:
        # The default filter shows a warning once per source line, which is this one.
        warnings.warn(f"unpickling an array of {device} on cpu: {reason}", RuntimeWarning, stacklevel=3)
        return CPU


# Pickles refer to this module by its stable name (cuarray/__init__.py), so that the file may move.
rebuild.__module__ = "cuarray._bytes"

METHODS = {
    "__reduce__": reduce,
    "__reduce_ex__": reduce_ex,
    "ctypes": property(as_ctypes, doc="The memory for ctypes, on cpu; see numpy.ndarray.ctypes."),
    "dump": dump,
    "dumps": dumps,
    "resize": resize,
    "setfield": setfield,
    "tofile": tofile,
}
