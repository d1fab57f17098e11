"""Machine code of kernels, weighted by how often the lines of their CUDA text are executed.

The simulator counts the executions of basic blocks of PTX, which name lines of the text; so do the basic blocks of the
machine code that nvdisasm prints. An inlined function's line goes with those of its callers, innermost first: it is
counted by call. A block of machine code is executed as often as the median of its lines.
"""

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

Lines = tuple[int, ...]
Block = list[tuple[str, Lines]]  # instructions, each with its lines

# The pipe of an instruction, by the start of its opcode; the first that fits. All others take an issue slot alone.
PIPES = [
    ("lsu", "LDG LDS LDL LDC LD LDGSTS STG STS STL ST ATOM RED SHFL"),
    ("fp64", "DADD DMUL DFMA DSETP DMNMX"),
    ("xu", "MUFU F2I F2F F2FP I2F FRND POPC FLO BREV"),
    ("fp32", "FADD FMUL FFMA HADD HMUL HFMA"),
    ("imad", "IMAD IMUL IDP"),
    ("alu", "LOP PLOP SHF SHL SHR LEA IADD VIADD ISETP FSETP HSETP FSEL SEL FMNMX HMNMX IMNMX VIMNMX PRMT MOV IABS "
            "BMSK SGXT P2R R2P I2FP I2I FCHK"),
]  # fmt: skip
OPCODES = {opcode: pipe for pipe, opcodes in PIPES for opcode in opcodes.split()}


def pipe_of(instruction: str) -> tuple[str, int]:
    """The pipe of an instruction, and how many slots of it a lane takes: one for each 4 bytes of a memory access."""
    name, *modifiers = instruction.split()[0].split(".")
    pipe = "issue"
    for end in range(len(name), 1, -1):
        if name[:end] in OPCODES:
            pipe = OPCODES[name[:end]]
            break
    words = 4 if "128" in modifiers else 2 if "64" in modifiers else 1
    return pipe, words if pipe == "lsu" else 1


def find_nvdisasm() -> str | None:
    """The nvdisasm of the wheel nvidia-cuda-nvdisasm, or of the path."""
    found = [str(file) for folder in map(Path, sys.path) for file in folder.glob("nvidia/*/bin/nvdisasm")]
    return found[0] if found else shutil.which("nvdisasm")


def disassembled(cubin: bytes) -> str:
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [find_nvdisasm(), "-c", "-gi", file.name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def basic_blocks(listing: str) -> list[Block]:
    """The basic blocks of nvdisasm's output, without NOPs and predicates."""
    blocks: list[Block] = [[]]
    lines: Lines = (0,)
    goes_on = False  # the next line of the listing is that of the caller
    for text in map(str.strip, listing.splitlines()):
        if match := re.match(r'//## File "[^"]*", line (\d+)( inlined at)?', text):
            lines, goes_on = (*(lines if goes_on else ()), int(match[1])), bool(match[2])
        elif re.match(r"[\w.$]+:$", text):
            blocks.append([])
        elif match := re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", text):
            instruction = re.sub(r"^@!?U?P\w+\s+", "", match[1])
            if not instruction.startswith("NOP"):
                blocks[-1].append((instruction, lines))
            if re.match(r"(BRA|BRX|JMP|EXIT|RET|CALL|BREAK|BSYNC)\b", instruction):
                blocks.append([])
    return [block for block in blocks if block]


def line_executions(blocks: list[Block], counts: list[int]) -> dict[Lines, float]:
    """How often lines are executed, each with its callers and alone: the mean over their PTX instructions."""
    if len(blocks) != len(counts):
        raise ValueError(f"{len(counts)} counters of {len(blocks)} basic blocks")
    executions = defaultdict(list)
    for block, count in zip(blocks, counts, strict=True):
        for _, lines in block:
            for key in {lines, lines[:1]}:
                executions[key].append(count)
    return {lines: statistics.mean(each) for lines, each in executions.items()}


@dataclass
class Work:
    """Instructions of all threads, by pipe, in slots of the pipe; `issue` counts all instructions."""

    slots: Counter[str]
    registers: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.slots + other.slots, max(self.registers, other.registers))


def weighted(blocks: list[Block], executions: dict[Lines, float]) -> Counter[str]:
    """The slots that the machine code takes in each pipe."""
    slots: Counter[str] = Counter()
    for block in blocks:
        known = [executions[lines] for _, lines in block if lines in executions]
        known = known or [executions[lines[:1]] for _, lines in block if lines[:1] in executions]
        times = statistics.median(known) if known else 0
        for instruction, _ in block:
            pipe, width = pipe_of(instruction)
            slots["issue"] += times
            if pipe != "issue":
                slots[pipe] += times * width
    return slots
