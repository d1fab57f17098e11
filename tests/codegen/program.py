"""Builds the C++ programs of this folder against the library that `import cuarray` uses."""

import functools
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
#: Where the programs lie until the process ends.
FOLDER = tempfile.TemporaryDirectory(prefix="cuarray-codegen-")


@functools.cache
def build(name):
    """Compile NAME.cpp; return the program's path."""
    import cuarray

    root = pathlib.Path(cuarray.__file__).parent
    program = pathlib.Path(FOLDER.name) / name
    subprocess.run(
        [
            "g++",
            "-std=c++20",
            "-O1",
            "-Wall",
            "-Wextra",
            f"-I{root / 'include'}",
            f"-I{HERE.parents[1] / 'src'}",
            str(HERE / f"{name}.cpp"),
            f"-L{root}",
            "-lcuarray",
            f"-Wl,-rpath,{root}",
            "-o",
            str(program),
        ],
        check=True,
    )
    return program


def run(name, *arguments, text=None):
    """Run a program of this folder; return what it prints."""
    result = subprocess.run([str(build(name)), *arguments], input=text, capture_output=True, text=True, check=True)
    return result.stdout


def kernel_names():
    """Every kernel that the tables can generate."""
    return run("kernel_text", "--list").split()


def compile_options():
    """The compile options of kernels, without the architecture."""
    return run("kernel_text", "--options").split()


def kernel_texts(names):
    """The CUDA text of kernels, by name."""
    return split_texts(run("kernel_text", text="".join(name + "\n" for name in names)))


def task_texts():
    """The CUDA text of the kernels that move elements selected by indices or masks, by name."""
    return split_texts(run("task_text"))


def sort_texts():
    """The CUDA text of the kernels that sort, search and count by bins, by name."""
    return split_texts(run("sort_text"))


def split_texts(out):
    """The texts of a program's output, each after a line with its name and length."""
    texts, at = {}, 0
    while at < len(out):
        start = out.index("\n", at) + 1
        name, _, size = out[at:start].split()
        texts[name] = out[start : start + int(size)]
        at = start + int(size) + 1
    return texts
