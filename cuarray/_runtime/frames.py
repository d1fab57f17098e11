"""The lines of programs, as opposed to those of cuarray."""

import os
import sys
import warnings

#: The folder of cuarray, whose lines are no program's.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


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
