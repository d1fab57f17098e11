"""`python -m cuarray --simulate script.py`: a program whose CUDA libraries find simulated GPUs.

The program keeps NumPy, unless another option of the launcher replaces it.
"""

import os
import subprocess
import sys

from cuarray._runtime.simulation import simulator
from cuarray._tools import launcher


def number(options, name, default, kind=int):
    """Return the value of an option as a number; SystemExit if it is none."""
    text = options.get(name) or default
    try:
        return kind(text)
    except ValueError:
        raise SystemExit(f"python -m cuarray: --{name} needs a number, not {text!r}") from None


def empty(file):
    """Make an empty file: every process of the program appends its findings. SystemExit if that is not possible."""
    try:
        open(file, "w").close()
    except OSError as error:
        raise SystemExit(f"python -m cuarray: --json {file}: {error.strerror}") from None


def start(options):
    """Start the simulator as the options ask for; SystemExit if it cannot."""
    try:
        simulator().start(
            count=number(options, "simulate", 1),
            like=options.get("like", "H100"),
            memcheck="memcheck" in options,
            seed=number(options, "seed", 0),
            limit=number(options, "limit", 100),
            suppress=tuple(filter(None, options.get("suppress", "").split(","))),
            json=options.get("json", ""),
            seconds=number(options, "seconds", 60, float),
        )
    except (RuntimeError, ModuleNotFoundError) as error:
        raise SystemExit(f"python -m cuarray: {error}") from None


def run(options, is_module, program):
    """Run a program; SystemExit of 1 if something was found and the program itself has not failed."""
    replaces_numpy = not options.keys().isdisjoint(("device", "report", "check"))
    try:
        launcher.run(program, is_module, replaces_numpy)
    except SystemExit as error:
        if error.code not in (None, 0):
            simulator().end()
            raise
    except BaseException:
        simulator().end()
        raise
    if simulator().end():
        raise SystemExit(1)


def run_with_seeds(options, is_module, program):
    """Run a program in a process for each of several seeds; SystemExit of 1 if one of them fails."""
    first, count = number(options, "seed", 0), number(options, "seeds", 1)
    if count < 1:
        raise SystemExit(f"python -m cuarray: --seeds needs a positive number, not {count}")
    passed_on = [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()
                 if name not in ("seed", "seeds", "json")]  # fmt: skip
    environment = dict(os.environ)
    if options.get("json"):
        environment["CUDASIM_JSON"] = os.path.abspath(options["json"])
    failed = []
    for seed in range(first, first + count):
        command = [sys.executable, "-m", "cuarray", *passed_on, f"--seed={seed}", *["-m"] * is_module, *program]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if seed == first:
            sys.stdout.write(done.stdout)
        if done.returncode and not failed:
            sys.stderr.write(done.stderr)
        if done.returncode:
            failed.append(seed)
    if failed:
        print(
            f"cuarray: {len(failed)} of {count} seeds fail: {', '.join(map(str, failed))}; --seed {failed[0]} repeats "
            "what is shown above",
            file=sys.stderr,
        )
        raise SystemExit(1)
    print(f"cuarray: no findings with the seeds {first} to {first + count - 1}", file=sys.stderr)


def main(options, is_module, program):
    """Run a program on simulated GPUs, under options of the command line."""
    if options.get("json"):
        empty(options["json"])
    if "seeds" in options:
        run_with_seeds(options, is_module, program)
        return
    start(options)
    launcher.prepare(options)
    run(options, is_module, program)
