"""The ranges that an NVTX tool receives: nvtx_tool.cpp, loaded as Nsight Systems would be."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from headers import folders_with

PROGRAM = """
import sys
import cuarray
x = cuarray.arange(4, dtype="f4", device=sys.argv[1])
print("begin", file=sys.stderr, flush=True)
y = cuarray.sqrt(x)
y.sum()
try:
    cuarray.empty(10**15, device=sys.argv[1])
except MemoryError:
    pass
x.to_device("cpu").tolist()
cuarray.synchronize(sys.argv[1])
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    library = tmp_path_factory.mktemp("nvtx") / "libtool.so"
    include = folders_with("nvtx3/nvToolsExt.h")[0]
    source = Path(__file__).with_name("nvtx_tool.cpp")
    command = ["g++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{include}"]
    subprocess.run([*command, str(source), "-ldl", "-o", str(library)], check=True)
    return library


def seen(device, **environment):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, device], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return [line for line in run.stderr.splitlines() if not line.startswith("cudasim")]


def test_every_operation_is_a_range(device, tool):
    lines = seen(device, NVTX_INJECTION64_PATH=str(tool))
    assert lines[0] == "domain cuarray"
    categories = {name: number for number, name in re.findall(r"category (\d) (\w+)", "\n".join(lines))}
    assert set(categories) == {"launch", "copy", "wait", "alloc"} and "0" not in categories.values()
    ranges = [line.split(maxsplit=3)[1:] for line in lines[lines.index("begin") :] if line.startswith("push")]
    texts = {(kind, text) for _, kind, text in ranges}
    assert (categories["launch"], "sqrt(a) 32") in texts
    assert any(kind == categories["launch"] and text.startswith("sum(a, axis=") for kind, text in texts)
    # A call that fails ends its range, too.
    assert (categories["alloc"], f"allocate {10**15 * 8}") in texts
    assert (categories["wait"], "synchronize 0") in texts
    assert not any("in no domain" in text for _, text in texts)
    depths = [(line.split()[0], int(line.split()[1])) for line in lines if line.startswith(("push", "pop"))]
    open_ranges = []
    for word, depth in depths:
        if word == "push":
            assert depth == len(open_ranges)
            open_ranges.append(depth)
        else:
            assert open_ranges.pop() == depth
    assert open_ranges == []


def test_without_a_tool_nothing_is_told(device, tool):
    assert seen(device, NVTX_INJECTION64_PATH="") == ["begin"]
