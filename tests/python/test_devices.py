"""Devices: names, the current and the default one, settings, and the doctor."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import cuarray
from cuarray._runtime import libraries
from cuarray._runtime.settings import SETTINGS, faults_of_settings, warn_of_settings
from cuarray._tools import doctor


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )


def test_names_of_devices():
    cpu = cuarray.device("cpu")
    assert cpu == "cpu" and cpu == cuarray.device(cpu) and str(cpu) == "cpu" and repr(cpu) == "device('cpu')"
    assert cpu != "cuda:0" and cpu != 3 and hash(cpu) == hash(cuarray.device("cpu"))
    assert cpu in {cpu} and {cpu: 1}[cuarray.device("cpu")] == 1
    for bad in ("gpu", "cuda:", "cuda:x", "cpu:1x", "", "CPU "):
        with pytest.raises(ValueError):
            cuarray.device(bad)


def test_list_of_devices():
    devices = cuarray.devices()
    assert isinstance(devices, tuple) and "cpu" in devices
    assert devices[0] == cuarray.default_device() or os.environ.get("CUARRAY_DEVICE")


def test_context(device):
    before = cuarray.zeros(1).device
    with cuarray.device("cpu") as d:
        assert d == "cpu" and cuarray.zeros(1).device == "cpu"
        with cuarray.device(device):
            assert cuarray.zeros(1).device == device
        assert cuarray.zeros(1).device == "cpu"
    assert cuarray.zeros(1).device == before
    with pytest.raises(ZeroDivisionError), cuarray.device("cpu"):
        raise ZeroDivisionError
    assert cuarray.zeros(1).device == before


def test_context_belongs_to_its_thread(device):
    seen = []
    with cuarray.device("cpu"):
        thread = threading.Thread(target=lambda: seen.append(cuarray.zeros(1).device))
        thread.start()
        thread.join()
    assert seen == [cuarray.default_device()]


def test_default_device(device):
    before = cuarray.default_device()
    try:
        cuarray.set_default_device(device)
        assert cuarray.default_device() == device
        with pytest.raises(ValueError):
            cuarray.set_default_device("cuda:99")
        assert cuarray.default_device() == device
    finally:
        cuarray.set_default_device(before)


def test_environment_chooses_the_device():
    assert python("import cuarray; print(cuarray.default_device())", CUARRAY_DEVICE="cpu").stdout.strip() == "cpu"
    run = python("import cuarray; cuarray.zeros(2)", CUARRAY_DEVICE="cuda:77")
    assert run.returncode != 0 and "cuda:77" in run.stderr and "ValueError" in run.stderr
    run = python("import cuarray; cuarray.zeros(2)", CUARRAY_DEVICE="banana")
    assert run.returncode != 0 and "banana" in run.stderr


def test_number_of_threads():
    assert python("import cuarray; print(cuarray.get_num_threads())", CUARRAY_NUM_THREADS="3").stdout.strip() == "3"
    before = cuarray.get_num_threads()
    try:
        cuarray.set_num_threads(2)
        assert cuarray.get_num_threads() == 2
        for bad in (0, -1, 10**6):
            with pytest.raises(ValueError):
                cuarray.set_num_threads(bad)
        assert cuarray.get_num_threads() == 2
    finally:
        cuarray.set_num_threads(before)


def test_every_instruction_set_level_starts():
    code = "import cuarray, json; from cuarray import _core; print(json.loads(_core.describe('cpu'))['level'], cuarray.sin(cuarray.ones(20)).sum())"
    highest = python(code).stdout.split()[0]
    for level in ("base", "v3", "v4"):
        run = python(code, CUARRAY_CPU_LEVEL=level)
        if not (Path(cuarray.__file__).parent / f"_host_{level}.so").exists():
            assert "built without" in run.stderr or "this processor has" in run.stderr
        elif level <= highest or level == "base":
            assert run.stdout.split()[0] == level, run.stderr
            assert float(run.stdout.split()[1]) == pytest.approx(20 * 0.8414709848078965)


def test_synchronize_and_memory(device):
    x = cuarray.ones(1000) + 1
    cuarray.synchronize()
    cuarray.synchronize(device)
    stats = cuarray.memory.stats(device)
    assert stats["peak"] >= stats["current"] >= x.nbytes
    cuarray.memory.trim(device)
    assert x.tolist() == [2] * 1000


def test_fork_keeps_working():
    code = """
import os, cuarray
with cuarray.device('cpu'):
    x = cuarray.ones(1_000_000) + 1
    child = os.fork()
    if child == 0:
        ok = (x * 2).sum().item() == 4_000_000
        os._exit(0 if ok else 1)
    assert (x * 2).sum().item() == 4_000_000
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    run = python(code, CUARRAY_NUM_THREADS="4", PYTHONWARNINGS="error")
    assert run.returncode == 0, run.stderr


# The doctor


def test_doctor_as_text():
    run = subprocess.run([sys.executable, "-m", "cuarray"], capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    for word in (f"cuarray {cuarray.__version__}", "cpu", "threads", "self-test", "passed in", "kernel cache", "level"):
        assert word in run.stdout
    assert max(map(len, run.stdout.splitlines())) < 200


def test_doctor_as_json():
    run = subprocess.run([sys.executable, "-m", "cuarray", "--json"], capture_output=True, text=True)
    known = json.loads(run.stdout)
    assert {d["device"] for d in known["devices"]} == set(map(str, cuarray.devices()))
    assert all(d["self_test"].startswith("passed") for d in known["devices"])
    assert "cuda" in known["missing"] or any(d["device"].startswith("cuda") for d in known["devices"])
    assert run.returncode == bool(known["faults"])


@pytest.mark.parametrize(
    "name, value", [("CUARRAY_NUM_THREADS", "abc"), ("CUARRAY_CPU_LEVEL", "v9"), ("CUARRAY_STREAM_FROM", "abc")]
)
def test_doctor_reports_settings_that_cannot_be_used(name, value):
    run = subprocess.run(
        [sys.executable, "-m", "cuarray"], capture_output=True, text=True, env={**os.environ, name: value}
    )
    assert run.returncode == 1 and run.stderr == ""
    assert f"unset {name}" in run.stdout and f"got '{value}'" in run.stdout


SILENT = [
    ("CUARRAY_SYNC", "yes", "export CUARRAY_SYNC=1"),
    ("CUARRAY_VALIDATE", "true", "export CUARRAY_VALIDATE=1"),
    ("CUARRAY_TRACK_MEMORY", "on", "export CUARRAY_TRACK_MEMORY=1"),
    ("CUARRAY_MEMORY_CACHE", "0", "export CUARRAY_MEMORY_CACHE=off"),
    ("CUARRAY_LIBMVEC", "no", "export CUARRAY_LIBMVEC=off"),
    ("CUARRAY_JIT", "no", "unset CUARRAY_JIT"),
    ("CUARRAY_FUSE", "no", "unset CUARRAY_FUSE"),
    ("CUARRAY_LOG", "launch,copies", "unset CUARRAY_LOG"),
    ("CUARRAY_NUM_THREAD", "2", "export CUARRAY_NUM_THREADS=2"),
    ("CUARRAY_COLOR", "red", "unset CUARRAY_COLOR"),
]


@pytest.mark.parametrize("name, value, command", SILENT, ids=lambda x: str(x))
def test_doctor_names_settings_without_effect(name, value, command):
    found = faults_of_settings({name: value})
    assert [each["command"] for each in found] == [command] and name in found[0]["what"]


@pytest.mark.parametrize("name, value, command", SILENT, ids=lambda x: str(x))
def test_import_warns_of_settings_without_effect(name, value, command, recwarn):
    warn_of_settings({name: value})
    found = [str(each.message) for each in recwarn]
    speaks_itself = name == "CUARRAY_COLOR" or (name in SETTINGS and SETTINGS[name].is_checked_where_read)
    assert len(found) == (not speaks_itself)
    assert all(name in text and text.endswith(f"; type `{command}`") for text in found)


def test_import_warns_at_its_line():
    run = python("import os\nimport cuarray", CUARRAY_TRACK_MEMORY="yes")
    assert run.stderr.startswith(
        "<string>:2: RuntimeWarning: CUARRAY_TRACK_MEMORY='yes' has no effect: 1 expected; type "
    )
    assert python("import cuarray", CUARRAY_TRACK_MEMORY="1", CUARRAY_COLOR="red").stderr == ""


@pytest.mark.parametrize(
    "value, fault", [("gpu", "'gpu' is neither 'cpu' nor"), ("cuda:250", "there is no cuda:250; ")]
)
def test_errors_of_the_default_device_name_the_setting(value, fault):
    run = python("import cuarray; cuarray.ones(3)", CUARRAY_DEVICE=value)
    assert f"CUARRAY_DEVICE: {fault}" in run.stderr


def test_doctor_accepts_valid_settings():
    valid = {
        "CUARRAY_SYNC": "0", "CUARRAY_VALIDATE": "1", "CUARRAY_LOG": "launch, wait", "CUARRAY_DEVICE": "cuda:1",
        "CUARRAY_NUM_THREADS": "4096", "CUARRAY_MEMORY_CACHE": "off", "CUARRAY_LIBBLAS": "off", "CUARRAY_CACHE_DIR": "/x y",
        "CUARRAY_ISA_LEVELS": "all", "CUARRAY_TRACK_MEMORY": "", "PATH": "/usr/bin",
    }  # fmt: skip
    assert faults_of_settings(valid) == []
    run = subprocess.run(
        [sys.executable, "-m", "cuarray"], capture_output=True, text=True, env={**os.environ, "CUARRAY_SYNC": "yes"}
    )
    assert run.returncode == 1 and "CUARRAY_SYNC='yes' has no effect: 1 expected" in run.stdout


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", ""),
        ("new/deep", ""),
        ("file/inside", "Not a directory"),
        ("/proc/nope", "No such file"),  # where root may write by its permissions
        ("everybodys", "writable by everybody"),
    ],
)
def test_doctor_tries_to_write_into_the_cache(tmp_path, monkeypatch, name, reason):
    (tmp_path / "file").write_text("")
    (tmp_path / "everybodys").mkdir()
    (tmp_path / "everybodys").chmod(0o777)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setenv("CUARRAY_CACHE_DIR", str(tmp_path / name))
    faults = []
    assert doctor.cache(faults)["writable"] is not bool(reason)
    assert bool(faults) == bool(reason) and all(reason in one["what"] for one in faults)
    assert all("CUARRAY_CACHE_DIR" in one["command"] for one in faults)
    assert sorted(tmp_path.rglob("*")) == before


def test_doctor_knows_a_cache_of_another_user(tmp_path, monkeypatch):
    monkeypatch.setenv("CUARRAY_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(doctor.os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    faults = []
    assert not doctor.cache(faults)["writable"] and "another user" in faults[0]["what"]


def test_doctor_finds_faults(monkeypatch):
    run = subprocess.run(
        [sys.executable, "-m", "cuarray"],
        capture_output=True,
        text=True,
        env={**os.environ, "CUARRAY_DEVICE": "cuda:9"},
    )
    assert run.returncode == 1 and "unset CUARRAY_DEVICE" in run.stdout

    def broken(device):
        raise AssertionError("wrong bits")

    monkeypatch.setattr(doctor, "self_test", broken)
    faults = []
    assert "wrong bits" in doctor.examine(cuarray.device("cpu"), faults)["self_test"]
    assert [one["what"] for one in faults if "slower than" not in one["what"]] == [
        "cpu: the self-test failed: wrong bits"
    ]


def test_doctor_says_that_the_processors_level_was_not_built(monkeypatch):
    described = {"name": "cpu", "level": "base", "processor_level": "v4"}
    monkeypatch.setattr(doctor._core, "describe", lambda device: json.dumps(described))
    monkeypatch.delenv("CUARRAY_CPU_LEVEL", raising=False)
    for level, count in (("base", 1), ("v4", 0)):
        described["level"] = level
        faults = []
        doctor.examine(cuarray.device("cpu"), faults)
        assert len(faults) == count and all("without the processor's level v4" in one["what"] for one in faults)
        assert all(one["command"].startswith("CUARRAY_ISA_LEVELS=all pip install") for one in faults)


def test_doctor_says_that_machine_code_is_refused(monkeypatch):
    described = {"name": "cpu", "level": "v3", "processor_level": "v3"}
    monkeypatch.setattr(doctor._core, "describe", lambda device: json.dumps(described))
    for state, count in (("refused by the system", 1), ("avx512", 0), ("off", 0)):
        described["machine_code"] = state
        faults = []
        doctor.examine(cuarray.device("cpu"), faults)
        assert [one["command"] for one in faults] == ["export CUARRAY_JIT=off"] * count


def test_doctor_names_the_package_that_is_missing(monkeypatch):
    described = {"name": "A GPU", "driver_cuda_version": "12.4", "nvrtc": {"missing": "no NVRTC was found"}}
    monkeypatch.setattr(doctor._core, "describe", lambda device: json.dumps(described))
    faults = []
    doctor.examine(cuarray.device("cpu"), faults)
    assert faults == [{"what": "cpu: no NVRTC was found", "command": 'pip install "cuarray[cuda12]"'}]


@pytest.mark.parametrize("code, command", [(803, "sudo reboot"), (999, "nvidia-smi"), (100, "")])
def test_doctor_knows_what_the_driver_says(code, command):
    assert doctor.remedy(f"cuInit: CUDA_ERROR ({code}): words").partition(" ")[0] == command.partition(" ")[0]


def test_the_self_test_compares(monkeypatch):
    assert doctor.self_test(cuarray.device("cpu")) > 0
    monkeypatch.setattr(doctor, "sin", cuarray.cos)
    with pytest.raises(AssertionError):
        doctor.self_test(cuarray.device("cpu"))


# Library search


def test_a_library_named_by_the_environment(monkeypatch):
    monkeypatch.setenv("CUARRAY_LIBNVRTC", "/opt/my/libnvrtc.so.13")
    assert libraries.locate("nvrtc", 13) == "/opt/my/libnvrtc.so.13"


def test_the_package_of_the_wanted_version(tmp_path, monkeypatch):
    for folder, file in (
        ("nvidia/cu13/lib", "libnvrtc.so.13"),
        ("nvidia/cuda_nvrtc/lib", "libnvrtc.so.12"),
        ("nvidia/cusolver/lib", "libcusolver.so.11"),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / file).write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delenv("CUARRAY_LIBNVRTC", raising=False)
    assert libraries.locate("nvrtc", 13).endswith("nvidia/cu13/lib/libnvrtc.so.13")
    assert libraries.locate("nvrtc", 12).endswith("nvidia/cuda_nvrtc/lib/libnvrtc.so.12")
    assert libraries.in_packages("cusolver", 12).endswith("libcusolver.so.11")
    assert libraries.in_packages("nvrtc", 11) == ""
