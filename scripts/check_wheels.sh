#!/usr/bin/env bash
# check_wheels.sh -- builds a wheel per Python and tests it outside of the source tree: size, contents, glibc's symbols, an
# older NumPy, and the tests of README's second command in a copy of the repository without cuarray/.
#
#   scripts/check_wheels.sh [VERSION...]          default: 3.11 3.12 3.13
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/build/wheels
rm -rf "$work" && mkdir -p "$work/plain" "$work/repaired"
[ $# -gt 0 ] || set -- 3.11 3.12 3.13

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
stubs = [f"{name}.pyi" for name in ("__init__", "_core", "emath", "fft", "linalg", "random", "testing", "lib/stride_tricks")]
for name in ("py.typed", *stubs, "libcuarray.so", *levels, "include/cuarray/cuarray.h", "cmake/cuarrayConfig.cmake"):
    assert (folder / name).exists(), name
a = np.linspace(0, 1, 1000).reshape(10, 100)
x = ca.asarray(a, device="cpu")
np.testing.assert_allclose((ca.sin(x) * x + 1).sum(axis=0).numpy(), (np.sin(a) * a + 1).sum(axis=0), rtol=1e-12)
print("cuarray", ca.__version__, "NumPy", np.__version__)
'

# Symbols newer than glibc 2.28 that the build machine's headers choose. Each is an older function with a new version, which a
# manylinux_2_28 image binds to the old one; __libc_single_threaded is asked for by libstdc++ only where the headers have it.
newer='exp|log|pow|hypot|f?stat|dladdr|dlopen|dlsym|dlclose|dlerror|pthread_[a-z_]+|__libc_single_threaded'

check_symbols() {  # WHEEL
    local folder=$work/unpacked unknown
    rm -rf "$folder" && mkdir "$folder" && (cd "$folder" && "$python" -m zipfile -e "$1" .)
    unknown=$(find "$folder" -name '*.so' -exec objdump -T {} + | sed -nE 's/.*GLIBC_2\.([0-9]+)\)? +(\w+)$/\1 \2/p' |
        awk '$1 > 28 { print $2 }' | sort -u | grep -vxE "$newer" || true)
    [ -z "$unknown" ] || { echo "$1 needs a newer glibc than 2.28 for: $unknown"; return 1; }
}

tree=$work/tree
mkdir "$tree" && git -C "$root" archive HEAD -- . ':!cuarray' | tar -x -C "$tree"

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

    check_symbols "$tagged"
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
    "$work/venv/bin/pip" install -q "$tagged[test]" cmake ninja
    (cd "$tree" && PATH=$work/venv/bin:$PATH pytest -q --ignore tests/test_architecture.py --ignore tests/test_planted.py --ignore tests/test_site.py)  # which read sources
    rm -rf "$work/venv"
done
