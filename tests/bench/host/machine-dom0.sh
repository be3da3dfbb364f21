#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of host-machine.sh that runs in dom0.  Its vCPU 0 is held on pCPU 0 and
# does all of dom0's work; vCPU 1, held on the last pCPU, has nothing to do but
# xenschedd.  For each place of the guest, and with a log, $rounds times:
#
#   $RESULTS/machine.jsonl  by the machine model, region 2 n + 1: $few requests at
#                           place n, 2 n + 2: $many of them
#   $RESULTS/places         lines: N PLACE PCPU
#   $RESULTS/ticks          lines: TICKS-OF-FEW TICKS-OF-MANY, with a log
#   $RESULTS/log.rows       a recording of $many requests
#   $RESULTS/log.status     what the daemon said meanwhile
#
# All memory is node 0's: it is the pCPU that changes its place.

set -e
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh

# Requests; the difference of two regions has nothing of dd's beginning or end.
few=100 many=500 rounds=5
interval=10     # ms, between two looks of the daemon
echo "$few $many $rounds $interval" >"$RESULTS/requests"

last=$(($(xl info nr_cpus) - 1))
cores=$(((last + 1) / 2))

# Everything that may be moved runs on vCPU 0, and so do interrupts.
keep_on_vcpu_0()
{
    for irq in /proc/irq/[0-9]*/smp_affinity; do
        echo 1 2>/dev/null >"$irq" || :
    done
    for folder in /proc/[0-9]*; do
        taskset -p 1 "${folder#/proc/}" >/dev/null 2>&1 || :
    done
}

# reads COUNT: for the guest
reads()
{
    echo "dd if=/dev/xvda of=/dev/null bs=4k iflag=direct count=$1 2>/dev/null"
}

# in_guest COMMAND: sets ticks, between two marks of the command
in_guest()
{
    # shellcheck disable=SC2046 # its words
    set -- $(errand run "$front" "$1")
    [ "$3" = 0 ]
    ticks=$1
}

# count_lines N: warm caches first
count_lines()
{
    in_guest "region 63 && $(reads $few) && region $((2 * $1 + 1)) &&
        $(reads $few) && region $((2 * $1 + 2)) && $(reads $many) && region 0 &&
        errand mark && errand mark"
}

# place N NAME PCPU
place()
{
    local round=0

    echo "$1 $2 $3" >>"$RESULTS/places"
    xl vcpu-pin front 0 "$3"
    in_guest "errand mark && $(reads $few) && errand mark"
    while [ $round -lt $rounds ]; do
        count_lines "$1"
        round=$((round + 1))
    done
    echo "$2 is done"
}

# How long a request takes with the daemon at work, which says how often it looks.
count_ticks()
{
    local one round=0

    while [ $round -lt $rounds ]; do
        in_guest "errand mark && $(reads $few) && errand mark"
        one=$ticks
        in_guest "errand mark && $(reads $many) && errand mark"
        echo "$one $ticks" >>"$RESULTS/ticks"
        round=$((round + 1))
    done
}

record()
{
    local recorder

    taskset 2 xensched record "$RESULTS/log.rows" 2>/dev/null &
    recorder=$!
    usleep 300000
    in_guest "errand mark && $(reads $many) && errand mark"
    usleep 300000
    kill -INT $recorder
    wait $recorder
    xensched status --json >"$RESULTS/log.status"
}

with_log()
{
    # It and its helpers inherit this.
    taskset -p 2 $$ >/dev/null
    start_daemon --mode observe --log service-ns,evtchn-send \
        --interval $interval
    taskset -p 1 $$ >/dev/null
    place 5 log 1
    count_ticks
    record
    stop_daemon
}

xl vcpu-pin Domain-0 0 0 all
xl vcpu-pin Domain-0 1 "$last" all
guest start idle name=front cpus=0 disk=16 run='errand serve' \
    prepare='dd if=/dev/zero of=/dev/xvda bs=1M count=16 oflag=direct 2>/dev/null'
front=$(xl domid front)
keep_on_vcpu_0

place 0 same-pcpu 0
place 1 same-llc 1
[ "$cores" -le 2 ] || place 2 same-socket 2
place 3 other-socket "$cores"
place 4 no-log 1
with_log
