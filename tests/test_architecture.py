"""The rules of docs/architecture.md that a compiler does not check.

Includes and Python imports go only to the left, the tables are the only lists of operations and dtypes, and
nothing outside the CUDA backend asks whether a device is CUDA. Each rule is also tested on text that violates it.
"""

import ast
import collections
import graphlib
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ["kernel", "core", "codegen", "runtime", "array", "ops", "api", "bindings"]
# The backends implement runtime/; no other folder includes them.
BACKENDS = ["host", "cuda"]
# The packages inside the Python package, each of which imports only from itself and from those before it.
SUBPACKAGES = [
    "_arguments",
    "_runtime",
    "_functions",
    "_fft",
    "_linalg",
    "_random",
    "_namespace",
    "_ndarray",
    "_numpy",
    "_tools",
]

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
TABLES = ["dtypes.def", "ufuncs.def", "reductions.def"]


def sources(*patterns: str) -> list[Path]:
    """The C++ and Python files of the library itself."""
    patterns = patterns or ("include/**/*.h", "src/**/*.h", "src/**/*.cpp", "cuarray/**/*.py")
    files = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
    # cuarray/include is a link to include/.
    return [file for file in files if not file.relative_to(ROOT).as_posix().startswith("cuarray/include")]


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def layer_of(name: str) -> str | None:
    """The folder that a file belongs to: core for src/core/layout.cpp and for cuarray/core/layout.h."""
    for part in name.split("/")[:-1]:
        if part in LAYERS or part in BACKENDS:
            return part
    return None


def without_comments(text: str, python: bool) -> str:
    """The text with comments and, in Python, docstrings blanked; line numbers are kept."""

    def blank(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    pattern = r'"""[\s\S]*?"""|#[^\n]*' if python else r"/\*[\s\S]*?\*/|//[^\n]*"
    return re.sub(pattern, blank, text)


# Names of classes

CLASS = re.compile(
    r"^[ \t]*(?:template\s*<[^;{]*?>\s*)?(?:class|struct|enum class|enum)\s+(?:alignas\([^)]*\)\s*|CUARRAY_API\s+)*"
    r"(\w+)\s*(?:final\s*)?(?::[^:;{][^;{]*)?\{|\bconcept\s+(\w+)\s*=",
    re.MULTILINE,
)
# Enumerations inside a class, which are always written with the class's name.
NESTED = {"Kind"}


def classes_named_twice(texts: dict[str, str]) -> list[str]:
    """The names that C++ gives to more than one class or concept."""
    files = collections.defaultdict(list)
    for file, text in texts.items():
        for class_, concept in CLASS.findall(without_comments(text, python=False)):
            files[class_ or concept].append(file)
    return [
        f"{name}: {', '.join(where)}" for name, where in sorted(files.items()) if len(where) > 1 and name not in NESTED
    ]


def test_no_two_classes_share_a_name():
    """One word for one thing. The kernel text has structs of its own for metaprogramming, in lower case."""
    texts = {name_of(file): file.read_text() for file in sources("include/**/*.h", "src/**/*.h", "src/**/*.cpp")}
    assert [line for line in classes_named_twice(texts) if not line[0].islower()] == []


def test_a_class_name_that_stands_twice_is_seen():
    one, other = "struct Plan {\n    int steps;\n};\n", "namespace {\nclass Plan final : public Base {\n};\n}\n"
    assert classes_named_twice({"a.h": one, "b.cpp": other}) == ["Plan: a.h, b.cpp"]
    assert classes_named_twice({"a.h": one, "b.cpp": "struct Plan;\n// class Plan {\n"}) == []
    assert classes_named_twice({"a.h": one, "b.h": "template <class T>\nconcept Plan = true;\n"}) == ["Plan: a.h, b.h"]


# Names of one file

DECLARED = re.compile(
    r"^(?:template <.*> ?)?(?:(?:struct|class|enum|enum class|using) (?:CUARRAY_\w+ )?(\w+)\b(?!.*;$)|using (\w+) =|"
    r"(?=\w)(?!return|using|namespace)[\w:<>*&, \[\]]+?[ &*](\w+) ?(?:\(|\{|=|\[|;))"
)


def declared(text: str) -> Iterator[str]:
    """The names that unindented lines of C++ declare."""
    for line in without_comments(text, python=False).splitlines():
        if match := DECLARED.match(line):
            yield next(filter(None, match.groups()))
            yield from re.findall(r", (k[A-Z]\w*) = ", line)


def own_names(text: str) -> set[str]:
    """The file-local names of a .cpp: those in its anonymous namespaces."""
    parts = re.findall(r"^namespace \{$([\s\S]*?)^\}  // namespace$", text, re.MULTILINE)
    return {name for part in parts for name in declared(part)}


def same_alias(name: str, *texts: str) -> bool:
    """Whether all say `using name = ...` of one type, which C++ allows."""
    found = {match[0] if (match := re.search(rf"^using {name} = .*", text, re.MULTILINE)) else None for text in texts}
    return len(found) == 1 and None not in found


def shared_names(texts: dict[str, str], public: set[str]) -> Iterator[str]:
    """Names that are file-local in two of the files, or file-local in one and declared by a header.

    Functions may overload a header's: of two that fit equally well the compiler takes none.
    """
    seen: dict[str, str] = {}
    for file, text in texts.items():
        for name in sorted(own_names(text)):
            if name in public and not name.islower():
                yield f"{file} hides {name} of a header"
            elif (first := seen.setdefault(name, file)) != file and not same_alias(name, text, texts[first]):
                yield f"{file} and {first} both have a {name}"


UNITS = ["core", "codegen", "runtime", "array", "ops", "api", "host", "host/emit", "cuda", "bindings/**"]


@pytest.mark.parametrize("unit", UNITS)
def test_files_that_compile_together_share_no_names(unit):
    """A folder is a unity build (CMakeLists.txt), in which equal file-local names collide or hide one another."""
    texts = {name_of(file): file.read_text() for file in sources(f"src/{unit}/*.cpp")}
    assert len(texts) > 1
    folder = layer_of(next(iter(texts)))
    left = LAYERS[: LAYERS.index("runtime" if folder in BACKENDS else folder) + 1]
    headers = [
        file
        for file in sources("include/**/*.h", "src/**/*.h")
        if (layer := layer_of(name_of(file))) != "kernel" and layer in [*left, folder]
    ]
    public = {name for file in headers for name in declared(file.read_text())}
    assert {"DType", "kMaxDims"} & public
    assert list(shared_names(texts, public)) == []


def test_shared_names_are_found():
    first = "namespace {\n\nconstexpr int kMany = 3;\nint f(int x) {\n    return x;\n}\n\n}  // namespace\n"
    second = "namespace {\n\ntemplate <class T> T f(T x) { return x; }\nstruct Row {\n};\n\n}  // namespace\n"
    assert list(shared_names({"a": first, "b": second}, {"Row"})) == [
        "b hides Row of a header",
        "b and a both have a f",
    ]
    assert list(shared_names({"a": first}, {"kMany", "f"})) == ["a hides kMany of a header"]
    alias = "namespace {\n\nusing Row = int;\n\n}  // namespace\n"
    assert list(shared_names({"a": alias, "b": alias, "c": alias.replace("int", "long")}, set())) == [
        "c and a both have a Row"
    ]
    assert own_names(first + "\nint g() { return 1; }\n") == {"kMany", "f"}


# Includes


def wrong_includes(name: str, text: str) -> Iterator[str]:
    """The forbidden includes of the file `name`."""
    own = layer_of(name)
    for included in INCLUDE.findall(text):
        other = layer_of(included)
        if other is None or other == own or own is None:
            continue
        if other in BACKENDS:
            yield f"{name} includes {included}: backends are reached through runtime/backend.h only"
        elif own in BACKENDS:
            if LAYERS.index(other) > LAYERS.index("runtime"):
                yield f"{name} includes {included}: a backend sees nothing to the right of runtime"
        elif LAYERS.index(other) > LAYERS.index(own):
            yield f"{name} includes {included}: {other} stands to the right of {own}"


def test_includes_go_to_the_left():
    files = sources("include/**/*.h", "src/**/*.h", "src/**/*.cpp")
    assert len(files) > 40, "the sources were not found"
    wrong = [fault for file in files for fault in wrong_includes(name_of(file), file.read_text("utf-8"))]
    assert not wrong, "\n".join(wrong)


def broken_declarations(text: str) -> list[str]:
    """First lines of declarations that a blank line divides: codegen/tree_shaking.cpp reads up to blank lines."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", re.sub(r"//[^\n]*", "//", text))]
    return [
        part.splitlines()[0]
        for part in paragraphs
        if part.count("{") != part.count("}") and not re.search(r"^namespace .*\{$|^\}  ?//|^\}$", part, re.MULTILINE)
    ]


def test_kernel_declarations_have_no_blank_lines():
    wrong = {
        name_of(file): broken_declarations(file.read_text("utf-8")) for file in sources("include/cuarray/kernel/*.h")
    }
    assert not {name: lines for name, lines in wrong.items() if lines}


VOTE = re.compile(r"__(shfl|ballot|all|any|match|reduce)\w*_sync")


def conditional_votes(text: str) -> list[str]:
    """Calls that all lanes of a warp must make, where a lane may leave them out: behind `&&`, `||` or `?`."""
    statements = re.split(r"[;{}]", re.sub(r"//.*", "", text))
    return [
        " ".join(one.split())
        for one in statements
        for choice in [re.search(r"&&|\|\||\?", one)]
        if choice and VOTE.search(one, choice.end())
    ]


def test_votes_are_made_by_all_lanes():
    found = {
        path.name: conditional_votes(path.read_text("utf-8"))
        for path in sorted((ROOT / "include/cuarray/kernel").glob("*.h"))
    }
    # `open` is the result of a vote, the same in all lanes.
    found["segmented_reduce_device.h"].remove(
        "const u64 open_key = open ? __shfl_sync(all, key, __ffs(int(open)) - 1) : p.outside"
    )
    assert not any(found.values()), found


def test_a_conditional_vote_is_seen():
    assert conditional_votes("const bool fits = a >= 0 &&\n  b == __shfl_sync(all, b, 0);")
    assert not conditional_votes("const int c = __shfl_sync(all, b, 0);\nconst bool fits = a >= 0 && b == c;")


def test_broken_declaration_is_seen():
    text = "namespace cuarray {\n\nenum Flag {\n    A,  // one\n\n    B\n};\n\n}  // namespace cuarray\n"
    assert broken_declarations(text) == ["enum Flag {", "B"]
    assert not broken_declarations(text.replace("one\n", "one"))


def test_kernel_text_needs_no_standard_header():
    for file in sources("include/cuarray/kernel/*.h"):
        standard = [name for name in INCLUDE.findall(file.read_text("utf-8")) if not name.startswith("cuarray/")]
        assert not standard, f"{name_of(file)} includes {standard}: NVRTC compiles this text without headers"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/core/layout.cpp", '#include "cuarray/ops/ufunc.h"'),
        ("include/cuarray/kernel/math.h", '#include "cuarray/core/error.h"'),
        ("src/ops/ufunc.cpp", '#include "host/pool.h"'),
        ("src/host/backend.cpp", '#include "cuarray/array/array.h"'),
        ("src/host/backend.cpp", '  #  include "cuda/driver.h"'),
    ],
)
def test_wrong_include_is_seen(name, text):
    assert list(wrong_includes(name, text))


def test_right_includes_pass():
    included = ["cuarray/core/layout.h", "cuarray/ufuncs.def", "host/pool.h"]
    text = "#include <vector>\n" + "".join(f'#include "{name}"\n' for name in included)
    assert not list(wrong_includes("src/host/backend.cpp", text))


# Imports between Python modules


def imported_modules(name: str, text: str, modules: set[str]) -> Iterator[str]:
    """The modules of the package that the text imports, also inside functions; `from a import b` is a.b if there is one."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = name.split(".")
            base = (
                ".".join([*parts[: len(parts) - node.level], *filter(None, [node.module])])
                if node.level
                else node.module
            )
            inner = [f"{base}.{alias.name}" for alias in node.names]
            found = [one if one in modules else base for one in inner]
        else:
            continue
        yield from (one for one in found if one.partition(".")[0] == "cuarray")


def private_modules() -> dict[str, str]:
    """The texts of the modules in the sub-packages, by dotted name."""
    files = sources(*(f"cuarray/{package}/*.py" for package in SUBPACKAGES))
    return {name_of(file).removesuffix(".py").replace("/", "."): file.read_text("utf-8") for file in files}


def wrong_imports(texts: dict[str, str]) -> Iterator[str]:
    """The forbidden imports of private modules: the package, its public modules, and sub-packages to the right."""
    known = {*texts, "cuarray._core"}
    for name, text in texts.items():
        own = name.split(".")[1]
        for other in imported_modules(name, text, known):
            if other == "cuarray._core":
                continue
            subpackage = other.split(".")[1] if other.count(".") else ""
            if subpackage not in SUBPACKAGES:
                yield f"{name} imports {other}: import what is meant from its own module"
            elif SUBPACKAGES.index(subpackage) > SUBPACKAGES.index(own):
                yield f"{name} imports {other}: {subpackage} stands to the right of {own}"


def import_cycle(texts: dict[str, str]) -> list[str]:
    """Modules of an import cycle; none if there is no cycle."""
    graph = {name: {*imported_modules(name, text, set(texts))} & set(texts) for name, text in texts.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_python_imports_go_to_the_left():
    texts = private_modules()
    assert len(texts) > 50, "the modules were not found"
    folders = [file.parent.name for file in sources("cuarray/_*/__init__.py")]
    assert sorted(folders) == sorted(SUBPACKAGES)
    assert not [name_of(file) for file in sources("cuarray/_[a-z]*.py")], "private modules belong into a sub-package"
    wrong = list(wrong_imports(texts))
    assert not wrong, "\n".join(wrong)


def test_python_modules_import_in_no_circle():
    assert import_cycle(private_modules()) == []


@pytest.mark.parametrize(
    "text",
    [
        "import cuarray",
        "def f():\n    import cuarray as ca",
        "from cuarray import zeros",
        "from cuarray import memory",
        "from cuarray.memory import stats",
        "from cuarray._ndarray import methods",
        "from cuarray._tools.profile import profile",
        "from .. import zeros",
    ],
)
def test_wrong_import_is_seen(text):
    texts = {**dict.fromkeys(private_modules(), ""), "cuarray._functions.windows": text}
    assert len(list(wrong_imports(texts))) == 1


def test_right_imports_pass():
    text = "import numpy\nfrom cuarray import _core\nfrom cuarray._arguments import axes\nfrom cuarray._functions.creation import zeros"
    texts = {**dict.fromkeys(private_modules(), ""), "cuarray._functions.windows": text}
    assert list(wrong_imports(texts)) == [] and import_cycle(texts) == []


def test_circle_of_imports_is_seen():
    texts = private_modules()
    texts["cuarray._functions.creation"] += "\ndef later():\n    from cuarray._functions import windows\n"
    assert {"cuarray._functions.creation", "cuarray._functions.windows"} <= set(import_cycle(texts))


def test_every_module_with_public_names_is_listed():
    """cuarray/__init__.py has the only list of them."""
    public = {
        name.removeprefix("cuarray.")
        for name, text in private_modules().items()
        if re.search(r"^__all__\b", text, re.MULTILINE)
    }
    (listed,) = (
        ast.literal_eval(node.value)
        for node in ast.parse((ROOT / "cuarray/__init__.py").read_text("utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES"
    )
    assert len(listed) == len(set(listed)) and set(listed) == public


def test_what_the_bindings_look_up_is_there():
    found = [
        pair
        for file in sources("src/bindings/**/*.cpp")
        for pair in re.findall(r'\bAttribute \w+\{"(cuarray[\w.]*)", "(\w+)"\}', file.read_text("utf-8"))
    ]
    assert len(found) > 4, "the bindings' attributes were not found"
    for module, name in found:
        if module.startswith("cuarray.interop."):  # its library may be missing
            path = ROOT / module.replace(".", "/")
            text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
            assert re.search(rf"^(from [\w.]+ import .*|def )\b{name}\b", text, re.MULTILINE), (module, name)
        else:
            assert hasattr(importlib.import_module(module), name), (module, name)


# Lists of operations and dtypes

# How many different names within WINDOW lines make a list. Real code that computes with a few operations, or
# names the dtypes that it treats specially, stays below.
LIST_LENGTH = 6
WINDOW = 6

# Translations from another vocabulary into row names: each name is there because of its partner.
ALLOWED_LISTS = {
    "cuarray/_namespace/aliases.py": "NumPy's spellings",
    "cuarray/_numpy/operators.py": "Python's operators",
    "cuarray/interop/mpi/operations.py": "MPI's operations",
    "src/host/emit/emittable.cpp": "the processor's instructions",
    "src/host/emit/lowering.cpp": "the processor's instructions",
    "src/host/loops/old_glibc.h": "glibc's functions that have several versions",
}


def table_names(table: str, macro: str) -> set[str]:
    text = (ROOT / "include" / "cuarray" / table).read_text("utf-8")
    return set(re.findall(rf"^\s*(?:{macro})\s*\(\s*(\w+)", text, re.MULTILINE))


def operation_names() -> set[str]:
    names = table_names("ufuncs.def", "UFUNC|UNARY|BINARY") | table_names("reductions.def", "REDUCTION")
    # Also words of C++ and Python, of geometry and of complex numbers: not evidence of a list.
    return names - {
        "all",
        "any",
        "max",
        "min",
        "sum",
        "abs",
        "real",
        "imag",
        "round",
        "where",
        "sign",
        "positive",
    }


def dtype_names() -> set[str]:
    return table_names("dtypes.def", "DTYPE") - {"bool_", "bool"}


def lists_of(names: set[str], text: str, python: bool) -> Iterator[tuple[int, set[str]]]:
    """Line numbers and names of each place where the text lists many of the names; imports of ufuncs do not count."""
    if python:
        imports = r"^from cuarray\._arguments\.ufuncs import (?:\([^)]*\)|.*)"
        text = re.sub(imports, lambda match: "\n" * match.group().count("\n"), text, flags=re.MULTILINE)
    lines = without_comments(text, python).splitlines()
    words = [set(re.findall(r"\w+", line)) & names for line in lines]
    for start in range(len(lines)):
        found = set().union(*words[start : start + WINDOW])
        if len(found) >= LIST_LENGTH:
            yield start + 1, found


@pytest.mark.parametrize("names", [operation_names, dtype_names])
def test_tables_are_the_only_lists(names):
    known = names()
    assert len(known) > 10
    wrong = []
    for file in sources():
        if layer_of(name_of(file)) == "kernel" or name_of(file) in ALLOWED_LISTS:
            continue
        for line, found in lists_of(known, file.read_text("utf-8"), file.suffix == ".py"):
            wrong.append(f"{name_of(file)}:{line} lists {', '.join(sorted(found))}")
    assert not wrong, "\n".join(wrong)


def test_allowed_lists_are_needed():
    for name, reason in ALLOWED_LISTS.items():
        file = ROOT / name
        assert list(lists_of(operation_names(), file.read_text("utf-8"), file.suffix == ".py")), (
            name,
            reason,
        )


def test_second_list_is_seen():
    switch = "\n".join(f"case DType::{name}: return f<{name}>();" for name in sorted(dtype_names()))
    assert list(lists_of(dtype_names(), switch, python=False))
    table = "FUNCTIONS = ['add', 'subtract', 'multiply', 'divide', 'sin', 'cos', 'exp']"
    assert list(lists_of(operation_names(), table, python=True))
    assert not list(lists_of(operation_names(), "# " + table, python=True))
    assert not list(lists_of(operation_names(), "return xp.sqrt(xp.square(x) + xp.square(y))", python=True))


# Rows asked for by name

# To C++ a row is row::add or reduction::sum, and what sets it apart is a column or a flag: "arg" is the beginning of
# no name there. In the bindings some names are also words of Python, such as where=, and in api those of methods.
ROW_LITERAL = re.compile(r'"(\w+)"')
ASKS_BY_NAME = re.compile(
    r'\b(?:find_row|find_reduction|reduction_named|call)\(\s*"|\b(?:row|reduction)\w*(?:\.|->)name\b[^;]*"'
)


def rows_by_name(name: str, text: str) -> Iterator[int]:
    """Numbers of the lines that ask for a row by a string."""
    names = table_names("ufuncs.def", "UFUNC|UNARY|BINARY") | table_names("reductions.def", "REDUCTION") | {"arg"}
    for number, line in enumerate(without_comments(text, python=False).splitlines(), start=1):
        found = names.intersection(ROW_LITERAL.findall(line))
        if found and (layer_of(name) not in ("api", "bindings") or ASKS_BY_NAME.search(line)):
            yield number


def test_no_row_is_asked_for_by_name():
    files = [
        file for file in sources("include/**/*.h", "src/**/*.h", "src/**/*.cpp") if name_of(file) not in ALLOWED_LISTS
    ]
    assert len(files) > 150, "the sources were not found"
    wrong = [f"{name_of(file)}:{n}" for file in files for n in rows_by_name(name_of(file), file.read_text("utf-8"))]
    assert not wrong, "name a row as row::add, and give what it decides a column: " + ", ".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        'call("multiply", args);',
        'const RowId row = find_row("where");',
        'if (row.name == std::string_view("mean")) return;',
        'if (std::string_view(reduction.name).starts_with("arg")) return;',
        'return reduce(find_reduction("any"), array, {});',
    ],
)
@pytest.mark.parametrize("name", ["src/ops/reduction.cpp", "src/bindings/functions/ufunc.cpp"])
def test_row_asked_for_by_name_is_seen(name, line):
    assert list(rows_by_name(name, "\n" + line)) == [2]


def test_rows_may_be_words():
    assert not list(rows_by_name("src/ops/reduction.cpp", 'call(row::multiply, args);  // not "multiply"'))
    assert not list(rows_by_name("src/bindings/functions/ufunc.cpp", 'py::arg("where") = true'))


# Conditions on the device

CONDITION = re.compile(r"\b(if|elif|else|while|switch|case|and|or|not)\b|\?|&&|\|\||==|!=")
CUDA_WORD = re.compile(r"\bKind::Cuda\b|\bis_cuda\b|[\"']cuda[:\"']", re.IGNORECASE)

# Sentences, such as messages, are not conditions.
PROSE = re.compile(r'"[^"\n]* [^"\n]*"')

# Where CUDA itself is the subject.
SPEAKS_OF_CUDA = {
    "src/core/device.cpp": "the names of devices are read and written here",
    "src/bindings/protocols/cuda_array_import.cpp": "__cuda_array_interface__ is about CUDA memory",
    "cuarray/interop/mpi/library.py": "MPI says whether it takes CUDA memory",
    "cuarray/_ndarray/conversions.py": "PyTorch may be built without CUDA",
}


def cuda_conditions(text: str, python: bool) -> Iterator[int]:
    """Numbers of the lines with a condition on whether a device is CUDA."""
    text = PROSE.sub('""', without_comments(text, python))
    for number, line in enumerate(text.splitlines(), start=1):
        if CUDA_WORD.search(line) and CONDITION.search(CUDA_WORD.sub("", line)):
            yield number


def test_only_the_backend_asks_for_cuda():
    wrong = []
    for file in sources():
        name = name_of(file)
        if layer_of(name) == "cuda" or name == "src/runtime/registry.cpp" or name in SPEAKS_OF_CUDA:
            continue
        wrong += [f"{name}:{n}" for n in cuda_conditions(file.read_text("utf-8"), file.suffix == ".py")]
    assert not wrong, "conditions on cuda outside the backend: " + ", ".join(wrong)


def test_cuda_condition_is_seen():
    assert list(cuda_conditions("if (device.kind == Device::Kind::Cuda) {", python=False)) == [1]
    assert list(cuda_conditions("\nx = y if device.startswith('cuda:') else z", python=True)) == [2]
    assert not list(cuda_conditions("// if (device.kind == Device::Kind::Cuda)", python=False))
    assert not list(cuda_conditions("fail(\"say 'cpu' or 'cuda:0', not %R\");", python=False))


def test_exceptions_are_needed():
    for name in SPEAKS_OF_CUDA:
        assert list(cuda_conditions((ROOT / name).read_text("utf-8"), name.endswith(".py"))), name


# Decorators

# Work given directly to the backend of a storage would bypass its decorators.
UNDECORATED = re.compile(r"(storage\w*(\(\))?|to|from)\s*(\.|->)\s*backend\s*(\.|->|\))")


def undecorated_calls(name: str, text: str) -> Iterator[int]:
    """Numbers of the lines that bypass the decorators."""
    if layer_of(name) in ("array", "ops", "api", "bindings"):
        for number, line in enumerate(without_comments(text, python=False).splitlines(), start=1):
            if UNDECORATED.search(line) or re.search(r"\*[^;]*->backend;", line):
                yield number


def virtual_functions(file: str) -> list[str]:
    text = without_comments((ROOT / file).read_text("utf-8"), python=False)
    pattern = r"virtual\s[^;{~]*?(\w+)\(" if "backend.h" in file else r"(\w+)\([^;{]*\)\s*(?:const\s*)?override"
    return re.findall(pattern, text)


def test_work_goes_through_the_decorators():
    files = sources("include/**/*.h", "src/**/*.h", "src/**/*.cpp")
    wrong = [f"{name_of(f)}:{n}" for f in files for n in undecorated_calls(name_of(f), f.read_text("utf-8"))]
    assert not wrong, "call storage.front() instead: " + ", ".join(wrong)


def test_undecorated_call_is_seen():
    for line in ("target.storage().backend->reduce(task);", "Backend& b = *inputs[0].storage->backend;"):
        assert list(undecorated_calls("src/ops/ufunc.cpp", line)) == [1]
    assert not list(undecorated_calls("src/cuda/transfer.cpp", "to.backend->copy(to, 0, from, 0, 1);"))


def test_decorator_forwards_everything():
    names = virtual_functions("include/cuarray/runtime/backend.h")
    assert len(names) >= 12
    forwarded = virtual_functions("src/runtime/decorator.h")
    # A decorator keeps the defaults of these: an Expr for a single loop, a block and a fill for zeros, and no way around
    # tasks and reads.
    defaults = {"single_loop", "direct", "allocate_zeros"}
    assert set(names) - defaults == set(forwarded), set(names) ^ set(forwarded)


# What programs in C++ include

HEADERS_OF_FUNCTIONS = re.compile(r'#include "(cuarray/ops/\w+\.h)"')


def test_the_one_header_has_every_function():
    rows = HEADERS_OF_FUNCTIONS.findall((ROOT / "src/ops/functions.cpp").read_text("utf-8"))
    assert len(rows) > 20
    missing = set(rows) - set(HEADERS_OF_FUNCTIONS.findall((ROOT / "include/cuarray/cuarray.h").read_text("utf-8")))
    assert not missing, f"cuarray/cuarray.h does not include {', '.join(sorted(missing))}"


# Elements in the bindings

# What gives an address in the memory of an array, or hands elements to a device past the tasks.
REACHES_ELEMENTS = re.compile(
    r"\bdirect_(?:data|elements)\(|\b(?:scalar_at|read_contiguous)\(|\bdirect\(\)->|\bfront\(\)\.(?:allocate|copy|fill|read|run|write)\w*\("
)

# What calls functions of Python or of NumPy for each element.
MAKES_OBJECTS = {
    "src/bindings/types/ndarray_methods.cpp": "item, tolist and tobytes: Python's objects of elements",
    "src/bindings/protocols/numpy_arrays.cpp": "copies as NumPy's arrays",
    "src/bindings/functions/plain_values.cpp": "the numbers in lists of Python's objects",
    "src/bindings/functions/ufunc_methods.cpp": "the positions of reduceat, lent as NumPy's buffers lend them",
    "src/bindings/random/random_fills.cpp": "functions of NumPy's C library draw into an array's memory",
}


def reached_elements(text: str) -> Iterator[int]:
    """Numbers of the lines that read or write elements."""
    for number, line in enumerate(without_comments(text, python=False).splitlines(), start=1):
        if REACHES_ELEMENTS.search(line):
            yield number


def test_the_bindings_leave_elements_to_ops():
    files = sources("src/bindings/**/*.h", "src/bindings/**/*.cpp")
    assert len(files) > 60, "the bindings were not found"
    found = {name_of(file): list(reached_elements(file.read_text("utf-8"))) for file in files}
    wrong = [f"{name}:{n}" for name, lines in found.items() if name not in MAKES_OBJECTS for n in lines]
    assert not wrong, "use ops/element_access.h, or write a function of src/ops: " + ", ".join(wrong)
    assert [name for name in MAKES_OBJECTS if not found[name]] == [], "these need no exception"


@pytest.mark.parametrize(
    "line",
    [
        "const char* const data = direct_data(array);",
        "return wrap(scalar_at(data + offset, array.dtype()));",
        "storage.front().write(storage, offset, bytes, 8);",
        "read_contiguous(table, bytes.data());",
        "array.storage().front().direct()->cast(from, to, data, result, n);",
    ],
)
def test_reached_elements_are_seen(line):
    assert list(reached_elements("// direct_data(x)\n" + line)) == [2]
    assert not list(reached_elements("bool is_direct(Device device) { return backend(device).front().direct(); }"))


# Waits for a GPU


def plain_locks(text):
    """Yield the lines with a lock whose waiters keep the GIL."""
    for number, line in enumerate(without_comments(text, python=False).splitlines(), start=1):
        if re.search(r"\bstd::(\w+_)?mutex\b|\bcondition_variable", line):
            yield number


def test_locks_that_are_held_while_a_gpu_works_let_go_of_the_gil():
    files = [*sources("src/cuda/*"), ROOT / "src/runtime/registry.cpp"]
    wrong = [f"{name_of(f)}:{n}" for f in files for n in plain_locks(f.read_text("utf-8"))]
    assert not wrong, "use Mutex of runtime/mutex.h: " + ", ".join(wrong)
    assert list(plain_locks("std::mutex mutex_;\nMutex own_;\nstd::shared_mutex all;")) == [1, 3]


def test_driver_calls_that_wait_are_marked():
    text = (ROOT / "src/cuda/driver_api.h").read_text("utf-8")
    kinds = {name: kind for kind, name in re.findall(r"^\s*(ENTRY|WAITS)\((\w+),", text, re.MULTILINE)}
    waits = r"cu\w+Synchronize|cuMem(Free|FreeHost|Alloc|AllocManaged|HostAlloc)|cuModuleLoad\w*"
    assert not [name for name, kind in kinds.items() if re.fullmatch(waits, name) and kind != "WAITS"]
    assert sum(kind == "WAITS" for kind in kinds.values()) > 8


# Style that every file follows


def test_files_say_what_they_are():
    for file in sources("include/**/*.h", "src/**/*.h", "src/**/*.cpp", "include/cuarray/*.def"):
        first = file.read_text("utf-8").split("\n", 1)[0]
        assert first.startswith(f"// {file.name} -- "), f"{name_of(file)} begins with {first!r}"


def test_no_unfinished_work():
    word = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    for file in sources():
        assert not word.search(file.read_text("utf-8")), name_of(file)


def test_files_of_tests_have_different_names():
    """pytest imports them by their names alone: two of one name are an error where both are collected."""
    names = collections.Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
