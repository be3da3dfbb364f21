#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-cases: runs loads that have hurt other schedulers on simulated hosts, five
# seeds each (cases/bench-cases.c).
#
# Writes build/bench/cases.json.  Fails when placement misses a goal.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$top/build/bench
tools=$top/tools/xensched
unit=$top/tests/unit
dist=$top/build/dist

mkdir -p "$out"
make -s -C "$tools" BUILD="$top/build/tools" XEN_DIST="$dist" \
    ../../build/tools/libxensched.a
"${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE \
    -I"$unit/support" -I"$tools" -I"$tools/include" -I"$dist/usr/include" \
    -I"$top/xen-patches/files/xen/include/xen" -I"$top/xen-patches/files/xen" \
    -o "$out/cases" "$here/cases/bench-cases.c" "$unit"/support/{policy-world,harness}.c \
    "$tools"/base/{alloc,cpumap,json,text}.c "$tools"/model/{,*/}*.c \
    "$tools"/placement/*.c "$tools"/policy/*.c \
    "$top/build/tools/libxensched.a" -lcmocka -ljson-c -lm
"$out/cases" "$out/cases.json"
