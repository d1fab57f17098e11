"""Machine learning on small data."""

from programs.registry import integers, program, random


@program(lambda n: [random(200, 4), integers(3, 200), 1 - random(n, 4)], small=88, large=1700)
def nearest_neighbours(np, points, labels, queries):
    """The most frequent label of the five nearest points, for each query."""
    result = np.zeros(len(queries), dtype=int)
    for i, query in enumerate(queries):
        distance = np.sqrt(((points - query) ** 2).sum(axis=1))
        nearest = np.argsort(distance)[:5]
        result[i] = np.bincount(labels[nearest]).argmax()
    return result


@program(lambda n: [random(n, 2)], small=220, large=9200)
def k_means(np, points):
    """Six centres of points, and the nearest centre of each point."""
    centres = points[:6].copy()
    for _ in range(10):
        distance = ((points[:, None] - centres) ** 2).sum(axis=2)
        label = distance.argmin(axis=1)
        for k in range(len(centres)):
            if np.any(label == k):
                centres[k] = points[label == k].mean(axis=0)
    return centres, label


@program(lambda n: [random(n, 16), random(32, 16), random(32, 32), random(10, 32)], small=91, large=1800)
def network(np, samples, w1, w2, w3):
    """The likeliest class of each sample and its probability, by a network with two hidden layers."""
    classes, probabilities = [], np.zeros(len(samples))
    for i, x in enumerate(samples):
        for w in (w1, w2):
            x = np.maximum(w @ x - 0.25 * len(x), 0)
        scores = w3 @ (x / (1 + x.max()))
        p = np.exp(scores - scores.max())
        p /= p.sum()
        classes.append(int(p.argmax()))
        probabilities[i] = p[classes[-1]]
    return np.array(classes), probabilities


@program(lambda n: [random(20 * n, 8), random(8)], small=100, large=2000)
def logistic_regression(np, x, weights):
    """Weights and offset of a logistic regression, by gradient descent with 20 samples at a time."""
    y = (x @ weights > weights.sum() / 2).astype(x.dtype)
    w, offset = np.zeros(x.shape[1]), 0.0
    for start in range(0, len(x), 20):
        samples, targets = x[start : start + 20], y[start : start + 20]
        error = 1 / (1 + np.exp(-(samples @ w + offset))) - targets
        w -= 0.5 * (samples.T @ error) / len(error)
        offset -= 0.5 * np.mean(error)
    return w, offset


@program(lambda n: [random(n, 8) - 0.5, random(16, 8) - 0.5, random(16, 16) - 0.5], small=350, large=6800)
def recurrent_network(np, sequence, w, u):
    """The states of a recurrent network, step by step."""
    state = np.zeros(len(u))
    states = []
    for x in sequence:
        state = np.tanh(w @ x + u @ state)
        states.append(state)
    return np.stack(states)


@program(lambda n: [random(n, 5) - 0.5, random(5) - 0.5], small=280, large=5500)
def perceptron(np, x, weights):
    """The weights of a perceptron after five passes, and its number of mistakes."""
    y = np.sign(x @ weights)
    w = np.zeros(x.shape[1])
    mistakes = 0
    for _ in range(5):
        for sample, target in zip(x, y, strict=True):
            if target * np.dot(w, sample) <= 0:
                w += target * sample
                mistakes += 1
    return w, mistakes
