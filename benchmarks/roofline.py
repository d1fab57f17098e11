"""How near to the pace of a copy kernels can come on NVIDIA's GPUs, predicted by counting instructions; needs no GPU.

    python benchmarks/roofline.py [NAME...] [--arch sm_90] [--pipes]   calls of the table below: all, or those named
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
import sass
import translate

DOCUMENT = ROOT / "docs/gpu_performance.md"
COUNTED = "sm_90"  # the architecture whose PTX is executed


@dataclass
class Call:
    """A call on arrays that `setup` makes; counts are per element, and `bytes` are those of one element."""

    setup: str
    call: str
    elements: int
    bytes: float


N = 1 << 18
# name | setup | call | elements | bytes an element that must be read or written
TABLE = """
add f32 | a=ones((512,512),'f4'); b=ones((512,512),'f4') | a + b | N | 12
add f16 | a=ones((512,512),'f2'); b=ones((512,512),'f2') | a + b | N | 6
(N,M) + (M,) f32 | a=ones((512,512),'f4'); b=ones(512,'f4') | a + b | N | 8
(N,M) + (M,) f16 | a=ones((512,512),'f2'); b=ones(512,'f2') | a + b | N | 4
(N,M) + (M,1) f32 | a=ones((512,512),'f4'); b=ones((512,1),'f4') | a + b | N | 8
(N,M) + (M,1) f16 | a=ones((512,512),'f2'); b=ones((512,1),'f2') | a + b | N | 4
outer product f32 | a=ones(512,'f4') | ca.multiply.outer(a, a) | N | 4
where, row mask f32 | a=ones((512,512),'f4'); m=asarray(arange(512)%2==0) | ca.where(m, a, 0) | N | 8
x[:, :512] f32 | a=ones((512,1024),'f4') | a[:, :512].copy() | N | 8
x[:, :512] u8 | a=ones((512,1024),'u1') | a[:, :512].copy() | N | 2
flip axis 1 f32 | a=ones((512,512),'f4') | a[:, ::-1].copy() | N | 8
pad by 1 f32 | a=ones((510,510),'f4') | ca.pad(a, 1) | N | 8
concatenate axis 1 f32 | a=ones((512,256),'f4') | ca.concatenate((a, a), axis=1) | N | 8
tile f32 | a=ones(1<<14,'f4') | ca.tile(a, 16) | N | 4
(K,N,M) + (N,1) f32 | a=ones((16,128,128),'f4'); b=ones((128,1),'f4') | a + b | N | 8
(N,3) + (3,) f32 | a=ones((1<<16,3),'f4'); b=ones(3,'f4') | a + b | 3*N//4 | 8
transpose(1,0,2) f32 | a=ones((16,128,128),'f4') | a.transpose(1, 0, 2).copy() | N | 8
transpose f32 | a=ones((512,512),'f4') | a.T.copy() | N | 8
transpose f16 | a=ones((512,512),'f2') | a.T.copy() | N | 4
a + a.T f32 | a=ones((512,512),'f4') | a + a.T | N | 12
x[::2] f32 | a=ones(2*N,'f4') | a[::2].copy() | N | 12
sum f32 | a=ones(N,'f4') | a.sum() | N | 4
sum f16 | a=ones(N,'f2') | a.sum() | N | 2
sum bool | a=ones(N,'bool') | a.sum() | N | 1
any bool | a=zeros(N,'bool') | a.any() | N | 1
argmax f32 | a=floats(N) | a.argmax() | N | 4
argmax axis 0 f32 | a=floats((512,512)) | a.argmax(axis=0) | N | 4
argmax axis 1 f32 | a=floats((512,512)) | a.argmax(axis=1) | N | 4
sum rows of 8192 f32 | a=ones((32,8192),'f4') | a.sum(axis=1) | N | 4
sum rows of 64 f32 | a=ones((4096,64),'f4') | a.sum(axis=1) | N | 4.0625
sum rows of 8 f32 | a=ones((1<<15,8),'f4') | a.sum(axis=1) | N | 4.5
sum rows of 3 f32 | a=ones((1<<16,3),'f4') | a.sum(axis=1) | 3*N//4 | 5.333
sum axis 0 f32 | a=ones((512,512),'f4') | a.sum(axis=0) | N | 4
cumsum f32 | a=ones(N,'f4') | a.cumsum() | N | 8
cumsum axis 0 f32 | a=ones((512,512),'f4') | a.cumsum(axis=0) | N | 8
cumsum rows of 64 f32 | a=ones((4096,64),'f4') | a.cumsum(axis=1) | N | 8
take axis 1 f32 | a=ones((512,512),'f4'); i=asarray(arange(512)[::-1]) | ca.take(a, i, axis=1) | N | 8
x[i] = v f32 | a=ones(N,'f4'); i=asarray(arange(N)[::-1]) | a.__setitem__(i, a) | N | 16
add.at f32 | a=ones(N,'f4'); i=asarray(arange(N)[::-1]) | ca.add.at(a, i, a) | N | 20
x[mask] f32 | a=ones(N,'f4'); m=asarray(arange(N)%2==0) | a[m] | N | 7
sort f32 | a=floats(N) | ca.sort(a) | N | 36
sort rows of 512 f32 | a=floats((512,512)) | ca.sort(a, axis=1) | N | 8
percentile f32 | a=floats(N) | ca.percentile(a, 50) | N | 4
unique i64 | a=integers(N) | ca.unique(a) | N | 8
searchsorted f32 | a=ca.sort(floats(1<<16)); v=floats(N) | ca.searchsorted(a, v) | N | 12
histogram f32 | a=floats(N) | ca.histogram(a, bins=100, range=(0, 1)) | N | 4
Philox normal f32 | g=philox() | g.standard_normal(N, dtype='f4') | N | 4
Philox normal f64 | g=philox() | g.standard_normal(N) | N | 8
matmul 256 f32 | a=ones((256,256),'f4') | own_matmul(a) | 256**3 | 0
matmul 8 x 8 f32 | a=ones((256,8,8),'f4') | own_matmul(a) | 256*64 | 12
matmul 8 x 8 i64 | a=ones((256,8,8),'i8') | a @ a | 256*64 | 24
"""
CALLS = {
    name: Call(setup, call, eval(elements), float(bytes_))
    for name, setup, call, elements, bytes_ in (map(str.strip, row.split("|")) for row in TABLE.strip().splitlines())
}


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


def make_names() -> dict[str, object]:
    """What the setups and calls of the table refer to."""
    import numpy as np

    import cuarray as ca

    random = np.random.default_rng(0)

    def own_matmul(a):
        with ca.deterministic():
            return a @ a

    return {
        "ca": ca,
        "N": N,
        "arange": np.arange,
        "asarray": ca.asarray,
        "ones": ca.ones,
        "zeros": ca.zeros,
        "floats": lambda shape: ca.asarray(random.random(shape, dtype="f4")),
        "integers": lambda n: ca.asarray(random.integers(0, 1000, n)),
        "philox": lambda: ca.random.Generator(ca.random.Philox(1)),
        "own_matmul": own_matmul,
    }


def count_here(calls: list[str], folder: Path) -> dict[str, dict[str, list[int]]]:
    """Run calls in this process, which runs on the simulator; return the counts of their kernels."""
    counters, found, names = Counters(folder), {}, make_names()
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
    elements = CALLS[call].elements
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

**Predicted, not measured**: no GPU took part. `python benchmarks/roofline.py --write` makes this page.

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
