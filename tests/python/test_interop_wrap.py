"""cuarray.interop.wrap: functions of one framework called with arrays of another, in every combination, with gradients."""

import sys
from pathlib import Path

import peers
import pytest

SOURCES = ("numpy", "cuarray", "torch", "jax", "tensorflow", "drjit")
MODULES = {"numpy": "numpy", "cuarray": "cuarray", "torch": "torch", "jax": "jax", "tensorflow": "tensorflow", "drjit": "drjit"}
ENVIRONMENT = (("JAX_PLATFORMS", "cpu"), ("TF_CPP_MIN_LOG_LEVEL", "3"), ("CUDA_VISIBLE_DEVICES", ""))


# One process per pair: frameworks in one process may clash (TensorFlow before Dr.Jit aborts at the end).
@pytest.mark.parametrize("target", SOURCES)
@pytest.mark.parametrize("source", SOURCES)
def test_pair(source, target):
    import importlib.util

    if source == target:
        return
    for module in (source, target):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    results = peers.outcomes(str(Path(__file__).with_name("wrap_pairs.py")), (), (*ENVIRONMENT, ("WRAP_PAIR", f"{source} {target}")))
    assert not any(results.values()), "\n".join(results.values())
