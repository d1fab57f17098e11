"""An epidemic: differential equations and a stochastic model."""

import numpy as np


def derivative(state, beta=0.3, gamma=0.1):
    s, i, r = state
    return np.array([-beta * s * i, beta * s * i - gamma * i, gamma * i])


def rk4(state, h):
    k1 = derivative(state)
    k2 = derivative(state + h / 2 * k1)
    k3 = derivative(state + h / 2 * k2)
    k4 = derivative(state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


states = [np.array([0.999, 0.001, 0.0])]
for _ in range(160):
    states.append(rk4(states[-1], 1.0))
states = np.stack(states)
peak = states[:, 1].argmax()
print(f"peak on day {peak}: {states[peak, 1]:.4%} infected; {states[-1, 2]:.4%} in the end")
assert np.allclose(states.sum(axis=1), 1)
rng = np.random.default_rng(1918)
people = np.zeros(2000, dtype=np.int8)
people[:5] = 1
history = []
for day in range(120):
    infected = np.count_nonzero(people == 1)
    catch = rng.random(people.size) < 1 - (1 - 0.3 / people.size) ** infected
    heal = rng.random(people.size) < 0.1
    people = np.select([(people == 0) & catch, (people == 1) & heal], [1, 2], default=people).astype(np.int8)
    history.append(np.bincount(people, minlength=3))
history = np.array(history)
print("every 20 days:\n", history[::20])
print("worst day", history[:, 1].argmax(), "ever infected", history[-1, 1:].sum())
