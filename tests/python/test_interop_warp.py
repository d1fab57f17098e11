"""Warp's kernels, compiled to PTX by Warp itself, on our arrays on simulated GPUs. Every access is checked.

Warp launches on a stream of its own and does not look at ours: the checks give it our current stream, as
docs/works_with.md says. Warp's own memory is CUDA's runtime's, which the simulated driver cannot serve: all arrays are ours.
"""

import peers

test_check = peers.test_of(
    __file__,
    "warp",
    command=peers.on_gpus,
    environment=peers.FOREIGN_KERNELS,
)


def check_arguments_of_kernels():
    @wp.kernel
    def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = y[i] + a * x[i]

    x, y = cuarray.arange(1000, dtype="float32"), cuarray.ones(1000, dtype="float32")
    wp.launch(saxpy, dim=1000, inputs=[2.0, x, y], device="cuda:0")
    assert (y == 1 + 2 * x).all()


def check_views_of_two_dimensions():
    @wp.kernel
    def transpose(x: wp.array2d(dtype=wp.float64), out: wp.array2d(dtype=wp.float64)):
        i, j = wp.tid()
        out[j, i] = wp.float64(2.0) * x[i, j]

    base = cuarray.arange(600.0).reshape(20, 30)
    for x in (base, base[::2, 3:], base.T):
        out = cuarray.zeros((40, 40))[: x.shape[1], : x.shape[0]]
        wp.launch(transpose, dim=x.shape, inputs=[x, out], device="cuda:0")
        assert (out == 2 * x.T).all()


def check_atomics():
    @wp.kernel
    def count(values: wp.array(dtype=int), bins: wp.array(dtype=int)):
        wp.atomic_add(bins, values[wp.tid()], 1)

    values, bins = cuarray.arange(1000, dtype="int32") % 7, cuarray.zeros(7, dtype="int32")
    wp.launch(count, dim=1000, inputs=[values, bins], device="cuda:0")
    assert (bins == cuarray.bincount(values)).all()


def check_arrays_in_both_directions():
    x = cuarray.arange(12.0).reshape(3, 4)
    theirs = wp.from_dlpack(x)
    assert theirs.ptr == x.__cuda_array_interface__["data"][0]
    back = cuarray.asarray(theirs)
    back[0, 0] = 7
    assert x[0, 0] == 7 and back.device == x.device
    y = cuarray.ones(3, device="cuda:1")
    assert cuarray.asarray(wp.from_dlpack(y)).device == y.device


def check_streams():
    @wp.kernel
    def increment(x: wp.array(dtype=wp.float64)):
        i = wp.tid()
        x[i] = x[i] + wp.float64(1.0)

    stream = wp.Stream("cuda:0")
    x = cuarray.zeros(1000)
    with cuarray.Stream.from_external(stream.cuda_stream), wp.ScopedStream(stream):
        for _ in range(4):
            x = x * 2
            wp.launch(increment, dim=1000, inputs=[x], device="cuda:0")
        assert (x == 15).all()


def check_a_stream_that_is_not_shared_is_a_race():
    """What the checks above rely on: the simulator reports kernels that do not wait for their arguments."""
    program = f"""
import cuarray, warp as wp
wp.config.quiet, wp.config.cuda_output, wp.config.kernel_cache_dir = True, "ptx", {wp.config.kernel_cache_dir!r}
@wp.kernel
def halve(x: wp.array(dtype=wp.float64)):
    x[wp.tid()] *= wp.float64(0.5)
x = cuarray.arange(1000.0, device="cuda") + 1
theirs = wp.from_dlpack(x)
x *= 2
wp.launch(halve, dim=1000, inputs=[theirs], device="cuda:0")
wp.synchronize()
"""
    report = peers.report_of(program)
    assert "race" in report, report


def check_gradients():
    """Warp's tape writes into our arrays."""

    @wp.kernel
    def cubes(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = x[i] * x[i] * x[i]

    x, gradient = cuarray.arange(10.0), cuarray.zeros(10)
    theirs = wp.from_dlpack(x)
    theirs.grad = wp.from_dlpack(gradient)
    out = wp.from_dlpack(cuarray.zeros(10))
    out.grad = wp.from_dlpack(cuarray.ones(10))
    with wp.Tape() as tape:
        wp.launch(cubes, dim=10, inputs=[theirs, out], device="cuda:0")
    tape.backward()
    assert gradient.tolist() == (3 * x * x).tolist()


if __name__ == "__main__":
    import tempfile

    import warp as wp

    import cuarray

    cuarray.set_default_device("cuda")
    wp.config.quiet = True
    wp.config.cuda_output = "ptx"  # the simulated driver runs PTX only
    with tempfile.TemporaryDirectory() as folder:
        wp.config.kernel_cache_dir = folder
        wp.init()
        for gpu in (d for d in cuarray.devices() if str(d) != "cpu"):
            wp.set_stream(wp.Stream(str(gpu), cuda_stream=cuarray.default_stream(gpu).handle), str(gpu))
        peers.main(globals())
