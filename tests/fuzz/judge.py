"""judge.py -- runs the same statements with NumPy and with cuarray, and reports differences.

A program is a list of statements, texts in `xp`; `fuse` is cuarray's, and has no effect on NumPy. After each statement
every live array is compared: value, dtype, shape, contiguity, writability, shared memory, and whether a result is
a value (`y = x; y += 1` leaves x unchanged); if NumPy raises, cuarray must raise the same type, and change no array.

Intended differences are listed only in intended.py, with their reasons. Inexact functions have limits (`INEXACT`, `SUMS`);
after such a statement NumPy's array gets cuarray's values, so that one rounding is not counted twice.
A fused block that differs is judged by its lines, one at a time, and must give the bits that it gives without fuse.
"""

import contextlib
import re
import warnings
from typing import NamedTuple

import numpy as np
from intended import INTENDED, Step
from limits import IN_LINE, KNOWN, SUM_LIMIT, TRANSFORMS, same_values
from same import public_type
from statements import (
    BOUND,
    LIVE,
    LIVE_WORD,
    blamed,
    compiled,
    copied,
    family,
    in_c_order,
    is_single,
    lines_of,
    main_function,
    raiser,
    spread,
    with_copies,
    with_harmless_casts,
    with_simpler_parts,
    words,
)

import cuarray as ca
from cuarray import _core

#: Statements that request a memory order of new arrays, which is unspecified elsewhere.
ORDER_ASKED_FOR = re.compile(r"order='[CF]'|contiguousarray|asfortranarray|flatten|ravel|copy\('[CF]'\)")
#: Functions whose 0-d results are values in cuarray, as those of ufuncs, and arrays in NumPy.
VALUES = {"isin", "median", "percentile", "quantile", "nanmedian", "nanpercentile", "nanquantile"}
VALUES |= TRANSFORMS


class Difference(NamedTuple):
    """A difference of both sides: `kind` is common to all findings of one fault, `text` describes it."""

    kind: tuple
    text: str


def bare_fuse(function=None):
    """NumPy's stand-in for fuse."""
    return contextlib.nullcontext() if function is None else function


def shown_by_numpy(x):
    """Return NumPy's view of an array of cuarray's, which NumPy's own array needs no function for."""
    return np.asarray(x) if x.device.kind == "cpu" else x


#: Called with True before NumPy runs, with False after: NumPy may crash: `np.cumsum(np.array(1), out=np.array(1))`.
watchers = []


def turn(numpys):
    for watcher in watchers:
        watcher(numpys)


def quiet():
    """Turn off NumPy's warnings about values, for the rest of this process."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")


#: Objects that programs compare, distinguish or print.
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.dtype, type)


def compare_objects(name, want, got, function):
    """Compare results that are not NumPy arrays."""
    if isinstance(got, ca.ndarray) and not isinstance(want, PLAIN):
        return Difference((function, "type", type(want).__name__), f"{name}: an array, NumPy: {want!r:.80}")
    if not isinstance(want, PLAIN) or isinstance(got, ca.ndarray):
        return None
    if not (isinstance(got, (type(want), *PLAIN))) or not (got == want or got != got):
        return Difference((function, "object"), f"{name}: NumPy {want!r:.100}, cuarray {got!r:.100}")
    return None


def shares(module, x, y):
    try:
        return bool(module.shares_memory(x, y))
    except Exception:
        return bool(module.may_share_memory(x, y))


def printable(error):
    """Return an exception, or one of its type without the argument that cannot be printed."""
    try:
        str(error)
    except Exception:
        return type(error)("planted: cannot be printed")
    return error


def headline(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def shown(x):
    text = np.array2string(np.asarray(x), threshold=24, edgeitems=6, max_line_width=10**6).replace("\n", "")
    return f"{text[:200]} {x.dtype}"


def bits(x):
    """Return a value of cuarray's, or several, as something that is equal where all bits are."""
    if isinstance(x, tuple | list):
        return type(x), [bits(part) for part in x]
    if not isinstance(x, ca.ndarray):
        return repr(x)
    host = x.to_numpy()
    return host.dtype, host.shape, host.tobytes()


def writable(x):
    return x if x.flags.writeable else x.copy(order="K")


def write_anyway(x, values):
    """Write into an array of NumPy's, protected or not, and return True; False if its memory is no array's."""
    chain = [x]
    while isinstance(chain[-1].base, np.ndarray):
        chain.append(chain[-1].base)
    flags = [array.flags.writeable for array in chain]
    try:
        for array in reversed(chain):
            array.flags.writeable = True
        np.copyto(x, values)
    except ValueError:
        return False
    finally:
        for array, flag in zip(chain, flags, strict=True):
            array.flags.writeable = flag
    return True


def filled(x):
    """The array, or an array of ones if it is empty."""
    return x if x.size else np.ones([max(n, 1) for n in x.shape], x.dtype)


class Pair:
    """The two sides of one program, its live names, and the values that they had after the last statement."""

    def __init__(self, device="cpu", prelude=None, meant=(), mended=None):
        self.device = device
        self.mended = mended or with_simpler_parts
        self.meant = [*INTENDED, *meant]
        common = {"np": np, "copied": copied, "in_c_order": in_c_order, "spread": spread, **(prelude or {})}
        self.theirs = {"xp": np, "fuse": bare_fuse, "host": lambda x: x, "lent": np.copy, **common}
        self.ours = {"xp": ca, "fuse": ca.fuse, "host": shown_by_numpy, "lent": ca.ndarray.to_numpy, **common}
        self.saved = {}
        self.held = None
        self.statement, self.bound = "", set()
        self.parted = set()

    def live(self):
        """Return the arrays and scalars of NumPy's side by name."""
        return {name: x for name, x in self.theirs.items() if name in LIVE}

    # One side at a time; the generator of fused blocks runs NumPy step by step before cuarray runs the block.

    def run_theirs(self, statement, undo=False):
        """Return NumPy's exception, or None. After an exception, or with undo, its arrays are restored."""
        turn(True)
        held = {name: (x, x.copy() if isinstance(x, np.ndarray) else None) for name, x in self.live().items()}
        try:
            exec(compiled(with_copies(statement)), self.theirs)
        except Exception as error:
            self.undo(held)
            return printable(error)
        finally:
            turn(False)
        if undo:
            self.undo(held)
        return None

    def undo(self, held):
        for name in self.live():
            if name not in held:
                del self.theirs[name]
        for name, (x, copy) in held.items():
            self.theirs[name] = x
            if not isinstance(x, np.ndarray) or copy is None or x.shape != copy.shape:
                continue
            if x.flags.writeable or x.tobytes() != copy.tobytes():  # NumPy's ufunc.at() writes before it refuses
                write_anyway(x, copy)

    def run_ours(self, statement):
        try:
            exec(compiled(statement), self.ours)
            if self.device != "cpu":
                ca.synchronize()
        except Exception as error:
            return printable(error)
        return None

    def prepare(self, statements):
        """Make the arrays of a call on both sides, with their initial values."""
        code = compiled("\n".join(statements))
        for names in (self.theirs, self.ours):
            for name in [n for n in names if n in LIVE]:
                del names[name]
            exec(code, names)
        self.saved = {name: x.copy() for name, x in self.live().items()}

    def step(self, statement):
        """Run a statement on both sides and return the Difference, or None."""
        if not is_single(statement):
            self.hold()
        want = self.run_theirs(statement)
        return self.finish(statement, want, self.run_ours(statement))

    def hold(self):
        """Note what both sides are before a statement of several lines, which may be run once more, a line at a time."""
        theirs = {name: (x, copied(x)) for name, x in self.live().items()}
        ours = {name: (x, self.saved.get(name)) for name, x in self.ours.items() if name in LIVE}
        self.held = theirs, ours

    def go_back(self):
        """Make both sides what they were when they were held."""
        theirs, ours = self.held
        self.undo(theirs)
        for name in [name for name in self.ours if name in LIVE and name not in ours]:
            del self.ours[name]
        for name, (x, value) in ours.items():
            self.ours[name] = x
            if value is not None and x.flags.writeable:
                x[...] = ca.asarray(value, device=x.device)

    def finish(self, statement, want, got):
        """Compare both sides after a statement; `want` and `got` are its exceptions."""
        found = self.compare(statement, want, got)
        if found and not is_single(statement) and self.held and self.agrees_by_lines(statement, got):
            found = None
        self.held = None
        self.drop_unequal()
        return found

    def agrees_by_lines(self, statement, got):
        """Whether a statement's lines agree with NumPy one at a time, and give the same bits without fuse.

        What a line may do, such as another last digit or an infinity for a NaN, the next lines of a fused block go on with:
        NumPy takes it over between lines alone.
        """
        fused = self.outcome(got)
        self.go_back()
        alone = Pair(self.device, meant=self.meant[len(INTENDED) :], mended=self.mended)
        alone.theirs, alone.ours, alone.saved = dict(self.theirs), {**self.ours, "fuse": bare_fuse}, {}
        alone.saved = {name: value for name, (_, value) in self.held[1].items() if value is not None}
        agree = not any(alone.step(line) for line in lines_of(statement))
        self.go_back()
        self.run_theirs(statement)
        self.ours["fuse"] = bare_fuse
        got = self.run_ours(statement)
        self.ours["fuse"] = ca.fuse
        return agree and self.outcome(got) == fused

    def outcome(self, error):
        """Return what cuarray's side is now, to the bit, and the type of the error."""
        values = {}
        for name, x in self.ours.items():
            if name in LIVE:
                values[name] = bits(x)
        return values, type(error)

    def compare(self, statement, want, got):
        """Return the Difference of what a statement has left, or None."""
        inputs, before = None, dict(self.saved)
        self.statement, self.scales = statement, {}
        self.bound = set(BOUND.findall(statement))
        function = main_function(statement)
        names = words(statement)

        def excused(theirs, ours):
            nonlocal inputs
            if inputs is None:
                inputs = [np.asarray(x) for n, x in before.items() if n in names]
                inputs += [np.asarray(x) for n, x in self.live().items() if n in names and hasattr(x, "dtype")]
                inputs = [x for x in inputs if x.dtype in KNOWN]
            step = Step(names, statement, theirs, ours, inputs)
            return any(test(step) for _, test in self.meant)

        found = None
        if want is None and isinstance(got, TypeError | ValueError) and self.unsupported(statement):
            want = got
            self.parted |= self.bound
        if (want is None) != (got is None) or (want is not None and not is_single(statement)):
            self.parted |= self.bound  # by one side alone, or before the line that raised
        if want is not None or got is not None:
            alike = got is not None and want is not None and isinstance(got, public_type(want))
            if not alike and not excused(want, got) and not (want and got and self.has_other_fault(statement, got)):
                kind = (
                    family(raiser(function, statement, got)),
                    "raises",
                    type(want).__name__,
                    type(got).__name__,
                )
                said = [headline(e) if e is not None else "no exception" for e in (want, got)]
                found = Difference(kind, f"NumPy: {said[0]}; cuarray: {said[1]}")
            if (want is not None and got is not None and not found and is_single(statement)
                    and "negative integer powers" not in str(want)  # some elements are written before
                    and not (function.endswith(".at") and "read-only" in str(got))):  # by NumPy  # fmt: skip
                found = self.compare_all(names, function + " raising", lambda a, b: False, results=False)
            return found
        return self.compare_all(names, function, excused)

    def has_other_fault(self, statement, got):
        """Whether a call has two faults, and NumPy reports cuarray's once the other one is removed."""
        if "\n" in statement:
            return False
        for variant in [*self.mended(statement), *with_harmless_casts(statement)]:
            error = self.run_theirs(variant, undo=True)
            if error is not None and isinstance(got, public_type(error)):
                return True
        found = {name: x for name, x in self.live().items() if name in words(statement) and isinstance(x, np.ndarray)}
        if (
            isinstance(got, ValueError)
            and "read-only" in str(got)
            and not all(x.flags.writeable for x in found.values())
        ):
            return True
        for change in (writable, filled):
            changed = {name: change(x) for name, x in found.items()}
            changed = {name: x for name, x in changed.items() if x is not found[name]}
            for some in [changed, *({name: x} for name, x in changed.items())] if changed else ():
                self.theirs.update(some)
                error = self.run_theirs(statement, undo=True)
                self.theirs.update(found)
                if error is not None and isinstance(got, public_type(error)):
                    return True
        return False

    def unsupported(self, statement):
        """Whether NumPy's result is of an unsupported dtype, or a list or string."""
        made = [self.theirs.get(name) for name in LIVE_WORD.findall(statement)]
        dtypes = [getattr(x, "dtype", None) for x in made]
        return any(isinstance(t, np.dtype) and t.newbyteorder("=") not in KNOWN for t in dtypes)  # a class has no dtype

    def compare_all(self, names, function, excused, results=True):
        """Compare every live name; NumPy's side adopts permitted differences. Return the first Difference."""
        found = None
        fresh = []

        def order(item):
            """What can be written first, of that what was written, and numbers before integers that look at their memory."""
            name, x = item
            if not isinstance(x, np.ndarray):
                return False, name not in names, False
            return not x.flags.writeable, name not in names, x.dtype.kind not in "fc"

        # Views and memory seen as another type show our digits then, too.
        for name, want in sorted(self.live().items(), key=order):
            if name in self.parted:
                continue
            if name not in self.ours:
                if not results:
                    continue
                found = found or Difference((function, "missing"), f"{name} is missing")
                continue
            if self.saved.get(name) is None or name in names:
                fresh.append(name)
            by = blamed(function, self.statement, name)
            found = self.compare_one(name, want, self.ours[name], names if results else set(), by, excused) or found
        return found or (self.compare_sharing(fresh, function) if results else None)

    def compare_one(self, name, want, got, names, function, excused):
        """Compare a name's two values."""
        if isinstance(want, np.ma.MaskedArray | np.matrix):
            self.parted.add(name)
            return (
                None
                if isinstance(got, type(want))
                else Difference((function, "stripped"), f"{name}: {type(want).__name__}")
            )
        if isinstance(want, tuple | list):
            return self.compare_sequences(name, want, got, names, function, excused)
        if not isinstance(want, np.ndarray | np.generic):
            found = compare_objects(name, want, got, function)
            if found and isinstance(want, float | complex) and type(got) is type(want):
                wide = np.asarray(want), np.asarray(got)
                if same_values(*wide, names, self.device, lambda: self.scale(names), self.coarsest(names)):
                    return None
            numbers = isinstance(want, int | float | complex) and type(got) is type(want)
            if found and numbers and excused(np.asarray(want), np.asarray(got)):
                return None
            return None if found and excused(("object", want), ("object", got)) else found
        if want.dtype not in KNOWN and want.dtype.newbyteorder("=") in KNOWN and isinstance(got, ca.ndarray):
            want = want.astype(want.dtype.newbyteorder("="))  # a copy, as docs/differences.md says
            self.parted.add(name)
        if got is want or (
            want.dtype not in KNOWN and isinstance(got, np.ndarray | np.generic) and got.dtype == want.dtype
        ):  # an argument that is handed through
            return None
        if want.dtype not in KNOWN:
            if excused(("dtype", str(want.dtype)), ("dtype", str(want.dtype))):
                self.parted.add(name)
                return None
            return Difference(
                (function, "dtype", str(want.dtype)), f"{name}: NumPy gives {want.dtype}, cuarray {got!r:.80}"
            )
        if (
            names & {"broadcast_to", "broadcast_arrays"}
            and want.ndim == 0
            and isinstance(got, ca.ndarray)
            and _core.is_value(got)
        ):
            self.parted.add(name)  # of a value, a value
            return None
        if not isinstance(got, ca.ndarray):
            if isinstance(want, np.generic) and isinstance(got, type(want.item()) | np.generic):
                return None
            if isinstance(got, np.ndarray) and names & {"__array__", "s_", "index_exp", "out"}:
                return None
            if excused(("type", want), ("type", got)):
                self.parted.add(name)
                return None
            return Difference(
                (function, "type", type(got).__name__), f"{name}: {type(got).__name__} instead of an array"
            )
        try:
            host = got.to_numpy()
        except MemoryError:  # a view of one element, as large as a wish
            self.parted.add(name)
            return None
        except Exception as error:
            return Difference((function, "to_numpy", type(error).__name__), f"{name}: {headline(error)}")
        changed = name not in names
        if host.dtype != want.dtype or host.shape != want.shape:
            what = "dtype" if host.shape == want.shape else "shape"
            detail = (str(want.dtype), str(host.dtype)) if what == "dtype" else ()
            if excused((what, *detail), (what, *detail)):
                self.parted.add(name)
                return None
            return Difference((function, what, *detail), f"{name}: NumPy {want.dtype} {want.shape}, "
                              f"cuarray {host.dtype} {host.shape}")  # fmt: skip
        if host.tobytes() != want.tobytes():
            plain = np.asarray(want)
            if isinstance(want, np.generic) and name not in self.bound and not is_single(self.statement):
                self.parted.add(name)  # a view of a value has been written to
                return None
            if not same_values(
                plain, host, names, self.device, lambda: self.scale(names), self.coarsest(names)
            ) and not excused(plain, host):
                kind = (function, "value", "elsewhere" if changed else plain.dtype.kind)
                return Difference(kind, f"{name}: NumPy {shown(plain)}, cuarray {shown(host)}")
            self.take_over(name, want, host)
        if "[" in name:
            return self.compare_kind(name, want, got, names, function, excused)
        self.saved[name] = host
        if names and name in self.bound and isinstance(want, np.ndarray):
            if want.ndim == 0 and names & VALUES and _core.is_value(got):
                self.make_value(want)
                return None
            return self.compare_flags(name, want, got, function, excused)
        if names and name in self.bound and isinstance(want, np.generic) and not _core.is_value(got):
            self.parted.add(name)
            if "out" in names or excused(("no value", want), ("no value", got)):
                return None
            return Difference((function, "no value"), f"{name} is a value in NumPy: y = {name}; y += 1 changes it here")
        return None

    def compare_kind(self, name, want, got, names, function, excused):
        """Compare whether a part of a result is a value."""
        is_value = _core.is_value(got)
        if not names or is_value == isinstance(want, np.generic) or want.ndim or (is_value and names & VALUES):
            return None
        if excused(("no value", want), ("no value", got)):
            return None
        said = ("a value in NumPy", "an array here") if not is_value else ("an array in NumPy", "a value here")
        return Difference((function, "no value"), f"{name} is {said[0]}, {said[1]}")

    def compare_sequences(self, name, want, got, names, function, excused):
        if not isinstance(got, tuple | list) or len(got) != len(want):
            if excused(("results", want), ("results", got)):
                return None
            said = f"{len(got)} results" if isinstance(got, tuple | list) else f"{type(got).__name__}"
            return Difference((function, "results"), f"{name}: NumPy {len(want)} results, cuarray {said}")
        for k, (a, b) in enumerate(zip(want, got, strict=True)):
            difference = self.compare_one(f"{name}[{k}]", a, b, names, function, excused)
            if difference:
                return difference
        return None

    def compare_flags(self, name, want, got, function, excused):
        ours, theirs = got.flags, want.flags
        for flag in ("c_contiguous", "f_contiguous", "writeable", "aligned"):
            if getattr(ours, flag) == getattr(theirs, flag):
                continue
            lines = [line for line in self.statement.split("\n") if f"{name} = " in line]
            asked_for = any(ORDER_ASKED_FOR.search(line) and "out=" not in line for line in lines[-1:])
            if flag.endswith("contiguous") and self.is_new(want) and not asked_for:
                self.take_layout_over(name, want, got)
                continue
            self.parted.add(name)
            if excused(("flag", flag), ("flag", flag)) or (ours.writeable and not want.size):
                continue
            kind = ("array" if flag == "aligned" else function, flag, getattr(theirs, flag))
            return Difference(kind, f"{name}: {flag} is {getattr(theirs, flag)} in NumPy, {getattr(ours, flag)} here")
        return None

    def is_new(self, want):
        """Whether a NumPy array shares no memory with the arrays before the statement."""
        return not any(
            shares(np, want, x)
            for name, x in self.live().items()
            if name not in self.bound and x is not want and isinstance(x, np.ndarray)
        )

    def make_value(self, want):
        for other, x in self.live().items():
            if x is want:
                self.theirs[other] = want[()]

    def take_layout_over(self, name, want, got):
        """Give NumPy's new array cuarray's memory order, which is unspecified for new arrays."""
        strides, shape = got.strides, want.shape
        if got.flags.c_contiguous or got.flags.f_contiguous:
            mine = want.copy("C" if got.flags.c_contiguous else "F")
        else:
            order = sorted(range(want.ndim), key=lambda k: -abs(strides[k]))
            mine = np.empty([shape[k] for k in order], want.dtype).transpose(np.argsort(order))
            mine[...] = want
        mine.flags.writeable = want.flags.writeable
        alike = all(getattr(mine.flags, f) == getattr(got.flags, f) for f in ("c_contiguous", "f_contiguous"))
        for other, x in self.live().items():
            if x is want and alike and self.ours.get(other) is got:
                self.theirs[other] = mine
            elif x is want or (isinstance(x, np.ndarray) and shares(np, x, want)):
                self.parted |= {name, other}

    def compare_sharing(self, fresh, function):
        """Compare the memory sharing of the names that a statement has used."""
        for name in fresh:
            mine, ours = self.theirs.get(name), self.ours.get(name)
            if not isinstance(ours, ca.ndarray) or not hasattr(mine, "dtype") or not mine.size or name in self.parted:
                continue
            for other, theirs in self.live().items():
                beside = self.ours.get(other)
                if (
                    other == name
                    or (beside is ours and (theirs is mine or not isinstance(mine, np.ndarray)))
                    or not isinstance(beside, ca.ndarray)
                    or not hasattr(theirs, "dtype")
                    or not theirs.size
                    or other in self.parted
                ):
                    continue
                arrays = isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray)
                want, got = arrays and shares(np, mine, theirs), shares(ca, ours, beside)
                if want and not got and re.search(r"xp\.(real|imag|histogram\w*)\(", self.statement):
                    self.parted |= {name}  # new arrays, as docs/differences.md says
                    continue
                if got and not want and mine.size == 1 and "ravel('F')" in self.statement:
                    self.parted |= {name}  # after resize(()), NumPy copies one element
                    continue
                along_none = "fftn(" in self.statement and (mine.size == 1 or "out=" in self.statement)
                if got and not want and (along_none or re.search(r"(ifft2|irfft2|hfft)\(.*out=", self.statement)):
                    self.parted |= {name}  # of no axes: the array itself, a value above; out= that NumPy ignores
                    continue
                if got and not want and "broadcast_arrays" in self.statement:
                    self.parted |= {name, other}  # read-only, or both of one value
                    continue
                if want == got or (arrays and got and np.may_share_memory(mine, theirs)):
                    continue
                self.parted |= {name, other}
                if not arrays and not (
                    "out=" not in self.statement
                    and isinstance(mine, np.generic)
                    and isinstance(theirs, np.ndarray)
                    and name in self.bound
                    and other not in self.bound
                ):
                    continue  # a view of a value: it shares the value's memory, as docs/differences.md says
                kind = (blamed(function, self.statement, name), "shares", want)
                return Difference(kind, f"{name} and {other} share memory in NumPy: {want}, here: {got}")
        return None

    def coarsest(self, names):
        """Return the eps of the shortest floats that a statement may compute in, where they are not the result's."""
        if re.search(r"dtype=.*(f2|f4|c8|float16|float32)", self.statement):
            return float(np.finfo("f2" if re.search("f2|float16", self.statement) else "f4").eps)
        if not names & {
            "out",
            "nanvar",
            "nanstd",
            "linspace",
            "logspace",
            "geomspace",
            *TRANSFORMS,
        }:
            return 0.0
        # out= may be wider than the loop; NumPy's nanvar rounds to the elements' type, whatever dtype= says.
        inputs = [x for n, x in {**self.live(), **self.saved}.items() if n in names and hasattr(x, "dtype")]
        types = [np.result_type(x.dtype, "f2") for x in inputs if x.dtype in KNOWN]
        if re.search(r"float(16|32)\(|f[24]'", self.statement):
            types.append(np.dtype("f2" if re.search("f2|float16", self.statement) else "f4"))
        return max((float(np.finfo(t).eps) for t in types), default=0.0)

    def scale(self, names):
        """Return the scale of a sum's rounding errors: the largest sum or product of the inputs' magnitudes."""
        key = frozenset(names)  # each element of a list asks
        if key not in self.scales:
            self.scales[key] = self.find_scale(names)
        return self.scales[key]

    def find_scale(self, names):
        inputs = [
            x for n, x in {**self.live(), **self.saved}.items() if n in names and hasattr(x, "dtype") and np.size(x)
        ]
        sizes = [float(np.nanmax(np.abs(x.astype(np.complex128)))) for x in inputs if x.dtype in KNOWN]
        count = max([1, *(np.size(x) for x in inputs)])
        # One after the other each addition may be half a unit off, all in one direction.
        many = count / (2 * SUM_LIMIT if names & IN_LINE else 4096)
        return min(max([1.0, *sizes]), 1e150) ** 2 * count * max(1.0, many)

    def take_over(self, name, want, host):
        """Copy cuarray's values to NumPy's side."""
        if isinstance(want, np.ndarray) and want.flags.writeable:
            np.copyto(want, host)
        elif "[" in name:
            return
        elif isinstance(want, np.ndarray):
            # Of broadcast_to, or protected: what it shows has another name, or none that can be written.
            if want.tobytes() == host.tobytes():
                return
            if write_anyway(want, host):
                return
            self.theirs[name] = np.array(host)
            self.theirs[name].flags.writeable = False
        else:
            self.theirs[name] = host[()]

    def drop_unequal(self):
        """Resume after a difference: drop names whose sides do not match, and copy the other values to NumPy's side."""
        for name in {n for n in (*self.theirs, *self.ours) if n in LIVE}:
            if name in self.parted:
                self.forget(name)
                continue
            want, got = self.theirs.get(name), self.ours.get(name)
            try:
                host = got.to_numpy()
                alike = (
                    host.dtype == want.dtype and host.shape == want.shape and isinstance(want, np.ndarray | np.generic)
                )
            except Exception:
                alike = False
            if not alike:
                self.forget(name)
                continue
            if host.tobytes() != want.tobytes():
                self.take_over(name, want, host)
            self.saved[name] = host
        self.parted.clear()

    def forget(self, name):
        for names in (self.theirs, self.ours, self.saved):
            names.pop(name, None)
