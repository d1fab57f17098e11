"""Conway's game of life with a glider, a blinker and a random soup."""

import numpy as np


def step(board):
    around = sum(np.roll(board, (dy, dx), axis=(0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
    return ((around == 3) | (board.astype(bool) & (around == 2))).astype(np.uint8)


board = np.zeros((16, 24), dtype=np.uint8)
board[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
board[8, 10:13] = 1
for generation in range(9):
    if generation % 4 == 0:
        print(f"generation {generation}: {board.sum()} cells")
        for row in board[:12]:
            print("".join(".#"[cell] for cell in row))
    board = step(board)
soup = (np.random.default_rng(5).random((64, 64)) < 0.35).astype(np.uint8)
counts = []
for _ in range(60):
    counts.append(int(soup.sum()))
    soup = step(soup)
print(counts[::10], soup.dtype, np.unique(soup))
