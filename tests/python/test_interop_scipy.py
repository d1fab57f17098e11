"""Ufuncs of SciPy, of Numba, and of Python functions."""

import copy
import pickle

import numpy as np
import own_process
import pytest
from foreign import need

import cuarray

HERE = ["cbrt", "erf", "erfc", "exp2", "expit", "expm1", "gamma", "gammaln", "i0", "log1p", "logit"]


@pytest.mark.parametrize("name", HERE)
def test_functions_that_are_here_run_everywhere(name, device):
    need("scipy")
    import scipy.special

    x = cuarray.asarray([0.25, 0.5, 0.75])
    result = getattr(scipy.special, name)(x)
    assert isinstance(result, cuarray.ndarray) and result.device == device
    np.testing.assert_allclose(result.numpy(), getattr(scipy.special, name)(x.numpy()), rtol=1e-14)


CALLS = ["jv(1, x)", "jv(x, [1.0, 2, 3])", "ellipj(x, 0.5)", "erf(x * 1j)", "binom(5, x)", "wofz(x)", "psi(x)", "erf(x[0])",
         "jv(1, x, where=x > 0.3, out=m.zeros_like(x))", "jv.outer(x, x)", "xlogy(x, x)", "zeta(x + 1, 1.0)"]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_functions_that_are_not_here_run_on_the_same_memory(call, device):
    need("scipy")
    import scipy.special

    def evaluate(module, x):
        return eval(f"s.{call}", {"s": scipy.special, "m": module, "x": x})

    x = cuarray.asarray([0.25, 0.5, 0.75])
    if device != "cpu" and call not in ("xlogy(x, x)", "erf(x[0])"):
        with pytest.raises(TypeError, match=r"write x\.numpy\(\)"):
            evaluate(cuarray, x)
        return
    ours, theirs = evaluate(cuarray, x), evaluate(np, x.numpy())
    ours, theirs = (r if isinstance(r, tuple) else (r,) for r in (ours, theirs))
    for a, b in zip(ours, theirs, strict=True):
        assert isinstance(a, cuarray.ndarray) and a.dtype == b.dtype
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-14)


def test_outputs_are_the_objects_given():
    need("scipy")
    import scipy.special

    x, out = cuarray.ones(3, device="cpu"), cuarray.zeros(3, device="cpu")
    assert scipy.special.jv(1, x, out=out) is out and out[0] > 0.4
    host = np.zeros(3)
    assert scipy.special.jv(1, x, out=host) is host and host[0] > 0.4
    with pytest.raises(ValueError, match="read-only"):
        scipy.special.jv(1, x, out=cuarray.broadcast_to(cuarray.zeros(1, device="cpu"), (3,)))


def test_pending_arguments_are_settled():
    need("scipy")
    import scipy.special

    x = cuarray.ones(3, device="cpu")
    with cuarray.fuse():
        y = x + 1
        result = scipy.special.jv(0, y) + y
    np.testing.assert_allclose(result.numpy(), scipy.special.jv(0, 2.0) + 2)


def test_python_functions(device):
    add = np.frompyfunc(lambda a, b: a + b, 2, 1)
    x = cuarray.arange(3)
    if device != "cpu":
        with pytest.raises(TypeError, match=r"write x\.numpy\(\)"):
            add(x, 1)
        return
    assert isinstance(add(x, 1), cuarray.ndarray) and add(x, 1).tolist() == [1, 2, 3] and add(x, 1).dtype == np.int64
    assert add(x, x / 2).dtype == np.float64 and add(x[1], 1).item() == 2
    assert add.reduce(x).item() == 3 and add.accumulate(x).tolist() == [0, 1, 3]
    pair = np.frompyfunc(divmod, 2, 2)(x, 2)
    assert [r.tolist() for r in pair] == [[0, 0, 1], [0, 1, 0]]
    with pytest.raises(TypeError, match=r"no numbers; write f\(x\.numpy\(\)\)"):
        np.frompyfunc(str, 1, 1)(x)


def test_numba_functions():
    need("numba")
    import numba

    add = numba.vectorize(lambda a, b: a + b)
    typed = numba.vectorize(["float64(float64, float64)"])(lambda a, b: a - b)
    twice = numba.guvectorize(["(float64[:], float64[:])"], "(n)->(n)")(double)
    x = cuarray.arange(3.0, device="cpu")
    for result, want in [(add(x, x), [0, 2, 4]), (add(x, 1), [1, 2, 3]), (add(np.ones(3), x), [1, 2, 3]),
                         (typed(x, 1), [-1, 0, 1]), (twice(x), [0, 2, 4]), (add.reduce(x), 3)]:  # fmt: skip
        assert isinstance(result, cuarray.ndarray) and result.tolist() == want
    out = cuarray.zeros(3, device="cpu")
    assert add(x, x, out=out) is out and out.tolist() == [0, 2, 4]


def double(a, result):
    result[:] = a * 2


def test_methods_of_numpy_arrays_take_ours(device):
    bounds = cuarray.asarray([0.0, 2.0, 3.0])
    if device == "cpu":
        x = np.array([1.0, 1, 5])
        assert x.clip(bounds, 3).tolist() == [1, 2, 3] and isinstance(x.clip(bounds, 3), cuarray.ndarray)
        assert x.clip(0, bounds).tolist() == [0, 1, 3] and x.clip(None, bounds).tolist() == [0, 1, 3]
        assert x.dot(bounds) == 17 and x.searchsorted(bounds).tolist() == [0, 2, 2]
        return
    with pytest.raises(TypeError, match=r"cuarray\.asarray"):
        np.ones(3).clip(bounds, 3)


SPARSE = """
import numpy as np, scipy.sparse as sp
from scipy.sparse import linalg as sla
A=sp.csr_array(np.array([[1.,0,2],[0,3,0],[4,0,5]])); M=sp.csr_matrix(np.eye(3)); x=np.arange(3.)
def t(f):
    try:
        r=f(); print(type(r).__name__ if "scipy" in type(r).__module__ else "", r.toarray().tolist() if hasattr(r,"toarray") else np.asarray(r).tolist())
    except Exception as e: print(type(e).__name__)
for f in (lambda: A@x, lambda: x@A, lambda: A+np.ones((3,3)), lambda: np.ones((3,3))+A, lambda: A-np.ones((3,3)), lambda: A*x, lambda: x*A, lambda: A.multiply(x), lambda: np.sqrt(A), lambda: np.sum(A), lambda: abs(A), lambda: A.dot(x), lambda: A[np.array([0,2])], lambda: A[np.array([True,False,True])], lambda: A[:,np.array([0])], lambda: A.T@np.ones((3,2)), lambda: sla.spsolve(A.tocsc(), x), lambda: sp.diags(x), lambda: sp.diags([x,x[:2]],[0,1]), lambda: sp.coo_array((x,(np.array([0,1,2]),np.array([2,1,0]))),shape=(3,3)), lambda: sp.kron(np.eye(2),A), lambda: sp.vstack([A,A]), lambda: A.sum(axis=0), lambda: A.data+x[:1], lambda: A.indices, lambda: np.dot(A.toarray(),x), lambda: sla.cg(A.T@A,x)[1], lambda: A*x[1], lambda: A/x[2], lambda: A**2, lambda: A>x[1], lambda: A.astype(np.float32).dtype.itemsize, lambda: sp.eye_array(3)*2, lambda: M*x, lambda: M@np.eye(3), lambda: np.allclose(A.toarray(),A.todense())): t(f)
B=sp.lil_array((3,3)); B[0]=x; B[1,1]=x[2]; B[np.array([2]),np.array([0])]=x[1]; t(lambda: B)
"""


def test_programs_of_sparse_arrays_run_unchanged(tmp_path):
    """`python -m cuarray` prints what Python prints: NumPy's functions call the methods of sparse arrays."""
    need("scipy")
    own_process.runs_as_under_python(SPARSE, tmp_path)


FILTERS = """
import functools
import numpy as np
from scipy import ndimage
from scipy.spatial import distance
x = (np.arange(64.0) % 7).reshape(8, 8)
mask = x > 3
def show(call, dtype=float, shape=(8, 8)):
    out = np.zeros(shape, dtype)
    result = call(out)
    print(result is out, result if isinstance(result, int) else result is None, round(float(out.sum()), 9), type(out) is type(x))
show(lambda out: ndimage.label(mask, output=out), "i4")
show(lambda out: ndimage.binary_dilation(mask, output=out), bool)
show(lambda out: ndimage.binary_fill_holes(mask, output=out), bool)
show(lambda out: ndimage.binary_propagation(x > 5, mask=mask, output=out), bool)
show(lambda out: ndimage.distance_transform_edt(mask, distances=out))
show(lambda out: ndimage.distance_transform_edt(mask, return_indices=True, return_distances=False, indices=out), "i4", (2, 8, 8))
show(lambda out: ndimage.distance_transform_cdt(mask, distances=out), "i4")
show(lambda out: ndimage.morphological_gradient(x, 3, output=out))
show(lambda out: ndimage.gaussian_filter(x, 1, output=out))
show(lambda out: ndimage.generic_filter(x, lambda line: line.max(), 3, output=out))
show(lambda out: distance.cdist(x, x, out=out))
show(lambda out: distance.pdist(x, out=out), float, 28)
print(ndimage.sum_labels(x, mask), ndimage.map_coordinates(x, np.array([[1.5], [2.5]])), ndimage.label(mask)[1])
"""


MINIMA = """
import functools, pickle
import numpy as np
from scipy import integrate, optimize
at = np.arange(3.0)
fun, jac, hess = lambda v: ((v - at) ** 2).sum(), lambda v: 2 * (v - at), lambda v: 2 * np.eye(3)
def show(result):
    print(np.round(result.x, 4).tolist())
bounds = np.array([[0.5, 5], [0.5, 5], [0.5, 1.5]])
for method in ("L-BFGS-B", "SLSQP", "TNC", "trust-constr", "BFGS", "Newton-CG"):
    bounded = {"hess": hess} if method == "Newton-CG" else {} if method == "BFGS" else {"bounds": bounds}
    show(optimize.minimize(fun, np.ones(3), method=method, jac=jac, **bounded))
show(optimize.minimize(lambda v: (fun(v), jac(v)), np.ones(3), method="L-BFGS-B", jac=True))
show(optimize.minimize(lambda v, by: fun(v) * by, np.ones(3), args=(at[1],), method="SLSQP", jac=lambda v, by: jac(v) * by))
show(optimize.minimize(functools.partial(lambda by, v: fun(v) * by, 2.0), np.ones(3), method="L-BFGS-B"))
constraint = {"type": "ineq", "fun": lambda v: v - 0.5, "jac": lambda v: np.eye(3)}
show(optimize.minimize(fun, np.ones(3), method="SLSQP", jac=jac, constraints=[constraint]))
limits = optimize.NonlinearConstraint(lambda v: v**2, np.zeros(3), np.ones(3), jac=lambda v: 2 * np.diag(v))
show(optimize.minimize(fun, np.ones(3) / 2, method="SLSQP", jac=jac, constraints=limits))
for method in ("trf", "dogbox", "lm"):
    show(optimize.least_squares(lambda v: v * at - 1, np.ones(3), jac=lambda v: np.diag(at), method=method))
seen = []
optimize.minimize(fun, np.ones(3), jac=jac, callback=lambda intermediate_result: seen.append(intermediate_result.fun))
print(len(seen) > 0, optimize.minimize is pickle.loads(pickle.dumps(optimize.minimize)))
print(np.round(optimize.curve_fit(lambda t, a, b: a * t + b, at, 2 * at + 1, jac=lambda t, a, b: np.stack([t, t * 0 + 1], 1))[0], 3))
turn = np.array([[0.0, 1], [-1, 0]])
ode = integrate.ode(lambda t, y: turn @ y, lambda t, y: turn).set_integrator("vode", method="bdf").set_initial_value(np.array([1.0, 0]))
print(np.round(ode.integrate(1.0), 3), np.round(integrate.solve_ivp(lambda t, y: turn @ y, (0, 1), np.array([1.0, 0]), method="Radau", jac=lambda t, y: turn).y[:, -1], 2))
"""


ARGUMENTS = """
import collections
import numpy as np
from scipy import integrate, optimize
def square(p):
    return (p**2).sum()
class Model:
    offset = np.zeros(2)
    def __array__(self, dtype=None, copy=None):
        return self.offset
    def loss(self, p, seen):
        seen.append(len(p))
        return square(p - self.offset)
class Pair(collections.namedtuple("Pair", "a b")):
    def __new__(cls, a):
        return super().__new__(cls, a, 2 * a)
model, seen, found = Model(), [], {}
optimize.minimize(model.loss, [1.0, 2], args=(seen,))
integrate.solve_ivp(lambda t, y, q: (q.update(y=len(y)), -y)[1], (0, 1), [1.0], args=(found,))
print(len(seen) > 0, found)
print(optimize.minimize(lambda p, f, m: f(p - m.offset) + (f is not square), [1.0, 1], args=(square, model)).fun < 1e-9)
print(optimize.minimize(lambda p, f: f(p) + (f is not square), [1.0, 1], (square,)).fun < 1e-9)
print(np.round(optimize.minimize(lambda p, q: square(p - q.b), [0.0], args=(Pair(1.0),)).x, 3))
endless = []
endless.append(endless)
constraint = {"type": "eq", "fun": lambda p, q: (q.append(1), p[0] - 1)[1], "args": ([],)}
print(np.round(optimize.minimize(lambda p, q: square(p), [2.0, 1], args=(endless,), method="SLSQP", constraints=constraint).x, 3))
print(len(constraint["args"][0]) > 0, optimize.NonlinearConstraint(square, 0, 1).fun == square)
ode = integrate.ode(lambda t, y, q: (q.append(1), -y)[1]).set_integrator("dopri5").set_initial_value([1.0], 0)
ode.set_f_params(seen)
before = len(seen)
ode.integrate(1)
print(len(seen) > before)
kept = [object()]
np.ma.apply_along_axis(lambda line, kept: (kept.append(1), line.sum())[1], 0, np.ma.ones((2, 2)), kept)
print(len(kept))
"""


@pytest.mark.parametrize("program", [FILTERS, MINIMA, ARGUMENTS], ids=["outputs", "callbacks", "arguments"])
def test_programs_of_scipy_run_unchanged(program, tmp_path):
    """Arrays that SciPy writes to are written to, and functions that it calls may return arrays of ours."""
    need("scipy")
    own_process.runs_as_under_python(program, tmp_path)


NAMESPACES = """
import numpy as np
from array_api_compat import array_namespace, is_array_api_obj, is_numpy_array, is_numpy_namespace
x = np.arange(3.0)
xp = array_namespace(x)
print(is_numpy_array(x), is_array_api_obj(x), is_numpy_namespace(xp), xp.__name__, is_numpy_array([1]))
print(xp.concat([x, x]), xp.astype(x, xp.int64).dtype, type(xp.sqrt(x)) is type(x))
"""


def test_modules_of_programs_by_names_of_libraries_stay(tmp_path):
    (tmp_path / "ot.py").write_text("def kind(x, seen):\n    seen.append(type(x))\n    return type(x)\n")
    program = "import numpy as np, ot\nseen = []\nprint(ot.kind(np.ones(2), seen) is type(np.ones(2)), len(seen))"
    own_process.runs_as_under_python(program, tmp_path)


def test_array_api_compat_takes_arrays_of_programs_for_numpys(tmp_path):
    need("array_api_compat")
    own_process.runs_as_under_python(NAMESPACES, tmp_path)


GRAPHS = """
import numpy as np, networkx as nx
a = np.array([[0, 1, 0], [1, 0, 2.5], [0, 2.5, 0]])
for graph in (nx.Graph(a), nx.DiGraph(a > 0), nx.MultiGraph(a.astype(int)), nx.from_numpy_array(a)): print(graph.edges(data=True))
graph = nx.Graph(a)
graph.add_edge(a[0, 1], a[1, 2], weight=a.sum())
graph.add_nodes_from(np.arange(3))
graph.add_edges_from(np.array([[0, 2]]))
print(graph.edges(data=True), graph.nodes, nx.to_numpy_array(graph), nx.shortest_path_length(graph, 0, 2))
"""


def test_programs_of_graphs_run_unchanged(tmp_path):
    """A matrix of ours is an adjacency matrix, and no list of edges."""
    need("networkx")
    own_process.runs_as_under_python(GRAPHS, tmp_path)


def test_generators_are_numpys_by_isinstance(device):
    """SciPy and scikit-learn ask for NumPy's classes by isinstance; copies and pickles stay ours."""
    for make, kind in ((cuarray.random.default_rng, np.random.Generator),
                       (cuarray.random.RandomState, np.random.RandomState)):  # fmt: skip
        rng = make(7)
        for each in (rng, copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
            assert isinstance(each, kind) and type(each).__module__ == "cuarray.random"
            assert np.array_equal(each.normal(size=3).numpy(), getattr(np.random, make.__name__)(7).normal(size=3))

    class Derived(cuarray.random.Generator):
        pass

    derived = Derived(np.random.PCG64(1))
    assert derived.__class__ is Derived and isinstance(derived, cuarray.random.Generator)


GENERATORS = """
import numpy as np
from scipy import stats
from scipy.optimize import differential_evolution
rng = np.random.default_rng(0)
print(stats.norm.rvs(random_state=rng, size=3), stats.gamma(2.0).rvs(2, random_state=np.random.RandomState(3)))
print(stats.bootstrap((np.arange(10.0),), np.mean, rng=rng, n_resamples=50).standard_error)
print(stats.qmc.Sobol(2, rng=rng).random(4), rng.random(2), np.random.default_rng(rng) is rng)
print(differential_evolution(lambda v: float(((v - 1) ** 2).sum()), [(-2, 2)] * 2, rng=rng, maxiter=5).x)
"""


def test_scipy_draws_from_the_generators_of_programs(tmp_path):
    """By `random_state=`, and by `rng=`, which goes through numpy.random.default_rng and spawns bit generators."""
    need("scipy")
    own_process.runs_as_under_python(GENERATORS, tmp_path)
