#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Make build/xen/edit, the git repository in which a developer changes the
# patches: one commit of the pristine tree, tagged "base", then one commit per
# patch of the series, new files included.  `make xen-refresh` writes
# base..HEAD back.
#
# Work that was not written back is never thrown away: with such work in the
# tree this script refuses.  With --may-remove it does nothing but that.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/synced.sh"

# Removes the files of lay_unnamed_files that were not changed.
lift_unnamed_files()
{
    local f

    for f in $(git -C "$EDIT" ls-files --others --exclude-standard); do
        if cmp -s "$EDIT/$f" "$FILES/$f" || cmp -s "$EDIT/$f" "$SNAPSHOT/files/$f"
        then
            rm "$EDIT/$f"
        fi
    done
}

# Is everything in the tree known to xen-patches/?
refuse_to_lose_work()
{
    [ -d "$EDIT" ] || return 0
    lift_unnamed_files
    edit_at_rest
    edit_is_synced ||
        die "build/xen/edit has commits that are not written back." \
            "'make xen-refresh' writes them back; to throw them away instead:" \
            "rm -r $EDIT"
}

# Reuse what was built in the tree when Xen's source is still the same.
to_base()
{
    if [ -d "$EDIT" ] && cmp -s "$EDIT/.xensched/base" "$XEN/pristine/.xensched/base"
    then
        git -C "$EDIT" reset -q --hard base
        return
    fi
    rm -rf "$EDIT" "$EDIT.tmp"
    cp -a "$XEN/pristine" "$EDIT.tmp"
    repo_from_pristine "$EDIT.tmp"
    mv "$EDIT.tmp" "$EDIT"
}

# Apply the series; when a patch does not apply, leave git am waiting there.
apply_series()
{
    am_series "$EDIT" && return
    die "A patch of the series does not apply; build/xen/edit stands before it." \
        "There: 'git am --show-current-patch=diff | git apply --reject', mend" \
        "the *.rej parts, 'git add' the files, 'git am --continue'. Then" \
        "run 'make xen-refresh'."
}

# Files that no patch names yet are laid there for the developer to commit.
lay_unnamed_files()
{
    local f

    for f in $(series_unnamed); do
        (cd "$FILES" && cp --parents "$f" "$EDIT")
        note "not committed yet in build/xen/edit: $f"
    done
}

need git
case $* in
'') ;;
--may-remove)
    refuse_to_lose_work
    exit ;;
*)  die "usage: edit.sh [--may-remove]" ;;
esac
"$PATCHES/tree.sh" pristine
series_check
lock
refuse_to_lose_work
to_base
git -C "$EDIT" config xensched.release "$RELEASE"
snapshot
apply_series
mark_synced
lay_unnamed_files
echo "build/xen/edit has the series as commits base..HEAD ($(git -C "$EDIT" \
rev-list --count base..HEAD)). Change them there, then: make xen-refresh"
