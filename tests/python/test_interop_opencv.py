"""OpenCV refuses arrays of another class than NumPy's; x.numpy() and x.numpy(copy=False) are what to pass."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "cv2")


def image():
    return cuarray.asarray(np.random.default_rng(0).integers(0, 255, (16, 20, 3)).astype("u1"))


def check_ours_are_refused():
    x = image()
    for call in (
        lambda: cv2.cvtColor(x, cv2.COLOR_BGR2GRAY), lambda: cv2.resize(x, (4, 4)), lambda: cv2.add(x.numpy(), x), lambda: cv2.imencode(".png", x),
        lambda: cv2.circle(x, (3, 3), 2, (1, 2, 3)), lambda: cv2.filter2D(x.numpy(), -1, cuarray.ones((3, 3))),
    ):  # fmt: skip
        assert "is not a numpy array, neither a scalar" in str(error_of(call, cv2.error))
    for call in (
        lambda: cv2.merge([x[..., 0]]), lambda: cv2.circle(x.numpy(), tuple(x[0, 0, :2]), 2, (1, 2, 3)),
        lambda: cv2.circle(x.numpy(), (3, 3), 2, x[0, 0]), lambda: cv2.circle(x.numpy(), (3, 3), x.max(), (1, 2, 3)),
    ):  # fmt: skip
        error_of(call, cv2.error)


def check_a_copy_is_read():
    x = image()
    for view in (x, x[..., ::-1], x[::2, ::-2], x[..., 0], x[..., 0].T):
        expected = cv2.blur(np.array(view.tolist(), dtype="u1"), (3, 3))
        assert np.array_equal(cv2.blur(view.numpy(), (3, 3)), expected)
        assert (cuarray.asarray(cv2.blur(view.numpy(copy=False), (3, 3))) == cuarray.asarray(expected)).all()


def check_a_view_is_drawn_into():
    x = image()
    host = x.numpy()
    arguments = tuple(x[0, 0, :2].tolist()), int(x.max()) // 64, x[1, 1].tolist(), -1
    cv2.circle(x.numpy(copy=False), *arguments)
    cv2.circle(host, *arguments)
    assert np.array_equal(x.numpy(), host)


def check_values_of_float64_are_numbers():
    x = image()
    level = x.mean()
    assert cv2.threshold(x.numpy(), level, 255, cv2.THRESH_BINARY)[0] == float(np.floor(float(level)))
    assert np.array_equal(cv2.blur(level, (3, 3)), cv2.blur(float(level), (3, 3))) and cv2.blur(level, (3, 3)).size == 4


def check_programs_under_cuarray_numpy():
    code = """
import cuarray.numpy as np, cv2
x = np.arange(300, dtype="u1").reshape(10, 10, 3)
assert (cv2.cvtColor(x, cv2.COLOR_BGR2GRAY) == cv2.cvtColor(x.numpy(), cv2.COLOR_BGR2GRAY)).all()
cv2.circle(x, (3, 3), 2, (1, 2, 3), -1)
assert x[3, 3].tolist() == [1, 2, 3]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    import subprocess
    import sys

    import cv2
    import numpy as np

    import cuarray

    cuarray.set_default_device("cpu")
    peers.main(globals())
