"""The hand-written declarations of the driver and of NVIDIA's libraries against NVIDIA's own headers, where installed."""

import shutil
import subprocess
from pathlib import Path

import backend_program
import pytest
from headers import folders_with


def compile_against(folder: Path, program: str, sources: Path) -> subprocess.CompletedProcess:
    """Compile a comparison; `sources` has cuarray's declarations, `folder` NVIDIA's."""
    include = [f"-I{path}" for path in (sources, folder, backend_program.HERE)]
    command = ["g++", "-std=c++20", "-fsyntax-only", *include, str(backend_program.HERE / program)]
    return subprocess.run(command, capture_output=True, text=True)


COMPARISONS = [
    ("compare_driver_api.cpp", "driver_api.h", ("cudaTypedefs.h",)),
    ("compare_nvrtc_api.cpp", "nvrtc_api.h", ("nvrtc.h",)),
    ("compare_cublas_api.cpp", "cublas_api.h", ("cublas_v2.h", "crt/host_defines.h", "nv/target")),
    ("compare_cufft_api.cpp", "cufft_api.h", ("cufftXt.h", "crt/host_defines.h", "nv/target")),
    ("compare_cusolver_api.cpp", "cusolver_api.h", ("cusolverDn.h", "crt/host_defines.h", "nv/target")),
]


@pytest.fixture
def folders():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    return folders_with


@pytest.mark.parametrize(("program", "ours", "theirs"), COMPARISONS)
def test_declarations_are_nvidias(folders, program, ours, theirs):
    for folder in folders(*theirs):
        result = compile_against(folder, program, backend_program.ROOT / "src")
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("comparison", "old", "new"),
    [
        (0, "WAITS(cuMemFree, 3020, CUdeviceptr)", "WAITS(cuMemFree, 3020, unsigned)"),
        (0, "CONSTANT(CUDA_ERROR_NOT_FOUND, 500)", "CONSTANT(CUDA_ERROR_NOT_FOUND, 501)"),
        (0, "ENTRY(cuMemAllocAsync, 11020,", "ENTRY(cuMemAllocAsync, 12050,"),
        (1, "FUNCTION(nvrtcGetPTX, nvrtcProgram, char*)", "FUNCTION(nvrtcGetPTX, nvrtcProgram, int*)"),
        (1, "FUNCTION(nvrtcVersion, int*, int*)", "FUNCTION(nvrtcVersion, int*)"),
        (
            2,
            "FUNCTION(cublasSetWorkspace_v2, cublasHandle, void*, size_t)",
            "FUNCTION(cublasSetWorkspace_v2, cublasHandle, void*, int)",
        ),
        (2, "CONSTANT(CUBLAS_COMPUTE_64F, 70)", "CONSTANT(CUBLAS_COMPUTE_64F, 71)"),
        (3, "FUNCTION(cufftXtExec, cufftPlan, void*, void*, int)", "FUNCTION(cufftXtExec, cufftPlan, void*, int)"),
        (4, "FUNCTION(cusolverDnSetStream, cusolverHandle, CUstream)", "FUNCTION(cusolverDnSetStream, cusolverHandle)"),
        (
            4,
            "CUARRAY_CUSOLVER_COLUMNS(FUNCTION, cusolverDnDorgqr, double)",
            "CUARRAY_CUSOLVER_COLUMNS(FUNCTION, cusolverDnDorgqr, float)",
        ),
        (
            4,
            "FUNCTION(cusolverDnXgeev, cusolverHandle, cusolverParams, int, int, int64_t,",
            "FUNCTION(cusolverDnXgeev, cusolverHandle, cusolverParams, int, int, int,",
        ),
        (4, "CONSTANT(CUBLAS_FILL_MODE_UPPER, 1)", "CONSTANT(CUBLAS_FILL_MODE_UPPER, 2)"),
    ],
)
def test_wrong_declaration_is_seen(folders, tmp_path, comparison, old, new):
    program, ours, theirs = COMPARISONS[comparison]
    text = (backend_program.ROOT / "src" / "cuda" / ours).read_text("utf-8")
    assert text.count(old) == 1
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / ours).write_text(text.replace(old, new), "utf-8")
    assert compile_against(folders(*theirs)[0], program, tmp_path).returncode != 0


def test_every_function_that_is_looked_up_is_declared_here():
    """A signature written elsewhere would not be compared."""
    declared = "".join((backend_program.ROOT / "src" / "cuda" / name).read_text("utf-8") for _, name, _ in COMPARISONS)
    for file in sorted((backend_program.ROOT / "src" / "cuda").glob("*.cpp")):
        text = file.read_text("utf-8")
        for line in text.splitlines():
            if "dlsym(" in line or "symbol_in(" in line:
                known = ("#name", "kGetProcAddress", "function.name", "void* symbol_in(")
                assert any(name in line for name in known), f"{file.name}: {line}"
    assert "kGetProcAddress" in declared and "nvrtcCompileProgram" in declared
