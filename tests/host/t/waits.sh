#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 1 --cores 2
# time: 240
# only: full
#
# The live matrix of waits has what Xen accounts as runnable, and names who had the pCPU.
# The other source is xentrace, of the same run: xenalyze sums up its records of
# runstates.  A guest competes with another one, then with dom0, and then has a cap, which
# is no wait; the result is known in advance, because nothing else runs on pCPU 1.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/timeline.sh

# shellcheck disable=SC2034 # for start_daemon
daemon_settings=
stopped=

# waits_of SECONDS GUEST: how many of them are known, percent of a pCPU in all, and for each
# other domain, a line each.
waits_of()
{
    xensched waits --seconds "$1" --json | tr -d ' \n' | tr '{' '\n' |
        awk -v guest="$2" -F'[":,]+' '
            /oldest/ { for (i = 1; i < NF; i++)
                           if ($i == "seconds") print "seconds", $(i + 1) }
            /ready_percent/ { it = $3 == guest
                              for (i = 1; i < NF; i++)
                                  if (it && $i == "ready_percent") print "all", $(i + 1) }
            it && /"waits_per_s"/ { for (i = 1; i < NF; i++)
                                        if ($i == "percent") print $3, $(i + 1) }'
}

# percent LINES NAME
percent()
{
    echo "$1" | awk -v name="$2" '$1 == name { n += $2 } END { print n + 0 }'
}

# competing SECONDS GUEST...: they run for this long, and are traced.
competing()
{
    seconds=$1
    shift
    xentrace -D -e 0x0002f000 /tmp/traced >/dev/null 2>&1 &
    tracer=$!
    sleep 1
    for guest; do xl unpause "$guest"; done
    sleep "$seconds"
    for guest; do xl pause "$guest"; done
    sleep 2
    kill -INT $tracer
    wait $tracer
    xenalyze --summary /tmp/traced >/run/analyzed 2>/dev/null
}

# waited_ms GUEST: by Xen; a cycle is a nanosecond.
waited_ms()
{
    state_ms "$1" runnable
}

# state_ms GUEST STATE
state_ms()
{
    awk -v ns="$(analyzed_cycles "$1" "$2")" 'BEGIN { print ns / 1e6 }'
}

# live_ms LINES NAME
live_ms()
{
    awk -v percent="$(percent "$1" "$2")" -v seconds="$(percent "$1" seconds)" 'BEGIN {
        print percent * seconds * 10 }'
}

guest start computing name=web cpus=1 &
guest start computing name=db cpus=1 &
wait
xl vcpu-pin Domain-0 all 0
xl pause web && xl pause db
start_daemon --mode observe
is "the daemon starts" "$?" 0

competing 6 web db
web=$(waits_of 10 web)
xensched waits --seconds 10
note "Xen says: web waited $(waited_ms web) ms, db $(waited_ms db) ms"
check "web has waited as long as Xen says" within 1 "$(live_ms "$web" all)" \
    "$(waited_ms web)"
check "and for db nearly all of it" within 1 "$(percent "$web" db)" "$(percent "$web" all)"
check "explain says so" sh -c "xensched explain web | grep 'it waited .* of them for db'"

xl vcpu-pin Domain-0 1 1
competing_begin=$(date +%s)
taskset 2 spin 100 &
spin=$!
competing 6 web
kill $spin
web=$(waits_of 10 web)
xensched waits --seconds 10
note "Xen says: web waited $(waited_ms web) ms"
check "web has waited for dom0 as long as Xen says" within 1 \
    "$(live_ms "$web" all)" "$(waited_ms web)"
check "and for dom0 nearly all of it" within 1 "$(percent "$web" Domain-0)" \
    "$(percent "$web" all)"
xl vcpu-pin Domain-0 all 0
xl sched-credit2 -d web -c 30
competing 6 web
web=$(waits_of 10 web)
xensched waits --seconds 10
note "Xen says: web ran $(state_ms web running) ms, waited $(waited_ms web) ms"
check "with a cap of 30 % it ran for less than a third of 6 s" \
    between 100 2000 "$(state_ms web running | cut -d. -f1)"
# Xen takes a vCPU whose cap is used up offline until its budget is replenished.
check "for Xen it did not wait" between 0 5 "$(waited_ms web | cut -d. -f1)"
check "nor by the live waits" between 0 5 "$(live_ms "$web" all | cut -d. -f1)"

check "waits of the first phase can still be asked for" sh -c \
    "xensched waits --at $(date -d @$((competing_begin - 14)) +%H:%M:%S) --seconds 15 web | grep db"
xensched waits --at "$(date -d @$((competing_begin - 14)) +%H:%M:%S)" --seconds 15
stop_daemon TERM
is "the daemon ends" "$stopped" 0
finish
