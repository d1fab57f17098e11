"""scripts/gpu_check.sh on a simulated GPU: parts report what they cannot check, and are independent."""

import json
import sys
from pathlib import Path

import backend_program
import pytest

pytestmark = pytest.mark.rest
SCRIPT = backend_program.ROOT / "scripts" / "gpu_check.sh"
PARTS = [
    "smoke", "driver_costs", "kernels", "host_time", "interop", "frameworks", "suite", "only_gpu", "counters", "benchmarks", "sanitizer",
]  # fmt: skip

# Found by every Python process: those whose command line has HANG's text never get to their program.
SITECUSTOMIZE = """
import os, signal, subprocess, time
words = open("/proc/self/cmdline").read().replace(chr(0), " ")
if os.environ["HANG"] in words and "record.py" not in words:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"])
    open(os.environ["HUNG"], "a").write(f"{child.pid} ")
    time.sleep(600)
"""


def check(folder, *parts, **settings):
    """Run parts with the results in a folder; return the process, and results.json."""
    settings = {"RESULTS": folder, "PYTHON": sys.executable, "CUDASIM_SEED": 1, **settings}
    # The environment's own cache would be shared with other tests.
    command = ["env", "-u", "CUARRAY_CACHE_DIR", "bash", SCRIPT, *parts]
    done = backend_program.run(command, **settings)
    results = folder / "results.json"
    return done, json.loads(results.read_text("utf-8")) if results.exists() else None


def results_of(found):
    return {name: part["result"] for name, part in found["parts"].items()}


@pytest.fixture
def hang(tmp_path):
    """Settings for processes that hang; none of them, nor of their children, is left at the end."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SITECUSTOMIZE)
    yield lambda text: {"PYTHONPATH": tmp_path / "site", "HANG": text, "HUNG": tmp_path / "hung"}
    children = (tmp_path / "hung").read_text().split()
    assert children and [pid for pid in children if is_alive(pid)] == []


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_parts(tmp_path):
    done, found = check(tmp_path, "smoke", "driver_costs", "kernels", "sanitizer", "interop", "benchmarks")
    assert done.returncode == 0, done.stdout + done.stderr
    parts = found["parts"]
    assert results_of(found) == {
        "smoke": "passed",
        "driver_costs": "passed",
        "kernels": "unavailable",
        "sanitizer": "unavailable",
        "interop": "passed",
        "benchmarks": "unavailable",
    }
    kernels = [row["detail"] for row in parts["smoke"]["rows"] if row["name"] == "fused_kernel"]
    assert kernels[0].startswith("compiled in") and kernels[1].startswith("disk in")
    assert "needs a GPU, and this one is simulated" in parts["sanitizer"]["rows"][0]["detail"]
    assert [row["name"] for row in parts["interop"]["rows"]][:3] == ["torch", "cupy", "jax"]
    assert found["machine"]["simulated"] and found["machine"]["device"]["name"].startswith("Simulated GPU")
    assert "SIMULATED: nothing here was seen on a GPU" in done.stdout and f"written to {tmp_path}" in done.stdout
    assert "its_view" in (tmp_path / "interop.out").read_text() and (tmp_path / "smoke.err").exists()


def test_a_failure_loses_nothing(tmp_path):
    assert check(tmp_path, "sanitizer")[0].returncode == 0
    done, found = check(tmp_path, "smoke", "benchmarks", CUDASIM_FAIL="cuLaunchKernel:1:1")
    assert done.returncode == 1
    assert results_of(found) == {"sanitizer": "unavailable", "smoke": "FAILED", "benchmarks": "unavailable"}
    failed = [row for row in found["parts"]["smoke"]["rows"] if row["result"] == "FAILED"]
    assert failed and "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE" in failed[0]["detail"]
    assert "FAIL smoke" in done.stdout


def test_every_part_may_hang(tmp_path, hang, every):
    parts = PARTS if every else PARTS[:2]
    done, found = check(tmp_path, *parts, LIMIT=2, **hang("scripts/gpu/"))
    assert done.returncode == 1
    assert results_of(found) == dict.fromkeys(parts, "FAILED"), done.stdout + done.stderr
    for name, part in found["parts"].items():
        assert part["status"] == 137 and part["seconds"] < 30, part
        assert {"name": name, "result": "FAILED", "detail": "took too long and was stopped"} in part["rows"]
    assert len((tmp_path / "hung").read_text().split()) == len(parts)


def test_a_second_process_of_a_part_hangs(tmp_path, hang):
    done, found = check(tmp_path, "smoke", "sanitizer", LIMIT=12, **hang("smoke.py --cached"))
    assert done.returncode == 1 and results_of(found) == {"smoke": "FAILED", "sanitizer": "unavailable"}
    assert [row["name"] for row in found["parts"]["smoke"]["rows"]] == ["device", "fused_kernel", "reduction", "smoke"]


def test_a_framework_hangs(tmp_path, hang):
    done, found = check(tmp_path, "interop", "sanitizer", LIMIT=12, **hang("interop.py cupy"))
    assert done.returncode == 1 and results_of(found) == {"interop": "FAILED", "sanitizer": "unavailable"}
    rows = {row["name"]: row["result"] for row in found["parts"]["interop"]["rows"]}
    assert rows["cupy"] == "FAILED" and rows["jax"] == "unavailable"
    assert rows["numba_stand_in: its_view"] == "passed", "those after it are not lost"


TESTS = """
import ctypes, os, signal, time
import pytest

@pytest.mark.parametrize("device", ["cuda:0", "cpu"])
@pytest.mark.parametrize("n", range(4))
def test_good(device, n): pass

@pytest.mark.parametrize("device", ["cuda:0"])
def test_bad(device): assert device == "cpu"

@pytest.mark.parametrize("device", ["cuda:0"])
def test_skipped(device): pytest.skip("one GPU is present")

@pytest.mark.parametrize("device", ["cuda:0"])
def test_last(device):
    time.sleep(2)
    {last}
"""


@pytest.fixture
def suite(tmp_path):
    """Run tests of which the last does something; return the process, the rows of the part, and the names of failed tests."""

    def run(last, **settings):
        (tmp_path / "test_some.py").write_text(TESTS.format(last=last))
        results = tmp_path / "results"
        done, found = check(results, "suite", "sanitizer", SUITE=f"{tmp_path}/test_some.py", **settings)
        assert found["parts"]["sanitizer"]["result"] == "unavailable", "the next part runs"
        rows = {row["name"].rpartition("/")[2]: row for row in found["parts"]["suite"]["rows"]}
        failed = [Path(line).name for line in (results / "suite.failed.txt").read_text().splitlines()]
        return done, rows, failed

    return run


def test_suite(suite):
    done, rows, failed = suite("pass")
    assert done.returncode == 1, done.stdout + done.stderr
    counts = {name: rows["tests"][name] for name in ("passed", "failed", "skipped", "unfinished")}
    assert counts == {"passed": 5, "failed": 1, "skipped": 1, "unfinished": 0}
    assert "1 failed, 5 passed, 1 skipped" in rows["tests"]["detail"]
    assert failed == ["test_some.py::test_bad[cuda:0]"] and rows[failed[0]]["result"] == "FAILED"
    assert rows[failed[0]]["detail"].endswith("AssertionError")


HANGS = ["time.sleep(600)", "signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)"]


@pytest.mark.parametrize("last", [pytest.param(HANGS[0], marks=pytest.mark.full), HANGS[1]])
def test_a_test_hangs(suite, last, every):
    done, rows, failed = suite(last, LIMIT=36 if every else 20)
    assert done.returncode == 1
    counts = {name: rows["tests"][name] for name in ("passed", "failed", "skipped", "unfinished")}
    assert counts == {"passed": 4, "failed": 1, "skipped": 1, "unfinished": 1}
    assert failed == ["test_some.py::test_bad[cuda:0]", "test_some.py::test_last[cuda:0]"]
    assert rows[failed[1]]["detail"] == "did not end" and "were stopped" in rows["time"]["detail"]


def test_a_test_takes_its_process_along(suite):
    _, rows, failed = suite("os.abort()")
    counts = {name: rows["tests"][name] for name in ("passed", "failed", "skipped", "unfinished")}
    assert counts == {"passed": 4, "failed": 2, "skipped": 1, "unfinished": 0}, rows
    assert sorted(failed) == ["test_some.py::test_bad[cuda:0]", "test_some.py::test_last[cuda:0]"]


def test_the_program_for_the_sanitizer(tmp_path):
    """Without a sanitizer, which there is only for GPUs: its kernels run, and compute what they should."""
    program = "import sys; sys.path.insert(0, 'scripts/gpu'); import sanitizer; exec(sanitizer.WORK)"
    done = backend_program.run(["env", "-C", backend_program.ROOT, sys.executable, "-c", program], CUDASIM_SEED=1)
    assert done.returncode == 0 and done.stdout == "done\n", done.stdout + done.stderr


def test_what_is_checked_on_any_gpu(tmp_path):
    done, found = check(tmp_path, "only_gpu")
    rows = {row["name"]: row["result"] for row in found["parts"]["only_gpu"]["rows"]}
    assert done.returncode == 0, done.stdout + done.stderr
    checked = {name for name, result in rows.items() if result == "passed"}
    assert {"illegal_access_is_explained", "fork_is_refused", "exit_with_live_arrays", "doctor"} <= checked


def test_unknown_part(tmp_path):
    done, found = check(tmp_path, "smok")
    assert done.returncode == 2 and "there is no part smok; there are smoke driver_costs kernels" in done.stderr
    assert found is None


def test_the_bundle_empties_no_folder_of_others(tmp_path):
    (tmp_path / "photo").write_text("mine")
    done = backend_program.run(["bash", SCRIPT.with_name("gpu_bundle.sh"), tmp_path])
    assert done.returncode == 1 and "is no bundle and not empty" in done.stderr
    assert (tmp_path / "photo").read_text() == "mine"


def test_help():
    for script in (SCRIPT, SCRIPT.with_name("gpu_bundle.sh")):
        done = backend_program.run(["bash", script, "--help"])
        assert done.returncode == 0 and done.stdout.startswith(f"{script.name} -- ")


def test_the_calls_that_are_timed(tmp_path):
    """At a small size: every call of the table runs, and its result has a share of a copy's pace."""
    program = [sys.executable, backend_program.ROOT / "scripts/gpu/kernels.py", "--side", "128"]
    done = backend_program.run(program, CUDASIM_SEED=1, CUARRAY_DEVICE="cuda:0")
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(rows) > 50 and {row["result"] for row in rows} == {"passed"}, done.stdout + done.stderr


COUNTERS = """==PROF== Connected
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","1","spacing_f4","smsp__inst_executed.sum","inst","7"
"1","1","add_f4","smsp__inst_executed.sum","inst","1,024"
"1","1","add_f4","launch__registers_per_thread","register/thread","32"
"2","1","spacing_f4","smsp__inst_executed.sum","inst","7"
"3","1","fold","smsp__inst_executed.sum","inst","5"
"4","1","fold","smsp__inst_executed.sum","inst","6"
"""


def test_counters_belong_to_the_call_before():
    program = f"import kernels; print(kernels.read_counters({COUNTERS.splitlines()!r}))"
    environment = ["env", "-C", backend_program.ROOT / "scripts/gpu", sys.executable, "-c", program]
    done = backend_program.run(environment, CUDASIM_SEED=1)
    assert done.returncode == 0, done.stderr
    first, second = eval(done.stdout)
    assert [kernel["smsp__inst_executed.sum"] for kernel in first] == [1024]
    assert first[0]["launch__registers_per_thread"] == 32
    assert [kernel["smsp__inst_executed.sum"] for kernel in second] == [5, 6]
