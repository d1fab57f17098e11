"""`python -m cuarray --simulate script.py`: a program whose CUDA libraries find simulated GPUs.

The program keeps NumPy, unless another option of the launcher replaces it.
"""

import os
import subprocess
import sys

from cuarray._runtime.simulation import simulator
from cuarray._tools import launcher


def number(name, text, kind=int):
    """Return the value of an option as a number; SystemExit if it is none."""
    try:
        return kind(text)
    except ValueError:
        raise SystemExit(f"python -m cuarray: --{name} needs a number, not {text!r}") from None


def value_of(name, text, kind):
    """Return the value of an option of the simulator."""
    if kind is bool:
        return True
    if kind is list:
        return [part for part in text.split(",") if part]
    return text if kind is str else number(name, text, kind)


def start(options):
    """Start the simulator as the options ask for; SystemExit if it cannot."""
    table = simulator().OPTIONS
    chosen = {name: value_of(name, options[name], table[name].kind) for name in table if name in options}
    simulator().start(count=number("simulate", options["simulate"] or "1"), **chosen)


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
    first, count = number("seed", options.get("seed") or "0"), number("seeds", options["seeds"])
    if count < 1:
        raise SystemExit(f"python -m cuarray: --seeds needs a positive number, not {count}")
    passed_on = [f"--{name}={value}" if value else f"--{name}" for name, value in options.items()
                 if name not in ("seed", "seeds", "json")]  # fmt: skip
    tally = simulator().Tally()
    environment = {**os.environ, "CUDASIM_TALLY": tally.setting()}
    if options.get("json"):
        environment["CUDASIM_JSON"] = simulator().emptied(options["json"])
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
    seeds = f"with the seeds {first} to {first + count - 1}"
    if "memcheck" in options:
        print(f"cuarray: no findings {seeds}{tally.not_judged()}", file=sys.stderr)
    else:
        print(f"cuarray: no failure {seeds}; accesses are judged with --memcheck", file=sys.stderr)


def main(options, is_module, program):
    """Run a program on simulated GPUs, under options of the command line."""
    try:
        if "seeds" in options:
            run_with_seeds(options, is_module, program)
            return
        start(options)
    except (RuntimeError, ModuleNotFoundError) as error:
        raise SystemExit(f"python -m cuarray: {error}") from None
    launcher.prepare(options)
    run(options, is_module, program)
