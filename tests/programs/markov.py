"""Markov chains: stationary distributions, PageRank, absorption."""

import numpy as np

P = np.array([[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]])
values, vectors = np.linalg.eig(P.T)
stationary = np.real(vectors[:, np.isclose(values, 1)][:, 0])
stationary /= stationary.sum()
print("stationary:", stationary.round(6), np.allclose(stationary @ P, stationary))
print("after 50 steps:\n", np.linalg.matrix_power(P, 50).round(5))
links = {0: [1, 2], 1: [2], 2: [0], 3: [2, 4], 4: [3]}
M = np.zeros((5, 5))
for source, targets in links.items():
    M[targets, source] = 1 / len(targets)
rank = np.full(5, 0.2)
for iteration in range(200):
    new = 0.15 / 5 + 0.85 * M @ rank
    if np.linalg.norm(new - rank, 1) < 1e-12:
        break
    rank = new
print("pagerank:", rank.round(5), "order", np.argsort(-rank), "rounds", iteration)
Q = np.diag(np.full(4, 0.5), 1) + np.diag(np.full(4, 0.5), -1)
steps = np.linalg.solve(np.eye(5) - Q, np.ones(5))
print("steps until ruin or riches:", steps.round(6))
rng = np.random.default_rng(6)
state, visits = 0, np.zeros(3, dtype=int)
for _ in range(2000):
    state = rng.choice(3, p=P[state])
    visits[state] += 1
print("simulated:", visits / 2000)
