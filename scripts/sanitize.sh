#!/usr/bin/env bash
# sanitize.sh -- builds cuarray with AddressSanitizer and UndefinedBehaviorSanitizer and runs tests on that build.
#
#   scripts/sanitize.sh [PYTEST ARGUMENTS]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/sanitize
python=$(command -v python3)

cmake -S "$root" -B "$build" -G Ninja -DPython_EXECUTABLE="$python" -DCUARRAY_SANITIZE=address,undefined \
    -DCUARRAY_DEV=ON > /dev/null
cmake --build "$build"

# The interpreter itself is not instrumented: the runtime must be loaded before it, and its own leaks do not count.
export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# From the build folder, so that its cuarray/ is the one that is imported.
cd "$build"
"$python" -c "import cuarray; assert cuarray.__file__.startswith('$build'), cuarray.__file__"
[ $# -gt 0 ] || set -- tests/core tests/python
arguments=()
for argument; do
    if [ -e "$root/$argument" ]; then argument=$root/$argument; fi
    arguments+=("$argument")
done
"$python" -m pytest -q -p no:cacheprovider --rootdir "$root" -c "$root/pyproject.toml" "${arguments[@]}"
