"""`ndarray.flat`: the elements as one axis."""

from operator import index

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import arange, put, take
from cuarray._arguments.operands import values_for


class Flat(_core.element_iterator):
    """The elements of an array as one axis, in C order, for reading and writing: `base` is it, `index` the next one."""

    __slots__ = ()

    def __len__(self):
        return self.base.size

    @property
    def coords(self):
        """The coordinates of the next element, one integer per axis."""
        return self.position(self.index)

    def copy(self):
        """Return the elements as a new array of one axis."""
        return self.base.flatten()

    def __array__(self, dtype=None, copy=None):
        flat = self.base.ravel()
        if copy or _core.shares_memory(flat, self.base):
            return flat.__array__(dtype, copy=copy)
        flat = flat.__array__(dtype, copy=copy)
        flat.flags.writeable = False  # writes would be lost
        return flat

    def __dlpack__(self, **options):
        return self.base.ravel().__dlpack__(**options)

    def __dlpack_device__(self):
        return self.base.__dlpack_device__()

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other):
        return self.base.ravel() == other

    def __ne__(self, other):
        return self.base.ravel() != other

    def __lt__(self, other):
        return self.base.ravel() < other

    def __le__(self, other):
        return self.base.ravel() <= other

    def __gt__(self, other):
        return self.base.ravel() > other

    def __ge__(self, other):
        return self.base.ravel() >= other

    def position(self, number):
        """Return the coordinates of element `number`, one integer per axis."""
        size = self.base.size
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for size {size}")
        number %= size
        place = []
        for extent in reversed(self.base.shape):
            number, rest = divmod(number, extent)
            place.append(rest)
        return tuple(reversed(place))

    def one_axis(self, key):
        """Return the key without a surrounding tuple: an int, a slice, or an index array."""
        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError(f"too many indices for flat iterator: {len(key)} for its one axis")
            key = key[0] if key else Ellipsis
        if key is None:
            raise IndexError("only integers, slices, ... and arrays of integers or bools index x.flat")
        if key is Ellipsis:
            return slice(None)
        return index(key) if isinstance(key, np.integer) else key

    def __getitem__(self, key):
        key = self.one_axis(key)
        if type(key) is int:
            return self.base[self.position(key)]
        chosen = self.base.ravel()[key]
        return chosen.copy() if isinstance(key, slice) else chosen

    def __delitem__(self, key):
        raise TypeError("elements of an array cannot be deleted; see cuarray.delete")

    def __setitem__(self, key, value):
        key = self.one_axis(key)
        if type(key) is int:
            self.base[self.position(key)] = value
        elif isinstance(key, slice):
            flat = self.base.ravel()
            if type(value) in (bool, int, float) and self.base.flags.c_contiguous:
                flat[key] = value
                return
            chosen, values = flat[key], values_for(flat, value, "flat").ravel()
            if values.size not in (0, 1, chosen.size):
                values = take(values, arange(chosen.size, device=values.device), mode="wrap")
            if values.size:
                chosen[...] = values
            if not _core.shares_memory(flat, self.base):
                self.base[...] = flat.reshape(self.base.shape)
        else:
            places = arange(self.base.size, device=self.base.device)[key]
            put(self.base, places, value)


def set_flat(self, value):
    self.flat[...] = value
