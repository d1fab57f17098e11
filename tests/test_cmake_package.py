"""A C++ program that knows only `find_package(cuarray)` and `#include <cuarray/cuarray.h>`."""

import shutil
import subprocess
import sys

import pytest

CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(user CXX)
find_package(cuarray REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE cuarray::cuarray)
"""

PROGRAM = """
#include <cuarray/cuarray.h>
#include <cstdio>
#include <cstring>

using namespace cuarray;

int main() {
    const Array x = full({3, 4}, Scalar::of(DType::float64, 2.0), Device{});
    const Argument squares[] = {x, x};
    const Array product = matmul(x, x.transpose({1, 0}));
    const Array ordered = sort(call(row::multiply, squares).array[0], -1, false, "sort");
    const Scalar sum = item(reduce(reduction::sum, ordered, ReduceOptions{}), "main");
    double value;
    std::memcpy(&value, sum.bytes, sizeof value);
    std::printf("%g %d %lld\\n", value, product.ndim(), static_cast<long long>(product.size()));
    try {
        x.reshape({5, 5});
    } catch (const Error& error) {
        std::printf("%s\\n", error.what());
    }
    return devices().empty();
}
"""


@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("cmake")), reason="no C++ compiler or no cmake")
def test_program_of_a_user(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "user.cpp").write_text(PROGRAM)
    folder = subprocess.run(
        [sys.executable, "-m", "cuarray", "--cmake-dir"], capture_output=True, text=True, check=True
    )
    for command in (
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={folder.stdout.strip()}"],
        ["cmake", "--build", tmp_path / "build"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    run = subprocess.run([tmp_path / "build" / "user"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    numbers, error = run.stdout.splitlines()
    assert numbers == "48 2 9"
    assert "reshape" in error and "(5, 5)" in error
