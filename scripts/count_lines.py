"""Print the lines of each folder's sources, and how many more they are than in another commit.

    python scripts/count_lines.py [COMMIT]      default: main's last commit, or the one before if this is it

Docstrings of Python files are counted apart: they are what help() shows and the reference is made of.
"""

import argparse
import ast
import io
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


def lines_of(commit):
    """Return the lines of each folder in a commit: Counter of (folder, kind)."""
    counts = Counter()
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
        files = {m.name: archive.extractfile(m).read().decode() for m in archive if m.isfile() and is_counted(m.name)}
    for path, text in files.items():
        documentation = docstring_lines(text) if path.endswith(".py") else 0
        counts[folder_of(path), "code"] += text.count("\n") - documentation
        counts[folder_of(path), "docstrings"] += documentation
    return counts


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
    options = parser.parse_args()
    head = resolved("HEAD")
    base = resolved(options.commit) if options.commit else base_of(head)
    if options.commit and not base:
        parser.error(f"no commit {options.commit}")
    now, then = lines_of(head), lines_of(base) if base else Counter()
    print(f"{'lines':>8} {'change':>7}   folder")
    for key in sorted(now.keys() | then.keys()):
        if now[key] or then[key]:
            change = f"{now[key] - then[key]:+d}" if base and now[key] != then[key] else ""
            print(f"{now[key]:8d} {change:>7}   {key[0]}{' (docstrings)' if key[1] == 'docstrings' else ''}")


if __name__ == "__main__":
    main()
