# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Prepares and measures workloads for the host benchmarks, in dom0.

modules=/lib/xensched
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh

# our_drivers: replaces the kernel's blkback by the patched one, before there is a disk.
our_drivers()
{
    rmmod xen-blkback &&
        insmod $modules/xensched_log.ko &&
        insmod $modules/xen-blkback.ko
}

# start_bench_that_logs: starts the guest bench, which logs its threads on request.
start_bench_that_logs()
{
    guest start bench "xl=vm_affinity_log = 1" \
        prepare="insmod $modules/xensched_log.ko; insmod $modules/xensched_guest.ko; ./workload set-up"
}

# All classes of events; the output is discarded.  It is ended like a daemon.
start_xentrace()
{
    xentrace -D -e all /dev/null >/dev/null 2>>/tmp/xentrace.log &
    echo $! >"$daemon_pid"
    sleep 1
    kill -0 $!
}

# errand_to GUEST COMMAND: prints the output of errand; fails if the command failed.
errand_to()
{
    errand run "$(xl domid "$1")" "$2 2>&1" >/tmp/errand
    [ "$(cut -d ' ' -f 3 /tmp/errand)" = 0 ] || {
        echo "$2: $(cat /tmp/errand)" >&2
        return 1
    }
    cat /tmp/errand
}

# prepare_workload GUEST WORKLOAD: also gives a new daemon time to start.
prepare_workload()
{
    errand_to "$1" "./workload prepare $2" >/dev/null || return 1
    sleep 2
}

# measure GUEST WORKLOAD
measure()
{
    # shellcheck disable=SC2046 # its words: ticks, idle, exit code, operations
    set -- $(errand_to "$1" "./workload run $2")
    [ $# -ge 4 ] || return 1
    echo "value instructions $(($1 - $2))"
    echo "value idle $2 ns"
    echo "value operations $4"
}
