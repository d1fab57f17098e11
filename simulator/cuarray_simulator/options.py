"""The options of a run on simulated GPUs, which `python -m cuarray --simulate` and the plug-in of pytest share."""

from typing import NamedTuple

__all__ = ["OPTIONS", "Option"]


class Option(NamedTuple):
    """An argument of `start`, as an option of a command line."""

    metavar: str  # empty: a flag
    kind: type  # list: may be repeated
    help: str


OPTIONS = {
    "like": Option("GPU", str, "what the device attributes say: T4, A100, A100-80, L4, H100, H200 or B200"),
    "memcheck": Option("", bool, "judge every access of every kernel"),
    "seed": Option("S", int, "decides the order of blocks, threads and streams"),
    "limit": Option("N", int, "end a kernel with an error at the N-th finding"),
    "suppress": Option("KERNEL", list, "do not report races and uninitialised reads of these kernels"),
    "json": Option("FILE", str, "write a line of JSON for each finding"),
    "seconds": Option("S", float, "end a kernel that runs longer; 0: never"),
}
