#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Write the complete series as it could be mailed: build/series/*.patch, each
# with its new files folded in, and all of them in one mailbox,
# build/series/xensched-<release>.mbox, for `git am` on a pristine Xen tree.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
no_arguments "$@"

OUT=$BUILD/series
REPO=$XEN/series

write_mails()
{
    local f mbox=$OUT/xensched-$RELEASE.mbox

    rm -rf "$OUT.tmp"
    git -C "$REPO" format-patch -q --zero-commit --no-signature --no-renames \
        --stat=72 -o "$OUT.tmp" base..HEAD
    rm -rf "$OUT"
    mv "$OUT.tmp" "$OUT"
    for f in "$OUT"/*.patch; do
        cat "$f"
    done > "$mbox.tmp"
    mv "$mbox.tmp" "$mbox"
    echo "$(find "$OUT" -name '*.patch' | wc -l) patches: ${mbox#"$TOP/"}"
}

need git
"$PATCHES/tree.sh" pristine
series_check
refuse_unnamed
[ -n "$(series_patches)" ] || die "The series has no patch: $SERIES"
lock
rm -rf "$REPO"
cp -a "$XEN/pristine" "$REPO"
repo_from_pristine "$REPO"
am_series "$REPO" ||
    die "A patch of the series does not apply." \
        "'make xen-edit' stops at it and says what to do."
write_mails
rm -rf "$REPO"
