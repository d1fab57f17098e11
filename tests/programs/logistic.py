"""Logistic regression by Newton's method and by gradient descent."""

import numpy as np

rng = np.random.default_rng(0)
x = np.vstack([rng.normal([0, 0], 1.0, size=(150, 2)), rng.normal([2, 1.5], 1.0, size=(150, 2))])
labels = np.r_[np.zeros(150), np.ones(150)]
shuffled = rng.permutation(300)
x, labels = x[shuffled], labels[shuffled]
design = np.c_[np.ones(300), x]


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


w = np.zeros(3)
for iteration in range(20):
    p = sigmoid(design @ w)
    gradient = design.T @ (p - labels)
    hessian = (design * (p * (1 - p))[:, None]).T @ design
    step = np.linalg.solve(hessian, gradient)
    w = w - step
    if np.linalg.norm(step) < 1e-10:
        break
loss = -np.mean(labels * np.log(p) + (1 - labels) * np.log1p(-p))
print("newton:", w.round(5), "after", iteration, "loss %.6f" % loss)
v = np.zeros(3)
for _ in range(3000):
    v -= 0.5 * design.T @ (sigmoid(design @ v) - labels) / 300
print("descent:", v.round(3))
guess = p > 0.5
table = np.zeros((2, 2), dtype=int)
np.add.at(table, (labels.astype(int), guess.astype(int)), 1)
print("confusion:\n%s" % table, "accuracy", np.mean(guess == labels))
ranks = np.argsort(np.argsort(p)) + 1
print("auc %.5f" % ((ranks[labels == 1].sum() - 150 * 151 / 2) / 150**2))
