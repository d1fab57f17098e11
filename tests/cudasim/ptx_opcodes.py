"""CUDA text with inline PTX, and its results on the simulator: shared by the tests of the table of instructions."""

import json
import struct
import sys

import ptx_exact as exact
from simulated import PACKAGE, run

sys.path.insert(0, str(PACKAGE / "ptx"))

#: Constraint of inline PTX and C++ type, by bits of a register.
REGISTERS = {16: ("h", "unsigned short"), 32: ("r", "unsigned"), 64: ("l", "unsigned long long")}


def register(type_):
    """Constraint and C++ type of the register for a type."""
    if type_ in ("f32", "f64"):
        return ("f", "float") if type_ == "f32" else ("d", "double")
    return REGISTERS[max(16, exact.width(type_)) if type_ != "pred" else 32]


def asm(opcode, target, sources, names, more=""):
    """Inline PTX that sets `r` from the named operands."""
    places, declared, before = [], "", ""
    for i, type_ in enumerate(sources):
        places.append(f"%{i + 1}")
        if type_ == "pred":
            declared += f".reg .pred q{i}; "
            before += f"setp.ne.u32 q{i}, %{i + 1}, 0; "
            places[-1] = f"q{i}"
    result, after = "%0", ""
    if target == "pred":
        declared += ".reg .pred p; "
        result, after = "p", "selp.u32 %0, 1, 0, p;"
    if more == "|":  # the second result
        declared += ".reg .pred u; "
        result, more = "u|p", ""
    text = f"{{ {declared}{before}{opcode} {', '.join([result, *places])}{more}; {after} }}"
    inputs = ", ".join(f'"{register(t)[0]}"({name})' for t, name in zip(sources, names, strict=True))
    return f'asm volatile("{text}" : "={register(target)[0]}"(r) : {inputs});'


def as_bits(type_, name):
    casts = {"float": f"__float_as_uint({name})", "double": f"(unsigned long long)__double_as_longlong({name})"}
    return casts.get(register(type_)[1], name)


def from_bits(type_, text):
    casts = {"float": f"__uint_as_float((unsigned)({text}))", "double": f"__longlong_as_double((long long)({text}))"}
    return casts.get(register(type_)[1], f"({register(type_)[1]})({text})")


def kernel(number, types, statements):
    """A kernel that reads operands a0, a1, ... and runs the statements, each of which sets out[k]."""
    loads = " ".join(
        f"{register(t)[1]} a{i} = {from_bits(t, f'in[{len(types)} * i + {i}]')};" for i, t in enumerate(types)
    )
    body = "\n".join(f"    {{ {statement} }}" for statement in statements)
    return (
        f'extern "C" __global__ void k{number}(const unsigned long long* in, unsigned long long* out, int n) {{\n'
        f"    int i = threadIdx.x + blockIdx.x * blockDim.x;\n    if (i >= n) return;\n    {loads}\n{body}\n}}\n"
    )


PROGRAM = """
import json
with open({path!r}) as file: job = json.load(file)
d = Driver()
module = d.module(d.compile(job["text"], ["-arch=sm_90"]))
for number, (inputs, count, each) in enumerate(job["kernels"]):
    a, o = d.alloc(8 * max(len(inputs), 1)), d.alloc(8 * count * each + 128)
    d.upload(a, struct.pack(f"{{len(inputs)}}Q", *inputs))
    d.fill(o, 0, 2 * count * each)
    more = [(c_ubyte * len(job["buffer"]))(*job["buffer"])] if job["buffer"] else []
    d.launch(d.function(module, f"k{{number}}"), (count + 63) // 64, 64, [a, o, c_int(count), *more])
    with open({path!r} + f".{{number}}", "wb") as file: file.write(d.download(o, 8 * count * each))
"""


def results(folder, text, kernels, buffer=None, **settings):
    """Run kernels k0, k1, ... of the text on (inputs, threads, results per thread); return each one's results.

    A `buffer` is passed by value, as a fourth parameter.
    """
    path = folder / "job.json"
    path.write_text(json.dumps({"text": text, "kernels": kernels, "buffer": list(buffer or b"")}))
    run(PROGRAM.format(path=str(path)), runs="ptx", **settings)
    found = []
    for number, (_, count, each) in enumerate(kernels):
        data = (folder / f"job.json.{number}").read_bytes()
        found.append(struct.unpack(f"{count * each}Q", data))
    return found


def agrees(got, want, type_):
    mask = (1 << max(16, exact.width(type_))) - 1 if type_ != "pred" else 1
    if want == exact.ANY_NAN:
        return exact.decode(got, exact.FORMATS[type_]).kind == "nan"
    if type_.startswith("s") and exact.width(type_) == 8:
        want = exact.signed(want, type_)  # extended to the register
    return got & mask == want & mask
