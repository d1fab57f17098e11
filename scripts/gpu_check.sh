#!/usr/bin/env bash
# gpu_check.sh -- all checks that need a real GPU, in less than 480 seconds, without network.
#
#   scripts/gpu_check.sh                 all parts
#   scripts/gpu_check.sh PART...         only these
#
# part          at most   what
#   smoke         30 s    the doctor, and one fused kernel, twice: compiled, and from the cache in a new process
#   suite        170 s    tests/python on cuda:0, with pytest-xdist
#   only_gpu      70 s    accuracy over all float32 values, repeated reductions, exhausted memory, fork, sticky errors
#   sanitizer     40 s    compute-sanitizer's memcheck and racecheck, where it works on this machine
#   interop       60 s    torch, CuPy, JAX and a stand-in for Numba, each in a process of its own, at the same time
#   benchmarks   100 s    elementwise, reductions, transposes against CuPy, torch, JAX and the copy bandwidth
#
# Needs: Linux, one NVIDIA GPU with driver 525 or newer, Python 3.12 with NumPy, NVRTC of a major version that the
# driver knows (torch, CuPy and JAX bring one), and the folder that scripts/gpu_bundle.sh makes, from which this is run:
# it installs the wheels in wheels/ into a separate folder and changes nothing else. PYTHON names the interpreter.
# Without wheels/, the cuarray of this tree, or the installed one, is checked.
#
# Everything goes to the folder benchmarks/results/gpu (RESULTS names another one): results.json, rewritten after every
# part; what each part printed; tests.jsonl, a line for every test when it begins and ends; failed.txt, the tests that
# failed or did not end. A summary is printed. A part that fails, or takes too long, does not affect the others: it is
# interrupted, killed 5 s later, and none of its processes is left. LIMIT=SECONDS shortens all parts, SUITE names tests.
# Parts that need a real GPU report so on a simulated one.
set -uo pipefail
set -m  # each part is a process group, and is interruptible
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export python=${PYTHON:-python3}
results=$(realpath -m "${RESULTS:-$PWD/benchmarks/results/gpu}")
export results

declare -A limit=([smoke]=30 [suite]=170 [only_gpu]=70 [sanitizer]=40 [interop]=60 [benchmarks]=100)
all=(smoke suite only_gpu sanitizer interop benchmarks)
case ${1:-} in -*) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "${BASH_SOURCE[0]}"; exit ;; esac
parts=("$@")
[ $# -gt 0 ] || parts=("${all[@]}")
for part in "${parts[@]}"; do
    [ -n "${limit[$part]:-}" ] || { echo "gpu_check: there is no part $part; there are ${all[*]}" >&2; exit 2; }
done
mkdir -p "$results" || exit 2

work=$(mktemp -d)
group=
end() { [ -z "$group" ] || kill -KILL -- "-$group" 2> /dev/null; rm -rf "$work"; }
trap end EXIT
trap 'exit 130' INT TERM

if [ -d wheels ]; then
    "$python" -m pip install -q --no-index --no-deps --no-compile --target "$work/site" wheels/*.whl || exit 1
    export PYTHONPATH=$work/site${PYTHONPATH:+:$PYTHONPATH}
elif [ -d cuarray ]; then
    export PYTHONPATH=$PWD${PYTHONPATH:+:$PYTHONPATH}
fi
export PYTHONUNBUFFERED=1 XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONDONTWRITEBYTECODE=1
# Simulated and real kernels use separate caches.
export CUARRAY_CACHE_DIR=${CUARRAY_CACHE_DIR:-$work/cache} CUARRAY_DEVICE=cuda:0

smoke() { "$python" scripts/gpu/smoke.py && "$python" scripts/gpu/smoke.py --cached; }

suite() { "$python" scripts/gpu/suite.py "$results" "$seconds" ${SUITE:-}; }

only_gpu() { "$python" scripts/gpu/only_gpu.py; }

sanitizer() { "$python" scripts/gpu/sanitizer.py; }

interop() { "$python" scripts/gpu/interop.py --seconds "$seconds"; }

benchmarks() { "$python" scripts/gpu/bench.py; }

export -f smoke suite only_gpu sanitizer interop benchmarks

# Not in this process, nor without a limit: a GPU that hangs must not take the results along.
timeout -s INT -k 5 25 "$python" scripts/gpu/record.py "$results" --machine ||
    echo "gpu_check: the machine could not be described" >&2

status=0
for part in "${parts[@]}"; do
    seconds=${limit[$part]}
    [ "${LIMIT:-$seconds}" -ge "$seconds" ] || seconds=$LIMIT
    export seconds
    echo "=== $part (at most $seconds s)"
    start=$(date +%s.%N)
    timeout -s INT -k 5 "$seconds" bash -c "$part" > "$results/$part.out" 2> "$results/$part.err" &
    group=$!
    { wait "$group"; } 2> /dev/null  # bash tells that it was killed
    code=$?
    kill -KILL -- "-$group" 2> /dev/null  # what the part has left behind
    group=
    "$python" scripts/gpu/record.py "$results" "$part" "$code" "$start" || status=1
done
"$python" scripts/gpu/record.py "$results" --summary
exit $status
