"""statements.py -- analyses statements, and rewrites them with a part omitted or made harmless."""

import ast
import functools
import re

import numpy as np

#: As ast calls them.
OPERATORS = {"Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "BitAnd", "BitOr", "BitXor", "LShift", "RShift", "Lt", "LtE",
             "Eq", "NotEq", "Gt", "GtE", "USub", "UAdd", "Invert"}  # fmt: skip

NAME = re.compile(r"[A-Za-z_]\w*")
LIVE_WORD = re.compile(r"\b[a-z]\d+\b")
BOUND = re.compile(r"\b([a-z]\d+)(?=(?:, [a-z]\d+)* [-+*/%&|^<>]*= )")
#: Names of arrays in programs and calls.
LIVE = frozenset(f"{letter}{digit}" for letter in "rvwx" for digit in range(10))


def words(statement):
    """Return the identifiers of a statement and, as separate words, its operators."""
    found = set(NAME.findall(statement))
    found |= {sign for sign in ("//", "%", "**", "@", "*", "/", "-") if sign in statement}
    return frozenset(found)


@functools.lru_cache(maxsize=4096)
def main_function(statement):
    """Return the name of a statement's operation: the outermost call, operator, or kind of assignment."""
    if statement.startswith(("with fuse", "@fuse")):
        body = [main_function(line.strip()) for line in statement.split("\n")[1:]
                if line.startswith("    ") and "return" not in line]  # fmt: skip
        return "fuse:" + "+".join(sorted({name for name in body if name}))[:80]
    try:
        node = ast.parse(statement).body[0]
    except SyntaxError:
        return "?"
    if isinstance(node, ast.AugAssign):
        return f"{type(node.op).__name__}=" + ("[]" if isinstance(node.target, ast.Subscript) else "")
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return "setitem"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        return "set " + node.targets[0].attr
    return name_of(getattr(node, "value", None))


def blamed(function, statement, name):
    """Return the function in a fused block that made the value of a name, or the last one that mentions it."""
    if not function.startswith("fuse:"):
        return function
    lines = [line.strip() for line in statement.split("\n") if line.startswith("    ") and "return" not in line]
    for line in reversed(lines):
        if re.search(rf"\b{name}\b", line):
            return "fuse:" + main_function(line)
    return function


def family(function):
    """Return one name for all elementwise functions and operators, which raise their errors in the same code."""
    fused, _, name = function.rpartition(":")
    known = getattr(np, name.partition(".")[0], None)
    if isinstance(known, np.ufunc):
        name = "ufunc" + "".join(name.partition(".")[1:])
    elif name.rstrip("=[]") in OPERATORS:
        name = "operator" + name[len(name.rstrip("=[]")) :]
    return f"{fused}:{name}" if fused else name


def is_single(statement):
    """Whether a statement is a single operation, so that nothing has changed if it raises."""
    return "\n" not in statement and ";" not in statement


def lines_of(statement):
    """Return the single statements of a fused block, or of a line of several, in their order."""
    lines = statement.split("\n")
    if len(lines) > 1:
        lines = [line.strip() for line in lines if line.startswith("    ") and not line.strip().startswith("return")]
    return [part for line in lines for part in line.split("; ")]


def raiser(function, statement, error):
    """Return the function of the line of a fused block that raised."""
    if not function.startswith("fuse:") or error is None:
        return function
    frame, number = error.__traceback__, None
    while frame:
        if frame.tb_frame.f_code.co_filename == "<program>":
            number = frame.tb_lineno
        frame = frame.tb_next
    line = statement.split("\n")[number - 1].strip() if number else ""
    return "fuse:" + main_function(line) if line and not line.startswith(("with fuse", "@fuse")) else function


def name_of(node):
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute):
            inner = function.value
            of_ufunc = isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "xp"
            if isinstance(inner, ast.Name) and inner.id == "xp":
                return function.attr
            return f"{inner.attr if of_ufunc else ''}.{function.attr}"
        return getattr(function, "id", "call")
    if isinstance(node, ast.Subscript):
        return "getitem" if isinstance(node.value, ast.Name) else name_of(node.value) + "[]"
    if isinstance(node, ast.Attribute):
        return "." + node.attr
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return type(node.op).__name__
    if isinstance(node, ast.Compare):
        return type(node.ops[0]).__name__
    return type(node).__name__


def with_simpler_parts(statement, simple=lambda call, k, name: ("0", "1", "...")):
    """Yield a statement with one argument, operand or index omitted or made harmless."""
    tree = ast.parse(statement)
    body = tree.body[0]
    for node in ast.walk(body):
        if isinstance(node, ast.Call):
            for k, keyword in enumerate(list(node.keywords)):
                del node.keywords[k]
                yield ast.unparse(tree)
                node.keywords.insert(k, keyword)
        places = []
        if isinstance(node, ast.Call):
            places = [(node.args, k, None) for k in range(len(node.args))]
        elif isinstance(node, ast.Subscript):
            places = [(node, "slice", None)]
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        ):
            places = [(node, "value", None)]
        elif isinstance(node, ast.BinOp):
            places = [(node, "left", None), (node, "right", None)]
        for holder, key, name in places:
            old = holder[key] if isinstance(holder, list) else getattr(holder, key)
            for text in simple(node, key, name):
                new = ast.parse(text, mode="eval").body
                if isinstance(holder, list):
                    holder[key] = new
                else:
                    setattr(holder, key, new)
                yield ast.unparse(tree)
            if isinstance(holder, list):
                holder[key] = old
            else:
                setattr(holder, key, old)


def with_harmless_casts(statement):
    """Yield a statement with casts allowed, or with an in-place operation replaced by an assignment."""
    tree = ast.parse(statement)
    body = tree.body[0]
    for node in ast.walk(body):
        if isinstance(node, ast.Call) and any(k.arg == "out" for k in node.keywords):
            keywords = node.keywords
            node.keywords = [k for k in keywords if k.arg != "casting"] + [
                ast.keyword("casting", ast.Constant("unsafe"))
            ]
            yield ast.unparse(tree)
            node.keywords = keywords
    if isinstance(body, ast.AugAssign):
        target = ast.unparse(body.target)
        yield f"np.add({target}, {ast.unparse(body.value)}, out={target}, casting='unsafe')"


def copied(x, order="K"):
    return x.copy(order=order) if isinstance(x, np.ndarray) else x


def in_c_order(x):
    """A copy of an index, or of values that are written, whose places NumPy goes through in C order.

    Of several values for one place the last one stays; NumPy goes through index arrays as they lie in memory.
    """
    return tuple(copied(part, "C") for part in x) if isinstance(x, tuple) else copied(x, "C")


def spread(values, target, index):
    """Values broadcast as for ufunc.at: NumPy's own broadcasting there reads beyond their memory."""
    try:
        return np.broadcast_to(values, np.empty_like(target)[index].shape).copy() if np.ndim(values) else values
    except Exception:
        return values


#: Functions that write to their first argument and read the others.
WRITERS = {"place", "putmask", "put", "copyto", "put_along_axis", "at"}


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


class Copies(ast.NodeTransformer):
    """Makes NumPy read from copies of its inputs.

    NumPy promises that for overlapping memory, but `x[mask] = x[::-1]`, `place(x, m, x)` and
    `f(x, out=x[::-1], where=m)` with casts read elements that they have written. Writes to places are in C order.
    """

    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Subscript | ast.Attribute):
            node.value = self.copy(node.value, "in_c_order")
        if isinstance(target, ast.Subscript) and not any(isinstance(x, ast.Slice) for x in ast.walk(target.slice)):
            target.slice = self.copy(target.slice, "in_c_order")
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in WRITERS:
            node.args = node.args[:1] + [self.copy(x, "in_c_order") for x in node.args[1:]]
            if node.func.attr == "at" and len(node.args) == 3:
                node.args[2] = ast.Call(ast.Name("spread", ast.Load()), [node.args[2], *node.args[:2]], [])
            self.keywords(node)
        elif any(k.arg == "out" and ast.unparse(k.value) not in ("None", "()") for k in node.keywords):
            node.args = [self.copy(x) for x in node.args]
            self.keywords(node)
        return node

    def keywords(self, node):
        for keyword in node.keywords:
            if keyword.arg != "out":
                keyword.value = self.copy(keyword.value)

    def copy(self, node, how="copied"):
        if not any(isinstance(part, ast.Name) and part.id in LIVE for part in ast.walk(node)):
            return node
        return ast.Call(ast.Name(how, ast.Load()), [node], [])


@functools.lru_cache(maxsize=64)
def with_copies(statement):
    """Return the statement that NumPy runs."""
    if (
        not re.search(r"(\]|\.\w+) = ", statement)
        and "out=" not in statement
        and not any(f".{name}(" in statement for name in WRITERS)
    ):
        return statement
    return ast.unparse(ast.fix_missing_locations(Copies().visit(ast.parse(statement))))


@functools.lru_cache(maxsize=64)
def compiled(statement):
    return compile(statement, "<program>", "exec")
