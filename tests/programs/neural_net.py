"""A network of two layers that learns XOR and a spiral."""

import numpy as np

np.random.seed(1)
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
y = np.array([[0], [1], [1], [0]], dtype=float)
w1, w2 = np.random.randn(2, 8), np.random.randn(8, 1)
b1, b2 = np.zeros((1, 8)), np.zeros((1, 1))
for epoch in range(2001):
    hidden = np.tanh(X @ w1 + b1)
    out = 1 / (1 + np.exp(-(hidden @ w2 + b2)))
    delta = out - y
    back = delta @ w2.T * (1 - hidden**2)
    w2 -= 0.5 * hidden.T @ delta
    b2 -= 0.5 * delta.sum(axis=0, keepdims=True)
    w1 -= 0.5 * X.T @ back
    b1 -= 0.5 * back.sum(axis=0, keepdims=True)
    if epoch % 500 == 0:
        print(f"epoch {epoch:4d}: loss {np.mean(delta**2):.5f}")
print("rounded:", np.round(out).astype(int).ravel(), "parameters:", sum(w.size for w in (w1, w2, b1, b2)))
t = np.linspace(0.2, 1, 60)
spiral = np.concatenate([np.c_[s * t * np.cos(6 * t), s * t * np.sin(6 * t)] for s in (1, -1)])
target = np.eye(2)[np.repeat([0, 1], 60)]
a, b = np.random.randn(2, 16), np.random.randn(16, 2) * 0.1
for _ in range(400):
    h = np.maximum(spiral @ a, 0)
    z = h @ b
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    g = (p - target) / len(spiral)
    a, b = a - 2 * spiral.T @ (g @ b.T * (h > 0)), b - 2 * h.T @ g
print("spiral: loss %.4f, right %.3f" % (-np.log(p[target == 1]).mean(), np.mean(p.argmax(1) == target.argmax(1))))
