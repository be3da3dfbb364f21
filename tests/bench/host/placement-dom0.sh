#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of host-placement.sh that runs in dom0, whose one vCPU is held on
# pCPU 0 and serves the disk of a guest with one vCPU.  For each place of the
# guest:
#
#   $RESULTS/ticks            lines: PLACE TICKS-OF-FEW TICKS-OF-MANY
#   $RESULTS/PLACE-ROUND.rows a recording of $recorded requests
#   $RESULTS/PLACE.status     what the daemon said meanwhile
#
# Where the guest isn't held Xen may move it at any time, so there are several
# rounds of all.  While anything is measured dom0 serves the disk and nothing
# else (errand).

set -e
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/levers.sh
. ./levers.sh

# Requests; the difference of two runs has nothing of a run's beginning or end.
few=200 many=1200 recorded=500
rounds=5
echo "$few $many $recorded" >"$RESULTS/requests"

# request COUNT: 4 KiB direct reads, one at a time.  $took is how many ticks.
request()
{
    # shellcheck disable=SC2046 # its words
    set -- $(errand run "$front" "errand mark &&
        dd if=/dev/xvda of=/dev/null bs=4k iflag=direct count=$1 2>/dev/null &&
        errand mark")
    [ "$3" = 0 ]
    took=$1
}

# measure PLACE
measure()
{
    local one

    request $few
    one=$took
    request $many
    echo "$1 $one $took" >>"$RESULTS/ticks"
    echo "$1: $(((took - one) / (many - few))) instructions per request"
}

# record PLACE ROUND: with a daemon that logs who notifies whom, and who runs
# where.
record()
{
    local recorder

    xensched record "$RESULTS/$1-$2.rows" 2>/dev/null &
    recorder=$!
    usleep 300000
    request $recorded
    usleep 300000
    kill -INT $recorder
    wait $recorder
    xensched status --json >"$RESULTS/$1.status"
}

# one_round PLACE ROUND: there is a daemon only while it is needed to record
one_round()
{
    measure "$1"
    start_daemon --mode observe --log service-ns,evtchn-send
    record "$1" "$2"
    stop_daemon
}

# without_daemon PLACE
without_daemon()
{
    local round=0

    request $few
    while [ $round -lt $rounds ]; do
        round=$((round + 1))
        one_round "$1" $round
    done
}

# held PLACE HARD
held()
{
    xl vcpu-pin front 0 "$2"
    without_daemon "$1"
}

# Where the daemon has to come in: the guest may run anywhere, and runs on the
# other socket.
far_and_free()
{
    xl vcpu-pin front 0 2-3 all
    request $few
    xl vcpu-pin front 0 all all
}

# by_hand LEVER: in each round anew, as what becomes of it is chance.
by_hand()
{
    local round=0

    while [ $round -lt $rounds ]; do
        round=$((round + 1))
        far_and_free
        pull "$1" 0-1 front
        request $few
        one_round "$1" $round
        set_weight 0
    done
}

soft()
{
    xl vcpu-list front | awk 'NR == 2 { print $NF }'
}

placed_by_daemon()
{
    local tries=100 round=0

    far_and_free
    start_daemon --mode act --settle 0 --period 500
    until [ "$(soft)" = 0-1 ]; do
        [ $tries -gt 0 ] || { xensched plan; return 1; }
        tries=$((tries - 1))
        request $few
    done
    xensched plan
    while [ $round -lt $rounds ]; do
        round=$((round + 1))
        measure daemon
        record daemon $round
    done
    stop_daemon
}

xl vcpu-pin Domain-0 all 0
guest start idle name=front disk=16 run='errand serve' \
    prepare='dd if=/dev/zero of=/dev/xvda bs=1M count=16 oflag=direct 2>/dev/null'
front=$(xl domid front)

held same-pcpu 0
held same-socket 1
held other-socket 2
far_and_free
without_daemon free
for lever in soft nudge hard weight50; do
    by_hand $lever
done
placed_by_daemon
