#!/usr/bin/env bash
# gpu_bundle.sh -- makes the folder that scripts/gpu_check.sh needs on a machine without network.
#
#   scripts/gpu_bundle.sh [FOLDER]          default: build/gpu-bundle; less than 64 MiB
#
# It contains the wheel of this tree for the Python below, a few pure wheels that the tests need and that a machine for
# deep learning may lack, tests, benchmarks and scripts. PYTHON names the interpreter to build for: by default the
# python3.12 of pyenv, or of the path. The build needs what README's installation needs, and the network for pip.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in -*) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "${BASH_SOURCE[0]}"; exit ;; esac
bundle=$(realpath -m "${1:-$root/build/gpu-bundle}")
limit=$((64 << 20))

# Only an existing bundle is replaced, no other folder.
if [ -e "$bundle" ] && [ ! -e "$bundle/commit" ] && [ -n "$(ls -A "$bundle")" ]; then
    echo "gpu_bundle: $bundle is no bundle and not empty; name a new folder, or one that this script has made" >&2
    exit 1
fi

find_python() {
    local candidate
    for candidate in ${PYTHON:-} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12*/bin/python python3.12; do
        if "$candidate" -c "import venv" 2> /dev/null; then echo "$candidate"; return; fi
    done
    echo "gpu_bundle: there is no Python 3.12; name one with PYTHON=..." >&2
    return 1
}

python=$(find_python)
rm -rf "$bundle"
mkdir -p "$bundle/wheels"
# An interrupted bundle is recognized, too.
git -C "$root" rev-parse HEAD > "$bundle/commit"
work=$root/build/gpu-bundle-work
mkdir -p "$work/source"

# A copy of the tree, so that this Python's build does not replace the other one in build/.
find "$work/source" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git -C "$root" ls-files --cached --others --exclude-standard -z |
    tar -C "$root" --null --ignore-failed-read -T - -c | tar -C "$work/source" -x
[ -x "$work/venv/bin/python" ] || "$python" -m venv "$work/venv"
pip=("$work/venv/bin/python" -m pip --disable-pip-version-check -q)
"${pip[@]}" wheel --no-deps -w "$bundle/wheels" "$work/source"

# Pure or small wheels. NumPy comes with torch, CuPy and JAX.
"${pip[@]}" download -d "$bundle/wheels" --only-binary=:all: --no-deps \
    pytest pytest-xdist execnet iniconfig packaging pluggy pygments hypothesis attrs sortedcontainers \
    ml_dtypes cuda-pathfinder tqdm

for folder in tests/python tests/conftest.py tests/selection.py tests/skips.txt benchmarks examples scripts/gpu scripts/gpu_check.sh pyproject.toml; do
    (cd "$root" && cp -r --parents "$folder" "$bundle/")
done
find "$bundle" -name __pycache__ -prune -exec rm -rf {} +

size=$(du -sb "$bundle" | cut -f1)
echo "$bundle: $(ls "$bundle/wheels" | wc -l) wheels, $((size >> 10)) KiB"
[ "$size" -lt "$limit" ] || { echo "gpu_bundle: that is more than 64 MiB" >&2; exit 1; }
echo "there: bash scripts/gpu_check.sh"
