#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check-updates: compare the pinned sources of Xen with the newest that Debian has,
# security archive included.  Prints a line for each release of Xen that a Debian suite
# has.  Exit code 1 if a pin is older, 69 if Debian's archive does not answer.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"
. "$PATCHES/lib/apt.sh"
no_arguments "$@"

APT=$CACHE/apt-suites

# newest SUITE: the version of xen's source that its archives have.
newest()
{
    local version newest=

    for version in $(source_apt apt-cache madison xen 2> /dev/null |
        awk -F ' *[|] *' -v main=" $1/" -v security=" $1-security/" \
            'index($3, main) || index($3, security) { print $2 }')
    do
        dpkg --compare-versions "$version" lt "$newest" || newest=$version
    done
    echo "$newest"
}

# compare RELEASE: returns 1 if the pin is older.
compare()
{
    local suite pin debian said

    SOURCE=$PATCHES/$1/source
    suite=$(pinned 1 suite)
    pin=$(pinned 1 file)
    pin=${pin#xen_} pin=${pin%.orig.tar.*}
    debian=$(newest "$suite")
    [ -n "$debian" ] ||
        { note "Xen $1: Debian's archive of $suite did not answer"; return 69; }
    said="Xen $1: the pin is $pin, Debian's $suite has $debian"
    if dpkg --compare-versions "$pin" lt "${debian%-*}"; then
        echo "$said: BEHIND"
        return 1
    fi
    echo "$said: current"
    ! missing_today "$CACHE/$(pinned 1 file)" ||
        echo "    no mirror that was asked today has this source: an older one was built"
}

need apt-get dpkg
. "$PATCHES/lib/pin.sh"
releases=() suites=()
for SOURCE in "$PATCHES"/*/source; do
    suite=$(pinned 1 suite)
    [ -n "$suite" ] || continue
    suites+=("$suite")
    SOURCE=${SOURCE%/source}
    releases+=("${SOURCE##*/}")
done
write_suites "${suites[@]}"
mkdir -p "$BUILD/log"
source_apt apt-get update > "$BUILD/log/check-updates.log" 2>&1 < /dev/null || :
all=0
for release in "${releases[@]}"; do
    rc=0
    compare "$release" || rc=$?
    [ "$all" -eq 1 ] || [ "$rc" -eq 0 ] || all=$rc
done
exit "$all"
