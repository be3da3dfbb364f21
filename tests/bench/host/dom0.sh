# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the host benchmarks, in dom0: what is done around a workload, and how it is
# measured.

modules=/lib/xensched
logger_pid=/run/bench-logger

# our_drivers: our blkback in place of the kernel's own, before there is a disk.
our_drivers()
{
    rmmod xen-blkback &&
        insmod $modules/xensched_log.ko &&
        insmod $modules/xen-blkback.ko
}

# start_daemon OPTION...: it changes nothing here.
start_daemon()
{
    xenschedd --mode observe "$@" >>/tmp/xenschedd.log 2>&1 &
    echo $! >$logger_pid
    until xensched status >/dev/null 2>&1; do
        kill -0 $! || return 1
        sleep 1
    done
}

# All classes of events; what is written is thrown away.
start_xentrace()
{
    xentrace -D -e all /dev/null >/dev/null 2>>/tmp/xentrace.log &
    echo $! >$logger_pid
    sleep 1
    kill -0 $!
}

# unconfigure: ends what was started, by whichever process.
unconfigure()
{
    local pid

    [ -f $logger_pid ] || return 0
    pid=$(cat $logger_pid)
    rm $logger_pid
    kill -TERM "$pid"
    wait "$pid" 2>/dev/null || true
    while [ -e "/proc/$pid/exe" ]; do
        usleep 50000
    done
}

# errand_to GUEST COMMAND: what errand says of it, and it must have worked.
errand_to()
{
    errand run "$(xl domid "$1")" "$2 2>&1" >/tmp/errand
    [ "$(cut -d ' ' -f 3 /tmp/errand)" = 0 ] || {
        echo "$2: $(cat /tmp/errand)" >&2
        return 1
    }
    cat /tmp/errand
}

# prepare_workload GUEST WORKLOAD: and time for a daemon that was just started.
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
