"""What other libraries are told when they are imported: to hand over PTX with lines, and to use the driver alone."""

import functools
import importlib
import importlib.util
import inspect
import os
import sys
import warnings

from .warp_functions import with_driver_functions


def without_nvjitlink(pathfinder):
    """Hide nvJitLink, which makes binaries: cuda.core and Numba then give their PTX to the driver's linker."""
    load = pathfinder.load_nvidia_dynamic_lib

    @functools.wraps(load)
    def load_nvidia_dynamic_lib(name):
        if name == "nvJitLink":
            raise pathfinder.DynamicLibNotFoundError("nvJitLink makes binaries, which simulated GPUs do not run")
        return load(name)

    pathfinder.load_nvidia_dynamic_lib = load_nvidia_dynamic_lib
    warnings.filterwarnings("ignore", "cuda.bindings.nvjitlink is not available", RuntimeWarning)


def with_lines(decorators):
    """Have numba.cuda.jit note the lines of the Python text, which reports then name."""
    jit = decorators.jit
    signature = inspect.signature(jit)

    @functools.wraps(jit)
    def jit_with_lines(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        debug = given.get("debug")
        if debug is None:
            debug = decorators.config.CUDA_DEBUGINFO_DEFAULT
        return jit(*args, **kwargs) if debug or "lineinfo" in given else jit(*args, **kwargs, lineinfo=True)

    decorators.jit = jit_with_lines


def without_runtime_waits(runtime):
    """Have cuda.core wait for a device by the driver: it does so by CUDA's runtime, which is not simulated."""
    driver = importlib.import_module("cuda.bindings.driver")

    def cudaDeviceSynchronize():
        (code,) = driver.cuCtxSynchronize()
        return (runtime.cudaError_t(int(code)),)

    runtime.cudaDeviceSynchronize = cudaDeviceSynchronize


CHANGES = {
    "cuda.bindings.runtime": without_runtime_waits,
    "cuda.pathfinder": without_nvjitlink,
    "numba.cuda.decorators": with_lines,
    "warp._src.context": with_driver_functions,
}


class Finder:
    """Finds the modules of CHANGES by the other finders, and changes them when they have been imported."""

    def __init__(self):
        self.searching = set()

    def find_spec(self, name, path=None, target=None):
        if name not in CHANGES or name in self.searching:
            return None
        self.searching.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching.discard(name)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            CHANGES[name](module)

        spec.loader.exec_module = exec_module
        return spec


def prepare():
    """Change the modules that are imported, and the others when they are."""
    if os.environ.pop("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        print("cuarray: NUMBA_ENABLE_CUDASIM is ignored: Numba's own simulator would run its kernels", file=sys.stderr)
    for name, change in CHANGES.items():
        if name in sys.modules:
            change(sys.modules[name])
    sys.meta_path.insert(0, Finder())
