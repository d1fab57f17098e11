"""The functions of functions.def and reductions.def as objects: placing of arguments, descriptions, and what calls leave behind."""

import ast
import contextlib
import copy
import functools
import inspect
import itertools
import pickle
import pydoc
import sys
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from drawn_calls import WRONG, Call, calls, flat, parameters_of, pool, public

import cuarray
from cuarray import _core

OBJECTS = [name for name in cuarray.__all__ if isinstance(getattr(cuarray, name), _core.function)]
#: Python functions that classes do not bind, as they do not bind NumPy's.
UNBOUND = [name for name in cuarray.__all__ if type(getattr(cuarray, name)).__name__ == "builtin_function"]
#: With those that are ufuncs over vectors and matrices.
NAMES = [name for name in cuarray.__all__ if isinstance(public(name), _core.function)]


#: Functions for whose calls the usual arguments are not enough.
SUITABLE = {
    "broadcast_shapes": ["3", "(2, 3)"],
    "digitize": ["2.5", "[1.0, 2.0]"],
    "dsplit": ["ca.arange(24.).reshape(2, 3, 4)", "2"],
}


@functools.cache
def suitable(name):
    """Return the texts of a call that succeeds, with the required arguments only."""
    if name in SUITABLE:
        return SUITABLE[name]
    needed = [p for p in parameters_of(name) if p.default is p.empty and p.kind < inspect.Parameter.VAR_POSITIONAL]
    pools = [pool(p)[0] for p in needed or parameters_of(name)[:1]]
    for i in range(max(map(len, pools))):
        texts = [usual[i % len(usual)] for usual in pools]
        with contextlib.suppress(Exception):
            public(name)(*Call(name, texts, {}).arguments()[0])
            return texts
    raise AssertionError(f"{name} takes none of the usual arguments that drawn_calls.py has for its parameters")


def wrong_calls(name):
    """Yield calls in which one argument is wrong: each of the parameters once with each wrong object."""
    right = suitable(name)
    for text, (i, parameter) in itertools.product(WRONG, enumerate(parameters_of(name))):
        if i < len(right):
            yield Call(name, [*right[:i], text, *right[i + 1 :]], {})
        elif parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            yield Call(name, right, {parameter.name: text})
        else:
            yield Call(name, [*right, text], {})


def call_and_forget(function, args, keywords):
    """Call a function and drop its result or exception."""
    with contextlib.suppress(Exception):
        function(*args, **keywords)


def in_use(device):
    with contextlib.suppress(IndexError):  # that a GPU found
        cuarray.synchronize(device)
    stats = cuarray.memory.stats(device)
    return stats["current"], stats["allocations"]


def counts_of_references(objects):
    return [sys.getrefcount(x) for x in objects]


def is_everywhere(x):
    """Whether other code has references to the object, too: None and small integers, the counts among them."""
    return x is None or (isinstance(x, int) and abs(x) < 300)


def kept_by(call, function, device):
    """Return what a call has kept: counts of references and figures of the memory before and after, or None."""
    before = in_use(device)
    args, keywords = call.arguments()
    objects = [x for x in flat([*args, *keywords.values()]) if not is_everywhere(x)]
    references = counts_of_references(objects)
    call_and_forget(function, args, keywords)
    after = counts_of_references(objects)
    if after != references:
        return f"{call}: references {references} to {after}"
    del args, keywords, objects
    return None if in_use(device) == before else f"{call}: memory {before} to {in_use(device)}"


def python_function(name):
    """Return a Python function of the same name and signature, whose errors of placing are Python's."""
    scope = {}
    signature = (
        str(inspect.signature(getattr(cuarray, name)))
        .replace("<no value>", "no_value")
        .replace("<class 'float'>", "float")
        .replace("<class 'int'>", "int")
    )
    exec(f"def {name}{signature}: pass", {"no_value": np._NoValue}, scope)
    return scope[name]


def error_of(function, args, keywords):
    with pytest.raises(TypeError) as caught:
        function(*args, **keywords)
    return str(caught.value)


def misplaced(name):
    """Yield arguments that no parameter takes, that are given twice, or that are missing."""
    parameters = inspect.signature(getattr(cuarray, name)).parameters.values()
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in by_place if p.default is p.empty]
    yield [1] * len(required), {"nonsense": 1}
    if not by_place:
        return
    if all(p.kind is not p.VAR_POSITIONAL for p in parameters):
        yield [1] * (len(by_place) + 1), {}
        yield [1] * (len(by_place) + 3), {}
    for count in range(len(required)):
        yield [1] * count, {}
    if by_place[0].kind is by_place[0].POSITIONAL_ONLY:
        yield [], {by_place[0].name: 1, **{p.name: 1 for p in required[1:]}}
    else:
        yield [1] * max(len(required), 1), {by_place[0].name: 1}
        if required:
            yield [], {p.name: 1 for p in required[1:]}


@pytest.mark.parametrize("name", NAMES)
def test_misplaced_arguments(name):
    """Multiple, missing and unknown arguments are errors in Python's words."""
    function, python = getattr(cuarray, name), python_function(name)
    for args, keywords in misplaced(name):
        if any(
            p.kind is p.POSITIONAL_ONLY and p.name in keywords for p in inspect.signature(python).parameters.values()
        ):
            assert "positional-only" in error_of(function, args, keywords)
        else:
            assert error_of(function, args, keywords) == error_of(python, args, keywords)


@pytest.mark.parametrize("name", UNBOUND)
def test_unbound_functions(name):
    """They are described as the Python functions that they are."""
    function = getattr(cuarray, name)
    python = function.__wrapped__
    assert (
        inspect.isfunction(python)
        and inspect.unwrap(function) is inspect.unwrap(python)
        and weakref.ref(function)() is function
    )
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"):
        assert getattr(function, attribute) == getattr(python, attribute), attribute
    assert repr(function) == repr(python) and inspect.signature(function) == inspect.signature(python)
    shown, wanted = (pydoc.render_doc(f, renderer=pydoc.plaintext) for f in (function, python))
    assert shown.partition("\n")[2] == wanted.partition("\n")[2]
    holder = type("Holder", (), {"method": function})()
    assert holder.method is function and inspect.isroutine(function)


def test_multiple_values():
    assert error_of(cuarray.roll, [[1, 2], 1], {"shift": 2}) == "roll() got multiple values for argument 'shift'"


@pytest.mark.parametrize("name", NAMES)
def test_keywords_by_their_letters(name):
    """Strings that are not the interned ones come from configuration files."""
    function, found = getattr(cuarray, name), 0
    for call in calls(name, 60):
        keywords = call.arguments()[1]
        if not keywords or "nonsense" in keywords:
            continue
        found += 1
        first = call.outcome(function, [])
        call.keywords = {"".join(list(k)): text for k, text in call.keywords.items()}
        assert call.outcome(function, []) == first
    by_place = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)
    assert found or all(p.kind in by_place for p in inspect.signature(function).parameters.values())


@pytest.mark.parametrize("name", OBJECTS)
def test_description(name):
    function = getattr(cuarray, name)
    assert (function.__name__, function.__qualname__, function.__module__) == (name, name, "cuarray")
    assert repr(function) == f"<function cuarray.{name}>" and inspect.isroutine(function) and callable(function)
    assert name in pydoc.render_doc(function, renderer=pydoc.plaintext)
    theirs = inspect.signature(python_function(name))
    assert inspect.signature(function) == theirs
    assert inspect.signature(functools.partial(function)) == theirs


@pytest.mark.parametrize("name", [name for name in NAMES if callable(getattr(cuarray.ndarray, name, None))])
def test_methods_have_the_same_parameters(name):
    """The method of the same name has the function's parameters after the first, where NumPy's two agree, too."""
    try:
        theirs = [names_after_first(getattr(of, name)) for of in (np.ndarray, np)]
    except ValueError:
        theirs = ["unknown", None]  # a builtin without a signature, in older versions
    if theirs[0] == theirs[1]:
        assert names_after_first(getattr(cuarray.ndarray, name)) == names_after_first(getattr(cuarray, name))


def names_after_first(function):
    return list(inspect.signature(function).parameters)[1:]


@pytest.mark.parametrize("name", [*OBJECTS, *UNBOUND])
def test_copies_are_the_function(name):
    """Pickled and copied by name, as Python's functions are: for process pools."""
    function = getattr(cuarray, name)
    assert copy.copy(function) is function and copy.deepcopy(function) is function
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(function, protocol)) is function


@pytest.mark.parametrize("name", OBJECTS)
def test_wrapping(name):
    """Decorators, weak references and classes take it for a function."""
    function = getattr(cuarray, name)

    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    assert wrapper.__wrapped__ is function and (wrapper.__name__, wrapper.__doc__) == (name, function.__doc__)
    assert inspect.signature(wrapper) == inspect.signature(function)
    assert weakref.ref(function)() is function
    holder = type("Holder", (), {"method": function, "plain": staticmethod(function)})()
    assert holder.plain is function
    if isinstance(function, _core.unbound_function):
        assert holder.method is function
    else:
        assert holder.method.__self__ is holder and holder.method.__func__ is function


@pytest.mark.parametrize("name", NAMES)
def test_names_in_errors(name, device):
    """An error names the function that the program has called."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in wrong_calls(name):
            args, keywords = call.arguments()
            try:
                getattr(cuarray, name)(*args, **keywords)
            except (TypeError, ValueError, IndexError, OverflowError, AttributeError, BufferError) as error:
                text = str(error)
                known = text.partition(":")[0]
                assert known == name or not hasattr(cuarray, known), f"{call}: {text}"
            except (RuntimeError, MemoryError):
                pass
            finally:
                with contextlib.suppress(IndexError):  # that a GPU found later
                    cuarray.synchronize()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_kept(name, device):
    """A call, also one that fails, leaves no reference to an argument and no memory in use."""
    function, found = getattr(cuarray, name), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in [*wrong_calls(name), *calls(name, 60)]:
            # Not the first time: caches of dtypes are filled, and a leak is one each time.
            if kept_by(call, function, device) and kept_by(call, function, device):
                found += filter(None, [kept_by(call, function, device)])
    assert not found, found


@pytest.mark.parametrize("name", NAMES)
def test_calls_do_not_grow(name, device, full):
    """Calls, right ones and wrong ones, leave no blocks of Python's allocator."""
    function, right, count = getattr(cuarray, name), suitable(name), 1000 if full else 250
    for call in (Call(name, right, {}), Call(name, ["object()", *right[1:]], {}), Call(name, right, {"nonsense": "1"})):
        args, keywords = call.arguments()
        for _ in range(3):  # caches of the interpreter may grow once
            before, memory = sys.getallocatedblocks(), in_use(device)
            for _ in range(count):
                call_and_forget(function, args, keywords)
            if sys.getallocatedblocks() < before + count // 10 and in_use(device) == memory:
                break
        else:
            raise AssertionError(f"{sys.getallocatedblocks() - before} blocks, {memory} to {in_use(device)}: {call}")


def test_calls_of_numpys_functions(device):
    """NumPy's functions give their calls with arrays of ours to ours, with keywords and defaults."""
    x = cuarray.arange(6.0).reshape(2, 3)
    for made in (np.moveaxis(x, 0, 1), np.roll(x, 1, axis=0), np.concatenate([x, x], axis=1), np.stack((x, x), -1)):
        assert type(made) is cuarray.ndarray and made.device == x.device
    assert [type(part) for part in np.split(x, 3, axis=1)] == [cuarray.ndarray] * 3


def test_functions_of_numpy_make_arrays_on_the_device_of_like(device):
    x = cuarray.ones(2, device=device)
    for _ in range(2):  # the second call knows ours
        with cuarray.device("cpu"):
            assert np.zeros(3, like=x).device == np.identity(2, like=x).device == x.device


@functools.cache
def stub():
    """Return the functions of the stub by name: a list for each, of several if it is overloaded."""
    found = {}
    for node in ast.parse((Path(cuarray.__file__).parent / "__init__.pyi").read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node.args)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found |= {target.id: found[node.value.id] for target in node.targets if node.value.id in found}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_stub(name):
    """The stub, or one of its overloads, has the parameters of the function, in their order and of their kinds."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    wanted = [[p.name for p in parameters_of(name) if p.kind is kind] for kind in kinds]
    forms = [[form.posonlyargs, form.args, form.kwonlyargs] for form in stub()[name]]
    assert wanted in [[[a.arg for a in part] for part in form] for form in forms]
