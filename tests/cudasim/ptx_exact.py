"""What PTX instructions give, in exact arithmetic on integers and fractions: the reference for the simulator's table.

Operands and results are bits. Written from the PTX ISA's descriptions, apart from the table and its C++.
"""

import math
import re
from fractions import Fraction
from typing import NamedTuple

ANY_NAN = "any NaN"


class Format(NamedTuple):
    """A format of floating point: bits of the whole and of the fraction."""

    bits: int
    fraction: int

    @property
    def bias(self) -> int:
        return (1 << (self.bits - self.fraction - 2)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << (self.bits - self.fraction - 1)) - 1) << self.fraction

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)


FORMATS = {"f16": Format(16, 10), "bf16": Format(16, 7), "f32": Format(32, 23), "f64": Format(64, 52)}


class Number(NamedTuple):
    """A decoded number: NaN and infinity are kinds; a zero has a sign."""

    kind: str
    negative: bool
    value: Fraction = Fraction(0)


def width(type_: str) -> int:
    if type_.endswith("x2"):
        return 2 * width(type_.removesuffix("x2"))
    return int(re.sub(r"\D", "", type_)) if type_ != "pred" else 1


def signed(bits: int, type_: str) -> int:
    """The integer of a type that has these bits."""
    n = width(type_)
    bits &= (1 << n) - 1
    return bits - (1 << n) if type_.startswith("s") and bits >> (n - 1) else bits


def decode(bits: int, f: Format) -> Number:
    negative, magnitude = bool(bits & f.sign), bits & (f.sign - 1)
    if magnitude > f.infinity:
        return Number("nan", negative)
    if magnitude == f.infinity:
        return Number("infinity", negative)
    exponent, fraction = magnitude >> f.fraction, magnitude & ((1 << f.fraction) - 1)
    if exponent:
        fraction += 1 << f.fraction
    value = Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - f.bias - f.fraction)
    return Number("finite", negative, -value if negative else value)


def rounded_integer(x: Fraction, mode: str) -> int:
    if mode == "rz":
        return math.trunc(x)
    if mode == "rm":
        return math.floor(x)
    if mode == "rp":
        return math.ceil(x)
    return round(x)  # to even


def encode(x: Fraction, f: Format, mode: str = "rn", negative_zero: bool = False) -> int:
    """Round a value to a format."""
    if x == 0:
        return f.sign if negative_zero else 0
    sign = f.sign if x < 0 else 0
    magnitude = abs(x)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    exponent = max(exponent, 1 - f.bias)
    units = rounded_integer(x / Fraction(2) ** (exponent - f.fraction), mode)
    bits = abs(units) + ((exponent + f.bias - 1) << f.fraction)  # an overflow of the fraction raises the exponent
    if bits < f.infinity:
        return sign | bits
    stays = mode == "rz" or (mode == "rm" and x > 0) or (mode == "rp" and x < 0)
    return sign | (f.infinity - 1 if stays else f.infinity)


def flush(bits: int, f: Format) -> int:
    """Subnormals become zeros of the same sign."""
    magnitude = bits & (f.sign - 1)
    return bits & f.sign if magnitude < 1 << f.fraction else bits


def canonical(f: Format):
    return 0x7FFFFFFF if f.bits == 32 else 0x7FFF if f.bits == 16 else ANY_NAN


def add(a: Number, b: Number, f: Format, mode: str):
    if "nan" in (a.kind, b.kind) or (a.kind == b.kind == "infinity" and a.negative != b.negative):
        return canonical(f)
    if "infinity" in (a.kind, b.kind):
        negative = a.negative if a.kind == "infinity" else b.negative
        return f.infinity | (f.sign if negative else 0)
    both = a.negative and b.negative
    return encode(
        a.value + b.value,
        f,
        mode,
        both or (mode == "rm" and not (a.value == b.value == 0 and not a.negative and not b.negative)),
    )


def product(a: Number, b: Number) -> Number:
    negative = a.negative != b.negative
    kinds = {a.kind, b.kind}
    if "nan" in kinds or ("infinity" in kinds and any(x.kind == "finite" and x.value == 0 for x in (a, b))):
        return Number("nan", False)
    return Number("infinity", negative) if "infinity" in kinds else Number("finite", negative, a.value * b.value)


def coded(x: Number, f: Format, mode: str):
    if x.kind == "nan":
        return canonical(f)
    if x.kind == "infinity":
        return f.infinity | (f.sign if x.negative else 0)
    return encode(x.value, f, mode, x.negative)


def quotient(a: Number, b: Number) -> Number:
    negative = a.negative != b.negative
    if "nan" in (a.kind, b.kind) or a.kind == b.kind == "infinity" or (a.kind == b.kind and a.value == b.value == 0):
        return Number("nan", False)
    if a.kind == "infinity" or (b.kind == "finite" and b.value == 0):
        return Number("infinity", negative)
    return Number("finite", negative, Fraction(0) if b.kind == "infinity" else a.value / b.value)


def root(a: Number, f: Format, mode: str):
    if a.kind == "nan" or (a.negative and not (a.kind == "finite" and a.value == 0)):
        return canonical(f)
    if a.kind == "infinity" or a.value == 0:
        return coded(a, f, mode)
    # An integer square root with 100 more bits than the format; a last bit stands for what is below it.
    scale = 2 * (f.bits + 100 + f.bias)
    scaled = a.value * 2**scale
    whole = math.isqrt(int(scaled))
    inexact = whole * whole != scaled
    return encode(Fraction(2 * whole + inexact, 2 ** (scale // 2 + 1)), f, mode)


def extreme(name: str, a: int, b: int, f: Format, nan_wins: bool):
    x, y = decode(a, f), decode(b, f)
    if "nan" in (x.kind, y.kind):
        if nan_wins or x.kind == y.kind:
            return canonical(f)
        return b if x.kind == "nan" else a

    def key(n: Number):
        return (n.value if n.kind == "finite" else Fraction(2) ** 2000 * (-1 if n.negative else 1), not n.negative)

    return (a if key(x) <= key(y) else b) if name == "min" else (a if key(x) >= key(y) else b)


def saturated(bits, f: Format):
    """Clamp to 0 .. 1; NaN becomes 0."""
    x = decode(bits, f) if bits != ANY_NAN else Number("nan", False)
    if x.kind == "nan" or x.negative:
        return 0
    return encode(Fraction(1), f) if x.kind == "infinity" or x.value > 1 else bits


def floating(words: list[str], operands: list[int]):
    """An instruction whose result and operands are of one floating type."""
    name, f = words[0], FORMATS[words[-1]]
    mode = next((w for w in words if w in ("rn", "rz", "rm", "rp")), "rn")
    if "ftz" in words:
        operands = [flush(x, f) for x in operands]
    x = [decode(bits, f) for bits in operands]
    if name in ("min", "max"):
        result = extreme(name, *operands, f, "NaN" in words)
    elif name == "abs":
        result = operands[0] & ~f.sign if x[0].kind != "nan" else ANY_NAN
    elif name == "neg":
        result = operands[0] ^ f.sign if x[0].kind != "nan" else ANY_NAN
    elif name == "copysign":
        result = (operands[1] & ~f.sign) | (operands[0] & f.sign)
    elif name == "sqrt":
        result = root(x[0], f, mode)
    elif name == "mul":
        result = coded(product(*x), f, mode)
    elif name in ("div", "rcp"):
        one = Number("finite", False, Fraction(1))
        result = coded(quotient(*([one, *x] if name == "rcp" else x)), f, mode)
    elif name in ("add", "sub"):
        y = x[1]._replace(negative=not x[1].negative, value=-x[1].value) if name == "sub" else x[1]
        result = add(x[0], y, f, mode)
    elif name == "fma":
        result = add(product(x[0], x[1]), x[2], f, mode)
    else:
        raise KeyError(name)
    if "sat" in words:
        result = saturated(result, f)
    if "relu" in words and decode(result, f).kind != "nan" and result & f.sign:
        result = 0
    return flush(result, f) if "ftz" in words and result != ANY_NAN else result


def converted(words: list[str], bits: int):
    """cvt."""
    to, from_ = words[-2:]
    mode = next((w for w in words if re.fullmatch(r"r[nzmp]i?", w)), "")
    sat = "sat" in words
    if from_ in FORMATS:
        f = FORMATS[from_]
        if "ftz" in words and from_ == "f32":
            bits = flush(bits, f)
        x = decode(bits, f)
        if to in FORMATS:
            g = FORMATS[to]
            if mode.endswith("i") and x.kind == "finite":
                x = x._replace(value=Fraction(rounded_integer(x.value, mode[:2])))
            result = coded(x, g, mode[:2] or "rn")
            result = saturated(result, g) if sat else result
            if "relu" in words and result != ANY_NAN and result & g.sign:
                return 0
            return flush(result, g) if "ftz" in words and to == "f32" else result
        n, is_signed = width(to), to.startswith("s")
        least, most = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if is_signed else (0, (1 << n) - 1)
        if x.kind == "nan":
            return (0 if from_ != "f64" and n < 64 else 1 << (n - 1)) & ((1 << n) - 1)
        if x.kind == "infinity":
            return (least if x.negative else most) & ((1 << n) - 1)
        return min(max(rounded_integer(x.value, mode[:2]), least), most) & ((1 << n) - 1)
    x = signed(bits, from_)
    if to in FORMATS:
        result = encode(Fraction(x), FORMATS[to], mode)
        return saturated(result, FORMATS[to]) if sat else result
    n = width(to)
    if sat:
        least, most = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if to.startswith("s") else (0, (1 << n) - 1)
        x = min(max(x, least), most)
    return x & ((1 << n) - 1)


def compared(words: list[str], operands: list[int]) -> tuple[int, int]:
    """setp: the result and the second result."""
    how, type_ = words[1], words[-1]
    a, b = operands[:2]
    unordered = False
    if type_ in FORMATS:
        f = FORMATS[type_]
        if "ftz" in words:
            a, b = flush(a, f), flush(b, f)
        x, y = decode(a, f), decode(b, f)
        unordered = "nan" in (x.kind, y.kind)
        large = Fraction(2) ** 2000
        a, b = ((n.value if n.kind == "finite" else -large if n.negative else large) for n in (x, y))
    else:
        a, b = signed(a, type_), signed(b, type_)
    plain = (
        how[:-1]
        if how.endswith("u") and how != "u" and type_ in FORMATS and len(how) == 3 and how not in ("num",)
        else how
    )
    orders = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
    orders |= {"lo": a < b, "ls": a <= b, "hi": a > b, "hs": a >= b, "num": not unordered, "nan": unordered}
    found = orders[plain]
    if unordered and how not in ("num", "nan"):
        found = plain != how  # the unordered comparisons are true
    join = next((w for w in words if w in ("and", "or", "xor")), None)
    pair = []
    for value in (found, not found):
        third = bool(operands[2]) if join else False
        pair.append({"and": value and third, "or": value or third, "xor": value != third, None: value}[join])
    return int(pair[0]), int(pair[1])


def field(words: list[str], operands: list[int]) -> int:
    """bfe and bfi, bit by bit."""
    type_ = words[-1]
    n = width(type_)
    if words[0] == "bfe":
        value, position, length = operands[0], operands[1] & 255, operands[2] & 255
        sign = 0 if length == 0 or type_.startswith("u") else value >> min(position + length - 1, n - 1) & 1
        bits = [(value >> (position + i) & 1) if i < length and position + i < n else sign for i in range(n)]
        return sum(bit << i for i, bit in enumerate(bits))
    from_, into, position, length = operands[0], operands[1], operands[2] & 255, operands[3] & 255
    for i in range(length):
        if position + i < n:
            into = into & ~(1 << (position + i)) | (from_ >> i & 1) << (position + i)
    return into


def with_carry(words: list[str], operands: list[int], carry: int) -> tuple[int, int]:
    """Sums and differences with the carry flag: the result, and the flag behind it."""
    name, type_ = words[0], words[-1]
    n = width(type_)
    mask = (1 << n) - 1
    if name.startswith("mad"):
        whole = signed(operands[0], type_) * signed(operands[1], type_)
        operands = [(whole >> n if "hi" in words else whole) & mask, operands[2]]
    used = carry if name.endswith("c") else 0
    total = operands[0] - operands[1] - used if name.startswith("sub") else operands[0] + operands[1] + used
    return total & mask, (total >> n & 1) if "cc" in words else carry


def parts(bits: int, type_: str) -> list[int]:
    """The integers of a type in 32 bits, the lowest first."""
    n = width(type_)
    return [signed(bits >> n * i, type_) for i in range(32 // n)]


def by_parts(words: list[str], operands: list[int]) -> int:
    """Products and differences of the parts of words, as 32 bits."""
    name, more = words[0], "add" in words[1:]
    if name in ("dp4a", "dp2a"):
        wide, *_ = words[-2:]
        a = parts(operands[0], wide[0] + ("8" if name == "dp4a" else "16"))
        b = parts(operands[1], words[-1][0] + "8")[2 if words[1] == "hi" else 0 :]
        return (sum(x * y for x, y in zip(a, b, strict=False)) + operands[2]) & 0xFFFFFFFF
    if name.startswith("vabsdiff"):
        type_ = words[3][0] + ("8" if name.endswith("4") else "16")
        found = [abs(x - y) for x, y in zip(parts(operands[0], type_), parts(operands[1], type_), strict=True)]
        if more:
            return (sum(found) + operands[2]) & 0xFFFFFFFF
    else:
        type_ = words[1].removesuffix("x2")
        pairs = zip(parts(operands[0], type_), parts(operands[1], type_), strict=True)
        found = [{"add": sum, "min": min, "max": max}[name](pair) for pair in pairs]
    n = width(type_)
    return sum((value & ((1 << n) - 1)) << n * i for i, value in enumerate(found))


def tested(words: list[str], bits: int) -> int:
    """testp."""
    f = FORMATS[words[-1]]
    x = decode(bits, f)
    subnormal = x.kind == "finite" and x.value != 0 and flush(bits, f) != bits
    classes = {"number": x.kind != "nan", "notanumber": x.kind == "nan", "infinite": x.kind == "infinity"}
    classes |= {"finite": x.kind == "finite", "subnormal": subnormal, "normal": x.kind == "finite" and not subnormal}
    return int(classes[words[1]])


def is_by_parts(opcode: str) -> bool:
    return opcode.startswith(("dp4a", "dp2a", "vabsdiff")) or opcode.endswith(("u16x2", "s16x2"))


def integer(words: list[str], operands: list[int]) -> int:
    """Everything else, on integers and bits."""
    name, type_ = words[0], words[-1]
    n = width(type_)
    mask = (1 << n) - 1
    x = [signed(o, type_) for o in operands]
    a = x[0] if x else 0
    b = x[1] if len(x) > 1 else 0
    amount = operands[1] & 0xFFFFFFFF if len(operands) > 1 else 0
    if name in ("mul", "mad"):
        whole = a * b
        result = whole >> n if "hi" in words else whole
        if "wide" in words:
            return (whole + (signed(operands[2], type_[0] + str(2 * n)) if name == "mad" else 0)) & ((1 << 2 * n) - 1)
        return (result + (x[2] if name == "mad" else 0)) & mask
    if name in ("div", "rem"):
        size = abs(a) // abs(b)
        whole = -size if (a < 0) != (b < 0) else size
        return (whole if name == "div" else a - whole * b) & mask
    if name == "shf":
        shift = amount3 if (amount3 := operands[2] & 0xFFFFFFFF) <= 32 else 32
        shift = operands[2] & 31 if "wrap" in words else shift
        both = operands[1] << 32 | operands[0]
        return (both << shift >> 32 if "l" in words else both >> shift) & mask
    if name == "bfind":
        bits = operands[0] ^ mask if a < 0 else operands[0]
        place = bits.bit_length() - 1
        return 0xFFFFFFFF if place < 0 else n - 1 - place if "shiftamt" in words else place
    if name == "prmt":
        source, chosen = [(operands[1] << 32 | operands[0]) >> 8 * i & 255 for i in range(8)], []
        for i in range(4):
            nibble = operands[2] >> 4 * i & 15
            byte = source[nibble & 7]
            chosen.append((255 if byte & 128 else 0) if nibble & 8 else byte)
        return int.from_bytes(bytes(chosen), "little")
    if name == "lop3":
        bits = [
            operands[3] >> ((operands[0] >> i & 1) << 2 | (operands[1] >> i & 1) << 1 | (operands[2] >> i & 1)) & 1
            for i in range(32)
        ]
        return sum(bit << i for i, bit in enumerate(bits))
    if name in ("bfe", "bfi"):
        return field(words, operands)
    if name == "bmsk":
        start, count = (x & 31 if "wrap" in words else min(x, 32) for x in operands)
        return sum(1 << i for i in range(start, start + count)) & mask
    simple = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "min": lambda: min(a, b),
        "max": lambda: max(a, b),
        "sad": lambda: abs(a - b) + x[2],
        "abs": lambda: abs(a),
        "neg": lambda: -a,
        "and": lambda: a & b,
        "or": lambda: a | b,
        "xor": lambda: a ^ b,
        "not": lambda: ~a,
        "cnot": lambda: int(a == 0),
        "shl": lambda: a << amount if amount < n else 0,
        "shr": lambda: a >> min(amount, n),
        "selp": lambda: a if operands[2] & 1 else b,
        "mov": lambda: a,
        "brev": lambda: int(f"{operands[0]:0{n}b}"[::-1], 2),
        "clz": lambda: n - operands[0].bit_length(),
        "popc": lambda: operands[0].bit_count(),
    }
    return simple[name]() & mask


def signature(opcode: str) -> tuple[str, list[str]]:
    """The types of the result and of the operands."""
    words = opcode.split(".")
    name, type_ = words[0], words[-1]
    if is_by_parts(opcode):
        return "b32", ["b32"] * (3 if name.startswith(("dp", "vabsdiff")) else 2)
    if type_ == "relu":
        return words[1], [words[1]] * 2
    if name == "testp":
        return "pred", [type_]
    if name == "bmsk":
        return "b32", ["u32"] * 2
    if name == "set":
        return words[-2], [type_, type_] + (["pred"] if any(w in words for w in ("and", "or", "xor")) else [])
    if name == "cvt":
        return words[-2], [type_]
    if name in ("popc", "clz", "bfind"):
        return "u32", [type_]
    if "wide" in words:
        wide = type_[0] + str(2 * width(type_))
        return wide, [type_, type_] + ([wide] if name == "mad" else [])
    if name == "setp":
        return "pred", [type_, type_] + (["pred"] if any(w in words for w in ("and", "or", "xor")) else [])
    others = {
        "shl": [type_, "u32"],
        "shr": [type_, "u32"],
        "shf": ["b32", "b32", "u32"],
        "selp": [type_, type_, "pred"],
    }
    others |= {
        "bfe": [type_, "u32", "u32"],
        "bfi": [type_, type_, "u32", "u32"],
        "lop3": ["b32"] * 4,
        "prmt": ["b32"] * 3,
    }
    if name in others:
        return type_, others[name]
    one = {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "abs", "neg", "not", "cnot", "brev", "mov"}
    three = {"fma", "mad", "madc", "sad"}
    return type_, [type_] * (1 if name in one else 3 if name in three else 2)


def expected(opcode: str, operands: list[int]):
    """The result's bits, or ANY_NAN."""
    words = opcode.split(".")
    if is_by_parts(opcode):
        return by_parts(words, operands)
    if words[-1] == "relu":
        return integer(words[:-1], operands) & (0 if integer(words[:-1], operands) >> 31 else 0xFFFFFFFF)
    if words[0] == "testp":
        return tested(words, operands[0])
    if words[0] == "set":
        to = words[-2]
        one = encode(Fraction(1), FORMATS[to]) if to in FORMATS else (1 << width(to)) - 1
        return one if compared(words, operands)[0] else 0
    if words[0] == "cvt":
        return converted(words, operands[0])
    if words[0] in ("mov", "selp"):
        return integer([words[0], f"b{width(words[-1])}"], operands)
    return floating(words, operands) if words[-1] in FORMATS else integer(words, operands)
