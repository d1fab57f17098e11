"""Decompositions of matrices and systems of equations."""

from programs.registry import dominant, integers, positive_definite, program, random


@program(lambda n: [random(n, n)], small=76, large=330)
def lu(np, a):
    """LU decomposition with partial pivoting: both factors in one matrix, and the order of the rows."""
    a = a.copy()
    n = len(a)
    order = np.arange(n)
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            order[[k, pivot]] = order[[pivot, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, order


@program(lambda n: [positive_definite(n)], small=41, large=180)
def cholesky(np, a):
    """The lower triangular matrix L with L @ L.T = A."""
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i):
            lower[i, j] = (a[i, j] - np.dot(lower[i, :j], lower[j, :j])) / lower[j, j]
        lower[i, i] = np.sqrt(a[i, i] - np.dot(lower[i, :i], lower[i, :i]))
    return lower


@program(lambda n: [random(2 * n, n)], small=30, large=130)
def gram_schmidt(np, a):
    """QR decomposition by the modified Gram-Schmidt process."""
    m, n = a.shape
    q = np.zeros((m, n))
    r = np.zeros((n, n))
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = np.dot(q[:, i], v)
            v -= r[i, j] * q[:, i]
        r[j, j] = np.sqrt(np.sum(v**2))
        q[:, j] = v / r[j, j]
    return q, r


@program(lambda n: [random(n, n)], small=56, large=230)
def householder(np, a):
    """QR decomposition by Householder reflections."""
    n = len(a)
    q, r = np.eye(n), a.copy()
    for k in range(n - 1):
        v = r[k:, k].copy()
        v[0] += np.sign(v[0]) * np.sqrt(np.dot(v, v))
        v /= np.sqrt(np.dot(v, v))
        r[k:, k:] -= 2 * np.outer(v, v @ r[k:, k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return q, r


@program(lambda n: [dominant(n), random(n)], small=440, large=4200)
def triangular_solve(np, a, b):
    """Solve L @ U @ x = b, with L the lower triangle of a matrix and U its upper triangle."""
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - np.dot(a[i, :i], x[:i])) / a[i, i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - np.dot(a[i, i + 1 :], x[i + 1 :])) / a[i, i]
    return x


@program(lambda n: [random(n - 1), 2 + random(n), random(n - 1), random(n)], small=1200, large=25000)
def tridiagonal_solve(np, lower, diagonal, upper, b):
    """Solve a tridiagonal system by the Thomas algorithm."""
    n = len(b)
    c, x = np.zeros(n - 1), np.zeros(n)
    c[0] = upper[0] / diagonal[0]
    x[0] = b[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / pivot
        x[i] = (b[i] - lower[i - 1] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


@program(lambda n: [positive_definite(n)], small=6, large=25)
def jacobi_eigenvalues(np, a):
    """The eigenvalues of a symmetric matrix, by rotations that zero one element after the other."""
    a = a.copy()
    n = len(a)
    for _ in range(6):
        for p in range(n - 1):
            for q in range(p + 1, n):
                angle = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                c, s = np.cos(angle), np.sin(angle)
                a[[p, q]] = np.array([[c, -s], [s, c]]) @ a[[p, q]]
                a[:, [p, q]] = a[:, [p, q]] @ np.array([[c, s], [-s, c]])
    return np.sort(np.diag(a))


@program(lambda n: [integers(2, n, n + 8).astype("u1")], small=65, large=300)
def rank_of_bits(np, a):
    """The rank of a matrix of zeros and ones over the field of two elements."""
    a = a.copy()
    rank = 0
    for column in range(a.shape[1]):
        rows = np.nonzero(a[rank:, column])[0]
        if len(rows) == 0:
            continue
        pivot = rank + rows[0]
        if pivot != rank:
            a[[rank, pivot]] = a[[pivot, rank]]
        for row in range(rank + 1, len(a)):
            if a[row, column]:
                a[row] ^= a[rank]
        rank += 1
        if rank == len(a):
            break
    return rank
