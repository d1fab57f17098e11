"""waiting_calls.py -- makes every public call with arrays of a GPU whose work waits for a host function in Python.

    python tests/cuda/waiting_calls.py [FIRST] [all | few]

A call that waits for the GPU with the GIL held never returns, because the host function needs the GIL; the process then ends
with the traceback of the call, whose number and text it has printed. Calls are listed from the API: functions by their
signatures (tests/fuzz/arguments.py), methods and attributes of every public class by name. Each is first made without the
host function: that compiles its kernels, and those that raise are left out.
"""

import contextlib
import ctypes
import faulthandler
import os
import random
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))

from arguments import ALL, FORMS, KINDS, parameters

import cuarray as ca

SECONDS = 30
LEFT_OUT = {"set_allocator", "register_flush", "flush_peers", "limit"}
MODULES = [ca.linalg, ca.fft, ca.random, ca.memory, ca.testing, ca.lib.stride_tricks]
#: Arguments that fit most functions and methods, of which those that raise are left out.
GENERIC = [
    "",
    "x0",
    "s0",
    "x0, x1",
    "x0, 1",
    "x3",
    "1",
    "s0, s0",
    "x2",
    "'f4'",
    "x6, x6",
    "[x0, x1]",
    "'cpu'",
    "np.zeros((3, 4))",
]
#: Classes, and what makes an object of each that has work before it.
OBJECTS = {
    ca.ndarray: ["x0", "s0", "x3", "x6[0]"],
    ca.Stream: ["stream"],
    ca.Event: ["ca.Event().record(stream) or event"],
    ca.device: ["x0.device"],
    ca.random.Generator: ["rng"],
}
#: Statements of Python that ask an object for a value.
STATEMENTS = """
float(s0); int(s0); bool(s0); complex(s0); hash(s0[()]); format(s0, '.2f'); f'{s0}'; str(x0); repr(x0); list(x3); [float(v) for v in x4]
math.sin(s0); math.floor(s0); math.isclose(s0, 1); round(s0); divmod(s0, 2); range(n0); [1, 2, 3][n0]; bytes(x0.numpy())
1 if (x0 > 1).any() else 2; x0.any() and 1; not s0; s0 in [1, 2]; 1.5 in x0; min(x4); max(x4); sum(x4); sorted(x4); any(x2[0]); all(x2[0])
x0[x2]; x0[x3]; x0[x2] = 1; x0[x2] = x1[x2]; x0[n0]; x0[n0:2]; x0[n0] = 5; x0[0, 0] = s0; x0[np.array([0, 1])]; np.asarray(x0.numpy())
json.dumps(x0.tolist()); pickle.dumps(x0); copy.deepcopy(x0); '%d' % n0; '{:d}'.format(int(n0)); x0 == x1; s0 == 1 and 2
with_profile(); with_timing(); with_graph(); ca.deterministic(lambda: float(s0))(); with_fuse(); stream.__dlpack__ if 0 else x0.__dlpack__(stream=1)
ca.from_dlpack(x0.__dlpack__ and x0); ca.asarray(x0, device='cpu'); ca.copyto(host, x0); host.sum(); np.asarray(host).sum(); host[0, 0] = 1
x0.numpy(out=np.zeros((3, 4))); x0.numpy(blocking=False); x0.to_device('cpu'); x0.device.synchronize(); x0.device.memory_info(); del_array()
""".replace("\n", ";")  # fmt: skip


class Gate:
    """Host functions in a stream: the work behind one waits until Python has run it."""

    def __init__(self):
        self.driver = ctypes.CDLL(os.environ.get("CUARRAY_LIBCUDA") or "libcuda.so.1")
        self.passed = 0
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.count)

    def count(self, _):
        self.passed += 1

    def close(self, stream):
        code = self.driver.cuLaunchHostFunc(ctypes.c_void_p(stream.handle), self.function, None)
        assert code == 0, f"cuLaunchHostFunc: error {code}"


def call_of(name, rng):
    """Return a call of a function with arguments that its signature names."""
    texts = []
    for parameter, kind, how in parameters(name):
        if how == "more" or how == "must" or (how == "keyword" and rng.random() < 0.2):
            text = rng.choice(KINDS[kind][:4])
            texts.append(f"{parameter}={text}" if how == "keyword" else text)
    return f"xp.{name}({', '.join(texts)})"


def calls():
    """Return the texts of all calls."""
    rng = random.Random(1)
    found = [text.strip() for text in STATEMENTS.split(";") if text.strip()]
    for name in ALL:
        found += [call_of(name, rng) for _ in range(2)]
    for module in MODULES:
        prefix = module.__name__.replace("cuarray", "ca", 1)
        names = [
            name for name in module.__all__ if name not in LEFT_OUT and not isinstance(getattr(module, name), type)
        ]
        found += [f"{prefix}.{name}({arguments})" for name in names for arguments in GENERIC]
    for kind, objects in OBJECTS.items():
        for name in dir(kind):
            if name in (
                "__class__",
                "__init__",
                "__init_subclass__",
                "__subclasshook__",
                "__new__",
                "__getattribute__",
                "__setattr__",
                "__delattr__",
            ):
                continue
            for text in objects:
                found += [f"({text}).{name}"]
                if callable(getattr(kind, name)):
                    found += [f"({text}).{name}({arguments})" for arguments in GENERIC]
    for form in FORMS:
        text = form
        for kind, texts in KINDS.items():
            text = text.replace("{" + kind + "}", texts[0])
        found.append(text)
    return list(dict.fromkeys(found))


def arrays(gate, stream):
    """Return the names in calls; the arrays are computed once the host function has run."""
    if gate:
        gate.close(stream)
    x0 = ca.arange(12.0).reshape(3, 4) + 1
    x1, x4 = x0 * 2, ca.arange(3.0) + 1
    n0 = (ca.arange(3) + 1)[0]
    host = ca.zeros((3, 4), memory="pinned")
    ca.copyto(host, x0)
    event = ca.Event()
    event.record(stream)

    def with_profile():
        with ca.profile() as found:
            x0 + 1
        str(found)

    def with_timing():
        first, last = ca.Event(timing=True), ca.Event(timing=True)
        first.record(stream)
        last.record(stream)
        last.synchronize()
        return last - first

    def with_graph():
        graph = ca.Graph()
        with graph.capture():
            y = x0 + 1
        graph.launch()
        return float(y[0, 0])

    def with_fuse():
        with ca.fuse():
            return float((x0 + 1).sum() * 2)

    def del_array():
        names.pop("x1")

    import copy
    import json
    import math
    import pickle

    names = {
        "xp": ca, "ca": ca, "np": np, "x0": x0, "x1": x1, "x2": x0 > 3, "x3": ca.arange(2) + 0, "x4": x4, "x5": x1.copy(), "x6": ca.eye(3) + 1,
        "s0": x0.sum(), "n0": n0, "host": host, "stream": stream, "event": event, "rng": ca.random.default_rng(1),
        "with_profile": with_profile, "with_timing": with_timing, "with_graph": with_graph, "with_fuse": with_fuse,
        "del_array": del_array, "copy": copy, "json": json, "math": math, "pickle": pickle,
    }  # fmt: skip
    return names


def attempt(text, gate, stream):
    """Make a call; return whether it did not raise."""
    names = arrays(gate, stream)
    try:
        exec(compile(text, "<call>", "exec"), names)
    except (Exception, SystemExit):
        return False
    return True


def main(first, share):
    """Make the calls from number `first` on; of few, the statements and each twentieth of the others."""
    os.chdir(tempfile.mkdtemp())
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    gate, stream, made = Gate(), ca.Stream(device="cuda:0"), 0
    with ca.device("cuda:0"), stream:
        for number, text in enumerate(calls()):
            if number < first or (share == "few" and number > STATEMENTS.count(";") and number % 20):
                continue
            with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
                works = attempt(text, None, stream)
            with contextlib.suppress(Exception):
                stream.synchronize()
            if not works:
                continue
            print(number, text, flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            with contextlib.redirect_stdout(None):
                attempt(text, gate, stream)
            with contextlib.suppress(Exception):
                stream.synchronize()
            faulthandler.cancel_dump_traceback_later()
            made += 1
    assert gate.passed >= made
    print("made", made, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0, sys.argv[2] if len(sys.argv) > 2 else "all")
