"""h5py: datasets are written from arrays and read into them; masks must be NumPy's."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "h5py")


def new_file():
    return h5py.File("x.h5", "w", driver="core", backing_store=False)


def check_datasets_of_every_type_and_layout():
    base = cuarray.arange(24).reshape(4, 6)
    with new_file() as file:
        for name in set(_core.dtype_names()) - {"bfloat16"}:
            for k, view in enumerate((base, base.T, base[::-1, ::2], base[1], base[2, 3, ...], base.sum(), base[0, 0])):
                x = view.astype(name, order="K")
                made = file.create_dataset(f"{name}/{k}/made", data=x)
                assigned = file.create_dataset(f"{name}/{k}/assigned", shape=x.shape, dtype=x.dtype)
                assigned[...] = x
                file.attrs["x"] = x
                for seen in (made[()], assigned[()], file.attrs["x"]):
                    assert seen.dtype == x.dtype and np.array_equal(seen, x.numpy()), (name, view.shape)
                back = cuarray.asarray(made)
                assert type(back) is cuarray.ndarray and back.dtype == x.dtype and (back == x).all()


def check_bfloat16_is_stored_as_plain_bytes():
    x = cuarray.asarray([1, 2], dtype="bfloat16")
    with new_file() as file:
        file["x"] = x
        assert file["x"].dtype == "V2" and file["x"][...].tobytes() == x.tobytes()


def check_parts():
    x = cuarray.arange(24.0).reshape(4, 6)
    rows, chosen = cuarray.asarray([0, 2]), cuarray.asarray([True, False, True, False])
    with new_file() as file:
        d = file.create_dataset("d", (4, 6), "f8")
        d[1:3, 2:] = x[1:3, 2:]
        d[0] = x[0]
        d[3, 5] = x[3, 5]
        expected = np.zeros((4, 6))
        expected[1:3, 2:], expected[0], expected[3, 5] = x[1:3, 2:].numpy(), x[0].numpy(), 23
        assert np.array_equal(d[...], expected)
        # Positions, and a mask of one axis.
        for selection in (rows, chosen, (slice(None), rows), (chosen, 1), rows[1], (slice(rows[0], rows[1]), 2)):
            ours = selection if isinstance(selection, tuple) else (selection,)
            assert np.array_equal(
                d[selection], expected[tuple(np.asarray(k) if k is rows or k is chosen else k for k in ours)]
            )
        d[rows] = x[2:]
        expected[[0, 2]] = x[2:].numpy()
        assert np.array_equal(d[...], expected)


def check_masks_of_the_whole_dataset():
    x = cuarray.arange(24.0).reshape(4, 6)
    with new_file() as file:
        for name, values in (("line", x[0]), ("plane", x)):
            d = file.create_dataset(name, data=values)
            mask = values > 2
            assert np.array_equal(d[mask.numpy()], values.numpy()[mask.numpy()])
            d[mask.numpy()] = values[mask] * 2
            assert np.array_equal(d[...], np.where(mask.numpy(), values.numpy() * 2, values.numpy()))
            # h5py asks isinstance(mask, numpy.ndarray), and takes others for positions.
            assert isinstance(error_of(lambda d=d, mask=mask: d[mask]), TypeError)
            assert isinstance(error_of(lambda d=d, mask=mask: d.__setitem__(mask, 0)), TypeError)
            assert np.array_equal(d[...], np.where(mask.numpy(), values.numpy() * 2, values.numpy()))


def check_direct():
    x = cuarray.arange(6.0)
    with new_file() as file:
        d = file.create_dataset("d", data=x)
        y = cuarray.zeros(6)
        assert "expected numpy.ndarray" in str(error_of(lambda: d.read_direct(y), TypeError))
        assert "expected numpy.ndarray" in str(error_of(lambda: d.write_direct(y), TypeError))
        d.read_direct(y.numpy(copy=False))
        assert y.tolist() == x.tolist()
        d.write_direct((2 * x).numpy())
        assert d[...].tolist() == (2 * x).tolist()


def check_programs_under_cuarray_numpy():
    code = """
import cuarray.numpy as np, h5py
with h5py.File("x.h5", "w", driver="core", backing_store=False) as file:
    x = np.arange(6.0)
    file["d"] = x
    file["d"][x > 4] = x[:1]
    assert file["d"][x > 3].tolist() == [4, 0]
    y = np.zeros(6)
    file["d"].read_direct(y)
    assert y.tolist() == [0, 1, 2, 3, 4, 0]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


if __name__ == "__main__":
    import subprocess
    import sys

    import h5py
    import numpy as np

    import cuarray
    from cuarray import _core

    cuarray.set_default_device("cpu")
    peers.main(globals())
