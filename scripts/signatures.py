"""The typed signature of a Python function: names and defaults from its def, types from its docstring.

A numpydoc docstring names the type of every parameter and of the result. ANNOTATIONS and RETURNS map these
phrases to annotations; an unknown phrase stops the build, so that no signature is untyped unnoticed.
"""

import ast
import re

#: Annotations of the phrases of docstrings. `, optional` and `or None` are removed first.
ANNOTATIONS = {
    "": "Any",
    "None": "None",
    "number": "Number",
    "object": "Any",
    "bool": "_bool",
    "str or tuple of dtype": "str | tuple[DTypeLike | None, ...]",
    "int": "SupportsIndex",
    "int or sequence of int": "Shape",
    "int or pair of int": "Shape",
    "int or tuple of int": "Shape",
    "int or sequence": "Any",
    "int or pair of sequences of int": "int | Sequence[Any]",
    "int or array_like of int": "ArrayLike",
    "int, array_like, or two of them": "ArrayLike",
    "int, pair, sequence of pairs, or dict": "ArrayLike | dict[int, Any]",
    "int, slice, array_like of int or bool": "OneKey",
    "int, str or array_like": "ArrayLike",
    "tuple of int": "Sequence[SupportsIndex]",
    "sequence of int": "Sequence[SupportsIndex]",
    "float": "float",
    "float or array_like": "ArrayLike",
    "int, float, inf or -inf": "float",
    "int, float, inf, -inf, 'fro', 'nuc'": "float | Literal['fro', 'nuc']",
    "pair of int": "Sequence[SupportsIndex]",
    "list of tuple of int": "Any",
    "(float, float)": "Sequence[float] | ndarray",
    "str": "str",
    "str, array_like or list of int": "Any",
    "str or callable": "str | Callable[..., Any]",
    "str or compiled expression": "str | re.Pattern[Any]",
    "str or sequence of str": "str | Sequence[str]",
    "str, path or file": "Any",
    "str, path, file or list of str": "Any",
    "bool, str or tuple": "Any",
    "bool or array_like of bool": "ArrayLike",
    "array_like": "ArrayLike",
    "array_like of bool": "ArrayLike",
    "array_like of bool or int": "ArrayLike",
    "array_like of int": "ArrayLike",
    "array_like of int or bool": "ArrayLike",
    "array_like of real numbers": "ArrayLike",
    "array_like of uint8": "ArrayLike",
    "array_like or object": "Any",
    "array_like or dtype": "ArrayLike | DTypeLike",
    "array_like or nested list of array_like": "ArrayLike",
    "array_like or sequence of array_like": "ArrayLike",
    "number or array_like": "ArrayLike",
    "number or ndarray": "Number | ndarray",
    "list of array_like of bool": "Any",
    "list of callable or number": "Sequence[Any]",
    "sequence": "Sequence[Any]",
    "sequence of array_like": "ArrayLike",
    "sequence of array_like of bool": "ArrayLike",
    "tuple of array_like of int": "ArrayLike",
    "ndarray": "ndarray",
    "ndarray or numpy.ndarray": "ndarray | np.ndarray[Any, Any]",
    "dtype": "DTypeLike",
    "dtype or ndarray": "DTypeLike | ndarray",
    "dtype, str or tuple of them": "Any",
    "device or str": "DeviceLike",
    "buffer": "Any",
    "callable": "Callable[..., Any]",
    "dict of callable": "Any",
    "iterable": "Iterable[Any]",
    "{'raise', 'wrap', 'clip'} or a tuple of them": "Outside | tuple[Outside, ...]",
}

#: Annotations of phrases for results, where they differ from those of arguments.
RETURNS = {
    "object": "Any",
    "": "None",
    "bool": "_bool",
    "callable": "Callable[..., Any]",
    "device": "device",
    "dict of str": "dict[str, str]",
    "dtype": "np.dtype[Any]",
    "int": "int",
    "iterator of tuple": "Iterator[tuple[tuple[int, ...], ndarray]]",
    "list of ndarray": "list[ndarray]",
    "ndarray": "ndarray",
    "ndarray of shape (a.size, b.size)": "ndarray",
    "q, r : ndarray": "tuple[ndarray, ndarray]",
    "str": "str",
    "tuple of device": "tuple[device, ...]",
    "tuple of int": "tuple[int, ...]",
    "tuple of list and str": "tuple[list[Any], str]",
    "tuple of ndarray": "tuple[ndarray, ...]",
    "tuple of two ndarray": "tuple[ndarray, ndarray]",
    "type": "type[Any]",
}

#: Annotations that include None.
HOLD_NONE = ("Any", "DeviceLike")

#: The keywords of ufuncs, which docstrings describe together.
KEYWORDS = {
    "casting": "Casting",
    "dtype": "DTypeLike | None",
    "order": "Order | None",
    "out": "ndarray | None",
    "signature": "str | tuple[DTypeLike | None, ...] | None",
    "subok": "_bool",
}


def sections(docstring: str) -> dict[str, list[str]]:
    """The unindented lines of each section of a numpydoc docstring."""
    parts = re.split(r"^(\S[^\n]*)\n-{3,}$", docstring, flags=re.MULTILINE)
    lines = [re.findall(r"^\S.*", text, flags=re.MULTILINE) for text in parts[2::2]]
    return dict(zip(parts[1::2], lines, strict=True))


def parameter_phrases(docstring: str) -> dict[str, str]:
    """The type of each parameter, as written in the docstring."""
    phrases = {}
    for line in sections(docstring).get("Parameters", ()):
        names, _, phrase = line.partition(" : ")
        phrases |= {name.strip(" *"): phrase for name in names.split(",")}
    return phrases


def annotation(phrase: str, function: str) -> str:
    """Convert a phrase of a docstring to an annotation."""
    bare = re.sub(r"(, |^)optional$", "", phrase)
    bare = re.sub(r" of shape \(.*$", "", bare)
    bare, could_be_none = re.subn(r" or None$", "", bare)
    if bare in ANNOTATIONS:
        text = ANNOTATIONS[bare]
    elif re.fullmatch(r"\{.*\}", bare):
        text = f"Literal[{bare[1:-1]}]"
    else:
        raise SystemExit(f"signatures.py: {function}: no annotation for {phrase!r}")
    return f"{text} | None" if could_be_none and text not in HOLD_NONE else text


def parameter(argument: ast.arg, default: ast.expr | None, phrases: dict[str, str], function: str) -> str:
    """One parameter with its type, that of the def if it has one, and its default."""
    name = argument.arg
    phrase = phrases.get(name, "optional")
    value = default.value if isinstance(default, ast.Constant) else None
    if argument.annotation:
        text = ast.unparse(argument.annotation)
    elif phrase in ("", "optional"):
        inferred = {"bool": "_bool", "int": "int"}.get(type(value).__name__, "Any")
        text = KEYWORDS.get(name, inferred)
        if name == "device":
            text = "DeviceLike"
        elif name == "shape":
            text = "Shape | None"
    else:
        text = annotation(phrase, function)
    if default is None:
        return f"{name}: {text}"
    if isinstance(default, ast.Constant) and value is None and not text.endswith("None"):
        text += "" if text in HOLD_NONE else " | None"
    number = default.operand if isinstance(default, ast.UnaryOp) else default
    shown = ast.unparse(default) if isinstance(number, ast.Constant) else "..."
    return f"{name}: {text} = {shown}"


def parameters(node: ast.FunctionDef, phrases: dict[str, str]) -> str:
    """The parameters of a function with their types."""
    given, texts = node.args, []
    positional = given.posonlyargs + given.args
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    for count, (argument, default) in enumerate(zip(positional, defaults, strict=True), 1):
        texts.append(parameter(argument, default, phrases, node.name))
        if count == len(given.posonlyargs):
            texts.append("/")
    if given.vararg:
        texts.append("*" + parameter(given.vararg, None, phrases, node.name))
    elif given.kwonlyargs:
        texts.append("*")
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        texts.append(parameter(argument, default, phrases, node.name))
    if given.kwarg:
        texts.append(f"**{given.kwarg.arg}: Any")
    return ", ".join(texts)


def docstring(text: str, indent: str) -> str:
    """A docstring's lines in a stub, which editors show."""
    lines = text.replace("\\", "\\\\").splitlines()
    ended = f"\n{indent}" if len(lines) > 1 else ""
    return f'{indent}"""' + f"\n{indent}".join(lines).replace(f"\n{indent}\n", "\n\n") + f'{ended}"""\n'


def stub(node: ast.FunctionDef, classes: set[str], doc: str = "") -> str:
    """A function in a stub with its docstring, or `doc` for an overload; `classes` are phrases that are annotations."""
    doc = doc or ast.get_docstring(node) or ""
    phrase = ", ".join(sections(doc).get("Returns", [""]))
    result = ast.unparse(node.returns) if node.returns else phrase if phrase in classes else RETURNS.get(phrase)
    if result is None:
        raise SystemExit(
            f"signatures.py: {node.name}: no annotation for the result {phrase!r}; if it depends on the "
            "arguments, the function belongs into scripts/overloads_stub.pyi"
        )
    text = parameters(node, parameter_phrases(doc))
    decorator = "@overload\n" if "overload" in map(ast.unparse, node.decorator_list) else ""
    return f"{decorator}def {node.name}({text}) -> {result}:\n{docstring(doc, '    ')}\n"


def method_stub(node: ast.FunctionDef) -> str:
    """The same as a method of its first argument, in a stub where bool is Python's."""
    phrases = parameter_phrases(ast.get_docstring(node) or "")
    text = parameters(node, phrases).partition(", ")[2].replace("_bool", "bool")
    return f"    def {node.name}(self, {text}) -> ndarray: ...\n"
