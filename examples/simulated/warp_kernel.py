"""A kernel of NVIDIA Warp on cuarray's arrays: balls that fall, and bounce off the ground.

python -m cuarray --simulate --memcheck examples/simulated/warp_kernel.py

Warp says on stderr that entry points are missing and that CUDA's runtime fails (error 500). This program needs neither:
the driver is asked for all that Warp may ever call. Warp's own arrays (wp.zeros) work as well.
"""

import warp as wp

import cuarray as ca


@wp.kernel
def step(height: wp.array(dtype=float), speed: wp.array(dtype=float), seconds: float):  # type: ignore[valid-type]
    i = wp.tid()
    speed[i] = speed[i] - 9.81 * seconds
    height[i] = height[i] + speed[i] * seconds
    if height[i] < 0.0:
        height[i] = -height[i]
        speed[i] = -0.8 * speed[i]


wp.init()
# Warp launches on a stream of its own. Without this line memcheck finds the race with our work on the same arrays.
wp.set_stream(wp.Stream("cuda:0", cuda_stream=ca.default_stream("cuda:0").handle))

height, speed = ca.linspace(1, 2, 1000, dtype="float32"), ca.zeros(1000, dtype="float32")
for _ in range(100):
    wp.launch(step, dim=height.size, inputs=[height, speed, 0.01], device="cuda:0")

assert (height >= 0).all() and float(height.max()) < 2
print(f"{height.size} balls are up to {float(height.max()):.2f} m high on {height.device}")
