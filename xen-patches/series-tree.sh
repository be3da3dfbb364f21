#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# series-tree.sh SERIES: the hypervisor that a series to xen-devel makes, with the series
# that it needs and nothing else: build/xen/SERIES/xen/xen.  Tests of a
# series use it (tests/host/trace-points.sh, trace-pairs.sh).  It builds again only if the
# series has changed.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/series.sh"

# patches SERIES: those of what it needs come first.
patches()
{
    local before

    before=$(upstream_base "$1")
    [ "$before" = base ] || patches "$before"
    upstream_patches "$1"
}

# What the tree is made from, as one number; mails have the day in them.
id()
{
    { cat "$XEN/pristine/.xensched/base"; patches "$NAME" | xargs grep -hv '^Date: '; } |
        sha256sum
}

NAME=${1:-}
upstream_names | grep -xF -- "$NAME" > /dev/null ||
    die "usage: series-tree.sh SERIES ($(upstream_names | paste -sd ' '))"
TREE=$XEN/$NAME
"$PATCHES/upstream.sh" > /dev/null
if [ "$(cat "$TREE/.series" 2> /dev/null)" != "$(id)" ]; then
    rm -rf "$TREE" "$TREE.tmp"
    cp -a "$XEN/pristine" "$TREE.tmp"
    for patch in $(patches "$NAME"); do
        patch -s -p1 -F0 -d "$TREE.tmp" < "$patch"
    done
    id > "$TREE.tmp/.series"
    mv "$TREE.tmp" "$TREE"
fi
"$PATCHES/build.sh" "$TREE"
