"""What `__torch_function__` (bindings/protocols/torch_function.cpp) asks where tensors over arrays are written.

PyTorch calls it for its functions, the methods and operators of its tensors, and `torch.nn.functional`. Arrays become
tensors over the same memory, and what the function returns is returned: tensors.
"""


def counting_writes(array):
    """Return an array as a tensor that counts what is written to it; those made in inference mode do not."""
    import torch

    with torch.inference_mode(False):
        return array.torch()


def require_shared(array, tensor, function):
    """Raise if a function has written to a tensor that is not the array's memory."""
    name = getattr(function, "__name__", "torch")
    if tuple(tensor.shape) != array.shape:
        raise ValueError(f"{name}: an output of shape {array.shape} for a result of shape {tuple(tensor.shape)}")
    if array.size and tensor.data_ptr() != array.data_ptr():
        reason = "has negative strides" if array.flags.writeable else "is read-only"
        raise ValueError(f"{name}: an output of PyTorch's that {reason}; write x.copy()")
