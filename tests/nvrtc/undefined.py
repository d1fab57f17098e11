"""Registers of PTX that may be read before they are written: ptxas compiles such code to wrong instructions.

With --Ofast-compile=min, ptxas 13.0 and 13.5 merge the registers of a loop that begin undefined: a vector that a loop
shifts, without initial values, came out with one element in three places, on GPUs only.
"""

import re

REGISTER = re.compile(r"%[a-zA-Z_$]*[a-zA-Z]\d+\b")
LABEL = re.compile(r"\s*([$\w]+):\s*")
STORES = (
    "st",
    "red",
    "bra",
    "brx",
    "ret",
    "exit",
    "bar",
    "barrier",
    "membar",
    "fence",
    "trap",
    "prefetch",
    "nanosleep",
)


def statements(body):
    """The instructions and labels of a function's body, as text without comments and directives."""
    body = re.sub(r"//[^\n]*", "", body)
    for part in re.split(r"[;{}](?=\s*\n)|(?<=:)\n", body.replace("{ // ", "\n")):
        text = part.strip()
        while match := LABEL.match(text):
            yield match[0].strip()
            text = text[match.end() :].strip()
        if text and not text.startswith("."):
            yield text


def operands(instruction):
    """(registers written, registers read, guarded, targets of a jump or None) of an instruction."""
    guard = re.match(r"@(!?)(%\w+)\s+", instruction)
    rest = instruction[guard.end() :] if guard else instruction
    name, _, text = rest.partition(" ") if " " in rest else rest.partition("\t")
    kind = name.strip().split(".")[0]
    read = {guard[2]} if guard else set()
    if kind in STORES and not name.strip().startswith(("bar.red", "barrier.red", "barrier.cta.red")):
        target = re.search(r"[$\w]+$", text.strip()) if kind == "bra" else None
        return set(), read | set(REGISTER.findall(text)), bool(guard), [target[0]] if target else None
    if kind == "call":
        return (
            set(REGISTER.findall(text.partition(")")[0])) if text.strip().startswith("(") else set(),
            read,
            bool(guard),
            None,
        )
    text = text.strip()
    if text.startswith("{"):
        first, _, others = text.partition("}")
    else:
        first, _, others = text.partition(",")
    return set(REGISTER.findall(first)), read | set(REGISTER.findall(others)), bool(guard), None


def blocks_of(body):
    """The basic blocks of a body: instructions, and the numbers of the blocks that follow."""
    blocks, labels = [[]], {}
    for text in statements(body):
        if text.endswith(":"):
            if blocks[-1]:
                blocks.append([])
            labels[text[:-1]] = len(blocks) - 1
            continue
        blocks[-1].append((*operands(text), text))
        if re.match(r"(@!?%\w+\s+)?(bra|ret|exit|trap)\b", text):
            blocks.append([])
    following = []
    for number, block in enumerate(blocks):
        last = block[-1] if block else None
        jumps = [labels[name] for name in (last[3] or [])] if last else []
        ends = last is not None and re.match(r"(bra|ret|exit|trap)\b", last[4])
        following.append(jumps + ([] if ends or number + 1 == len(blocks) else [number + 1]))
    return blocks, following


def undefined_reads(ptx):
    """Return (function, instruction, registers) of each read that some path reaches before a write, within a loop that
    writes the register. Others are halves of a register pair that nothing uses, or values of a path never taken."""
    found = []
    for head in re.finditer(r"\.(?:entry|func)[^;{]*?([\w$]+)\s*\([^{;]*\{", ptx):
        depth, end = 1, head.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(ptx[end], 0)
            end += 1
        found += [(head[1], *read) for read in undefined_in(ptx[head.end() : end - 1])]
    return found


def defined_before(blocks, following):
    """The registers that are written on every path to each block; None for blocks without a path."""
    before = [None] * len(blocks)
    before[0] = set()
    waiting = [0]
    while waiting:
        number = waiting.pop()
        defined = before[number].union(*(written for written, _, guarded, _, _ in blocks[number] if not guarded))
        for other in following[number]:
            known = defined if before[other] is None else before[other] & defined
            if known != before[other]:
                before[other] = known
                waiting.append(other)
    return before


def reachable(following, start):
    """The blocks that some path reaches from a block's end."""
    found, waiting = set(), list(following[start])
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += following[number]
    return found


def undefined_in(body):
    blocks, following = blocks_of(body)
    writers = {}
    for number, block in enumerate(blocks):
        for written, *_ in block:
            for register in written:
                writers.setdefault(register, set()).add(number)
    for number, defined in enumerate(defined_before(blocks, following)):
        if defined is None:
            continue
        defined = set(defined)
        for written, read, guarded, _, text in blocks[number]:
            missing = {register for register in read - defined if register in writers}
            if missing:
                after = reachable(following, number)
                looped = {
                    w for w in set().union(*(writers[r] for r in missing)) & after if number in reachable(following, w)
                }
                missing = sorted(r for r in missing if writers[r] & looped)
            if missing:
                yield text, missing
            if not guarded:
                defined |= written
