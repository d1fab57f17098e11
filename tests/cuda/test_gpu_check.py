"""scripts/gpu_check.sh on a simulated GPU: parts report what they cannot check, and are independent."""

import json
import sys

import backend_program

SCRIPT = backend_program.ROOT / "scripts" / "gpu_check.sh"


def check(tmp_path, *parts, **settings):
    results = tmp_path / "results.json"
    settings = {"RESULTS": results, "PYTHON": sys.executable, "CUDASIM_SEED": 1, **settings}
    # The environment's own cache would be shared with other tests.
    command = ["env", "-u", "CUARRAY_CACHE_DIR", "bash", SCRIPT, *parts]
    done = backend_program.run(command, **settings)
    return done, json.loads(results.read_text("utf-8")) if results.exists() else None


def test_parts(tmp_path):
    done, found = check(tmp_path, "smoke", "sanitizer", "interop", "benchmarks")
    assert done.returncode == 0, done.stdout + done.stderr
    parts = found["parts"]
    assert {name: part["result"] for name, part in parts.items()} == {
        "smoke": "passed",
        "sanitizer": "unavailable",
        "interop": "passed",
        "benchmarks": "unavailable",
    }
    kernels = [row["detail"] for row in parts["smoke"]["rows"] if row["name"] == "fused_kernel"]
    assert kernels[0].startswith("compiled in") and kernels[1].startswith("disk in")
    assert "needs a GPU, and this one is simulated" in parts["sanitizer"]["rows"][0]["detail"]
    assert found["machine"]["simulated"] and found["machine"]["device"]["name"].startswith("Simulated GPU")
    assert "SIMULATED: nothing here was seen on a GPU" in done.stdout


def test_a_failure_loses_nothing(tmp_path):
    assert check(tmp_path, "sanitizer")[0].returncode == 0
    done, found = check(tmp_path, "smoke", "benchmarks", CUDASIM_FAIL="cuLaunchKernel:1:1")
    assert done.returncode == 1
    results = {name: part["result"] for name, part in found["parts"].items()}
    assert results == {"sanitizer": "unavailable", "smoke": "FAILED", "benchmarks": "unavailable"}
    failed = [row for row in found["parts"]["smoke"]["rows"] if row["result"] == "FAILED"]
    assert failed and "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE" in failed[0]["detail"]
    assert "FAIL smoke" in done.stdout


def test_unknown_part(tmp_path):
    done, found = check(tmp_path, "smok")
    assert done.returncode == 2 and "there is no part smok; there are smoke suite only_gpu" in done.stderr
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
