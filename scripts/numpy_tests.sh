#!/usr/bin/env bash
# numpy_tests.sh -- runs NumPy's own installed test files, unedited, against cuarray; every failure must be classified.
#
#   scripts/numpy_tests.sh [--jobs J] [--again] [--update] [--prune] [--show CLASS] [FILE...]
#
#   FILE      a part of a file's name, such as lib/tests/test_io; all files of tests/numpy_suite/suite.py otherwise
#   --again   from the beginning; an interrupted run is resumed otherwise (outcomes are in build/numpy_tests)
#   --update  write the counts into docs/conformance.md
#   --prune   remove the rows of tests/numpy_suite/failures.txt whose tests pass
#   --show C  print the failures that tests/numpy_suite/failures.txt classifies as C: ours, documented, harness, leniency
#
# Needs, besides cuarray: pip install pytest hypothesis. Exit status 1: a failure that is not classified, or a classified
# test that passes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [ -f "$root/cuarray/_core.pyi" ]; then export PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}; fi
exec "${PYTHON:-python3}" "$root/tests/numpy_suite/suite.py" "$@"
