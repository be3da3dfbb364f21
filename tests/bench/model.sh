#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-model: measures xenschedd's model and policy on a host with 1000
# guests and 256 pCPUs that logs 10 million rows per second.  See
# docs/develop/benchmarks.md.
#
# Writes build/bench/model.json.  Fails if the daemon takes a core, a plan 50 ms, or both
# 200 MiB.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$top/build/bench
tools=$top/tools/xensched
dist=$top/build/dist
cc=${CC:-cc}

build()
{
    make -s -C "$tools" BUILD="$top/build/tools" XEN_DIST="$dist" \
        ../../build/tools/libxensched.a
    "$cc" -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE \
        -I"$here/model" -I"$top/tests/unit/support" -I"$tools" \
        -I"$tools/include" -I"$dist/usr/include" \
        -o "$out/model" "$here"/model/*.c "$tools"/base/{alloc,cpumap,json,text}.c \
        "$tools"/model/{,*/}*.c "$tools"/placement/*.c "$tools"/policy/*.c \
        "$top/build/tools/libxensched.a" -ljson-c -lm
}

mkdir -p "$out"
build
machine=$("$here/machine.sh" "$cc")
echo "$machine"
"$out/model" "$machine" "$out/model.json"
echo "Written: ${out#"$top"/}/model.json"
