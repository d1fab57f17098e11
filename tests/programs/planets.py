"""Kepler orbits by the leapfrog method, with conserved energy."""

import numpy as np

G = 4 * np.pi**2
names = ("sun", "mercury", "earth", "jupiter")
mass = np.array([1.0, 1.66e-7, 3.0e-6, 9.54e-4])
pos = np.array([[0, 0], [0.387, 0], [1.0, 0], [5.2, 0]], dtype=float)
vel = np.zeros_like(pos)
vel[1:, 1] = np.sqrt(G / pos[1:, 0])
vel[0] = -(mass[1:, None] * vel[1:]).sum(axis=0) / mass[0]


def acceleration(pos):
    d = pos[None, :, :] - pos[:, None, :]
    r3 = np.sum(d**2, axis=-1) ** 1.5
    np.fill_diagonal(r3, np.inf)
    return G * np.einsum("ijk,j,ij->ik", d, mass, 1 / r3)


def energy(pos, vel):
    kinetic = 0.5 * np.sum(mass * np.sum(vel**2, axis=1))
    i, j = np.triu_indices(len(mass), k=1)
    return kinetic - np.sum(G * mass[i] * mass[j] / np.linalg.norm(pos[i] - pos[j], axis=1))


start, dt = energy(pos, vel), 0.002
a = acceleration(pos)
turns = np.zeros(4)
angle = np.arctan2(pos[:, 1], pos[:, 0])
for _ in range(1500):
    vel += 0.5 * dt * a
    pos += dt * vel
    a = acceleration(pos)
    vel += 0.5 * dt * a
    new = np.arctan2(pos[:, 1], pos[:, 0])
    turns += (new - angle + np.pi) % (2 * np.pi) - np.pi
    angle = new
for name, p, t in zip(names[1:], pos[1:], turns[1:] / (2 * np.pi)):
    print(f"{name:8s} {np.hypot(*p):.4f} AU, {t:.3f} turns in 3 years")
print("energy error below 1e-3:", abs(energy(pos, vel) / start - 1) < 1e-3)
print("momentum: ", np.abs(np.round(mass @ vel, 12)))
