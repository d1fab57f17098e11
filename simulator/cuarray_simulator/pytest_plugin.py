"""pytest --cuarray-simulate: tests on simulated GPUs."""

import pytest

from cuarray_simulator.build import SimulatorError
from cuarray_simulator.options import OPTIONS
from cuarray_simulator.start import findings, start, summary


def pytest_addoption(parser):
    group = parser.getgroup("cuarray-simulator", "simulated GPUs")
    group.addoption("--cuarray-simulate", action="store_true", help="run the tests on simulated GPUs")
    # A number of its own: behind --cuarray-simulate stands a path.
    group.addoption("--cuarray-count", metavar="N", type=int, default=1, help="the number of GPUs (1)")
    for name, option in OPTIONS.items():
        kinds = {bool: {"action": "store_true"}, list: {"action": "append", "metavar": option.metavar}}
        others = {"type": option.kind, "metavar": option.metavar}
        group.addoption(f"--cuarray-{name}", default=None, help=option.help, **kinds.get(option.kind, others))


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Start before any conftest.py imports a library that looks for GPUs."""
    options = early_config.known_args_namespace
    if not options.cuarray_simulate:
        return
    given = {name: getattr(options, f"cuarray_{name}") for name in OPTIONS}
    try:
        start(count=options.cuarray_count, **{name: value for name, value in given.items() if value is not None})
    except SimulatorError as error:
        raise pytest.UsageError(f"--cuarray-simulate: {error}") from None


def is_judged(config):
    return config.getoption("cuarray_simulate") and config.getoption("cuarray_memcheck")


def judge(item):
    """Fail a step of a test whose kernels did something wrong, also if its results are right."""
    if not is_judged(item.config):
        return (yield)
    before = findings()
    result = yield
    found = findings() - before
    if found:
        pytest.fail(f"memcheck: {found} finding{'s' * (found > 1)}; the captured stderr names them", pytrace=False)
    return result


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_setup(item):
    return (yield from judge(item))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item):
    return (yield from judge(item))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item):
    return (yield from judge(item))


def pytest_terminal_summary(terminalreporter, config):
    """Say how much was found, and what was not judged."""
    if is_judged(config):
        terminalreporter.write_line(summary())
