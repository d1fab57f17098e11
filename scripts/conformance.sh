#!/usr/bin/env bash
# conformance.sh -- runs the Array API standard's test suite on cuarray: no expected failures, no skips.
#
#   scripts/conformance.sh DIR [--max-examples N] [--device D] [PYTEST ARGUMENT...]
#
#   DIR   a checkout of github.com/data-apis/array-api-tests with its submodule array-api (git submodule update --init)
#   N     hypothesis examples per test; 100 by default
#   D     the device; cpu by default. With simulated GPUs: tests/cudasim/run scripts/conformance.sh DIR --device cuda:0
#
# Needs, besides cuarray: pip install pytest pytest-json-report hypothesis ndindex. The checkout is not modified: a copy
# is tested, whose test_dunder_dlpack gets a fix that upstream has since (array-api-tests#457): refusing a copy between
# devices with copy=False is correct.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] && [ -d "$1/array_api_tests" ] || { sed -n '3,8p' "$0"; exit 2; }
suite=$(cd "$1" && pwd)
shift
examples=100 device=cpu arguments=()
while [ $# -gt 0 ]; do
    case $1 in
        --max-examples) examples=$2; shift 2 ;;
        --device) device=$2; shift 2 ;;
        *) arguments+=("$1"); shift ;;
    esac
done

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$suite/." "$copy"
if ! grep -q BufferError "$copy/array_api_tests/test_dlpack.py"; then
    patch --silent --directory "$copy" --strip 1 < "$here/conformance.patch"
fi
echo "array-api-tests $(git -C "$suite" rev-parse --short HEAD 2> /dev/null), $examples examples, device $device"
root=$(dirname "$here")
cd "$copy"
if [ -f "$root/cuarray/_core.pyi" ]; then export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}; fi
CUARRAY_DEVICE=$device ARRAY_API_TESTS_MODULE=cuarray ARRAY_API_TESTS_VERSION=2025.12 \
    "${PYTHON:-python3}" -m pytest -p pytest_jsonreport --rootdir=. -q -W ignore -p no:cacheprovider array_api_tests \
    --max-examples "$examples" --disable-deadline "${arguments[@]+"${arguments[@]}"}"
