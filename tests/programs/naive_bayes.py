"""Gaussian naive Bayes with a table of results."""

import numpy as np

rng = np.random.RandomState(5)
means = rng.uniform(-2, 2, (4, 3))
y = rng.randint(0, 4, 400)
X = means[y] + rng.normal(0, [0.5, 1.0, 1.5], (400, 3))
train = np.zeros(400, bool)
train[rng.choice(400, 300, replace=False)] = True
classes, counts = np.unique(y[train], return_counts=True)
mu = np.stack([X[train & (y == c)].mean(0) for c in classes])
var = np.stack([X[train & (y == c)].var(0) for c in classes])
log_prior = np.log(counts / counts.sum())
test = X[~train]
log_p = log_prior - 0.5 * (np.log(2 * np.pi * var).sum(1) + (((test[:, None] - mu) ** 2) / var).sum(-1))
log_p -= np.logaddexp.reduce(log_p, axis=1, keepdims=True)
guess = classes[log_p.argmax(1)]
truth = y[~train]
table = np.histogram2d(truth, guess, bins=[np.arange(5), np.arange(5)])[0].astype(int)
print(table)
with np.errstate(all="ignore"):
    precision = table.diagonal() / table.sum(0)
    recall = table.diagonal() / table.sum(1)
print("precision", precision.round(3), "recall", recall.round(3))
print("accuracy %.3f, mean certainty %.4f" % ((guess == truth).mean(), np.exp(log_p.max(1)).mean()))
