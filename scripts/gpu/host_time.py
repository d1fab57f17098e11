"""The time that calls on small arrays take on the host, beside CuPy, torch and JAX: a part of gpu_check.sh.

The GPU is not waited for within a round, except by calls that read a value.
"""

import importlib
import os
import time

import numpy as np
from results import SIMULATED, tell, unavailable

GPU = "cuda:0"
ROUNDS, ROUND_CALLS = 9, 300

# x, y, o: 1000 float32; A, B: 32 x 32; I: three positions; W: a mask. Torch's words after a bar, where they differ; JAX
# takes NumPy's words, eager.
CALLS = """
x + y
x * 2.0
x > 0.5
xp.sin(x)
xp.add(x, y, out=o)
x[3:9]
x[::2] + 1.0
x[3] = 1.5
x[W]
x[I]
A.T + A
xp.where(W, x, y)
x.sum()
x.mean()
A.sum(axis=0) | A.sum(dim=0)
x.argmax()
xp.cumsum(x, 0)
xp.sort(x)
xp.concatenate((x, y)) | xp.cat((x, y))
xp.stack((x, y))
A @ B
xp.zeros(1000) | xp.zeros(1000, device='cuda')
x.reshape(10, 100)
x.copy() | x.clone()
x.astype('f8') | x.double()
(x * 2.0 + y) / (x + 1.0) - y
float(x[3])
float(x.sum())
""".strip().split("\n")


def libraries():
    """Yield (name, module, how to make an array, how to wait) of each that is installed and finds the GPU."""
    os.environ.setdefault("CUARRAY_FUSE", "off")  # each call launches
    import cuarray as ca

    yield "cuarray", ca, lambda host: ca.asarray(host, device=GPU), lambda: ca.synchronize(GPU)
    try:
        cupy = importlib.import_module("cupy")
        yield "cupy", cupy, cupy.asarray, cupy.cuda.get_current_stream().synchronize
    except Exception as error:
        unavailable("cupy", f"{type(error).__name__}: {error}")
    try:
        torch = importlib.import_module("torch")
        yield "torch", torch, lambda host: torch.from_numpy(np.asarray(host)).cuda(), torch.cuda.synchronize
    except Exception as error:
        unavailable("torch", f"{type(error).__name__}: {error}")
    try:
        jax = importlib.import_module("jax")
        one = jax.numpy.ones(1)
        yield "jax", jax.numpy, jax.numpy.asarray, lambda: jax.block_until_ready(one + 1)
    except Exception as error:
        unavailable("jax", f"{type(error).__name__}: {error}")


def seconds(text, names, wait):
    """Return the best time of a call within rounds of calls that do not wait."""
    code = compile(f"for _ in range(n): {text}", text, "exec")
    exec(code, names | {"n": 20})
    wait()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        exec(code, names | {"n": ROUND_CALLS})
        best = min(best, (time.perf_counter() - start) / ROUND_CALLS)
        wait()
    return best


def main():
    if SIMULATED:
        return unavailable("host_time", "needs a GPU, and this one is simulated")
    rng = np.random.default_rng(0)
    x, y = (rng.random(1000, dtype=np.float32) for _ in range(2))
    A, B = (rng.random((32, 32), dtype=np.float32) for _ in range(2))
    hosts = {"x": x, "y": y, "o": x, "A": A, "B": B, "I": np.array([1, 5, 7]), "W": x > 0.5}
    times = {text: {} for text in CALLS}
    for name, module, array, wait in libraries():
        names = {"xp": module} | {key: array(host) for key, host in hosts.items()}
        for row in CALLS:
            words, _, torchs = row.partition(" | ")
            try:
                times[row][name] = seconds(torchs if torchs and name == "torch" else words, names, wait)
            except Exception as error:
                kind = f"{type(error).__name__}: {error}".partition("\n")[0]
                if name == "cuarray":
                    tell(words, "FAILED", kind)
                times[row][name] = kind[:80]
    for row, found in times.items():
        shown = [f"{name} {t * 1e6:.2f}" if isinstance(t, float) else f"{name} -" for name, t in found.items()]
        tell(row.partition(" | ")[0], "passed", "us: " + ", ".join(shown), seconds=found)


main()
