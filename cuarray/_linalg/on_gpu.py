"""Factorisations on GPUs, by cuSOLVER: LAPACK's routines over copies of matrices by columns."""

from math import prod

import numpy as np
from numpy.linalg import LinAlgError

from cuarray import _core
from cuarray._arguments.functions import argsort, broadcast_shapes, broadcast_to, roll, sort, take_along_axis, zeros
from cuarray._arguments.ufuncs import abs, conj, copysign, exp, isfinite, isnan, log
from cuarray._functions.elementwise import where
from cuarray._functions.matrices import eye, tril, triu
from cuarray._functions.sequences import arange


class Lapack:
    """LAPACK's routines for one public function, in one dtype. They take and give arrays of matrices by columns."""

    def __init__(self, function, dtype):
        self.function, self.dtype = function, dtype

    def __call__(self, routine, *arrays, lower=True, vectors="none", solved=1):
        return _core.lapack_routine(routine, arrays, self.dtype, lower, vectors, solved, self.function)


def factorised(function, name, arrays, options):
    """Return what the factorisation of numpy.linalg of that name gives, as new arrays of the same device."""
    lapack = Lapack(function, common_type(arrays))
    if name != "lstsq" and not arrays[0].size:
        return of_nothing(name, arrays, lapack.dtype, options)
    return ROUTINES[name](lapack, *arrays, **options)


def common_type(arrays):
    """Return the dtype in which arrays are factorised together; integers count as float64."""
    is_single = all(x.dtype in (np.float32, np.complex64) for x in arrays)
    is_complex = any(x.dtype.kind == "c" for x in arrays)
    return np.result_type(np.float32 if is_single else np.float64, *[np.complex64] * is_complex)


def of_nothing(name, arrays, dtype, options):
    """Return the results for matrices without elements, which depend on their shapes alone."""
    found = getattr(np.linalg, name)(*[np.zeros(x.shape, dtype) for x in arrays], **options)
    device = arrays[0].device
    if isinstance(found, tuple):
        return tuple([_core.array_from_object(np.asarray(x), None, device, True) for x in found])
    return _core.array_from_object(np.asarray(found), None, device, True)


def require_success(info, message):
    """Raise LinAlgError if a routine failed for one of the matrices. The one thing that the host waits for."""
    if info.numpy().any():
        raise LinAlgError(message)


def by_rows(x):
    """Return a copy of matrices in C order."""
    return x.copy("C")


def cholesky(lapack, a, upper):
    """Factorise positive definite matrices. By columns, memory by rows is the transposed matrix."""
    factor, info = lapack("potrf", a, lower=upper)
    require_success(info, "Matrix is not positive definite")
    return triu(factor) if upper else tril(factor)


def lu(lapack, a):
    """Return the factors of regular matrices, and the pivots."""
    factors, pivots, info = lapack("getrf", a)
    require_success(info, "Singular matrix")
    return factors, pivots


def inv(lapack, a):
    """Return inverses: that of the transposed matrix by columns is that of the matrix by rows."""
    n = a.shape[-1]
    identity = broadcast_to(eye(n, dtype=lapack.dtype, device=a.device), a.shape)
    return lapack("getrs", *lu(lapack, a), identity, solved=n)[0]


def solve(lapack, a, b):
    """Solve equations; one matrix serves a whole stack of right sides."""
    is_vector = b.ndim == 1
    lines = b if is_vector else b.mT
    stack = broadcast_shapes(a.shape[:-2], () if is_vector else b.shape[:-2])
    right = broadcast_to(lines, (*stack, *lines.shape[-1 if is_vector else -2 :]))
    factors, pivots = lu(lapack, a.mT)
    if prod(a.shape[:-2]) != 1:
        factors = broadcast_to(factors, (*stack, *factors.shape[-2:]))
        pivots = broadcast_to(pivots, (*stack, pivots.shape[-1]))
    found = lapack("getrs", factors, pivots, right, solved=1 if is_vector else b.shape[-1])[0]
    return found if is_vector else by_rows(found.mT)


def slogdet(lapack, a):
    """Return signs and logarithms of determinants; a singular matrix is no error."""
    factors, pivots, info = lapack("getrf", a)
    diagonal = factors.diagonal(0, -2, -1)
    size = abs(diagonal)
    exchanged = (pivots != arange(1, a.shape[-1] + 1, device=a.device)).sum(-1) % 2
    signs = diagonal / size if lapack.dtype.kind == "c" else copysign(size.dtype.type(1), diagonal)
    sign = where(exchanged == 1, -1, 1).astype(size.dtype) * signs.prod(-1)
    return where(info != 0, 0, sign), where(info != 0, -np.inf, log(size).sum(-1))


def det(lapack, a):
    """Return determinants, which overflow only if they are too large themselves."""
    sign, logarithm = slogdet(lapack, a)
    return sign * exp(logarithm)


def qr(lapack, a, mode):
    """Factorise into orthonormal columns and an upper triangle."""
    rows, columns = a.shape[-2:]
    reflectors, factors, _ = lapack("geqrf", a.mT)
    if mode == "raw":
        return reflectors, factors
    count = rows if mode == "complete" else min(rows, columns)
    r = triu(by_rows(reflectors.mT[..., :count, :]))
    if mode == "r":
        return r
    if prod(a.shape[:-2]) > 1:
        return product_of_reflectors(lapack, reflectors, factors, count), r
    lines = reflectors[..., :count, :]
    if count > columns:
        lines = zeros((*a.shape[:-2], count, rows), lapack.dtype, device=a.device)
        lines[..., :columns, :] = reflectors
    q, _ = lapack("orgqr", lines, factors)
    return by_rows(q.mT), r


def product_of_reflectors(lapack, reflectors, factors, count):
    """Return the first columns of Q for a whole stack, for which cuSOLVER has no routine.

    Q = I - V T V^H, where T is the inverse of an upper triangle: that of V^H V with 1 / factors on its diagonal (the UT
    transform: Joffrain et al., Accumulating Householder transformations, revisited, ACM TOMS 32, 2006).
    """
    rows, columns = reflectors.shape[-1], factors.shape[-1]
    is_used = factors != 0  # otherwise the reflector is the identity
    vectors = tril(reflectors.mT[..., :columns], -1) + eye(rows, columns, dtype=lapack.dtype, device=factors.device)
    vectors = where(is_used[..., None, :], vectors, 0)
    products = triu(_core.matmul(conj(vectors.mT), vectors), 1)
    diagonal = where(is_used, 1 / where(is_used, factors, 1), 1)
    triangle = products + diagonal[..., None] * eye(columns, dtype=lapack.dtype, device=factors.device)
    lower, pivots, _ = lapack("getrf", triangle.mT)
    right = conj(vectors)[..., :count, :]
    solved = lapack("getrs", lower, pivots, right, solved=count)[0]
    return eye(rows, count, dtype=lapack.dtype, device=factors.device) - _core.matmul(vectors, solved.mT)


def eigh(lapack, a, UPLO):
    """Return eigenvalues and eigenvectors of Hermitian matrices."""
    vectors, values, info = lapack("syevd", a.mT, lower=UPLO == "L", vectors="full")
    require_success(info, "Eigenvalues did not converge")
    return values, by_rows(vectors.mT)


def eigvalsh(lapack, a, UPLO):
    """Return eigenvalues of Hermitian matrices."""
    _, values, info = lapack("syevd", a.mT, lower=UPLO == "L")
    require_success(info, "Eigenvalues did not converge")
    return values


def eig(lapack, a):
    """Return eigenvalues and eigenvectors of general matrices."""
    require_finite(a)
    values, lines, info = lapack("geev", a.mT, vectors="full")
    require_success(info, "Eigenvalues did not converge")
    if lapack.dtype.kind != "c":
        lines = of_pairs(values, lines)
    return values, by_rows(lines.mT)


def of_pairs(values, lines):
    """Return complex eigenvectors of real matrices. LAPACK gives a pair as both parts of the first."""
    is_first, is_second = (values.imag > 0)[..., None], (values.imag < 0)[..., None]
    real = where(is_second, roll(lines, 1, -2), lines)
    imaginary = where(is_first, roll(lines, -1, -2), where(is_second, -lines, 0))
    return real + imaginary * values.dtype.type(1j)


def eigvals(lapack, a):
    """Return eigenvalues of general matrices."""
    require_finite(a)
    values, info = lapack("geev", a.mT)
    require_success(info, "Eigenvalues did not converge")
    return values


def require_finite(a):
    """Raise NumPy's error for matrices of which LAPACK makes no sense."""
    if not isfinite(a).all():
        raise LinAlgError("Array must not contain infs or NaNs")


def svd(lapack, a, full_matrices=True, compute_uv=True, hermitian=False):
    """Return singular values and vectors. The routine wants no fewer rows than columns: others are transposed."""
    if hermitian:
        return hermitian_svd(lapack, a) if compute_uv else sort(abs(eigvalsh(lapack, a, "L")))[..., ::-1].copy()
    is_tall = a.shape[-2] >= a.shape[-1]
    vectors = ("full" if full_matrices else "reduced") if compute_uv else "none"
    values, *found, info = lapack("gesvd", a.mT if is_tall else a, vectors=vectors)
    # Without vectors cuSOLVER reports success for a matrix with NaN.
    require_success((info != 0) | isnan(values).any(axis=-1), "SVD did not converge")
    if not compute_uv:
        return values
    left, right = found
    return (by_rows(left.mT), values, by_rows(right.mT)) if is_tall else (right, values, left)


def hermitian_svd(lapack, a):
    """Return singular values and vectors by way of eigenvalues, whose signs go to the right vectors."""
    values, vectors = eigh(lapack, a, "L")
    order = argsort(abs(values))[..., ::-1]
    values = take_along_axis(values, order, -1)
    left = take_along_axis(vectors, order[..., None, :], -1)
    signs = copysign(values.dtype.type(1), values)
    return left, abs(values), by_rows(conj(left * signs[..., None, :]).mT)


def lstsq(lapack, a, b, rcond):
    """Solve by least squares, through singular values. The rank, on which a shape depends, is read by the host."""
    rows, columns = a.shape
    right = (b[:, None] if b.ndim == 1 else b).astype(lapack.dtype)
    left, values, adjoint = factorised(lapack.function, "svd", (a.astype(lapack.dtype),), {"full_matrices": False})
    if rcond is None or rcond < 0:
        rcond = np.finfo(values.dtype).eps * (1 if rcond is not None else max(rows, columns))
    is_kept = values > rcond * values[:1]
    parts = _core.matmul(conj(left.mT), right) * where(is_kept, 1 / values, 0)[:, None]
    x = _core.matmul(conj(adjoint.mT), parts)
    rank = is_kept.sum().astype(np.int32)
    rest = abs(right - _core.matmul(a.astype(lapack.dtype), x)) ** 2
    has_residuals = rows > columns and rank.item() == columns
    residuals = rest.sum(0) if has_residuals else zeros(0, values.dtype, device=a.device)
    return x[:, 0].copy() if b.ndim == 1 else x, residuals, rank, values


ROUTINES = {
    routine.__name__: routine
    for routine in (cholesky, det, eig, eigh, eigvals, eigvalsh, inv, lstsq, qr, slogdet, solve, svd)
}
