#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What was ever found stays mended: each fuzz target gets through its corpus.
# And for FUZZ_SECONDS (4) each it looks for more.  Writes TAP.

set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd -P)
TOP=$(cd "$HERE/../.." && pwd -P)
. "$TOP/tests/tap.sh"
. "$HERE/need-clang.sh"

targets=(record hostile reader recording)
make=(make -s -C "$HERE")

# fuzz TARGET WHAT-TO-MAKE: the last of what it says is the finding
fuzz()
{
    local log

    log=$("${make[@]}" "$2-$1" SECONDS="${FUZZ_SECONDS:-4}" 2>&1) ||
        { tail -n 30 <<< "$log"; return 1; }
}

# Small enough to be kept as it is.
small()
{
    local files

    files=$(find "$HERE/corpus/$1" -type f | wc -l)
    [ "$files" -gt 0 ] && [ "$files" -le 200 ] ||
        { echo "$files files"; return 1; }
    [ -z "$(find "$HERE/corpus/$1" -type f -size +1024c)" ] ||
        { echo "files of more than 1024 bytes"; return 1; }
}

need_clang
echo "1..$((1 + 3 * ${#targets[@]}))"
check "the fuzz targets build" "${make[@]}"
for target in "${targets[@]}"; do
    check "$target: the corpus is small" small "$target"
    check "$target: the corpus finds nothing" fuzz "$target" replay
    check "$target: a few seconds find nothing" fuzz "$target" run
done
