"""Functions with a fast path: each call has the outcome of the Python function, which also describes it.

A new fast function is tested without a line here, unless its parameters have names that the pools of calls.py lack.
"""

import ast
import contextlib
import copy
import functools
import gc
import inspect
import itertools
import operator
import pickle
import pydoc
import sys
import warnings
import weakref
from pathlib import Path

import pytest
from drawn_calls import WRONG, Call, calls, differences, flat, parameters_of, pool, public, report

import cuarray
from cuarray import _core


def has_fast_path(name):
    """Whether a function is answered by C++; those that are not bound as methods may be Python's alone."""
    function = public(name)
    fast = name.rpartition(".")[2] in (*_core.fast_functions, "asanyarray")
    return isinstance(function, _core.fast_function) or (fast and isinstance(function, _core.builtin_function))


#: With their aliases; those of linalg that the main namespace has not.
FUNCTIONS = [
    *[name for name in cuarray.__all__ if has_fast_path(name)],
    *[
        f"linalg.{name}"
        for name in cuarray.linalg.__all__
        if isinstance(getattr(cuarray.linalg, name), _core.fast_function) and name not in cuarray.__all__
    ],
]
#: Calls of all functions together that test_outcomes compares, a quarter of them without --all, and 30 times as many with --full.
CALLS = 24_000


def last_part(name):
    return name.rpartition(".")[2]


# Outcomes


@pytest.mark.parametrize("name", FUNCTIONS)
def test_outcomes(name, device, every, full):
    """Results, errors, warnings, and the arguments that are written or shared are those of the Python function."""
    function = public(name)
    found = differences(
        calls(name, CALLS // len(FUNCTIONS) * (30 if full else 1) // (1 if every else 4)),
        function,
        function.__wrapped__,
    )
    assert not found, report(found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lines_of_profiles(name, device):
    """A profile gives the work to the line of the caller."""
    function, call = public(name), Call(name, suitable(name), {})
    lines = set()
    for way in (function, function.__wrapped__):
        args, keywords = call.arguments()
        with cuarray.profile() as profile:
            way(*args, **keywords)
        lines |= {(event.file, event.line) for event in profile.events}
    assert len(lines) <= 1 and all(file == __file__ for file, _ in lines)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_memory(name, device):
    """Where memory is missing for the result, both ways raise MemoryError, unless the fast path needs none."""
    function, call = public(name), Call(name, suitable(name), {})
    got, want = error_without_memory(call, function, device), error_without_memory(call, function.__wrapped__, device)
    assert got == want or (got is None and want is MemoryError)


def error_without_memory(call, function, device):
    args, keywords = call.arguments()
    cuarray.synchronize(device)
    with cuarray.memory.limit(1, device), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*args, **keywords)
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_names_of_keywords(name, device):
    """Keywords are found by their letters: strings that are not the interned ones come from configuration files."""
    function = public(name)
    for call in calls(name, 40):
        call.keywords = {"".join(list(k)): text for k, text in call.keywords.items()}
        assert not differences([call], function, function.__wrapped__), call


def test_functions():
    #: Methods that no function has the name of.
    methods = {"tobytes", "array_function"}
    assert set(_core.fast_functions) - methods <= {last_part(name) for name in FUNCTIONS}
    assert type(cuarray.ndarray.tobytes) is type(cuarray.ndarray.__array_function__) is _core.fast_function


def is_answered(name, args, keywords):
    """Whether a call takes the fast way, on cpu."""
    function, entered = public(name), []
    code, before = function.__code__, sys.getprofile()
    with cuarray.device("cpu"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.setprofile(lambda frame, event, _: entered.append(event) if frame.f_code is code else None)
        try:
            function(*args, **keywords)
        except Exception:
            entered.append("error")
        finally:
            sys.setprofile(before)
    return not entered


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fast_ways_are_taken(name):
    """The calls above are not all left to Python, else they would compare nothing."""
    drawn = calls(name, 1000)
    answered = sum(is_answered(name, *call.arguments()) for call in drawn)
    assert answered >= 4, f"{answered} of {len(drawn)} calls: POOLS lacks arguments for {name}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fast_ways_are_taken_with_defaults(name):
    """Written out, as in axis=None, they change nothing."""
    call = next(call for call in calls(name, 1000) if is_answered(name, *call.arguments()))
    args, given = call.arguments()
    parameters = [p for p in parameters_of(name) if p.kind is not p.VAR_POSITIONAL]
    place = 0 if len(parameters) < len(parameters_of(name)) else len(args)
    defaults = {p.name: p.default for p in parameters[place:] if p.default is not p.empty and p.name not in given}
    for written in (defaults, *({name: default} for name, default in defaults.items())):
        args, given = call.arguments()
        assert is_answered(name, args, given | written), (call, written)


WRITERS = [name for name in FUNCTIONS if "out" in inspect.signature(public(name)).parameters]


@pytest.mark.parametrize("name", WRITERS)
def test_out(name):
    """Few elements are written fast to an `out` that fits, also to an argument; others are Python's."""
    function, signature = public(name), inspect.signature(public(name))
    seen, found = 0, []
    with cuarray.device("cpu"):
        for call in calls(name, 300):
            args, keywords = call.arguments()
            if not is_answered(name, args, keywords) or "out" in signature.bind(*args, **keywords).arguments:
                continue
            result = function(*args, **keywords)
            if result.nbytes > 1 << 15 or result.ndim > 60:
                continue  # written by Python, or without room for the axis that is added below
            bits, room = result.numpy().tobytes(), cuarray.ones(result.shape, result.dtype)
            for out in (room, room[..., ::-1] if room.ndim > 0 else room):
                assert is_answered(name, args, keywords | {"out": out}), call
                assert function(*args, **keywords, out=out) is out and out.numpy().tobytes() == bits, call
                seen += 1
            for place, argument in enumerate(args):
                fits = type(argument) is cuarray.ndarray and (argument.shape, argument.dtype) == (
                    room.shape,
                    room.dtype,
                )
                if fits and room.ndim > 0:  # a copy of one element is a value, which does not change
                    again = [*args]
                    again[place] = out = argument.copy()
                    assert function(*again, **keywords, out=out).numpy().tobytes() == bits, call
            text = f"ca.ones({room.shape}, '{room.dtype}')"
            for out in (
                f"locked({text})",
                f"{text}.astype('f2')",
                f"{text}.astype('c16')",
                f"{text}[None]",
                f"({text},)",
            ):
                other = Call(name, call.positional, call.keywords | {"out": out})
                found += differences([other], function, function.__wrapped__)
    assert seen and not found, report(found)


# Wrong arguments


@functools.cache
def suitable(name):
    """Return the texts of a call that succeeds, with the required arguments only."""
    needed = [p for p in parameters_of(name) if p.default is p.empty and p.kind < inspect.Parameter.VAR_POSITIONAL]
    pools = [pool(p)[0] for p in needed or parameters_of(name)[:1]]
    for i in range(max(map(len, pools))):
        texts = [usual[i % len(usual)] for usual in pools]
        with contextlib.suppress(Exception):
            public(name)(*Call(name, texts, {}).arguments()[0])
            return texts
    raise AssertionError(f"{name} takes none of the usual arguments that calls.py has for its parameters")


def wrong_calls(name, right=None):
    """Yield calls in which one argument is wrong: each of the parameters once with each wrong object."""
    right = right or suitable(name)
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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments(name, device):
    """Each argument wrong once: the same error, or result, as from Python."""
    function = public(name)
    found = differences(wrong_calls(name), function, function.__wrapped__)
    assert not found, report(found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_is_kept(name, device):
    """A call, also one that fails, leaves no reference to an argument and no memory in use."""
    function, found = public(name), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in [*wrong_calls(name), *calls(name, 60)]:
            # Not the first time: caches of dtypes are filled, and a leak is one each time.
            if kept_by(call, function, device) and kept_by(call, function, device):
                gc.collect()
                found += filter(None, [kept_by(call, function, device)])
    assert not found, report(found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls_do_not_grow(name, device, full):
    """Calls, right ones and wrong ones, leave no blocks of Python's allocator."""
    function, right, count = public(name), suitable(name), 1000 if full else 250
    for call in (Call(name, right, {}), Call(name, ["object()", *right[1:]], {}), Call(name, right, {"nonsense": "1"})):
        args, keywords = call.arguments()

        def repeat(times, args=args, keywords=keywords):
            for _ in range(times):
                call_and_forget(function, args, keywords)

        repeat(20)
        for _ in range(3):  # caches of the interpreter may grow once
            gc.collect()
            before, memory = sys.getallocatedblocks(), in_use(device)
            repeat(count)
            gc.collect()
            if sys.getallocatedblocks() < before + count // 10 and in_use(device) == memory:
                break
        else:
            raise AssertionError(f"{sys.getallocatedblocks() - before} blocks, {memory} to {in_use(device)}: {call}")


# One description


@pytest.mark.parametrize("name", FUNCTIONS)
def test_description(name):
    """What tools ask of a function is answered as by the Python function."""
    function = public(name)
    python = function.__wrapped__
    assert inspect.isfunction(python) and inspect.unwrap(function) is python
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"):
        assert getattr(function, attribute) == getattr(python, attribute), attribute
    assert function.__name__ == last_part(name) and repr(function) == repr(python)
    assert inspect.signature(function) == inspect.signature(python)
    assert inspect.getdoc(function) == inspect.getdoc(python)
    assert inspect.isroutine(function) and callable(function)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help(name):
    """The title aside, which names the type of the object."""
    function = public(name)
    shown, wanted = (pydoc.render_doc(f, renderer=pydoc.plaintext) for f in (function, function.__wrapped__))
    assert shown.partition("\n")[2] == wanted.partition("\n")[2]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_copies_are_the_function(name):
    """Pickled and copied by name, as Python functions are: for process pools."""
    function = operator.attrgetter(name)(cuarray)
    assert copy.copy(function) is function and copy.deepcopy(function) is function
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(function, protocol)) is function


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrapping(name):
    """Decorators, partial() and classes take it for a function."""
    function = public(name)

    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    assert wrapper.__wrapped__ is function and inspect.unwrap(wrapper) is function.__wrapped__
    assert (wrapper.__name__, wrapper.__doc__) == (last_part(name), function.__doc__)
    assert inspect.signature(wrapper) == inspect.signature(function)
    assert functools.partial(function).func is function
    assert weakref.ref(function)() is function
    holder = type("Holder", (), {"method": function, "plain": staticmethod(function)})()
    assert holder.plain is function
    if isinstance(function, _core.builtin_function):
        assert holder.method is function
    else:
        assert holder.method.__self__ is holder and holder.method.__func__ is function


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


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "." not in name])
def test_stub(name):
    """The stub, or one of its overloads, has the parameters of the function, in their order and of their kinds."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    wanted = [[p.name for p in parameters_of(name) if p.kind is kind] for kind in kinds]
    forms = [[form.posonlyargs, form.args, form.kwonlyargs] for form in stub()[name]]
    assert wanted in [[[a.arg for a in part] for part in form] for form in forms]
