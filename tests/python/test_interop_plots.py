"""Plots, images and databases: matplotlib, Pillow, sqlite3."""

import sqlite3

import numpy as np
import pytest
from foreign import need

import cuarray


@pytest.fixture(autouse=True)
def cpu():
    with cuarray.device("cpu"):
        yield


@pytest.fixture
def axes():
    need("matplotlib")
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()
    plt.close(figure)


PLOTS = [
    "plot(x, y)", "scatter(x, y, s=y, c=y)", "bar(x, y)", "bar(x, y, color=['r', 'g', 'b', 'k'])", "barh(x, y)", "hist(y)",
    "errorbar(x, y, yerr=y)", "fill_between(x, y, y + 1)", "step(x, y)", "stem(x, y)", "pie(y)", "boxplot(y)", "violinplot(y)",
    "stackplot(x, y, y)", "quiver(x, y, y, y)", "imshow(z)", "pcolormesh(z)", "contour(z)", "contourf(z)", "hexbin(x, y, gridsize=3)",
    "semilogy(x, y)", "vlines(x, 0, y)", "eventplot(y)", "hlines(y, 0, x)", "axhline(y[0])", "text(x[0], y[0], 'a')", "set_xlim(x[0], x[3])",
]  # fmt: skip


@pytest.mark.parametrize("call", PLOTS)
def test_plots(call, axes):
    x = cuarray.arange(1.0, 5.0)
    names = {"axes": axes, "x": x, "y": x * x, "z": x[:, None] * x}
    eval(f"axes.{call}", names)


IMAGES = {"L": ((4, 5), "u1"), "RGB": ((4, 5, 3), "u1"), "RGBA": ((4, 5, 4), "u1"), "F": ((4, 5), "f4"), "I": ((4, 5), "i4"),
          "1": ((4, 5), "?"), "I;16": ((4, 5), "u2")}  # fmt: skip


@pytest.mark.parametrize("mode", IMAGES)
def test_pictures(mode):
    need("PIL")
    from PIL import Image

    shape, dtype = IMAGES[mode]
    pixels = (np.arange(np.prod(shape)) % 2).reshape(shape).astype(dtype)
    for x in (cuarray.asarray(pixels), cuarray.asarray(pixels)[::-1], cuarray.asarray(pixels)[:, ::2]):
        image = Image.fromarray(x)
        assert image.mode == mode and image.tobytes() == Image.fromarray(x.numpy()).tobytes()
        assert (cuarray.asarray(image) == x).all() and (x == image).all()


def test_numbers_go_into_a_database():
    table = sqlite3.connect(":memory:")
    table.execute("create table t (a, b, c)")
    x = cuarray.arange(1, 4)
    table.execute("insert into t values (?, ?, ?)", (x[0], (x / 2)[0], (x > 0).all()))
    assert table.execute("select * from t").fetchall() == [(1, 0.5, 1)]
    table.execute("insert into t values (?, 0, 0)", (x,))
    assert table.execute("select a from t where b = 0").fetchone() == (x.tobytes(),)
