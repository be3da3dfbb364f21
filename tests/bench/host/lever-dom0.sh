#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the part of host-lever.sh in dom0.  The file "plan" beside it, which lever.py
# wrote, has its settings:
#
#   place, far    pCPUs of dom0's socket, and of the other one
#   seconds       for which each lever is observed
#   levers        their names, in the order of this boot
#   wishing       further guests with levers to the place, which never sleep
#   spinning      the number of processes of dom0 that never sleep
#
# For each lever:
#
#   $RESULTS/LEVER.rows      a recording; its marks separate the steps, see below
#   $RESULTS/LEVER.status    the status of the daemon, which only logs
#   $RESULTS/LEVER.requests  lines: requests of the disk at the third mark, and
#                            at the fourth
#
# A Xen without credit2_soft_weight has no lever of that name.

set -e
place='' far='' seconds='' levers='' wishing='' spinning=''
. ./plan
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/levers.sh
. ./levers.sh

# Marks in the log, all by dom0.
held_far=1 freed=2 lever_set=3 ended=4

# The guests with levers to the place, and the busy guests.
movers="disk $wishing"
busy="computing $movers"

requests()
{
    cat /sys/bus/xen-backend/devices/vbd-*/statistics/rd_req \
        /sys/bus/xen-backend/devices/vbd-*/statistics/wr_req |
        awk '{ n += $1 } END { print n }'
}

# Each lever starts alike: the guest is on the other socket for a while (credit2 uses the
# load of the last second), and then free to move.  The steps before run while no guest
# is busy; otherwise they would take very long.
begin()
{
    set_weight 0
    for_each "$busy" pin_one "$far" all
    for_each "$busy" xl unpause
    mark $held_far 1 >/dev/null
    sleep 2
    mark $freed 1 >/dev/null
    for_each "$busy" pin_one all all
}

# look_at LEVER
look_at()
{
    local recorder

    xensched record "/tmp/$1.rows" 2>/dev/null &
    recorder=$!
    usleep 300000
    begin
    pull "$1" "$place" "$movers"
    mark $lever_set 1 >/dev/null
    requests >"$RESULTS/$1.requests"
    sleep "$seconds"
    requests >>"$RESULTS/$1.requests"
    mark $ended 1 >/dev/null
    for_each "$busy" xl pause
    kill -INT $recorder
    wait $recorder
    xensched status --json >"$RESULTS/$1.status"
    mv "/tmp/$1.rows" "$RESULTS"
    echo "lever: $1"
}

# start_one GUEST: a busy guest that runs waits for all others.
start_one()
{
    case $1 in
    wishing*) guest start computing name="$1" ;;
    *)        guest start "$1" ;;
    esac
    [ "$1" = idle ] || xl pause "$1"
}

xl vcpu-pin Domain-0 all "$place"
# One by one: dom0 has no memory for many kernels that xl has just read.
for guest in idle $busy; do
    start_one "$guest"
done
xensched allow-marks 0 on
start_daemon --mode observe --log service-ns,evtchn-send,wake-delay,mark
while [ "$spinning" -gt 0 ]; do
    spinning=$((spinning - 1))
    spin 1000000 &
done
for lever in $levers; do
    case $lever in
    *[0-9])  [ -n "$has_weight" ] || continue ;;
    esac
    look_at "$lever"
done
stop_daemon
