"""substitution.py -- a pytest plugin that runs NumPy's test files, unedited, against cuarray or against the stand-in.

The files import `numpy` through a hook of their own: an object of NumPy's for which cuarray has one of the same name, is
cuarray's, wherever NumPy exports it; all else stays NumPy's. The functions of numpy.testing get NumPy arrays for cuarray's.
Outcomes go to a file, a line each, so that the parent knows which test was running when the process ended.
"""

import ast
import builtins
import functools
import importlib.util
import json
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from standin import Standin, standin_for

import cuarray as ca

TARGET = os.environ["NUMPY_TESTS_TARGET"]  # "cuarray" or "standin"
OUTCOMES = Path(os.environ["NUMPY_TESTS_OUTCOMES"])
#: The tests to run, or None for all, and those that have run.
WANTED, DONE = json.loads(Path(os.environ["NUMPY_TESTS_PLAN"]).read_text())

#: Modules whose names are compared, NumPy's and ours.
MODULES = [(np, ca), (np.linalg, ca.linalg), (np.fft, ca.fft), (np.random, ca.random), (np.lib, ca.lib),
           (np.lib.stride_tricks, ca.lib.stride_tricks), (np.polynomial, ca.polynomial)]  # fmt: skip
POLYNOMIALS = ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e", "polyutils", "_polybase")
MODULES += [(getattr(np.polynomial, name), getattr(ca.polynomial, name)) for name in POLYNOMIALS]
#: Functions of numpy.testing that compare their arguments.
COMPARING = {"assert_equal", "assert_almost_equal", "assert_approx_equal", "assert_array_equal", "assert_array_almost_equal",
             "assert_array_less", "assert_allclose", "assert_array_max_ulp", "assert_array_almost_equal_nulp",
             "assert_array_compare", "assert_string_equal"}  # fmt: skip


def replacements():
    """Return our objects by the identity of NumPy's."""
    found = {}
    for theirs, ours in MODULES:
        for name in dir(theirs):
            numpys, own = getattr(theirs, name), getattr(ours, name, None)
            plain = (
                own is None or own is numpys or isinstance(numpys, types.ModuleType | int | float | str | tuple | dict)
            )
            if name.startswith("_") or plain:
                continue
            found.setdefault(id(numpys), own if TARGET == "cuarray" else standin_for(numpys))
    return found


REPLACED = replacements()


def on_host(x):
    """Return an argument with NumPy arrays for cuarray's or the stand-in's."""
    if isinstance(x, ca.ndarray):
        x = x.numpy()
        return x if x.ndim else x[()]
    if type(x) is Standin:
        x = x.view(np.ndarray)
        return x if x.ndim else x[()]
    if type(x) in (list, tuple):
        return type(x)(map(on_host, x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return tuple(map(on_host, x))
    if type(x) is dict:
        return {on_host(key): on_host(part) for key, part in x.items()}
    return x


def comparing(function):
    @functools.wraps(function)
    def compare(*arguments, **options):
        return function(*map(on_host, arguments), **{name: on_host(x) for name, x in options.items()})

    return compare


def without_text(function):
    """Exceptions are compared by their types: cuarray's texts are its own."""

    @functools.wraps(function)
    def raises(*arguments, match=None, **options):
        return function(*arguments, **options)

    return raises


def raises_of_any_text(error, _text, *arguments, **options):
    """numpy.testing.assert_raises_regex without the text."""
    return np.testing.assert_raises(error, *arguments, **options)


class Facade(types.ModuleType):
    """A module of NumPy's with our objects."""

    def __init__(self, module):
        super().__init__(module.__name__, module.__doc__)
        own = super().__getattribute__("__dict__")
        hidden = ("__getattr__", "__dir__")  # NumPy's, which would be asked before ours
        found = {name: x for name, x in vars(module).items() if not isinstance(x, types.ModuleType)}
        own.update({name: resolved(x) for name, x in found.items() if name not in hidden})
        own.update({"_module": module, "__path__": getattr(module, "__path__", [])})
        names = getattr(module, "__all__", None)
        if names is not None:
            self.__all__ = names

    def __getattribute__(self, name):
        if importing and name == "__dict__":
            return {name: getattr(self, name) for name in vars(self._module) if not name.startswith("__")}
        if not importing or name.startswith("_"):
            return super().__getattribute__(name)
        found = super().__getattribute__(name)
        return Lenient.of(getattr(self._module, name), found)

    def __getattr__(self, name):
        return resolved(getattr(self._module, name))

    def __dir__(self):
        return dir(self._module)


#: Whether test files are being imported, and their parameters read. Empty afterwards.
importing = ["collection"]
imported = []


class Lenient:
    """A function that is NumPy's where ours refuses: the tables of a file, made by its import, may have objects and text."""

    def __init__(self, theirs, ours):
        self.theirs, self.ours = theirs, ours

    @classmethod
    def of(cls, theirs, ours):
        return cls(theirs, ours) if ours is not theirs and callable(ours) and callable(theirs) else ours

    def __instancecheck__(self, x):
        return isinstance(x, (self.theirs, self.ours)) or (isinstance(x, Lenient) and isinstance(x.ours, self.ours))

    def __eq__(self, other):
        return other is self.ours or (isinstance(other, Lenient) and other.ours is self.ours)

    def __hash__(self):
        return hash(self.ours)

    def __mro_entries__(self, _bases):
        return (self.theirs,)

    def __call__(self, *arguments, **options):
        try:
            return self.ours(*arguments, **options)
        except Exception:
            if not importing:
                raise
            return self.theirs(*map(on_host, arguments), **options)

    def __getattr__(self, name):
        if importing:  # the types of NumPy's loops, of which a file chooses, and the names that become names of tests
            of_numpy = name in ("types", "__name__")
            return getattr(self.theirs if of_numpy else self.ours, name, None) or getattr(self.theirs, name)
        return getattr(self.ours, name)


def strict(found):
    """Return a value with our functions alone; lists and dictionaries are changed."""
    if isinstance(found, Lenient):
        return found.ours
    if type(found) is list:
        found[:] = map(strict, found)
    elif type(found) is dict:
        found.update({name: strict(part) for name, part in found.items()})
    elif type(found) is tuple:
        return tuple(map(strict, found))
    return found


@functools.cache
def facade(module):
    return Facade(module)


def resolved(found):
    """Return what the files get for an object of NumPy's."""
    if isinstance(found, types.ModuleType):
        return facade(found) if found.__name__.partition(".")[0] == "numpy" else found
    if found is np.testing.assert_warns and TARGET == "standin":
        return no_warnings
    if found is np.testing.assert_raises_regex:
        return raises_of_any_text
    if getattr(found, "__name__", None) in COMPARING and found.__module__.startswith(
        ("numpy.testing", "numpy.ma.testutils")
    ):
        return comparing(found)
    try:
        return REPLACED.get(id(found), found)
    except TypeError:
        return found


def no_warnings(*arguments, **options):
    """pytest.warns and the like for the stand-in, which gives no warnings."""
    pytest.fail("a warning is asked for")


PYTEST = types.ModuleType("pytest")
PYTEST.__dict__.update({**vars(pytest), "raises": without_text(pytest.raises)})
if TARGET == "standin":
    PYTEST.__dict__.update({"warns": no_warnings, "deprecated_call": no_warnings})


def hooked(name, namespace=None, local=None, fromlist=(), level=0):
    """The `__import__` of NumPy's test files."""
    module = builtins.__import__(name, namespace, local, fromlist, level)
    if module is pytest:
        return PYTEST
    is_numpys = module.__name__.partition(".")[0] == "numpy" and ".tests" not in module.__name__
    return facade(module) if is_numpys else module


class File(pytest.Module):
    """A test file of NumPy's."""

    def _getobj(self):
        package = ".".join(self.path.relative_to(Path(np.__file__).parents[1]).with_suffix("").parts)
        module = types.ModuleType(package)
        module.__file__, module.__package__ = str(self.path), package.rpartition(".")[0]
        module.__spec__ = importlib.util.spec_from_file_location(package, self.path)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": hooked}
        sys.modules[package] = module
        source = self.path.read_bytes()
        tree = ast.parse(source, str(self.path))
        rewrite_asserts(tree, source, str(self.path), self.config)
        exec(compile(tree, str(self.path), "exec", dont_inherit=True), module.__dict__)
        imported.append(module)
        return module


def pytest_pycollect_makemodule(module_path, parent):
    return File.from_parent(parent, path=module_path)


def pytest_collection_modifyitems(config, items):
    importing.clear()
    for module in imported:
        vars(module).update({name: strict(found) for name, found in vars(module).items() if not name.startswith("__")})
    for item in items:
        if hasattr(item, "callspec"):
            item.callspec.params.update({name: strict(found) for name, found in item.callspec.params.items()})
    write(collected=[short(item.nodeid) for item in items])
    items[:] = [
        item for item in items if short(item.nodeid) not in DONE and (WANTED is None or short(item.nodeid) in WANTED)
    ]


def short(nodeid):
    return nodeid.split("::", 1)[1]


def write(**line):
    with OUTCOMES.open("a") as file:
        file.write(json.dumps(line) + "\n")


def pytest_collectreport(report):
    if report.failed:
        write(broken=report.nodeid, text=str(report.longrepr)[-600:])


def pytest_runtest_logstart(nodeid, location):
    write(started=short(nodeid))


def pytest_runtest_setup(item):
    np.seterr(all="ignore")  # of NumPy's own; the files turn it on through ours, which has no effect


#: The line of its file at which a test failed, and the exception.
failed_at = {}


def pytest_runtest_makereport(item, call):
    if call.excinfo is not None:
        lines = [entry.lineno + 1 for entry in call.excinfo.traceback if Path(entry.path) == item.path]
        failed_at[item.nodeid] = str(lines[-1] if lines else ""), call.excinfo.exconly()[:400]


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        line, text = failed_at.pop(report.nodeid, ("", "")) if outcome == "failed" else ("", "")
        write(test=short(report.nodeid), outcome=outcome, line=line, text=text)
