#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The mailed series and the built tree are the same thing: applied with git am
# to a pristine tree, build/series/*.mbox gives exactly the source files that
# build/xen/patched was built from.
#
# This could fail when a new file belongs to no patch, when folding files into
# mails loses a mode or a last line, or when the patched tree has left-overs of
# an earlier state.  Needs `make xen`.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/xen-patches/lib/paths.sh"
. "$PATCHES/lib/git.sh"
. "$TOP/tests/tap.sh"

MBOX=$BUILD/series/xensched-$RELEASE.mbox
REPO=$(mktemp -d "$XEN/series-test.XXXXXX")
trap 'rm -rf "$REPO"' EXIT

apply()
{
    cp -a "$XEN/pristine/." "$REPO" && repo_from_pristine "$REPO" &&
    git -C "$REPO" am -q --keep-cr "$MBOX"
}

as_many_commits_as_patches()
{
    local commits patches

    commits=$(git -C "$REPO" rev-list --count base..HEAD)
    patches=$(grep -c '^[^#]' "$RELEASE_DIR/series")
    [ "$commits" = "$patches" ] ||
        { echo "$commits commits, $patches patches"; return 1; }
}

# Every file of the repository is in the built tree, with the same content.
same_content()
{
    git -C "$REPO" ls-files -z |
        (cd "$REPO" && xargs -0 sha256sum) |
        (cd "$XEN/patched" && sha256sum --quiet -c)
}

same_modes()
{
    local f rc=0

    for f in $(git -C "$REPO" diff --name-only --diff-filter=AM base HEAD); do
        [ "$(stat -c %A "$REPO/$f")" = "$(stat -c %A "$XEN/patched/$f")" ] ||
            { echo "$f"; rc=1; }
    done
    return "$rc"
}

# What the built tree has of ours, and nothing else, is what the series touches.
same_files()
{
    diff <(git -C "$REPO" diff --name-only --no-renames base HEAD |
               LC_ALL=C sort) "$XEN/patched/.xensched/manifest"
}

# Xen keeps them in its tree, so who changes the types makes them anew.
go_bindings_are_current()
{
    (cd "$REPO/tools/golang/xenlight" &&
        LIBXL_SRC_DIR=../../libs/light PYTHONDONTWRITEBYTECODE=1 python3 gengotypes.py \
            ../../libs/light/libxl_types.idl types.gen.go helpers.gen.go) &&
        git -C "$REPO" diff --exit-code --stat
}

# Nobody signed these patches off, so nothing may say so.
no_sign_off() { ! grep -n 'Signed-off-by:' "$MBOX"; }

echo 1..8
check "make xen-series writes the mailbox" "$PATCHES/series.sh"
check "git am applies it to a pristine tree" apply
check "one commit per patch" as_many_commits_as_patches
check "the built tree has the same content in every file" same_content
check "the built tree has the same modes" same_modes
check "the built tree differs from Xen in the series' files only" same_files
check "the Go bindings are what libxl_types.idl gives" go_bindings_are_current
check "no sign-off that no person gave" no_sign_off
