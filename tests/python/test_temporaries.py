"""Results that take the memory of an operand that dies with the call: values never change, nor what anybody still reads."""

import contextlib
import ctypes
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import threading
import weakref

import numpy as np
import pytest

import cuarray
from cuarray import memory


@pytest.fixture(params=[contextlib.nullcontext, cuarray.eager], ids=["fusing", "eager"])
def cpu(request):
    """Where chains wait, operands have no memory yet that a result could take."""
    with cuarray.device("cpu"), contextlib.ExitStack() as modes:
        modes.enter_context(request.param())
        yield


N = 8192  # float64 elements: 64 KB, from which size on memory is reused
ROW = N * 8

# A C extension in the hands of which arrays have one reference each, a local or a global variable.
EXTENSION = r"""
#include <Python.h>
static PyObject *one, *two, *held;
typedef struct { PyObject_HEAD PyObject *array; } Holder;
static PyTypeObject HolderType, OtherType;

static PyObject *local_of(PyObject *array) { return PyNumber_Add(array, one); }

/* t, -t, t * 2, 2 - t and t + t, of which the last ones must find t as it was. */
static PyObject *from_local(PyObject *array) {
    PyObject *t = local_of(array);
    if (!t) return NULL;
    PyObject *a = PyNumber_Negative(t), *b = PyNumber_Multiply(t, two), *c = PyNumber_Subtract(two, t);
    PyObject *d = PyNumber_Add(t, t), *e = PyNumber_Power(t, two, Py_None);
    return Py_BuildValue("NNNNNN", t, a, b, c, d, e);
}
static PyObject *binary(PyObject *a, PyObject *b) {
    PyObject *array = Py_TYPE(a) == &HolderType ? ((Holder *)a)->array : ((Holder *)b)->array;
    return from_local(array);
}
/* Leaves what it is beside as it is, though that has one reference: the interpreter's. */
static PyObject *beside(PyObject *a, PyObject *b) {
    PyObject *other = Py_TYPE(a) == &OtherType ? b : a;
    PyObject *first = PyNumber_Multiply(other, two), *second = PyNumber_Multiply(other, two);
    return Py_BuildValue("NN", first, second);
}
/* Compilers make a jump of this call, so that the stack does not show this function. */
static PyObject *with_held(PyObject *self, PyObject *x) { return PyNumber_Multiply(held, x); }
static PyObject *held_in_slot(PyObject *a, PyObject *b) { return PyNumber_Multiply(held, two); }
static PyObject *unary(PyObject *self) { return from_local(((Holder *)self)->array); }
static PyObject *item(PyObject *self, Py_ssize_t i) {
    return i < 1 ? from_local(((Holder *)self)->array) : PyErr_Format(PyExc_IndexError, "%zd", i);
}
static PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) { return from_local(((Holder *)self)->array); }
static Py_ssize_t length(PyObject *self) { return 1; }

static PyNumberMethods numbers = {.nb_add = binary, .nb_multiply = binary,
                                  .nb_true_divide = held_in_slot, .nb_negative = unary};
static PyNumberMethods numbers_of_other = {.nb_subtract = beside};
static PyTypeObject OtherType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "holders.Other", .tp_basicsize = sizeof(PyObject),
    .tp_new = PyType_GenericNew, .tp_flags = Py_TPFLAGS_DEFAULT, .tp_as_number = &numbers_of_other};
static PySequenceMethods sequence = {.sq_item = item, .sq_length = length};
static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    Holder *self = (Holder *)type->tp_alloc(type, 0);
    if (!PyArg_ParseTuple(args, "O", &self->array)) return NULL;
    Py_INCREF(self->array);
    return (PyObject *)self;
}
static void drop(PyObject *self) { Py_XDECREF(((Holder *)self)->array); Py_TYPE(self)->tp_free(self); }
static PyTypeObject HolderType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "holders.Holder", .tp_basicsize = sizeof(Holder), .tp_new = make,
    .tp_dealloc = drop, .tp_call = call, .tp_flags = Py_TPFLAGS_DEFAULT, .tp_as_number = &numbers,
    .tp_as_sequence = &sequence};

static PyObject *hold(PyObject *self, PyObject *array) {
    Py_XSETREF(held, local_of(array));
    Py_RETURN_NONE;
}
static PyObject *get_held(PyObject *self, PyObject *unused) { return Py_NewRef(held); }
static PyObject *of(PyObject *self, PyObject *array) { return from_local(array); }
static PyMethodDef methods[] = {{"of", of, METH_O}, {"hold", hold, METH_O}, {"with_held", with_held, METH_O},
                                {"get_held", get_held, METH_NOARGS}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "holders", NULL, -1, methods};
PyMODINIT_FUNC PyInit_holders(void) {
    one = PyLong_FromLong(1), two = PyLong_FromLong(2);
    PyType_Ready(&HolderType), PyType_Ready(&OtherType);
    PyObject *m = PyModule_Create(&module);
    PyModule_AddObjectRef(m, "Holder", (PyObject *)&HolderType);
    PyModule_AddObjectRef(m, "Other", (PyObject *)&OtherType);
    return m;
}
"""


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def holders(request, tmp_path_factory):
    if not shutil.which("gcc"):
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("holders")
    (folder / "holders.c").write_text(EXTENSION)
    library = folder / f"holders{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = f"-I{sysconfig.get_paths()['include']}"
    command = ["gcc", request.param, "-shared", "-fPIC", include, folder / "holders.c", "-o", library]
    subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location("holders", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def settle_operators(x):
    """The first use of an operator on a temporary finds out how the interpreter calls it."""
    (x * 1) + (x * 1), 1 + (x * 1), (x * 1) * 2, 2 * (x * 1), -(x * 1), (x * 1) ** 2, 2 - (x * 1), (x * 1) - 2


def peak_of(function):
    """Bytes that a call takes at most, beyond what it returns and what was there."""
    function()
    memory.reset_peak()
    start = memory.stats()["current"]
    result = function()
    return (memory.stats()["peak"] - start - result.nbytes) // ROW


CHAINS = {
    "x * 2 + 1": 0,
    "1 + 2 * x": 0,
    "-(x + y) * (x - y)": 1,
    "(x + y) - y * 2": 1,
    "y - (x + y)": 0,
    "(x + 1) ** 2": 0,
    "(x + 1) // 3 % 2": 0,
    "x * 2 + 1 - y / 3 + x * y": 1,
    "abs(x + 1)": 1,  # a function, not an operator of the language
    "x + y": 0,
}


@pytest.mark.parametrize("text", CHAINS)
def test_chains_need_no_more_memory_than_their_operands(text, cpu):
    x, y = cuarray.linspace(1, 2, N), cuarray.linspace(3, 4, N)
    names = {"x": x, "y": y}
    function = eval(f"lambda: {text}", names)
    with cuarray.eager():
        assert peak_of(function) == CHAINS[text]
    np.testing.assert_array_equal(function().numpy(), eval(text, {"x": x.numpy(), "y": y.numpy()}))
    np.testing.assert_array_equal(x.numpy(), np.linspace(1, 2, N))


@pytest.mark.parametrize("other", ["f4", "i2", "c16", "?", "f8"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "c8"])
def test_types(dtype, other, device):
    """Results of another type than the operand's have memory of their own; casts read it before it is written."""
    rng = np.random.default_rng(3)
    x, y = (rng.integers(1, 9, 3 * 40_000).astype(t).reshape(3, -1) for t in (dtype, other))
    a, b = cuarray.asarray(x, device=device).copy(), cuarray.asarray(y, device=device).copy()
    for text in ("(x + x) * y", "y - (x + x)", "(x * 2) * y + x", "(y + y) * x - (x * x)", "(x + x) * 2.5 + y"):
        want = eval(text, {"x": x, "y": y})
        for mode in (contextlib.nullcontext, cuarray.eager):
            with mode():
                got = eval(text, {"x": a, "y": b})
            assert got.dtype == want.dtype and got.strides == want.strides
            np.testing.assert_array_equal(got.numpy(), want, strict=True)
    np.testing.assert_array_equal(a.numpy(), x)


@pytest.mark.parametrize("order", ["CC", "FF", "CF", "FC"])
def test_layouts(order, device):
    """The layout of a result is that of the operation, whatever memory it has: small arrays have memory of their own."""

    def made(rows, columns, xp, **options):
        x = np.arange(1.0 * rows * columns).reshape(rows, columns)
        x, y = np.asarray(x, order=order[0]), np.asarray(x % 7, order=order[1])
        return {"x": xp.array(x, order="K", **options), "y": xp.array(y, order="K", **options), "row": xp.array(y[0])}

    with cuarray.device(device):
        few, many = made(4, 6, cuarray), made(200, 300, cuarray)
    theirs = made(200, 300, np)
    for text in (
        "(x * 2) + y", "y - (x * 2)", "(x + 1).T * y.T", "(x + 1) * row", "row * (x + 1)", "(x + 1)[::-1] + y", "x * 2 + y + 1",
    ):  # fmt: skip
        small = eval(text, few)
        for mode in (contextlib.nullcontext, cuarray.eager):
            with mode():
                got = eval(text, many)
            assert (got.flags.c_contiguous, got.flags.f_contiguous) == (
                small.flags.c_contiguous,
                small.flags.f_contiguous,
            )
            np.testing.assert_array_equal(got.numpy(), eval(text, theirs))


def test_what_is_still_read_is_not_written(cpu):
    x = cuarray.ones(N)
    settle_operators(x)

    class Attributes:
        t = x * 2

        @property
        def fresh(self):
            return x * 2

    a, kept, numbers = Attributes(), [x * 2], []
    assert (a.t + 1)[0] == 3 and a.t[0] == 2
    assert (kept[0] + 1)[0] == 3 and kept[0][0] == 2
    assert (a.fresh + 1)[0] == 3
    assert ((t := x * 2) + 1)[0] == 3 and t[0] == 2
    assert ((lambda: kept[0])() + 1)[0] == 3 and kept[0][0] == 2
    assert ((x * 2)[:] + 1)[0] == 3
    view = (x * 2)[1:]
    assert (view.base + 1)[0] == 3 and view[0] == 2
    buffer = memoryview(x * 2)
    assert buffer[0] == 2
    shared = np.asarray(x * 2)
    assert (cuarray.asarray(shared) + 1)[0] == 3 and shared[0] == 2
    alive = []

    def weakly():
        t = x * 2
        alive.append(weakref.ref(t))
        return t

    assert (weakly() + 1)[0] == 3

    def generated():
        t = x * 2
        yield t
        numbers.append(float(t[0]))

    assert sum((next(g) * 3)[0] + len(list(g)) for g in [generated()]) == 6 and numbers == [2.0]
    np.testing.assert_array_equal(x.numpy(), 1)


def test_foreign_memory_is_not_written(cpu):
    """Memory whose owner may still read it: NumPy's, bytes, an array's by its address."""
    settle_operators(cuarray.ones(N))
    theirs = np.ones(N)
    assert (cuarray.asarray(theirs) * 2)[0] == 2 and theirs[0] == 1
    assert (cuarray.from_dlpack(theirs) * 2)[0] == 2 and theirs[0] == 1
    raw = bytearray(theirs.tobytes())
    assert (cuarray.frombuffer(raw) * 2)[0] == 2 and np.frombuffer(raw)[0] == 1
    lasting = []

    def addressed():
        t = cuarray.ones(N)
        lasting.append(t.__array_interface__)
        return t

    assert (addressed() * 2)[0] == 2


def check(results, array):
    t = np.full(N, 1.0) + array
    wanted = [t, -t, t * 2, 2 - t, t + t, t**2]
    for got, want in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(got.numpy(), want)


def test_local_variables_of_c_code(holders, cpu):
    x = cuarray.full(N, 3.0)
    settle_operators(x)
    holder = holders.Holder(x)
    for _ in range(30):  # until the interpreter has specialised these instructions
        check(holder + 1, 3.0)
        check(1 + holder, 3.0)
        check(holder * holder, 3.0)
        check(holder * 2, 3.0)
        check(-holder, 3.0)
        check(holder[0], 3.0)
        check(holder(), 3.0)
        check(next(iter(holder)), 3.0)
        check(holders.of(x), 3.0)
        check(holders.of(x * 1), 3.0)


def test_global_variables_of_c_code(holders, cpu):
    """Calls that compilers turn into jumps: nothing but the interpreter's own instruction tells them apart."""
    x = cuarray.full(N, 3.0)
    settle_operators(x)
    holder = holders.Holder(x)
    holders.hold(x)
    for _ in range(30):
        assert holders.with_held(2)[0] == 8
        assert holders.with_held(x)[0] == 12
        assert (holder / 1)[0] == 8
        assert (1 / holder)[0] == 8
        assert next(map(holders.with_held, [2]))[0] == 8
        np.testing.assert_array_equal(holders.get_held().numpy(), 4)


def test_operands_that_another_class_is_given(holders, cpu):
    """Its slot has the interpreter's only reference, and reads the array again."""
    x = cuarray.full(N, 3.0)
    settle_operators(x)
    other = holders.Other()
    for _ in range(30):
        for results in ((x + 1) - other, other - (x + 1)):
            for result in results:
                np.testing.assert_array_equal(result.numpy(), 8)


def test_calls_by_address(cpu):
    """ctypes holds the argument alone."""
    x = cuarray.full(N, 3.0)
    settle_operators(x)
    multiply = ctypes.pythonapi.PyNumber_Multiply
    multiply.argtypes, multiply.restype = [ctypes.c_void_p, ctypes.py_object], ctypes.py_object
    address = id(x)
    for _ in range(30):
        assert multiply(address, 2)[0] == 6
    np.testing.assert_array_equal(x.numpy(), 3)


def test_threads_have_temporaries_of_their_own(cpu):
    x = cuarray.linspace(0, 1, 40_000)
    want = (((x.numpy() * 2 + 1) * x.numpy() - 3) ** 2).tobytes()
    wrong = []

    def work():
        for _ in range(50):
            if (((x * 2 + 1) * x - 3) ** 2).tobytes() != want:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_errors_leave_the_other_operand(device):
    x = cuarray.asarray(np.arange(1, N + 1), device=device).copy()
    with pytest.raises(ValueError, match="negative"):
        (x * 2) ** -1
    with pytest.raises(ValueError, match="broadcast"):
        (x * 2) + cuarray.ones(3, device=device)
    np.testing.assert_array_equal(x.numpy(), np.arange(1, N + 1))


@pytest.mark.parametrize(
    "scope, seen",
    [
        ("ca.profile() as p", "'1' in [event.expression for event in p.events if event.kind == 'launch']"),
        ("graph.capture()", "'3 operations' not in str(graph)"),
        ("ca.fuse(), ca.profile() as p", "'1' in [event.expression for event in p.events if event.kind == 'launch']"),
    ],
)
def test_operators_learn_nothing_while_work_is_recorded(scope, seen):
    """The evaluations that show the interpreter's calls are no part of a profile, a graph or a fused expression."""
    code = f"""
import cuarray as ca
x, graph = ca.ones(20_000, device="cpu"), ca.Graph("cpu")
with {scope}:
    y = (x + 1) + (x + 2)
assert not ({seen})
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr


def test_an_exception_meets_the_program():
    """Ctrl-C during the evaluation that shows the interpreter's call ends the operation; the next one works."""
    code = """
import sys, cuarray as ca

def interrupt(frame, event, argument):
    raise KeyboardInterrupt

x = ca.ones(20_000, device="cpu")
sys.settrace(interrupt)
try:
    (x + 1) + x
except KeyboardInterrupt:
    print("interrupted")
sys.settrace(None)
print(((x + 1) + x).sum())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "interrupted\n60000.0\n", run.stderr
