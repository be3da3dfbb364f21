# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the host benchmarks, in dom0: the configurations which are compared, and
# how a workload is measured.

modules=/lib/xensched
logger=

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
    logger=$!
    until xensched status >/dev/null 2>&1; do
        kill -0 $logger || return 1
        sleep 1
    done
}

# All classes of events; what is written is thrown away.
start_xentrace()
{
    xentrace -D -e all /dev/null >/dev/null 2>>/tmp/xentrace.log &
    logger=$!
    sleep 1
    kill -0 $logger
}

# configure NAME: the host is as this configuration has it.
configure()
{
    case $1 in
    native|patched) ;;
    xentrace)     start_xentrace ;;
    disabled)     start_daemon --log none ;;
    evtchn)       start_daemon --log evtchn-send ;;
    evtchn+ring3) start_daemon --log evtchn-send,ring-pages:3 ;;
    evtchn+ring1) start_daemon --log evtchn-send,ring-pages ;;
    default)      start_daemon ;;
    all)          start_daemon --log all ;;
    *)            echo "$1: no such configuration" >&2; return 1 ;;
    esac
}

# And as it was before.
unconfigure()
{
    [ -n "$logger" ] || return 0
    kill -TERM "$logger"
    wait "$logger" || true
    logger=
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

# measure GUEST WORKLOAD: prints OPERATIONS INSTRUCTIONS IDLE-NS.
measure()
{
    errand_to "$1" "./workload prepare $2" >/dev/null || return 1
    sleep 1
    # shellcheck disable=SC2046 # its words: ticks, idle, exit code, operations
    set -- $(errand_to "$1" "./workload run $2")
    [ $# -ge 4 ] || return 1
    echo "$4 $(($1 - $2)) $2"
}
