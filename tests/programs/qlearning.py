"""Value iteration and Q-learning in a small maze."""

import numpy as np

maze = np.array([list(row) for row in ["S..#", ".#..", "...#", "#..G"]])
moves = [(-1, 0), (1, 0), (0, -1), (0, 1)]
free = maze != "#"
goal = tuple(int(i[0]) for i in np.where(maze == "G"))
value = np.zeros(maze.shape)
for sweep in range(100):
    new = np.full(maze.shape, -np.inf)
    for dr, dc in moves:
        shifted = np.full(maze.shape, -np.inf)
        r = slice(max(dr, 0), 4 + min(dr, 0)), slice(max(dc, 0), 4 + min(dc, 0))
        s = slice(max(-dr, 0), 4 + min(-dr, 0)), slice(max(-dc, 0), 4 + min(-dc, 0))
        shifted[s] = np.where(free[r], value[r], -np.inf)
        new = np.maximum(new, np.maximum(shifted, value - 1e9))
    new = np.where(free, -1 + 0.95 * new, 0)
    new[goal] = 10
    if np.abs(new - value).max() < 1e-9:
        break
    value = new
print("after", sweep, "sweeps")
print(np.where(free, value.round(2), np.nan))
rng = np.random.default_rng(4)
q = np.zeros((4, 4, 4))
for episode in range(150):
    state = (0, 0)
    for _ in range(60):
        action = int(rng.integers(4)) if rng.random() < 0.2 else int(q[state].argmax())
        after = tuple(np.clip(np.add(state, moves[action]), 0, 3).tolist())
        after = after if free[after] else state
        reward = 10 if after == goal else -1
        q[state][action] += 0.3 * (reward + 0.95 * q[after].max() * (after != goal) - q[state][action])
        state = after
        if state == goal:
            break
print("learned first moves:", q[0, 0].argmax(), q[2, 1].argmax(), "best value %.3f" % q.max())
