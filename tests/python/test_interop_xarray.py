"""xarray's DataArrays that wrap cuarray's arrays: results of NumPy's, on cpu and on a GPU."""

import peers

test_check = peers.test_of(__file__, "xarray")
test_with_gpus = peers.test_of(__file__, "xarray", command=peers.on_gpus)

#: Calls whose results wrap arrays of ours.
CALLS = [
    "d.isel(a=[0])", "d.isel(a=np.array([1, 0]), c=[1, 2])", "d.isel(a=[True, False])", "d.sel(a=20)", "d.sel(a=[20, 10], b='y')", "d.mean('a')", "d.var()",
    "d.std(('a', 'b'))", "d.sum('c')", "d.where(d > 3)", "d.where(d > 3, 0)", "d.groupby('a').mean()", "d.coarsen(c=2).mean()", "d.rolling(c=2).mean()",
    "xr.concat([d, d], 'a')", "d.transpose('c', 'a', 'b')", "d.stack(z=('a', 'b')).unstack()", "d.shift(c=1)", "d.roll(c=1)", "d.diff('c')", "d.cumsum('c')",
    "d.dot(d)", "d.quantile(0.5, 'c')", "d.median('a')", "d.argmax('c')", "d.clip(2, 5)", "d.where(d > 3).fillna(0)", "d.isnull()", "d.astype('f4')",
    "(d + 1) * 2 / d.mean() - d**2", "d.to_dataset(name='q').mean().q", "xr.apply_ufunc(np.sin, d)", "xr.broadcast(d, d.isel(a=0))[1]",
    "d.sortby('a', ascending=False)", "d.pad(c=1)", "d.expand_dims('q')", "d.reindex(a=[20, 30])", "d.weighted(xr.ones_like(d)).mean()", "np.sin(d)",
    "xr.corr(d, d * 2)", "d.copy()", "xr.zeros_like(d)", "d[d.a > 10]", "d.loc[dict(a=10)]", "d.assign_coords(c=range(4)).integrate('c')",
    "d.drop_sel(a=10)", "d.where(d > 3).dropna('a')", "d.count('a')", "d.prod('a')", "(d > 3).any('a')", "d[0, 1, 2]", "d.min('b')",
]  # fmt: skip


def wrapped(data):
    return xr.DataArray(data, dims=("a", "b", "c"), coords={"a": [10, 20], "b": ["x", "y", "z"]})


def check_calls():
    wrong = []
    numbers = np.arange(24.0).reshape(2, 3, 4)
    for device in devices:
        ca.set_default_device(device)
        for call in CALLS:
            names = {"np": np, "xr": xr}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                want = eval(call, {**names, "d": wrapped(numbers)})
                try:
                    got = eval(call, {**names, "d": wrapped(ca.asarray(numbers, device=device))})
                    assert isinstance(got.data, ca.ndarray) and str(got.data.device) == device, type(got.data)
                    np.testing.assert_allclose(got.data.numpy(), want.data)
                    assert got.dims == want.dims and got.coords.equals(want.coords)
                except Exception as error:
                    wrong.append(f"{call} on {device}: {type(error).__name__} {error}"[:300])
    assert not wrong, "\n".join(wrong)


def check_values():
    """An explicit request for a copy, as x.numpy() is."""
    for device in devices:
        x = ca.arange(6.0, device=device).reshape(2, 3)
        d = xr.DataArray(x, dims=("t", "p"))
        for values in (d.values, d.to_numpy(), d.as_numpy().data, d.T.values.T, d.astype("f4").values):
            assert type(values) is np.ndarray and values.tolist() == [[0, 1, 2], [3, 4, 5]]
        assert (
            float(d.mean()) == 2.5
            and int(d.sum()) == 15
            and bool((d >= 0).all())
            and complex(d.max()) == 5
            and d.sum().item() == 15
        )
        assert (
            [float(row.sum()) for row in d] == [3, 12]
            and len(d) == 2
            and "4." in repr(d)
            and "DataArray" in d._repr_html_()
        )
        assert d.equals(d.copy()) and not d.equals(d + 1) and d.identical(d)


def check_other_conversions_are_refused():
    for device in devices[1:]:
        x = ca.arange(3.0, device=device)

        def _as_array_or_item(data):
            return np.asarray(data)

        for call in (lambda: np.asarray(x), lambda: np.array(x, copy=True), lambda: _as_array_or_item(x)):
            try:
                call()
            except TypeError as error:
                assert "x.numpy()" in str(error)
            else:
                raise AssertionError("a hidden copy")


if __name__ == "__main__":
    import warnings

    import numpy as np
    import xarray as xr

    import cuarray as ca

    devices = ["cpu", *[str(device) for device in ca.devices() if device != ca.device("cpu")][:1]]
    peers.main(globals())
