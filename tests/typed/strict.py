"""Ordinary functions with annotations, for pyright --strict: as many errors as with NumPy (tests/test_typed.py)."""

from collections.abc import Callable, Sequence
from pathlib import Path

import cuarray as xp
from cuarray import ndarray
from cuarray.lib.stride_tricks import sliding_window_view


# Building and shaping.
def grid(rows: int, columns: int) -> ndarray:
    y, x = xp.meshgrid(xp.arange(rows), xp.arange(columns), indexing="ij")
    table = xp.stack([y, x], axis=-1).reshape(rows * columns, 2)
    return xp.concatenate((table, xp.zeros((3, 2), dtype=table.dtype)))


def one_hot(labels: Sequence[int], classes: int) -> ndarray:
    out = xp.zeros((len(labels), classes), dtype=xp.float32)
    out[xp.arange(len(labels)), xp.asarray(labels)] = 1
    return out


def halves(x: ndarray) -> tuple[ndarray, ndarray]:
    middle = x.shape[0] // 2
    return x[:middle], x[middle:]


# Statistics.
def standardised(x: ndarray) -> ndarray:
    mean = x.mean(axis=0)
    spread = xp.std(x, axis=0, keepdims=True)
    return (x - mean) / xp.where(spread == 0, 1, spread)


def summary(x: ndarray) -> dict[str, float]:
    low, middle, high = xp.quantile(x, [0.25, 0.5, 0.75])
    return {
        "mean": float(x.mean()),
        "spread": float(x.std(ddof=1)),
        "low": float(low),
        "middle": float(middle),
        "high": float(high),
        "missing": int(xp.isnan(x).sum()),
    }


def histogram(x: ndarray, bins: int = 10) -> ndarray:
    counts, edges = xp.histogram(x, bins=bins, range=(0.0, 1.0))
    widths = xp.diff(edges)
    return counts / (counts.sum() * widths)


def ranks(x: ndarray) -> ndarray:
    order = xp.argsort(x, kind="stable")
    out = xp.empty_like(order)
    out[order] = xp.arange(order.size)
    values, inverse, counts = xp.unique(x, return_inverse=True, return_counts=True)
    assert values.shape == counts.shape
    return out + inverse.reshape(x.shape)


# Linear algebra.
def least_squares(a: ndarray, b: ndarray) -> ndarray:
    solution, residuals, rank, singular = xp.linalg.lstsq(a, b, rcond=None)
    assert residuals.ndim <= 1 and int(rank) <= singular.size
    return solution


def whiten(x: ndarray) -> ndarray:
    values, vectors = xp.linalg.eigh(xp.cov(x, rowvar=False))
    return x @ vectors / xp.sqrt(values)


def condition(a: ndarray) -> float:
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    q, r = xp.linalg.qr(a)
    assert xp.allclose(u * s @ vh, q @ r)
    return float(s.max() / s.min())


def solve(a: ndarray, b: ndarray) -> ndarray:
    lower = xp.linalg.cholesky(a)
    x = xp.linalg.solve(lower.T, xp.linalg.solve(lower, b))
    if float(xp.linalg.norm(a @ x - b)) > 1e-6 or float(xp.linalg.det(a)) == 0:
        raise ValueError("singular")
    sign, log = xp.linalg.slogdet(a)
    return x * sign + 0 * log


def power_iteration(a: ndarray, steps: int) -> ndarray:
    v = xp.ones(a.shape[0])
    for _ in range(steps):
        v = a @ v
        v /= xp.linalg.norm(v)
    return xp.linalg.inv(a) @ v + xp.linalg.pinv(a) @ v + xp.linalg.matrix_power(a, 2) @ v


# Transforms.
def low_pass(x: ndarray, keep: int) -> ndarray:
    spectrum = xp.fft.rfft(x)
    spectrum[keep:] = 0
    return xp.fft.irfft(spectrum, n=x.size)


def periodogram(x: ndarray, rate: float) -> tuple[ndarray, ndarray]:
    frequencies = xp.fft.rfftfreq(x.size, d=1 / rate)
    power = xp.abs(xp.fft.rfft(x * xp.hanning(x.size), norm="ortho")) ** 2
    return frequencies, power


def convolved(image: ndarray, kernel: ndarray) -> ndarray:
    shape = (image.shape[0] + kernel.shape[0] - 1, image.shape[1] + kernel.shape[1] - 1)
    product = xp.fft.rfft2(image, s=shape) * xp.fft.rfft2(kernel, s=shape)
    return xp.fft.fftshift(xp.fft.irfft2(product, s=shape)).real


# Random numbers.
def walk(steps: int, seed: int) -> ndarray:
    rng = xp.random.default_rng(seed)
    jumps = rng.normal(0, 1, size=steps) + rng.uniform(size=steps)
    rng.shuffle(jumps)
    return xp.cumsum(jumps[rng.permutation(steps)])


def bootstrap(x: ndarray, count: int) -> ndarray:
    rng = xp.random.default_rng()
    drawn = x[rng.integers(0, x.size, size=(count, x.size))]
    return xp.percentile(drawn.mean(axis=1), [2.5, 97.5])


# Windows, pieces and selections.
def moving_average(x: ndarray, width: int) -> ndarray:
    return sliding_window_view(x, width).mean(axis=-1)


def clipped(x: ndarray, low: float, high: float) -> ndarray:
    out = xp.clip(x, low, high)
    mask = (x >= low) & (x <= high)
    out[~mask] *= 0.5
    return xp.nan_to_num(out, nan=0.0)


def nearest(points: ndarray, centres: ndarray) -> ndarray:
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=-1)
    return distances.argmin(axis=1)


def trapezoid(f: Callable[[ndarray], ndarray], low: float, high: float, count: int = 100) -> float:
    x, step = xp.linspace(low, high, count, retstep=True)
    y = f(x)
    return float((y[:-1] + y[1:]).sum() * step / 2)


def is_close(a: ndarray, b: ndarray) -> bool:
    xp.testing.assert_allclose(a, b, rtol=1e-5)
    return bool(xp.isclose(a, b).all())


# Files and text.
def copied(x: ndarray, folder: Path) -> ndarray:
    xp.save(folder / "x.npy", x)
    xp.savetxt(folder / "x.txt", x)
    return xp.asarray(xp.loadtxt(folder / "x.txt"))


# Scalars out of arrays: the two lines that NumPy, whose elements are numbers, takes.
def total(y: ndarray) -> float:
    acc = 0.0
    acc += y[0]
    return acc


def largest(y: ndarray) -> float:
    return y.max()
