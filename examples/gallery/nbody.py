"""Two discs of stars that meet: all pairs attract each other; the picture shows where they were."""

from PIL import Image

import cuarray as ca

STEP, SOFTENING = 0.01, 0.05


def acceleration(place, mass):
    away = place[None, :, :] - place[:, None, :]
    with ca.fuse():
        strength = mass / ((away**2).sum(axis=-1) + SOFTENING**2) ** 1.5
        return (away * strength[..., None]).sum(axis=1)


def disc(rng, count, centre, velocity):
    """Stars on circles around a heavy one."""
    radius, angle = rng.uniform(0.1, 0.6, count), rng.uniform(0, 2 * ca.pi, count)
    place = radius[:, None] * ca.stack([ca.cos(angle), ca.sin(angle)], axis=1)
    speed = ca.stack([-ca.sin(angle), ca.cos(angle)], axis=1) / ca.sqrt(radius)[:, None]
    place[0], speed[0] = 0, 0
    return place + ca.asarray(centre), speed + ca.asarray(velocity)


def draw(size=320, count=200, steps=150):
    """The paths as an array of bytes of shape (size, size, 3)."""
    rng = ca.random.default_rng(3)
    discs = [disc(rng, count, (-0.8, -0.3), (0.5, 0.1)), disc(rng, count, (0.8, 0.3), (-0.5, -0.1))]
    place, speed = (ca.concatenate(part) for part in zip(*discs, strict=True))
    mass = ca.full(2 * count, 1e-4)
    mass[0] = mass[count] = 1.0
    image = ca.zeros((size, size, 3))
    colour = ca.where((ca.arange(2 * count) < count)[:, None], ca.asarray([1.0, 0.6, 0.3]), ca.asarray([0.3, 0.6, 1.0]))
    speed = speed + 0.5 * STEP * acceleration(place, mass)
    for n in range(steps):
        place = place + STEP * speed
        speed = speed + STEP * acceleration(place, mass)
        cell = ca.floor((place + 1.6) / 3.2 * size).astype(int)
        seen = ((cell >= 0) & (cell < size)).all(axis=1)
        ca.add.at(image, (cell[seen, 1], cell[seen, 0]), colour[seen] * (n / steps) ** 2)
    return (255 * (1 - ca.exp(-0.7 * image))).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("nbody.png")
