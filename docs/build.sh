#!/usr/bin/env bash
# build.sh -- builds the site into build/site/html, with warnings as errors. Needs docs/requirements.txt and an importable cuarray.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-python}
out=build/site
export CUARRAY_DEVICE=cpu  # signatures and docstrings do not depend on the device
"$python" docs/make_reference.py
"$python" -m sphinx -q -W --keep-going -b html -d "$out/doctrees" docs "$out/html" "$@"
echo "$(find "$out/html" -name '*.html' | wc -l) pages, $(du -sh "$out/html" | cut -f 1), in $out/html"
