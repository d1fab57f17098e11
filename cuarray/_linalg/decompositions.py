"""Factors of matrices: triangles, orthogonal matrices, eigenvalues and singular values.

The functions are described here; they are those of include/cuarray/ops/linalg.h.
"""

# mypy: disable-error-code="empty-body"

from typing import Literal, NamedTuple, overload

from cuarray import _core
from cuarray._core import ndarray


class EigResult(NamedTuple):
    """The result of `eig`."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: ndarray
    R: ndarray


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: ndarray
    S: ndarray
    Vh: ndarray


@_core.linalg_function
def cholesky(a, /, *, upper=False) -> ndarray:
    """Factorise a positive definite matrix into a triangle and its conjugate transpose.

    Parameters
    ----------
    a : array_like of shape (..., n, n)
        Symmetric, or Hermitian if complex; only one triangle is read, and the rest is not checked.
    upper : bool
        Whether the upper triangle is read, and an upper triangle returned.

    Returns
    -------
    ndarray of shape (..., n, n)
        The lower triangle L with L @ L.mT.conj() = a, or the upper one U with U.mT.conj() @ U = a.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or not positive definite.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.cholesky

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.cholesky(ca.asarray([[4.0, 2.0], [2.0, 5.0]], device="cpu"))
    array([[2., 0.],
           [1., 2.]])
    """


@_core.linalg_function
def eig(a) -> EigResult:
    """Return the eigenvalues and eigenvectors of square matrices.

    Parameters
    ----------
    a : array_like of shape (..., n, n)

    Returns
    -------
    eigenvalues : ndarray of shape (..., n)
        Complex, in no particular order.
    eigenvectors : ndarray of shape (..., n, n)
        Complex; each column is one of length 1, of the eigenvalue of that index.

    Raises
    ------
    LinAlgError
        If a matrix is not square, holds infinities or NaN, or the iteration does not converge.
    NotImplementedError
        If `a` is on a GPU and its cuSOLVER is older than that of CUDA 12.6 Update 2.

    Notes
    -----
    As in the Array API standard, results are complex even where all imaginary parts are zero.

    See Also
    --------
    numpy.linalg.eig, eigh

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.eig(ca.asarray([[0.0, -1.0], [1.0, 0.0]], device="cpu")).eigenvalues
    array([0.+1.j, 0.-1.j])
    """


@_core.linalg_function
def eigvals(a) -> ndarray:
    """Return the eigenvalues of square matrices.

    Parameters
    ----------
    a : array_like of shape (..., n, n)

    Returns
    -------
    ndarray of shape (..., n)
        Complex, in no particular order.

    Raises
    ------
    LinAlgError
        If a matrix is not square, holds infinities or NaN, or the iteration does not converge.
    NotImplementedError
        If `a` is on a GPU and its cuSOLVER is older than that of CUDA 12.6 Update 2.

    Notes
    -----
    As in the Array API standard, results are complex even where all imaginary parts are zero.

    See Also
    --------
    numpy.linalg.eigvals, eigvalsh

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.eigvals(ca.asarray([[3.0, 1.0], [0.0, 2.0]], device="cpu"))
    array([3.+0.j, 2.+0.j])
    """


@_core.linalg_function
def eigh(a, UPLO="L") -> EighResult:
    """Return the eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : array_like of shape (..., n, n)
        Only one triangle is read; imaginary parts on the diagonal count as zero.
    UPLO : {'L', 'U'}
        That triangle: the lower or the upper one.

    Returns
    -------
    eigenvalues : ndarray of shape (..., n)
        Real, in ascending order.
    eigenvectors : ndarray of shape (..., n, n)
        Orthonormal columns, in the order of the eigenvalues.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or the iteration does not converge.
    ValueError
        If `UPLO` is another letter.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.eigh, eig

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.eigh(ca.asarray([[2.0, 1.0], [1.0, 2.0]], device="cpu")).eigenvalues.round(12)
    array([1., 3.])
    """


@_core.linalg_function
def eigvalsh(a, UPLO="L") -> ndarray:
    """Return the eigenvalues of symmetric or Hermitian matrices.

    Parameters
    ----------
    a : array_like of shape (..., n, n)
        Only one triangle is read; imaginary parts on the diagonal count as zero.
    UPLO : {'L', 'U'}
        That triangle: the lower or the upper one.

    Returns
    -------
    ndarray of shape (..., n)
        Real, in ascending order.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or the iteration does not converge.
    ValueError
        If `UPLO` is another letter.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.eigvalsh, eigvals

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.eigvalsh(ca.asarray([[2.0, 1.0], [1.0, 2.0]], device="cpu")).round(12)
    array([1., 3.])
    """


@overload
def qr(a, mode: Literal["reduced", "complete"] = "reduced") -> QRResult: ...
@overload
def qr(a, mode: Literal["r"]) -> ndarray: ...
@overload
def qr(a, mode: Literal["raw"]) -> tuple[ndarray, ndarray]: ...
@_core.linalg_function
def qr(a, mode="reduced"):
    """Factorise matrices into orthonormal columns and an upper triangle.

    Parameters
    ----------
    a : array_like of shape (..., m, n)
    mode : {'reduced', 'complete', 'r', 'raw'}
        'reduced': Q has min(m, n) columns; 'complete': Q is square; 'r': only R; 'raw': what LAPACK computes.

    Returns
    -------
    Q : ndarray of shape (..., m, k)
        Orthonormal columns; k is min(m, n), or m for 'complete'.
    R : ndarray of shape (..., k, n)
        Upper triangle, with Q @ R = a. It is the only result for 'r'. For 'raw' the results are Householder
        reflectors, transposed, and their factors.

    Raises
    ------
    LinAlgError
        If `a` has fewer than two axes.
    ValueError
        If there is no such mode.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.qr

    Examples
    --------
    >>> import cuarray as ca
    >>> q, r = ca.linalg.qr(ca.asarray([[3.0, 1.0], [4.0, 2.0]], device="cpu"))
    >>> abs(r).round(12)
    array([[5. , 2.2],
           [0. , 0.4]])
    """


@overload
def svd(a, full_matrices=True, compute_uv: Literal[True] = True, hermitian=False) -> SVDResult: ...
@overload
def svd(a, full_matrices, compute_uv: Literal[False], hermitian=False) -> ndarray: ...
@overload
def svd(a, full_matrices=True, *, compute_uv: Literal[False], hermitian=False) -> ndarray: ...
@_core.linalg_function
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Return the singular value decomposition of matrices.

    Parameters
    ----------
    a : array_like of shape (..., m, n)
    full_matrices : bool
        Whether `U` and `Vh` are square; otherwise they have min(m, n) columns and rows.
    compute_uv : bool
        Whether singular vectors are computed; otherwise only the singular values are returned.
    hermitian : bool
        Whether `a` is symmetric or Hermitian, which is faster; only its lower triangle is read.

    Returns
    -------
    U : ndarray of shape (..., m, m) or (..., m, k)
        Orthonormal columns; k is min(m, n).
    S : ndarray of shape (..., k)
        Singular values: real, not negative, in descending order.
    Vh : ndarray of shape (..., n, n) or (..., k, n)
        Orthonormal rows, with (U * S[..., None, :]) @ Vh = a if the matrices are not full.

    Raises
    ------
    LinAlgError
        If `a` has fewer than two axes, is not square but `hermitian`, or the iteration does not converge.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.svd, svdvals

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.svd(ca.asarray([[0.0, 3.0], [4.0, 0.0]], device="cpu")).S
    array([4., 3.])
    """


@_core.linalg_function
def svdvals(x, /) -> ndarray:
    """Return the singular values of matrices.

    Parameters
    ----------
    x : array_like of shape (..., m, n)

    Returns
    -------
    ndarray of shape (..., min(m, n))
        Real, not negative, in descending order.

    Raises
    ------
    LinAlgError
        If `x` has fewer than two axes, or the iteration does not converge.
    NotImplementedError
        If `x` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.svdvals, svd

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.svdvals(ca.asarray([[0.0, 3.0], [4.0, 0.0]], device="cpu"))
    array([4., 3.])
    """
