"""CUDA C++ compiled and launched by cuda.core, on cuarray's arrays: y = a * x + y.

python -m cuarray --simulate examples/simulated/saxpy.py
"""

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

import cuarray as ca

TEXT = """
extern "C" __global__ void saxpy(float a, const float* x, float* y, size_t n) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""

device = Device(0)
device.set_current()
options = ProgramOptions(arch=f"sm_{device.arch}", lineinfo=True)  # so that reports name lines of the text
kernel = Program(TEXT, "c++", options=options).compile("ptx").get_kernel("saxpy")

x = ca.arange(10_000, dtype="float32")
y = ca.ones_like(x)
stream = device.create_stream(ca.current_stream())
config = LaunchConfig(grid=(x.size + 255) // 256, block=256)
launch(stream, config, kernel, np.float32(2), x.data_ptr(), y.data_ptr(), np.uint64(x.size))

assert (y == 2 * x + 1).all()
print(f"saxpy of {x.size} elements on {y.device}")
