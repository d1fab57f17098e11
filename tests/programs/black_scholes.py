"""European options by the Black-Scholes formula, with the error function as a series."""

import numpy as np


def erf(x):
    """Abramowitz and Stegun 7.1.26."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def price(spot, strike, rate, sigma, years, call=True):
    d1 = (np.log(spot / strike) + (rate + sigma**2 / 2) * years) / (sigma * np.sqrt(years))
    d2 = d1 - sigma * np.sqrt(years)
    n1, n2 = (0.5 * (1 + erf(d / np.sqrt(2))) for d in (d1, d2))
    value = spot * n1 - strike * np.exp(-rate * years) * n2
    return value if call else value - spot + strike * np.exp(-rate * years)


strikes = np.linspace(80, 120, 9)
maturities = np.array([0.25, 0.5, 1.0, 2.0])[:, np.newaxis]
calls = price(100.0, strikes, 0.03, 0.2, maturities)
puts = price(100.0, strikes, 0.03, 0.2, maturities, call=False)
print("strike " + " ".join(f"{k:7.1f}" for k in strikes))
for years, row in zip(maturities[:, 0], calls):
    print(f"{years:6.2f} " + " ".join(f"{c:7.3f}" for c in row))
parity = calls - puts - (100 - strikes * np.exp(-0.03 * maturities))
print("parity holds:", bool(np.abs(parity).max() < 1e-12))
low, high = np.full(9, 0.01), np.full(9, 2.0)
target = price(100.0, strikes, 0.03, 0.1 + 0.002 * (strikes - 80), 1.0)
for _ in range(60):
    middle = (low + high) / 2
    above = price(100.0, strikes, 0.03, middle, 1.0) > target
    low, high = np.where(above, low, middle), np.where(above, middle, high)
print("implied:", np.round(low, 6).tolist())
