#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest maps P pages of another one N times: Xen logs exactly as many maps,
# and as many unmaps, as the guest's kernel makes.  That is two of each per
# page and time in a PV guest, whose Linux maps a page for itself and for the program, and
# one in others, whose own tables do that.  It
# copies them N times: one row for each page and time.  What it has mapped when it is
# destroyed is unmapped, too, and it is itself that is charged.
#
# time: 120

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh

pages=20
times=25
maps=2
[ "${GUEST_TYPE:-pv}" = pv ] || maps=1

# share HOW: pages are offered by one guest and used by another
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
is "the granter uses nothing of the other one" \
    "$(rows grant-copy $TWO $ONE) $(rows grant-map $TWO $ONE)" "0 0"

events=
share map
is "no map is logged while the events are off" "$(wc -l <log.rows)" 0
share copy
is "and no copy" "$(wc -l <log.rows)" 0

# What it has when it is destroyed goes in its name.
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
