#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the functions that recording.plan calls; as a script, the part of
# host-recording.sh that runs in dom0.  The latest trace that another program wrote of
# each workload is left in $RESULTS.

set -e
# shellcheck source=tests/bench/host/dom0.sh
. ./dom0.sh

threads=guest-switch,guest-wake,guest-name
everything=service-ns,evtchn-send,evtchn-recv,grant-map,grant-unmap,grant-copy,memory,runq,wake-delay,migrate,mark,ring-pages,ring-sectors
file=/tmp/recorded
recorder=''

# by FUNCTION: selects one of the functions below, which starts to record
by()
{
    echo "$1" >/run/recorded-by
}

log_all()
{
    start_daemon --mode observe --log "$everything"
}

log_threads()
{
    start_daemon --mode observe --log "$everything,$threads"
}

no_recorder() { :; }

xensched_threads()
{
    xensched record "$@" $file 2>/tmp/said &
    recorder=$!
}

xensched_all()
{
    xensched_threads --event "$everything"
}

xentrace_all()
{
    xentrace -D -e all $file >/dev/null 2>>/tmp/xentrace.log &
    recorder=$!
}

trace_cmd()
{
    LD_LIBRARY_PATH=. ./trace-cmd record -q -o $file -e sched -e block >/tmp/said 2>&1 &
    recorder=$!
}

# cpu_ns: of the processes that read and write, so far; in exact mode instructions
cpu_ns()
{
    local pid

    for pid in $(pidof xensched xenschedd xentrace trace-cmd); do
        cat /proc/"$pid"/task/*/schedstat
    done 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

end_recorder()
{
    [ -n "$recorder" ] || return 0
    kill -INT "$recorder"
    wait "$recorder" || true
}

# rows: prints xensched's count; recording.py counts the records of the other traces
rows()
{
    sed -n 's/.* \([0-9]*\) rows, .*/\1/p' /tmp/said 2>/dev/null | tail -n 1
}

# recorded WORKLOAD
recorded()
{
    local by cpu

    by=$(cat /run/recorded-by)
    rm -f $file* /tmp/said
    "$by"
    sleep 2
    cpu=$(cpu_ns)
    measure bench "$1"
    cpu=$(($(cpu_ns) - cpu))
    end_recorder
    [ "$by" != no_recorder ] || return 0
    echo "value recorders $cpu"
    echo "value bytes $(cat $file* | wc -c)"
    case $by in
    xensched*) echo "value rows $(rows)" ;;
    *)         mv $file "$RESULTS/$by-$1" ;;
    esac
}

begin()
{
    # shellcheck source=tests/bench/host/plan-dom0.sh
    . ./plan-dom0.sh
    our_drivers
    insmod $modules/xensched_guest.ko
    mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
    start_bench_that_logs
    do_plan plan
}

case $0 in
*recording-dom0.sh) begin ;;
esac
