"""Views with arbitrary shapes and strides, checked to stay inside their memory."""

from cuarray import _core
from cuarray._arguments.axes import integer, integer_tuple, normalise_axis, shape_tuple
from cuarray._arguments.functions import broadcast_arrays as broadcast_arrays
from cuarray._arguments.functions import broadcast_shapes as broadcast_shapes
from cuarray._arguments.functions import broadcast_to as broadcast_to
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = ["as_strided", "sliding_window_view"]


def __dir__():
    return sorted(__all__)


def as_strided(x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None) -> ndarray:
    """Return a view with the given shape and strides.

    Parameters
    ----------
    x : array_like
    shape : sequence of int, optional
        That of `x` by default.
    strides : sequence of int, optional
        In bytes; those of `x` by default.
    subok : bool
        Accepted and ignored: there are no subclasses.
    writeable : bool
        False makes the view read-only. If elements overlap, the order of writes is undefined.
    check_bounds : bool, optional
        Accepted and ignored: bounds are always checked.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the view would exceed the memory of `x`; NumPy checks this by `check_bounds=True` alone, from 2.5 on.

    See Also
    --------
    numpy.lib.stride_tricks.as_strided

    Examples
    --------
    >>> import cuarray as ca
    >>> from cuarray.lib.stride_tricks import as_strided
    >>> x = ca.arange(5)
    >>> as_strided(x, (3, 3), (8, 8))
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = as_array(x)
    if _core.is_value(x):
        x = _core.array_from_object(x, copy=True)  # as of NumPy's scalars, whose memory is not theirs
    shape = x.shape if shape is None else shape_tuple(shape, "shape", "as_strided")
    strides = x.strides if strides is None else integer_tuple(strides, "strides", "as_strided")
    view = _core.as_strided(x, shape, strides)
    if not (writeable and x.flags.writeable):
        view.flags.writeable = False
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False) -> ndarray:
    """Return a view of all windows of a given shape in an array.

    Parameters
    ----------
    x : array_like
    window_shape : int or tuple of int
        The extent of the windows along each axis in `axis`.
    axis : int or tuple of int, optional
        All axes by default; an axis given twice has windows of windows.
    subok : bool
        Accepted and ignored: there are no subclasses.
    writeable : bool
        Whether the view can be written.

    Returns
    -------
    ndarray
        The axes of the windows' positions, then those of the windows.

    Raises
    ------
    ValueError
        If a window is larger than the array or negative, or there are not as many extents as axes.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.lib.stride_tricks.sliding_window_view

    Examples
    --------
    >>> import cuarray as ca
    >>> from cuarray.lib.stride_tricks import sliding_window_view
    >>> sliding_window_view(ca.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = as_array(x)
    window = shape_tuple(window_shape, "window_shape", "sliding_window_view")
    if any(extent < 0 for extent in window):
        raise ValueError(f"sliding_window_view: `window_shape` cannot contain negative values: {window}")
    if axis is None:
        axes = list(range(x.ndim))
    else:
        given = axis if hasattr(axis, "__iter__") else (axis,)
        numbers = [integer(one, "axis", "sliding_window_view") for one in given]
        axes = [normalise_axis(number, x, "sliding_window_view") for number in numbers]
    if len(window) != len(axes):
        raise ValueError(f"sliding_window_view: {len(window)} extents of the window do not go with {len(axes)} axes")
    places = list(x.shape)
    for one, extent in zip(axes, window, strict=True):
        if places[one] < extent:
            raise ValueError(f"sliding_window_view: window {window} is larger than the array of shape {x.shape}")
        places[one] -= extent - 1
    strides = (*x.strides, *(x.strides[one] for one in axes))
    return as_strided(x, (*places, *window), strides, writeable=writeable)
