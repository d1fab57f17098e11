"""Bugs that only kernels made from PTX show, planted in the simulator's translator and in kernels.

    python tests/cudasim/ptx_mutants.py          all, except those caught by an earlier run; options as in mutants.py

Those in kernels are changes that only NVRTC sees; tests on kernels made from the text pass with them.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from planted import Mutant, main

PTX = "simulator/cuarray_simulator/ptx/"
OPCODES = "tests/cudasim/test_cudasim_opcodes.py -k"
MEMORY = "tests/cudasim/test_cudasim_memory_opcodes.py -k"
MODULES = "tests/cudasim/test_cudasim_ptx.py -k"
LANGUAGE = "tests/cudasim/test_simulate_language.py -k"

# Name, file, text, planted text, tests.
TRANSLATOR = [
    ("jumps-to-the-next-label", "function.py", "enumerate(self.tables[table]))", "enumerate(self.tables[table], 1))", f"{LANGUAGE} tables"),
    ("bf16-rounded-the-other-way", "ptx_float.h", "R == (sign ? kDown : kUp)", "R == (sign ? kUp : kDown)", f"{OPCODES} conversions"),
    ("own-arrays-are-global", "ptx_memory.h", "return at - (pointer - kRedZone) < kStack;", "return at - pointer > 2 * kStack;", f"{MEMORY} generic_address"),
    ("roundings-exchanged", "instructions.py", '"rm": "kDown", "rp": "kUp"', '"rm": "kUp", "rp": "kDown"', f"{OPCODES} f64"),
    ("carry-added-in-a-difference", "ptx_integer.h", "a - b - (with && carry)", "a - b + (with && carry)", f"{OPCODES} carries"),
    ("signed-shifts-fill-with-zeros", "ptx_integer.h", "return x < T(0) ? T(-1) : T(0);\n}\ntemplate <bool WRAP>", "return T(0);\n}\ntemplate <bool WRAP>", f"{OPCODES} s32"),
    ("nan-becomes-zero-in-64-bits", "ptx_float.h", ": To(1ull << (8 * sizeof(To) - 1));", ": To(0);", f"{OPCODES} conversions"),
    ("negative-zero-is-no-minimum", "ptx_float.h", "a < b || (a == b && __builtin_signbit(a)) ? a : b", "a < b ? a : b", f"{OPCODES} f32"),
    ("results-are-not-flushed", "ptx_float.h", "return FTZ ? flush(x) : x;\n}\n\n//", "return x;\n}\n\n//", f"{OPCODES} f32"),
    ("nan-is-equal", "function.py", 'value = f"({a} < {b} || {a} > {b})"', 'value = f"{a} != {b}"', f"{OPCODES} comparisons"),
    ("vectors-repeat-their-first-element", "function.py", "return code, [i * size for i in range(count)]", "return code, [0 for i in range(count)]", f"{MEMORY} loads"),
    ("alignment-of-the-element-alone", "function.py", 'code += f"ptx::note(at, {size * count},', 'code += f"ptx::note(at, {size},', f"{MODULES} line"),
    ("parameters-are-packed", "translate.py", "            end = aligned(end, v.alignment)\n", "", f"{MODULES} layout"),
    ("increments-wrap-one-later", "function.py", '"inc": "old >= b ? 0', '"inc": "old > b ? 0', f"{MEMORY} atomics"),
    ("atomic-sums-keep-subnormals", "ptx_memory.h", "return flushes ? add<kNearest, true>(a, b) : add<kNearest>(a, b);", "return add<kNearest>(a, b);", f"{MEMORY} atomics"),
    ("products-of-unsigned-bytes", "ptx_integer.h", "using Byte = typename Choice<kIsSigned<A>, s8, u8>::Type;", "using Byte = u8;", f"{OPCODES} s32"),
    ("vectors-add-their-first-element", "function.py", "auto b = b{i}; (void)b; ", "auto b = b0; (void)b; ", "tests/cudasim/test_simulate_language.py -k vectors"),
    ("masks-are-one", "function.py", 'f"ptx::{to}(-1)")', 'f"ptx::{to}(1)")', f"{OPCODES} comparisons"),
    ("sines-of-cosines", "ptx_approximations.h", "moved(cos(f64(x))", "moved(sin(f64(x))", f"{MODULES} bounds"),
    ("signs-are-not-replicated", "ptx_integer.h", "byte = byte & 128 ? 255 : 0;", "byte = 0;", f"{OPCODES} b32"),
    ("shuffles-up-lose-a-lane", "ptx_threads.h", "? source >= most", "? source > most", f"{MODULES} shuffles"),
    ("exact-approximations-move", "ptx_approximations.h", " || f64(nearest) == exact) return nearest;", ") return nearest;", f"{MODULES} bounds"),
    ("approximations-beyond-their-bound", "ptx_approximations.h", "if (__builtin_fabs(f64(x) - exact) <= bound) return x;", "return x;", f"{MODULES} bounds"),
    ("sums-of-16-bits-are-rounded-twice", "ptx_float.h", "if (lost != 0 && ", "if (false && ", f"{OPCODES} f16"),
    ("arrays-of-callees-are-not-counted", "translate.py", "function.own) + deepest", "function.own)", "tests/cudasim/test_cudasim_modules.py -k resources"),
    ("second-text-is-not-called", "translate.py", "set(DEFINED.findall(ptx))", "set()", "tests/cudasim/test_cudasim_modules.py -k joined"),
    ("approximations-differ-from-call-to-call", "ptx_approximations.h", "+ approximation_seed;", "+ ++approximation_seed;", f"{MODULES} equal"),
    ("lines-of-the-ptx", "function.py", "self.line, self.has_lines = (words[0] if words else word) or self.line, True", "pass", f"{MODULES} line"),
]  # fmt: skip

SIMULATE = "tests/cudasim/test_simulate.py -k"
WRONG = "tests/cudasim/test_simulate_kernels.py -k"
DRIVER = "tests/cudasim/test_cudasim_driver.py -k"

# Bugs of what users of the simulator type and read. Name, file, text, planted text, tests.
SIMULATOR = [
    ("freed-memory-of-kernels-stays-alive", "simulator/cuarray_simulator/sources/pool.cpp", "    return end_life(block);\n", '    return "";\n', f"{LANGUAGE} faults_of_memory"),
    ("the-heap-of-kernels-has-no-end", "simulator/cuarray_simulator/sources/pool.cpp", "bytes > context.heap - context.heap_used", "false", f"{LANGUAGE} kernels_allocate"),
    ("kernels-of-ptx-get-host-addresses", "simulator/cuarray_simulator/sources/launch.cpp", "        if (translates) continue;\n", "", f"{LANGUAGE} addresses_in_memory"),
    ("suppressed-kernels-are-reported", "simulator/cuarray_simulator/sources/simt.cpp", "if (wrong && !suppressed_) found(", "if (wrong) found(", f"{SIMULATE} limited"),
    ("no-limit-of-findings", "simulator/cuarray_simulator/sources/simt.cpp", "        if (is_last_finding()) {\n", "        if (false) {\n", f"{SIMULATE} limited"),
    ("blocks-are-mixed-up", "simulator/cuarray_simulator/sources/simt.cpp", "if (wrong.other.block == block_->time.number)", "if (wrong.other.block != block_->time.number)", f"{WRONG} 'wrong and blocks'"),
    ("the-line-of-the-barrier-is-lost", "simulator/cuarray_simulator/sources/simt.cpp", "            place_.line = block_->barrier_line();\n", "", f"{WRONG} branch"),
    ("a-thread-races-with-itself", "simulator/cuarray_simulator/sources/check.cpp", "if (is_own && cell.other_reader.thread) {", "if (false) {", "tests/cudasim/test_cudasim_checks.py -k another_thread"),
    ("the-other-line-is-lost", "simulator/cuarray_simulator/sources/check.cpp", "    now.line = line;\n", "", f"{SIMULATE} both_accesses"),
    ("nvrtc-is-taken-for-a-framework", "simulator/cuarray_simulator/sources/caller.cpp", '.rfind("libnvrtc", 0) == 0', '.rfind("libnvrtc", 0) == 1', f"{SIMULATE} both_accesses"),
    ("findings-leave-the-status-alone", "cuarray/_tools/simulated_run.py", "    if simulator().end():\n        raise SystemExit(1)\n", "    simulator().end()\n", f"{SIMULATE} both_accesses"),
    ("atomics-of-fresh-memory-are-clean", "simulator/cuarray_simulator/sources/check.cpp", "(!is_write || is_update(access))", "!is_write", f"{WRONG} claim"),
    ("results-of-exchanges-are-not-read", "simulator/cuarray_simulator/ptx/function.py", '.replace("ptx::kWrite", "ptx::kUpdate")', "", f"{WRONG} 'exchange and never'"),
    ("a-barrier-of-a-part-orders-nothing", "simulator/cuarray_simulator/sources/check.cpp", "    learn_clocks(block.seen[thread / 32], arrivals.clocks);\n    learn_clocks(block.seen_warps[thread / 32], arrivals.warps);\n", "", f"{LANGUAGE} produces"),
    ("barriers-in-memory-order-nothing", "simulator/cuarray_simulator/sources/simt.cpp", "KernelOrder::learn_from(block_->time, thread_->number, b.arrived);", "(void)b;", f"{LANGUAGE} tokens"),
    ("warps-that-have-met-are-unknown", "simulator/cuarray_simulator/sources/check.cpp", "    arrivals.warps[warp] = std::max(arrivals.warps[warp], block.warps[warp]);\n", "", f"{WRONG} right_kernels_are"),
    ("lines-are-those-of-libraries", "simulator/cuarray_simulator/ptx/function.py", "() if self.module.is_of_library(int(match[2])) else (word,)", "(word,)", f"{LANGUAGE} 'of_warp'"),
    ("bytes-are-not-awaited", "simulator/cuarray_simulator/sources/memory_barrier.cpp", "if (pending_ > 0 || bytes_ != 0) return;", "if (pending_ > 0) return;", f"{LANGUAGE} 'two and buffers'"),
    ("who-drops-out-is-expected-again", "simulator/cuarray_simulator/sources/memory_barrier.cpp", "    expected_ -= arrivals;\n", "", f"{LANGUAGE} 'copies and arrive'"),
    ("bulk-copies-may-outlive-their-block", "simulator/cuarray_simulator/sources/simt.cpp", "        if (!late) return;\n", "        if (late || !late) return;\n", f"{WRONG} overtakes"),
    ("labels-of-inner-blocks-are-one", "simulator/cuarray_simulator/ptx/function.py", 'f"{{ __label__ {\', \'.join(labels)};"', '"{"', f"{LANGUAGE} 'copies and arrive'"),
    ("floats-of-8-bits-keep-their-sign", "simulator/cuarray_simulator/ptx/ptx_float.h", "    if (relu && !(x > 0)) return 0;\n", "", f"{LANGUAGE} 8_bits"),
    ("results-of-joined-texts-are-exchanged", "simulator/cuarray_simulator/ptx/translate.py", '[*["result"] * results, *names]', '[*names, *["result"] * results]', "tests/cudasim/test_cudasim_modules.py -k otherwise"),
    ("globals-are-taken-for-pinned-memory", "simulator/cuarray_simulator/sources/host_memory.h", "return kind == Kind::Pinned || kind == Kind::Registered;", "return kind != Kind::Managed;", f"{DRIVER} globals"),
    ("kernels-leave-pinned-memory-alone", "simulator/cuarray_simulator/sources/launch.cpp", "        count(uses, 1);\n", "", f"{DRIVER} in_flight_change"),
    ("globals-outlive-their-module", "simulator/cuarray_simulator/sources/module.cpp", "    if (info)\n        forget_globals(", "    if (!info)\n        forget_globals(", f"{DRIVER} globals"),
    ("copies-arrive-at-once", "simulator/cuarray_simulator/sources/simt.cpp", "            if (cells) std::fill(cells, cells + bytes, Cell{});\n", "", f"{WRONG} nobody"),
    ("only-some-blocks-of-a-cooperative-launch", "simulator/cuarray_simulator/sources/simt.cpp", "        if (grid.is_cooperative) residency_ = order_.n;\n", "", f"{LANGUAGE} cooperative"),
    ("halves-of-a-pair-exchanged", "simulator/cuarray_simulator/ptx/function.py", "ptx::u16({letter} >> {shift}))\" for letter in \"abc\"}", "ptx::u16({letter} >> {16 - shift}))\" for letter in \"abc\"}", f"{LANGUAGE} halves"),
    ("children-are-not-counted", "simulator/cuarray_simulator/start.py", '    chosen["CUDASIM_TALLY"] = tally.setting()\n', '    os.environ["CUDASIM_TALLY"] = ""\n', f"{SIMULATE} child_processes"),
    ("large-memory-is-passed-over-in-silence", "simulator/cuarray_simulator/sources/memory.cpp", "        tally('m');\n", "        tally('x');\n", f"{SIMULATE} not_judged"),
    ("a-test-with-findings-passes", "simulator/cuarray_simulator/pytest_plugin.py", "found = findings() - before", "found = before - before", f"{SIMULATE} tests_of_a_project"),
    ("a-loaded-driver-is-not-seen", "cuarray/_runtime/simulation.py", "    if _core.has_looked_for_gpus():", "    if False:", f"{SIMULATE} a_call"),
]  # fmt: skip

KERNEL = "include/cuarray/kernel/"
UFUNCS = "tests/python/test_ufuncs.py -k"

# A length that is 1 for NVRTC and 0 for other compilers.
LONGER = "CUARRAY_FN constexpr int longer() {\n#ifdef __CUDA_ARCH__\n    return 1;\n#else\n    return 0;\n#endif\n}\n"

# Name, file, text, what only NVRTC reads instead, tests.
KERNELS = [
    ("a-longer-parameter", "index.h", "template <int N>\nstruct Flat {\n", LONGER + "template <int N>\nstruct Flat {\n    u64 padding[longer()];\n", f"{UFUNCS} 'cuda and test_values and add-float32'"),
    ("a-longer-member-of-a-parameter", "rows.h", "struct RowsOperand {\n    char* data;\n", LONGER + "struct RowsOperand {\n    char* data;\n    i32 padding[2 * longer()];\n", "tests/python/test_operands.py -k 'cuda and beside_an_array and kron'"),
    ("a-misaligned-vector-load", "elementwise.h", "            const Vector<T, V> vector = *reinterpret_cast<const Vector<T, V>*>(from);\n", "            const Vector<T, V> vector = *reinterpret_cast<const Vector<T, V>*>(from + 1);\n", f"{UFUNCS} 'cuda and test_values and add-float32'"),
    ("a-contraction", "matmul.h", "            sum[0] += x[0] * y[0];\n", "            if constexpr (is_same<Right, f64>)\n                sum[0] = ::fma(x[0], y[0], sum[0]);\n            else\n                sum[0] += x[0] * y[0];\n", "tests/python/test_products.py -k 'cuda and bits_of_all_devices and float64'"),
    ("a-root-rounded-towards-zero", "math.h", " return CUARRAY_C(sqrt)(x); }\n", " return ::__dsqrt_rz(x); }\n", f"{UFUNCS} 'cuda and test_values and sqrt-float64'"),
    ("a-sum-rounded-towards-zero", "math.h", "    else\n        return x + y;\n", "    else if constexpr (is_same<T, f64>)\n        return ::__dadd_rz(x, y);\n    else\n        return x + y;\n", f"{UFUNCS} 'cuda and test_values and add-float64'"),
    ("an-approximate-quotient", "math.h", "CUARRAY_FN T divide(T x, T y) {\n", "CUARRAY_FN T divide(T x, T y) {\n#ifdef __CUDA_ARCH__\n    if constexpr (is_same<T, f32>) return ::__fdividef(x, y);\n#endif\n", f"{UFUNCS} 'cuda and test_values and divide-float32'"),
    ("a-lost-volatile-store", "scan_device.h", "        *flag(tile) = 1;\n", "        *const_cast<u32*>(flag(tile)) = 1;\n", "tests/python/test_scans.py -k 'cuda and (halves or long_lines)'"),
    ("a-lost-fence", "scan_device.h", "        __threadfence();\n        *flag(tile) = 1;\n", "        *flag(tile) = 1;\n", "tests/python/test_scans.py -k 'cuda and (halves or long_lines)'"),
    ("a-lost-barrier", "reduce_device.h", "    if (p.groups) __syncthreads();\n", "", "tests/cuda/test_cuda_backend.py -k reductions"),
    ("a-lost-atomic", "histogram_device.h", "    if (p.bins > i64(kSharedBins)) return each_bin<T, i64>(p, [&](i64 bin) { atomicAdd(&p.counts[bin], u64(1)); });\n", "    if (p.bins > i64(kSharedBins)) return each_bin<T, i64>(p, [&](i64 bin) { p.counts[bin] += 1; });\n", "tests/python/test_histograms.py -k 'cuda and test_bincount'"),
    ("a-conversion-to-another-format", "types.h", '    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));\n', '    asm("cvt.f32.bf16 %0, %1;" : "=f"(y) : "h"(x.bits));\n', f"{UFUNCS} 'cuda and test_values and add-float16'"),
    ("a-product-rounded-before-its-conversion", "types.h", '        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));\n', '        asm("{ .reg .f32 t; mul.rz.f32 t, %1, 0f3F7FFFFE; cvt.rn.f16.f32 %0, t; }" : "=h"(y.bits) : "f"(x));\n', f"{UFUNCS} 'cuda and test_values and multiply-float16'"),
    ("a-shared-array-too-small", "matmul_device.h", "    __shared__ number rights[kSlice][P::parts][kMatrixTile + 1];\n", "    __shared__ number rights[kSlice / 2][P::parts][kMatrixTile + 1];\n", "tests/python/test_products.py -k 'cuda and bits_of_all_devices'"),
]  # fmt: skip


def for_nvrtc(text: str, planted: str) -> str:
    """Text of which NVRTC reads `planted`, and other compilers what it was. Without empty lines: they end declarations."""
    if "__CUDA_ARCH__" in planted:
        return planted
    before = "" if text.startswith("    ") else "\n"
    return before + f"#ifdef __CUDA_ARCH__\n{planted or ';'}\n#else\n{text}\n#endif\n".replace("\n\n", "\n")


def planted() -> list[Mutant]:
    found = [Mutant(f"ptx-{name}", PTX + file, old, new, tests) for name, file, old, new, tests in TRANSLATOR]
    found += [Mutant(f"simulate-{name}", file, old, new, tests) for name, file, old, new, tests in SIMULATOR]
    for name, file, old, new, tests in KERNELS:
        seen, hidden = (f"ptx {tests}", f"sim {tests}")
        found.append(
            Mutant(f"ptx-{name}", KERNEL + file, old, for_nvrtc(old, new), seen, text_only=True, hidden_from=hidden)
        )
    return found


MUTANTS = planted()


if __name__ == "__main__":
    os.environ.update(CUDASIM_CHECK="1", CUDASIM_PROGRESS="lazy", CUDASIM_SEED="1")
    os.environ.pop("CUDASIM_REAL_NVRTC", None)
    sys.exit(main("ptx", MUTANTS, __doc__))
