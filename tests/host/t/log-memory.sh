#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# time: 420
# only: full
#
# Domains that come and go do not flood the log: with all events on, a daemon and a guest that uses
# its disk, guests are made and destroyed again and again.  Fails if there is a row for each page,
# or if rows are lost because of that.

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh
. /usr/lib/box/daemon.sh

# read_and_lost: rows that the daemon has read and lost
read_and_lost()
{
    xensched status | sed -n 's/^rows *//p'
}

come_and_go()
{
    local n=0

    while [ $n -lt "$1" ]; do
        guest start idle name=passing && guest stop passing
        n=$((n + 1))
    done
}

# In exact mode a guest that reads all the time leaves dom0 no time to start others.
many=4 reader=disk
! full || many=40
! on_arm64 || many=4 reader=paced

log_set_up 1048576
schedlog-area route 0 memory 0
logging memory come_and_go 1
note "$(wc -l <log.rows) rows of memory for one guest that came and went"
check "a guest that comes and goes makes rows" test "$(wc -l <log.rows)" -gt 2
check "but not one per page" test "$(wc -l <log.rows)" -lt 2000
check "and a last one, without memory" awk '
    $2 == "memory" && $5 == 0 { none++ }
    END { exit !none }' log.rows
schedlog-area release

guest start $reader
start_daemon --log all
is "the daemon starts with all events" "$?" 0
come_and_go $many
note "after $many guests: $(read_and_lost)"
is "no row was lost" "$(read_and_lost | sed 's/.* read, *//; s/ lost.*//')" 0
stop_daemon TERM
finish
