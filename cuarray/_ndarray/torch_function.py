"""`__torch_function__`: PyTorch's functions called with arrays among their arguments.

PyTorch calls it for its functions, the methods and operators of its tensors, and `torch.nn.functional`. Arrays become
tensors over the same memory, and what the function returns is returned: tensors.
"""


def torch_function(cls, func, types, args=(), kwargs=None):
    """Call a function of PyTorch's with tensors in the place of arrays, also in lists, tuples and dicts."""
    pairs = []
    args = [with_tensors(value, cls, pairs) for value in args]
    kwargs = with_tensors(kwargs, cls, pairs) if kwargs else {}
    if not pairs:
        return NotImplemented
    result = func(*args, **kwargs)
    for array, tensor in pairs:
        if tensor._version:
            require_shared(array, tensor, getattr(func, "__name__", "torch"))
    return result


def with_tensors(value, cls, pairs):
    """Return a value with tensors in the place of arrays; `pairs` collects both."""
    kind = type(value)
    if kind is cls:
        tensor = value.torch()
        if tensor.is_inference():
            tensor = counting_writes(value)
        pairs.append((value, tensor))
        return tensor
    if kind is tuple or kind is list:
        return kind([with_tensors(part, cls, pairs) for part in value])
    if kind is dict:
        return {key: with_tensors(part, cls, pairs) for key, part in value.items()}
    return value


def counting_writes(array):
    """Return an array as a tensor that counts what is written to it; those made in inference mode do not."""
    import torch

    with torch.inference_mode(False):
        return array.torch()


def require_shared(array, tensor, name):
    """Raise if a function has written to a tensor that is not the array's memory."""
    if tuple(tensor.shape) != array.shape:
        raise ValueError(f"{name}: an output of shape {array.shape} for a result of shape {tuple(tensor.shape)}")
    if array.size and tensor.data_ptr() != array.data_ptr():
        reason = "has negative strides" if array.flags.writeable else "is read-only"
        raise ValueError(f"{name}: an output of PyTorch's that {reason}; write x.copy()")
