"""mypy and pyright on programs that use cuarray: no errors, and for every value the type that it has at run time.

The programs are tests/typed/ordinary.py, the Python examples of README and docs/, and the examples of all public
docstrings. A reveal_type is inserted after each assignment and around each expression statement: the checkers
report the type of that line, and so does the program itself when it runs.
"""

import ast
import contextlib
import doctest
import importlib.util
import inspect
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cuarray

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]

#: Statements whose type is rightly Any: contents of files, grids and gradient, which return one or several
#: arrays, nested lists and tables of statistics, and functions made of Python functions.
ANYTHING = r"\b(load|mgrid|ogrid|gradient|tolist|item|vectorize|frompyfunc|stats|retstep|before|pickle)\b"
#: Programs whose values may be Any: for mypy, functions without annotations return it, and so do other libraries.
UNTYPED = (
    r"^def \w+\(\w+(, \w+)*\):|^(?:import|from) "
    r"(?:PIL|astropy|cv2|dask|drjit|einops|h5py|jax|matplotlib|mpi4py|numba|pandas|polars|pyarrow|scipy|tensorflow|torch|xarray|zarr)\b"
)

#: Libraries that are not checked: cuarray does not define their types.
FOREIGN = (
    "PIL",
    "astropy",
    "cupy",
    "cv2",
    "dask",
    "drjit",
    "einops",
    "h5py",
    "jax",
    "matplotlib",
    "mpi4py",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
    "tensorflow",
    "torch",
    "xarray",
    "zarr",
)
#: The module of a stub for them.
ANY_MODULE = "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n"


class Revealing(ast.NodeTransformer):
    """Inserts a reveal_type after each assignment and around each expression statement."""

    def visit_FunctionDef(self, node):
        return node  # parameters of functions without annotations are Any

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Expr(self, node):
        text = ast.unparse(node.value)
        if isinstance(node.value, ast.Constant) or re.match(r"(print|reveal_type|del)\b", text):
            return node
        return ast.parse(f"reveal_type({text})").body

    def visit_Assign(self, node):
        names = [
            n.id
            for target in node.targets
            for n in ast.walk(target)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ]
        return [node, *(ast.parse(f"reveal_type({name})").body[0] for name in names if name != "_")]

    def visit_Module(self, node):
        self.generic_visit(node)
        return node


def revealing(source):
    """The program with its reveal_types, each on a separate line."""
    return ast.unparse(ast.fix_missing_locations(Revealing().visit(ast.parse(source)))) + "\n"


def public_docstrings():
    """The docstrings with examples of all public functions, classes and methods, by name."""
    found = {}
    modules = cuarray.fft, cuarray.linalg, cuarray.memory, cuarray.random, cuarray.testing, cuarray.lib.stride_tricks
    for module in (cuarray, *modules):
        for name in module.__all__:
            if isinstance(getattr(module, name), cuarray.ufunc) or str(
                getattr(getattr(module, name), "__module__", "cuarray")
            ).startswith("cuarray"):
                found[f"{module.__name__}.{name}"] = getattr(module, name)
    for kind in (
        cuarray.ndarray,
        cuarray.ufunc,
        cuarray.Stream,
        cuarray.Event,
        cuarray.Graph,
        cuarray.profile,
        cuarray.random.Generator,
        cuarray.random.RandomState,
    ):
        found |= {f"{kind.__name__}.{name}": getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
    texts = {name: inspect.getdoc(thing) or "" for name, thing in found.items()}
    return {name: text for name, text in texts.items() if ">>>" in text}


def programs():
    """The sources by file name."""
    sources = {"ordinary.py": (ROOT / "tests/typed/ordinary.py").read_text("utf-8")}
    for document in DOCUMENTS:
        blocks = re.findall(r"^```python\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        sources |= {f"{document.stem}_{i}.py": block for i, block in enumerate(blocks)}
    for name, text in public_docstrings().items():
        examples = [e.source for e in doctest.DocTestParser().get_examples(text) if e.exc_msg is None]
        sources[f"doc_{name.replace('.', '_')}.py"] = "import cuarray as ca\n" + "".join(examples)
    return sources


SOURCES = programs()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all programs, and settings that exclude other libraries from the check."""
    folder = tmp_path_factory.mktemp("typed")
    for name, source in SOURCES.items():
        (folder / name).write_text(revealing(source), "utf-8")
    for source in SOURCES.values():
        for module in re.findall(r"^(?:import|from) ([\w.]+)", source, re.MULTILINE):
            parts = module.split(".")
            for length in range(1, len(parts) + 1 if parts[0] in FOREIGN else 0):
                stub = folder.joinpath("typings", *parts[:length])
                stub.mkdir(parents=True, exist_ok=True)
                (stub / "__init__.pyi").write_text(ANY_MODULE)
    package = Path(cuarray.__file__).parent
    if package.parent == ROOT:  # an editable install, which checkers do not see
        (folder / "typings").mkdir(exist_ok=True)
        (folder / "typings/cuarray").symlink_to(package)
    (folder / "mypy.ini").write_text("[mypy]\nmypy_path = typings\ndisable_error_code = func-returns-value\n")
    settings = {"stubPath": "typings", "include": ["*.py"], "reportMissingModuleSource": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


def run(checker, folder, *arguments):
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    command = [sys.executable, "-m", checker, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


def of_mypy(folder):
    """Errors, and types by place, of mypy."""
    done = run("mypy", folder, "--config-file=mypy.ini", "--cache-dir=.cache", "--no-error-summary", *SOURCES)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    notes = re.findall(r'^(.*?):(\d+): note: Revealed type is "(.*)"$', done.stdout, re.MULTILINE)
    return errors, {(file, int(line)): text for file, line, text in notes}


def of_pyright(folder):
    """Errors, and types by place, of pyright."""
    done = run("pyright", folder, "--outputjson", f"--pythonpath={sys.executable}")
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        pytest.skip(f"pyright is not installed with a Node.js that it can run: {(done.stdout + done.stderr)[-200:]}")
    errors, types = [], {}
    for one in json.loads(done.stdout)["generalDiagnostics"]:
        place = (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        if one["severity"] == "information" and (
            found := re.match(r'Type of ".*" is "(.*)"$', one["message"], re.DOTALL)
        ):
            types[place] = found[1]
        elif one["severity"] == "error":
            errors.append(f"{place[0]}:{place[1]}: {one['message']}")
    return errors, types


@pytest.fixture(scope="module", params=[of_mypy, of_pyright], ids=["mypy", "pyright"])
def answers(request, folder):
    return request.param(folder)


@pytest.mark.few
def test_nothing_is_an_error(answers):
    errors, _ = answers
    assert not errors, "\n".join(errors)


@pytest.fixture(scope="module")
def values(folder):
    """The values that the programs reveal when they run: for each place the value and its statement."""
    found = {}
    for name, source in SOURCES.items():
        modules = re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE)
        if re.match(r"# \w+=\S+ python\n", source) or any(importlib.util.find_spec(m) is None for m in modules):
            continue  # needs its own process, which another test runs; or a library that is missing
        text = (folder / name).read_text("utf-8")
        lines = text.splitlines()

        def reveal_type(value, name=name, lines=lines):
            line = sys._getframe(1).f_lineno
            statement = next(text for text in reversed(lines[:line]) if not re.match(r"\s*reveal_type\(\w+\)$", text))
            found[name, line] = (value, statement)
            return value

        before, globals_ = cuarray.default_device(), {"reveal_type": reveal_type, "__name__": "example"}
        with contextlib.redirect_stdout(io.StringIO()), cuarray.device("cpu"), contextlib.chdir(folder):
            try:
                exec(compile(text, name, "exec"), globals_)
            finally:
                cuarray.set_default_device(before)
                globals_.clear()  # a cycle with the program's functions: arrays would live on in other tests
    yield found
    found.clear()


def alternatives(text):
    """The types of a revealed type: the members of a union, without parameters in brackets and without modules."""
    while (bare := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = bare
    if "->" in text or text.startswith(("def ", "Overload")):
        return ["callable"]
    return [re.sub(r"[?*]", "", part).strip().rpartition(".")[2] for part in re.sub(r"^Union", "", text).split("|")]


def fits(text, value):
    """Whether a value belongs to a revealed type."""
    names = {kind.__name__ for kind in type(value).__mro__}
    if isinstance(value, int):
        names.add("float")
    if value is None:
        names.add("None")
    for name in alternatives(text):
        if name == "callable" and callable(value):
            return True
        if name.startswith(("type", "Module")) and (isinstance(value, type) or "Module" in name):
            return True
        if name in names or (name == "Literal" and isinstance(value, int | str | bool)):
            return True
        # Protocols and aliases of the standard library, which are not names of classes.
        if name in (
            "TypeAlias",
            "Generator",
            "Iterator",
            "_GeneratorContextManager",
            "_SClass",
            "IndexExpression",
        ):
            return True
    return False


@pytest.mark.few
def test_revealed_types_are_those_of_the_values(answers, values):
    _, types = answers
    wrong, unknown = [], []
    for place, (value, line) in values.items():
        text = types.get(place)
        if text is None:
            continue  # after an error, which another test reports
        elif re.fullmatch(r"(builtins\.)?Any|Unknown", text) or (text == "NoReturn"):
            module = type(value).__module__.split(".")[0]
            is_untyped = re.search(UNTYPED, SOURCES[place[0]], re.MULTILINE)
            if module in ("cuarray", "builtins", "numpy") and not is_untyped and not re.search(ANYTHING, line):
                unknown.append(f"{place[0]}:{place[1]}: {line}: {text}, and it is {type(value).__name__}")
        elif not fits(text, value):
            wrong.append(f"{place[0]}:{place[1]}: {line}: {text}, and it is {type(value).__name__}")
    assert not wrong, "\n".join(wrong)
    assert not unknown, "\n".join(unknown)
    assert len(types) > 700


@pytest.mark.rest
def test_every_name_is_public(folder):
    """Checkers treat an import under another name as private, so aliases are assigned."""
    names = [name for name in cuarray.__all__ if not name.startswith("__")]
    (folder / "names.py").write_text("".join(f"from cuarray import {name} as of_{name}\n" for name in names))
    done = run("mypy", folder, "--config-file=mypy.ini", "--cache-dir=.cache", "--no-implicit-reexport", "names.py")
    assert "Success" in done.stdout, done.stdout


STRICT = """
import cuarray as ca

x, stream, event = ca.ones(3), ca.Stream(), ca.Event()
with stream as entered, ca.errstate(all="ignore"), ca.fuse(), ca.deterministic(), ca.profile():
    entered.record(event).synchronize()
    stream.wait(event)
print(ca.Graph(), ca.broadcast(x, 1), ca.vectorize(abs)(x), event.query(), stream.handle)
with ca.memory.limit(10):
    flags = x.flags
    flags.writeable = True
    print(flags.num + 1, flags.carray, x.data.nbytes, x.ctypes.data, x.conj(x))


@ca.errstate(divide="raise")
def half(y: int) -> int:
    return y // 2
"""


@pytest.mark.rest
def test_strict_programs(folder):
    (folder / "strict.py").write_text(STRICT)
    done = run(
        "mypy", folder, "--config-file=mypy.ini", "--cache-dir=.cache", "--strict", "--no-error-summary", "strict.py"
    )
    errors = [line for line in done.stdout.splitlines() if line.startswith("strict.py")]  # not of the source itself
    assert not errors and done.returncode in (0, 1), done.stdout + done.stderr


def strict_errors(folder, name, source):
    """The errors of pyright's strict mode in a program."""
    strict = folder / name
    strict.mkdir()
    (strict / "program.py").write_text(source, "utf-8")
    settings = {"typeCheckingMode": "strict", "stubPath": str(folder / "typings"), "reportMissingModuleSource": False}
    (strict / "pyrightconfig.json").write_text(json.dumps(settings))
    done = run("pyright", strict, "--outputjson", f"--pythonpath={sys.executable}")
    if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
        pytest.skip(f"pyright is not installed with a Node.js that it can run: {(done.stdout + done.stderr)[-200:]}")
    lines = source.splitlines()
    errors = [one for one in json.loads(done.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    return [f"{lines[one['range']['start']['line']].strip()}: {one['message']}" for one in errors]


ORDINARY = (ROOT / "tests/typed/strict.py").read_text("utf-8")


@pytest.mark.rest
def test_strict_pyright_accepts_what_it_accepts_of_numpy(folder):
    assert len(ORDINARY.splitlines()) > 150
    theirs = ORDINARY.replace("import cuarray as xp", "import numpy as xp\nfrom typing import Any, TypeAlias")
    theirs = theirs.replace("from cuarray import ndarray\n", "").replace("from cuarray.lib", "from numpy.lib")
    theirs = theirs.replace("\n\n\n", '\n\nndarray: TypeAlias = "xp.ndarray[Any, xp.dtype[Any]]"\n\n\n', 1)
    assert strict_errors(folder, "with_numpy", theirs) == []
    # An element of NumPy is a float for checkers; an array of shape () is not.
    errors = [error.partition(":")[0] for error in strict_errors(folder, "with_cuarray", ORDINARY)]
    assert errors == ["return acc", "return y.max()"]


#: A program, and modules of names of others: of the libraries', and NumPy's of polynomials.
OF_OTHERS = ("cuarray.__main__.", "cuarray.interop.", "cuarray.polynomial.")


@pytest.mark.rest
def test_the_types_of_all_public_names_are_known(folder):
    done = run("pyright", folder, "--outputjson", "--ignoreexternal", "--verifytypes", "cuarray")
    told = done.stdout[done.stdout.find("{") :]
    if not told:
        pytest.skip(f"pyright is not installed with a Node.js that it can run: {(done.stdout + done.stderr)[-200:]}")
    names = json.loads(told)["typeCompleteness"]["symbols"]
    assert sum(name["isExported"] for name in names) > 1000
    unknown = [name for name in names if not name["isTypeKnown"] and not name["name"].startswith(OF_OTHERS)]
    assert [(name["name"], [one["message"] for one in name["diagnostics"]]) for name in unknown] == []


OTHER_LIBRARIES = """
from typing import Any

import cuarray as ca
from cuarray import memory
from cuarray.interop import wrap
from cuarray.interop.dask import use_one_gpu_each
from cuarray.interop.jax import call
from cuarray.interop.memory import serve_cupy, serve_rmm, serve_torch, use_cupy, use_rmm, use_torch
from cuarray.interop.torch import custom_op, stream


def doubled(x: ca.ndarray) -> ca.ndarray:
    return 2 * x


def run(client: Any, torch_stream: Any) -> None:
    in_torch = wrap(doubled, source="cuarray", target="torch")
    in_jax = call(doubled, ca.ones(3))
    operator = custom_op("examples::doubled", doubled, like=0)
    with stream(torch_stream) as ours:
        print(in_torch(1), in_jax(1), operator(1), ours.query())
    for function in (serve_cupy, serve_rmm, serve_torch, use_cupy, use_rmm, use_torch):
        function()
    placed = use_one_gpu_each(client)
    print(placed["worker"].upper())


memory.trim()
memory.set_allocator(None)
memory.use_pool("cuarray")
with memory.track():
    print(memory.snapshot("cpu"), memory.stats("cpu"), ca.fft.plan_cache.limit)
ca.testing.assert_array_less(ca.zeros(3), 1)
ca.testing.assert_array_equal(ca.ones(3), [1, 1, 1])
"""


def test_strict_pyright_accepts_interop_and_memory(folder):
    assert strict_errors(folder, "interop", OTHER_LIBRARIES) == []


def test_stubs_keep_docstrings():
    """Editors show the docstring of the stub; compiled functions have no other source."""
    package = Path(cuarray.__file__).parent
    stubs = sorted(package.rglob("*.pyi"))
    silent, told = [], 0
    for file in stubs:
        bodies = [("", ast.parse(file.read_text("utf-8")).body)]
        while bodies:
            prefix, body = bodies.pop()
            documented: dict[str, bool] = {}
            for node in body:
                if isinstance(node, ast.ClassDef) and node.name[0] != "_":
                    bodies.append((f"{node.name}.", node.body))
                elif isinstance(node, ast.FunctionDef) and node.name[0] != "_":
                    documented[node.name] = documented.get(node.name, False) or bool(ast.get_docstring(node))
            told += sum(documented.values())
            if prefix != "Flags." and (prefix or file.name != "_core.pyi"):
                silent += [f"{file.name}: {prefix}{name}" for name, is_told in documented.items() if not is_told]
    assert told > 500 and not silent, silent
    assert "Parameters\n" in (package / "__init__.pyi").read_text("utf-8")
