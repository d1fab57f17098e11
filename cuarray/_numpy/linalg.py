"""Functions that are the Array API standard's in cuarray.linalg, and NumPy's in cuarray.numpy.linalg."""

from cuarray._linalg import decompositions
from cuarray._linalg.decompositions import EigResult


def is_real(values, a):
    """Whether NumPy returns eigenvalues as real numbers: those of a real matrix without imaginary parts."""
    return getattr(getattr(a, "dtype", None), "kind", "f") != "c" and not values.imag.any()


def eig(a):
    values, vectors = decompositions.eig(a)
    return EigResult(values.real, vectors.real) if is_real(values, a) else EigResult(values, vectors)


def eigvals(a):
    values = decompositions.eigvals(a)
    return values.real if is_real(values, a) else values


for function in (eig, eigvals):
    function.__doc__ = getattr(decompositions, function.__name__).__doc__
