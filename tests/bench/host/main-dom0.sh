#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of host.sh that runs in dom0, once on each hypervisor.  What it is
# to do is in "plan", beside it: hypervisor, configurations, back ends,
# workloads, rounds.  Says, for each measurement, as it comes:
#
#   result WORKLOAD BACKEND CONFIG ROUND OPERATIONS INSTRUCTIONS IDLE-NS
#
# Round 0 warms up and is not to be counted: what is loaded once, persistent
# grants that are made once.  It has two turns: a guest's second run costs 0.2 %
# more than its first and than all that follow, on either hypervisor.  In all
# other rounds each configuration has one turn, so that what changes with time
# meets all alike.

set -e
hypervisor='' configs='' backends='' workloads='' rounds=''
. ./dom0.sh
. ./plan

start_guests()
{
    serve="serve-disks"
    if [ "$hypervisor" = patched ]; then
        our_drivers
        serve="serve-disks $modules"
    fi
    for backend in $backends; do
        case $backend in
        dom0)
            guest start bench name=bench-dom0 ;;
        *)
            guest start "$backend" memory=352 prepare="$serve"
            guest start bench name="bench-$backend" backend="$backend" ;;
        esac
    done
}

# turn CONFIG ROUND
turn()
{
    configure "$1"
    sleep 2
    for backend in $backends; do
        for workload in $workloads; do
            measured=$(measure "bench-$backend" "$workload")
            echo "result $workload $backend $1 $2 $measured"
        done
    done
    case $1 in
    native|patched|xentrace) ;;
    *) xensched status --json >"$RESULTS/status-$1.json" ;;
    esac
    unconfigure
}

trap unconfigure EXIT
start_guests
for round in 0 $(seq 0 "$rounds"); do
    for config in $configs; do
        turn "$config" "$round"
        [ "$round" != 0 ] || break
    done
done
