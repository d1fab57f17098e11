"""Nearest neighbours with cross-validation."""

import numpy as np

rng = np.random.default_rng(17)
centres = rng.uniform(-4, 4, size=(3, 2))
labels = rng.integers(3, size=240)
points = centres[labels] + rng.normal(size=(240, 2))


def predict(train, classes, test, k):
    d = np.sqrt(((test[:, None] - train[None]) ** 2).sum(-1))
    near = np.argpartition(d, k, axis=1)[:, :k]
    votes = np.apply_along_axis(np.bincount, 1, classes[near], minlength=3)
    return votes.argmax(axis=1)


folds = np.array_split(rng.permutation(240), 6)
for k in (1, 3, 5, 9, 15):
    right = []
    for i, fold in enumerate(folds):
        rest = np.concatenate(folds[:i] + folds[i + 1 :])
        right.append((predict(points[rest], labels[rest], points[fold], k) == labels[fold]).mean())
    print(f"k = {k:2d}: {np.mean(right):.4f} +- {np.std(right):.4f}")
print("in each class:", np.unique(labels, return_counts=True)[1], "centres:", centres.round(2).tolist())
