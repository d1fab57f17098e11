"""PyTorch built without CUDA, and arrays on simulated GPUs: nothing is moved silently, nothing leaks."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "torch", command=peers.on_gpus, environment=(("CUDASIM_REAL_NVRTC", "0"),))


def check_the_method_torch():
    if torch.version.cuda:
        return
    x = cuarray.arange(3.0)
    before = cuarray.memory.stats()["allocations"]
    for _ in range(3):
        error = error_of(x.torch)
        assert isinstance(error, BufferError) and "x.to_device('cpu').torch()" in str(error), error
    assert cuarray.memory.stats()["allocations"] == before
    assert x.to_device("cpu").torch().tolist() == [0, 1, 2]


def check_operators_move_nothing():
    x, t = cuarray.arange(3.0), torch.arange(3.0)
    for call in (lambda: x + t, lambda: x == t, lambda: x @ t, lambda: x.__iadd__(t)):
        error = error_of(call)
        assert isinstance(error, TypeError) and "write cuarray.asarray(y, device='cuda:0')" in str(error), error
    if not torch.version.cuda:  # PyTorch computes, and cannot take the memory
        for call in (lambda: t + x, lambda: t == x, lambda: t @ x, lambda: t.__iadd__(x), lambda: torch.sin(x)):
            error = error_of(call)
            assert isinstance(error, BufferError) and "write x.to_device('cpu').torch()" in str(error), error
    assert (x + cuarray.asarray(t, device="cuda:0")).tolist() == [0, 2, 4]
    assert cuarray.asarray(t).device == "cpu", "an import stays where the memory is"


if __name__ == "__main__":
    import torch

    import cuarray

    cuarray.set_default_device("cuda")
    peers.main(globals())
