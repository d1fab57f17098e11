"""Warp on cpu: its arrays over our memory, and its kernels, which its own compiler makes, on our arrays."""

import peers

test_check = peers.test_of(__file__, "warp")

NAMES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]


def address(x):
    return x.__array_interface__["data"][0]


def check_every_type_there_and_back():
    """With bool as bool, not as uint8 (warp #1619)."""
    for name in NAMES:
        x = cuarray.arange(2).astype(name)
        theirs = wp.from_dlpack(x)
        assert theirs.ptr == address(x) and theirs.numpy().tolist() == x.tolist()
        for read in (cuarray.asarray, cuarray.from_dlpack):
            back = read(theirs)
            assert back.dtype.name == name and address(back) == address(x)
    assert cuarray.asarray(wp.ones(2, dtype=wp.bool, device="cpu")).dtype == bool


def check_views():
    """Also at addresses that only the elements are aligned to (warp #550)."""
    x = cuarray.arange(12.0).reshape(3, 4)
    for view in (x.T, x[::2], x[:, 1:], x[1:2], x[:0]):
        theirs = wp.from_dlpack(view)
        assert theirs.numpy().tolist() == view.tolist() == cuarray.from_dlpack(theirs).tolist()
    vectors = wp.zeros(5, dtype=wp.vec3, device="cpu")
    cuarray.asarray(vectors)[...] = 2
    assert vectors.numpy().tolist() == [[2, 2, 2]] * 5


def check_memory_outlives_either_side():
    x = cuarray.ones(1000)
    theirs = wp.from_dlpack(x)
    del x
    assert theirs.numpy().sum() == 1000
    x = cuarray.asarray(theirs)
    del theirs
    assert x.sum() == 1000


def check_kernels():
    """Our arrays, and those that Warp makes of them."""

    @wp.kernel
    def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = y[i] + a * x[i]

    x = cuarray.arange(1000, dtype="float32")
    for pass_on in (wp.from_dlpack, lambda x: x):
        y = cuarray.ones(1000, dtype="float32")
        wp.launch(saxpy, dim=1000, inputs=[2.0, pass_on(x), pass_on(y)], device="cpu")
        assert (y == 1 + 2 * x).all()


if __name__ == "__main__":
    import tempfile

    import warp as wp

    import cuarray

    cuarray.set_default_device("cpu")
    wp.config.quiet = True
    with tempfile.TemporaryDirectory() as folder:
        wp.config.kernel_cache_dir = folder
        wp.init()
        peers.main(globals())
