"""A photograph in twelve colours, by k-means: assignment and sums of a colour's pixels are fused, one kernel each."""

from PIL import Image
from sklearn.datasets import load_sample_image

import cuarray as ca


@ca.fuse
def assigned(pixels, colours):
    """The squared distance of each pixel to its nearest colour, and the index of that colour."""
    least, labels = ca.inf, ca.uint8(0)
    for index, (r, g, b) in enumerate(colours):
        distance = ca.square(pixels[0] - r) + ca.square(pixels[1] - g) + ca.square(pixels[2] - b)
        labels = ca.where(distance < least, ca.uint8(index), labels)
        least = ca.minimum(distance, least)
    return least, labels


@ca.fuse
def mean(pixels, labels, index):
    """The mean of the pixels of one colour; zero without any."""
    chosen = labels == index
    return ca.where(chosen, pixels, 0).sum(axis=1) / ca.maximum(ca.count_nonzero(chosen), 1)


def k_means(pixels, count, rounds):
    """Colours (count, 3) and labels (n,) of pixels (3, n); starts from the mean, then from the farthest pixels."""
    colours = [pixels.mean(axis=1).tolist()]
    while len(colours) < count:
        least, _ = assigned(pixels, colours)
        colours.append(pixels[:, int(least.argmax())].tolist())
    for _ in range(rounds):
        _, labels = assigned(pixels, colours)
        colours = ca.stack([mean(pixels, labels, index) for index in range(count)]).tolist()
    return ca.asarray(colours), assigned(pixels, colours)[1]


def draw(count=12, rounds=15):
    """Before, after, and the colours from dark to light, as an array of bytes of shape (height, width, 3)."""
    before = ca.array(load_sample_image("china.jpg")[::2, ::2])
    height, width, _ = before.shape
    colours, labels = k_means(before.reshape(-1, 3).T.astype(float), count, rounds)
    after = colours[labels].reshape(before.shape)
    order = ca.argsort(colours @ ca.asarray([0.299, 0.587, 0.114]))
    strip = colours[order][ca.arange(height) * count // height]
    strip = ca.repeat(strip[:, None, :], width // 8, axis=1)
    return ca.concatenate([before, ca.round(after), ca.round(strip)], axis=1).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("colours.png")
