"""Dask arrays whose chunks are cuarray's, on one machine or many.

Importing this module tells Dask about the arrays. Dask imports it for ``dask.config.set({"array.backend":
"cuarray"})`` and ``x.to_backend("cuarray")``, and cuarray when Dask makes a name for one of its arrays, as
`dask.array.from_array` does.
"""

import math
import operator
from typing import Any

import numpy as np

import cuarray as ca
from cuarray._arguments.operands import is_on_host
from cuarray._ndarray import byte_methods

try:
    import dask
    import dask.array as da
    from dask.array import dispatch, utils
    from dask.array.backends import ArrayBackendEntrypoint, array_creation_dispatch
    from dask.array.percentile import _percentile
    from dask.sizeof import sizeof
    from dask.tokenize import normalize_token
    from dask.utils import Dispatch
except ImportError as error:
    raise ImportError('cuarray.interop.dask: needs Dask; pip install "dask[array]" distributed') from error

__all__ = ["PCG64", "Backend", "Philox", "use_one_gpu_each"]


def __dir__() -> list[str]:
    return sorted(__all__)


#: Makes arrays of ours of those of other libraries, for `to_backend`.
to_cuarray = Dispatch("to_cuarray")


@to_cuarray.register((object, ca.ndarray))
def as_cuarray(data, **kwargs):
    """Return a chunk as an array of ours on the default device; arrays of ours unchanged."""
    return data if isinstance(data, ca.ndarray) else ca.asarray(data, **kwargs)


@dispatch.to_numpy_dispatch.register(ca.ndarray)
def as_numpy(data, **kwargs):
    """Return a chunk as a NumPy array, which on cpu shares its memory."""
    return np.asarray(data) if is_on_host(data) else data.numpy(**kwargs)


# What chunks are made of and combined with


@dispatch.numel_lookup.register(ca.ndarray)
def numel(x, axis=None, keepdims=False, dtype=np.float64, **kwargs):
    """Count the elements along the axes: an array on the chunk's device, a number for all axes."""
    axes = range(x.ndim) if axis is None else [operator.index(a) % x.ndim for a in np.atleast_1d(axis)]
    count = math.prod(x.shape[a] for a in axes)
    if axis is None and not keepdims:
        return np.dtype(dtype).type(count)
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
    return ca.full(tuple(shape), count, dtype, device=x.device)


@dispatch.empty_lookup.register(ca.ndarray)
def empty(shape, dtype=None, **kwargs):
    """Return an array on the current device."""
    return ca.empty(shape, dtype, **kwargs)


@dispatch.einsum_lookup.register(ca.ndarray)
def einsum(*operands, **kwargs):
    """Contract chunks."""
    return ca.einsum(*operands, **kwargs)


@dispatch.percentile_lookup.register(ca.ndarray)
def percentile(a, q, method="linear"):
    """Return percentiles of a chunk, and its length."""
    return _percentile(a, q, method)


dispatch.concatenate_lookup.register(ca.ndarray, ca.concatenate)
dispatch.take_lookup.register(ca.ndarray, ca.take)
dispatch.tensordot_lookup.register(ca.ndarray, ca.tensordot)
da.register_chunk_type(ca.ndarray)


theirs = utils.scipy_linalg_safe


def linalg(name, a, *args, **kwargs):
    """Call a function of scipy.linalg. Of chunks of ours its result is ours, and systems of GPUs are solved there."""
    if not isinstance(a, ca.ndarray):
        return theirs(name, a, *args, **kwargs)
    if name == "solve_triangular" and not is_on_host(a):
        (b,), is_lower = args, kwargs.get("lower", False)
        return ca.linalg.solve(ca.tril(a) if is_lower else ca.triu(a), b)
    return as_cuarray(theirs(name, a, *args, **kwargs))


# Dask asks whether a chunk is CuPy's, and has no dispatch for others.
vars(utils)["scipy_linalg_safe"] = linalg


# Names and sizes


@normalize_token.register(ca.ndarray)
def normalize(x):
    """Return what names an array of these elements, dtype, shape and device: a cluster keeps one result per name."""
    # Dask's own hash is of the memory: as for NumPy's arrays, it would not tell x.T from a reshaped x.
    x = ca.ascontiguousarray(x)
    numbers = x.view(np.uint16) if x.dtype.kind == "V" else x
    return ("cuarray", str(x.device), str(x.dtype), normalize_token(as_numpy(numbers)))


@sizeof.register(ca.ndarray)
def size_of(x):
    """Return the bytes of the elements; of broadcast ones once."""
    extents = [n for n, stride in zip(x.shape, x.strides, strict=True) if stride != 0]
    return math.prod(extents) * x.itemsize if x.size else 0


# Random numbers


class PCG64(np.random.PCG64):
    """NumPy's PCG64, under a module of ours: Dask takes the library that draws from the bit generator's module."""


class Philox(ca.random.Philox):
    """The same of the bit generator from which the device of the results draws."""


class Backend(ArrayBackendEntrypoint):
    """Dask's backend "cuarray": its arrays are made on the default device of the process that computes them."""

    @classmethod
    def to_backend_dispatch(cls):
        """Return what converts chunks."""
        return to_cuarray

    @classmethod
    def to_backend(cls, data, **kwargs):
        """Return a Dask array with chunks of ours."""
        return data if isinstance(data._meta, ca.ndarray) else data.map_blocks(to_cuarray, **kwargs)

    @property
    def RandomState(self):
        """The class of `dask.array.random.RandomState`'s states."""
        return ca.random.RandomState

    @property
    def default_bit_generator(self):
        """The bit generator of `dask.array.random.default_rng`."""
        return PCG64

    @staticmethod
    def ones(*args, meta=None, **kwargs):
        """Return `dask.array.ones` with chunks of ours."""
        return made("ones", *args, meta=meta, **kwargs)

    @staticmethod
    def zeros(*args, meta=None, **kwargs):
        """Return `dask.array.zeros` with chunks of ours."""
        return made("zeros", *args, meta=meta, **kwargs)

    @staticmethod
    def empty(*args, meta=None, **kwargs):
        """Return `dask.array.empty` with chunks of ours."""
        return made("empty", *args, meta=meta, **kwargs)

    @staticmethod
    def full(*args, meta=None, **kwargs):
        """Return `dask.array.full` with chunks of ours."""
        return made("full", *args, meta=meta, **kwargs)

    @staticmethod
    def arange(*args, like=None, **kwargs):
        """Return `dask.array.arange` with chunks of ours."""
        with dask.config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=ca.empty(0) if like is None else like, **kwargs)


array_creation_dispatch.register_backend("cuarray", Backend())  # also where no entry point is installed


def made(function, *args, meta, **kwargs):
    """Call a creation function of Dask's with an array of ours as the kind of chunk."""
    with dask.config.set({"array.backend": "numpy"}):
        return getattr(da, function)(*args, meta=ca.empty(0) if meta is None else meta, **kwargs)


# Workers and their devices


def gpus():
    """Return the GPUs of this process."""
    return [device for device in ca.devices() if device != ca.device("cpu")]


def use_gpu(number):
    """Make a GPU this process's default device, to which arrays of other processes' GPUs are unpickled."""
    found = gpus()
    if not found:
        raise RuntimeError("use_one_gpu_each: a worker has no GPU")
    device = found[number % len(found)]
    ca.set_default_device(device)
    byte_methods.gpu_of_pickles = device
    return str(device)


def use_one_gpu_each(client: Any) -> dict[str, str]:
    """Give each worker of a cluster a GPU of its machine, in turn, as its default device.

    Arrays that come from another worker's GPU arrive on the worker's own. Workers that each see one GPU, as those of
    dask-cuda, need no call. New workers need another one.

    Parameters
    ----------
    client : distributed.Client
        Of workers in processes of their own.

    Returns
    -------
    dict
        The device of each worker's address.

    Raises
    ------
    RuntimeError
        If a worker has no GPU.

    Examples
    --------
    >>> from distributed import Client, LocalCluster  # doctest: +SKIP
    >>> client = Client(LocalCluster(n_workers=2, threads_per_worker=1))  # doctest: +SKIP
    >>> use_one_gpu_each(client)  # doctest: +SKIP
    {'tcp://127.0.0.1:40001': 'cuda:0', 'tcp://127.0.0.1:40002': 'cuda:1'}
    """
    placed: dict[str, int] = {}
    devices: dict[str, str] = {}
    for address, worker in client.scheduler_info(n_workers=-1)["workers"].items():
        number = placed.setdefault(worker["host"], 0)
        placed[worker["host"]] += 1
        devices |= client.run(use_gpu, number, workers=[address])
    return devices
