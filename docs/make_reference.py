"""Write docs/api: a page per public function, class and method, and a page per chapter; docs/build.sh runs it.

The names are those of the public modules' `__all__` and of their classes, the text is the docstrings.
docs/chapters.toml gives each name its chapter, and what a page says of devices. A page also lists the rows of
docs/differences.md that name the function in their first column. Modules of `cuarray.interop` are read, not
imported: they need other libraries.
"""

import ast
import importlib
import inspect
import re
import shutil
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import make_coverage
import numpy as np

import cuarray
from cuarray._namespace.aliases import ALIASES
from cuarray._namespace.missing import Absent

DOCS = Path(__file__).resolve().parent
API = DOCS / "api"
PACKAGE = Path(cuarray.__file__).parent
STUB = ast.parse((DOCS.parent / "scripts/core_stub.pyi").read_text("utf-8"))
TABLE = tomllib.loads((DOCS / "chapters.toml").read_text("utf-8"))


@dataclass
class Entry:
    """A public object: its module, its name in it, what it is, its signature and its docstring."""

    module: str
    name: str
    kind: str
    signature: str
    doc: str
    members: tuple["Entry", ...] = ()
    is_numpys: bool = False

    @property
    def full(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def inner(self) -> str:
        """The name behind `cuarray.`"""
        return self.full.removeprefix("cuarray.")

    @property
    def summary(self) -> str:
        return starred(" ".join(self.doc.split("\n\n")[0].split()))


# Text


def heading(text, line="="):
    return f"{text}\n{line * len(text)}\n\n"


def indented(text):
    return re.sub(r"^(?=.)", "   ", text, flags=re.MULTILINE)


def plain(text):
    """Inline Markdown as reStructuredText."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"`([^`]+)`", text)
    parts[::2] = [re.sub(r"([*_|\\])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"\\ ``{part.strip()}``\\ " for part in parts[1::2]]
    return "".join(parts)


def starred(text):
    """A docstring's sentence with the stars of *args escaped."""
    return re.sub(r"(?<=[(, ])\*{1,2}(?=\w)", lambda stars: "\\*" * len(stars[0]), text)


def rendered(doc):
    """A docstring of numpydoc as reStructuredText."""
    from numpydoc.docscrape_sphinx import SphinxDocString

    first, *rest = doc.split("\n")
    return str(SphinxDocString("\n".join([starred(first), *rest]), config={"show_class_members": False}))


def unsigned(name, doc):
    """The signature at the head of a docstring, or None, and the docstring without it."""
    if found := re.match(rf"{re.escape(name)}(\(.*\))[^\n]*\n\s*", doc):
        return found[1], doc[found.end() :]
    return None, doc


# Objects that are imported


def signature_of(value):
    """The signature as it is called, without types; '' where Python does not know it."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def in_stub(owner, name):
    """What the stub of the core says of a member, for those that have no docstring."""
    nodes = [node for one in STUB.body if getattr(one, "name", "") == owner for node in one.body]
    return next(ast.get_docstring(node) or "" for node in nodes if getattr(node, "name", "") == name)


def members(module, name, owner):
    """The attributes and methods of a class that are cuarray's own."""
    for member in sorted(n for n in dir(owner) if not n.startswith("_")):
        home = next(one for one in owner.__mro__ if member in vars(one))
        static = vars(home)[member]
        if not home.__module__.startswith("cuarray") or isinstance(static, Absent):
            continue
        value = getattr(owner, member)
        is_method = callable(value) or isinstance(static, classmethod)
        doc = inspect.getdoc(value) or in_stub(name, member)
        known, doc = unsigned(member, doc)
        call = re.sub(r"^\(self(, /)?(, )?", "(", known or signature_of(value)) if is_method else ""
        yield Entry(module, f"{name}.{member}", "method" if is_method else "attribute", call, doc)


def entry(module, name, value):
    """The entry of an object."""
    if is_numpys(value):
        kind = "function" if inspect.isroutine(value) else "class" if inspect.isclass(value) else "data"
        return Entry(module, name, kind, "", whose(name, value), is_numpys=True)
    known, doc = unsigned(name, inspect.getdoc(value) or "")
    if inspect.isclass(value):
        return Entry(module, name, "class", known or signature_of(value), doc, tuple(members(module, name, value)))
    if callable(value):
        return Entry(module, name, "function", known or signature_of(value), doc)
    return Entry(module, name, "data", "", doc, tuple(members(module, name, type(value))))


def is_numpys(value):
    """Whether an object is NumPy's, or a plain value."""
    home = str(getattr(value, "__module__", ""))
    return home.startswith(("numpy", "ml_dtypes")) or isinstance(value, np.generic | bool | float | str | None)


def whose(name, value):
    """What is said of another library's object, or of a plain value."""
    home = [part for part in getattr(value, "__module__", "").split(".") if part and not part.startswith("_")]
    if not home:
        return f"``{value!r}``"
    return f"{'NumPy' if home[0] == 'numpy' else home[0]}'s own :obj:`{'.'.join([*home, name])}`."


# Objects whose source is read


@cache
def source(module):
    path = PACKAGE.parent / module.replace(".", "/")
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8"))


def exported(module):
    """The public names of a module, without importing it."""
    found = [node.value for node in source(module).body if isinstance(node, ast.Assign)
             and getattr(node.targets[0], "id", "") == "__all__"]  # fmt: skip
    return ast.literal_eval(found[0]) if found else []


def definition(module, name):
    """The node that defines a name, followed through imports."""
    for node in ast.walk(source(module)):
        if isinstance(node, ast.ImportFrom) and name in {one.name for one in node.names} and "cuarray" in node.module:
            return definition(node.module, name)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    raise SystemExit(f"make_reference.py: {module} has no {name}")


def call_of(node):
    """The signature of a function's node, without types."""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    for argument in filter(None, every):
        argument.annotation = None
    return re.sub(r"^\((self|cls)(, )?", "(", f"({ast.unparse(node.args)})")


def read_entry(module, name):
    """The entry of an object, from its source."""
    node = definition(module, name)
    doc = ast.get_docstring(node) or ""
    if isinstance(node, ast.FunctionDef):
        return Entry(module, name, "function", call_of(node), doc)
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    made_by = methods.get("__init__") or methods.get("__new__")
    inner = tuple(read_member(module, f"{name}.{n}", methods[n]) for n in sorted(methods) if not n.startswith("_"))
    return Entry(module, name, "class", call_of(made_by) if made_by else "", doc, inner)


def read_member(module, name, node):
    is_attribute = "property" in map(ast.unparse, node.decorator_list)
    kind, call = ("attribute", "") if is_attribute else ("method", call_of(node))
    return Entry(module, name, kind, call, ast.get_docstring(node) or "")


# The namespace


def public_modules():
    """The names of the modules that programs import."""
    yield "cuarray"
    for folder in (PACKAGE, PACKAGE / "lib", PACKAGE / "interop"):
        found = [*folder.glob("*.py"), *(file.parent for file in folder.glob("*/__init__.py"))]
        home = ".".join(folder.relative_to(PACKAGE.parent).parts)
        yield from sorted(f"{home}.{path.stem}" for path in found if not path.stem.startswith("_"))


@cache
def entries(module):
    """The entries of a module, by name."""
    if module.startswith("cuarray.interop."):
        return {name: read_entry(module, name) for name in exported(module)}
    home = importlib.import_module(module)
    found = {name: getattr(home, name) for name in sorted(home.__all__) if module != "cuarray" or name not in ALIASES}
    return {name: entry(module, name, value) for name, value in found.items() if not isinstance(value, ModuleType)}


# Devices


EXCEPTIONS = {name: key for key, names in TABLE["exceptions"].items() for name in names.split()}
WAITS = set(TABLE["waits"]["names"].split())


def statement(one, chapter):
    """The key of what holds of an entry's devices."""
    owner, _, member = one.inner.rpartition(".")
    if one.inner in EXCEPTIONS:
        return EXCEPTIONS[one.inner]
    if owner == "random.Generator":
        return "draws" if make_coverage.is_drawn_by_gpus(member) else "drawn"
    if owner == "random.RandomState":
        return chapter["on"]
    if owner == "ndarray" and one.kind == "attribute":
        return "attribute"
    return EXCEPTIONS.get(owner, chapter["on"])


def said_of_devices(one, chapter):
    """What a page says of devices."""
    waits = one.inner in WAITS and f" {TABLE['waits']['text']}"
    return TABLE["devices"][statement(one, chapter)] + (waits or "")


def statements():
    """The key of the statement on every page with one, and whether the page says that the call waits, by name."""
    found = [(one, chapter) for chapter in TABLE["chapter"] for _, part in sections(chapter) for one in part]
    found += [(member, chapter) for one, chapter in found for member in one.members]
    return {one.full: (statement(one, chapter), one.inner in WAITS) for one, chapter in found}


# Pages


def differences():
    """The rows of docs/differences.md: the names in the first cell, and what the row says."""
    for row in re.findall(r"^\| (.*) \|$", (DOCS / "differences.md").read_text("utf-8"), re.MULTILINE):
        cells = row.split(" | ")
        if len(cells) == 4 and cells[-1] != "shown by":
            names = {name for code in re.findall(r"`([^`]+)`", cells[0]) for name in re.findall(r"[\w.]+", code)}
            said = zip(("NumPy", "cuarray"), cells[1:3], strict=True)
            sides = [f"*{who}*: {plain(cell)}" for who, cell in said if cell]
            yield names, "; ".join(sides), plain(cells[0])


ROWS = list(differences())


def directive(one, text):
    return f".. py:{one.kind}:: {one.name}{one.signature}\n   :module: {one.module}\n\n{indented(text)}\n"


def page(one, chapter):
    """Write the page of an object, and the pages of its members; return its name for a toctree."""
    text = heading(one.full) + f".. py:currentmodule:: {one.module}\n\n" + directive(one, rendered(one.doc))
    aliases = sorted(theirs for theirs, ours in ALIASES.items() if f"cuarray.{ours}" == one.full)
    if aliases:
        text += "\nAlso named " + ", ".join(f"``{one.module}.{alias}``" for alias in aliases) + ".\n"
    text += f"\n.. rubric:: Devices\n\n{plain(said_of_devices(one, chapter))}\n"
    if one.kind in ("function", "method") and (rows := [row for row in ROWS if one.inner in row[0]]):
        text += "\n.. rubric:: Differences from NumPy\n\n"
        text += "".join(f"- {what}. {said}\n" for _, said, what in rows)
    if one.members:
        text += "\n.. rubric:: Methods and attributes\n\n" + listed(one.members)
        text += tree([page(member, chapter) for member in one.members])
    (API / f"{one.full}.rst").write_text(text, "utf-8")
    return one.full


def tree(pages):
    return "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {one}\n" for one in pages)


def listed(found):
    """A table of entries, which link to their pages."""
    rows = "".join(f"   * - :py:obj:`{one.name} <{one.full}>`\n     - {one.summary}\n" for one in found)
    return f".. list-table::\n   :widths: 30 70\n\n{rows}\n" if found else ""


def section(title, found, chapter):
    """A section of a chapter and the names of its pages. NumPy's own objects stand in the section itself."""
    pages = [page(one, chapter) for one in found if not one.is_numpys]
    text = (heading(title, "-") if title else "") + listed([one for one in found if not one.is_numpys])
    numpys = [one for one in found if one.is_numpys]
    text += "".join(directive(one, f"{one.doc}\n") + "\n" for one in numpys)
    return text, pages


def module_page(module):
    """Write the page of a module that has no entries of its own, or whose names are NumPy's."""
    text = heading(module) + rendered(ast.get_docstring(source(module)))
    names = sorted(set(getattr(importlib.import_module(module), "__all__", ())) - set(cuarray.__all__)) if (
        module in whole()) else []  # fmt: skip
    if names:
        text += "\nNames: " + ", ".join(f"``{name}``" for name in names) + ".\n"
    if link := TABLE["whole"].get(module.removeprefix("cuarray.")):
        text += f"\n`NumPy's documentation <https://numpy.org/doc/stable/reference/{link}>`_ describes them.\n"
    (API / f"{module}.rst").write_text(text, "utf-8")
    return module


def whole():
    return {f"cuarray.{name}" for name in TABLE["whole"]}


def sections(chapter):
    """The titles and entries of the sections of a chapter; a name without an object is an error."""
    own = entries("cuarray")
    for title, names in {"": chapter.get("names", ""), **chapter.get("sections", {})}.items():
        if names:
            yield title, [own[name] for name in names.split()]
    for name in chapter.get("modules", "").split():
        module = f"cuarray.{name}"
        if module not in whole() and entries(module):
            about = re.split(r"[:.;](?:\s|$)", ast.get_docstring(source(module)))[0].replace("`", "")
            yield f"{module}: {about}", list(entries(module).values())


def write_chapter(chapter):
    """Write a chapter: tables of its pages, and the pages."""
    text, pages = heading(chapter["title"]), []
    for title, found in sections(chapter):
        part, more = section(title, found, chapter)
        text += f".. py:currentmodule:: {found[0].module}\n\n{part}"
        pages += more
    alone = [f"cuarray.{n}" for n in chapter.get("modules", "").split()]
    alone = [module_page(m) for m in alone if m in whole() or not entries(m)]
    text += "".join(f"- :doc:`{m}`: {rendered_summary(m)}\n" for m in alone)
    file = re.sub(r"\W+", "_", chapter["title"].lower()).strip("_")
    with (API / f"{file}.rst").open("x", encoding="utf-8") as page_file:  # an error if two chapters have one name
        page_file.write(text + tree([*pages, *alone]))
    return file


def rendered_summary(module):
    return starred(" ".join(ast.get_docstring(source(module)).split("\n\n")[0].split()))


def without_chapter():
    """The public names that no chapter has."""
    names = {n for c in TABLE["chapter"] for part in (c.get("names", ""), *c.get("sections", {}).values())
             for n in part.split()}  # fmt: skip
    modules = {f"cuarray.{n}" for c in TABLE["chapter"] for n in c.get("modules", "").split()} | {"cuarray"}
    return sorted(set(entries("cuarray")) - names) + sorted(set(public_modules()) - modules)


def main():
    if missing := without_chapter():
        raise SystemExit(f"docs/chapters.toml: in no chapter: {', '.join(missing)}")
    shutil.rmtree(API, ignore_errors=True)
    API.mkdir()
    names = [write_chapter(chapter) for chapter in TABLE["chapter"]]
    text = heading("Reference")
    text += "Every public function, class and method by chapter. The search finds them by name and by words.\n"
    text += "`All functions on one page <../reference.html>`_ has the types of each.\n\n"
    text += ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {name}\n" for name in names)
    (API / "index.rst").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
