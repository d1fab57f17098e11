"""The whole namespace of NumPy, computed by cuarray where it can: ``import cuarray.numpy as np``.

Every public name of NumPy is here. Functions that cuarray has are cuarray's. All others, and all dtypes, constants,
errors, texts, dates, objects and structured types, are NumPy's own. A call of one of these with arrays of cuarray's, or
of one of ours with types that only NumPy has, is computed by NumPy on the host, and its numeric results are cuarray's
arrays. Such a call warns, once on a line (`cuarray.HostFallbackWarning`), and `fallbacks()` counts them all. This is
the one place where arrays of a GPU are copied to the host without being asked for.

From the import of this module on, methods, operators and NumPy's protocols do the same for arrays of the whole process:
``x.astype(object)``, ``x + numpy.datetime64("2024-01-01")``, and ``numpy.asarray(x)`` of an array of a GPU.

``python -m cuarray script.py`` gives this module to a program that says ``import numpy``.
"""

import sys

import numpy as _numpy
from numpy import finfo as finfo  # of numbers of the type, not of Python
from numpy import geterr as geterr  # what programs have set, and NumPy's defaults

from cuarray._namespace.package import package as _package
from cuarray._numpy import consumers as _consumers
from cuarray._numpy.errstate import errstate as errstate
from cuarray._numpy.errstate import seterr as seterr
from cuarray._numpy.errstate import seterrcall as seterrcall
from cuarray._numpy.facade import Finder as _Finder
from cuarray._numpy.facade import furnish as _furnish
from cuarray._numpy.fallbacks import fallbacks as fallbacks
from cuarray._numpy.operators import install as _install

_furnish(sys.modules[__name__], _numpy, _package())
sys.meta_path.append(_Finder)
_install()
_consumers.install()
del sys
