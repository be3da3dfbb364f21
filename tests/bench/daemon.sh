#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-daemon: measures the CPU time of the whole daemon on a host with 1,000 guests and
# 256 pCPUs that logs a million rows per second, and while these guests boot.
# See docs/develop/benchmarks.md.
#
# Writes build/bench/daemon.json.

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
        ../../build/tools/core.a ../../build/tools/libxensched.a
    "$cc" -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE \
        -I"$here/model" -I"$top/tests/unit/support" -I"$tools" \
        -I"$tools/include" -I"$dist/usr/include" \
        -o "$out/daemon" "$here"/daemon/bench-daemon.c "$here"/model/load.c \
        "$top/build/tools/core.a" "$top/build/tools/libxensched.a" \
        -L"$libraries" -Wl,-rpath-link,"$libraries" -lxenctrl \
        -lxenforeignmemory -lxenstore -lxentoollog -ljson-c -lz -lzstd -lm
}

mkdir -p "$out"
libraries=$(dirname "$(find "$dist" -name libxenctrl.so | head -n 1)")
build
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
machine=$("$here/machine.sh" "$cc")
echo "$machine"
LD_LIBRARY_PATH=$libraries "$out/daemon" "$machine" "$folder" "$out/daemon.json"
echo "Written: ${out#"$top"/}/daemon.json"
