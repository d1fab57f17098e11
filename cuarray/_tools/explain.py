"""The plan of what waits to be computed."""

from typing import Any, NamedTuple

from cuarray import _core

__all__ = ["explain"]


class Run(NamedTuple):
    """One pass over memory, or one kernel. `inputs` and `outputs` are tuples of (shape, dtype, bytes)."""

    expression: str
    operations: tuple[str, ...]
    shape: tuple[int, ...]
    device: str
    inputs: tuple[tuple[tuple[int, ...], str, int], ...]
    outputs: tuple[tuple[tuple[int, ...], str, int], ...]
    how: str
    end: str
    code: str

    @property
    def bytes_read(self) -> int:
        return sum(size for _, _, size in self.inputs)

    @property
    def bytes_written(self) -> int:
        return sum(size for _, _, size in self.outputs)


class Explanation:
    """The runs that would compute an array, as `print` shows them."""

    def __init__(self, runs: Any, stored: str, text: str) -> None:
        self.runs: list[Run] = [Run(*run) for run in runs]
        self.stored = stored
        self._text = text

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self._text)}</pre>"


def explain(*arrays, code=False):
    """Explain how what waits would be computed, without computing it.

    Parameters
    ----------
    *arrays : ndarray
        As if they were read one after the other.
    code : bool, optional
        Whether to show the instructions of machine code (`cpu`), or the CUDA text of kernels.

    Returns
    -------
    Explanation
        `print` shows its text. `runs` is a list of the passes over memory in their order; each has `expression`,
        `operations` (their names), `shape`, `device`, `inputs` and `outputs` ((shape, dtype, bytes) of each;
        where elements are broadcast, the extent is 1), `bytes_read`, `bytes_written`, `how` it is computed,
        `end` (why the next run is not part of it, '' if there is no reason but the order) and `code`. If nothing
        waits, `runs` is empty and `stored` says whether operations on the array would wait, and why not.

    Raises
    ------
    TypeError
        If an argument is no array of cuarray, or there is none.

    See Also
    --------
    fuse, eager, profile

    Notes
    -----
    Values that a named array holds are stored, others exist in registers alone, or for a block of elements. Values
    that are read later, by a reduction for example, may be part of its run instead.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.ones(1000, device="cpu")
    >>> with ca.fuse():
    ...     y = x * 2 + ca.sqrt(x)
    ...     plan = ca.explain(y)
    >>> [(run.expression, run.bytes_read, run.bytes_written) for run in plan.runs]
    [('a*2 + sqrt(a)', 8000, 8000)]
    >>> ca.explain(y).runs
    []
    """
    return Explanation(*_core.explain(arrays, bool(code)))
