"""Libraries that know arrays by NumPy's class alone: their functions get NumPy's arrays and numbers for ours.

Only programs whose `np` is cuarray.numpy need that; it begins with the import of that module. On `cpu` the memory is
shared, and copies from a GPU are counted.
"""

import functools
import sys
from types import BuiltinFunctionType, FunctionType, MethodType

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
    "scipy.sparse.linalg": (),
    "scipy.ndimage": (),  # `output` of another class is taken for a type, or not written
    "scipy.spatial.distance": (),
    "networkx.convert": (),  # to_networkx_graph, by which Graph(x) reads a matrix
    "cv2": (),
    "bottleneck": (),
    "ot": (),  # POT
    "lightgbm": (("lightgbm.basic", "Dataset"), ("lightgbm.basic", "Booster")),
    "h5py": (("h5py._hl.dataset", "Dataset"),),
    "astropy.table": (("astropy.table.table", "Table"),),
    "skimage.measure._marching_cubes_lewiner": (),
    "skimage.transform.hough_transform": (),
    "skimage.util.shape": (),
}

#: Libraries that call functions of the program, and compute on with what these return as with NumPy's arrays.
CALLERS = {
    "scipy.optimize": (("scipy.optimize._constraints", "NonlinearConstraint"),),
    "scipy.integrate": (("scipy.integrate._ode", "ode"),),
}

#: The parameters of functions that they write to.
OUTPUTS = {"out", "output", "distances", "indices"}

#: Libraries that write to any argument.
WRITERS = {"cv2"}

#: The functions of a program: no classes, and no objects that can be called.
PROGRAMS = (FunctionType, MethodType, functools.partial)


def install():
    """Extend these libraries, now if they have been imported, or when they are."""
    act_on("numpy.random", extend_random)
    act_on("torch", extend_torch)
    act_on("array_api_compat.common._helpers", extend_array_api_compat)
    for name in [*LIBRARIES, *CALLERS]:
        act_on(name, extend_library)


def call_on_host(function, args, kwargs, kind=HostCopies):
    """Call a function of a library with NumPy's arrays and numbers in the place of ours.

    What it has written is in our arrays then, and one that it returns is ours.
    """
    copies = kind()
    args, kwargs = copies.to_host(args), copies.to_host(kwargs)
    library = function.__module__.partition(".")[0] if function.__module__ else "cv2"
    if copies.bytes:
        count(f"{library}.{function.__qualname__}", 0.0, copies)
    result = copies.given_back(function(*args, **kwargs))
    if copies.bytes:
        written = copies.hosts() if library in WRITERS else [kwargs[name] for name in OUTPUTS & kwargs.keys()]
        copies.write_back(tuple(written))
    return result


@functools.cache
def with_host_arguments(function):
    """Return a function that gets NumPy's arrays; the same one for all names of a function, as pickles need it."""
    return _core.with_host_arguments(function, call_on_host)


class HostResults:
    """A function of a program, whose results are NumPy's arrays and numbers in the place of ours."""

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        return HostCopies().to_host(self.__wrapped__(*args, **kwargs))

    def __reduce__(self):
        return HostResults, (self.__wrapped__,)


class HostCallbacks(HostCopies):
    """The arguments of a call, with functions among them whose results are NumPy's."""

    def to_host(self, x):
        return HostResults(x) if isinstance(x, PROGRAMS) else super().to_host(x)


@functools.cache
def with_host_callbacks(function):
    """Return a function that gets NumPy's arrays, also as results of the functions that it is given."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return call_on_host(function, args, kwargs, HostCallbacks)

    return call


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


def extend_array_api_compat(helpers):
    """Have array_api_compat take our arrays for NumPy's, whose functions compute on them."""
    is_subclass = helpers._issubclass_fast

    def extended(kind, module, name):
        if module == "numpy" and name == "ndarray" and issubclass(kind, _core.ndarray):
            return True
        return is_subclass(kind, module, name)

    helpers._issubclass_fast = extended


def is_function(x):
    """Whether that is a function of Python or Cython."""
    return type(x) is FunctionType or type(x).__name__ == "cython_function_or_method"


def extend_library(library):
    """Have the functions of a library, and the methods of its classes, take our arrays and values as NumPy's."""
    name = library.__name__
    extended = with_host_callbacks if name in CALLERS else with_host_arguments
    for public in getattr(library, "__all__", ()) or [public for public in vars(library) if public[0] != "_"]:
        function = getattr(library, public, None)
        if is_function(function) or type(function) is BuiltinFunctionType:
            if (function.__module__ or name).partition(".")[0] != name.partition(".")[0]:
                continue  # imported from elsewhere
            home = sys.modules.get(function.__module__)
            if getattr(home, function.__name__, None) is function:  # where pickles find it
                setattr(home, function.__name__, extended(function))
            setattr(library, public, extended(function))
    seen = set()
    for module, kind_name in (LIBRARIES | CALLERS)[name]:
        for kind in family(getattr(sys.modules.get(module), kind_name, None)):
            if kind not in seen:
                extend_class(kind, extended)
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


def extend_class(kind, extended):
    """Have the methods that a class itself defines take our arrays."""
    for name, method in list(vars(kind).items()):
        if (name.startswith("_") and name not in SPECIAL) or name in BY_PROTOCOL:
            continue
        if is_function(method):
            setattr(kind, name, extended(method))
        elif type(method) in (classmethod, staticmethod) and is_function(method.__func__):
            setattr(kind, name, type(method)(extended(method.__func__)))
