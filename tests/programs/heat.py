"""Heat in a rod and in a plate by finite differences."""

import numpy as np

n, steps, alpha = 101, 2000, 0.25
u = np.zeros(n)
u[n // 2] = 1.0
for _ in range(steps):
    u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    u[0] = u[-1] = 0
print("rod: %.6f left, peak %.6f at %d" % (u.sum(), u.max(), u.argmax()))
x = np.arange(n) - n // 2
gauss = np.exp(-(x**2) / (4 * alpha * steps)) / np.sqrt(4 * np.pi * alpha * steps)
print("largest difference from a Gaussian: %.2e" % np.max(np.abs(u - gauss)))
plate = np.zeros((40, 60))
plate[0, :] = 100.0
plate[:, -1] = np.linspace(100, 0, 40)
for i in range(5000):
    old = plate.copy()
    plate[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    if np.abs(plate - old).max() < 1e-3:
        break
print("converged after", i + 1, "sweeps; mean %.4f" % plate.mean())
print(np.array2string(plate[::8, ::12], precision=2, floatmode="fixed"))
gy, gx = np.gradient(plate)
print("steepest: %.4f" % np.hypot(gx, gy).max())
