"""Starts the simulator in this process: settings, the driver, and what other libraries have to be told."""

import ctypes
import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

from cuarray_simulator import libraries
from cuarray_simulator.build import SimulatorError, environment
from cuarray_simulator.tally import Tally

#: What the processes of this program have found; made by `start`.
tally: Tally


class Model(NamedTuple):
    """What the driver says of a GPU: clocks in kHz, the L2 cache and the memory in MiB, the bus in bits.

    `ratio` is that of single to double precision.
    """

    capability: str
    multiprocessors: int
    clock: int
    cache: int
    memory_clock: int
    bus: int
    memory: int
    ratio: int

    def attributes(self):
        """Return the attributes as CUDASIM_ATTRIBUTES names them, by CUDA's numbers."""
        values = {16: self.multiprocessors, 13: self.clock, 38: self.cache << 20, 36: self.memory_clock, 37: self.bus}
        values |= {87: self.ratio, 32: 1}  # ECC, which all of them have
        return ",".join(f"{key}={value}" for key, value in values.items())


#: GPUs that can be imitated.
MODELS = {
    "T4": Model("7.5", 40, 1_590_000, 4, 5_001_000, 256, 15360, 32),
    "A100": Model("8.0", 108, 1_410_000, 40, 1_215_000, 5120, 40960, 2),
    "A100-80": Model("8.0", 108, 1_410_000, 40, 1_593_000, 5120, 81920, 2),
    "L4": Model("8.9", 58, 2_040_000, 48, 6_251_000, 192, 23034, 64),
    "H100": Model("9.0", 132, 1_980_000, 50, 2_619_000, 5120, 81559, 2),
    "H200": Model("9.0", 132, 1_980_000, 60, 3_201_000, 6144, 143771, 2),
    "B200": Model("10.0", 148, 1_965_000, 126, 3_996_000, 8192, 183359, 2),
}


def checked(name, value, least, most):
    """Return an integer option; SimulatorError if it is none or out of range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise SimulatorError(f"simulate: {name} is an integer from {least} to {most}, not {value!r}")
    return str(value)


def seconds_of(value):
    """Return a time limit; SimulatorError if it is none."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < math.inf:
        raise SimulatorError(f"simulate: seconds is a number from 0 on, not {value!r}")
    return str(float(value))


def emptied(file):
    """Empty a file, to which every process appends its findings; return its path. SimulatorError if that fails."""
    path = os.path.abspath(file)
    # A process that has started this one has emptied it.
    if path != os.environ.get("CUDASIM_JSON"):
        try:
            open(path, "w").close()
        except OSError as error:
            raise SimulatorError(f"simulate: json {file}: {error.strerror}") from None
    return path


def settings(count=1, like="H100", memcheck=False, seed=0, limit=100, suppress=(), json="", seconds=60.0):
    """Return the options of `start` as the simulator's environment variables."""
    if like not in MODELS:
        raise SimulatorError(f"simulate: like is {', '.join(MODELS)}, not {like!r}")
    return {
        "CUDASIM_DEVICES": checked("count", count, 1, 16),
        "CUDASIM_CC": MODELS[like].capability,
        "CUDASIM_ATTRIBUTES": MODELS[like].attributes(),
        "CUDASIM_NAME": like,
        "CUDASIM_TOTAL": str(MODELS[like].memory << 20),
        "CUDASIM_CHECK": "1" if memcheck else "0",
        # Blocks of the arrays' own sizes: of rounded ones the end would not be the array's.
        **({"CUARRAY_MEMORY_CACHE": "off"} if memcheck else {}),
        "CUDASIM_SEED": checked("seed", seed, 0, 2**63 - 1),
        "CUDASIM_LIMIT": checked("limit", limit, 1, 2**31 - 1),
        "CUDASIM_SUPPRESS": suppress if isinstance(suppress, str) else ",".join(suppress),
        "CUDASIM_SECONDS": seconds_of(seconds),
        "CUDASIM_JSON": emptied(json) if json else os.environ.get("CUDASIM_JSON", ""),
        # Pending work runs by itself after a pause. Most compilations are shorter, and so change no order.
        "CUDASIM_IDLE": "3000",
        "CUDASIM_RUNS": "ptx",
        # Compilers of other libraries may be newer than the simulated NVRTC; the driver takes all PTX of CUDA 13.
        "CUDASIM_DRIVER": "13900",
        "CUDASIM_NVRTC": "13.0",
    }


def loaded_driver():
    """Return the path of the CUDA driver in this process, or ''."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = (line.split(maxsplit=5)[-1].strip() for line in maps if "libcuda.so" in line)
        return next(paths, "")


def start(**options):
    """Give the CUDA libraries that this process opens from now on, and its child processes, simulated GPUs.

    Parameters
    ----------
    count, like, memcheck, seed
        As for `cuarray.simulate`.
    limit : int
        A kernel is ended with an error at this finding of memcheck.
    suppress : str or sequence of str
        Kernels whose races and uninitialised reads are not reported, by name; '*' stands for any characters.
    json : str or path
        A file that gets a line of JSON for each finding; it is emptied first.
    seconds : float
        A kernel that runs longer is ended with an error; 0 for no limit.

    Raises
    ------
    SimulatorError
        If a driver is in use already, or if g++ or NVRTC is missing; with the command to type.
    """
    if driver := loaded_driver():
        raise SimulatorError(
            f"simulate: this process uses the CUDA driver {driver} already; call it before anything asks for a GPU, "
            "at the top of the program, or type: python -m cuarray --simulate program.py"
        )
    chosen = settings(**options)
    global tally
    tally = Tally()
    chosen["CUDASIM_TALLY"] = tally.setting()
    added = environment({**os.environ, **chosen}, sys.path)
    folder = str(Path(added["CUARRAY_LIBCUDA"]).parent)
    others = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    os.environ.update({**chosen, **added, "LD_LIBRARY_PATH": ":".join(filter(None, [folder, *others]))})
    # From here on, dlopen("libcuda.so.1") finds this one, as child processes do by LD_LIBRARY_PATH.
    ctypes.CDLL(added["CUARRAY_LIBCUDA"])
    libraries.prepare()


def findings():
    """Run the work that is still queued; return the number of findings of this process and its child processes."""
    run_queued_work()
    return tally.count("f")


def run_queued_work():
    """Run the work that is still queued; return the number of findings of this process alone."""
    return ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"]).cudasim_end()


def summary():
    """Return what all processes have found until now, in a line."""
    own = run_queued_work()
    found = tally.count("f")
    elsewhere = f", {found - own} of them in other processes" if found > own else ""
    return (
        f"cudasim: {found} finding{'s' * (found != 1)} (seed {os.environ['CUDASIM_SEED']}){elsewhere}"
        f"{tally.not_judged()}"
    )


def end():
    """Run the work that is still queued; return the number of findings.

    Prints the summary if there are any, or with memcheck, but not in a forked process, which its parent's includes.
    """
    found = findings()
    if (found or os.environ["CUDASIM_CHECK"] == "1") and os.getpid() == tally.owner:
        print(summary(), file=sys.stderr, flush=True)
    return found
