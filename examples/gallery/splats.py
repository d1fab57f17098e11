"""A photograph from coloured blobs: PyTorch's Adam moves them, through a renderer and gradients written in cuarray."""

import torch
from PIL import Image
from sklearn.datasets import load_sample_image

import cuarray as ca
from cuarray.interop.torch import wrap


def bumps(places, widths, size):
    """The Gaussians of all blobs along one axis, (blobs, size), and the distances from their places."""
    offsets = (ca.arange(size, dtype="f4") + 0.5) / size - places[:, None]
    return ca.exp(-0.5 * (offsets / widths[:, None]) ** 2), offsets


def render(places, widths, colours, size):
    """The sum of blobs with these places (n, 2), widths (n, 2) and colours (n, 3): (size, size, 3)."""
    tall, _ = bumps(places[:, 0], widths[:, 0], size)
    wide, _ = bumps(places[:, 1], widths[:, 1], size)
    rows = wide[:, :, None] * colours[:, None, :]
    return (tall.T @ rows.reshape(len(rows), -1)).reshape(size, size, 3)


def render_backward(inputs, _picture, grad):
    """The gradients with respect to places, widths and colours; none for the size."""
    places, widths, colours, size = inputs
    bump = [bumps(places[:, axis], widths[:, axis], size) for axis in (0, 1)]
    (tall, _), (wide, _) = bump
    flat = grad.reshape(size, -1)
    of_rows = (tall @ flat).reshape(-1, size, 3)
    of_wide = (of_rows * colours[:, None, :]).sum(axis=2)
    of_tall = (wide[:, :, None] * colours[:, None, :]).reshape(len(wide), -1) @ flat.T
    of_places, of_widths = [], []
    for axis, of_bump in enumerate((of_tall, of_wide)):
        values, offsets = bump[axis]
        slope = of_bump * values * offsets / widths[:, axis, None] ** 2
        of_places.append(slope.sum(axis=1))
        of_widths.append((slope * offsets).sum(axis=1) / widths[:, axis])
    return ca.stack(of_places, axis=1), ca.stack(of_widths, axis=1), (of_rows * wide[:, :, None]).sum(axis=1), None


renderer = wrap(render, backward=render_backward)


def fit(target, count, steps):
    """The pictures of count blobs at the start, after a tenth of the steps and at the end, and all losses."""
    generator = torch.Generator().manual_seed(1)
    start = [
        torch.rand(count, 2, generator=generator),  # places
        torch.full((count, 2), -3.0),  # logarithms of widths
        0.2 * torch.randn(count, 3, generator=generator),  # colours
    ]
    places, logs, colours = (values.to(target.device).requires_grad_() for values in start)
    optimiser = torch.optim.Adam([{"params": [places], "lr": 3e-3}, {"params": [logs, colours], "lr": 3e-2}])
    pictures, losses = [], []
    for step in range(steps):
        picture = renderer(places, torch.exp(logs), colours, len(target))
        loss = torch.mean((picture - target) ** 2)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if step in (0, steps // 10, steps - 1):
            pictures.append(picture.detach())
    return pictures, losses


def draw(size=90, blobs=200, steps=150):
    """Start, a tenth of the steps, the end and the photograph, as an array of bytes of shape (size, 4 size, 3)."""
    photograph = torch.from_numpy(load_sample_image("flower.jpg")[40:400:4, 100:460:4].astype("f4")) / 255
    target = photograph.to("cuda" if torch.cuda.is_available() else "cpu")
    row = ca.from_dlpack(torch.cat([*fit(target, blobs, steps)[0], target], dim=1))
    return (255 * ca.clip(row, 0, 1)).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("splats.png")
