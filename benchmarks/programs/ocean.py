"""Parts of an ocean model on whole arrays, in plain NumPy: the terms of a long equation of state, and mixing along
surfaces of equal density."""

import numpy

# Degrees in t, for each power of the root of s (along a row) and of p.
DEGREES = ((4, 4, 3, 2), (3, 3, 2, 2), (3, 2, 2, 1))


def coefficients(rate: float) -> list[list[list[float]]]:
    """Those of t, for each power of the root of s and of p: as those of sea water, they fall fast."""
    return [
        [[rate ** -(i + j + k) * (1 + 0.1 * k) for k in range(degree + 1)] for j, degree in enumerate(row)]
        for i, row in enumerate(DEGREES)
    ]


TOP, BOTTOM = coefficients(40.0), coefficients(50.0)


def with_derivative(c, t):
    """A polynomial of t, and its derivative."""
    value, slope = c[-1] * t + c[-2], c[-1]
    for number in c[-3::-1]:
        value, slope = value * t + number, slope * t + value
    return value, slope


def expansion(terms, s_root, t, p):
    """A polynomial of three variables, and its derivatives with respect to t and to p."""
    value = slope = along_p = 0.0
    for row in reversed(terms):
        part = slope_of_part = 0.0
        for c in reversed(row):
            term, slope_of_term = with_derivative(c, t)
            part, slope_of_part = part * s_root + term, slope_of_part * s_root + slope_of_term
        along_p = along_p * p + value
        value, slope = value * p + part, slope * p + slope_of_part
    return value, slope, along_p


def equation_of_state(np, s, t, p):
    """The derivative of the enthalpy of sea water: 366 operations on whole arrays, if all are counted."""
    root = np.sqrt(s)
    top, top_t, top_p = expansion(TOP, root, t, p)
    bottom, bottom_t, bottom_p = expansion(BOTTOM, root, t, p)
    volume = bottom / top
    by_t = (bottom_t * top - bottom * top_t) / (top * top)
    by_p = (bottom_p * top - bottom * top_p) / (top * top)
    spread = np.sqrt(np.abs(by_t * by_t + 4 * by_p) + 1e-3)
    heat = np.log(np.abs((spread - by_t) / (spread + by_t)) + 1e-6) / spread
    return volume + by_t * p + heat * (1 - 0.1 * root) * p + volume * s


def state(n: int) -> list[numpy.ndarray]:
    """Salinity, temperature and pressure."""
    rng = numpy.random.default_rng(1)
    return [35 * rng.random(n), 20 * rng.random(n), rng.random(n)]


def tapered(np, across, upwards):
    """Slopes of surfaces of equal density, and how much of the mixing steep ones leave."""
    slope = -across / (np.minimum(0.0, upwards) - 1e-10)
    return slope, 0.5 * (1.0 + np.tanh((-np.abs(slope) + 1e-3) / 2e-4))


def isoneutral_mixing(np, temp, salt, mask, depth):
    """Diffusivities along density surfaces at the east, north and upper faces, each from the triads around it."""
    expand_t, expand_s = -0.17 - 0.01 * temp - 1e-4 * depth, 0.77 - 2e-3 * temp
    x_t, x_s = (0.1 * mask[1:] * mask[:-1] * (a[1:] - a[:-1]) for a in (temp, salt))
    y_t, y_s = (0.1 * mask[:, 1:] * mask[:, :-1] * (a[:, 1:] - a[:, :-1]) for a in (temp, salt))
    z_t, z_s = (mask[..., 1:] * mask[..., :-1] * (a[..., 1:] - a[..., :-1]) for a in (temp, salt))
    faces = []
    for axis, (by_t, by_s) in enumerate(((x_t, x_s), (y_t, y_s))):
        shape = [n - 2 for n in temp.shape]
        total, flux = np.zeros(shape), np.zeros((*shape, 2, 2))
        sides = (slice(1, -1), slice(1, -1), slice(1, -1))
        difference = tuple(slice(1, None) if a == axis else slice(1, -1) for a in range(3))
        for kr in range(2):
            for ip in range(2):
                near = tuple(slice(1 + ip, n - 1 + ip) if a == axis else s
                             for a, (n, s) in enumerate(zip(temp.shape, sides, strict=True)))  # fmt: skip
                above = (*near[:2], slice(kr, temp.shape[2] - 2 + kr))
                across = expand_t[near] * by_t[difference] + expand_s[near] * by_s[difference]
                upwards = expand_t[near] * z_t[above] + expand_s[near] * z_s[above]
                slope, taper = tapered(np, across, upwards)
                total += mask[near] * np.maximum(50.0, 1000.0 * taper)
                flux[..., ip, kr] = taper * slope * mask[near]
        faces += [total / 4, flux]
    total = np.zeros([n - 2 for n in temp.shape])
    inner = (slice(1, -1), slice(1, -1))
    for kr in range(2):
        level = slice(1 + kr, temp.shape[2] - 1 + kr)
        upwards = expand_t[(*inner, level)] * z_t[1:-1, 1:-1, 1:] + expand_s[(*inner, level)] * z_s[1:-1, 1:-1, 1:]
        for ip in range(2):
            for axis, (by_t, by_s) in enumerate(((x_t, x_s), (y_t, y_s))):
                at = tuple(slice(ip, n - 2 + ip) if a == axis else slice(1, -1) for a, n in enumerate(temp.shape[:2]))
                across = expand_t[(*inner, level)] * by_t[(*at, level)] + expand_s[(*inner, level)] * by_s[(*at, level)]
                slope, taper = tapered(np, across, upwards)
                total += 1000.0 * taper * slope * slope * mask[(*inner, level)]
    return *faces, total / 8


def water(elements: int) -> list[numpy.ndarray]:
    """Temperature, salinity, a mask of the sea and depths, of a shape eight times as wide as deep."""
    wide, deep = round(2 * elements ** (1 / 3)), round(0.25 * elements ** (1 / 3))
    rng = numpy.random.default_rng(1)
    shape = (wide, wide, deep)
    mask = (rng.random(shape) > 0.1).astype(float)
    return [20 * rng.random(shape), 35 * rng.random(shape), mask, numpy.linspace(0, 4000, deep)]
