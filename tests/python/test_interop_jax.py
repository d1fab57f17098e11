"""JAX and cuarray: exchange of arrays in both directions, over shared memory."""

import peers
from peers import error_of

test_check = peers.test_of(
    __file__,
    "jax",
    environment=(
        ("JAX_PLATFORMS", "cpu"),
        ("JAX_ENABLE_X64", "1"),
        ("XLA_FLAGS", "--xla_force_host_platform_device_count=2"),
    ),
)

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
         "complex64", "complex128"]  # fmt: skip


def address(x):
    return x.__array_interface__["data"][0]


def check_every_type_goes_there():
    """With bool as bool, not as uint8 (jax #4719, #19352)."""
    for name in NAMES:
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        j = jnp.from_dlpack(x)
        assert j.dtype.name == name and j.shape == (2, 3)
        assert np.asarray(j).astype("c16").tolist() == x.astype("c16").tolist()


def check_the_memory_is_one():
    """JAX copies, without a word, what is less than 64-byte aligned (jax #29810, #29963)."""
    x = cuarray.ones(64, "f4")
    assert jnp.from_dlpack(x).unsafe_buffer_pointer() == address(x)
    j = jnp.arange(64.0)
    assert address(cuarray.from_dlpack(j)) == j.unsafe_buffer_pointer()


def check_every_type_comes_here():
    for name in NAMES:
        j = jnp.arange(6).astype(name).reshape(2, 3)
        x = cuarray.from_dlpack(j)
        assert x.dtype.name == name and x.astype("c16").tolist() == np.asarray(j).astype("c16").tolist()


def check_imported_arrays_are_read_only():
    x = cuarray.from_dlpack(jnp.arange(3.0))
    try:
        x[0] = 1
    except ValueError:
        return
    # JAX gives unversioned capsules, which have no read-only flag, so that writing is allowed.
    assert '"dltensor"' in repr(jnp.arange(3.0).__dlpack__())


def check_arrays_of_callbacks_are_what_they_say():
    """Their capsules have flags: inputs are read-only, outputs are writeable."""
    from jax.experimental.buffer_callback import buffer_callback

    seen = []

    def fill(context, out, x):
        result, source = cuarray.asarray(out), cuarray.from_dlpack(x)
        seen.append((result.flags.writeable, source.flags.writeable))
        cuarray.multiply(source, 2, out=result)

    like = jax.ShapeDtypeStruct((3,), jnp.float32)
    assert buffer_callback(fill, like)(jnp.arange(3, dtype=jnp.float32)).tolist() == [0, 2, 4]
    assert seen == [(True, False)]


def check_immutable_in_every_way():
    j = jnp.arange(3.0)
    for way in (cuarray.asarray, cuarray.from_dlpack):
        x = way(j)
        for write in (
            lambda x: x.__setitem__(0, 9),
            lambda x: x.__iadd__(1),
            lambda x: cuarray.add(x, 1, out=x),
            lambda x: x.sort(),
        ):
            try:
                write(x)
            except ValueError:
                continue
            raise AssertionError("an immutable array was written")
    x = cuarray.array(j)
    x[0] = 9
    assert j.tolist() == [0, 1, 2]


def check_asarray():
    assert jnp.asarray(cuarray.arange(3)).tolist() == [0, 1, 2]
    assert cuarray.asarray(jnp.arange(3)).tolist() == [0, 1, 2]


def check_computing_together():
    j = jnp.linspace(0, 1, 100)
    y = cuarray.sin(cuarray.from_dlpack(j))
    assert jnp.allclose(jnp.from_dlpack(y), jnp.sin(j))


def check_views():
    x = cuarray.arange(12.0).reshape(3, 4)
    for view in (x[1:], x[:0], x[0, ...]):
        assert jnp.from_dlpack(view).tolist() == view.tolist()


def check_operators_compare_or_raise():
    for axes in (1, 0):
        faults = faults_of_operators(lambda: jnp.asarray([1.0, 2, 3]), axes)
        assert not faults, "\n".join(faults)


def check_the_method_jax():
    """JAX rejects strided and broadcast capsules, so that it gets copies (jax #7657, #8082)."""
    for name in NAMES:
        x = cuarray.arange(64).astype(name)
        for j in (x.jax(), jnp.asarray(x)):
            assert j.dtype.name == name and np.asarray(j).astype("c16").tolist() == x.astype("c16").tolist()
            assert name == "bfloat16" or j.unsafe_buffer_pointer() == address(x)
    x = cuarray.arange(12.0).reshape(3, 4)
    for view in (x.T, x[1:, ::2], x[:0], x[::-1], x[1, 1, ...], cuarray.broadcast_to(x[0], (2, 4)), x.sum()):
        for j in (view.jax(), jnp.asarray(view)):
            assert j.shape == view.shape and j.tolist() == view.tolist()


def check_copies_can_be_forbidden():
    x = cuarray.arange(64.0).reshape(8, 8)
    constant = cuarray.ones(64)
    constant.flags.writeable = False
    assert x.jax(copy=False).unsafe_buffer_pointer() == address(x) and x[:0].jax(copy=False).shape == (0, 8)
    for copied in (x.T, x.ravel()[1:], constant):
        assert "copy=False" in str(error_of(lambda copied=copied: copied.jax(copy=False), ValueError))
    private = x.jax(copy=True)
    x[...] = 9
    assert private.sum() == 2016
    with jax.enable_x64(False):
        assert "float64" in str(error_of(lambda: x.jax(copy=False), ValueError))


def check_temporaries_live_on():
    """JAX reads the interface of an object, and lets the object go (jax #19233)."""
    made = [jnp.asarray(cuarray.full(1000, float(k))) for k in range(20)]
    others = [cuarray.full(1000, -1.0) for _ in range(20)]
    assert [j.tolist() for j in made] == [[float(k)] * 1000 for k in range(20)] and len(others) == 20


def check_arrays_of_jax_beside_ours():
    x, j = cuarray.arange(3.0), jnp.arange(3.0)
    assert type(x + j) is cuarray.ndarray and (x == j).all() and (x @ j) == 5
    assert type(j + x) is type(j) and (j == x).all(), "JAX goes first"
    x += j
    assert x.tolist() == [0, 2, 4] and x[j.astype(int)].tolist() == [0, 2, 4]
    assert jax.jit(lambda y: x + y)(j).tolist() == [0, 3, 6], "a constant of a traced function"


def check_arrays_without_one_memory():
    x, deleted = cuarray.arange(8.0), jnp.arange(8.0)
    deleted.delete()
    places = jax.sharding.NamedSharding(jax.sharding.Mesh(jax.devices(), ("i",)), jax.sharding.PartitionSpec("i"))
    sharded = jax.device_put(jnp.arange(8.0), places)
    for j, words in ((deleted, "deleted"), (sharded, "jax.device_put(y, jax.devices()[0])")):
        for call in (
            lambda j=j: cuarray.asarray(j),
            lambda j=j: cuarray.from_dlpack(j),
            lambda j=j: x + j,
            lambda j=j: x == j,
        ):
            error = error_of(call)
            assert isinstance(error, BufferError) and words in str(error), error
    assert (x == jax.device_put(sharded, jax.devices()[0])).all()


def check_functions_read_arrays():
    for faults in (
        faults_of_reading(lambda: jnp.asarray([1.0, 2, 3])),
        faults_of_mixing(lambda: jnp.asarray([1.0, 2, 3])),
    ):
        assert not faults, "\n".join(faults)


if __name__ == "__main__":
    import jax
    import jax.numpy as jnp
    import numpy as np
    from foreign import faults_of_mixing, faults_of_operators, faults_of_reading

    import cuarray

    cuarray.set_default_device("cpu")
    peers.main(globals())
