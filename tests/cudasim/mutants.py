"""Bugs in the CUDA backend and its kernels, planted and looked for on simulated GPUs with all checks on.

    python tests/cudasim/mutants.py              all, except those caught by an earlier run
    python tests/cudasim/mutants.py --shard 0/8  a part
    python tests/cudasim/mutants.py --list       their names
    python tests/cudasim/mutants.py NAME...      these

Most of them are generated from the current sources: every wait, event record, rejection, relaxed capture mode, error
check, barrier and fence of src/cuda and the kernels is removed in turn. Those without effect are in REDUNDANT, with the reason.
Tests that compare texts or hashes are not among those that must fail.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from planted import Mutant, main

BACKEND = "tests/cuda/test_cuda_backend.py"
FOLDS = f"{BACKEND} -k reductions"
LONG_FOLD = f"{BACKEND} -k long_reduction"
LINES = "sim tests/python/test_fold_lines.py -k 'cuda and bits_of_lines and (f4 or f2)'"
LOOPS = f"{BACKEND} -k elementwise"
ROWS = "sim tests/python/test_strided_loops.py -k 'cuda and test_rows and f4'"
TILES = "sim tests/python/test_strided_loops.py -k 'cuda and test_transposed and f4'"
SMALL_PRODUCTS = "sim tests/python/test_products.py -k 'cuda and bits_of_all_devices and float32'"
ORDER = f"{BACKEND} -k foreign"
BYTES = f"{BACKEND} -k transfers"
MEMORY = "tests/cuda/test_cuda_memory.py"
STREAMS = "sim tests/python/test_streams.py -k cuda"
PYTHON_MEMORY = "sim tests/python/test_memory.py"
FAILURES = "tests/cuda/test_cuda_failures.py"
ONE_LINE_FAILS = f"{FAILURES} -k single_lines"
ANY_CALL_FAILS = f"{FAILURES} -k test_call_fails"
CACHE = "tests/cuda/test_cuda_cache.py"
VERSIONS = "tests/cuda/test_cuda_versions.py"
EXPLANATIONS = "tests/cuda/test_cuda_explanations.py"
PRODUCTS = "tests/cuda/test_cuda_products.py"
TRANSFORMS = "tests/cuda/test_cuda_transforms.py"
ON_GPUS = "sim tests/python/test_fft.py"
FACTORISATIONS = "tests/cuda/test_cuda_factorisations.py"
LINALG_ON_GPUS = "sim tests/python/test_linalg.py"
UNUSUAL = "tests/cuda/test_cuda_order.py"
CAPTURES = "tests/cuda/test_cuda_captures.py"
GPU_CHECK = "tests/cuda/test_gpu_check.py"
FAULTS = "tests/cuda/test_cuda_faults.py"
GRAPHS = "sim tests/python/test_streams.py -k 'cuda and (graph or capture)'"

SCANS = "sim tests/python/test_scans.py -k 'cuda and (halves or any_axis or long_lines or whole_and)'"
REDUCE_DEVICE = "include/cuarray/kernel/reduce_device.h"
ELEMENTWISE = "include/cuarray/kernel/elementwise.h"
GATHER_DEVICE = "include/cuarray/kernel/gather_device.h"
SORT_DEVICE = "include/cuarray/kernel/sort_device.h"
MASKED_DEVICE = "include/cuarray/kernel/compaction_device.h"
INDICES = "sim tests/python/test_indexing_arrays.py"

WAITS = "tests/cuda/test_cuda_waits.py -k 'error or destructor or end'"
STARTS = "tests/cuda/test_cuda_starts.py"
WRITES = "sim tests/python/test_writes.py"
SEQUENCES = "sim tests/python/test_sequence.py -k 'cuda and (sizes or integers or layouts)'"
CHAINS = "sim tests/python/test_sequence.py -k 'cuda and test_chains'"
LONG_SEQUENCES = "sim tests/python/test_sequence.py -k 'cuda and many_numbers'"

SORTS = "sim tests/python/test_sorting.py -k 'cuda and (bools or top_k or long_rows or all_keys)'"
SELECTIONS = "sim tests/python/test_sorting.py -k 'cuda and order_statistics'"

DEFERRAL = "tests/cuda/test_cuda_deferral.py"

BY_HAND = [
    Mutant(
        "errors-of-what-waits-are-lost-with-its-stream",
        "cuarray/_runtime/streams.py",
        "                _core.settle_all()\n        finally:\n            _core.leave_stream()",
        "                pass\n        finally:\n            _core.leave_stream()",
        f"{DEFERRAL} -k short",
    ),
    Mutant(
        "operations-wait-within-captures",
        "src/cuda/backend.h",
        "bool runs_at_call() override { return runtime_.is_capturing() || GpuRuntime::is_thread_capturing(); }",
        "bool runs_at_call() override { return false; }",
        f"{DEFERRAL} -k what_waits",
    ),
    Mutant(
        "passes-of-loops-are-not-seen",
        "src/array/pending_graph.cpp",
        "        if (std::equal(first, pass, pass, are_alike)) return true;",
        "        if (std::equal(first, pass, pass, are_alike)) return false;",
        f"{DEFERRAL} -k passes",
    ),
    Mutant(
        "memory-is-kept-on-gpus-without-limit",
        "src/array/pending_graph.cpp",
        "    if ((is_on_host || !is_of_scope) &&",
        "    if (is_on_host &&",
        f"{DEFERRAL} -k launches",
    ),
    Mutant(
        "chains-are-compiled-at-the-call",
        "src/cuda/elementwise.cpp",
        "    return kernels_.prepare({task.expr}, plan.launch.walk);",
        "    return true;",
        f"{DEFERRAL} -k beside",
    ),
    Mutant(
        "what-was-compiled-beside-is-not-found",
        "src/cuda/compiler.cpp",
        "        compilation.is_done.store(true, std::memory_order_release);",
        "",
        f"{DEFERRAL} -k beside",
    ),
    Mutant(
        "errors-of-the-compiler-are-forgotten",
        "src/cuda/kernels.cpp",
        "if (!compilation->error) compiled_beside_.erase(known);",
        "compiled_beside_.erase(known);",
        f"{DEFERRAL} -k every_use",
    ),
    Mutant(
        "compiled-beside-without-a-cache",
        "src/cuda/compiler.cpp",
        "            disk_cache().store(order.key, compilation.binary);",
        "",
        f"{DEFERRAL} -k beside",
    ),
    Mutant(
        "singles-run-in-place-of-an-assignment",
        "src/array/settling.cpp",
        "            run_one_by_one(g);\n            return false;",
        "            run_one_by_one(g);\n            return true;",
        f"{DEFERRAL} -k beside",
    ),
    Mutant(
        "short-of-memory-what-waits-is-not-run",
        "src/runtime/memory.cpp",
        "    if (!account_.has_room(bytes)) run_deferred(), relieve_memory_pressure();",
        "    if (!account_.has_room(bytes)) relieve_memory_pressure();",
        f"{DEFERRAL} -k short",
    ),
    Mutant(
        "singles-keep-what-nobody-reads",
        "src/array/settling.cpp",
        "                if (node->handles == 0) node->result = {};",
        "                (void)node;",
        f"{DEFERRAL} -k memory_is",
    ),
    Mutant(
        "the-compiler-outlives-the-program",
        "src/cuda/compiler.cpp",
        "        if (thread_.joinable()) run_unlocked([this] { thread_.join(); });",
        "        std::terminate();",
        f"{DEFERRAL} -k ends",
    ),
    Mutant(
        "selected-digits-of-other-prefixes",
        "include/cuarray/kernel/select_device.h",
        "                if (higher[v] == prefix && v < present)",
        "                if (v < present)",
        SELECTIONS,
    ),
    Mutant(
        "selected-values-behind-the-row",
        "include/cuarray/kernel/select_device.h",
        "higher[v] == prefix && v < present",
        "higher[v] == prefix",
        SELECTIONS,
    ),
    Mutant(
        "selection-keeps-the-counts-of-a-pass",
        "include/cuarray/kernel/select_device.h",
        "    for (u32 w = 0; w < p.wanted; ++w) counts[w * kDigits + t] = 0;\n",
        "    for (u32 w = 1; w < p.wanted; ++w) counts[w * kDigits + t] = 0;\n",
        SELECTIONS,
    ),
    Mutant(
        "selection-forgets-the-rank-below",
        "include/cuarray/kernel/select_device.h",
        "digits[w] = prefix << kDigitBits | t, ranks[w] = rank - before;",
        "digits[w] = prefix << kDigitBits | t, ranks[w] = rank;",
        SELECTIONS,
    ),
    Mutant(
        "selected-zeros-lose-their-sign",
        "include/cuarray/kernel/select_device.h",
        "    for (u32 w = 0; w < p.wanted; ++w) {\n        const u32 group = selection.group_of[w];",
        "    for (u32 w = 1; w < p.wanted; ++w) {\n        const u32 group = selection.group_of[w];",
        SELECTIONS,
    ),
    Mutant(
        "equal-values-of-the-part-before",
        "include/cuarray/kernel/select_device.h",
        "if (rank - before < count) part = t, left = rank - before;",
        "if (rank - before < count) part = t, left = rank;",
        SELECTIONS,
    ),
    Mutant(
        "one-group-for-all-selected",
        "include/cuarray/kernel/select_device.h",
        "if (w == 0 || digits[w] != digits[w - 1])",
        "if (w == 0)",
        SELECTIONS,
    ),
    Mutant(
        "calls-of-numpy-on-the-current-device",
        "src/bindings/protocols/interfaces.cpp",
        "if (const Device device = device_of(self); device != current_device()) scope.emplace(device);",
        "",
        "sim tests/python/test_functions.py -k 'cuda and of_like'",
    ),
    Mutant(
        "waits-hold-the-gil",
        "src/bindings/hooks.cpp",
        "    set_waiter(wait_without_gil);\n",
        "",
        WAITS,
    ),
    Mutant(
        "one-wait-holds-the-gil",
        "src/cuda/driver_api.h",
        "WAITS(cuEventSynchronize,",
        "ENTRY(cuEventSynchronize,",
        "tests/cuda/test_cuda_waits.py",
    ),
    Mutant(
        "locks-are-waited-for-with-the-gil",
        "src/runtime/mutex.h",
        "if (!mutex_.try_lock()) run_unlocked([this] { mutex_.lock(); });",
        "mutex_.lock();",
        "tests/cuda/test_cuda_waits.py -k lock",
    ),
    Mutant(
        "the-first-gpu-or-none",
        "src/runtime/registry.cpp",
        "if (!is_of_device || device == Device{}) throw;",
        "throw;",
        f"{STARTS} -k next_device",
    ),
    Mutant(
        "a-failed-start-keeps-its-context",
        "src/cuda/context.cpp",
        "driver.cuDevicePrimaryCtxRelease.status(device);",
        "",
        f"{STARTS} -k nothing_behind",
    ),
    Mutant(
        "a-failed-start-keeps-its-stream",
        "src/cuda/stream.cpp",
        "driver.cuStreamDestroy(static_cast<CUstream>(stream));",
        "static_cast<void>(driver), static_cast<void>(stream);",
        f"{STARTS} -k nothing_behind",
    ),
    Mutant(
        "a-reset-is-not-explained",
        "src/cuda/driver.cpp",
        "if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)",
        "if (false)",
        f"{STARTS} -k reset",
    ),
    Mutant(
        "new-arrays-are-not-like-another",
        "src/bindings/functions/readers.cpp",
        "return array_of(like).device();",
        "return current_device();",
        "tests/python/test_creation.py -k device_and_like",
    ),
    Mutant(
        "leading-axes-do-not-travel",
        "src/array/creation.cpp",
        "if (has_extra_axes(from, to)) return transfer(to, without_extra_axes(from, to), function);",
        "",
        f"{WRITES} -k leading",
    ),
    Mutant(
        "values-at-indices-do-not-travel",
        "src/ops/indexing_advanced.cpp",
        "return assign_at(array, index, moved);",
        "return;",
        f"{WRITES} -k indices",
    ),
    Mutant(
        "numpy-values-are-refused",
        "cuarray/_arguments/operands.py",
        "        return _core.array_from_object(values, None, a.device)\n    return _core.beside",
        "        return _core.beside(values, a, function)\n    return _core.beside",
        f"{WRITES} -k put",
    ),
    Mutant(
        "exported-memory-waits-for-our-streams-alone",
        "src/cuda/storages.cpp",
        "users, block.last_export() || block.seen_elsewhere);",
        "users, false);",
        "sim tests/python/test_streams.py -k gave_back",
    ),
    Mutant(
        "a-read-ends-what-others-queue-meanwhile",
        "src/cuda/transfer.cpp",
        "stream.finish(own == reached + 1 ? own : reached);",
        "stream.finish(own);",
        "sim tests/python/test_memory.py -k 'hammer_on_streams and cuda and cuarray'",
    ),
    Mutant(
        "interface-names-idle-streams",
        "src/cuda/storages.cpp",
        "    if (std::ranges::all_of(points, has_run)) return 0;\n",
        "",
        "sim tests/python/test_streams.py -k 'cuda and names_no_stream'",
    ),
    Mutant(
        "interface-names-no-stream",
        "src/cuda/storages.cpp",
        "if (std::ranges::all_of(points, has_run)) return 0;",
        "return 0;",
        "sim tests/python/test_streams.py -k 'cuda and (exchanged or names_no_stream)'",
    ),
    Mutant(
        "exchange-without-order",
        "src/bindings/protocols/dlpack_exchange.cpp",
        "if (!is_on_host(device)) runtime(device).publish(array.storage(), current_stream(device).handle());",
        "",
        "sim tests/python/test_protocols_exchange.py -k 'cuda and other_streams'",
    ),
    Mutant(
        "operators-beside-memory-elsewhere",
        "src/bindings/functions/convert.cpp",
        "if (owned_->device() != device)",
        "if (false)",
        "sim tests/python/test_protocols.py -k another_device",
    ),
    Mutant(
        "numpy-indices-stay-on-the-host",
        "src/bindings/functions/readers.cpp",
        "if (is_numpy_array(object) && device.has_arrays) options.device = device.device;",
        "",
        "sim tests/python/test_operands.py -k 'cuda and (beside or numpy_indices)'",
    ),
    Mutant(
        "numpy-keys-stay-on-the-host",
        "src/bindings/types/subscript.cpp",
        "options.device = device_;\n        Object made;",
        "if (!is_numpy_array(entry)) options.device = device_;\n        Object made;",
        "sim tests/python/test_operands.py -k 'cuda and (beside or numpy_indices)'",
    ),
    Mutant(
        "owner-does-not-wait-for-the-borrower",
        "src/bindings/protocols/loans.cpp",
        "runtime(device_).publish(*storage, handle());",
        ";",
        "sim tests/python/test_loans.py -k 'cuda and owner_waits'",
    ),
    Mutant(
        "lent-blocks-are-not-of-the-callers-stream",
        "src/runtime/lending.cpp",
        "    const InnerStreamScope scope(owner.foreign_stream(reinterpret_cast<int64_t>(stream)));\n",
        "",
        "sim tests/python/test_interop_memory.py -k 'cuda and in_our_memory'",
    ),
    Mutant(
        "a-plan-is-destroyed-under-queued-work",
        "src/cuda/cufft.cpp",
        "        runtime_.wait_for_streams();\n",
        "",
        "sim tests/python/test_fft.py -k plans_are_kept",
    ),
    # Hanging parts of scripts/gpu_check.sh
    Mutant(
        "processes-of-a-part-are-left",
        "scripts/gpu_check.sh",
        '    kill -KILL -- "-$group" 2> /dev/null  # what the part has left behind\n',
        "",
        f"{GPU_CHECK} -k framework_hangs",
    ),
    Mutant(
        "a-framework-that-hangs-holds-the-part",
        "scripts/gpu/interop.py",
        "        status = process.wait(max(end - time.monotonic(), 0.1))\n",
        "        status = process.wait()\n",
        f"{GPU_CHECK} -k framework_hangs",
    ),
    Mutant(
        "a-test-that-hangs-holds-the-part",
        "scripts/gpu/suite.py",
        "        return run.wait(SECONDS - SPARE)\n",
        "        return run.wait()\n",
        f"{GPU_CHECK} -k test_hangs",
    ),
    Mutant(
        "a-test-that-did-not-end-is-forgotten",
        "scripts/gpu/log_tests.py",
        '        write(test=nodeid, event="begin")\n',
        "        pass\n",
        f"{GPU_CHECK} -k test_hangs",
    ),
    # What a real driver, and other libraries of the process, would notice
    Mutant(
        "a-plan-waits-for-the-whole-context",
        "src/cuda/cufft.cpp",
        "        runtime_.wait_for_streams();\n",
        "        const Current waiting(context_);\n        context_.driver.cuCtxSynchronize.status();\n",
        f"{CAPTURES} -k 'no_call and libraries'",
    ),
    Mutant(
        "an-exported-block-is-collected-when-it-is-freed",
        "src/cuda/memory.cpp",
        "constexpr size_t kMostSharedBlocks = 64;",
        "constexpr size_t kMostSharedBlocks = 0;",
        f"{CAPTURES} -k 'exported and no_call'",
    ),
    Mutant(
        "a-limit-collects-exported-blocks",
        "src/cuda/memory.cpp",
        "if (bytes != kNoLimit) give_back();",
        "if (bytes != kNoLimit) trim();",
        f"{CAPTURES} -k 'limits and no_call'",
    ),
    Mutant(
        "an-exported-block-is-lost-if-the-driver-refuses",
        "src/cuda/memory.cpp",
        "            for (const Allocation& block : blocks) share(block);\n",
        "",
        f"{CAPTURES} -k comes_back",
    ),
    Mutant(
        "an-exported-block-waits-for-trim",
        "src/cuda/memory.cpp",
        "    if (has_many_shared()) collect_shared();\n",
        "",
        f"{CAPTURES} -k without_trim",
    ),
    Mutant(
        "an-exported-block-is-used-too-early",
        "src/cuda/memory.cpp",
        "    for (GpuStream* const home : homes) home->wait_for_context();\n",
        "",
        ORDER,
    ),
    Mutant(
        "captures-of-blocking-streams-are-overlooked",
        "src/cuda/memory.cpp",
        "== CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;",
        "== CUDA_ERROR_INVALID_VALUE;",
        f"{CAPTURES} -k blocking",
    ),
    Mutant(
        "own-captures-are-overlooked",
        "src/cuda/memory.cpp",
        "    if (GpuRuntime::is_any_captured()) return true;\n",
        "",
        f"{CAPTURES} -k own_capture",
    ),
    Mutant(
        "large-freed-blocks-are-held-back",
        "src/cuda/memory.cpp",
        "    if (caches_ && allocation.bytes <= kSmall) {",
        "    if (caches_) {",
        f"{CAPTURES} -k free_at_once",
    ),
    Mutant(
        "the-threshold-is-lost-with-another-pool",
        "src/cuda/memory.cpp",
        " || (pool == raised_ && threshold == raised_to_)",
        "",
        f"{MEMORY} -k threshold",
    ),
    Mutant(
        "a-graph-is-destroyed-without-a-context",
        "src/cuda/graph.cpp",
        "        const Current current(runtime_.context);\n        const RelaxedCapture relaxed(runtime_.context.driver);\n",
        "        const RelaxedCapture relaxed(runtime_.context.driver);\n",
        f"{CAPTURES} -k without_a_context",
    ),
    Mutant(
        "an-event-is-destroyed-without-a-context",
        "src/cuda/event.cpp",
        "        const Current current(context_);\n        context_.driver.cuEventDestroy(handle_);",
        "        context_.driver.cuEventDestroy(handle_);",
        f"{CAPTURES} -k without_a_context",
    ),
    Mutant(
        "a-failing-external-device-is-taken-lightly",
        "src/cuda/driver.cpp",
        "CUDA_ERROR_ASSERT,    CUDA_ERROR_TENSOR_MEMORY_LEAK, CUDA_ERROR_EXTERNAL_DEVICE};",
        "CUDA_ERROR_ASSERT,    CUDA_ERROR_TENSOR_MEMORY_LEAK};",
        f"{EXPLANATIONS} -k 'asynchronous and 911'",
    ),
    Mutant(
        "a-timeout-is-taken-lightly",
        "src/cuda/driver.cpp",
        "CUDA_ERROR_ILLEGAL_ADDRESS,    CUDA_ERROR_LAUNCH_TIMEOUT,",
        "CUDA_ERROR_ILLEGAL_ADDRESS,",
        f"{EXPLANATIONS} -k 'asynchronous and 702'",
    ),
    Mutant(
        "a-broken-nvlink-blames-the-program",
        "src/cuda/driver.cpp",
        "result == CUDA_ERROR_ECC_UNCORRECTABLE || result == CUDA_ERROR_NVLINK_UNCORRECTABLE",
        "result == CUDA_ERROR_ECC_UNCORRECTABLE",
        f"{EXPLANATIONS} -k 'hardware'",
    ),
    Mutant(
        "an-old-gpu-gets-the-newest-nvrtc",
        "src/cuda/library.cpp",
        "        if (is_old && open_between(kLastForOldGpus, kLeastMajor)) return true;\n",
        "",
        f"{VERSIONS} -k turing_get",
    ),
    Mutant(
        "an-old-gpu-remembers-the-nvrtc-of-a-new-one",
        "src/cuda/nvrtc.cpp",
        '(has_gpus_before_turing(driver) ? "old\\n" : "")',
        '"" ',
        f"{VERSIONS} -k turing_get",
    ),
    Mutant(
        "warnings-about-an-architecture-hide-options",
        "src/cuda/nvrtc.cpp",
        "known_options(library, found.archs.back());",
        "known_options(library, found.archs.front());",
        f"{VERSIONS} -k old_architectures",
    ),
    Mutant(
        "an-instance-of-mig-is-named-a-gpu",
        "src/cuda/runtime.cpp",
        '? "MIG-" : "GPU-";',
        '? "GPU-" : "GPU-";',
        f"{VERSIONS} -k mig",
    ),
    Mutant(
        "random-elements-before-the-first-are-stored",
        "include/cuarray/kernel/random_device.h",
        "if (first + at + e >= least && first + at + e < n)",
        "if (first + at + e >= 0 && first + at + e < n)",
        "sim tests/python/test_random_numbers.py -k cuda",
    ),
    Mutant(
        "random-parameters-of-the-first-element",
        "include/cuarray/kernel/random_device.h",
        "return Draw::draw(parameter(p, 0, block),",
        "return Draw::draw(parameter(p, 0, 0),",
        "sim tests/python/test_random_numbers.py -k cuda",
    ),
    Mutant(
        "random-packs-at-any-address",
        "include/cuarray/kernel/random_device.h",
        " && reinterpret_cast<u64>(to) % sizeof(RandomPack) == 0",
        "",
        "sim tests/python/test_random_numbers.py -k cuda",
    ),
    Mutant(
        "masks-of-few-blocks-lose-a-count",
        MASKED_DEVICE,
        "at < blockIdx.x; at += kThreads",
        "at + 1 < blockIdx.x; at += kThreads",
        "sim tests/python/test_indexing_arrays.py -k 'cuda and mask'",
    ),
    Mutant(
        "sequence-elements-before-the-first-are-stored",
        "include/cuarray/kernel/sequence_device.h",
        "if (first + e >= 0 && first + e < n)",
        "if (first + e < n)",
        SEQUENCES,
    ),
    Mutant(
        "sequence-packs-at-any-address",
        "include/cuarray/kernel/sequence_device.h",
        " && reinterpret_cast<u64>(to) % sizeof(RandomPack) == 0",
        "",
        SEQUENCES,
    ),
    Mutant(
        "sequence-grids-do-not-jump",
        "include/cuarray/kernel/sequence_device.h",
        "        state = jumped(jump, state);\n",
        "",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-tiles-do-not-jump",
        "include/cuarray/kernel/sequence_device.h",
        "jumped_by(p.place.jumps, state, next - word)",
        "state",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-rounds-jump-half-as-far",
        "include/cuarray/kernel/sequence_device.h",
        "now = jumped(p.place.jumps[8], now);\n        const u64 word = Known::",
        "now = jumped(p.place.jumps[7], now);\n        const u64 word = Known::",
        SEQUENCES,
    ),
    Mutant(
        "chain-rounds-jump-half-as-far",
        "include/cuarray/kernel/sequence_device.h",
        "now = jumped(p.place.jumps[8], now);\n        const u64 word = word_at(",
        "now = jumped(p.place.jumps[7], now);\n        const u64 word = word_at(",
        CHAINS,
    ),
    Mutant(
        "chains-follow-maps-from-anywhere",
        "include/cuarray/kernel/sequence_device.h",
        "if (word.exit() >= kTileEntries && !(is_next && (ends & 1))) return false;",
        "",
        "tests/cuda/test_cuda_sequences.py",
    ),
    Mutant(
        "chains-trust-uncertain-attempts",
        "include/cuarray/kernel/sequence_device.h",
        "made.is_certain && made.units < 256 ? ",
        "made.units < 256 ? ",
        "sim tests/python/test_sequence.py -k 'cuda and ties'",
    ),
    Mutant(
        "chains-begin-parts-at-their-first-unit",
        "include/cuarray/kernel/sequence_device.h",
        "u32(followed(tile, entry, lane).entry)",
        "0",
        CHAINS,
    ),
    Mutant(
        "chains-count-attempts-that-give-nothing",
        "include/cuarray/kernel/sequence_device.h",
        "if (tile.begins(at)) give(at);",
        "give(at);",
        CHAINS,
    ),
    Mutant(
        "chains-end-a-unit-behind-the-last-number",
        "include/cuarray/kernel/sequence_device.h",
        "kTileUnits + unit + tile.units[unit])",
        "kTileUnits + unit + 1)",
        CHAINS,
    ),
    Mutant(
        "chains-keep-the-masks-of-attempts",
        "include/cuarray/kernel/sequence_device.h",
        "    tile.masks[2 * lane] = u32(masks), tile.masks[2 * lane + 1] = u32(masks >> 32);\n",
        "",
        CHAINS,
    ),
    Mutant(
        "gamma-ties-are-decided-by-the-device",
        "include/cuarray/kernel/sequence.h",
        "made.is_certain = made.is_certain && is_certain;",
        "(void)is_certain;",
        "ptx tests/python/test_sequence.py -k 'cuda and planted_ties'",
    ),
    Mutant(
        "gamma-powers-are-taken-for-exact",
        "include/cuarray/kernel/sequence.h",
        "margin * ((limit + to) * share + T(1e-30))",
        "0",
        "ptx tests/python/test_sequence.py -k 'cuda and planted_ties'",
    ),
    Mutant(
        "sequence-attempts-skip-a-word",
        "include/cuarray/kernel/sequence_device.h",
        "state = jumped(place.jumps[0], state);\n            word =",
        "state = jumped(place.jumps[1], state);\n            word =",
        SEQUENCES,
    ),
    Mutant(
        "sequence-tiles-begin-at-their-first-unit",
        "include/cuarray/kernel/sequence_device.h",
        "    for (u32 unit = 0; unit < entry; ++unit) drop(unit);\n",
        "",
        SEQUENCES,
    ),
    Mutant(
        "sequence-units-within-a-number-give-numbers",
        "include/cuarray/kernel/sequence_device.h",
        "            for (u32 unit = begin + 1; unit < behind && unit < kTileUnits; ++unit) drop(unit);\n",
        "",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-settled-attempts-keep-their-units",
        "include/cuarray/kernel/sequence_device.h",
        "        atomicAnd(&tile.masks[at.first + at.h], ~at.bit);\n",
        "",
        SEQUENCES,
    ),
    Mutant(
        "sequence-settled-attempts-give-nothing",
        "include/cuarray/kernel/sequence_device.h",
        "    if (known.made.gives) atomicOr(",
        "    if (false) atomicOr(",
        SEQUENCES,
    ),
    Mutant(
        "sequence-attempts-that-overlap-are-settled",
        "include/cuarray/kernel/sequence_device.h",
        "(t > 0 && end(t - 1) > mine.unit)",
        "false",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-attempts-settle-what-begins-in-them",
        "include/cuarray/kernel/sequence_device.h",
        "(t + 1 < attempts && end(t) > tile.attempt[t + 1].unit)",
        "false",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-tiles-forget-their-last-attempt",
        "include/cuarray/kernel/sequence_device.h",
        "if (t + 1 == attempts) tile.behind = end(t);",
        "",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-maps-are-read-from-the-first-entry",
        "include/cuarray/kernel/sequence_device.h",
        "numbers += word.numbers_from(entry);",
        "numbers += word.numbers_from(0);",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-looks-count-a-tile-twice",
        "include/cuarray/kernel/sequence_device.h",
        "if (lane < kApart && ",
        "if (",
        "tests/cuda/test_cuda_sequences.py",
    ),
    Mutant(
        "sequence-looks-do-not-wait",
        "include/cuarray/kernel/sequence_device.h",
        "if (!(needed & ~__ballot_sync(all, word.is_known()))) break;",
        "if (ends) break;",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-masks-are-corrected-while-they-are-read",
        "include/cuarray/kernel/sequence_device.h",
        "    __syncwarp();  // all lanes have read the masks\n",
        "",
        SEQUENCES,
    ),
    Mutant(
        "sequence-masks-are-not-counted-again",
        "include/cuarray/kernel/sequence_device.h",
        "    if (is_corrected) add_masks(tile);\n",
        "",
        LONG_SEQUENCES,
    ),
    Mutant(
        "sequence-ends-one-unit-behind-the-last-number",
        "include/cuarray/kernel/sequence_device.h",
        "if (tile.attempt[k].unit == unit) units = tile.attempt[k].made.units;",
        ";",
        "sim tests/python/test_sequence.py -k 'cuda and every_layer'",
    ),
    Mutant(
        "sequence-pieces-are-ranked-by-words",
        "include/cuarray/kernel/sequence_device.h",
        "h < at.h ? 2 * at.bit - 1 : at.bit - 1",
        "at.bit - 1",
        SEQUENCES,
    ),
    Mutant(
        "sequence-attempts-begin-a-word-late",
        "include/cuarray/kernel/sequence_device.h",
        "jumped_by(p.place.jumps, tile.state, word)",
        "jumped_by(p.place.jumps, tile.state, word + 1)",
        SEQUENCES,
    ),
    Mutant(
        "sequence-attempts-trade-places",
        "include/cuarray/kernel/sequence_device.h",
        "const u32 k = unit - tile.rank(tile.place_of(unit));",
        "const u32 k = (unit - tile.rank(tile.place_of(unit))) ^ 1;",
        SEQUENCES,
    ),
    Mutant(
        "sequence-layers-accept-what-upper-bits-do-not-decide",
        "include/cuarray/kernel/sequence.h",
        "kLower) < layers.inside",
        "kLower) <= layers.inside",
        "sim tests/python/test_sequence.py -k 'cuda and every_layer'",
    ),
    Mutant(
        "sequence-attempts-always-take-two-units",
        "include/cuarray/kernel/sequence.h",
        "if (is_inside<NormalSequence>(layers, unit)) return {1, true, true};",
        "if (is_inside<NormalSequence>(layers, unit)) return {2, true, true};",
        "sim tests/python/test_sequence.py -k 'cuda and every_layer'",
    ),
    Mutant(
        "sequence-ties-are-decided-by-the-device",
        "include/cuarray/kernel/sequence_device.h",
        "            if (!made.is_certain) return {-1, -1};\n",
        "",
        "sim tests/python/test_sequence.py -k 'cuda and ties'",
    ),
    Mutant(
        "sequence-hosts-end-anywhere",
        "src/ops/sequence.cpp",
        "(at.unit / kAlone + 1) * kAlone",
        "at.unit + kAlone",
        "tests/cuda/test_cuda_sequences.py -k far_behind",
    ),
    Mutant(
        "sequence-hosts-are-observed",
        "src/runtime/registry.cpp",
        "loops_of_host() { return opened(Device{}).direct(); }",
        "loops_of_host() { return backend(Device{}).direct(); }",
        "tests/cuda/test_cuda_sequences.py -k far_behind",
    ),
    Mutant(
        "small-products-store-rows-that-are-not",
        "include/cuarray/kernel/matmul_device.h",
        "        if (i + r * p.apart < p.rows)\n",
        "        if (i + r * p.apart <= p.rows)\n",
        SMALL_PRODUCTS,
    ),
    Mutant(
        "small-products-of-neighbouring-rows",
        "src/codegen/matmul_launch.cpp",
        "p.apart = uint32_t((places.rows + own - 1) / own);",
        "p.apart = uint32_t(places.rows / own);",
        SMALL_PRODUCTS,
    ),
    Mutant(
        "kernels-know-which-numbers-are-equal",
        "src/array/pending_plan.cpp",
        "        if (node.op == ExprNode::Op::Scalar && !joins_numbers_) return value;\n",
        "",
        "tests/cuda/test_cuda_deferral.py -k equal_numbers",
    ),
    Mutant(
        "kernel-of-another-walk",
        "src/cuda/kernels.cpp",
        "singles_[program.expr->single * kWalks + size_t(walk)]",
        "singles_[program.expr->single * kWalks]",
        "sim tests/python/test_operands.py -k cuda",
    ),
    Mutant(
        "damaged-cache-files-are-used",
        "src/cuda/cache.cpp",
        "read_all(file, payload.data(), payload.size()) && hash_of(payload) == header.checksum",
        "read_all(file, payload.data(), payload.size())",
        CACHE,
    ),
    Mutant(
        "mask-of-unaligned-output",
        "src/cuda/elementwise.cpp",
        "task.expr->mask != kNoValue;",
        "false;",
        LOOPS,
    ),
    Mutant(
        "inputs-of-the-whole-for-a-part",
        "src/cuda/reduce.cpp",
        "inputs.push_back(task.inputs[i]);",
        "inputs.push_back(task.inputs[inputs.size()]);",
        "sim tests/python/test_averages.py -k 'cuda and together'",
    ),
    Mutant(
        "counters-not-zeroed",
        "src/cuda/reduce.cpp",
        "if (launch.counters > 0) clear",
        "if (launch.counters < 0) clear",
        FOLDS,
    ),
    # Products by cuBLAS
    Mutant(
        "factor-not-transposed",
        "src/cuda/cublas.cpp",
        "return Columns{CUBLAS_OP_T, columns > 1",
        "return Columns{CUBLAS_OP_N, columns > 1",
        f"{PRODUCTS} -k layouts",
    ),
    Mutant(
        "leading-dimension-of-a-column",
        "src/cuda/cublas.cpp",
        "rows > 1 ? row_stride / item : columns",
        "row_stride / item",
        f"{PRODUCTS} -k layouts",
    ),
    Mutant(
        "leading-dimension-too-small",
        "src/cuda/cublas.cpp",
        "apart % item == 0 && apart >= length * item",
        "apart % item == 0",
        f"{PRODUCTS} -k stacks",
    ),
    Mutant(
        "batch-strides-of-the-other-factor",
        "src/cuda/cublas.cpp",
        "batches.stride(1) / item, arithmetic.zero",
        "batches.stride(0) / item, arithmetic.zero",
        f"{PRODUCTS} -k stacks",
    ),
    Mutant(
        "longest-axis-of-a-stack-twice",
        "src/cuda/cublas.cpp",
        "if (d == inner_) continue;",
        "",
        f"{PRODUCTS} -k stacks",
    ),
    Mutant(
        "negative-batch-stride",
        "src/cuda/cublas.cpp",
        "if (view.strides[d] < 0 || ",
        "if (",
        f"{PRODUCTS} -k stacks",
    ),
    Mutant(
        "workspace-freed-before-the-call",
        "src/cuda/matmul.cpp",
        "products_.multiply(runtime_.current(), task, {left, right, result}, workspace->data);",
        "void* const data = workspace->data;\n        const_cast<StorageRef&>(workspace) = StorageRef();\n        "
        "products_.multiply(runtime_.current(), task, {left, right, result}, data);",
        f"{UNUSUAL} -k temporaries",
    ),
    Mutant(
        "no-capture-is-relaxed",
        "src/cuda/context.cpp",
        "    driver_.cuThreadExchangeStreamCaptureMode(&mode_);\n",
        "",
        f"{CAPTURES} -k 'no_call and libraries'",
    ),
    Mutant(
        "tf32-unasked",
        "src/cuda/cublas.cpp",
        "task.tf32 ? arithmetic.compute_tf32 : arithmetic.compute",
        "arithmetic.compute_tf32",
        f"{PRODUCTS} -k 'tf32 or layouts'",
    ),
    Mutant(
        "foreign-stream-not-told-of-a-product",
        "src/cuda/fourier_transform.cpp",
        "    runtime_.current().queued();\n",
        "",
        f"{UNUSUAL} -k temporaries",
    ),
    Mutant(
        "foreign-stream-not-told-of-cleared-memory",
        "src/cuda/elementwise.cpp",
        "size_t(bytes), stream.queue());\n    stream.queued();\n",
        "size_t(bytes), stream.queue());\n",
        "tests/cuda/test_cuda_order.py -k half --full",
    ),
    # Transforms by cuFFT
    Mutant(
        "plan-not-kept-by-a-graph",
        "src/cuda/fourier_transform.cpp",
        "graph->keep(plan);",
        "static_cast<void>(graph);",
        f"{TRANSFORMS} -k captures",
    ),
    Mutant(
        "plan-of-another-batch",
        "src/cuda/cufft.cpp",
        "task.batch == batch_ && ",
        "",
        f"{ON_GPUS} -k 'cuda and points'",
    ),
    Mutant(
        "plan-of-another-precision",
        "src/cuda/cufft.cpp",
        "real_item(task) == item_ && ",
        "",
        f"{ON_GPUS} -k 'cuda and types'",
    ),
    Mutant(
        "inverse-forwards",
        "src/cuda/cufft.cpp",
        "is_inverse ? CUFFT_INVERSE : CUFFT_FORWARD",
        "task.kind == Direction::ToReal ? CUFFT_INVERSE : CUFFT_FORWARD",
        f"{ON_GPUS} -k 'cuda and norms or cuda and types'",
    ),
    Mutant(
        "input-overwritten-by-a-transform-to-real",
        "src/ops/fourier_transform.cpp",
        "overwrites && !is_spare ? copy(array) : packed(array)",
        "packed(array)",
        f"{ON_GPUS} -k 'cuda and to_real'",
    ),
    Mutant(
        "imaginary-part-of-the-middle-frequency",
        "src/ops/fft.cpp",
        "if (last % 2 == 0) make_real(ready, last / 2);",
        "",
        f"{ON_GPUS} -k 'cuda and imaginary'",
    ),
    Mutant(
        "a-view-taken-for-a-spare-copy",
        "src/ops/fft.cpp",
        "const bool is_new = ready.storage_ref() != x.storage_ref();",
        "const bool is_new = true;",
        f"{ON_GPUS} -k 'cuda and types'",
    ),
    Mutant(
        "norm-of-hfft-not-opposite",
        "src/ops/fft.cpp",
        "norm = norm == Norm::Backward ? Norm::Forward : Norm::Backward;",
        "",
        f"{ON_GPUS} -k 'cuda and (axes or points)'",
    ),
    # Factorisations by cuSOLVER
    Mutant(
        "host-workspace-ends-with-the-call",
        "src/cuda/cusolver.cpp",
        "if (!bytes_.empty()) stream_.settle();",
        "",
        f"{FACTORISATIONS} -k 'streams or ordered'",
    ),
    Mutant(
        "workspace-of-another-size",
        "src/cuda/cusolver.cpp",
        "device_workspace, device_bytes_, host_workspace, host_bytes_, info);\n        });",
        "device_workspace, device_bytes_ / 2, host_workspace, host_bytes_, info);\n        });",
        f"{LINALG_ON_GPUS} -k 'cuda and test_cholesky'",
    ),
    Mutant(
        "solver-of-another-stream",
        "src/cuda/cusolver.cpp",
        "cusolverDnSetStream(get().handle, stream.queue());",
        "cusolverDnSetStream(get().handle, nullptr);",
        f"{FACTORISATIONS} -k 'streams or ordered'",
    ),
    Mutant(
        "info-of-the-first-matrix",
        "src/cuda/cusolver.cpp",
        "int* const info = address_of_matrix<int>(task_.info, matrix);",
        "int* const info = address_of_matrix<int>(task_.info, 0);",
        f"{LINALG_ON_GPUS} -k 'cuda and bad_matrix'",
    ),
    Mutant(
        "matrices-of-a-stack-are-one",
        "src/cuda/cusolver.cpp",
        "view.data() + matrix * view.strides[0]",
        "view.data() + 0 * matrix",
        f"{LINALG_ON_GPUS} -k 'cuda and devices_agree'",
    ),
    Mutant(
        "addresses-of-the-first-matrix",
        "src/cuda/lapack_stack.cpp",
        "Scalar::of(DType::int64, stack.strides[0])",
        "Scalar::of(DType::int64, int64_t(0))",
        f"{LINALG_ON_GPUS} -k 'cuda and bad_matrix'",
    ),
    Mutant(
        "pivots-in-16-bits",
        "src/cuda/lapack_stack.cpp",
        "whole(pivots, DType::int32, all)",
        "whole(pivots, DType::uint16, all)",
        f"{LINALG_ON_GPUS} -k 'cuda and (test_solve or devices_agree or inverses)'",
    ),
    Mutant(
        "right-vectors-are-not-conjugate",
        "src/cuda/lapack_stack.cpp",
        "info(dtype).kind == Kind::Complex ?",
        "info(dtype).kind == Kind::Bool ?",
        f"{LINALG_ON_GPUS} -k 'cuda and test_svd'",
    ),
    Mutant(
        "right-vectors-are-not-transposed",
        "src/cuda/lapack_stack.cpp",
        "    std::swap(adjoint.strides[1], adjoint.strides[2]);\n",
        "",
        f"{LINALG_ON_GPUS} -k 'cuda and test_svd'",
    ),
    Mutant(
        "left-vectors-of-another-width",
        "src/cuda/lapack_stack.cpp",
        "const Dims lefts{task.batch, task.rows, task.rows}",
        "const Dims lefts{task.batch, task.columns, task.rows}",
        f"{LINALG_ON_GPUS} -k 'cuda and test_svd'",
    ),
    Mutant(
        "workspace-of-the-stack-is-short",
        "src/cuda/lapack_stack.cpp",
        "library_workspace(size_t(items) * sizeof(T))",
        "library_workspace(size_t(items))",
        f"{LINALG_ON_GPUS} -k 'cuda and test_svd'",
    ),
    Mutant(
        "larger-matrices-by-jacobi",
        "src/cuda/lapack_stack.cpp",
        "task.rows <= kMostRowsOfJacobi;",
        "task.columns <= kMostRowsOfJacobi;",
        f"{FACTORISATIONS} -k launches",
    ),
    Mutant(
        "success-is-not-reported",
        "src/cuda/lapack_stack.cpp",
        "        report_success(task);\n",
        "        ;\n",
        f"{FACTORISATIONS} -k info",
    ),
    Mutant(
        "reflectors-of-nothing",
        "src/ops/lapack_composites.cpp",
        "apply_row(row::where, expanded(is_used, -2), all, zero)",
        "all",
        f"{LINALG_ON_GPUS} -k 'cuda and test_qr_of_special'",
    ),
    Mutant(
        "reflectors-without-conjugate",
        "src/ops/lapack_composites.cpp",
        "first_rows(conjugate(vectors), count)",
        "first_rows(vectors, count)",
        f"{LINALG_ON_GPUS} -k 'cuda and test_qr'",
    ),
    Mutant(
        "argument-is-overwritten",
        "src/ops/lapack_routine.cpp",
        "packed(inputs.matrix) : astype(inputs.matrix, dtype, 'C')",
        "packed(inputs.matrix) : astype(inputs.matrix, dtype, 'C', false)",
        f"{LINALG_ON_GPUS} -k 'cuda and arguments'",
    ),
    Mutant(
        "right-sides-are-overwritten",
        "src/ops/lapack_routine.cpp",
        "astype(inputs.right, dtype, 'C') : Array()",
        "astype(inputs.right, dtype, 'C', false) : Array()",
        f"{LINALG_ON_GPUS} -k 'cuda and (devices_agree or arguments or solve)'",
    ),
    Mutant(
        "singular-values-in-the-type-of-the-matrix",
        "src/cuda/cusolver.cpp",
        "int real_type_of(int type) { return type == CUDA_R_32F || type == CUDA_C_32F ? CUDA_R_32F : CUDA_R_64F; }",
        "int real_type_of(int type) { return type; }",
        f"{LINALG_ON_GPUS} -k 'cuda and test_svd'",
    ),
    Mutant(
        "other-triangle",
        "src/cuda/cusolver.cpp",
        "task_.lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER",
        "task_.lower ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER",
        f"{LINALG_ON_GPUS} -k 'cuda and test_cholesky'",
    ),
    Mutant(
        "bad-matrix-goes-unnoticed",
        "src/ops/lapack_composites.cpp",
        "    if (item(reduce(reduction::any, failures, {}), name_).bytes[0]) fail(what);\n",
        "    (void)failures, (void)what;\n",
        f"{LINALG_ON_GPUS} -k 'cuda and bad_matrix'",
    ),
    Mutant(
        "wide-matrices-as-they-are",
        "src/ops/lapack_composites.cpp",
        "is_tall = a.shape()[a.ndim() - 2] >= a.shape().back()",
        "is_tall = true",
        f"{LINALG_ON_GPUS} -k 'cuda and test_svd'",
    ),
    Mutant(
        "second-of-a-pair-is-not-conjugate",
        "src/ops/lapack_composites.cpp",
        "apply_row(row::where, is_second, opposite, zero)",
        "apply_row(row::where, is_second, lines, zero)",
        f"{LINALG_ON_GPUS} -k 'cuda and special'",
    ),
    Mutant(
        "eigenvectors-never-asked-for",
        "src/cuda/cusolver.cpp",
        "CUSOLVER_EIG_MODE_NOVECTOR, job, n,",
        "CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_NOVECTOR, n,",
        f"{LINALG_ON_GPUS} -k 'cuda and test_eig'",
    ),
    Mutant(
        "exchanged-rows-do-not-count",
        "src/ops/lapack_composites.cpp",
        "apply_row(row::where, is_odd, minus, one)",
        "apply_row(row::where, is_odd, one, one)",
        f"{LINALG_ON_GPUS} -k 'cuda and devices_agree'",
    ),
    Mutant(
        "complete-columns-from-garbage",
        "src/ops/lapack_composites.cpp",
        "        assign(first_rows(wide, columns), lines, name_);\n",
        "",
        f"{LINALG_ON_GPUS} -k 'cuda and test_qr'",
    ),
    # Order and lifetimes
    Mutant(
        "event-recorded-on-the-wrong-stream",
        "src/cuda/stream.cpp",
        "result = driver.cuEventRecord.status(event_, queue_);",
        "result = driver.cuEventRecord.status(event_, other);",
        ORDER,
    ),
    Mutant(
        "event-recorded-too-early",
        "src/cuda/pinned.cpp",
        "reached = stream.issued();\n            context_.driver.cuMemcpyDtoHAsync(",
        "reached = stream.issued();\n            record(chunk, stream);\n"
        "            const auto record = [](auto&&...) {};\n            context_.driver.cuMemcpyDtoHAsync(",
        BYTES,
    ),
    Mutant(
        "default-stream-without-legacy-order",
        "src/cuda/runtime.cpp",
        "make_queue(context, CU_STREAM_DEFAULT, 0)",
        "make_queue(context, CU_STREAM_NON_BLOCKING, 0)",
        ORDER,
    ),
    Mutant(
        "per-thread-stream-taken-for-ordered",
        "src/cuda/storages.cpp",
        "return stream == 0 || stream == kLegacyStream;",
        "return stream == 0 || stream == kLegacyStream || stream == kPerThreadStream;",
        ORDER,
    ),
    Mutant(
        "readers-wait-for-nobody",
        "src/cuda/stream.cpp",
        "wait_for(storage.uses.points(false));",
        "(void)storage;",
        "sim tests/python/test_streams.py -k 'cuda and work_on_one_stream'",
    ),
    Mutant(
        "writers-forget-readers",
        "src/cuda/stream.cpp",
        "wait_for(storage.uses.points(true));",
        "wait_for(storage.uses.points(false));",
        "sim tests/python/test_streams.py -k 'cuda and writes_wait'",
    ),
    Mutant(
        "more-is-seen-than-was-waited-for",
        "src/cuda/stream.cpp",
        "seen[other.id()] = other.issued();",
        "seen[other.id()] = other.issued() + 3;",
        "sim tests/python/test_streams.py -k 'cuda and writes_wait'",
    ),
    Mutant(
        "an-allocation-has-no-moment",
        "src/cuda/storages.cpp",
        "    block->uses.written_at(giver.issue());\n",
        "",
        "sim tests/python/test_streams.py -k 'cuda and graphs_run_again'",
    ),
    Mutant(
        "a-graph-holds-no-memory",
        "src/cuda/graph.cpp",
        "Held{StorageRef(&storage), is_written}",
        "Held{StorageRef(), is_written}",
        "sim tests/python/test_streams.py -k 'cuda and graphs_hold'",
    ),
    Mutant(
        "a-capture-takes-the-place-of-earlier-users",
        "src/cuda/graph.cpp",
        "    stream_.wait_for(before_);\n",
        "",
        "sim tests/python/test_streams.py -k 'cuda and graphs_run_again'",
    ),
    Mutant(
        "the-host-reads-pinned-memory-at-once",
        "src/host/backend.cpp",
        "operands(task, [](const Operand& operand) { wait_on_host(*operand.view.storage, operand.is_written()); });",
        "operands(task, [](const Operand& operand) { if (operand.is_written()) wait_on_host(*operand.view.storage, true); });",
        "sim tests/python/test_streams.py -k 'cuda and pinned_arrays'",
    ),
    Mutant(
        "the-host-writes-pinned-memory-at-once",
        "src/host/backend.cpp",
        "operands(task, [](const Operand& operand) { wait_on_host(*operand.view.storage, operand.is_written()); });",
        "operands(task, [](const Operand& operand) { if (!operand.is_written()) wait_on_host(*operand.view.storage, false); });",
        "sim tests/python/test_streams.py -k 'cuda and pinned_arrays'",
    ),
    Mutant(
        "imported-memory-has-no-moment",
        "src/cuda/storages.cpp",
        '    storage.uses.written_at(own.issue("import"));\n',
        "",
        "sim tests/python/test_streams.py -k 'cuda and exchanged'",
    ),
    Mutant(
        "a-busy-foreign-stream-s-number-is-given-away",
        "src/cuda/runtime.cpp",
        "if (!fits || !candidate->poll()) continue;",
        "if (!fits) continue;",
        ORDER,
    ),
    Mutant(
        "memory-of-foreign-streams-comes-from-them",
        "src/cuda/storages.cpp",
        "is_own ? stream : keeper();",
        "stream.capture() ? keeper() : stream;",
        ORDER,
    ),
    Mutant(
        "workspace-freed-before-use",
        "src/cuda/reduce.cpp",
        "    this->launch(program, launch, name);\n}",
        "    const_cast<StorageRef&>(workspace) = StorageRef();\n    this->launch(program, launch, name);\n}",
        FOLDS,
    ),
    Mutant(
        "copies-overlap",
        "src/cuda/transfer.cpp",
        "const StorageRef between = overlap ?",
        "const StorageRef between = overlap && false ?",
        BYTES,
    ),
    # Memory
    Mutant(
        "pageable-memory-in-an-asynchronous-copy",
        "src/cuda/pinned.cpp",
        "cuMemcpyHtoDAsync(to, pinned, size_t(piece)",
        "cuMemcpyHtoDAsync(to, source, size_t(piece)",
        BYTES,
    ),
    Mutant(
        "leaked-block",
        "src/cuda/memory.cpp",
        "    context_.driver.cuMemFreeAsync(allocation.address, allocation.home->queue());\n",
        "",
        f"{MEMORY} -k somebody_else",
    ),
    Mutant(
        "no-second-try-when-memory-runs-out",
        "src/cuda/memory.cpp",
        "if (!find_room([&] { return take_once(allocation, true); }))",
        "",
        f"{MEMORY} -k small_device",
    ),
    Mutant(
        "unaligned-operand-given-to-a-kernel",
        "src/cuda/staging.cpp",
        "% uint64_t(info(view.dtype).align) == 0",
        "% 1 == 0",
        LOOPS,
    ),
    # Errors, versions, processes
    Mutant(
        "wrong-symbol-version",
        "src/cuda/driver_api.h",
        "WAITS(cuMemAlloc, 3020,",
        "WAITS(cuMemAlloc, 2000,",
        f"{BACKEND} -k fork",
    ),
    Mutant(
        "cache-key-without-the-architecture",
        "src/cuda/kernels.cpp",
        "std::to_string(target.arch) + ",
        "",
        (CACHE, VERSIONS),
    ),
    Mutant(
        "forked-child-calls-the-driver",
        "src/cuda/driver.cpp",
        "[] { the_state = DriverState::Forked; }",
        "[] {}",
        f"{BACKEND} -k fork",
    ),
    Mutant(
        "fault-reported-twice",
        "src/cuda/faults.cpp",
        "        record_->ticket = 0;\n",
        "",
        f"{BACKEND} -k faults",
    ),
    Mutant(
        "another-devices-context",
        "src/cuda/context.cpp",
        "    if (current == context.handle) return;\n",
        "    if (current) return;\n",
        BYTES,
    ),
    Mutant(
        "context-left-behind",
        "src/cuda/context.cpp",
        "if (pushed_) driver_.cuCtxPopCurrent",
        "if (false) driver_.cuCtxPopCurrent",
        ORDER,
    ),
    # Launches
    Mutant(
        "grid-too-small",
        "src/codegen/launch.cpp",
        "launch.grid = uint32_t((space.size + per_block - 1) / per_block);",
        "launch.grid = uint32_t(space.size / per_block + (space.size < per_block));",
        LOOPS,
        nth=1,
        copies=2,
    ),
    Mutant(
        "last-thread-takes-a-whole-vector",
        ELEMENTWISE,
        "const bool whole = first + V <= p.size;",
        "const bool whole = first < p.size;",
        LOOPS,
        text_only=True,
    ),
    Mutant(
        "offsets-overflow-32-bits",
        "src/codegen/launch.cpp",
        "constexpr int64_t limit = INT32_MAX / 2;",
        "constexpr int64_t limit = INT64_MAX / 4;",
        "tests/cuda/test_cuda_huge.py",
    ),
    Mutant(
        "vector-access-off-its-border",
        "src/codegen/launch.cpp",
        "if ((space.offset[k] & (border - 1)) != 0) return false;",
        "(void)border;",
        LOOPS,
    ),
    Mutant(
        "rows-of-vectors-off-their-border",
        "src/codegen/launch.cpp",
        "return step == sizes.size[k] && (bits & (std::min(16, sizes.size[k] * lanes) - 1)) == 0;",
        "return (void)bits, step == sizes.size[k];",
        ROWS,
    ),
    Mutant(
        "rows-beyond-the-last-are-read",
        ELEMENTWISE,
        "rest[r] = exists(r) ? row + u32(r) * apart : row;",
        "rest[r] = row + u32(r) * apart;",
        ROWS,
    ),
    Mutant(
        "only-whole-blocks-of-rows",
        "src/codegen/launch.cpp",
        "across * ((rows + per_block - 1) / per_block)",
        "across * std::max<int64_t>(1, rows / per_block)",
        ROWS,
    ),
    Mutant(
        "masked-vectors-are-stored-whole",
        ELEMENTWISE,
        "for (int v = 0; v < V; ++v) all = all && kept[v];",
        "for (int v = 0; v < V; ++v) all = v ? all || kept[v] : kept[0];",
        ROWS,
    ),
    Mutant(
        "small-products-are-one-fold",
        "include/cuarray/kernel/matmul_device.h",
        "const int length = p.depth - k < u64(kPanel) ? int(p.depth - k) : kPanel;",
        "const int length = k ? 0 : int(p.depth);",
        SMALL_PRODUCTS,
    ),
    Mutant(
        "small-products-beyond-the-stack",
        "include/cuarray/kernel/matmul_device.h",
        "if (matrix >= p.matrices || rest >= p.stack) return;",
        "if (matrix >= p.matrices) return;",
        SMALL_PRODUCTS,
    ),
    Mutant(
        "counter-shared-by-all-tiles",
        REDUCE_DEVICE,
        "atomicAdd(&p.counters[place.tile], 1u)",
        "atomicAdd(&p.counters[0], 1u)",
        FOLDS,
        text_only=True,
    ),
    Mutant(
        "last-block-one-too-early",
        REDUCE_DEVICE,
        "== chunks - 1;",
        "== chunks - 2;",
        FOLDS,
        text_only=True,
    ),
    Mutant(
        "first-block-taken-for-the-last",
        REDUCE_DEVICE,
        "is_last = atomicAdd(&p.counters[place.tile], 1u) == chunks - 1;",
        "is_last = place.chunk == chunks - 1;",
        FOLDS,
        text_only=True,
    ),
    Mutant(
        "partner-behind-the-end",
        REDUCE_DEVICE,
        "&& lane + d < length &&",
        "&& lane + d <= length &&",
        FOLDS,
        text_only=True,
    ),
    Mutant(
        "partials-behind-the-end",
        REDUCE_DEVICE,
        "count - first < V ? u32(count - first) : V;",
        "count - first < V - 1 ? u32(count - first) + 1 : V;",
        LONG_FOLD,
        text_only=True,
    ),
    Mutant(
        "warp-mask-of-half-a-warp",
        REDUCE_DEVICE,
        "            __syncwarp();",
        "            __syncwarp(0xffffu);",
        FOLDS,
        text_only=True,
    ),
    Mutant(
        "barrier-that-some-threads-do-not-reach",
        REDUCE_DEVICE,
        "    if (p.groups) __syncthreads();\n",
        "    if (p.groups && is_real) __syncthreads();\n",
        FOLDS,
        text_only=True,
    ),
    Mutant(
        "only-whole-vectors-of-a-line",
        REDUCE_DEVICE,
        "x[u] = u < left ? at[u] : T{};",
        "x[u] = T{};",
        LINES,
        text_only=True,
    ),
    Mutant(
        "vectors-beyond-the-end-of-a-line",
        REDUCE_DEVICE,
        "walk.left >= (Rows - 1) * kLanes + W;",
        "walk.left > (Rows - 1) * kLanes;",
        LINES,
        text_only=True,
    ),
    Mutant(
        "a-scan-of-any-alignment",
        "src/codegen/scan_launch.cpp",
        "space.offset[k] % aligned != 0 ||",
        "",
        (SCANS,),
    ),
    Mutant(
        "a-scan-of-lines-of-any-pitch",
        "src/codegen/scan_launch.cpp",
        "if (space.strides[k][d] % aligned != 0) return false;",
        "continue;",
        (SCANS,),
    ),
    Mutant(
        "a-scan-across-broken-vectors",
        "src/codegen/scan_launch.cpp",
        "if (across && space.shape[last] % width != 0) return false;",
        "",
        (SCANS,),
    ),
    Mutant(
        "a-scan-along-broken-vectors",
        "include/cuarray/kernel/scan_device.h",
        "(p.along_lines || p.n % W == 0 || place.begin()",
        "(p.along_lines || p.n % W >= 0 || place.begin()",
        (SCANS,),
        text_only=True,
    ),
    Mutant(
        "a-warp-without-the-earlier-ones",
        "include/cuarray/kernel/scan_device.h",
        "if (warp % warps > 0) prefix = earlier, has_prefix = true;",
        "",
        (SCANS,),
        text_only=True,
    ),
    Mutant(
        "lines-of-any-alignment",
        "src/codegen/fold_launch.cpp",
        "(std::min(16, split.sizes.size[k] * lanes) - 1)) != 0) return false;",
        "(split.sizes.size[k] - 1)) != 0) return false;",
        LINES,
    ),
    Mutant(
        "lines-that-do-not-exist-are-read",
        REDUCE_DEVICE,
        "if (is_real && begin < length) {",
        "if (begin < length) {",
        LINES,
        text_only=True,
    ),
    Mutant(
        "leaves-behind-the-end-of-a-line",
        REDUCE_DEVICE,
        "return begin + further * kLeaf + w < length;",
        "return begin + further * kLeaf < length + w;",
        LINES,
        text_only=True,
    ),
    Mutant(
        "the-last-of-equal-elements",
        REDUCE_DEVICE,
        "if (started && !R::combine(red::at(value[w].value, 0), red::at(x.value, 1)).index) return;",
        "if (started && !R::combine(red::at(value[w].value, 1), red::at(x.value, 0)).index) return;",
        LINES,
        text_only=True,
    ),
    Mutant(
        "partials-replaced-before-they-are-read",
        REDUCE_DEVICE,
        "            __syncthreads();\n            if (left) partials",
        "            if (left) partials",
        LONG_FOLD,
        text_only=True,
    ),
    Mutant(
        "tile-written-and-read-alike",
        ELEMENTWISE,
        "const char* from = shared + y * kPitch + i32(u32(y) / V) * kPad + x * kBytes;",
        "const char* from = shared + x * (V * kPitch + kPad) + y * kBytes;",
        TILES,
        text_only=True,
    ),
    Mutant(
        "tile-past-its-last-row",
        ELEMENTWISE,
        "rows_left = left + x * V < i32(p.columns) ? i32(p.rows) - (top + y) : 0;",
        "rows_left = left + x * V < i32(p.columns) ? Edge : 0;",
        TILES,
        text_only=True,
    ),
    Mutant(
        "tile-past-its-last-column",
        ELEMENTWISE,
        "rows_left = left + x * V < i32(p.columns) ? i32(p.rows) - (top + y) : 0;",
        "rows_left = i32(p.rows) - (top + y);",
        TILES,
        text_only=True,
    ),
    Mutant(
        "transposed-operand-read-past-its-end",
        ELEMENTWISE,
        "columns_left = top + x * V < i32(p.rows) ? i32(p.columns) - (left + y * V) : 0;",
        "columns_left = top + x * V < i32(p.rows) ? Edge : 0;",
        TILES,
        text_only=True,
    ),
    Mutant(
        "tiles-of-vectors-off-their-border",
        "src/codegen/launch.cpp",
        "for (int d = 0; d < space.ndim; ++d) bits |= d == axis ? 0 : space.strides[k][d];",
        "for (int d = 0; d < space.ndim - 2; ++d) bits |= space.strides[k][d];",
        TILES,
    ),
    Mutant(
        "tiles-of-parts-of-vectors",
        "src/codegen/launch.cpp",
        "if (lanes == 1 || (space.shape[row] | space.shape[column]) % lanes != 0) return false;",
        "if (lanes == 1 || space.shape[column] % lanes != 0) return false;",
        "tests/test_cpp.py -k codegen/test_launch",
    ),
    Mutant(
        "outer-axes-of-tiles-forgotten",
        ELEMENTWISE,
        "data[k] += i64(coordinate) * p.operands[k].strides[d];\n        }\n    }\n    template <class T>\n    CUARRAY_FN void read(int k, T (&elements)[V * R])",
        "data[k] += i64(coordinate) * p.operands[0].strides[d];\n        }\n    }\n    template <class T>\n    CUARRAY_FN void read(int k, T (&elements)[V * R])",
        TILES,
        text_only=True,
    ),
    Mutant(
        "winners-by-chance",
        GATHER_DEVICE,
        "p.winners[winner_slot(p, chosen.spots[u].key, false)] ==",
        "0 !=",
        f"{INDICES}::test_repeated_places_keep_the_last_value",
        text_only=True,
    ),
    Mutant(
        "keys-that-collide",
        GATHER_DEVICE,
        "if (known == key + 1 || known == 0) return slot;",
        "return slot;",
        f"{INDICES} -k 'cuda and large_array'",
        text_only=True,
    ),
    Mutant(
        "equal-values-stored-in-a-race",
        GATHER_DEVICE,
        "if constexpr (sizeof(Item) == 4 || sizeof(Item) == 8) {",
        "if constexpr (false) {",
        f"{INDICES} -k 'cuda and one_value'",
        text_only=True,
    ),
    Mutant(
        "index-outside-is-not-reported",
        GATHER_DEVICE,
        "if (outside) report(sink, given[u][k], axis.axis + 1, axis.size);",
        "",
        f"{INDICES}::test_an_index_outside_names_itself",
        text_only=True,
    ),
    Mutant(
        "mask-carries-nothing-on",
        MASKED_DEVICE,
        "carry = carried;",
        "",
        f"{INDICES}::test_many_mask_blocks",
        text_only=True,
    ),
    Mutant(
        "sorts-look-back-at-one-tile",
        SORT_DEVICE,
        "if (word >= State::all(pass)) break;",
        "break;",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "sorts-read-states-of-the-pass-before",
        SORT_DEVICE,
        "while ((word = *at) < State::own(pass))",
        "while ((word = *at) == 0)",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "digits-are-placed-by-the-first-block",
        SORT_DEVICE,
        "1u) == p.blocks - 1;",
        "1u) == 0u;",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "sorts-count-what-is-no-item",
        SORT_DEVICE,
        "        if (tile_place<V>(j) >= count) words[j] |= word_of(0, kDigits - 1);",
        "        ;",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "sorts-take-tiles-by-block",
        SORT_DEVICE,
        "const u32 ticket = atomicAdd(p.tickets + p.pass, 1u);",
        "const u32 ticket = blockIdx.x;",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "sorts-write-where-they-read",
        SORT_DEVICE,
        "if (is_wrong && needless)",
        "if (false)",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "sorts-end-in-the-other-memory",
        SORT_DEVICE,
        "left % 2 ? kStepWritesTo : 0;",
        "left % 2 ? 0 : kStepWritesTo;",
        SORTS,
        text_only=True,
    ),
    Mutant(
        "sorts-begin-with-old-counts",
        "src/cuda/sort.cpp",
        "    clear(buffers.workspace, sort_workspace(buffers.rows, passes));\n",
        "",
        SORTS,
    ),
    Mutant(
        "every-thread-reports-its-fault",
        ELEMENTWISE,
        "    if (atomicCAS_system(sink.claim, 0u, 1u) != 0u) return;  // kernels on other streams claim it, too\n",
        "",
        f"{BACKEND} -k faults",
        text_only=True,
    ),
]

# A statement that is one call of these; removing it leaves an empty statement.
CALLS = re.compile(
    r"(?<=[\s{;)])((?:\w+(?:\.|->|::))*(?:cu(?:Stream|Event|Ctx)Synchronize|cuStreamWaitEvent|cu(?:Event|Ctx)Record\w*"
    r"|wait|wait_for\w*|hold|drain|record|join_streams|__syncthreads|__syncwarp|__threadfence\w*))\("
)
REFUSALS = re.compile(r"(?<=[\s{;)])((?:\w+(?:\(\))?(?:\.|->))*refuse_in_capture)\(")
CHECKS = re.compile(r"(?<=[\s{;)])if \([^;{}]*?\)\s+(?:fail|fail_launch|throw Error|raise)\(")
RELAXATIONS = re.compile(r"(?<=[\s{;)])(const RelaxedCapture relaxed)\(")
# Messages about the user's machine, and rejections that do not involve a GPU.
WITHOUT_CHECKS = {"nvrtc.cpp", "library.cpp", "cache.cpp", "describe.cpp", "reduce.cpp", "driver.cpp"}

# Statements whose removal has no effect, by file and beginning, with the reason.
REDUNDANT = {
    ("kernels.cpp", "if (!toolchain)"): "there is a GPU only where an NVRTC was found, once for all",
    ("kernels.cpp", "if (!target.arch)"): "simulated GPUs are alike, and the first one decides about all",
    (
        "scan.cpp",
        "if (!try_scan(simple))",
    ): "a contiguous array has three axes at most, which are always planned",
    ("stream.cpp", "context_.driver.cuEventSynchronize(event_)"): (
        "for plans without a work area: one that is given back makes the default stream wait for the foreign one"
    ),
    ("cusolver.cpp", "if (extent > "): "a matrix of 2**31 rows; a test would need gigabytes",
    ("elementwise.h", "__threadfence_system();"): (
        "for a host that reads while the kernel runs; simulated kernels run whole: nothing can show it"
    ),
    (
        "sort_device.h",
        "__threadfence();",
    ): "between atomic sums and their last reader, which the simulator takes as ordered",
}


def why_redundant(mutant: Mutant) -> str:
    """Why the statement that the mutant removes is redundant, or an empty string."""
    for (file, text), reason in REDUNDANT.items():
        if Path(mutant.file).name == file and mutant.old.startswith(text):
            return reason
    return ""


# The tests that are likely to fail, tried before all others.
OWN_TESTS = {
    "cufft.cpp": (f"{TRANSFORMS} -k wait",),
    "cusolver.cpp": (f"{FACTORISATIONS} -k 'older or errors'",),
    "lapack_routine.cpp": (f"{FACTORISATIONS} -k captures",),
    "elementwise.cpp": (f"{EXPLANATIONS} -k failed_launch",),
    "event.cpp": ("sim tests/python/test_streams.py -k 'cuda and event'", f"{EXPLANATIONS} -k times"),
    "faults.cpp": ("sim tests/python/test_streams.py -k 'cuda and fault'", f"{BACKEND} -k faults"),
    "graph.cpp": (f"{FAILURES} -k a_capture_fails", GRAPHS),
    "cached_memory.cpp": (f"{MEMORY} -k pinned_blocks", f"{MEMORY} -k last_resort", f"{MEMORY} -k kept"),
    "kernels.cpp": (f"{FAILURES} -k module", f"{EXPLANATIONS} -k module"),
    "memory.cpp": (
        f"{BACKEND} -k 'foreign or context_events'",
        f"{MEMORY} -k 'trim or pool'",
        f"{PYTHON_MEMORY} -k 'cuda and pool'",
        f"{UNUSUAL} -k temporaries",
    ),
    "pinned.cpp": (BYTES,),
    "runtime.cpp": (
        f"{TRANSFORMS} -k wait",
        "sim tests/python/test_streams.py -k 'cuda and (protocol or other or peer or fault)'",
    ),
    "storages.cpp": (
        ORDER,
        "sim tests/python/test_streams.py -k 'cuda and imported'",
        f"{UNUSUAL} -k 'temporaries or legacy'",
    ),
    "stream.cpp": (f"{TRANSFORMS} -k wait", f"{FAULTS} -k capture", f"{UNUSUAL} -k 'temporaries or legacy or half'"),
    "transfer.cpp": (f"{UNUSUAL} -k pinned",),
}

# The parts of a program under another library's capture, in which a file's calls are made.
CAPTURED_PARTS = {
    "cached_memory.cpp": "(kinds or limits)",
    "cublas.cpp": "libraries",
    "cufft.cpp": "libraries",
    "cusolver.cpp": "libraries",
    "lapack_stack.cpp": "libraries",
    "event.cpp": "streams",
    "faults.cpp": "errors",
    "graph.cpp": "graphs",
    "kernels.cpp": "transfers",
    "memory.cpp": "limits",
    "pinned.cpp": "transfers",
    "stream.cpp": "streams",
}

KERNEL_TESTS = {
    "elementwise.h": (LOOPS, TILES, f"{BACKEND} -k faults"),
    "compaction_device.h": (f"{INDICES} -k 'cuda and (masks_at_borders or many_mask_blocks)'",),
    "matmul_device.h": ("sim tests/python/test_products.py -k 'cuda and bits'",),
    "reduce_device.h": (FOLDS, LONG_FOLD),
    "scan_device.h": (SCANS,),
    "segmented_reduce_device.h": ("sim tests/python/test_segments.py -k 'cuda and many'",),
    "sort_device.h": (SORTS,),
    "select_device.h": (SELECTIONS,),
    "histogram_device.h": ("sim tests/python/test_histograms.py -k 'cuda and on_edges'",),
    "sequence_device.h": (SEQUENCES,),
}


def end_of_statement(text: str, start: int) -> int:
    """The place behind the ';' of the statement that starts there; -1 for a definition."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', lambda quoted: "_" * len(quoted[0]), text)
    depth, i = 0, text.index("(", start)
    while True:
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0 and text[i] == ";":
            return i + 1
        if depth == 0 and text[i] in "{}":
            return -1
        i += 1


def is_statement(text: str, start: int) -> bool:
    """Whether a call at `start` is a statement, not part of an expression or a declaration."""
    before = re.sub(r"(\n *//.*)+\s*\Z", "", text[:start]).rstrip()
    return before.endswith((";", "{", "}", ")", "else", "const", ":")) and not before.endswith("const")


def removals(file: str, pattern: re.Pattern, text_only: bool, tests: tuple[str, ...]) -> list[Mutant]:
    """One mutant for each statement of the file that matches."""
    text = (ROOT / file).read_text("utf-8")
    found: list[Mutant] = []
    numbers: Counter[str] = Counter()
    for match in pattern.finditer(text):
        end = end_of_statement(text, match.start())
        if end < 0 or not is_statement(text, match.start()):
            continue
        old = text[match.start() : end]
        word = (
            "relaxed"
            if pattern is RELAXATIONS
            else "check"
            if pattern is CHECKS
            else re.sub(r".*(?:\.|->|::)", "", match[1])
        )
        numbers[word] += 1
        name = f"without-{word}-{numbers[word]}-in-{Path(file).name}"
        nth = text[: match.start()].count(old)
        found.append(Mutant(name, file, old, ";", tests, nth, text.count(old), text_only))
    return found


def mechanical() -> list[Mutant]:
    """One mutant per wait, record, rejection, relaxed capture mode, check, barrier and fence, which removes it."""
    found: list[Mutant] = []
    for path in [*sorted((ROOT / "src" / "cuda").glob("*.cpp")), ROOT / "src" / "cuda" / "driver.h"]:
        file, own = str(path.relative_to(ROOT)), OWN_TESTS.get(path.name, ())
        found += removals(file, CALLS, False, tuple(dict.fromkeys((*own, ORDER, STREAMS))))
        found += removals(file, REFUSALS, False, (*own, GRAPHS))
        parts = [f"{CAPTURES} -k 'no_call and {part}'" for part in (CAPTURED_PARTS.get(path.name), "13000") if part]
        found += removals(file, RELAXATIONS, False, tuple(parts))
        if path.name in WITHOUT_CHECKS:
            continue
        for mutant in removals(file, CHECKS, False, own):
            # The check of a driver call, or else a rejection of a user's request.
            of_driver = mutant.old.startswith(("if (result", "if (ended", "if (counted", "if (const CUresult"))
            tests = (ONE_LINE_FAILS, *own, ANY_CALL_FAILS, STREAMS) if of_driver else (*own, STREAMS)
            found.append(mutant._replace(tests=tests))
    for path in sorted((ROOT / "include" / "cuarray" / "kernel").glob("*.h")):
        found += removals(str(path.relative_to(ROOT)), CALLS, True, KERNEL_TESTS.get(path.name, ()))
    return found


if __name__ == "__main__":
    # Work that is neither waited for nor scheduled by a test runs late, and always in the same order.
    os.environ.update(CUDASIM_CHECK="1", CUDASIM_PROGRESS="lazy", CUDASIM_SEED="1", CUDASIM_REAL_NVRTC="0")
    mutants, unused = [], set(REDUNDANT.values())
    for mutant in mechanical():
        if reason := why_redundant(mutant):
            print(f"{mutant.name:48} may go: {reason}")
            unused.discard(reason)
        else:
            mutants.append(mutant)
    if unused:
        sys.exit(f"mutants: REDUNDANT names what is not there: {', '.join(sorted(unused))}")
    sys.exit(main("cuda", mutants + BY_HAND, __doc__))
