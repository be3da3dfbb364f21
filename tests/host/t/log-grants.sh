#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4 --xen-append xsm=dummy
#
# A guest maps P pages of another one N times: Xen logs exactly as many maps and unmaps as the
# guest's kernel makes.  A PV guest makes two of each per page and time, because its Linux maps a
# page for itself and for the program; other guests make one.  The guest copies the pages N times:
# one row for each page and time.  When the guest is destroyed its maps are undone, charged to it.
#
# time: 120

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

pages=20
times=25
maps=2
[ "${GUEST_TYPE:-pv}" = pv ] || maps=1

# share HOW: one guest offers pages, and another one uses them
share()
{
    log_set_up 1048576
    log_guest user $ONE
    log_guest granter $TWO
    logging "$events" in_both granter "grant-map offer \$NODE \$PEER $pages" \
        user "grant-map $1 \$NODE \$PEER $times"
}

start_all granter user
events=grant-map,grant-unmap,grant-copy

share map
is "$pages pages mapped $times times" "$(rows grant-map $ONE $TWO)" \
    $((maps * pages * times))
is "$pages pages unmapped $times times" "$(rows grant-unmap $ONE $TWO)" \
    $((maps * pages * times))
is "maps are not copies" "$(rows grant-copy $ONE $TWO)" 0

share copy
is "$pages pages copied $times times" "$(rows grant-copy $ONE $TWO)" \
    $((pages * times))
is "copies are not maps" \
    "$(rows grant-map $ONE $TWO) $(rows grant-unmap $ONE $TWO)" "0 0"
is "the granter uses no pages of the other guest" \
    "$(rows grant-copy $TWO $ONE) $(rows grant-map $TWO $ONE)" "0 0"

events=
share map
is "no map is logged while the events are off" "$(wc -l <log.rows)" 0
share copy
is "and no copy" "$(wc -l <log.rows)" 0

# Maps that exist when the domain is destroyed are undone in its name.
in_both granter "grant-map offer \$NODE \$PEER $pages" \
    user "(grant-map hold \$NODE \$PEER 3 >/dev/null 2>&1 &)"
log_set_up 1048576
log_guest user $ONE
log_guest granter $TWO
logging grant-map,grant-unmap xl destroy user
is "$pages pages held 3 times are unmapped when the domain goes" \
    "$(rows grant-unmap $ONE $TWO)" $((maps * pages * 3))
schedlog-area release
finish
