"""The methods of ndarray that give an array to another library, and the hooks by which some ask for it.

The module of a library is imported at the call. Each method says what is shared.
"""

import sys
from importlib import import_module

import numpy as np

from cuarray._functions.creation import from_dlpack
from cuarray._ndarray.jax_types import imported

#: What pip calls the packages whose modules have another name.
PIP_NAMES = {"cupy": "cupy-cuda13x", "numba.cuda": "numba-cuda"}


def library(name, method):
    """Return a module, imported if necessary; ImportError with pip's command if it is not installed."""
    try:
        return sys.modules.get(name) or import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name not in (name, package):
            raise
        command = f"pip install {PIP_NAMES.get(name, package)}"
        missing = name if name in PIP_NAMES else package
        raise ImportError(f"{method}: {missing} is not installed; type: {command}", name=name) from None


def need_gpu(self, method):
    """Raise ValueError unless the array is on a GPU."""
    if self.device.kind == "cpu":
        raise ValueError(f"{method}: the array is on cpu; write x.to_device('cuda').{method}()")


#: What each library shares the memory of, for the errors of copy=False.
SHARED = {
    "torch": "writeable arrays without negative strides",
    "jax": "writeable, C-contiguous arrays aligned to 64 bytes, of a dtype that it has",
    "tf": "writeable, C-contiguous arrays aligned to 64 bytes",
    "cupy": "arrays without negative strides",
    "drjit": "writeable, C-contiguous arrays",
}


def handed_over(self, method, make, copy):
    """Return what `make` makes of the array, or of a copy; ValueError for one that `copy=False` forbids."""
    if copy is None:
        return make(self)
    made = make(self.copy() if copy else self)
    if not copy and self.size and from_dlpack(made).data_ptr() != self.data_ptr():
        raise ValueError(
            f"{method}: copy=False, and this is a copy of an array of {self.dtype}, shape {self.shape} and strides "
            f"{self.strides}; shared are {SHARED[method]}"
        )
    return made


def to_torch(self, *, copy=None):
    """Return the array as a torch.Tensor on its device.

    The memory is shared, and work on the two is ordered by PyTorch's current stream. Copied are arrays that are
    read-only, which no tensor is, and those with negative strides.

    Parameters
    ----------
    copy : bool, optional
        Whether it is a copy; False raises where it would be one. By default the memory is shared where it can be.

    Returns
    -------
    torch.Tensor

    Raises
    ------
    BufferError
        If the array is on a GPU, and PyTorch was built without CUDA.
    ImportError
        If PyTorch is not installed.
    ValueError
        If `copy` is False, and the memory cannot be shared.

    Examples
    --------
    >>> import cuarray as ca
    >>> import torch
    >>> x = ca.zeros(3, device="cpu")
    >>> tensor = x.torch()
    >>> tensor += 1
    >>> x
    array([1., 1., 1.])
    """
    torch = library("torch", "torch")
    if copy is not None:
        return handed_over(self, "torch", to_torch, copy)
    tensor = self._as_exchanged(torch.Tensor)
    if tensor is None:
        tensor = torch.from_dlpack(self if self.flags.writeable else self.copy())
    if tensor.is_cuda and not torch.version.cuda:  # no function of PyTorch's would take it
        raise BufferError("torch: this PyTorch was built without CUDA; write x.to_device('cpu').torch()")
    return tensor


def to_jax(self, *, copy=None):
    """Return the array as a jax.Array on its device.

    The memory is shared where JAX can: C-contiguous, writeable and, on `cpu`, aligned to 64 bytes; otherwise it is
    copied. JAX takes its arrays for constant: do not write to the array while the result is in use.

    Parameters
    ----------
    copy : bool, optional
        Whether it is a copy; False raises where it would be one. By default the memory is shared where it can be.

    Returns
    -------
    jax.Array

    Raises
    ------
    ImportError
        If JAX is not installed.
    ValueError
        If `copy` is False, and the memory cannot be shared.

    Examples
    --------
    >>> import cuarray as ca
    >>> import jax
    >>> ca.arange(3, dtype="float32", device="cpu").jax()
    Array([0., 1., 2.], dtype=float32)
    """
    dlpack = library("jax.dlpack", "jax")
    if copy is not None:
        return handed_over(self, "jax", to_jax, copy)
    array = self if self.flags.c_contiguous else self.copy()
    made = imported(array)
    return dlpack.from_dlpack(array) if made is None else made


def to_tensorflow(self, *, copy=None):
    """Return the array as a tf.Tensor on its device.

    The memory is shared if the array is C-contiguous, writeable and aligned to 64 bytes, otherwise copied. TensorFlow
    takes its tensors for constant: do not write to the array while the result is in use.

    Parameters
    ----------
    copy : bool, optional
        Whether it is a copy; False raises where it would be one. By default the memory is shared where it can be.

    Returns
    -------
    tf.Tensor

    Raises
    ------
    ImportError
        If TensorFlow is not installed.
    ValueError
        If the array is on a GPU that TensorFlow does not have, or if `copy` is False, and the memory cannot be shared.

    Examples
    --------
    >>> import cuarray as ca
    >>> import tensorflow
    >>> ca.arange(3, dtype="float32", device="cpu").tf().numpy()
    array([0., 1., 2.], dtype=float32)
    """
    library("tensorflow", "tf")
    return handed_over(self, "tf", library("cuarray.interop.tensorflow", "tf").give, copy)


def to_cupy(self, *, copy=None):
    """Return an array on a GPU as a cupy.ndarray, which shares the memory.

    Work on the two is ordered by CuPy's current stream. CuPy ignores that an array is read-only.

    Parameters
    ----------
    copy : bool, optional
        Whether it is a copy; False raises where it would be one. By default the memory is shared where it can be.

    Returns
    -------
    cupy.ndarray

    Raises
    ------
    ImportError
        If CuPy is not installed.
    ValueError
        If the array is on `cpu`, or if `copy` is False, and the memory cannot be shared.

    Examples
    --------
    >>> import cuarray as ca
    >>> import cupy
    >>> type(ca.arange(3, device="cuda").cupy())
    <class 'cupy.ndarray'>
    """
    need_gpu(self, "cupy")
    return handed_over(self, "cupy", library("cupy", "cupy").from_dlpack, copy)


def to_numba(self, *, copy=None):
    """Return the array as Numba's compiled functions take it, over the same memory.

    Parameters
    ----------
    copy : bool, optional
        Whether it is a copy; False raises where it would be one. By default the memory is shared where it can be.

    Returns
    -------
    numpy.ndarray or numba.cuda.cudadrv.devicearray.DeviceNDArray
        A NumPy view of an array on `cpu`, for functions of `numba.njit`; an array of a GPU for kernels of
        `numba.cuda.jit`. Both take cuarray's arrays as they are, too.

    Raises
    ------
    ImportError
        If the array is on a GPU, and numba-cuda is not installed.

    Examples
    --------
    >>> import cuarray as ca
    >>> import numpy as np
    >>> x = ca.arange(3, device="cpu")
    >>> np.shares_memory(x.numba(), np.asarray(x))
    True
    """
    if copy:
        self = self.copy()
    if self.device.kind == "cpu":
        return np.asarray(self)
    return library("numba.cuda", "numba").as_cuda_array(self)


def to_drjit(self, *, copy=None):
    """Return the array as a Dr.Jit tensor of its dtype, of the LLVM backend on `cpu` and of the CUDA backend on a GPU.

    The memory is shared if the array is writeable and C-contiguous and Dr.Jit's backend uses it, otherwise copied. The
    array's work is finished first: Dr.Jit has a stream of its own.

    Parameters
    ----------
    copy : bool, optional
        Whether it is a copy; False raises where it would be one. By default the memory is shared where it can be.

    Returns
    -------
    drjit.llvm.TensorXf or another one

    Raises
    ------
    ImportError
        If Dr.Jit is not installed.
    TypeError
        If Dr.Jit has no tensors of the dtype.
    ValueError
        If `copy` is False, and the memory cannot be shared.

    Examples
    --------
    >>> import cuarray as ca
    >>> import drjit
    >>> ca.arange(3, dtype="float32", device="cpu").drjit()
    [0, 1, 2]
    """
    if copy is not None:
        return handed_over(self, "drjit", to_drjit, copy)
    backend = library("drjit.llvm" if self.device.kind == "cpu" else "drjit.cuda", "drjit")
    letters = {"b1": "b", "i4": "i", "u4": "u", "i8": "i64", "u8": "u64", "f2": "f16", "f4": "f", "f8": "f64"}
    letter = letters.get(self.dtype.str[1:])
    if letter is None:
        raise TypeError(f"drjit: Dr.Jit has no tensors of {self.dtype}; write x.astype('float32').drjit()")
    self.device.synchronize()
    return getattr(backend, f"TensorX{letter}")(self if self.flags.c_contiguous else self.copy())


def data_ptr(self):
    """Return the address of the first element, as `torch.Tensor.data_ptr` does; libraries of kernels call it.

    On a GPU the array's work has ended when it returns. Work on that memory that cuarray does not queue is not known
    to it: wait for it before the array is used again.

    Returns
    -------
    int
        0 if there are no elements.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(3, dtype="float32", device="cpu")
    >>> x[1:].data_ptr() - x.data_ptr()
    4
    """
    x = self.view("uint16") if self.dtype.kind == "V" else self  # the interfaces have no bfloat16
    if self.device.kind == "cpu":
        return x.__array_interface__["data"][0]
    address = x.__cuda_array_interface__["data"][0]
    self.device.synchronize()
    return address


def to_sympy(self):
    """Return the number as SymPy's, for ``sympy.sympify``.

    Raises
    ------
    SympifyError
        If the array has axes.

    See Also
    --------
    sympy.sympify
    """
    from sympy import Float, SympifyError, sympify

    if self.ndim:
        raise SympifyError(f"an array of shape {self.shape} is no number; see sympy.Array(x.tolist())")
    bits = {"bfloat16": 8, "float16": 11, "float32": 24}.get(self.dtype.name)
    return Float(self.item(), precision=bits) if bits else sympify(self.item())


METHODS = {
    "__cupy_get_ndarray__": to_cupy,
    "__jax_array__": to_jax,
    "_sympy_": to_sympy,
    "cupy": to_cupy,
    "data_ptr": data_ptr,
    "drjit": to_drjit,
    "jax": to_jax,
    "numba": to_numba,
    "tf": to_tensorflow,
    "torch": to_torch,
}
