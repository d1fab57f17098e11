"""Missing names: the advice of the errors, for NumPy's current and removed names, CuPy's, and attributes."""

import operator
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import cuarray
from cuarray._namespace import missing
from cuarray._namespace.aliases import ALIASES

MISSING = [name for name in dir(np) if not name.startswith("_") and not hasattr(cuarray, name)]
GONE = [
    "Inf", "Infinity", "NINF", "NaN", "PINF", "alltrue", "asfarray", "asscalar", "bool8", "cast", "complex", "complex_", "cumproduct",
    "find_common_type", "float", "float_", "in1d", "infty", "int", "int0", "longfloat", "mat", "msort", "object", "product", "rank",
    "round_", "row_stack", "sometrue", "str", "string_", "trapz", "unicode_",
]  # fmt: skip
OF_CUPY = [
    "ElementwiseKernel", "MemoryPool", "RawKernel", "RawModule", "ReductionKernel", "asnumpy", "cuda", "fromDlpack", "get_array_module",
    "get_default_memory_pool", "get_default_pinned_memory_pool", "is_available", "scatter_add", "toDlpack",
]  # fmt: skip


def refusal(name):
    with pytest.raises(AttributeError) as error:
        getattr(cuarray, name)
    return str(error.value)


@pytest.mark.parametrize("name", sorted({*MISSING, *GONE, *OF_CUPY, *missing.ADVICE}))
def test_a_missing_name_has_advice_that_can_be_followed(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = refusal(name)
    head, _, advice = text.partition("; ")
    assert head == f"module 'cuarray' has no attribute {name!r}" and len(advice) > 5, text
    # Every name in the advice exists.
    for module, word in re.findall(r"\b(cuarray|numpy)\.(\w+)", advice):
        if word not in (name, "NAME"):
            assert hasattr({"cuarray": cuarray, "numpy": np}[module], word), text


@pytest.mark.parametrize(("name", "words"), [
    ("NaN", "cuarray.nan"), ("Inf", "cuarray.inf"), ("float", "use float, or cuarray.float64"), ("int", "use int, or cuarray.int64"),
    ("float_", "cuarray.float64"), ("get_include", "find_package"),
    ("datetime64", "int64"), ("asnumpy", "x.numpy()"), ("toDlpack", "x.__dlpack__()"), ("get_array_module", "__array_namespace__"), ("ElementwiseKernel", "cuarray.fuse"),
    ("jit", "cuarray.fuse"), ("tensor", "cuarray.asarray"), ("grad", "cuarray.interop"), ("vmap", "more axes"), ("rand", "cuarray.random.rand,"),
    ("cuda", "cuarray.device"), ("object", "use object"), ("in1d", "cuarray.isin"), ("string_", "texts"),
    ("gather", "take_along_axis"), ("topk", "cuarray.sort"), ("one_hot", "eye"), ("stop_gradient", "leave it out"), ("set_default_dtype", "dtype="),
])  # fmt: skip
def test_advice(name, words):
    assert words in refusal(name)


@pytest.mark.parametrize(("function", "keyword", "advice"), [
    ("sum", "dim", "; NumPy's name is 'axis'"), ("sum", "axs", "; did you mean 'axis'?"), ("sin", "dtyp", "; did you mean 'dtype'?"),
    ("zeros", "requires_grad", "; gradients are never recorded: leave it out"),
    ("clip", "axes", ""), ("median", "keepdim", "; NumPy's name is 'keepdims'"), ("sort", "nothing", ""),
])  # fmt: skip
def test_advice_on_keywords(function, keyword, advice):
    with pytest.raises(TypeError) as error:
        getattr(cuarray, function)(cuarray.ones(3), **{keyword: 1})
    assert str(error.value) == f"{function}() got an unexpected keyword argument {keyword!r}{advice}"


def test_what_stands_beside_names_of_cupy_exists():
    text = (
        (Path(__file__).resolve().parents[2] / "docs/differences.md")
        .read_text("utf-8")
        .partition("## Coming from CuPy")[2]
    )
    names = re.findall(r"\bcuarray\.(\w+(?:\.\w+)?)", text)
    assert len(names) >= 9
    for name in names:
        operator.attrgetter(name)(cuarray)


def test_unknown_names_have_none():
    assert refusal("no_such_name") == "module 'cuarray' has no attribute 'no_such_name'"
    with pytest.raises(AttributeError, match=r"'cuarray\.lib' has no attribute 'nothing'$"):
        cuarray.lib.nothing  # noqa: B018


@pytest.mark.parametrize("name", missing.ATTRIBUTES)
def test_missing_attributes_of_arrays(name):
    x = cuarray.ones(2)
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; ") as error:
        getattr(x, name)
    assert not hasattr(x, name) and getattr(x, name, 7) == 7
    assert_names_exist(str(error.value), x=x, y=x)


#: A thing of each class, its advice, and the name that the advice has for it.
THINGS = {
    "stream": (cuarray.Stream, missing.STREAM_ATTRIBUTES),
    "event": (cuarray.Event, missing.EVENT_ATTRIBUTES),
    "device": (lambda: cuarray.devices()[0], missing.DEVICE_ATTRIBUTES),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in THINGS for name in THINGS[kind][1]])
def test_missing_attributes_of_other_objects(kind, name):
    thing = THINGS[kind][0]()
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; ") as error:
        getattr(thing, name)
    assert not hasattr(thing, name) and getattr(thing, name, 7) == 7
    assert_names_exist(str(error.value), **{"stream": cuarray.Stream(), kind: thing})
    with pytest.raises(AttributeError, match=r"^'cuarray\.\w+' object has no attribute 'nothing'$"):
        thing.nothing  # noqa: B018


@pytest.mark.parametrize("name", missing.RANDOM_ADVICE)
def test_missing_names_of_random(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; ") as error:
        getattr(cuarray.random, name)
    assert_names_exist(str(error.value), rng=cuarray.random.default_rng())


def assert_names_exist(text, **objects):
    """Every attribute of these names in an error exists; for cuarray, too."""
    _, _, advice = text.partition("; ")
    for home, path in re.findall(r"(?<![\w.])(\w+)\.(\w+(?:\.\w+)?)", advice):
        operator.attrgetter(path)({"cuarray": cuarray, "graph": cuarray.Graph(), **objects}[home])


def test_what_the_advice_does():
    """The advice for names of PyTorch gives what PyTorch documents."""
    x = cuarray.asarray([[1.0, 5, 3], [4, 2, 6]])
    assert cuarray.sort(x, descending=True)[..., :2].tolist() == [[5, 3], [6, 4]]  # topk
    assert cuarray.argsort(x, descending=True)[..., :2].tolist() == [[1, 2], [2, 0]]
    assert cuarray.take_along_axis(x, cuarray.asarray([[0, 2], [1, 1]]), 1).tolist() == [[1, 3], [2, 2]]  # gather
    assert cuarray.eye(3)[cuarray.asarray([2, 0])].tolist() == [[0, 0, 1], [1, 0, 0]]  # one_hot
    assert abs(cuarray.linalg.norm(x) - 91**0.5) < 1e-12
    cuarray.add.at(x, cuarray.asarray([1, 1]), cuarray.ones((2, 3)))  # index_add_
    assert x.clip(2, 5, out=x).tolist() == [[2, 5, 3], [5, 4, 5]]  # clamp_
    start, end = cuarray.Event(timing=True).record(), cuarray.Event(timing=True).record()
    assert end.elapsed_ms(start) >= 0
    assert len(cuarray.random.default_rng(1).spawn(2)) == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cuda", r"x\.to_device\('cuda'\)"),
        ("to", "x.to_device.*x.astype"),
        ("grad", "interop.wrap"),
        ("is_cuda", "x.device.kind"),
        ("dim", "x.ndim"),
        ("exp", "cuarray.exp"),
        ("norm", "linalg.norm"),
        ("clamp", "x.clip"),
        ("bool", "cuarray.bool"),
        ("index_add_", "add.at"),
        ("devices", "x.device"),
    ],
)
def test_names_of_other_libraries(name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(cuarray.ones(2), name)


def test_functions_of_numpy_that_are_not_there():
    with pytest.raises(TypeError, match=r"there is no cuarray\.is_busday; there are no dates"):
        np.is_busday(cuarray.ones(2))


# NumPy's aliases


CALLS = {  # a failing call of each
    "amax": "(cuarray.ones(0))", "amin": "(cuarray.ones(0))", "around": "([True], 1)", "asanyarray": "([None])", "concatenate": "(3)",
    "transpose": "(cuarray.ones(2), (1, 0))",
}  # fmt: skip


@pytest.mark.parametrize("name", ALIASES)
def test_an_error_names_the_function_as_it_was_called(name):
    for word in (name, ALIASES[name]):
        call = CALLS.get(name, "('a', 'b', 'c', 'd', 'e')")
        with pytest.raises((TypeError, ValueError), match=rf"^{word}\b"):
            eval(f"cuarray.{word}{call}")
    if isinstance(alias := getattr(cuarray, name), cuarray.ufunc):
        assert alias.__name__ == name and repr(alias) == f"<ufunc '{name}'>"
        arguments = ("a",) * alias.nin
        for call in (
            lambda: alias(*arguments),
            lambda: alias.outer(1),
            lambda: alias.at(1, 2, 3, 4),
            lambda: alias.reduce(cuarray.ones(2), 7),
        ):
            with pytest.raises((TypeError, ValueError, IndexError), match=rf"^{name}\b"):
                call()


@pytest.mark.parametrize("call", [
    "ca.concatenate([ca.ones(2), ca.ones((2, 2))])", "ca.concatenate([])", "ca.concatenate([ca.ones(2)], 3)",
    "ca.concat([ca.ones(2), ca.ones((2, 2))])", "ca.concat([])", "ca.concat(3)",
])  # fmt: skip
def test_concatenate_reports_as_itself(call):
    with pytest.raises((TypeError, ValueError, IndexError), match=rf"^{call[3:].partition('(')[0]}: "):
        eval(call, {"ca": cuarray})
