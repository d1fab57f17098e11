"""Signals of crossing moving averages on a made-up price."""

import numpy as np

t = np.arange(400)
prices = 100 + 10 * np.sin(t / 25) + 3 * np.sin(t / 4) + 0.02 * t


def sma(x, n):
    sums = np.cumsum(np.insert(x, 0, 0.0))
    return (sums[n:] - sums[:-n]) / n


def ema(x, n):
    result, weight = np.zeros_like(x), 2 / (n + 1)
    result[0] = x[0]
    for i in range(1, len(x)):
        result[i] = weight * x[i] + (1 - weight) * result[i - 1]
    return result


fast, slow = sma(prices, 10), sma(prices, 30)
fast = fast[-slow.size :]
above = fast > slow
crossings = np.nonzero(above[1:] != above[:-1])[0] + 30
print("crossings:", crossings)
position = np.repeat(above[:-1], 1).astype(float)
gains = position * np.diff(prices[-slow.size :])
print(f"gain {gains.sum():.4f} of {prices[-1] - prices[29]:.4f}, wins {np.mean(gains[gains != 0] > 0):.3f}")
print("ema:", ema(prices, 12)[[0, 50, 100, 399]].round(4))
change = np.diff(prices)
up, down = np.clip(change, 0, None), np.clip(-change, 0, None)
rsi = 100 - 100 / (1 + sma(up, 14) / np.maximum(sma(down, 14), 1e-12))
print("rsi min/max:", np.round([rsi.min(), rsi.max()], 3), "overbought:", np.count_nonzero(rsi > 70))
windows = np.lib.stride_tricks.sliding_window_view(prices, 20)
band = windows.mean(axis=-1) + 2 * windows.std(axis=-1)
print("above the band:", int((prices[19:] > band).sum()))
