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
    import numpy as np
    import zarr

    import cuarray
    from cuarray import _core

    cuarray.set_default_device("cpu")
    peers.main(globals())
