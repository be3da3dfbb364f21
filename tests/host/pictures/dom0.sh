#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Produces in dom0 what docs/measure/timeline.md shows.  Leaves these recordings:
#
#   slow-request.rows  a guest reads its disk a hundred times a second, and another one
#                      computes on the pCPU of dom0, which has to serve the disk
#   layers.rows        the same, with a guest whose thread waits for another thread,
#                      which waits for the disk; with threads and rings

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh

set -e

modules=/lib/xensched
events=service-ns,wake-delay,evtchn-send,evtchn-recv,migrate
threads=guest-switch,guest-wake,guest-name,ring-sectors

# record NAME SECONDS EVENTS
record()
{
    # shellcheck disable=SC2034 # for start_daemon
    daemon_settings="--log $3"
    start_daemon --mode observe
    # The log has what guests and dom0's Linux began before this.
    sleep 2
    xensched record --seconds "$2" "$RESULTS/$1.rows"
    stop_daemon TERM
}

# xensched's back end and the module that logs threads are loaded before there is a disk.
rmmod xen-blkback
insmod $modules/xensched_log.ko
insmod $modules/xen-blkback.ko
insmod $modules/xensched_guest.ko
guest start paced name=disk cpus=1 memory=160
guest start computing name=crunch cpus=0 memory=160
xl vcpu-pin Domain-0 all 0
record slow-request 2 $events
guest stop disk
guest start idle name=app disk=16 cpus=1 memory=160 "xl=vm_affinity_log = 1" run="
insmod $modules/xensched_log.ko
insmod $modules/xensched_guest.ko
ask-disk /dev/xvda 1000000 10"
# The names of threads are logged again every 4 s.
record layers 5 $events,$threads
