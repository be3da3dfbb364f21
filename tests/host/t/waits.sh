#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --mode exact --sockets 1 --cores 3
# arm64: --mode exact --sockets 1 --cores 3 --dom0-vcpus 2
# time: 900
# only: full
#
# The live matrix of waits has the time that Xen accounts as runnable, and names the domain that had
# the pCPU. One other source is xentrace, in the same run: xenalyze sums up its records of
# runstates.  A guest competes with another one, then with dom0, and then has a cap, which is no
# wait; the result is known in advance, because nothing else runs on pCPU 1. Another source is a
# recording of a mixed load, in which latency derives from runs for which domain a guest waited.
# Xen also counts runstates itself, also while a pCPU goes offline.

. /usr/lib/box/tap.sh
. /usr/lib/box/daemon.sh
. /usr/lib/box/log.sh
. /usr/lib/box/pcpu.sh
. /usr/lib/box/timeline.sh

# shellcheck disable=SC2034 # for start_daemon
daemon_settings=
stopped=
events=service-ns,service-tsc,wake-delay,preempt-delay,wait-part,migrate,evtchn-send

# waits_of SECONDS GUEST: prints, a line each: their number, all, Xen's count, offline and unknown
# in percent of a pCPU, each other domain, and each other domain and cause.
waits_of()
{
    xensched waits --seconds "$1" --json | tr -d ' \n' | tr '{' '\n' |
        awk -v guest="$2" -F'[":,}]+' '
            function value(name) { for (i = 1; i < NF; i++) if ($i == name) return $(i + 1) }
            /oldest/ { print "seconds", value("seconds") }
            /ready_percent/ { it = $3 == guest }
            it && /ready_percent/ { print "all", value("ready_percent")
                                    print "counted", value("counted_percent")
                                    print "offline", value("offline_percent")
                                    print "unknown", value("unknown_percent") }
            it && /"waits_per_s"/ && $2 == "name" { whom = $3
                                                    print whom, value("percent") }
            it && /"waits_per_s"/ && $2 == "cause" { print whom "/" $3, value("percent") }'
}

# percent LINES NAME
percent()
{
    echo "$1" | awk -v name="$2" '$1 == name { n += $2 } END { print n + 0 }'
}

# competing SECONDS GUEST...: runs and traces them for this long.
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

# waited_ms GUEST: prints Xen's value; a cycle is a nanosecond.
waited_ms()
{
    state_ms "$1" runnable
}

# state_ms GUEST STATE
state_ms()
{
    calc "$(analyzed_ns "$1" "$2") / 1e6"
}

# live_ms LINES NAME
live_ms()
{
    calc "$(percent "$1" "$2") * $(percent "$1" seconds) * 10"
}

# for_each COMMAND GUEST...
for_each()
{
    command=$1
    shift
    for guest; do xl "$command" "$guest"; done
}

# record_them NAME SECONDS GUEST...: runs and records them for this long.
record_them()
{
    rec=$RESULTS/$1.rows
    seconds=$2
    shift 2
    xensched record --seconds 120 "$rec" 2>said &
    recorder=$!
    sleep 1
    for_each unpause "$@"
    sleep "$seconds"
    for_each pause "$@"
    sleep 2
    kill -INT $recorder
    wait $recorder || cat said
    for guest; do waits_of $((seconds + 14)) "$guest" >live.$guest; done
    xensched dump "$rec" >rows
}

# latency_ms DOMAIN: prints how long a guest waited for that domain after notifications
latency_ms()
{
    tr -d ' \n' <latency | tr '{' '\n' |
        awk -v whom="$1" -F'[":,}]+' '
            $2 == "domain" && $3 == whom { for (i = 1; i < NF; i++)
                                            if ($i == "ns") ns += $(i + 1) }
            END { print ns / 1e6 }'
}

# long_waits: of waits of more than a millisecond, how many percent have a culprit, and how
# many have a reason.  Rows of one pCPU and log are in order.
long_waits()
{
    awk '
        $3 == "wake-delay" || $3 == "preempt-delay" {
            long = $6 > 1000000
            need[$2] = long && $5 == "none" ? 0.95 * $6 : 0
            all += long; culprit += long && !need[$2]
            known = NF > 6 && $7 != "unknown" && ($7 !~ /^blocked/ || /woken by/)
            cause += long && known
        }
        $3 == "wait-part" && need[$2] > 0 { need[$2] -= $6; culprit += need[$2] <= 0 }
        END { print all + 0, all ? 100 * culprit / all : 0, all ? 100 * cause / all : 0 }' rows
}

# ran EVENT GUEST PER_MS: how many ms it ran, by its rows of this event in the recording, of
# which PER_MS are a millisecond
ran()
{
    awk -v event="$1" -v guest="$2" -v per_ms="$3" '
        $3 == event && $4 == guest { sum += $6 } END { print sum / per_ms }' rows
}

guest start computing name=web cpus=1 &
guest start computing name=db cpus=1 &
guest start computing name=mail cpus=1 &
guest start paced name=disk cpus=1 &
guest start idle name=pong cpus=1 run='pingpong pong' &
wait
xl vcpu-pin Domain-0 all 0
for_each pause web db mail disk pong
start_daemon --mode observe --log "$events"
is "the daemon starts" "$?" 0

# A mixed load on one pCPU: two guests compute, one reads its disk, and one sleeps until dom0
# notifies it and then notifies dom0, so nearly each wait has its notification.
pingpong ping "$(domid pong)" 100000 >/dev/null &
ping=$!
record_them mixed 5 db mail disk pong
kill $ping
xensched waits --seconds 20
xensched latency --json "$rec" pong >latency
for domain in db mail; do
    check "pong waited for $domain as long as latency says" within 3 \
        "$(live_ms "$(cat live.pong)" $domain)" "$(latency_ms $domain)"
done
# shellcheck disable=SC2046 # three numbers
set -- $(long_waits)
note "$1 waits took more than 1 ms: $2 % have a culprit, $3 % a cause"
check "there are such waits" between 50 100000 "$1"
check "95 % of them have a culprit" between 95 100 "$2"
check "95 % of them have a cause" between 95 100 "$3"
for guest in db mail disk; do
    live=$(cat live.$guest)
    check "at most 5 % of what $guest waited is unknown" between 0 5 \
        "$(calc "100 * $(percent "$live" unknown) / $(percent "$live" all)")"
done

# All guests are busy for a minute on two pCPUs (on arm64 for 36 s, because emulation is slower).
# One pCPU goes offline and online again.  While it is offline, the test pauses a guest several
# times.  The guest is usually waiting then, and a pause ends a wait without a run.
#
# In exact mode the clocks of two pCPUs are up to 1 ms apart, so Xen counts the beginning of some
# runs as waiting, if the guest has come from another pCPU.  Therefore the test compares the sum of
# running and waiting, which rows measure by the TSC.
sleep 10
for guest in web db mail disk; do
    xl vcpu-pin $guest all 1-2
done
busy=60
! on_arm64 || busy=36
leave_and_return()
{
    sleep $((busy / 3))
    pcpu_off 2
    for _ in 1 2 3 4 5 6; do
        sleep 1
        xl pause web
        xl unpause web
    done
    pcpu_on 2
}
leave_and_return >/dev/null 2>&1 &
for guest in web db mail; do domain-usage time "$(domid $guest)" >before.$guest; done
record_them busy $busy web db mail disk
khz=$(log_info tsc_khz)
for guest in web db mail; do
    ran=$(calc "($(domain-usage time "$(domid $guest)") - $(cat before.$guest)) / 1e6")
    waited=$(live_ms "$(cat live.$guest)" all)
    counted=$(live_ms "$(cat live.$guest)" counted)
    check "$guest ran as long as Xen says, within 0.2 %" within 0.2 \
        "$(ran service-ns $guest 1e6)" "$ran"
    check "and waited as long, within 7 %" within 7 "$waited" "$counted"
    check "and did one or the other as long, within 0.1 %" within 0.1 \
        "$(calc "$(ran service-tsc $guest "$khz") + $waited")" "$(calc "$ran + $counted")"
done
note "$(grep -c 'did not run' rows) waits ended without a run"
check "some waits ended without a run" grep -q 'did not run' rows
for guest in web db; do xl vcpu-pin $guest all 1; done
sleep 10

competing 6 web db
web=$(waits_of 10 web)
xensched waits --seconds 10
note "Xen says: web waited $(waited_ms web) ms, db $(waited_ms db) ms"
check "web has waited as long as Xen says" within 1 "$(live_ms "$web" all)" \
    "$(waited_ms web)"
check "nearly all of it for db" within 1 "$(percent "$web" db)" "$(percent "$web" all)"
check "because it was preempted" within 1 "$(percent "$web" db/preempted)" \
    "$(percent "$web" all)"
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
check "nearly all of it for dom0" within 1 "$(percent "$web" Domain-0)" \
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
check "the live waits have no wait of it" between 0 5 "$(live_ms "$web" all | cut -d. -f1)"
# A poll that finds it paused, at the beginning or at the end, does not count: 70 % of 4 to 6 s.
check "but they show that Xen did not let it run" between 2700 4300 \
    "$(live_ms "$web" offline | cut -d. -f1)"

check "waits of the first phase can still be asked for" sh -c \
    "xensched waits --at $(date -d @$((competing_begin - 14)) +%H:%M:%S) --seconds 15 web | grep db"
xensched waits --at "$(date -d @$((competing_begin - 14)) +%H:%M:%S)" --seconds 15
stop_daemon TERM
is "the daemon ends" "$stopped" 0
finish
