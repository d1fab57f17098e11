"""Builds the simulated libraries with g++, once, and makes the environment in which programs find them."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
NVRTC_SOURCES = ["nvrtc", "compiler", "source", "judge"]
JUDGE_SOURCES = ["real_nvrtc"]
SHARED_HEADERS = {"module_abi.h", "resources.h"}
#: Declares every entry point without its parameters, so that it cannot stand in a group.
ALONE = {"entries"}
LIBRARIES = ["cublas", "cufft", "cusolver"]
OF_LIBRARIES = {"client.cpp", "client.h", "lapack_text.h", *(f"{name}.cpp" for name in LIBRARIES)}
LIBRARY_FILES = {*OF_LIBRARIES, "cuda_abi.h", "errors.def", "nvrtc_abi.h"}
PTX_FILES = sorted(path for path in (HERE / "ptx").iterdir() if path.suffix in (".h", ".py"))
NVRTC_HEADERS = {
    "nvrtc_abi.h", "compiler.h", "compiler_missing.def", "source.h", "judge.h", "simt_prelude.h", *SHARED_HEADERS,
}  # fmt: skip
COMPILER = os.environ.get("CUDASIM_CXX") or "g++"
FLAGS = ["-std=c++20", "-O2", "-g1", "-fPIC", "-Wall", "-Wextra", "-fvisibility=hidden", "-pthread"]


class SimulatorError(RuntimeError):
    """The simulator cannot start; the message says what to do."""


def digest(folder, extra):
    h = hashlib.sha256(" ".join(extra).encode())
    for path in sorted(folder.iterdir()):
        h.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return h.hexdigest()[:16]


def groups_of(sources):
    """The sources in two groups of about the same size, each compiled as one: headers take most of the time."""
    sizes = {source: (SOURCES / f"{source}.cpp").stat().st_size for source in sources}
    groups = {}
    for source in sorted(set(sources) - ALONE):
        first = 2 * sum(map(sizes.get, groups.get(0, []))) < sum(sizes.values())
        groups.setdefault(0 if first else 1, []).append(source)
    return [*groups.values(), *([source] for source in sources if source in ALONE)]


def make(products, sources, target):
    """Compiles copies of the sources and links libraries and programs into the target folder."""

    def run(command):
        if subprocess.run(command, cwd=sources).returncode != 0:
            raise SimulatorError(f"{COMPILER} cannot build the simulator (g++ 11 or newer is needed); see above")

    def compile_group(place):
        product, group = place
        name = f"{product}-{group[0]}"
        (sources / f"{name}.cpp").write_text("".join(f'#include "{source}.cpp"\n' for source in group), "utf-8")
        run([COMPILER, *FLAGS, "-c", f"{name}.cpp", "-o", f"{name}.o"])
        return product, f"{name}.o"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        places = [(product, group) for product, files in products.items() for group in groups_of(files)]
        objects = list(pool.map(compile_group, places))
    for product in products:
        shared = ["-shared", f"-Wl,-soname,{product}", "-Wl,-z,defs"] if product.startswith("lib") else []
        command = [COMPILER, "-pthread", *shared, *[file for owner, file in objects if owner == product], "-ldl"]
        run([*command, "-o", str(target / product)])


def require_compiler():
    """Raises SimulatorError if the compiler, which new kernels need too, is not installed."""
    if shutil.which(COMPILER.split()[0]) is None:
        missing = (SOURCES / "compiler_missing.def").read_text("utf-8").splitlines()[1]
        raise SimulatorError(COMPILER + missing.strip('"'))


def build(cache, name, products, inputs, kept=()):
    """Builds libraries and programs into a folder named by what they are made of; returns the folder."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=cache).close()
    except OSError as error:
        raise SimulatorError(
            f"the cache of built libraries, {cache}, cannot be written ({error.strerror}): set CUDASIM_CACHE_DIR to a "
            "folder that can"
        ) from error
    with open(cache / f"{name}.lock", "w") as lock, tempfile.TemporaryDirectory(dir=cache) as temporary:
        # Processes that start together, as those of a test run do, build once; where a file system has no locks, each.
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        # The compiled files are those that were hashed, even if they are edited meanwhile.
        sources, target = Path(temporary, "sources"), Path(temporary, "target")
        sources.mkdir()
        target.mkdir()
        for path in inputs:
            shutil.copy(path, sources)
        folder = cache / f"{name}-{digest(sources, [COMPILER, *FLAGS, *products])}"
        if not folder.exists():
            print(f"cudasim: building {', '.join(products)} ...", file=sys.stderr, flush=True)
            make(products, sources, target)
            for file in kept:
                shutil.copy(sources / file, target)
            try:
                target.rename(folder)
            except OSError:
                # Another process was faster.
                if not folder.exists():
                    raise
    return folder


def find_real_nvrtc(places):
    """The newest libnvrtc of NVIDIA's wheel in folders of packages, or None."""
    for place in places:
        found = sorted(Path(place).glob("nvidia/*/lib/libnvrtc.so.*"))
        if found:
            return str(found[-1])
    return None


def libraries_of(env):
    """Builds what is not built yet; returns the settings that name the simulated libraries."""
    cache = Path(env.get("CUDASIM_CACHE_DIR") or Path.home() / ".cache" / "cuarray-cudasim")
    files = [path for path in SOURCES.iterdir() if path.suffix in (".cpp", ".h", ".def")]
    nvrtc_files = {f"{source}.cpp" for source in NVRTC_SOURCES + JUDGE_SOURCES} | NVRTC_HEADERS
    elsewhere = nvrtc_files - SHARED_HEADERS | OF_LIBRARIES
    driver_files = [path for path in files if path.name not in elsewhere]
    driver_sources = [path.stem for path in driver_files if path.suffix == ".cpp"]
    driver = build(cache, "driver", {"libcuda.so.1": driver_sources}, driver_files)
    nvrtc_products = {"libnvrtc-cudasim.so": NVRTC_SOURCES, "real-nvrtc": JUDGE_SOURCES}
    nvrtc_inputs = [path for path in files if path.name in nvrtc_files] + PTX_FILES
    kept = ["simt_prelude.h", "module_abi.h", *(path.name for path in PTX_FILES)]
    nvrtc = build(cache, "nvrtc", nvrtc_products, nvrtc_inputs, kept)
    library_products = {f"lib{name}-cudasim.so": [name, "client"] for name in LIBRARIES}
    library_inputs = [path for path in files if path.name in LIBRARY_FILES]
    libraries = build(cache, "libraries", library_products, library_inputs)
    named = {f"CUARRAY_LIB{name.upper()}": str(libraries / f"lib{name}-cudasim.so") for name in LIBRARIES}
    named = {name: env.get(name, path) for name, path in named.items()}
    named["CUARRAY_LIBCUDA"] = str(driver / "libcuda.so.1")
    named["CUARRAY_LIBNVRTC"] = str(nvrtc / "libnvrtc-cudasim.so")
    # Simulated cubins must never share a cache with real ones or those of another kind, not even in a run that another
    # run has started.
    kind = ("checked" if env.get("CUDASIM_CHECK") == "1" else "plain") + ("-ptx" if runs_ptx(env) else "")
    if Path(env.get("CUARRAY_CACHE_DIR", cache)).is_relative_to(cache):
        named["CUARRAY_CACHE_DIR"] = str(nvrtc / f"cuarray-cache-{kind}")
    return named


def runs_ptx(env):
    runs = env.get("CUDASIM_RUNS") or "text"
    if runs not in ("text", "ptx"):
        raise SimulatorError(f"CUDASIM_RUNS is text or ptx, not {runs}")
    return runs == "ptx"


def environment(env, places):
    """The settings of a program on simulated GPUs, on top of its environment.

    `places` are the folders of packages in which the real NVRTC is looked for. Raises SimulatorError, with the command
    that helps, if a compiler or NVRTC is missing.
    """
    require_compiler()
    added = {**libraries_of(env), "CUDASIM_PYTHON": sys.executable}
    wanted = env.get("CUDASIM_REAL_NVRTC", "")
    if wanted in ("", "1"):
        found = find_real_nvrtc(places)
        if wanted == "1" and not found:
            raise SimulatorError("CUDASIM_REAL_NVRTC=1, but the wheel nvidia-cuda-nvrtc is not installed")
        added["CUDASIM_REAL_NVRTC"] = wanted = found or "0"
    if runs_ptx(env) and wanted == "0":
        raise SimulatorError(
            "kernels are compiled by NVIDIA's NVRTC, which needs no GPU and is not installed; type: "
            "pip install nvidia-cuda-nvrtc   (CUDASIM_RUNS=ptx needs the wheel nvidia-cuda-nvrtc, or a path in "
            "CUDASIM_REAL_NVRTC)"
        )
    return added
