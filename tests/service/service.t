#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xenschedd as a service, as it is installed: unit file and init script are
# there, whole, and gone again; systemd understands the unit, and what it leaves
# to the daemon is little.  What the two do is tested in the host in a box
# (tests/host/t/daemon-service.sh, daemon-systemd.sh).  Needs `make tools`.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"

ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
UNIT=usr/lib/systemd/system/xenschedd.service
INIT=etc/init.d/xenschedd

# On the scale of systemd-analyze, times ten: 100 is a service without limits.
EXPOSURE=15

tools()
{
    make -s -C "$TOP/tools/xensched" BUILD="$TOP/build/tools" \
        XEN_DIST="$TOP/build/dist" "$@"
}

is_whole()
{
    [ -s "$ROOT/$1" ] || { echo "$1 is missing"; return 1; }
    ! grep -n '@[a-z]*@' "$ROOT/$1"
}

# What an operator may have changed stays.
only_the_configuration_is_left()
{
    local left

    left=$(cd "$ROOT" && find . -type f)
    [ "$left" = ./etc/xen/xensched.conf ] || { echo "$left"; return 1; }
}

# The unit's command has to be there, so this one names where it is now.
understood()
{
    local unit=$ROOT/xenschedd.service said

    sed "s|/usr/sbin/xensched|$ROOT&|" "$ROOT/$UNIT" > "$unit"
    said=$(systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1) ||
        { echo "$said"; return 1; }
    [ -z "$said" ] || { echo "$said"; return 1; }
}

little_exposed()
{
    systemd-analyze security --offline=true --no-pager \
        --threshold="$EXPOSURE" "$ROOT/$UNIT"
}

# with_systemd WHAT COMMAND: on machines that have it.
with_systemd()
{
    if systemd-analyze security --help 2> /dev/null |
        grep -- --offline > /dev/null; then
        check "$@"
    else
        skip "$1" "no systemd-analyze that can do this"
    fi
}

echo 1..7
check "make install" tools install DESTDIR="$ROOT"
check "the unit is whole" is_whole $UNIT
check "the init script is whole" is_whole $INIT
check "shellcheck finds nothing in it" shellcheck "$ROOT/$INIT"
with_systemd "systemd understands the unit" understood
with_systemd "it leaves the daemon little" little_exposed
rm -f "$ROOT/xenschedd.service"
tools uninstall DESTDIR="$ROOT"
check "make uninstall leaves the configuration only" \
    only_the_configuration_is_left
