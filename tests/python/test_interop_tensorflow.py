"""TensorFlow and cuarray's arrays: its tensors are immutable, and some abort when their memory is requested."""

import peers
from peers import error_of

test_check = peers.test_of(
    __file__, "tensorflow", environment=(("TF_CPP_MIN_LOG_LEVEL", "3"), ("CUDA_VISIBLE_DEVICES", ""))
)

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
         "complex64", "complex128"]  # fmt: skip


def check_every_type_comes_here():
    for name in NAMES:
        t = tf.cast(tf.constant([[0, 1, 2], [3, 4, 5]]), name)
        for x in (cuarray.asarray(t), cuarray.from_dlpack(t)):
            assert x.dtype.name == name and x.shape == (2, 3)
            assert x.astype("c16").tolist() == t.numpy().astype("c16").tolist()


def check_every_type_goes_there():
    for name in NAMES:
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        t = tf.experimental.dlpack.from_dlpack(x.__dlpack__())
        assert t.dtype.name == name and t.shape == (2, 3)
        assert t.numpy().astype("c16").tolist() == x.astype("c16").tolist()


def check_the_method_tf():
    """Also what TensorFlow rejects or misreads (tensorflow #51598, #92680)."""
    for name in NAMES:
        x = cuarray.arange(6).astype(name).reshape(2, 3)
        for view in (x, x.T, x[::-1], x[:0], x[1, 1, ...], x[1:]):  # the last one is not aligned to 64 bytes
            t = view.tf()
            assert t.dtype.name == name and t.shape == view.shape
            assert t.numpy().astype("c16").tolist() == view.astype("c16").tolist()


def check_copies_can_be_forbidden():
    x = cuarray.arange(64.0).reshape(8, 8)
    assert cuarray.asarray(x.tf(copy=False)).data_ptr() == x.data_ptr()
    for copied in (x.T, x.ravel()[1:]):
        assert "copy=False" in str(error_of(lambda copied=copied: copied.tf(copy=False), ValueError))
    private = x.tf(copy=True)
    x[...] = 9
    assert private.numpy().sum() == 2016


def check_tensors_beside_ours_are_their_memory():
    x, t = cuarray.arange(3.0), tf.constant([0.0, 1, 2], tf.float64)
    assert type(x + t) is cuarray.ndarray and (x + t).tolist() == [0, 2, 4]
    assert (x == t).all() and (x @ t) == 5


def check_tensors_are_not_changed():
    t = tf.constant([1.0, 2.0])
    for x in (cuarray.asarray(t), cuarray.from_dlpack(t)):
        for write in (
            lambda x: x.__setitem__(0, 99),
            lambda x: x.__iadd__(1),
            lambda x: cuarray.add(x, 1, out=x),
            lambda x: x.fill(0),
        ):
            assert isinstance(error_of(lambda x=x, write=write: write(x)), ValueError)
    x = cuarray.array(t)
    x[0] = 99
    assert t.numpy().tolist() == [1, 2]


def check_variables_are_copied():
    variable = tf.Variable([1.0, 2.0])
    x = cuarray.asarray(variable)
    x[0] = 99
    assert variable.numpy().tolist() == [1, 2] and x.tolist() == [99, 2]


def check_tensors_without_numbers():
    """TensorFlow aborts the process when the memory of these is requested."""
    dataset = tf.data.Dataset.range(3)
    tensors = [tf.constant("a"), tf.constant(["a", "b"]), tf.zeros((0,), tf.string), tf.Variable([1.0]).handle,
               tf.data.experimental.to_variant(dataset), tf.quantization.quantize([1.0, 2.0], 0.0, 2.0, tf.qint8).output]  # fmt: skip
    for t in tensors:
        for way in (
            cuarray.asarray,
            cuarray.from_dlpack,
            cuarray.array,
            lambda t: cuarray.add(t, 1),
            cuarray.sum,
        ):
            error = error_of(lambda t=t, way=way: way(t))
            assert isinstance(error, TypeError) and t.dtype.name in str(error), error


def check_tensors_that_are_several():
    for t in (tf.ragged.constant([[1], [1, 2]]), tf.sparse.from_dense([[1, 0]])):
        assert isinstance(error_of(lambda t=t: cuarray.asarray(t)), TypeError)


def check_shapes():
    for t in (tf.constant(2.0), tf.zeros((0, 3)), tf.ones((1, 1)), tf.transpose(tf.constant([[1.0, 2.0]]))):
        assert cuarray.asarray(t).tolist() == t.numpy().tolist()


def check_capsules_keep_the_memory():
    t = tf.constant([1.0, 2.0, 3.0])
    x = cuarray.asarray(t)
    del t
    assert x.sum().item() == 6
    y = cuarray.arange(3.0)
    t = tf.experimental.dlpack.from_dlpack(y.__dlpack__())
    del y
    assert t.numpy().tolist() == [0, 1, 2]


def check_computing_together():
    t = tf.linspace(0.0, 1.0, 100)
    assert cuarray.allclose(cuarray.sin(cuarray.asarray(t)), tf.sin(t).numpy(), atol=1e-6)
    assert tf.add(t, cuarray.ones(100, "f4")).numpy().tolist() == (t.numpy() + 1).tolist()


if __name__ == "__main__":
    import tensorflow as tf

    import cuarray

    cuarray.set_default_device("cpu")
    peers.main(globals())
