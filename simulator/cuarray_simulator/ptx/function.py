"""The translation of one PTX function: its scopes, operands and instructions."""

import re
from collections.abc import Callable
from functools import cache

from instructions import ROUNDINGS, SPECIAL, STATEMENT, Instruction, look_up
from ptx_text import Statement, Unknown, split, variable, width_of

HALVES = ("f16", "bf16")
FLOATING = ("f", "bf")
FLAGS = {"ftz", "sat", "nan", "cc"}
ROUNDED = {"round": "round", "directed": "round", "narrowing": "round", "whole": "round"}
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
COMPARE = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
ATOMICS = {
    "add": "ptx::atomic_sum(old, b, flushes)",
    "min": "old < b ? old : b",
    "max": "old > b ? old : b",
    "and": "old & b",
    "or": "old | b",
    "xor": "old ^ b",
    "exch": "b",
    "inc": "old >= b ? 0 : old + 1",
    "dec": "old == 0 || old > b ? b : old - 1",
    "cas": "old == b ? c : old",
}
#: What instructions without a row belong to, by the begin of the opcode.
NOT_SIMULATED = {
    r"(mma|wmma|wgmma|tcgen05|ldmatrix|stmatrix|movmatrix)\b": "tensor cores",
    r"(tex|tld4|txq|suld|sust|sured|suq|istypep)\b": "textures and surfaces",
    r"cp\.async\.bulk(\.prefetch)?\.tensor|tensormap": "tensor maps",
    r"cp\.reduce|multimem|cp\.async\.bulk": "reductions by bulk copies and copies to several blocks",
    r"(cluster|mapa|getctarank|barrier\.cluster)|.*\.shared::cluster": "clusters",
    r".*\.(e4m3|e5m2|e2m1|e2m3|e3m2|ue8m0)": "floats of 8 bits and fewer",
    r"(alloca|stacksave|stackrestore)\b": "arrays of a variable size",
}
#: Functions of CUDA's device library that ptx_threads.h defines.
LIBRARY = {"vprintf", "__assertfail", "malloc", "free", "cudaCGGetIntrinsicHandle", "cudaCGSynchronize"}
SPECIAL_REGISTERS = {
    "%laneid": "ptx::lane()",
    "%warpid": "ptx::thread_number() / 32",
    "%nwarpid": "64u",
    "%smid": "0u",
    "%nsmid": "1u",
    "%dynamic_smem_size": "cudasim_here.dynamic_shared_bytes",
    "%total_smem_size": "(PTX_STATIC_SHARED + cudasim_here.dynamic_shared_bytes)",
    **{f"%envreg{n}": f"ptx::env_register({n})" for n in range(32)},
    "%clock": "ptx::u32(__builtin_ia32_rdtsc())",
    "%clock64": "ptx::u64(__builtin_ia32_rdtsc())",
    "%globaltimer": "ptx::u64(__builtin_ia32_rdtsc())",
    "%lanemask_eq": "(1u << ptx::lane())",
    "%lanemask_lt": "((1u << ptx::lane()) - 1)",
    "%lanemask_le": "((2u << ptx::lane()) - 1)",
    "%lanemask_gt": "~((2u << ptx::lane()) - 1)",
    "%lanemask_ge": "~((1u << ptx::lane()) - 1)",
    "WARP_SZ": "32u",
}
INDICES = {"%tid": "thread", "%ctaid": "block", "%ntid": "block_size", "%nctaid": "grid_size"}
OPERAND = re.compile(r"0[fF](?P<f>[0-9A-Fa-f]{8})|0[dD](?P<d>[0-9A-Fa-f]{16})|(?P<i>-?(?:0[xX][0-9A-Fa-f]+|\d+))U?|"
                     r"(?P<index>%\w+)\.(?P<axis>[xyz])|(?P<inverse>!)?(?P<name>[$%]?\w[\w$%]*)(?:\+(?P<more>\d+))?")  # fmt: skip
ADDRESS = re.compile(r"\[\s*([^\]\s+]+)\s*(?:\+\s*(-?\w+))?\s*\]")
LOCATION = re.compile(r"\.loc\s+((\d+)\s+(\d+)\s+\d+)(?:.*inlined_at\s+(\d+\s+\d+\s+\d+))?")
#: A line is noted as its number + (index of its file << FILE_SHIFT), as module_abi.h says.
FILE_SHIFT, MOST_FILES = 24, 127
#: Instructions at which a thread may wait, or let others run.
WAITS = re.compile(
    r"(atom|red|fence|membar|nanosleep|shfl|vote|match|redux|elect|bar\.warp)\b|"
    r"(ld|st)\.(volatile|relaxed|acquire|release)\b"
)
GUARD = re.compile(r"@(!?)([$%]?\w+)\s+")
#: The assembler also takes an atomic's order behind what it does.
LATE_ORDER = re.compile(r"^(atom|red)\.([a-z]+)\.((?:relaxed|acquire|release|acq_rel)(?:\.(?:cta|gpu|sys))?)(?=\.)")
OPCODE = re.compile(r"([a-z][\w.:]*)\s*(.*)", re.S)


@cache
def cpp_name(name: str) -> str:
    return re.sub(r"\W", "_", name)


def symbol_of(function: str) -> str:
    """The C++ name of a function."""
    return f"f_{cpp_name(function)}"


class Function:
    """A function in translation: C++ lines in `out`."""

    def __init__(self, module, symbol: str, places: dict[str, str], is_device_function: bool):
        self.module, self.symbol, self.is_device_function = module, symbol, is_device_function
        self.out = ["bool carry = false; (void)carry;"]
        #: The places of variables and the names of registers, innermost scope last.
        self.scopes: list[dict[str, str]] = [places]
        self.registers: list[set[str]] = [set()]
        #: The line of the CUDA text (of -lineinfo), or else of the PTX.
        self.line, self.has_lines = 0, False
        #: Lines from the innermost inlined function outwards, of now and of each location so far.
        self.lines: tuple[int, ...] = (0,)
        self.lines_at: dict[str, tuple[int, ...]] = {}
        #: The same with their files, as reports name them.
        self.words_at: dict[str, tuple[int, ...]] = {}
        #: The labels so far: a branch to one of them closes a loop.
        self.labels: set[str] = set()
        #: Of each block around the statement: its place in `out`, and its own labels, which others may repeat.
        self.inner_labels: list[tuple[int, list[str]]] = []
        #: The last label, which names the table behind it, and the labels of each table so far.
        self.last_label, self.tables = "", {}
        #: The thread's own arrays: their places and sizes.
        self.own: list[tuple[str, int]] = []
        #: The variables and functions outside of it that it names.
        self.named: set[str] = set()
        #: The basic block that the next instruction belongs to, or None before its first one.
        self.block: list[tuple[str, tuple[int, ...]]] | None = None
        #: All instructions, and the atomic exchanges among the lines in `out` with their results.
        self.texts: list[str] = []
        self.exchanges: list[tuple[int, str]] = []

    def count(self, instruction: str) -> None:
        """Note an instruction of the current basic block; the first one has the block counted."""
        if self.block is None:
            self.block = []
            self.out.append(f"PTX_COUNT({len(self.module.blocks)});")
            self.module.blocks.append(self.block)
        self.block.append((instruction, self.lines))
        if instruction.startswith(("bra", "brx", "ret", "exit")):
            self.block = None

    def add(self, statement: Statement) -> None:
        """Translate one statement."""
        text = statement.text
        if not self.has_lines:
            self.line, self.lines = statement.line, (statement.line,)
        if text == "{":
            self.scopes.append({})
            self.registers.append(set())
            self.inner_labels.append((len(self.out), []))
            self.out.append("{")
        elif text == "}":
            self.scopes.pop()
            self.registers.pop()
            if self.inner_labels and (labels := self.inner_labels[-1][1]):
                self.out[self.inner_labels[-1][0]] = f"{{ __label__ {', '.join(labels)};"
            self.inner_labels = self.inner_labels[:-1]
            self.out.append("}")
        elif text.endswith(":"):
            self.out.append(f"{self.label(text[:-1])}:;")
            self.labels.add(text[:-1])
            if self.inner_labels:
                self.inner_labels[-1][1].append(self.label(text[:-1]))
            self.last_label = text[:-1]
            self.block = None
        elif match := LOCATION.match(text):
            word = self.module.line_word(int(match[2]), int(match[3]))
            # A report names what the program calls of a library by the place of the call.
            words = self.words_at[match[1]] = (
                *(() if self.module.is_of_library(int(match[2])) else (word,)),
                *self.words_at.get(match[4], ()),
            )
            self.line, self.has_lines = (words[0] if words else word) or self.line, True
            self.lines = self.lines_at[match[1]] = (int(match[3]), *self.lines_at.get(match[4], ()))
        elif text.startswith("."):
            self.declare(text)
        elif text:
            self.count(GUARD.sub("", text))
            self.texts.append(text)
            self.out.append(self.instruction(text))

    def finish(self) -> list[str]:
        """The C++ lines. An exchange of which the result is used reads its memory, too."""
        for at, result in self.exchanges:
            name = re.compile(rf"(?<![\w$%.]){re.escape(result)}(?![\w$])")
            if sum(len(name.findall(text)) for text in self.texts) > 1:
                self.out[at] = self.out[at].replace("ptx::kWrite", "ptx::kUpdate")
        return self.out

    def declare(self, text: str) -> None:
        kind, rest = re.match(r"\.(\w+)\s*(.*)", text, re.S).groups()
        if kind == "reg":
            type_, names = re.match(r"\.(\w+)\s+(.*)", rest, re.S).groups()
            for name in split(names):
                several = re.fullmatch(r"(%?\w+)<(\d+)>", name)
                for each in [f"{several[1]}{i}" for i in range(int(several[2]))] if several else [name]:
                    self.registers[-1].add(each)
                    self.out.append(f"PTX_REGISTER(ptx::{type_}, {self.register(each)});")
        elif kind in ("param", "local"):
            v = variable(rest)
            self.out.append(f"PTX_LOCAL({v.alignment}, p_{cpp_name(v.name)}, {v.bytes});")
            self.scopes[-1][v.name] = f"ptx::u64(p_{cpp_name(v.name)})"
            if kind == "local":
                self.own.append((self.scopes[-1][v.name], v.bytes))
        elif kind == "shared":
            self.module.shared_variable(rest, False)
        elif kind == "branchtargets":
            self.tables[self.last_label] = split(rest)
        elif kind not in ("pragma", "callprototype", "calltargets"):
            raise Unknown(f"declaration {text[:80]}")

    # Operands

    def register(self, name: str) -> str:
        return "r_" + cpp_name(name.lstrip("%"))

    def label(self, name: str) -> str:
        return f"L_{cpp_name(name)}"

    def place(self, name: str) -> str | None:
        """The address of a variable, or None."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.module.places:
            self.named.add(name)
        return self.module.places.get(name)

    def value(self, text: str) -> str:
        """C++ for an operand, of the type that it has."""
        match = OPERAND.fullmatch(text)
        if not match:
            raise Unknown(f"operand {text}")
        if match["f"]:
            return f"__builtin_bit_cast(float, 0x{match['f']}u)"
        if match["d"]:
            return f"__builtin_bit_cast(double, 0x{match['d']}ull)"
        if match["i"]:
            return f"ptx::s64({match['i']}{'ll' if match['i'].startswith('-') else 'ull'})"
        if match["index"] in INDICES:
            return f"cudasim_here.{INDICES[match['index']]}.{match['axis']}"
        name = match["name"]
        if name is None:
            raise Unknown(f"operand {text}")
        if any(name in scope for scope in self.registers):
            return ("!" if match["inverse"] else "") + self.register(name)
        if name in SPECIAL_REGISTERS:
            return SPECIAL_REGISTERS[name]
        if (place := self.place(name)) is not None:
            return f"({place} + {match['more'] or 0})"
        if name.startswith(("%cluster", "%ncluster", "%is_explicit_cluster")):
            raise Unknown(f"register {name}: clusters are not simulated")
        if name in self.module.functions:
            self.named.add(name)
            return f"ptx::u64(&{symbol_of(name)})"
        if name in self.module.kernels or re.search(rf"\.entry\s+{re.escape(name)}\b", self.module.ptx):
            raise Unknown(f"the address of kernel {name}: dynamic parallelism is not simulated")
        raise Unknown(f"operand {text}")

    def operand(self, text: str, type_: str) -> str:
        """C++ for an operand read as a type."""
        if type_ == "pred":
            return f"({text} != 0)" if text.lstrip("-").isdigit() else self.value(text)
        return f"ptx::as<ptx::{type_}>({self.value(text)})"

    def address(self, text: str, space: str) -> str:
        """C++ for the generic address of `[base+offset]`."""
        match = ADDRESS.fullmatch(text)
        if not match:
            raise Unknown(f"address {text}")
        value = self.operand(match[1], "u64")
        if match[2]:
            value += f" + ptx::s64({match[2]}ll)"
        if space.startswith(".shared"):
            return f"ptx::shared_to_generic({value})"
        return f"ptx::reach({value})" if space in ("", ".global") else value

    def assign(self, register: str, value: str) -> str:
        return "" if register == "_" else f"SET({self.register(register)}, ({value}));"

    # Instructions

    def instruction(self, text: str) -> str:
        guard = ""
        if match := GUARD.match(text):
            guard, text = f"if ({match[1]}{self.register(match[2])}) ", text[match.end() :]
        match = OPCODE.fullmatch(text)
        if not match:
            raise Unknown(f"statement {text[:80]}")
        opcode, operands = LATE_ORDER.sub(r"\1.\3.\2", match[1]), split(match[2])
        found = look_up(opcode)
        if not found:
            what = next((what for begin, what in NOT_SIMULATED.items() if re.match(begin, opcode)), "")
            raise Unknown(f"instruction {opcode}{what and f': {what} are not simulated'}")
        try:
            here = f"PTX_HERE({self.line}); " if WAITS.match(opcode) else ""
            return guard + "{ " + here + self.meaning(found, opcode, operands) + " }"
        except (IndexError, KeyError, ValueError) as error:
            raise Unknown(f"operands of {text[:80]}") from error

    def meaning(self, found: Instruction, opcode: str, operands: list[str]) -> str:
        """C++ for an instruction."""
        types, meaning = found.row.types, found.row.meaning
        if types == SPECIAL:
            special: Callable[[str, dict[str, str], list[str]], str] = getattr(self, meaning)
            return special(opcode, found.chosen, operands)
        if types == STATEMENT:
            wanted = max((int(n) + 1 for n in re.findall(r"\{(\d)\}", meaning)), default=0)
            if len(operands) != wanted:
                raise ValueError
            values = [self.value(o) if i or "SET" not in meaning else self.register(o) for i, o in enumerate(operands)]
            return meaning.format(*values, line=self.line)
        names = types.split()
        if len(operands) != len(names) + 1:
            raise ValueError
        own = found.chosen.get(names[0], names[0]) if names else ""
        words = self.words(found, own)
        for letter, name, operand in zip("abce", names, operands[1:], strict=False):
            type_ = WIDER[own] if name == "W" else found.chosen.get(name, name)
            words[letter] = self.operand(operand, type_)
        return self.assign(operands[0], meaning.format(**words))

    def words(self, found: Instruction, own: str) -> dict[str, str]:
        """The chosen words and the types of an instruction as C++."""
        words = {ROUNDED.get(key, key): self.word(key, word) for key, word in found.chosen.items()}
        words |= {"T": f"ptx::{own}", "W": f"ptx::{WIDER.get(own, own)}", "U": f"ptx::{own.replace('s', 'u')}"}
        return words

    def pairs(self, opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        """An operation on both halves of 32 bits, as the one on 16 bits does it."""
        single = look_up(opcode.replace("16x2", "16"))
        half = "bf16" if "bf16" in opcode else "f16"
        if len(operands) != len(single.row.types.split()) + 1:
            raise ValueError
        code = "".join(
            f"ptx::u32 {letter} = {self.operand(o, 'u32')}; " for letter, o in zip("abc", operands[1:], strict=False)
        )
        halves = []
        for shift in (0, 16):
            read = {letter: f"ptx::as<ptx::{half}>(ptx::u16({letter} >> {shift}))" for letter in "abc"}
            value = single.row.meaning.format(**self.words(single, half), **read)
            halves.append(f"ptx::u32(ptx::as<ptx::u16>({value})) << {shift}")
        return code + self.assign(operands[0], " | ".join(halves))

    def pair_of_floats(self, opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        """The conversion of two numbers, of which the first goes to the upper half."""
        target, high, low = operands
        half = "bf16" if "bf16" in opcode else "f16"
        upper, lower = (
            f"ptx::u32(ptx::as<ptx::u16>(ptx::to_half<ptx::{half}>({self.operand(o, 'f32')})))" for o in (high, low)
        )
        return self.assign(target, f"{upper} << 16 | {lower}")

    def pair_of_tiny(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """Conversions to and from two floats of 8 bits, of which the first of two numbers goes to the upper one."""
        target, *sources = operands
        format_, relu = f"ptx::{chosen['tiny'].removesuffix('x2').capitalize()}", str(bool(chosen["relu"])).lower()
        if opcode.endswith(".f32"):
            high, low = (self.operand(o, "f32") for o in sources)
            return self.assign(target, f"ptx::u16(ptx::pair_of_tiny<{format_}>({high}, {low}, {relu}))")
        (source,) = sources
        if not opcode.endswith(".f16x2"):
            return self.assign(target, f"ptx::halves_of_tiny<{format_}>({self.operand(source, 'u16')}, {relu})")
        high, low = (f"ptx::from_half(ptx::as<ptx::f16>(ptx::u16(pair >> {shift})))" for shift in (16, 0))
        code = f"ptx::u32 pair = {self.operand(source, 'u32')}; "
        return code + self.assign(target, f"ptx::u16(ptx::pair_of_tiny<{format_}>({high}, {low}, {relu}))")

    def compare_pairs(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """Comparisons of both halves; each gives 1 or 0, of the format or as a mask."""
        target, *sources = operands
        half = "bf16" if "bf16" in opcode else "f16"
        a, b = (self.operand(o, "u32") for o in sources)
        order, is_unordered = chosen["order_f"], False
        if order in ("num", "nan"):
            raise ValueError
        if order not in COMPARE and order != "ne":
            order, is_unordered = order[:-1], True
        one = {"f16": "0x3C00u", "bf16": "0x3F80u"}[half] if "16x2" in opcode.split(".")[-2] else "0xFFFFu"
        code = f"ptx::u32 a = {a}, b = {b}, found = 0; "
        for shift in (0, 16):
            x, y = (f"ptx::half_in<false>(ptx::as<ptx::{half}>(ptx::u16({w} >> {shift})))" for w in "ab")
            test = f"({x} < {y} || {x} > {y})" if order == "ne" else f"{x} {COMPARE[order]} {y}"
            if is_unordered:
                test = f"({test} || __builtin_isunordered({x}, {y}))"
            code += f"if ({test}) found |= {one} << {shift}; "
        return code + self.assign(target, "found")

    @staticmethod
    def nothing(_opcode: str, _chosen: dict[str, str], _operands: list[str]) -> str:
        """A hint, which changes no result."""
        return ""

    def copy_async(self, _opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        """A copy to shared memory that arrives when the thread waits for it; what is not given is zero."""
        target, source, size, *given = operands
        taken = self.operand(given[0], "u32") if given else f"{size}u"
        if len(given) > 1 or size not in ("4", "8", "16"):
            raise ValueError
        return (
            f"ptx::copy_async({self.address(target, '.shared')}, {self.address(source, '.global')}, {size}, {taken}, "
            f"{self.line});"
        )

    def copy_bulk(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """A copy of whole lines that a barrier in memory, or the thread's group, waits for."""
        target, source, size, *more = operands
        is_to_shared = ".mbarrier::" in opcode
        if len(more) != is_to_shared + bool(chosen["cache_hint"]):
            raise ValueError
        to, from_ = (".shared", ".global") if is_to_shared else (".global", ".shared")
        barrier = self.address(more[0], ".shared") if is_to_shared else "0"
        return (
            f"ptx::copy_bulk({self.address(target, to)}, {self.address(source, from_)}, {self.operand(size, 'u32')}, "
            f"{barrier}, {self.line});"
        )

    def memory_barrier(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """A step with a barrier in shared memory."""
        what = opcode.removeprefix("cp.async.").split(".")[1]
        is_of_copies, is_arrival = opcode.startswith("cp."), "arrival" in chosen
        counts_bytes = ".expect_tx" in opcode
        target, operands = (operands[0], operands[1:]) if is_arrival or "wait" in chosen else ("_", operands)
        place, *values = operands
        step, least, most, number, flags = {
            "init": ("Init", 1, 1, "", 0),
            "inval": ("Invalidate", 0, 0, "0", 0),
            "expect_tx": ("Expect", 1, 1, "0", 0),
            "complete_tx": ("Complete", 1, 1, "0", 0),
            "arrive": ("Arrive", 0, 1, "1", 1),
            "arrive_drop": ("Drop", 0, 1, "1", 1),
            "test_wait": ("Test", 1, 1, "", 1),
            "try_wait": ("Test", 1, 2, "", 1),
        }[what]
        if is_of_copies:
            step, most, flags = "ArriveAfterCopies", 0, 4 * bool(chosen["noinc"])
        if counts_bytes or ".noComplete" in opcode:
            least = 1
        if not least <= len(values) <= most:
            raise ValueError
        if ".relaxed" in opcode:
            flags &= ~1
        if ".noComplete" in opcode:
            flags |= 2
        if chosen.get("parity"):
            step = "TestParity"
        size = f"ptx::s64({self.operand(values[0], 'u32')})" if counts_bytes or what.endswith("_tx") else "0"
        if size == "0" and values:
            number = self.operand(values[0], "u64" if step == "Test" else "u32")
        space = next(word for key, word in chosen.items() if key.endswith("space"))
        code = (
            f"ptx::memory_barrier(ptx::Step::{step}, {self.address(place, space)}, {number}, {size}, {flags}u, "
            f"{self.line})"
        )
        if "wait" in chosen:
            return self.assign(target, f"{code} != 0")
        return self.assign(target, code) if is_arrival and target != "_" else code + ";"

    @staticmethod
    def word(key: str, chosen: str) -> str:
        """A chosen modifier as C++."""
        if key in FLAGS:
            return str(bool(chosen)).lower()
        if key in ROUNDED:
            return "ptx::" + ROUNDINGS[chosen.lstrip(".")[:2] or "rn"]
        return str(chosen == "wrap").lower() if key == "wrap" else chosen

    def move(self, opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        """A move; of one register, or between one and several."""
        target, source = operands
        type_ = opcode.removeprefix("mov.")
        if source.startswith("{"):
            parts = split(source[1:-1])
            each = 8 * width_of(type_) // len(parts)
            whole = f"ptx::{type_}"
            bits = [f"{whole}(ptx::as<ptx::u{each}>({self.value(p)})) << {i * each}" for i, p in enumerate(parts)]
            return self.assign(target, f"{whole}({' | '.join(bits)})")
        if target.startswith("{"):
            parts = split(target[1:-1])
            each = 8 * width_of(type_) // len(parts)
            sets = [self.assign(p, f"ptx::u{each}(whole >> {i * each})") for i, p in enumerate(parts)]
            return f"ptx::{type_} whole = {self.operand(source, type_)}; {' '.join(sets)}"
        return self.assign(target, self.operand(source, type_))

    def in_memory(self, chosen: dict[str, str], place: str, kind: str, before: str = "") -> tuple[str, list[int]]:
        """C++ that computes the address and has the access judged; the offsets of the elements."""
        space = next((word for key, word in chosen.items() if key.endswith("space")), "")
        count, size = int(chosen["vector"][2:] or 1), width_of(chosen["in_memory"])
        code = f"ptx::u64 at = {self.address(place, space)}; {before}"
        # Parameters and the thread's own memory concern nobody else.
        if space.startswith((".param", ".local")):
            code += f"ptx::aligned(at, {size * count}, {self.line}); "
            # A called function may be given its caller's arrays.
            if space == ".local" and not self.is_device_function and self.own:
                inside = " || ".join(f"ptx::lies_in(at, {size * count}, {own}, {n})" for own, n in self.own)
                code += f"if (!({inside})) ptx::fail_outside_own({self.line}); "
        else:
            code += f"ptx::note(at, {size * count}, ptx::{kind}, {self.line}); "
        return code, [i * size for i in range(count)]

    def load(self, _opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        registers, place = operands
        order = chosen.get("order") or chosen.get("acquire") or ""
        strong = order not in ("", ".weak")
        wait = "ptx::maybe_yield(); " if strong else ""
        code, offsets = self.in_memory(chosen, place, "kReadAtomic" if strong else "kRead", wait)
        for register, offset in zip(self.parts(registers), offsets, strict=True):
            code += self.assign(register, f"ptx::load<ptx::{chosen['in_memory']}>(at + {offset})")
        return code + (f" ptx::fence({str(not order.endswith('.cta')).lower()});" if "acquire" in chosen else "")

    def store(self, _opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        place, registers = operands
        order = chosen.get("order") or chosen.get("release") or ""
        before = "ptx::maybe_yield(); " if order not in ("", ".weak") else ""
        kind = "kWriteAtomic" if before else "kWrite"
        if order.endswith(".sys"):
            kind = "kWriteSystem"
        if "release" in chosen:
            before = f"ptx::fence({str(not order.endswith('.cta')).lower()}); "
        code, offsets = self.in_memory(chosen, place, kind, before)
        type_ = chosen["in_memory"]
        for source, offset in zip(self.parts(registers), offsets, strict=True):
            code += f"ptx::store<ptx::{type_}>(at + {offset}, {self.operand(source, type_)}); "
        return code

    def atomic(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """An atomic change of a word, or of each float of a vector; `red` has no result."""
        *_, change, type_ = opcode.replace(chosen.get("floats", " "), ".f32").replace(".noftz", "").split(".")
        new_value = ATOMICS[change]
        if type_.endswith("16x2"):
            new_value, type_ = f"ptx::sum_of_pairs<ptx::{type_[:-2]}>(old, b)", "u32"
        elif type_ not in HALVES:
            type_ = type_.replace("b", "u")
        targets, place, *values = [self.parts(o) for o in (operands if opcode.startswith("atom") else ["_", *operands])]
        if len(values) != 1 + (change == "cas"):
            raise ValueError
        order = chosen.get("atomic_order", "")
        beyond = str(not order.endswith(".cta")).lower()
        kind = ("kWrite" if change == "exch" else "kUpdate") + ("System" if ".sys" in opcode else "Atomic")
        if change == "exch":
            self.exchanges.append((len(self.out), targets[0]))
        code = "".join(
            f"ptx::{type_} {name}{i} = {self.operand(v, type_)}; "
            for name, each in zip("bc", values, strict=False)
            for i, v in enumerate(each)
        )
        count, size = len(values[0]), width_of(type_)
        space = next(word for key, word in chosen.items() if key.endswith("space"))
        code += f"ptx::u64 at = {self.address(place[0], space)}; ptx::aligned(at, {size * count}, {self.line}); "
        code += "bool flushes = !ptx::in_shared(at); (void)flushes; " if change == "add" else ""
        if order.startswith((".release", ".acq_rel")):
            code += f"ptx::fence({beyond}); "
        for i in range(count):
            new = f"{{ auto b = b{i}; (void)b; " + (f"auto c = c{i}; " if len(values) > 1 else "")
            new = f"[&](ptx::{type_} old) -> ptx::{type_} {new}return {new_value}; }}"
            at = f"at + {i * size}"
            code += f"ptx::{type_} before{i} = ptx::atomic<ptx::{type_}>({at}, {new}, ptx::{kind}, {self.line}); (void)before{i}; "
        code += "".join(self.assign(target, f"before{i}") for i, target in enumerate(targets))
        return code + (f" ptx::fence({beyond});" if order.startswith((".acquire", ".acq_rel")) else "")

    @staticmethod
    def parts(operand: str) -> list[str]:
        """The registers of a vector, or the one operand."""
        return split(operand[1:-1]) if operand.startswith("{") else [operand]

    def comparison(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """C++ that makes `found`, a comparison, and `third`, its combination with another predicate."""
        type_ = opcode.rpartition(".")[2]
        order = next(word for key, word in chosen.items() if key.startswith("order_"))
        join = {".and": " & ", ".or": " | ", ".xor": " ^ ", "": ""}[chosen["join"]]
        if len(operands) != 3 + bool(join):
            raise ValueError
        a, b = (self.operand(o, type_) for o in operands[1:3])
        if type_ in HALVES:
            ftz = str(bool(chosen.get("ftz"))).lower()
            a, b = f"ptx::half_in<{ftz}>({a})", f"ptx::half_in<{ftz}>({b})"
        elif chosen.get("ftz"):
            a, b = f"ptx::flush({a})", f"ptx::flush({b})"
        unordered = f"__builtin_isunordered({a}, {b})"
        if order in ("num", "nan"):
            value = f"{'!' * (order == 'num')}{unordered}"
        elif order == "ne" and type_.startswith(FLOATING):
            value = f"({a} < {b} || {a} > {b})"
        elif order in COMPARE:
            value = f"{a} {COMPARE[order]} {b}"
        else:
            value = f"({unordered} || {a} {COMPARE[order[:-1]]} {b})"
        third = join + self.operand(operands[3], "pred") if join else ""
        return f"bool found = {value}; bool third = found{third}; "

    def compare(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """A comparison as a predicate, and the opposite one with the same combination."""
        code = self.comparison(opcode, chosen, operands)
        join = {".and": " & ", ".or": " | ", ".xor": " ^ ", "": ""}[chosen["join"]]
        fourth = join + self.operand(operands[3], "pred") if join else ""
        code += f"bool fourth = !found{fourth}; (void)fourth; "
        return code + " ".join(
            self.assign(r, v) for r, v in zip(operands[0].split("|"), ("third", "fourth"), strict=False)
        )

    def set(self, opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        """A comparison as 1 or 0 of a floating type, or as a mask."""
        to = opcode.split(".")[-2]
        one = {"f32": "1.0f", "f16": "ptx::f16{0x3C00}", "bf16": "ptx::bf16{0x3F80}"}.get(to, f"ptx::{to}(-1)")
        code = self.comparison(opcode, chosen, operands)
        return code + self.assign(operands[0], f"third ? {one} : ptx::{to}{{}}")

    def shuffle(self, _opcode: str, chosen: dict[str, str], operands: list[str]) -> str:
        value, lane, limits, mask = (self.operand(o, "u32") for o in operands[1:])
        kind = f"ptx::Shuffle::{chosen['shuffle'].capitalize()}"
        code = f"bool valid; ptx::u32 got = ptx::shfl<{kind}>({value}, {lane}, {limits}, {mask}, valid); "
        return code + " ".join(
            self.assign(r, v) for r, v in zip(operands[0].split("|"), ("got", "valid"), strict=False)
        )

    def reduce_warp(self, opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        *_, change, type_ = opcode.split(".")
        value, mask = self.operand(operands[1], type_), self.operand(operands[2], "u32")
        combine = ATOMICS[change] if change != "add" else "old + b"
        function = f"[](ptx::{type_} old, ptx::{type_} b) -> ptx::{type_} {{ return {combine}; }}"
        return self.assign(operands[0], f"ptx::reduce_warp<ptx::{type_}>({value}, {mask}, {function})")

    def elect(self, _opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        code = f"ptx::u32 leader = ptx::elect({self.operand(operands[1], 'u32')}); "
        results = zip(operands[0].split("|"), ("leader", "leader == ptx::lane()"), strict=True)
        return code + " ".join(self.assign(r, v) for r, v in results)

    def match_all(self, opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        value, mask = self.operand(operands[1], opcode.rpartition(".")[2]), self.operand(operands[2], "u32")
        code = f"bool all; ptx::u32 same = ptx::match_all({value}, {mask}, all); "
        return code + " ".join(self.assign(r, v) for r, v in zip(operands[0].split("|"), ("same", "all"), strict=False))

    def branch(self, _opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        (target,) = operands
        here = f"PTX_HERE({self.line}); " if target in self.labels else ""
        return f"{here}goto {self.label(target)};"

    def branch_by_index(self, _opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        index, table = operands
        here = f"PTX_HERE({self.line}); " if self.labels & set(self.tables[table]) else ""
        cases = " ".join(f"case {i}: goto {self.label(to)};" for i, to in enumerate(self.tables[table]))
        outside = f'ptx::fail(719, "a jump beside its table", {self.line});'
        return f"{here}switch ({self.operand(index, 'u32')}) {{ {cases} default: {outside} }}"

    def exit(self, opcode: str, _chosen: dict[str, str], _operands: list[str]) -> str:
        if self.is_device_function:
            raise Unknown(f"instruction {opcode} in a .func")
        return "return;"

    def call(self, _opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        results = split(operands[0][1:-1]) if operands[0].startswith("(") else []
        name, *arguments = operands[1:] if results else operands
        arguments = split(arguments[0][1:-1]) if arguments else []
        places = [f"p_{cpp_name(x)}" for x in results + arguments]
        if name in self.module.functions:
            self.named.add(name)
            return f"{symbol_of(name)}({', '.join(places)});"
        if name in LIBRARY:
            return f"ptx::{name}({', '.join([*places, str(self.line)])});"
        if any(name in scope for scope in self.registers):
            to = f"ptx::function_at<void (*)({', '.join(['char*'] * len(places))})>"
            return f"{to}({self.operand(name, 'u64')}, {self.line})({', '.join(places)});"
        if name.startswith("cudaLaunchDevice") or name.startswith("cudaGetParameterBuffer"):
            raise Unknown(f"call of {name}: dynamic parallelism is not simulated")
        raise Unknown(f"call of {name}")

    def barrier(self, opcode: str, _chosen: dict[str, str], operands: list[str]) -> str:
        """A barrier of the block: its number, and how many threads take part if these are not all."""
        reduces = ".red." in opcode
        target, operands = (operands[0], operands[1:]) if reduces else ("_", operands)
        predicate = operands.pop() if reduces else ""
        number, threads = [*(self.operand(o, "u32") for o in operands), "0u"][:2]
        if not 1 <= len(operands) <= 2 or (".arrive" in opcode and len(operands) != 2):
            raise ValueError
        if not reduces:
            waits = str(".arrive" not in opcode).lower()
            return f"ptx::barrier({number}, {threads}, {waits}, {self.line});"
        value = self.operand(predicate, "pred")
        change, test = {"or": ("", " != 0"), "and": ("!", " == 0"), "popc": ("", "")}[
            opcode.split(".red.")[1].split(".")[0]
        ]
        return self.assign(target, f"ptx::barrier_count({number}, {threads}, {change}{value}, {self.line}){test}")
