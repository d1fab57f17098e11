"""The backend test program of this folder, built once per session and run on simulated GPUs."""

import fcntl
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SIMULATOR = [sys.executable, str(ROOT / "tests" / "cudasim" / "run")]
#: How the simulated drivers make progress on which a script runs, unless a test says so; a plain run takes the last.
drivers = ("lazy", "random")
NOT_IN_PROGRAM = {f"compare_{name}_api.cpp" for name in ("driver", "nvrtc", "cublas", "cufft", "cusolver")}


def build(package: Path, folder: Path) -> Path:
    """Compile the program against the library in `package`; processes that share the folder compile it once."""
    program = folder / "backend"
    with open(folder / "backend.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            compile_program(package, folder, program)
    return program


def compile_program(package: Path, folder: Path, program: Path) -> None:
    sources = [file for file in sorted(HERE.glob("*.cpp")) if file.name not in NOT_IN_PROGRAM]
    flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}"]
    flags.append(f"-I{ROOT / 'tests'}")
    objects = [folder / f"{source.stem}.o" for source in sources]
    compiler = ["ccache", "g++"] if shutil.which("ccache") else ["g++"]

    def compile_one(source: Path, binary: Path) -> None:
        subprocess.run([*compiler, *flags, "-c", str(source), "-o", str(binary)], check=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, sources, objects))
    link = ["g++", *map(str, objects), f"-L{package}", "-lcuarray", f"-Wl,-rpath,{package}"]
    subprocess.run([*link, "-ldl", "-lpthread", "-o", str(program)], check=True)


def run(command: list, seconds: float = 600, **settings: object) -> subprocess.CompletedProcess:
    """Run a command with simulated GPUs; settings are environment variables."""
    environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
    return subprocess.run(
        [*SIMULATOR, *map(str, command)], env=environment, capture_output=True, text=True, timeout=seconds
    )


def check(command: list, **settings: object) -> str:
    """Run a command that must pass; return its output."""
    result = run(command, **settings)
    said = result.stdout + result.stderr
    assert result.returncode == 0 and "passed" in result.stdout, f"{settings}\n{said[-4000:]}"
    return result.stdout
