"""call_arrays.py -- the arrays of calls: shapes, elements, and how they lie in memory."""

import numpy as np

import cuarray as ca

#: Extents of arrays that are longer than a vector, a block or a line of the cache.
LARGER = [
    (17,),
    (64,),
    (100,),
    (255,),
    (1000,),
    (10, 100),
    (33, 30),
    (2, 500),
    (500, 2),
    (16, 16),
    (7, 11, 13),
    (1, 1000),
    (3, 3, 3, 3),
]
#: Layouts of x0 and x1; an array in C order otherwise.
LAYOUTS = ["transposed", "reversed", "strided", "broadcast", "unaligned", "protected", "fortran", "behind"]
#: Elements that calls meet seldom otherwise.
EDGES = {
    "f": ["nan", "inf", "-inf", "-0.0", "0.0", "1e-6", "65504.0", "0.1"],
    "i": [127, -128, -1, 0, 1, 100],
    "u": [255, 254, 128, 0, 1],
}


def sample(seed, dtype, shape):
    """Return a NumPy array of small numbers that are sums of powers of two, so that sums of them are exact."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    low, high = {"b": (0, 2), "u": (0, 200), "i": (-100, 100)}.get(kind, (-16, 17))
    numbers = rng.integers(low, high, shape)
    return (numbers / 4 if kind in "fc" else numbers).astype(dtype)


def unaligned(x):
    """Return a copy of an array, one byte behind the address at which it would be aligned."""
    module = np if isinstance(x, np.ndarray) else ca
    memory = module.zeros(x.nbytes + 1, "u1")
    view = memory[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def protected(x):
    """Return an array that is made read-only."""
    x.setflags(write=False)
    return x


class Interface:
    """An object that has its interface on the instance, as an image or a frame may."""

    def __init__(self, x):
        self.x = np.asarray(x)  # whose memory the interface names
        self.__array_interface__ = self.x.__array_interface__


def interface(x):
    return Interface(x)


def elements(rng, dtype, size):
    """Return the text of a list of elements."""
    if rng.random() < 0.2:
        edges = EDGES["f" if dtype[0] in "fc" else "u" if dtype[0] in "u?" else "i"]
        return (
            "[" + ", ".join(str(rng.choice(edges) if dtype != "?" else rng.random() < 0.5) for _ in range(size)) + "]"
        )
    if dtype[0] in "iu?":
        low = -9 if dtype[0] == "i" else 0
        return str([rng.randrange(low, 2 if dtype == "?" else 10) for _ in range(size)])
    return str([rng.randrange(-8, 9) / 2 for _ in range(size)])


def array(rng, dtype, shape):
    """Return the text of an array in C order."""
    size = int(np.prod(shape))
    if size > 24:
        return f"xp.array(sample({rng.randrange(10**6)}, {dtype!r}, {shape}))"
    return f"xp.array({elements(rng, dtype, size)}, {dtype!r}).reshape({shape})"


def laid_out(rng, dtype, shape):
    """Return the text of an array of a shape that lies in memory in one of LAYOUTS, and statements behind it."""
    layout = rng.choice(LAYOUTS) if rng.random() < 0.5 else ""
    if layout == "transposed":
        return array(rng, dtype, shape[::-1]) + ".T"
    if layout == "fortran":
        return array(rng, dtype, shape) + ".copy('F')"
    if layout == "unaligned":
        return f"unaligned({array(rng, dtype, shape)})"
    if layout == "protected":
        return f"protected({array(rng, dtype, shape)})"
    if shape and layout == "reversed":
        return array(rng, dtype, shape) + "[::-1]"
    if shape and layout == "strided":
        return array(rng, dtype, (*shape[:-1], 2 * shape[-1])) + "[..., ::2]"
    if shape and layout == "behind":
        return array(rng, dtype, (shape[0] + 1, *shape[1:])) + "[1:]"
    if shape and layout == "broadcast":
        return f"xp.broadcast_to({array(rng, dtype, (1, *shape[1:]))}, {shape})"
    return array(rng, dtype, shape)
