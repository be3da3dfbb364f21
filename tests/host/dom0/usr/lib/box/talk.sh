# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests with guests that do something all the time: pairs of them that
# talk to each other, one that uses its disk, and whether logging is exact after
# that.

. /usr/lib/box/log.sh

# introduce ONE OTHER: they know of each other, but not yet where to meet.
introduce()
{
    guest tell "$1" peer "$(domid "$2")"
    guest tell "$2" peer "$(domid "$1")"
}

# let_meet ONE OTHER: and now they begin.
let_meet()
{
    local node

    node=$(meeting "$(domid "$1")" "$(domid "$2")")
    guest tell "$1" node "$node"
    guest tell "$2" node "$node"
}

# start_ping N: two guests, one of which is to notify the other N times.
start_ping()
{
    guest start idle name=listener \
        run='evtchn-ping listen $(told node) $(told peer)' &
    guest start idle name=sender \
        run="evtchn-ping send \$(told node) \$(told peer) $1" &
    wait
    introduce listener sender
}

# count_pings N: two new guests, N notifications; how many of them were logged.
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

# How many requests the disks of all guests have had.
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

# disk_goes_on: some guest uses its disk, within a minute.
disk_goes_on()
{
    until_true 60 more_requests "$(requests_of_all)"
}
