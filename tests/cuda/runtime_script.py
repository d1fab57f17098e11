"""A sample of everything that a Python program does on GPUs; `run()` names the wrong results.

failing_script.py runs it in a process where driver calls fail.
"""

import numpy as np

import cuarray as ca

N = 7_000


def elementwise(gpu, problems):
    x = ca.asarray(np.arange(N, dtype="f4"), device=gpu)
    y = ca.sqrt(x * 2 + 1)
    y[::3] = 0
    expected = np.sqrt(np.arange(N, dtype="f4") * 2 + 1)
    expected[::3] = 0
    if not np.array_equal(y.numpy(), expected):
        problems.append("elementwise")
    if not np.array_equal(ca.asarray(x.reshape(100, 70).T, copy=True).numpy(), x.numpy().reshape(100, 70).T):
        problems.append("transpose")


def reductions(gpu, problems):
    x = ca.ones((3, N), dtype="i1", device=gpu)  # reduced by several blocks
    if x.sum().item() != 3 * N or x.sum(axis=1).tolist() != [N] * 3:
        problems.append("reductions")


def faults(gpu, problems):
    x = ca.asarray([1, -1], dtype="i4", device=gpu)
    try:
        ca.synchronize(gpu)
        (2**x).numpy()
        problems.append("a negative power was not reported")
    except ValueError:
        pass


def transfers(gpu, other, problems):
    host = np.arange(3 * N, dtype="i4")
    x = ca.asarray(host, device=gpu)
    back = (x.to_device(other) + 1).to_device("cpu")
    host += 1
    if not np.array_equal(back.numpy(), host):
        problems.append("copies between devices")


def streams(gpu, problems):
    start, end = ca.Event(timing=True, device=gpu), ca.Event(timing=True, device=gpu)
    first, second = ca.Stream(device=gpu), ca.Stream(device=gpu, priority=-1)
    with first:
        start.record()
        x = ca.arange(N, dtype="f4", device=gpu) + 1
    second.wait(first)
    with second:
        y = x * 2
        end.record()
    del x  # while the second stream may still read it
    second.synchronize()
    first.synchronize()
    if not (first.query() and end.query()) or end.elapsed_ms(start) < 0:
        problems.append("events")
    if not np.array_equal(y.numpy(), (np.arange(N, dtype="f4") + 1) * 2):
        problems.append("streams")


def kinds(gpu, problems):
    pinned = ca.empty(N, dtype="i4", memory="pinned")
    pinned[...] = 3
    for memory in ("device", "direct", "managed"):
        x = ca.empty(N, dtype="i4", memory=memory, device=gpu)
        ca.copyto(x, pinned)
        x += 1
        back = ca.empty(N, dtype="i4", memory="pinned")
        ca.copyto(back, x)
        if back.tolist() != [4] * N:
            problems.append(f"memory={memory!r}")


def run():
    """Everything once; no memory is in use when it returns."""
    problems = []
    gpu, other = "cuda:0", "cuda:1"
    elementwise(gpu, problems)
    reductions(gpu, problems)
    transfers(gpu, other, problems)
    faults(gpu, problems)
    streams(gpu, problems)
    kinds(gpu, problems)
    ca.memory.trim(gpu)
    return problems
