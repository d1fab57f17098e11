#!/usr/bin/env bash
# sanitize_threads.sh -- builds cuarray with ThreadSanitizer and runs the C++ tests in which threads meet, on cpu: the
# thread pool, streams, events, the caches and the allocator.
#
# Not on simulated GPUs: the simulator's device memory lies where ThreadSanitizer allows no memory.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/sanitize-threads

cmake -S "$root" -B "$build" -G Ninja -DPython_EXECUTABLE="$(command -v python3)" -DCUARRAY_SANITIZE=thread \
    -DCUARRAY_DEV=ON -DCUARRAY_TESTS=ON -DCUARRAY_ISA_LEVELS=base > /dev/null
cmake --build "$build" --target cuarray _host_base runtime_test_threads host_test_memory | tail -n 1

# More workers than this machine may have cores.
export CUARRAY_CPU_LEVEL=base CUARRAY_NUM_THREADS=4 TSAN_OPTIONS=exitcode=66
for program in runtime/test_threads host/test_memory; do
    echo "$program"
    "$build/tests/$program"
done
echo "no races"
