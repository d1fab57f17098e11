#!/usr/bin/env bash
# gpu_check.sh -- all checks that need a real GPU, in less than 14 minutes, without network.
#
#   scripts/gpu_check.sh                 all parts
#   scripts/gpu_check.sh PART...         only these
#
# part          at most   what
#   smoke         30 s    the doctor, and one fused kernel, twice: compiled, and from the cache in a new process
#   driver_costs  15 s    the driver's own calls, without a library between
#   kernels       80 s    the calls of benchmarks/gpu_calls.py: their share of a copy's pace
#   host_time     60 s    what calls on small arrays take on the host, beside CuPy, torch, JAX
#   interop       60 s    torch, CuPy, JAX and a stand-in for Numba, each in a process of its own, at the same time
#   frameworks   110 s    the tests of interoperation, with the frameworks that are installed
#   suite        170 s    a sample of tests/python on cuda:0, with pytest-xdist
#   only_gpu      70 s    accuracy over all float32 values, repeated reductions, exhausted memory, fork, sticky errors
#   counters      90 s    the same calls as in kernels, under Nsight Compute: instructions, bytes, registers
#   benchmarks   100 s    elementwise, reductions, transposes against CuPy, torch, JAX and the copy bandwidth
#   sanitizer     40 s    compute-sanitizer's memcheck and racecheck, where it works on this machine
#
# Needs: Linux, one NVIDIA GPU with driver 525 or newer, Python 3.12 with NumPy, NVRTC of a major version that the
# driver knows (torch, CuPy and JAX bring one), and the folder that scripts/gpu_bundle.sh makes, from which this is run:
# it installs the wheels in wheels/ into a separate folder and changes nothing else. PYTHON names the interpreter.
# Without wheels/, the cuarray of this tree, or the installed one, is checked.
#
# Everything goes to the folder benchmarks/results/gpu (RESULTS names another one): results.json, rewritten after every
# part; what each part printed; suite.jsonl, a line for every test when it begins and ends; suite.failed.txt, the tests
# that failed or did not end. A summary is printed. A part that fails, or takes too long, does not affect the others: it is
# interrupted, killed 5 s later, and none of its processes is left. LIMIT=SECONDS shortens all parts, SUITE and FRAMEWORKS
# are arguments for pytest.
# Parts that need a real GPU report so on a simulated one.
set -uo pipefail
set -m  # each part is a process group, and is interruptible
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export python=${PYTHON:-python3}
results=$(realpath -m "${RESULTS:-$PWD/benchmarks/results/gpu}")
export results

declare -A limit=(
    [smoke]=30 [driver_costs]=15 [kernels]=80 [host_time]=60 [interop]=60 [frameworks]=110 [suite]=170 [only_gpu]=70
    [counters]=90 [benchmarks]=100 [sanitizer]=40
)
all=(smoke driver_costs kernels host_time interop frameworks suite only_gpu counters benchmarks sanitizer)
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
elif compgen -G "cuarray/_core*.so" > /dev/null; then
    export PYTHONPATH=$PWD${PYTHONPATH:+:$PYTHONPATH}
fi
export PYTHONUNBUFFERED=1 XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONDONTWRITEBYTECODE=1
# Simulated and real kernels use separate caches.
export CUARRAY_CACHE_DIR=${CUARRAY_CACHE_DIR:-$work/cache} CUARRAY_DEVICE=cuda:0

smoke() { "$python" scripts/gpu/smoke.py && "$python" scripts/gpu/smoke.py --cached; }

driver_costs() { "$python" scripts/gpu/driver_costs.py; }

kernels() { "$python" scripts/gpu/kernels.py; }

counters() { "$python" scripts/gpu/kernels.py --count "$results/ncu.csv"; }

host_time() { "$python" scripts/gpu/host_time.py; }

suite() { "$python" scripts/gpu/suite.py suite "$results" "$seconds" ${SUITE:-}; }

frameworks() { "$python" scripts/gpu/suite.py frameworks "$results" "$seconds" ${FRAMEWORKS:-}; }

only_gpu() { "$python" scripts/gpu/only_gpu.py; }

sanitizer() { "$python" scripts/gpu/sanitizer.py; }

interop() { "$python" scripts/gpu/interop.py --seconds "$seconds"; }

benchmarks() { "$python" scripts/gpu/bench.py; }

export -f "${all[@]}"

# Not in this process, nor without a limit: a GPU that hangs must not take the results along.
timeout -s INT -k 5 25 "$python" scripts/gpu/record.py "$results" --machine ||
    echo "gpu_check: the machine could not be described" >&2
timeout 10 nvidia-smi -q > "$results/nvidia-smi.txt" 2>&1
timeout 20 "$python" -m pip list > "$results/packages.txt" 2> /dev/null &

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
