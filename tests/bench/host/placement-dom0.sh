#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the functions that placement.plan calls: placement-dom0.sh FUNCTION [ARGUMENT].
# The guest "front" does errands; during a measurement, dom0 only serves its disk.

set -e
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/levers.sh
. ./levers.sh
# shellcheck source=tests/bench/host/plan-dom0.sh
. ./plan-dom0.sh

# Requests; the difference of two runs excludes a run's start and end.
few=200 many=1200 recorded=500

# request COUNT: 4 KiB direct reads, one at a time.  Sets $took, in ticks.
request()
{
    # shellcheck disable=SC2046 # its words
    set -- $(errand run "$(xl domid front)" "errand mark &&
        dd if=/dev/xvda of=/dev/null bs=4k iflag=direct count=$1 2>/dev/null &&
        errand mark")
    [ "$3" = 0 ]
    took=$1
}

requests()
{
    local one

    request $few
    one=$took
    request $many
    echo "value requests $((many - few))"
    echo "value instructions $(((took - one) / (many - few))) /request"
}

# Rows of the text of a recording, the latest first: a notification between the two
# arrives where the other one ran next (service-ns is written when a vCPU leaves its
# pCPU, and at each tick).  There are two pCPUs on each socket.
count_notifications()
{
    sort -rn | awk -v requests="$recorded" '
        $3 == "service-ns" { ran_next[$4] = $2 }
        $3 == "evtchn-send" && ($4 == "front" && $5 == "Domain-0" ||
                                $4 == "Domain-0" && $5 == "front") {
            sent++
            if ($5 in ran_next) {
                pcpu += ran_next[$5] != $2
                socket += int(ran_next[$5] / 2) != int($2 / 2)
            }
        }
        END {
            print "value recorded", requests
            print "value notifications", sent / requests, "/request"
            print "value cross_pcpu", pcpu / requests, "/request"
            print "value cross_socket", socket / requests, "/request"
        }'
}

notifications()
{
    local recorder

    xensched record /tmp/rows 2>/tmp/recorder &
    recorder=$!
    usleep 300000
    request $recorded
    usleep 300000
    kill -INT $recorder
    wait $recorder
    grep ' 0 rows lost' /tmp/recorder
    xensched dump /tmp/rows | count_notifications
}

# A daemon that runs already logs the necessary events.
log()
{
    xensched status >/dev/null 2>&1 ||
        start_daemon --mode observe --log service-ns,evtchn-send
}

far_and_free()
{
    xl vcpu-pin front 0 2-3 all
    request $few
    xl vcpu-pin front 0 all all
}

# by_hand LEVER
by_hand()
{
    far_and_free
    pull "$1" 0-1 front
    request $few
}

let_go()
{
    set_weight 0
    xl vcpu-pin front 0 all all
}

soft()
{
    xl vcpu-list front | awk 'NR == 2 { print $NF }'
}

placed_by_daemon()
{
    local tries=100

    far_and_free
    start_daemon --mode act --settle 0 --period 500
    until [ "$(soft)" = 0-1 ]; do
        [ $tries -gt 0 ] || { xensched plan; return 1; }
        tries=$((tries - 1))
        request $few
    done
}

begin()
{
    xl vcpu-pin Domain-0 all 0
    guest start idle name=front disk=16 run='errand serve' \
        prepare='dd if=/dev/zero of=/dev/xvda bs=1M count=16 oflag=direct 2>/dev/null'
    do_plan placement.plan
}

"${@:-begin}"
