"""The simulator's hand-written interface against NVIDIA's own headers, where they are installed."""

import re
import shutil
import subprocess

import pytest
from headers import folders_with
from simulated import SOURCES

# entries.cpp declares every entry point without its parameters, to take addresses only.
ENTRY_FILES = sorted(p for p in SOURCES.glob("*.cpp") if "CUDASIM_API" in p.read_text() and p.name != "entries.cpp")
FIELDS = {
    "CUlaunchConfig": ["gridDimX", "blockDimX", "sharedMemBytes", "hStream", "attrs", "numAttrs"],
    "CUlaunchAttribute": ["id", "value"],
    "CUmemPoolProps": ["allocType", "handleTypes", "location", "maxSize", "usage"],
    "CUmemAccessDesc": ["location", "flags"],
    "CUmemLocation": ["type", "id"],
    "CUuuid": ["bytes"],
    "CUctxCreateParams": ["execAffinityParams", "numExecAffinityParams", "cigParams"],
    "CUipcMemHandle": ["reserved"],
    "CUgraphEdgeData": ["from_port", "to_port", "type"],
    "CUDA_GRAPH_INSTANTIATE_PARAMS": ["flags", "hUploadStream", "hErrNode_out", "result_out"],
    "CUgraphExecUpdateResultInfo": ["result", "errorNode", "errorFromNode"],
    "CUDA_KERNEL_NODE_PARAMS": ["func", "gridDimX", "blockDimX", "sharedMemBytes", "kernelParams", "extra", "kern", "ctx"],
    "CUDA_MEMCPY3D": ["srcMemoryType", "srcHost", "srcDevice", "dstMemoryType", "dstHost", "dstDevice", "Height", "Depth"],
    "CUDA_MEMSET_NODE_PARAMS": ["dst", "pitch", "value", "elementSize", "width", "height"],
    "CUDA_HOST_NODE_PARAMS": ["fn", "userData"],
    "CUDA_MEM_ALLOC_NODE_PARAMS": ["poolProps", "bytesize", "dptr"],
    "CUgraphNodeParams": ["type", "kernel.ctx", "memcpy.copyParams", "memset.height", "host.userData", "graph.graph",
                          "eventWait.event", "eventRecord.event", "alloc.dptr", "free.dptr", "reserved2"],
}  # fmt: skip


@pytest.fixture
def include():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    return folders_with("cudaTypedefs.h")[0]


def compile_only(include, *arguments, text=None):
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{include}", f"-I{SOURCES}", *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, text=True)


@pytest.mark.few
@pytest.mark.parametrize("source", ENTRY_FILES, ids=lambda source: source.stem)
def test_functions_have_the_real_signatures(include, source):
    result = compile_only(include, "-DCUDASIM_WITH_CUDA_H", source)
    assert result.returncode == 0, result.stderr


def test_another_signature_is_seen(include, tmp_path):
    assert len(ENTRY_FILES) > 8
    text = (
        (SOURCES / "event.cpp")
        .read_text()
        .replace("cuEventCreate(CUevent* out, unsigned", "cuEventCreate(CUevent* out, long")
    )
    (tmp_path / "wrong.cpp").write_text(text)
    assert compile_only(include, "-DCUDASIM_WITH_CUDA_H", tmp_path / "wrong.cpp").returncode != 0


def test_nvrtc_has_the_real_signatures_and_codes(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    text = (SOURCES / "nvrtc.cpp").read_text()
    wrong = tmp_path / "wrong.cpp"
    wrong.write_text(text.replace("nvrtcVersion(int* major, int* minor)", "nvrtcVersion(int* major, long* minor)"))
    codes = re.findall(r"\b(NVRTC_\w+) = (\d+)", (SOURCES / "nvrtc_abi.h").read_text())
    assert len(codes) > 10
    checks = "#include <nvrtc.h>\n" + "".join(f'static_assert({n} == {v}, "{n}");\n' for n, v in codes)
    for folder in folders_with("nvrtc.h"):
        good = compile_only(folder, "-DCUDASIM_WITH_NVRTC_H", SOURCES / "nvrtc.cpp", SOURCES / "real_nvrtc.cpp")
        assert good.returncode == 0, good.stderr
        assert compile_only(folder, "-DCUDASIM_WITH_NVRTC_H", wrong).returncode != 0
        assert compile_only(folder, "-x", "c++", "-", text=checks).returncode == 0


def values():
    """Every constant of the two declarations, with its value."""
    found = re.findall(r"\b(CU_\w+) = (\w+)", (SOURCES / "cuda_abi.h").read_text())
    errors = re.findall(r"^ERROR\((\w+), (\d+),", (SOURCES / "errors.def").read_text(), re.M)
    return [pair for pair in found if pair[1] != "reinterpret_cast"] + [
        (f"CUDA_ERROR_{name}", value) for name, value in errors
    ]


def test_constants_and_structs_are_the_real_ones(include):
    lines = ["#include <cstddef>", "#include <cstdint>", "namespace sim {", '#include "cuda_abi.h"', "}"]
    lines.append("#include <cuda.h>")
    assert len(values()) > 120
    lines += [f'static_assert({name} == {value}, "{name}");' for name, value in values()]
    for struct, fields in FIELDS.items():
        lines.append(f'static_assert(sizeof(sim::{struct}) == sizeof({struct}), "{struct}");')
        lines += [f"static_assert(offsetof(sim::{struct}, {f}) == offsetof({struct}, {f}));" for f in fields]
    text = "\n".join(lines)
    result = compile_only(include, "-x", "c++", "-", text=text)
    assert result.returncode == 0, result.stderr
    wrong = text.replace("CUDA_ERROR_NOT_READY == 600", "CUDA_ERROR_NOT_READY == 601")
    assert compile_only(include, "-x", "c++", "-", text=wrong).returncode != 0


def test_errors_stay_that_the_header_says_stay(include):
    stays = set(re.findall(r"^ERROR\((\w+), \d+, true,", (SOURCES / "errors.def").read_text(), re.M))
    comments = re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*CUDA_ERROR_(\w+)", (include / "cuda.h").read_text(), re.S)
    words = {name for text, name in comments if re.search(r"inconsistent[\s*]+state", text)}
    # Of faults of the hardware, and of unknown ones, the header does not say what remains possible. After an assertion
    # it is the context that cannot be used.
    assert stays - {"ECC_UNCORRECTABLE", "NVLINK_UNCORRECTABLE", "UNKNOWN", "ASSERT"} == words


def test_entry_points_have_the_versions_of_the_real_ones(include):
    entries = re.findall(r"^ENTRY\((\w+), (\w+), (\d+)\)", (SOURCES / "entries.def").read_text(), re.M)
    assert len(entries) > 100
    typedefs = "".join((include / name).read_text() for name in ("cudaTypedefs.h", "cudaProfilerTypedefs.h"))
    missing = [name for name, _, version in entries if f"PFN_{name}_v{version})" not in typedefs]
    assert missing == []


def test_every_entry_point_is_listed():
    """A function that cuGetProcAddress does not know would never be called."""
    defined = set()
    for source in SOURCES.glob("*.cpp"):
        defined |= set(re.findall(r"^CUDASIM_API (\w+)\(", source.read_text(), re.M))
    listed = set(re.findall(r"^ENTRY\(\w+, (\w+),", (SOURCES / "entries.def").read_text(), re.M))
    assert defined == listed
