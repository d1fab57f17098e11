"""ndarray.flags, setflags and require: names, keys, setting and comparing, as NumPy's."""

import itertools
import warnings

import numpy as np
import pytest

import cuarray

NAMES = [name for name in dir(np.ones(1).flags) if not name.startswith("_")]
KEYS = ["C", "CONTIGUOUS", "C_CONTIGUOUS", "F", "FORTRAN", "F_CONTIGUOUS", "O", "OWNDATA", "W", "WRITEABLE", "A", "ALIGNED",
        "X", "WRITEBACKIFCOPY", "B", "BEHAVED", "CA", "CARRAY", "FA", "FARRAY", "FNC", "FORC", b"C", b"CA", "U", "c", 1, None]  # fmt: skip


def bytes_from(xp, offset, dtype):
    """Return elements that begin at an address `offset` bytes behind an aligned one."""
    return xp.zeros(64, "u1")[offset : offset + 32].view(dtype)


LAYOUTS = {
    "c": lambda xp: xp.ones((2, 3, 4)),
    "transposed": lambda xp: xp.ones((2, 3, 4)).transpose(1, 0, 2),
    "fortran": lambda xp: xp.ones((2, 3), order="F"),
    "strided": lambda xp: xp.ones((4, 6))[::2, ::2],
    "broadcast": lambda xp: xp.broadcast_to(xp.ones(3), (2, 3)),
    "diagonal": lambda xp: xp.diagonal(xp.ones((2, 2))),
    "imaginary": lambda xp: xp.ones(2).imag,
    "odd": lambda xp: bytes_from(xp, 1, "f8"),
    "odd halves": lambda xp: bytes_from(xp, 2, "f4"),
    "half": lambda xp: bytes_from(xp, 4, "c8"),
    "half of complex": lambda xp: bytes_from(xp, 8, "c16"),
    "odd bools": lambda xp: bytes_from(xp, 1, "?"),
    "odd and strided": lambda xp: bytes_from(xp, 1, "f8")[::2],
    "odd strides": lambda xp: xp.zeros((2, 9), "u1")[:, :8].view("f8"),
    "odd strides of one": lambda xp: xp.zeros((2, 9), "u1")[:1, :8].view("f8"),
    "empty": lambda xp: xp.ones((0, 3)),
    "odd and empty": lambda xp: bytes_from(xp, 1, "f8")[:0],
    "0-d": lambda xp: xp.full((), 2.0),
    "part": lambda xp: xp.ones(3)[1:],
    "value": lambda xp: hashed(xp.ones(3)[0]),
    "protected": lambda xp: protected(xp.ones(3)),
    "part of protected": lambda xp: protected(xp.ones(3))[1:],
    "protected part": lambda xp: protected(xp.ones(3)[1:]),
    "part of a part": lambda xp: protected(protected(xp.ones(3)[1:])[1:]),
    "bytes": lambda xp: xp.frombuffer(b"12345678"),
    "bytearray": lambda xp: protected(xp.frombuffer(bytearray(b"12345678"))),
}


def protected(x):
    x.flags.writeable = False
    return x


#: Those whose memory another object lends: a GPU copies it.
LENT = ("bytes", "bytearray")


def outcome(call):
    try:
        return call()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return type(error).__name__


@pytest.fixture
def layouts(device):
    """Functions that make arrays on the device, as NumPy's are."""
    return {name: make for name, make in LAYOUTS.items() if name not in LENT or device == "cpu"}


def test_flags_are_numpys(layouts):
    for layout in layouts:
        check_flags(layout)


def check_flags(layout):
    ours, numpys = (LAYOUTS[layout](xp).flags for xp in (cuarray, np))
    for name in NAMES:
        assert getattr(ours, name) == getattr(numpys, name), (layout, name)
    for key in KEYS:
        assert outcome(lambda flags=ours, key=key: flags[key]) == outcome(lambda flags=numpys, key=key: flags[key]), (
            layout,
            key,
        )
    assert repr(ours) == str(ours) == repr(numpys)


def hashed(x):
    """The same: a result that has been hashed is as constant as NumPy's scalars."""
    hash(x)
    return x


def change(x, attribute, key, value):
    """Set a flag by its attribute or its key; return what the flags say then, and those that were read before."""
    flags = x.flags
    if attribute:
        setattr(flags, attribute, value)
    else:
        flags[key] = value
    return flags.num, x.flags.num, x.flags == flags


def test_flags_are_set_as_numpys(layouts):
    for layout in layouts:
        check_settings(layout)


def check_settings(layout):
    changes = [(name, None) for name in (*NAMES, "no_such")] + [(None, key) for key in KEYS]
    for (attribute, key), value in itertools.product(changes, (True, False)):
        if (attribute or key) in ("aligned", "A", "ALIGNED") and not value:
            continue  # a documented difference
        got, wanted = (
            outcome(lambda xp=xp: change(LAYOUTS[layout](xp), attribute, key, value)) for xp in (cuarray, np)
        )
        assert got == wanted, (layout, attribute, key, value)


def test_setflags_is_numpys(layouts):
    def setting(xp, layout, options):
        x = LAYOUTS[layout](xp)
        x.setflags(**options)
        return x.flags.num

    options = [
        {},
        {"write": 1},
        {"write": 0},
        {"align": 1},
        {"uic": 0},
        {"uic": 1},
        {"write": 1, "align": 1},
        {"no": 1},
    ]
    for layout, given in itertools.product(layouts, options):
        got, wanted = (outcome(lambda xp=xp: setting(xp, layout, given)) for xp in (cuarray, np))
        assert got == wanted or (layout == "value" and "no" in given), (layout, given)


def test_protection_is_undone(device):
    x = cuarray.zeros(3, device=device)
    part = x[1:]
    for _ in range(2):
        x.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
        assert part.flags.writeable
        x.flags.writeable = True
        x[0] += 1
    assert x.tolist() == [2, 0, 0] and x.copy().flags == x.flags


def test_what_lent_memory_decides():
    host = np.zeros(3)
    host.flags.writeable = False
    with cuarray.device("cpu"):
        x = cuarray.asarray(host)
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.flags.writeable = True
    host.flags.writeable = True
    x.flags.writeable = True
    x[0] = 1
    assert host.tolist() == [1, 0, 0]
    with pytest.raises(ValueError, match="WRITEABLE"):
        cuarray.asarray(memoryview(b"abc"), device="cpu").flags.writeable = True


def test_flags_compare_and_have_no_hash(device):
    x = cuarray.ones(3)
    assert x.flags == cuarray.zeros(5).flags and x.flags != x[::2].flags and x.flags != 7
    with pytest.raises(TypeError):
        hash(x.flags)
    with pytest.raises(TypeError):
        assert x.flags < x.flags
    with pytest.raises(AttributeError):
        del x.flags.writeable


def test_pending_arrays_stay_pending(device):
    with cuarray.fuse():
        x = cuarray.ones(1000) + 1
        assert x.flags.aligned and x.flags.num == np.ones(1000).flags.num


REQUIREMENTS = [
    "C",
    "F",
    "A",
    "W",
    "O",
    "E",
    "CONTIGUOUS",
    "FORTRAN",
    "ALIGNED",
    "WRITEABLE",
    "OWNDATA",
    "ENSUREARRAY",
    "c",
    "X",
]


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in (*LENT, "value")])
def test_require_is_numpys(layout, device):
    def required(xp, dtype, requirements):
        x = LAYOUTS[layout](xp)
        y = xp.require(x, dtype, requirements)
        return y is x, xp.shares_memory(x, y), y.flags.num, y.strides if y.size else None, y.dtype

    sets = itertools.chain.from_iterable(itertools.combinations(REQUIREMENTS, n) for n in range(4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of complex numbers that become real
        for names in (*sets, None, "CA", "FO", "A"):
            dtype = "f4" if names and "W" in names and layout != "broadcast" else None
            got, wanted = (outcome(lambda xp=xp: required(xp, dtype, names)) for xp in (cuarray, np))
            assert got == wanted, (names, dtype)
