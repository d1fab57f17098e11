"""The entry point of `python -m cuarray`: a program, the doctor, or the cache of kernels.

`python -m cuarray script.py` runs a program that imports NumPy, `python -m cuarray --simulate script.py` one on
simulated GPUs, `python -m cuarray` is the doctor, and `python -m cuarray cache` is about the cache.
"""

import sys

from cuarray._tools import launcher

if __name__ == "__main__":
    options, is_module, program = launcher.split(sys.argv[1:])
    if "simulate" in options:
        from cuarray._tools import simulated_run

        simulated_run.main(options, is_module, program)
    elif program and program[0] != "cache":
        launcher.main(options, is_module, program)
    elif program:
        from cuarray._tools import kernel_cache

        sys.exit(kernel_cache.main(sys.argv[2:]))
    else:
        from cuarray._tools import doctor

        sys.exit(doctor.main())
