"""Write docs/coverage.md: every function, ufunc and method of NumPy, and what cuarray has of it.

    python docs/make_coverage.py

tests/test_coverage.py fails when the page, the code or a newer NumPy disagree.
"""

import inspect
import re
import types
from pathlib import Path

import numpy as np

import cuarray as ca
from cuarray._namespace.missing import ADVICE

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "coverage.md"

#: Draws that a GPU makes of a PCG64's words, by the rows of the table.
GPU_DRAWS = set(
    re.findall(r"^DRAW\((\w+)", (DOCS.parent / "include/cuarray/sequence_draws.def").read_text("utf-8"), re.MULTILINE)
)
#: Methods and functions of `random` that draw nothing.
NO_DRAWS = {
    "bit_generator", "spawn", "get_state", "set_state", "seed", "default_rng", "get_bit_generator", "set_bit_generator",
}  # fmt: skip

#: Heading, NumPy's names, ours, the prefix of the names, and who serves what we have not.
PARTS = (
    ("Functions and ufuncs", np, ca, ""),
    ("Methods and attributes of arrays", np.ndarray, ca.ndarray, "ndarray."),
    ("Methods of ufuncs", np.ufunc, ca.ufunc, "ufunc."),
    ("linalg", np.linalg, ca.linalg, "linalg."),
    ("fft", np.fft, ca.fft, "fft."),
    ("random", np.random, ca.random, "random."),
    ("Methods of random.Generator", np.random.Generator, ca.random.Generator, "random.Generator."),
    ("Methods of random.RandomState", np.random.RandomState, ca.random.RandomState, "random.RandomState."),
    ("emath", np.emath, ca.emath, "emath."),
    ("polynomial", np.polynomial, ca.polynomial, "polynomial."),
    *(
        (f"polynomial.{name}", getattr(np.polynomial, name), getattr(ca.polynomial, name), f"polynomial.{name}.")
        for name in ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e", "polyutils")
    ),
    ("lib", np.lib, ca.lib, "lib."),
    ("lib.stride_tricks", np.lib.stride_tricks, ca.lib.stride_tricks, "lib.stride_tricks."),
    ("testing", np.testing, ca.testing, "testing."),
)
#: Modules that are NumPy's own.
HOST_MODULES = ("char", "ctypeslib", "ma", "rec", "strings")

HEAD = """# Coverage of NumPy

Every function, ufunc, method and attribute of NumPy {version}, written by `python docs/make_coverage.py`; do not edit.

- **keywords**: whether a function takes NumPy's parameters under their names; those that it does not take are listed.
- **computed**: "on the device" of the arguments, or for new arrays on the current device; "by NumPy" on the host, which
  works with `import cuarray.numpy as np` and under `python -m cuarray` alone, and is counted and warned about there;
  `cuarray` itself has no such name. Random numbers are "drawn on the device" where a GPU draws arrays of them itself
  from a PCG64, that of `default_rng`; "drawn on the host" by NumPy and copied to the device, without waiting, otherwise
  ([Random numbers](guide/random.md#on-a-gpu)). A `Generator(cuarray.random.Philox(seed))` draws all of them on the
  device.
- **difference**: what [Differences from NumPy](differences.md) says, which also has rows about all functions together.

"""


def differences():
    """Yield the names in the first cell of each row of docs/differences.md, and the cell."""
    for row in re.findall(r"^\| (.*) \|$", (DOCS / "differences.md").read_text("utf-8"), re.MULTILINE):
        cells = row.split(" | ")
        if len(cells) == 4 and cells[-1] != "shown by":
            yield (
                {name for code in re.findall(r"`([^`]+)`", cells[0]) for name in re.findall(r"[\w.]+", code)},
                cells[0],
            )


def public(home):
    """Return the public names of a module or class of NumPy, without modules, types of numbers and constants."""
    names = getattr(home, "__all__", None) or dir(home)
    found = {}
    for name in sorted(set(names)):
        value = getattr(home, name, None)
        is_type = isinstance(value, type) and issubclass(value, (np.generic, Exception, np.dtype))
        is_shown = not name.startswith("_") and not is_type and not isinstance(value, types.ModuleType)
        if is_shown and (callable(value) or isinstance(home, type)):
            found[name] = value
    return found


def parameters(function):
    """Return the names of a function's parameters, or None where Python does not know them."""
    if isinstance(function, np.ufunc | ca.ufunc):
        return None
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def keywords(theirs, ours):
    """Return which of NumPy's keywords ours takes, in words."""
    if isinstance(theirs, np.ufunc):
        return "all" if isinstance(ours, ca.ufunc) else own_keywords(ours)
    wanted, taken = parameters(theirs), parameters(ours)
    if wanted is None or taken is None or isinstance(theirs, type):
        return ""
    if any(p.kind is p.VAR_KEYWORD for p in taken):
        return "all"
    in_c = not hasattr(theirs, "__code__")  # whose signatures do not say which parameters are positional only
    names = {p.name for p in taken if in_c or p.kind is not p.POSITIONAL_ONLY}
    missing = [p.name for p in wanted if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in names]
    missing = [name for name in missing if name != "self"]
    return "without " + ", ".join(f"`{name}`" for name in missing) if missing else "all"


def own_keywords(ours):
    return ", ".join(f"`{p.name}`" for p in parameters(ours) or () if p.kind is p.KEYWORD_ONLY)


def rows(home, ours, prefix, said):
    """Yield the cells of a table."""
    for name, theirs in public(home).items():
        full = prefix + name
        own = getattr(ours, name, None)
        notes = "; ".join(dict.fromkeys(said.get(full, []) if "." in full else said.get(name, [])))
        if own is None:
            advice = ADVICE.get(name, "") if home is np else ""
            yield full, "", "by NumPy", notes or advice.format(name=name)
            continue
        is_numpys = own is theirs
        yield (
            full,
            keywords(theirs, own) if callable(theirs) else "",
            "NumPy's own" if is_numpys else computed(name, home),
            notes,
        )


def computed(name, home):
    """Return where a name is computed that is cuarray's own."""
    is_of_random = home in (np.random, np.random.RandomState, np.random.Generator)
    if not is_of_random or name in NO_DRAWS or isinstance(getattr(home, name), type):
        return "on the host" if is_of_random else "on the device"
    return f"drawn on the {'device' if home is np.random.Generator and is_drawn_by_gpus(name) else 'host'}"


def is_drawn_by_gpus(method):
    """Whether a GPU draws arrays of a method of Generator; tests/test_coverage.py watches what is drawn."""
    row = {"random": "uniform", "integers": "integer"}.get(method, method.removeprefix("standard_"))
    return not GPU_DRAWS.isdisjoint({method, row, f"{row}_double", f"{row}_64"})


def escaped(text):
    return text.replace("|", "\\|").replace("\n", " ")


def page():
    """Return the page."""
    said = {}
    for names, what in differences():
        for name in names:
            said.setdefault(name.removeprefix("x.").removeprefix("np."), []).append(what)
    version = ".".join(np.__version__.split(".")[:2])
    parts, counts = [], []
    for title, home, ours, prefix in PARTS:
        cells = list(rows(home, ours, prefix, said))
        have = sum(row[2] != "by NumPy" for row in cells)
        counts.append(f"| [{title}](#{anchor(title)}) | {len(cells)} | {have} |")
        lines = [f"| `{name}` | {keys} | {where} | {escaped(notes)} |" for name, keys, where, notes in cells]
        parts.append(
            "\n".join([f"## {title}\n", "| name | keywords | computed | difference |", "|---|---|---|---|", *lines, ""])
        )
    summary = "\n".join(["| | names of NumPy | here |", "|---|---|---|", *counts, ""])
    modules = ", ".join(f"`{name}`" for name in HOST_MODULES)
    rest = "## Modules that are NumPy's own\n\n"
    rest += f"In `cuarray.numpy`, with arrays of cuarray as arguments and numeric results: {modules}.\n"
    return HEAD.format(version=version) + summary + "\n" + "\n".join(parts) + "\n" + rest


def anchor(title):
    return title.lower().replace(" ", "-").replace(".", "")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
