#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts the instructions of the whole host for every 4 KiB that a guest reads from dom0's
# disk, one read at a time, without and with the events of waits and of Xen's work.
#
#   tests/host/box --mode exact --sockets 1 --cores 4 --dom0-vcpus 1 --timeout 1500 \
#       tests/host/examples/wait-cost.sh
#
# Prints per set of events: requests, mean, median and P99 in ns (1 ns is an instruction).
# Compare medians: the mean includes other work of dom0.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

others=service-ns,evtchn-send,grant-map,grant-copy,grant-unmap
default=$others,wake-delay,preempt-delay,wait-part,migrate
# shellcheck disable=SC2034 # of daemon.sh: its defaults are the daemon's
daemon_settings=

measure()
{
    note "$1: $(errand run "$(xl domid disk)" \
        "timed-reads /dev/xvda 4096 1 0 $round 0 400" | tr '\n' ' ')"
}

with()
{
    start_daemon --mode observe --log "$2"
    sleep 2
    measure "$1"
    stop_daemon TERM
}

guest start idle name=disk cpus=1 disk=16 run='errand serve' \
    prepare='dd if=/dev/zero of=/dev/xvda bs=1M count=16 oflag=direct 2>/dev/null'
for round in 1 2 3; do
    measure "no daemon"
    with "no events of waits" $others
    with "wake-delay" $others,wake-delay
    with "the default" $default
    with "the default, off-cpu" $default,off-cpu
done
for event in hypercall-time irq-time flush-wait exit-time \
    hypercall-time,irq-time,flush-wait,exit-time; do
    with "$event" $default,$event
done
finish
