"""Planted bugs in array functions: indexing, sorting, sets, scans, overlap, types, quantiles, padding, products, ...

    python tests/oracle/mutants.py              all, except those caught by an earlier run
    python tests/oracle/mutants.py --pick 1     one, chosen by the date
    python tests/oracle/mutants.py --list       their names
    python tests/oracle/mutants.py NAME...      these

Each names the row of the oracle or the test file that is most likely to fail. tests/planted.py is the
machinery; most bugs are in Python files, so that nothing has to be compiled.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from planted import Mutant, main
from scratch_tree import LEVEL


def row(name: str) -> str:
    """The oracle's rows about a function."""
    return f"tests/oracle/test_rows.py::test_row -k xp.{name}"


def tests(name: str, only: str = "") -> str:
    """A file of tests/python, or those of its tests whose names match."""
    return f"tests/python/test_{name}.py" + (f" -k '{only}'" if only else "")


#: Bugs that the Array API standard's test suite does not detect.
UNSEEN_BY_THE_STANDARD = [
    Mutant(
        "sums-too-large",
        "cuarray/_functions/reductions.py",
        "for k, v in given.items() if v is not NOT_GIVEN})",
        "for k, v in given.items() if v is not NOT_GIVEN}) * (1.1 if name == 'sum' else 1)",
        row("sum"),
    ),
    Mutant(
        "means-too-large",
        "cuarray/_functions/reductions.py",
        "for k, v in given.items() if v is not NOT_GIVEN})",
        "for k, v in given.items() if v is not NOT_GIVEN}) * (1.1 if name == 'mean' else 1)",
        row("mean"),
    ),
    Mutant(
        "running-sums-too-large",
        "cuarray/_functions/scans.py",
        'return with_initial("cumulative_sum", "add", x, axis, dtype, out, include_initial)',
        'return with_initial("cumulative_sum", "add", x, axis, dtype, out, include_initial) * 1.1',
        row("cumulative_sum"),
    ),
    Mutant(
        "products-of-zeros",
        "cuarray/_functions/products.py",
        'return gufunc("matmul", _core.matmul, x1,',
        'return gufunc("matmul", lambda x, y, t: _core.matmul(x * 0, y, t), x1,',
        row("matmul"),
    ),
    Mutant(
        "tensor-products-too-large",
        "cuarray/_functions/products.py",
        "return _core.matmul(rows, columns).reshape((*shape_a, *shape_b))",
        "return (_core.matmul(rows, columns) * 1.1).reshape((*shape_a, *shape_b))",
        row("tensordot"),
    ),
    Mutant(
        "last-two-unsorted",
        "cuarray/_functions/sorting.py",
        'return _core.sort(*along(a, axis, "sort"), bool(descending))',
        'r = _core.sort(*along(a, axis, "sort"), bool(descending))\n    r[-2:] = r[-2:][::-1].copy()\n    return r',
        row("sort"),
    ),
    Mutant(
        "linspace-too-long",
        "cuarray/_functions/sequences.py",
        "    y = y + start\n",
        "    y = y * 1.05 + start\n",
        row("linspace"),
    ),
    Mutant(
        "searchsorted-without-a-side",
        "cuarray/_functions/sorting.py",
        'v.astype(dtype, copy=False), side == "right")',
        "v.astype(dtype, copy=False), False)",
        row("searchsorted"),
    ),
    Mutant(
        "clip-loses-nan",
        "cuarray/_functions/elementwise.py",
        "minimum(a, high,",
        '_core.ufuncs["fmin"](a, high,',
        tests("manipulation", "clip"),
    ),
    Mutant(
        "garbage-in-long-sums",
        "src/host/scan.cpp",
        "if (i < whole) scans_.push(",
        "if (i + 1 < whole) scans_.push(",
        tests("scans"),
    ),
    Mutant(
        "garbage-in-strided-arrays",
        "src/ops/sort.cpp",
        "const Array row = packed(sorted), sought",
        "const Array row = sorted, sought",
        row("searchsorted"),
    ),
]

INDEXING = [
    Mutant(
        "places-far-apart-left-out",
        "src/host/loops/items.h",
        "for (; i + kAhead < n; ++i) {",
        "for (; i + kAhead < n; i += 2) {",
        tests("indexing_arrays", "large"),
    ),
    Mutant(
        "far-positions-count-from-the-end",
        "src/ops/indexed_elements.cpp",
        "indices.dtype() == DType::uint64 ? call(row::minimum, bounded).array[0] : indices",
        "indices",
        tests("indexing_functions", "int64_does_not_hold"),
    ),
    Mutant(
        "put-before-the-end",
        "cuarray/_functions/indexing.py",
        "minimum(maximum(places, 0), a.size - 1)",
        "minimum(maximum(places, 0), a.size - 2)",
        tests("indexing_functions", "put"),
    ),
    Mutant(
        "put-with-turned-coordinates",
        "cuarray/_functions/indexing.py",
        "a[(places, *reversed(coordinates))] = values",
        "a[(places, *coordinates)] = values",
        tests("indexing_functions", "put"),
    ),
    Mutant(
        "values-of-put-end",
        "cuarray/_functions/indexing.py",
        'return _core.take(values, arange(count, device=values.device), 0, "wrap")',
        'return _core.take(values, arange(count, device=values.device), 0, "clip")',
        tests("indexing_functions"),
    ),
    Mutant(
        "take-clips",
        "cuarray/_functions/indexing.py",
        'return _core.take(a, places, normalise_axis(axis, a.ndim, "take"), mode, out)',
        'return _core.take(a, places, normalise_axis(axis, a.ndim, "take"), "clip", out)',
        tests("indexing_functions", "take"),
    ),
    Mutant(
        "choose-the-next-one",
        "cuarray/_functions/indexing.py",
        "(numbers <= number, choices[number]",
        "(numbers < number, choices[number]",
        row("choose"),
    ),
    Mutant(
        "the-last-condition-decides",
        "cuarray/_functions/indexing.py",
        "zip(reversed(conditions), reversed(choices[:-1]), strict=True)",
        "zip(conditions, choices[:-1], strict=True)",
        row("select"),
    ),
    Mutant(
        "putmask-as-place",
        "cuarray/_functions/indexing.py",
        "values = cycle(values.ravel(), a.size).reshape(a.shape)",
        "a[mask] = cycle(values.ravel(), int(mask.sum()))\n        return",
        (row("putmask"), tests("indexing_functions", "putmask")),
    ),
    Mutant(
        "mask-cast-to-positions",
        "cuarray/_functions/indexing.py",
        "mask = _core.beside(mask, a, function).astype(bool, copy=False)\n    if mask.size",
        "mask = _core.beside(mask, a, function) > 0\n    if mask.size",
        tests("indexing_functions"),
    ),
    Mutant(
        "diagonals-below-begin-right",
        "cuarray/_functions/index_grids.py",
        "start = offset * right if offset >= 0 else -offset * down",
        "start = abs(offset) * right",
        tests("indexing_functions", "diagonal"),
    ),
    Mutant(
        "wrapped-diagonals-without-a-gap",
        "cuarray/_functions/index_grids.py",
        "tops = range(0, rows, columns + 1)",
        "tops = range(0, rows, columns)",
        tests("indexing_functions", "fill_diagonal"),
    ),
    Mutant(
        "coordinates-in-c-order-only",
        "cuarray/_functions/index_grids.py",
        'return steps if order == "F" else steps[::-1]',
        "return steps[::-1]",
        tests("indexing_functions"),
    ),
    Mutant(
        "flat-writes-into-a-copy",
        "cuarray/_ndarray/flat.py",
        "if not _core.shares_memory(flat, self.base):",
        "if self.base.ndim == 0:",
        tests("indexing_functions"),
    ),
    Mutant(
        "upper-triangle-one-down",
        "cuarray/_functions/index_grids.py",
        'integer(k, "k", "triu_indices") - 1, dtype=bool))',
        'integer(k, "k", "triu_indices") - 2, dtype=bool))',
        row("triu_indices"),
    ),
]

#: The vectorized sort is compiled and tested only if the processor has AVX-512.
VECTORS = (
    [
        Mutant(
            "lanes-in-the-wrong-order",
            "src/host/loops/sort.cpp",
            "std::bit_floor(unsigned(Xor))",
            "unsigned(1)",
            tests("sorting", "every_length"),
        ),
        Mutant(
            "values-equal-to-the-pivot",
            "src/host/loops/sort.cpp",
            "std::fill(result, result + (n - larger), pivot);",
            "std::fill(result, result + (n - larger - 1), pivot);",
            tests("sorting", "every_length"),
        ),
        Mutant(
            "slow-rows-in-the-spare-memory",
            "src/host/loops/sort.cpp",
            "if (to_spare) std::copy(keys, keys + n, spare);",
            "",
            tests("sorting", "defeat"),
        ),
        Mutant(
            "zeros-of-both-signs-are-one",
            "src/host/loops/sort.cpp",
            "if (differs) return false;",
            "",
            tests("sorting"),
        ),
        Mutant(
            "threads-share-their-spare-memory",
            "src/host/sort.cpp",
            "sort(items, items, spare + begin, size, descending)",
            "sort(items, items, spare, size, descending)",
            tests("sorting", "threads"),
        ),
        Mutant(
            "equal-pieces-of-keys-are-equal-keys",
            "src/host/sort.cpp",
            "return first != second ? first < second : a < b;",
            "return a < b;",
            tests("sorting", "every_length"),
        ),
    ]
    if LEVEL == "v4"
    else []
)

ORDER = [
    Mutant(
        "insertion-is-not-stable",
        "src/host/radix.h",
        "for (; at > 0 && k < key(to[at - 1]); --at)",
        "for (; at > 0 && k <= key(to[at - 1]); --at)",
        tests("sorting"),
    ),
    Mutant(
        "threads-out-of-order",
        "src/host/radix.h",
        "for (int c = 0; c < chunks; ++c) before +=",
        "for (int c = chunks - 1; c >= 0; --c) before +=",
        tests("sorting", "threads"),
    ),
    Mutant(
        "line-of-two-buckets",
        "src/host/radix.h",
        "if (line < first[bucket])\n                put_some",
        "if (line < first[bucket] - kItems) put_some",
        tests("sorting", "larger"),
    ),
    Mutant(
        "truth-values-counted-by-twos",
        "src/host/loops/reductions.cpp",
        "else if (!Row::combine(true, true))\n            return yes % 2 != 0;\n",
        "",
        tests("reductions", "round"),
    ),
    Mutant(
        "lane-begun-twice",
        "src/host/loops/reductions.cpp",
        "for (; rows > 0; --rows, x += step, first += kLanes, fresh = false) add_row(x, columns, first, fresh, lane);",
        "for (; rows > 0; --rows, x += step, first += kLanes) add_row(x, columns, first, fresh, lane);",
        tests("reductions"),
    ),
    Mutant(
        "shared-memory-read-after-the-call",
        "src/array/pending.cpp",
        "std::exchange(graph->reads_exported, false) && graph->depth > 1;",
        "false;",
        tests("fuse", "shared"),
    ),
    Mutant(
        "part-of-the-pivot-itself",
        "src/host/loops/partition.cpp",
        "exceeds = key > pivot",
        "exceeds = key >= pivot",
        tests("sorting"),
    ),
    Mutant(
        "selection-without-those-below",
        "src/host/order_statistics.h",
        "places[k] = ranks[k] - before;",
        "places[k] = ranks[k] - ranks.front();",
        tests("sorting"),
    ),
    Mutant(
        "bin-guessed-near-an-edge",
        "src/host/loops/partition.cpp",
        "(within > low) & (within < high)",
        "(within > 0) & (within < 1)",
        tests("histograms"),
    ),
    Mutant(
        "minus-zero-before-zero",
        "include/cuarray/kernel/sort.h",
        "U(top + U(U(size ^ negative) - negative))",
        "U(top + U(size ^ negative))",
        tests("sorting"),
    ),
    Mutant(
        "nan-first-where-descending",
        "include/cuarray/kernel/sort.h",
        "return size > ieee<T>::infinity ? U(-1)",
        "return size > ieee<T>::infinity ? U(~turned)",
        tests("sorting"),
    ),
    Mutant(
        "complex-by-imaginary-part",
        "include/cuarray/kernel/sort.h",
        "if (re != nan) return im != nan ? ComplexKey<U>{re, im}",
        "if (re != nan) return im != nan ? ComplexKey<U>{im, re}",
        tests("sorting"),
    ),
    Mutant(
        "sort-in-place-of-a-copy",
        "src/ops/sort.cpp",
        "if (has_complex(array) || !overlaps(rows, array)) return",
        "if (has_complex(array)) return",
        tests("sorting"),
    ),
    Mutant(
        "the-first-key-decides",
        "cuarray/_functions/sorting.py",
        "return _core.lexsort(keys, normalise_axis(",
        "return _core.lexsort(keys[::-1], normalise_axis(",
        row("lexsort"),
    ),
    Mutant(
        "all-elements-are-too-many",
        "cuarray/_functions/sorting.py",
        "if not 0 <= k <= a.shape[axis]:",
        "if not 0 <= k < a.shape[axis]:",
        tests("sorting", "top_k"),
    ),
    Mutant(
        "a-bool-is-a-place",
        "cuarray/_functions/sorting.py",
        'if places.dtype.kind == "b":',
        "if places is None:",
        tests("sorting", "partition"),
    ),
    Mutant(
        "descending-edges-of-one-side",
        "cuarray/_functions/sorting.py",
        "return bins.size - searchsorted(bins[::-1], x, side)",
        'return bins.size - searchsorted(bins[::-1], x, "left")',
        tests("sorting", "digitize"),
    ),
]

SETS = [
    Mutant(
        "all-nan-are-one",
        "cuarray/_functions/sets.py",
        "return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))",
        "return UniqueAllResult(*unique(x, True, True, True))",
        tests("sets"),
    ),
    Mutant(
        "counts-without-the-last",
        "cuarray/_functions/sets.py",
        "return concat([self.starts[1:], [self.mask.size]]) - self.starts",
        "return concat([self.starts[1:], [self.mask.size - 1]]) - self.starts",
        row("unique_counts"),
    ),
    Mutant(
        "inverse-of-sorted-elements",
        "cuarray/_functions/sets.py",
        "_core.put_along_axis(result, self.order, groups, 0)",
        "result[...] = groups",
        row("unique_inverse"),
    ),
    Mutant(
        "slices-by-their-last-element",
        "cuarray/_functions/sets.py",
        "for i in reversed(range(rows.shape[1]))",
        "for i in range(rows.shape[1])",
        tests("sets"),
    ),
    Mutant(
        "places-in-both-sets",
        "cuarray/_functions/sets.py",
        "in1, in2 = order[:-1][twice], order[1:][twice] - ar1.size",
        "in1, in2 = order[:-1][twice], order[1:][twice] % ar1.size",
        tests("sets"),
    ),
    Mutant(
        "either-includes-both",
        "cuarray/_functions/sets.py",
        "    alone[:-1] &= begins[1:]\n",
        "",
        row("setxor1d"),
    ),
    Mutant(
        "unique-elements-are-sorted-again",
        "cuarray/_functions/sets.py",
        "ar1 = ar1.ravel() if assume_unique else unique(ar1)",
        "ar1 = unique(ar1)",
        tests("sets"),
    ),
]

ALONG_AN_AXIS = [
    Mutant(
        "products-begin-with-zero",
        "cuarray/_functions/scans.py",
        "= _core.ufuncs[row].identity",
        "= 0",
        tests("scans"),
    ),
    Mutant(
        "initial-in-the-type-of-the-argument",
        "cuarray/_functions/scans.py",
        "out = empty(shape, nothing.dtype, device=x.device)",
        "out = empty(shape, x.dtype, device=x.device)",
        row("cumulative_sum"),
    ),
    Mutant(
        "nan-makes-products-zero",
        "cuarray/_functions/scans.py",
        "without_nan(a, 1), axis, dtype, out)",
        "without_nan(a, 0), axis, dtype, out)",
        tests("scans"),
    ),
    Mutant(
        "scan-overwrites-what-it-reads",
        "src/ops/scan.cpp",
        "(!overlaps(*out, array) || is_same_memory(*out, array))) {",
        "(!overlaps(*out, array) || out->data() == array.data())) {",
        tests("scans"),
    ),
    Mutant(
        "columns-forget-a-tree",
        "src/host/scan.cpp",
        "for (level = 1; row >> level & 1; ++level) {",
        "for (level = 1; level < 9 && row >> level & 1; ++level) {",
        tests("scans"),
    ),
    Mutant(
        "segments-between-equal-indices",
        "src/ops/reduceat.cpp",
        "next > begin ? next : begin + 1",
        "next >= begin ? next : begin + 1",
        tests("segments"),
    ),
    Mutant(
        "segments-from-right-to-left",
        "src/host/segmented_reduce.cpp",
        "{value[now], line + i * item_};",
        "{line + i * item_, value[now]};",
        tests("segments"),
    ),
    Mutant(
        "segments-of-the-first-line",
        "src/host/segmented_reduce.cpp",
        "if ((unit + 1) % groups == 0) walk.next();",
        "if (groups > 1 && (unit + 1) % groups == 0) walk.next();",
        tests("segments"),
    ),
    Mutant(
        "updates-by-what-they-change",
        "src/ops/update.cpp",
        "if (overlaps(elements, array) || !is_aligned(elements)) elements",
        "if (!is_aligned(elements)) elements",
        tests("segments"),
    ),
    Mutant(
        "prepended-behind",
        "cuarray/_functions/differences.py",
        "joined = [layer(prepend, a, axis), a, layer(append, a, axis)]",
        "joined = [layer(append, a, axis), a, layer(prepend, a, axis)]",
        tests("differences"),
    ),
    Mutant(
        "gradient-of-the-wrong-sign-at-an-end",
        "cuarray/_functions/differences.py",
        "c = sign * first / (second * both)",
        "c = -sign * first / (second * both)",
        tests("differences"),
    ),
    Mutant(
        "unwrap-turns-half-a-period",
        "cuarray/_functions/interpolation.py",
        "(within == -half) & (steps > 0)",
        "(within == -half) & (steps < 0)",
        tests("interpolation"),
    ),
    Mutant(
        "interp-of-unsorted-points",
        "cuarray/_functions/interpolation.py",
        "        xp, fp = _core.take(xp, order, 0), _core.take(fp, order, 0)\n",
        "        xp = _core.take(xp, order, 0)\n",
        tests("interpolation"),
    ),
]

OVERLAP = [
    Mutant(
        "assignment-reads-what-it-wrote",
        "src/array/creation.cpp",
        "if (overlaps(to, from)) return assign(",
        "if (overlaps(to, from) && to.ndim() > 1) return assign(",
        (tests("indexing"), "tests/oracle/test_views.py"),
    ),
    Mutant(
        "output-is-written-before-it-is-read",
        "src/ops/run_call.cpp",
        "return in.data() == out.data() && in.shape() == shape &&",
        "return in.shape() == shape &&",
        (tests("ufuncs", "overlap"), "tests/oracle/test_views.py"),
    ),
    Mutant(
        "reduction-into-its-argument",
        "src/ops/reduction.cpp",
        "o.out->dtype() == dtype && !overlaps(*o.out, array) &&",
        "o.out->dtype() == dtype &&",
        tests("reductions"),
    ),
    Mutant(
        "concat-into-a-part",
        "src/ops/manipulation.cpp",
        "if (overlaps(a, result)) a = copy(a, 'K');",
        "(void)a;",
        tests("manipulation"),
    ),
    Mutant(
        "take-into-its-argument",
        "src/ops/indexing_take.cpp",
        "!overlaps(*out, array) &&\n                          !overlaps(*out, positions);",
        "!overlaps(*out, positions);",
        tests("indexing_functions", "take"),
    ),
    Mutant(
        "values-that-are-overwritten",
        "src/ops/indexed_elements.cpp",
        "if (overlaps(elements, places.array)) elements",
        "if (false) elements",
        tests("indexing_arrays"),
    ),
]

TYPES = [
    Mutant(
        "quotients-of-rounded-numbers",
        "include/cuarray/kernel/math_division.h",
        "constexpr u64 limit = u64(1) << (ieee<f64>::fraction + 1), below",
        "constexpr u64 limit = u64(1) << (ieee<f64>::fraction + 2), below",
        tests("ufuncs", "around_what"),
    ),
    Mutant(
        "rounded-integers-are-floats",
        "cuarray/_functions/elementwise.py",
        "write_output(second(rint(first)).astype(a.dtype, copy=False), out,",
        "write_output(second(rint(first)), out,",
        tests("manipulation", "round"),
    ),
    Mutant(
        "integers-from-linspace-towards-zero",
        "cuarray/_functions/sequences.py",
        "y = floor(y)",
        'y = _core.ufuncs["trunc"](y)',
        tests("creation"),
    ),
    Mutant(
        "linspace-misses-its-end",
        "cuarray/_functions/sequences.py",
        '    if endpoint and num > 1:\n        y[-1, ...] = stop\n    y = moved_axis(y, axis, "linspace")\n    if',
        '    y = moved_axis(y, axis, "linspace")\n    if',
        tests("creation"),
    ),
    Mutant(
        "arange-of-one-more",
        "cuarray/_functions/sequences.py",
        "count = math.ceil(length) if math.isfinite(length)",
        "count = math.floor(length) + 1 if math.isfinite(length)",
        tests("creation"),
    ),
    Mutant(
        "bfloat16-is-not-floating",
        "cuarray/_functions/dtypes.py",
        'return ("f" if is_bfloat16(dtype) else dtype.kind) in KINDS[kind]',
        "return dtype.kind in KINDS[kind]",
        tests("types"),
    ),
    Mutant(
        "complex64-from-int32",
        "cuarray/_functions/sorting.py",
        "result.dtype.itemsize <= 2",
        "result.dtype.itemsize <= 4",
        row("sort_complex"),
    ),
    Mutant(
        "covariances-in-single-precision",
        "cuarray/_functions/averages.py",
        'types = (m.dtype, *(x.dtype for x in others), "f8")',
        'types = (m.dtype, *(x.dtype for x in others), "f4")',
        row("cov"),
    ),
]

COUNTS_AND_RANKS = [
    Mutant(
        "weibull-as-hazen",
        "cuarray/_functions/quantiles.py",
        '"weibull": between(0, 0),',
        '"weibull": between(0.5, 0.5),',
        tests("quantiles"),
    ),
    Mutant(
        "closest-odd-observation",
        "cuarray/_functions/quantiles.py",
        "(before % 2 == 1)",
        "(before % 2 == 0)",
        tests("quantiles"),
    ),
    Mutant(
        "quantiles-lose-nan",
        "cuarray/_functions/quantiles.py",
        "return where(isnan(largest), largest, result)",
        "return result",
        tests("quantiles"),
    ),
    Mutant(
        "percentiles-above-hundred",
        "cuarray/_functions/quantiles.py",
        "if q.size and not (q.min() >= 0 and q.max() <= 1):",
        "if q.size and not (q.min() >= 0):",
        tests("quantiles"),
    ),
    Mutant(
        "the-last-edge-is-outside",
        "cuarray/_functions/histograms.py",
        "_core.search_sorted(along, x, True) - (x == along[-1:])",
        "_core.search_sorted(along, x, True)",
        row("histogram2d"),
    ),
    Mutant(
        "equal-bins-without-a-check",
        "include/cuarray/kernel/histogram.h",
        "    while (value < edges[bin]) --bin;\n",
        "",
        tests("histograms"),
    ),
    Mutant(
        "one-thread-counts",
        "src/host/histogram.cpp",
        "for (int c = 1; c < tables; ++c)",
        "for (int c = 2; c < tables; ++c)",
        tests("histograms"),
    ),
    Mutant(
        "covariances-divided-by-n",
        "cuarray/_functions/averages.py",
        "ddof = int(not bias) if ddof is None",
        "ddof = int(bias) if ddof is None",
        row("cov"),
    ),
    Mutant(
        "least-of-nan",
        "cuarray/_functions/nan_functions.py",
        "return nan_place(argmin, np.inf, a, axis, out, keepdims)",
        "return nan_place(argmin, -np.inf, a, axis, out, keepdims)",
        tests("nan_functions"),
    ),
]

EDITING = [
    Mutant(
        "copies-counted-from-the-first-piece",
        "cuarray/_functions/rearranging.py",
        "_core.histogram(ends[first:last] - begin,",
        "_core.histogram(ends[first:last],",
        tests("indexing_functions", "piece_by_piece"),
    ),
    Mutant(
        "inserted-in-the-order-given",
        "cuarray/_functions/editing.py",
        "target[order] = places[order] + np.arange(places.size)",
        "target[:] = places + np.arange(places.size)",
        tests("editing", "insert"),
    ),
    Mutant(
        "deleted-one-too-few",
        "cuarray/_functions/editing.py",
        "low, high = sorted((gone[0], gone[-1]))",
        "low, high = gone[0], gone[-1]",
        tests("editing", "delete"),
    ),
    Mutant(
        "resize-repeats-from-the-end",
        "cuarray/_functions/editing.py",
        "flat[whole * a.size :] = a[: flat.size - whole * a.size]",
        "flat[whole * a.size :] = a[a.size - (flat.size - whole * a.size) :]",
        row("resize"),
    ),
    Mutant(
        "ramps-in-one-direction",
        "cuarray/_functions/padding.py",
        "margin[...] = line if first else line[..., ::-1]",
        "margin[...] = line",
        tests("padding"),
    ),
    Mutant(
        "means-of-the-first-elements",
        "cuarray/_functions/padding.py",
        "if first else lines[..., lines.shape[-1] - length :]",
        "if first else lines[..., :length]",
        tests("padding"),
    ),
    Mutant(
        "integer-means-are-cut",
        "cuarray/_functions/padding.py",
        '(rounded(value) if whole.dtype.kind in "iu" else value)',
        "value",
        tests("padding"),
    ),
    Mutant(
        "corners-are-left-alone",
        "cuarray/_functions/padding.py",
        "result[(*(slice(None),) * (axis + 1), *inside[axis + 1 :], ...)]",
        "result[(*inside[:axis], slice(None), *inside[axis + 1 :], ...)]",
        tests("padding"),
    ),
    Mutant(
        "odd-reflection-without-a-turn",
        "cuarray/_functions/padding.py",
        "where(own[1], 2 * high - taken, taken)",
        "where(own[1], high - taken, taken)",
        tests("padding"),
    ),
    Mutant(
        "bits-spread-from-the-lowest",
        "cuarray/_functions/bit_packing.py",
        "return (words * GATHER[True] >> 7) & ONES",
        "return (words * GATHER[False] >> 7) & ONES",
        row("unpackbits"),
    ),
    Mutant(
        "root-of-minus-infinity",
        "src/ops/run_call.cpp",
        "expr.scalar(number(-infinity))), expr.scalar(number(infinity)), root)",
        "expr.scalar(number(infinity))), expr.scalar(number(infinity)), root)",
        tests("ndarray", "powers"),
    ),
    Mutant(
        "shifted-by-any-divisor",
        "src/ops/run_call.cpp",
        "divisor > 0 && std::has_single_bit(uint64_t(divisor)) ?",
        "divisor > 0 ?",
        tests("ndarray", "division"),
    ),
    Mutant(
        "decided-by-any-chunk",
        "src/host/reduce.cpp",
        "if (can_be_decided && *data == char(loops_.decided))",
        "if (can_be_decided)",
        tests("reductions", "decided"),
    ),
    Mutant(
        "wider-outputs-ignored",
        "src/ops/reduction.cpp",
        "widens ? o.out : nullptr;",
        "nullptr;",
        tests("ufunc_objects", "wider"),
    ),
    Mutant(
        "first-sum-in-place-of-the-second",
        "src/host/reduce.cpp",
        "loops_.fold_leaves(machine.values(size_t(k)), n",
        "loops_.fold_leaves(machine.values(0), n",
        tests("averages", "together"),
    ),
    Mutant(
        "second-sum-folded-to-the-first-width",
        "src/host/reduce.cpp",
        "kLanes * row_stride(k) : outputs_ * bytes;",
        "kLanes * row_stride(k) : bytes;",
        tests("averages", "together"),
    ),
    Mutant(
        "rows-of-a-weight-beside-one-another",
        "src/host/reduce.cpp",
        "in_place[k] ? kLanes * row_stride(k) :",
        "in_place[k] ? row_stride(k) :",
        tests("averages", "together"),
    ),
    Mutant(
        "the-last-row-of-a-leaf-cut-short",
        "src/host/loops/reductions.cpp",
        "if (l < rest) a[l]",
        "if (l < rest - 1) a[l]",
        tests("segments"),
    ),
    Mutant(
        "pending-masks-brought-to-memory",
        "src/ops/reduction.cpp",
        "constexpr size_t kCheap = 2;",
        "constexpr size_t kCheap = 0;",
        tests("nan_functions", "mask"),
    ),
    Mutant(
        "a-mask-held-twice-is-not-absorbed",
        "src/ops/averages.cpp",
        "whole ? *o.where : spread",
        "whole ? Array(*o.where) : spread",
        tests("nan_functions", "mask"),
    ),
    Mutant(
        "a-pending-mask-of-a-row-absorbed",
        "src/ops/reduction.cpp",
        "array.is_pending() || !(mask.shape() == array.shape())",
        "array.is_pending()",
        tests("fuse", "masks"),
    ),
    Mutant(
        "a-masks-operand-taken-for-the-elements",
        "src/array/pending.cpp",
        "v.storage != operand.storage || v.offset != operand.offset",
        "v.storage != operand.storage",
        tests("fuse", "masks"),
    ),
    Mutant(
        "ranges-that-lose-a-nan",
        "src/host/loops/reductions.cpp",
        "if (any) return false;",
        "",
        tests("reductions"),
    ),
    Mutant(
        "best-of-a-part-of-a-leaf",
        "src/host/loops/reductions.cpp",
        "k + lanes <= n ? k : n - lanes",
        "k + lanes <= n ? k : 0",
        tests("reductions", "arg"),
    ),
    Mutant(
        "bits-packed-to-the-right",
        "cuarray/_functions/bit_packing.py",
        "concat([flags, zeros((*bits.shape[:-1], 8 - rest), bool, device=a.device)], -1)",
        "concat([zeros((*bits.shape[:-1], 8 - rest), bool, device=a.device), flags], -1)",
        row("packbits"),
    ),
    Mutant(
        "rotated-the-other-way",
        "cuarray/_functions/rearranging.py",
        "return flip(swapaxes(m, first, second), second)",
        "return swapaxes(flip(m, second), first, second)",
        tests("manipulation", "rot90"),
    ),
    Mutant(
        "rolled-back",
        "cuarray/_functions/rearranging.py",
        "(slice(distance, None), slice(None, -distance))",
        "(slice(None, -distance), slice(distance, None))",
        row("roll"),
    ),
    Mutant(
        "tiles-of-elements",
        "cuarray/_functions/rearranging.py",
        "for n in (1, extent)))",
        "for n in (extent, 1)))",
        row("tile"),
    ),
]

PRODUCTS = [
    Mutant(
        "conjugate-of-the-second",
        "cuarray/_functions/products.py",
        "result = _core.matmul(conjugated(x)[..., None, :], y[..., None], dtype)",
        "result = _core.matmul(x[..., None, :], conjugated(y)[..., None], dtype)",
        row("vecdot"),
    ),
    Mutant(
        "axes-of-a-tensor-in-their-own-order",
        "cuarray/_functions/products.py",
        "rows = a.transpose(kept_a + own)",
        "rows = a.transpose(kept_a + sorted(own))",
        tests("products"),
    ),
    Mutant(
        "dot-along-the-last-axis",
        "cuarray/_functions/products.py",
        "axis = -2 if b.ndim > 1 else -1",
        "axis = -1",
        row("dot"),
    ),
    Mutant(
        "labels-of-the-result-unsorted",
        "cuarray/_functions/einsum.py",
        "sorted(ord(letter) for letter in set(letters) if letters.count(letter) == 1)",
        "[ord(letter) for letter in letters if letters.count(letter) == 1]",
        tests("products", "einsum"),
    ),
    Mutant(
        "third-of-a-step-in-its-old-place",
        "cuarray/_functions/einsum.py",
        "else (position - k, count - k)",
        "else (position - 1, count - k)",
        tests("products", "einsum"),
    ),
    Mutant(
        "same-convolution-of-even-length",
        "cuarray/_functions/convolution.py",
        "before = (0, len(taps) // 2, extra)[MODES[mode]]",
        "before = (0, extra // 2, extra)[MODES[mode]]",
        tests("polynomials", "convol"),
    ),
    Mutant(
        "correlation-of-a-longer-second",
        "cuarray/_functions/convolution.py",
        'return sums_of_products(v, a, mode, "correlate")[::-1]',
        'return sums_of_products(v, a, mode, "correlate")',
        tests("polynomials", "correl"),
    ),
    Mutant(
        "dividend-and-divisor-swapped",
        "cuarray/_functions/polynomials.py",
        "np.polydiv(u.numpy(), v.numpy())",
        "np.polydiv(v.numpy(), u.numpy())",
        tests("polynomials", "div"),
    ),
]

ARGUMENTS = [
    Mutant(
        "lists-are-axes",
        "src/bindings/convert.cpp",
        "    if (is_several) refuse(",
        "    if (false) refuse(",
        "tests/oracle/test_bad_calls.py -k 'sum or squeeze'",
    ),
    Mutant(
        "bools-are-extents",
        "src/bindings/convert.cpp",
        "if (PyBool_Check(object)) refuse(",
        "if (false) refuse(",
        "tests/oracle/test_bad_calls.py -k zeros",
    ),
    Mutant(
        "vectorize-drops-masks",
        "cuarray/_functions/functional.py",
        "            if place not in excluded:",
        "            if False:",
        tests("interop_subclasses"),
    ),
    Mutant(
        "second-choice-is-out",
        "cuarray/_ndarray/methods.py",
        "choices[0] if len(choices) == 1 else choices, out, mode)",
        "choices[0], out, mode)",
        tests("indexing_functions", "choose"),
    ),
    Mutant(
        "numbers-keep-their-own-type",
        "cuarray/_functions/joining.py",
        "wanted if bends_to(x, wanted) else common",
        "common",
        tests("manipulation", "numbers_among"),
    ),
    Mutant(
        "union-of-arrays-alone",
        "cuarray/_functions/sets.py",
        "unique(concat([ar1, ar2], axis=None))",
        'unique(concat([x.ravel() for x in together("union1d", ar1, ar2)]))',
        tests("sets", "numbers_among"),
    ),
    Mutant(
        "coefficients-of-one-axis",
        "cuarray/_functions/polynomials.py",
        "    count = p.shape[0]\n",
        "    count = p.shape[-1]\n",
        tests("polynomials", "several_axes"),
    ),
    Mutant(
        "resize-always-makes-memory",
        "cuarray/_ndarray/byte_methods.py",
        "if math.prod(shape) == self.size:",
        "if math.prod(shape) == self.size == 0:",
        tests("bytes", "resize"),
    ),
    Mutant(
        "read-only-without-elements",
        "cuarray/_arguments/operands.py",
        "if not a._memory_flags()[3]:",
        "if a.size and not a._memory_flags()[3]:",
        "tests/oracle/test_bad_calls.py -k frozen",
    ),
    Mutant(
        "any-object-is-a-word",
        "cuarray/_arguments/operands.py",
        "if not isinstance(value, str):",
        "if False:",
        "tests/oracle/test_bad_calls.py -k kind",
    ),
    Mutant(
        "average-of-nothing-is-nothing",
        "cuarray/_functions/averages.py",
        "        if result.size == 0:\n            raise",
        "        if result.size < 0:\n            raise",
        tests("averages", "nothing"),
    ),
    Mutant(
        "copyto-refuses-numbers",
        "cuarray/_functions/sharing.py",
        "dst.dtype if bends_to(src, dst.dtype) else np.dtype(type(src))",
        "np.dtype(type(src))",
        tests("indexing_functions"),
    ),
]

#: Where numbers are drawn, and what becomes of them.
RANDOM = [
    Mutant(
        "numbers-share-memory-with-numpy",
        "cuarray/_random/draws.py",
        "return array(numbers) if device is None else _core.array_from_object(numbers, None, device, True)",
        "return _core.array_from_object(numbers, None, device, None)",
        tests("random", "own_their_memory"),
    ),
    Mutant(
        "few-integers-are-biased",
        "src/bindings/random.cpp",
        "while (uint32_t(product) < threshold);",
        "while (false);",
        tests("random", "few_numbers"),
    ),
    Mutant(
        "one-number-too-many-is-drawn",
        "src/bindings/random.cpp",
        "draw(*bits);\n    }",
        "draw(*bits), bits->next_raw(bits->state);\n    }",
        tests("random", "few_numbers"),
    ),
    Mutant(
        "out-is-filled-in-the-wrong-order",
        "cuarray/_random/draws.py",
        'out.flags.f_contiguous and not out.flags.c_contiguous and function != "standard_gamma"',
        "False",
        tests("random", "test_out_of_any_layout"),
    ),
    Mutant(
        "shuffle-along-the-first-axis",
        "cuarray/_random/generator.py",
        "x[...] = take(x, self._order_of(x, axis), axis)",
        "x[...] = take(x, self._order_of(x, 0), 0)",
        tests("random", "any_layout"),
    ),
    Mutant(
        "seed-keeps-the-place-in-the-buffer",
        "cuarray/_random/randomstate.py",
        "bit_generator.state = state\n\n    def get_state",
        'bit_generator.state = bit_generator.state | {"state": state["state"]}\n\n    def get_state',
        tests("random", "module or one_generator"),
    ),
    Mutant(
        "a-seed-of-another-bit-generator",
        "cuarray/_random/generator.py",
        "return np.random.Philox(on_host(",
        "return np.random.PCG64(on_host(",
        tests("random", "test_seeds"),
    ),
    Mutant(
        "second-parameter-has-no-default",
        "cuarray/_random/distributions.py",
        'SCALE = Parameter("scale", "1.0"',
        'SCALE = Parameter("scale", "2.0"',
        tests("random", "are_numpys"),
    ),
]

TRANSFORMS = [
    Mutant(
        "scaled-in-the-wrong-direction",
        "cuarray/_fft/on_cpu.py",
        "return to_real(np.conjugate(a), n, axis, OPPOSITE[norm], out)",
        "return to_real(np.conjugate(a), n, axis, norm, out)",
        tests("fft", "norms"),
    ),
    Mutant(
        "the-last-line-of-a-part-is-left-out",
        "cuarray/_fft/on_cpu.py",
        "bounds = [length * k // threads for k in range(threads + 1)]",
        "bounds = [length * k // threads - (k == threads) for k in range(threads + 1)]",
        tests("fft", "threads"),
    ),
    Mutant(
        "transforms-mark-their-memory",
        "cuarray/_fft/on_cpu.py",
        "memory = np.asarray(Memory(result))",
        "memory = result.__array__()",
        tests("fft", "fuse"),
    ),
    Mutant(
        "negative-frequencies-rounded-down",
        "cuarray/fft.py",
        "arange(-(n // 2), (n + 1) // 2, device=device)",
        "arange(-((n + 1) // 2), n // 2, device=device)",
        tests("fft", "frequencies"),
    ),
]

LINEAR_ALGEBRA = [
    Mutant(
        "factors-of-the-other-triangle",
        "cuarray/_linalg/decompositions.py",
        "return UPLO.upper()\n",
        'return "L"\n',
        tests("linalg", "eigh"),
    ),
    Mutant(
        "eigenvalues-are-real-if-they-can-be",
        "cuarray/_linalg/decompositions.py",
        'return factorise("eigvals", "eigvals", a, dtype=complex_type(a))',
        'return factorise("eigvals", "eigvals", a)',
        tests("linalg", "test_eig"),
    ),
    Mutant(
        "results-of-lapack-are-views",
        "cuarray/_linalg/lapack.py",
        'dtype, device="cpu", copy=True)',
        'dtype, device="cpu", copy=None)',
        tests("linalg", "qr or svd"),
    ),
    Mutant(
        "norms-of-halves-overflow",
        "cuarray/_linalg/norms.py",
        "return x.astype(np.float32) if x.dtype.itemsize < 4 else x",
        "return x",
        tests("linalg", "halves"),
    ),
    Mutant(
        "rows-are-columns-in-norms",
        "cuarray/_linalg/norms.py",
        "sum(row if abs(order) == 1 else column)",
        "sum(column if abs(order) == 1 else row)",
        tests("linalg", "agrees"),
    ),
    Mutant(
        "chains-from-left-to-right",
        "cuarray/_linalg/products.py",
        "splits[i][j] = i + choices.index(costs[i][j])",
        "splits[i][j] = j - 1",
        tests("linalg", "best"),
    ),
    Mutant(
        "cutoff-of-pinv-is-absolute",
        "cuarray/_linalg/equations.py",
        "threshold = rcond[..., None] * s.max(-1, keepdims=True)",
        "threshold = rcond[..., None]",
        tests("linalg", "agrees and pinv"),
    ),
    Mutant(
        "factorisations-copy-from-gpus",
        "cuarray/_linalg/lapack.py",
        'if arrays[0].device.kind == "cpu" else on_gpu.factorised',
        "",
        ("sim " + tests("linalg", "cuda and devices_agree"),),
    ),
    Mutant(
        "odd-powers-lose-a-factor",
        "cuarray/_linalg/products.py",
        "        if digit:\n",
        "        if digit and (result is None or n):\n",
        tests("linalg", "power"),
    ),
    Mutant(
        "roots-without-those-at-zero",
        "cuarray/_functions/polynomials.py",
        'coefficients(p, "roots").numpy())',
        'np.trim_zeros(coefficients(p, "roots").numpy()))',
        tests("linalg", "polynomials"),
    ),
]

MUTANTS = [
    *LINEAR_ALGEBRA,
    *UNSEEN_BY_THE_STANDARD,
    *INDEXING,
    *VECTORS,
    *ORDER,
    *SETS,
    *ALONG_AN_AXIS,
    *OVERLAP,
    *TYPES,
    *COUNTS_AND_RANKS,
    *EDITING,
    *PRODUCTS,
    *ARGUMENTS,
    *RANDOM,
    *TRANSFORMS,
]

if __name__ == "__main__":
    sys.exit(main("oracle", MUTANTS, __doc__))
