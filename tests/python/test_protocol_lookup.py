"""Which protocols are looked up on objects, and which on their classes alone: as NumPy does."""

import itertools
import operator

import numpy as np
import pytest

import cuarray


class Answers:
    """Has attributes by __getattr__ alone."""

    def __init__(self, attributes):
        self.attributes = attributes

    def __getattr__(self, name):
        if name in self.__dict__["attributes"]:
            return self.__dict__["attributes"][name]
        raise AttributeError(name)


class Holds:
    """Has attributes of its own."""

    def __init__(self, attributes):
        self.__dict__.update(attributes)


SOURCE = np.asarray([0.0, 5, 2])
PROTOCOLS = {"__array_interface__": SOURCE.__array_interface__, "__array_struct__": SOURCE.__array_struct__,
             "__array__": lambda dtype=None, copy=None: SOURCE}  # fmt: skip
READERS = {
    "x == y": operator.eq, "x != y": operator.ne, "x + y": operator.add, "y + x": lambda x, y: y + x, "y == x": lambda x, y: y == x,
    "x += y": lambda x, y: operator.iadd(x, y), "x < y": operator.lt, "x @ y": operator.matmul, "add": lambda x, y: cuarray.add(x, y),
    "asarray": lambda x, y: cuarray.asarray(y), "concat": lambda x, y: cuarray.concat([x, y]), "[y, y]": lambda x, y: cuarray.asarray([y, y]),
    "x[:] = y": lambda x, y: x.__setitem__(slice(None), y) or x, "sum": lambda x, y: cuarray.sum(y),
    "putmask": lambda x, y: cuarray.putmask(x, x < 2, y) or x, "isin": lambda x, y: cuarray.isin(x, y),
}  # fmt: skip


@pytest.mark.parametrize(
    ("protocol", "reader"),
    # Lists of objects with __dlpack__ are not read.
    [*itertools.product(PROTOCOLS, READERS), *(("__dlpack__", reader) for reader in READERS if reader != "[y, y]")],
)
def test_protocols_of_an_object_are_those_of_its_class(protocol, reader):
    """NumPy asks objects for them, and only classes for __array_ufunc__ and __array_function__."""
    with cuarray.device("cpu"):
        given = PROTOCOLS
        if protocol == "__dlpack__":
            given = {"__dlpack__": SOURCE.__dlpack__, "__dlpack_device__": SOURCE.__dlpack_device__}
            protocol = list(given)
        names = [protocol] if isinstance(protocol, str) else protocol
        attributes = {name: given[name] for name in names}
        for wrap in (Holds, Answers):
            x = cuarray.asarray([0.0, 1, 2])
            got, want = READERS[reader](x, wrap(attributes)), READERS[reader](cuarray.asarray([0.0, 1, 2]), SOURCE)
            assert (
                isinstance(got, cuarray.ndarray)
                and type(got) is type(want)
                and got.dtype == want.dtype
                and got.tolist() == want.tolist()
            )


@pytest.mark.parametrize("wrap", [Holds, Answers])
def test_what_numpy_asks_classes_for_is_nothing_on_an_object(wrap):
    x = cuarray.asarray([0.0, 1, 2], device="cpu")
    other = wrap({"__array_ufunc__": None, "__array_function__": lambda *args: "called"})
    assert (x == other).tolist() == [False] * 3 and (x != other).tolist() == [True] * 3
    assert type(x + wrap({"__array_ufunc__": None, **PROTOCOLS})) is cuarray.ndarray
    with pytest.raises(TypeError):
        x + other


def test_errors_of_attributes_are_raised(device):
    class Broken:
        def __getattr__(self, name):
            raise OSError(name)

    x = cuarray.ones(3)
    for call in (lambda: x == Broken(), lambda: x + Broken(), lambda: cuarray.asarray(Broken())):
        with pytest.raises(OSError, match="__"):
            call()
    for other in (int, cuarray.ndarray, Holds, PROTOCOLS):  # a class has what its instances have, not an array
        assert (x == other).tolist() == [False] * 3
