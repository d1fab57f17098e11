"""Interoperation with frameworks, each in its own process: interop.py torch | cupy | jax | numba_stand_in.

interop.py --seconds N runs all at the same time: the first import of a large framework may take half a minute.
"""

import ctypes
import importlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
from results import SIMULATED, run_all, tell, unavailable

import cuarray as ca

GPU = "cuda:0"


def sample():
    return ca.arange(12, dtype=ca.float32, device=GPU).reshape(3, 4) + 1


def expect(array, wanted):
    np.testing.assert_array_equal(np.asarray(array), wanted)


def torch_checks(torch):
    def to_torch():
        x = sample()
        tensor = torch.from_dlpack(x)
        assert tensor.is_cuda and tensor.data_ptr() == x.__cuda_array_interface__["data"][0], "a copy was made"
        tensor.add_(1)
        expect(x.numpy(), np.arange(12, dtype="f4").reshape(3, 4) + 2)

    def from_torch():
        tensor = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
        x = ca.from_dlpack(tensor)
        expect((x * 2).numpy(), tensor.cpu().numpy() * 2)

    def order_with_its_streams():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            tensor = torch.zeros(1 << 24, device="cuda")
            for _ in range(50):
                tensor += 1
            x = ca.from_dlpack(tensor)
        expect(x.max().numpy(), np.float32(50))

    def half_types():
        for name in ("float16", "bfloat16", "int8", "uint8", "bool"):
            tensor = torch.ones(5, dtype=getattr(torch, name), device="cuda")
            assert ca.from_dlpack(tensor).dtype.name == name

    def our_function_in_autograd():
        from cuarray.interop.torch import stream, wrap

        sine = wrap(ca.sin, backward=lambda inputs, output, grad: grad * ca.cos(inputs[0]))
        for current in (torch.cuda.current_stream(), torch.cuda.Stream()):
            with stream(current) as ours:
                assert ca.current_stream(GPU) == ours
                tensor = torch.linspace(0, 1, 1 << 20, device="cuda").requires_grad_()
                result = sine(tensor)
                result.sum().backward()
                assert torch.allclose(result, torch.sin(tensor)) and torch.allclose(tensor.grad, torch.cos(tensor))

    def its_allocator():
        from cuarray.interop import memory

        before = torch.cuda.memory_allocated()
        memory.use_torch(GPU)
        try:
            x = ca.ones(1 << 20, dtype="f4", device=GPU)
            assert torch.cuda.memory_allocated() >= before + x.nbytes and float(x.sum()) == 1 << 20
            del x
        finally:
            ca.memory.set_allocator(None, GPU)
        ca.synchronize()
        assert torch.cuda.memory_allocated() == before

    return [to_torch, from_torch, order_with_its_streams, half_types, our_function_in_autograd, its_allocator]


def cupy_checks(cupy):
    def to_cupy():
        x = sample()
        y = cupy.from_dlpack(x)
        z = cupy.asarray(x)
        assert y.data.ptr == z.data.ptr == x.__cuda_array_interface__["data"][0], "a copy was made"
        y += 1
        expect(x.numpy(), np.arange(12, dtype="f4").reshape(3, 4) + 2)

    def from_cupy():
        y = cupy.arange(12, dtype=cupy.float32).reshape(3, 4)
        expect((ca.from_dlpack(y) + ca.asarray(y)).numpy(), y.get() * 2)

    def its_kernel_on_our_array():
        x = sample()
        double = cupy.ElementwiseKernel("float32 a", "float32 b", "b = a * 2", "twice")
        out = ca.empty_like(x)
        double(cupy.asarray(x), cupy.asarray(out))
        expect(out.numpy(), x.numpy() * 2)

    def its_allocator():
        from cuarray.interop import memory

        pool = cupy.get_default_memory_pool()
        memory.use_cupy(GPU)
        try:
            x = ca.ones(1 << 20, dtype="f4", device=GPU)
            assert pool.used_bytes() >= x.nbytes and float(x.sum()) == 1 << 20
        finally:
            ca.memory.set_allocator(None, GPU)

    def our_allocator():
        from cuarray.interop import memory

        before = ca.memory.stats(GPU)["current"]
        memory.serve_cupy()
        try:
            y = cupy.ones(1 << 20, dtype="f4")
            assert ca.memory.stats(GPU)["current"] >= before + y.nbytes and float(y.sum()) == 1 << 20
        finally:
            cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)

    return [to_cupy, from_cupy, its_kernel_on_our_array, its_allocator, our_allocator]


def jax_checks(jax):
    if not any(device.platform == "gpu" for device in jax.devices()):
        raise ImportError("jax finds no GPU")

    def to_jax():
        x = sample()
        expect(jax.dlpack.from_dlpack(x), x.numpy())

    def from_jax():
        y = jax.numpy.arange(12, dtype="float32").reshape(3, 4)
        expect((ca.from_dlpack(y) * 3).numpy(), np.asarray(y) * 3)

    def our_function_inside_jit():
        from cuarray.interop.jax import call

        def sine(x, out):
            seen.append(x.__cuda_array_interface__["data"][0])
            ca.sin(x, out=out)

        seen = []
        f = call(sine, lambda x: x, vjp=lambda inputs, output, grad: grad * ca.cos(inputs[0]))
        x = jax.numpy.linspace(0, 1, 1 << 20)
        assert jax.numpy.allclose(jax.jit(f)(x), jax.numpy.sin(x), atol=1e-6)
        assert seen[0] == x.unsafe_buffer_pointer(), "a copy was made"
        grad = jax.jit(jax.grad(lambda x: (f(x * 2) * 3).sum()))(x)
        assert jax.numpy.allclose(grad, 6 * jax.numpy.cos(2 * x), atol=1e-5)

    return [to_jax, from_jax, our_function_inside_jit]


class Kernel(ctypes.Structure):
    """The attributes of an array that numba.cuda reads when it is passed to a kernel."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def stand_in_checks(_):
    # Numba itself is too large for the bundle: these are its steps for an array with the interface.
    def its_view():
        x = sample()
        interface = x.__cuda_array_interface__
        assert interface["version"] >= 3 and interface["shape"] == (3, 4) and interface["typestr"] == "<f4"
        assert interface["strides"] is None and not interface["data"][1]
        assert interface.get("stream") != 0, "0 is ambiguous; None means that nothing is to be waited for"
        view = Kernel(interface["data"][0], x.size)
        assert view.data and view.size == 12

    def its_array_comes_back():
        x = sample()

        interface = {**x.__cuda_array_interface__, "stream": 1}
        y = ca.asarray(type("Foreign", (), {"__cuda_array_interface__": interface})(), device=GPU)
        y += 1
        expect(x.numpy(), np.arange(12, dtype="f4").reshape(3, 4) + 2)

    return [its_view, its_array_comes_back]


FRAMEWORKS = {
    "torch": torch_checks,
    "cupy": cupy_checks,
    "jax": jax_checks,
    "numba_stand_in": stand_in_checks,
}


def run_all_frameworks(seconds):
    """Run the checks of each framework in a process; print their results, also of those that take too long."""
    end = time.monotonic() + seconds - min(8, seconds / 3)
    started = []
    for name in FRAMEWORKS:
        said = tempfile.TemporaryFile("w+")  # noqa: SIM115  (a pipe would stay open in children that hang)
        started.append((name, said, subprocess.Popen([sys.executable, __file__, name], stdout=said)))
    for name, said, process in started:
        trouble = wait(process, end)
        said.seek(0)
        print(said.read(), end="", flush=True)
        if trouble:
            tell(name, "FAILED", trouble)


def wait(process, end):
    """Return what went wrong, or "": a process that does not end is interrupted, then killed."""
    try:
        status = process.wait(max(end - time.monotonic(), 0.1))
        return f"status {status}" if status else ""
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return "took too long and was stopped"


def main():
    name = sys.argv[1]
    if name == "--seconds":
        return run_all_frameworks(float(sys.argv[2]))
    if name != "numba_stand_in" and SIMULATED:
        return unavailable(name, "needs a GPU, and this one is simulated")
    try:
        framework = None if name == "numba_stand_in" else importlib.import_module(name)
        checks = FRAMEWORKS[name](framework)
    except ImportError as error:
        return unavailable(name, str(error))
    if framework is not None:
        tell(name, "passed", f"version {framework.__version__}")
    for check in checks:
        check.__name__ = f"{name}: {check.__name__}"
    run_all(checks)
    # The exit status also checks the end of the process with live arrays of both libraries.
    globals().update(alive=[sample()])


main()
