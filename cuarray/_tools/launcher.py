"""`python -m cuarray script.py`: a program whose `import numpy` gives cuarray.numpy.

The program itself and its own modules get cuarray.numpy; the standard library and what is installed in site-packages
keep NumPy. Everything else is as under `python script.py`: `sys.argv`, `sys.path`, the module `__main__`, tracebacks
and the exit status.
"""

import builtins
import os
import sys
import types
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.machinery import SourceFileLoader

from cuarray import _core
from cuarray._runtime.frames import PACKAGES, is_of_program
from cuarray._runtime.simulation import simulator

USAGE = (
    "python -m cuarray [--device D] [--report[=FILE.html]] [--check] (script.py | -m module) [arguments]\n"
    "       python -m cuarray --simulate [N] [--like GPU] [--memcheck] [--seed S | --seeds N] [--limit N]\n"
    "                         [--suppress KERNEL] [--json FILE] [--seconds S] (script.py | -m module) [arguments]"
)

#: The options, and whether a value follows; the simulator's stand behind --simulate.
OPTIONS = {"device": True, "report": False, "check": False, "simulate": False}


def options_of_simulator():
    """Return the options of the simulator, likewise; none if it is not installed, which is said when it starts."""
    try:
        table = simulator().OPTIONS
    except ModuleNotFoundError:
        return {}
    return {"seeds": True, **{name: bool(option.metavar) for name, option in table.items()}}


# Whose import it is


def choose(module, name, globals=None, locals=None, fromlist=(), level=0):
    """Return what an import statement gets for a module: cuarray.numpy where the program asks for NumPy."""
    if name.partition(".")[0] == "numpy" and not level and globals and is_of_program(globals):
        facade = import_module(f"cuarray.{module.__name__}")
        code = sys._getframe(1).f_code
        if id(code) not in seen:
            seen[id(code)] = code
            if reads_namespaces(code):
                import_module("cuarray._numpy.facade").fill(facade)
        return facade
    if name == "" and fromlist and "spawn" in fromlist and module.__name__ == "multiprocessing":
        follow_processes(module.spawn)
    return module


def reads_namespaces(code):
    """Whether code may look at all names of a module, as `vars(numpy)`, which Python asks no module for."""
    return not NAMESPACES.isdisjoint(code.co_names) or any(
        reads_namespaces(part) for part in code.co_consts if isinstance(part, types.CodeType)
    )


NAMESPACES = {"__dict__", "vars"}

#: The code that has imported NumPy, by identity.
seen: dict[int, types.CodeType] = {}

plain_import = builtins.__import__


def install():
    """Give cuarray.numpy to the imports of the program from now on."""
    from cuarray._numpy.classes import unite
    from cuarray._numpy.consumers import share_state
    from cuarray._numpy.errstate import watch_filters

    builtins.__import__ = _core.choosing_import(plain_import, "numpy", choose)
    share_state()
    watch_filters()
    unite()


def remove():
    """Undo `install`."""
    from cuarray._numpy.classes import separate
    from cuarray._numpy.consumers import leave_state
    from cuarray._numpy.errstate import leave_filters

    builtins.__import__ = plain_import
    leave_state()
    leave_filters()
    separate()


# Processes that multiprocessing starts


class ProcessName(str):
    """The name of a process, which installs the imports where it is unpickled: before the program's module runs."""

    def __reduce__(self):
        return name_of_process, (str(self),)


def name_of_process(name):
    install()
    return name


def follow_processes(spawn):
    """Have processes that are spawned begin with `install`."""
    prepare = spawn.get_preparation_data
    if getattr(prepare, "__module__", None) != __name__:

        def get_preparation_data(name):
            data = prepare(name)
            return {**data, "name": ProcessName(data["name"])}

        spawn.get_preparation_data = get_preparation_data


# Running a program


def main_module(file):
    """Make the module `__main__` of a script."""
    module = types.ModuleType("__main__")
    module.__file__ = file
    module.__builtins__ = builtins
    module.__loader__ = SourceFileLoader("__main__", file)
    module.__cached__ = None
    module.__annotations__ = {}
    sys.modules["__main__"] = module
    return module


def run_script(path):
    """Run a file, or the `__main__.py` of a folder or an archive."""
    import runpy
    from pkgutil import get_importer

    file = os.path.abspath(path)
    if type(get_importer(file)).__name__ not in ("NoneType", "FileFinder") or os.path.isdir(file):
        sys.path[0] = file
        runpy._run_module_as_main("__main__", alter_argv=False)
        return
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(file))
    try:
        with open(file, "rb") as source:
            text = source.read()
    except OSError as error:
        print(f"{sys.executable}: can't open file {file!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    module = main_module(file)
    exec(compile(text, file, "exec", dont_inherit=True), vars(module))


def run_module(name):
    """Run a module, as `python -m` does."""
    import runpy

    main_module("")
    runpy._run_module_as_main(name)


def run(arguments, is_module=False, replaces_numpy=True):
    """Run the script or module, whose own arguments follow."""
    sys.argv[:] = arguments
    if replaces_numpy:
        install()
    try:
        (run_module if is_module else run_script)(arguments[0])
    except SystemExit:
        raise
    except BaseException as error:
        show_traceback(error)
        raise  # for the exit status


def show_traceback(error):
    """Show an exception as Python does, without the frames in front of the program's; Python shows it no more."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith((*PACKAGES, "<frozen runpy")):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    sys.excepthook = lambda *_: None


# The command line


def split(arguments: Sequence[str]) -> tuple[dict[str, str], bool, list[str]]:
    """Split a command line into options of ours, whether `-m` was given, and the program with its arguments.

    Examples
    --------
    >>> from cuarray._tools.launcher import split
    >>> split(["--device", "cpu", "--report", "a.py", "--check"])
    ({'device': 'cpu', 'report': ''}, False, ['a.py', '--check'])
    >>> split(["--json"])
    ({}, False, [])
    """
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest and rest[0].startswith("--"):
        name, equals, value = rest[0][2:].partition("=")
        known = OPTIONS | options_of_simulator() if "simulate" in options else OPTIONS
        if name not in known:
            if name in options_of_simulator() and name != "json":  # that is the doctor's, too
                raise SystemExit(f"python -m cuarray: --{name} needs --simulate before it\nusage: {USAGE}")
            if not options and name in ("cmake-dir", "help", "json", "version"):
                return options, False, []  # of the doctor
            if name == "help":
                print(f"usage: {USAGE}")
                raise SystemExit(0)
            meant = get_close_matches(name, known, 1)
            hint = f"; did you mean --{meant[0]}?" if meant else ""
            raise SystemExit(f"python -m cuarray: no option --{name}{hint}\nusage: {USAGE}")
        if value and name in ("check", "memcheck"):
            raise SystemExit(f"python -m cuarray: --{name} takes no value\nusage: {USAGE}")
        del rest[0]
        if known[name] and not equals:
            if not rest:
                raise SystemExit(f"python -m cuarray: --{name} needs a value\nusage: {USAGE}")
            value = rest.pop(0)
        elif name == "simulate" and not equals and rest and rest[0].removeprefix("-").isdecimal():
            value = rest.pop(0)
        options[name] = f"{options[name]},{value}" if name == "suppress" and name in options else value
    is_module = rest[:1] == ["-m"]
    if is_module:
        del rest[0]
    if (options or is_module) and (not rest or rest[0].startswith("-")):
        raise SystemExit(f"python -m cuarray: no program is named\nusage: {USAGE}")
    return options, is_module, [] if rest and rest[0].startswith("-") else rest


def main(options, is_module, program):
    """Run a program under options of the command line."""
    prepare(options)
    run(program, is_module)


def prepare(options):
    """Set the device, and start the report or the check, that the options ask for."""
    if "device" in options:
        try:
            _core.device(options["device"])
        except ValueError as error:
            raise SystemExit(f"python -m cuarray: --{error}") from None
        os.environ["CUARRAY_DEVICE"] = options["device"]
    if "report" in options:
        from cuarray._tools.run_report import start

        start(options["report"])
    if "check" in options:
        from cuarray._tools.check import start

        start()
