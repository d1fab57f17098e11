"""Set operations: unique elements, and operations of two arrays as sets."""

from typing import NamedTuple

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import argsort, concat, empty, searchsorted, sort, take, unique, zeros
from cuarray._arguments.operands import as_arrays, is_on_host
from cuarray._arguments.ufuncs import minimum
from cuarray._core import ndarray
from cuarray._runtime.fuse import fused_call

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: ndarray
    inverse_indices: ndarray


def unique_all(x):
    """Return the unique elements, their first positions, the inverse, and the counts.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueAllResult
        `values`, `indices`, `inverse_indices` of the shape of `x`, and `counts`. Every NaN is an element of
        its own.

    See Also
    --------
    numpy.unique_all

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unique_all([3, 1, 3]).indices
    array([1, 0])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """Return the unique elements, and the number of occurrences of each.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueCountsResult
        `values` and `counts`. Each NaN counts as a different element.

    See Also
    --------
    numpy.unique_counts

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unique_counts([3, 1, 3]).counts
    array([1, 2])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """Return the unique elements, and the position of each element of `x` among them.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    UniqueInverseResult
        `values`, and `inverse_indices` of the shape of `x`. Each NaN counts as a different element.

    See Also
    --------
    numpy.unique_inverse

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unique_inverse([3, 1, 3]).inverse_indices
    array([1, 0, 1])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    """Return the unique elements.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        In ascending order. Each NaN counts as a different element.

    See Also
    --------
    numpy.unique_values

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unique_values([3, 1, 3])
    array([1, 3])
    """
    return unique(x, equal_nan=False)


def together(function, *objects):
    """Return the objects as arrays on one device, of one type."""
    arrays = as_arrays(function, *objects)
    dtype = _core.result_type(*arrays)
    return [x.astype(dtype, copy=False) for x in arrays]


#: Up to this number of elements, comparing each with all is faster than sorting.
FEW = 16
#: From this number of elements on, a table of the integers to look for is faster than searches.
FEW_FOR_TABLE = 256


def table_of(numbers, element):
    """Return the least of some integers, and whether each number from it on is one of them.

    The last entry, after the largest number, is False. None where searches take less time: for few elements, for
    numbers far apart, and on GPUs, where the host would have to wait for the length.
    """
    if numbers.dtype.kind not in "iu" or element.size < FEW_FOR_TABLE or not is_on_host(element):
        return None
    first, last = int(numbers.min()), int(numbers.max())
    if last - first > 6 * (element.size + numbers.size) or last >= 2**63:
        return None
    holds = zeros(last - first + 2, bool, device=numbers.device)
    holds[numbers.astype(np.int64) - first] = True
    return np.int64(first).view(np.uint64), holds


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Tell for each element whether it occurs in another array.

    Parameters
    ----------
    element : array_like
    test_elements : array_like
    assume_unique : bool
        Accepted for NumPy compatibility.
    invert : bool
        Whether to invert the result.
    kind : {None, 'sort', 'table'}
        Accepted for NumPy compatibility; 'table' only accepts integers and bools.

    Returns
    -------
    ndarray
        bool, of the shape of `element`. NaN is in nothing.

    Raises
    ------
    ValueError
        If `kind` is unknown or does not fit the types.

    See Also
    --------
    numpy.isin

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isin([[0, 2], [4, 6]], [1, 2, 4, 8])
    array([[False,  True],
           [ True, False]])
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(f"isin: kind must be None, 'sort' or 'table', not {kind!r}")
    element, others = as_arrays("isin", element, test_elements)
    if not element.flags.c_contiguous:
        found = isin(element.ravel(), others, assume_unique, invert, kind=kind)
        return found.reshape(element.shape)
    types = {x.dtype.kind for x in (element, others)}
    if kind == "table" and not types <= {"b", "i", "u"}:
        raise ValueError("isin: kind='table' takes integers and bools alone")
    if types == {"i", "u"} and _core.result_type(element, others).kind == "f":
        # No integer type holds both, and floats are not exact: negative elements match nothing.
        signed = element if element.dtype.kind == "i" else others
        if signed is others:
            others = others[others >= 0]
        found = isin(element.astype("u8"), others.astype("u8"))
        if signed is element:
            found &= element >= 0
        return ~found if invert else found
    element, others = together("isin", element, others)
    others = others.ravel()
    if others.size == 0:
        found = empty(element.shape, bool, device=element.device)
        found[...] = False
    elif others.size <= FEW:
        with fused_call():
            found = element == others[0]
            for i in range(1, others.size):
                found = found | (element == others[i])
    elif table := table_of(others, element) if kind != "sort" else None:
        first, holds = table
        with fused_call():
            # Numbers outside, also negative ones, are the largest as unsigned integers: the last place of the table.
            places = minimum(element.astype(np.int64, copy=False).view(np.uint64) - first, np.uint64(holds.size - 1))
        found = take(holds, places.view(np.int64), 0)
    else:
        ordered = sort(others)
        places = minimum(searchsorted(ordered, element, "left"), others.size - 1)
        found = take(ordered, places, 0) == element
    found = ~found if invert else found
    return found if found.ndim else _core.array_from_object(found, copy=True)  # as in NumPy, an array and no value


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Return the elements that two arrays have in common, in ascending order, each once.

    Parameters
    ----------
    ar1, ar2 : array_like
        Flattened.
    assume_unique : bool
        Whether the elements of each array are known to be unique.
    return_indices : bool
        Whether to return the elements' first positions in both arrays too.

    Returns
    -------
    ndarray or tuple of ndarray

    See Also
    --------
    numpy.intersect1d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.intersect1d([1, 3, 4, 3], [3, 1, 2, 1])
    array([1, 3])
    """
    ar1, ar2 = (x.ravel() for x in together("intersect1d", ar1, ar2))
    if not assume_unique and return_indices:
        ar1, first1 = unique(ar1, return_index=True)
        ar2, first2 = unique(ar2, return_index=True)
    elif not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    both = concat([ar1, ar2])
    order = argsort(both)
    ordered = take(both, order, 0)
    twice = ordered[1:] == ordered[:-1]
    common = ordered[:-1][twice]
    if not return_indices:
        return common
    in1, in2 = order[:-1][twice], order[1:][twice] - ar1.size
    if not assume_unique:
        in1, in2 = take(first1, in1, 0), take(first2, in2, 0)
    return common, in1, in2


def setxor1d(ar1, ar2, assume_unique=False):
    """Return the elements that are in exactly one of two arrays, in ascending order, each once.

    Parameters
    ----------
    ar1, ar2 : array_like
        Flattened.
    assume_unique : bool
        Whether the elements of each array are known to be unique.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.setxor1d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.setxor1d([1, 2, 3, 2, 4], [2, 3, 5, 7, 5])
    array([1, 4, 5, 7])
    """
    if not assume_unique:
        ar1, ar2 = (unique(x) for x in as_arrays("setxor1d", ar1, ar2))
    ordered = sort(concat([ar1, ar2], axis=None))
    begins = empty(ordered.shape, bool, device=ordered.device)
    begins[:1], begins[1:] = True, ordered[1:] != ordered[:-1]
    alone = begins.copy()
    alone[:-1] &= begins[1:]
    return ordered[alone]


def setdiff1d(ar1, ar2, assume_unique=False):
    """Return the elements of one array that are not in another one.

    Parameters
    ----------
    ar1, ar2 : array_like
        Flattened.
    assume_unique : bool
        Whether the elements of each array are known to be unique; they then keep their order.

    Returns
    -------
    ndarray
        In ascending order, each element once.

    See Also
    --------
    numpy.setdiff1d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.setdiff1d([1, 2, 3, 2, 4, 1], [3, 4, 5, 6])
    array([1, 2])
    """
    ar1, ar2 = as_arrays("setdiff1d", ar1, ar2)
    ar1 = ar1.ravel() if assume_unique else unique(ar1)
    return ar1[isin(ar1, ar2, invert=True)]


def union1d(ar1, ar2):
    """Return the elements of two arrays, in ascending order, each once.

    Parameters
    ----------
    ar1, ar2 : array_like
        Flattened.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.union1d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.union1d([-1, 0, 1], [-2, 0, 2])
    array([-2, -1,  0,  1,  2])
    """
    return unique(concat([ar1, ar2], axis=None))
