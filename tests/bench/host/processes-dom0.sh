#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the functions that processes.plan calls; as a script, the part of host-processes.sh
# that runs in dom0.

set -e
# shellcheck source=tests/bench/host/dom0.sh
. ./dom0.sh

# The number (docs/internals/linux-log.md) of the events that the guest logs.
logged=/run/bench-logged

log()
{
    case $1 in
    guest-name)    echo 29 >$logged ;;
    guest-request) echo 30 >$logged ;;
    esac
}

log_nothing()
{
    rm $logged
    domain-log "$(xl domid bench)" remove
}

# The guest has a number in the log, without which it would log nothing.
daemon_without_events()
{
    start_daemon --mode observe --log none
}

# Returns when the guest has been asked for all three events.
daemon_for_processes()
{
    local events

    events=/local/domain/$(xl domid bench)/schedlog/area/events
    start_daemon --mode observe --log process-io
    until [ "$(xenstore-read "$events" 2>/dev/null)" = $((7 << 29)) ]; do
        usleep 100000
    done
}

start_agent()
{
    errand_to bench "(xensched-agent >/tmp/agent 2>&1 &); echo started" >/dev/null
}

stop_agent()
{
    errand_to bench "killall xensched-agent; cat /tmp/agent" >/dev/null
}

# told: prints the daemon's count of KiB that fio has requested.
told()
{
    sleep 2
    xensched matrix --processes bench --top 0 | awk '$2 == "fio" { print $NF }'
}

# requests WORKLOAD: prints the instructions and the rows of each request, or the daemon's
# count.
requests()
{
    if [ -f $logged ]; then
        domain-log "$(xl domid bench)" count "$(cat $logged)" \
            sh -c ". ./dom0.sh; measure bench $1" >/tmp/measured
    else
        measure bench "$1" >/tmp/measured
    fi
    awk '$1 == "value" { of[$2] = $3 }
         $1 == "rows"  { rows = $2 + $6 }
         END {
             n = of["operations"]
             printf "value instructions %.1f /request\n", of["instructions"] / n
             if (rows != "")
                 printf "value rows %.4f /request\n", rows / n
         }' /tmp/measured
    [ "$XENSCHED_CONFIGURATION" != process_io ] || echo "value told $(told) KiB"
}

begin()
{
    # shellcheck source=tests/bench/host/plan-dom0.sh
    . ./plan-dom0.sh
    our_drivers
    start_bench_that_logs
    do_plan plan
}

case $0 in
*processes-dom0.sh) begin ;;
esac
