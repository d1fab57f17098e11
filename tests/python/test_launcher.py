"""`python -m cuarray script.py`: programs as under Python, with cuarray.numpy in the place of NumPy."""

import os
import resource
import subprocess
import sys
import textwrap

import own_process
import pytest

import cuarray as ca


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, text in files.items():
            path = tmp_path / (name.replace("__", "/") + ".py") if not name.startswith("_") else tmp_path / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return tmp_path

    return write


def python(folder, *command, stdin=None, **environment):
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=120, input=stdin,
        env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(ca.__file__)), **environment},
    )  # fmt: skip


def both(folder, *command):
    """Run a command line under Python and under the launcher."""
    return python(folder, *command), python(folder, "-m", "cuarray", *command)


def assert_same(folder, *command):
    plain, ours = both(folder, *command)
    assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    return ours


WHERE = "import numpy as np\nprint(type(np.ones(2)).__module__, np.__name__)\n"


def test_the_program_and_its_modules_get_cuarray(folder):
    at = folder(
        script="""
            import numpy as np
            import numpy.linalg as la, numpy.random
            from numpy import *
            from numpy.fft import fft
            import own, package.inner
            for x in (np.ones(2), la.inv(np.eye(2)), numpy.random.rand(2), arange(3), fft([1, 2]), own.x, package.inner.x):
                print(type(x).__module__)
            def later():
                import numpy
                return numpy.zeros(1)
            print(type(later()).__module__)
            import fractions, statistics, json.decoder
        """,
        own="from numpy import array\nx = array([1])",
        package____init__="",
        package__inner="from numpy import ones\nfrom . import other\nx = ones(1) + other.y",
        package__other="import numpy as np\ny = np.ones(1)",
    )
    done = python(at, "-m", "cuarray", "script.py")
    assert done.stdout.split() == ["cuarray"] * 8 and done.returncode == 0, done.stderr


def test_libraries_keep_numpy(folder):
    at = folder(script="import lib\nimport numpy as np\nprint(lib.np.__name__, np.__name__, lib.total(np.ones(3)))")
    site = at / "site-packages"
    site.mkdir()
    (site / "lib.py").write_text("import numpy as np\ndef total(x): return float(np.sum(np.asarray(x)))\n")
    done = python(
        at,
        "-m",
        "cuarray",
        "script.py",
        PYTHONPATH=f"{site}{os.pathsep}{os.path.dirname(os.path.dirname(ca.__file__))}",
    )
    assert done.stdout.split() == ["numpy", "cuarray.numpy", "3.0"], done.stderr


def test_arguments_and_what_a_script_sees(folder):
    at = folder(
        inner__script="""
            import os, sys
            print(sys.argv, __name__, os.path.basename(__file__), sys.path[0], __spec__, __package__, __doc__)
            print(sys.modules["__main__"].__dict__ is globals(), sorted(k for k in globals() if k.startswith("__")))
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument("--check", type=int)
            parser.add_argument("rest", nargs="*")
            print(parser.parse_args(), parser.prog)
        """
    )
    assert_same(at, "inner/script.py", "--check", "3", "a", "-m")


@pytest.mark.few
@pytest.mark.parametrize(
    "end", ["raise SystemExit(3)", "import sys; sys.exit('message')", "sys = 1 / 0", "raise KeyError('x') from ValueError()",
            "x = [\n", "raise KeyboardInterrupt", "import sys; sys.excepthook = lambda *e: print('mine', e[0], e[2].tb_lineno)\n1 / 0",
            "def f(n): return f(n - 1) if n else 1 / 0\nf(3)", "assert False, 'no'", "import atexit; atexit.register(print, 'bye'); 1/0",
            "import nothing_of_that_name", "try:\n    1 / 0\nfinally:\n    print('finally')", "import os; os._exit(5)"],
)  # fmt: skip
def test_how_programs_end(folder, end):
    assert_same(folder(script=f"print('begin')\n{end}\n"), "script.py")


def test_missing_script(folder):
    assert_same(folder(other=""), "script.py")


def test_modules(folder):
    at = folder(
        package____init__="",
        package____main__="import sys, os\nfrom . import part\nprint(part.x, __spec__.name, __package__, sys.argv[1:], os.path.basename(sys.argv[0]))",
        package__part="import numpy as np\nx = (np.arange(3) * 2).tolist()",
        single="import numpy as np\nprint(__name__, np.ones(2).sum() == 2)\n",
    )
    assert_same(at, "-m", "package", "--report", "x")
    assert_same(at, "-m", "single")
    assert_same(at, "package")
    assert "type" not in python(at, "-m", "cuarray", "-m", "nothing_there").stdout
    assert python(at, "-m", "cuarray", "-m", "nothing_there").returncode == 1


@pytest.mark.few
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_multiprocessing(folder, method):
    at = folder(
        script=f"""
            import multiprocessing
            import numpy as np
            def work(x):
                return x * np.sqrt(4), type(np.ones(1)).__module__
            class Point:
                def __init__(self, x): self.x = x
            def look(p, queue):
                queue.put((type(p.x).__module__, p.x.tolist()))
            if __name__ == "__main__":
                context = multiprocessing.get_context("{method}")
                with context.Pool(2) as pool:
                    for x, module in pool.map(work, [np.arange(3), np.ones(2)]):
                        print(x.tolist(), module)
                    print([float(s) for s in pool.map(np.sum, [np.arange(3), np.ones(2)])])
                queue = context.Queue()
                process = context.Process(target=look, args=(Point(np.arange(2)), queue), name="worker")
                process.start()
                print(queue.get(), process.name)
                process.join()
        """
    )
    done = python(at, "-m", "cuarray", "--device", "cpu", "script.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[0.0, 2.0, 4.0] cuarray",
        "[2.0, 2.0] cuarray",
        "[3.0, 2.0]",
        "('cuarray', [0, 1]) worker",
    ]


def test_doctest_and_pickle(folder):
    at = folder(
        script='''
            """Squares.

            >>> import numpy as np
            >>> squares(3)
            array([0, 1, 4])
            """
            import doctest, pickle
            import numpy as np
            def squares(n):
                return np.arange(n) ** 2
            class Box:
                def __init__(self): self.x = squares(3)
            if __name__ == "__main__":
                print(doctest.testmod().attempted, doctest.testmod().failed)
                print(pickle.loads(pickle.dumps(Box())).x.sum(), pickle.loads(pickle.dumps(squares)) is squares)
        '''
    )
    assert python(at, "-m", "cuarray", "script.py").stdout.split() == ["2", "0", "5", "True"]


def test_threads_and_exit_handlers_see_the_module(folder):
    at = folder(
        script="""
            import atexit, threading, time
            import numpy as np
            x = np.arange(3)
            atexit.register(lambda: print(x.tolist(), np.sum(x) == 3))
            threading.Thread(target=lambda: (time.sleep(0.1), print(x.max() == 2))).start()
        """
    )
    assert python(at, "-m", "cuarray", "script.py").stdout.split() == ["True", "[0,", "1,", "2]", "True"]


def test_device(folder, device):
    at = folder(script="import numpy as np\nprint(np.ones(2).device)")
    for option in (["--device", device], [f"--device={device}"]):
        assert python(at, "-m", "cuarray", *option, "script.py").stdout.strip() == device
    done = python(at, "-m", "cuarray", "--device", "gpu", "script.py")
    assert (done.returncode, done.stderr) == (
        1,
        "python -m cuarray: --device: 'gpu' is neither 'cpu' nor 'cuda' nor 'cuda:N'\n",
    )
    assert "--device needs" in python(at, "-m", "cuarray", "--device").stderr
    assert python(at, "-m", "cuarray", "--device", "cpu").returncode == 1


def test_warnings_that_a_program_asks_for(folder):
    at = folder(
        script="""
            import warnings
            import numpy as np
            with warnings.catch_warnings(record=True) as met:
                warnings.simplefilter("always")
                np.log(np.zeros(2)), np.exp(np.full(2, 1e3)), np.float64(1) / 0
            print([str(each.message) for each in met])
            warnings.simplefilter("error")
            for call in (lambda: np.ones(2) / 0, lambda: np.sqrt(-np.ones(2)), lambda: np.float64(0) / 0):
                try:
                    call()
                except RuntimeWarning as warning:
                    print(warning)
            with np.errstate(all="ignore"):
                print(np.ones(2) / 0)
        """
    )
    assert "divide by zero encountered in log" in assert_same(at, "script.py").stdout
    assert python(at, "-W", "error", "-m", "cuarray", "script.py").stdout == python(at, "script.py").stdout


def test_the_doctor_stays(folder):
    at = folder(script="")
    assert python(at, "-m", "cuarray", "--version").stdout == f"cuarray {ca.__version__}\n"
    assert (
        "kernel cache" in python(at, "-m", "cuarray").stdout
        and python(at, "-m", "cuarray", "--cmake-dir").returncode == 0
    )
    assert "script.py" in python(at, "-m", "cuarray", "--help").stdout


def test_report(folder, device):
    at = folder(
        script="""
            import numpy as np
            x = np.linspace(0, 1, 1000)
            y = np.exp(x) * 2
            z = np.ma.filled(y, 0)
            print(float(z.sum()) > 0)
        """
    )
    done = python(at, "-m", "cuarray", "--device", device, "--report=page.html", "script.py")
    assert done.stdout == "True\n" and done.returncode == 0, done.stderr
    for words in (
        "cuarray report",
        f"devices: {device}",
        "script.py:4",
        "exp(a)",
        "computed by NumPy on the host",
        "filled  script.py:5",
    ):
        assert words in done.stderr, done.stderr
    assert "<html" in (at / "page.html").read_text()
    failed = python(folder(bad="import numpy as np\nnp.ones(3) + 1\n1 / 0"), "-m", "cuarray", "--report", "bad.py")
    assert "NumPy computed nothing" in failed.stderr and "ZeroDivisionError" in failed.stderr and failed.returncode == 1


@pytest.mark.rest
def test_start_costs_little(folder):
    at = folder(script="import numpy as np\n")

    def seconds(*command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        python(at, *command, PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(at / "cache"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    # By turns: other tests run meanwhile, and slow both down alike.
    both = [(seconds("script.py"), seconds("-m", "cuarray", "script.py")) for _ in range(7)]
    plain, ours = map(min, zip(*both, strict=True))
    extra = ours - plain
    assert extra < 0.8 * plain, (extra, plain)  # 30 ms beside 80 ms


def test_ipython_extension():
    import builtins

    plain = builtins.__import__
    try:
        ca.load_ipython_extension(None)
        names = {"__name__": "__main__"}
        exec("import numpy as np\nx = np.ones(2)", names)
        assert type(names["x"]) is ca.ndarray
        exec("import numpy as np\nx = np.ones(2)", library := {"__name__": "lib"})
        assert type(library["x"]).__module__ == "numpy"
        assert names["np"].ndarray is ca.ndarray and isinstance(library["x"], ca.ndarray)
    finally:
        ca.unload_ipython_extension(None)
    assert builtins.__import__ is plain
    assert type(ca.ndarray) is type and not isinstance(library["x"], ca.ndarray)


#: Programs with classes of their own, which have to print what they print under Python.
CLASSES = {
    "methods of numpy.ndarray by its name": """
import numpy as np
class Plain(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        print("heard", ufunc.__name__, method)
        return np.ndarray.__array_ufunc__(self, ufunc, method, *map(np.asarray, inputs), **options)
    def __array_function__(self, function, types, args, options):
        print("heard", function.__name__)
        args = tuple(np.ndarray.view(x, type=np.ndarray) if isinstance(x, Plain) else x for x in args)
        return np.ndarray.__array_function__(self, function, (), args, options)
x = np.arange(3.0).view(Plain)
print(x + 1, np.ones(3) * x, np.add.reduce(x), x == x, np.sum(x), np.float64(2) * x, np.ndarray.view(x, np.ndarray))
print(np.ndarray.__array_ufunc__(np.ones(2), np.add, "__call__", np.ones(2), np.ones(2)))
""",
    "positions of a subclass": """
import collections
import numpy as np
class Plain(np.ndarray):
    pass
x = np.arange(12.0).reshape(3, 4)
rows, mask = np.array([0, 2]).view(Plain), np.array([True, False, True]).view(Plain)
print(x[rows], x[mask], x[:, rows], x[rows, rows], x[np.matrix([[0, 1]])].shape, x[np.ma.masked_array([0, 2], [True, False])])
x[rows] = 1
x[mask, 1] = 5
x[rows[0], rows] += 2
print(x, np.take(x, rows), np.hstack(collections.deque([["a"], ["b"]])))
""",
    "subclasses of numpy.ndarray": """
import numpy as np
class Info(np.ndarray):
    def __new__(cls, a, info=None):
        obj=np.asarray(a).view(cls); obj.info=info; return obj
    def __array_finalize__(self, obj):
        if obj is None: return
        self.info=getattr(obj,'info',None)
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        args=[x.view(np.ndarray) if isinstance(x, Info) else x for x in inputs]
        r=super().__array_ufunc__(ufunc, method, *args, **kwargs)
        if r is NotImplemented: return NotImplemented
        return np.asarray(r).view(Info) if method=="__call__" else r
x=Info(np.arange(4.),"i")
print(type(x), x.info, type(x+1), x+1, np.add(x,1), np.sin(x), x.sum(), np.sum(x), np.add.reduce(x), x[1:], x[1:].info, x.view(np.ndarray), x.view(type=np.ndarray), isinstance(x,np.ndarray), np.concatenate([x,x]), x*np.ones(4), np.ones(4)*x, x.reshape(2,2).T.info, np.mean(x), x.view('i8').dtype, np.asarray(x), np.sqrt(x)>1, Info.__mro__[-2:]==(np.ndarray,object))
class Plain(np.ndarray): pass
y=np.zeros(3).view(Plain); y[:]=np.arange(3); y+=np.ones(3); print(type(y), y, y.T.view(np.ndarray), Plain((2,)).shape, y.astype(int), np.dot(y,y), y@np.ones(3))
import pickle, copy; print(pickle.loads(pickle.dumps(y)), copy.deepcopy(y), issubclass(Plain,np.ndarray))
""",
    "subclasses that choose by function": """
import numpy as np
HANDLED = {np.median: lambda x: "the middle"}
class Tag(np.ndarray):
    table = {np.add: "plus", np.multiply: "times"}
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if "out" in kwargs: kwargs["out"] = tuple(x.view(np.ndarray) for x in kwargs["out"])
        print(self.table.get(ufunc), ufunc is np.add, ufunc in (np.sqrt, np.exp), method)
        return super().__array_ufunc__(ufunc, method, *[np.asarray(x).view(np.ndarray) for x in inputs], **kwargs)
    def __array_function__(self, func, types, args, kwargs):
        print(func is np.concatenate, func is np.linalg.norm, all(t in (Tag, np.ndarray) for t in types))
        return HANDLED[func](*args) if func in HANDLED else super().__array_function__(func, types, args, kwargs)
x = np.array([4., 9.]).view(Tag)
print(x + 1, 2 * x, np.sqrt(x), np.add.reduce(x), x.cumsum()); z = x; z += 1; print(z, np.median(x))
print(np.concatenate([x, np.ones(1)]), np.linalg.norm(x[:1]))
y = np.ones(2); y *= x; print(np.multiply(x, 2, out=np.zeros(2)), y)
class Wrap(np.ndarray):
    def __array_wrap__(self, a, context=None, return_scalar=False):
        print("wrap", context and context[0] is np.multiply)
        return super().__array_wrap__(a, context, return_scalar)
z = np.arange(3.).view(Wrap); print(z * 2, np.cumsum(z))
""",
    "subclasses that call methods of numpy.ndarray": """
import numpy as np, pickle
class C(np.ndarray):
    def __array_finalize__(self, obj): np.ndarray.__array_finalize__(self, obj)
    def __repr__(self): return np.ndarray.__repr__(self) + "m"
    def __getitem__(self, i): return np.ndarray.__getitem__(self, i)
    def __setitem__(self, i, x): np.ndarray.__setitem__(self, i, x)
    def __reduce__(self): return np.ndarray.__reduce__(self)
    def __eq__(self, x): return np.ndarray.__eq__(self, x)
    def __mul__(self, x): return np.ndarray.__mul__(self, x)
    def mean(self, *a, **k): return np.ndarray.mean(self, *a, **k)
c = np.array([1., 2.]).view(C); c[0] = 3
print(repr(c), c[1:], pickle.loads(pickle.dumps(c)), c == 2, c * 2, np.mean(c), np.ndarray.__repr__(np.ones(1)))
x = np.zeros(3); y = x.view(np.ndarray); y[0] = 1
print(x, x.view(type=np.ndarray), x.sum().view(np.ndarray))
""",
    "classes with functions of their own": """
import numpy as np
class U:
    def __array_ufunc__(self,ufunc,method,*a,**k): return "U",ufunc.__name__,method
print(np.ones(2)+U(), np.add(U(),1))
class E:
    def __array_ufunc__(self,*a,**k): raise KeyError("mine")
try: np.ones(2)+E()
except Exception as e: print(repr(e))
class D(np.lib.mixins.NDArrayOperatorsMixin):
    def __array_ufunc__(self,*a,**k): return NotImplemented
try: print(D()+np.ones(2))
except TypeError as e: print("TypeError")
try: print(np.ones(2)+D())
except TypeError as e: print("TypeError")
try: print(np.add.reduce(D()))
except TypeError as e: print("TypeError")
class Q:
    def __init__(s, v): s.v = v
    def __array__(s, dtype=None, copy=None): return s.v
    def __array_function__(s, func, types, args, kwargs):
        return func(*[np.asarray(a) if isinstance(a, Q) else a for a in args], **kwargs)
q=Q(np.ones(3)); print(np.sum(q), np.asarray(q), np.array(q), np.array([[1.,2,3],q]), np.isscalar(q), np.ascontiguousarray(q), np.cumsum(q), np.concatenate([[1],np.asarray(q)]))
z=np.zeros(3); z[:]=q; print(z)
""",
    "the class of arrays": """
import numpy as np, abc, copy, dataclasses, functools, pickle, typing, unittest
from numpy import ndarray
x = np.arange(6.).reshape(2, 3)
class A(np.ndarray):
    def __new__(cls, data, tag=None):
        made = np.asarray(data).view(cls); made.tag = tag; return made
    def __array_finalize__(self, of): self.tag = getattr(of, "tag", None)
class B(np.ndarray, abc.ABC):
    def __new__(cls, shape):
        made = np.ndarray.__new__(cls, shape); made[...] = 1; return made
a, b = A(x, "t"), B((2, 2))
print(type(x) is np.ndarray, x.__class__ is ndarray, type(a) is np.ndarray, type(x) in (list, np.ndarray), {np.ndarray: 1}[type(x)])
print(isinstance(a, np.ndarray), issubclass(B, np.ndarray), issubclass(int, np.ndarray), isinstance([1], np.ndarray), (a + 1).tag, b)
print(isinstance(x.sum(), np.ndarray), isinstance(x[0, 0], ndarray), issubclass(ndarray, object), isinstance(ndarray, type), ndarray == type(x), np.ma.core.ndarray is ndarray)
v, i = x.sum(), np.arange(3, dtype="i4")[1]
print(type(v) == np.float64, type(v) in (int, np.float64), np.float64 == type(v), type(i) == np.int32, type(i) == np.int64, type(v) != float)
print(np.ndarray.sum(x), np.ndarray.sum(a), np.ndarray.mean(b), np.ndarray((2,), float).shape, hasattr(np.ndarray, "nothing"))
print(copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.copy(a).tag, type(b.view(np.ndarray)) is type(b.view(ndarray)))
@functools.singledispatch
def which(x): return "other"
@which.register(np.ndarray)
def _(x): return "array"
@which.register
def _(x: list): return "list"
print(which(x), which([1]), which(3))
match x:
    case np.ndarray(): print("matches")
def f(x: np.ndarray) -> np.ndarray | None: ...
print(typing.get_type_hints(f)["x"] is np.ndarray, np.ndarray[typing.Any, np.dtype[np.float64]].__args__[0] is typing.Any)
@dataclasses.dataclass
class D:
    x: np.ndarray = dataclasses.field(default_factory=lambda: np.ones(2))
class Tests(unittest.TestCase):
    def runTest(self): self.assertIsInstance(x, np.ndarray); self.assertIs(type(D().x), np.ndarray); self.assertNotIsInstance(3, np.ndarray)
Tests().debug()
try: np.ndarray.sum([1])
except TypeError: print("no array")
try: np.ndarray.nothing
except AttributeError: print("no attribute")
""",
    "methods with arrays of a subclass": """
import numpy as np
class A(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        print("asked for", function.__name__); return super().__array_function__(function, types, args, kwargs)
    def __array_ufunc__(self, ufunc, how, *inputs, **kwargs):
        print("asked for", ufunc.__name__); return super().__array_ufunc__(ufunc, how, *map(np.asarray, inputs), **kwargs)
x = np.arange(4.).reshape(2, 2); a = x.view(A); i = x.astype(int).view(A)
print(x.dot(a), x @ a, x.clip(a, a), x.take(i), x.compress(a[0]), i.view(np.ndarray).choose(x[0], mode="wrap"), x[0].searchsorted(a), x[0].repeat(i[1]))
for call in (lambda: np.block([a, a]), lambda: np.block([[a, [a]]])):
    try: print(call())
    except ValueError: print("ValueError")
""",
    "functions without the classes": """
import numpy as np
class A(np.ndarray):
    def __array_function__(self, function, types, args, kwargs):
        return "A", function._implementation(*[np.asarray(x) for x in args], **kwargs)
a = np.array([3., 1.]).view(A)
print(np.sort(a), np.real(a), np.imag(a), np.cumsum(a), hasattr(np.add, "_implementation"))
""",
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_programs_compute_as_under_python(name, tmp_path):
    own_process.runs_as_under_python(CLASSES[name], tmp_path)


OF_OBJECTS = """
import numpy as np, pickle
from fractions import Fraction as F
def show(x):
    print(type(x).__name__, getattr(x, "dtype", ""), x)
halves = [F(1, 2), F(1, 3)]
for call in (lambda: np.vectorize(lambda x: x + 1)(halves), lambda: np.vectorize(lambda x: x + 1, otypes=[object])(halves),
             lambda: np.vectorize(lambda x: str(x))(np.arange(3)), lambda: np.vectorize(lambda x: F(int(x), 3))(np.arange(3)),
             lambda: np.vectorize(lambda x: x * 2)(np.matrix([[1, 2]])), lambda: np.vectorize(str.upper, otypes=["U5"])(["a", "bb"]),
             lambda: np.vectorize(lambda x: None)([1, 2]), lambda: np.vectorize(lambda x: {"a": x})([1, 2]),
             lambda: np.vectorize(np.datetime64)(["2020-01-01"]), lambda: np.vectorize(lambda x, y: (x, y))([1, 2], [3, 4]),
             lambda: np.vectorize(lambda x: [x, x], otypes=[object])([1, 2]), lambda: np.vectorize(lambda x: x + 1)(2),
             lambda: np.vectorize(lambda x: x / 2)(np.arange(3)) + np.ones(3), lambda: np.frompyfunc(F, 1, 1)([1, 2]),
             lambda: np.frompyfunc(lambda a, b: a + b, 2, 1).outer(["a", "b"], ["c"]), lambda: np.frompyfunc(str, 1, 1)(np.arange(2)),
             lambda: np.vectorize(lambda x: x * x, signature="(n)->(n)")(np.ones((2, 3))),
             lambda: pickle.loads(pickle.dumps(np.vectorize(abs)))([-1, 2])):
    show(call())
half, add = np.frompyfunc(lambda x: F(int(x), 2), 1, 1), np.frompyfunc(lambda a, b: a + b, 2, 1)
objects = np.empty(2, dtype=object)
show(half(np.arange(2), out=objects) is objects); show(half(np.arange(1, 3), objects)); show(add.reduce(halves)); show(add.accumulate(["a", "b"]))
add.at(objects, np.array([0, 0]), F(1)); show(objects); show(add(np.arange(3), np.ones(3), where=[True, False, True], out=np.zeros(3, dtype=object)))
@np.vectorize
def larger(a, b):
    "The larger one."
    return a if a > b else b
show(larger([1, 5], 3)); print(larger.__name__, larger.__doc__, isinstance(larger, np.vectorize))
"""


def test_functions_of_objects_return_what_they_make(tmp_path):
    """vectorize and frompyfunc: arrays of texts, dates and objects stay NumPy's, and the function is called once."""
    own_process.runs_as_under_python(OF_OBJECTS, tmp_path)


STATES = """
import sys
import numpy as np

theirs = sys.modules["numpy"].random  # from which libraries draw
np.random.seed(3)
print(np.random.rand(), theirs.rand(), np.random.normal(), theirs.normal(), np.random.mtrand._rand.rand(2))
print(isinstance(np.random.mtrand._rand, np.random.RandomState))
theirs.seed(4)
print(np.random.randint(9, size=3), np.random.get_state()[2] == theirs.get_state()[2])
np.random.set_state(theirs.RandomState(5).get_state())
print(theirs.rand(), np.random.shuffle(list(range(3))), theirs.rand())
np.random.set_bit_generator(np.random.PCG64(7))
print(np.random.rand(), theirs.rand(), type(theirs.get_bit_generator()).__name__)
np.random.seed(8)
print(theirs.rand())
"""


def test_libraries_draw_from_the_state_of_the_program(tmp_path):
    own_process.runs_as_under_python(STATES, tmp_path)


BRACKETS = """
import copy, pickle
import numpy as np

print(np.r_[1, 2], copy.copy(np.r_)[1, 2], copy.deepcopy({"a": np.mgrid})["a"][0:2, 0:2].tolist())
print(pickle.loads(pickle.dumps(np.c_))[[1, 2], [3, 4]].tolist(), pickle.loads(pickle.dumps(np.ogrid))[0:2])
"""


def test_objects_with_brackets_are_copied(tmp_path):
    own_process.runs_as_under_python(BRACKETS, tmp_path)
