"""Distributions whose rows hold numbers that depend on one another, on every device."""

import operator
import warnings

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import empty, zeros
from cuarray._arguments.operands import is_on_host
from cuarray._core import ndarray
from cuarray._functions.creation import array, as_array
from cuarray._random.draws import holds_arrays
from cuarray._random.each import MOST, MOST_TRIALS, part, spread
from cuarray._random.transforms import DRAWS, REAL, has_axes, require_one_device, shape_for

INTEGERS = "biu"

#: Parameters that are no arrays of a library.
PLAIN = frozenset([bool, int, float, list, tuple, np.ndarray])


def read(source, method, **parameters):
    """Return the device of the rows (None: the current one), and parameters; None in their place if NumPy shall judge.

    They are given with the kinds of dtypes that they may have. They become arrays of a GPU where one of them is on it,
    and NumPy's otherwise; NumPy's functions take both.
    """
    values = [x for x, _ in parameters.values()]
    device = None
    for x in values:
        if type(x) not in PLAIN:
            _core.refuse_to_strip(x, method)
            if device is None and isinstance(x, ndarray) and not is_on_host(x):
                device = x.device
    if device is None and any(isinstance(x, list | tuple) and holds_arrays(x) for x in values):
        values = [as_array(x, source._device) for x in values]
        device = next((x.device for x in values if not is_on_host(x)), None)
    if device is None:
        values = [x.__array__() if isinstance(x, ndarray) else np.asarray(x) for x in values]
        are_usual = all(x.dtype.kind in kinds for x, (_, kinds) in zip(values, parameters.values(), strict=True))
        return source._device, values if are_usual else None
    values = [as_array(x, device) for x in values]
    require_one_device(method, values)
    for (name, (_, kinds)), x in zip(parameters.items(), values, strict=True):
        if x.dtype.kind not in kinds:
            kind = "an integer" if kinds is INTEGERS else "a real"
            raise TypeError(f"{method}: {name} has dtype {x.dtype}; {kind} type expected")
    return device, values


def rows_of(size):
    """Return the shape of rows of a size, without the last axis."""
    return size if isinstance(size, tuple) else () if size is None else (size,)


def in_columns(x):
    """Return the entries of the last axis: as Python's numbers where NumPy has one row of them, else as arrays."""
    return x.tolist() if type(x) is np.ndarray and x.ndim == 1 else [x[..., k] for k in range(x.shape[-1])]


def on_device(x, device):
    """Return a parameter as the draws take it: a number as it is, else an array of float64."""
    return x if type(x) is float else as_array(x, device).astype(np.float64, copy=False)


def multinomial(source, n, pvals, size):
    """Draw rows that count outcomes: each outcome is a binomial number of the trials that are left."""
    device, values = read(source, "multinomial", n=(n, INTEGERS), pvals=(pvals, REAL))
    if values is None:
        return None
    n, pvals = values
    if pvals.ndim == 0 or pvals.shape[-1] == 0:
        raise ValueError(f"multinomial: pvals has shape {pvals.shape}; a last axis with probabilities expected")
    shape = rows_of(size)
    if n.ndim or pvals.ndim > 1:
        shape = shape_for("multinomial", size, [n.shape, pvals.shape[:-1]]) or ()
    least, most = (n, n) if n.ndim == 0 else (n.min(), n.max()) if n.size else (0, 0)
    if not 0 <= least <= most < MOST_TRIALS:
        raise ValueError(f"multinomial: n is from {least} to {most}; 0 to 2**53 - 1 expected")
    columns = in_columns(pvals.astype(np.float64, copy=False))
    check_probabilities(pvals, columns)
    return counts_in_rows(source, "binomial", "multinomial", device, shape, n, [(x,) for x in shares(columns)])


def check_probabilities(pvals, columns):
    """Raise ValueError for probabilities that are none, or whose sum is too large."""
    if type(columns[0]) is float:
        are_shares, total = all(0 <= p <= 1 for p in columns), sum(columns[:-1])
    elif pvals.size:
        are_shares, total = pvals.min() >= 0 and pvals.max() <= 1, pvals[..., :-1].sum(-1).max()
    else:
        return
    if not are_shares:
        raise ValueError("multinomial: pvals < 0, pvals > 1 or pvals contains NaNs")
    if total > 1 + 1e-12:
        raise ValueError("multinomial: sum(pvals[..., :-1]) > 1.0")


def shares(pvals):
    """Return the probabilities of outcomes among those that are left, but that of the last one, which is not drawn."""
    made, before = [], 0.0
    for p in pvals[:-1]:
        if type(p) is float:
            made.append(min(p / (1 - before), 1.0) if before < 1 else 0.0)
        else:
            made.append(np.where(before < 1, np.minimum(p / np.where(before < 1, 1 - before, 1), 1), 0))
        before = before + p
    return made


def multivariate_hypergeometric(source, colors, nsample, size, method):
    """Draw rows that count the kinds in a sample: each kind is a hypergeometric number of what is left."""
    function = "multivariate_hypergeometric"
    if method not in ("marginals", "count"):
        raise ValueError(f"{function}: method must be 'marginals' or 'count', not {method!r}")
    kinds = REAL if has_axes(colors) and len(colors) == 0 else INTEGERS  # a list of nothing is of float64
    device, values = read(source, function, colors=(colors, kinds))
    if values is None:
        return None
    (colors,), nsample = values, operator.index(nsample)
    if colors.ndim != 1:
        raise ValueError(f"{function}: colors has shape {colors.shape}; one axis expected")
    columns, is_numpys = in_columns(colors), type(colors) is np.ndarray
    least, total = 0, 0
    if columns:
        least = min(columns) if is_numpys else int(colors.min())
        total = sum(columns) if is_numpys else int(colors.sum(dtype=np.float64))
    if least < 0:
        raise ValueError(f"{function}: colors has a negative number, {least}")
    if not 0 <= nsample <= total:
        raise ValueError(f"{function}: nsample is {nsample}; 0 to sum(colors) = {total} expected")
    if total >= 10**9:
        if is_numpys:
            return None
        raise ValueError(f"{function}: sum(colors) is {total}; less than 10**9 expected on {device}")
    kinds, after = [], total
    for color in columns:
        after = after - color
        kinds.append((1.0 * color, 1.0 * after))
    if not kinds:
        return empty((*rows_of(size), 0), np.int64, device=device)
    return counts_in_rows(source, "hypergeometric", function, device, rows_of(size), nsample, kinds[:-1])


def counts_in_rows(source, name, function, device, shape, total, kinds):
    """Return rows of counts: numbers of a distribution of EACH, with parameters for each kind and what is left, and
    all that is left at last."""
    draw_floats, _, draw, *_ = source._draws_for(device)
    number, is_binomial = DRAWS[f"{name}_each"], name == "binomial"
    if shape == () and _core.device(device).kind == "cpu" and all(type(x) is float for kind in kinds for x in kind):
        return one_row(draw_floats, number, function, int(total), kinds, is_binomial, device)
    left = as_array(total, device).astype(np.float64, copy=False)
    if left.shape != shape:
        left = spread(left, shape)
    rows = empty((*shape, len(kinds) + 1), np.int64, device=left.device)
    for k, kind in enumerate(kinds):
        parameters = [x if type(x) is float else spread(on_device(x, left.device), shape) for x in kind]
        counts = draw(number, function, np.int64, shape, *([left, *parameters] if is_binomial else [*parameters, left]))
        rows[..., k] = counts
        left = left - counts
    rows[..., -1] = left
    return rows


def one_row(draw, number, function, left, kinds, is_binomial, device):
    """Return one row of counts, the same numbers, by way of Python's numbers."""
    counts = []
    for kind in kinds:
        parameters = (left, *kind) if is_binomial else (*map(int, kind), left)
        counts.append(draw(number, function, np.int64, None, None, *parameters).item())
        left -= counts[-1]
    return array([*counts, left], np.int64, device=device)


def dirichlet(source, alpha, size):
    """Draw rows of gamma numbers, divided by their sums, or of pieces of a stick where these may be 0."""
    device, values = read(source, "dirichlet", alpha=(alpha, REAL))
    if values is None:
        return None
    (alpha,) = values
    if alpha.ndim != 1:
        kind = ValueError if alpha.ndim else TypeError
        raise kind(f"dirichlet: alpha has shape {alpha.shape}; one axis expected")
    rows = (*rows_of(size), alpha.size)
    if not alpha.size:
        return empty(rows, np.float64, device=device)
    least, most = float(alpha.min()), float(alpha.max())
    if least < 0:
        raise ValueError("dirichlet: alpha < 0")
    if most == 0:
        return zeros(rows, np.float64, device=device)
    if most < 0.1:
        return pieces(source, on_device(alpha, device), rows)
    if least == most == 1:
        draw = source._draws_for(device)[0]
        numbers = draw(DRAWS["exponential_double"], "dirichlet", None, rows, None)
    elif most < MOST:
        numbers = part(source, "dirichlet", "gamma", device, rows, [on_device(alpha, device), 1.0])
    else:  # infinities and NaN
        alpha = on_device(alpha, device)
        is_usual = alpha < MOST
        usual = part(source, "dirichlet", "gamma", device, rows, [np.where(is_usual, alpha, 1.0), 1.0])
        numbers = np.where(is_usual, usual, alpha)
    return numbers / numbers.sum(-1, keepdims=True)


def pieces(source, alpha, rows):
    """Break off a piece of a stick for each column: a beta number is its share of what is left of the stick."""
    after = alpha[::-1].cumsum()[::-1][1:]
    *shape, columns = rows
    alpha = alpha[:-1]
    parameters = [np.where(x > 0, x, 1.0) for x in (alpha, after)]
    share = part(source, "dirichlet", "beta", alpha.device, (*shape, columns - 1), parameters)
    share = np.where(alpha > 0, np.where(after > 0, share, 1.0), 0.0)
    whole = np.ones_like(share, shape=(*shape, 1))
    left = np.concatenate([whole, np.cumprod(1 - share, axis=-1)], axis=-1)
    return left * np.concatenate([share, whole], axis=-1)


def multivariate_normal(source, mean, cov, size, check_valid, tol, method="svd"):
    """Draw rows of standard normal numbers, and multiply them by a root of the covariances."""
    function = "multivariate_normal"
    if method not in ("svd", "eigh", "cholesky"):
        raise ValueError(f"{function}: method must be 'svd', 'eigh' or 'cholesky', not {method!r}")
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError(f"{function}: check_valid must be 'warn', 'raise' or 'ignore', not {check_valid!r}")
    device, values = read(source, function, mean=(mean, REAL), cov=(cov, REAL))
    if values is None:
        return None
    mean, cov = values
    if mean.ndim != 1 or cov.shape != (mean.size, mean.size):
        raise ValueError(
            f"{function}: mean of shape {mean.shape} and cov of shape {cov.shape}; (n,) and (n, n) expected"
        )
    mean, cov = mean.astype(np.float64, copy=False), cov.astype(np.float64, copy=False)
    root = root_of(cov, method, check_valid, tol)
    draw = source._draws_for(device)[0]
    numbers = draw(DRAWS["normal_double"], function, None, (*rows_of(size), mean.size), None)
    return numbers @ as_array(root.T, numbers.device) + as_array(mean, numbers.device)


def root_of(cov, method, check_valid, tol):
    """Return a matrix whose product with its transpose are the covariances, and check that they have one."""
    if method == "cholesky":
        return np.linalg.cholesky(cov)
    if method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        is_valid = check_valid == "ignore" or not (values < -tol).any()
    else:
        vectors, values, other = np.linalg.svd(cov)
        is_valid = check_valid == "ignore" or np.allclose((other.T * values) @ other, cov, rtol=tol, atol=tol)
    if not is_valid:
        text = "multivariate_normal: covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise ValueError(text)
        warnings.warn(text, RuntimeWarning, stacklevel=5)
    return with_signs(vectors * np.sqrt(abs(values)))


def with_signs(root):
    """Return a matrix whose columns have the sign that a direction gives them, so that all libraries give the same."""
    direction = 1 + np.arange(root.shape[0]) * 0.618 % 1
    if isinstance(root, ndarray):
        direction = as_array(direction, root.device)
    return root * np.where((root.T * direction).sum(-1) < 0, -1.0, 1.0)


#: By method.
DEPENDENT = {draw.__name__: draw for draw in (dirichlet, multinomial, multivariate_hypergeometric, multivariate_normal)}
