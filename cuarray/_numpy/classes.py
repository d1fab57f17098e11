"""The classes of cuarray.numpy that stand for one of ours and one of NumPy's."""

import numpy as np

from cuarray import _core


class Either(type):
    """The type of a class whose instances are those of one of our classes, and of one of NumPy's.

    A call makes ours; a subclass is one of NumPy's, because ours has none. Instances of `excepted` are none of either.
    """

    excepted: tuple[type, ...] = ()

    def __new__(cls, name, bases, members, **options):
        if any(isinstance(base, Either) for base in bases):
            bases = tuple(base.theirs if isinstance(base, Either) else base for base in bases)
            kind = max((type(base) for base in bases), key=lambda kind: len(kind.__mro__))
            return kind(name, bases, members, **options)
        return super().__new__(cls, name, bases, members)

    def __call__(cls, *args, **kwargs):
        return cls.ours(*args, **kwargs)

    def __instancecheck__(cls, x):
        return isinstance(x, (cls.ours, cls.theirs)) and type(x) not in cls.excepted

    def __subclasscheck__(cls, other):
        return other is cls or issubclass(other, (cls.ours, cls.theirs))

    def __getattr__(cls, name):
        return getattr(cls.ours, name)

    def __getitem__(cls, parameters):
        return cls.theirs[parameters]

    # `type(x) == np.ndarray`, and tables by class.
    def __eq__(cls, other):
        return other is cls or other is cls.ours or other is cls.theirs

    def __hash__(cls):
        return hash(cls.ours)

    def __repr__(cls):
        return repr(cls.ours)


class Array(metaclass=Either):
    """cuarray.ndarray and numpy.ndarray."""

    ours, theirs = _core.ndarray, np.ndarray
    excepted = _core.value_types  # numbers, as NumPy's scalars are

    def __new__(cls, *args, **kwargs):
        """Make an array of a subclass, as its `__new__` asks for by the name of this class."""
        return (cls.ours if cls is Array else np.ndarray.__new__)(*(() if cls is Array else (cls,)), *args, **kwargs)


class Ufunc(metaclass=Either):
    """cuarray.ufunc and numpy.ufunc."""

    ours, theirs = _core.ufunc, np.ufunc
