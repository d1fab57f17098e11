"""Calls of functions as texts, drawn at random from arguments that suit the parameters' names, and their outcomes.

Two ways to call a function are compared by all that a caller can see. A failure prints the call.
"""

import contextlib
import functools
import inspect
import operator
import random
import re

import numpy as np

import cuarray
from cuarray import _core


class Refuses:
    """Converts to nothing: every protocol raises."""

    def __array__(self, *args, **keywords):
        raise RuntimeError("no array")

    def __index__(self):
        raise RuntimeError("no index")

    def __float__(self):
        raise RuntimeError("no float")

    def __len__(self):
        raise RuntimeError("no length")

    def __bool__(self):
        raise RuntimeError("no truth")


class Counted:
    """An integer by `__index__` alone."""

    def __index__(self):
        return 1


class Listed(list):
    """A list of another class."""


class Text(str):
    """A string of another class."""


def locked(x):
    """Return the array, read-only."""
    x.flags.writeable = False
    return x


def unaligned(values):
    """Return an array at an odd address."""
    raw = cuarray.zeros(8 * len(values) + 1, "u1")
    view = raw[1:].view("f8")
    view[...] = values
    return view


# Arguments: each table is of texts, divided by | and lines. `base` is one array of 3 x 3 for all arguments of a call,
# which then overlap.

ARRAYS = """
ca.arange(3.) | ca.arange(3) | ca.arange(6.).reshape(2, 3) | ca.arange(9.).reshape(3, 3) | base | base[0]
ca.array([1.5, -0.0, ca.nan]) | ca.array([[1.5, -0.0, ca.inf]]) | ca.array([True, False, True])
ca.arange(3, dtype='i4') | ca.ones(3, 'f4') | ca.arange(3, dtype='f4') * 2 | ca.ones((3, 3), 'f4') | ca.arange(3, dtype='u1') | ca.arange(3.) * 2
ca.arange(3) - 1 | -base | ca.ones(3, 'c16') | base[::-1] | base.T | base[:, 1] | base.ravel() | ca.arange(6.)[::2]
ca.arange(3)[::-1] | ca.arange(6, dtype='i4').reshape(3, 2).T | base[1:] | base[:, :2] | [1, 2, 3] | [1., 2, 3]
(1, 2, 3) | np.arange(3.) | base @ base.T + ca.eye(3) | base.astype('f4') + 9 * ca.eye(3, dtype='f4')
base + 9j * ca.eye(3) | (base + ca.ones((2, 1, 1)) * 9 * ca.eye(3))[:, ::-1]
"""
POINTS = """
ca.arange(3.) | base[0] | [1., 2, 3] | ca.array([0, 1., 1]) | ca.arange(6.)[::2] | ca.arange(3)
ca.array([-0.0, 1.5, ca.nan])
"""
STRANGE_ARRAYS = """
ca.array(2.5) | ca.array(3) | ca.arange(3.)[1] | ca.arange(3)[1] | base[1, 1] | base[1, 1] * 2 | base.sum()
ca.array([]) | ca.zeros((0, 3)) | ca.zeros((3, 0), 'i8') | ca.zeros((2, 0, 3), 'f4') | ca.array([2.5])
ca.array([[2]]) | ca.ones(3, 'f2') | ca.ones(3, ca.bfloat16) | ca.ones(3, 'c8') | ca.ones(3, 'u8')
ca.ones(3, 'i2') | ca.arange(24.).reshape(2, 3, 4) | ca.asfortranarray(ca.arange(6.).reshape(2, 3))
ca.arange(24).reshape(2, 3, 4).transpose(1, 0, 2) | ca.ones((3, 1)).T | ca.broadcast_to(2., (3,))
ca.broadcast_to(base[0], (3, 3)) | locked(ca.arange(3.)) | locked(base[0]) | locked(base) | unaligned([1., 2, 3])
base[::2, ::-2] | base[None] | base[:, :, None] | ca.ones((1,) * 8) | ca.ones((1,) * 64) | ca.ones(5000)
ca.ones(5000, 'i1') | ca.ones((70, 70)) | ca.asarray(np.arange(3.)) | ca.arange(3., device='cpu') | base.real
base > 1 | base.astype('i8') | ca.isnan(base) | ca.array([-(2**63), 2**63 - 1]) | np.arange(6.).reshape(2, 3)
np.arange(3)[::-1] | np.asfortranarray(np.ones((3, 3))) | np.array(2.5) | locked(np.arange(3.))
np.arange(3, dtype='>f8') | np.zeros((0, 3)) | np.array(['a', 'b']) | np.array([None, 1]) | np.float64(1.5)
np.int8(3) | np.bool_(True) | np.float32(2) | np.complex64(1j) | np.str_('1') | np.datetime64('2000') | (1., -0., 3)
[True, False, True] | [[1, 2, 3], [4, 5, 6.]] | [1, 2j, 3] | [1, True] | [] | () | [[]] | [[1, 2], [3]] | [2**62, 1]
[2**63, 1] | [2**70, 1.5] | [-2**63, 0] | [1.5, 2**62] | [1, None] | [1, 'a'] | [2**53 + 1, 0.5] | [2**60 - 1, 0.5]
list(range(1025)) | [np.float64(1), 2.] | [ca.arange(3.), [1, 2, 3]] | [base[0, 0], 1] | range(3)
Listed([1, 2, 3]) | bytearray(b'ab') | memoryview(b'abcd') | 2 | 2.5 | -1 | 1j | True | 2**70 | 10**400
"""
WRONG = """
object() | Refuses() | 2**70 | -2**70 | 'wrong' | {} | float('nan') | -1 | None | b'x' | ... | {1, 2}
[[1], [2, 3]] | -2**63 | 2.5 | 1j | True | Counted() | np.float64(1) | int | ca.arange(3.) | locked(ca.arange(3.))
np.arange(3) | (1, 'a') | [None] | (2**62, 8)
"""
SEQUENCES = """
[ca.arange(3.), ca.arange(3.)] | (ca.arange(3.), ca.ones(3)) | [base, base] | (base[0], base[1])
[ca.arange(3)] * 3 | [ca.arange(3), ca.arange(3.)] | [ca.ones((2, 3)), base] | [ca.arange(3.) * 2, base[0]]
(base,) | [base.T, base] | [base[::-1], base] | [base[:, 0], base[:, 1]] | (ca.ones(3, 'f4'), ca.ones(3, 'f4'))
[ca.ones((2, 2, 2), 'i1')] * 2 | [ca.array([1, 2]), ca.array([3])] | [ca.ones((1, 3)), ca.zeros((0, 3))] | base
ca.arange(24.).reshape(2, 3, 4)
"""
CONDITIONS = """
[ca.arange(3.) > 1, ca.arange(3.) < 1] | (ca.ones(3, bool), [True, False, True]) | [base > 1, base < 3] | (base[0] > 1, True)
[ca.arange(3) > 0] * 3 | ca.ones((2, 3), bool) | [np.array([True, False, True]), base[0] < 2] | (base > 4,)
"""
STRANGE_SEQUENCES = """
[] | () | [ca.array([])] | [ca.array([]), ca.array([])] | [base[0, 0], base[1, 1]] | [ca.array(1), ca.array(2)]
[ca.zeros((2, 0))] * 2 | [ca.arange(3.), base] | [base, ca.arange(3.)] | [ca.ones((3, 2)), ca.ones((2, 3))]
[base[:, :2], base[:, 2:]] | [base, None] | [ca.arange(3.), [1, 2, 3]] | [[1, 2], [3, 4]] | ([1., 2], 3) | [1, 2]
[1.5] | [np.arange(3.), ca.arange(3.)] | np.ones((2, 3)) | [np.arange(3), np.arange(3.)]
[ca.ones(3), ca.ones(3, 'f4')] | [ca.ones(3, 'f2'), ca.ones(3, ca.bfloat16)] | [base] * 64 | [base] * 65
[ca.ones((1,) * 64)] * 2 | [ca.ones((1,) * 63)] * 2 | [ca.ones(20_000)] * 2 | [ca.ones(600)] * 4
[unaligned([1., 2]), ca.ones(2)] | [locked(ca.arange(3.)), locked(base[0])]
[ca.asfortranarray(ca.ones((2, 3)))] * 2 | [ca.ones((3, 1)).T, ca.ones((1, 3))]
[ca.broadcast_to(1., (2, 3)), ca.ones((2, 3))] | {'a': base} | {1, 2} | 'ab' | iter([base]) | (x for x in [base])
Listed([base, base]) | [ca.arange(3., device='cpu'), ca.arange(3.)] | [ca.arange(3.), object()]
[ca.arange(3.), Refuses()] | [ca.arange(3.), 'a'] | 3 | None | [[base, base], [base, base]]
[ca.array([[1, 2]]).T] * 2 | [base > 1, base] | [ca.ones(3, 'c16'), ca.ones(3, 'u8')] | [2**70, base[0]]
"""
SHAPES = "3 | (2, 3) | (3,) | () | 0 | (0, 3) | (1, 1, 2) | (3, 3)"
STRANGE_SHAPES = """
-1 | (2, -1) | (-1,) | [2, 3] | True | (True, 2) | np.int64(3) | (np.int8(2), 3) | ca.array(3) | ca.array([2, 3])
base[1, 1] | 2.0 | (2.0,) | (1,) * 8 | (1,) * 9 | (1,) * 64 | (1,) * 65 | (2**70,) | 2**70 | (2**62, 8) | 2**62
(0, 2**62, 8) | 20_000 | (70, 70) | 'a' | '3' | Counted() | (Counted(), 2) | [] | [3] | {2} | {2: 3} | range(2)
((2, 3),) | (None,) | None | np.array([2, 3]) | memoryview(b'ab')
"""
DTYPES = "None | 'f4' | 'f8' | 'i8' | ca.float32 | np.int8 | bool | float | int | np.dtype('c16')"
STRANGE_DTYPES = """
complex | 'float32' | ca.bfloat16 | 'f2' | 'u1' | 'c8' | 'U3' | '>f4' | '>i8' | 'O' | object | str | 'wrong'
np.longdouble | 'M8[s]' | 'V4' | np.dtype('f4') | np.dtype([('a', 'f4')]) | [('a', 'f4')] | ca.arange(3.).dtype
base | 'f8,f8' | (float, 2) | ca.number | np.floating | b'f4' | Text('f4') | 3 | 'l' | '<i4' | '=f8' | 'bool' | type
{} | ca.add
"""
INTEGERS = "1 | 0 | 2 | 3 | -1 | 5 | None"
STRANGE_INTEGERS = """
-2 | 7 | 100 | -100 | 2**62 | -2**62 | 2**63 - 1 | -2**63 | 2**63 | 2**70 | True | False | np.int64(2) | np.int8(-1)
np.uint64(3) | ca.array(2) | ca.arange(3)[2] | 2.0 | 1.5 | 0.5 | 1j | float('nan') | float('inf') | '1' | (1,)
(0, 1) | [0, 1] | [1] | ca.array([1, 0]) | np.array([0, 2]) | Counted() | np.float32(2)
"""
AXES = "0 | -1 | 1 | None"
STRANGE_AXES = """
2 | -2 | -3 | 3 | 64 | (0,) | (0, 1) | (-1,) | (0, 0) | () | [0] | [0, 1] | True | False | np.int64(0) | np.int8(-1)
ca.array(0) | ca.arange(3)[1] | 0.0 | 2**33 | 2**70 | -2**70 | '0' | Counted() | Refuses() | (None,) | range(1)
"""
NUMBERS = "2 | 0 | 1.5 | 0.5 | -1 | True | 3"
STRANGE_NUMBERS = f"""
{ARRAYS} | {STRANGE_ARRAYS} | None | float('nan') | float('inf') | -0.0 | 1j | np.float32(2) | np.int8(3) | 300
-300 | 2**40 | 2**63 | 2**70 | -2**70 | 10**400
"""
FLAGS = "True | False"
STRANGE_FLAGS = "None | 0 | 1 | 2 | np.True_ | 'yes' | [] | ca.array(True) | ca.arange(3) > 1 | base > 1 | Refuses()"
OUTS = "None | ca.zeros(3) | ca.zeros((3, 3)) | ca.zeros((2, 3)) | base | base[0] | base[::-1]"
STRANGE_OUTS = """
ca.zeros((2, 2, 3)) | ca.zeros(6) | ca.zeros((4, 3)) | ca.zeros((6, 3), 'f4') | ca.array(0.) | ca.zeros((3, 3)).T
ca.zeros(3, 'i8') | ca.zeros(3, 'f4') | ca.zeros(3, bool) | ca.zeros(3, 'c16') | base.T | base[:, 1] | base[1, 1]
locked(ca.zeros(3)) | locked(base) | ca.broadcast_to(0., (3,)) | ca.broadcast_to(0., (3, 3)) | np.zeros(3)
np.zeros((3, 3)) | (ca.zeros(3),) | (None,) | () | ca.arange(3.) * 2 | unaligned([1., 2, 3]) | [1, 2, 3] | 3 | 'a'
...
"""
MASKS = "True | ca.array([True, False, True]) | base > 1 | False | [True, False, True]"
STRANGE_MASKS = f"""
1 | 0 | None | np.True_ | [1, 0, 1] | ca.array(True) | base[0] | np.array([True, False, True]) | ca.ones(2, bool)
{STRANGE_ARRAYS}
"""
ORDERS = "'C' | 'F' | 'K' | 'A' | None"
STRANGE_ORDERS = "'c' | 'f' | 'k' | '' | 'X' | 'CF' | b'C' | 0 | Text('C')"
WORDS = """
None | 'raise' | 'wrap' | 'clip' | 'same' | 'full' | 'valid' | 'left' | 'right' | 'quicksort' | 'stable' | 'linear'
'ij' | 'xy'
"""

#: All operands of a call, divided by semicolons.
OPERANDS = """
'ij,jk->ik' ; base ; base | 'ij,j->i' ; base ; ca.arange(3.) | 'i,i' ; ca.arange(3.) ; base[0] | 'ij->ji' ; base
'ij,ij->i' ; base ; base.T | 'ij,ij' ; base ; base[::-1] | 'ii' ; base | 'ii->i' ; base | 'i,j->ji' ; base[0] ; base[1]
'ijk,k->ij' ; ca.arange(24.).reshape(2, 3, 4) ; ca.arange(4.) | 'ij,kj' ; ca.arange(6).reshape(2, 3) ; ca.arange(3, 9).reshape(2, 3)
'ij->' ; base > 1 | 'ba,cb' ; base ; base.T | 'Zi,iZ->' ; base ; base | 'ij,ij->j' ; base ; base * 2
"""
STRANGE_OPERANDS = """
'ij, jk -> ik' ; base ; base | 'ij,jk,kl' ; base ; base ; base | '...j,j' ; base ; ca.arange(3.) | 'ij,jk' ; base ; [[1], [2], [3]]
'ij,jk->ik' ; base ; ca.ones((1, 2)) | 'ij,jk->ik' ; base ; ca.ones((2, 2)) | 'ij,j' ; base | 'ij' ; base ; base | '' ; ca.array(2.)
',' ; base[0, 0] ; ca.array(2.) | '->' ; 3 | 'i,->i' ; base[0] ; 2 | 'ij->ik' ; base | 'ij->ii' ; base | 'i1' ; base | 'ij-i' ; base
'ij-' ; base | 'ij->>' ; base | 'ij->i->j' ; base | '-ij' ; base | 'ij,' ; base ; ca.array(1.) | 'ijk' ; base | 'iij' ; base
base ; [0, 1] ; base ; [1, 2] | base ; [0, 1] ; [1, 0] | base ; [0, 1] | 'ij,ij->ij' ; base > 1 ; base < 3 | 'é' ; base[0]
'i,i' ; ca.ones(3, 'f2') ; ca.ones(3, 'f2') | 'i,i' ; ca.ones(3, 'i1') ; base[0] | 'ij,jk' ; ca.zeros((0, 3)) ; base | 'i' ; 3
'ij,jk' ; ca.zeros((3, 0)) ; ca.zeros((0, 2)) | Text('ij->ji') ; base | 'ii' ; ca.ones((1, 3)) | 'i,i' ; ca.ones(1) ; base[0]
'ij,jk->ik' ; ca.ones((70, 70)) ; ca.ones((70, 70)) | 'i,i' ; ca.ones(5000) ; ca.ones(5000) | 'ij' ; Refuses() | 3 | ca.add
"""

#: The usual and the unusual texts of each parameter, by its name.
POOLS = {
    "a a1 a2 A ar ar1 ar2 arr array ary b choices element f m object p prototype src test_elements v values vals x"
    " weights x1 x2 X y z": (ARRAYS, STRANGE_ARRAYS),
    "arrays choicelist keys tup xi": (SEQUENCES, STRANGE_SEQUENCES),
    "args arys": (f"ca.arange(3) | [0, 2] | ca.array([1, 0]) | ca.arange(3) > 1 | {SEQUENCES}", STRANGE_SEQUENCES),
    "condlist": (CONDITIONS, f"{SEQUENCES} | {STRANGE_SEQUENCES}"),
    "fp xp": (POINTS, STRANGE_ARRAYS),
    "shape newshape new_shape dims dimensions": (SHAPES, STRANGE_SHAPES),
    "dtype type1 type2 from_ to": (DTYPES, STRANGE_DTYPES),
    "axis axis1 axis2 axisa axisb axisc axes source destination": (AXES, STRANGE_AXES),
    "start stop step": (INTEGERS, f"20_000 | {STRANGE_INTEGERS}"),
    "M N bins count ddof correction decimals ind indices_or_sections k kth minlength n ndim ndmin num obj offset repeats reps"
    " shift": (INTEGERS, STRANGE_INTEGERS),
    "indices": (f"{INTEGERS} | ca.array([1, 0, -1]) | ca.arange(3)[::-2] | ca.array([[0, 1], [2, 0]])", STRANGE_INTEGERS),
    "multi_index": (
        "(1,) | (1, 2) | (0, 0) | (ca.arange(3)[1], 2) | (1, 0) | (0, 2) | (1, 1)",
        "(np.int64(1), 0) | ([0, 1], [1, 0]) | (5, 9) | (-1, 0) | (base[0, 0], 1) | (None, 1) | (2.0, 1) | (True, 0)"
        f" | () | (ca.arange(3), 1) | (0, 0, 1) | (2**62, 0) | {STRANGE_INTEGERS}",
    ),
    "a_max a_min atol default fill_value initial left max mean min nan neginf period posinf q right rtol"
    " val": (NUMBERS, STRANGE_NUMBERS),
    "assume_unique bias copy density descending endpoint equal_nan include_initial increasing invert keepdims"
    " overwrite_input retstep return_counts return_index return_inverse returned rowvar sorted sparse stable subok"
    " wrap": (FLAGS, STRANGE_FLAGS),
    "dst": (f"ca.zeros(3) | {OUTS}", f"{STRANGE_OUTS} | {STRANGE_ARRAYS}"),
    "operands": (OPERANDS, STRANGE_OPERANDS),
    "optimize": (FLAGS, "'greedy' | 'optimal' | 'wrong' | None | 3 | ['einsum_path', (0, 1)] | []"),
    "out": (OUTS, STRANGE_OUTS),
    "where condition mask": (MASKS, STRANGE_MASKS),
    "order": (ORDERS, STRANGE_ORDERS),
    "ord": (
        "None | 1 | 2 | float('inf') | 'fro' | 1.0",
        "0 | -1 | -2 | 3 | 0.5 | -float('inf') | float('nan') | 'f' | 'nuc' | 'wrong' | True | 1j | np.inf | np.float64(1)"
        " | Text('fro') | (1,) | ca.array(1)",
    ),
    "casting": ("'same_kind' | 'unsafe' | 'safe' | 'no' | 'equiv'", "None | 'wrong' | 1 | Text('safe')"),
    "indexing kind method mode side": (WORDS, "'' | 1 | b'wrap' | Text('wrap')"),
    "device": ("None | 'cpu' | ca.default_device()", "'wrong' | 'cpu:0' | 'cpu:7' | 0 | Text('cpu') | base"),
    "like": ("None | base", "base[0, 0] | np.arange(3) | 3 | 'cpu'"),
    "memory": ("None", "'pinned' | 'device' | 'wrong' | 0"),
}  # fmt: skip
ANYTHING = (f"{ARRAYS} | {INTEGERS} | {FLAGS} | None", f"{STRANGE_ARRAYS} | {STRANGE_INTEGERS} | {SEQUENCES}")


def texts(table):
    """Return the texts of a table."""
    return [text.strip() for text in re.split(r"\||\n", table) if text.strip()]


WRONG = texts(WRONG)
ANYTHING = (texts(ANYTHING[0]), texts(ANYTHING[1]) + WRONG)
POOLS = {names: (texts(usual), texts(unusual) + WRONG) for names, (usual, unusual) in POOLS.items()}
POOLS = {name: both for names, both in POOLS.items() for name in names.split()}
NAMES = {"ca": cuarray, "np": np, "locked": locked, "unaligned": unaligned}
NAMES |= {kind.__name__: kind for kind in (Refuses, Counted, Listed, Text)}


@functools.cache
def maker(text):
    """Return the function that makes the argument."""
    return eval(f"lambda base: {text}", NAMES)


def pool(parameter):
    return POOLS.get(parameter.name, ANYTHING)


# Calls and what comes of them.


def public(name):
    """Return the function of the main namespace, or of a submodule as 'linalg.inv'; of a ufunc, the one it calls."""
    function = operator.attrgetter(name)(cuarray)
    return getattr(function, "_function", None) or function


class Call:
    """A call of a function as text; `wraps` says what is around it: 'fuse', and 'write' to the arguments after."""

    def __init__(self, name, positional, keywords, wraps=()):
        self.name, self.wraps = name, wraps
        self.keywords = {k: text.partition(" ; ")[0] for k, text in keywords.items()}
        self.positional = [part for text in positional for part in text.split(" ; ")]

    def __repr__(self):
        arguments = ", ".join([*self.positional, *(f"{k}={text}" for k, text in self.keywords.items())])
        base = "base = ca.arange(9.).reshape(3, 3); " if "base" in arguments else ""
        fuse = "with ca.fuse(): " if "fuse" in self.wraps else ""
        after = "; then written arguments" if "write" in self.wraps else ""
        return f"{base}{fuse}ca.{self.name}({arguments}){after}"

    def arguments(self):
        """Return new arguments, all of which may be views of one array."""
        base = cuarray.arange(9.0).reshape(3, 3)
        return [maker(t)(base) for t in self.positional], {k: maker(t)(base) for k, t in self.keywords.items()}

    def outcome(self, function, warned):
        """Return what can be seen of the call in one way: result or exception, the arguments after, and warnings."""
        warned.clear()
        with cuarray.fuse() if "fuse" in self.wraps else contextlib.nullcontext():
            args, keywords = self.arguments()
            given = flat([*args, *keywords.values()])
            try:
                result = function(*args, **keywords)
            except Exception as error:
                result = error
            if "write" in self.wraps:
                for x in given:
                    if isinstance(x, cuarray.ndarray | np.ndarray) and x.flags.writeable:
                        x[...] = 7
        try:
            cuarray.synchronize()
        except IndexError:  # that a GPU found: which of several bad positions comes first is not determined
            result = IndexError("found by the GPU")
        said = [(w.category, str(w.message), w.filename) for w in warned]
        is_defined = not self.name.startswith("empty")
        return [facts(result, given, is_defined), [facts(x, given) for x in [*args, *keywords.values()]], said]


def flat(objects):
    """Return the objects, and the entries of those that are lists and tuples."""
    return [*objects, *(entry for x in objects if isinstance(x, list | tuple) for entry in x)]


def strides_of(x):
    """Return the strides; None along axes of one element, where they mean nothing."""
    return [stride if extent > 1 else None for extent, stride in zip(x.shape, x.strides, strict=True)]


def facts(x, given, has_values=True):
    """Return what is to be equal of two results or arguments; `given` are the arguments, which x may be or share."""
    if isinstance(x, cuarray.ndarray):
        arrays = [(i, other) for i, other in enumerate(given) if isinstance(other, cuarray.ndarray | np.ndarray)]
        same = [i for i, other in arrays if other is x], [i for i, other in arrays if other is x.base]
        shares = [i for i, other in arrays if shares_memory(x, other)]
        flags = [x.flags.c_contiguous, x.flags.f_contiguous, x.flags.writeable, x.flags.aligned]
        about = [str(x.dtype), x.shape, strides_of(x), flags, x.device, _core.is_value(x), same, shares]
        return ["cuarray", *about, values_of(x.numpy()) if has_values else None]
    if isinstance(x, np.ndarray):
        return ["numpy", type(x), x.dtype, x.shape, x.strides, x.flags.writeable, values_of(x)]
    if isinstance(x, tuple | list):
        return [type(x), [facts(entry, given, has_values) for entry in x]]
    if isinstance(x, Exception):
        text = re.sub(r"0x[0-9a-f]+", "0x...", str(x))
        if isinstance(x, MemoryError):
            text = re.sub(r", .*; ", "; ", text)  # figures of the memory in use
        return [type(x), text, type(x.__cause__)]
    return [type(x), re.sub(r"0x[0-9a-f]+", "0x...", repr(x))]


def values_of(host):
    """Return the bytes of the elements, with one NaN; the elements where they are objects."""
    if host.dtype.hasobject:
        return repr(host.tolist())
    line = np.array(host, order="C").reshape(-1)
    if line.dtype.kind in "fc" or line.dtype == cuarray.bfloat16:
        parts = line.view(line.real.dtype) if line.dtype.kind == "c" else line
        parts[np.isnan(parts)] = np.nan
    return line.tobytes()


def shares_memory(x, other):
    if isinstance(other, np.ndarray):
        return x.device.kind == "cpu" and bool(x.ndim) and np.may_share_memory(np.asarray(x), other)
    return cuarray.may_share_memory(x, other)


# Drawing calls.


def draw(name, parameters, rng):
    """Return a call whose arguments suit the parameters, or most of them do."""
    is_right, is_short = rng.random() < 0.5, rng.random() < 0.3
    cut = rng.randrange(len(parameters) + 1)
    positional, keywords, is_open, chosen = [], {}, True, {}

    def choose(parameter):
        """Return the text of an argument: sometimes the default, or as another argument, mostly a usual one."""
        usual, unusual = pool(parameter)
        if isinstance(parameter.default, bool | int | str | None) and rng.random() < 0.2:
            return repr(parameter.default)
        if id(usual) in chosen and rng.random() < 0.3:
            return chosen[id(usual)]
        table = usual if is_right or rng.random() < 0.6 else unusual
        chosen[id(usual)] = rng.choice(table[:4] if rng.random() < 0.3 else table)
        return chosen[id(usual)]

    for i, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            count = 1 if parameter.name == "operands" else rng.randrange(4)
            positional += [choose(parameter) for _ in range(count * is_open)]
            continue
        is_needed = parameter.default is parameter.empty and (is_right or rng.random() < 0.95)
        by_position = parameter.kind is parameter.POSITIONAL_ONLY or (
            parameter.kind is parameter.POSITIONAL_OR_KEYWORD and i < cut
        )
        if not is_needed and (rng.random() < (0.95 if is_short else 0.7) or (by_position and not is_open)):
            is_open = False
        elif by_position and is_open:
            positional.append(choose(parameter))
        elif parameter.kind is not parameter.POSITIONAL_ONLY:
            is_open = False
            keywords[parameter.name] = choose(parameter)
    if parameters and not is_right and rng.random() < 0.04:
        keywords[rng.choice(["nonsense", *(p.name for p in parameters)])] = choose(parameters[0])
    if parameters and not is_right and rng.random() < 0.02:
        positional += [choose(parameters[0])] * rng.randrange(1, 4)
    return Call(name, positional, keywords, [w for w in ("fuse", "write") if rng.random() < 0.2])


def parameters_of(name):
    return list(inspect.signature(public(name)).parameters.values())


def calls(name, count):
    """Return the same calls in every run."""
    rng, parameters = random.Random(name), parameters_of(name)
    return [draw(name, parameters, rng) for _ in range(count)]
