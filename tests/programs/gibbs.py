"""Gibbs sampling of a normal mixture, and Metropolis for its mean."""

import numpy as np

np.random.seed(2)
data = np.concatenate([np.random.normal(-2, 1, 60), np.random.normal(3, 1.5, 40)])
mu, weight = np.array([-1.0, 1.0]), 0.5
trace = []
for sweep in range(300):
    p0 = weight * np.exp(-0.5 * (data - mu[0]) ** 2)
    p1 = (1 - weight) * np.exp(-0.5 * (data - mu[1]) ** 2)
    z = np.random.uniform(size=data.size) < p1 / (p0 + p1)
    n1 = z.sum()
    n0 = data.size - n1
    mu[0] = np.random.normal(data[~z].mean(), 1 / np.sqrt(n0))
    mu[1] = np.random.normal(data[z].mean(), 1 / np.sqrt(n1))
    weight = np.random.beta(1 + n0, 1 + n1)
    trace.append([mu[0], mu[1], weight])
trace = np.array(trace)[100:]
print("means:", trace.mean(axis=0).round(4), "sd:", trace.std(axis=0).round(4))
x, accepted, chain = 0.0, 0, np.empty(1000)
for i in range(1000):
    y = x + np.random.randn()
    if np.log(np.random.rand()) < (x**2 - y**2) / 2:
        x, accepted = y, accepted + 1
    chain[i] = x
centred = chain - chain.mean()
correlation = np.correlate(centred, centred, mode="full")[999:1010] / (centred @ centred)
print("accepted", accepted, "mean %.4f" % chain.mean(), "autocorrelation", correlation[:4].round(4))
