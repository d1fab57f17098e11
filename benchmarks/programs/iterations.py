"""Iterations that converge to a solution."""

from programs.registry import dominant, integers, positive_definite, program, random


@program(lambda n: [positive_definite(40), random(n, 40)], small=16, large=310)
def conjugate_gradient(np, a, rights):
    """Solve A @ x = b for a symmetric positive definite matrix and each of the given right sides."""
    solutions = np.zeros_like(rights)
    for k, b in enumerate(rights):
        x = np.zeros_like(b)
        r = b - a @ x
        p = r.copy()
        rr = np.dot(r, r)
        while np.sqrt(rr) > 1e-10:
            ap = a @ p
            step = rr / np.dot(p, ap)
            x += step * p
            r -= step * ap
            previous, rr = rr, np.dot(r, r)
            p = r + (rr / previous) * p
        solutions[k] = x
    return solutions


@program(lambda n: [dominant(50), random(n, 50)], small=9, large=170)
def jacobi(np, a, rights):
    """Solve A @ x = b for a matrix with a dominant diagonal and each right side, all elements at once."""
    diagonal = np.diag(a)
    rest = a - np.diag(diagonal)
    solutions = []
    for b in rights:
        x = np.zeros_like(b)
        for _ in range(100):
            new = (b - rest @ x) / diagonal
            if np.max(np.abs(new - x)) < 1e-9:
                break
            x = new
        solutions.append(x)
    return np.array(solutions)


@program(lambda n: [dominant(n), random(n)], small=41, large=720)
def gauss_seidel(np, a, b):
    """Solve A @ x = b for a matrix with a dominant diagonal, one element after the other."""
    n = len(b)
    x = np.zeros(n)
    for _ in range(10):
        for i in range(n):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program(lambda n: [positive_definite(40), n], small=3, large=69)
def power_iteration(np, a, count):
    """The largest eigenvalues, one after the other; each is removed from the matrix when it is found."""
    a = a.copy()
    values = np.zeros(count)
    for k in range(count):
        v = np.ones(len(a))
        for _ in range(60):
            w = a @ v
            v = w / np.sqrt((w * w).sum())
            values[k] = float(v @ a @ v)
        a -= values[k] * np.outer(v, v)
    return values


@program(lambda n: [integers(n, n, 5)], small=57, large=1100)
def page_rank(np, links):
    """The ranks of pages, each of which has five links."""
    n = len(links)
    rank = np.full(n, 1 / n)
    for _ in range(15):
        new = np.full(n, 0.15 / n)
        for page in range(n):
            new[links[page]] += 0.85 * rank[page] / len(links[page])
        rank = new / new.sum()
    return rank


@program(lambda n: [0.5 + random(n, 2)], small=26, large=510)
def newton(np, starts):
    """Where a circle and a hyperbola meet, by Newton's method from each of the given points."""
    roots = np.zeros_like(starts)
    for k, start in enumerate(starts):
        x = start.copy()
        for _ in range(8):
            f = np.array([x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1])
            jacobian = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
            det = jacobian[0, 0] * jacobian[1, 1] - jacobian[0, 1] * jacobian[1, 0]
            if abs(det) < 1e-12:
                break
            inverse = np.array([[jacobian[1, 1], -jacobian[0, 1]], [-jacobian[1, 0], jacobian[0, 0]]]) / det
            x -= inverse @ f
        roots[k] = np.sort(x)
    return roots


@program(lambda n: [random(n, 10), random(10)], small=130, large=2500)
def adam(np, x, weights):
    """Fit a linear function with the Adam optimizer, one sample per step."""
    y = x @ weights
    w, m, v = np.zeros(10), np.zeros(10), np.zeros(10)
    for t in range(len(x)):
        gradient = 2 * (x[t] @ w - y[t]) * x[t]
        m *= 0.9
        m += 0.1 * gradient
        v *= 0.999
        v += 0.001 * gradient**2
        w -= 0.05 * (m / (1 - 0.9 ** (t + 1))) / (np.sqrt(v / (1 - 0.999 ** (t + 1))) + 1e-8)
    return w


@program(lambda n: [1 + 99 * random(n)], small=1800, large=35000)
def bisection(np, x):
    """The cube root of each number, halving all the intervals together."""
    low, high = np.zeros_like(x), x.copy()
    for _ in range(60):
        middle = (low + high) / 2
        above = middle**3 > x
        high = np.where(above, middle, high)
        low = np.where(above, low, middle)
    return low
