"""Convex hull, areas, rotations, nearest points."""

import numpy as np

rng = np.random.default_rng(64)
points = rng.normal(size=(60, 2))


def hull(points):
    points = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(points):
        chain = []
        for p in points:
            while len(chain) >= 2:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                    break
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return np.array(half(points) + half(points[::-1]))


corners = hull(points)
x, y = corners.T
area = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
print(
    "corners", len(corners), "area %.5f" % area, "length %.5f" % np.hypot(*(np.roll(corners, -1, 0) - corners).T).sum()
)
angle = np.deg2rad(30)
turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
turned = points @ turn.T
print("turned back:", np.allclose(turned @ turn, points), "determinant %.6f" % np.linalg.det(turn))
d = np.linalg.norm(points[:, None] - points, axis=-1)
d[np.diag_indices(60)] = np.inf
i, j = np.unravel_index(d.argmin(), d.shape)
print(
    "closest pair:",
    sorted([int(i), int(j)]),
    "%.5f" % d.min(),
    "mutual:",
    np.sum(d.argmin(1)[d.argmin(1)] == np.arange(60)),
)
a, b, c = np.eye(3)
print(np.cross(a, b), np.dot(np.cross(a, b), c), np.vdot([1j, 2], [1j, 2]))
triangles = np.stack([points[:20], points[20:40], points[40:]], axis=1)
u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
print(
    "areas: %.5f %.5f"
    % (np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).mean() / 2, np.abs(np.linalg.det(np.stack([u, v], 1))).max() / 2)
)
