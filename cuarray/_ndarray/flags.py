"""`ndarray.flags`: the memory layout of an array, by NumPy's names."""

from cuarray import _core

#: NumPy's keys of flags: the attributes of Flags.
KEYS = {
    **dict.fromkeys(["C", "CONTIGUOUS", "C_CONTIGUOUS"], "c_contiguous"),
    **dict.fromkeys(["F", "FORTRAN", "F_CONTIGUOUS"], "f_contiguous"),
    **dict.fromkeys(["O", "OWNDATA"], "owndata"),
    **dict.fromkeys(["W", "WRITEABLE"], "writeable"),
    **dict.fromkeys(["A", "ALIGNED"], "aligned"),
    **dict.fromkeys(["X", "WRITEBACKIFCOPY"], "writebackifcopy"),
    **dict.fromkeys(["B", "BEHAVED"], "behaved"),
    **dict.fromkeys(["CA", "CARRAY"], "carray"),
    **dict.fromkeys(["FA", "FARRAY"], "farray"),
    "FNC": "fnc",
    "FORC": "forc",
}
#: Those that can be set.
SETTABLE = ("writeable", "aligned", "writebackifcopy")
#: The bits of `num`, which are NumPy's.
BITS = {"c_contiguous": 0x1, "f_contiguous": 0x2, "owndata": 0x4, "aligned": 0x100, "writeable": 0x400}


def said(name, text):
    """Return a property that gives what stood in the array's memory flags when they were read."""
    return property(lambda flags: flags._said[name], doc=text)


class Flags:
    """The memory layout of an array, by NumPy's names: attributes, and items in both spellings.

    As NumPy's it says what was so when `x.flags` was read.
    """

    __slots__ = ("_array", "_said")

    def __init__(self, array):
        self._array = array
        names = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned")
        self._said = dict(zip(names, array._memory_flags(), strict=True))

    c_contiguous = said("c_contiguous", "Whether the elements lie side by side, the last axis first.")
    f_contiguous = said("f_contiguous", "Whether the elements lie side by side, the first axis first.")
    owndata = said("owndata", "Whether the array is no view of another object.")

    @property
    def contiguous(self):
        return self.c_contiguous

    @property
    def fortran(self):
        return self.f_contiguous

    @property
    def forc(self):
        return self.c_contiguous or self.f_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def behaved(self):
        return self.aligned and self.writeable

    @property
    def carray(self):
        return self.behaved and self.c_contiguous

    @property
    def farray(self):
        # NumPy's test of several bits is true for one of them.
        return (self.aligned or self.writeable or self.f_contiguous) and not self.c_contiguous

    @property
    def num(self):
        return sum(bit for name, bit in BITS.items() if self._said[name])

    @property
    def writeable(self):
        return self._said["writeable"]

    @writeable.setter
    def writeable(self, value):
        self._set(write=value)

    @property
    def aligned(self):
        return self._said["aligned"]

    @aligned.setter
    def aligned(self, value):
        self._set(align=value)

    @property
    def writebackifcopy(self):
        return False

    @writebackifcopy.setter
    def writebackifcopy(self, value):
        self._set(uic=value)

    def _set(self, **flags):
        if _core.is_value(self._array):
            raise ValueError("cannot set flags of a 0-d result, which is a value; write cuarray.array(x)")
        set_flags(self._array, **flags)

    def __getitem__(self, key):
        return getattr(self, attribute_for(key, KEYS.values()))

    def __setitem__(self, key, value):
        setattr(self, attribute_for(key, SETTABLE), value)

    def __eq__(self, other):  # and so there is no hash
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


def attribute_for(key, allowed):
    """Return the attribute of a key, which may be bytes as in NumPy; KeyError for all that are not allowed."""
    name = KEYS.get(key.decode("latin-1") if isinstance(key, bytes) else key) if isinstance(key, str | bytes) else None
    if name not in allowed:
        raise KeyError("Unknown flag")
    return name


def set_flags(array, write=None, align=None, uic=None):
    """Set the flags that are not None, as numpy.ndarray.setflags does."""
    if align is not None and bool(align) != array._memory_flags()[4]:
        if align:
            raise ValueError("cannot set aligned flag of mis-aligned array to True")
        raise ValueError("cannot set aligned flag of an aligned array to False: cuarray asks for the address itself")
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")
    if write is not None:
        array._set_writable(write)
