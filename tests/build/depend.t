#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An object of the tools is compiled again when a header has changed, however BUILD is
# written, and in a copy of the tree.  Fails if objects of different versions of a header
# can come together in one program.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"
echo 1..4

W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
mkdir -p "$W/one/tools" "$W/one/docs" "$W/dist/usr/include/xen"
: > "$W/dist/usr/include/xen/schedlog.h"
cp -r "$TOP/tools/xensched" "$W/one/tools"

# compile TREE BUILD [OPTION...]: one object, which needs no header of Xen.
compile()
{
    make -C "$1/tools/xensched" BUILD="$2" XEN_DIST="$W/dist" XEN_LIBDIR="$W" "${@:3}" \
        ../../build/tools/obj/base/alloc.o 2>&1
}

# again TREE BUILD: whether the object is compiled again if its header changes
again() { [[ $(compile "$1" "$2" -n -W base/alloc.h) == *"CC    base/alloc.c"* ]]; }

# done_already TREE BUILD
done_already() { [[ $(compile "$1" "$2") != *CC* ]]; }

compile "$W/one" "$W/one/build/tools" > "$W/log" || sed 's/^/# /' "$W/log"
check "with an absolute BUILD" again "$W/one" "$W/one/build/tools"
check "with a relative one, in the same folder" again "$W/one" ../../build/tools
cp -rp "$W/one" "$W/two"
check "in a copy of the tree" again "$W/two" "$W/two/build/tools"
check "nothing is compiled again without a change" done_already "$W/two" "$W/two/build/tools"
