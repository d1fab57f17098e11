"""NumPy arrays for NVIDIA GPUs and for CPUs.

The namespace has the names of the Array API standard and NumPy's. Importing needs no GPU, no
driver and no CUDA library; they are looked up when the first array goes to a GPU. `python -m cuarray`
reports what is installed.
"""

import os
import sys
from importlib import import_module

try:
    from cuarray import _core
except ImportError as error:
    from pathlib import Path

    root = Path(__file__).resolve().parents[1]
    if list(Path(__file__).parent.glob("_core.*.so")) or not (root / "CMakeLists.txt").exists():
        raise
    installed = next((path for path in map(Path, sys.path) if list(path.glob("cuarray/_core.*.so"))), None)
    advice = (
        f"hides the cuarray that is installed in {installed}; run Python in another folder, or with -P:\n\n"
        "    python -P -m cuarray"
        if installed
        else f"is not built for this Python; type\n\n    pip install {root}\n\nand run Python elsewhere, or with -P"
    )
    raise ImportError(f"cuarray: the source folder {root} {advice}") from error

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

from cuarray import lib as lib
from cuarray._core import CudaError as CudaError
from cuarray._core import ndarray as ndarray
from cuarray._core import ufunc as ufunc
from cuarray._functions.dtypes import numpy_types
from cuarray._namespace.aliases import ALIASES, alias
from cuarray._namespace.info import ARRAY_API_VERSION
from cuarray._namespace.missing import advice_on_missing as _advice_on_missing
from cuarray._ndarray import (
    methods,  # adds its methods to ndarray
    ufunc_docs,  # gives ufunc its docstrings and signatures
)
from cuarray._numpy.warning import HostFallbackWarning as HostFallbackWarning
from cuarray._runtime import libraries

if any(variable.startswith("CUARRAY_") for variable in os.environ):
    import_module("cuarray._runtime.settings").warn_of_settings(os.environ)
__version__ = _core.__version__
__array_api_version__ = ARRAY_API_VERSION

#: The modules whose `__all__` make the namespace; a later one may override a row of the table.
MODULES = (
    "_functions.creation",
    "_functions.shaping",
    "_functions.index_grids",
    "_functions.sorting",
    "_functions.sets",
    "_functions.quantiles",
    "_functions.histograms",
    "_functions.einsum",
    "_functions.sharing",
    "_functions.reductions",
    "_functions.averages",
    "_functions.nan_functions",
    "_functions.padding",
    "_functions.editing",
    "_functions.functional",
    "_functions.polynomials",
    "_functions.windows",
    "_functions.numbers",
    "_functions.unwrapping",
    "_functions.files",
    "_functions.printing",
    "_functions.subscripts",
    "_functions.logic",
    "_functions.dtypes",
    "_runtime.devices",
    "_runtime.simulation",
    "_runtime.streams",
    "_functions.errstate",
    "_runtime.fuse",
    "_runtime.deterministic",
    "_namespace.info",
    "_tools.explain",
    "_tools.profile",
    "_functions.elementwise",
)

#: Module names that pickles contain.
LASTING_NAMES = {
    "_bytes": "_ndarray.byte_methods",
    "_sets": "_functions.sets",
}

parts = [import_module(f"cuarray.{name}") for name in MODULES]
types = numpy_types()
globals().update(types)
globals().update(_core.ufuncs)
globals().update(_core.functions)
for part in parts:
    globals().update({name: getattr(part, name) for name in part.__all__})
for theirs, ours in ALIASES.items():
    globals()[theirs] = alias(globals()[ours], theirs)
for name, home in LASTING_NAMES.items():
    sys.modules[f"cuarray.{name}"] = import_module(f"cuarray.{home}")

_core.set_library_locator(libraries.locate)
_core.set_package_folder(__path__[0])

__all__ = sorted(
    {
        "AxisError",
        "ComplexWarning",
        "CudaError",
        "False_",
        "HostFallbackWarning",
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
    | types.keys()
    | _core.ufuncs.keys()
    | _core.functions.keys()
    | ALIASES.keys()
    | {name for part in parts for name in part.__all__}
)
del ALIASES, ARRAY_API_VERSION, LASTING_NAMES, alias, libraries, methods, numpy_types, os, sys, ufunc_docs
del home, name, ours, part, parts, theirs, types


#: Modules that are imported on first access.
LAZY = (
    "emath",
    "exceptions",
    "fft",
    "interop",
    "linalg",
    "memory",
    "numpy",
    "polynomial",
    "random",
    "testing",
    "typing",
)


def __getattr__(name):
    # Modules that are slow to import are imported on first access.
    if name == "bfloat16":
        from ml_dtypes import bfloat16

        globals()[name] = bfloat16
        return bfloat16
    if name in LAZY:
        return import_module(f"cuarray.{name}")
    raise AttributeError(f"module 'cuarray' has no attribute {name!r}" + _advice_on_missing(name))


def load_ipython_extension(_ipython):
    """Give cuarray.numpy to cells that import NumPy, after `%load_ext cuarray`."""
    from cuarray._tools import launcher

    launcher.install()


def unload_ipython_extension(_ipython):
    """Give NumPy itself to the cells that import it from now on."""
    from cuarray._tools import launcher

    launcher.remove()


def __dir__():
    return [*__all__, *LAZY, "lib"]
