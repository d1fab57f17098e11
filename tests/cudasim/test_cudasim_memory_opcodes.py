"""Every load, store, atomic and step with a barrier in memory of the simulator's table of PTX instructions."""

import ast
import random
import re
import struct

import ptx_exact as exact
import pytest
from ptx_opcodes import as_bits, from_bits, register, results
from simulated import environment, run
from test_simulate import KERNEL, compiler, script, simulate  # noqa: F401  (fixtures)
from test_simulate_kernels import HEAD

import instructions  # isort: skip

pytestmark = pytest.mark.rest

BYTES = 64
#: CUDA that makes a buffer of BYTES bytes, aligned to 32, and its address `at` in the space.
BUFFERS = {
    "": "__shared__ __align__(32) unsigned char s[64]; at = (unsigned long long)s;",
    ".global": "unsigned char* s = (unsigned char*)(((unsigned long long)(out + EACH) + 31) / 32 * 32); at = (unsigned long long)s;",
    ".shared": "__shared__ __align__(32) unsigned char s[64]; at = __cvta_generic_to_shared(s);",
    ".local": '__align__(32) volatile unsigned char s[64]; asm("cvta.to.local.u64 %0, %1;" : "=l"(at) : "l"(s));',
    ".const": 'asm("cvta.to.const.u64 %0, %1;" : "=l"(at) : "l"(table));',
    ".param": 'asm("mov.b64 %0, k0_param_3;" : "=l"(at));',
}
BUFFERS |= {".shared::cta": BUFFERS[".shared"]}
ORDERS = [order for key in ("order", "acquire", "release") for order in instructions.CHOICES[key] if order]


@pytest.fixture(autouse=True)
def needs_nvrtc():
    if environment()["CUDASIM_REAL_NVRTC"] == "0":
        pytest.skip("nvidia-cuda-nvrtc is not installed")


def opcodes_in(name, space):
    """The loads or stores of a space: every type and vector without an order, every order with a few types."""
    found = [
        f"{name}{space}{vector}.{t}"
        for vector in instructions.CHOICES["vector"]
        for t in instructions.CHOICES["in_memory"]
    ]
    found += [f"{name}{order}{space}.{t}" for order in ORDERS for t in ("u8", "b32", "u64", "f32")]
    return [
        opcode for opcode in found if instructions.look_up(opcode) and not (".v4" in opcode and opcode.endswith("64"))
    ]


def elements(opcode):
    """Type and number of an access's elements, and the type of a register that shows an extension."""
    type_ = opcode.rpartition(".")[2]
    count = 4 if ".v4" in opcode else 2 if ".v2" in opcode else 1
    is_small = exact.width(type_) < 32
    return type_, count, "u32" if is_small else type_


def in_braces(places):
    return "{" + ", ".join(places) + "}" if len(places) > 1 else places[0]


def program(space, each, statements, fill=""):
    """A kernel of one thread that runs the statements on the space's buffer."""
    with_parameter = ", Buffer buffer" if space == ".param" else ""
    return (
        f"struct alignas(16) Buffer {{ unsigned char b[{BYTES}]; }};\n"
        f"__constant__ __align__(32) unsigned char table[{BYTES}] = {{{', '.join(map(str, range(1, BYTES + 1)))}}};\n"
        f'extern "C" __global__ void k0(const unsigned long long* in, unsigned long long* out, int n{with_parameter}) {{\n'
        f"    if (threadIdx.x) return;\n    unsigned long long at; {BUFFERS[space].replace('EACH', str(each))} {fill}\n"
        + "".join(f"    {{ {statement} }}\n" for statement in statements)
        + "}\n"
    )


@pytest.mark.few
@pytest.mark.parametrize("space", sorted(BUFFERS))
def test_loads_of_every_type_vector_and_order(space, tmp_path):
    """A load finds the bytes at its place, in order, and extends small types."""
    data = range(1, BYTES + 1) if space == ".const" else random.Random("load").randbytes(BYTES)
    opcodes = opcodes_in("ld", space)
    each = 4 * len(opcodes)
    statements = []
    for k, opcode in enumerate(opcodes):
        _, count, to = elements(opcode)
        constraint, c_type = register(to)
        outputs = ", ".join(f'"={constraint}"(r{j})' for j in range(count))
        statements.append(
            f"{c_type} {', '.join(f'r{j}' for j in range(count))};"
            f' asm volatile("{opcode} {in_braces([f"%{j}" for j in range(count)])}, [%{count}];" : {outputs} : "l"(at) : "memory");'
            + "".join(f" out[{4 * k + j}] = {as_bits(to, f'r{j}')};" for j in range(count))
        )
    fill = "" if space in (".const", ".param") else f"for (int j = 0; j < {BYTES}; ++j) s[j] = in[j];"
    text = program(space, each, statements, fill)
    (got,) = results(tmp_path, text, [(list(data), 1, each)], buffer=bytes(data) if space == ".param" else None)
    wrong = []
    for k, opcode in enumerate(opcodes):
        type_, count, to = elements(opcode)
        size = exact.width(type_) // 8
        for j in range(count):
            bits = int.from_bytes(bytes(data[j * size : (j + 1) * size]), "little")
            want = exact.signed(bits, type_) & ((1 << exact.width(to)) - 1)
            if got[4 * k + j] != want:
                wrong.append(f"{opcode} element {j}: {got[4 * k + j]:#x}, not {want:#x}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.few
@pytest.mark.parametrize("space", ["", ".global", ".local", ".shared", ".shared::cta"])
def test_stores_of_every_type_vector_and_order(space, tmp_path):
    """A store changes the bytes of its elements, in order, and no others."""
    opcodes = opcodes_in("st", space)
    values = [random.Random(j).getrandbits(64) for j in range(4)]
    each, words = 5 * len(opcodes), "((volatile unsigned long long*)s)"
    statements = []
    for k, opcode in enumerate(opcodes):
        _, count, from_ = elements(opcode)
        inputs = ", ".join(f'"{register(from_)[0]}"({from_bits(from_, f"in[{j}]")})' for j in range(count))
        statements.append(
            f"for (int j = 0; j < 5; ++j) {words}[j] = 0x5A5A5A5A5A5A5A5Aull;"
            f' asm volatile("{opcode} [%0], {in_braces([f"%{j + 1}" for j in range(count)])};" :: "l"(at), {inputs} : "memory");'
            f" for (int j = 0; j < 5; ++j) out[{5 * k} + j] = {words}[j];"
        )
    (got,) = results(tmp_path, program(space, each, statements), [(values, 1, each)])
    wrong = []
    for k, opcode in enumerate(opcodes):
        type_, count, _ = elements(opcode)
        size = exact.width(type_) // 8
        want = b"".join((v & ((1 << 8 * size) - 1)).to_bytes(size, "little") for v in values[:count]).ljust(40, b"\x5a")
        found = struct.pack("5Q", *got[5 * k : 5 * k + 5])
        if found != want:
            wrong.append(f"{opcode}: {found.hex()}, not {want.hex()}")
    assert not wrong, "\n".join(wrong[:20])


def atomic_opcodes(space):
    """Every operation without an order; every order and scope with one of them."""
    how = instructions.CHOICES
    operations = {
        opcode.removeprefix("atom")
        for row in instructions.INSTRUCTIONS
        if row.meaning == "atomic" and row.opcode.startswith("atom[atomic")
        for opcode, chosen in instructions.opcodes_of(row)
        if not chosen["atomic_order"] and chosen.get("space") == ""  # vectors have a space of their own
    }
    found = [f"atom{space}{operation}" for operation in sorted(operations)]
    found += [f"atom{order}{space}.cas.b32" for order in how["atomic_order"] if order]
    found += [f"atom{space}{scope}.add.u64" for scope in how["scope"]]
    return found + [opcode.replace("atom", "red") for opcode in found if not has_no_red_form(opcode)]


def has_no_red_form(opcode):
    return ".exch." in opcode or ".cas." in opcode


def changed(opcode, old, operands, space):
    """What an atomic leaves in memory."""
    *_, operation, type_ = opcode.split(".")
    if operation == "noftz":
        f, parts = type_.removesuffix("x2"), range(0, 32 if type_.endswith("x2") else 16, 16)
        sums = [exact.expected(f"add.{f}", [old >> n & 0xFFFF, operands[0] >> n & 0xFFFF]) for n in parts]
        return sum(half << n for n, half in zip(parts, sums, strict=True))
    n = exact.width(type_)
    mask = (1 << n) - 1
    a, b = exact.signed(old, type_), exact.signed(operands[0], type_)
    if operation == "cas":
        return operands[1] & mask if old == operands[0] & mask else old
    if type_.startswith("f"):
        flushes = [".ftz"] if type_ == "f32" and space == ".global" else []
        return exact.expected(".".join(["add", *(f.lstrip(".") for f in flushes), type_]), [old, operands[0]])
    simple = {
        "add": a + b,
        "min": min(a, b),
        "max": max(a, b),
        "and": a & b,
        "or": a | b,
        "xor": a ^ b,
        "exch": b,
        "inc": 0 if a >= b else a + 1,
        "dec": b if a == 0 or a > b else a - 1,
    }
    return simple[operation] & mask


@pytest.mark.few
@pytest.mark.parametrize("space", ["", ".global", ".shared", ".shared::cta"])
def test_atomics_of_every_operation_type_and_order(space, tmp_path):
    """An atomic returns what it found, and leaves the documented value."""
    opcodes = atomic_opcodes(space)
    chooser = random.Random("atomic")
    cases = []
    for opcode in opcodes:
        type_ = opcode.rpartition(".")[2]
        n = exact.width(type_)
        for round_ in range(4):
            old = chooser.getrandbits(n) if round_ else 0
            if type_ in ("f32", "f64"):
                old = [0x00000003, 0x3F800000, 0x40490FDB, 0x7F800000][round_] if n == 32 else chooser.getrandbits(62)
            operands = [chooser.getrandbits(n) if round_ != 2 else old, chooser.getrandbits(n)]
            if type_ in ("f32", "f64"):
                operands[0] = (
                    [0x80000001, 0x33800000, 0xC0490FDA, 0x3F800000][round_] if n == 32 else chooser.getrandbits(62)
                )
            cases.append((opcode, old, operands))
    each, inputs, statements = 2 * len(cases), [], []
    for k, (opcode, old, operands) in enumerate(cases):
        type_ = opcode.rpartition(".")[2]
        constraint, c_type = register(type_)
        bits = {"h": "unsigned short", "r": "unsigned", "f": "unsigned"}.get(constraint, "unsigned long long")
        inputs += [old, *operands]
        values = [from_bits(type_, f"in[{3 * k + 1 + j}]") for j in range(1 + (".cas." in opcode))]
        has_result = opcode.startswith("atom")
        places = ", ".join(f"%{has_result + 1 + j}" for j in range(len(values)))
        outputs = f'"={constraint}"(r)' if has_result else ""
        sources = ", ".join(f'"{constraint}"({v})' for v in values)
        statements.append(
            f"*(volatile {bits}*)s = in[{3 * k}]; {c_type} r{{}};"
            f' asm volatile("{opcode} {"%0, " * has_result}[%{int(has_result)}], {places};" : {outputs} : "l"(at), {sources} : "memory");'
            f" out[{2 * k}] = {as_bits(type_, 'r')}; out[{2 * k + 1}] = *(volatile {bits}*)s;"
        )
    (got,) = results(tmp_path, program(space, each, statements), [(inputs, 1, each)])
    wrong = []
    for k, (opcode, old, operands) in enumerate(cases):
        want = (old if opcode.startswith("atom") else 0), changed(opcode, old, operands, space)
        if (got[2 * k], got[2 * k + 1]) != want:
            wrong.append(f"{opcode} {old:#x} {operands}: {got[2 * k]:#x} {got[2 * k + 1]:#x}, not {want}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.few
@pytest.mark.parametrize("space", ["", ".global", ".shared", ".shared::cta"])
def test_atomics_of_memory_that_was_never_written_are_found(space):
    """Each at its line, and not again in what it has left; an exchange only if its result is used."""
    opcodes = atomic_opcodes(space)
    opcodes += [f"{name}{space}.add.v{n}.f32" for name in ("atom", "red") for n in (2, 4) if space in ("", ".global")]
    lines, wanted = [], set()
    buffer = f"__shared__ __align__(32) unsigned char s[{16 * 2 * len(opcodes)}]; at = "
    buffer = "at = (unsigned long long)out" if space in ("", ".global") else f"{buffer}__cvta_generic_to_shared(s)"
    for k, opcode in enumerate(opcodes):
        type_, count, _ = elements(opcode)
        constraint, c_type = register(type_)
        results = range(count if opcode.startswith("atom") else 0)
        values = range(len(results), len(results) + count * (1 + (".cas." in opcode)))
        parts = [in_braces([f"%{j}" for j in values[:count]]), *(f"%{j}" for j in values[count:])]
        parts = ([in_braces([f"%{j}" for j in results])] if results else []) + [f"[%{values.stop}]", *parts]
        outputs = ", ".join(f'"={constraint}"(r{j})' for j in results)
        inputs = "".join(f'"{constraint}"(({c_type})n), ' for _ in values)
        # Of each pair of lines the second one finds what the first one has left.
        for is_used in (False, True):
            for is_second in (False, True):
                place = f"at + {16 * (2 * k + is_used)}"
                use = "".join(f" used[{k}] = r{j} != 0;" for j in results) * is_used
                declared = f"{c_type} {', '.join(f'r{j}' for j in results)}; " if results else ""
                text = f'asm volatile("{opcode} {", ".join(parts)};" : {outputs} : {inputs}"l"({place}) : "memory");'
                lines.append(f"{{ {declared}{text}{use} }}")
                if not is_second and (is_used or ".exch." not in opcode):
                    wanted.add(len(lines) + 3)
    text = f'extern "C" __global__ void k(unsigned long long* out, int* used, int n) {{\nunsigned long long at;\n{buffer};\n'
    _, err = run(
        f"""
d = Driver()
k = d.kernel({text + chr(10).join(lines)!r} + "\\n}}", "k")
d.launch(k, 1, 1, [d.alloc({32 * len(opcodes)}), d.alloc({4 * len(opcodes)}), c_int(1)])
print(d.code("cuCtxSynchronize"))
""",
        check=1,
        limit=10000,
        runs="ptx",
    )
    found = [int(line) for line in re.findall(r"line (\d+).*?: an atomic update of memory that was never written", err)]
    wrong = {opcodes[(line - 4) // 4] for line in set(found) ^ wanted}
    assert not wrong and len(found) == len(wanted), (sorted(wrong), err[-2000:])


SPACES = """
__constant__ int table[4] = {{1, 2, 3, 4}};
extern "C" __global__ void k(int* out) {{
    __shared__ int s[4];
    volatile int own[4];
    own[0] = s[threadIdx.x] = table[threadIdx.x];
    const void* at[] = {{out, s, (const int*)own}};
    for (int i = 0; i < 3; ++i) {{
        int r;
{asks}
    }}
}}
"""


def test_the_space_of_a_generic_address():
    opcodes = [
        opcode
        for row in instructions.INSTRUCTIONS
        if row.opcode.startswith("isspacep")
        for opcode, _ in instructions.opcodes_of(row)
    ]
    asks = "\n".join(
        f'        asm("{{ .reg .pred p; {opcode} p, %1; selp.s32 %0, 1, 0, p; }}" : "=r"(r) : "l"(at[i])); '
        f"out[{3 * k} + i] = r;"
        for k, opcode in enumerate(opcodes)
    )
    out, _ = run(
        f"""
d = Driver()
out = d.alloc({12 * len(opcodes)})
d.launch(d.kernel({SPACES.format(asks=asks)!r}, "k"), 1, 1, [out])
print(struct.unpack("{3 * len(opcodes)}i", d.download(out, {12 * len(opcodes)})))
""",
        runs="ptx",
    )
    found = ast.literal_eval(out.strip().splitlines()[-1])
    answers = {opcode: found[3 * k : 3 * k + 3] for k, opcode in enumerate(opcodes)}
    # Of memory that is global, shared and local.
    shared = {f"isspacep.shared{of}": (0, 1, 0) for of in ("", "::cta", "::cluster")}
    assert answers == {"isspacep.global": (1, 0, 0), "isspacep.local": (0, 0, 1), **shared}


def step_with(opcode):
    """Inline PTX for a step with the barrier whose generic address is `at` and offset `s`, and its arrivals."""
    place, address = ("%0", '"r"(s)') if ".shared" in opcode else ("%0", '"l"(at)')
    what = re.sub(r"^cp\.async\.", "", opcode).split(".")[1]
    expects = ".expect_tx" in opcode
    if what == "init":
        text = f"{opcode} [{place}], ARRIVALS;"
    elif what == "inval":
        text = f"{opcode} [{place}]; mbarrier.init{opcode.removeprefix('mbarrier.inval')} [{place}], ARRIVALS;"
    elif what.endswith("_tx"):
        other = {"expect_tx": "complete_tx", "complete_tx": "expect_tx"}[what]
        text = f"{opcode} [{place}], 48; {opcode.replace(what, other)} [{place}], 48;"
    elif what.endswith("_wait"):
        value = "%1" if ".parity" in opcode else "token"
        text = f"{{ .reg .pred p; .reg .b64 token; cvt.u64.u32 token, %1; {opcode} p, [{place}], {value}; @p trap; }}"
        address += ', "r"(0)'
    elif opcode.startswith("cp."):
        text = f"{opcode} [{place}];"
    else:
        state = "_" if "cluster" in opcode.split(".b64")[0].rpartition("shared")[2] else "token"
        count = ", 32" if expects else ", 1" if ".noComplete" in opcode else ""
        text = f"{{ .reg .b64 token; {opcode} {state}, [{place}]{count}; }}"
        if expects:
            text += f" mbarrier.complete_tx{'.shared' if '.shared' in opcode else ''}.b64 [{place}], 32;"
    arrivals = what in ("arrive", "arrive_drop") and (not opcode.startswith("cp.") or ".noinc" in opcode)
    return f'asm volatile("{text}" :: {address} : "memory");', int(arrivals)


def test_every_step_with_a_barrier_in_memory(script):  # noqa: F811
    """The real assembler knows each; the barrier opens after exactly the arrivals among them."""
    opcodes = [
        o
        for row in instructions.INSTRUCTIONS
        if row.meaning == "memory_barrier"
        for o, _ in instructions.opcodes_of(row)
    ]
    opcodes.sort(key=lambda opcode: not opcode.startswith(("mbarrier.init", "mbarrier.inval")))
    steps = [step_with(opcode) for opcode in opcodes]
    assert len(steps) > 100
    body = "\n".join(text for text, _ in steps).replace("ARRIVALS", str(1 + sum(n for _, n in steps)))
    text = (
        HEAD
        + f"""
        __shared__ unsigned long long barrier;
        const unsigned long long at = (unsigned long long)&barrier;
        const unsigned s = (unsigned)__cvta_generic_to_shared(&barrier);
        {body}
        asm volatile("mbarrier.arrive.b64 _, [%0];" :: "l"(at) : "memory");
        asm volatile("{{ .reg .pred p; again: mbarrier.test_wait.parity.b64 p, [%0], 0; @!p bra again; }}"
                     :: "l"(at) : "memory");
        x[0] = 7;
    }}"""
    )
    run = simulate(script(KERNEL + f"x = launch({text!r}, block=1)\nprint(*d.download(x, 1))\n"), "--memcheck")
    assert run.stdout == "7\n", run.stdout + run.stderr
