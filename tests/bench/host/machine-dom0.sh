#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the part of host-machine.sh in dom0.  Its vCPU 0 is held on pCPU 0 and does all of
# dom0's work; vCPU 1, held on the last pCPU, runs only xenschedd or xentrace.  For each
# place of the guest, with a log, and with a trace, $rounds times:
#
#   $RESULTS/machine.jsonl  by the machine model, region 2 n + 1: $few requests at
#                           place n, 2 n + 2: $many of them
#   $RESULTS/places         lines: N PLACE PCPU
#   $RESULTS/log.rows       a recording of $many requests
#   $RESULTS/log.status     the daemon's status meanwhile
#   $RESULTS/xentrace.few, xentrace.many
#                           traces of that many requests
#
# All memory belongs to node 0: only the guest's pCPU changes.

set -e
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/host/dom0/usr/lib/box/timed.sh
. /usr/lib/box/timed.sh

# Requests; the difference of two regions has nothing of dd's beginning or end.
few=100 many=500 rounds=5
# With a log: enough to wake the daemon, which reads when a log buffer is half full,
# several times.  The disk has room for 8192.
many_read=8000 rounds_read=2
echo "$few $many $rounds $many_read $rounds_read" >"$RESULTS/requests"

cores=$(($(xl info nr_cpus) / 2))

# reads COUNT: for the guest
reads()
{
    echo "dd if=/dev/xvda of=/dev/null bs=4k iflag=direct count=$1 2>/dev/null"
}

# in_guest COMMAND
in_guest()
{
    # shellcheck disable=SC2046 # its words
    set -- $(errand run "$front" "$1")
    [ "$3" = 0 ]
}

# count_lines N MANY: warm caches first
count_lines()
{
    in_guest "region 63 && $(reads $few) && region $((2 * $1 + 1)) &&
        $(reads $few) && region $((2 * $1 + 2)) && $(reads "$2") && region 0"
}

# place N NAME PCPU [MANY ROUNDS]
place()
{
    local round=0

    echo "$1 $2 ${4:-$many} ${5:-$rounds}" >>"$RESULTS/places"
    xl vcpu-pin front 0 "$3"
    in_guest "$(reads $few)"
    while [ $round -lt "${5:-$rounds}" ]; do
        count_lines "$1" "${4:-$many}"
        round=$((round + 1))
    done
    echo "$2 is done"
}

record()
{
    local recorder

    taskset 2 xensched record "$RESULTS/log.rows" 2>/dev/null &
    recorder=$!
    usleep 300000
    in_guest "$(reads $many)"
    usleep 300000
    kill -INT $recorder
    wait $recorder
    xensched status --json >"$RESULTS/log.status"
}

with_log()
{
    # The daemon and its helpers inherit this.
    taskset -p 2 $$ >/dev/null
    start_daemon --mode observe --log service-ns,evtchn-send
    taskset -p 1 $$ >/dev/null
    place 5 log 1 $many_read $rounds_read
    record
    stop_daemon
}

# trace FILE COMMAND...: all classes of events.  It reads every 10 ms, so that its buffers
# do not run over.
trace()
{
    local file="$1" tracer

    shift
    taskset 2 xentrace -D -s 10 -e all "$file" 2>>/tmp/xentrace.log &
    tracer=$!
    sleep 1
    "$@"
    kill -INT $tracer
    wait $tracer || :
}

with_xentrace()
{
    trace /dev/null place 6 xentrace 1
    trace /tmp/xentrace.few in_guest "$(reads $few)"
    trace /tmp/xentrace.many in_guest "$(reads $many)"
    # xentrace writes from pages that it has mapped of Xen, which the share cannot accept.
    cp /tmp/xentrace.few /tmp/xentrace.many "$RESULTS"
}

guest start idle name=front cpus=0 disk=32 run='errand serve' \
    prepare='dd if=/dev/zero of=/dev/xvda bs=1M count=32 oflag=direct 2>/dev/null'
front=$(xl domid front)
dom0_on_pcpu_0

place 0 same-pcpu 0
place 1 same-llc 1
[ "$cores" -le 2 ] || place 2 same-socket 2
place 3 other-socket "$cores"
place 4 no-log 1 $many_read $rounds_read
with_log
with_xentrace
