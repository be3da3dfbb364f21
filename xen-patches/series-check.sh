#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does every prefix of the series build?  Builds the hypervisor of the pristine
# tree and again after each patch, in build/xen/prefix; then what each of the series to
# xen-devel makes of those before it.  Takes minutes.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"

REPO=$XEN/prefix
mbox=$BUILD/series/xensched-$RELEASE.mbox

# build COMMIT
build()
{
    git -C "$REPO" checkout -q --detach "$1"
    git -C "$REPO" log -1 --format=%s
    "$PATCHES/build.sh" "$REPO"
}

need git
"$PATCHES/series.sh"
"$PATCHES/upstream.sh"
rm -rf "$REPO"
cp -a "$XEN/pristine" "$REPO"
repo_from_pristine "$REPO"
git -C "$REPO" am -q --no-gpg-sign --keep-cr "$mbox"
for commit in $(git -C "$REPO" rev-list --reverse base HEAD); do
    build "$commit"
done
git -C "$REPO" checkout -q --detach base
for name in jump-labels log xl; do
    [ -d "$BUILD/series/$name" ] || continue # too old for xen-devel
    find "$BUILD/series/$name" -name '*.patch' ! -name '0000-*' | LC_ALL=C sort |
        xargs git -C "$REPO" am -q --no-gpg-sign --keep-cr
    build HEAD
done
rm -rf "$REPO"
echo "Every prefix of the series builds, and so does each series to xen-devel."
