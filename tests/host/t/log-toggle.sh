#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events are turned on and off 1000 times while guests do I/O, compute and
# are created and destroyed.  Rewriting code under load can go wrong on a pCPU
# that executes it meanwhile, and then somebody dies.  Two pCPUs, since all of
# them are stopped each time, which takes an emulated host long enough.
#
# box: --sockets 1 --cores 2
# time: 400

. /usr/lib/box/tap.sh

guest start disk &
guest start computing &
wait
(
    while [ ! -f stop ]; do
        guest start idle name=passing && guest stop passing
    done
) >/dev/null 2>&1 &
busy=$!

check "1000 times on and off under load" schedlog-toggle 1000
touch stop
wait $busy

before=$(cat /sys/bus/xen-backend/devices/vbd-*/statistics/wr_req)
sleep 1
check "the disk guest still does I/O" test \
    "$(cat /sys/bus/xen-backend/devices/vbd-*/statistics/wr_req)" -gt "$before"
check "the computing guest is still there" xl domid computing
is "every event is off" "$(schedlog-count off 0 any true)" \
    "rows 0 sum 0 others 0"
finish
