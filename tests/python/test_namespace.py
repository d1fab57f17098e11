"""The public names: completeness, NumPy's signatures, docstrings whose examples run, stubs, and the time of import."""

import doctest
import functools
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import cuarray
from cuarray import _core
from cuarray._functions import elementwise
from cuarray._namespace import missing
from cuarray._namespace.aliases import ALIASES
from cuarray._ndarray.ufunc_docs import described

PACKAGE = Path(cuarray.__file__).parent
FUNCTIONS = sorted(
    n for n in cuarray.__all__ if isinstance(inspect.unwrap(getattr(cuarray, n)), FunctionType | _core.function)
)
MODULES = [
    "cuarray", "cuarray._tools.doctor", "cuarray.emath", "cuarray.fft", "cuarray.linalg", "cuarray.memory", "cuarray.random", "cuarray.testing"
]  # fmt: skip

#: The modules of other libraries that list what they have.


def test_every_name_is_there():
    for name in cuarray.__all__:
        getattr(cuarray, name)
    assert set(cuarray.__all__) <= set(dir(cuarray)) and len(cuarray.__all__) == len(set(cuarray.__all__))


def test_every_row_is_in_the_namespace():
    for row in _core.rows():
        function = getattr(cuarray, row["name"])
        is_more = row["name"] in _core.functions or row["name"] in elementwise.__all__  # than its ufunc
        assert function is _core.ufuncs[row["name"]] or is_more
        assert isinstance(_core.ufuncs[row["name"]], cuarray.ufunc)


def test_aliases_are_numpys_names():
    for theirs, ours in ALIASES.items():
        alias, function = getattr(cuarray, theirs), getattr(cuarray, ours)
        if isinstance(function, cuarray.ufunc):
            assert alias._row == function._row == ours and alias.__name__ == theirs
        else:
            assert isinstance(function, _core.function) or alias.__code__.co_code == function.__code__.co_code
            assert alias.__name__ == theirs and alias.__doc__ == function.__doc__
        assert hasattr(np, theirs), theirs
        # The other direction: names of the same function in NumPy have one name in cuarray.
        assert getattr(np, ours, None) in (None, getattr(np, theirs)) or theirs in (
            "amax",
            "amin",
            "around",
            "asanyarray",
            "transpose",
            "rad2deg",
            "deg2rad",
        )


ARRAY_API_NAMES = """
arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift
bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite
isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply
negative nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc
broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile
unstack argmax argmin count_nonzero where max mean min prod std sum var all any astype can_cast finfo iinfo isdtype result_type
matrix_transpose matmul tensordot vecdot e inf nan newaxis pi __array_namespace_info__ __array_api_version__
"""


def test_names_of_the_array_api():
    assert not [name for name in ARRAY_API_NAMES.split() if not hasattr(cuarray, name)]


def test_names_of_numpy_that_are_not_there_are_explained():
    text = (Path(__file__).resolve().parents[2] / "docs/differences.md").read_text("utf-8")
    missing = [
        name for name in np.__all__ if not name.startswith("_") and not hasattr(cuarray, name)
    ]  # numexpr adds others
    assert not [name for name in missing if not re.search(rf"\b{name}\b", text)]
    x = cuarray.ones((2, 2))
    missing = [name for name in dir(np.ndarray) if not name.startswith("_") and not hasattr(x, name)]
    assert not [name for name in missing if f"`x.{name}`" not in text]


# Signatures more specific than NumPy's, or with other names of positional parameters, or with all keywords of ufuncs.
ADDED = {"device", "like", "memory", "descending"}
DIFFERENT = {
    "arange",
    "astype",
    "clip",
    "round",
    "roll",
    "from_dlpack",
    "einsum",
    "matmul",
    "matvec",
    "vecdot",
    "vecmat",
}


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if hasattr(np, n) and n not in DIFFERENT])
def test_signatures_are_those_of_numpy(name):
    ours = inspect.signature(getattr(cuarray, name)).parameters
    try:
        theirs = inspect.signature(getattr(np, name)).parameters
    except ValueError:
        return
    missing = [p for p in theirs if p not in ours]
    assert not missing, f"{name} has no {missing}"
    assert set(ours) - set(theirs) <= ADDED, f"{name} has more: {set(ours) - set(theirs)}"
    by_position = [p for p, q in theirs.items() if q.kind in (q.POSITIONAL_ONLY, q.POSITIONAL_OR_KEYWORD)]
    assert [p for p, q in ours.items() if q.kind in (q.POSITIONAL_ONLY, q.POSITIONAL_OR_KEYWORD)] == by_position, name
    for p, q in theirs.items():
        # NumPy states 0 for ndmax, and takes 64; None for x and y of where, and takes it as an object.
        is_stated = q.default is not q.empty and q.default is not np._NoValue and name != "where"
        if p in ours and is_stated and p not in ("dtype", "ndmax"):
            assert ours[p].default == q.default or (q.default is None and not ours[p].default), f"{name}({p}=...)"


def call_of(function):
    """The parameters in their order, with what they are beside positional, without our own; None where they are not said."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:
        return None
    kinds = {
        inspect.Parameter.KEYWORD_ONLY: "=",
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    return [kinds.get(p.kind, "") + name for name, p in parameters.items() if name not in ADDED]


#: Signatures more specific than NumPy's *args and **kwargs, positional or keyword where NumPy allows one, or with more keywords.
DIFFERENT_IN = {
    "random.ranf", "random.sample", "fft.fftfreq", "fft.rfftfreq",
    *(f"ndarray.{name}" for name in "choose clip conj conjugate dot max mean min prod setflags std sum var view".split()),
}  # fmt: skip

#: Those with a parameter that the installed NumPy lacks.
NEWER = {"lib.stride_tricks.as_strided"} if np.lib.NumpyVersion(np.__version__) < "2.5.0" else set()


#: How to get what has the methods, where a namespace is a class.
MADE = {
    "ndarray": "ones((2, 2))",
    "random.Generator": "random.default_rng()",
    "random.RandomState": "random.RandomState()",
}


@pytest.mark.parametrize("home", ["emath", "fft", "lib.stride_tricks", "linalg", "random", "testing", *MADE])
def test_signatures_of_other_namespaces_are_those_of_numpy(home):
    ours = eval(f"cuarray.{MADE.get(home, home)}")
    theirs = eval(f"np.{MADE.get(home, home).replace('emath', 'lib.scimath')}")
    compared, wrong = 0, []
    for name in dir(theirs):
        known = getattr(ours, name, None)
        if name.startswith("_") or f"{home}.{name}" in DIFFERENT_IN or isinstance(known, type) or not callable(known):
            continue
        calls = call_of(known), call_of(getattr(theirs, name))
        if None not in calls:
            compared += 1
            wrong += [f"{name}: {calls[0]} instead of {calls[1]}"] * (
                calls[0] != calls[1] and f"{home}.{name}" not in NEWER
            )
            parameters = inspect.signature(known).parameters
            for p, q in inspect.signature(getattr(theirs, name)).parameters.items():
                is_worse = (
                    q.kind == q.POSITIONAL_OR_KEYWORD and p in parameters and parameters[p].kind == q.POSITIONAL_ONLY
                )
                wrong += [f"{name}: {p} is only positional"] * is_worse
    assert compared >= 2 and not wrong, "\n".join(wrong)


# Docstrings


@pytest.mark.parametrize(
    "name", [n for n in cuarray.__all__ if callable(getattr(cuarray, n)) and not isinstance(getattr(cuarray, n), type)]
)
def test_docstrings_say_what_they_must(name):
    function = getattr(cuarray, name)
    doc = inspect.getdoc(function)
    assert doc and len(doc.splitlines()[0]) < 200
    if isinstance(function, _core.ufunc) and not function.signature:
        row = next(row for row in _core.rows() if row["name"] == function._row)
        assert described(function, row) in doc
    else:
        assert "Examples\n--------" in doc, "an example that is run"
        parameters = [p for p in inspect.signature(function).parameters if p not in ("args", "kwargs", "arys", "xi")]
        for p in parameters:
            assert re.search(rf"\b{p}\b", doc), f"{p} is not described"


def methods():
    """The public methods of the public classes, by name."""
    kinds = (
        cuarray.ndarray,
        cuarray.ufunc,
        cuarray.Stream,
        cuarray.Event,
        cuarray.Graph,
        cuarray.profile,
        cuarray.broadcast,
        cuarray.random.Generator,
        cuarray.random.RandomState,
        type(cuarray.fft.plan_cache),
    )
    found = {f"{kind.__name__}.{n}": getattr(kind, n) for kind in kinds for n in vars(kind) if not n.startswith("_")}
    return {n: method for n, method in found.items() if callable(method)}


@pytest.mark.parametrize("name", methods())
def test_methods_have_examples(name):
    assert "Examples\n--------\n>>> " in inspect.getdoc(methods()[name]), "an example that is run"


def test_the_type_of_ufuncs_has_a_docstring():
    assert cuarray.ufunc.__doc__.startswith("The type of elementwise functions") and cuarray.sin.__doc__.startswith(
        "sin(x, /"
    )


def test_methods_are_in_the_reference():
    text = (Path(__file__).resolve().parents[2] / "docs/reference.md").read_text("utf-8")
    for kind in (cuarray.ndarray, cuarray.ufunc):
        names = [n for n in vars(kind) if not n.startswith("_") and n not in missing.ATTRIBUTES]
        assert not [n for n in names if f'<a id="{kind.__name__}.{n}"></a>' not in text]
    for title in ("linalg", "fft", "emath", "memory", "testing"):
        names = importlib.import_module(f"cuarray.{title}").__all__
        assert not [n for n in names if not re.search(rf'<a id="{title}\.{n}"></a>`[^|]*` \| \w', text)]
    names = [n for n in dir(cuarray.random.Generator) if not n.startswith("_")]
    assert not [n for n in names if not re.search(rf'<a id="random\.Generator\.{n}"></a>`[^|]*` \| \w', text)]


@functools.cache
def documented():
    """Every object with examples, by name."""
    objects = {n: getattr(cuarray, n) for n in cuarray.__all__}
    for module in MODULES[1:]:
        found = importlib.import_module(module)
        objects |= {
            f"{module}.{n}": f
            for n, f in vars(found).items()
            if inspect.isfunction(f) and (f.__module__ == module or n in getattr(found, "__all__", ()))
        }
    objects |= methods()
    objects["ufunc"] = cuarray.ufunc
    return {
        n: f
        for n, f in objects.items()
        if ">>>" in (inspect.getdoc(f) or "") and str(getattr(f, "__module__", "cuarray")).startswith("cuarray")
    }


@pytest.mark.parametrize("name", sorted(documented()))
def test_examples_in_docstrings(name, device):
    finder, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    test = finder.get_doctest(inspect.getdoc(documented()[name]), {"ca": cuarray}, name, None, 0)
    assert test.examples
    for module in re.findall(r"^>>> import (\w+)", test.docstring, re.MULTILINE):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    # The expected output is that of the default device; factorisations are shown on cpu, which always has them.
    is_on_cpu = name.startswith("cuarray.linalg.") and 'device="cpu"' in test.docstring
    before = cuarray.default_device()
    cuarray.set_default_device("cpu" if is_on_cpu else device)
    try:
        text = []
        runner.run(test, out=text.append)
    finally:
        cuarray.set_default_device(before)
    assert not runner.failures, "".join(text)


def test_there_are_examples():
    names = documented()
    assert len(names) >= 200 and {"sin", "fuse", "reshape", "sum", "cuarray.testing.ulp_distance"} <= set(names)


# Stubs and reference


def test_every_name_is_in_the_stubs():
    stub = (PACKAGE / "__init__.pyi").read_text("utf-8")
    missing = [name for name in cuarray.__all__ if not re.search(rf"\b{name}\b", stub)]
    assert not missing


def test_every_row_is_in_the_stub_of_the_core():
    stub = (PACKAGE / "_core.pyi").read_text("utf-8")
    assert not [row["name"] for row in _core.rows() if not re.search(rf"^{row['name']}\b", stub, re.MULTILINE)]
    assert (PACKAGE / "py.typed").exists()


# Importing


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )


def test_import_needs_no_driver_and_opens_nothing():
    code = """
import sys, cuarray
opened = open('/proc/self/maps').read()
assert not [word for word in ('libcuda.so', 'libnvrtc', 'libcublas') if word in opened], opened
assert not [name for name in ('cuda', 'cuda.pathfinder', 'ml_dtypes', 'torch', 'jax', 'tensorflow', 'cupy', 'numba', 'drjit', 'mpi4py', 'dask', 'cuarray.interop', 'cuarray._tools.doctor', 'cuarray.fft', 'cuarray.linalg', 'cuarray._linalg', 'cuarray.memory', 'cuarray.random', 'cuarray._random', 'cuarray.testing') if name in sys.modules]
"""
    run = python(code)
    assert run.returncode == 0, run.stderr


def public_modules():
    """All modules by name, but for the inside of interop.mpi."""
    home = Path(cuarray.__file__).parent
    parts = [("cuarray", *file.relative_to(home).with_suffix("").parts) for file in home.rglob("*.py")]
    names = {
        ".".join(p).removesuffix(".__init__") for p in parts if not any(n[0] == "_" and n != "__init__" for n in p)
    }
    return sorted(name for name in names if not name.startswith("cuarray.interop.mpi."))


#: What dir() lists of a module besides its __all__, as an expression.
LISTED_TOO = {
    "cuarray": "{'lib', *module.LAZY}",
    "cuarray.interop": "{file.stem for file in Path(module.__file__).parent.glob('[a-z]*')}",
    "cuarray.numpy": "{name for name in dir(np) if name[0] != '_'} | {'fallbacks'}",
    "cuarray.polynomial": "{'polyutils'}",
    "cuarray.testing": "{name for name in np.testing.__all__ if name.startswith('assert_')}",
}


@pytest.mark.parametrize("name", public_modules())
def test_dir_lists_no_imports(name):
    code = f"""
import sys
from pathlib import Path
import numpy as np
try:
    import {name}
    module = sys.modules['{name}']
    listed = {{name for name in dir(module) if name[0] != '_'}}
    has_all = all(hasattr(module, name) for name in listed)
except ImportError as error:
    sys.exit(f"needs: {{error}}")
too = {LISTED_TOO.get(name, "set()")}
assert listed and listed == {{name for name in module.__all__ if name[0] != '_'}} | too, (listed ^ (set(module.__all__) | too))
assert '{name}' == 'cuarray.interop' or has_all
"""
    run = python(code)
    if run.stderr.startswith("needs: "):
        pytest.skip(f"{name.rpartition('.')[2]} is not installed")
    assert run.returncode == 0, run.stderr


def test_dir_of_arrays_and_streams_lists_what_they_have():
    for thing in (cuarray.ones((2, 2)), cuarray.Stream(), cuarray.Event(), cuarray.devices()[0]):
        listed = [n for n in dir(thing) if not n.startswith("_")]
        assert not [n for n in listed if not hasattr(thing, n)]
        assert "device" in listed or "kind" in listed
        if not isinstance(thing, cuarray.ndarray):
            assert [n for n in dir(type(thing)) if not n.startswith("_")] == listed


def test_no_other_library_is_imported_with_the_package():
    code = """
import sys, cuarray, pkgutil
modules = [module.name for module in pkgutil.iter_modules(cuarray.interop.__path__)]
public = {name for name in modules if name[0] != '_'}
assert 'numba' in public and public | {'wrap'} == set(dir(cuarray.interop))
try:
    cuarray.interop.nothing
except AttributeError as error:
    assert 'nothing' in str(error)
else:
    raise AssertionError
known = {name.split('.')[0] for name in sys.modules}
assert not known & {'torch', 'jax', 'tensorflow', 'cupy', 'numba', 'drjit', 'mpi4py', 'dask', 'distributed', 'xarray', 'pandas'}, known
"""
    run = python(code)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("name", ["cupy", "dask", "drjit", "jax", "mpi", "tensorflow", "torch"])
def test_modules_of_missing_libraries_say_what_to_install(name):
    code = f"""
import sys
for module in ('cupy', 'dask', 'drjit', 'jax', 'mpi4py', 'tensorflow', 'torch'):
    sys.modules[module] = None
import cuarray
try:
    cuarray.interop.{name}
except ImportError as error:
    assert 'pip install' in str(error), error
else:
    raise AssertionError
"""
    run = python(code)
    assert run.returncode == 0, run.stderr


IMPORT = """
import sys, numpy
calls, before = 0, set(sys.modules)
def count(frame, event, argument):
    global calls
    calls += event == "call"
sys.setprofile(count)
import cuarray
sys.setprofile(None)
print(calls, len(set(sys.modules) - before))
"""


def test_import_is_quick(tmp_path):
    """At most 9,500 calls of Python functions and 85 modules more than NumPy's import, which take 40 ms."""
    # An installed package has its bytecode; the first process makes it.
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    _, told = [python(IMPORT, **bytecode).stdout.split() for _ in range(2)]
    calls, modules = map(int, told)
    assert calls <= 9500 and modules <= 85, told


def test_subinterpreters_are_refused():
    """Those with the GIL of the main one, as web servers make them, and those with one of their own."""
    older = """
import _xxsubinterpreters as interpreters
for options in ({}, {"isolated": False}):
    try:
        interpreters.run_string(interpreters.create(**options), 'import cuarray')
    except interpreters.RunFailedError as error:
        print(error)
"""
    newer = """
import _interpreters as interpreters
for options in ('isolated', 'legacy'):
    print(interpreters.run_string(interpreters.create(options), 'import cuarray'))
"""
    for before in ("", "import cuarray"):
        run = python(before + (newer if sys.version_info >= (3, 13) else older))
        assert run.returncode == 0, run.stdout + run.stderr
        isolated, sharing = run.stdout.splitlines()  # of the first, Python 3.13 itself says so
        assert "in subinterpreters" in isolated or "in a subinterpreter" in isolated, isolated
        assert "in a subinterpreter" in sharing, sharing


def test_an_unbuilt_source_folder_says_what_to_type(tmp_path):
    (tmp_path / "cuarray").mkdir()
    for file in filter(Path.is_file, PACKAGE.glob("*.py")):
        (tmp_path / "cuarray" / file.name).write_text(file.read_text("utf-8"), "utf-8")
    (tmp_path / "CMakeLists.txt").write_text("")
    installed = tmp_path / "installed"
    (installed / "cuarray").mkdir(parents=True)
    (installed / "cuarray/_core.cpython.so").write_text("")
    # Without site, so that an install adds nothing.
    command = [sys.executable, "-S", "-c", "import cuarray"]
    for path, says in (
        ("", f"pip install {tmp_path}"),
        (str(installed), f"that is installed in {installed}; run Python"),
    ):
        environment = {**os.environ, "PYTHONPATH": path}
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
        assert run.returncode != 0 and says in run.stderr, run.stderr


def test_namespace_info(device):
    info = cuarray.__array_namespace_info__()
    assert info.devices() == [*cuarray.devices()] and info.default_device() == cuarray.default_device()
    assert set(info.dtypes()) == {
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
        "complex64",
        "complex128",
    }
    assert set(info.dtypes(kind="real floating")) == {"float32", "float64"}
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", "complex64", "complex128"}
    for kind, dtype in info.default_dtypes(device=device).items():
        assert dtype == {"real floating": "f8", "complex floating": "c16"}.get(kind, "i8")
    x = cuarray.ones((1,) * info.capabilities()["max dimensions"])
    assert x.__array_namespace__() is cuarray is x.__array_namespace__(api_version="2025.12")


def test_comparisons_of_numpy_take_arrays_of_any_device(device):
    x = cuarray.arange(3, device=device)
    cuarray.testing.assert_equal({"a": [x, 1]}, {"a": [np.arange(3), 1]})
    cuarray.testing.assert_array_less(x, x + 1)
    cuarray.testing.assert_equal(cuarray.unique_all(x), np.unique_all(np.arange(3)))
    with pytest.raises(AssertionError):
        cuarray.testing.assert_array_almost_equal(x, x + 0.1)
    cuarray.testing.assert_raises(ValueError, cuarray.reshape, x, 4)
    assert {"assert_equal", "to_host"} <= set(dir(cuarray.testing))
    assert {
        "emath",
        "exceptions",
        "fft",
        "lib",
        "linalg",
        "memory",
        "polynomial",
        "random",
        "testing",
        "typing",
    } <= set(dir(cuarray))
