"""usage: python -m cuarray_simulator COMMAND [ARGUMENT...]

Runs COMMAND with simulated GPUs: CUARRAY_LIBCUDA and CUARRAY_LIBNVRTC name a simulated driver and a simulated NVRTC,
which execute CUDA text on the CPU, and CUARRAY_LIBCUBLAS, CUARRAY_LIBCUFFT and CUARRAY_LIBCUSOLVER simulated libraries,
which are clients of both. They are built with g++ at first use and kept under CUDASIM_CACHE_DIR. With --paths instead
of a command, prints the driver and NVRTC. `python -m cuarray --simulate` runs a Python program, and needs no settings.

  CUDASIM_SEED=n            seed of every random choice: order of streams, blocks, threads; printed if drawn
  CUDASIM_PROGRESS=mode     when queued work runs: lazy (once waited for), eager (at once), random (default)
  CUDASIM_RESIDENT=n        blocks of a grid that are resident at once (drawn, at most 6)
  CUDASIM_DEVICES=n         number of devices (2)
  CUDASIM_CC=major.minor    compute capability of all devices (9.0)
  CUDASIM_ATTRIBUTES=n=v,.. what cuDeviceGetAttribute says of the attributes of these numbers
  CUDASIM_DRIVER=n          driver version as cuDriverGetVersion gives it (13000)
  CUDASIM_NVRTC=major.minor version that nvrtcVersion gives (the driver's)
  CUDASIM_MEMORY=bytes      memory of each device (8 GiB)
  CUDASIM_TOTAL=bytes       the memory that it reports, of which the rest is as if others used it (as CUDASIM_MEMORY)
  CUDASIM_PINNED=bytes      host memory that can be pinned or managed (64 GiB)
  CUDASIM_POOLS=0           devices without memory pools
  CUDASIM_CAPTURE=mode      another thread captures a stream of its own all the time: global, thread_local, relaxed
  CUDASIM_MIG=1             devices are instances of MIG, by their names
  CUDASIM_CHECK=1           judge every access of kernels: bounds, lifetime, initialisation, races; slower
  CUDASIM_LIMIT=n           the finding that ends a kernel (1); those before it are reported, and the kernel goes on
  CUDASIM_SUPPRESS=names    kernels whose findings are not reported, joined by commas; * stands for any characters
  CUDASIM_JSON=file         gets a line of JSON for each finding
  CUDASIM_TALLY=files       get a letter for each finding (f) and each allocation too large to be judged (m), from all
                            processes; joined by colons, and not made if they do not exist
  CUDASIM_SECONDS=s         a kernel that runs longer is ended (0: never)
  CUDASIM_IDLE=ms           pending work runs by itself after this pause (200)
  CUDASIM_NAME=text         what devices are called: Simulated TEXT 0 (GPU)
  CUDASIM_RUNS=text|ptx     what kernels are made of: their CUDA text, or the PTX that the real NVRTC makes of it
  CUDASIM_APPROX=share:seed with ptx: moves the results of approximate instructions by up to this share (0 to 1) of
                            their documented error
  CUDASIM_COUNTS=folder     with ptx: counts the runs of each basic block; files KERNEL.counts (64-bit counters, which
                            the program may map), .cu and .options in the folder
  CUDASIM_LAUNCHES=off      launches are checked, but no kernel runs: for measuring what calls cost the caller
  CUDASIM_FAIL=entry:n:code the n-th call of an entry point returns this code, e.g. cuMemAllocAsync:3:2;
                            *:n:code the n-th call of all; one that stays spoils the context
  CUDASIM_INIT_ERROR=code   what cuInit returns
  CUDASIM_LOG=1             every driver call on stderr, counts at exit
  CUDASIM_REAL_NVRTC=path   the real NVRTC, asked first about every text; 0: none. Default: the wheel
                            nvidia-cuda-nvrtc, where installed
  CUDASIM_CXX=command       the compiler (g++)
  CUDASIM_CACHE_DIR=folder  built libraries and kernels (~/.cache/cuarray-cudasim)
"""

import os
import shutil
import sys
from pathlib import Path

from cuarray_simulator.build import SimulatorError, environment


def places_of(command):
    """The folders of packages of the command's environment, of the active one, and of this one."""
    program = shutil.which(command)
    prefixes = [Path(program).parent.parent] if program else []
    prefixes += [Path(os.environ[k]) for k in ("VIRTUAL_ENV",) if os.environ.get(k)] + [Path(sys.prefix)]
    return [place for prefix in prefixes for place in prefix.glob("lib/python3*/site-packages")]


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    try:
        added = environment(os.environ, places_of(arguments[0]))
    except SimulatorError as error:
        sys.exit(f"cudasim: {error}")
    if arguments[0] == "--paths":
        print(added["CUARRAY_LIBCUDA"], added["CUARRAY_LIBNVRTC"], sep="\n")
        return 0
    try:
        os.execvpe(arguments[0], arguments, {**os.environ, **added})
    except OSError as error:
        sys.exit(f"cudasim: {arguments[0]}: {error.strerror}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
