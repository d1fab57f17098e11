"""Bandits: epsilon-greedy against UCB."""

import numpy as np

rng = np.random.default_rng(21)
arms = rng.normal(size=6)
print("arms:", np.round(arms, 3), "best", arms.argmax())
for name in ("greedy", "epsilon", "ucb"):
    counts, sums = np.zeros(6), np.zeros(6)
    total = 0.0
    for t in range(1, 1501):
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.where(counts > 0, sums / counts, np.inf)
            bonus = np.sqrt(2 * np.log(t) / counts)
        if name == "ucb":
            arm = int(np.argmax(np.where(counts > 0, means + bonus, np.inf)))
        elif name == "epsilon" and rng.random() < 0.1:
            arm = int(rng.integers(6))
        else:
            arm = int(np.argmax(means))
        reward = arms[arm] + rng.normal()
        counts[arm] += 1
        sums[arm] += reward
        total += float(reward)
    print(f"{name:8s} reward {total / 1500:.4f}, pulls {counts.astype(int).tolist()}")
