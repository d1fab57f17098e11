"""Discrete Fourier transforms over one axis or several: on the device 'cpu' by NumPy's transforms, on GPUs by cuFFT.

``cuarray.fft`` has the functions of `numpy.fft` and of the Array API standard's extension `fft`.
"""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import bounded, integer, normalise_axis
from cuarray._arguments.functions import arange, roll
from cuarray._arguments.operands import as_arrays
from cuarray._core import ndarray
from cuarray._fft.plan_cache import plan_cache
from cuarray._fft.plans import transform_axes, transform_axis

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft",
    "irfft", "irfft2", "irfftn", "plan_cache", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


def __dir__():
    return sorted(__all__)


def fft(a, n=None, axis=-1, norm=None, out=None) -> ndarray:
    """Transform one axis to frequencies.

    result[k] is the sum of a[j] * exp(-2j * pi * j * k / n) over j: first frequency 0, then the positive ones,
    then the negative ones.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    n : int, optional
        Points to transform, all by default; longer lines are cut, shorter ones padded with zeros.
    axis : int
        The axis to transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16; with `n` points along the axis.

    Raises
    ------
    ValueError
        If `n` is below 1, `norm` is unknown, or `out` has another shape.
    AxisError
        If the axis does not exist.
    TypeError
        If an argument is no integer, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    Notes
    -----
    On 'cpu' the transforms are NumPy's, with its bits. Other axes with many elements are shared by the threads of
    `set_num_threads`, which does not change the result. On GPUs they are cuFFT's.

    See Also
    --------
    numpy.fft.fft

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.fft(ca.asarray([1.0, 2.0, 3.0, 4.0], device="cpu")).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return transform_axis("fft", a, n, axis, norm, out)


def ifft(a, n=None, axis=-1, norm=None, out=None) -> ndarray:
    """Transform one axis from frequencies; the inverse of `fft`.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    n : int, optional
        Points to transform, all by default; longer lines are cut, shorter ones padded with zeros.
    axis : int
        The axis to transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16; with `n` points along the axis.

    Raises
    ------
    ValueError
        If `n` is below 1, `norm` is unknown, or `out` has another shape.
    AxisError
        If the axis does not exist.
    TypeError
        If an argument is no integer, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.ifft

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.ifft(ca.asarray([10, -2 + 2j, -2, -2 - 2j], device="cpu")).tolist()
    [(1+0j), (2+0j), (3+0j), (4+0j)]
    """
    return transform_axis("ifft", a, n, axis, norm, out)


def rfft(a, n=None, axis=-1, norm=None, out=None) -> ndarray:
    """Transform one axis of real values to the frequencies that are not negative.

    The others, of `fft`, are their complex conjugates.

    Parameters
    ----------
    a : array_like
        Real; integers and bools are transformed as float64.
    n : int, optional
        Points to transform, all by default; longer lines are cut, shorter ones padded with zeros.
    axis : int
        The axis to transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16; with ``n // 2 + 1`` points along the axis.

    Raises
    ------
    ValueError
        If `n` is below 1, `norm` is unknown, or `out` has another shape.
    AxisError
        If the axis does not exist.
    TypeError
        If `a` is complex, an argument is no integer, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.rfft

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.rfft(ca.asarray([1.0, 2.0, 3.0, 4.0], device="cpu")).tolist()
    [(10+0j), (-2+2j), (-2+0j)]
    """
    return transform_axis("rfft", a, n, axis, norm, out)


def irfft(a, n=None, axis=-1, norm=None, out=None) -> ndarray:
    """Transform one axis from frequencies to real values; the inverse of `rfft`.

    Parameters
    ----------
    a : array_like
        The frequencies that are not negative. The imaginary part of the first is ignored, and that of the last
        if `n` is even.
    n : int, optional
        Points of the result, 2 (m - 1) of m given ones by default; n // 2 + 1 of the given ones are used,
        or zeros where there are fewer.
    axis : int
        The axis to transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Real, in the precision of `a`; with `n` points along the axis.

    Raises
    ------
    ValueError
        If `n` is below 1, `norm` is unknown, or `out` has another shape.
    AxisError
        If the axis does not exist.
    TypeError
        If an argument is no integer, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    Notes
    -----
    An odd number of points cannot be told from an even one: write ``irfft(rfft(x), len(x))``.

    See Also
    --------
    numpy.fft.irfft

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.irfft(ca.asarray([10, -2 + 2j, -2], device="cpu")).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return transform_axis("irfft", a, n, axis, norm, out)


def hfft(a, n=None, axis=-1, norm=None, out=None) -> ndarray:
    """Transform one axis of values with Hermitian symmetry to real frequencies.

    The values at negative times are the complex conjugates of those given.

    Parameters
    ----------
    a : array_like
        The values at times that are not negative.
    n : int, optional
        Points of the result, 2 (m - 1) of m given ones by default; n // 2 + 1 of the given ones are used,
        or zeros where there are fewer.
    axis : int
        The axis to transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Real, in the precision of `a`; with `n` points along the axis.

    Raises
    ------
    ValueError
        If `n` is below 1, `norm` is unknown, or `out` has another shape.
    AxisError
        If the axis does not exist.
    TypeError
        If an argument is no integer, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.hfft

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.hfft(ca.asarray([1.0, 2.0, 3.0], device="cpu")).tolist()
    [8.0, -2.0, 0.0, -2.0]
    """
    return transform_axis("hfft", a, n, axis, norm, out)


def ihfft(a, n=None, axis=-1, norm=None, out=None) -> ndarray:
    """Transform one axis of real frequencies to values with Hermitian symmetry; the inverse of `hfft`.

    Parameters
    ----------
    a : array_like
        Real; integers and bools are transformed as float64.
    n : int, optional
        Points to transform, all by default; longer lines are cut, shorter ones padded with zeros.
    axis : int
        The axis to transform.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16; with ``n // 2 + 1`` points along the axis.

    Raises
    ------
    ValueError
        If `n` is below 1, `norm` is unknown, or `out` has another shape.
    AxisError
        If the axis does not exist.
    TypeError
        If `a` is complex, an argument is no integer, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.ihfft

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.ihfft(ca.asarray([8.0, -2.0, 0.0, -2.0], device="cpu")).tolist()
    [(1-0j), (2-0j), (3-0j)]
    """
    return transform_axis("ihfft", a, n, axis, norm, out)


def fftn(a, s=None, axes=None, norm=None, out=None) -> ndarray:
    """Transform several axes to frequencies.

    The last of the axes comes first.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points to transform along each of the axes, all by default, and where it has -1.
    axes : sequence of int, optional
        All axes by default, or the last ones if `s` is given; an axis given twice is transformed twice.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist.
    TypeError
        If an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    Notes
    -----
    Without axes, as with a 0-d array, the result is `a` itself.

    See Also
    --------
    numpy.fft.fftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.fftn(ca.asarray([[1.0, 2.0], [3.0, 4.0]], device="cpu")).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return transform_axes("fftn", a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None) -> ndarray:
    """Transform several axes from frequencies; the inverse of `fftn`.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points to transform along each of the axes, all by default, and where it has -1.
    axes : sequence of int, optional
        All axes by default, or the last ones if `s` is given; an axis given twice is transformed twice.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist.
    TypeError
        If an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.ifftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.ifftn(ca.asarray([[10, -2], [-4, 0]], device="cpu")).tolist()
    [[(1+0j), (2+0j)], [(3+0j), (4+0j)]]
    """
    return transform_axes("ifftn", a, s, axes, norm, out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None) -> ndarray:
    """Transform two axes to frequencies.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points to transform along each of the axes, all by default, and where it has -1.
    axes : sequence of int, optional
        The last two by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist.
    TypeError
        If an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.fft2, fftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.fft2(ca.asarray([[1.0, 2.0], [3.0, 4.0]], device="cpu")).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return transform_axes("fft2", a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None) -> ndarray:
    """Transform two axes from frequencies; the inverse of `fft2`.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points to transform along each of the axes, all by default, and where it has -1.
    axes : sequence of int, optional
        The last two by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist.
    TypeError
        If an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.ifft2, ifftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.ifft2(ca.asarray([[10, -2], [-4, 0]], device="cpu")).tolist()
    [[(1+0j), (2+0j)], [(3+0j), (4+0j)]]
    """
    return transform_axes("ifft2", a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None) -> ndarray:
    """Transform several axes of real values: the last one by `rfft`, the others by `fft`.

    Parameters
    ----------
    a : array_like
        Real; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points to transform along each of the axes, all by default, and where it has -1.
    axes : sequence of int, optional
        All axes by default, or the last ones if `s` is given; an axis given twice is transformed twice.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16; the last of the axes has ``n // 2 + 1`` points.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist, or there is none.
    TypeError
        If `a` is complex, an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.rfftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.rfftn(ca.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device="cpu")).shape
    (2, 2)
    """
    return transform_axes("rfftn", a, s, axes, norm, out)


def irfftn(a, s=None, axes=None, norm=None, out=None) -> ndarray:
    """Transform several axes to real values: the last one by `irfft`, the others by `ifft`.

    The inverse of `rfftn`.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points of the result along each of the axes; -1 stands for those of `a`. By default also those of `a`,
        and 2 (m - 1) of m in the last of the axes.
    axes : sequence of int, optional
        All axes by default, or the last ones if `s` is given; an axis given twice is transformed twice.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Real, in the precision of `a`.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist, or there is none.
    TypeError
        If an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.irfftn

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device="cpu")
    >>> ca.fft.irfftn(ca.fft.rfftn(x), x.shape, axes=(0, 1)).tolist()
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    """
    return transform_axes("irfftn", a, s, axes, norm, out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None) -> ndarray:
    """Transform two axes of real values: the last one by `rfft`, the other by `fft`.

    Parameters
    ----------
    a : array_like
        Real; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points to transform along each of the axes, all by default, and where it has -1.
    axes : sequence of int, optional
        The last two by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Complex, of single precision if `a` is, or has float16; the last of the axes has ``n // 2 + 1`` points.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist, or there is none.
    TypeError
        If `a` is complex, an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.rfft2, rfftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.rfft2(ca.asarray([[1.0, 2.0], [3.0, 4.0]], device="cpu")).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return transform_axes("rfft2", a, s, axes, norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None) -> ndarray:
    """Transform two axes to real values: the last one by `irfft`, the other by `ifft`.

    The inverse of `rfft2`.

    Parameters
    ----------
    a : array_like
        Of any number type; integers and bools are transformed as float64.
    s : sequence of int, optional
        Points of the result along each of the axes; -1 stands for those of `a`. By default also those of `a`,
        and 2 (m - 1) of m in the last of the axes.
    axes : sequence of int, optional
        The last two by default.
    norm : {'backward', 'ortho', 'forward'}, optional
        Which direction is scaled by 1/n: the inverse transforms by default; 'ortho' scales both by
        1/sqrt(n), 'forward' the forward ones.
    out : ndarray, optional
        Output array: of cuarray on the device of `a`, or of NumPy if that is 'cpu'.

    Returns
    -------
    ndarray
        Real, in the precision of `a`.

    Raises
    ------
    ValueError
        If a length is below 1, `s` and `axes` differ in length, `norm` is unknown, or `out` has another shape.
    AxisError
        If an axis does not exist, or there is none.
    TypeError
        If an argument is no sequence of integers, or the result cannot be cast to `out`.
    NotImplementedError
        If the array is on a GPU and cuFFT is not installed.

    See Also
    --------
    numpy.fft.irfft2, irfftn

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.irfft2(ca.asarray([[10, -2], [-4, 0]], device="cpu")).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return transform_axes("irfft2", a, s, axes, norm, out)


def fftfreq(n, d=1.0, device=None, *, dtype=None) -> ndarray:
    """Return the frequencies of the elements of `fft`.

    Parameters
    ----------
    n : int
        Number of points that were transformed.
    d : float
        Distance of the points; the frequencies are in cycles per its unit.
    device : device or str, optional
        The current device by default.
    dtype : dtype, optional
        A real floating type; float64 by default.

    Returns
    -------
    ndarray
        0, 1, ... and ..., -2, -1 divided by ``n * d``; the most negative one stands in the middle.

    Raises
    ------
    ValueError
        If `n` is no integer, or negative.
    ZeroDivisionError
        If `n` or `d` is zero.
    TypeError
        If `dtype` is no real floating type.

    See Also
    --------
    numpy.fft.fftfreq

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.fftfreq(5, 0.1)
    array([ 0.,  2.,  4., -4., -2.])
    """
    unit, dtype = lowest_frequency("fftfreq", n, d, dtype)
    half = int(n) // 2
    places = roll(arange(-half, int(n) - half, device=device), -half)
    return frequencies(places, unit, dtype)


def rfftfreq(n, d=1.0, device=None, *, dtype=None) -> ndarray:
    """Return the frequencies of the elements of `rfft`.

    Parameters
    ----------
    n : int
        Number of points that were transformed.
    d : float
        Distance of the points; the frequencies are in cycles per its unit.
    device : device or str, optional
        The current device by default.
    dtype : dtype, optional
        A real floating type; float64 by default.

    Returns
    -------
    ndarray
        0, 1, ... up to ``n // 2``, divided by ``n * d``.

    Raises
    ------
    ValueError
        If `n` is no integer, or negative.
    ZeroDivisionError
        If `n` or `d` is zero.
    TypeError
        If `dtype` is no real floating type.

    See Also
    --------
    numpy.fft.rfftfreq

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.rfftfreq(5, 0.1)
    array([0., 2., 4.])
    """
    unit, dtype = lowest_frequency("rfftfreq", n, d, dtype)
    return frequencies(arange(n // 2 + 1, device=device), unit, dtype)


def lowest_frequency(function, n, d, dtype):
    """Return the lowest frequency of n points, and the dtype of the results; None for that of the product."""
    if dtype is not None:
        dtype = _core.dtype(dtype)
        if dtype.kind != "f" and dtype != _core.dtype("bfloat16"):
            raise TypeError(f"{function}: dtype must be a real floating type, not {dtype}")
    if not isinstance(n, int | np.integer):
        raise ValueError(f"{function}: n must be an integer, not {n!r:.80}")
    if n < 0:
        raise ValueError(f"{function}: n must not be negative, it is {n}")
    try:
        with np.errstate(divide="ignore"):
            return 1.0 / (n * d), dtype
    except ZeroDivisionError:
        message = f"{function}: no frequencies for n = {n} points at distance d = {d!r:.80}"
        raise ZeroDivisionError(message) from None
    except TypeError:
        raise TypeError(f"{function}: d must be a number, not {d!r:.80}") from None


def frequencies(places, unit, dtype):
    values = places * unit
    if dtype is None:
        return values
    if values.dtype.kind == "c":
        raise TypeError(f"frequencies of a complex distance cannot be cast to {dtype}")
    return values.astype(dtype, copy=False)


def fftshift(x, axes=None) -> ndarray:
    """Move frequency 0 to the middle.

    Parameters
    ----------
    x : array_like
    axes : int or sequence of int, optional
        All axes by default.

    Returns
    -------
    ndarray
        A new array, rolled by half the length of each of the axes.

    Raises
    ------
    AxisError
        If an axis does not exist.
    TypeError
        If an axis is no integer.

    See Also
    --------
    numpy.fft.fftshift

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.fftshift(ca.fft.fftfreq(5, 0.1))
    array([-4., -2.,  0.,  2.,  4.])
    """
    return half_rolled("fftshift", x, axes, 1)


def ifftshift(x, axes=None) -> ndarray:
    """Move frequency 0 from the middle to the front; the inverse of `fftshift`.

    Parameters
    ----------
    x : array_like
    axes : int or sequence of int, optional
        All axes by default.

    Returns
    -------
    ndarray
        A new array, rolled back by half the length of each of the axes.

    Raises
    ------
    AxisError
        If an axis does not exist.
    TypeError
        If an axis is no integer.

    See Also
    --------
    numpy.fft.ifftshift

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fft.ifftshift([-2, -1, 0, 1, 2])
    array([ 0,  1,  2, -2, -1])
    """
    return half_rolled("ifftshift", x, axes, -1)


def half_rolled(function, x, axes, sign):
    """Return a copy rolled by half the length of each axis."""
    (x,) = as_arrays(function, x)
    if axes is None:
        axes = range(x.ndim)
    elif isinstance(axes, str | bytes) or not np.iterable(axes):
        axes = [axes]
    numbers = [integer(axis, "an axis", function) for axis in bounded(axes, "axes", function)]
    places = tuple([normalise_axis(number, x, function) for number in numbers])
    return roll(x, tuple([sign * (x.shape[place] // 2) for place in places]), places)
