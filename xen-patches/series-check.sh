#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does every prefix of the series build?  Builds the hypervisor of the pristine
# tree and again after each patch, in build/xen/prefix.  Takes minutes.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"

REPO=$XEN/prefix
mbox=$BUILD/series/xensched-$RELEASE.mbox

need git
"$PATCHES/series.sh"
rm -rf "$REPO"
cp -a "$XEN/pristine" "$REPO"
repo_from_pristine "$REPO"
git -C "$REPO" am -q --no-gpg-sign --keep-cr "$mbox"
for commit in $(git -C "$REPO" rev-list --reverse base HEAD); do
    git -C "$REPO" checkout -q --detach "$commit"
    git -C "$REPO" log -1 --format=%s
    "$PATCHES/build.sh" "$REPO"
done
rm -rf "$REPO"
echo "Every prefix of the series builds."
