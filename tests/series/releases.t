#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The series of each release in xen-patches/ applies to the source of that release.
#
# This could fail when a developer edits a patch that other releases inherit, or edits the
# copies of a patch in some releases only.  If no mirror has the
# source of a release, the release is skipped unless build/cache/ has the source.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"
unset XEN_TARBALL XEN_TREE

# source_file RELEASE: the name of the newest file that the release pins.
source_file() { sed -n '/^file=/{s///p;q}' "$TOP/xen-patches/$1/source"; }

# can_be_had RELEASE: a mirror has the file, or build/cache/ has it.
can_be_had()
{
    grep -q '^pool=' "$TOP/xen-patches/$1/source" ||
        [ -f "$TOP/build/cache/$(source_file "$1")" ]
}

applies() { XEN_RELEASE=$1 "$TOP/xen-patches/hunks.sh"; }

mapfile -t releases < <(cd "$TOP/xen-patches" && printf '%s\n' [0-9]* | sort -V)
echo "1..${#releases[@]}"
for release in "${releases[@]}"; do
    what="the series of Xen $release applies to its source"
    if can_be_had "$release"; then
        check "$what" applies "$release"
    else
        skip "$what" "no mirror has $(source_file "$release")"
    fi
done
