#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-reader: measures reads of a log buffer while its producer writes, for sizes
# from 16 bytes to 64 KiB. See docs/develop/benchmarks.md.
#
# The reader is the library as it is installed, the producer Xen's own record
# handler compiled for user space. memcpy() is wrapped to count what the
# library copies. Needs two CPUs with nothing else to do; what else runs shows
# in the maxima first.
#
# Writes build/bench/reader.json. Fails when a goal is missed.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$top/build/bench
tools=$top/tools/xensched
dist=$top/build/dist
files=$top/xen-patches/files/xen
cc=${CC:-cc}

# Xen is compiled with -fno-strict-aliasing as well.
build()
{
    make -s -C "$tools" BUILD="$top/build/tools" XEN_DIST="$dist" \
        ../../build/tools/libxensched.a
    "$cc" -std=gnu11 -Wall -Wextra -Werror -O2 -fno-strict-aliasing \
        -D_GNU_SOURCE -I"$here/reader" -I"$top/tests/unit/support" \
        -I"$tools/include" -I"$files/include/xen" -I"$files" \
        -I"$dist/usr/include" -Wl,--wrap=memcpy -o "$out/reader" \
        "$here"/reader/*.c "$top/tests/unit/support/harness.c" \
        "$top/build/tools/libxensched.a" -lpthread
}

mkdir -p "$out"
build
machine=$("$here/machine.sh" "$cc")
echo "$machine"
"$out/reader" "$machine" 'make bench-reader' "$out/reader.json"
echo "Written: ${out#"$top"/}/reader.json"
