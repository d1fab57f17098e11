"""Overrides of ufuncs and functions, and objects that raise, mutate or resize an array while a call reads them."""

import gc
from typing import ClassVar

import numpy as np
from families import HOSTILE, Family, Planted, expect, refused

import cuarray


def numpy_functions():
    """Functions of NumPy that dispatch on their arguments, and some that do not."""
    names = ["sum", "concatenate", "where", "mean", "sort", "clip", "reshape", "einsum", "dot", "pad", "histogram", "busday_count",
             "linalg.norm", "fft.fft", "save", "copyto", "broadcast_to", "array_equal", "interp", "full_like"]  # fmt: skip
    found = {}
    for name in names:
        function = np
        for part in name.split("."):
            function = getattr(function, part)
        found[f"numpy.{name}"] = lambda function=function: function
    return found


UFUNCS = {f"numpy.{name}": lambda name=name: getattr(np, name)
          for name in ("add", "sin", "modf", "divmod", "matmul", "equal", "bitwise_or", "isnat", "arctan2", "frexp")}  # fmt: skip
UFUNCS |= {
    "frompyfunc": lambda: np.frompyfunc(lambda a, b: a, 2, 1),
    "numpy.sum": lambda: np.sum,
    "ours": lambda: cuarray.add,
}


class Overriding:
    """Another library's array, which answers NumPy's calls as the input says."""

    def __init__(self, answer):
        self.answer = answer

    def _answered(self):
        if self.answer == "raise":
            raise Planted("override")
        if self.answer == "NotImplemented":
            return NotImplemented
        return HOSTILE[self.answer]()

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return self._answered()

    def __array_function__(self, function, types, arguments, keywords):
        return self._answered()


class OptedOut:
    __array_ufunc__ = None


class NotCallable:
    __array_ufunc__ = 5
    __array_function__ = "text"


class Priority:
    @property
    def __array_priority__(self):
        raise Planted("priority")


#: Other arrays, by name.
OTHERS = {
    "ours": lambda: cuarray.arange(3.0),
    "overriding": lambda: Overriding("1"),
    "refusing": lambda: Overriding("NotImplemented"),
    "raises": lambda: Overriding("raise"),
    "opted out": OptedOut,
    "not callable": NotCallable,
    "priority": Priority,
    "NumPy's": lambda: np.arange(3.0),
    "subclass": lambda: np.arange(3.0).view(type("Sub", (np.ndarray,), {})),
    "read-only": lambda: np.broadcast_to(np.float64(1), (3,)),
    "objects": lambda: np.array([1, "a", None], dtype=object),
    "structured": lambda: np.zeros(3, "f4,f4"),
    "dates": lambda: np.arange(3).astype("M8[D]"),
    "scalar": lambda: np.float32(2),
    "list": lambda: [1.0, 2.0, 3.0],
    **{f"hostile {name}": make for name, make in HOSTILE.items()},
}


class Overrides(Family):
    """__array_ufunc__ and __array_function__ of cuarray's arrays, called by NumPy and directly."""

    name = "overrides"
    fields: ClassVar = {
        "way": ("numpy", "by hand", "function", "function by hand", "operator", "reversed operator", "in place", "array", "namespace",
                "operand of ours"),
        "ufunc": (*UFUNCS, *HOSTILE),
        "method": ("__call__", "reduce", "accumulate", "outer", "at", "reduceat", "nosuch", "_private", "__class__", "__name__", b"__call__",
                   *HOSTILE),
        "function": (*numpy_functions(), *HOSTILE),
        "inputs": ("one", "two", "three", "none"),
        "other": tuple(OTHERS),
        "first": ("ours", "other"),
        "out": ("absent", "ours", "tuple", "small", "other", "pair", *HOSTILE),
        "where": ("absent", "True", "array", "object", "raising", "(1,)"),
        "keyword": ("absent", "axis", "dtype", "casting", "order", "nosuch", "keepdims", "signature", "subok"),
        "value": tuple(HOSTILE),
        "types": ("right", *HOSTILE),
        "arguments": ("right", *HOSTILE),
        "keywords": ("right", *HOSTILE),
        "operator": ("+", "@", "==", "<", "**", "divmod", "&", ">>"),
    }  # fmt: skip
    share = 0.25

    def run(self, fields):
        wish = self.filled(fields)
        x, other = cuarray.arange(3.0), OTHERS[wish["other"]]()
        inputs = {"none": (), "one": (x,), "two": (x, other), "three": (x, other, x)}[wish["inputs"]]
        if wish["first"] == "other":
            inputs = inputs[::-1]
        others = (*FOREIGN, RuntimeError) if wish["way"] == "numpy" else FOREIGN
        refused(lambda: self.call(wish, x, other, inputs), "override", *others)
        expect(x.shape == (3,) and x.tolist() is not None, "array spoilt", x.shape)

    def keywords(self, wish, x, other):
        keywords = {}
        outs = {
            "ours": cuarray.zeros(3),
            "tuple": (cuarray.zeros(3),),
            "small": cuarray.zeros(2),
            "other": other,
            "pair": (x, None),
        }
        if wish["out"] != "absent":
            keywords["out"] = outs[wish["out"]] if wish["out"] in outs else HOSTILE[wish["out"]]()
        if wish["where"] != "absent":
            keywords["where"] = HOSTILE[wish["where"]]()
        if wish["keyword"] != "absent":
            keywords[wish["keyword"]] = HOSTILE[wish["value"]]()
        return keywords

    def call(self, wish, x, other, inputs):
        ufunc = UFUNCS[wish["ufunc"]]() if wish["ufunc"] in UFUNCS else HOSTILE[wish["ufunc"]]()
        function = FUNCTIONS[wish["function"]]() if wish["function"] in FUNCTIONS else HOSTILE[wish["function"]]()
        method = HOSTILE[wish["method"]]() if wish["method"] in HOSTILE else wish["method"]
        keywords = self.keywords(wish, x, other)
        way = wish["way"]
        if way == "numpy":
            if (wish["ufunc"], method) == ("numpy.sum", "__class__"):
                return None  # type(np.sum)(np.arange(3)) is a crash of NumPy 2.4
            called = ufunc if method == "__call__" else getattr(ufunc, method)
            return called(*inputs, **keywords)
        if way == "by hand":
            return x.__array_ufunc__(ufunc, method, *inputs, **keywords)
        if way == "function":
            return function(*inputs, **keywords)
        if way == "function by hand":
            right = {"types": (type(x),), "arguments": inputs, "keywords": keywords}
            given = [right[name] if wish[name] == "right" else HOSTILE[wish[name]]() for name in right]
            return x.__array_function__(function, *given)
        if way == "operator":
            return OPERATORS[wish["operator"]](x, other)
        if way == "reversed operator":
            return OPERATORS[wish["operator"]](other, x)
        if way == "array":
            return x.__array__(
                HOSTILE[wish["value"]](), copy=HOSTILE[wish["types"]]() if wish["types"] != "right" else None
            )
        if way == "namespace":
            return x.__array_namespace__(api_version=HOSTILE[wish["value"]]())
        if way == "in place":
            x += other
            return x
        return cuarray.add(x, other, **keywords)


FUNCTIONS = numpy_functions()
OPERATORS = {"+": lambda a, b: a + b, "@": lambda a, b: a @ b, "==": lambda a, b: a == b, "<": lambda a, b: a < b,
             "**": lambda a, b: a**b, "divmod": divmod, "&": lambda a, b: a & b, ">>": lambda a, b: a >> b}  # fmt: skip
#: Errors of NumPy itself in calls that do not reach cuarray.
FOREIGN = (RecursionError, ZeroDivisionError, np.exceptions.AxisError, KeyError)


class Mutator:
    """Modifies the array whenever a protocol method is called, and returns the input's answer."""

    def __init__(self, array, wish):
        self.array, self.wish, self.done = array, wish, 0

    def act(self):
        self.done += 1
        action, array = self.wish["action"], self.array
        if action == "raise":
            raise Planted("mutator")
        if self.done > 3:
            return
        if action == "shrink":
            array.resize(1)
        elif action == "empty":
            array.resize(0)
        elif action == "grow":
            array.resize(5000)
        elif action == "shape":
            # A row: broadcasting a column with the array as it was would need size * size elements.
            array.shape = (1, array.size) if array.ndim == 1 else (array.size,)
        elif action == "write":
            array[...] = 7
        elif action == "collect":
            gc.collect()
        elif action == "recurse":
            array[0] = self

    def _index(self):
        self.act()
        return 1

    def _float(self):
        self.act()
        return 1.5

    def _array(self, dtype=None, copy=None):
        self.act()
        return np.ones(self.wish["size"])

    def _interface(self):
        self.act()
        self.kept = np.ones(self.wish["size"])
        return self.kept.__array_interface__

    def _dlpack(self, **keywords):
        self.act()
        return np.ones(self.wish["size"]).__dlpack__(**keywords)

    def _device(self):
        self.act()
        return (1, 0)

    def _len(self):
        self.act()
        return self.wish["size"]

    def _item(self, key):
        self.act()
        if key >= self.wish["size"]:
            raise IndexError(key)
        return 1.0


#: The class of an object that answers one protocol.
PROTOCOLS = {
    "__index__": {"__index__": Mutator._index},
    "__float__": {"__float__": Mutator._float},
    "__array__": {"__array__": Mutator._array},
    "__array_interface__": {"__array_interface__": property(Mutator._interface)},
    "__dlpack__": {"__dlpack__": Mutator._dlpack, "__dlpack_device__": Mutator._device},
    "sequence": {"__len__": Mutator._len, "__getitem__": Mutator._item},
    "all numbers": {
        "__index__": Mutator._index,
        "__float__": Mutator._float,
        "__int__": Mutator._index,
        "__complex__": Mutator._float,
    },
    "__len__ and __array__": {
        "__len__": Mutator._len,
        "__getitem__": Mutator._item,
        "__array__": Mutator._array,
    },
}
CLASSES = {name: type("Mutating", (Mutator,), methods) for name, methods in PROTOCOLS.items()}

CALLS = {
    "setitem": lambda x, m: x.__setitem__(x.size - 1, m),
    "setitem slice": lambda x, m: x.__setitem__(slice(None), m),
    "setitem mask": lambda x, m: x.__setitem__(x > 0, m),
    "setitem places": lambda x, m: x.__setitem__([0, -1], m),
    "set at": lambda x, m: x.__setitem__(m, 1),
    "get at": lambda x, m: x[m],
    "get slice": lambda x, m: x[m:],
    "get several": lambda x, m: x[[m, 0]],
    "add": lambda x, m: x + m,
    "add reversed": lambda x, m: m + x,
    "add in place": lambda x, m: x.__iadd__(m),
    "ufunc": lambda x, m: cuarray.add(x, m),
    "ufunc out": lambda x, m: cuarray.add(x, m, out=x),
    "ufunc where": lambda x, m: cuarray.add(x, 1, where=m),
    "numpy": lambda x, m: np.add(x, m),
    "at": lambda x, m: cuarray.add.at(x, [0, -1], m),
    "at places": lambda x, m: cuarray.add.at(x, m, 1),
    "where": lambda x, m: cuarray.where(x > 1, x, m),
    "concatenate": lambda x, m: cuarray.concatenate([x, m]),
    "asarray": lambda x, m: cuarray.asarray(m),
    "list": lambda x, m: cuarray.asarray([x, m]),
    "list of mutators": lambda x, m: cuarray.asarray([m, m]),
    "fill": lambda x, m: x.fill(m),
    "reshape": lambda x, m: x.reshape(m),
    "reshape two": lambda x, m: x.reshape(m, -1),
    "take": lambda x, m: x.take(m),
    "put": lambda x, m: cuarray.put(x, m, 1),
    "put values": lambda x, m: cuarray.put(x, [0, 1], m),
    "sum": lambda x, m: x.sum(axis=m),
    "sum initial": lambda x, m: cuarray.sum(x, initial=m),
    "clip": lambda x, m: cuarray.clip(x, m, 2),
    "full": lambda x, m: cuarray.full(3, m),
    "linspace": lambda x, m: cuarray.linspace(0, m, 5),
    "arange": lambda x, m: cuarray.arange(m),
    "copyto": lambda x, m: cuarray.copyto(x, m),
    "searchsorted": lambda x, m: cuarray.searchsorted(x, m),
    "transpose": lambda x, m: x.transpose(m),
    "roll": lambda x, m: cuarray.roll(x, m),
    "repeat": lambda x, m: cuarray.repeat(x, m),
    "from_dlpack": lambda x, m: cuarray.from_dlpack(m),
    "resize": lambda x, m: x.resize(m),
    "shape": lambda x, m: setattr(x, "shape", m),
    "buffer": lambda x, m: memoryview(x)[m],
    "dlpack": lambda x, m: x.__dlpack__(stream=m),
    "dlpack version": lambda x, m: x.__dlpack__(max_version=(m, m)),
    "equal": lambda x, m: x == m,
    "contains": lambda x, m: m in x,
    "real": lambda x, m: setattr(x, "real", m),
    "flat": lambda x, m: x.flat.__setitem__(slice(None), m),
    "masked fold": lambda x, m: x.max(where=m, initial=0),
}


class Mutators(Family):
    """An operand that changes the array during the call that reads both."""

    name = "mutators"
    fields: ClassVar = {
        "call": tuple(CALLS),
        "protocol": tuple(CLASSES),
        "action": ("nothing", "raise", "shrink", "empty", "grow", "shape", "write", "collect", "recurse"),
        "size": (3, 1, 0, 5),
        "elements": (20000, 3, 1, 0, 70000),
        "view": ("whole", "slice", "reversed", "fused"),
    }
    share = 0.6

    def run(self, fields):
        wish = self.filled(fields)
        with cuarray.device("cpu"):
            if wish["view"] == "fused":
                with cuarray.fuse():
                    self.mutate(wish)
            else:
                self.mutate(wish)

    def mutate(self, wish):
        x = whole = cuarray.arange(float(wish["elements"]))
        if wish["view"] == "slice":
            x = whole[: wish["elements"] // 2]
        elif wish["view"] == "reversed":
            x = whole[::-1]
        elif wish["view"] == "fused":
            x = whole + 1
        mutator = CLASSES[wish["protocol"]](whole if wish["view"] == "slice" else x, wish)
        made, _ = refused(lambda: CALLS[wish["call"]](x, mutator), wish["call"], *FOREIGN)
        for array in (x, whole, made):
            if isinstance(array, cuarray.ndarray):
                expect(array.numpy().size == array.size, "array spoilt", array.shape)
