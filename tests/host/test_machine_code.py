"""Machine code of fused operations: equal results without it, where the system refuses it, in threads and after a fork."""

import json
import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import json, os, threading
import numpy as np
import cuarray as ca
from cuarray import _core

rng = np.random.default_rng(0)
x, y, z = (ca.array(rng.normal(size=3001)) for _ in range(3))
results = []

@ca.fuse
def chain(x, y, z, k):
    t = x * y + z
    for _ in range(k):
        t = ca.where(t > y, t * 0.5 - x, ca.minimum(t, z) + abs(x))
    return t / (z * z + 1.0)

def run(into):
    for k in range(12):
        for _ in range(2):
            into.append(chain(x, y, z, k).numpy().tobytes().hex()[:64])

run(results)
others = [[] for _ in range(4)]
threads = [threading.Thread(target=run, args=(other,)) for other in others]
[t.start() for t in threads]
if CHILD:
    if (child := os.fork()) == 0:
        mine = []
        run(mine)
        os._exit(mine != results)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
[t.join() for t in threads]
assert all(other == results for other in others)
print(json.dumps([json.loads(_core.describe("cpu"))["machine_code"], results]))
"""

REFUSES = r"""
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
extern "C" int mprotect(void* address, size_t bytes, int protection) {
    if (protection & PROT_EXEC) return errno = EACCES, -1;
    static auto real = (int (*)(void*, size_t, int))dlsym(RTLD_NEXT, "mprotect");
    return real(address, bytes, protection);
}
"""


def run(child=False, **environment):
    program = PROGRAM.replace("CHILD", str(child)).replace("", "")
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_the_same_results_without():
    (state, with_code), (off, without) = run(), run(CUARRAY_JIT="off")
    assert state in ("avx512", "avx2", "none for this processor") and off in ("off", "none for this processor")
    assert with_code == without
    less, with_less = run(CUARRAY_JIT="avx2")
    assert (
        less == ("none for this processor" if state == "none for this processor" else "avx2") and with_less == without
    )
    level, by_level = run(CUARRAY_CPU_LEVEL="base")
    assert level == "none for this processor" and by_level == without


def test_a_fork_while_threads_make_code():
    assert run(child=True) == run()


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_a_system_that_refuses_executable_memory(tmp_path):
    (tmp_path / "refuses.cpp").write_text(REFUSES)
    library = tmp_path / "refuses.so"
    subprocess.run(["g++", "-shared", "-fPIC", tmp_path / "refuses.cpp", "-o", library, "-ldl"], check=True)
    state, results = run(LD_PRELOAD=str(library))
    assert state in ("refused by the system", "none for this processor")
    assert results == run()[1]
