"""The repr and str of arrays and of values: NumPy's text, plus the device if it is not the default one."""

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import concat
from cuarray._arguments.operands import host_copy, is_on_host


def corners(array):
    """Return the part of a long array that NumPy prints: the ends of each axis, and one entry between."""
    edge = np.get_printoptions()["edgeitems"]
    for axis, extent in enumerate(array.shape):
        if extent > 2 * edge + 1:
            before = (slice(None),) * axis
            head, tail = array[*before, : edge + 1], array[*before, extent - edge :]
            array = concat([head, tail], axis)
    return array


def host_text(array, text):
    """Return text(values), fetching only the corners of a long array that is not on the host."""
    is_long = array.size > np.get_printoptions()["threshold"]
    if is_on_host(array) or not is_long:
        return text(host_copy(array))
    few = corners(array)
    with np.printoptions(threshold=0):
        shown = text(host_copy(few))
    return shown.replace(f"shape={few.shape}", f"shape={array.shape}")


def ndarray_repr(array):
    if array.device != _core.default_device():
        return f"{host_text(array, repr)[:-1]}, device='{array.device}')"
    return repr(host_copy(array)[()]) if _core.is_value(array) else host_text(array, repr)


def ndarray_str(array):
    return host_text(array, str)


def html_table(self):
    """Return the HTML for notebooks: properties, a picture of an image, and the values; the repr of a 0-d array."""
    from html import escape

    from cuarray._functions.thumbnail import html_image, is_image

    if self.ndim == 0:
        return f"<pre>{escape(repr(self))}</pre>"
    rows = {
        "shape": str(self.shape),
        "dtype": self.dtype.name,
        "device": str(self.device),
        "bytes": f"{self.nbytes:,}",
    }
    cells = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
    picture = html_image(self) if is_image(self) else ""
    return f"<table>{cells}</table>{picture}<pre>{escape(str(self))}</pre>"
