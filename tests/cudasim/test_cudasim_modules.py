"""PTX that other compilers wrote, cuLink* and cuLibrary*: the ways by which other libraries load their kernels."""

import pytest
from simulated import environment, run

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"

# out[i] = twice(i) + bias, by a function of another text.
KERNEL = (
    HEADER
    + """
.extern .func (.param .b32 result) twice (.param .b32 x);
.visible .global .align 4 .u32 bias = 5;

.visible .entry fill(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [n];
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra $done;
    {
    .param .b32 argument;
    st.param.b32 [argument], %r1;
    .param .b32 returned;
    call.uni (returned), twice, (argument);
    ld.param.b32 %r3, [returned];
    }
    ld.global.u32 %r4, [bias];
    add.u32 %r5, %r3, %r4;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
$done:
    ret;
}
"""
)
FUNCTION = (
    HEADER
    + """
.visible .func (.param .b32 result) twice (.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [result], %r2;
    ret;
}
"""
)
ALONE = KERNEL.replace(".extern .func (.param .b32 result) twice (.param .b32 x);", FUNCTION.removeprefix(HEADER))

PREAMBLE = (
    f"KERNEL, FUNCTION, ALONE = {KERNEL!r}, {FUNCTION!r}, {ALONE!r}\n"
    + """
d = Driver()

def link(*inputs, kind=1):
    log = create_string_buffer(1000)
    keys, values = (c_int * 2)(5, 6), (c_void_p * 2)(addressof(log), 1000)
    state = c_void_p()
    d.call("cuLinkCreate_v2", c_uint(2), keys, values, byref(state))
    image, size = c_void_p(), c_size_t()
    try:
        for text in inputs:
            text = text.encode() if isinstance(text, str) else text
            d.call("cuLinkAddData_v2", state, kind, text, c_size_t(len(text)), b"input", 0, None, None)
        code = d.code("cuLinkComplete", state, byref(image), byref(size))
        return code, log.value.decode(), string_at(image, size.value) if code == 0 else b""
    finally:
        d.call("cuLinkDestroy", state)

def filled(function, count=8):
    out = d.alloc(64)
    d.launch(function, 1, 16, [out, c_uint(count)])
    return list(ints(d.download(out, 4 * count)))

def library(code):
    handle = c_void_p()
    d.call("cuLibraryLoadData", byref(handle), code, None, None, 0, None, None, 0)
    return handle

def kernel(library, name=b"fill"):
    handle = c_void_p()
    d.call("cuLibraryGetKernel", byref(handle), library, name)
    return handle
EXPECTED = [2 * i + 5 for i in range(8)]
"""
)


def prints(program, **settings):
    return run(PREAMBLE + program, **settings)[0].split("\n")[:-1]


@pytest.mark.parametrize("check", [0, 1])
def test_ptx_of_other_compilers(check):
    program = """
print(filled(d.function(d.module(ALONE.encode()), "fill")) == EXPECTED)
print(code_of(d.module, ALONE.replace("8.0", "9.9").encode()))
print(code_of(d.module, ALONE.replace("sm_90", "sm_100").encode()))
print(code_of(d.module, ALONE.replace("shl.b32", "wgmma.b32").encode()))
print(code_of(d.module, KERNEL.encode()))
print(filled(d.function(d.module(ALONE.encode()), "fill")) == EXPECTED)
"""
    assert prints(program, check=check) == ["True", "222", "209", "218", "218", "True"]


def test_accesses_of_other_compilers_kernels_are_judged():
    program = """
f = d.function(d.module(ALONE.encode()), "fill")
d.launch(f, 1, 16, [d.alloc(16), c_uint(8)])
print(code_of(d.synchronize))
"""
    out, err = run(PREAMBLE + program, check=1)
    assert out == "700\n" and "fill" in err, err


def test_joined_texts():
    program = """
code, log, image = link(KERNEL, FUNCTION)
print(code, repr(log), filled(d.function(d.module(image), "fill")) == EXPECTED)
code, log, image = link(FUNCTION, KERNEL)
print(code, filled(d.function(d.module(image), "fill")) == EXPECTED)
code, log, again = link(image, kind=0)
print(code, again == image, filled(d.function(d.module(again), "fill")) == EXPECTED)
code, log, image = link(KERNEL)
print(code, "call of twice" in log, image)
print(code_of(lambda: link(FUNCTION, kind=5)), link()[0])
"""
    assert prints(program) == ["0 '' True", "0 True", "0 True True", "218 True b''", "801 1"]


def test_weak_definitions_of_joined_texts():
    """The first one counts; of others there may be one."""
    program = """
weak = FUNCTION.replace(".visible .func", ".weak .func")
other = weak.replace("shl.b32 %r2, %r1, 1", "mov.b32 %r2, 7")
named = ".weak .global .align 4 .u32 shared_name;"
code, log, image = link(KERNEL, weak + named, other + named)
print(code, repr(log), filled(d.function(d.module(image), "fill")) == EXPECTED)
print([(code, "two definitions of f_twice" in log) for code, log, _ in [link(KERNEL, FUNCTION, FUNCTION)]])
"""
    assert prints(program) == ["0 '' True", "[(218, True)]"]


def test_functions_that_joined_texts_declare_otherwise():
    """A result more or less, as assemblers allow, but not another number of parameters."""
    program = """
EMPTY = FUNCTION.replace("(.param .b32 result) twice", "twice").replace("    st.param.b32 [result], %r2;\\n", "")
ignored = KERNEL.replace("(.param .b32 result) twice", "twice").replace("call.uni (returned), twice", "call.uni twice")
ignored = ignored.replace("    ld.param.b32 %r3, [returned];\\n", "    shl.b32 %r3, %r1, 1;\\n")
unread = KERNEL.replace("    ld.param.b32 %r3, [returned];\\n", "    shl.b32 %r3, %r1, 1;\\n")
strict = FUNCTION.replace("    shl", "    .reg .pred %p1; setp.ge.u32 %p1, %r1, 8; @%p1 trap;\\n    shl")
for kernel_, function in ((unread, EMPTY), (ignored, strict)):
    code, log, image = link(kernel_, function)
    print(code, repr(log), filled(d.function(d.module(image), "fill")) == EXPECTED)
code, log, image = link(KERNEL, FUNCTION.replace("(.param .b32 x)", "(.param .b32 x, .param .b32 y)"))
print(code, "twice of 2 parameters, which is called with 1" in log)
"""
    assert prints(program) == ["0 '' True", "0 '' True", "218 True"]


def test_libraries_and_their_kernels():
    program = """
l = library(ALONE.encode())
k = kernel(l)
print(filled(k) == EXPECTED)
d.call("cuCtxSetCurrent", d.contexts[1])  # another module, with variables of its own
print(filled(k) == EXPECTED)
f, m, owner, name, count = c_void_p(), c_void_p(), c_void_p(), c_char_p(), c_uint()
d.call("cuKernelGetFunction", byref(f), k)
d.call("cuLibraryGetModule", byref(m), l)
print(filled(f) == EXPECTED, filled(d.function(m, "fill")) == EXPECTED)
bias, size = c_uint64(), c_size_t()
d.call("cuLibraryGetGlobal", byref(bias), byref(size), l, b"bias")
d.upload(bias.value, struct.pack("i", 7))
print(size.value, filled(k) == [x + 2 for x in EXPECTED])
d.call("cuCtxSetCurrent", d.contexts[0])
print(filled(k) == EXPECTED)
d.call("cuKernelGetLibrary", byref(owner), k)
d.call("cuKernelGetName", byref(name), k)
d.call("cuLibraryGetKernelCount", byref(count), l)
many = (c_void_p * 4)()
d.call("cuLibraryEnumerateKernels", many, 4, l)
print(owner.value == l.value, name.value.decode(), count.value, many[0] == k.value, many[1])
offset = c_size_t()
for i in range(3):
    code = d.code("cuKernelGetParamInfo", k, c_size_t(i), byref(offset), byref(size))
    print(code, *([offset.value, size.value] if code == 0 else []))
value = c_int()
d.call("cuKernelGetAttribute", byref(value), 0, k, 1)
print(value.value, d.code("cuKernelSetAttribute", 8, 100000, k, 0), d.code("cuKernelSetAttribute", 8, 1 << 20, k, 0))
print(d.code("cuLibraryGetKernel", byref(f), l, b"none"), d.code("cuLibraryGetGlobal", byref(bias), byref(size), l, b"none"))
d.call("cuLibraryUnload", l)
print(d.code("cuLibraryUnload", l), code_of(filled, k), code_of(library, b"text"))
"""
    assert prints(program, devices=2) == [
        *["True"] * 2,
        "True True",
        "4 True",
        "True",
        "True fill 1 True None",
        "0 0 8",
        "0 8 4",
        "1",
        "1024 0 1",
        "500 500",
        "400 400 218",
    ]


def test_functions_of_modules():
    program = """
m = d.module(ALONE.encode())
count, mode, offset = c_uint(), c_int(), c_size_t()
d.call("cuModuleGetFunctionCount", byref(count), m)
d.call("cuModuleGetLoadingMode", byref(mode))
found = (c_void_p * 2)()
d.call("cuModuleEnumerateFunctions", found, 2, m)
print(count.value, mode.value, filled(c_void_p(found[0])) == EXPECTED, found[1])
print(d.code("cuFuncGetParamInfo", c_void_p(found[0]), c_size_t(1), byref(offset), None), offset.value)
"""
    assert prints(program) == ["1 2 True None", "0 8"]


def test_there_are_no_private_tables():
    """NVIDIA's NVRTC asks the driver that it finds for some, and does without."""
    program = """
d = Driver()
print(d.code("cuGetExportTable", byref(c_void_p()), b"0123456789abcdef"), d.code("cuGetExportTable", None, None))
"""
    assert run(program)[0] == "500 1\n"


def test_a_context_that_everyone_has_released_is_made_anew():
    program = """
d.call("cuCtxSetCurrent", d.contexts[1])
d.call("cuDevicePrimaryCtxRelease_v2", 1)
print(code_of(d.stream))
d.retain(1)
print(code_of(d.stream), filled(d.function(d.module(ALONE.encode()), "fill")) == EXPECTED)
"""
    assert prints(program, devices=2) == ["709", "0 True"]


# One kernel names the first shared array, the constants, an array of its own, and a function that has two arrays.
DECLARED = (
    HEADER
    + """
.shared .align 4 .b8 first[400];
.shared .align 8 .b8 second[24];
.const .align 8 .b8 table[80] = {1};

.func deep (.param .b64 to)
{
    .local .align 8 .b8 room[64];
    .local .align 4 .b8 more[8];
    .reg .b64 %rd<3>;
    mov.u64 %rd1, room;
    mov.u64 %rd2, more;
    ret;
}

.visible .entry many(.param .u64 out)
{
    .local .align 8 .b8 depot[4000];
    .shared .align 16 .b8 third[16];
    .reg .b64 %rd<6>;
    mov.u64 %rd1, first;
    mov.u64 %rd2, table;
    mov.u64 %rd3, depot;
    mov.u64 %rd4, third;
    {
    .param .b64 argument;
    st.param.b64 [argument], %rd1;
    call.uni deep, (argument);
    }
    ret;
}

.visible .entry one(.param .u64 out)
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, second;
    ret;
}

.visible .entry none() { ret; }
"""
)

# 400 bytes of a block, and 4000 of each thread, whose indices are unknown to the compiler.
RESOURCES = """
extern "C" __global__ void held(int* p, int n) {
    __shared__ int s[100];
    int own[1000];
    for (int i = 0; i < n; i++) own[p[i]] = i;
    s[threadIdx.x] = own[p[threadIdx.x]];
    __syncthreads();
    p[threadIdx.x] = s[n] + own[n];
}
"""


def test_resources_are_those_that_the_ptx_declares():
    """Shared and constant bytes that a kernel names, with its functions; the registers are unknown without ptxas."""
    program = f"""
m = d.module({DECLARED!r}.encode())
for name in ("many", "one", "none"):
    values = []
    for key in (1, 2, 3, 4):
        value = c_int()
        d.call("cuFuncGetAttribute", byref(value), key, d.function(m, name))
        values.append(value.value)
    print(*values)
"""
    assert prints(program) == ["416 80 4072 0", "24 0 0 0", "0 0 0 0"]


def test_resources_of_ptx_are_those_that_ptxas_reports():
    if environment()["CUDASIM_REAL_NVRTC"] == "0":
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    program = (
        """
text = """
        + repr(RESOURCES)
        + """
def attributes(image):
    f, found = d.function(d.module(image), "held"), []
    for key in (1, 3):
        value = c_int()
        d.call("cuFuncGetAttribute", byref(value), key, f)
        found.append(value.value)
    return found
reported = attributes(d.compile(text))
d.nvrtc = CDLL(__import__("os").environ["CUDASIM_REAL_NVRTC"])
print(*reported, attributes(d.compile(text, ("-arch=compute_90",), "PTX")) == reported)
"""
    )
    assert prints(program, driver=13900) == ["400 4000 True"]


def test_preferences_of_caches():
    program = """
l = library(ALONE.encode())
k, f = kernel(l), d.function(d.module(ALONE.encode()), "fill")
print([d.code("cuKernelSetCacheConfig", k, config, 0) for config in (0, 1, 2, 3, 4, -1)])
print(d.code("cuKernelSetCacheConfig", None, 0, 0), d.code("cuKernelSetCacheConfig", k, 0, 9))
print([d.code("cuFuncSetCacheConfig", f, config) for config in (3, 4)], d.code("cuFuncSetCacheConfig", None, 0))
"""
    assert prints(program) == ["[0, 0, 0, 0, 1, 1]", "400 101", "[0, 1] 400"]


def test_contexts_beside_the_primary_one():
    """They have modules, streams and memory of their own, which end with them."""
    program = """
def memory():
    free, total = c_size_t(), c_size_t()
    d.call("cuMemGetInfo_v2", byref(free), byref(total))
    return free.value
def current():
    handle = c_void_p()
    d.call("cuCtxGetCurrent", byref(handle))
    return handle.value
def number():
    value = c_uint64()
    d.call("cuCtxGetId", None, byref(value))
    return value.value
ids, f = [number()], d.function(d.module(ALONE.encode()), "fill")
theirs, flags = d.alloc(64), c_uint()
before = memory()
other = c_void_p()
d.call("cuCtxCreate_v4", byref(other), None, 4, 0)
ids.append(number())
d.call("cuCtxGetFlags", byref(flags))
print(current() == other.value != d.contexts[0].value, flags.value, ids[0] != ids[1])
g, s = d.function(d.module(ALONE.encode()), "fill"), d.stream()
print(filled(g) == EXPECTED, code_of(filled, f))
owner, mine = c_void_p(), d.alloc(64)
d.call("cuPointerGetAttribute", byref(owner), 1, c_uint64(mine))
print(owner.value == other.value)
d.call("cuCtxSetCurrent", d.contexts[0])
print(d.code("cuCtxDestroy_v2", d.contexts[0]), d.code("cuCtxDestroy_v2", other), d.code("cuCtxDestroy_v2", other))
print(current() == d.contexts[0].value, d.code("cuCtxSetCurrent", other), code_of(d.synchronize, s))
print(code_of(d.free, mine), code_of(d.launch, g, 1, 1, [theirs, c_uint(0)]), memory() == before)
d.call("cuCtxCreate_v2", byref(other), 0, 0)
d.launch(d.function(d.module(ALONE.encode()), "fill"), 1, 16, [theirs, c_uint(8)])
print(code_of(d.synchronize))
d.code("cuCtxDestroy_v2", other)
print(current() == d.contexts[0].value, d.code("cuCtxCreate_v2", byref(other), 256, 0), d.code("cuCtxCreate_v2", byref(other), 0, 9))
"""
    assert prints(program) == [
        "True 4 True",
        "True 400",
        "True",
        "201 0 201",
        "True 201 709",
        "1 400 True",
        "700",
        "True 1 101",
    ]
