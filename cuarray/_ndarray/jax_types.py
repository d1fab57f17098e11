"""JAX's tables of argument types: with our class in them, its functions take arrays of ours.

JAX has no public place for it. Where its tables are not the ones that are known here, JAX refuses the arrays, in its
own words or in ours.
"""

import functools

from cuarray._core import ndarray, value_types

#: The first version of JAX that hands an argument to these tables as below.
OLDEST = (0, 6)


def register(jax):
    """Enter our classes into JAX's tables, where it has them."""
    types, ours = {}, (ndarray, *value_types)
    try:
        from jax._src import core, dtypes, tree_util
        from jax._src.interpreters import pxla

        types = core.pytype_aval_mappings
        handlers, shard, canonical, make = (
            pxla.shard_arg_handlers,
            pxla.shard_args,
            dtypes.canonicalize_dtype,
            core.ShapedArray,
        )
        if hasattr(dtypes, "register_canonicalize_value_handler"):
            handle = dtypes.register_canonicalize_value_handler
        else:
            handle = dtypes.canonicalize_value_handlers.__setitem__
        if jax.__version_info__ < OLDEST:
            raise AttributeError("other tables")
    except (ImportError, AttributeError):
        types.update(dict.fromkeys(ours, refused))
        return
    for kind in ours:
        types[kind] = lambda x: make(x.shape, canonical(x.dtype))
        handle(kind, ndarray.jax)
        handlers[kind] = lambda arrays, *how: shard(*how, [x.jax() for x in arrays])
        if hasattr(tree_util, "dispatch_registry"):
            # The trees of compiled dispatch alone. Without it, each call of a jitted function is a cache miss.
            tree_util.dispatch_registry.register_node(kind, ndarray._jax_parts, lambda _, leaves: leaves[0])
    take_indices()


def take_indices():
    """Let arrays of ours index JAX's, which knows indices by their class alone, where its function for it is known."""
    try:
        from jax._src.numpy import indexing

        parse = indexing._parse_indices
    except (ImportError, AttributeError):
        return  # JAX refuses them

    @functools.wraps(parse)
    def parse_ours(indices, *others, **named):
        return parse(tuple(x.jax() if isinstance(x, ndarray) else x for x in indices), *others, **named)

    indexing._parse_indices = parse_ours


def imported(x):
    """Return a C-contiguous array as a jax.Array, or None where this version of JAX's import is not known.

    As jax.dlpack.from_dlpack does, which takes 37 us where this takes 7.
    """
    make = host_import()
    return make(x) if make and x.device.kind == "cpu" else None


@functools.cache
def host_import():
    """Return jaxlib's import of memory of the host, which is private; None where it is not the one known here."""
    try:
        from jax._src import dtypes, xla_bridge
        from jax._src.lib import _jax, jaxlib_extension_version

        backend, canonical = xla_bridge.get_backend, dtypes.canonicalize_dtype
        adopt = _jax.dlpack_managed_tensor_to_buffer
        if jaxlib_extension_version < 467:
            return None
    except (ImportError, AttributeError):
        return None

    def host_array(x):
        dtype = canonical(x.dtype)
        x = x if dtype == x.dtype else x.astype(dtype)
        device, capsule = backend("cpu").device_from_local_hardware_id(0), x.__dlpack__()
        try:
            return adopt(capsule, device, None, None, 1)
        except TypeError:  # of a version with other parameters
            return None

    return host_array


def refused(x):
    """Raise an error that JAX passes on, unlike TypeError, in whose place it has words of its own."""
    raise ValueError(
        f"jax: this version of JAX does not take arrays of cuarray, here one of shape {x.shape}; write x.jax()"
    )
