"""Element types: NumPy's dtypes and ml_dtypes' bfloat16, promotion and casting rules."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy import dtype as dtype

from cuarray import _core
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = [
    "astype", "can_cast", "dtype", "finfo", "iinfo", "isdtype", "issubdtype", "mintypecode", "promote_types",
    "result_type", "typename",
]  # fmt: skip

# Questions that concern only types are answered by NumPy.
mintypecode = np.mintypecode
typename = np.typename


def numpy_types():
    """Return a dict of NumPy's scalar types that name a supported dtype or a family of dtypes."""
    supported = {np.dtype(getattr(np, name)) for name in _core.dtype_names() if hasattr(np, name)}
    types = {}
    for name, kind in vars(np).items():
        if isinstance(kind, type) and (kind is np.generic or issubclass(kind, np.number | np.bool_)):
            family = kind.__subclasses__()
            if family or np.dtype(kind) in supported:
                types[name] = kind
    return types


def issubdtype(arg1, arg2) -> bool:
    """Tell whether a type is another one or belongs to its family.

    Parameters
    ----------
    arg1, arg2 : dtype
        Also a family of NumPy's, such as `numpy.floating`, and ``type(x)`` of a 0-d result x: one class for all
        integers, and one for float16 and float32.

    Returns
    -------
    bool

    See Also
    --------
    numpy.issubdtype

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.issubdtype(ca.float32, ca.floating), ca.issubdtype(type(ca.arange(3, device="cpu")[0]), ca.floating)
    (True, False)
    """
    return bool(np.issubdtype(arg1, arg2))


def is_inexact(a):
    """Tell whether an array's type has NaN: floating-point types, including bfloat16, and complex types."""
    return a.dtype.kind in "fcV"


def is_bfloat16(dtype):
    """Tell whether this is ml_dtypes' bfloat16, which has no kind of its own in NumPy."""
    return dtype.kind == "V" and dtype.name == "bfloat16"


def astype(x, dtype, /, *, copy=True, device=None):
    """Convert an array to another type.

    Parameters
    ----------
    x : ndarray
    dtype : dtype
    copy : bool
        False returns `x` itself if its type and device are as requested.
    device : device or str, optional
        Device of the result; by default that of `x`.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If the type is not supported.

    Notes
    -----
    Numbers outside an integer type's range are clamped to it, NaN becomes 0.

    See Also
    --------
    numpy.astype

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.astype(ca.asarray([1.7, -300.0]), ca.int8)
    array([   1, -128], dtype=int8)
    """
    result = as_array(x).astype(dtype, copy=copy, device=device)
    return result if isinstance(x, (ndarray, np.ndarray)) else _core.as_value(result)


@_core.array_function
def result_type(*arrays_and_dtypes):
    """Return the result type of an expression with these operands.

    Parameters
    ----------
    *arrays_and_dtypes : array_like or dtype
        Python numbers determine only the kind, not the precision.

    Returns
    -------
    dtype

    Raises
    ------
    ValueError
        If nothing is given.

    See Also
    --------
    numpy.result_type

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.result_type(ca.int8, ca.float16), ca.result_type(ca.float32, 1.0)
    (dtype('float16'), dtype('float32'))
    """


@_core.array_function
def promote_types(type1, type2, /):
    """Return the smallest type that holds both types safely.

    Parameters
    ----------
    type1, type2 : dtype

    Returns
    -------
    dtype

    See Also
    --------
    numpy.promote_types

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.promote_types("int64", "uint64")
    dtype('float64')
    """


@_core.array_function
def can_cast(from_, to, casting="safe"):
    """Tell whether a casting rule allows a conversion.

    Parameters
    ----------
    from_ : dtype or ndarray
    to : dtype
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
        'safe' loses nothing, 'same_kind' at most precision.

    Returns
    -------
    bool

    See Also
    --------
    numpy.can_cast

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.can_cast("int32", "float32"), ca.can_cast("int32", "float32", "same_kind")
    (False, True)
    """


#: The kinds of the Array API standard, as the letters of numpy.dtype.kind.
KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def dtype_of(given, function):
    """Return the dtype of an array or a number, or what is given as one."""
    if isinstance(given, ndarray | np.ndarray | np.generic):
        return given.dtype
    return _core.native_dtype(type(given) if isinstance(given, int | float | complex) else given, function)


def isdtype(dtype, kind):
    """Tell whether a type is of a kind.

    Parameters
    ----------
    dtype : dtype
    kind : dtype, str or tuple of them
        A dtype, or one of 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating',
        'complex floating', 'numeric'.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there is no such kind.

    See Also
    --------
    numpy.isdtype

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isdtype(ca.float32, ("integral", "real floating"))
    True
    """
    dtype = _core.native_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        return True in [isdtype(dtype, one) for one in kind]  # all are looked at
    if kind is None:
        raise TypeError("isdtype: kind must be a dtype, a string or a tuple of them, not None")
    if not isinstance(kind, str):
        return dtype == _core.native_dtype(kind, "isdtype")
    if kind not in KINDS:
        raise ValueError(f"isdtype: unknown kind {kind!r}; there are {', '.join(KINDS)}")
    return ("f" if is_bfloat16(dtype) else dtype.kind) in KINDS[kind]


def remembered(cls, given):
    """Return the object of a class, finfo or iinfo, for a type or an array; one for each dtype."""
    dtype = dtype_of(given, cls.__name__)
    info = cls._known.get(dtype)
    if info is None:
        info = object.__new__(cls)
        info._fill(dtype)
        info = cls._known.setdefault(dtype, info)
    if isinstance(given, type | str):
        cls._known[given] = info
    return info


class finfo:
    """Limits and precision of a floating-point or complex type.

    Parameters
    ----------
    type : dtype or ndarray

    Attributes
    ----------
    bits : int
        Bits of one real number.
    eps, epsneg : float
        Distance from 1 to the next number above and below.
    max, min : float
        The largest number, and minus it.
    smallest_normal, tiny, smallest_subnormal : float
    resolution : float
        10**-precision.
    precision, nmant, nexp, maxexp, minexp, machep, negep, iexp : int
    dtype : dtype
        The real type.

    Raises
    ------
    ValueError
        If the type is not inexact.

    Notes
    -----
    The attributes are Python numbers, as the Array API standard requires; NumPy's are NumPy scalars.

    See Also
    --------
    numpy.finfo

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.finfo(ca.float32).eps
    1.1920928955078125e-07
    """

    dtype: np.dtype[Any]
    eps: float
    epsneg: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    smallest_subnormal: float
    tiny: float
    bits: int
    iexp: int
    machep: int
    maxexp: int
    minexp: int
    negep: int
    nexp: int
    nmant: int
    precision: int

    #: The objects that exist, by what they were asked for: types, dtypes and their names.
    _known: ClassVar[dict[Any, Any]] = {}

    def __new__(cls, type: Any, /) -> Self:
        try:
            return cls._known[type]
        except (KeyError, TypeError):  # an array has no hash
            return remembered(cls, type)

    def _fill(self, dtype: Any) -> None:
        if is_bfloat16(dtype):
            import ml_dtypes

            info: Any = ml_dtypes.finfo(dtype)
        elif dtype.kind in "fc":
            info = np.finfo(dtype)
        else:
            raise ValueError(f"finfo: {dtype} is not a floating-point type")
        self.dtype = info.dtype
        for name in (
            "eps",
            "epsneg",
            "max",
            "min",
            "resolution",
            "smallest_normal",
            "smallest_subnormal",
            "tiny",
        ):
            setattr(self, name, float(getattr(info, name)))
        for name in ("bits", "iexp", "machep", "maxexp", "minexp", "negep", "nexp", "nmant", "precision"):
            setattr(self, name, int(getattr(info, name)))

    def __repr__(self) -> str:
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer type.

    Parameters
    ----------
    type : dtype or ndarray

    Attributes
    ----------
    bits, max, min : int
    kind : str
    dtype : dtype

    Raises
    ------
    ValueError
        If the type is not an integer type.

    See Also
    --------
    numpy.iinfo

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.iinfo(ca.int8).max
    127
    """

    dtype: np.dtype[Any]
    kind: str
    bits: int
    max: int
    min: int

    #: As finfo's.
    _known: ClassVar[dict[Any, Any]] = {}

    def __new__(cls, type: Any, /) -> Self:
        try:
            return cls._known[type]
        except (KeyError, TypeError):
            return remembered(cls, type)

    def _fill(self, dtype):
        if dtype.kind not in "iu":
            raise ValueError(f"iinfo: {dtype} is not an integer type")
        info = np.iinfo(dtype)
        self.dtype, self.kind = dtype, dtype.kind
        self.bits, self.max, self.min = int(info.bits), int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
