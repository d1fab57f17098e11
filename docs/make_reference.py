"""Write docs/api: a page per public function, class and method, and a page per chapter; docs/build.sh runs it.

The pages only name the objects; their text is the docstrings. A page also lists the rows of docs/differences.md that
name the function in their first column.
"""

import importlib
import inspect
import re
import shutil
from pathlib import Path

import cuarray
from cuarray._namespace.aliases import ALIASES

DOCS = Path(__file__).resolve().parent
API = DOCS / "api"
SUBMODULES = {
    "linalg": "Linear algebra",
    "fft": "Fourier transforms",
    "random": "Random numbers",
    "emath": "Complex results of real arguments",
    "memory": "Memory of devices",
    "testing": "Comparing arrays in tests",
}


def heading(text, line="="):
    return f"{text}\n{line * len(text)}\n\n"


def differences():
    """The rows of docs/differences.md: the names in the first cell, and what the row says."""
    for row in re.findall(r"^\| (.*) \|$", (DOCS / "differences.md").read_text("utf-8"), re.MULTILINE):
        cells = row.split(" | ")
        if len(cells) == 4 and cells[-1] != "shown by":
            names = {name for code in re.findall(r"`([^`]+)`", cells[0]) for name in re.findall(r"[\w.]+", code)}
            said = zip(("NumPy", "cuarray"), cells[1:3], strict=True)
            sides = [f"*{who}*: {plain(cell)}" for who, cell in said if cell]
            yield names, "; ".join(sides), plain(cells[0])


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


ROWS = list(differences())


def page(module, name, kind, value=None):
    """Write the page of an object, and return its name for a toctree."""
    full = f"{module}.{name}"
    text = heading(full) + f".. currentmodule:: {module}\n\n"
    if value is not None and str(getattr(value, "__module__", "")).startswith("numpy"):
        text += f".. py:{kind}:: {full}\n\n   NumPy's own :obj:`{value.__module__.partition('.')[0]}.{name}`.\n"
    else:
        text += f".. auto{kind}:: {full}\n"
    aliases = sorted(theirs for theirs, ours in ALIASES.items() if ours == name and module == "cuarray")
    if aliases:
        text += "\nAlso named " + ", ".join(f"``{module}.{alias}``" for alias in aliases) + ".\n"
    inner = full.removeprefix("cuarray.")
    if kind in ("function", "method") and (rows := [row for row in ROWS if inner in row[0]]):
        text += "\n.. rubric:: Differences from NumPy\n\n"
        text += "".join(f"- {what}. {said}\n" for _, said, what in rows)
    (API / f"{full}.rst").write_text(text, "utf-8")
    return full


def kind_of(value):
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) else "data"


def members(name, owner):
    """The pages of a class's attributes and methods."""
    for member in sorted(n for n in dir(owner) if not n.startswith("_")):
        value = inspect.getattr_static(owner, member)
        if inspect.getdoc(getattr(owner, member, None)):
            kind = "method" if callable(getattr(owner, member)) or isinstance(value, classmethod) else "attribute"
            yield page(name, member, kind)


def summary(module, name):
    """The first sentence of a docstring, without the signature that may precede it."""
    folder, _, owner = module.rpartition(".")
    found = importlib.import_module(module) if owner not in ("ndarray", "ufunc", "Generator") else None
    value = getattr(found or getattr(importlib.import_module(folder), owner), name)
    paragraphs = [part for part in inspect.getdoc(value).split("\n\n") if not part.startswith(f"{name}(")]
    return starred(" ".join(paragraphs[0].split()))


def chapter(file, title, module, pages, about=""):
    """Write a chapter: a table of its pages, which link to the pages."""
    text = heading(title) + (about + "\n\n" if about else "")
    text += f".. currentmodule:: {module}\n\n.. list-table::\n   :widths: 30 70\n\n"
    for one in pages:
        name = one.removeprefix(module + ".")
        text += f"   * - :py:obj:`{name}`\n     - {summary(module, name)}\n"
    text += "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {one}\n" for one in pages)
    with (API / f"{file}.rst").open("x", encoding="utf-8") as page_file:  # an error if two chapters have one name
        page_file.write(text)
    return file


def chapters():
    written = set()
    for title in cuarray.MODULES:
        module = importlib.import_module(f"cuarray.{title}")
        names = [n for n in sorted(module.__all__) if n not in written and inspect.getdoc(getattr(cuarray, n, None))]
        names = [n for n in names if kind_of(getattr(cuarray, n)) != "data"]
        written.update(names)
        if names:
            first = re.split("[:.;]", inspect.getdoc(module).split("\n", 1)[0])[0]
            pages = [page("cuarray", n, kind_of(getattr(cuarray, n)), getattr(cuarray, n)) for n in names]
            yield chapter(title.rpartition(".")[2], first, "cuarray", pages)
    for title in dict.fromkeys(cuarray._core.chapters.values()):  # those of functions.def
        names = sorted(name for name, its in cuarray._core.chapters.items() if its == title)
        pages = [page("cuarray", name, "function") for name in names]
        yield chapter(re.sub(r"\W+", "_", title.lower()), title, "cuarray", pages)
        written.update(names)
    for title, about in SUBMODULES.items():
        module = importlib.import_module(f"cuarray.{title}")
        names = [
            n
            for n in sorted(module.__all__)
            if inspect.getdoc(getattr(module, n, None)) and kind_of(getattr(module, n)) != "data"
        ]
        pages = [page(f"cuarray.{title}", n, kind_of(getattr(module, n)), getattr(module, n)) for n in names]
        yield chapter(title, f"cuarray.{title}: {about}", f"cuarray.{title}", pages)
    yield chapter(
        "generator",
        "random.Generator",
        "cuarray.random.Generator",
        list(members("cuarray.random.Generator", cuarray.random.Generator)),
    )
    yield chapter(
        "array",
        "Methods and attributes of arrays",
        "cuarray.ndarray",
        list(members("cuarray.ndarray", cuarray.ndarray)),
    )
    yield chapter(
        "ufunc_methods",
        "Methods of elementwise functions",
        "cuarray.ufunc",
        list(members("cuarray.ufunc", cuarray.ufunc)),
    )
    rows = [n for n in cuarray._core.ufuncs if n not in written]
    yield chapter("rows", "Elementwise functions", "cuarray", [page("cuarray", n, "function") for n in rows])


def main():
    shutil.rmtree(API, ignore_errors=True)
    API.mkdir()
    names = list(chapters())
    text = heading("Reference")
    text += "Every public function, class and method by chapter. The search finds them by name and by words.\n"
    text += "`All functions on one page <../reference.html>`_ has the types of each.\n\n"
    text += ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {name}\n" for name in [names[-1], *names[:-1]])
    (API / "index.rst").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
