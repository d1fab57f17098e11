#!/usr/bin/env bash
# check_wheels.sh -- builds the wheels of two Pythons and tests them outside of the source tree.
#
#   scripts/check_wheels.sh [VERSION...]          default: 3.11 3.13
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build/wheels
rm -rf "$work" && mkdir -p "$work/plain" "$work/repaired"
[ $# -gt 0 ] || set -- 3.11 3.13

find_python() {  # VERSION: an interpreter of that version, also one of pyenv's that is not on the path
    local candidate
    for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1"*/bin/python; do
        if "$candidate" -c "" 2> /dev/null; then echo "$candidate"; return; fi
    done
    echo "there is no Python $1" >&2
    return 1
}

smoke='
import cuarray as ca, numpy as np, pathlib, platform
folder = pathlib.Path(ca.__file__).parent
assert "site-packages" in str(folder), folder
levels = [f"_host_{level}.so" for level in ("base", "v3", "v4") if level == "base" or platform.machine() == "x86_64"]
for name in ("py.typed", "_core.pyi", "libcuarray.so", *levels, "include/cuarray/cuarray.h", "cmake/cuarrayConfig.cmake"):
    assert (folder / name).exists(), name
a = np.linspace(0, 1, 1000).reshape(10, 100)
x = ca.asarray(a, device="cpu")
np.testing.assert_allclose((ca.sin(x) * x + 1).sum(axis=0).numpy(), (np.sin(a) * a + 1).sum(axis=0), rtol=1e-12)
print("cuarray", ca.__version__, "NumPy", np.__version__)
'

for version; do
    python=$(find_python "$version")
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install -q auditwheel
    CUARRAY_ISA_LEVELS=all "$work/venv/bin/pip" wheel -q --no-deps -w "$work/plain" "$root"
    wheel=$(ls -t "$work"/plain/*.whl | head -n 1)

    # The tag is what auditwheel finds: the oldest glibc that has every symbol.
    shown=$("$work/venv/bin/auditwheel" show "$wheel" | tr '\n' ' ')
    tag=$(grep -o 'manylinux_2_[0-9]*' <<< "$shown" | sort -t_ -k3n | head -n 1)
    [ "${tag#manylinux_2_}" -le 35 ] || { echo "$wheel needs $tag"; exit 1; }
    "$work/venv/bin/python" -m wheel tags --help > /dev/null 2>&1 || "$work/venv/bin/pip" install -q wheel
    "$work/venv/bin/python" -m wheel tags --platform-tag "${tag}_$(uname -m)" "$wheel" > /dev/null
    tagged=$(ls -t "$work"/plain/*"$tag"*.whl | head -n 1)
    mv "$tagged" "$work/repaired/" && tagged=$work/repaired/$(basename "$tagged")

    size=$(stat -c %s "$tagged")
    [ "$size" -lt 10000000 ] || { echo "$tagged has $size bytes"; exit 1; }
    echo "$(basename "$tagged") $size bytes"

    for numpy in numpy==2.0.* numpy; do
        # NumPy 2.0 has no wheel for Python 3.13.
        [ "$numpy $version" != "numpy==2.0.* 3.13" ] || continue
        rm -rf "$work/venv" && "$python" -m venv "$work/venv"
        "$work/venv/bin/pip" install -q "$tagged" "$numpy"
        (cd "$work" && "$work/venv/bin/python" -c "$smoke")
    done
    rm -rf "$work/venv"
done
