"""Numba: arrays as arguments of compiled functions and kernels, and Numba's memory from cuarray's pool.

Nothing has to be called. Numba finds this module by its entry points when it first compiles, or by the first question
that it asks an array, and then `numba.njit` takes arrays on `cpu` and `numba.cuda.jit` arrays on GPUs.

To let Numba allocate from cuarray's pool, set NUMBA_CUDA_MEMORY_MANAGER=cuarray.interop.numba, or call
``numba.cuda.set_memory_manager(cuarray.interop.numba.MemoryManager)`` before Numba allocates.
"""

import functools
import sys
from types import FunctionType, ModuleType

import numpy as np

from cuarray import _core
from cuarray._core import is_value, ndarray

__all__ = ["MemoryManager", "init", "init_cuda", "init_cuda_mlir"]  # noqa: F822


def layout_of(x):
    """Return Numba's letter for the order of the elements in memory."""
    return "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else "A"


def refuse(x, function, reason):
    """Raise a TypeError that says what to write."""
    raise TypeError(f"{function}: an array of {x.dtype} and shape {x.shape} on {x.device}: {reason}")


def element_type(dtype, from_dtype):
    """Return Numba's type of the elements; TypeError if it has none."""
    try:
        return from_dtype(dtype)
    except Exception as error:  # NumbaNotImplementedError of one of three packages
        raise TypeError(
            f"Numba has no arrays of {dtype}; write x.astype('float32'), or x.view('uint16') for the bits"
        ) from error


def register():
    """Register with the packages that are imported; those imported later ask again, or find the entry points."""
    for module, init_package in (
        ("numba.core.typing.typeof", init),
        ("numba.cuda.typing.typeof", init_cuda),
        ("numba_cuda_mlir.numba_cuda.typing.typeof", init_cuda_mlir),
    ):
        if module in sys.modules:
            init_package()


# Functions of ours in compiled code: NumPy's of the same names


def namesake(ours):
    """Return what NumPy has in the place of a function or module of ours; None if there is no such thing.

    Examples
    --------
    >>> import cuarray as ca
    >>> from cuarray.interop.numba import namesake
    >>> namesake(ca.linalg.norm), namesake(len)
    (<function norm at ...>, None)
    """
    module, _, name = f"{getattr(ours, '__module__', None) or ''}.{ours.__name__}".strip(".").rpartition(".")
    if isinstance(ours, ModuleType):
        module, name = ours.__name__, ""
    if module.partition(".")[0] != "cuarray":
        return None
    place = np
    for part in [*module.removeprefix("cuarray.numpy").removeprefix("cuarray").split("."), name]:
        place = getattr(place, part, None) if part else place
    return place


def register_namesakes(typeof_impl, target, module_type):
    """Have compiled code take the functions and modules of cuarray that it names for NumPy's.

    So `cuarray.sqrt`, and `np.sqrt` where np is cuarray, are the square root that Numba knows.

    Parameters
    ----------
    typeof_impl : function
        Of the package's module `typing.typeof`.
    target : object
        The package's target, which knows the types of NumPy's functions.
    module_type : type
        The package's type of modules.
    """

    def typeof_function(x, context):
        theirs = namesake(x)
        return None if theirs is None else target.typing_context.resolve_value_type(theirs)

    wrapped = {type(_core.with_fallback(function, None)) for function in (len, namesake)}
    for kind in (_core.ufunc, FunctionType, *wrapped):
        typeof_impl.register(kind)(typeof_function)

    @typeof_impl.register(ModuleType)
    def typeof_module(x, context):
        theirs = namesake(x)
        return None if theirs is None else module_type(theirs)


# numba-cuda: kernels on arrays of GPUs


def kernel_type(dtype, ndim, layout, readonly):
    """Return numba-cuda's type of an array; AttributeError if its package is not imported.

    `ndarray._numba_type_` calls this once for each type and keeps the result.
    """
    cuda = sys.modules.get("numba.cuda")
    if cuda is None:
        raise AttributeError("_numba_type_: numba.cuda is not imported")
    register()
    types, from_dtype = numba_cuda_types()
    return types.Array(element_type(dtype, from_dtype), ndim, layout, readonly=readonly)


@functools.cache
def numba_cuda_types():
    """Return the module of types of numba-cuda, or of Numba for its older built-in target, and from_dtype."""
    try:
        from numba.cuda.np.numpy_support import from_dtype
        from numba.cuda.types import Array  # noqa: F401, absent from the built-in target
    except ImportError:
        from numba.core import types
        from numba.np.numpy_support import from_dtype

        return types, from_dtype
    from numba.cuda import types

    return types, from_dtype


def refuse_host_array(x, context):
    """Raise TypeError: without this, numba-cuda would give the GPU an address of the host."""
    advice = "write x.to_device('cuda')"
    if all(device.kind == "cpu" for device in _core.devices()):
        advice += "; this machine has no GPU: python -m cuarray --simulate program.py runs it on a simulated one"
    refuse(x, "numba.cuda.jit", f"kernels take arrays of GPUs; {advice}")


@functools.cache
def init_cuda():
    """Register cuarray's arrays with numba-cuda; its entry point calls this."""
    from numba.cuda.descriptor import cuda_target
    from numba.cuda.typing.typeof import typeof_impl

    register_namesakes(typeof_impl, cuda_target, numba_cuda_types()[0].Module)

    @typeof_impl.register(ndarray)
    def typeof_array(x, context):
        return refuse_host_array(x, context) if x.device.kind == "cpu" else x._numba_type_


@functools.cache
def init_cuda_mlir():
    """Register cuarray's arrays with numba-cuda-mlir, which has types of its own; its entry point calls this."""
    from numba_cuda_mlir.numba_cuda import types
    from numba_cuda_mlir.numba_cuda.np.numpy_support import from_dtype
    from numba_cuda_mlir.numba_cuda.typing.typeof import typeof_impl

    @functools.cache
    def array_type(dtype, ndim, layout, readonly):
        return types.Array(element_type(dtype, from_dtype), ndim, layout, readonly=readonly)

    @typeof_impl.register(ndarray)
    def typeof_array(x, context):
        if x.device.kind == "cpu":
            return refuse_host_array(x, context)
        return array_type(x.dtype, x.ndim, layout_of(x), not x.flags.writeable)


# Numba: compiled functions on arrays of cpu


@functools.cache
def init():
    """Register cuarray's arrays with Numba; its entry point calls this.

    An array is typed as a NumPy array of the same dtype, order and writability, and read and written in place.
    An argument that is returned comes back as an array of cuarray's; arrays that the function makes are NumPy's.
    Values, such as sums and elements, are numbers; those of complex64 are 0-d arrays.
    """
    import llvmlite.binding
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.core.datamodel import models
    from numba.core.datamodel.registry import register_default
    from numba.core.imputils import lower_cast
    from numba.core.pythonapi import NativeValue, box, unbox
    from numba.core.registry import cpu_target
    from numba.core.runtime import _nrt_python
    from numba.core.typing.typeof import typeof_impl
    from numba.np.numpy_support import as_dtype, from_dtype

    class CuarrayType(types.Array):
        """The type of cuarray's arrays: a NumPy array in all but how Python passes it."""

        def __init__(self, dtype, ndim, layout, readonly):
            name = f"cuarray({dtype}, {ndim}d, {layout}{', readonly' if readonly else ''})"
            self.version = _core.__version__
            super().__init__(dtype, ndim, layout, readonly=readonly, name=name)

        @property
        def key(self):  # what Numba keeps on disk calls functions of this version
            return *super().key, self.version

        def as_numpy(self):
            return self.copy()

    # With a place in this module, it is the same type in other processes, which take the code that Numba kept on disk.
    CuarrayType.__qualname__ = "CuarrayType"
    globals()["CuarrayType"] = CuarrayType
    register_default(CuarrayType)(models.ArrayModel)

    @typeof_impl.register(ndarray)
    def typeof_array(x, context):
        if x.device.kind != "cpu":
            refuse(x, "numba", "functions of numba.njit run on the host; write x.numpy()")
        if x.dtype == np.float16:
            refuse(x, "numba", "functions of numba.njit have no float16; write x.astype('float32')")
        dtype = element_type(x.dtype, from_dtype)
        # Numba reads numbers with float(), which would drop imaginary parts, or from an instance of complex.
        if is_value(x) and x.dtype != np.complex64:
            return dtype
        return CuarrayType(dtype, x.ndim, layout_of(x), not x.flags.writeable)

    register_namesakes(typeof_impl, cpu_target, types.Module)

    @lower_cast(CuarrayType, types.Array)
    def cast_array(context, builder, fromty, toty, value):
        return value

    addresses = _core.numba_functions(_nrt_python.c_helpers["meminfo_new_from_pyobject"])
    for name, address in addresses.items():
        llvmlite.binding.add_symbol(name, address)

    def call_ours(name, returns, c, typ, *arguments):
        """Call a function of `bindings/protocols/numba_arguments.cpp`, with the dtype and number of axes at the end."""
        dtype, int32 = as_dtype(typ.dtype), ir.IntType(32)
        described = int32(typ.ndim), int32(ord(dtype.kind) << 8 | dtype.itemsize)
        kinds = [value.type for value in (*arguments, *described)]
        function = cgutils.get_or_insert_function(c.builder.module, ir.FunctionType(returns, kinds), name)
        return c.builder.call(function, (*arguments, *described))

    @unbox(CuarrayType)
    def unbox_array(typ, obj, c):
        native = c.context.make_array(typ)(c.context, c.builder)
        place = c.builder.bitcast(native._getpointer(), c.pyapi.voidptr)
        failed = cgutils.is_not_null(c.builder, call_ours("cuarray_unbox_argument", ir.IntType(32), c, typ, obj, place))
        return NativeValue(native._getvalue(), is_error=failed)

    @box(CuarrayType)
    def box_array(typ, value, c):
        native = c.context.make_array(typ)(c.context, c.builder, value)
        place = c.builder.bitcast(native._getpointer(), c.pyapi.voidptr)
        argument = call_ours("cuarray_boxed_argument", c.pyapi.pyobj, c, typ, place)
        result = cgutils.alloca_once_value(c.builder, argument)
        with c.builder.if_else(cgutils.is_not_null(c.builder, argument)) as (is_argument, is_other):
            with is_argument:
                c.context.nrt.decref(c.builder, typ, value)
            with is_other:
                array = c.box(typ.as_numpy(), value)
                make = c.pyapi.unserialize(c.pyapi.serialize_object(as_ours))
                c.builder.store(c.pyapi.call_function_objargs(make, (array,)), result)
                c.pyapi.decref(make)
                c.pyapi.decref(array)
        return c.builder.load(result)


def as_ours(array):
    """Return an array over the memory of a NumPy array."""
    from cuarray._functions.creation import asarray

    return asarray(array, device="cpu")


# Memory of Numba from cuarray's pool


@functools.cache
def memory_manager():
    """Return the class of Numba's memory manager that allocates from cuarray's pool."""
    from numba import cuda

    from cuarray import memory
    from cuarray._arguments.functions import empty
    from cuarray._runtime.streams import Stream

    class MemoryManager(cuda.HostOnlyCUDAMemoryManager):
        """Numba's memory on GPUs, from the pool that cuarray's arrays use."""

        interface_version = 1

        def initialize(self):
            """Nothing has to be set up."""

        def memalloc(self, size):
            """Return bytes of the pool as Numba's pointer, which gives them back."""
            device = f"cuda:{self.context.device.id}"
            block = empty(max(size, 1), np.uint8, device=device)
            interface = block.__cuda_array_interface__
            if interface["stream"] is not None:  # Numba may use any stream, and the block's last user is queued
                Stream.from_external(interface["stream"], device).synchronize()
            key = interface["data"][0]
            self.allocations[key] = block
            return cuda.MemoryPointer(self.context, key, size, finalizer=functools.partial(self.allocations.pop, key))

        def get_memory_info(self):
            """Return the free and the total bytes of the device."""
            stats = memory.stats(f"cuda:{self.context.device.id}")
            return cuda.MemoryInfo(free=stats["available"], total=stats["total"])

        def get_ipc_handle(self, memory):
            """Raise NotImplementedError: other processes cannot open memory of a pool."""
            raise NotImplementedError(
                "MemoryManager: other processes cannot open memory of a pool; use Numba's own memory manager"
            )

    return MemoryManager


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name):
    if name in ("MemoryManager", "_numba_memory_manager"):
        return memory_manager()
    if name == "CuarrayType":
        init()
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
