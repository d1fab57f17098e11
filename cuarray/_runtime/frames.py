"""The lines of programs, as opposed to those of cuarray."""

import functools
import os
import sys
import warnings

#: The folder of cuarray, whose lines are no program's.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

#: The same, also by its real path.
PACKAGES = (PACKAGE, os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep)

#: The folders of cuarray and of the standard library; installed packages are known by a part of their path.
LIBRARIES = (*PACKAGES, os.path.dirname(os.path.realpath(os.__file__)) + os.sep)
INSTALLED = {"site-packages", "dist-packages"}


@functools.cache
def is_of_library(file):
    """Whether a file belongs to a library, which keeps NumPy, and not to the program."""
    path = os.path.realpath(file)
    return path.startswith(LIBRARIES) or not INSTALLED.isdisjoint(path.split(os.sep))


def is_of_program(namespace):
    """Whether code with these globals belongs to the program."""
    if namespace.get("__name__") in ("__main__", "__mp_main__"):
        return True
    file = namespace.get("__file__")
    return isinstance(file, str) and not is_of_library(file)


def calling_frame():
    """Return the frame of the program: the innermost one that is outside of cuarray."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return frame


def warn_program(text, category):
    """Warn of the program's line, once for each line and text as filters say."""
    frame = calling_frame()
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__", "<string>")
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno, module, registry)
