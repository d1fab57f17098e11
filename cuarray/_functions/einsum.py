"""Einstein summation: products of arrays by labelled axes, two arrays at a time."""

from collections.abc import Iterable
from math import prod

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.operands import as_arrays, under_its_name, write_output
from cuarray._core import ndarray
from cuarray._functions.products import common_dtype

__all__ = ["einsum", "einsum_path"]


def refuse(what):
    raise ValueError(f"einsum: {what}")


def spelled(operands):
    """Return the subscripts as a string and the arrays, from either call form."""
    if not operands:
        refuse("subscripts and at least one array are needed")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), operands[1:]
    arrays, labels = operands[: len(operands) // 2 * 2 : 2], operands[1::2]
    if not arrays or not labels:
        refuse("subscripts and at least one array are needed")
    for group in operands[1::2] + operands[len(operands) // 2 * 2 :]:
        if not isinstance(group, Iterable):
            raise TypeError(f"einsum: subscripts must be a string, or integers behind each array, not {group!r:.80}")
    text = ",".join("".join(map(letter_of, group)) for group in labels)
    if len(operands) % 2:
        text += "->" + "".join(map(letter_of, operands[-1]))
    return text, arrays


def letter_of(number):
    """Return the letter of a label given as a number."""
    if number is Ellipsis:
        return "..."
    number = integer(number, "a label", "einsum")
    if not 0 <= number < 52:
        refuse(f"label {number} is not in 0..51")
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def parsed(text, ndims):
    """Return the labels of each array's axes and of the result's; ellipsis axes are numbered from the end."""
    inputs, arrow, output = text.partition("->")
    groups = inputs.split(",")
    if len(groups) != len(ndims):
        refuse(f"{len(groups)} groups of subscripts in {text!r} for {len(ndims)} arrays")
    broadcast = 0
    labels = []
    for group, ndim in zip(groups, ndims, strict=True):
        before, dots, behind = group.partition("...")
        if not all(letter.isascii() and letter.isalpha() for letter in before + behind):
            refuse(f"subscripts are letters, '...', ',' and '->', not {group!r}")
        spare = ndim - len(before) - len(behind)
        if spare < 0 or (spare and not dots):
            refuse(f"{group!r} names {len(before) + len(behind)} axes of an array that has {ndim}")
        broadcast = max(broadcast, spare)
        labels.append([*before, *range(-spare, 0), *behind])
    dotted = list(range(-broadcast, 0))
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        return labels, dotted + sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    before, dots, behind = output.partition("...")
    if broadcast and not dots:
        refuse(f"the result of {text!r} lacks '...'")
    wanted = [*before, *dotted, *behind] if dots else [*before]
    known = {label for group in labels for label in group}
    for label in wanted:
        if label not in known:
            refuse(f"the result's subscript {label!r} is that of no array")
        if wanted.count(label) > 1:
            refuse(f"the result's subscript {label!r} appears twice")
    return labels, wanted


def diagonals(x, labels):
    """Return a view in which each label has one axis."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if x.shape[first] != x.shape[second]:
                refuse(f"{label!r} names axes of {x.shape[first]} and {x.shape[second]} elements")
            rest = [k for k in range(x.ndim) if k not in (first, second)]
            shape = [x.shape[k] for k in rest] + [x.shape[first]]
            strides = [x.strides[k] for k in rest] + [x.strides[first] + x.strides[second]]
            labels = [labels[k] for k in rest] + [label]
            x = _core.strided_view(x, shape, strides, 0)
    return x, labels


def summed(x, labels, kept):
    """Return the array summed over the axes that are not kept."""
    axes = tuple(k for k, label in enumerate(labels) if label not in kept)
    if not axes:
        return x, labels
    x = _core.reduce("any", x, axes, None, None) if x.dtype == bool else _core.reduce("sum", x, axes, x.dtype, None)
    return x, [label for label in labels if label in kept]


def contracted(x, xs, y, ys, kept):
    """Multiply two arrays along their common labels, and sum over the labels that are not kept."""
    both = [label for label in xs if label in ys]
    stack, met = [k for k in both if k in kept], [k for k in both if k not in kept]
    sizes = {label: max(x.shape[xs.index(label)], y.shape[ys.index(label)], key=lambda n: (n != 1, n)) for label in met}
    rows, columns = [k for k in xs if k not in both], [k for k in ys if k not in both]

    def arranged(array, labels, first, second):
        array = array.transpose([labels.index(label) for label in stack + first + second])
        shape = array.shape
        head, sides = shape[: len(stack)], []
        for group, start in ((first, len(stack)), (second, len(stack) + len(first))):
            sides.append([sizes.get(label, shape[start + k]) for k, label in enumerate(group)])
        return _core.broadcast_to(array, (*head, *sides[0], *sides[1])).reshape((*head, *map(prod, sides)))

    left, right = arranged(x, xs, rows, met), arranged(y, ys, met, columns)
    result = _core.matmul(left, right)
    shape = [x.shape[xs.index(label)] for label in rows] + [y.shape[ys.index(label)] for label in columns]
    return result.reshape((*result.shape[: len(stack)], *shape)), stack + rows + columns


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
        Type of the computation; the promoted type by default.
    order : {'K', 'A', 'C', 'F'}
        The result's layout in memory.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
        The casting rule from the arrays to `dtype`.
    optimize
        Accepted and ignored: arrays are multiplied from left to right, two at a time.

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
    text, given = spelled(operands)
    arrays = as_arrays("einsum", *given)
    if not arrays:
        refuse("at least one array is needed")
    labels, wanted = parsed(text, [x.ndim for x in arrays])
    kind = common_dtype(arrays, dtype, casting, "einsum")
    extents = {}
    for x, own in zip(arrays, labels, strict=True):
        for label, extent in zip(own, x.shape, strict=True):
            if extents.setdefault(label, extent) == 1:
                extents[label] = extent
            if extent not in (1, extents[label]):
                refuse(f"{label!r} names axes of {extents[label]} and {extent} elements")
    terms = [diagonals(x.astype(kind, copy=False), own) for x, own in zip(arrays, labels, strict=True)]
    result, own = terms[0]
    for k, (x, others) in enumerate(terms[1:], 1):
        later = {label for _, group in terms[k + 1 :] for label in group} | set(wanted)
        result, own = summed(result, own, later | set(others))
        x, others = summed(x, others, later | set(own))
        result, own = contracted(result, own, x, others, later)
    result, own = summed(result, own, set(wanted))
    result = result.transpose([own.index(label) for label in wanted])
    return write_output(result if order in ("K", "A") else result.copy(order), out, "einsum")


@under_its_name
def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """Return the order of products with the fewest multiplications; `einsum` itself uses left to right.

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
