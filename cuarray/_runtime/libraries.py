"""The location of NVIDIA's libraries on this machine; searched at the first use of CUDA, never at import."""

import os


def override(name):
    """Return the environment variable that names the file of a library, for example CUARRAY_LIBNVRTC."""
    return f"CUARRAY_LIB{name.upper()}"


def locate(name, major):
    """Find one of NVIDIA's libraries.

    Parameters
    ----------
    name : str
        'nvrtc', 'cublas', 'cusolver' or 'cufft'.
    major : int
        The required major version of CUDA.

    Returns
    -------
    str
        The path of the library, or '' if there is none of that version.

    Notes
    -----
    The environment variable CUARRAY_LIBNVRTC (CUARRAY_LIBCUBLAS, ...) comes first, then NVIDIA's package of
    the required version. Libraries of conda and of the system are found with cuda-pathfinder, which does not
    consider the driver; a library of another major version is skipped.
    """
    chosen = os.environ.get(override(name))
    if chosen:
        return chosen
    return in_packages(name, major) or by_pathfinder(name, major)


def in_packages(name, major):
    """Return the library of NVIDIA's package for this major version, or ''."""
    import sys
    from pathlib import Path

    # The folders of NVIDIA's packages: one for all libraries since CUDA 13, one for each before.
    folders = [f"nvidia/cu{major}/lib", f"nvidia/cuda_{name}/lib", f"nvidia/{name}/lib"]
    for root in sys.path:
        for folder in folders:
            for file in sorted(Path(root or ".", folder).glob(f"lib{name}.so.*")):
                if version_of(name, file.name) == major:
                    return str(file)
    return ""


def by_pathfinder(name, major):
    """Return the library that cuda-pathfinder finds, if it is of this major version, or ''."""
    try:
        from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    except ImportError:
        return ""
    try:
        found = load_nvidia_dynamic_lib(name).abs_path
    except (DynamicLibNotFoundError, RuntimeError):
        return ""
    file = os.path.basename(os.path.realpath(found or ""))
    return found if version_of(name, file) == major else ""


def version_of(name, file):
    """Return the major version of CUDA that a library belongs to, read from its file name, or None.

    cuBLAS has CUDA's major version; cuFFT and cuSOLVER are one behind since CUDA 12.
    """
    numbers = file.partition(".so.")[2].split(".")
    if not numbers[0].isdigit():
        return None
    return int(numbers[0]) + (1 if name in ("cufft", "cusolver") else 0)
