"""PTX to C++ for the simulator: one function per kernel, registers as locals, labels as labels.

    python translate.py kernel.ptx kernel.cpp [ALIAS=KERNEL...]

The output includes ptx_prelude.h, which says what the instructions mean. Names, sizes, offsets and alignments of
parameters are those of the PTX. An alias is another name of a kernel.
"""

import re
import sys

from function import FILE_SHIFT, MOST_FILES, Function, symbol_of
from ptx_text import Unknown, Variable, split, statements, variable

HEADER = re.compile(r"\.(entry|func)\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*(?:\(([^)]*)\))?(.*)", re.S)
DEFINED = re.compile(r"\.func\s*(?:\([^)]*\))?\s*([\w$]+)\s*(?:\([^)]*\))?[^;{]*\{")
AT_TOP = re.compile(r"(?:\.(?:visible|weak|extern|common)\s+)*\.(global|const|shared)\s+(.*)", re.S)
FILE = re.compile(r"^\s*\.file\s+(\d+)\s+\"([^\"]*)\"", re.M)
#: Files that belong to no program: of Warp, of numba-cuda, CUDA's own headers.
LIBRARIES = re.compile(r"/warp/native/|/numba/cuda/|/include/(cooperative_groups|crt|cuda|nv)")
CLUSTER = re.compile(r"\.reqnctapercluster\s+([\d\s,]+)")
THREADS = re.compile(r"\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")
INFO = (
    'extern "C" __attribute__((visibility("default"))) const cudasim_module cudasim_module_info = {{CUDASIM_ABI, {}, '
    "&cudasim_here, &cudasim_runtime_table, __bss_start, _end, __ehdr_start, cudasim_kernels, {}, cudasim_files, {}}};"
)


def aligned(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) // alignment * alignment


class Module:
    """One PTX text in translation."""

    def __init__(self, ptx: str):
        self.ptx = ptx
        self.architecture = int(re.search(r"\.target\s+sm_(\d+)", ptx)[1])
        self.out: list[str] = []
        #: The basic blocks of all functions: instructions, each with its lines.
        self.blocks: list[list[tuple[str, tuple[int, ...]]]] = []
        self.kernels: dict[str, tuple[list[int], list[int], int, int]] = {}
        #: C++ for the addresses of variables outside functions, and of shared ones.
        self.places: dict[str, str] = {}
        #: Functions that can be called: of several texts that were joined, one calls those of another.
        self.functions = set(DEFINED.findall(ptx))
        self.shared_bytes = 0
        #: The shared and constant variables by name, and all translated functions by their C++ symbol.
        self.variables: dict[str, dict[str, Variable]] = {"shared": {}, "const": {}}
        self.translated: dict[str, Function] = {}
        #: The numbers of results and parameters that texts declare for a function, and those that it has.
        self.declared: dict[str, set[tuple[int, int]]] = {}
        self.defined: dict[str, tuple[int, int]] = {}
        #: The files of lines: their numbers in the PTX, in order, and their names.
        self.files = {int(number): name for number, name in FILE.findall(ptx)}

    def is_of_library(self, file: int) -> bool:
        return bool(LIBRARIES.search(self.files.get(file, "")))

    def line_word(self, file: int, line: int) -> int:
        """A line as kernels note it; 0 if it is unknown."""
        index = list(self.files).index(file) if file in self.files else 0
        return line and line + (min(index, MOST_FILES) << FILE_SHIFT)

    def shared_variable(self, text: str, external: bool) -> None:
        """A static array gets an offset in the block's window; the dynamic one begins behind all of them."""
        v = variable(text)
        if external:
            self.places[v.name] = "ptx::u64(PTX_STATIC_SHARED)"
            return
        self.variables["shared"][v.name] = v
        self.shared_bytes = aligned(self.shared_bytes, v.alignment)
        self.places[v.name] = f"ptx::u64({self.shared_bytes})"
        self.shared_bytes += v.bytes

    def global_variable(self, text: str) -> None:
        v = variable(text)
        items = (v.initial or "0").strip().strip("{}")
        items = re.sub(r"0[fF]([0-9A-Fa-f]{8})", r"0x\1u", re.sub(r"0[dD]([0-9A-Fa-f]{16})", r"0x\1ull", items))
        addresses = re.compile(r"generic\(([\w$]+)\)")
        numbers = addresses.sub(lambda m: "0" if m[1] in self.places else m[0], items)
        functions = re.compile(rf"\b({'|'.join(map(re.escape, self.functions)) or '(?!)'})\b")
        numbers = functions.sub("0", numbers)
        if re.search(r"[A-Za-z_$]\w*\s*(?:[(+,]|$)", re.sub(r"0x[0-9A-Fa-f]+u?l*", "0", numbers)):
            raise Unknown(f"initial value {v.initial[:60]}")
        items = addresses.sub(lambda m: self.places[m[1]], items)
        items = functions.sub(lambda m: f"ptx::u64(&{symbol_of(m[1])})", items)
        name = "g_" + re.sub(r"\W", "_", v.name)
        type_ = f"ptx::{v.type.replace('f', 'u')}"
        attributes = f'aligned({v.alignment}), visibility("default"), section("cudasim_globals"), used'
        size = 1 if v.count is None else v.count
        symbol = v.name if "$" not in v.name else name
        self.out.append(f'extern __attribute__(({attributes})) {type_} {name}[{size}] asm("{symbol}");')
        self.out.append(f"{type_} {name}[{size}] = {{{items}}};")
        self.places[v.name] = f"ptx::u64({name})"

    def signature(self, text: str) -> tuple[str, dict[str, str]]:
        """The C++ head of a function, and the places of its parameters."""
        kind, results, name, parameters, rest = HEADER.search(text).groups()
        read = [[variable(p.replace(".param", "", 1)) for p in split(part or "")] for part in (results, parameters)]
        symbol = symbol_of(name)
        if kind == "entry":
            return f"static void {symbol}(const char* parameters)", self.kernel(name, read[1], rest)
        every = [*read[0], *read[1]]
        self.declared.setdefault(symbol, set()).add((len(read[0]), len(read[1])))
        head = f"static void {symbol}({', '.join(f'char* q_{v.name}' for v in every)})"
        return head, {v.name: f"ptx::u64(q_{v.name})" for v in every}

    def kernel(self, name: str, parameters: list[Variable], rest: str) -> dict[str, str]:
        """Note a kernel's layout; the places of its parameters."""
        places, sizes, offsets, end = {}, [], [], 0
        for v in parameters:
            end = aligned(end, v.alignment)
            places[v.name] = f"(ptx::u64(parameters) + {end})"
            sizes.append(v.bytes)
            offsets.append(end)
            end += v.bytes
        if (cluster := CLUSTER.search(rest)) and set(re.findall(r"\d+", cluster[1])) != {"1"}:
            raise Unknown(f"cluster dimensions of kernel {name}: clusters are not simulated")
        threads = THREADS.search(rest)
        most = 1
        for part in threads.groups() if threads else ("1024",):
            most *= int(part or 1)
        self.kernels[name] = (sizes, offsets, aligned(end, 8), most)
        return places

    def at_top(self, text: str) -> None:
        """A declaration outside functions."""
        if match := AT_TOP.fullmatch(text):
            if match[1] == "shared":
                self.shared_variable(match[2], ".extern" in text)
            elif (name := variable(match[2]).name) in self.places:
                self.refuse_again(text, name)
            else:
                self.global_variable(match[2])
                if match[1] == "const":
                    v = variable(match[2])
                    self.variables["const"][v.name] = v
        elif re.search(r"\.(entry|func)\b", text):
            head, _ = self.signature(text)
            self.out.append(head + ";")
        elif text and not re.match(r"\.(version|target|address_size|file|pragma|alias)\b", text):
            raise Unknown(f"declaration {text[:80]}")

    def translate(self, aliases: dict[str, str] | None = None) -> str:
        """The C++ text."""
        depth, waiting, function = 0, None, None
        for statement in statements(self.ptx):
            text = statement.text
            if depth == 0:
                if text == "{":
                    function = self.begin(waiting)
                    waiting, depth = None, 1
                    continue
                if waiting is not None:
                    self.at_top(waiting)
                waiting = text
            else:
                depth += (text == "{") - (text == "}")
                if function:
                    function.add(statement)
                    if depth == 0:
                        self.out += function.finish()
        if waiting:
            self.at_top(waiting)
        return self.text(aliases or {})

    def begin(self, text: str) -> Function | None:
        """The function whose head this is; None if it is a weak one that a joined text before has defined."""
        head, places = self.signature(text)
        symbol = re.match(r"static void (\w+)", head)[1]
        if symbol in self.translated:
            self.refuse_again(text, symbol)
            return None
        results, parameters = HEADER.search(text).group(2, 4)
        self.defined[symbol] = len(split(results or "")), len(split(parameters or ""))
        function = self.translated[symbol] = Function(self, symbol, places, ".func" in text)
        self.out += [head, "{"]
        return function

    @staticmethod
    def refuse_again(text: str, name: str) -> None:
        if not re.search(r"\.(weak|common)\b", text):
            raise Unknown(f"two definitions of {name}")

    def reached(self, symbol: str, over: frozenset[str] = frozenset()) -> tuple[set[str], int]:
        """The variables that a function and those that it calls name, and the most bytes of their own arrays.

        Calls of functions in `over`, which are recursive, count once.
        """
        function = self.translated[symbol]
        names, deepest = set(function.named), 0
        for called in {symbol_of(name) for name in function.named & self.functions} - over - {symbol}:
            more, bytes_ = self.reached(called, over | {symbol})
            names |= more
            deepest = max(deepest, bytes_)
        return names, sum(size for _, size in function.own) + deepest

    def resources(self, symbol: str) -> tuple[int, int, int]:
        """The bytes that a kernel declares: static shared ones, its threads' own arrays, constants."""
        names, own = self.reached(symbol)
        ends = {"shared": 0, "const": 0}
        for space, variables in self.variables.items():
            for v in variables.values():
                if v.name in names:
                    ends[space] = aligned(ends[space], v.alignment) + v.bytes
        return ends["shared"], own, ends["const"]

    def forward(self, symbol: str, declared: tuple[int, int]) -> str:
        """A function as another text declares it: with a result that it has not, or without its result."""
        results, parameters = self.defined[symbol]
        if declared[1] != parameters:
            raise Unknown(f"{symbol.removeprefix('f_')} of {parameters} parameters, which is called with {declared[1]}")
        names = [f"q_{i}" for i in range(parameters)]
        head = ", ".join(f"char* {name}" for name in [*["result"] * declared[0], *names])
        given = ", ".join([*["result"] * results, *names])
        unused = "" if declared[0] else "alignas(16) char result[16]; "
        return f"static void {symbol}({head}) {{ {unused}{symbol}({given}); }}"

    def text(self, aliases: dict[str, str]) -> str:
        self.shared_bytes = aligned(self.shared_bytes, 16)
        out = [f"#define PTX_STATIC_SHARED {self.shared_bytes}u", '#include "ptx_prelude.h"']
        out += [f'PTX_COUNTERS("{next(iter(self.kernels), "")}", {len(self.blocks)});', *self.out]
        for symbol, shape in self.defined.items():
            out += [self.forward(symbol, other) for other in sorted(self.declared.get(symbol, {shape}) - {shape})]
        rows = []
        names = {name: name for name in self.kernels} | aliases
        for number, (alias, name) in enumerate(names.items()):
            sizes, offsets, bytes_, most = self.kernels[name]
            for what, values in (("sizes", sizes), ("offsets", offsets)):
                out.append(f"static const unsigned {what}_{number}[] = {{{', '.join(map(str, [*values, 0]))}}};")
            symbol = symbol_of(name)
            declared = ", ".join(map(str, self.resources(symbol)))
            out.append(f"static const cudasim_declared declared_{number} = {{{declared}}};")
            rows.append(
                f'    {{"{alias}", {symbol}, {len(sizes)}, sizes_{number}, offsets_{number}, {bytes_}, {most}, '
                f"&declared_{number}}},"
            )
        out += ["static const cudasim_kernel cudasim_kernels[] = {", *rows, "    {}};"]
        files = [f'"{name}"' for name in [*self.files.values(), ""]]
        out.append(f"static const char* const cudasim_files[] = {{{', '.join(files)}}};")
        out.append(INFO.format(self.architecture, len(rows), len(self.files)))
        return "\n".join(out) + "\n"


def main() -> None:
    source, target, *aliases = sys.argv[1:]
    try:
        with open(source, encoding="utf-8") as file:
            text = Module(file.read()).translate(dict(alias.split("=", 1) for alias in aliases))
    except Unknown as error:
        sys.exit(f"the PTX has what the simulator does not know: {error}")
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
