"""`ndarray.flags`: the memory layout of an array, by NumPy's names."""

#: NumPy's names of flags: the attributes of Flags.
FLAGS = {
    "C_CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "F": "f_contiguous",
    "OWNDATA": "owndata",
    "O": "owndata",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "ALIGNED": "aligned",
    "A": "aligned",
}


class Flags:
    """The memory layout of an array, by NumPy's names: attributes, and items in both spellings."""

    def __init__(self, array):
        self._array = array

    @property
    def c_contiguous(self):
        return self._array._memory_flags()[0]

    @property
    def f_contiguous(self):
        return self._array._memory_flags()[1]

    @property
    def contiguous(self):
        return self.c_contiguous

    @property
    def forc(self):
        return self.c_contiguous or self.f_contiguous

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def owndata(self):
        return self._array._memory_flags()[2]

    @property
    def aligned(self):
        # Addresses need not be multiples of the item size in cuarray, so nothing depends on this flag.
        return True

    @property
    def writeable(self):
        return self._array._memory_flags()[3]

    @writeable.setter
    def writeable(self, value):
        if value and not self.writeable:
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        if not value:
            self._array._protect()

    def __getitem__(self, key):
        if key not in FLAGS:
            raise KeyError(f"unknown flag {key!r}")
        return getattr(self, FLAGS[key])

    def __setitem__(self, key, value):
        if FLAGS.get(key) != "writeable":
            raise KeyError(f"the flag {key!r} cannot be set")
        self.writeable = value

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED")
        return "\n".join(f"  {name} : {self[name]}" for name in names)
