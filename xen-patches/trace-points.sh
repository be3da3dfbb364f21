#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The hypervisor that the series jump-labels makes (docs/develop/upstream.md), without anything
# of the log: build/xen/trace-points/xen/xen.  It is for tests of its trace points
# (tests/host/trace-points.sh); what is built is kept as long as the series is the same.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"

TREE=$XEN/trace-points

patches() { find "$BUILD/series/jump-labels" -name '*.patch' ! -name '0000-*' | sort; }

# What the tree is made from, as one number; mails have the day in them.
id()
{
    { cat "$XEN/pristine/.xensched/base"; patches | xargs grep -hv '^Date: '; } |
        sha256sum
}

"$PATCHES/upstream.sh" > /dev/null
if [ "$(cat "$TREE/.series" 2> /dev/null)" != "$(id)" ]; then
    rm -rf "$TREE" "$TREE.tmp"
    cp -a "$XEN/pristine" "$TREE.tmp"
    for patch in $(patches); do
        patch -s -p1 -F0 -d "$TREE.tmp" < "$patch"
    done
    id > "$TREE.tmp/.series"
    mv "$TREE.tmp" "$TREE"
fi
"$PATCHES/build.sh" "$TREE"
