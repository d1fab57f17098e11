#!/usr/bin/env bash
# sanitize_threads.sh -- builds cuarray with ThreadSanitizer and runs the multi-threaded C++ tests, on cpu and on
# a simulated GPU: the thread pool, streams, events, the caches, kernels and the allocator.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/sanitize-threads

cmake -S "$root" -B "$build" -G Ninja -DPython_EXECUTABLE="$(command -v python3)" -DCUARRAY_SANITIZE=thread \
    -DCUARRAY_DEV=ON -DCUARRAY_UNITY=ON -DCUARRAY_TESTS=ON -DCUARRAY_ISA_LEVELS=base > /dev/null
cmake --build "$build" --target cuarray _host_base runtime_test_threads host_test_memory | tail -n 1

# More workers than this machine may have cores. The simulator itself is not instrumented, and checks kernels itself;
# objects that its compiler creates once for all threads look like races when the C++ library copies them.
suppressions=$build/suppressions.txt
printf 'called_from_lib:libcuda.so.1\ncalled_from_lib:libnvrtc-cudasim.so\nrace:cuarray::cuda::compile\n' > "$suppressions"
export CUARRAY_CPU_LEVEL=base CUARRAY_NUM_THREADS=4 TSAN_OPTIONS=exitcode=66:suppressions=$suppressions
for program in runtime/test_threads host/test_memory; do
    echo "$program, cpu"
    "$build/tests/$program"
done
for mode in lazy eager random; do
    echo "runtime/test_threads, cpu and a simulated GPU, $mode"
    CUDASIM_CHECK=0 CUDASIM_PROGRESS=$mode "$root/tests/cudasim/run" "$build/tests/runtime/test_threads"
done
echo "no races"
