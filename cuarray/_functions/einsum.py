"""Einstein summation: products of arrays by labelled axes, two arrays at a time."""

from functools import lru_cache
from itertools import islice

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.operands import as_arrays, target, under_its_name, write_output
from cuarray._core import ndarray

__all__ = ["einsum", "einsum_path"]


def common_dtype(arrays, dtype, casting, function):
    """Return the type of the computation, to which all arrays are castable."""
    dtypes = [x.dtype for x in arrays]
    if dtype is None and casting in ("safe", "same_kind") and dtypes.count(dtypes[0]) == len(dtypes):
        return dtypes[0]
    dtype = _core.result_type(*dtypes) if dtype is None else _core.dtype(dtype)
    for x in arrays:
        if not _core.can_cast(x.dtype, dtype, casting):
            raise TypeError(f"{function}: cannot cast {x.dtype} to {dtype} with casting rule {casting!r}")
    return dtype


def refuse(what):
    raise ValueError(f"einsum: {what}")


@lru_cache(maxsize=256)
def found_path(text, shapes, optimize):
    """Return the steps that NumPy finds for arrays of these shapes."""
    stand_ins = [np.broadcast_to(np.int8(0), shape) for shape in shapes]
    return tuple(np.einsum_path(text, *stand_ins, optimize=optimize)[0][1:])


def check_options(dtype, order, casting):
    """Raise the errors for options that no einsum takes."""
    if dtype is not None:
        _core.dtype(dtype)
    _core.can_cast(np.bool_, np.bool_, casting)
    if not isinstance(order, str):
        raise TypeError(f"einsum: order must be a string, not {order!r:.80}")
    if order.upper() not in ("C", "F", "A", "K"):
        refuse(f"order must be 'C', 'F', 'A' or 'K', not {order!r}")


def path_of(text, arrays, optimize):
    """Return the pairs of terms to multiply, in order; `optimize` is NumPy's, for which False and True mean greedy."""
    if isinstance(optimize, list | tuple) and optimize and optimize[0] == "einsum_path":
        return pairs_of(optimize[1:], len(arrays))
    if len(arrays) < 3 or text.partition("->")[0].count(",") + 1 != len(arrays):
        return ()
    if optimize is False or optimize is True:
        optimize = "greedy"
    return pairs_of(found_path(text, tuple(x.shape for x in arrays), optimize), len(arrays))


def pairs_of(steps, count):
    """Return a path of pairs. The terms of a step are multiplied one after another, and the product is appended.

    A step of one term only moves it to the end; the pairs count positions without such moves.
    """
    terms, unmoved = list(range(count)), list(range(count))
    pairs = []
    for step in steps:
        places = positions_of(step, len(terms))
        product, *factors = [terms[place] for place in places]
        for place in reversed(places):
            del terms[place]
        for factor in factors:
            pairs.append(tuple(sorted((unmoved.index(product), unmoved.index(factor)))))
            unmoved.remove(product)
            unmoved.remove(factor)
            product = count + len(pairs)
            unmoved.append(product)
        terms.append(product)
    if len(terms) > 1:
        raise RuntimeError(f"einsum: the path leaves {len(terms)} terms instead of one")
    return pairs


def positions_of(step, count):
    """Return the positions of the terms that a step of a path multiplies, in ascending order."""
    places = [integer(place, "a position in the path", "einsum") for place in islice(iter(step), count + 1)]
    if any(not 0 <= place < count for place in places):
        raise IndexError(f"einsum: the path takes terms {tuple(places)} of {count}")
    if not places or len(set(places)) < len(places):
        refuse(f"the path takes terms {tuple(places)} of {count}")
    return sorted(places)


def is_view(text, ndim):
    """Tell whether subscripts of one array keep all of its elements, of which none are multiplied or added."""
    inputs, arrow, output = text.partition("->")
    letters = inputs.replace("...", "")
    if len(letters) == ndim:  # the ellipsis denotes no axis
        inputs, output = letters, output.replace("...", "")
    return set(inputs) == set(output) if arrow else len(set(letters)) == len(letters)


@_core.with_fast_path
def einsum(*operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """Multiply arrays along axes with equal labels and sum over labels that the result does not have.

    Parameters
    ----------
    *operands
        Subscripts such as "ij,jk->ik" and the arrays; or each array followed by a list of labels 0..51, and
        the result's labels last. Without "->" the result has the labels that appear once, in alphabetical
        order. An ellipsis denotes axes that broadcast.
    out : ndarray, optional
        Output array.
    dtype : dtype, optional
        Type of products and sums; by default the promoted type of the arrays and of `out`.
    order : {'K', 'A', 'C', 'F'}
        The result's layout in memory.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
        The casting rule from the arrays to `dtype`, and to and from the type of `out`.
    optimize : bool, str or tuple
        How the order of the products of three and more arrays is found, as in `numpy.einsum_path`: 'greedy' (also
        for True and False), 'optimal', or a path.

    Returns
    -------
    ndarray
        A view if nothing is multiplied or added.

    Raises
    ------
    ValueError
        If the subscripts do not fit the arrays.

    See Also
    --------
    numpy.einsum

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.einsum("ij,j->i", ca.asarray([[1, 2], [3, 4]]), ca.asarray([10, 1]))
    array([12, 34])
    """
    text, given = _core.einsum_operands(operands)
    arrays = as_arrays("einsum", *given)
    if not arrays:
        refuse("at least one array is needed")
    if len(arrays) == 1 and out is None and is_view(text, arrays[0].ndim):
        # As in NumPy, a view of the array in its own type and layout, whatever else is asked for.
        check_options(dtype, order, casting)
        return _core.as_value(_core.einsum(text, arrays, ()))
    takers = [] if out is None else [target(out, "einsum", is_out=True)]
    kind = common_dtype([*arrays, *takers], dtype, casting, "einsum")
    if order == "A":
        order = "F" if all(x.flags.f_contiguous for x in arrays) else "C"
    terms = [x.astype(kind, copy=False) for x in arrays]
    result = _core.einsum(text, terms, path_of(text, arrays, optimize))
    return write_output(result if order in ("K", "A") else result.copy(order), out, "einsum", casting)


@under_its_name
def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """Return the order of products in which `einsum` multiplies three and more arrays.

    Parameters
    ----------
    *operands
        As those of `einsum`; only the shapes of the arrays are used.
    optimize : bool, str or tuple
        As NumPy's: the method of optimization.
    einsum_call : bool
        As NumPy's.

    Returns
    -------
    tuple of list and str
        The positions of the operands of each product, and a report.

    Raises
    ------
    ValueError
        If subscripts and shapes do not match.

    See Also
    --------
    numpy.einsum_path

    Examples
    --------
    >>> import cuarray as ca
    >>> a, b, c = ca.ones((2, 9)), ca.ones((9, 9)), ca.ones((9, 3))
    >>> ca.einsum_path("ij,jk,kl->il", a, b, c)[0]
    ['einsum_path', (0, 1), (0, 1)]
    """

    def stands_for(place, x):
        if not isinstance(x, ndarray):
            return x
        is_operand = isinstance(operands[0], str) or (place % 2 == 0 and place + 1 < len(operands))
        return np.broadcast_to(np.int8(0), x.shape) if is_operand else x.to_numpy()

    shapes = [stands_for(place, x) for place, x in enumerate(operands)]
    return np.einsum_path(*shapes, optimize=optimize, einsum_call=einsum_call)
