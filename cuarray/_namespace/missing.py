"""Missing names and their replacements: NumPy's, those that NumPy removed, and those of CuPy, PyTorch and JAX."""

import re
import warnings
from functools import lru_cache

import numpy as np

from cuarray import _core
from cuarray._core import device
from cuarray._namespace.package import package
from cuarray._runtime.streams import Event, Stream

DATES = "there are no dates: use int64 counts of days or seconds"
TEXTS = "there are no texts, only numbers and bools: keep texts in NumPy or in lists"
RECORDS = "there are no structured types: use one array for each field"
MATRICES = "there are no matrices: use 2-d arrays, @, and cuarray.block"
LONG = "GPUs do not have it: use cuarray.float64"
LONG_COMPLEX = "GPUs do not have it: use cuarray.complex128"
LISTS = "it lists NumPy's types, most of which are not here; see cuarray.__array_namespace_info__().dtypes()"
WHOLE = "use functions of whole arrays, which cuarray.fuse joins"
ABOUT_CUARRAY = "type python -m cuarray in a shell"
MEMORY = "use cuarray.memory, which has stats, limit, trim and use_pool"
KERNELS = "write the expression in Python; cuarray.fuse makes one kernel of it"
OWN_KERNELS = (
    "launch kernels of your own with Numba, which takes cuarray arrays as they are, or cuda.core, with x.data_ptr()"
)
GRADIENTS = (
    "there are no gradients here; cuarray.interop.wrap makes a function of PyTorch's or JAX's arrays, with gradients"
)
TORCH_DEFAULT = "new arrays are of float64, as NumPy's: write dtype=cuarray.float32 where they are made"
SORTED = (
    "use cuarray.sort(x, descending=True)[..., :k], and cuarray.argsort(x, descending=True)[..., :k] for the indices"
)
SOFTMAX = "write y = cuarray.exp(x - x.max(axis=-1, keepdims=True)), then y / y.sum(axis=-1, keepdims=True)"
SEEDED = "use rng = cuarray.random.default_rng(seed), whose methods draw: the state is in the generator"
LAYERS = "use PyTorch's, which takes arrays by torch.from_dlpack(x) without a copy"
CUDA = "use cuarray.device, cuarray.Stream, cuarray.Event and cuarray.memory"

#: Replacements of names. NumPy's own advice on names that it removed is not repeated here.
ADVICE = {
    **dict.fromkeys(["datetime64", "timedelta64", "datetime_as_string", "datetime_data", "isnat"], DATES),
    **dict.fromkeys(["busday_count", "busday_offset", "busdaycalendar", "is_busday"], DATES),
    **dict.fromkeys(["str_", "bytes_", "character", "flexible", "char", "strings", "string_", "unicode_"], TEXTS),
    **dict.fromkeys(["void", "rec", "recarray", "record"], RECORDS),
    **dict.fromkeys(["matrix", "asmatrix", "bmat", "mat"], MATRICES),
    **dict.fromkeys(["longdouble", "float128", "float96", "longfloat"], LONG),
    **dict.fromkeys(["clongdouble", "complex256", "clongfloat", "longcomplex"], LONG_COMPLEX),
    **dict.fromkeys(["ScalarType", "sctypeDict", "typecodes", "dtypes"], LISTS),
    **dict.fromkeys(["nditer", "nested_iters", "flatiter"], WHOLE),
    **dict.fromkeys(["getbufsize", "setbufsize"], "ufuncs have no buffers here whose size could be set"),
    **dict.fromkeys(["show_config", "show_runtime"], ABOUT_CUARRAY),
    "core": "it is NumPy's inside; all that is public is in cuarray itself",
    "ctypeslib": "use x.ctypes or numpy.ctypeslib.as_ctypes(x) on cpu, x.__cuda_array_interface__ on a GPU",
    "f2py": "use numpy.f2py with x.numpy() and cuarray.asarray",
    "get_include": "numpy.get_include() is for NumPy's headers; find_package(cuarray) finds cuarray's",
    "info": "use help(cuarray.NAME)",
    "ma": "use where= of ufuncs and reductions, and functions that pass over NaN, such as cuarray.nanmean",
    "memmap": "use cuarray.asarray(numpy.memmap(...)), which shares its memory on cpu",
    "object_": "there are no objects, only numbers and bools: keep objects in NumPy or in lists",
    "poly1d": "use cuarray.polyval, roots, polyadd and their like, which take the same order of coefficients; "
    "cuarray.polynomial.Polynomial takes the lowest power first",
    "test": "run pytest in a checkout of cuarray",
    # Removed by NumPy without advice.
    "alltrue": "use cuarray.all",
    "asscalar": "use x.item()",
    "bool8": "use cuarray.bool",
    "cumproduct": "use cuarray.cumprod",
    "in1d": "use cuarray.isin",
    "int0": "use cuarray.intp",
    "msort": "use cuarray.sort(x, axis=0)",
    "product": "use cuarray.prod",
    "rank": "use cuarray.ndim",
    "row_stack": "use cuarray.vstack",
    "sometrue": "use cuarray.any",
    "trapz": "use cuarray.trapezoid",
    "uint0": "use cuarray.uintp",
    # CuPy's.
    **dict.fromkeys(["ElementwiseKernel", "ReductionKernel"], KERNELS),
    **dict.fromkeys(["RawKernel", "RawModule"], OWN_KERNELS),
    **dict.fromkeys(["get_default_memory_pool", "get_default_pinned_memory_pool"], MEMORY),
    **dict.fromkeys(["MemoryPool", "PinnedMemoryPool", "set_allocator"], MEMORY),
    "asnumpy": "use x.numpy()",
    "cuda": CUDA,
    **dict.fromkeys(["dlpack", "fromDlpack", "from_torch", "from_jax"], "use cuarray.from_dlpack"),
    **dict.fromkeys(["toDlpack", "to_dlpack"], "use x.__dlpack__()"),
    "get_array_module": "use x.__array_namespace__(), which arrays of NumPy have too",
    "is_available": 'ask whether any(d.kind == "cuda" for d in cuarray.devices())',
    "scatter_add": "use cuarray.add.at",
    "show": ABOUT_CUARRAY,
    # PyTorch's.
    **dict.fromkeys(
        ["Tensor", "as_tensor", "from_numpy", "tensor"], "use cuarray.asarray, or cuarray.array for a copy"
    ),
    **dict.fromkeys(["bmm", "mm"], "use cuarray.matmul, or the operator @"),
    **dict.fromkeys(
        ["compile", "jit"], "use cuarray.fuse, a decorator that makes one kernel of the operations of a function"
    ),
    **dict.fromkeys(["enable_grad", "inference_mode", "no_grad"], "gradients are never recorded; leave it out"),
    **dict.fromkeys(["nn", "optim"], LAYERS),
    **dict.fromkeys(["rand", "randn"], "use cuarray.random.{name}, or cuarray.random.default_rng()"),
    "cat": "use cuarray.concat",
    "clamp": "use cuarray.clip",
    "is_tensor": "use isinstance(x, cuarray.ndarray)",
    "manual_seed": "use cuarray.random.seed, or cuarray.random.default_rng(seed)",
    "relu": "use cuarray.maximum(x, 0)",
    "sigmoid": "use cuarray.expit",
    "softmax": SOFTMAX,
    "unsqueeze": "use cuarray.expand_dims",
    **dict.fromkeys(["get_default_dtype", "set_default_dtype"], TORCH_DEFAULT),
    "gather": "use cuarray.take_along_axis(x, index, axis)",
    "index_select": "use cuarray.take(x, index, axis)",
    "one_hot": "use cuarray.eye(n)[x]",
    "topk": SORTED,
    # JAX's.
    **dict.fromkeys(["grad", "hessian", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp"], GRADIENTS),
    **dict.fromkeys(["pmap", "vmap"], "functions work on arrays with more axes: give the arguments one in front"),
    "block_until_ready": "use cuarray.synchronize",
    "device_get": "use x.numpy()",
    "device_put": "use x.to_device(device), or cuarray.asarray(x, device=device)",
    "stop_gradient": "gradients are never recorded; leave it out",
    "lax": "use Python's own loops and branches, which run at once, and cuarray.where",
}

#: Names of JAX's and PyTorch's random modules.
RANDOM_ADVICE = {
    **dict.fromkeys(["PRNGKey", "key"], SEEDED),
    **dict.fromkeys(["fold_in", "split"], "use rng.spawn(n), which makes n independent generators of a generator"),
    "manual_seed": "use cuarray.random.seed, or cuarray.random.default_rng(seed)",
}

#: Functions that PyTorch has as methods, too: elementwise ones, and others.
FUNCTIONS = [name for name in _core.ufuncs if not hasattr(np.ndarray, name)]
FUNCTIONS += "diag diff flip median moveaxis nan_to_num outer quantile roll tile tril triu unique".split()

#: Attributes of NumPy's arrays, current or removed, and of CuPy's, PyTorch's and JAX's.
ATTRIBUTES = {
    **dict.fromkeys(["backward", "detach", "grad", "requires_grad", "requires_grad_"], GRADIENTS),
    **{
        name: f"use x.astype(cuarray.{dtype})"
        for name, dtype in {
            "bfloat16": "bfloat16",
            "bool": "bool",
            "double": "float64",
            "float": "float32",
            "half": "float16",
            "int": "int32",
            "long": "int64",
        }.items()
    },
    **{f"{name}_": f"use x {sign}= y" for name, sign in {"add": "+", "div": "/", "mul": "*", "sub": "-"}.items()},
    **{name: f"use the function cuarray.{name}" for name in FUNCTIONS},
    **{
        name: f"use x {sign} y"
        for name, sign in {"div": "/", "eq": "==", "ge": ">=", "gt": ">", "le": "<=", "lt": "<"}.items()
    },
    **{
        name: f"use x {sign} y" for name, sign in {"matmul": "@", "mm": "@", "mul": "*", "ne": "!=", "sub": "-"}.items()
    },
    **dict.fromkeys(["append", "extend"], "use cuarray.append(x, values), or append to a list and make the array last"),
    "at": "arrays can be written here: x[index] = value, x[index] += value, cuarray.add.at(x, index, value)",
    "block_until_ready": "use cuarray.synchronize()",
    "clamp": "use x.clip(min, max)",
    "clamp_": "use x.clip(min, max, out=x)",
    "clone": "use x.copy()",
    "contiguous": "use cuarray.ascontiguousarray(x)",
    "copy_": "use x[...] = y",
    "cpu": "use x.to_device('cpu'), or x.numpy() for an array of NumPy",
    "cuda": "use x.to_device('cuda')",
    "devices": "use x.device",
    "dim": "use x.ndim",
    "element_size": "use x.itemsize",
    "expand": "use cuarray.broadcast_to(x, shape)",
    "fill_": "use x.fill(value)",
    "gather": "use cuarray.take_along_axis(x, index, axis)",
    **dict.fromkeys(["index_add_", "scatter_add_"], "use cuarray.add.at(x, index, y)"),
    "index_select": "use cuarray.take(x, index, axis)",
    "is_contiguous": "use x.flags.c_contiguous",
    **{f"is_{kind}": f'use x.device.kind == "{kind}"' for kind in ("cpu", "cuda")},
    "itemset": "use x[index] = value",
    "masked_fill": "use cuarray.where(mask, value, x)",
    "new_zeros": "use cuarray.zeros(shape, x.dtype, device=x.device)",
    "norm": "use cuarray.linalg.norm(x)",
    "numel": "use x.size",
    "permute": "use x.transpose(axes)",
    "newbyteorder": "all arrays are of the machine's own byte order; x.byteswap() turns the bytes round",
    "ptp": "use cuarray.ptp(x)",
    "relu": "use cuarray.maximum(x, 0)",
    "repeat_interleave": "use x.repeat(n, axis)",
    "sigmoid": "use cuarray.expit(x)",
    "softmax": SOFTMAX,
    "set": "use x[...] = a, which copies arrays of NumPy and of any device into x",
    "to": "use x.to_device(device), and x.astype(dtype) for another dtype",
    **dict.fromkeys(["toDlpack", "to_dlpack"], "use x.__dlpack__()"),
    **{f"to_{name}": f"use x.{name}()" for name in ("cupy", "jax", "torch")},
    **dict.fromkeys(["tensorflow", "to_tensorflow"], "use x.tf()"),
    "topk": SORTED,
    "tostring": "use x.tobytes()",
    "type": "use x.dtype, and x.astype(dtype) for another one",
    "unsqueeze": "use cuarray.expand_dims(x, axis)",
    "where": "use cuarray.where(mask, x, y)",
    "zero_": "use x[...] = 0",
}

#: Attributes of CuPy's and PyTorch's streams.
STREAM_ATTRIBUTES = {
    "begin_capture": "use cuarray.Graph, which records in `with graph.capture():`",
    "cuda_stream": "use stream.handle",
    "done": "use stream.query()",
    "null": "use cuarray.default_stream()",
    "ptr": "use stream.handle",
    "record_event": "use stream.record()",
    "use": "write `with stream:` before the work that it runs",
    "wait_event": "use stream.wait(event)",
    "wait_stream": "use stream.wait(stream)",
}

#: Attributes of CuPy's and PyTorch's events.
EVENT_ATTRIBUTES = {
    "done": "use event.query()",
    "elapsed_time": "use event.elapsed_ms(start), of the later event; both are made with timing=True",
    "wait": "use stream.wait(event)",
}

#: Attributes of CuPy's and PyTorch's devices.
DEVICE_ATTRIBUTES = {
    "attributes": "use device.properties",
    "id": "use device.index",
    "type": "use device.kind",
    "use": "write `with device:`, or cuarray.set_default_device(device)",
}

#: Python types that NumPy aliased until 1.24, and the cuarray type that may be intended.
BUILTINS = {"int": "int64", "float": "float64", "complex": "complex128", "object": "", "str": ""}


def said_by_numpy(name):
    """Return NumPy's advice on a name that it removed, with cuarray's names; else ''."""
    if name in BUILTINS:
        ours = f", or cuarray.{BUILTINS[name]} for the type" if BUILTINS[name] else ""
        return f"numpy.{name} was Python's {name}, and is gone since NumPy 1.24: use {name}{ours}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            getattr(np, name)
    except AttributeError as error:
        if found := re.search(r"was removed in the NumPy 2.0 release\. *(.*)", str(error), re.DOTALL):
            return f"NumPy 2 has no {name} either. {translated(found[1])}".rstrip(" .")
    return ""


def translated(text):
    """Return NumPy's advice with cuarray's names where they exist."""

    def ours(match):
        home = "cuarray" if match[1] in package().__all__ else "numpy"
        return f"{home}.{match[1]}"

    return re.sub(r"\b(?:np|numpy)\.(\w+)", ours, text.replace("`", ""))


#: By name of NumPy's module, which may not be imported yet: replacements of names.
TABLES = {"numpy": ADVICE, "numpy.random": RANDOM_ADVICE}


@lru_cache(256)  # programs ask with hasattr, again and again
def advice_on_missing(name, module=np):
    """Return advice to append to the error about a missing name; '' if there is none."""
    if name.startswith("_"):
        return ""
    advice = TABLES.get(module.__name__, {}).get(name) or (said_by_numpy(name) if module is np else "")
    if advice:
        return f"; {advice.format(name=name)}"
    if name not in dir(module):
        return ""
    return f"; use {module.__name__}.{name} with x.numpy() and cuarray.asarray"


class Absent:
    """An attribute of arrays that raises AttributeError with advice, so that hasattr is False for them."""

    def __init__(self, name, advice):
        self.message = f"'cuarray.ndarray' object has no attribute {name!r}; {advice}"

    def __get__(self, instance, owner=None):
        if instance is None:
            return self  # for whoever reads all that dir() lists
        raise AttributeError(self.message)


def dir_of_array(self):
    return sorted(set(object.__dir__(self)) - ATTRIBUTES.keys())


# A descriptor for each name: with __getattr__, every x.shape would take 50 ns more.
_core.extend_ndarray({name: Absent(name, text) for name, text in ATTRIBUTES.items()} | {"__dir__": dir_of_array})


def advising(kind, advice):
    """Return __getattr__ of a class, which raises AttributeError, with advice where there is some."""

    def __getattr__(self, name):
        said = f"; {advice[name]}" if name in advice else ""
        raise AttributeError(f"'cuarray.{kind}' object has no attribute {name!r}{said}", name=name, obj=self)

    return __getattr__


for kind, advice in ((Stream, STREAM_ATTRIBUTES), (Event, EVENT_ATTRIBUTES), (device, DEVICE_ATTRIBUTES)):
    setattr(kind, "__getattr__", advising(kind.__name__, advice))  # noqa: B010 (mypy knows no such attribute)
