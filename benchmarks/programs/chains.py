"""Chains of elementwise operations and stencils, and what numerical programs do beside them, on whole arrays."""

from programs.registry import chain, dominant, integers, positive_definite, random

# Stencils.


@chain(lambda n: [random(n)], 10000, 160000, 2200000)
def heat_1d(np, u):
    for _ in range(20):
        u = np.concatenate((u[:1], u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]))
    return u


@chain(lambda n: [random(n, n)], 120, 500, 1800)
def heat_2d(np, u):
    u = u.copy()
    for _ in range(10):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u


@chain(lambda n: [random(n, n, n)], 26, 66, 165)
def heat_3d(np, u):
    u, inner = u.copy(), slice(1, -1)
    for _ in range(5):
        x = u[2:, inner, inner] - 2 * u[inner, inner, inner] + u[:-2, inner, inner]
        y = u[inner, 2:, inner] - 2 * u[inner, inner, inner] + u[inner, :-2, inner]
        z = u[inner, inner, 2:] - 2 * u[inner, inner, inner] + u[inner, inner, :-2]
        u[inner, inner, inner] = 0.125 * x + 0.125 * y + 0.125 * z + u[inner, inner, inner]
    return u


@chain(lambda n: [random(n, n)], 120, 500, 1700)
def jacobi_2d(np, a):
    a, b = a.copy(), a.copy()
    for _ in range(10):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a, b = b, a
    return a


@chain(lambda n: [random(n, n)], 130, 550, 1900)
def wave_2d(np, u):
    before, speed = u.copy(), 0.25
    for _ in range(8):
        new = 2 * u - before
        new[1:-1, 1:-1] += speed * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        before, u = u, new
    return u


@chain(lambda n: [random(n)], 9000, 140000, 2000000)
def burgers_1d(np, u):
    u = u.copy()
    for _ in range(20):
        u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.05 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@chain(lambda n: [random(n)], 8000, 130000, 1900000)
def limited_advection(np, u):
    """A second-order upwind scheme with the minmod limiter."""
    for _ in range(6):
        left, right = u - np.roll(u, 1), np.roll(u, -1) - u
        slope = np.where(left * right > 0, np.sign(left) * np.minimum(np.abs(left), np.abs(right)), 0.0)
        flux = u + 0.5 * (1 - 0.4) * slope
        u = u - 0.4 * (flux - np.roll(flux, 1))
    return u


@chain(lambda n: [random(n, n)], 90, 380, 1500)
def gray_scott(np, v):
    """Two substances that react and diffuse."""
    u = 1 - v
    for _ in range(4):
        lu, lv = (np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a for a in (u, v))
        uvv = u * v * v
        u, v = u + 0.16 * lu - uvv + 0.035 * (1 - u), v + 0.08 * lv + uvv - 0.1 * v
    return u, v


@chain(lambda n: [integers(2, n, n).astype("u1")], 230, 1300, 6000)
def life(np, cells):
    for _ in range(5):
        count = cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2]
        count = count + cells[1:-1, 2:] + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        alive = (count == 3) | ((count == 2) & (cells[1:-1, 1:-1] == 1))
        new = np.zeros_like(cells)
        new[1:-1, 1:-1] = alive
        cells = new
    return cells


@chain(lambda n: [random(n, n)], 110, 480, 1900)
def fdtd_2d(np, hz):
    """Maxwell's equations on a staggered grid."""
    hz, ex, ey = hz.copy(), np.zeros_like(hz), np.zeros_like(hz)
    for step in range(6):
        ey[0, :] = step
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return hz


@chain(lambda n: [random(n, n)], 90, 390, 1500)
def shallow_water(np, h):
    h, u, v = 1 + 0.1 * h, np.zeros_like(h), np.zeros_like(h)
    for _ in range(5):
        u[1:-1, :] -= 0.05 * (h[2:, :] - h[:-2, :])
        v[:, 1:-1] -= 0.05 * (h[:, 2:] - h[:, :-2])
        hu, hv = h * u, h * v
        h[1:-1, 1:-1] -= 0.05 * (hu[2:, 1:-1] - hu[:-2, 1:-1] + hv[1:-1, 2:] - hv[1:-1, :-2])
    return h


@chain(lambda n: [random(n, n), random(n, n)], 100, 420, 1600)
def pressure(np, p, b):
    """The pressure equation of the cavity flow."""
    p = p.copy()
    for _ in range(8):
        old = p.copy()
        p[1:-1, 1:-1] = (
            (old[1:-1, 2:] + old[1:-1, :-2]) * 0.01 + (old[2:, 1:-1] + old[:-2, 1:-1]) * 0.02
        ) / 0.06 - 0.005 * b[1:-1, 1:-1]
        p[:, -1], p[0, :], p[:, 0], p[-1, :] = p[:, -2], p[1, :], p[:, 1], 0
    return p


@chain(lambda n: [random(n, n, 8)], 44, 190, 800)
def horizontal_diffusion(np, f):
    """A limited fourth-order diffusion, as in weather models."""
    lap = 4 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
    x = lap[1:, 1:-1] - lap[:-1, 1:-1]
    x = np.where(x * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0, x)
    y = lap[1:-1, 1:] - lap[1:-1, :-1]
    y = np.where(y * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0, y)
    return f[2:-2, 2:-2] - 0.025 * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


@chain(lambda n: [random(n, n).astype("f4")], 250, 1200, 5200)
def blur(np, image):
    """Two passes of a filter of five taps."""
    rows = 0.06 * (image[4:] + image[:-4]) + 0.24 * (image[3:-1] + image[1:-3]) + 0.4 * image[2:-2]
    return 0.06 * (rows[:, 4:] + rows[:, :-4]) + 0.24 * (rows[:, 3:-1] + rows[:, 1:-3]) + 0.4 * rows[:, 2:-2]


@chain(lambda n: [random(n, n).astype("f4")], 230, 1100, 4700)
def sobel(np, a):
    x = a[:-2, 2:] - a[:-2, :-2] + 2 * (a[1:-1, 2:] - a[1:-1, :-2]) + a[2:, 2:] - a[2:, :-2]
    y = a[2:, :-2] - a[:-2, :-2] + 2 * (a[2:, 1:-1] - a[:-2, 1:-1]) + a[2:, 2:] - a[:-2, 2:]
    return np.sqrt(x * x + y * y)


@chain(lambda n: [random(n, n, 3)], 90, 370, 1700)
def sharpen(np, image):
    inner = image[1:-1, 1:-1]
    soft = (image[:-2, 1:-1] + image[2:, 1:-1] + image[1:-1, :-2] + image[1:-1, 2:] + 4 * inner) / 8
    return np.clip(inner + 0.7 * (inner - soft), 0, 1)


@chain(lambda n: [random(n, n)], 75, 310, 1400)
def bilateral(np, a):
    """A filter that keeps edges: nine neighbours, weighted by their difference."""
    total, weights = np.zeros_like(a[1:-1, 1:-1]), np.zeros_like(a[1:-1, 1:-1])
    for i in range(3):
        for j in range(3):
            other = a[i : a.shape[0] - 2 + i, j : a.shape[1] - 2 + j]
            w = np.exp(-10 * (other - a[1:-1, 1:-1]) ** 2)
            total += w * other
            weights += w
    return total / weights


# Chains.


@chain(lambda n: [n], 70, 310, 1500)
def mandelbrot(np, n):
    c = np.linspace(-2, 0.5, n) + 1j * np.linspace(-1.2, 1.2, n)[:, None]
    z, count = np.zeros_like(c), np.zeros(c.shape, dtype="i8")
    for _ in range(10):
        z = np.where(np.abs(z) < 2, z * z + c, z)
        count += np.abs(z) < 2
    return count


@chain(lambda n: [random(n, n), random(n, n)], 75, 330, 1500)
def julia(np, x, y):
    """In real arithmetic."""
    x, y = 3 * x - 1.5, 3 * y - 1.5
    count = np.zeros(x.shape)
    for _ in range(12):
        xx, yy = x * x, y * y
        inside = xx + yy < 4
        count += inside
        x, y = np.where(inside, xx - yy - 0.8, x), np.where(inside, 2 * x * y + 0.156, y)
    return count


@chain(lambda n: [35 * random(n), 20 * random(n), 1000 * random(n)], 7000, 110000, 1500000)
def equation_of_state(np, s, t, p):
    """The density of sea water, from salinity, temperature and pressure."""
    rs = np.sqrt(s)
    rho = 999.842594 + t * (6.793952e-2 + t * (-9.09529e-3 + t * (1.001685e-4 + t * (-1.120083e-6 + t * 6.536332e-9))))
    rho = rho + s * (0.824493 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9))))
    rho = rho + s * rs * (-5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6)) + 4.8314e-4 * s * s
    k = 19652.21 + t * (148.4206 + t * (-2.327105 + t * (1.360477e-2 - t * 5.155288e-5)))
    k = k + s * (54.6746 + t * (-0.603459 + t * (1.09987e-2 - t * 6.167e-5))) + s * rs * (7.944e-2 + t * 1.6483e-2)
    k = k + p * (3.239908 + t * (1.43713e-3 + t * (1.16092e-4 - t * 5.77905e-7)))
    return rho / (1 - p / k)


@chain(lambda n: [50 + 50 * random(n), 50 + 50 * random(n), 0.1 + random(n)], 8000, 150000, 2600000)
def black_scholes(np, price, strike, years):
    def normal(x):
        k = 1 / (1 + 0.2316419 * np.abs(x))
        tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.3989422804 * np.exp(-x * x / 2) * tail
        return np.where(x > 0, 1 - tail, tail)

    spread = 0.3 * np.sqrt(years)
    d1 = (np.log(price / strike) + (0.02 + 0.045) * years) / spread
    call = price * normal(d1) - strike * np.exp(-0.02 * years) * normal(d1 - spread)
    return call, call - price + strike * np.exp(-0.02 * years)


@chain(lambda n: [random(32, n)], 2400, 40000, 650000)
def asian_option(np, steps):
    """Monte Carlo: each row of random numbers moves all prices once."""
    price, total = np.full(steps.shape[1], 100.0), np.zeros(steps.shape[1])
    for row in steps:
        price = price * np.exp(0.001 + 0.2 * (row - 0.5))
        total = total + price
    return np.maximum(total / len(steps) - 100, 0).mean()


@chain(lambda n: [random(n, 3)], 65, 290, 1300)
def n_body(np, x):
    """Accelerations of all pairs."""
    dx, dy, dz = (x[:, k] - x[:, k, None] for k in range(3))
    inverse = (dx**2 + dy**2 + dz**2 + 0.01) ** -1.5
    return np.stack([(d * inverse).sum(axis=1) for d in (dx, dy, dz)], axis=1)


@chain(lambda n: [random(n, 6) - 0.5], 10000, 160000, 2500000)
def leapfrog(np, state):
    """Orbits around one mass."""
    x, y, z, u, v, w = (state[:, k].copy() for k in range(6))
    for _ in range(4):
        pull = -0.01 / np.sqrt(x * x + y * y + z * z + 0.1)
        u, v, w = u + pull * x, v + pull * y, w + pull * z
        x, y, z = x + 0.01 * u, y + 0.01 * v, z + 0.01 * w
    return x + y + z


@chain(lambda n: [random(n, 256) - 0.5], 350, 6000, 100000)
def softmax(np, x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@chain(lambda n: [random(n, 256).astype("f4")], 600, 9000, 130000)
def layer_norm(np, x):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5) * 1.5 + 0.5


@chain(lambda n: [random(n) - 0.5], 40000, 650000, 12000000)
def gelu(np, x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@chain(lambda n: [random(n, n, 3), random(3, 3, 3, 8)], 26, 90, 400)
def convolution_layer(np, x, weights):
    """Nine products of all pixels with the channels' weights, and a bend."""
    height, width = x.shape[0] - 2, x.shape[1] - 2
    y = np.zeros((height, width, 8))
    for i in range(3):
        for j in range(3):
            y += (x[i : i + height, j : j + width, :, None] * weights[i, j]).sum(axis=2)
    return np.maximum(y, 0)


@chain(lambda n: [random(n), random(n)], 30000, 480000, 8000000)
def adam_step(np, w, g):
    m, v = 0.1 * g, 0.001 * g * g
    return w - 0.01 * (m / 0.1) / (np.sqrt(v / 0.001) + 1e-8) - 1e-4 * w


@chain(lambda n: [random(n) * 3, random(n) * 3], 11000, 180000, 3000000)
def great_circles(np, lat, lon):
    a = np.sin((lat - 1) / 2) ** 2 + np.cos(lat) * 0.54 * np.sin((lon - 1) / 2) ** 2
    return 12742 * np.arcsin(np.sqrt(np.minimum(a, 1)))


@chain(lambda n: [random(n, n, 3)], 110, 500, 2300)
def grade(np, image):
    """Colours of an image: luminance, contrast, saturation."""
    r, g, b = image[..., 0], image[..., 1], image[..., 2]
    grey = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return np.stack([np.clip(grey + 1.2 * (1.1 * (c - 0.5) + 0.5 - grey), 0, 1) for c in (r, g, b)], axis=-1)


@chain(lambda n: [random(n)], 18000, 300000, 5200000)
def logistic_map(np, x):
    for _ in range(12):
        x = 3.9 * x * (1 - x)
    return x


@chain(lambda n: [random(n), random(n)], 20000, 330000, 5500000)
def rotations(np, x, y):
    """Points through four rotations, without temporaries of their own."""
    for k in range(4):
        c, s = 0.8, 0.6 if k % 2 else -0.6
        x, y = c * x - s * y, s * x + c * y
    return x, y


# Linear algebra, sums and scans.


@chain(lambda n: [dominant(n)], 64, 290, 1150)
def lu(np, a):
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return a


@chain(lambda n: [positive_definite(n)], 64, 310, 1300)
def cholesky(np, a):
    a = a.copy()
    for k in range(len(a)):
        a[k:, k] /= np.sqrt(a[k, k])
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k + 1 :, k]
    return np.tril(a)


@chain(lambda n: [dominant(n), random(n, 16)], 280, 2300, 9000)
def triangular_solve(np, a, b):
    x = b.copy()
    for k in range(len(a)):
        x[k] = (x[k] - a[k, :k] @ x[:k]) / a[k, k]
    return x


@chain(lambda n: [random(64, n), 2 + random(64, n)], 400, 12000, 250000)
def tridiagonal(np, d, b):
    """Thomas' algorithm, for all columns at once."""
    c, d = np.zeros_like(b), d.copy()
    c[0], d[0] = 0.5 / b[0], d[0] / b[0]
    for k in range(1, len(b)):
        scale = 1 / (b[k] - 0.5 * c[k - 1])
        c[k] = 0.5 * scale
        d[k] = (d[k] - 0.5 * d[k - 1]) * scale
    for k in range(len(b) - 2, -1, -1):
        d[k] -= c[k] * d[k + 1]
    return d


@chain(lambda n: [random(n, n)], 60, 220, 800)
def floyd_warshall(np, distance):
    distance = distance.copy()
    for k in range(len(distance)):
        distance = np.minimum(distance, distance[:, k, None] + distance[k])
    return distance


@chain(lambda n: [random(n, 40)], 120, 5000, 120000)
def gram_schmidt(np, a):
    q = a.copy()
    for k in range(q.shape[1]):
        q[:, k] /= np.sqrt((q[:, k] * q[:, k]).sum())
        q[:, k + 1 :] -= q[:, k, None] * (q[:, k] @ q[:, k + 1 :])
    return q


@chain(lambda n: [random(n)], 16000, 240000, 4000000)
def statistics(np, x):
    """Moments, a moving average and what lies outside of it."""
    mean = x.mean()
    z = (x - mean) / x.std()
    sums = np.cumsum(x)
    moving = (sums[20:] - sums[:-20]) / 20
    return (z**3).mean(), (z**4).mean(), np.abs(x[20:] - moving).max(), (np.abs(z) > 1.5).sum()
