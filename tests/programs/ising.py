"""The Ising model by checkerboard Metropolis steps."""

import numpy as np

rng = np.random.default_rng(77)
size = 32
row, column = np.indices((size, size))
black = (row + column) % 2 == 0
print(" T     |m|      energy")
for temperature in (1.5, 2.0, 2.27, 3.0, 4.0):
    spins = np.ones((size, size), dtype=int)
    magnet, energies = [], []
    for sweep in range(120):
        for colour in (black, ~black):
            field = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            cost = 2 * spins * field
            flip = colour & ((cost <= 0) | (rng.random((size, size)) < np.exp(-cost / temperature)))
            spins[flip] *= -1
        if sweep >= 40:
            magnet.append(abs(spins.mean()))
            energies.append(-(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1))).mean())
    print(f"{temperature:4.2f} {np.mean(magnet):8.4f} {np.mean(energies):9.4f}")
labels, counts = np.unique(spins, return_counts=True)
print(dict(zip(labels.tolist(), counts.tolist())))
