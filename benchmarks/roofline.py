"""How near to the pace of a copy kernels can come on NVIDIA's GPUs, predicted by counting instructions; needs no GPU.

    python benchmarks/roofline.py [NAME...] [--arch sm_90] [--pipes]   calls of gpu_calls.py: all, or those named
    python benchmarks/roofline.py --write                              all of them into docs/gpu_performance.md

The simulator (simulator/) runs the calls from the PTX of NVRTC and counts how often each basic block is executed.
sass.py joins these counts with the machine code of an architecture. Needs the wheels nvidia-cuda-nvrtc and
nvidia-cuda-nvdisasm.
"""

import argparse
import functools
import json
import mmap
import os
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests/nvrtc"), str(ROOT / "simulator/cuarray_simulator/ptx")]

import compiler
import gpu_calls
import sass
import translate
from gpu_calls import CALLS

DOCUMENT = ROOT / "docs/gpu_performance.md"
COUNTED = "sm_90"  # the architecture whose PTX is executed


@dataclass
class Gpu:
    """Multiprocessors, their boost clock in GHz, and memory bandwidth in GB/s, from the data sheet."""

    arch: str
    multiprocessors: int
    clock: float
    bandwidth: float


GPUS = {
    "H200": Gpu("sm_90", 132, 1.98, 4800),
    "H100": Gpu("sm_90", 132, 1.98, 3350),
    "A100": Gpu("sm_80", 108, 1.41, 2039),
    "RTX 4090": Gpu("sm_89", 128, 2.52, 1008),
    "T4": Gpu("sm_75", 40, 1.59, 320),
}
COPY = 0.9  # the pace of a copy, as a share of the data sheet's bandwidth

# Lanes per clock and multiprocessor: "Arithmetic Instructions" in the CUDA C++ Programming Guide; load and store units
# from the architectures' whitepapers; four schedulers issue one instruction of 32 lanes each.
LANES = {
    "sm_75": {"issue": 128, "fp32": 64, "alu": 64, "imad": 64, "fp64": 2, "xu": 16, "lsu": 16},
    "sm_80": {"issue": 128, "fp32": 64, "alu": 64, "imad": 64, "fp64": 32, "xu": 16, "lsu": 32},
    "sm_89": {"issue": 128, "fp32": 128, "alu": 64, "imad": 64, "fp64": 2, "xu": 16, "lsu": 16},
    "sm_90": {"issue": 128, "fp32": 128, "alu": 64, "imad": 64, "fp64": 64, "xu": 16, "lsu": 32},
}


def prediction(gpu: Gpu, slots: dict[str, float], bytes_: float) -> tuple[float, str]:
    """The share of a copy's pace for work of so many slots and bytes, at most 1, and what bounds it."""
    per_second = gpu.multiprocessors * gpu.clock * 1e9
    times = {pipe: slots.get(pipe, 0) / (lanes * per_second) for pipe, lanes in LANES[gpu.arch].items()}
    times["memory"] = memory = bytes_ / (COPY * gpu.bandwidth * 1e9)
    bound = max(times, key=lambda each: (times[each], each == "memory"))
    return memory / times[bound], bound


# On the simulator


class Counters:
    """The counters of basic blocks that the simulator keeps in files."""

    def __init__(self, folder: Path):
        self.folder = folder

    def read(self) -> dict[str, list[int]]:
        found = {}
        for path in self.folder.glob("*.counts"):
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                found[path.stem] = list(struct.unpack(f"{len(content) // 8}Q", content[:]))
        return found

    def since(self, before: dict[str, list[int]]) -> dict[str, list[int]]:
        """What was counted since, without kernels that did not run."""
        now = self.read()
        changes = {
            name: [new - old for new, old in zip(counts, before.get(name, [0] * len(counts)), strict=True)]
            for name, counts in now.items()
        }
        return {name: counts for name, counts in changes.items() if any(counts)}


def count_here(calls: list[str], folder: Path) -> dict[str, dict[str, list[int]]]:
    """Run calls in this process, which runs on the simulator; return the counts of their kernels."""
    counters, found, names = Counters(folder), {}, gpu_calls.make_names(gpu_calls.COUNTED_SIDE)
    ca = names["ca"]
    for call in calls:
        local = dict(names)
        exec(CALLS[call].setup, local)
        ca.synchronize()
        before = counters.read()
        result = eval(CALLS[call].call, local)
        ca.synchronize()
        found[call] = counters.since(before)
        del result
    return found


def count(calls: list[str], folder: Path) -> dict[str, dict[str, list[int]]]:
    """Run calls on the simulator, in another process; leaves the texts of their kernels in the folder."""
    settings = {
        "CUDASIM_RUNS": "ptx",
        "CUDASIM_COUNTS": str(folder),
        "CUDASIM_CC": f"{COUNTED[3]}.{COUNTED[4:]}",
        "CUDASIM_SEED": "1",
        "CUDASIM_CHECK": "0",
        "CUARRAY_CACHE_DIR": str(folder / "cache"),
        "CUARRAY_DEVICE": "cuda",
        "CUARRAY_FUSE": "off",  # each call launches
    }
    command = [ROOT / "tests/cudasim/run", sys.executable, __file__, "--count", *calls]
    subprocess.run(command, env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / "counts.json").read_text())


# The join with machine code


@functools.cache
def nvrtc() -> compiler.Compiler:
    return compiler.Compiler(compiler.find_library(), [])


def kernel_work(text: str, options: list[str], counts: list[int], arch: str) -> sass.Work:
    """The work of a kernel on an architecture, from the counts of its PTX for COUNTED."""
    options = [option for option in options if "-arch" not in option] + ["-lineinfo"]
    counted = nvrtc().compile(text, COUNTED, options)
    module = translate.Module(counted.ptx)
    module.translate()
    executions = sass.line_executions(module.blocks, counts)
    compiled = counted if arch == COUNTED else nvrtc().compile(text, arch, options)
    registers = max(figures["registers"] for figures in compiled.figures().values())
    return sass.Work(sass.weighted(sass.basic_blocks(sass.disassembled(compiled.cubin)), executions), registers)


def per_element(call: str, kernels: dict[str, list[int]], folder: Path, arch: str) -> sass.Work:
    """The work of a call for each of its elements."""
    total = sass.Work(Counter())
    for name, counts in kernels.items():
        options = (folder / f"{name}.options").read_text().split("\n")
        total += kernel_work((folder / f"{name}.cu").read_text(), list(filter(None, options)), counts, arch)
    elements = CALLS[call].size(gpu_calls.COUNTED_SIDE)
    return sass.Work(Counter({pipe: slots / elements for pipe, slots in total.slots.items()}), total.registers)


def measure(calls: list[str], archs: list[str]) -> dict[str, dict[str, sass.Work]]:
    """The work per element of calls on architectures."""
    with tempfile.TemporaryDirectory() as folder:
        counts = count(calls, Path(folder))
        return {
            call: {arch: per_element(call, kernels, Path(folder), arch) for arch in archs}
            for call, kernels in counts.items()
        }


# Reports


def cell(gpu: Gpu, work: dict[str, sass.Work], bytes_: float) -> str:
    if not bytes_:
        return prediction(gpu, work[gpu.arch].slots, bytes_)[1]
    share, bound = prediction(gpu, work[gpu.arch].slots, bytes_)
    return "100 %" if bound == "memory" else f"{100 * share:.0f} % {bound}"


def table(works: dict[str, dict[str, sass.Work]], gpus: dict[str, Gpu]) -> list[str]:
    """A markdown table: the counts of COUNTED, or of the only architecture; the prediction for each GPU."""
    lines = [
        f"| call | instructions | registers | bytes | {' | '.join(gpus)} |",
        f"|---|--:|--:|--:|{'---|' * len(gpus)}",
    ]
    for call, work in works.items():
        counted = work.get(COUNTED) or next(iter(work.values()))
        bytes_ = CALLS[call].bytes
        cells = [call, f"{counted.slots['issue']:.1f}", str(counted.registers), f"{bytes_:g}"]
        lines.append(f"| {' | '.join([*cells, *(cell(gpu, work, bytes_) for gpu in gpus.values())])} |")
    return lines


HEAD = """# Kernels on GPUs, predicted

**Predicted, not measured**: no GPU took part; [Measured on a GPU](measured_gpu.md) has both side by side.
`python benchmarks/roofline.py --write` makes this page.

Each call runs on a simulator (`simulator/`), from the PTX that NVIDIA's compiler makes of its kernels, and the
executions of every basic block are counted. Joined with the machine code of each architecture by source line, the
counts give *instructions* per element of all kernels of the call on sm_90; *registers* are those of its largest
kernel. *bytes* per element are those that must be read or written at least. A GPU's column is the share of a copy's
pace that the call can reach at most, and what bounds it if that is not memory: `issue` (all instructions), or the
pipe `alu` (integers, comparisons), `imad` (integer products), `fp32`, `fp64`, `xu` (conversions, special
functions), `lsu` (loads, stores, shuffles). Products of matrices have their bound alone.

Assumptions: boost clock, multiprocessors and memory bandwidth of the data sheets; a copy runs at {copy:.0f} % of
that bandwidth; a pipe takes as many lanes per clock as the CUDA C++ Programming Guide says, a memory access one for
every 4 bytes; enough warps hide all latencies; a block of machine code runs as often as the median of its lines;
lines run as often on each architecture. Not modelled: divergence, bank conflicts, partly used sectors, launches,
tails. Counts by hand differed by up to 20 %.

| GPU | architecture | multiprocessors | GHz | GB/s | data sheet |
|---|---|--:|--:|--:|---|
"""
SHEETS = {
    "H200": "https://www.nvidia.com/en-us/data-center/h200/",
    "H100": "https://www.nvidia.com/en-us/data-center/h100/",
    "A100": "https://www.nvidia.com/en-us/data-center/a100/",
    "RTX 4090": "https://www.nvidia.com/en-us/geforce/graphics-cards/40-series/rtx-4090/",
    "T4": "https://www.nvidia.com/en-us/data-center/tesla-t4/",
}


def document(works: dict[str, dict[str, sass.Work]]) -> str:
    lines = [
        f"| {name} | {gpu.arch} | {gpu.multiprocessors} | {gpu.clock} | {gpu.bandwidth} | [NVIDIA]({SHEETS[name]}) |"
        for name, gpu in GPUS.items()
    ]
    version = ".".join(map(str, nvrtc().version))
    return (
        HEAD.format(copy=100 * COPY)
        + "\n".join([*lines, "", f"Compiled by NVRTC {version}.", "", *table(works, GPUS)])
        + "\n"
    )


def documented() -> dict[str, float]:
    """The instructions per element of each call in the document."""
    rows = (line.strip("| \n").split(" | ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| "))
    return {row[0]: float(row[1]) for row in rows if row[0] in CALLS}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--arch", choices=LANES)
    parser.add_argument("--pipes", action="store_true", help="also print the slots of each pipe")
    parser.add_argument("--write", action="store_true", help=f"write {DOCUMENT.relative_to(ROOT)}")
    parser.add_argument("--count", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in CALLS]
    if unknown:
        parser.error(f"no call {unknown[0]!r}; the calls are {', '.join(CALLS)}")
    calls = options.names or list(CALLS)
    if options.count:
        folder = Path(os.environ["CUDASIM_COUNTS"])
        (folder / "counts.json").write_text(json.dumps(count_here(calls, folder)))
        return 0
    gpus = {name: gpu for name, gpu in GPUS.items() if options.arch in (None, gpu.arch)}
    works = measure(calls, sorted({gpu.arch for gpu in gpus.values()}))
    if options.write:
        DOCUMENT.write_text(document(works))
    else:
        print("\n".join(table(works, gpus)))
    if options.pipes:
        for call, work in works.items():
            for arch, each in work.items():
                print(f"{call} {arch}:", ", ".join(f"{pipe} {n:.1f}" for pipe, n in each.slots.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
