"""The CUDA backend on simulated GPUs: results, order, lifetimes, memory, processes and threads."""

import backend_program
import pytest

PROGRESS = ["lazy", "eager", "random"]
SCHEDULES = [(seed, mode) for seed, mode in enumerate(PROGRESS * 2)]


@pytest.mark.parametrize(("seed", "mode"), SCHEDULES)
@pytest.mark.parametrize("family", ["threads", "foreign", "faults", "memory", "fork"])
def test_family(program, family, seed, mode):
    # cuarray's free list would hide frees from the simulator.
    cache = "on" if seed < len(PROGRESS) else "off"
    backend_program.check([program, family], CUDASIM_SEED=seed, CUDASIM_PROGRESS=mode, CUARRAY_MEMORY_CACHE=cache)


@pytest.mark.parametrize(("seed", "mode"), SCHEDULES)
@pytest.mark.parametrize("family", ["elementwise", "reductions"])
def test_against_the_host(program, family, seed, mode, every):
    backend_program.check(
        [program, family, seed, 12 if every else 3],
        CUDASIM_SEED=seed,
        CUDASIM_PROGRESS=mode,
        CUDASIM_CHECK=int(seed < len(PROGRESS)),
        CUARRAY_MEMORY_CACHE="off",
    )


def test_long_reduction(program):
    backend_program.check([program, "long-reduction"], CUDASIM_SEED=1, CUDASIM_CHECK=1)


@pytest.mark.parametrize(("seed", "mode"), SCHEDULES)
def test_transfers(program, seed, mode):
    backend_program.check([program, "transfers", seed, 6], CUDASIM_SEED=seed, CUDASIM_PROGRESS=mode)


@pytest.mark.parametrize("family", ["memory", "transfers", "foreign", "threads"])
def test_without_memory_pools(program, family):
    backend_program.check([program, family, 1, 3], CUDASIM_SEED=1, CUDASIM_POOLS=0)


def test_driver_without_context_events(program):
    # Before 12.5 a published block can only be freed after synchronizing the whole device.
    backend_program.check([program, "foreign"], CUDASIM_SEED=1, CUDASIM_DRIVER=12040)


def test_every_operation_waited_for(program):
    backend_program.check([program, "reductions", 1, 5], CUDASIM_SEED=1, CUARRAY_SYNC=1)
