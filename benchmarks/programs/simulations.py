"""Simulations step by step."""

import numpy

from programs.registry import integers, program, random


@program(lambda n: [numpy.array([1.0, 1.0, 1.0]), n], small=90, large=1800)
def lorenz(np, start, steps):
    """A path of the Lorenz system, by the method of Runge and Kutta of order 4."""

    def slope(state):
        x, y, z = state
        return np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    h = 0.005
    path = np.zeros((steps + 1, 3))
    path[0] = start
    for i in range(steps):
        state = path[i]
        k1 = slope(state)
        k2 = slope(state + h / 2 * k1)
        k3 = slope(state + h / 2 * k2)
        k4 = slope(state + h * k3)
        path[i + 1] = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return path


@program(lambda n: [random(5, 3), random(5), n], small=26, large=510)
def n_body(np, positions, masses, steps):
    """The paths of five bodies under gravity, by the Verlet method."""

    def acceleration(x):
        result = np.zeros_like(x)
        for i in range(len(x)):
            d = x - x[i]
            r2 = (d**2).sum(axis=1) + 0.01
            result[i] = (masses[:, None] * d / r2[:, None] ** 1.5).sum(axis=0)
        return result

    h = 0.001
    x, v = positions.copy(), np.zeros_like(positions)
    a = acceleration(x)
    for _ in range(steps):
        x += h * v + 0.5 * h**2 * a
        new = acceleration(x)
        v += 0.5 * h * (a + new)
        a = new
    return x, v


@program(lambda n: [integers(2, 40, 40), n], small=15, large=290)
def life(np, grid, generations):
    """Conway's game of life on a torus."""
    for _ in range(generations):
        neighbours = np.zeros_like(grid)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    neighbours += np.roll(grid, (dy, dx), axis=(0, 1))
        grid = ((neighbours == 3) | ((grid == 1) & (neighbours == 2))).astype(grid.dtype)
    return grid


@program(lambda n: [n], small=180, large=2000)
def rule_110(np, width):
    """The cellular automaton rule 110, from a single cell at the right."""
    table = np.array([(110 >> i) & 1 for i in range(8)], dtype=np.uint8)
    cells = np.zeros((width, width), dtype=np.uint8)
    cells[0, -1] = 1
    for t in range(1, width):
        left = np.concatenate(([0], cells[t - 1, :-1]))
        right = np.concatenate((cells[t - 1, 1:], [0]))
        cells[t] = table[4 * left + 2 * cells[t - 1] + right]
    return cells


@program(lambda n: [integers(4, n)], small=1200, large=23000)
def random_walk(np, directions):
    """How often a walk on a torus of 32 x 32 places visits each, and how far it ends."""
    moves = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
    visits = np.zeros((32, 32), dtype=np.int32)
    position = np.zeros(2, dtype=np.int64)
    for direction in directions:
        position += moves[direction]
        visits[position[0] % 32, position[1] % 32] += 1
    return visits, float(np.sqrt((position**2).sum()))


@program(lambda n: [random(n, n)], small=58, large=340)
def heat(np, start):
    """How heat spreads on a plate with borders of a fixed temperature."""
    u = start.copy()
    for _ in range(60):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
    return u


@program(lambda n: [2 * integers(2, 16, 16) - 1, integers(16, n, 2), random(n)], small=410, large=7500)
def ising(np, spins, places, chances):
    """The Metropolis algorithm for the Ising model: spins and magnetization after the given trials."""
    spins = spins.copy()
    n = len(spins)
    total = spins.sum()
    for (i, j), chance in zip(places, chances, strict=True):
        around = spins[i - 1, j] + spins[(i + 1) % n, j] + spins[i, j - 1] + spins[i, (j + 1) % n]
        energy = 2 * spins[i, j] * around
        if energy <= 0 or chance < np.exp(-energy / 2.2):
            spins[i, j] *= -1
            total += 2 * spins[i, j]
    return spins, total
