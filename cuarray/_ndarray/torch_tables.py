"""PyTorch's tables of classes: with ours in them, data loaders make batches of arrays, and `torch.load` reads them."""

import contextlib

from cuarray._core import ndarray
from cuarray._ndarray.byte_methods import rebuild


def register(torch):
    """Enter our class into PyTorch's tables, where it has them."""
    with contextlib.suppress(AttributeError):  # torch.load of versions without it reads all classes
        torch.serialization.add_safe_globals([rebuild, bytes])  # empty bytes are pickled by their class
    with contextlib.suppress(ImportError):
        from torch.utils.data._utils.collate import collate_tensor_fn, default_collate_fn_map

        def collate(batch, *, collate_fn_map=None):
            return collate_tensor_fn([x.torch() for x in batch], collate_fn_map=collate_fn_map)

        default_collate_fn_map.setdefault(ndarray, collate)
