"""Builds cuarray: setuptools drives CMake in build/, which also fills the source cuarray/."""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent
BUILD = SOURCE / "build"
#: Of the compilation; README.md and docs/guide/install.md say the same.
DURATION = "about 2 to 4 minutes on two cores"


def compiler() -> str:
    """Return the first C++ compiler that accepts C++20; exit with an install command if there is none."""
    candidates = [os.environ["CXX"]] if "CXX" in os.environ else ["g++", "c++", "clang++"]
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.cpp")
        probe.write_text("#include <concepts>\n#include <span>\nint main() { return std::integral<int> ? 0 : 1; }\n")
        for name in candidates:
            command = [*name.split(), "-std=c++20", "-c", str(probe), "-o", str(probe) + ".o"]
            if shutil.which(command[0]) and subprocess.run(command, capture_output=True).returncode == 0:
                return name
    sys.exit(
        f"cuarray needs a C++20 compiler (g++ 11 or newer) and found none as {' or '.join(candidates)}; "
        "type: sudo apt install g++   (Fedora, RHEL: sudo dnf install gcc-c++)"
    )


def jobs() -> int:
    """Return the number of parallel compilations: CMAKE_BUILD_PARALLEL_LEVEL, else the cores this process may use."""
    return int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", 0)) or len(os.sched_getaffinity(0))


def levels() -> str:
    """Return what CUARRAY_ISA_LEVELS asks for: native, all, or levels of x86-64, separated by commas."""
    return os.environ.get("CUARRAY_ISA_LEVELS") or "native"


def urls() -> dict[str, str]:
    """Return the addresses of addresses.toml that are filled in, by the names that package indexes show."""
    addresses = tomllib.loads((SOURCE / "addresses.toml").read_text("utf-8"))
    shown = ("repository", "documentation", "changelog")
    return {name.capitalize(): addresses[name] for name in shown if addresses[name]}


class CMakeBuild(build_ext):
    """Compiles with CMake and installs the files of a wheel where setuptools looks for them."""

    def run(self) -> None:
        cmake = shutil.which("cmake") or sys.exit("cuarray: cmake is needed; type: pip install cmake ninja")
        # Configure at every build: pip's build environment, and so ninja, has a new path each time, and the build
        # folder may have been used by another Python.
        configure = [
            cmake,
            "-S",
            SOURCE,
            "-B",
            BUILD,
            "-G",
            "Ninja",
            "-U",
            "*Python*",
            "-U",
            "CUARRAY_NATIVE_LEVEL",
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}",
            # Who edits recompiles one file, who installs compiles all in less time.
            f"-DCUARRAY_UNITY={'OFF' if self.inplace else 'ON'}",
            f"-DCUARRAY_PRECOMPILED={'ON' if self.inplace else 'OFF'}",
            f"-DCUARRAY_ISA_LEVELS={levels().replace(',', ';')}",
        ]
        target = {"native": "this processor, and a slower fallback for others", "all": "all levels of x86-64"}
        duration = f"{DURATION}, longer with -e" if self.inplace else DURATION
        compiling = f"compiling for {target.get(levels(), levels())}, with {jobs()} jobs: {duration}"
        # Which pip shows under -v, with the counts [done/all] that ninja prints.
        steps = [
            ("configuring: looking for the compiler, Python and headers", configure),
            (compiling, [cmake, "--build", BUILD, "--parallel", str(jobs())]),
        ]
        if not self.inplace:
            install = [cmake, "--install", BUILD, "--prefix", Path(self.build_lib).resolve(), "--strip"]
            steps.append(("installing: copying libraries and headers into the wheel", install))
        environment = {**os.environ, "CXX": compiler()}
        for text, command in steps:
            print(f"cuarray: {text}", flush=True)
            if subprocess.run(command, env=environment).returncode != 0:
                sys.exit("cuarray: the build failed; the compiler's messages stand above")

    def get_outputs(self) -> list[str]:
        return []


class BinaryDistribution(Distribution):
    """A distribution with compiled modules, which CMake and not setuptools lists."""

    def has_ext_modules(self) -> bool:
        return True


# setuptools puts every file of this folder into the wheel, including modules deleted since.
shutil.rmtree(BUILD / "python", ignore_errors=True)

setup(
    project_urls=urls(),
    distclass=BinaryDistribution,
    ext_modules=[Extension("cuarray._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    # build/ belongs to CMake; setuptools gets a subfolder.
    options={"build": {"build_base": "build/python"}},
)
