#!/usr/bin/env bash
# sanitize.sh -- builds cuarray with AddressSanitizer and UndefinedBehaviorSanitizer and runs tests on that build.
#
#   scripts/sanitize.sh [PYTEST ARGUMENTS]          the C++ tests, then these (default: tests/python)
#
# CUARRAY_ISA_LEVELS chooses the instruction set levels that are built (default: base;v3).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/sanitize
python=$(command -v python3)

cmake -S "$root" -B "$build" -G Ninja -DPython_EXECUTABLE="$python" -DCUARRAY_SANITIZE=address,undefined \
    -DCUARRAY_DEV=ON -DCUARRAY_UNITY=ON -DCUARRAY_TESTS=ON -DCUARRAY_ISA_LEVELS="${CUARRAY_ISA_LEVELS:-base;v3}" > /dev/null
cmake --build "$build" | tail -n 1

export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
run_program() {
    ASAN_OPTIONS=detect_leaks=1 "$1" && echo "${1#"$2"/}"
}
export -f run_program
printf '%s\0' "$build"/tests/*/test_* | xargs -0 -P "$(nproc)" -I{} bash -c 'run_program "$1" "$2"' - {} "$build/tests"

# Run from the build folder, so that its cuarray/ is imported. The interpreter is not instrumented: the
# runtime must be preloaded, and leaks of the interpreter itself are ignored.
cd "$build"
export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
"$python" -c "import cuarray; assert cuarray.__file__.startswith('$build'), cuarray.__file__"
[ $# -gt 0 ] || set -- tests/python
# The instrumented build is slow: the test of import time is left out.
arguments=(--ignore "$root/tests/test_cpp.py" --deselect tests/python/test_namespace.py::test_import_is_quick)
for argument; do
    if [ -e "$root/$argument" ]; then argument=$root/$argument; fi
    arguments+=("$argument")
done
# A report ends the process, and output captured by pytest is lost: reports go to files.
rm -f "$build"/report.*
export ASAN_OPTIONS=$ASAN_OPTIONS:log_path=$build/report UBSAN_OPTIONS=$UBSAN_OPTIONS:log_path=$build/report
status=0
"$python" -m pytest -q -p no:cacheprovider --rootdir "$root" -c "$root/pyproject.toml" "${arguments[@]}" || status=$?
cat "$build"/report.* 2> /dev/null || true
exit $status
