"""Compatible versions of GPU, driver and NVRTC, and the errors for incompatible ones."""

import json
import shutil
import subprocess
from pathlib import Path

import backend_program
import pytest


@pytest.fixture
def kernels(program, tmp_path):
    """Run the program's kernel part with a fresh cache; return the process."""

    def run(**settings):
        return backend_program.run(
            [program, "kernels"], CUDASIM_SEED=1, CUARRAY_CACHE_DIR=tmp_path / "kernels", **settings
        )

    return run


def facts(result) -> dict:
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout.splitlines()[0])


@pytest.mark.parametrize(
    ("capability", "target"),
    # The GPU's own architecture, the highest lower minor of its major, else PTX of the highest lower one.
    [("7.5", "sm_75"), ("8.6", "sm_86"), ("9.0", "sm_90"), ("9.9", "sm_90"), ("12.0", "sm_120")],
)
def test_target(kernels, capability, target):
    assert facts(kernels(CUDASIM_CC=capability))["nvrtc"]["target"] == target


def test_gpus_of_two_architectures_share_a_cache(kernels):
    for capability in ("7.5", "9.0"):
        assert "nvrtc opened" in kernels(CUDASIM_CC=capability).stdout
    for capability in ("7.5", "9.0"):
        assert "nvrtc not opened" in kernels(CUDASIM_CC=capability).stdout


def test_gpu_that_nvrtc_cannot_compile_for(kernels):
    result = kernels(CUDASIM_CC="5.0")
    assert result.returncode == 1
    assert "there is no cuda:0" in result.stderr
    assert "cannot compile for compute capability 5.0" in result.stderr
    assert result.stderr.count("warning: the GPU is not used") == 1


def test_nvrtc_newer_than_the_driver(kernels):
    result = kernels(CUDASIM_DRIVER=12040, CUDASIM_NVRTC="13.0")
    assert result.returncode == 1
    assert "NVRTC 13.0, newer than the driver" in result.stderr


@pytest.mark.parametrize("driver", [12000, 12040, 13000])
def test_drivers(kernels, driver):
    said = facts(kernels(CUDASIM_DRIVER=driver))
    assert said["driver_cuda_version"] == f"{driver // 1000}.{driver % 1000 // 10}"
    assert said["nvrtc"]["version"] == said["driver_cuda_version"]


def test_driver_that_is_too_old(kernels):
    result = kernels(CUDASIM_DRIVER=11080)
    assert result.returncode == 1
    assert "cuarray needs driver 525 (CUDA 12.0) or newer" in result.stderr


def test_no_nvrtc(program):
    command = f"CUARRAY_LIBNVRTC=/nowhere/libnvrtc.so exec {program} kernels"
    result = backend_program.run(["sh", "-c", command], CUDASIM_SEED=1)
    assert result.returncode == 1
    assert "CUARRAY_LIBNVRTC cannot be used" in result.stderr and "/nowhere/libnvrtc.so" in result.stderr


#: For the doctor, which names a build without the processor's level a fault, unless a level was asked for.
ANY_BUILD = ["CUARRAY_CPU_LEVEL=base"]


@pytest.mark.few
@pytest.mark.parametrize(
    ("changes", "settings", "fault", "command"),
    [
        ("", {"CUDASIM_DRIVER": 11080}, "driver is too old", "sudo apt install nvidia-driver-580"),
        ("", {"CUDASIM_CC": "3.5"}, "capability 3.5", "export CUARRAY_DEVICE=cpu"),
        ("", {"CUDASIM_CC": "5.0"}, "capability 5.0", 'pip install "cuarray[cuda12]"'),
        ("CUARRAY_LIBNVRTC=/nope.so", {}, "/nope.so", "unset CUARRAY_LIBNVRTC"),
        ("CUARRAY_LIBCUDA=/nope.so", {}, "/nope.so", "unset CUARRAY_LIBCUDA"),
    ],
)
def test_doctor_names_what_mends(changes, settings, fault, command, tmp_path):
    run = ["env", *ANY_BUILD, *changes.split(), "python", "-m", "cuarray", "--json"]
    result = backend_program.run(run, CUDASIM_SEED=1, CUARRAY_CACHE_DIR=tmp_path / "kernels", **settings)
    assert result.returncode == 1, result.stdout + result.stderr
    faults = json.loads(result.stdout)["faults"]
    assert [fault in f["what"] and command in f["command"] for f in faults] == [True], faults


def test_doctor_finds_no_fault_of_gpus_that_nobody_wants(tmp_path):
    run = ["env", *ANY_BUILD, "CUARRAY_DEVICE=cpu", "python", "-m", "cuarray"]
    result = backend_program.run(run, CUDASIM_CC="3.5", CUARRAY_CACHE_DIR=tmp_path / "kernels")
    assert result.returncode == 0 and "cannot compile for" in result.stdout, result.stdout + result.stderr


def test_no_driver(program):
    command = f"CUARRAY_LIBCUDA=/nowhere/libcuda.so.1 exec {program} kernels"
    result = backend_program.run(["sh", "-c", command], CUDASIM_SEED=1)
    assert result.returncode == 1
    assert "there is no cuda:0; no NVIDIA driver: /nowhere/libcuda.so.1" in result.stderr


LOCATED = """
import json, os
from cuarray import _core
import cuarray as ca
libraries = {libraries}
_core.set_library_locator(lambda name, major: libraries.get(major, ""))
print(json.dumps([_core.missing_reason("cuda"), ca.device("cuda:0") in ca.devices()]))
if ca.device("cuda:0") in ca.devices():
    print(json.loads(_core.describe("cuda:0"))["nvrtc"]["path"], float(ca.ones(3, device="cuda:0").sum()))
"""


def located(libraries, tmp_path, **settings):
    """The output of a process whose only NVRTCs are those that the locator finds, by major version."""
    command = ["env", "-u", "CUARRAY_LIBNVRTC", "python", "-c", LOCATED.format(libraries=libraries)]
    return backend_program.run(command, CUDASIM_SEED=1, CUARRAY_CACHE_DIR=tmp_path / "kernels", **settings)


#: Imitated versions of NVRTC make no PTX: their kernels run from text.
SIMULATED_NVRTC = {"CUDASIM_REAL_NVRTC": 0, "CUDASIM_RUNS": "text"}


def simulated_nvrtc() -> str:
    show = [*backend_program.SIMULATOR, "--paths"]
    return subprocess.run(show, capture_output=True, text=True, check=True).stdout.split()[1]


def copies(tmp_path, *majors):
    """Copies of the simulated NVRTC with names like NVIDIA's; each is of the major version of its name."""
    ours = Path(simulated_nvrtc())
    for header in ours.parent.glob("*.h"):
        shutil.copy(header, tmp_path)
    return {major: str(shutil.copy(ours, tmp_path / f"libnvrtc.so.{major}")) for major in majors}


@pytest.mark.few
@pytest.mark.parametrize(("capability", "major"), [("7.0", 12), ("6.1", 12), ("7.5", 13), ("9.0", 13)])
def test_gpus_before_turing_get_the_last_nvrtc_that_knows_them(capability, major, tmp_path):
    both = copies(tmp_path, 12, 13)
    said = located(both, tmp_path, CUDASIM_CC=capability, **SIMULATED_NVRTC)
    assert f"{both[major]} 3.0" in said.stdout, said.stdout + said.stderr
    # A folder of remembered choices may be shared between machines.
    other = "9.0" if major == 12 else "7.0"
    said = located(both, tmp_path, CUDASIM_CC=other, **SIMULATED_NVRTC)
    assert f"{both[25 - major]} 3.0" in said.stdout, said.stdout + said.stderr


def test_gpus_before_turing_with_a_newer_nvrtc_only(tmp_path):
    said = located(copies(tmp_path, 13), tmp_path, CUDASIM_CC="7.0", **SIMULATED_NVRTC)
    reason, there = json.loads(said.stdout.splitlines()[0])
    assert not there and "cannot compile for compute capability 7.0" in reason


def test_warnings_about_old_architectures_hide_no_option(tmp_path):
    """NVRTC 12.9 warns of the oldest architectures that it knows, whatever the options."""
    program = """
import json
import cuarray as ca
ca.ones(3, device="cuda:0").sum()
print(json.loads(ca._core.describe("cuda:0"))["nvrtc"]["options"])
"""
    command = ["env", f"CUARRAY_LIBNVRTC={copies(tmp_path, 12)[12]}", "python", "-c", program]
    for capability in ("9.0", "7.0"):
        said = backend_program.run(
            command, CUDASIM_SEED=1, **SIMULATED_NVRTC, CUDASIM_CC=capability, CUARRAY_CACHE_DIR=tmp_path / "kernels"
        )
        assert "-fmad=false" in said.stdout and "-minimal" in said.stdout, said.stdout + said.stderr


@pytest.mark.parametrize(("mig", "kind"), [(0, "GPU"), (1, "MIG")])
def test_an_instance_of_mig_has_an_identifier_of_its_kind(mig, kind):
    program = "import cuarray as ca; print(ca.device('cuda:1').properties['uuid'])"
    said = backend_program.run(["python", "-c", program], CUDASIM_SEED=1, CUDASIM_MIG=mig)
    assert said.stdout == f"{kind}-5c5c5c5c-5c5c-5c5c-5c5c-5c5c5c5c5c01\n", said.stderr


def test_two_majors_installed(tmp_path):
    # The driver decides, not the newest.
    ours, newer = simulated_nvrtc(), "/nowhere/libnvrtc.so.13"
    said = located({12: ours, 13: newer}, tmp_path, CUDASIM_DRIVER=12040)
    assert '["", true]' in said.stdout and f"{ours} 3.0" in said.stdout, said.stdout + said.stderr


def test_only_a_newer_major_installed(tmp_path):
    said = located({13: "/nowhere/libnvrtc.so.13"}, tmp_path, CUDASIM_DRIVER=12040)
    reason, there = json.loads(said.stdout.splitlines()[0])
    assert not there
    assert "no NVRTC for this driver (CUDA 12.4): pip install" in reason and "cuarray[cuda12]" in reason
    assert "/nowhere/libnvrtc.so.13 is of CUDA 13, newer than the driver: update the driver" in reason
    assert "libnvrtc.so.12" in reason, "what else was tried"


def test_wrong_ordinal(tmp_path):
    program = "import cuarray as ca\nca.ones(3, device='cuda:7')"
    said = backend_program.run(["python", "-c", program], CUDASIM_SEED=1)
    assert "ValueError: ones: there is no cuda:7; this machine has 2 of that kind" in said.stderr
