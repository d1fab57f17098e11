"""A series with gaps: reading, filling, smoothing."""

import io

import numpy as np

lines = ["t,temp,hum"]
for i in range(60):
    temp = "" if i % 11 == 5 else f"{20 + 5 * np.sin(i / 7):.2f}"
    hum = "nan" if i in (20, 21, 22) else f"{50 + i % 9}"
    lines.append(f"{i * 10},{temp},{hum}")
t, temp, hum = np.genfromtxt(io.StringIO("\n".join(lines)), delimiter=",", skip_header=1, unpack=True)
print("missing:", np.isnan(temp).sum(), np.isnan(hum).sum())
known = ~np.isnan(temp)
filled = np.interp(t, t[known], temp[known])
print("filled:", filled[~known].round(3))
hum[np.isnan(hum)] = np.nanmedian(hum)
print("means: %.4f %.4f" % (np.nanmean(temp), hum.mean()))
smooth = np.convolve(filled, np.ones(5) / 5, mode="valid")
print(smooth.size, smooth[::10].round(4))
slope = np.gradient(smooth, 10.0)
print("turning points at", t[2:-2][np.flatnonzero(np.diff(np.sign(slope)))].astype(int))
coefficients = np.polyfit(t, filled, 3)
print("cubic:", np.array2string(coefficients, precision=4), "at 100: %.4f" % np.polyval(coefficients, 100))
print("nan sum:", np.nansum(temp).round(2), "range:", np.nanmax(temp) - np.nanmin(temp) > 9)
