"""Print the lines of each folder's sources, and how many more they are than in another commit.

    python scripts/count_lines.py [COMMIT]      default: main's last commit, or the one before if this is it
    python scripts/count_lines.py --measures [COMMIT]     a table of both commits: functions, readers, long files

Docstrings of Python files are counted apart: they are what help() shows and the reference is made of.
"""

import argparse
import ast
import io
import re
import subprocess
import tarfile
from collections import Counter
from pathlib import PurePosixPath

#: Folders that have a line each: the others count with the one above.
FOLDERS = ["cuarray", "include/cuarray", "src", "tests", "scripts", "benchmarks", "simulator", "examples", "docs"]
SPLIT = ["src", "include/cuarray", "tests"]  # a line for each folder in these
SUFFIXES = {".py", ".pyi", ".cpp", ".h", ".def", ".md", ".sh", ".cmake"}


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout


def folder_of(path):
    """Return the line of the table that counts this file, or None."""
    parts = PurePosixPath(path)
    for folder in FOLDERS:
        if parts.is_relative_to(folder):
            deeper = parts.relative_to(folder).parts
            return f"{folder}/{deeper[0]}" if folder in SPLIT and len(deeper) > 1 else folder
    return None


def is_counted(path):
    return folder_of(path) is not None and PurePosixPath(path).suffix in SUFFIXES


def docstring_lines(text):
    """Return how many lines of a Python file belong to docstrings."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    count = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            count += node.body[0].end_lineno - node.body[0].lineno + 1
    return count


def files_of(commit):
    """Return the text of each file that is counted, by its path."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
        return {m.name: archive.extractfile(m).read().decode() for m in archive if m.isfile() and is_counted(m.name)}


def lines_of(files):
    """Return the lines of each folder: Counter of (folder, kind)."""
    counts = Counter()
    for path, text in files.items():
        documentation = docstring_lines(text) if path.endswith(".py") else 0
        counts[folder_of(path), "code"] += text.count("\n") - documentation
        counts[folder_of(path), "docstrings"] += documentation
    return counts


#: The tables whose rows are functions for users of C++, and how such a row begins.
ROWS = {
    "ufuncs.def": r"(?:UFUNC|UNARY|BINARY)\(\s*(\w+),",
    "reductions.def": r"REDUCTION\((\w+),.*(?:Public|Method)\(",
    "functions.def": r'(?:FUNCTION|BUILTIN)\((\w+),|RENAMED\("(\w+)"|GENERALIZED\("[^"]*", (\w+),',
}
#: A longer file has several nouns.
LONG = 600


def measures_of(files):
    """Return what the rooms of a tree have: a dict of name to number."""
    rows = {
        name
        for table, pattern in ROWS.items()
        for found in re.finditer(rf"^{pattern}", files.get(f"include/cuarray/{table}", ""), re.MULTILINE)
        for name in found.groups()
        if name
    }
    python = {path: text for path, text in files.items() if path.startswith("cuarray/_functions/")}
    defined = {name for text in python.values() for name in re.findall(r"^def ([a-z]\w*)\(", text, re.MULTILINE)}
    bindings = [text for path, text in files.items() if path.startswith("src/bindings/")]
    sources = {path: text.count("\n") for path, text in files.items() if re.match(r"(src|include|cuarray)/", path)}
    lines = lines_of(files)
    code = {
        folder: sum(n for (name, kind), n in lines.items() if name.startswith(folder) and kind == "code")
        for folder in ("src/bindings", "src/ops", "cuarray", "tests")
    }
    return {
        "functions that are rows, for users of C++": len(rows),
        "functions with a body in Python, too": len(rows & defined),
        "types of parameters with a reader": sum(len(re.findall(r"\bstruct Reader<", text)) for text in bindings),
        **{f"lines of {folder}": n for folder, n in code.items()},
        "lines of docstrings": sum(n for (_, kind), n in lines.items() if kind == "docstrings"),
        f"sources over {LONG} lines": sum(n > LONG for n in sources.values()),
    }


def print_measures(now, then):
    print("| measure | before | after |\n|---|---|---|")
    for name, after in now.items():
        print(f"| {name} | {then[name] if then else ''} | {after} |")


def resolved(name):
    found = subprocess.run(["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"], capture_output=True)
    return found.stdout.decode().strip()


def base_of(head):
    """Return the commit to compare with, or None if the clone has no other."""
    main = resolved("origin/main") or resolved("main")
    return main if main and main != head else resolved(f"{head}~1") or None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", help="the commit to compare HEAD with")
    parser.add_argument("--measures", action="store_true", help="a table of functions, readers and long files")
    options = parser.parse_args()
    head = resolved("HEAD")
    base = resolved(options.commit) if options.commit else base_of(head)
    if options.commit and not base:
        parser.error(f"no commit {options.commit}")
    files, older = files_of(head), files_of(base) if base else {}
    if options.measures:
        return print_measures(measures_of(files), measures_of(older) if base else None)
    now, then = lines_of(files), lines_of(older)
    print(f"{'lines':>8} {'change':>7}   folder")
    for key in sorted(now.keys() | then.keys()):
        if now[key] or then[key]:
            change = f"{now[key] - then[key]:+d}" if base and now[key] != then[key] else ""
            print(f"{now[key]:8d} {change:>7}   {key[0]}{' (docstrings)' if key[1] == 'docstrings' else ''}")


if __name__ == "__main__":
    main()
