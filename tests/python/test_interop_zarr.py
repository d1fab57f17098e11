"""zarr's arrays, assigned ours."""

import peers

test_check = peers.test_of(__file__, "zarr")


def check_assignments_of_every_type_and_layout():
    """Whole chunks too, which zarr compares with its fill value by views of plain bytes."""
    base = cuarray.arange(24).reshape(4, 6)
    for name in set(_core.dtype_names()) - {"bfloat16"}:
        for view in (base, base.T, base[::-1, ::2], base * 0, base[1], base[2, 3, ...], base.sum(), base[0, 0]):
            x = view.astype(name, order="K")
            for chunks in {x.shape, tuple(max(n // 2, 1) for n in x.shape)}:
                z = zarr.create_array({}, shape=x.shape, dtype=x.dtype, chunks=chunks)
                z[...] = x
                assert np.array_equal(z[...], x.numpy()), (name, view.shape, chunks)


def check_arrays_made_of_ours():
    """zarr.array(x) takes shape and type from ours; what is saved is read again."""
    base = cuarray.arange(24.0).reshape(4, 6)
    for x in (base, base.T, base[::-1, ::2], base[1], base[1, ::-2], base.astype("f2"), base > 3, base[1].astype("c8")):
        z = zarr.array(x)
        assert z.shape == x.shape and z.dtype == x.dtype and np.array_equal(z[...], x.numpy())
        back = cuarray.asarray(z)
        assert type(back) is cuarray.ndarray and back.dtype == x.dtype and (back == x).all()
        with tempfile.TemporaryDirectory() as folder:
            zarr.save(f"{folder}/x.zarr", x)
            assert np.array_equal(zarr.load(f"{folder}/x.zarr"), x.numpy())


def check_selections():
    x = cuarray.arange(24.0).reshape(4, 6)
    z, host = zarr.array(x), x.numpy()
    rows, columns = cuarray.asarray([0, 2]), cuarray.asarray([1, 3])
    assert np.array_equal(z[x > 20], host[host > 20])
    assert np.array_equal(z.oindex[rows], host[[0, 2]])
    assert np.array_equal(z.vindex[rows, columns], host[[0, 2], [1, 3]])
    z[x > 20] = x[0, :3]
    host[host > 20] = host[0, :3]
    assert np.array_equal(z[...], host)


def check_parts():
    x = cuarray.arange(24.0).reshape(4, 6)
    z = zarr.create_array({}, shape=(4, 6), dtype="f8", chunks=(2, 3))
    z[1:3, 2:] = x[1:3, 2:]
    z[0] = x[0]
    z[3, 5] = x[3, 5]
    expected = np.zeros((4, 6))
    expected[1:3, 2:], expected[0], expected[3, 5] = x[1:3, 2:].numpy(), x[0].numpy(), 23
    assert np.array_equal(z[:], expected)


if __name__ == "__main__":
    import tempfile

    import numpy as np
    import zarr

    import cuarray
    from cuarray import _core

    cuarray.set_default_device("cpu")
    peers.main(globals())
