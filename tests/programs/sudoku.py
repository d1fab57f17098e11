"""A sudoku by elimination with boolean arrays."""

import numpy as np

puzzle = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
grid = np.array([int(c) for c in puzzle]).reshape(9, 9)


def solve(grid):
    possible = np.ones((9, 9, 9), dtype=bool)
    grid = grid.copy()
    while True:
        for r, c in zip(*np.nonzero(grid)):
            d = grid[r, c] - 1
            possible[r, :, d] = possible[:, c, d] = False
            possible[r // 3 * 3 : r // 3 * 3 + 3, c // 3 * 3 : c // 3 * 3 + 3, d] = False
            possible[r, c] = False
            possible[r, c, d] = True
        single = (possible.sum(axis=2) == 1) & (grid == 0)
        if not single.any():
            return grid, possible
        grid[single] = possible[single].argmax(axis=1) + 1


solved, possible = solve(grid)
print(solved)
print("open cells:", np.count_nonzero(solved == 0))
rows_right = (np.sort(solved, axis=1) == np.arange(1, 10)).all()
blocks = solved.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9)
print(rows_right, (np.sort(blocks, axis=1) == np.arange(1, 10)).all(), solved.sum(axis=0).tolist())
