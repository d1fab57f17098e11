"""The real NVRTC through ctypes: from text to PTX and ptxas' resource usage. Needs no GPU."""

import ctypes
import os
import pathlib
import re
import sys
from dataclasses import dataclass


@dataclass
class Result:
    """The result of one compile. Resource usage is by entry point."""

    ptx: str
    log: str
    cubin: bytes

    def figures(self):
        """Registers, stack frame, spill stores and spill loads of each entry point."""
        found = {}
        # ptxas also reports functions that are not entry points; their frames count for their callers.
        for part in re.split(r"Compiling entry function '", self.log)[1:]:
            name = part[: part.index("'")]
            stack, stores, loads = map(
                int,
                re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups(),
            )
            registers = int(re.search(r"Used (\d+) registers", part).group(1))
            found[name] = {"registers": registers, "stack": stack, "stores": stores, "loads": loads}
        return found


class CompileError(RuntimeError):
    """NVRTC rejected the text; the message is its log."""


def find_library():
    """The NVRTC that CUARRAY_LIBNVRTC names, else the newest of the wheel nvidia-cuda-nvrtc, else None."""
    if named := os.environ.get("CUARRAY_LIBNVRTC"):
        return named
    found = [str(file) for folder in map(pathlib.Path, sys.path) for file in folder.glob("nvidia/*/lib/libnvrtc.so.*")]
    return max(found, key=lambda file: [int(part) for part in re.findall(r"\d+", file)], default=None)


class Compiler:
    """One NVRTC library. Unknown options are dropped, as in the CUDA backend."""

    def __init__(self, library, options):
        library = pathlib.Path(library)
        # Without RPATH, NVRTC finds its builtins only when they are loaded already.
        for builtins in sorted(library.parent.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.lib = ctypes.CDLL(str(library))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self.lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.version = (major.value, minor.value)
        self.options = [option for option in options if self._knows(option)]

    def _check(self, status):
        if status:
            self.lib.nvrtcGetErrorString.restype = ctypes.c_char_p
            raise RuntimeError(self.lib.nvrtcGetErrorString(status).decode())

    def _knows(self, option):
        try:
            result = self.compile('extern "C" __global__ void probe() {}', "sm_90", options=[option])
        except CompileError:
            return False
        return "error" not in result.log

    def compile(self, text, arch, options=None):
        """Compile for `arch`, such as sm_90, to a cubin; keeps its PTX and ptxas' output."""
        if options is None:
            fast = not text.startswith("// optimised\n")
            options = [option for option in self.options if fast or option != "--Ofast-compile=min"]
        options = [*options, f"--gpu-architecture={arch}", "--ptxas-options=-v"]
        program = ctypes.c_void_p()
        self._check(self.lib.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None))
        try:
            encoded = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
            status = self.lib.nvrtcCompileProgram(program, len(options), encoded)
            log = self._bytes(program, "nvrtcGetProgramLog").decode()
            if status:
                raise CompileError(log)
            ptx, cubin = (self._bytes(program, f"nvrtcGet{kind}") for kind in ("PTX", "CUBIN"))
            return Result(ptx.decode(), log, cubin)
        finally:
            self.lib.nvrtcDestroyProgram(ctypes.byref(program))

    def _bytes(self, program, function):
        size = ctypes.c_size_t()
        self._check(getattr(self.lib, function + "Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self.lib, function)(program, buffer))
        return buffer.raw if function == "nvrtcGetCUBIN" else buffer.value
