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


def check_graphs_of_captured_launches():
    """Two branches that join, and a child graph."""
    kernel = compiled(("affine<double>",)).get_kernel("affine<double>")
    config = LaunchConfig(grid=8, block=128)
    x, y = cuarray.ones(1000), cuarray.ones(1000)

    def affine(where, array, factor, shift):
        launch(where, config, kernel, address(array), np.float64(factor), np.float64(shift), np.int32(1000))

    cuarray.synchronize()
    child = device.create_graph_builder().begin_building()
    affine(child, x, 1, 100)
    child.end_building()
    first = device.create_graph_builder().begin_building()
    affine(first, x, 2, 1)
    first, second = first.split(2)
    affine(first, x, 10, 0)
    affine(second, y, 5, 2)
    builder = GraphBuilder.join(first, second)
    builder.embed(child)
    affine(builder, y, 2, 0)
    graph = builder.end_building().complete()
    stream = device.create_stream()
    graph.upload(stream)
    for _ in range(2):
        graph.launch(stream)
    stream.sync()
    assert (x == ((1 * 2 + 1) * 10 + 100) * 20 + 110).all() and (y == (1 * 10 + 4) * 10 + 4).all()


def check_graphs_built_node_by_node():
    kernel = compiled(("affine<float>",)).get_kernel("affine<float>")
    x, y = cuarray.empty(1000, dtype="float32"), cuarray.zeros(1000, dtype="float32")
    cuarray.synchronize()
    definition = GraphDefinition()
    filled = definition.memset(address(x), np.uint32(0x3F800000), 1000)
    arguments = address(x), np.float32(3), np.float32(1), np.int32(1000)
    launched = filled.launch(LaunchConfig(grid=8, block=128), kernel, *arguments)
    called = []
    copied = launched.memcpy(address(y), address(x), 4000)
    copied.join(definition.empty()).callback(lambda: called.append(1))
    assert len(definition.nodes()) == 6 and (launched, copied) in definition.edges()
    graph, stream = definition.instantiate(), device.create_stream()
    graph.launch(stream)
    stream.sync()
    assert (y == 4).all() and called == [1]


def check_memory_of_the_host():
    """From pools of pinned and of managed memory."""
    stream = device.create_stream(cuarray.current_stream())
    x = cuarray.arange(1000.0)
    for resource in (PinnedMemoryResource(), ManagedMemoryResource()):
        memory = resource.allocate(8000, stream=stream)
        memory.copy_from(Buffer.from_handle(address(x), 8000), stream=stream)
        stream.sync()
        assert (np.from_dlpack(memory).view("float64") == np.arange(1000.0)).all()
        memory.close(stream)


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
    from cuda.core import (
        Buffer,
        Device,
        LaunchConfig,
        ManagedMemoryResource,
        PinnedMemoryResource,
        Program,
        ProgramOptions,
        launch,
    )
    from cuda.core.graph import GraphBuilder, GraphDefinition

    import cuarray

    cuarray.set_default_device("cuda")
    device = Device(0)
    device.set_current()
    peers.main(globals())
