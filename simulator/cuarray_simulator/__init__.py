"""Simulated NVIDIA GPUs: a CUDA driver that runs kernels on the CPU, from the PTX of NVIDIA's own compiler.

`python -m cuarray --simulate script.py`, `cuarray.simulate()` and `pytest --cuarray-simulate` call `start`.
`python -m cuarray_simulator COMMAND` runs any program, also one that is not in Python.
"""

from cuarray_simulator.build import SimulatorError
from cuarray_simulator.options import OPTIONS
from cuarray_simulator.start import emptied, end, start
from cuarray_simulator.tally import Tally

__all__ = ["OPTIONS", "SimulatorError", "Tally", "emptied", "end", "start"]
