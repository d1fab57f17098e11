"""Arrays on GPUs that TensorFlow does not have: an error, where TensorFlow would free their memory twice."""

import peers
from peers import error_of

test_check = peers.test_of(
    __file__,
    "tensorflow",
    command=peers.on_gpus,
    environment=(("TF_CPP_MIN_LOG_LEVEL", "3"), ("CUDASIM_REAL_NVRTC", "0")),
)


def check_the_method_tf_names_the_device():
    x = cuarray.arange(3.0, device="cuda:0")
    for _ in range(3):
        error = error_of(x.tf, ValueError)
        assert "cuda:0" in str(error) and "TensorFlow has 0 GPUs" in str(error), error
    assert x.tolist() == [0, 1, 2] and x.to_device("cpu").tf().numpy().tolist() == [0, 1, 2]


if __name__ == "__main__":
    import tensorflow  # noqa: F401

    import cuarray

    peers.main(globals())
