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
])  # fmt: skip
def test_advice(name, words):
    assert words in refusal(name)


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
    for method in re.findall(r"\bx\.(\w+)", str(error.value)):
        assert method.startswith("__cuda") or hasattr(x, method)


@pytest.mark.parametrize("name", missing.STREAM_ATTRIBUTES)
def test_missing_attributes_of_streams(name):
    stream = cuarray.Stream()
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; ") as error:
        getattr(stream, name)
    assert not hasattr(stream, name)
    for method in re.findall(r"\bstream\.(\w+)", str(error.value)):
        assert hasattr(stream, method)


@pytest.mark.parametrize(
    ("name", "words"), [("cuda", r"x\.to_device\('cuda'\)"), ("to", "x.to_device.*x.astype"), ("grad", "interop.wrap")]
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
