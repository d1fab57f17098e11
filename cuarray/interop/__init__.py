"""Other libraries: one module each, imported at its first use, as is the library itself.

- `dask`: Dask's arrays with chunks of ours, its backend "cuarray", a GPU for each worker
- `mpi`: MPI for arrays of any device and layout
- `numba`: arrays as arguments of compiled functions and kernels, Numba's memory in our pool
- `xarray`: `.values` of arrays of a GPU
"""

from importlib import import_module
from pkgutil import iter_modules

_MODULES = frozenset(module.name for module in iter_modules(__path__))


def __getattr__(name):
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(_MODULES)
