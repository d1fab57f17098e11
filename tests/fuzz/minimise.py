"""minimise.py -- shortens a failing program: fewer statements, then smaller ones, while it fails in the same way."""

import ast
import time


def minimise(statements, fails, seconds=20.0):
    """Return a short program for which `fails` is still true; `fails` is called with lists of statements."""
    end = time.monotonic() + seconds
    best = list(statements)
    seen = {"\n".join(best)}

    def attempt(candidate):
        text = "\n".join(candidate)
        if text in seen or time.monotonic() > end:
            return False
        seen.add(text)
        return fails(candidate)

    best = drop_chunks(best, attempt)
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for candidate in smaller(best):
            if attempt(candidate):
                best, changed = candidate, True
                break
    return best


def drop_chunks(statements, attempt):
    """Drop statements, half of them at once first."""
    size = max(len(statements) // 2, 1)
    while True:
        at = len(statements)
        dropped = False
        while at > 0:
            candidate = statements[: max(at - size, 0)] + statements[at:]
            if candidate and attempt(candidate):
                statements, dropped = candidate, True
            at -= size
        if size == 1 and not dropped:
            return statements
        size = max(size // 2, 1)


def smaller(statements):
    """Yield slightly smaller programs: one statement fewer, or one statement with a smaller part."""
    for k in reversed(range(len(statements))):
        yield statements[:k] + statements[k + 1 :]
    for k in reversed(range(len(statements))):
        for body in variants(ast.parse(statements[k]).body):
            try:
                text = ast.unparse(ast.fix_missing_locations(ast.Module(body=body, type_ignores=[])))
                compile(text, "<candidate>", "exec")
            except (SyntaxError, ValueError, TypeError, AttributeError):
                continue
            if body and text != statements[k]:
                yield [*statements[:k], text, *statements[k + 1 :]]


def variants(node):
    """Yield replacements of a node or of a list of nodes, largest reduction first."""
    if isinstance(node, list):
        for k in range(len(node)):
            yield node[:k] + node[k + 1 :]
        for k, child in enumerate(node):
            if isinstance(child, ast.With):
                yield node[:k] + child.body + node[k + 1 :]
            if isinstance(child, ast.FunctionDef):
                # In place of the function and its call.
                yield node[:k] + [x for x in child.body if not isinstance(x, ast.Return)] + node[k + 2 :]
            for other in variants(child):
                yield [*node[:k], other, *node[k + 1 :]]
        return
    if isinstance(node, ast.Constant):
        yield from (ast.Constant(x) for x in simpler(node.value))
        return
    if isinstance(node, ast.expr):
        yield from inner(node)
    if not isinstance(node, ast.AST) or isinstance(node, ast.Name | ast.expr_context | ast.operator):
        return
    for field, value in ast.iter_fields(node):
        if not isinstance(value, ast.AST | list) or (isinstance(node, ast.FunctionDef) and field == "args"):
            continue
        for other in variants(value):
            parts = dict(ast.iter_fields(node))
            parts[field] = other
            if isinstance(node, ast.Dict) and field in ("keys", "values") and len(other) != len(value):
                continue
            yield type(node)(**parts)


def inner(node):
    """Yield the subexpressions that may replace an expression."""
    if isinstance(node, ast.Call):
        yield from (a for a in node.args if not isinstance(a, ast.Starred))
        if isinstance(node.func, ast.Attribute) and not is_module(node.func.value):
            yield node.func.value
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and not is_module(node.value)):
        yield node.value
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)


def is_module(node):
    return isinstance(node, ast.Name) and node.id in ("xp", "np", "ca")


def simpler(value):
    """Return simpler constants of the same type."""
    if isinstance(value, bool) or value is None or isinstance(value, str | bytes):
        return []
    if isinstance(value, int):
        return [x for x in dict.fromkeys([0, 1, 2, value // 2, value - 1]) if abs(x) < abs(value)]
    if isinstance(value, float):
        return [
            x
            for x in (0.0, 1.0, float(round(value)) if abs(value) < 1e9 else 1.0)
            if x != value and abs(x) <= abs(value)
        ]
    return []
