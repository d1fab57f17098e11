"""Random numbers: NumPy's generators and distributions, whose results are arrays of any device.

``cuarray.random.default_rng(seed)`` makes a generator. Equal seeds give NumPy's numbers, on every device;
``Generator(Philox(seed))`` gives others, which a GPU draws itself.
"""

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, SeedSequence

from cuarray._namespace.missing import advice_on_missing as _advice_on_missing
from cuarray._random.generator import Generator, default_rng
from cuarray._random.philox import Philox
from cuarray._random.randomstate import RandomState, get_bit_generator, seed, set_bit_generator
from cuarray._random.randomstate import shared as _shared

#: The functions of the module: methods of one RandomState, and second names of theirs.
_FUNCTIONS = [name for name in vars(RandomState) if not name.startswith("_") and name not in ("tomaxint", "seed")]
globals().update({name: getattr(_shared, name) for name in _FUNCTIONS})
ranf = sample = _shared.random_sample

__all__ = [
    "MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Generator", "Philox", "RandomState",
    "SeedSequence", "default_rng", "get_bit_generator", "ranf", "sample", "seed", "set_bit_generator",
]  # fmt: skip
__all__ += _FUNCTIONS


def __getattr__(name):
    raise AttributeError(f"module 'cuarray.random' has no attribute {name!r}" + _advice_on_missing(name, np.random))


def __dir__():
    return sorted(__all__)
