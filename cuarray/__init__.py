"""NumPy arrays for NVIDIA GPUs and for CPUs.

The namespace is that of the Array API standard with NumPy's names beside it. Importing needs no GPU, no
driver and no CUDA library; those are looked for when the first array goes to a GPU. `python -m cuarray`
tells what is there.
"""

from importlib import import_module

try:
    from cuarray import _core
except ImportError as error:
    from pathlib import Path

    root = Path(__file__).resolve().parents[1]
    if list(Path(__file__).parent.glob("_core.*.so")) or not (root / "CMakeLists.txt").exists():
        raise
    raise ImportError(
        f"cuarray: this is the source folder {root} and it is not built for this Python; type\n\n"
        f"    pip install {root}\n\nor run Python in another folder to use an installed cuarray"
    ) from error

from numpy import False_ as False_
from numpy import True_ as True_
from numpy import e as e
from numpy import euler_gamma as euler_gamma
from numpy import inf as inf
from numpy import little_endian as little_endian
from numpy import nan as nan
from numpy import newaxis as newaxis
from numpy import pi as pi
from numpy.exceptions import AxisError as AxisError
from numpy.exceptions import ComplexWarning as ComplexWarning

from cuarray import (
    _averages,
    _bits,
    _blocks,
    _convolution,
    _creation,
    _devices,
    _differences,
    _docs,  # noqa: F401  (gives ufunc its docstrings and signatures)
    _dtypes,
    _editing,
    _einsum,
    _elementwise,
    _errors,
    _files,
    _fuse,
    _histograms,
    _host_calls,
    _index_grids,
    _indexing,
    _info,
    _interpolation,
    _joining,
    _libraries,
    _logic,
    _matrices,
    _memory,
    _methods,  # noqa: F401  (puts its methods into ndarray)
    _missing,
    _nan_functions,
    _numbers,
    _padding,
    _polynomials,
    _products,
    _profile,
    _quantiles,
    _rearranging,
    _scans,
    _sequences,
    _sets,
    _shaping,
    _sorting,
    _statistics,
    _streams,
    _subscripts,
    _texts,
    _windows,
)

from cuarray import lib as lib  # isort: skip
from cuarray._core import CudaError as CudaError
from cuarray._core import ndarray as ndarray
from cuarray._core import ufunc as ufunc

__version__ = _core.__version__
__array_api_version__ = "2025.12"

#: The parts of the namespace that are written in Python; a later one may say more than a row of the table.
MODULES = (
    _creation,
    _sequences,
    _matrices,
    _shaping,
    _rearranging,
    _scans,
    _indexing,
    _index_grids,
    _sorting,
    _sets,
    _quantiles,
    _histograms,
    _joining,
    _products,
    _einsum,
    _memory,
    _statistics,
    _averages,
    _nan_functions,
    _padding,
    _editing,
    _bits,
    _blocks,
    _host_calls,
    _convolution,
    _polynomials,
    _windows,
    _numbers,
    _interpolation,
    _files,
    _texts,
    _subscripts,
    _logic,
    _dtypes,
    _devices,
    _differences,
    _streams,
    _errors,
    _fuse,
    _info,
    _profile,
    _elementwise,
)

globals().update(_dtypes.numpy_types())
globals().update(_core.ufuncs)
for module in MODULES:
    globals().update({name: getattr(module, name) for name in module.__all__})
for theirs, ours in _elementwise.ALIASES.items():
    globals()[theirs] = _elementwise.alias(globals()[ours], theirs)

_core.set_library_locator(_libraries.locate)
_core.set_package_folder(__path__[0])

__all__ = sorted(
    {
        "AxisError",
        "ComplexWarning",
        "CudaError",
        "False_",
        "True_",
        "bfloat16",
        "e",
        "euler_gamma",
        "inf",
        "little_endian",
        "nan",
        "ndarray",
        "newaxis",
        "pi",
        "ufunc",
    }
    | {"__array_api_version__", "__version__"}
    | _dtypes.numpy_types().keys()
    | _core.ufuncs.keys()
    | _elementwise.ALIASES.keys()
    | {name for module in MODULES for name in module.__all__}
)
del module, ours, theirs


#: Modules that are imported when they are first asked for.
LAZY = ("memory", "testing")


def __getattr__(name):
    # What costs time to import comes when it is first asked for.
    if name == "bfloat16":
        from ml_dtypes import bfloat16

        globals()[name] = bfloat16
        return bfloat16
    if name in LAZY:
        return import_module(f"cuarray.{name}")
    raise AttributeError(f"module 'cuarray' has no attribute {name!r}" + _missing.advice_on_missing(name))


def __dir__():
    return [*__all__, *LAZY, "lib"]
