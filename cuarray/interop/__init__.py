"""Other libraries: one module each, imported at its first use, as is the library itself.

- `dask`: Dask's arrays with chunks of ours, its backend "cuarray", a GPU for each worker
- `mpi`: MPI for arrays of any device and layout
- `numba`: arrays as arguments of compiled functions and kernels, Numba's memory in our pool
- `torch`: functions inside autograd, `torch.func` and `torch.compile`; common streams
- `jax`: functions inside `jit`, `vmap`, `grad` and `scan`
- `memory`: one allocator for cuarray and RMM, PyTorch or CuPy, in either direction
- `einops`: einops' functions take arrays of ours
- `xarray`: `.values` of arrays of a GPU
- `wrap`: a function of one framework, called with the arrays of another, with gradients
"""

from importlib import import_module
from pkgutil import iter_modules

from cuarray.interop._wrapping import wrap as wrap

__all__ = ["wrap"]

_MODULES = frozenset(module.name for module in iter_modules(__path__) if module.name[0] != "_")


def __getattr__(name):
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_MODULES | {"wrap"})
