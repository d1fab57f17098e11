"""calls.py -- every public function with generated valid and hostile arguments.

    python tests/fuzz/calls.py --seconds 60 --seed 1 [--count K] [--first I] [--device cuda:0] [--jobs J] [--only REGEX]

Functions come from the namespace, and their parameters from their signatures: a new function is included automatically.
The argument of a parameter follows from its name (PARAMETERS of arguments.py); exceptions are lines of FUNCTIONS.
Every call must return in time and without a crash; its exception must be of NumPy's type, and name the function and no
internals of cuarray; its result must be NumPy's; a call that raises must not change any array.
"""

import ast
import contextlib
import gc
import os
import re
import sys
import tempfile

import batches
import numpy as np
from arguments import ALL, DTYPES, FORMS, HOSTILE, KINDS, METHODS, NO_FILES, SHAPES, UFUNCS, names_of_numpy, parameters
from arguments import restrict as restrict  # --only
from call_arrays import LARGER, array, laid_out
from hostile import NAMES, Planted
from intended import MEANT_IN_CALLS
from judge import Difference, Pair, headline
from statements import main_function, with_simpler_parts

import cuarray as ca

NAME = "calls"


def mended(statement):
    """Yield a call with one argument omitted or replaced by a valid one."""

    def good(node, k, _):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "xp":
            kinds = parameters(node.func.attr) if hasattr(ca, node.func.attr) else []
            if kinds:
                return list(dict.fromkeys(KINDS[kinds[min(k, len(kinds) - 1)][1]]))[:12]
        return ("0", "1", "None", "x0", "xp.zeros(3)")

    yield from with_simpler_parts(statement, good)
    if "x5" in statement:
        yield statement.replace("x5", "x1")  # not read-only


class Writer:
    """Writes calls."""

    def __init__(self, rng):
        self.rng = rng
        self.shape = ()

    def arrays(self):
        """Return the statements that make x0 to x5."""
        rng = self.rng
        shape = self.shape = rng.choice(SHAPES if rng.random() < 0.7 else LARGER)
        first, second = rng.choice(DTYPES), rng.choice(DTYPES)
        if rng.random() < 0.5:
            second = first
        places = [rng.randrange(max(shape[0] if shape else 1, 1)) for _ in range(min(int(np.prod(shape)), 5))]
        ascending = sorted(rng.randrange(9) for _ in range(min(shape[-1], 24) if shape else 3))
        lines = [f"x0 = {laid_out(rng, first, shape)}",
                 f"x1 = {laid_out(rng, second, shape)}",
                 f"x2 = {array(rng, '?', shape)}",
                 f"x3 = xp.array({places}, 'i8')",
                 f"x4 = xp.array({ascending}, {first if first != '?' else 'f8'!r})",
                 "x5 = x1.copy(); x5.setflags(write=False)"]  # fmt: skip
        return lines

    def argument(self, kind, hostile=False):
        if hostile:
            while True:
                text = self.rng.choice(HOSTILE)
                if kind != "file" or not NO_FILES.search(text):
                    return text
        return self.rng.choice(KINDS[kind])

    def call(self):
        """Return the text of a call."""
        rng = self.rng
        if FORMS and (not (ALL or METHODS) or rng.random() < 0.2):
            return self.form()
        name = rng.choice(METHODS if METHODS and (not ALL or rng.random() < 0.3) else ALL)
        if name.startswith("UFUNC"):
            return self.call_of(
                name.replace("UFUNC", "xp." + rng.choice(UFUNCS[name.partition(".")[2]])), parameters(name), None
            )
        return self.call_of(name if name.startswith("x0.") else f"xp.{name}", parameters(name), names_of_numpy(name))

    def call_of(self, name, known_parameters, known):
        """Return the text of a call of a function with these parameters, of which NumPy knows some or all (None)."""
        rng = self.rng
        chosen = []
        for parameter, kind, how in known_parameters:
            if how == "more":
                chosen += [("", kind)] * rng.randrange(3)
            elif how == "must" or (how == "may" and rng.random() < 0.7 and not any(k for k, _ in chosen)):
                chosen.append(("", kind))
            elif how == "keyword":
                strange = known is not None and parameter not in known
                if rng.random() < (0.02 if strange else 0.25):
                    chosen.append((parameter, kind))
        spoilt = self.spoilt(len(chosen))
        texts = [(f"{p}=" if p else "") + self.argument(kind, k in spoilt) for k, (p, kind) in enumerate(chosen)]
        if rng.random() < 0.01 and texts:
            texts.pop(rng.randrange(len(texts)))
        texts.sort(key=lambda t: bool(re.match(r"[a-z_]\w*=(?!=)", t)))
        return f"{name}({', '.join(texts)})"

    def spoilt(self, count):
        """Return which arguments are hostile: none, one, or two."""
        kind = self.rng.random()
        if not count or kind < 0.65:
            return set()
        return {self.rng.randrange(count) for _ in range(1 if kind < 0.95 else 2)}

    def form(self):
        parts = re.split(r"\{(\w+)\}", self.rng.choice(FORMS))
        spoilt = self.spoilt(len(parts) // 2)
        for k in range(1, len(parts), 2):
            parts[k] = self.argument(parts[k], k // 2 in spoilt)
        return "".join(parts)


def statement_of(call):
    """Return a statement that keeps the result of a call."""
    try:
        ast.parse(f"r0 = {call}")
    except SyntaxError:
        return call
    return call if re.match(r"x\d(\.\w+|(\.flat)?\[.*\])? [-+*/]?= ", call) else f"r0 = {call}"


# ---- comparing ---------------------------------------------------------------------------------------------------------

INSIDES = re.compile(r"_core\b|incompatible function arguments|cuarray\._|::|pybind|basic_string|\b_[a-z]\w*\(\) ")

#: Messages of Python itself that do not name the function: accepted after a function's name.
UNNAMED = re.compile(
    r"^(?![a-z_]\w*(\.\w+)?: ).*(object has no attribute|not subscriptable|object is not iterable|cannot unpack|must be real number"
    r"|object of type '\w+' has no len|not supported between instances|unsupported operand|(?:list|tuple) index out of range|assignment index out of range"
    r"|object cannot be interpreted as an integer|argument must be a string or a)",
    re.DOTALL,
)


#: Objects whose side effects occur in another order than with NumPy: such calls must only end without a crash.
CHANGING = re.compile(r"\b(shrink|scribble|freeze)\(")


def is_numpys(function):
    """Whether a function of cuarray's is NumPy's own."""
    return getattr(ca, function, ca) is getattr(np, function, np)


def judge_message(statement, error, want):
    """Return the Difference of a message that exposes internals, unless it is NumPy's own or the interpreter's."""
    try:
        text = str(error)
    except Planted:
        return None  # it quotes an argument that raises when it is printed
    if want is not None and text == str(want):
        return None
    function = main_function(statement)
    if is_numpys(function):
        return None
    if (
        isinstance(error, Planted | MemoryError | SyntaxError | StopIteration | RecursionError | OSError)
        or "planted" in text
    ):
        return None
    if isinstance(error, NameError) or ("hostile" in text.lower() and "object" in text):
        return None
    if getattr(ca, function, None) is getattr(np, function, ca):
        return None  # NumPy's own, such as ndindex
    if re.match(r"unsupported operand type|'\S+' not supported between instances", text) and re.search(
        r"'cuarray\.\w+'", text
    ):
        return None  # Python's, of an operator that neither side implements
    if type(error) is AttributeError and re.match(r"'(cuarray\.\w+|Flags)' object has no attribute '(\w+)'", text):
        return None  # Python's way to name what is missing
    if function in ("complex", "format", "iter", "len"):
        return None  # Python's, of a result
    if "datetime64" in statement and "NoneType" in text:
        return None  # NumPy's own, of an invalid date
    if function in ("setitem", ".fill") and "must be real number" in text:
        return None  # Python's of an element, as in NumPy
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace and trace.tb_frame.f_code.co_name == "<lambda>":
        return None  # raised by a function argument
    insides, unnamed = INSIDES.search(text), UNNAMED.search(text)
    if insides or unnamed:
        found = insides[0] if insides else unnamed[2]
        return Difference((function, "message", type(error).__name__, found), f"cuarray: {headline(error)}")
    return None


def run(pair, statement, trace, before):
    """Run a call on both sides, cuarray's first; return its Differences."""
    trace([*before, statement])
    got = pair.run_ours(statement)
    if CHANGING.search(statement):
        found = judge_message(statement, got, None) if got else None
        return [found] if found else []
    want = pair.run_theirs(statement)
    differences = []
    if got is not None:
        told = judge_message(statement, got, want)
        differences += [told] if told else []
    if isinstance(got, MemoryError) and "endless" in statement and not isinstance(want, MemoryError):
        return [Difference((main_function(statement), "endless"), f"NumPy: {headline(want)}; cuarray takes all memory")]
    if isinstance(got, MemoryError) or isinstance(want, MemoryError):
        return differences
    if isinstance(got, Planted) and want is not None:
        return differences
    found = pair.finish(statement, want, got)
    return differences + ([found] if found else [])


#: NumPy computes these with Python integers, endlessly; polyint makes one step per order.
ENDLESS = re.compile(r"(\*\* |pow|<<|shift).*10\*\*30|10\*\*30.*(\*\* |<<)|polyint\(.*1 << ")

#: NumPy writes to memory that is not the array's: choose beyond what is not contiguous, files over references.
CORRUPTING = re.compile(r"choose\(.*(out=.*mode='[wc]|mode='[wc].*out=)|readinto\((?!x)")


#: Functions that may take the elements of an array one by one: millions take minutes and gigabytes.
ONE_BY_ONE = {"polydiv", "choose", ".choose"}


def case(rng, device, trace):
    """Make a few arrays and call functions with them."""
    settle()
    writer = Writer(rng)
    setup = writer.arrays()
    pair = Pair(device, NAMES, MEANT_IN_CALLS, mended)
    for _ in range(10):
        statement = statement_of(writer.call())
        if ENDLESS.search(statement) or CORRUPTING.search(statement):
            continue
        if "resize(" in statement and "xp.resize(" not in statement:
            statement = statement.replace("x0.resize", "x1.resize")
        made = setup
        is_large = "shrink(x0" in statement and rng.random() < 0.3
        function = main_function(statement)
        if is_large and function not in ONE_BY_ONE and not is_numpys(function):  # NumPy's own may go through them, too
            made = ["x0 = xp.zeros(20_000_000)", *setup[1:]]  # memory that goes back to the system at once
            gc.collect()  # exceptions keep their frames alive
        try:
            pair.prepare(made)
        except MemoryError:
            continue  # this process's memory limit
        for difference in run(pair, statement, trace, made):
            yield difference, [*made, statement]


def settle():
    """Files go to a temporary folder, and are deleted with their case."""
    if not os.getcwd().startswith(batches.FOLDER.name):
        os.chdir(tempfile.mkdtemp(dir=batches.FOLDER.name))
    for name in os.listdir():
        with contextlib.suppress(OSError):
            os.remove(name)


def replay(statements, device):
    """Run statements, the last of which is the call, and return the Differences."""
    settle()
    pair = Pair(device, NAMES, MEANT_IN_CALLS, mended)
    found = []
    pair.prepare(statements[:-1])
    if not all(isinstance(x, ca.ndarray) for n, x in pair.ours.items() if re.match(r"x\d$", n)):
        return []
    return found + run(pair, statements[-1], lambda _: None, [])


def header(text):
    """Return the header of a printed program."""
    lines = "import numpy as np, cuarray as ca\n\nxp = ca\n"
    names = sorted(n for n in NAMES if re.search(rf"\b{n}\b", text))
    return f"from hostile import {', '.join(names)}  # tests/fuzz\n{lines}" if names else lines


def function_of(statements):
    return main_function(statements[-1])


if __name__ == "__main__":
    sys.exit(batches.main(sys.modules[__name__]))
