"""Short runs of the fuzz engines, and tests that they find and shorten planted faults."""

import contextlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import arguments
import batches
import calls
import programs
from judge import Pair
from minimise import minimise

import cuarray

pytestmark = pytest.mark.rest

#: Cases of each engine: here, with --full, and of those the part on a simulated GPU, which compiles every kernel.
CASES = {"programs": (150, 4000), "calls": (60, 2000)}  # test_fuzz_protocols.py runs the third engine
ENGINES = [name for name in CASES if (HERE / f"{name}.py").exists()]
ON_GPU = 30


def run_engine(name, device, count, seed, *options):
    """Run an engine in its own process; return its exit status and output."""
    environment = {**os.environ, "PYTHONPATH": str(Path(cuarray.__file__).resolve().parents[1])}
    if "libasan" in environment.get("LD_PRELOAD", ""):
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":max_allocation_size_mb=1500"
    command = [sys.executable, str(HERE / f"{name}.py"), "--count", str(count), "--seed", str(seed), "--device", device,
               "--shorten-seconds", "5", *options]  # fmt: skip
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize("name", ENGINES)
def test_no_difference(name, device, full):
    count = CASES[name][full] // (1 if device == "cpu" else ON_GPU)
    status, said = run_engine(name, device, count, 20)
    assert status == 0, said


@pytest.mark.parametrize("jit", ["on", "avx2", "off"])
def test_no_difference_of_assignments(jit, full, monkeypatch):
    monkeypatch.setenv("CUARRAY_JIT", jit)
    status, said = run_engine("assignments", "cpu", 10_000 if full else 200, 20)
    assert status == 0, said


def find(engine, count, **options):
    """Return the findings of an engine in this process's children."""
    return batches.explore(engine, count=count, seed=5, quietly=True, shorten_seconds=2, **options)[0]


def kinds(findings):
    return {tuple(difference.kind) for difference, _ in findings}


@pytest.fixture
def few_statements(monkeypatch):
    """Programs of few operations: planted faults occur soon."""
    wanted = ["{new} = {fresh}", "{new} = {live}[{index}]", "{new} = xp.flip({a}, {axis})", "{live} += {b}"]
    monkeypatch.setattr(programs, "TEXTS", wanted)
    monkeypatch.setattr(programs, "WEIGHTS", [1] * len(wanted))


def test_wrong_values_are_found(monkeypatch, few_statements):
    right = cuarray.flip
    monkeypatch.setattr(
        cuarray, "flip", lambda a, axis=None: right(a, axis) if a.ndim < 2 else right(a, axis).copy() + 1
    )
    findings = find(programs, 40, enough=5)
    about = [
        statements
        for difference, statements in findings
        if "flip" in difference.kind[0] and difference.kind[1] == "value"
    ]
    assert about, kinds(findings)
    assert all(len(statements) <= 4 for statements in about), about


def test_copies_instead_of_views_are_found(monkeypatch, few_statements):
    right = cuarray.flip
    monkeypatch.setattr(cuarray, "flip", lambda a, axis=None: right(a, axis).copy())
    assert ("flip", "shares", True) in kinds(find(programs, 40, enough=5))


def test_wrong_values_of_fused_blocks_alone_are_found(monkeypatch):
    """Line by line such a program is right: the block as a whole shows it."""
    depth = []

    @contextlib.contextmanager
    def fuse():
        depth.append(1)
        yield
        depth.pop()

    right = cuarray.square
    monkeypatch.setattr(cuarray, "fuse", fuse)
    monkeypatch.setattr(cuarray, "square", lambda x: right(x) + len(depth))
    pair = Pair()
    pair.step("v0 = xp.array([3, 1, 2])")
    assert pair.step("v1 = xp.square(v0)") is None
    for line in ("v1 = xp.square(v0)", "v1 = xp.square(v0).tolist()"):
        assert pair.step(f"with fuse():\n    {line}"), line


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_a_line_may_do_the_next_lines_of_a_block_go_on_with():
    pair = Pair()
    pair.step("v0 = xp.array([1, 0])")
    pair.step("v1 = xp.array([0.0])")
    blocks = ["v2 = xp.reciprocal(v0)\n    v2 = v2.sum()", "v2 = v1 / v1 // 1\n    v2 = (v2 + 1e300).astype('i8').tolist()",
              "v2 = 1 / v1 // 1\n    v2 = v2.item()"]  # fmt: skip
    for block in blocks:
        assert pair.step(f"with fuse():\n    {block}") is None, block


@pytest.fixture
def calls_of():
    """A function that returns the kinds of findings of calls of some forms alone."""
    lists = [arguments.ALL, arguments.METHODS, arguments.FORMS]
    before = [list(names) for names in lists]

    def calls_of(*forms, count=20):
        for names, chosen in zip(lists, ([], [], forms), strict=True):
            names[:] = chosen
        return kinds(find(calls, count))

    yield calls_of
    for names, saved in zip(lists, before, strict=True):
        names[:] = saved


def test_other_kinds_of_results_are_found(monkeypatch, calls_of):
    """A value among several results that is an array."""
    right = cuarray.average

    def average(*given, **options):
        result = right(*given, **options)
        return (result[0], cuarray.array(result[1])) if isinstance(result, tuple) else result

    monkeypatch.setattr(cuarray, "average", average)
    assert ("average", "no value") in calls_of("xp.average(x0, returned=True)")


def test_ignored_keywords_are_found(monkeypatch, calls_of):
    right = cuarray.concatenate
    monkeypatch.setattr(cuarray, "concatenate", lambda x, axis=0, dtype=None, **_: right(x, axis=axis))
    assert ("concatenate", "dtype") in {kind[:2] for kind in calls_of("xp.concatenate([x0, x1], dtype={dtype})")}


@pytest.mark.skipif(batches.IS_INSTRUMENTED, reason="sanitizers reserve terabytes: memory cannot be limited")
def test_sequences_without_an_end_are_found(monkeypatch, calls_of):
    """They are read until the process's memory ends."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() >> 20
    monkeypatch.setattr(batches.limit_memory, "__defaults__", (size + 400,))  # quickly full
    monkeypatch.setattr(cuarray, "flip", lambda x, axis: len(list(axis)))
    assert ("flip", "endless") in calls_of("xp.flip(x0, axis=endless())", count=1)


def test_crashes_are_found(monkeypatch, few_statements):
    monkeypatch.setattr(cuarray, "flip", lambda a, axis=None: os.abort())
    findings = find(programs, 20, enough=1)
    assert {kind[1:] for kind in kinds(findings) if "flip" in kind[0]} == {("crash", "SIGABRT")}
    assert all(len(statements) <= 2 for _, statements in findings)


def test_hangs_are_found(monkeypatch, few_statements):
    monkeypatch.setattr(batches, "PATIENCE", 0.3)
    monkeypatch.setattr(cuarray, "flip", lambda a, axis=None: burn())
    assert ("flip", "hang") in {kind[:2] for kind in kinds(find(programs, 3, enough=1))}


def burn():
    end = time.process_time() + 20
    while time.process_time() < end:
        pass


def test_messages_about_internals_are_found(monkeypatch):
    monkeypatch.setattr(calls, "ALL", ["tile"])
    monkeypatch.setattr(calls, "FORMS", ["xp.tile({array}, {int})"])
    monkeypatch.setattr(cuarray, "tile", lambda A, reps: A.missing)
    found = kinds(find(calls, 3, enough=2))
    assert any(kind[0] == "tile" and kind[-1] != "ValueError" for kind in found), found


def test_changed_arguments_are_found(monkeypatch):
    def change_and_raise(A, reps):
        A[...] = 5
        raise ValueError("tile: no")

    def raise_alone(A, reps):
        raise ValueError("tile: no")

    monkeypatch.setattr(calls, "ALL", ["tile"])
    monkeypatch.setattr(calls, "FORMS", ["xp.tile(x0, {int})"])
    monkeypatch.setattr(cuarray, "tile", change_and_raise)
    monkeypatch.setattr("numpy.tile", raise_alone)
    assert any(kind[0] == "tile raising" and kind[1] == "value" for kind in kinds(find(calls, 10, enough=3)))


def test_short_programs_still_fail():
    """Of ten statements two are needed, and only parts of them."""
    statements = [f"v{k} = xp.array([{k}, 2, 3], dtype='i4')" for k in range(9)] + [
        "w = xp.take(v3, [1, 2, 0], axis=0)"
    ]

    def fails(candidate):
        text = "\n".join(candidate)
        return "v3 = " in text and "take(v3" in text

    assert minimise(statements, fails) == ["v3 = []", "xp.take(v3)"]


def test_every_function_takes_part():
    missing = (
        {name for name in cuarray.__all__ if callable(getattr(cuarray, name))}
        - set(calls.ALL)
        - set(arguments.LEFT_OUT)
    )
    types = {name for name in missing if isinstance(getattr(cuarray, name), type)}
    assert not missing - types, missing - types
    assert all(calls.parameters(name) is not None for name in calls.ALL)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_seeds_repeat():
    def texts():
        import random

        found = []
        for _ in programs.case(random.Random("7/3"), "cpu", lambda statements: found.append(statements[-1])):
            pass
        return found

    assert texts() == texts()
