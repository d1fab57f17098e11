"""The price of a call option by Monte Carlo, and the density of the simulated prices over time."""

from PIL import Image

import cuarray as ca

START, STRIKE, RATE, SPREAD, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0


def prices(paths, days):
    """Simulated prices, of shape (days + 1, paths)."""
    rng = ca.random.default_rng(11)
    step = YEARS / days
    moves = (RATE - 0.5 * SPREAD**2) * step + SPREAD * step**0.5 * rng.normal(size=(days, paths))
    return START * ca.exp(ca.concatenate([ca.zeros((1, paths)), ca.cumsum(moves, axis=0)]))


def exact():
    """The price by Black and Scholes."""
    root = SPREAD * YEARS**0.5
    d = (ca.log(ca.asarray(START / STRIKE)) + (RATE + 0.5 * SPREAD**2) * YEARS) / root
    below = [0.5 * ca.erfc(-z / 2**0.5) for z in (d, d - root)]
    return float(START * below[0] - STRIKE * ca.exp(ca.asarray(-RATE * YEARS)) * below[1])


def draw(paths=40_000, days=180, height=260):
    """The density as an array of bytes of shape (height, 2 (days + 1), 3)."""
    values = prices(paths, days)
    call = float(ca.exp(ca.asarray(-RATE * YEARS)) * ca.maximum(values[-1] - STRIKE, 0).mean())
    assert abs(call - exact()) < 0.3, (call, exact())
    cell = ((values - 40) / 160 * height).astype(int)
    inside = (cell >= 0) & (cell < height)
    place = ca.arange(days + 1)[:, None] * height + cell
    density = ca.bincount(place[inside], minlength=(days + 1) * height).reshape(days + 1, height).T[::-1]
    level = 1 - ca.exp(-density / (paths / 120))
    colour = ca.stack([1 - level, 1 - 0.6 * level, 1 - 0.25 * level], axis=-1)
    return ca.repeat((255 * colour).astype(ca.uint8), 2, axis=1)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("finance.png")
