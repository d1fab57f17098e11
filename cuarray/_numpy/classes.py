"""The classes of cuarray.numpy that stand for one of ours and one of NumPy's."""

import functools
import sys
from abc import ABCMeta
from importlib import import_module

import numpy as np

from cuarray import _core
from cuarray._numpy.arguments import is_foreign_dtype
from cuarray._numpy.operators import OPERATORS, PROTOCOLS
from cuarray._numpy.overrides import THEIRS, call_ufunc, numpys_class
from cuarray._numpy.subclasses import Subclass
from cuarray._runtime.frames import PACKAGE


@functools.cache
def method_of_both(kind, name):
    """Return what a class of both has by a name: of methods, one that takes an object of either."""
    theirs = getattr(kind.theirs, name, None)
    ours = getattr(kind.ours, name) if theirs is None else getattr(kind.ours, name, theirs)
    if not callable(ours) or not callable(theirs) or isinstance(getattr(ours, "__self__", None), type):
        return ours

    numpys = kind.theirs

    @functools.wraps(ours)
    def call(*args, **kwargs):
        if args and isinstance(args[0], numpys):
            return theirs(*map(numpys_class, args), **{key: numpys_class(x) for key, x in kwargs.items()})
        return ours(*args, **kwargs)

    return call


class Either(ABCMeta):
    """The type of a class whose instances are those of one of our classes, and of one of NumPy's.

    A call makes ours; a subclass is one of NumPy's, because ours has none, and may be one of an abstract class, too.
    Instances of `excepted` are none of either.
    """

    excepted: frozenset[type] = frozenset()

    #: The class that subclasses of a program inherit from, if it is not `theirs`.
    parent: type | None = None

    def __new__(cls, name, bases, members, **options):
        if any(isinstance(base, Either) for base in bases):
            bases = tuple((base.parent or base.theirs) if isinstance(base, Either) else base for base in bases)
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
        return method_of_both(cls, name)

    def __getitem__(cls, parameters):
        return cls.theirs[parameters]

    # `type(x) == np.ndarray`, and tables by class.
    def __eq__(cls, other):
        return other is cls or other is cls.ours or other is cls.theirs

    def __hash__(cls):
        return hash(cls.ours)

    def __repr__(cls):
        return repr(cls.ours)


class EitherArray(Either):
    """The type of the class of both, which makes arrays of ours, and NumPy's of dtypes that are NumPy's alone."""

    def __call__(cls, shape, dtype=float, *args, **kwargs):
        is_ours = dtype is float or not is_foreign_dtype(dtype)  # the default needs no look
        return (cls.ours if is_ours else cls.theirs)(shape, dtype, *args, **kwargs)


class Array(metaclass=EitherArray):
    """cuarray.ndarray and numpy.ndarray."""

    ours, theirs = _core.ndarray, np.ndarray
    excepted = frozenset(_core.value_types)  # numbers, as NumPy's scalars are
    parent = Subclass

    def __new__(cls, *args, **kwargs):
        """Make an array of a subclass, as its `__new__` asks for by the name of this class."""
        return (cls.ours if cls is Array else np.ndarray.__new__)(*(() if cls is Array else (cls,)), *args, **kwargs)


#: Methods that a class has of object or its type, unless it has its own.
INHERITED = (
    "__getitem__", "__repr__", "__str__", "__format__", "__reduce__", "__reduce_ex__", "__sizeof__", "__init__",
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__setattr__", "__getattribute__", "__delattr__",
)  # fmt: skip
for name in INHERITED:
    setattr(Array, name, method_of_both(Array, name))
del name


#: What the class of both has of Array; the rest, such as its name, is that of every class. NumPy looks for PROTOCOLS in
#: every call, three times in an operator: those of our arrays themselves know NumPy's.
OF_ARRAY = frozenset({*dir(np.ndarray)} - {*dir(type)} - PROTOCOLS.keys() | {*INHERITED, "__new__"})


def is_asked_by_others():
    """Whether the line that has asked a class of this module is not one of cuarray."""
    return not sys._getframe(2).f_code.co_filename.startswith(PACKAGE)


class United(Either):
    """The type of cuarray.ndarray in a program whose NumPy is cuarray.numpy: there it is numpy.ndarray itself.

    So `type(x) is np.ndarray` holds. Others than cuarray see what Array has, which knows NumPy's arrays, too.
    """

    ours, theirs, excepted, parent = Array.ours, Array.theirs, Array.excepted, Array.parent
    __call__, __hash__, __repr__ = type.__call__, type.__hash__, type.__repr__

    def __instancecheck__(cls, x):
        if isinstance(x, np.ndarray):
            return is_asked_by_others()
        return type.__instancecheck__(cls, x) and (type(x) not in cls.excepted or not is_asked_by_others())

    def __subclasscheck__(cls, kind):
        return issubclass(kind, Array) if is_asked_by_others() else type.__subclasscheck__(cls, kind)

    def __getattribute__(cls, name):
        if name in OF_ARRAY and not sys._getframe(1).f_code.co_filename.startswith(PACKAGE):
            return getattr(Array, name)
        return type.__getattribute__(cls, name)

    def __getattr__(cls, name):
        raise AttributeError(f"type object 'cuarray.ndarray' has no attribute {name!r}")


def unite():
    """Make numpy.ndarray of the program the class of our arrays; it is one of the two before."""
    _core.set_class(_core.ndarray, United)
    set_ndarray(_core.ndarray)


def separate():
    """Undo `unite`."""
    _core.set_class(_core.ndarray, type)
    set_ndarray(Array)


def set_ndarray(kind):
    """Set what cuarray.numpy and its modules have by that name."""
    module, facade = import_module("cuarray.numpy"), import_module("cuarray._numpy.facade")
    THEIRS[kind] = np.ndarray
    module.ndarray = facade.CLASSES[np.ndarray] = kind


class Ufunc(metaclass=Either):
    """cuarray.ufunc and numpy.ufunc."""

    ours, theirs = _core.ufunc, np.ufunc


class OperatorsMixin(np.lib.mixins.NDArrayOperatorsMixin):
    """numpy.lib.mixins.NDArrayOperatorsMixin, whose operators call the ufuncs of cuarray.numpy."""

    __slots__ = ()


def call(name, *inputs, **keywords):
    """Call a ufunc for an instance, whose class is asked with cuarray.numpy's first."""
    theirs = getattr(np, name)
    result = call_ufunc(getattr(sys.modules["cuarray.numpy"], name), theirs, "__call__", inputs, keywords)
    return theirs(*inputs, **keywords) if result is NotImplemented else result


def set_operators():
    """Give OperatorsMixin its methods."""

    def leaves(other):
        return getattr(type(other), "__array_ufunc__", ...) is None

    def set_method(slot, function):
        function.__name__, function.__qualname__ = slot, f"{OperatorsMixin.__name__}.{slot}"
        setattr(OperatorsMixin, slot, function)

    for slot, name in (("neg", "negative"), ("pos", "positive"), ("abs", "absolute"), ("invert", "invert")):
        set_method(f"__{slot}__", lambda x, name=name: call(name, x))
    for name, function in OPERATORS.items():
        slot, name = function.__name__.strip("_"), getattr(np, name).__name__
        set_method(f"__{slot}__", lambda x, y, name=name: NotImplemented if leaves(y) else call(name, x, y))
        if hasattr(np.ndarray, f"__r{slot}__"):
            set_method(f"__r{slot}__", lambda x, y, name=name: NotImplemented if leaves(y) else call(name, y, x))
        if hasattr(np.ndarray, f"__i{slot}__"):
            set_method(f"__i{slot}__", lambda x, y, name=name: call(name, x, y, out=(x,)))


set_operators()
