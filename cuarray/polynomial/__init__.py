"""Polynomials in six bases, as in numpy.polynomial, with coefficients on any device.

`Polynomial`, `Chebyshev`, `Legendre`, `Laguerre`, `Hermite` and `HermiteE` are classes; the modules `polynomial`,
`chebyshev`, `legendre`, `laguerre`, `hermite` and `hermite_e` have functions of coefficients, and `polyutils` what
they share. All is NumPy's own text, which is Python alone, run over cuarray's functions. Results are cuarray's arrays.
As the text makes new arrays, polynomials of another device than the current one need ``with cuarray.device(...)``.

Examples
--------
>>> from cuarray.polynomial import Polynomial
>>> p = Polynomial([1, 2, 3])
>>> p.deriv()(cuarray.arange(3))
array([ 2.,  8., 14.])
"""

import sys
from typing import TYPE_CHECKING, Any

from cuarray._numpy.polynomials import adapt as _adapt
from cuarray._numpy.text import Finder as _Finder
from cuarray._numpy.text import run as _run

sys.meta_path.append(_Finder)
_doc, _module = __doc__, sys.modules[__name__]
_run(_module, "numpy.polynomial")
_adapt(_module)
__doc__ = _doc
del _module.test  # NumPy's runner of its own tests

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


del TYPE_CHECKING, Any, _Finder, _adapt, _doc, _module, _run, sys
