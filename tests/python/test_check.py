"""`python -m cuarray --check`: every call beside NumPy's, up to the first difference."""

import io
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import cuarray as ca
from cuarray._tools import check


def run(folder, text, *options, faulty=""):
    """Run a program with --check, after a line that makes cuarray wrong."""
    (folder / "script.py").write_text(textwrap.dedent(text))
    (folder / "sitecustomize.py").write_text(faulty)
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.path.dirname(os.path.dirname(ca.__file__))}"}
    return subprocess.run(
        [sys.executable, "-m", "cuarray", "--check", *options, "script.py"],
        cwd=folder, capture_output=True, text=True, timeout=300, env=environment,
    )  # fmt: skip


PROGRAM = """
    import io
    import numpy as np
    from numpy.linalg import norm
    x = np.linspace(0, 1, 20).reshape(4, 5)
    y = np.sin(x) + x.mean(axis=0) ** 2
    y[1:, ::2] += 3
    y[y > 3] = 0
    np.add.at(y, ([0, 0], [1, 1]), 1.5)
    np.cumsum(x, axis=1, out=y)
    print(norm(y), np.add.reduce(y, axis=None), x @ x.T, np.sort(y, axis=None)[::-1][:3])
    grown = np.arange(4)
    grown.resize(6)
    rng = np.random.default_rng(1)
    print(rng.random(3).shape, np.empty(3).shape, np.fromiter((i for i in range(3)), int))
    print(np.loadtxt(io.StringIO("1 2"), unpack=True), np.apply_along_axis(lambda v: v.sum(), 0, x))
    for row in x:
        row /= 2
    try:
        np.reshape(x, (3, 3))
    except ValueError:
        print("refused")
    print(np.unique([3, 1, 3], return_counts=True), np.array(["a", "b"]), x.tolist()[0][:2], float(x.sum()))
"""


def test_right_programs_pass(tmp_path, device):
    done = run(tmp_path, PROGRAM, "--device", device)
    assert done.returncode == 0, done.stderr
    assert "refused" in done.stdout


@pytest.mark.parametrize(
    ("fault", "line", "words"),
    [
        ("ca.sin = lambda x, f=ca.sin: f(x) * 1.001", "z = np.sin(x)", ["sin(", "gives", "in NumPy"]),
        (
            "ca.roll = lambda x, n, f=ca.roll: f(x, -n)",
            "z = np.roll(x, 1)",
            ["roll(", "array([0., 0.5, 1. ]", "in NumPy"],
        ),
        ("ca.sort = lambda x, f=ca.sort: f(x).astype('f4')", "z = np.sort(x)", ["sort(", "float32"]),
        ("ca.sort = lambda x: 1 / 0", "z = np.sort(x)", ["sort(", "ZeroDivisionError"]),
        ("def place(a, m, v): pass\nca.place = place", "np.place(x, x > 0, [7.0])", ["place, which has written", "7."]),
        ("ca._core.extend_ndarray({'max': lambda x: ca.asarray(3.0)})", "z = x.max()", ["ndarray.max(", "3."]),
        ("ca._core.extend_ndarray({'__add__': lambda x, y: x})", "z = x + 1", ["ndarray.__add__(", "1.5"]),
    ],
)
def test_differences_stop_the_program(tmp_path, fault, line, words):
    program = f"import numpy as np\nx = np.array([0, 0.5, 1.0])\ntry:\n    {line}\nexcept Exception:\n    pass\nprint('after')\n"
    done = run(
        tmp_path,
        program,
        faulty=f"import sys\nif '--check' in sys.orig_argv:\n    import cuarray as ca\n    {fault.replace(chr(10), chr(10) + '    ')}\n",
    )
    assert done.returncode == 1 and "after" not in done.stdout
    for word in ["script.py:4: ", *words]:
        assert word.replace("0., 0.5", "0. , 0.5") in done.stderr or word in done.stderr, done.stderr


def test_errors_that_the_program_asks_for_are_no_difference(tmp_path):
    program = """
        import warnings
        import numpy as np
        with np.errstate(divide="raise"):
            try:
                np.ones(2) / 0
            except FloatingPointError as error:
                print(error)
        warnings.simplefilter("error")
        try:
            np.sqrt(-np.ones(2))
        except RuntimeWarning as error:
            print(error)
    """
    done = run(tmp_path, program)
    assert done.stdout == "divide by zero encountered in divide\ninvalid value encountered in sqrt\n", done.stderr


def test_arguments_that_share_memory(tmp_path, device):
    program = """
        import numpy as np
        x = np.linspace(-3, 3, 12).reshape(3, 4)
        np.clip(x, -1, 1, out=x)
        np.add(x[1:], x[:-1], out=x[1:])
        x[:, 1:] -= x[:, :-1]
        np.negative(x, out=x.T.T)
        np.multiply(x, x, x)
        print(np.frombuffer(b"\\x00\\x01", dtype=">i2"), np.copyto(x[:1], x[1:2]))
    """
    done = run(tmp_path, program, "--device", device)
    assert done.stdout == "[1] None\n", done.stderr


@pytest.mark.parametrize("call", ["np.clip(x, -1, 1, out=x)", "np.cumsum(x, out=x)", "np.add(x, x[::-1], out=y)"])
def test_wrong_writes_to_an_argument_are_seen(tmp_path, call):
    program = f"import numpy as np\nx, y = np.linspace(-3, 3, 5), np.zeros(5)\n{call}"
    fault = """
import sys
if '--check' in sys.orig_argv:
    import cuarray as ca
    def wrong(f):
        def call(*a, out):
            f(*a, out=out)
            out[0] += 1
            return out
        return call
    for name in ("clip", "cumsum"):
        setattr(ca, name, wrong(getattr(ca, name)))
"""
    done = run(tmp_path, program, faulty=fault)
    assert done.returncode == ("add" not in call) and ("script.py:3: " in done.stderr) == ("add" not in call)


def test_same():
    assert check.same(ca.asarray([1.0, np.nan]), np.array([1.0, np.nan]), 1)
    assert check.same(ca.asarray([1.0 + 1e-15]), np.array([1.0]), 1)
    assert not check.same(ca.asarray([1.0 + 1e-12]), np.array([1.0]), 1)
    assert not check.same(ca.asarray([1]), np.array([1.0]), 1) and not check.same(ca.ones((1, 1)), np.ones(1), 1)
    assert (
        check.same((ca.ones(1), 2), (np.ones(1), 2), 1)
        and not check.same([1], [1, 2], 1)
        and not check.same("a", "b", 1)
    )
    assert check.same(ca.ones(2).sum(), np.float64(2), 1) and not check.same(ca.asarray(np.inf), np.float64(1), 1)


def test_orders_that_are_not_defined_are_no_difference(tmp_path):
    program = """
        import numpy as np
        rng = np.random.default_rng(1)
        x = rng.integers(0, 9, (40, 30)).astype(float)
        for axis in (0, 1, None):
            np.argsort(x, axis), x.argsort(axis), np.argpartition(x, (3, -2), axis), x.argpartition(5, axis=axis)
            np.partition(x, kth=[20, 4], axis=axis)
            x.argsort(axis, kind="stable")
        x.partition(7)
        print("done")
    """
    done = run(tmp_path, program)
    assert done.stdout == "done\n", done.stderr


@pytest.mark.parametrize(
    ("call", "right", "wrong"),
    [
        ("argsort(x)", [3, 1, 0, 2], [1, 3, 2, 0]),
        ("argsort(x)", [3, 1, 0, 2], [1, 1, 0, 2]),
        ("argsort(x, kind='stable')", [1, 3, 0, 2], [3, 1, 0, 2]),
        ("argsort(x, stable=True)", [1, 3, 0, 2], [3, 1, 0, 2]),
        ("argpartition(x, 3)", [3, 0, 1, 2], [3, 2, 1, 0]),
        ("argpartition(x, -2)", [3, 1, 0, 2], [3, 0, 1, 2]),
        ("partition(x, 2)", [1, 1, 2, 3], [1, 2, 1, 3]),
        ("partition(x, 2)", [1, 1, 2, 3], [1, 1, 2, 4]),
    ],
)
def test_orders_that_are_defined(call, right, wrong):
    x = np.array([2.0, 1.0, 3.0, 1.0])
    name, _, arguments = call.partition("(")
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({arguments}", {"x": x})
    expected = getattr(np, name)(*args, **kwargs)
    dtype = expected.dtype
    for result, agrees in ((right, True), (wrong, False)):
        result = ca.asarray(result, dtype=dtype)
        is_same = check.same(result, expected, 1) or check.same_order(name, (args, kwargs), result, expected, 1)
        assert is_same == agrees, (result, expected)


def test_iterators_are_not_used_twice():
    for x in (iter([1]), io.StringIO(""), np.random.default_rng(1), len, {"a": iter([])}):
        assert not check.is_repeatable((x,))
    assert check.is_repeatable(
        ([1, ca.ones(2)], {"axis": None, "dtype": float}, slice(1), range(3), "i,j->ij", ..., np.float32)
    )
