"""cuda.core: its kernels, streams and views on our arrays on simulated GPUs. Every access is checked."""

import peers

test_check = peers.test_of(
    __file__,
    "cuda.core",
    "nvidia.cu13.lib",
    command=peers.on_gpus,
    environment=peers.FOREIGN_KERNELS,
)

TEXT = """
template <class T> __global__ void affine(T* x, T factor, T shift, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + shift;
}
extern "C" __global__ void column_sums(const double* x, long long rows, long long columns, double* out) {
    const long long j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns) return;
    double sum = 0;
    for (long long i = 0; i < rows; ++i) sum += x[i * columns + j];
    out[j] = sum;
}
"""


def address(x):
    return x.__cuda_array_interface__["data"][0]


def compiled(names=()):
    program = Program(TEXT, "c++", options=ProgramOptions(arch="sm_90", fma=False))
    return program.compile("ptx", name_expressions=names)


def check_kernels():
    code = compiled(("affine<float>", "affine<double>"))
    stream = device.create_stream(cuarray.current_stream())
    for name, dtype, scalar in (("affine<float>", "float32", np.float32), ("affine<double>", "float64", np.float64)):
        x = cuarray.arange(1000, dtype=dtype) * 2
        config = LaunchConfig(grid=8, block=128)
        launch(stream, config, code.get_kernel(name), address(x), scalar(3), scalar(1), np.int32(1000))
        assert (x == cuarray.arange(1000, dtype=dtype) * 6 + 1).all()


def check_kernels_between_our_operations():
    """On a stream of cuda.core's own that is our current one, too."""
    kernel = compiled().get_kernel("column_sums")
    theirs = device.create_stream()
    with cuarray.Stream.from_external(theirs):
        x = cuarray.arange(600.0).reshape(30, 20) + 1
        out = cuarray.empty(20)
        launch(theirs, LaunchConfig(grid=1, block=32), kernel, address(x), np.int64(30), np.int64(20), address(out))
        assert (out + 1 == x.sum(axis=0) + 1).all()


def check_the_wrong_stream_is_a_race():
    """What the check above relies on: a kernel that does not wait for its argument is reported."""
    program = f"""
import cuarray, numpy as np
cuarray.set_default_device("cuda")
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
device = Device(0)
device.set_current()
kernel = Program({TEXT!r}, "c++", options=ProgramOptions(arch="sm_90")).compile("ptx").get_kernel("column_sums")
producer = cuarray.Stream()
with producer:
    x, out = cuarray.arange(600.0) + 1, cuarray.empty(20)
place = [a.__cuda_array_interface__["data"][0] for a in (x, out)]
stream = device.create_stream()
launch(stream, LaunchConfig(grid=1, block=32), kernel, place[0], np.int64(30), np.int64(20), place[1])
stream.sync()
cuarray.synchronize()
"""
    if not peers.is_simulated():
        return
    report = peers.report_of(program)
    assert "cudasim: kernel column_sums: " in report, report


def check_views():
    from cuda.core.utils import StridedMemoryView

    x = cuarray.arange(12.0).reshape(3, 4)
    view = StridedMemoryView.from_any_interface(x[:, ::2], stream_ptr=-1)
    assert (view.ptr, view.shape, view.strides) == (address(x), (3, 2), (4, 2)) and not view.readonly


if __name__ == "__main__":
    import numpy as np
    from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

    import cuarray

    cuarray.set_default_device("cuda")
    device = Device(0)
    device.set_current()
    peers.main(globals())
