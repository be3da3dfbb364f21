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
. "$PATCHES/lib/series.sh"
. "$PATCHES/lib/xenmake.sh"
. "$TOP/tests/tap.sh"

MBOX=$BUILD/series/xensched-$RELEASE.mbox
REPO=$(mktemp -d "$XEN/series-test.XXXXXX")
trap 'rm -rf "$REPO"' EXIT

# git warns of white space that Xen's style forbids.
apply()
{
    cp -a "$XEN/pristine/." "$REPO" && repo_from_pristine "$REPO" &&
    git -C "$REPO" am -q --keep-cr "$MBOX" 2>&1 | tee "$REPO/.git/said" &&
    [ ! -s "$REPO/.git/said" ]
}

as_many_commits_as_patches()
{
    local commits patches

    commits=$(git -C "$REPO" rev-list --count base..HEAD)
    patches=$(grep -c '^[^#]' "$SERIES")
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

# The series touches exactly the files of the built tree that differ from Xen's.
same_files()
{
    diff <(git -C "$REPO" diff --name-only --no-renames base HEAD |
               LC_ALL=C sort) "$XEN/patched/.xensched/manifest"
}

# Xen keeps the bindings in its tree, so a change of the types has to generate them again.
go_bindings_are_current()
{
    (cd "$REPO/tools/golang/xenlight" &&
        LIBXL_SRC_DIR=../../libs/light PYTHONDONTWRITEBYTECODE=1 python3 gengotypes.py \
            ../../libs/light/libxl_types.idl types.gen.go helpers.gen.go) &&
        git -C "$REPO" diff --exit-code --stat
}

# preprocess FLAG...: prints the preprocessed header
preprocess()
{
    cpp -P "$@" "$REPO/xen/include/public/schedlog.h"
}

# The header belongs to sysctl.h, so only users of that see it.
header_is_for_tools_only()
{
    preprocess -D__XEN_TOOLS__ > /dev/null && preprocess -D__XEN__ > /dev/null &&
        { preprocess 2>&1 > /dev/null || :; } | grep 'is for node control tools only'
}

header_has_no_enum() { ! preprocess -D__XEN_TOOLS__ | grep -w enum; }

# One of Linux's events would be a number from EV_OTHERS on.
header_has_events_of_xen_only()
{
    preprocess -D__XEN_TOOLS__ -dM |
        awk '/ XEN_SCHEDLOG_EV_OTHERS / { others = $3 }
             / XEN_SCHEDLOG_EV_/ && !/OTHERS/ { number[$2] = $3 }
             END { for (name in number)
                       if (number[name] >= others) { print name; bad = 1 }
                   exit bad || length(number) < 16 }'
}

# Xen's build compiles its public headers as C and as C++, but for those it skips.
xen_checked_header()
{
    grep schedlog.h "$XEN/patched/xen/include/headers++.chk"
}

# The test in Xen's tree compiles the record handler as it is.
unit_test_passes()
{
    local make=(xen_make "$XEN/patched/tools/tests/schedlog")

    "${make[@]}" run && "${make[@]}" clean
}

# No person signed these patches off, so no patch may have a sign-off.
no_sign_off() { ! grep -n 'Signed-off-by:' "$MBOX"; }

echo 1..13
check "make xen-series writes the mailbox" "$PATCHES/series.sh"
check "git am applies it to a pristine tree" apply
check "one commit per patch" as_many_commits_as_patches
check "the built tree has the same content in every file" same_content
check "the built tree has the same modes" same_modes
check "the built tree differs from Xen in the series' files only" same_files
check "the Go bindings are what libxl_types.idl gives" go_bindings_are_current
check "the public header is for tools only, as sysctl.h is" header_is_for_tools_only
check "the public header has no enum" header_has_no_enum
check "the public header has the events of Xen only" header_has_events_of_xen_only
check "Xen's checks of public headers have seen it" xen_checked_header
check "the unit test in Xen's tree passes" unit_test_passes
check "no sign-off that no person gave" no_sign_off
