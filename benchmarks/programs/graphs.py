"""Graphs, given by a matrix of weights or a list of edges."""

import numpy

from programs.registry import integers, program, random


def sparse_weights(n: int) -> numpy.ndarray:
    """Weights of edges; infinity where there is none."""
    a = random(n, n)
    return numpy.where(a < 0.3, a, numpy.inf)


@program(lambda n: [sparse_weights(n)], small=100, large=280)
def floyd_warshall(np, weights):
    """The shortest distances between all nodes."""
    distance = weights.copy()
    for i in range(len(distance)):
        distance[i, i] = 0
    for k in range(len(distance)):
        distance = np.minimum(distance, distance[:, k, None] + distance[k])
    return distance


@program(lambda n: [sparse_weights(n)], small=210, large=2200)
def dijkstra(np, weights):
    """The shortest distances from node 0, and the node before each on its path."""
    n = len(weights)
    distance = np.full(n, np.inf)
    before = np.full(n, -1)
    done = np.zeros(n, dtype=bool)
    distance[0] = 0
    for _ in range(n):
        node = int(np.argmin(np.where(done, np.inf, distance)))
        done[node] = True
        through = distance[node] + weights[node]
        closer = through < distance
        distance[closer] = through[closer]
        before[closer] = node
    return distance, before


@program(lambda n: [integers(n, n, 3)], small=980, large=18000)
def breadth_first(np, neighbours):
    """The number of steps from node 0 to each node, -1 where there is no path."""
    steps = np.full(len(neighbours), -1)
    steps[0] = 0
    queue = [0]
    for node in queue:
        for other in neighbours[node]:
            if steps[other] < 0:
                steps[other] = steps[node] + 1
                queue.append(other)
    return steps


@program(lambda n: [n, integers(n, n, 2)], small=550, large=9900)
def union_find(np, n, edges):
    """The smallest node of the connected component of each node."""
    parent = np.arange(n)

    def root(node):
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in edges:
        a, b = root(a), root(b)
        if a != b:
            parent[max(a, b)] = min(a, b)
    return np.array([root(i) for i in range(n)])
