"""The plans of transforms that GPUs keep."""

from typing import SupportsIndex

from cuarray import _core
from cuarray._arguments.axes import integer


class PlanCache:
    """The plans that cuFFT has made for transforms on the current device, for the next ones of the same size and type.

    A plan costs up to milliseconds to make, and holds tables in the GPU's memory. The one that was not used for the
    longest time goes first. There is one cache for each GPU, and none on the device 'cpu', whose transforms need no
    plans.

    Examples
    --------
    >>> import cuarray as ca
    >>> with ca.device("cpu"):
    ...     ca.fft.plan_cache
    plan_cache(count=0, limit=0, device='cpu')
    """

    __slots__ = ()

    @property
    def limit(self) -> int:
        """The number of plans that are kept at most, 32 by default; 0 keeps none."""
        return self._state()[0]

    @limit.setter
    def limit(self, limit: SupportsIndex) -> None:
        number = integer(limit, "the limit", "plan_cache")
        if number < 0:
            raise ValueError(f"plan_cache: the limit must not be negative, and it is {number}")
        _core.limit_plan_cache(_core.device(), number)

    @property
    def count(self) -> int:
        """The number of plans that are kept now."""
        return self._state()[1]

    def clear(self) -> None:
        """Destroy all plans, after a wait for the work that uses them. Captured graphs keep theirs.

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.fft.plan_cache.clear()
        >>> ca.fft.plan_cache.count
        0
        """
        limit = self.limit
        _core.limit_plan_cache(_core.device(), 0)
        _core.limit_plan_cache(_core.device(), limit)

    def __repr__(self) -> str:
        return f"plan_cache(count={self.count}, limit={self.limit}, device='{_core.device()}')"

    def _state(self):
        return _core.plan_cache(_core.device()) or (0, 0)


plan_cache: PlanCache = PlanCache()
