"""Dask arrays with chunks of cuarray's: results of NumPy's chunks, on cpu and on GPUs, and on workers."""

import contextlib

import peers

test_check = peers.test_of(__file__, "dask", "distributed")
test_with_gpus = peers.test_of(__file__, "dask", "distributed", command=peers.on_gpus)

#: Calls on a Dask array x of shape (40, 30) in chunks of (10, 15): y has one column of chunks, v is a column.
CALLS = [
    "x.sum()", "x.mean(axis=0)", "x.std()", "x.var(axis=1)", "x.max()", "x.argmax(axis=0)", "x.argmin()", "x.prod(axis=0)", "(x > 0.5).any(axis=0)",
    "(x > 0.5).all()", "da.nansum(x)", "da.nanmean(x, axis=0)", "da.nanmax(x)", "da.nanstd(x)", "da.nanvar(x, axis=0)", "da.median(x, axis=0)",
    "da.nanargmax(x, axis=0)", "x.cumsum(axis=0)", "da.cumprod(x, axis=1)", "da.cumsum(x, axis=0, method='blelloch')", "x + x * 2 - 1", "da.sin(x)",
    "np.sin(x)", "da.where(x > 0.5, x, 0)", "x.clip(0.2, 0.5)", "x.round(2)", "x.T", "x.reshape(-1)", "x.reshape(4, 10, 30)", "da.concatenate([x, x])",
    "da.stack([x, x])", "da.block([[x, x]])", "x[3:20:2, ::-1]", "x[[1, 5, 30]]", "x[np.array([1, 5, 30])]", "x[:, [2, 0]]", "x[x > 0.5]",
    "x.vindex[[1, 2], [3, 4]]", "x[2, 3]", "x[None]", "x[mask]", "x[x[:, 0] > 0.5]", "x[da.from_array(np.array([1, 2, 35]), chunks=2)]",
    "da.take(x, [1, 3], axis=0)", "x.rechunk((20, 30))", "x.dot(x.T)", "x @ x.T", "da.tensordot(x, x, axes=((0,), (0,)))", "da.einsum('ij,kj->ik', x, x)",
    "da.outer(x[0], x[1])", "da.vdot(x, x)", "abs(da.linalg.qr(y)[1])", "da.linalg.svd(y)[1]", "da.linalg.norm(x)", "da.percentile(v, [25, 50])",
    "da.percentile(v, 30, method='nearest')", "da.quantile(x, [0.25, 0.5], axis=0)", "da.nanquantile(x, 0.5, axis=0)", "da.histogram(x, bins=10, range=(0, 1))[0]",
    "da.histogram(x, bins=np.linspace(0, 1, 11))[0]", "da.digitize(x, np.array([0.3, 0.6]))", "da.searchsorted(s, x)",
    "da.unique((x * 10).astype(int))", "da.bincount((v * 10).astype(int), minlength=10)", "da.nonzero(x > 0.5)", "da.argwhere(x > 0.5)",
    "da.flatnonzero(x > 0.5)", "da.count_nonzero(x > 0.5)", "da.topk(x, 3, axis=0)", "da.argtopk(x, 3, axis=0)", "da.diff(x, axis=0)", "da.gradient(x)[0]",
    "da.roll(x, 3, axis=0)", "da.flip(x, 0)", "da.rot90(x)", "da.pad(x, 2, mode='constant')", "da.pad(x, 2, mode='reflect')", "da.pad(x, 1, mode='mean')",
    "da.tile(x, (2, 1))", "da.repeat(x, 2, axis=0)", "da.tril(x)", "da.triu(x)", "da.diag(x[0])", "da.diagonal(x)", "da.delete(x, 2, axis=0)",
    "da.append(x, x, axis=0)", "x.map_blocks(lambda b: b * 2)", "x.map_overlap(lambda b: b * 2, depth=1, boundary='reflect')",
    "da.map_overlap(lambda b: b + 1, x, depth=2, boundary='periodic')", "da.map_overlap(lambda b: b + 1, x, depth=2, boundary='none')",
    "da.map_overlap(lambda b: b[1:-1, 1:-1] + b[2:, 1:-1], x, depth=1, boundary=0, trim=False)",
    "da.lib.stride_tricks.sliding_window_view(x, (3,), axis=0).sum(axis=-1)", "da.fft.rfft(y, axis=1)", "da.fft.fftshift(x)",
    "da.apply_along_axis(lambda v: v.sum(), 0, x)", "da.apply_gufunc(lambda v: v.mean(axis=-1), '(i)->()', y)", "da.cov(x)", "da.corrcoef(x)",
    "da.average(x, axis=0)", "da.ptp(x, axis=0)", "da.isclose(x, x)", "da.choose((x > 0.5).astype(int), [x, x * 2])", "da.select([x > 0.5], [x], 0)",
    "x.astype('f4')", "da.zeros_like(x)", "da.full_like(x, 3)", "da.broadcast_to(x, (2, 40, 30))", "da.meshgrid(x[0], x[1])[0]", "da.moment(x, 3)",
    "da.compress(mask, x, axis=0)", "da.frexp(x)[0]", "x.swapaxes(0, 1)", "da.nancumsum(x, axis=0)", "np.sum(x)", "np.concatenate([x, x])", "z + x", "x * z",
    "abs(x + 1j * x)", "x.mean(split_every=2)", "da.nanmedian(x, axis=0)", "x.shuffle([[1, 0], [2, 3]], axis=0)", "da.expand_dims(x, 0)", "x.copy()",
    "x.persist()", "x.blocks[1, 1]", "assigned(x)", "da.isin((x * 10).astype(int), xp.asarray([1, 2]))", "da.insert(x, 2, x[0], axis=0)",
    "da.linalg.cholesky(q, lower=True)", "da.linalg.cholesky(q)", "da.linalg.solve(q, q[:, :3], assume_a='pos')", "da.linalg.solve_triangular(da.tril(q), q[:, 0], lower=True)",
    "da.linalg.solve_triangular(da.triu(q), q)", "da.linalg.lstsq(y, x[:, 0])[0]",
    "da.reduction(x, lambda b, axis, keepdims: b.sum(axis=axis, keepdims=keepdims), lambda b, axis, keepdims: b.sum(axis=axis, keepdims=keepdims), dtype=float)",
]  # fmt: skip


def assigned(x):
    """A copy with slices, a mask and an array assigned."""
    x = x.copy()
    x[2:5] = 0
    x[:, 3] = x[:, 4]
    x[x > 0.9] = -1
    return x


@contextlib.contextmanager
def default(device):
    """Make it the default device of all threads, as Dask's threads need it."""
    former = ca.default_device()
    ca.set_default_device(device)
    try:
        yield
    finally:
        ca.set_default_device(former)


def dask_array(data, chunks, device):
    """A Dask array with chunks of NumPy's (device None) or of ours."""
    return da.from_array(data if device is None else ca.asarray(data, device=device), chunks=chunks, asarray=False)


def result_of(call, device):
    """Evaluate a call, and compute."""
    data = np.random.default_rng(0).random((40, 30))
    names = {
        "x": dask_array(data, (10, 15), device), "y": dask_array(data, (10, 30), device), "v": dask_array(data[:, 0], 10, device),
        "q": dask_array(data.T @ data + 30 * np.eye(30), (10, 10), device),
        "s": dask_array(np.sort(data[:, 0]), 10, device), "z": data if device is None else ca.asarray(data, device=device),
        "mask": data[:, 0] > 0.5, "xp": np if device is None else ca, "np": np, "da": da, "assigned": assigned,
    }  # fmt: skip
    result = eval(call, names)
    result = result if isinstance(result, tuple) else (result,)
    return dask.compute(*result, scheduler="threads")


def check_calls():
    wrong = []
    for device in devices:
        backend = {} if device == "cpu" else {"array.backend": "cuarray"}
        for call in CALLS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                expected = result_of(call, None)
            try:
                with dask.config.set(backend), default(device):
                    for got, want in zip(result_of(call, device), expected, strict=True):
                        if device != "cpu" or call not in NUMPYS:
                            assert isinstance(got, ca.ndarray) and str(got.device) == device, type(got)
                        np.testing.assert_allclose(
                            got if isinstance(got, np.ndarray) else got.numpy(), want, 1e-9, 1e-12
                        )
            except Exception as error:
                wrong.append(f"{call} on {device}: {type(error).__name__} {error}"[:300])
    assert not wrong, "\n".join(wrong)


#: Calls that compute with positions of NumPy's, unless the backend is "cuarray".
NUMPYS = ("da.nonzero(x > 0.5)", "da.argwhere(x > 0.5)", "da.flatnonzero(x > 0.5)")


def check_arrays_register_themselves():
    code = """
import dask.array as da, cuarray as ca, sys
ca.set_default_device("cpu")
assert "dask" in sys.modules and "cuarray.interop.dask" not in sys.modules
x = da.from_array(ca.arange(10.0, device="cpu"), chunks=5)
assert "cuarray.interop.dask" in sys.modules and isinstance(x._meta, ca.ndarray)
assert isinstance(da.percentile(x, [50]).compute(), ca.ndarray)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def check_workers_register_what_they_unpickle():
    """A worker has not called da.from_array, which tells Dask in the client's process."""
    code = """
import sys, pickle, dask
x = pickle.loads(bytes.fromhex(sys.argv[1]))
import dask.array as da
from dask.array import dispatch
assert dispatch.numel_lookup(x) == 6 and dispatch.percentile_lookup(x.ravel(), [50], "linear")[1] == 6
"""
    text = pickle.dumps(ca.ones((2, 3), device="cpu")).hex()
    subprocess.run([sys.executable, "-c", code, text], check=True)
    if ca.default_device() != "cpu":  # Dask's percentile makes arrays on a worker's default device
        return
    with (
        distributed.LocalCluster(4, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        data = np.random.default_rng(2).random((40, 30))
        for call in (
            "x.std()",
            "x.var(axis=0)",
            "x.mean(axis=1)",
            "da.argwhere(x > 0.5)",
            "da.percentile(x[:, 0], [25, 50])",
        ):
            x = dask_array(data, (10, 15), "cpu")
            want = eval(call, {"da": da, "x": dask_array(data, (10, 15), None)}).compute(scheduler="sync")
            np.testing.assert_allclose(np.asarray(eval(call, {"da": da, "x": x}).compute()), want, 1e-12)


def check_backend():
    for device in devices:
        with dask.config.set({"array.backend": "cuarray"}), default(device):
            made = {
                "ones": da.ones((5, 4), chunks=2), "zeros": da.zeros((5, 4), chunks=2, dtype="f4"), "full": da.full((5, 4), 7, chunks=2),
                "empty": da.empty((5, 4), chunks=2), "arange": da.arange(3, 20, 2, chunks=4), "back": da.from_array(np.arange(6), 2).to_backend(),
            }  # fmt: skip
            for name, x in made.items():
                assert isinstance(x._meta, ca.ndarray), name
                y = x.compute(scheduler="sync")
                assert (
                    isinstance(y, ca.ndarray) and str(y.device) == device and y.dtype == x.dtype and y.shape == x.shape
                ), name
                if name in ("ones", "zeros", "full"):
                    assert (y.numpy() == getattr(np, name)((5, 4), *[7] * (name == "full"))).all()
            assert made["arange"].compute().tolist() == list(range(3, 20, 2)) and made["back"].compute().tolist() == [
                0,
                1,
                2,
                3,
                4,
                5,
            ]
            x = made["ones"].to_backend("numpy").compute(scheduler="sync")
            assert type(x) is np.ndarray and x.tolist() == [[1] * 4] * 5
            assert made["ones"].to_backend("cuarray") is made["ones"]


def check_random_numbers():
    """The same on every device and by every scheduler; by seed."""
    drawn = {}
    for device in devices:
        with dask.config.set({"array.backend": "cuarray"}), default(device):
            for scheduler in ("sync", "threads"):
                rng = da.random.default_rng(7)
                some = [
                    rng.normal(size=(50, 40), chunks=20), rng.integers(0, 10, size=30, chunks=7), rng.random(11, chunks=4),
                    rng.choice(9, size=20, chunks=6), da.random.RandomState(3).normal(2, 3, size=(9, 8), chunks=4), rng.poisson(3.5, size=9, chunks=2),
                ]  # fmt: skip
                for k, x in enumerate(some):
                    got = x.compute(scheduler=scheduler)
                    assert (
                        isinstance(got, ca.ndarray)
                        and str(got.device) == device
                        and got.shape == x.shape
                        and got.dtype == x.dtype
                    )
                    assert drawn.setdefault(k, got.numpy()).tobytes() == got.numpy().tobytes(), (k, device, scheduler)
    assert abs(drawn[0].mean()) < 0.1 and len(set(drawn[1].tolist())) > 5 and len(np.unique(drawn[0])) == 2000


def check_sizes():
    for device in devices:
        x = ca.zeros((1000, 1000), device=device)
        assert sizeof(x) == 8_000_000 and 8_000_000 <= sys.getsizeof(x) < 8_001_000
        view = x[::2]
        assert sizeof(view) == 4_000_000 and sys.getsizeof(view) < 1000, "NumPy's getsizeof counts what is owned"
        assert sizeof(ca.broadcast_to(x[:1], (1000, 1000))) == 8000
        assert sizeof(ca.zeros((0, 3), device=device)) == 0 and sys.getsizeof(x.sum()) < 300
        assert sizeof([x, view]) >= 12_000_000


def check_names():
    data = np.random.default_rng(1).random((6, 4))
    names = set()
    for device in devices:
        x = ca.asarray(data, device=device)
        names |= {
            tokenize(x),
            tokenize(x.copy()),
            tokenize(ca.asarray(data.T.copy(), device=device).T),
            tokenize(x[::-1][::-1]),
        }
        others = [x + 1, x.astype("f4"), x.reshape(4, 6), x.T, x.view("int64"), x[:5], ca.asarray(data, device=device).astype("bfloat16"),
                  ca.asarray(data, device=device).astype("bfloat16").view("uint16"), data]  # fmt: skip
        assert len({tokenize(other) for other in [x, *others]}) == 10
    assert len(names) == len(devices), "by elements, dtype, shape and device"
    again = "import numpy as np, cuarray as ca; from dask.tokenize import tokenize; print(tokenize(ca.asarray(np.arange(5.0), device='cpu')))"
    other = subprocess.run([sys.executable, "-c", again], check=True, capture_output=True, text=True).stdout.split()[-1]
    assert other == tokenize(ca.arange(5.0, device="cpu"))


def check_pickles_without_copies():
    for device in devices:
        for dtype in ("float64", "bfloat16", "bool"):
            x, buffers = ca.ones((300, 200), dtype, device=device), []
            text = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
            assert len(text) < 500 and len(buffers) == 1 and buffers[0].raw().nbytes == x.nbytes
            if device == "cpu":
                words = np.asarray(x.view("uint8"))
                assert np.frombuffer(buffers[0], np.uint8).ctypes.data == words.ctypes.data
                y = pickle.loads(text, buffers=[bytearray(buffers[0])])
                assert y.flags.writeable
            y = pickle.loads(text, buffers=buffers)
            assert y.dtype == x.dtype and str(y.device) == device and bool((y == x).all())


def check_schedulers():
    for device in devices:
        with default(device):
            x = dask_array(np.arange(200.0).reshape(20, 10), (5, 5), device)
            call = (x @ x.T + 1).sum(axis=0)
            expected = (np.arange(200.0).reshape(20, 10) @ np.arange(200.0).reshape(20, 10).T + 1).sum(axis=0)
            for scheduler in ("sync", "threads", "processes"):
                got = call.compute(scheduler=scheduler, num_workers=2)
                assert isinstance(got, ca.ndarray) and np.allclose(got.numpy(), expected), (scheduler, device)


def check_workers():
    """Two processes; with GPUs each has its own, and chunks from the other arrive on it."""
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        placed = interop.use_one_gpu_each(client) if len(devices) > 1 else {}
        if placed:
            assert sorted(placed.values()) == ["cuda:0", "cuda:1"]
        for device in devices:
            ca.set_default_device(device)
            data = np.random.default_rng(2).random((60, 40))
            x = dask_array(data, (15, 20), device)
            got = (x - x.mean(axis=0)).T.dot(x)
            np.testing.assert_allclose(got.compute().numpy(), (data - data.mean(axis=0)).T @ data, 1e-9)
            kept = x.persist()
            where = {
                str(y) for y in client.gather(client.map(lambda block: block.device, distributed.futures_of(kept)))
            }
            assert where == ({"cpu"} if device == "cpu" else {"cuda:0", "cuda:1"}), where
            np.testing.assert_allclose(
                kept.map_overlap(lambda b: b + 1, depth=1, boundary="none").sum().compute().item(),
                data.sum() + data.size,
            )
            np.testing.assert_allclose(
                abs(da.linalg.qr(x.rechunk((15, 40)))[1]).compute().numpy(), abs(np.linalg.qr(data)[1]), 1e-9
            )
            future = client.scatter(ca.arange(1000.0, device=device), broadcast=True)
            assert float(client.submit(lambda y: y.sum(), future).result()) == 499500
            assert sum(client.nbytes(summary=False).values()) >= x.nbytes, "workers measure what they keep"
        with dask.config.set({"array.backend": "cuarray"}):
            rng = da.random.default_rng(3)
            drawn = rng.normal(size=(40, 30), chunks=10)
            assert np.array_equal(drawn.compute().numpy(), drawn.compute(scheduler="sync").numpy())
            assert 40 < float(da.percentile(da.arange(100, chunks=10), 50).compute()) < 60


def check_workers_without_gpus_are_told():
    if len(devices) > 1:
        return
    with (
        distributed.LocalCluster(1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        try:
            interop.use_one_gpu_each(client)
        except RuntimeError as error:
            assert "no GPU" in str(error)
        else:
            raise AssertionError("there is none")


if __name__ == "__main__":
    import pickle
    import subprocess
    import sys
    import warnings

    import dask
    import dask.array as da
    import distributed
    import numpy as np
    from dask.sizeof import sizeof
    from dask.tokenize import tokenize

    import cuarray as ca
    from cuarray.interop import dask as interop

    devices = ["cpu", *[str(device) for device in ca.devices() if device != ca.device("cpu")][:1]]
    peers.main(globals())
