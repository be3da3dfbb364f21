#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of host-recording.sh that runs in dom0; "plan", beside it, says which
# configurations, workloads, and how many rounds.  Says of each measurement, in
# $RESULTS/figures:
#
#   CONFIG WORKLOAD ROUND OPERATIONS INSTRUCTIONS BYTES ROWS CPU-NS
#
# BYTES are of the file that was written meanwhile, ROWS what is in it (of others'
# files: 0, recording.py counts them in what is left in $RESULTS), CPU-NS the time of
# the processes that read and write.  Round 0 warms up and is not said.

set -e
configs='' workloads='' rounds=''
. ./plan
. ./dom0.sh

threads=guest-switch,guest-wake,guest-name
everything=service-ns,evtchn-send,evtchn-recv,grant-map,grant-unmap,grant-copy,memory,runq,wake-delay,migrate,mark,ring-pages,ring-sectors
file=/tmp/recorded
recorder=''

# cpu_ns: of the processes that read and write, so far; in exact mode instructions
cpu_ns()
{
    local pid

    for pid in $(pidof xensched xenschedd xentrace trace-cmd); do
        cat /proc/"$pid"/task/*/schedstat
    done 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

record()
{
    xensched record "$@" $file 2>/tmp/said &
    recorder=$!
}

# begin CONFIG: who records starts; what is on before that is configure's.
begin()
{
    rm -f $file*
    case $1 in
    all)         record --event "$everything" ;;
    all+threads) record ;;
    xentrace)
        xentrace -D -e all $file >/dev/null 2>>/tmp/xentrace.log &
        recorder=$! ;;
    trace-cmd)
        LD_LIBRARY_PATH=. ./trace-cmd record -q -o $file -e sched -e block \
            >/tmp/said 2>&1 &
        recorder=$! ;;
    esac
    sleep 2
}

# end: sets bytes and rows
end()
{
    bytes=0 rows=0
    [ -n "$recorder" ] || return 0
    kill -INT "$recorder"
    wait "$recorder" || true
    recorder=''
    bytes=$(cat $file* | wc -c)
    rows=$(sed -n 's/.* \([0-9]*\) rows, .*/\1/p' /tmp/said | tail -n 1)
    rows=${rows:-0}
}

# turn CONFIG WORKLOAD ROUND
turn()
{
    local cpu measured

    errand_to bench "./workload prepare $2" >/dev/null
    begin "$1"
    cpu=$(cpu_ns)
    # Its words: ticks, idle, exit code, operations.
    measured=$(errand_to bench "./workload run $2")
    cpu=$(($(cpu_ns) - cpu))
    end
    # shellcheck disable=SC2086
    set -- "$@" $measured
    [ "$3" = 0 ] || {
        echo "$1 $2 $3 $7 $(($4 - $5)) $bytes $rows $cpu" >>"$RESULTS/figures"
        echo "bench: $1, $2, round $3: $((($4 - $5) / $7)) per operation, $bytes bytes"
    }
    case $1 in
    xentrace|trace-cmd) [ "$3" != 1 ] || mv $file "$RESULTS/$1-$2" ;;
    esac
}

# What the daemon logs while we record.
on()
{
    case $1 in
    all)         start_daemon --log "$everything" ;;
    all+threads) start_daemon --log "$everything,$threads" ;;
    esac
}

trap unconfigure EXIT
our_drivers
insmod $modules/xensched_guest.ko
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
guest start bench "xl=vm_affinity_log = 1" \
    prepare="insmod $modules/xensched_log.ko; insmod $modules/xensched_guest.ko; ./workload set-up"
for round in $(seq 0 "$rounds"); do
    for config in $configs; do
        on "$config"
        for workload in $workloads; do
            turn "$config" "$workload" "$round"
        done
        unconfigure
        [ "$round" != 0 ] || break
    done
done
