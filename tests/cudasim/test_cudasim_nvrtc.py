"""The simulated NVRTC, and the command `run`."""

import os
import shutil
import subprocess
import uuid
from pathlib import Path

from simulated import HERE, environment, run


def test_nvrtc_options_architectures_and_logs():
    program = """
    d = Driver()
    def attempt(text, *options):
        try:
            d.compile(text, options)
        except RuntimeError as error:
            return str(error)
        return "good"
    print(attempt(FILL, "-arch=sm_90", "-fmad=false", "-minimal", "-std=c++17"))
    print(attempt(FILL, "-arch=sm_90", "--no-such-option"))
    print(attempt(FILL, "-arch=sm_42"))
    print(attempt("extern C nonsense", "-arch=sm_90"))
    for option, kind in (("-arch=sm_75", "CUBIN"), ("-arch=sm_90", "CUBIN"), ("-arch=compute_75", "PTX")):
        print(code_of(d.module, d.compile(FILL, [option], kind)))
    """
    lines = run(program)[0].splitlines()
    assert lines[0] == "good"
    assert "nvrtc 5" in lines[1] and "--no-such-option" in "".join(lines)
    assert any("nvrtc 6" in line for line in lines)
    assert lines[-3:] == ["209", "0", "0"]
    assert "nvrtc 5" in run(program, driver=12000)[0].splitlines()[0]


def test_copies_named_like_nvidias_are_of_their_versions(tmp_path):
    """CUDA 13 has no compiler for GPUs before Turing; two copies in one process are of two versions."""
    ours = Path(environment()["CUARRAY_LIBNVRTC"])
    for header in ours.parent.glob("*.h"):
        shutil.copy(header, tmp_path)
    for major in (12, 13):
        shutil.copy(ours, tmp_path / f"libnvrtc.so.{major}")
    program = f"""
    import os
    for major in (12, 13):
        os.environ["CUARRAY_LIBNVRTC"] = {str(tmp_path)!r} + f"/libnvrtc.so.{{major}}"
        d = Driver()
        version, minor, count = c_int(), c_int(), c_int()
        d.nvrtc.nvrtcVersion(byref(version), byref(minor))
        d.nvrtc.nvrtcGetNumSupportedArchs(byref(count))
        known = (c_int * count.value)()
        d.nvrtc.nvrtcGetSupportedArchs(known)
        print(version.value, known[0], code_of(d.module, d.compile(FILL, ["-arch=compute_75"], "PTX")))
        try:
            print(code_of(d.module, d.compile(FILL, ["-arch=sm_70"])))
        except RuntimeError as error:
            print("nvrtc 5" in str(error))
    """
    lines = run(program, cc="7.0", real_nvrtc=0)[0].splitlines()
    assert lines == ["12 50 209", "0", "13 75 209", "True"]


def test_contraction_shows_where_it_was_not_forbidden():
    program = """
    text = 'extern "C" __global__ void k(float* out, float a, float b, float c) { *out = a * b + c; }'
    d = Driver()
    o = d.alloc(4)
    for fmad in ("true", "false"):
        k = d.kernel(text, "k", ["-arch=sm_90", "-fmad=" + fmad])
        d.launch(k, 1, 1, [o, c_float(1 + 2**-12), c_float(1 + 2**-12), c_float(-1)])
        print(floats(d.download(o, 4))[0] == 2**-11 + 2**-24)
    """
    assert run(program)[0] == "True\nFalse\n"


def test_kernels_are_kept_on_disk():
    text = f"FILL + '//{uuid.uuid4().hex}'"
    program = "import os; d = Driver(); {change} d.compile(" + text + "); print('ok')"
    no_compiler = "os.environ['PATH'] = '/nowhere';"
    said = run(program.format(change=no_compiler), expect=1)[1]
    assert "g++ is needed to run kernels on simulated GPUs; install it: sudo apt install g++" in said
    assert run(program.format(change=""))[0] == "ok\n"
    assert run(program.format(change=no_compiler))[0] == "ok\n"


def test_run_explains_itself_and_reports_what_it_cannot_run():
    shown = subprocess.run([str(HERE / "run"), "--help"], capture_output=True, text=True, check=True)
    assert "CUDASIM_PROGRESS" in shown.stdout
    missing = subprocess.run([str(HERE / "run"), "no-such-command"], capture_output=True, text=True)
    assert missing.returncode == 1 and "no-such-command" in missing.stderr


def test_kernels_of_checked_and_plain_runs_lie_apart():
    """A checked run inside a plain one uses another kernel cache, unless the user names a folder."""

    def folder(*command, **settings):
        environment = {k: v for k, v in {**os.environ, "CUDASIM_CHECK": "0", **settings}.items() if v}
        command = [str(HERE / "run"), *command, "printenv", "CUARRAY_CACHE_DIR"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    nested = folder("env", "CUDASIM_CHECK=1", str(HERE / "run"), CUARRAY_CACHE_DIR="")
    assert nested == folder(CUARRAY_CACHE_DIR="", CUDASIM_CHECK="1") != folder(CUARRAY_CACHE_DIR="")
    assert folder(CUARRAY_CACHE_DIR="/nowhere") == "/nowhere\n"
