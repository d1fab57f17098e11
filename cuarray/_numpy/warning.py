"""The warning of cuarray.numpy, apart from the rest of it: every import of cuarray needs it."""


class HostFallbackWarning(UserWarning):
    """A call on cuarray's arrays was computed by NumPy on the host: see `cuarray.numpy`.

    Examples
    --------
    >>> import cuarray as ca
    >>> issubclass(ca.HostFallbackWarning, UserWarning)
    True
    """

    __module__ = "cuarray"
