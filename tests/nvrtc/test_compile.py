"""Every kernel that the tables can generate, compiled by the real NVRTC, without a GPU.

The quick run takes a sample that changes with the date, the full one everything; `python tests/nvrtc/test_compile.py sum`
takes the kernels named after one row or task. The assertions: no spills, no local
memory except that of CUDA's own functions, 16-byte accesses where elements are contiguous, partial results of
reductions that are not read through the read-only path, no register read before it is written (undefined.py), and no
instruction that the simulator does not know.
"""

import concurrent.futures
import datetime
import functools
import os
import pathlib
import random
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TRANSLATOR = HERE.parents[1] / "simulator" / "cuarray_simulator" / "ptx"
sys.path[:0] = [str(HERE), str(HERE.parent / "codegen"), str(TRANSLATOR)]

import compiler
import program
import translate
import undefined

ARCHITECTURES = ["sm_75", "sm_90", "sm_120"]
SAMPLE = 24
PARTS = 60
SIZES = {
    "bool": 1,
    "i8": 1,
    "u8": 1,
    "i16": 2,
    "u16": 2,
    "f16": 2,
    "bf16": 2,
    "i32": 4,
    "u32": 4,
    "f32": 4,
    "i64": 8,
    "u64": 8,
    "f64": 8,
    "c64": 8,
    "c128": 16,
}

#: Kernels with a register that is undefined on a path that no thread takes: an unrolled loop's remainder without a
#: turn. Their tests passed on a GPU.
DEFINED = ("small_matmul_", "segmented_", "random_fill_binomial")

pytestmark = pytest.mark.skipif(compiler.find_library() is None, reason="nvidia-cuda-nvrtc is not installed")


@functools.cache
def nvrtc():
    return compiler.Compiler(compiler.find_library(), program.compile_options())


def local_bytes(ptx):
    """Bytes of local memory that the program declares, all functions together."""
    return sum(map(int, re.findall(r"\.local\s+\.align\s+\d+\s+\.b8\s+\w+\[(\d+)\]", ptx)))


@functools.cache
def bare(function, arch):
    """Bytes of local memory of a kernel that only calls CUDA's own function."""
    for type_, arguments in [("float", 1), ("float", 2), ("double", 1), ("double", 2)]:
        call = ", ".join(["x"] * arguments)
        text = f'extern "C" __global__ void bare({type_}* p) {{ {type_} x = *p; *p = ::{function}({call}); }}'
        if (type_ == "float") != function.endswith("f"):
            continue
        try:
            return local_bytes(nvrtc().compile(text, arch).ptx)
        except compiler.CompileError:
            continue
    return 0


def is_explained(bytes_, text, arch):
    """Whether local memory is that of CUDA's own functions: none, or one frame per inlined call."""
    called = set(re.findall(r"CUARRAY_(?:C|VECTOR)\((\w+)\)", text)) | set(re.findall(r"[^\w:]::(\w+)\(", text))
    sizes = {bare(name, arch) for name in sorted(called)} - {0}
    return bytes_ == 0 or any(bytes_ % size == 0 for size in sizes)


def wide_accesses(kind, ptx):
    """The number of 16-byte accesses, in global memory or by generic addresses."""
    return len(re.findall(rf"\b{kind}(?:\.global)?(?:\.nc)?\.v(?:4\.\w32|2\.\w64)", ptx))


def promised_accesses(text):
    """The minimum number of 16-byte loads and stores of a contiguous kernel."""
    lanes = int(re.search(r"contiguous<program, (\d+)>", text).group(1))
    sizes = {name: SIZES[type_] for type_, name in re.findall(r"stored_t<(\w+)> (\w+)\[V\]", text)}

    def count(prefix):
        return sum(size * lanes // 16 for name, size in sizes.items() if name.startswith(prefix))

    return count("x"), count("y")


def check(name, text, arch):
    """Compile one kernel; return its violations."""
    try:
        result = nvrtc().compile(text, arch)
    except compiler.CompileError as error:
        return [f"{name} {arch}: {error}"]
    wrong = []
    ptx, figures = result.ptx, result.figures()[name]
    local = local_bytes(ptx)
    if figures["stores"] or figures["loads"]:
        wrong.append(f"spills: {figures}")
    # ptxas may drop a frame that PTX declares, and rounds the others up.
    if figures["stack"] > local + 16 * (local > 0):
        wrong.append(f"a stack frame of {figures['stack']} bytes, of which PTX declares {local}")
    if not is_explained(local, text, arch):
        wrong.append(f"{local} bytes of local memory that are not of CUDA's own functions")
    if "contiguous<program" in text:
        loads, stores = promised_accesses(text)
        # Besides the vector an input has one load of a single element and one in the tail; more of them would be
        # the vector taken apart. A constant, such as imag of an integer, does not load its vector at all.
        single = len(re.findall(r"\bld(?:\.global)?(?:\.nc)?\.[bfus]\d+", ptx))
        if wide_accesses("ld", ptx) < loads and single > 2 * len(re.findall(r"stored_t<\w+> x\d+\[V\]", text)):
            wrong.append(f"fewer than {loads} loads of 16 bytes")
        if wide_accesses("st", ptx) < stores:
            wrong.append(f"fewer than {stores} stores of 16 bytes")
    if (
        "tree<program" in text or "tree_lines<program" in text or "scan_tiles<program" in text
    ) and "ld.global.nc" in ptx:
        wrong.append("reads through the read-only path in a kernel that also writes partials")
    if not name.startswith(DEFINED):
        wrong += [f"{', '.join(each)} may be undefined in {text!r}" for _, text, each in undefined.undefined_reads(ptx)]
    try:
        translate.Module(ptx).translate()
    except translate.Unknown as unknown:
        wrong.append(f"the simulator's translator: {unknown}")
    return [f"{name} {arch}: {fault}" for fault in wrong]


def check_all(jobs):
    """Compile with one thread per core; NVRTC holds no global lock."""
    check_texts(program.kernel_texts(sorted({name for name, _ in jobs})), jobs)


def check_texts(texts, jobs):
    """Compile (name, architecture) pairs of some texts."""
    nvrtc()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(pool.map(lambda job: check(job[0], texts[job[0]], job[1]), jobs))
    assert not [fault for faults in wrong for fault in faults]


@pytest.mark.rest
def test_sample(every):
    chooser = random.Random(datetime.date.today().isoformat())
    names = chooser.sample(program.kernel_names(), SAMPLE if every else SAMPLE // 4)
    check_all([(name, arch) for name, arch in zip(names, ARCHITECTURES * SAMPLE, strict=False)])


def test_representative():
    names = [
        "add_f32_f32_contiguous",
        "add_f32_f32_strided",
        "add_f32_f32_turned",
        "add_f32_f32_strided_turned",
        "sin_f64_contiguous",
        "isnan_f32_contiguous",
        "multiply_c128_c128_contiguous",
        "sum_f32_tree",
        "sum_f32_short",
        "argmax_f64_tree_strided",
        "fold_subtract_f32_in_order",
        "scan_add_f32_tiles",
        "scan_logical_xor_bool_tiles64",
        "scan_multiply_c128_tiles",
        "scan_divide_f64_lines",
        "cast_f64_u8_contiguous",
        "add_u8_u8_contiguous",
    ]
    check_all([(name, "sm_90") for name in names])


@pytest.mark.rest
def test_kernels_of_indices_and_masks(every):
    texts = program.task_texts()
    assert {
        "gather_b4_1",
        "gather_b4_1_far",
        "scatter_b16_3_far",
        "claim_2",
        "mask_compress_b1",
        "mask_expand_b8_64",
        "mask_locate",
        "matmul_f32",
        "small_matmul_f32",
        "update_add_f32_f32_f32_1",
        "update_keys_1_64",
        "segmented_sum_bf16",
        "segmented_left_fold_hypot_f64",
        "correlate_c128",
    } <= texts.keys()
    names = random.Random(datetime.date.today().isoformat()).sample(sorted(texts), 12 if every else 3)
    check_texts(texts, [(name, arch) for name, arch in zip(names, ARCHITECTURES * len(names), strict=False)])


@pytest.mark.full
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_all_kernels_of_indices_and_masks(arch):
    texts = program.task_texts()
    check_texts(texts, [(name, arch) for name in texts])


def test_kernels_that_sort(every):
    texts = program.sort_texts()
    assert {
        "sort_short_f32",
        "sort_scatter_pairs",
        "sort_scatter_bf16_64",
        "searchsorted_c128",
        "histogram_sums_f64",
    } <= texts.keys()
    names = random.Random(datetime.date.today().isoformat()).sample(sorted(texts), 12 if every else 3)
    check_texts(texts, [(name, arch) for name, arch in zip(names, ARCHITECTURES * len(names), strict=False)])


@pytest.mark.full
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_all_kernels_that_sort(arch):
    texts = program.sort_texts()
    check_texts(texts, [(name, arch) for name in texts])


@pytest.mark.full
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("part", range(PARTS))
def test_everything(arch, part):
    check_all([(name, arch) for name in program.kernel_names()[part::PARTS]])


def test_checks_can_fail():
    spilling = 'extern "C" __global__ void k(float* p, int i) { float a[64]; for (int j = 0; j < 64; ++j) a[j] = p[j * i]; *p = a[i]; }'
    assert any("local memory" in fault for fault in check("k", spilling, "sm_90"))
    scalar = 'extern "C" __global__ void k(float* p) { *p = 1; } // contiguous<program, 4> stored_t<f32> y0[V];'
    assert any("16 bytes" in fault for fault in check("k", scalar, "sm_90"))
    assert check("k", "no program at all", "sm_90")
    unknown = 'extern "C" __global__ void k(int* p) { asm("vabsdiff.s32.s32.s32 %0, 1, 2;" : "=r"(*p)); }'
    assert any("instruction vabsdiff" in fault for fault in check("k", unknown, "sm_90"))
    shifted = """extern "C" __global__ void k(float* p, int n) {
        float a, b;
        #pragma unroll 1
        for (int i = 0; i < n; ++i) a = b, b = p[i];
        p[n] = a;
    }"""
    assert any("may be undefined" in fault for fault in check("k", shifted, "sm_90"))
    assert not check("k", shifted.replace("a, b;", "a = 0, b = 0;"), "sm_90")


def check_one(name):
    """Check the kernels of a row or a task for every architecture; return their names."""

    def belongs(entry):
        return f"_{name}_" in f"_{entry}_"

    texts = program.task_texts() | program.sort_texts()
    texts |= program.kernel_texts(list(filter(belongs, program.kernel_names())))
    chosen = sorted(filter(belongs, texts))
    check_texts(texts, [(entry, arch) for entry in chosen for arch in ARCHITECTURES])
    return chosen


@pytest.mark.rest
def test_kernels_of_one_row():
    assert "signbit_f64_contiguous" in check_one("signbit")
    assert "searchsorted_i64" in check_one("searchsorted")
    assert not check_one("searchsort")


if __name__ == "__main__":
    if compiler.find_library() is None or len(sys.argv) != 2:
        sys.exit("usage: test_compile.py NAME, of a row or a task; needs the package nvidia-cuda-nvrtc")
    found = check_one(sys.argv[1])
    print(*found, sep="\n")
    sys.exit(not found and f"no kernel is named after {sys.argv[1]}")
