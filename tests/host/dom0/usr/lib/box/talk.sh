# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests with guests that are busy all the time: pairs of them that communicate, one that uses
# its disk, and a check that logging is exact after that.

. /usr/lib/box/log.sh

# introduce ONE OTHER: gives each the other's domid, but not yet their node.
introduce()
{
    guest tell "$1" peer "$(domid "$2")"
    guest tell "$2" peer "$(domid "$1")"
}

# let_meet ONE OTHER: lets them begin.
let_meet()
{
    local node

    node=$(meeting "$(domid "$1")" "$(domid "$2")")
    guest tell "$1" node "$node"
    guest tell "$2" node "$node"
}

# start_ping N: starts two guests, one of which is to notify the other N times.
start_ping()
{
    guest start idle name=listener \
        run='evtchn-ping listen $(told node) $(told peer)' &
    guest start idle name=sender \
        run="evtchn-ping send \$(told node) \$(told peer) $1" &
    wait
    introduce listener sender
}

# count_pings N: prints how many of N notifications between two new guests were logged.
count_pings()
{
    {
        start_all listener sender
        log_set_up 1048576
        log_guest sender "$ONE"
        log_guest listener "$TWO"
        logging evtchn-send in_both \
            listener "evtchn-ping listen \$NODE \$PEER" \
            sender "evtchn-ping send \$NODE \$PEER $1"
        schedlog-area release
        guest stop sender
        guest stop listener
    } >/dev/null
    rows evtchn-send "$ONE" "$TWO"
}

# Prints the number of requests of all guests' disks.
requests_of_all()
{
    cat /sys/bus/xen-backend/devices/vbd-*/statistics/rd_req \
        /sys/bus/xen-backend/devices/vbd-*/statistics/wr_req |
        awk '{ sum += $1 } END { print sum + 0 }'
}

more_requests()
{
    [ "$(requests_of_all)" -gt "$1" ]
}

# disk_goes_on: checks that some guest uses its disk, within a minute.
disk_goes_on()
{
    until_true 60 more_requests "$(requests_of_all)"
}
