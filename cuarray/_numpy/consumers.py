"""Libraries that know arrays by NumPy's class alone: their functions get NumPy's arrays and numbers for ours.

Only programs whose `np` is cuarray.numpy need that; it begins with the import of that module. On `cpu` the memory is
shared, and copies from a GPU are counted.
"""

import contextlib
import functools
import inspect
import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import NamedTuple

import numpy as np

from cuarray import _core
from cuarray._ndarray.imports import ACTIONS, act_on
from cuarray._numpy.arguments import PLAIN, HostCopies, rebuilt
from cuarray._numpy.fallbacks import count
from cuarray._numpy.operators import OPERATORS
from cuarray._runtime.frames import is_of_program

#: Methods with names between underscores that take arrays: indexing, making, and operators.
SPECIAL = {"__getitem__", "__setitem__", "__contains__", "__new__", "__init__", "__call__"} | {
    f"__{way}{function.__name__.strip('_')}__" for function in OPERATORS.values() for way in ("", "r", "i")
}

#: Methods that ask arrays by a protocol that NumPy's do not have.
BY_PROTOCOL = {"from_arrow"}

#: Methods whose arguments are the program's: they reach its functions.
FOR_PROGRAMS = {"set_f_params", "set_jac_params"}

#: The parameters of functions whose values are the program's, and those that functions write to.
UNTOUCHED = {"args", "fargs", "kwds", "kwargs"}
OUTPUTS = {"out", "output", "distances", "indices", "dest"}

#: The functions of a program: no classes, and no objects that can be called.
PROGRAMS = (FunctionType, MethodType, functools.partial)


class Extension(NamedTuple):
    """How a library is extended.

    `classes` stand at the top of others in it: modules and names. One that `calls` functions of the program computes on
    with what these return as with NumPy's arrays. One that `writes` does so to any argument.
    """

    classes: tuple[tuple[str, str], ...] = ()
    calls: bool = False
    writes: bool = False


#: What the modules and libraries need, by name.
LIBRARIES = {
    "pandas": Extension(
        (
            ("pandas.core.generic", "NDFrame"),
            ("pandas.core.indexes.base", "Index"),
            ("pandas.core.indexing", "NDFrameIndexerBase"),
            ("pandas.core.groupby.groupby", "BaseGroupBy"),
            ("pandas.core.window.rolling", "BaseWindow"),
            ("pandas.core.strings.accessor", "StringMethods"),
            ("pandas.core.arrays.base", "ExtensionArray"),
        )
    ),
    "scipy.sparse": Extension((("scipy.sparse._base", "_spbase"),)),
    "scipy.sparse.linalg": Extension(),
    "scipy.ndimage": Extension(),  # `output` of another class is taken for a type, or not written
    "scipy.spatial.distance": Extension(),
    "scipy.optimize": Extension((("scipy.optimize._constraints", "NonlinearConstraint"),), calls=True),
    "scipy.integrate": Extension((("scipy.integrate._ode", "ode"),), calls=True),
    "networkx.convert": Extension(),  # to_networkx_graph, by which Graph(x) reads a matrix
    "cv2": Extension(writes=True),
    "bottleneck": Extension(writes=True),
    "ot": Extension(),  # POT
    "ot.backend": Extension((("ot.backend", "NumpyBackend"),)),
    "lightgbm": Extension((("lightgbm.basic", "Dataset"), ("lightgbm.basic", "Booster")), calls=True),
    "h5py": Extension((("h5py._hl.dataset", "Dataset"),)),
    "astropy.table": Extension((("astropy.table.table", "Table"),)),
    "skimage.measure._marching_cubes_lewiner": Extension(),
    "skimage.transform.hough_transform": Extension(),
    "skimage.util.shape": Extension(),
}


def install():
    """Extend these libraries, now if they have been imported, or when they are."""
    act_on("numpy.random", extend_random)
    act_on("torch", extend_torch)
    act_on("array_api_compat.common._helpers", extend_array_api_compat)
    for name in LIBRARIES:
        act_on(name, extend_library)


def call_on_host(function, args, kwargs, writes=False):
    """Call a function of a library with NumPy's arrays and numbers in the place of ours.

    What it has written is in our arrays then, and one that it returns is ours.
    """
    copies = HostCopies()
    return call_copied(function, copies, [copies.to_host(x) for x in args], copies.to_host(kwargs), writes)


def call_copied(function, copies, args, kwargs, writes=False):
    """Call a function with arguments that `copies` has made; count what came from a GPU, and write its outputs back."""
    if copies.bytes:
        library = (function.__module__ or "").partition(".")[0]  # functions of C may have none
        count(f"{library}.{function.__qualname__}".lstrip("."), 0.0, copies)
    result = copies.given_back(function(*args, **kwargs))
    if copies.bytes:
        outputs = copies.written() if writes else named_outputs(function, args, kwargs)
        copies.write_back(tuple(outputs))
    return result


def named_outputs(function, args, kwargs):
    """Return the arguments that a function writes to, by the names of its parameters."""
    with contextlib.suppress(TypeError, ValueError):  # a function of C may have no signature
        kwargs = inspect.signature(function).bind_partial(*args, **kwargs).arguments
    return [kwargs[name] for name in OUTPUTS & kwargs.keys()]


@functools.cache
def with_host_arguments(function, writes=False):
    """Return a function that gets NumPy's arrays; the same one for all names of a function, as pickles need it."""
    made = _core.with_host_arguments(function, functools.partial(call_on_host, writes=writes))
    return _core.without_binding(made) if type(function) is BuiltinFunctionType else made


class HostResults:
    """A function of a program, whose results are NumPy's arrays and numbers in the place of ours."""

    def __init__(self, function):
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        result = self.__wrapped__(*args, **kwargs)
        return result if type(result) in PLAIN else HostCopies().to_host(result)

    def __getattr__(self, name):
        return getattr(vars(self)["__wrapped__"], name)

    def __eq__(self, other):
        return self.__wrapped__ == (other.__wrapped__ if isinstance(other, HostResults) else other)

    def __hash__(self):
        return hash(self.__wrapped__)

    def __reduce__(self):
        return HostResults, (self.__wrapped__,)


def given_to_caller(x, copies):
    """Return an argument of a library that calls functions of the program: arrays and functions, also in containers."""
    kind = type(x)
    if kind in PLAIN:
        return x
    if isinstance(x, PROGRAMS):
        return HostResults(x)
    if _core.is_ndarray(x):
        return copies.host_array(x)
    if kind in (list, tuple):
        return x if PLAIN.issuperset(map(type, x)) else rebuilt(x, x, (given_to_caller(e, copies) for e in x), kind)
    if kind is dict:
        made = [value if key in UNTOUCHED else given_to_caller(value, copies) for key, value in x.items()]
        return rebuilt(x, x.values(), made, lambda made: dict(zip(x, made, strict=True)))
    return x


@functools.cache
def untouched_places(function):
    """Return the positions of parameters whose values are the program's."""
    try:
        return {k for k, name in enumerate(inspect.signature(function).parameters) if name in UNTOUCHED}
    except (TypeError, ValueError):
        return set()


@functools.cache
def with_host_callbacks(function):
    """Return a function that gets NumPy's arrays, also as results of the functions that it is given."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        copies, untouched = HostCopies(), untouched_places(function)
        args = [x if k in untouched else given_to_caller(x, copies) for k, x in enumerate(args)]
        return call_copied(function, copies, args, given_to_caller(kwargs, copies))

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
    is_subclass = getattr(helpers, "_issubclass_fast", None)  # releases before 1.12 have another one

    def extended(kind, module, name):
        if module == "numpy" and name == "ndarray" and issubclass(kind, _core.ndarray):
            return True
        return is_subclass(kind, module, name)

    if is_subclass is not None:
        helpers._issubclass_fast = extended


def is_function(x):
    """Whether that is a function of Python or Cython."""
    return type(x) is FunctionType or type(x).__name__ == "cython_function_or_method"


def extend_library(library):
    """Have the functions of a library, and the methods of its classes, take our arrays and values as NumPy's."""
    if is_of_program(vars(library)):  # a module of the program by the same name
        return
    name = library.__name__
    extension = LIBRARIES[name]
    on_host = functools.partial(with_host_arguments, writes=extension.writes)
    extended = with_host_callbacks if extension.calls else on_host
    for public in getattr(library, "__all__", ()) or [known for known in vars(library) if known[0] != "_"]:
        function = getattr(library, public, None)
        if is_function(function) or type(function) is BuiltinFunctionType:
            if (function.__module__ or name).partition(".")[0] != name.partition(".")[0]:
                continue  # imported from elsewhere
            home = sys.modules.get(function.__module__)
            if getattr(home, function.__name__, None) is function:  # where pickles find it
                setattr(home, function.__name__, extended(function))
            setattr(library, public, extended(function))
    seen = set()
    for module, kind_name in extension.classes:
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
        if (name.startswith("_") and name not in SPECIAL) or name in BY_PROTOCOL | FOR_PROGRAMS:
            continue
        if is_function(method):
            setattr(kind, name, extended(method))
        elif type(method) in (classmethod, staticmethod) and is_function(method.__func__):
            setattr(kind, name, type(method)(extended(method.__func__)))
