"""programs.py -- random programs over a pool of live arrays, all of which are compared with NumPy after each step.

    python tests/fuzz/programs.py --seconds 60 --seed 1 [--count K] [--first I] [--device cuda:0] [--jobs J]

A step is one line of the table below with its {placeholders} filled in by the method of `Writer` of that name, as the
live arrays allow. Steps may be in fused blocks. judge.py defines the comparison, intended.py the intended differences.
"""

import math
import re
import sys

import batches
import numpy as np
from judge import Pair
from limits import DTYPES, KNOWN
from statements import main_function

import cuarray as ca

NAME = "programs"

#: weight, then a statement. A new operation is one line.
TABLE = r"""
# New arrays
6   {new} = {fresh}
# Elementwise: functions, operators, options of functions
6   {new} = xp.{ufunc1}({a})
8   {new} = xp.{ufunc2}({a}, {b})
8   {new} = xp.{ufunc1}({a}{options})
12  {new} = xp.{ufunc2}({a}, {b}{options})
4   {new} = xp.{predicate}({a}{narrow})
4   {new} = xp.{comparison}({a}, {b}{narrow})
8   {new} = {a} {op} {b}
4   {new} = {a} {op} {number}
3   {new} = {number} {op} {a}
2   {new} = {sign}{a}
1   {new}, {new2} = divmod({a}, {b})
1   {new}, {new2} = xp.modf({a})
1   {new}, {new2} = xp.frexp({a})
3   {new} = xp.where({mask}, {a}, {b})
2   {new} = xp.clip({a}, {number}, {number})
1   {new} = xp.clip({a}, {number}, {number}, out={same})
1   {new} = {a}.clip({b}, {number})
2   {new} = {a}.astype({dtype})
1   {new} = xp.round({a}, {small})
1   {new} = xp.nan_to_num({a})
1   {new} = xp.ldexp({a}, {small})
2   {new} = xp.select([{mask}, {mask}], [{a}, {b}], {number})
1   {new} = xp.isclose({little}, {b})
# In place
12  {live} {op}= {b}
6   {live} {op}= {number}
5   {live}[{index}] {op}= {b}
3   {live}[{places}] {op}= {number}
3   {live}[{mask_of}] {op}= {number}
8   xp.{ufunc2}({a}, {b}, out={same}{where})
3   xp.{ufunc1}({a}, out={same}{where})
2   xp.{ufunc2}.at({live}, ({places}), {number})
1   xp.{ufunc2}.at({live}, ({places}), {b})
# Views
10  {new} = {live}[{index}]
3   {new} = {live}.T
2   {new} = {live}.{part}
3   {new} = {live}.reshape({reshaped})
2   {new} = xp.reshape({a}, {reshaped}, order={order})
3   {new} = {a}.ravel({ravel_order})
2   {new} = {a}.flatten({ravel_order})
1   {new} = xp.ravel({a})
2   {new} = xp.broadcast_to({a}, {wider})
1   {new} = xp.broadcast_to({live}, {live}.shape)
1   {new}, {new2} = xp.broadcast_arrays({a}, {b})
1   {new} = xp.squeeze({a})
1   {new} = xp.expand_dims({a}, {axis0})
2   {new} = xp.swapaxes({a}, {axis}, {axis})
1   {new} = xp.moveaxis({a}, {axis}, {axis})
1   {new} = xp.flip({a}, {axis})
1   {new} = xp.rot90({a}, {small})
1   {new} = {live}.diagonal()
1   {new} = {live}.view({other_dtype})
1   {new} = xp.atleast_2d({a})
1   {new} = xp.asarray({live})
1   {new} = xp.ascontiguousarray({a})
1   {new} = xp.asfortranarray({a})
1   {new} = xp.array({live}, copy={yes}, order={order})
1   {new} = xp.array({live}, dtype={dtype})
2   {new} = {live}.copy({ravel_order})
1   {new} = {live}
1   {new}, {new2} = xp.array_split({a}, 2)
1   {new} = xp.unstack({a})[0]
# Writes after something that may be a view or not
2   {new} = {a}.ravel(); {new}[...] = {number}
1   {new} = {a}.flatten(); {new}[...] = {number}
1   {new} = xp.reshape({a}, -1); {new}[...] = {number}
1   {new} = {live}[{places}]; {new}[...] = {number}
1   {new} = {live}[{index}]; {new} += 1
2   {new} = {new2} = xp.{product}({vector}, {a}); {new2} += 1
2   {new} = {new2} = xp.{fold}({a}); {new2} += 1
1   {new} = {new2} = xp.take({a}, {small}); {new2} += 1
1   {new} = {new2} = {a}.{fold_method}(); {new2} *= 2
# Indexing
6   {new} = {live}[{places}]
4   {new} = {live}[{mask_of}]
3   {new} = {live}[{mixed}]
8   {live}[{index}] = {b}
4   {live}[{index}] = {number}
7   {live}[{places}] = {b}
4   {live}[{mask_of}] = {number}
4   {live}[{mask_of}] = {a}
2   {live}[{mask_of}] = {live}[{mask_of}]
3   {live}[{mixed}] = {b}
2   {live}[...] = {a}
2   {live}[{live}] = {live}
2   {new} = {live}[{live}]
1   {new} = {live}[{live} % {n}]
2   {live}[{live} % {n}] = {live}
2   {live}[{live} % {n}, ...] = {live}
2   {new} = xp.take({a}, {ints}, axis={axis})
1   {new} = xp.take({a}, {ints}, axis={axis}, mode={mode})
2   {new} = xp.take_along_axis({a}, {along}, axis={last_axis})
3   xp.put_along_axis({live}, {along_live}, {b}, axis={last_axis})
1   xp.put_along_axis({live}, {live} % {n}, {live}, 0)
2   xp.put({live}, {ints}, {a})
1   xp.put({live}, {ints}, {number}, mode={mode})
2   xp.place({live}, {mask}, {a})
2   xp.putmask({live}, {mask}, {a})
3   xp.copyto({live}, {b})
4   xp.copyto({live}, {b}, where={mask})
3   xp.copyto({live}, {b}, casting={casting}, where={mask})
1   xp.copyto({live}, {number}, casting={casting})
1   {live}.fill({number})
1   xp.fill_diagonal({live}, {number})
1   {live}.resize({new_shape}, refcheck=False)
1   {new} = xp.resize({a}, {new_shape})
2   {new} = xp.compress({mask1}, {a}, axis={axis})
1   {new} = xp.extract({mask}, {a})
2   {new} = xp.nonzero({a})[0].copy()
1   {new} = xp.argwhere({a})
1   {new} = xp.flatnonzero({a})
1   {new} = xp.choose({mask}, [{a}, {b}])
1   {new} = xp.insert({a}, 0, {number})
1   {new} = xp.delete({a}, 0, axis={axis})
1   {new} = xp.append({a}, {b})
# Scans, sorts, folds
3   {new} = xp.{scan}({a}, axis={axis_or_none})
1   {new} = xp.{scan}({a}, axis={axis_or_none}, dtype={dtype})
2   xp.{scan}({live}, axis={axis1}, out={same})
1   {new} = xp.{ufunc2}.accumulate({a}, axis={axis})
3   {new} = xp.sort({a}, axis={axis})
2   {live}.sort(axis={axis})
2   {new} = xp.argsort({a}, axis={axis}, kind="stable")
1   {new} = xp.unique({a})
1   {new} = xp.searchsorted(xp.sort({a}, axis=None), {b})
1   {new} = xp.lexsort(({a},))
6   {new} = xp.{fold}({a}, axis={axis_or_none}{keepdims})
2   {new} = xp.{fold}({a}, axis={axis_or_none}, where={mask}{initial})
2   {new} = {a}.{fold_method}(axis={axis_or_none}{keepdims})
1   {new} = xp.{fold}({a}, dtype={dtype})
1   xp.{fold}({a}, axis={axis}, out={fold_out})
2   {new} = xp.{ufunc2}.reduce({a}, axis={axis_or_none})
1   {new} = xp.{ufunc2}.reduceat({a}, [0], axis={axis})
1   {new} = xp.{ufunc2}.outer({little}, {b})
1   {new} = xp.ptp({a})
1   {new} = xp.count_nonzero({a}, axis={axis_or_none})
1   {new} = xp.average({a}, axis={axis_or_none})
1   {new} = xp.median({a}, axis={axis_or_none})
1   {new} = xp.{statistic}({a}, axis={axis_or_none})
1   {new} = xp.{nan_fold}({a}, axis={axis_or_none})
# Products
2   {new} = xp.{product}({vector}, {b})
1   {new} = {vector} @ {b}
1   {new} = xp.einsum("...i,...i", {vector}, {b})
1   {new} = xp.einsum("i...->...i", {vector})
1   {new} = xp.outer({little}, {b})
1   {new} = xp.trace({a})
# Joining and moving
2   {new} = xp.concatenate(({a}, {a}), axis={axis})
1   {new} = xp.concatenate(({a}, {b}), axis=None)
1   {new} = xp.stack(({a}, {a}))
1   {new} = xp.hstack(({a}, {a}))
1   {new} = xp.roll({a}, {small}, axis={axis_or_none})
1   {new} = xp.repeat({a}, 2, axis={axis_or_none})
1   {new} = xp.tile({a}, 2)
1   {new} = xp.pad({a}, 1)
1   {new} = xp.diff({a}, axis={axis})
1   {new} = xp.tril({little})
1   {new} = xp.triu({little})
1   {new} = xp.full_like({a}, {number})
1   {new} = xp.zeros_like({a})
1   {new} = xp.union1d({a}, {b})
1   {new} = xp.setxor1d({a}, {b})
1   {new} = xp.intersect1d({a}, {b})
1   {new} = xp.isin({a}, {b})
1   {new} = xp.result_type({a}, {number}) == xp.result_type({a}, {b})
1   {new} = {a}.item({small})
1   {new} = {a}.tolist()
1   {live}.setflags(write=False)
# Memory that NumPy sees for a while, or has lent
2   host({shown})[...] = {number}
4   seen = host({shown}); {new} = {a} {op} {b}; seen[...] = {number}; {new2} = {a} {op} {b}; del seen
2   {new} = {a} {op} {b}; host({shown})[...] = {number}
3   {new} = xp.asarray(lent({shown}))
"""

STEPS = [(int(weight), text) for weight, text in re.findall(r"^(\d+) +(.*\S)", TABLE, re.M)]
WEIGHTS = [weight for weight, _ in STEPS]
TEXTS = [text for _, text in STEPS]
#: Statements that write to memory that pending operations may still read.
WRITES = [
    text
    for text in TEXTS
    if re.match(r"\{live\}.*=|xp\.(put|place|copyto|fill|\w+\(\{live\}|\{\w+\}\(.*out=\{same\})", text)
]
PLACE = re.compile(r"\{(\w+)\}")

UFUNCS = {name: getattr(np, name) for name in [*ca._core.ufuncs, *ca._namespace.aliases.ALIASES]
          if isinstance(getattr(np, name, None), np.ufunc)}  # fmt: skip
#: Steps that are more frequent in fused blocks.
COMMON1 = ["negative", "square", "sqrt", "abs", "exp", "sin", "floor", "conj", "logical_not", "sign"]
COMMON2 = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "floor_divide",
    "remainder",
    "power",
]
CHOICES = {
    "ufunc1": [n for n, u in UFUNCS.items() if (u.nin, u.nout) == (1, 1)] + 4 * COMMON1,
    "ufunc2": [n for n, u in UFUNCS.items() if (u.nin, u.nout) == (2, 1)] + 5 * COMMON2,
    "predicate": ["isfinite", "isnan", "isinf", "signbit", "logical_not", "bitwise_count"],
    "comparison": ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
                   "logical_xor"],
    "op": ["+", "-", "*", "+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">"],
    "sign": ["-", "+", "~", "abs", "-"],
    "part": ["real", "imag", "real", "mT"],
    "order": ["'C'", "'F'", "'K'", "'A'"],
    "ravel_order": ["", "'C'", "'F'", "'K'", "'A'"],
    "yes": ["True", "None"],
    "mode": ["'wrap'", "'clip'", "'raise'"],
    "casting": ["'unsafe'", "'unsafe'", "'same_kind'", "'safe'", "'no'", "'equiv'"],
    "scan": ["cumsum", "cumprod", "cumsum", "nancumsum"],
    "fold": ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "sum", "max", "mean"],
    "fold_method": ["sum", "prod", "max", "min", "any", "all", "mean"],
    "statistic": ["var", "std", "mean"],
    "nan_fold": ["nansum", "nanmax", "nanmin", "nanmean", "nanvar", "nanprod", "nanargmax"],
    "product": ["inner", "dot", "vdot", "matmul", "vecdot"],
}  # fmt: skip
NUMBERS = [
    "0", "1", "2", "3", "-1", "-2", "7", "127", "128", "255", "256", "300", "-129", "70000", "2**31", "2**62 + 1", "2**63",
    "2**64 - 1", "2**64", "10**30", "-2**63", "0.5", "-1.5", "2.0", "1e10", "3e38", "1e300", "1.0000001", "float('nan')",
    "float('inf')", "-0.0", "1j", "1 + 2j", "True", "False", "np.int8(-3)", "np.uint8(255)", "np.int64(300)", "np.int16(7)",
    "np.uint64(2**63)", "np.float16(1.5)", "np.float32(0.1)", "np.float64(2.5)", "np.complex64(1j)", "np.bool_(True)",
    "np.float64(1e300)", "np.array(2)", "np.array(300)", "np.array(1.5)",
]  # fmt: skip
PLAIN = ["0", "1", "2", "3", "-1", "5", "0.5", "2.5", "True"]
#: Rare sizes around blocks and threads' chunks.
LARGE = [255, 257, 1025, 5000, 70_001]


class Impossible(Exception):
    """A placeholder that the live arrays cannot fill."""


class Writer:
    """Fills the placeholders of statements, with access to NumPy's side of the program."""

    def __init__(self, rng, pair):
        self.rng, self.pair = rng, pair
        self.subject = None  # the NumPy array that the statement is about
        self.base = None  # and the name that it came from
        self.taken = set()
        self.recent = None  # a name that a fused block has just bound: writes to it must not be read too late

    def statement(self):
        """Return a random statement."""
        while True:
            texts, weights = TEXTS, WEIGHTS
            if self.recent in self.arrays() and self.rng.random() < 0.4:
                texts, weights = WRITES, None
            self.subject = self.base = None
            self.taken = set()
            self.bound = {}
            parts = PLACE.split(self.rng.choices(texts, weights)[0])
            # The subject of the statement comes first: the other placeholders depend on it.
            order = sorted(
                range(1, len(parts), 2), key=lambda k: parts[k] not in ("live", "little", "vector", "shown", "a")
            )
            try:
                for k in order:
                    parts[k] = self.fill(parts[k])
            except Impossible:
                continue
            return "".join(parts)

    def fill(self, place):
        """Return the text of a placeholder; the names are those of methods and of CHOICES."""
        if place in ("new", "new2"):
            if place not in self.bound:
                self.bound[place] = self.name()
            return self.bound[place]
        if place in CHOICES:
            return self.rng.choice(CHOICES[place])
        return getattr(self, place)()

    # Names and arrays

    def name(self):
        name = self.rng.choice([f"v{k}" for k in range(8) if f"v{k}" not in self.taken])
        self.taken.add(name)
        return name

    def arrays(self):
        return {
            n: x for n, x in self.pair.live().items() if isinstance(x, np.ndarray | np.generic) and x.dtype in KNOWN
        }

    def pick(self, test=lambda x: True):
        found = [n for n, x in self.arrays().items() if test(x)]
        if not found:
            raise Impossible
        return self.rng.choice(found)

    def live(self):
        """A name that is modified or indexed; mostly the same one for all {live} of a statement."""
        arrays = self.arrays()
        if self.base is None and isinstance(arrays.get(self.recent), np.ndarray) and self.rng.random() < 0.7:
            self.base, self.subject = self.recent, arrays[self.recent]
            return self.base
        if self.base not in arrays or self.rng.random() < 0.3:
            name = self.pick(lambda x: isinstance(x, np.ndarray) and (x.ndim or self.rng.random() < 0.2))
            if self.base is None:
                self.base, self.subject = name, arrays[name]
            return name
        return self.base

    def shown(self):
        """A name of an array that NumPy can show; of a 0-d result it makes a number."""
        name = self.pick(lambda x: isinstance(x, np.ndarray) and x.ndim)
        if self.base is None:
            self.base, self.subject = name, self.arrays()[name]
        return name

    def value(self, text):
        return eval(text, {**self.pair.theirs})

    def a(self):
        """An operand: a name, or a view of it."""
        if self.base is not None and self.rng.random() < 0.6:
            return self.b()
        name = self.pick()
        array = self.arrays()[name]
        text = name
        if array.ndim and self.rng.random() < 0.25:
            text = f"{name}[{self.basic(array.shape)}]"
            array = self.value(text)
        elif array.ndim > 1 and self.rng.random() < 0.15:
            text, array = f"{name}.T", array.T
        if self.base is None:
            self.base, self.subject = name, np.asarray(array)
        return text

    def vector(self):
        """An operand of products: large ones are 1-d."""
        return self.little(lambda x: x.size <= 300 or x.ndim == 1)

    def little(self, test=lambda x: x.size <= 300):
        """An operand small enough for a table of all pairs."""
        name = self.pick(test)
        if self.base is None:
            self.base, self.subject = name, np.asarray(self.arrays()[name])
        return name

    def b(self):
        """An operand that broadcasts with the subject: often of the same memory, sometimes a scalar."""
        if self.subject is None:
            return self.a()
        shape = self.subject.shape
        if self.rng.random() < 0.12:
            return self.number()
        arrays = self.arrays()
        if self.rng.random() < 0.45 and self.base in arrays and arrays[self.base].ndim:
            whole = arrays[self.base]
            for _ in range(4):
                text = self.rng.choice([self.base, f"{self.base}[::-1]", f"{self.base}[{self.basic(whole.shape)}]",
                                        f"{self.base}.T", f"{self.base}[..., ::-1]"])  # fmt: skip
                if self.fits(np.shape(self.value(text)), shape):
                    return text
        fitting = [n for n, x in arrays.items() if self.fits(x.shape, shape)]
        if not fitting or self.rng.random() < 0.02:
            return self.pick(lambda x: x.size <= 300)
        return self.rng.choice(fitting)

    def fits(self, shape, into):
        """Whether a shape broadcasts to another one."""
        try:
            return np.broadcast_shapes(shape, into) == into
        except ValueError:
            return False

    def same(self):
        """A name for out=: mostly of the subject's shape."""
        shape = self.subject.shape if self.subject is not None else ()
        arrays = self.arrays()
        fitting = [n for n, x in arrays.items() if isinstance(x, np.ndarray) and x.shape == shape]
        if self.base in fitting and self.rng.random() < 0.4:
            return self.base
        if fitting and self.rng.random() < 0.3 and shape:
            return f"{self.rng.choice(fitting)}[::-1]"
        if not fitting:
            if not shape or math.prod(shape) > 5000:
                raise Impossible
            return f"xp.zeros({shape}, {self.dtype()})"
        return self.rng.choice(fitting)

    def fold_out(self):
        return f"xp.zeros({self.subject.shape[:-1]}, {self.dtype()})"

    def fresh(self):
        rng = self.rng
        kind = rng.random()
        dtype = rng.choice(DTYPES)
        if kind < 0.08:
            return f"xp.arange({rng.choice(LARGE)}, dtype={rng.choice(['i4', 'f4', 'f8', 'i8', 'u2'])!r})"
        if kind < 0.13:
            return f"xp.zeros({self.shape()}, {dtype!r})"
        if kind < 0.20:
            return f"xp.array({self.number()})"
        shape = self.shape()
        count = math.prod(shape)
        if kind < 0.35:
            return f"xp.arange({count}).reshape({shape})"
        text = f"xp.array([{', '.join(self.element(dtype) for _ in range(count))}], dtype={dtype!r})"
        return text if len(shape) == 1 else f"{text}.reshape({shape})"

    def element(self, dtype):
        rng = self.rng
        wild = rng.random() < 0.08
        if dtype == "?":
            return str(rng.random() < 0.5)
        if dtype[0] in "iu":
            info = np.iinfo(dtype)
            if wild:
                odd = [info.max, info.min, info.max - 1, info.max // 2 + 1, 255, 127]
                return str(min(rng.choice(odd), int(info.max)))
            return str(rng.randrange(0 if dtype[0] == "u" else -9, 10))
        if wild:
            return rng.choice(
                [
                    "float('nan')",
                    "float('inf')",
                    "-float('inf')",
                    "-0.0",
                    "1e10",
                    "1e-30",
                    "1.0000001",
                    "70000.0",
                ]
            )
        text = str(rng.randrange(-8, 9) / 2)
        return text if dtype[0] == "f" else f"complex({text}, {rng.randrange(-4, 5) / 2})"

    def shape(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.04:
            return ()
        if kind < 0.08:
            return rng.choice([(0,), (0, 3), (2, 0), (1, 0, 2)])
        return rng.choice(
            [
                (3,),
                (4,),
                (5,),
                (6,),
                (1,),
                (6,),
                (2, 3),
                (3, 3),
                (3, 2),
                (1, 3),
                (3, 1),
                (2, 2, 3),
                (4, 4),
                (2, 1, 3),
            ]
        )

    def new_shape(self):
        return str(self.shape())

    def wider(self):
        shape = self.subject.shape
        lead = self.rng.choice([(), (1,), (2,), (3,)])
        return str(lead + tuple(self.rng.choice([2, 3]) if n == 1 else n for n in shape))

    def reshaped(self):
        size = self.subject.size
        ways = [(size,), (-1,), (1, size), (size, 1)] + [(d, size // d) for d in (2, 3) if size % d == 0]
        return str(self.rng.choice(ways))

    # Numbers

    def number(self):
        return self.rng.choice(NUMBERS if self.rng.random() < 0.4 else PLAIN)

    def small(self):
        return str(self.rng.choice([0, 1, -1, 2]))

    def n(self):
        extent = self.subject.shape[0] if self.subject is not None and self.subject.ndim else 1
        return str(max(extent, 1))

    def dtype(self):
        return repr(self.rng.choice(DTYPES))

    def other_dtype(self):
        """A dtype for view(): bools must be 0 and 1."""
        return self.dtype() if self.subject.dtype == bool else repr(self.rng.choice(DTYPES[1:]))

    def axis(self):
        ndim = self.subject.ndim
        return str(self.rng.randrange(-ndim, ndim)) if ndim and self.rng.random() > 0.02 else "0"

    def axis1(self):
        """An existing axis: NumPy's scans of 0-d arrays into out= may crash."""
        if not self.subject.ndim:
            raise Impossible
        return str(self.rng.randrange(self.subject.ndim))

    def axis0(self):
        return str(self.rng.choice([0, -1]))

    def last_axis(self):
        return "-1"

    def axis_or_none(self):
        return "None" if self.rng.random() < 0.35 else self.axis()

    def keepdims(self):
        return self.rng.choice(["", "", ", keepdims=True"])

    def initial(self):
        return self.rng.choice(["", ", initial=1"])

    # Indices

    def slice(self, extent):
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            return ":"
        if kind == 1:
            return "::-1"
        if kind == 2:
            return rng.choice(["::2", "1::2", "::-2"])
        if kind == 3:
            return f"{rng.randrange(-extent - 1, extent + 1)}:"
        if kind == 4:
            return f":{rng.randrange(-extent - 1, extent + 2)}"
        return f"{rng.randrange(extent + 1)}:{rng.randrange(extent + 1)}"

    def basic(self, shape):
        rng = self.rng
        if rng.random() < 0.12:
            return rng.choice(["...", "None", ":", "::-1"] if shape else ["...", "()", "None"])
        parts = []
        for extent in shape[: rng.randrange(1, len(shape) + 1)] if shape else ():
            integer = extent and rng.random() < 0.25
            parts.append(str(rng.randrange(-extent, extent)) if integer else self.slice(min(extent, 50)))
        if rng.random() < 0.08:
            what = rng.choice(["None", "..."])
            # Entries after "..." index the last axes.
            whole = what == "None" or len(parts) == len(shape)
            parts.insert(rng.randrange(len(parts) + 1) if whole else len(parts), what)
        return ", ".join(parts) or "..."

    def index(self):
        if self.rng.random() < 0.01:
            return self.rng.choice(["99", "-99", "0, 0, 0, 0", "1.5"])
        return self.basic(self.subject.shape)

    def ints(self, extent=None):
        """An array of indices, by default of the subject's first axis."""
        rng = self.rng
        if extent is None:
            extent = self.subject.shape[0] if self.subject.ndim else 1
        extent = min(extent, 50)
        if not extent or rng.random() < 0.01:
            return "[]" if rng.random() < 0.8 else "[99]"
        arrays = [n for n, x in self.arrays().items() if x.dtype.kind in "iu" and x.size and x.size < 100
                  and x.max() < extent and x.min() >= -extent]  # fmt: skip
        if arrays and rng.random() < 0.5:
            return rng.choice(arrays)
        count = rng.choice([1, 2, 3, extent, extent])
        numbers = [rng.randrange(-extent, extent) for _ in range(count)]
        if count == extent and rng.random() < 0.6:
            numbers = rng.choice([list(range(extent))[::-1], rng.sample(range(extent), extent)])
        form = rng.random()
        if form < 0.25:
            return str(numbers)
        if form < 0.3:
            return str(numbers[0])
        if form < 0.4:
            return f"xp.array({numbers[0]})"
        if form < 0.45:
            return f"np.array({numbers[0]})"
        return f"xp.array({numbers})"

    def places(self):
        """A key with index arrays."""
        shape = self.subject.shape
        if not shape:
            raise Impossible
        first = self.ints(shape[0])
        if self.rng.random() < 0.15:
            return f"{first}, ..."
        if len(shape) > 1 and self.rng.random() < 0.3:
            return f"{first}, {self.ints(shape[1])}"
        return first

    def mixed(self):
        shape = self.subject.shape
        if len(shape) < 2:
            raise Impossible
        parts = [self.rng.choice([lambda: self.ints(n), lambda: self.slice(n), lambda: self.slice(n),
                                  lambda: str(self.rng.randrange(n)) if n else ":"])() for n in shape[:2]]  # fmt: skip
        if self.rng.random() < 0.2:
            parts.insert(self.rng.randrange(3), "None")
        return ", ".join(parts)

    def mask_text(self, shape):
        """A bool array of a shape: a live one, a comparison, or a list."""
        rng = self.rng
        arrays = self.arrays()
        bools = [n for n, x in arrays.items() if x.dtype == bool and x.shape == shape]
        equal = [n for n, x in arrays.items() if x.shape == shape and x.dtype.kind != "c"]
        if bools and rng.random() < 0.5:
            return rng.choice(bools)
        if equal and rng.random() < 0.8:
            return f"{rng.choice(equal)} {rng.choice(['>', '<', '==', '!='])} {rng.choice(PLAIN[:6])}"
        if math.prod(shape) > 50:
            raise Impossible
        text = f"xp.array([{', '.join(rng.choice(['True', 'False']) for _ in range(math.prod(shape)))}], dtype=bool)"
        return text if len(shape) == 1 else f"{text}.reshape({shape})"

    def mask(self):
        shape = self.subject.shape
        kind = self.rng.random()
        if kind < 0.05:
            return self.rng.choice(["True", "False", "xp.array(True)"])
        return self.mask_text(shape[1:] if shape and kind < 0.15 else shape)

    def mask_of(self):
        shape = self.subject.shape
        if not shape:
            raise Impossible
        text = self.mask_text(shape[:1] if len(shape) > 1 and self.rng.random() < 0.3 else shape)
        return text if self.rng.random() < 0.9 else f"({text}), ..."

    def mask1(self):
        return self.mask_text(self.subject.shape[-1:])

    def along(self):
        extent = self.subject.shape[-1] if self.subject.ndim else 0
        if not extent:
            raise Impossible
        shape = (*self.subject.shape[:-1], min(extent, 4))
        if math.prod(shape) > 100:
            raise Impossible
        numbers = [self.rng.randrange(-extent, extent) for _ in range(math.prod(shape))]
        return f"xp.array({numbers}).reshape({shape})"

    def along_live(self):
        """Indices along the last axis; sometimes computed from the array itself."""
        if self.subject.ndim and self.subject.dtype.kind in "iu" and self.rng.random() < 0.4:
            return f"{self.base} % {max(self.subject.shape[-1], 1)}"
        return self.along()

    # Options of elementwise functions

    def where(self):
        return f", where={self.mask()}" if self.rng.random() < 0.4 else ""

    def narrow(self):
        dtype = self.rng.choice(["bool", "bool", "'?'", "'u1'", "'i1'", "'f4'", "'f8'"])
        return f", dtype={dtype}" + self.rng.choice(["", "", ", casting='unsafe'"])

    def options(self):
        rng = self.rng
        text = ""
        if rng.random() < 0.4:
            text += f", out={self.same()}"
            text += self.where()
        if rng.random() < 0.35:
            text += f", dtype={self.dtype()}"
        elif rng.random() < 0.08:
            letters = "?bBhHiIlLefdFD"
            text += f", signature={rng.choice(letters) + rng.choice(letters) + '->' + rng.choice(letters)!r}"
        if rng.random() < 0.3:
            text += f", casting={rng.choice(CHOICES['casting'])}"
        if rng.random() < 0.05:
            text += f", order={rng.choice(CHOICES['order'])}"
        return text


def bearable(pair):
    """Whether NumPy's side is small enough to continue."""
    return all(np.size(x) <= 200_000 and np.ndim(x) <= 6 for x in pair.live().values())


def drop_large(pair, statements):
    names = [n for n, x in pair.live().items() if np.size(x) > 200_000 or np.ndim(x) > 6 or not hasattr(x, "dtype")]
    if names:
        statement = f"del {', '.join(names)}"
        statements.append(statement)
        pair.step(statement)
        for name in names:
            pair.saved.pop(name, None)


def is_safe(pair, statement):
    """Whether NumPy would survive a statement; its resize() frees the memory of views."""
    if ".resize(" not in statement:
        return True
    name = statement.partition(".")[0]
    x = pair.theirs.get(name)
    # The imaginary part of real numbers is read-only, and has no memory that NumPy's resize() would fill.
    return isinstance(x, np.ndarray) and x.base is None and x.flags.writeable and sum(np.may_share_memory(x, y) for y in pair.live().values()
                                                                if isinstance(y, np.ndarray)) == 1  # fmt: skip


#: Expressions that make views of values, which share memory in cuarray: the target of later writes would be ambiguous.
VIEWS = re.compile(r"ravel|reshape|squeeze|expand_dims|atleast|axes|axis\(|flip|rot90|broadcast|view|array|\.m?T|real|imag|"
                   r"\[(None|\.\.\.|\(\))")  # fmt: skip


def views_value(pair, line):
    """Whether a line may make a view of a value."""
    return bool(VIEWS.search(line)) and any(
        isinstance(pair.theirs.get(name), np.generic) for name in re.findall(r"\bv\d\b", line)
    )


def fused_block(rng, pair, writer):
    """Return the statement of a fused block, which NumPy's side has run already."""
    body = []
    pair.hold()
    before = set(pair.live())
    for _ in range(rng.randrange(2, 7)):
        line = writer.statement()
        if ".resize(" in line or "setflags" in line or views_value(pair, line) or pair.run_theirs(line) is not None:
            continue
        if not bearable(pair):
            body.append(line)
            break
        body.append(line)
        writer.recent = next(iter(targets(line)), writer.recent)
    writer.recent = None
    if not body:
        return None
    text = "\n".join(body)
    assigned = [n for line in body for n in targets(line)]
    if rng.random() < 0.6:
        return "with fuse():\n" + indented(body)
    read = sorted(n for n in set(re.findall(r"\bv\d\b", text)) if n in before)
    back = sorted(set(assigned))
    lines = ["@fuse", f"def f({', '.join(read)}):", indented(body)]
    if back:
        # A name that is not an argument has been assigned: lines run in order.
        lines.append(f"    return {', '.join(back)}")
    lines.append(f"{', '.join(back)}{' = ' if back else ''}f({', '.join(read)})")
    return "\n".join(lines)


def targets(line):
    """Return the names that a line binds."""
    found = []
    for part in line.split("; "):
        match = re.match(r"((?:v\d(?:, | = )?)+)\s*(?:[-+*/%&|^<>]{1,2}|\*\*|//)?=(?!=)", part + " ")
        if match:
            found += re.findall(r"v\d", match[1])
    return found


def indented(lines):
    return "\n".join("    " + line for line in lines)


def case(rng, device, trace):
    """Make and run one program; yield its findings and the statements until each."""
    pair = Pair(device)
    writer = Writer(rng, pair)
    statements = []
    fusing = rng.random() < 0.5
    for k in range(3 + rng.randrange(12, 26)):
        if k >= 3 and fusing and rng.random() < 0.3:
            statement = fused_block(rng, pair, writer)
            if statement is None:
                continue
            statements.append(statement)
            trace(statements)
            difference = pair.finish(statement, None, pair.run_ours(statement))
        else:
            writer.taken, writer.bound, writer.base, writer.subject = set(), {}, None, None
            statement = f"v{k} = {writer.fresh()}" if k < 3 else writer.statement()
            if not is_safe(pair, statement):
                continue
            statements.append(statement)
            trace(statements)
            difference = pair.step(statement)
        if difference:
            yield difference, list(statements)
        drop_large(pair, statements)
        if not pair.live():
            return


def replay(statements, device):
    """Run statements and return their Differences."""
    pair = Pair(device)
    found = []
    for statement in statements:
        if not is_safe(pair, statement):
            continue
        difference = pair.step(statement)
        if difference:
            found.append(difference)
    return found


def function_of(statements):
    return main_function(statements[-1])


if __name__ == "__main__":
    sys.exit(batches.main(sys.modules[__name__]))
