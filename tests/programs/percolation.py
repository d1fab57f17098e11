"""Percolation on a grid: clusters by spreading labels."""

import numpy as np

rng = np.random.default_rng(42)


def label(open_sites):
    labels = np.where(open_sites, np.arange(1, open_sites.size + 1).reshape(open_sites.shape), 0)
    while True:
        padded = np.pad(labels, 1)
        around = np.max([padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:], labels], axis=0)
        new = np.where(open_sites, around, 0)
        if (new == labels).all():
            return labels
        labels = new


for p in (0.45, 0.55, 0.65, 0.75):
    spans, largest = 0, []
    for _ in range(8):
        sites = rng.random((24, 24)) < p
        clusters = label(sites)
        both = np.intersect1d(clusters[0], clusters[-1])
        spans += bool((both > 0).any())
        largest.append(np.bincount(clusters.ravel())[1:].max() / sites.size)
    print(f"p = {p}: spans in {spans} of 8, largest cluster {np.mean(largest):.4f}")
ids, sizes = np.unique(clusters[clusters > 0], return_counts=True)
print("clusters:", ids.size, "sizes:", np.sort(sizes)[::-1][:6])
