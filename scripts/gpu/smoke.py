"""Whether there is a GPU, and a kernel compiles, loads and computes: the first part of gpu_check.sh."""

import json
import sys

import numpy as np
from results import attempt

import cuarray as ca


def device():
    known = json.loads(ca._core.describe("cuda:0"))
    nvrtc = known["nvrtc"]
    if "missing" in nvrtc:
        raise RuntimeError(nvrtc["missing"])
    chosen = f"NVRTC {nvrtc['version']} for {nvrtc['target']}"
    return f"{known['name']}, driver CUDA {known['driver_cuda_version']}, {chosen}"


def fused_kernel():
    a, b, c = (np.linspace(low, 3, 100_003, dtype=np.float32) for low in (-1, 0, 1))
    x, y, z = (ca.asarray(host, device="cuda:0") for host in (a, b, c))
    with ca.profile() as p, ca.fuse():
        result = x * y + ca.sin(z)
    np.testing.assert_allclose(result.numpy(), a.astype("f8") * b + np.sin(c.astype("f8")), rtol=1e-5, atol=1e-6)
    (launch,) = (event for event in p.events if event.kind == "launch")
    if "--cached" in sys.argv and launch.build != "disk":
        raise AssertionError(f"the kernel came from {launch.build}, not from the disk cache")
    return f"{launch.build} in {launch.build_seconds * 1e3:.2f} ms"


def reduction():
    a = np.random.default_rng(0).standard_normal((301, 1003))
    x = ca.asarray(a, device="cuda:0")
    for axis in (None, 0, 1):
        np.testing.assert_allclose(x.sum(axis=axis).numpy(), a.sum(axis=axis), rtol=1e-10, atol=1e-10)


for check in (device, fused_kernel, reduction):
    attempt(check.__name__, check)
