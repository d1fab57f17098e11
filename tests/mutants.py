"""Plant a bug, rebuild, and see that the tests notice: a test that cannot fail proves nothing.

    python tests/mutants.py              all of them
    python tests/mutants.py --pick 3     three, chosen by the date
    python tests/mutants.py --shard 0/4  a quarter
    python tests/mutants.py NAME...      these

tests/planted.py is the machinery; tests/cudasim/mutants.py are the bugs of the CUDA backend and the kernels.
"""

import sys

from planted import Mutant, main

MUTANTS = [
    Mutant(
        "peak-of-the-last-block-only",
        "src/runtime/memory.cpp",
        "before + bytes > peak && !peak_.compare_exchange_weak(peak, before + bytes",
        "before + bytes > peak && !peak_.compare_exchange_weak(peak, bytes",
        "tests/python/test_memory.py -k peak",
    ),
    Mutant(
        "limit-is-looked-at-before-only",
        "src/runtime/memory.cpp",
        "if (bytes > limit() - before) return false;",
        "",
        "tests/test_cpp.py -k host/test_memory",
    ),
    Mutant(
        "cycles-are-not-collected",
        "src/runtime/memory.cpp",
        "        relieve_memory_pressure,\n",
        "",
        "tests/python/test_memory.py -k cycles",
    ),
    Mutant(
        "a-flush-starts-another-search",
        "src/runtime/memory.cpp",
        "Search() { is_searching = true; }",
        "Search() { is_searching = false; }",
        "tests/python/test_memory.py -k flush",
    ),
    Mutant(
        "lent-twice",
        "src/runtime/memory.cpp",
        "std::prev(above)->first + std::prev(above)->second > address);",
        "std::prev(above)->first == address + 1);",
        "tests/python/test_memory.py -k in_use",
    ),
    Mutant(
        "refused-address-is-kept",
        "src/runtime/memory.cpp",
        "if (!is_lent) free(device, address, bytes, stream);",
        "",
        "tests/python/test_memory.py -k wrong_allocator",
    ),
    Mutant(
        "broadcast-larger-extent",
        "src/core/layout.cpp",
        "else if (n != 1 && n != extent) {",
        "else if (n != 1 && n < extent) {",
        "tests/python/test_manipulation.py tests/python/test_errors.py",
    ),
    Mutant(
        "overlap-only-of-equal-starts",
        "src/core/layout.cpp",
        "target - item_a + 1, target + item_b - 1, budget",
        "target, target, budget",
        "tests/test_cpp.py -k layout",
    ),
    Mutant(
        "infinity-of-the-wrong-sign",
        "src/ops/choose_call.cpp",
        "w.big > 0 ? __builtin_inf() : -__builtin_inf()",
        "w.big < 0 ? __builtin_inf() : -__builtin_inf()",
        "tests/python/test_types.py -k python_int",
    ),
    Mutant(
        "weak-float-beside-integers",
        "src/ops/choose_call.cpp",
        "return rank >= int(weak);",
        "return rank > int(weak);",
        "tests/python/test_types.py",
    ),
    Mutant(
        "negative-slice-step-off-by-one",
        "src/ops/indexing.cpp",
        "count = (start - stop - 1) / -step + 1;",
        "count = (start - stop) / -step + 1;",
        "tests/python/test_indexing.py",
    ),
    Mutant(
        "index-equal-to-size",
        "src/ops/indexing.cpp",
        "entry.value >= n)",
        "entry.value > n)",
        "tests/python/test_indexing.py",
    ),
    Mutant(
        "index-of-arrays-equal-to-size",
        "include/cuarray/kernel/gather.h",
        "u64(place) < u64(size)",
        "u64(place) <= u64(size)",
        "tests/python/test_indexing_arrays.py",
    ),
    Mutant(
        "axes-of-an-index-always-adjacent",
        "src/ops/indexing_advanced.cpp",
        "else if (!is_choosing_) adjacent_ = false;",
        "",
        "tests/python/test_indexing_arrays.py",
    ),
    Mutant(
        "repeated-places-in-any-order",
        "src/host/gather.cpp",
        "if (line_ > 0 && space_.strides[kArray][0] != 0 && space_.shape[0] > 1) {",
        "if (line_ > 0) {",
        "tests/python/test_indexing_arrays.py",
    ),
    Mutant(
        "indices-that-are-overwritten",
        "src/ops/indexing_advanced.cpp",
        "writes_ && overlaps(positions, array_) ?",
        "writes_ && false ?",
        "tests/python/test_indexing_arrays.py -k overlapping",
    ),
    Mutant(
        "product-of-the-last-panel-alone",
        "src/host/loops/matmul.cpp",
        "P::add(sums[r][v], panel[r][v]);",
        "std::memcpy(&sums[r][v], &panel[r][v], sizeof sums[r][v]);",
        "tests/python/test_products.py",
    ),
    Mutant(
        "product-of-one-batch",
        "src/host/matmul.cpp",
        "task_.right.data() + batch.offset(kRight)",
        "task_.right.data()",
        "tests/python/test_products.py",
    ),
    Mutant(
        "product-without-conjugate",
        "cuarray/_products.py",
        'return _core.ufuncs["conj"](x) if x.dtype.kind == "c" else x',
        "return x",
        "tests/python/test_products.py",
    ),
    Mutant(
        "complex-product-of-the-wrong-sign",
        "include/cuarray/kernel/matmul.h",
        "rounded_product(x[0], y[0]) - rounded_product(x[1], y[1])",
        "rounded_product(x[0], y[0]) + rounded_product(x[1], y[1])",
        "tests/python/test_products.py",
    ),
    Mutant(
        "product-in-place-of-another-shape",
        "src/bindings/number.cpp",
        "if (!(result.shape() == array.shape()))",
        "if (false)",
        "tests/python/test_products.py",
    ),
    Mutant(
        "segment-takes-a-neighbour",
        "src/host/loops/reductions.cpp",
        "lane[l] = l + d < n ? both : lane[l];",
        "lane[l] = l + d <= n ? both : lane[l];",
        "tests/python/test_segments.py -k segment",
    ),
    Mutant(
        "error-named-after-the-innermost-function",
        "src/bindings/lines.cpp",
        "PyFunction_GetCode(function) == code.get()) called",
        "PyFunction_GetCode(function) == code.get() && called.empty()) called",
        "tests/python/test_errors.py -k name",
    ),
    Mutant(
        "machine-errors-named-after-a-call",
        "src/bindings/python.cpp",
        "!noted && is_about_arguments(error.kind())",
        "!noted",
        "tests/python/test_memory.py -k full_machine",
    ),
    Mutant(
        "mask-before-its-stretch",
        "src/host/gather_masked.cpp",
        "before[i], before[i + 1] - before[i],",
        "before[i] - (i > 3), before[i + 1] - before[i],",
        "tests/python/test_indexing_arrays.py::test_large",
    ),
    Mutant(
        "scatter-writes-before-it-checks",
        "src/host/gather.cpp",
        "task, true);\n    choice.check();\n",
        "task, true);\n",
        "tests/python/test_indexing_arrays.py -k outside",
    ),
    Mutant(
        "coordinates-of-the-row-before",
        "src/host/gather_masked.cpp",
        "if (number < end && i > 0) {",
        "if (number <= end && i > 0) {",
        "tests/python/test_indexing_functions.py",
    ),
    Mutant(
        "writes-before-pending-reads",
        "src/array/creation.cpp",
        "    before_write(to.storage());  // may run",
        "    // may run",
        "tests/python/test_fuse.py",
    ),
    Mutant(
        "pending-arrays-never-overlap",
        "src/array/array.cpp",
        "return a.pending() == b.pending() && !a.is_empty();",
        "return false;",
        "tests/python/test_fuse.py -k overlaps",
    ),
    Mutant(
        "a-thread-unwinds-at-the-end",
        "src/bindings/python.cpp",
        "        PyEval_RestoreThread(state);\n    } catch (...) {\n        stop_thread();",
        "        PyEval_RestoreThread(state);\n    } catch (...) {\n        throw;",
        "tests/python/test_fuse.py -k daemon",
    ),
    Mutant(
        "a-child-that-holds-its-parents-lock",
        "src/bindings/hooks.cpp",
        "cpp_function(&renew_graphs)",
        "cpp_function([] {})",
        "tests/python/test_fuse.py -k fork",
    ),
    Mutant(
        "handles-of-a-node-that-has-run-wait",
        "src/array/array.cpp",
        "node && !node->graph) array.settle();",
        "node && !node) array.settle();",
        "tests/python/test_fuse.py -k overlaps",
    ),
    Mutant(
        "scalars-wrap-where-they-are-set",
        "src/bindings/convert.cpp",
        "kind_ == Kind::Scalar ? convert_exactly(scalar_, dtype, function)",
        "kind_ == Kind::Scalar ? convert(scalar_, dtype)",
        "tests/python/test_indexing.py -k fit",
    ),
    Mutant(
        "ravel-gives-evenly-spaced-elements",
        "src/bindings/ndarray_methods.cpp",
        "if (!flat.is_c_contiguous()) flat",
        "if (flat.ndim() > 1) flat",
        "tests/oracle/test_memory_of_results.py -k ravel",
    ),
    Mutant(
        "equal-memory-of-another-layout",
        "src/array/pending.cpp",
        """ ||
            !(v.strides == operand.strides)) continue;""",
        ") continue;",
        "tests/python/test_fuse.py",
    ),
    Mutant(
        "initial-counted-twice",
        "src/host/fold.cpp",
        "            row = 1;",
        "            row = 0;",
        "tests/python/test_ufuncs.py -k reduce",
    ),
    Mutant(
        "fuse-forgets-to-end",
        "cuarray/_fuse.py",
        """            finally:
                _core.end_deferral()""",
        """            finally:
                pass""",
        "tests/python/test_fuse.py",
    ),
    Mutant(
        "infix-without-parentheses",
        "src/core/infix.cpp",
        "from_right ? own : own + 1",
        "from_right ? own : own",
        "tests/python/test_profile.py -k expression",
    ),
    Mutant(
        "bytes-of-repeated-elements",
        "src/runtime/recorder.cpp",
        "view.strides[axis] != 0 || ",
        "view.strides[axis] != 1 || ",
        "tests/python/test_profile.py -k bytes",
    ),
    Mutant(
        "validation-compares-nothing",
        "src/runtime/agreement.cpp",
        "if (!agree(",
        "if (i < 0 && !agree(",
        "tests/cuda/test_cuda_validation.py",
    ),
    Mutant(
        "journal-without-kernels",
        "src/cuda/elementwise.cpp",
        "    journal().launched(kernel.entry, kernel.expr.get());\n",
        "",
        "tests/cuda/test_cuda_explanations.py",
    ),
]

if __name__ == "__main__":
    sys.exit(main("host", MUTANTS, __doc__))
