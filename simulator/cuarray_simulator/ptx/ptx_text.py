"""Splits a PTX text into statements, and statements into operands."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Unknown(Exception):
    """An instruction, operand or declaration that the translator does not know."""


class Statement(NamedTuple):
    """A declaration, an instruction or a label (which ends with a colon); braces are statements of their own."""

    line: int
    text: str


class Variable(NamedTuple):
    """A declared variable: `count` is None for a scalar, `initial` the text of its initial values."""

    alignment: int
    type: str
    name: str
    count: int | None
    initial: str | None

    @property
    def bytes(self) -> int:
        return width_of(self.type) * (1 if self.count is None else self.count)


# Directives that end with their line; debug sections.
OF_A_LINE = re.compile(r"^(\s*\.(?:version|target|address_size|file|loc)\b[^\n]*)$", re.M)
SECTION = re.compile(r"^\s*\.section\b[^{]*\{[^}]*\}", re.M)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TOKEN = re.compile(r'"[^"]*"|[\n;{}()\[\]:=]|[^;{}()\[\]:="\n]+')
DEFINITION = re.compile(r"\s*\.(?:visible|func|entry|weak|extern|maxntid)\b")
LABEL = re.compile(r"\s*[$\w%]+\s*")


def blank(match: re.Match) -> str:
    """Line ends alone, so that lines keep their numbers."""
    return "\n" * match[0].count("\n")


def statements(ptx: str) -> Iterator[Statement]:
    """The statements of a text."""
    ptx = SECTION.sub(blank, COMMENT.sub(blank, ptx))
    ptx = OF_A_LINE.sub(r"\1;", ptx)
    line, text, depth = 1, "", 0
    for token in TOKEN.findall(ptx):
        if token == "\n":
            line += 1
            text += " "
        elif token == "{" and depth == 0 and not text.strip():
            yield Statement(line, "{")
            text = ""
        elif token == "{" and depth == 0 and "=" not in text and DEFINITION.match(text):
            yield Statement(line, text.strip())
            yield Statement(line, "{")
            text = ""
        elif token == "}" and depth == 0 and not text.strip():
            yield Statement(line, "}")
            text = ""
        elif token == ":" and depth == 0 and LABEL.fullmatch(text):
            yield Statement(line, text.strip() + ":")
            text = ""
        elif token == ";" and depth == 0:
            yield Statement(line, text.strip())
            text = ""
        else:
            depth += (token in "{([") - (token in "})]")
            text += token


def split(text: str) -> list[str]:
    """The operands: parts between commas that are not in braces, brackets or parentheses."""
    if not text.strip():
        return []
    if not any(c in text for c in "{[("):
        return [part.strip() for part in text.split(",")]
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def width_of(type_: str) -> int:
    """The bytes of a type."""
    return int(type_.lstrip("bfsu")) // 8


VARIABLE = re.compile(
    r"(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(?:\.ptr\S*\s+(?:\.\w+\s+)*(?:\.align\s+\d+\s+)?)?([\w$%]+)\s*(?:\[(\d*)\])?\s*(?:=\s*(.*))?",
    re.S,
)


def variable(text: str) -> Variable:
    """Read `.align 8 .b8 name[40] = {...}`."""
    match = VARIABLE.fullmatch(text.replace(".attribute(.managed)", "").strip())
    if not match or not re.fullmatch(r"[busf]\d+", match[2]):
        raise Unknown(f"declaration {text}")
    count = None if match[4] is None else int(match[4] or 0)
    return Variable(int(match[1] or width_of(match[2])), match[2], match[3], count, match[5])
