"""Libraries that know arrays by NumPy's class alone: their functions get NumPy's arrays and numbers for ours.

Only programs whose `np` is cuarray.numpy need that; it begins with the import of that module. On `cpu` the memory is
shared, and copies from a GPU are counted.
"""

import functools
import sys
from types import FunctionType

import numpy as np

from cuarray import _core
from cuarray._ndarray.imports import ACTIONS, act_on
from cuarray._numpy.arguments import HostCopies
from cuarray._numpy.fallbacks import count
from cuarray._numpy.operators import OPERATORS

#: Methods with names between underscores that take arrays: indexing, making, and operators.
SPECIAL = {"__getitem__", "__setitem__", "__contains__", "__new__", "__init__", "__call__"} | {
    f"__{way}{function.__name__.strip('_')}__" for function in OPERATORS.values() for way in ("", "r", "i")
}

#: Methods that ask arrays by a protocol that NumPy's do not have.
BY_PROTOCOL = {"from_arrow"}

#: Libraries, and the classes that stand at the top of others in them: modules and names.
LIBRARIES = {
    "pandas": (
        ("pandas.core.generic", "NDFrame"),
        ("pandas.core.indexes.base", "Index"),
        ("pandas.core.indexing", "NDFrameIndexerBase"),
        ("pandas.core.groupby.groupby", "BaseGroupBy"),
        ("pandas.core.window.rolling", "BaseWindow"),
        ("pandas.core.strings.accessor", "StringMethods"),
        ("pandas.core.arrays.base", "ExtensionArray"),
    ),
    "scipy.sparse": (("scipy.sparse._base", "_spbase"),),
    "networkx.convert": (),  # to_networkx_graph, by which Graph(x) reads a matrix
}


def install():
    """Extend these libraries, now if they have been imported, or when they are."""
    act_on("numpy.random", extend_random)
    act_on("torch", extend_torch)
    for name in LIBRARIES:
        act_on(name, extend_library)


def call_on_host(function, args, kwargs):
    """Call a function of a library with NumPy's arrays and numbers in the place of ours."""
    copies = HostCopies()
    args, kwargs = copies.to_host(args), copies.to_host(kwargs)
    if copies.bytes:
        count(f"{function.__module__.partition('.')[0]}.{function.__qualname__}", 0.0, copies)
    return function(*args, **kwargs)


@functools.cache
def with_host_arguments(function):
    """Return a function that gets NumPy's arrays; the same one for all names of a function, as pickles need it."""
    return _core.with_host_arguments(function, call_on_host)


def extend_random(random):
    """Have numpy.random.default_rng, by which SciPy reads `rng`, give NumPy's generator for ours: the same numbers."""
    numpys = random.default_rng

    @functools.wraps(numpys)
    def default_rng(seed=None):
        return numpys(seed._host if isinstance(seed, _core.RandomSource) else seed)

    random.default_rng = default_rng


STATE = "cuarray._random.randomstate"


def share_state():
    """Have the functions of cuarray.random draw from the state of NumPy's: a program seeds its libraries, too."""
    act_on(STATE, lambda randomstate: use_state(randomstate, np.random.mtrand._rand))


def leave_state():
    """Undo `share_state`; the functions begin with numbers of their own."""
    ACTIONS.pop(STATE, None)
    if randomstate := sys.modules.get(STATE):
        use_state(randomstate, np.random.RandomState())


def use_state(randomstate, state):
    randomstate.shared._use(state, state._bit_generator, randomstate.shared._device)


def extend_torch(torch):
    """Have torch.from_numpy take our arrays."""
    if hasattr(torch, "from_numpy"):
        torch.from_numpy = with_host_arguments(torch.from_numpy)


def extend_library(library):
    """Have the functions of a library, and the methods of its classes, take our arrays and values as NumPy's."""
    for name in getattr(library, "__all__", ()):
        if type(function := getattr(library, name, None)) is FunctionType:
            home = sys.modules.get(function.__module__)
            if getattr(home, function.__name__, None) is function:  # where pickles find it
                setattr(home, function.__name__, with_host_arguments(function))
            setattr(library, name, with_host_arguments(function))
    seen = set()
    for module, name in LIBRARIES[library.__name__]:
        for kind in family(getattr(sys.modules.get(module), name, None)):
            if kind not in seen:
                extend_class(kind)
            seen.add(kind)


def family(kind):
    """Iterate over a class, its subclasses, and the classes of the same library that they inherit from."""
    if kind is None:
        return
    library = kind.__module__.partition(".")[0]
    pending = [kind]
    while pending:
        kind = pending.pop()
        yield from (base for base in kind.__mro__ if base.__module__.partition(".")[0] == library)
        pending += kind.__subclasses__()


def extend_class(kind):
    """Have the methods that a class itself defines take our arrays."""
    for name, method in list(vars(kind).items()):
        if (name.startswith("_") and name not in SPECIAL) or name in BY_PROTOCOL:
            continue
        if type(method) is FunctionType:
            setattr(kind, name, with_host_arguments(method))
        elif type(method) in (classmethod, staticmethod) and type(method.__func__) is FunctionType:
            setattr(kind, name, type(method)(with_host_arguments(method.__func__)))
