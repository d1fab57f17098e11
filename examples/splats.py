"""Fit a picture with coloured blobs: PyTorch optimises them through a renderer that is written in cuarray.

    pip install torch pillow
    python examples/splats.py [--device cpu] [--blobs 500] [--steps 300] [--image FILE]

Each blob is a Gaussian with a place, a width along each axis, and a colour; the picture is their sum. The renderer and
its gradients are matrix products in cuarray; `cuarray.interop.torch.wrap` makes them a function of autograd. Writes
splats.png: the picture, and the blobs at the start, after a tenth of the steps, and at the end.
"""

import argparse
import time

import numpy as np
import torch
from PIL import Image
from tqdm import tqdm

import cuarray as ca
from cuarray.interop.torch import wrap

HEIGHT, WIDTH = 128, 128


def bumps(places, widths, size):
    """Return the Gaussians of all blobs along one axis, (blobs, size), and the distances from their places."""
    offsets = (ca.arange(size, dtype="f4") + 0.5) / size - places[:, None]
    return ca.exp(-0.5 * (offsets / widths[:, None]) ** 2), offsets


def parts(places, widths, colours):
    """Return the vertical Gaussians, and the coloured rows (blobs, WIDTH, 3), of which the picture is the product."""
    tall, _ = bumps(places[:, 0], widths[:, 0], HEIGHT)
    wide, _ = bumps(places[:, 1], widths[:, 1], WIDTH)
    return tall, wide, wide[:, :, None] * colours[:, None, :]


def render(places, widths, colours):
    """Return the picture of blobs with these places (n, 2), widths (n, 2) and colours (n, 3): (HEIGHT, WIDTH, 3)."""
    tall, _, rows = parts(places, widths, colours)
    return (tall.T @ rows.reshape(len(rows), -1)).reshape(HEIGHT, WIDTH, 3)


def render_backward(inputs, _picture, grad):
    """Return the gradients with respect to places, widths and colours."""
    places, widths, colours = inputs
    tall, wide, rows = parts(places, widths, colours)
    flat = grad.reshape(HEIGHT, -1)
    of_rows = (tall @ flat).reshape(-1, WIDTH, 3)
    of_colours = (of_rows * wide[:, :, None]).sum(axis=1)
    of_wide = (of_rows * colours[:, None, :]).sum(axis=2)
    of_tall = rows.reshape(len(rows), -1) @ flat.T
    of_places, of_widths = [], []
    for axis, (bump, of_bump, size) in enumerate(((tall, of_tall, HEIGHT), (wide, of_wide, WIDTH))):
        _, offsets = bumps(places[:, axis], widths[:, axis], size)
        slope = of_bump * bump * offsets / widths[:, axis, None] ** 2
        of_places.append(slope.sum(axis=1))
        of_widths.append((slope * offsets).sum(axis=1) / widths[:, axis])
    return ca.stack(of_places, axis=1), ca.stack(of_widths, axis=1), of_colours


renderer = wrap(render, backward=render_backward)


def scene():
    """Return a picture of a sunset over hills: (HEIGHT, WIDTH, 3), from 0 to 1."""
    y, x = np.mgrid[0 : 1 : HEIGHT * 1j, 0 : 1 : WIDTH * 1j][..., None]
    picture = (1 - y) * np.array([0.15, 0.2, 0.5]) + y * np.array([1.0, 0.55, 0.3])
    sun = np.hypot(x - 0.68, y - 0.42) < 0.12
    picture = np.where(sun, np.array([1.0, 0.9, 0.5]), picture)
    for height, swing, colour in (
        (0.55, 7, (0.35, 0.25, 0.4)),
        (0.68, 11, (0.2, 0.2, 0.3)),
        (0.82, 5, (0.08, 0.14, 0.16)),
    ):
        hills = y > height + 0.06 * np.sin(swing * x + 9 * height) + 0.02 * np.sin(31 * x)
        picture = np.where(hills, np.array(colour), picture)
    return picture.astype(np.float32)


def read_picture(file):
    if not file:
        return scene()
    image = Image.open(file).convert("RGB").resize((WIDTH, HEIGHT))
    return np.asarray(image, np.float32) / 255


def fit(target, count, steps):
    """Return the pictures at the start, after a tenth of the steps and at the end, and the losses."""
    torch.manual_seed(1)
    places = torch.rand(count, 2, device=target.device, requires_grad=True)
    logs = torch.full((count, 2), -3.2, device=target.device, requires_grad=True)
    colours = (0.2 * torch.randn(count, 3, device=target.device)).requires_grad_()
    optimiser = torch.optim.Adam(
        [{"params": [places], "lr": 2e-3}, {"params": [logs], "lr": 2e-2}, {"params": [colours], "lr": 2e-2}]
    )
    pictures, losses = [], []
    for step in tqdm(range(steps), disable=None, leave=False):
        picture = renderer(places, torch.exp(logs), colours)
        loss = torch.mean((picture - target) ** 2)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        if step in (0, steps // 10, steps - 1):
            pictures.append(picture.detach().cpu().numpy())
    return pictures, losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="torch's: cpu, cuda")
    parser.add_argument("--blobs", type=int, default=500)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--image", help="any image file that Pillow reads")
    options = parser.parse_args()
    if options.blobs < 1 or options.steps < 10:
        parser.error("--blobs must be at least 1 and --steps at least 10")

    target = torch.tensor(read_picture(options.image), device=options.device)
    start = time.perf_counter()
    pictures, losses = fit(target, options.blobs, options.steps)
    seconds = time.perf_counter() - start
    print(f"{options.blobs} blobs, {options.steps} steps of Adam: {seconds / options.steps * 1e3:.1f} ms a step")
    print(f"mean squared error {losses[0]:.4f} at the start, {losses[-1]:.5f} at the end")
    shown = [np.clip(picture, 0, 1) for picture in (target.cpu().numpy(), *pictures)]
    gap = np.ones((HEIGHT, 6, 3), np.float32)
    row = np.hstack([part for picture in shown for part in (picture, gap)][:-1])
    image = Image.fromarray(np.round(255 * row).astype(np.uint8))
    image.resize((2 * image.width, 2 * image.height), Image.Resampling.LANCZOS).save("splats.png")
    print("wrote splats.png: the picture | the blobs at the start | after a tenth of the steps | at the end")


if __name__ == "__main__":
    main()
