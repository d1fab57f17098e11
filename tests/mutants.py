"""Plant a bug, rebuild, and see that the tests notice: a test that cannot fail proves nothing.

    python tests/mutants.py              all of them
    python tests/mutants.py --pick 3     three, chosen by the date
    python tests/mutants.py NAME...      these

Works on a copy of the tree (scripts/scratch_tree.py). A mutant's tests must pass before the bug is planted
and fail after.
"""

import argparse
import random
import sys
import time
from datetime import date
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import scratch_tree

# pytest's exit status for "some tests failed"; the others mean that nothing was tested.
TESTS_FAILED = 1


class Mutant(NamedTuple):
    """A bug: in `file` the text `old`, which occurs once, becomes `new`, and `tests` (for pytest) fail."""

    name: str
    file: str
    old: str
    new: str
    tests: str


MUTANTS = [
    Mutant(
        "broadcast-larger-extent",
        "src/core/layout.cpp",
        "else if (n != 1 && n != extent) {",
        "else if (n != 1 && n < extent) {",
        "tests/python/test_errors.py",
    ),
    Mutant(
        "overlap-only-of-equal-starts",
        "src/core/layout.cpp",
        "target - item_a + 1, target + item_b - 1, budget",
        "target, target, budget",
        "tests/test_cpp.py -k layout",
    ),
    Mutant(
        "infinity-of-the-wrong-sign",
        "src/ops/choose_call.cpp",
        "w.big > 0 ? __builtin_inf() : -__builtin_inf()",
        "w.big < 0 ? __builtin_inf() : -__builtin_inf()",
        "tests/python/test_types.py -k python_int",
    ),
    Mutant(
        "weak-float-beside-integers",
        "src/ops/choose_call.cpp",
        "return rank >= int(weak);",
        "return rank > int(weak);",
        "tests/python/test_types.py tests/python/test_ndarray.py",
    ),
    Mutant(
        "negative-slice-step-off-by-one",
        "src/ops/indexing.cpp",
        "count = (start - stop - 1) / -step + 1;",
        "count = (start - stop) / -step + 1;",
        "tests/python/test_indexing.py",
    ),
    Mutant(
        "index-equal-to-size",
        "src/ops/indexing.cpp",
        "entry.value >= n)",
        "entry.value > n)",
        "tests/python/test_indexing.py",
    ),
    Mutant(
        "writes-before-pending-reads",
        "src/array/creation.cpp",
        "    before_write(to.storage());",
        "    if (to.is_read_only()) before_write(to.storage());",
        "tests/python/test_fuse.py",
    ),
    Mutant(
        "equal-memory-of-another-layout",
        "src/array/pending.cpp",
        """ ||
                !(v.strides == source.strides)) continue;""",
        ") continue;",
        "tests/python/test_fuse.py",
    ),
    Mutant(
        "initial-counted-twice",
        "src/host/fold.cpp",
        "            row = 1;",
        "            row = 0;",
        "tests/python/test_ufuncs.py -k reduce",
    ),
    Mutant(
        "fuse-forgets-to-end",
        "cuarray/_fuse.py",
        """            finally:
                _core.end_deferral()""",
        """            finally:
                pass""",
        "tests/python/test_fuse.py",
    ),
    Mutant(
        "damaged-cache-files-are-used",
        "src/cuda/cache.cpp",
        "read_all(file, payload.data(), payload.size()) && hash_of(payload) == header.checksum",
        "read_all(file, payload.data(), payload.size())",
        "tests/cuda/test_cuda_cache.py",
    ),
    Mutant(
        "published-memory-without-order",
        "src/cuda/backend.cpp",
        "    stream_.hold(handle_of(stream));\n",
        "",
        "tests/cuda/test_cuda_backend.py -k foreign",
    ),
    Mutant(
        "dropped-block-used-anew-too-early",
        "src/cuda/memory.cpp",
        "            stream_.wait_for_context();\n",
        "",
        "tests/cuda/test_cuda_backend.py -k foreign",
    ),
    Mutant(
        "pinned-chunk-reused-in-flight",
        "src/cuda/pinned.cpp",
        "        drain(arrived);\n",
        "",
        "tests/cuda/test_cuda_backend.py -k transfers",
    ),
    Mutant(
        "mask-of-unaligned-output",
        "src/cuda/elementwise.cpp",
        "task.expr->mask != kNoValue;",
        "false;",
        "tests/cuda/test_cuda_backend.py -k elementwise",
    ),
    Mutant(
        "counters-not-zeroed",
        "src/cuda/reduce.cpp",
        "if (launch.counters > 0) {",
        "if (launch.counters < 0) {",
        "tests/cuda/test_cuda_backend.py -k reductions",
    ),
]


def run_tests(tests: str, *, must_pass: bool = False) -> int:
    """Run pytest on the scratch tree and return its exit status; a crash is negative."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests.split()]
    run = scratch_tree.run(command, capture_output=True, text=True)
    if must_pass and run.returncode != 0:
        print((run.stdout + run.stderr)[-2000:])
    return run.returncode


def plant(mutant: Mutant) -> str:
    """Plant one bug, rebuild, test, mend it; return what is wrong with the tests, or an empty string."""
    file = scratch_tree.SCRATCH / mutant.file
    text = file.read_text("utf-8")
    if text.count(mutant.old) != 1:
        return f"{mutant.file} holds the old text {text.count(mutant.old)} times instead of once"
    try:
        file.write_text(text.replace(mutant.old, mutant.new), "utf-8")
        scratch_tree.build()
        status = run_tests(mutant.tests)
    except scratch_tree.BuildError as error:
        return f"the mutant does not compile:\n{error}"
    finally:
        file.write_text(text, "utf-8")
    if status == 0:
        return f"survived: pytest {mutant.tests} passes with the bug"
    if status > TESTS_FAILED:
        return f"pytest {mutant.tests} ended with status {status}: nothing was tested"
    return ""


def choose(names: list[str], pick: int | None) -> list[Mutant]:
    """The mutants of these names, or `pick` of all, the same ones for the whole day."""
    if names:
        known = {mutant.name: mutant for mutant in MUTANTS}
        return [known[name] for name in names]
    if pick is None:
        return MUTANTS
    return random.Random(date.today().toordinal()).sample(MUTANTS, min(pick, len(MUTANTS)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pick", type=int)
    options = parser.parse_args()
    if not MUTANTS:
        sys.exit("mutants: the table is empty")

    mutants = choose(options.names, options.pick)
    scratch_tree.refresh()
    scratch_tree.build()
    commands = dict.fromkeys(mutant.tests for mutant in mutants)
    broken = [tests for tests in commands if run_tests(tests, must_pass=True) != 0]
    if broken:
        sys.exit("mutants: these fail without any bug planted: " + "; ".join(broken))

    survivors = 0
    for mutant in mutants:
        start = time.monotonic()
        fault = plant(mutant)
        survivors += bool(fault)
        print(f"{mutant.name:32} {time.monotonic() - start:5.0f} s  {fault or 'noticed'}", flush=True)
    scratch_tree.build()
    print(f"{len(mutants)} bugs planted, {len(mutants) - survivors} noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
