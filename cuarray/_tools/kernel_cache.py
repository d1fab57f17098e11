"""The cache of compiled kernels, from the command line: `python -m cuarray cache show|clear|warm`."""

import argparse
import json
import os
import sys
import time

from cuarray import _core
from cuarray._arguments.functions import ones
from cuarray._core import CudaError
from cuarray._namespace.package import package
from cuarray._runtime.fuse import eager
from cuarray._tools.doctor import bytes_text, cache_folder
from cuarray._tools.profile import profile

# How src/cuda/cache.cpp names its files.
KERNELS, LEFT_OVERS, STAMP = "*.kernel", "*.temporary.*", "swept"
DTYPES = ("bool", "int32", "int64", "float32", "float64", "complex64")


def show():
    """Return what the cache holds.

    Returns
    -------
    dict
        'directory', 'kernels' (the number of files), 'bytes', 'limit', and the last use of the oldest and the
        newest file ('oldest', 'newest': seconds since 1970, None if there is none).

    Examples
    --------
    >>> from cuarray._tools import kernel_cache
    >>> sorted(kernel_cache.show())
    ['bytes', 'directory', 'kernels', 'limit', 'newest', 'oldest']
    """
    folder = cache_folder()
    states = []
    for file in folder.glob(KERNELS):
        try:
            states.append(file.stat())
        except FileNotFoundError:  # removed by another process
            continue
    used = [state.st_mtime for state in states]
    return {
        "directory": str(folder),
        "kernels": len(states),
        "bytes": sum(state.st_size for state in states),
        "limit": 1 << 30,
        "oldest": min(used, default=None),
        "newest": max(used, default=None),
    }


def clear():
    """Remove the cache's own files, and nothing else.

    Returns
    -------
    dict
        'directory', the number of 'removed' files and their 'bytes'.

    Raises
    ------
    PermissionError
        If the folder belongs to another user.
    """
    folder = cache_folder()
    removed = freed = 0
    if folder.exists() and folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"cache: {folder} belongs to another user; choose one with CUARRAY_CACHE_DIR")
    for pattern in (KERNELS, LEFT_OVERS, STAMP):
        for file in folder.glob(pattern):
            freed += file.stat().st_size
            removed += 1
            file.unlink(missing_ok=True)
    return {"directory": str(folder), "removed": removed, "bytes": freed}


def common_calls(device):
    """Yield (name, function of no arguments) for every row and reduction in the common types."""
    for dtype in DTYPES:
        flat = ones(64, dtype=dtype, device=device)
        table = ones((20, 40), dtype=dtype, device=device)
        views = (flat, table[:, ::2])
        for name, function in _core.ufuncs.items():
            yield f"{name} {dtype}", lambda f=function, v=views: [f(*[x] * f.nin) for x in v]
        for name in (row["name"] for row in _core.reductions()):
            function = getattr(package(), name, None)
            function = getattr(function, "reduce", function)
            if function is not None:
                yield (
                    f"{name} {dtype}",
                    lambda f=function, t=table: [f(t.reshape(-1)), f(t, axis=0), f(t, axis=1)],
                )
        for other in DTYPES:
            yield f"{dtype} to {other}", lambda x=flat, t=other: x.astype(t)


def warm(device):
    """Compile the common kernels for a device, so that programs find them in the cache.

    Parameters
    ----------
    device : device or str

    Returns
    -------
    dict
        'device', 'calls' made, and kernels 'compiled', found on 'disk', or 'failed'; 'seconds'.
    """
    from tqdm import tqdm

    start = time.perf_counter()
    calls = list(common_calls(device))
    builds, failed = {"compiled": 0, "disk": 0}, {}
    for name, call in tqdm(calls, desc=f"kernels for {device}", unit=" calls", file=sys.stderr):
        with profile() as p, eager():
            try:
                call()
            except (TypeError, ValueError):  # no such loop, or no valid argument for it
                pass
            except CudaError as error:
                failed[name] = str(error).partition("\n")[0]
        for event in p.events:
            if event.build in builds:
                builds[event.build] += 1
    _core.synchronize(device)
    seconds = round(time.perf_counter() - start, 3)
    return {"device": str(device), "calls": len(calls), **builds, "failed": failed, "seconds": seconds}


def text_of(command, facts):
    if command == "show":
        if not facts["kernels"]:
            return f"{facts['directory']}   no kernels"
        age = (time.time() - facts["newest"]) / 3600
        return (
            f"{facts['directory']}   {facts['kernels']} kernels, {bytes_text(facts['bytes'])} of at most "
            f"{bytes_text(facts['limit'])}, last used {age:.1f} hours ago"
        )
    if command == "clear":
        return f"{facts['directory']}   {facts['removed']} files removed, {bytes_text(facts['bytes'])}"
    lines = [
        f"{facts['device']}   {facts['compiled']} kernels compiled, {facts['disk']} were there already, "
        f"{facts['seconds']:.1f} s"
    ]
    return "\n".join([*lines, *(f"  FAILED {name}: {why}" for name, why in facts["failed"].items())])


def main(arguments=None):
    """Run the command; return 1 if it failed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m cuarray cache", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("command", choices=("show", "clear", "warm"), nargs="?", default="show")
    parser.add_argument("--device", default="cuda:0", help="the GPU to compile for (warm); cuda:0 by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        if options.command == "warm":
            device = _core.device(options.device)
            if "nvrtc" not in json.loads(_core.describe(device)):
                parser.exit(1, f"cache: nothing is compiled for {device}; name a GPU with --device\n")
            facts = warm(device)
        else:
            facts = {"show": show, "clear": clear}[options.command]()
    except (OSError, ValueError, CudaError) as error:
        parser.exit(1, f"cache: {error}\n")
    print(json.dumps(facts, indent=2) if options.json else text_of(options.command, facts))
    return 1 if facts.get("failed") else 0
