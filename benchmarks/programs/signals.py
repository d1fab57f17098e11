"""Filters and models of sequences."""

import numpy

from programs.registry import integers, program, random, stochastic


@program(lambda n: [numpy.log(stochastic(6, 6)), numpy.log(stochastic(6, 4)), integers(4, n)], small=170, large=3400)
def viterbi(np, transition, emission, observed):
    """The likeliest states of a hidden Markov model, from logarithms of its probabilities."""
    n = len(observed)
    score = emission[:, observed[0]].copy()
    before = np.zeros((n, len(score)), dtype=np.int64)
    for t in range(1, n):
        paths = score[:, None] + transition
        before[t] = np.argmax(paths, axis=0)
        score = np.max(paths, axis=0) + emission[:, observed[t]]
    states = np.zeros(n, dtype=np.int64)
    states[-1] = np.argmax(score)
    for t in range(n - 1, 0, -1):
        states[t - 1] = before[t, states[t]]
    return states, score.max()


@program(lambda n: [stochastic(6, 6), stochastic(6, 4), integers(4, n)], small=330, large=6500)
def hidden_markov(np, transition, emission, observed):
    """The logarithm of the likelihood of observations, by the forward algorithm."""
    alpha = np.ones(len(transition)) / len(transition)
    likelihood = 0.0
    for symbol in observed:
        alpha = (alpha @ transition) * emission[:, symbol]
        scale = alpha.sum()
        alpha /= scale
        likelihood += np.log(scale)
    return likelihood, alpha


@program(lambda n: [numpy.sin(0.1 * numpy.arange(n)) + 0.1 * random(n)], small=86, large=1700)
def kalman(np, measured):
    """Position and velocity from noisy positions, by a Kalman filter."""
    f = np.array([[1.0, 0.1], [0.0, 1.0]])
    h = np.array([[1.0, 0.0]])
    noise = 0.01 * np.eye(2)
    x, p = np.zeros(2), np.eye(2)
    track = np.zeros((len(measured), 2))
    for i, z in enumerate(measured):
        x = f @ x
        p = f @ p @ f.T + noise
        gain = p @ h.T / (h @ p @ h.T + 0.1)
        x = x + gain[:, 0] * (z - x[0])
        p = (np.eye(2) - gain @ h) @ p
        track[i] = x
    return track


@program(lambda n: [random(n)], small=180, large=3500)
def moving_average(np, x):
    """Mean and largest deviation in a window around each element."""
    n = len(x)
    mean, deviation = np.empty(n), np.empty(n)
    for i in range(n):
        window = x[max(0, i - 5) : i + 6]
        mean[i] = window.mean()
        deviation[i] = np.max(np.abs(window - mean[i]))
    return mean, deviation


@program(lambda n: [random(n)], small=4500, large=88000)
def exponential_filter(np, x):
    """Exponential smoothing, one element after the other."""
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.9 * y[i - 1] + 0.1 * x[i]
    return y


@program(lambda n: [random(2**n)], small=9, large=13)
def fourier(np, x):
    """The fast Fourier transform by recursion, down to 4 elements."""

    def transform(x):
        n = len(x)
        if n <= 4:
            k = np.arange(n)
            return np.exp(-2j * np.pi * k[:, None] * k / n) @ x
        even, odd = transform(x[::2]), transform(x[1::2])
        turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + turned, even - turned])

    return transform(x)


@program(lambda n: [random(n), random(9)], small=370, large=7400)
def convolution(np, x, kernel):
    """Each element with its neighbours, weighted; edges are padded with the last element."""
    half = len(kernel) // 2
    padded = np.concatenate([np.full(half, x[0]), x, np.full(half, x[-1])])
    result = np.zeros_like(x)
    for i in range(len(x)):
        result[i] = np.sum(padded[i : i + len(kernel)] * kernel[::-1])
    return result
