"""The report of `python -m cuarray`: devices, libraries, faults, and the commands that fix them."""

import json
import os
import platform
import re
import stat
import tempfile
import time
from pathlib import Path

import numpy as np

from cuarray import _core
from cuarray._arguments.ufuncs import sin
from cuarray._core import CudaError
from cuarray._functions.creation import asarray
from cuarray._runtime.fuse import fuse
from cuarray._runtime.settings import SETTINGS, fault, faults_of_settings

NVIDIA = "0x10de"  # the vendor's number on the PCI bus
DISPLAY = "0x03"  # the class of graphics devices there


def report():
    """Return the full report as a dictionary that can be written as JSON.

    Returns
    -------
    dict
        'versions', 'package', 'processor', 'default_device', 'devices' (each with its self-test), 'missing'
        (kinds of devices and why), 'graphics_devices', 'cache', 'settings', and 'faults': each with the
        command that fixes it.

    Examples
    --------
    >>> from cuarray._tools import doctor
    >>> doctor.report()["versions"]["cuarray"] == ca.__version__
    True
    """
    faults = []
    try:
        default = str(_core.default_device())
    except (ValueError, CudaError) as error:
        default = None
        faults.append(fault(str(error), "unset CUARRAY_DEVICE"))
    devices = [examine(device, faults) for device in _core.devices()]
    missing = {"cuda": _core.missing_reason("cuda")}
    gpus = graphics_devices()
    command = remedy(missing["cuda"]) or (driver_command() if missing["cuda"] and gpus else "")
    if command and os.environ.get("CUARRAY_DEVICE") != "cpu":
        has = "this machine has an NVIDIA GPU that" if gpus else "GPUs"
        faults.append(fault(f"{has} cannot be used: {missing['cuda']}", command))
    reported = {setting for each in faults for setting in SETTINGS if setting in each["what"]}
    faults += faults_of_settings(os.environ, reported)
    return {
        "versions": {
            "cuarray": _core.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            platform.system().lower(): platform.machine(),
            platform.libc_ver()[0] or "libc": platform.libc_ver()[1],
        },
        "package": str(Path(_core.__file__).parent),
        "processor": processor(),
        "default_device": default,
        "devices": devices,
        "missing": {kind: reason for kind, reason in missing.items() if reason},
        "graphics_devices": gpus,
        "cache": cache(faults),
        "settings": {name: value for name, value in sorted(os.environ.items()) if name.startswith("CUARRAY_")},
        "faults": faults,
    }


def examine(device, faults):
    """Return a device's properties and the result of its self-test; faults are added to the list."""
    try:
        found = {"device": str(device), **json.loads(_core.describe(device))}
    except (ValueError, CudaError) as error:
        faults.append(fault(f"{device}: {error}", command_for(error)))
        return {"device": str(device), "name": str(device), "self_test": f"FAILED: {error}"}
    if found.get("processor_level", "") > found.get("level", "") and "CUARRAY_CPU_LEVEL" not in os.environ:
        level = found["processor_level"]
        what = f"{device}: slower than it could be: cuarray was built without the processor's level {level}"
        faults.append(fault(what, "CUARRAY_ISA_LEVELS=all pip install --force-reinstall --no-deps ."))
    if found.get("machine_code") == "refused by the system":
        what = f"{device}: fused operations are slower than they could be: the system refuses executable memory"
        faults.append(fault(what, "export CUARRAY_JIT=off"))
    lacking = found.get("nvrtc", {}).get("missing")
    if lacking:
        major = int(found["driver_cuda_version"].partition(".")[0])
        extra = f"cuda{min(max(major, 12), 13)}"
        faults.append(fault(f"{device}: {lacking}", f'pip install "cuarray[{extra}]"'))
        found["self_test"] = "not run: there is nothing to compile kernels with"
        return found
    try:
        found["self_test"] = f"passed in {self_test(device) * 1e3:.1f} ms"
    except Exception as error:
        found["self_test"] = f"FAILED: {type(error).__name__}: {error}"
        faults.append(fault(f"{device}: the self-test failed: {error}", command_for(error)))
    return found


def command_for(error):
    """Return what to type after an error of a device: without the setting that it names, else without GPUs."""
    setting = str(error).partition(":")[0]
    return f"unset {setting}" if setting in os.environ else "CUARRAY_DEVICE=cpu python -m cuarray"


def self_test(device):
    """Run one fused kernel on a device, compare it with NumPy, and return the seconds that it took."""
    a, b, c = (np.linspace(low, 3, 1000, dtype=np.float32) for low in (-1, 0, 1))
    x, y, z = (asarray(host, device=device) for host in (a, b, c))
    start = time.perf_counter()
    with fuse():
        result = x * y + sin(z)
    result = result.numpy()
    seconds = time.perf_counter() - start
    np.testing.assert_allclose(result, a.astype("f8") * b + np.sin(c.astype("f8")), rtol=1e-5, atol=1e-6)
    return seconds


def graphics_devices():
    """Return the addresses of NVIDIA's GPUs on the PCI bus, also of those without a driver."""
    found = []
    for device in sorted(Path("/sys/bus/pci/devices").glob("*")):
        try:
            vendor, kind = (device / name for name in ("vendor", "class"))
            if vendor.read_text().strip() == NVIDIA and kind.read_text().startswith(DISPLAY):
                found.append(device.name)
        except OSError:
            continue
    return found


#: Words of the reason why no GPU can be used, and the command to run for them. A machine without a
#: driver or a GPU has no fault.
REMEDIES = (
    (r"CUARRAY_LIBNVRTC cannot be used", "unset CUARRAY_LIBNVRTC"),
    (r"driver .*(too old|lacks)", "sudo apt install nvidia-driver-580   (in a container: on its host)"),
    (r"no NVRTC for this driver .*: (pip install [^;]*);", r"\1"),
    # CUDA 12 is the last version that compiles for these.
    (r"cannot compile for compute capability [567]\.", 'pip install "cuarray[cuda12]"'),
    (r"cuInit: .*\(803\)", "sudo reboot   (the driver was updated, its module in the kernel is the old one)"),
    (r"cuInit: .*\((?!100\))", "nvidia-smi   (it says more about what is wrong with the driver)"),
    (r"cannot compile for compute capability", "export CUARRAY_DEVICE=cpu   (or use a newer GPU)"),
)


def remedy(reason):
    """Return the command that fixes a reason why no GPU can be used, or "" if none is known.

    Examples
    --------
    >>> from cuarray._tools import doctor
    >>> doctor.remedy("CUARRAY_LIBNVRTC cannot be used: ...")
    'unset CUARRAY_LIBNVRTC'
    """
    if os.environ.get("CUARRAY_LIBCUDA") and reason.startswith("no NVIDIA driver"):
        return "unset CUARRAY_LIBCUDA"
    for words, command in REMEDIES:
        if found := re.search(words, reason):
            return found.expand(command)
    return ""


def driver_command():
    """Return the command to run if there is a GPU but no working driver."""
    if Path("/.dockerenv").exists():
        return "docker run --gpus all ..."
    return "sudo apt install nvidia-driver   (Ubuntu: sudo ubuntu-drivers install)"


def processor():
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def cache_folder():
    """Return the folder of the kernel cache, whether it exists or not."""
    return Path(os.environ.get("CUARRAY_CACHE_DIR") or Path("~/.cache/cuarray/v1").expanduser())


def cache(faults):
    """Return the folder of the kernel cache, its size in bytes, and whether it is writeable."""
    folder = cache_folder()
    reason = why_unusable(folder)
    if reason:
        what = f"kernels cannot be kept in {folder}: {reason}"
        faults.append(fault(what, "export CUARRAY_CACHE_DIR=$HOME/cuarray-cache"))
    size = 0 if reason else sum(file.stat().st_size for file in folder.glob("*") if file.is_file())
    return {"directory": str(folder), "bytes": size, "writable": not reason}


def why_unusable(folder):
    """Return why the kernel cache cannot write into a folder, which may not exist yet, or "" if it can."""
    existing = folder
    while not os.path.exists(existing) and existing != existing.parent:
        existing = existing.parent
    try:
        # A trial: permissions do not tell it, for root or in /proc.
        with tempfile.TemporaryDirectory(prefix="cuarray-", dir=existing):
            pass
        state = folder.stat() if existing == folder else None
    except OSError as error:
        return error.strerror
    # What src/cuda/cache.cpp refuses.
    if state and state.st_uid != os.geteuid():
        return "it belongs to another user"
    if state and state.st_mode & stat.S_IWOTH:
        return "it is writable by everybody"
    return ""


# The report as text.


def bytes_text(count):
    """Return a number of bytes as a short text.

    Examples
    --------
    >>> from cuarray._tools import doctor
    >>> doctor.bytes_text(3 * 2**30), doctor.bytes_text(900)
    ('3.0 GiB', '900 bytes')
    """
    for exponent, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**exponent:
            return f"{count / 1024**exponent:.1f} {unit}"
    return f"{count} bytes"


def lines_of(found):
    """Return a device's properties as (label, text) pairs."""
    for key, value in found.items():
        label = key.replace("_", " ")
        if key in ("device", "name", "self_test"):
            continue
        if "memory" in key and not isinstance(value, bool):
            value = bytes_text(value)
        elif isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, dict):
            value = ", ".join(f"{k} {bytes_text(v) if k == 'bytes' else v}" for k, v in value.items() if v != "")
        yield label, value
    yield "self-test", found["self_test"]


def text(known):
    """Return the report as plain text."""
    versions = known["versions"]
    lines = [
        "   ".join(f"{name} {version}" for name, version in versions.items()),
        f"in {known['package']}",
    ]
    for found in known["devices"]:
        mark = "   (default)" if found["device"] == known["default_device"] else ""
        name = known["processor"] if found["name"] == found["device"] else found["name"]
        lines += ["", f"{found['device']}   {name}{mark}"]
        lines += [f"    {label:20} {value}" for label, value in lines_of(found)]
    for kind, reason in known["missing"].items():
        lines += ["", f"{kind}   not available", f"    {reason}"]
    stored = known["cache"]
    state = bytes_text(stored["bytes"]) if stored["writable"] else "cannot be written"
    lines += ["", f"kernel cache   {stored['directory']}   ({state})"]
    lines += [f"setting        {name}={value}" for name, value in known["settings"].items()]
    if not known["faults"]:
        return "\n".join([*lines, "", "No faults."])
    lines += ["", "Faults, and what to type:"]
    for number, trouble in enumerate(known["faults"], start=1):
        lines += [f"  {number}. {trouble['what']}", f"         {trouble['command']}"]
    return "\n".join(lines)


def main(arguments=None):
    """Print the report; return 1 if there is a fault, else 0."""
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m cuarray",
        usage="python -m cuarray [-h] [--version] [--cmake-dir] [--json]\n"
        "       python -m cuarray [--device D] [--report[=FILE.html]] [--check] (script.py | -m module) ...\n"
        "       python -m cuarray --simulate [N] [--memcheck] ... (script.py | -m module) ...\n"
        "       python -m cuarray cache [show|clear|warm] ...",
        description="Tell which devices and libraries there are, and the command that fixes each fault.",
        epilog="With a script or a module: run it, with cuarray.numpy wherever it imports NumPy. "
        "With --simulate: on simulated GPUs, and NumPy stays (docs/guide/simulated.md). "
        "python -m cuarray cache --help: what to do with the cache of compiled kernels",
    )
    parser.add_argument("--version", action="version", version=f"cuarray {_core.__version__}")
    parser.add_argument("--cmake-dir", action="store_true", help="print the folder of find_package(cuarray)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    if options.cmake_dir:
        print(os.path.join(os.path.dirname(_core.__file__), "cmake"))
        return 0
    known = report()
    print(json.dumps(known, indent=2) if options.json else text(known))
    return 1 if known["faults"] else 0
