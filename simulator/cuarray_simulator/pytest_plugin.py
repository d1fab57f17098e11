"""pytest --cuarray-simulate: tests on simulated GPUs."""

import pytest

from cuarray_simulator.build import SimulatorError
from cuarray_simulator.start import end, start


def pytest_addoption(parser):
    group = parser.getgroup("cuarray-simulator", "simulated GPUs")
    group.addoption(
        "--cuarray-simulate", metavar="N", nargs="?", const=1, type=int, default=None,
        help="run the tests on N simulated GPUs (1)",
    )  # fmt: skip
    group.addoption("--cuarray-like", metavar="GPU", default="H100", help="T4, A100, L4, H100 or B200")
    group.addoption("--cuarray-memcheck", action="store_true", help="judge every access of every kernel")
    group.addoption("--cuarray-seed", metavar="S", type=int, default=0, help="decides the order of blocks and threads")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Start before any conftest.py imports a library that looks for GPUs."""
    options = early_config.known_args_namespace
    if options.cuarray_simulate is None:
        return
    try:
        start(
            count=options.cuarray_simulate,
            like=options.cuarray_like,
            memcheck=options.cuarray_memcheck,
            seed=options.cuarray_seed,
        )
    except SimulatorError as error:
        raise pytest.UsageError(f"--cuarray-simulate: {error}") from None


def findings():
    """Return the number of findings so far, after the work that is queued has run."""
    return end(quiet=True)


@pytest.fixture(autouse=True)
def cuarray_findings(request):
    """With --cuarray-memcheck: fail a test whose kernels did something wrong, also if its results are right."""
    if request.config.getoption("cuarray_simulate") is None or not request.config.getoption("cuarray_memcheck"):
        yield
        return
    before = findings()
    yield
    found = findings() - before
    if found:
        pytest.fail(f"{found} finding{'s' * (found > 1)} of memcheck; the captured stderr names them", pytrace=False)
