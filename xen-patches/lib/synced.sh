# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What build/xen/edit and xen-patches/ last agreed on.  It is kept in the edit
# tree's .git: a copy of files/ and of the release's patches ("snapshot"), and
# the commit that holds the same ("synced").  With it, xen-edit knows whether
# it would throw work away, and xen-refresh on which side a file changed.

EDIT=$XEN/edit
SNAPSHOT=$EDIT/.git/xensched.snapshot

# ours FOLDER: copy what xen-refresh would write, as it is now, to FOLDER.
ours()
{
    local p file

    mkdir -p "$1/files" "$1/patches"
    (cd "$FILES" && files_on_disk | xargs -r -d '\n' cp -p --parents -t "$1/files")
    cp "$SERIES" "$1/patches/series"
    for p in $(series_patches); do
        # The release from which this one inherits may have renamed its patches.
        if file=$(patch_file "$p"); then
            cp "$file" "$1/patches/"
        fi
    done
}

snapshot()
{
    rm -rf "$SNAPSHOT.tmp"
    ours "$SNAPSHOT.tmp"
    rm -rf "$SNAPSHOT"
    mv "$SNAPSHOT.tmp" "$SNAPSHOT"
}

mark_synced() { git -C "$EDIT" update-ref refs/xensched/synced HEAD; }

# The edit tree must have no command half done and no change uncommitted.
edit_at_rest()
{
    local d dirty

    for d in "$EDIT/.git/rebase-apply" "$EDIT/.git/rebase-merge"; do
        [ ! -d "$d" ] ||
            die "A git am or rebase is half done in build/xen/edit." \
                "Finish it there (git am --continue, git rebase --continue)," \
                "or throw the tree and all that is in it away: rm -r $EDIT"
    done
    dirty=$(git -C "$EDIT" status --porcelain | head -n 5)
    [ -z "$dirty" ] ||
        die "build/xen/edit has changes that are not committed:" "$dirty" \
            "Commit them there ('git commit --amend' to change a patch)."
}

edit_is_synced()
{
    [ "$(git -C "$EDIT" rev-parse HEAD)" = \
        "$(git -C "$EDIT" rev-parse -q --verify refs/xensched/synced)" ]
}
