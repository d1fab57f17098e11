"""Functions that are the Array API standard's in cuarray.linalg, and NumPy's in cuarray.numpy.linalg."""

import numpy as np

from cuarray._linalg import decompositions
from cuarray._linalg.decompositions import EigResult

#: Whether the installed NumPy's eigenvalues are the standard's, always complex.
ARE_COMPLEX = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


def is_real(values, a):
    """Whether NumPy returns eigenvalues as real numbers: before 2.5, those of a real matrix without imaginary parts."""
    return not ARE_COMPLEX and getattr(getattr(a, "dtype", None), "kind", "f") != "c" and not values.imag.any()


def eig(a):
    values, vectors = decompositions.eig(a)
    return EigResult(values.real, vectors.real) if is_real(values, a) else EigResult(values, vectors)


def eigvals(a):
    values = decompositions.eigvals(a)
    return values.real if is_real(values, a) else values


for function in (eig, eigvals):
    function.__doc__ = getattr(decompositions, function.__name__).__doc__
