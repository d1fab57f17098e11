"""Linear algebra: products, norms, factorisations and equations, with the names of numpy.linalg and of the Array API.

Factorisations are LAPACK's on the device `cpu` and cuSOLVER's on GPUs.
"""

from numpy.linalg import LinAlgError as LinAlgError

from cuarray._linalg.decompositions import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from cuarray._linalg.equations import det, inv, lstsq, pinv, slogdet, solve, tensorinv, tensorsolve
from cuarray._linalg.norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from cuarray._linalg.precision import precision
from cuarray._linalg.products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
    "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer",
    "pinv", "precision", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace",
    "vecdot", "vector_norm",
]  # fmt: skip
