#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2 --counter-mhz 1000
# box: --mode exact --sockets 1 --cores 2
# time: 300
# only: full
#
# Counts the instructions of a program without marks, with marks while the event is off, and with
# marks while it is on.  Fails if a named region costs far more than two codes.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

modules=/lib/xensched

# costs WHEN: writes the lowest and the median number for each kind to /run/WHEN.
costs()
{
    in_guest runner "mark-cost 400 | sed 's/^/$1 /'"
    guest output runner | sed -n "s/^$1 //p" >"/run/$1"
    sed "s/^/# $1: /" "/run/$1"
}

# ticks WHEN KIND
ticks()
{
    awk -v kind="$2" '$1 == kind { print $2 }' "/run/$1"
}

guest start obedient name=runner
in_guest runner \
    "insmod $modules/xensched_log.ko && insmod $modules/xensched_guest.ko"
log_set_up 65536
log_guest runner "$ONE"
schedlog-area mark "$(domid runner)" 1
costs off
logging mark costs on
check "two marks with a name cost what two codes cost, and 600 more at most" \
    test "$(ticks off region)" -lt $(($(ticks off code) + 600))
check "a row costs less than 300 instructions" \
    test $(($(ticks on code) - $(ticks off code))) -lt 600
check "a row with a name costs less than 300 instructions" \
    test $(($(ticks on region) - $(ticks off region))) -lt 600
schedlog-area release
guest stop runner
finish
